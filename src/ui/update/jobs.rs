//! The person's own commands from the screen: which rows they get, and how they end.

use super::*;

pub(super) fn run_own(model: &mut Model, at: usize, fx: &mut Vec<Effect>) {
    let Some(own) = model.keymap.own.get(at).cloned() else { return };
    let rows = match own.rows {
        RowsGiven::Selection => model.shown().selection(model.scene_ref()),
        RowsGiven::All => all(model, own_place(&own)),
    };
    if rows.is_empty() {
        return model.say(A_ROW_TO_SEND.1);
    }
    let (name, count) = (own.name.clone(), counted(rows.len() as u64, "row"));
    model.session.own.begin(own.name, own.run, &rows, &mut model.session.desk.at(model.now, fx));
    model.say(format!("Running {name} with {count}. Jobs shows its output."));
}

fn all(model: &Model, place: Option<Context>) -> Vec<Row> {
    let state = model.session.side(model.search.side);
    match place {
        Some(Context::Results) => state.window.loaded().map(|(_, row)| row.clone()).collect(),
        Some(Context::Basket) => export::in_basket(model),
        _ => export::owned(model),
    }
}

/// Shows the results of the commands that ended.
pub(super) fn own_ended(model: &mut Model, fx: &mut Vec<Effect>) {
    for id in model.session.own.ended() {
        let Some(job) = model.session.own.job(id) else { continue };
        let (words, bad) = (own_sentence(job), !job.is_good());
        announce(model, words, bad, fx);
    }
    leave_when_done(model, fx);
}

/// The result of a command.
pub fn own_sentence(job: &CommandJob) -> String {
    let name = &job.name;
    match &job.stage {
        CommandStage::Running(_) => format!("{name} is running."),
        CommandStage::Ended(ran) => {
            let last =
                [&ran.err, &ran.out].into_iter().filter_map(|text| text.lines().last()).find(|line| !line.is_empty());
            let last = last.map_or(String::new(), |line| format!(" {line}"));
            match ran.code {
                Some(0) => format!("{name} is done.{last}"),
                Some(code) => format!("{name} failed with exit code {code}.{last}"),
                None => format!("{name} was stopped."),
            }
        }
        CommandStage::Failed(words) => format!("{name} did not run: {words}"),
    }
}

/// Contacts of each account.
const PER_ACCOUNT: usize = 5;

/// Reads a list, to be held against the side and the filters that Search shows. Without a path asks for it, once these fit.
pub(super) fn open_match(model: &mut Model, path: Option<&str>, fx: &mut Vec<Effect>) {
    if path == Some("") {
        return model.say("No file name; no list was opened.");
    }
    if model.session.matching.is_running() {
        return model.say("A match is running.  <match.stop> stop it first");
    }
    let mut query = model.search.grid().draft.clone();
    if query.side.source == Source::Data {
        // These come from the list.
        query.clear(Filter::CompanyName);
        query.clear(Filter::CompanyWebsite);
    }
    // A match takes no exclusions.
    query.not = Exclusions::default();
    if let Err(problem) = check(&query) {
        return model.alert(match problem {
            NoMatch::Several => "Matching works with one value per filter.",
            _ => {
                "The Workspace cannot be searched by company. Set at least one filter on Search, or <everywhere.source> \
                 switch to the Data API."
            }
        });
    }
    let Some(purse) = model.session.purse_of(query.side.source) else {
        return model.alert(format!("This profile has no key for {}.  <everywhere.profiles> add one", query.side));
    };
    let Some(path) = path else {
        return model.nav.dialogs.push(Dialog::Ask(crate::screens::matching::ask_accounts(query.side.source)));
    };
    model.matching.told = None;
    let cx = &mut model.session.desk.at(model.now, fx);
    model.session.matching.open(PathBuf::from(path), query, PER_ACCOUNT, purse, cx);
}

/// The list was read, or the match moved.
pub(super) fn match_moved(model: &mut Model) {
    let found = &model.session.matching;
    if let Some(refused) = &found.refused
        && model.matching.told.as_ref() != Some(refused)
    {
        model.matching.told = Some(refused.to_owned());
        return model.fail(format!("{}.", refused.trim_end_matches('.')));
    }
    let Some(job) = found.job() else { return };
    let done = (job.stage == matching::MatchStage::Done).then(|| {
        let ([matched, ..], contacts) = (job.tally(), contacts(job.contacts().len()));
        format!("Match done: {} matched, {contacts}. Nothing spent.", counted(matched, "account"))
    });
    if model.matching.told != done {
        model.matching.told.clone_from(&done);
        if let Some(words) = done {
            model.say(words);
        }
    }
}
