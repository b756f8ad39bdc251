//! What each job comes to: as a line, as a sentence, in full.

use crate::dialogs::reader::Part;
use crate::scene::SceneRef;
use crate::theme::Role;
use lode_core::credits::{counted, grouped};
use lode_core::time::Now;
use lode_engine::flow::desk::Waits;
use lode_engine::flow::export::{Job, Stage, bytes};
use lode_engine::flow::matching;
use lode_engine::flow::session::Session;

use super::line::{Line, file_name, of};
use super::state::Item;
use super::{others, own};

/// The last order ended with an unknown outcome that has been settled since: what it came to stands in its receipt.
pub fn is_cleared_up(session: &Session) -> bool {
    session.unlock().last().is_some_and(|last| last.tally.unknown > 0) && session.recovery().is_clear()
}

/// Unlocks and exports that run, of whichever profile and window.
pub(super) fn running(scene: SceneRef<'_>) -> usize {
    let all = scene.behind.iter().chain([scene.session]);
    let matching = |one: &Session| usize::from(one.matching().is_running());
    let here: usize = all
        .map(|one| {
            one.exports().running() + one.own_jobs().running() + matching(one) + usize::from(one.unlock().is_running())
        })
        .sum();
    here + scene.session.jobs_elsewhere().iter().filter(|job| job.is_running()).count()
}

/// A job as a line of the list. None where it ended meanwhile.
pub(super) fn line(item: Item, session: &Session, behind: &[Session], now: Now) -> Option<Line> {
    Some(match item {
        Item::Unlock => unlock(session, now),
        Item::LastUnlock => {
            let last = session.unlock().last()?;
            let state = match is_cleared_up(session) {
                true => "resolved: <jobs.open> receipts".to_owned(),
                false => last.tally.sentence(None),
            };
            Line::of("unlock", format!("corpus {}", last.corpus), grouped(last.contacts.len() as u64), state)
        }
        Item::Gathering(side) => {
            let walk = session.side(side).gathering()?;
            let (what, rows) = (format!("{side} into the basket"), of(walk.given(), walk.total()));
            let line = Line::of("scan", what, rows, "reading; nothing is spent".to_owned());
            Line { share: walk.total().map(|total| (walk.given(), total)), ..line }
        }
        Item::Scan(side) => {
            let watch = session.side(side).watched()?;
            let (read, total) = (watch.news().1, watch.total());
            let what = format!("`{}`: what is new", watch.name());
            Line { share: Some((read, total)), ..Line::of("scan", what, of(read, Some(total)), "reading".to_owned()) }
        }
        Item::Matching => {
            let job = session.matching().job()?;
            let accounts = counted(job.wanted().accounts.lines.len() as u64, "account");
            let (done, all, left) = job.progress(now);
            let state = match job.stage() {
                matching::Stage::Ready => "waits for your word: <everywhere.match> open".to_owned(),
                matching::Stage::Done => "done: <everywhere.match> open".to_owned(),
                matching::Stage::Stopped => "stopped: <everywhere.match> open".to_owned(),
                matching::Stage::Failed(_) => "failed: <everywhere.match> open".to_owned(),
                _ => matching::time_left(left),
            };
            let line =
                Line::of("match", format!("{accounts} at {}", job.wanted().query.side), of(done, Some(all)), state);
            Line { share: session.matching().is_running().then_some((done, all)), ..line }
        }
        Item::Elsewhere(at) => {
            let other = behind.get(at)?;
            let running = other.exports().jobs().find(|job| job.is_running());
            let found = match running {
                Some(job) if !other.unlock().is_running() => export(job, other, now),
                _ => unlock(other, now),
            };
            Line { what: format!("{}: {}", other.profile().name, found.what), ..found }
        }
        Item::Others(at) => others::line(session.jobs_elsewhere().get(at)?, session),
        Item::Own(id) => {
            let job = session.own_jobs().job(id)?;
            let (state, role) = own::state(job);
            Line { role, ..Line::of("command", job.name.clone(), grouped(job.rows), state) }
        }
        Item::Export(id) => export(session.exports().job(id)?, session, now),
    })
}

fn unlock(session: &Session, now: Now) -> Line {
    let Some(job) = session.unlock().job() else {
        return Line::of("unlock", String::new(), String::new(), "begins".to_owned());
    };
    let (done, all) = job.contacts();
    let (done, all, tally) = (done as u64, all as u64, job.tally());
    let eta = job.eta(now).map_or(String::new(), |left| format!(", {} s left", left.as_millis().div_ceil(1000)));
    let state = format!("charged {}, refunded {}{eta}", tally.charged, tally.refunded);
    let line = Line::of("unlock", format!("corpus {}", job.corpus()), of(done, Some(all)), state);
    Line { share: Some((done, all)), ..line }
}

