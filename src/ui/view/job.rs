//! The line above the messages: what is being read, unlocked or exported, and what is unknown.

use ratatui::layout::Rect;

use crate::layout;
use crate::model::{Model, facts};
use crate::screens::jobs::pages;
use crate::theme::Role;
use crate::widgets::bars;
use crate::widgets::canvas::Canvas;
use lode_core::contact::Source;
use lode_core::credits::{agree, contacts, counted, grouped};
use lode_core::text;
use lode_engine::flow::unlock::job as unlock;
use lode_engine::flow::{export, matching};

/// What is being read into the basket; jobs have their line here too.
pub fn view(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let side = model.session.side(model.search.side);
    if let Some(walk) = side.gathering() {
        let all = walk.total().map(|total| total.min(walk.wanted()));
        let total = all.map_or("…".to_owned(), grouped);
        let share = all.map_or(String::new(), |all| format!("{}  ", bars::with_trough(20, walk.given(), all)));
        let words =
            format!("Reading into the basket {} of {total}  {share}<everywhere.escape> stop", grouped(walk.given()));
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Warning);
    } else if let Some(job) = model.session.unlock().job() {
        unlocking(model, job, canvas, line);
    } else if let Some(job) = model.session.exports().jobs().find(|job| job.is_running()) {
        exporting(model, job, canvas, line);
    } else if let Some(job) = model.session.matching().job().filter(|_| model.session.matching().is_running()) {
        matching(model, job, canvas, line);
    } else if let Some(other) = model.behind.sessions.first() {
        let name = &other.profile().name;
        let words = match other.unlock().job() {
            Some(job) => {
                let (done, of) = job.contacts();
                format!(
                    "JOB of {name}: unlock  {done} of {of}  net {}    <everywhere.profiles> open",
                    job.tally().net()
                )
            }
            None if other.exports().running() > 0 => {
                format!("JOB of {name}: {} running    <everywhere.profiles> open", other.exports().running())
            }
            None => format!("JOB of {name}: a response is waiting to be saved    <everywhere.profiles> open"),
        };
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Good);
    } else if !model.session.recovery().is_clear() {
        let open = facts::unknown(model);
        let words = format!(
            "UNKNOWN  {} {} an unknown result and {} on hold    <everywhere.unknown> check (free)",
            contacts(open),
            agree(open, "has", "have"),
            agree(open, "is", "are")
        );
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Danger);
    }
}

/// `Exporting 12,000 of 48,700  ████▎░░░░ 25%  2.1 MB  1.2 MB/s  17 s left`
fn exporting(model: &Model, job: &export::Job, canvas: &mut Canvas<'_>, line: Rect) {
    let running = model.session.exports().running();
    let progress = job.progress.clone().unwrap_or_default();
    let total = job.total.map_or(String::new(), |total| format!(" of {}", grouped(total)));
    let bar = job.total.map_or(String::new(), |total| {
        format!("{} {}%  ", bars::with_trough(20, progress.rows, total), bars::percent(progress.rows, total))
    });
    let head = format!("Exporting {}{total}  ", grouped(progress.rows));
    let mut words = if job.walk().is_some() { pages(job) } else { export::bytes(progress.bytes) };
    if job.walk().is_some() {
        // Its pages say how far it is.
    } else if let Some(quiet) = job.quiet() {
        words.push_str(&format!("  nothing for {} s", quiet.as_secs()));
    } else if let Some((rate, left)) = job.pace() {
        words.push_str(&format!("  {}/s", export::bytes(rate)));
        if let Some(left) = left {
            words.push_str(&format!("  {} s left", left.as_secs().max(1)));
        }
    }
    if running > 1 {
        words.push_str(&format!("  and {} more", running - 1));
    }
    let bar = if line.width < 100 { "" } else { &bar };
    let pieces = [(head.as_str(), Role::Strong), (bar, Role::Bar), (words.as_str(), Role::Text)];
    canvas.line(line.x + 1, line.y, line.width.saturating_sub(1), &pieces);
}

