//! The staged rows with what an unlock would do with each, and the estimate beside them.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::signs::Sign;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::pane;
use crate::widgets::table::{self, Column};
use lode_core::contact::{Side, Source};
use lode_core::credits::grouped;
use lode_core::row::Known;
use lode_engine::flow::basket::Entry;
use lode_engine::flow::session::Session;

use super::facts::{Estimate, Standing, why_not};
use super::footer::footer;
use super::state::State;

const COLUMNS: [Column; 8] = [
    Column::text("", 1, 200),
    Column::text("Name", 14, 100).fitting(),
    Column::text("Title", 12, 30).fitting(),
    Column::text("Company", 12, 40).fitting(),
    Column::text("St", 2, 20),
    Column::text("Email", 16, 60).fitting(),
    Column::text("Phone", 10, 50).fitting(),
    Column::text("Status", 12, 70).fitting(),
];

const ESTIMATE_WIDTH: u16 = 38;

/// From this width on all columns fit beside the estimate; below that it stands under them.
const BESIDE_FROM: u16 = 140;

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let SceneRef { session, side, .. } = scene;
    let basket = &session.side(side).basket;
    let rows = basket.rows();
    let mut title = format!("Basket · {} · {}", side.source.title(), side.corpus.title());
    if !rows.is_empty() {
        title.push_str(&format!(" · {} staged", grouped(rows.len() as u64)));
    }
    // Until the service has named the organization, this is the basket of the one it named last.
    if let Some(at) = session.balance().as_of().filter(|_| side.source == Source::Workspace) {
        title.push_str(&format!(" · as of {}", scene.hour(at.0)));
    }
    let beside = body.width >= BESIDE_FROM && !rows.is_empty();
    let list = if beside { Rect { width: body.width - ESTIMATE_WIDTH, ..body } } else { body };
    let mut inside = pane::pane(canvas, list, &title, true);
    if let Some(words) = asked(scene).filter(|_| inside.height > 3) {
        canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(2), &words, Role::Warning);
        inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    }
    if inside.height == 0 {
        return;
    }
    if rows.is_empty() {
        let source = match side.source {
            Source::Workspace => {
                "Press <results.stage> on a search row to add it. The basket survives searches and restarts."
            }
            Source::Data => "Data API rows can be exported from the basket; only the Workspace unlocks.",
        };
        table::instead(
            canvas,
            inside,
            &["The basket is empty. Nothing spent.", source, "<basket.suppressions> suppression lists"],
        );
        return;
    }
    let estimate = Estimate::of(scene, rows);
    let foot = if beside { Vec::new() } else { footer(&estimate, session, side, inside) };
    let space = table::foot(canvas, inside, 1, &foot);
    table::draw(canvas, space, &COLUMNS, rows.len(), state.at, |at, column| {
        cell(&rows[at], estimate.standings[at], estimate.repeats.contains(&at), column)
    });
    if beside {
        let area = Rect { x: list.right(), width: ESTIMATE_WIDTH, ..body };
        let inside = pane::pane(canvas, area, "Estimate", false);
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let y = canvas.lines(inside, inside.y, numbers(&estimate, rows.len()));
        canvas.sentences(inside, y, sentences(&estimate, session, side));
    }
}

/// What an assistant waits for.
fn asked(scene: SceneRef<'_>) -> Option<String> {
    let mut waiting = scene.session.requests().waiting(scene.now);
    let first = waiting.next()?;
    let more = waiting.count();
    let and = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(format!("{} asks for up to {}{and}.  <basket.request> reviews it", first.assistant, first.ceiling.words()))
}

fn cell(entry: &Entry, standing: Standing, repeat: bool, column: usize) -> (String, Role) {
    let row = entry.row();
    // How an address was verified is a word in its color, never a sign.
    let (sign, word, role) = match standing {
        Standing::New if repeat => (Sign::Repeat, "repeat", Role::Warning),
        Standing::New => (Sign::Basket, "", Role::Text),
        Standing::Risky => (Sign::Basket, "", Role::Warning),
        Standing::Owned => (Sign::Owned, "owned, free", Role::Owned),
        Standing::Suppressed => (Sign::Suppressed, "suppressed", Role::Suppressed),
        Standing::Unchecked => (Sign::Excluded, "not checked", Role::Warning),
        Standing::Unknown => (Sign::Unknown, "UNKNOWN", Role::Danger),
    };
    let known = |what: Known| row.known(what).to_owned();
    let plain = if standing == Standing::Suppressed { Role::Suppressed } else { Role::Text };
    match column {
        0 => (sign.letter().to_owned(), sign.role()),
        1 => (if row.name().is_empty() { entry.id().to_string() } else { row.name() }, plain),
        2 => (known(Known::Title), plain),
        3 => (known(Known::Company), plain),
        4 => (known(Known::State), plain),
        5 => (row.email().to_owned(), plain),
        6 => (known(Known::Phone), plain),
        _ if word.is_empty() => (known(Known::EmailStatus), role),
        _ => (word.to_owned(), role),
    }
}

fn numbers(estimate: &Estimate, staged: usize) -> impl Iterator<Item = (String, Role)> {
    let always = [
        (Sign::Basket.before("staged"), staged as u64, Role::Text),
        (Sign::Owned.before("already owned (free)"), estimate.count(Standing::Owned), Role::Owned),
        (Sign::Suppressed.before("suppressed"), estimate.count(Standing::Suppressed), Role::Suppressed),
    ];
    let sometimes = [
        (Sign::Unknown.before("result UNKNOWN"), estimate.count(Standing::Unknown), Role::Danger),
        (Sign::Excluded.before("not checked"), estimate.count(Standing::Unchecked), Role::Warning),
        ("  risky status".to_owned(), estimate.count(Standing::Risky), Role::Warning),
        (Sign::Repeat.before("repeats"), estimate.repeats.len() as u64, Role::Warning),
    ];
    let all = always.into_iter().chain(sometimes.into_iter().filter(|(_, count, _)| *count > 0));
    all.chain([("  to unlock".to_owned(), estimate.to_unlock(), Role::Strong)])
        .map(|(label, count, role)| (format!("{label:<22}{:>10}", grouped(count)), role))
}

fn sentences(estimate: &Estimate, session: &Session, side: Side) -> Vec<(String, Role)> {
    let gap = || (String::new(), Role::Text);
    let dim = |words: &str| (words.to_owned(), Role::Dim);
    let mut all = vec![gap()];
    match why_not(session, side) {
        Some(words) => all.push((words.to_owned(), Role::Warning)),
        None => {
            all.push((estimate.most(), Role::Strong));
            all.push(dim("<basket.unlock> review. Lists are checked again; nothing is spent until you confirm."));
        }
    }
    all.push(gap());
    if estimate.count(Standing::Unchecked) > 0 {
        all.push(dim(
            "Rows that are not checked may be on a list. The review leaves them out; accept them there one by one.",
        ));
    }
    if !estimate.repeats.is_empty() {
        all.push(dim("Duplicates are the same person, company and email under two ids; each costs a credit."));
    }
    all.push(dim("Viewing, removing and exporting are free."));
    all
}