/// `page 3 of 12, 20 s left`
pub fn pages(job: &Job) -> String {
    match job.pages() {
        Some((done, all, left)) => format!("page {} of {}, {}", grouped(done), grouped(all), matching::time_left(left)),
        None => "requested".to_owned(),
    }
}

fn export(job: &Job, session: &Session, now: Now) -> Line {
    let progress = job.progress.clone().unwrap_or_default();
    let total = job.total.filter(|_| job.is_running());
    let mut rows = of(progress.rows, total);
    let mut size = if job.walk().is_some() { String::new() } else { bytes(progress.bytes) };
    let (state, role) = match &job.stage {
        Stage::Writing(_) => ("writing".to_owned(), Role::Text),
        Stage::Paging => (pages(job), Role::Good),
        Stage::Ending { .. } | Stage::Keeping(_) => ("ending".to_owned(), Role::Warning),
        Stage::Streaming(call) => match (job.quiet(), job.pace(), session.desk().waits(*call, now)) {
            (Some(quiet), ..) => (format!("no data for {} s; <jobs.cancel> stop", quiet.as_secs()), Role::Warning),
            (None, Some((rate, left)), _) => {
                let left = left.map_or(String::new(), |left| format!(", {} s left", left.as_secs().max(1)));
                let leg = job.legs().map_or(String::new(), |(whole, all)| format!("search {} of {all}, ", whole + 1));
                (format!("{leg}{}/s{left}", bytes(rate)), Role::Good)
            }
            (None, None, Some(Waits::Answer { .. })) => ("requested".to_owned(), Role::Text),
            (None, None, _) => ("queued".to_owned(), Role::Dim),
        },
        Stage::Whole(exported) => {
            rows = grouped(exported.rows);
            size = bytes(exported.bytes);
            (format!("complete: {}", file_name(&exported.path)), Role::Good)
        }
        Stage::Stopped { kept: Some(path), rows: kept } => {
            rows = grouped(*kept);
            (format!("incomplete: {}", file_name(path)), Role::Warning)
        }
        Stage::Stopped { kept: None, .. } => ("stopped, file deleted".to_owned(), Role::Dim),
        Stage::Failed(failure) => (format!("failed: {}", failure.words()), Role::Danger),
    };
    let share = total.map(|total| (progress.rows, total));
    Line { kind: "export".to_owned(), what: job.what.clone(), rows, size, state, role, share }
}

/// What a job came to, and whether that is bad.
pub fn sentence(job: &Job) -> (String, bool) {
    match &job.stage {
        Stage::Whole(exported) => {
            let differs = job
                .total
                .filter(|total| *total != exported.rows + exported.lint.excluded)
                .map_or(String::new(), |total| {
                    format!(" The export is complete; the search counts {}.", grouped(total))
                });
            let path = exported.path.display();
            let words = format!(
                "{path}: {}, {}.{differs} Nothing spent; the path is copied.",
                counted(exported.rows, "row"),
                exported.lint.words()
            );
            match job.cut_short() {
                Some(short) => (format!("{words} But {short}."), true),
                None => (words, false),
            }
        }
        Stage::Stopped { kept: None, .. } if job.total == Some(0) => {
            ("Nothing matched, so no file was written.".to_owned(), false)
        }
        Stage::Stopped { kept: Some(path), rows } => {
            (format!("Stopped: the first {} are in {}.", counted(*rows, "row"), path.display()), false)
        }
        Stage::Stopped { kept: None, .. } => ("Stopped. The file was deleted.".to_owned(), false),
        Stage::Failed(failure) => (
            format!(
                "The export failed: {}.  <everywhere.jobs> then <jobs.retry> retry",
                failure.words().trim_end_matches('.')
            ),
            true,
        ),
        Stage::Streaming(_) | Stage::Paging | Stage::Writing(_) => ("It is running.".to_owned(), false),
        Stage::Ending { .. } | Stage::Keeping(_) => ("It is stopping.".to_owned(), false),
    }
}

pub(super) fn parts(job: &Job) -> Vec<Part> {
    let mut parts = vec![Part::pair("what", job.what.clone())];
    match &job.stage {
        Stage::Whole(exported) => {
            parts.push(Part::pair("file", exported.path.display().to_string()));
            parts.push(Part::pair("rows", grouped(exported.rows)));
            parts.push(Part::pair("size", bytes(exported.bytes)));
            parts.push(Part::pair("cells", exported.lint.words()));
        }
        _ => parts.push(Part::pair("state", sentence(job).0)),
    }
    if let Some(total) = job.total {
        parts.push(Part::pair("search total", grouped(total)));
    }
    parts
}