/// `Matching 1,000 accounts  ████▎░░░░ 25%  262 of 1,050 requests  6 min left`
fn matching(model: &Model, job: &matching::Job, canvas: &mut Canvas<'_>, line: Rect) {
    let (done, of, left) = job.progress(model.now);
    let head = format!("Matching {}  ", counted(job.wanted().accounts.lines.len() as u64, "account"));
    let bar = format!("{} {}%  ", bars::with_trough(20, done, of), bars::percent(done, of));
    let words = format!("{} of {}  {}", grouped(done), counted(of, "request"), matching::time_left(left));
    let bar = if line.width < 80 { "" } else { &bar };
    let pieces = [(head.as_str(), Role::Strong), (bar, Role::Bar), (words.as_str(), Role::Text)];
    canvas.line(line.x + 1, line.y, line.width.saturating_sub(1), &pieces);
}

/// `Unlocking 50 of 75  ████████████▋░░░░░░ 67%  charged 49 · refunded 3 · 4 s left   Ctrl-c stops`: what there is no room for goes from the least important.
fn unlocking(model: &Model, job: &unlock::Job, canvas: &mut Canvas<'_>, line: Rect) {
    const BAR: u16 = 20;
    let (batch, batches) = job.batches();
    let (done, of) = job.contacts();
    let tally = job.tally();
    let bar = bars::with_trough(BAR, done as u64, of as u64);
    let share = bars::percent(done as u64, of as u64);
    let eta = job.eta(model.now).map(|left| format!(" · {} s left", left.as_millis().div_ceil(1000)));
    let paused = model.session.desk().gauge(Source::Workspace, model.now).paused;
    let state = match (job.is_stopping(), job.rests()) {
        (true, _) => "stopping after this request".to_owned(),
        _ if paused.is_some() => {
            let seconds =
                paused.as_ref().map_or(0, |paused| paused.until.since(model.now.mono).as_millis().div_ceil(1000));
            format!("the service asks to wait; continuing in {seconds} s")
        }
        (false, Some((at, times))) if times > 0 => {
            let seconds = at.0.saturating_sub(model.now.mono.0).div_ceil(1000);
            format!("{}; sending the same batch again in {seconds} s", text::capital(job.trouble()))
        }
        _ if job.checking().is_some() => format!("{}; checking (free)", job.trouble()),
        _ => "<always.interrupt> stop".to_owned(),
    };
    let stressed = paused.is_some()
        || job.is_stopping()
        || job.checking().is_some()
        || job.rests().is_some_and(|(_, times)| times > 0);
    let mut pieces: Vec<(u8, String, Role)> = vec![
        (255, format!("Unlocking {done} of {of}"), Role::Strong),
        (60, format!(" {bar}"), Role::Bar),
        (50, format!("{share}%"), Role::Dim),
        (200, format!(" charged {}", tally.charged), Role::Money),
        (150, format!("· refunded {}", tally.refunded), Role::Text),
    ];
    for (count, word) in [(tally.already, "owned already"), (tally.missing, "missing")] {
        pieces.extend((count > 0).then(|| (80, format!("· {word} {count}"), Role::Text)));
    }
    if batches > 1 {
        pieces.push((40, format!("· call {batch} of {batches}"), Role::Dim));
    }
    pieces.extend(eta.map(|eta| (100, eta.trim_start().to_owned(), Role::Text)));
    let role = if stressed { Role::Warning } else { Role::Dim };
    pieces.push((if stressed { 240 } else { 140 }, format!("   {state}"), role));
    let wide = |pieces: &[(u8, String, Role)]| pieces.iter().map(|(_, words, _)| text::width(words) + 1).sum::<usize>();
    let room = usize::from(line.width.saturating_sub(1));
    layout::fit(&mut pieces, |(rank, ..)| *rank, |pieces| pieces.len() <= 1 || wide(pieces) <= room);
    let mut x = line.x + 1;
    for (_, words, role) in &pieces {
        x += canvas.put(x, line.y, line.right().saturating_sub(x), words, *role) + 1;
    }
}
