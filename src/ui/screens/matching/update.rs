//! What the commands of the Match screen do. Nothing here spends: contacts go into a basket, and only by the person's word.

use crate::dialogs::Dialog;
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::dialogs::reader::{Part, Reader};
use crate::keys::command::Match;
use crate::scene::{Handoff, Scene};
use crate::theme::Role;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::{contacts, grouped};
use lode_core::query::Query;
use lode_core::row::Row;
use lode_engine::flow::matching::Stage;
use lode_engine::flow::matching::judge::Verdict;
use lode_engine::flow::matching::likely::Found;

use super::facts::{candidate, contact, how};
use super::state::State;

pub(super) fn command(state: &State, command: Match, scene: &mut Scene<'_>) {
    match command {
        Match::Open => {
            let words = format!(
                "Path of a CSV or .xlsx file with a column of companies or domains. {} Nothing is sent before you start it.",
                how(scene.side.source)
            );
            scene.open(Dialog::Prompt(Prompt::new("Match a list of accounts", words, Purpose::Accounts)));
        }
        Match::Start => start(state, scene),
        Match::Stop => {
            if scene.session.matching().is_running() {
                scene.session.stop_match(scene.now, scene.fx);
                scene.say("Stopped. What was answered is kept.  <match.start> resume");
            } else {
                scene.say("No match is running.");
            }
        }
        Match::Stage => stage(state.rows(scene.session).to_vec(), scene),
        Match::StageAll => stage(all(scene), scene),
        Match::Likely => look(state, scene),
        Match::StageLikely => stage_likely(state, scene),
        Match::Export => match all(scene) {
            rows if rows.is_empty() => scene.say("No account is matched, so there is nothing to export."),
            rows => {
                let what = format!("{} of matched accounts", contacts(rows.len()));
                scene.hand(Handoff::ExportRows(what, rows));
            }
        },
        Match::CopyCommand => scene.hand(Handoff::CopyCommandLine),
    }
}

/// The word to go, the word to go on, or the account in full.
fn start(state: &State, scene: &mut Scene<'_>) {
    let session = &mut *scene.session;
    if session.matching().is_opening() {
        return scene.say("The list is being read. Nothing is sent before you start it.");
    }
    let stage = session.matching().job().map(|job| job.stage().clone());
    match stage {
        None => scene.say("No list yet.  <match.open> open a list of accounts"),
        Some(Stage::Ready) => session.run_match(scene.now, scene.fx),
        Some(Stage::Stopped | Stage::Failed(_)) => session.repeat_match(scene.now, scene.fx),
        Some(Stage::Reading(_) | Stage::Sizing | Stage::Running) => {
            scene.say("Accounts are settled when all is read.  <match.stop> stop");
        }
        Some(Stage::Done) => {
            if let Some(reader) = account(state, scene) {
                scene.open(Dialog::Reader(reader));
            }
        }
    }
}

/// The account under the cursor in full: the columns of its list, and what it came to.
fn account(state: &State, scene: &Scene<'_>) -> Option<Reader> {
    let (job, verdict) = (scene.session.matching().job()?, state.verdict(scene.session)?);
    let accounts = &job.wanted().accounts;
    let line = accounts.lines.get(state.at)?;
    let cells = accounts.heads.iter().zip(&line.cells);
    let mut parts: Vec<Part> = cells.map(|(head, cell)| Part::pair(head.clone(), cell.clone())).collect();
    parts.extend([Part::Gap, Part::Heading(verdict.name().to_owned())]);
    match verdict {
        Verdict::None => parts.push(Part::words("No company fits in name or domain.")),
        Verdict::Ambiguous { candidates, why } => {
            parts.push(Part::Words(format!("{why}; none is picked"), Role::Dim));
            parts.extend(candidates.iter().map(|one| Part::pair(candidate(one), one.why)));
        }
        Verdict::Matched { company, rows, .. } => {
            parts.push(Part::pair("company", company.clone()));
            parts.extend(rows.iter().map(|row| Part::words(contact(row))));
        }
    }
    Some(Reader::new("Account", parts))
}

/// The contacts of all matched accounts, each once.
fn all(scene: &Scene<'_>) -> Vec<Row> {
    let rows = scene.session.matching().job().map(|job| job.contacts());
    rows.into_iter().flatten().cloned().collect()
}

fn stage(rows: Vec<Row>, scene: &mut Scene<'_>) {
    let query = scene.session.matching().job().map(|job| job.wanted().query.clone());
    match query {
        Some(query) if !rows.is_empty() => put(&rows, &query, scene),
        _ => scene.say("No contacts to add: only a matched account has some."),
    }
}

fn put(rows: &[Row], query: &Query, scene: &mut Scene<'_>) {
    let (of_side, desk) = scene.session.side_mut(query.side);
    let added = of_side.basket.stage(rows, query, &mut desk.at(scene.now, scene.fx));
    say_added(added, query.side, scene);
}

fn say_added(added: usize, side: Side, scene: &mut Scene<'_>) {
    if added > 0 {
        scene.hand(Handoff::Undoable(side));
    }
    let now = grouped(scene.session.side(side).basket.len() as u64);
    let added = contacts(added);
    scene.say(format!("Added {added} to the basket of {side} ({now}). Nothing spent.  <everywhere.undo> undo"));
}

/// Asks the Workspace for the contacts of the account under the cursor: free, one narrow search each.
fn look(state: &State, scene: &mut Scene<'_>) {
    let Some(corpus) = data_corpus(scene) else { return };
    if scene.session.profile().workspace.is_none() {
        return scene.say("This profile has no Workspace key.  <everywhere.profiles> add one");
    }
    let rows = state.rows(scene.session).to_vec();
    let asked = rows.iter().filter(|row| scene.session.look_at_match(corpus, row, scene.now, scene.fx)).count();
    scene.say(match asked {
        0 => "Too little is known of these contacts to look for them.".to_owned(),
        count => format!("Looking for {} in the Workspace. Nothing spent.", contacts(count)),
    });
}

/// What was found for the account under the cursor, where it was one row for a contact: into the basket of the Workspace.
fn stage_likely(state: &State, scene: &mut Scene<'_>) {
    let Some(corpus) = data_corpus(scene) else { return };
    let likely = scene.session.matching().likely();
    let ids: Vec<RowId> = state.rows(scene.session).iter().filter_map(|row| row.id()).collect();
    let found: Vec<(Query, Row)> = ids
        .into_iter()
        .filter_map(|id| match likely.of(corpus, id)? {
            (query, Found::Rows { rows, .. }) if rows.len() == 1 => Some((query.clone(), rows[0].clone())),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return scene.say("Nothing found to add.  <match.likely> look for these contacts in the Workspace");
    }
    let side = Side { source: Source::Workspace, corpus };
    let (of_side, desk) = scene.session.side_mut(side);
    let mut added = 0;
    for (query, row) in &found {
        let desk = &mut desk.at(scene.now, scene.fx);
        added += if added == 0 {
            of_side.basket.stage([row], query, desk)
        } else {
            of_side.basket.stage_more([row], query, desk)
        };
    }
    say_added(added, side, scene);
}

/// The corpus of a match at the Data API; says what else it is.
fn data_corpus(scene: &mut Scene<'_>) -> Option<Corpus> {
    let side = scene.session.matching().job().map(|job| job.wanted().query.side);
    match side {
        Some(Side { source: Source::Data, corpus }) => Some(corpus),
        Some(_) => {
            scene.say("These contacts are from the Workspace already.");
            None
        }
        None => {
            scene.say("No list yet.  <match.open> open a list of accounts");
            None
        }
    }
}
