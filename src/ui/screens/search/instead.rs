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
use crate::ui::widgets::text;

use super::columns::SIGNS;
use super::state::State;

/// `waiting 23 s (service asked), 3 queued`
pub fn waiting(waits: &Waits<'_>, session: &Session, source: Source, now: Now) -> Option<String> {
    let gauge = session.desk.gauge(source, now);
    let queued = if gauge.queued > 1 { format!(", {} queued", gauge.queued) } else { String::new() };
    let seconds = |until: Mono| until.0.saturating_sub(now.mono.0).div_ceil(1000);
    match waits {
        Waits::Pause(paused) => {
            let who = if paused.asked.is_some() { "service asked" } else { "too many requests" };
            let capped = if paused.capped { ", it asked for longer" } else { "" };
            Some(format!("waiting {} s ({who}{capped}){queued}", seconds(paused.until)))
        }
        Waits::Slot { until: Some(until) } => {
            Some(format!("waiting {} s (the allowance is used up){queued}", seconds(*until)))
        }
        Waits::Again { until, failures, trouble } => {
            Some(format!("trying again in {} s, failed {failures} times: {}", seconds(*until), trouble.words()))
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
            lines.push(("Nothing searched yet.".to_owned(), Role::Strong));
            lines.push(("/ types into the main field, f picks a filter.".to_owned(), Role::Dim));
        }
        Status::NotSent(problem) => {
            lines.push((format!("Not sent: {problem}."), Role::Strong));
            if let QueryProblem::NotListed { nearest: Some(nearest), .. } = problem {
                lines.push((format!("Did you mean {nearest}?"), Role::Warning));
            }
            lines.push(("/ types a keyword, f picks a filter, r recalls a search.".to_owned(), Role::Dim));
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            lines.push((format!("Searching…{clock}   Esc stops"), Role::Strong));
            if let Some(words) =
                window.waits(&session.desk, now).and_then(|waits| waiting(&waits, session, state.side.source, now))
            {
                lines.push((words, Role::Warning));
            }
            if *speed == Speed::Slow {
                lines.push((
                    "Location or e-mail type alone scans the whole corpus. A keyword or an industry makes it fast."
                        .to_owned(),
                    Role::Dim,
                ));
            }
        }
        Status::Stopped => {
            lines.push(("Stopped before the answer came.".to_owned(), Role::Strong));
            lines.push(("R searches again; nothing was spent.".to_owned(), Role::Dim));
        }
        Status::Failed(failure) => {
            let (sentence, hint) = trouble(failure);
            lines.push((sentence, Role::Danger));
            lines.push((hint.to_owned(), Role::Dim));
        }
        Status::Loaded => {
            lines.push(("Nothing matched.".to_owned(), Role::Strong));
            let set: Vec<String> =
                query.filters().map(|(filter, values)| format!("{} {}", filter.label(), values.join(" or "))).collect();
            let hidden = match (query.hide_owned, query.hide_pulled) {
                (true, _) => " Contacts we own are hidden.",
                (_, true) => " Pulled rows are hidden.",
                _ => "",
            };
            let set =
                if set.is_empty() { "No filter was set.".to_owned() } else { format!("Set: {}.", set.join(", ")) };
            lines.push((format!("{set}{hidden}"), Role::Text));
            for (filter, likely) in query.likely() {
                lines.push((format!("Did you mean {} {likely}?", filter.label()), Role::Warning));
            }
            lines.push((
                "Backspace in the filter pane clears one, F clears all, u takes the last change back.".to_owned(),
                Role::Dim,
            ));
        }
    }
    let columns = area.width.saturating_sub(4).min(72);
    let mut y = area.y + area.height / 4;
    for (words, role) in lines {
        for line in text::wrapped(&words, usize::from(columns)) {
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
        Failure::Refused { why: Refusal::Key, .. } => {
            (format!("The key was refused: {words}."), "P shows and changes the key; lode doctor checks it.")
        }
        Failure::Refused { why: Refusal::Scope, .. } => {
            (format!("This key may not search: {words}."), "P switches the key.")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            (format!("The address is wrong: {words}."), "lode doctor shows the address in use.")
        }
        Failure::Refused { .. } => {
            (format!("The service refused: {words}."), "i shows what was sent; change the filters or R asks again.")
        }
        Failure::Unsent { .. } => {
            (format!("The service cannot be reached: {words}."), "R tries again; lode doctor looks for the cause.")
        }
        Failure::Later { .. } => (format!("Too many requests: {words}."), "R asks again."),
        Failure::Unclear { .. } => {
            (format!("No readable answer: {words}."), "R asks again, searching is free; g e shows it in full.")
        }
        Failure::Disk { .. } => (format!("The disk: {words}."), "lode doctor looks at the folders."),
        Failure::OurBug { .. } => {
            (format!("This should not have happened: {words}."), "g e shows it in full and where the log is.")
        }
    }
}
