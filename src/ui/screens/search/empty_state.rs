//! What stands where rows would be, and what the screen waits for, in words.

use ratatui::layout::Rect;

use crate::domain::contact::Source;
use crate::domain::query::{QueryProblem, Speed};
use crate::domain::time::{Mono, Now};
use crate::effect::failure::{Failure, Refusal};
use crate::flow::desk::Waits;
use crate::flow::search::window::Status;
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;

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
    match window.status() {
        Status::Empty => {
            lines.push(("No search yet.".to_owned(), Role::Strong));
            lines.push(("Press <results.main-field> to search or <results.filter> to filter.".to_owned(), Role::Dim));
        }
        Status::NotSent(problem) => {
            lines.push((format!("Not sent: {problem}."), Role::Strong));
            if let QueryProblem::NotListed { nearest: Some(nearest), .. } = problem {
                lines.push((format!("Did you mean {nearest}?"), Role::Warning));
            }
            lines.push(("Press <results.main-field> to search, <results.filter> to filter or <results.recall> for a recent search.".to_owned(), Role::Dim));
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            lines.push((format!("Searching…{clock}   <everywhere.escape> stop"), Role::Strong));
            if let Some(words) =
                window.waits(session.desk(), now).and_then(|waits| waiting(&waits, session, state.side.source, now))
            {
                lines.push((words, Role::Warning));
            }
            if *speed == Speed::Slow {
                lines.push((
                    "Location or email type alone scans the whole corpus, which is slow. Add a keyword or an industry."
                        .to_owned(),
                    Role::Dim,
                ));
            }
        }
        Status::Stopped => {
            lines.push(("Search stopped.".to_owned(), Role::Strong));
            lines.push(("<results.fetch-again> search again. Nothing was spent.".to_owned(), Role::Dim));
        }
        Status::Failed(failure) => {
            let (sentence, hint) = trouble(failure);
            lines.push((sentence, Role::Danger));
            lines.push((hint.to_owned(), Role::Dim));
        }
        Status::Loaded => {
            lines.push(("No matches.".to_owned(), Role::Strong));
            let set: Vec<String> =
                query.filters().map(|(filter, values)| format!("{} {}", filter.label(), values.join(" or "))).collect();
            let hidden = match (query.hide_owned, query.hide_pulled) {
                (true, _) => " Owned contacts are hidden.",
                (_, true) => " Pulled rows are hidden.",
                _ => "",
            };
            let set = if set.is_empty() { "No filters.".to_owned() } else { format!("Filters: {}.", set.join(", ")) };
            lines.push((format!("{set}{hidden}"), Role::Text));
            for (filter, likely) in query.likely() {
                lines.push((format!("Did you mean {} {likely}?", filter.label()), Role::Warning));
            }
            lines.push((
                "<everywhere.undo> undo the last filter   <results.clear-filters> clear all filters".to_owned(),
                Role::Dim,
            ));
        }
    }
    let columns = area.width.saturating_sub(4).min(72);
    let mut y = area.y + area.height / 4;
    for (words, role) in lines {
        for line in canvas.wrapped(&words, usize::from(columns)) {
            if y >= area.bottom() {
                return;
            }
            canvas.put(area.x + SIGNS.min(area.width), y, columns, &line, role);
            y += 1;
        }
    }
}

/// A failure as one sentence and one hint.
pub fn trouble(failure: &Failure) -> (String, &'static str) {
    let words = failure.words().trim_end_matches('.');
    match failure {
        Failure::Refused { why: Refusal::Key, .. } => (
            format!("The key was refused: {words}."),
            "<everywhere.profiles> change the key. Run lode doctor to check it.",
        ),
        Failure::Refused { why: Refusal::Scope, .. } => {
            (format!("This key may not search: {words}."), "<everywhere.profiles> switch the key")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            (format!("The URL is wrong: {words}."), "Run lode doctor to see the URL in use.")
        }
        Failure::Refused { .. } => (
            format!("The service refused the request: {words}."),
            "<everywhere.last-request> see what was sent. Change the filters, or <results.fetch-again> retry.",
        ),
        Failure::Unsent { .. } => (
            format!("The service cannot be reached: {words}."),
            "<results.fetch-again> retry. Run lode doctor to find the cause.",
        ),
        Failure::Later { .. } => (format!("Too many requests: {words}."), "<counts.again> retry"),
        Failure::Unclear { .. } => (
            format!("Unreadable response: {words}."),
            "<results.fetch-again> retry (free)   <everywhere.last-error> details",
        ),
        Failure::Disk { .. } => (format!("Disk error: {words}."), "Run lode doctor to check the folders."),
        Failure::OurBug { .. } => (format!("This is a bug in lode: {words}."), "<everywhere.last-error> details"),
    }
}
