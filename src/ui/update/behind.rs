//! Jobs of profiles that were left: what they say, with the name of their profile.

use crate::dialogs::summary;
use crate::model::Model;
use crate::screens::jobs::sentence;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::export::Stage;
use lode_engine::flow::session::{Event, Session};
use lode_engine::flow::unlock::end::End;

use super::{fail, leave_when_done, say};

pub(super) fn hear(model: &mut Model, window: &WindowId, answer: &Answer, fx: &mut Vec<Effect>) {
    let told = model.behind.hear(window, answer, model.now);
    tell(model, told, fx);
}

pub(super) fn wake(model: &mut Model, fx: &mut Vec<Effect>) {
    let told = model.behind.wake(model.now);
    tell(model, told, fx);
}

fn tell(model: &mut Model, told: Vec<(WindowId, Event)>, fx: &mut Vec<Effect>) {
    for (window, event) in told {
        let found = model.behind.sessions.iter_mut().find(|session| session.profile().window == window);
        let Some(session) = found else { continue };
        let said = match event {
            Event::Finished(summary) => {
                let bad = !matches!(summary.end, End::Done | End::Stopped) || summary.tally.unknown > 0;
                let ending = summary::ending(&summary).map_or(String::new(), |ending| format!("{ending} "));
                vec![(format!("{ending}{}", summary::line(&summary)), bad)]
            }
            Event::ReviewAgain { words, .. } => vec![(format!("The unlock did not start: {words}"), true)],
            Event::Exports => exports(session, fx),
            Event::Own => {
                let ended = session.take_ended_own();
                let jobs = ended.into_iter().filter_map(|id| session.own_jobs().job(id));
                jobs.map(|job| (super::own::sentence(job), !job.is_good())).collect()
            }
            Event::StoreFailed(failure) => vec![(format!("The ledger could not be read or written: {failure}."), true)],
            _ => continue,
        };
        let name = session.profile().name.clone();
        for (words, bad) in said {
            let words = format!("{name}: {words}");
            fx.push(Effect::Notify(words.clone()));
            if bad {
                fail(model, format!("{words}  <everywhere.profiles> open {name}"));
            } else {
                say(model, words, false);
            }
        }
    }
    leave_when_done(model, fx);
}

/// What the exports that ended came to. Nothing of them can be tried again once their profile is let go.
fn exports(session: &mut Session, fx: &mut Vec<Effect>) -> Vec<(String, bool)> {
    let ended = session.take_ended_exports();
    let jobs = ended.into_iter().filter_map(|id| session.exports().job(id));
    jobs.map(|job| match &job.stage {
        Stage::Failed(failure) => (format!("The export failed: {}.", failure.words().trim_end_matches('.')), true),
        stage => {
            if let Stage::Whole(exported) = stage {
                fx.push(Effect::Copy(exported.path.display().to_string()));
            }
            sentence(job)
        }
    })
    .collect()
}

/// Stops the unlocks of other profiles after the call that is out. True where one ran.
pub(super) fn stop_unlocks(model: &mut Model) -> bool {
    let now = model.now;
    let mut any = false;
    model.behind.each(|session, wanted| {
        if session.unlock().job().is_some_and(|job| !job.is_stopping()) {
            any = true;
            session.stop_unlock(now, wanted);
        }
    });
    any
}

/// Ends the exports of other profiles and keeps what has come.
pub(super) fn keep_exports(model: &mut Model) {
    let now = model.now;
    model.behind.each(|session, wanted| {
        let running: Vec<_> = session.exports().jobs().filter(|job| job.is_running()).map(|job| job.id).collect();
        for id in running {
            session.stop_export(id, true, now, wanted);
        }
    });
}
