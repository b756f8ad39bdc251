//! The person's own commands from the screen: which rows they get, and what they came to.

use crate::keys::own::place;
use crate::keys::situation::Context;
use crate::model::Model;
use lode_core::credits::counted;
use lode_core::row::Row;
use lode_engine::effect::Effect;
use lode_engine::effect::settings::Which;
use lode_engine::flow::own::{Job, Stage};

use super::{announce, exporting, leave_when_done, say};

pub(super) fn run(model: &mut Model, at: usize, fx: &mut Vec<Effect>) {
    let Some(own) = model.keymap.own(at).cloned() else { return };
    let rows = match own.rows {
        Which::Selection => model.shown().selection(model.scene_ref()),
        Which::All => all(model, place(&own)),
    };
    if rows.is_empty() {
        return say(model, "There is no row here to send.", false);
    }
    let (name, count) = (own.name.clone(), counted(rows.len() as u64, "row"));
    model.session.run_own(own.name, own.run, &rows, model.now, fx);
    say(model, format!("Running {name} with {count}. Jobs shows its output."), false);
}

fn all(model: &Model, place: Option<Context>) -> Vec<Row> {
    let state = model.session.side(model.search.side);
    match place {
        Some(Context::Results) => state.window.loaded().map(|(_, row)| row.clone()).collect(),
        Some(Context::Basket) => exporting::in_basket(model),
        _ => exporting::owned(model),
    }
}

/// Says what the commands that ended came to.
pub(super) fn ended(model: &mut Model, fx: &mut Vec<Effect>) {
    for id in model.session.take_ended_own() {
        let Some(job) = model.session.own_jobs().job(id) else { continue };
        let (words, bad) = (sentence(job), !job.is_good());
        announce(model, words, bad, fx);
    }
    leave_when_done(model, fx);
}

/// What a command came to.
pub fn sentence(job: &Job) -> String {
    let name = &job.name;
    match &job.stage {
        Stage::Running(_) => format!("{name} is running."),
        Stage::Ended(ran) => {
            let last =
                [&ran.err, &ran.out].into_iter().filter_map(|text| text.lines().last()).find(|line| !line.is_empty());
            let last = last.map_or(String::new(), |line| format!(" {line}"));
            match ran.code {
                Some(0) => format!("{name} is done.{last}"),
                Some(code) => format!("{name} failed with exit code {code}.{last}"),
                None => format!("{name} was stopped."),
            }
        }
        Stage::Failed(words) => format!("{name} did not run: {words}"),
    }
}
