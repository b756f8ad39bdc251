//! The line above the messages: what is being read, unlocked or exported, and what is in doubt.

use ratatui::layout::Rect;

use crate::domain::credits::{agree, contacts, counted, grouped};
use crate::flow::export;
use crate::flow::unlock::job as unlock;
use crate::ui::model::{Model, facts};
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::text;

/// What is being read into the basket; jobs have their line here too.
pub fn view(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let side = model.session.side(model.search.side);
    if let Some(walk) = side.gathering() {
        let total = walk.total().map_or("…".to_owned(), grouped);
        let words = format!(
            "READING into the basket: {} read, {total} match    <everywhere.escape> stop",
            grouped(walk.given())
        );
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Warning);
    } else if let Some(job) = model.session.unlock.job() {
        unlocking(model, job, canvas, line);
    } else if let Some(job) = model.session.exports.jobs().find(|job| job.is_running()) {
        exporting(model, job, canvas, line);
    } else if let Some(other) = model.behind.sessions.first() {
        let name = &other.profile.name;
        let words = match other.unlock.job() {
            Some(job) => {
                let (done, of) = job.contacts();
                format!(
                    "JOB of {name}: unlock  {done} of {of}  net {}    <everywhere.profiles> open",
                    job.tally().net()
                )
            }
            None if other.exports.running() > 0 => {
                format!("JOB of {name}: {} running    <everywhere.profiles> open", other.exports.running())
            }
            None => format!("JOB of {name}: a response is waiting to be saved    <everywhere.profiles> open"),
        };
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Good);
    } else if !model.session.recovery.is_clear() {
        let open = facts::in_doubt(model);
        let words = format!(
            "UNKNOWN  {} {} an unknown result and {} on hold    <everywhere.unknown> check (free)",
            contacts(open),
            agree(open, "has", "have"),
            agree(open, "is", "are")
        );
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Danger);
    }
}

/// `JOB export  12,000 of 48,700 rows  2.1 MB  1.2 MB/s  17 s left    F7`
fn exporting(model: &Model, job: &export::Job, canvas: &mut Canvas<'_>, line: Rect) {
    let running = model.session.exports.running();
    let progress = job.progress.clone().unwrap_or_default();
    let rows = match job.total {
        Some(total) => format!("{} of {}", grouped(progress.rows), counted(total, "row")),
        None => counted(progress.rows, "row"),
    };
    let mut words = format!("JOB export  {rows}  {}", export::bytes(progress.bytes));
    if let Some(quiet) = job.quiet() {
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
    words.push_str("    <everywhere.jobs> <jobs.cancel> stop");
    canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Good);
}

/// `JOB #1 unlock  batch 2/3  █████░░░░░  50 of 75   charged 49 …`: what there is no room for goes from the least important.
fn unlocking(model: &Model, job: &unlock::Job, canvas: &mut Canvas<'_>, line: Rect) {
    const BAR: usize = 20;
    let number = job.id().map_or(String::new(), |id| format!(" {id}"));
    let (batch, batches) = job.batches();
    let (done, of) = job.contacts();
    let tally = job.tally();
    let filled = (BAR * done / of.max(1)).min(BAR);
    let eta = job.eta(model.now).map(|left| format!("eta {} s", left.as_millis().div_ceil(1000)));
    let state = match (job.is_stopping(), job.rests()) {
        (true, _) => "stopping after this request".to_owned(),
        (false, Some((at, times))) if times > 0 => {
            let seconds = at.0.saturating_sub(model.now.mono.0).div_ceil(1000);
            format!("Connection lost; sending the same batch again in {seconds} s")
        }
        _ if job.checking().is_some() => "no response; checking (free)".to_owned(),
        _ => "<always.interrupt> stop after this request".to_owned(),
    };
    let stressed = job.is_stopping() || job.checking().is_some() || job.rests().is_some_and(|(_, times)| times > 0);
    let mut pieces: Vec<(u8, String, Role)> = vec![
        (255, format!("JOB{number} unlock"), Role::Strong),
        (120, format!(" batch {batch}/{batches} "), Role::Text),
        (60, format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled)), Role::Bar),
        (250, format!(" {done} of {of}"), Role::Text),
        (200, format!("  charged {}", tally.charged), Role::Text),
        (150, format!(" refunded {}", tally.refunded), Role::Text),
        (80, format!(" owned {}", tally.already), Role::Text),
        (80, format!(" not found {}", tally.missing), Role::Text),
        (160, format!("  net {}", tally.net()), Role::Strong),
    ];
    pieces.extend(eta.map(|eta| (100, format!("  {eta}"), Role::Text)));
    let role = if stressed { Role::Warning } else { Role::Dim };
    pieces.push((if stressed { 240 } else { 140 }, format!("   {state}"), role));
    let wide = |pieces: &[(u8, String, Role)]| pieces.iter().map(|(_, words, _)| text::width(words) + 1).sum::<usize>();
    while pieces.len() > 1 && wide(&pieces) > usize::from(line.width.saturating_sub(1)) {
        let goes = pieces.iter().enumerate().min_by_key(|(_, (rank, ..))| *rank).map_or(0, |(at, _)| at);
        pieces.remove(goes);
    }
    let mut x = line.x + 1;
    for (_, words, role) in &pieces {
        x += canvas.put(x, line.y, line.right().saturating_sub(x), words, *role) + 1;
    }
}
