//! Unlocks, exports and scans: what runs, what waits, what they came to.
//!
//! ```text
//!    JOB       WHAT                                   ROWS          SIZE    STATE
//! ▸ export    Data › us title~nurse · contacts       12,000 of 48,700  2.1 MB  1.2 MB/s, 17 s left
//! ```
//!
//! A job belongs to its flow; this is the one list of all of them, and which line is looked at.

use std::borrow::Cow;
use std::path::Path;

use ratatui::layout::Rect;

use crate::domain::contact::Side;
use crate::domain::credits::grouped;
use crate::domain::time::Now;
use crate::flow::desk::Waits;
use crate::flow::export::{Job, JobId, Stage, bytes};
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::table::{self, Column};
use crate::ui::widgets::{pane, text};

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
    /// What runs of another profile, by its place among those.
    Elsewhere(usize),
}

/// What runs first, here and of other profiles, then what ended, the newest first.
pub fn items(session: &Session, behind: &[Session]) -> Vec<Item> {
    let mut items = Vec::new();
    if session.unlock.is_running() {
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
    let running = |job: &&Job| job.is_running();
    items.extend(session.exports.jobs().filter(running).map(|job| Item::Export(job.id)));
    items.extend((0..behind.len()).map(Item::Elsewhere));
    items.extend(session.exports.jobs().filter(|job| !job.is_running()).map(|job| Item::Export(job.id)));
    if session.unlock.last().is_some() {
        items.push(Item::LastUnlock);
    }
    items
}

impl State {
    pub fn item(&self, session: &Session, behind: &[Session]) -> Option<Item> {
        let items = items(session, behind);
        items.get(self.at.min(items.len().checked_sub(1)?)).copied()
    }
}

/// The last order ended with an outcome that nobody knew, and now there is none any more: what it came to stands in its receipt.
pub fn is_cleared_up(session: &Session) -> bool {
    session.unlock.last().is_some_and(|last| last.tally.unknown > 0) && session.recovery.is_clear()
}

const COLUMNS: [Column; 5] = [
    Column::text("JOB", 7, 90),
    Column::text("WHAT", 18, 50).growing(),
    Column::number("ROWS", 16, 80),
    Column::number("SIZE", 9, 30),
    Column::text("STATE", 13, 99).growing(),
];

pub fn view(state: &State, session: &Session, behind: &[Session], now: Now, canvas: &mut Canvas<'_>, body: Rect) {
    let items = items(session, behind);
    let all = behind.iter().chain([session]);
    let running: usize = all.map(|one| one.exports.running() + usize::from(one.unlock.is_running())).sum();
    let title = if running > 0 { format!("JOBS {running} running") } else { "JOBS".to_owned() };
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height == 0 {
        return;
    }
    if items.is_empty() {
        let words = "U unlocks, e exports, + in Saved scans; all of them go on while you work elsewhere.";
        return table::instead(canvas, inside, &["No job has run in this window.", words]);
    }
    let lines: Vec<Line> = items.iter().map(|item| line(*item, session, behind, now)).collect();
    let at = state.at.min(lines.len() - 1);
    let foot = match inside.height {
        0..12 => Vec::new(),
        _ => detail(&lines[at], items[at], session, inside.width.saturating_sub(4)),
    };
    let list = Rect { height: inside.height - foot.len() as u16, ..inside };
    for (place, words) in foot.iter().enumerate() {
        canvas.put(inside.x + 2, list.bottom() + place as u16, inside.width.saturating_sub(3), words, Role::Dim);
    }
    table::draw(canvas, list, &COLUMNS, lines.len(), state.at, |row, column| {
        let line = &lines[row];
        let text = |words: &str| Cow::from(words.to_owned());
        match column {
            0 => (text(line.kind), Role::Strong),
            1 => (text(&line.what), Role::Text),
            2 => (text(&line.rows), Role::Text),
            3 => (text(&line.size), Role::Dim),
            _ => (text(&line.state), line.role),
        }
    });
}

struct Line {
    kind: &'static str,
    what: String,
    rows: String,
    size: String,
    state: String,
    role: Role,
}

fn line(item: Item, session: &Session, behind: &[Session], now: Now) -> Line {
    let plain = |kind, what: String, rows: String, state: String| Line {
        kind,
        what,
        rows,
        size: String::new(),
        state,
        role: Role::Text,
    };
    let of = |done: u64, all: Option<u64>| match all {
        Some(all) => format!("{} of {}", grouped(done), grouped(all)),
        None => grouped(done),
    };
    match item {
        Item::Unlock => {
            let Some(job) = session.unlock.job() else {
                return plain("unlock", String::new(), String::new(), "begins".to_owned());
            };
            let (done, all) = job.contacts();
            let tally = job.tally();
            let state = format!("charged {}, refunded {}", tally.charged, tally.refunded);
            plain("unlock", format!("corpus {}", job.corpus()), of(done as u64, Some(all as u64)), state)
        }
        Item::LastUnlock => {
            let Some(last) = session.unlock.last() else {
                return plain("unlock", String::new(), String::new(), String::new());
            };
            let tally = &last.tally;
            let state = match is_cleared_up(session) {
                true => "cleared up since: Enter shows the receipts".to_owned(),
                false => {
                    format!("done: charged {}, refunded {}, unknown {}", tally.charged, tally.refunded, tally.unknown)
                }
            };
            plain("unlock", format!("corpus {}", last.corpus), grouped(last.contacts.len() as u64), state)
        }
        Item::Gathering(side) => {
            let walk = session.side(side).gathering();
            let rows = walk.map_or(String::new(), |walk| of(walk.given(), walk.total()));
            plain("scan", format!("{side} into the basket"), rows, "reading; nothing is spent".to_owned())
        }
        Item::Scan(side) => {
            let state = session.side(side);
            let (name, read, total) = match state.watched() {
                Some(watch) => (watch.name().to_owned(), watch.news().rows_read(), Some(watch.total())),
                None => (String::new(), 0, None),
            };
            plain("scan", format!("`{name}`: what is new"), of(read, total), "reading".to_owned())
        }
        Item::Elsewhere(at) => {
            let Some(other) = behind.get(at) else {
                return plain("job", String::new(), String::new(), String::new());
            };
            let running = other.exports.jobs().find(|job| job.is_running());
            let found = match running {
                Some(job) if !other.unlock.is_running() => export(job, other, now),
                _ => line(Item::Unlock, other, &[], now),
            };
            Line { what: format!("{}: {}", other.profile.name, found.what), ..found }
        }
        Item::Export(id) => match session.exports.job(id) {
            Some(job) => export(job, session, now),
            None => plain("export", String::new(), String::new(), String::new()),
        },
    }
}

/// The folder is shown below the list and when the job is opened.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The line that is looked at in full: where its file is, or what went wrong.
fn detail(line: &Line, item: Item, session: &Session, width: u16) -> Vec<String> {
    let mut words = line.what.clone();
    if let Item::Export(id) = item
        && let Some(job) = session.exports.job(id)
    {
        match &job.stage {
            Stage::Whole(exported) => {
                words.push_str(&format!("\n{}  {}", exported.path.display(), exported.lint.words()))
            }
            Stage::Stopped { kept: Some(path), .. } => words.push_str(&format!("\n{}", path.display())),
            Stage::Failed(failure) => {
                words.push_str(&format!("\n{}.  r tries again", failure.words().trim_end_matches('.')))
            }
            _ => {}
        }
    } else {
        words.push_str(&format!("\n{}", line.state));
    }
    text::wrapped(&words, usize::from(width)).into_iter().take(4).collect()
}

fn export(job: &Job, session: &Session, now: Now) -> Line {
    let progress = job.progress.clone().unwrap_or_default();
    let mut rows = match job.total {
        Some(total) if job.is_running() => format!("{} of {}", grouped(progress.rows), grouped(total)),
        _ => grouped(progress.rows),
    };
    let mut size = bytes(progress.bytes);
    let (state, role) = match &job.stage {
        Stage::Writing(_) => ("writing".to_owned(), Role::Text),
        Stage::Ending { .. } => ("ending".to_owned(), Role::Warning),
        Stage::Streaming(call) => match (job.pace(), session.desk.waits(*call, now)) {
            _ if job.quiet().is_some() => {
                let seconds = job.quiet().map_or(0, |quiet| quiet.as_secs());
                (format!("nothing for {seconds} s; c ends it"), Role::Warning)
            }
            (Some((rate, left)), _) => {
                let left = left.map_or(String::new(), |left| format!(", {} s left", left.as_secs().max(1)));
                (format!("{}/s{left}", bytes(rate)), Role::Good)
            }
            (None, Some(Waits::Answer { .. })) => ("asked for".to_owned(), Role::Text),
            (None, _) => ("waits for its turn".to_owned(), Role::Dim),
        },
        Stage::Whole(exported) => {
            rows = grouped(exported.rows);
            size = bytes(exported.bytes);
            (format!("whole: {}", file_name(&exported.path)), Role::Good)
        }
        Stage::Stopped { kept: Some(path), rows: kept } => {
            rows = grouped(*kept);
            (format!("incomplete: {}", file_name(path)), Role::Warning)
        }
        Stage::Stopped { kept: None, .. } => ("stopped, nothing kept".to_owned(), Role::Dim),
        Stage::Failed(failure) => (format!("failed: {}", failure.words()), Role::Danger),
    };
    Line { kind: "export", what: job.what.clone(), rows, size, state, role }
}
