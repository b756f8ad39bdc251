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

/// Shows the result of a command that ended.
pub(super) fn own_ended(model: &mut Model, id: OwnId, fx: &mut Vec<Effect>) {
    if let Some((words, bad)) = own_result(&model.session, id) {
        announce(model, words, bad, fx);
    }
    leave_when_done(model, fx);
}

/// The result of a command, and whether it is bad.
pub(super) fn own_result(session: &Session, id: OwnId) -> Option<(String, bool)> {
    session.own.job(id).map(|job| (own_sentence(job), !job.is_good()))
}

/// The result of a command.
fn own_sentence(job: &CommandJob) -> String {
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
