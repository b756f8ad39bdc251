//! What stands where rows would be, and what the screen waits for, in words.

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use lode_core::contact::Source;
use lode_core::query::{QueryProblem, Speed};
use lode_core::time::{Mono, Now};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::flow::desk::Waits;
use lode_engine::flow::search::window::Status;
use lode_engine::flow::session::Session;

use super::columns::SIGNS;
use super::state::State;

/// `waiting 23 s (service asked), 3 queued`
pub fn waiting(waits: &Waits<'_>, session: &Session, source: Source, now: Now) -> Option<String> {
    let gauge = session.desk().gauge(source, now);
    let queued = if gauge.queued > 1 { format!(", {} queued", gauge.queued) } else { String::new() };
    let seconds = |until: Mono| until.0.saturating_sub(now.mono.0).div_ceil(1000);
    match waits {
        Waits::Pause(paused) => {
            let who = if paused.asked.is_some() { "requested by the service" } else { "too many requests" };
            let capped = if paused.capped { ", the service asked for longer" } else { "" };
            Some(format!("waiting {} s ({who}{capped}){queued}", seconds(paused.until)))
        }
        Waits::Slot { until: Some(until) } => {
            Some(format!("waiting {} s (rate limit reached){queued}", seconds(*until)))
        }
        Waits::Again { until, failures, trouble } => {
            Some(format!("retrying in {} s (attempt {failures} failed): {}", seconds(*until), trouble.words()))
        }
        Waits::Slot { until: None } | Waits::Answer { .. } => None,
    }
}

/// What stands where rows would be: searching, nothing matched, failed, nothing searched yet.
pub(super) fn instead(state: &State, session: &Session, now: Now, canvas: &mut Canvas<'_>, area: Rect) {
    let window = &session.side(state.side).window;
    let query = window.query();
    let mut lines: Vec<(String, Role)> = Vec::new();
    let mut say = |words: &str, role| lines.push((words.to_owned(), role));
    match window.status() {
        Status::Empty => {
            say("No search yet.", Role::Strong);
            say("Press <results.main-field> to search or <results.filter> to filter.", Role::Dim);
        }
        Status::NotSent(problem) => {
            say(&format!("Not sent: {problem}."), Role::Strong);
            if let QueryProblem::NotListed { nearest: Some(nearest), .. } = problem {
                say(&format!("Did you mean {nearest}?"), Role::Warning);
            }
            let hint = "Press <results.main-field> to search, <results.filter> to filter or <results.recall> for a recent search.";
            say(hint, Role::Dim);
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            say(&format!("Searching…{clock}   <everywhere.escape> stop"), Role::Strong);
            let waits = window.waits(session.desk(), now);
            if let Some(words) = waits.and_then(|waits| waiting(&waits, session, state.side.source, now)) {
                say(&words, Role::Warning);
            }
            if *speed == Speed::Slow {
                let why = "Location or email type alone scans the whole corpus, which is slow.";
                say(&format!("{why} Add a keyword or an industry."), Role::Dim);
            }
        }
        Status::Stopped => {
            say("Search stopped.", Role::Strong);
            say("<results.fetch-again> search again. Nothing was spent.", Role::Dim);
        }
        Status::Failed(failure) => {
            let (sentence, hint) = trouble(failure);
            say(&sentence, Role::Danger);
            say(hint, Role::Dim);
        }
        Status::Loaded => {
            say("No matches.", Role::Strong);
            let set: Vec<String> =
                query.filters().map(|(filter, values)| format!("{} {}", filter.label(), values.join(" or "))).collect();
            let hidden = match (query.hide_owned, query.hide_pulled) {
                (true, _) => " Owned contacts are hidden.",
                (_, true) => " Pulled rows are hidden.",
                _ => "",
            };
            let set = if set.is_empty() { "No filters.".to_owned() } else { format!("Filters: {}.", set.join(", ")) };
            say(&format!("{set}{hidden}"), Role::Text);
            for (filter, likely) in query.likely() {
                say(&format!("Did you mean {} {likely}?", filter.label()), Role::Warning);
            }
            say("<everywhere.undo> undo the last filter   <results.clear-filters> clear all filters", Role::Dim);
        }
    }
    let width = area.width.saturating_sub(4).min(72);
    let place = Rect { x: area.x + SIGNS.min(area.width), width, ..area };
    canvas.sentences(place, area.y + area.height / 4, lines);
}

/// A failure as one sentence and one hint.
pub fn trouble(failure: &Failure) -> (String, &'static str) {
    let (what, hint) = match failure {
        Failure::Refused { why: Refusal::Key, .. } => {
            ("The key was refused", "<everywhere.profiles> change the key. Run lode doctor to check it.")
        }
        Failure::Refused { why: Refusal::Scope, .. } => {
            ("This key may not search", "<everywhere.profiles> switch the key")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            ("The URL is wrong", "Run lode doctor to see the URL in use.")
        }
        Failure::Refused { .. } => (
            "The service refused the request",
            "<everywhere.last-request> see what was sent. Change the filters, or <results.fetch-again> retry.",
        ),
        Failure::Unsent { .. } => {
            ("The service cannot be reached", "<results.fetch-again> retry. Run lode doctor to find the cause.")
        }
        Failure::Later { .. } => ("Too many requests", "<counts.again> retry"),
        Failure::Unclear { .. } => {
            ("Unreadable response", "<results.fetch-again> retry (free)   <everywhere.last-error> details")
        }
        Failure::Disk { .. } => ("Disk error", "Run lode doctor to check the folders."),
        Failure::OurBug { .. } => ("This is a bug in lode", "<everywhere.last-error> details"),
    };
    (format!("{what}: {}.", failure.words().trim_end_matches('.')), hint)
}
