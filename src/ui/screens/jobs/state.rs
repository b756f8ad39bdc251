//! The jobs there are, and which of them is looked at.

use lode_core::contact::Side;
use lode_core::shell_line::{self, quoted};
use lode_engine::flow::export::{From, Job, JobId};
use lode_engine::flow::own::OwnId;
use lode_engine::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The order that is under way.
    Unlock,
    /// The last order that ended.
    LastUnlock,
    /// Rows on their way into the basket.
    Gathering(Side),
    /// A saved search that is being read.
    Scan(Side),
    Export(JobId),
    /// A list of accounts held against a service.
    Matching,
    /// A command of the person's own.
    Own(OwnId),
    /// What runs of another profile, by its place among those.
    Elsewhere(usize),
    /// A job of another window or of a command, by its place among those.
    Others(usize),
}

/// What runs first, here and of other profiles, then what ended, the newest first.
pub(super) fn items(session: &Session, behind: &[Session]) -> Vec<Item> {
    let mut items = Vec::new();
    if session.unlock().is_running() {
        items.push(Item::Unlock);
    }
    for side in session.sides() {
        if side.gathering().is_some() {
            items.push(Item::Gathering(side.side));
        }
        if side.watched().is_some() && !side.window.has_read_ahead() {
            items.push(Item::Scan(side.side));
        }
    }
    if session.matching().is_running() {
        items.push(Item::Matching);
    }
    let running = |job: &&Job| job.is_running();
    items.extend(session.exports().jobs().filter(running).map(|job| Item::Export(job.id)));
    items.extend(session.own_jobs().jobs().filter(|job| job.is_running()).map(|job| Item::Own(job.id)));
    items.extend((0..behind.len()).map(Item::Elsewhere));
    let others = session.jobs_elsewhere();
    let of_others = |runs: bool| {
        let found = others.iter().enumerate().filter(move |(_, job)| job.is_running() == runs);
        found.map(|(at, _)| Item::Others(at))
    };
    items.extend(of_others(true));
    items.extend(session.exports().jobs().filter(|job| !job.is_running()).map(|job| Item::Export(job.id)));
    items.extend(session.own_jobs().jobs().filter(|job| !job.is_running()).map(|job| Item::Own(job.id)));
    if session.matching().job().is_some() && !session.matching().is_running() {
        items.push(Item::Matching);
    }
    if session.unlock().last().is_some() {
        items.push(Item::LastUnlock);
    }
    items.extend(of_others(false));
    items
}

impl State {
    pub fn item(&self, session: &Session, behind: &[Session]) -> Option<Item> {
        let items = items(session, behind);
        items.get(self.at.min(items.len().checked_sub(1)?)).copied()
    }

    /// The shell command that does or shows the same as the job under the cursor. None where only a screen can say which rows.
    pub(super) fn command_line(&self, session: &Session, behind: &[Session]) -> Option<String> {
        Some(match self.item(session, behind) {
            None | Some(Item::Unlock | Item::LastUnlock) => "lode receipts".to_owned(),
            Some(Item::Elsewhere(_) | Item::Others(_)) => return None,
            Some(Item::Gathering(side)) => shell_line::search(session.side(side).gathering()?.query()),
            Some(Item::Scan(side)) => {
                format!("lode saved run {} --new", quoted(session.side(side).watched()?.name()))
            }
            Some(Item::Export(id)) => {
                let job = session.exports().job(id)?;
                match &job.from {
                    From::Stream(query) => shell_line::export(query, job.target.form.name()),
                    From::Pages(query) => shell_line::export(query, job.target.form.name()) + " --paged",
                    From::Rows(_) => return None,
                }
            }
            Some(Item::Matching) => {
                let list = session.matching().list()?.display().to_string();
                shell_line::matching(&list, &session.matching().job()?.wanted().query)
            }
            Some(Item::Own(id)) => {
                session.own_jobs().job(id)?.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
        })
    }
}
