//! A question with a few answers. The first line is the one that changes nothing, and the mark stands on it.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::lines::{self, Line, Marked};
use crate::widgets::pane;
use lode_core::contact::ContactKey;
use lode_core::query::Query;
use lode_engine::effect::files::Form;
use lode_engine::effect::store::{Handle, SuppressEntry};
use lode_engine::flow::search::legs::legs_take;

use super::Outcome;
use super::subject::Subject;

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    Nothing,
    Quit,
    /// Finish the call that is on its way, then leave.
    StopAfterCallAndQuit,
    MarkPulled,
    /// Scans a whole corpus.
    RunSlow,
    /// A contact or a domain, and whom that leaves out.
    Suppress(SuppressEntry, String),
    ForgetOwned(ContactKey),
    DeleteSaved(String),
    ReplaceSaved(String),
    /// Runs one with many searches in it; whether only what is new is shown.
    RunSaved(String, bool),
    /// Ends an export: what has come is kept or deleted.
    CancelJob {
        job: u64,
        keep: bool,
    },
    /// Ends all exports and keeps what has come, then leaves.
    KeepAndQuit,
    RemoveList(String),
    /// Writes an export over the file that is there.
    ReplaceFile(Box<(Subject, Form, PathBuf)>),
    /// The request of an assistant.
    ReviewRequest(Handle),
    DeclineRequest(Handle),
}

#[derive(Clone, Debug)]
pub struct Ask {
    pub title: String,
    pub words: String,
    pub answers: Vec<(String, Deed)>,
    pub marked: Marked,
}

impl Ask {
    /// `stay` is the answer that leaves everything as it is.
    pub fn new(title: impl Into<String>, words: impl Into<String>, stay: &str, deeds: Vec<(String, Deed)>) -> Ask {
        let mut answers = vec![(stay.to_owned(), Deed::Nothing)];
        answers.extend(deeds);
        Ask { title: title.into(), words: words.into(), answers, marked: Marked::default() }
    }

    pub fn choose(&self, at: usize) -> Outcome {
        match self.answers.get(at) {
            Some((_, Deed::Nothing)) => Outcome::Close,
            Some((_, deed)) => Outcome::Chosen(deed.clone()),
            None => Outcome::Stay,
        }
    }
}

pub fn view(ask: &Ask, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 76);
    let words = canvas.wrapped(&ask.words, usize::from(width.saturating_sub(4)));
    let height = words.len() as u16 + ask.answers.len() as u16 + 3;
    let inside = pane::overlay(canvas, over, width, height, &ask.title);
    if inside.height == 0 {
        return;
    }
    let answers = (ask.answers.len() as u16).min(inside.height);
    let room = inside.height.saturating_sub(answers + 1);
    for (at, line) in words.iter().take(usize::from(room)).enumerate() {
        canvas.put(inside.x + 1, inside.y + at as u16, inside.width.saturating_sub(2), line, Role::Text);
    }
    let list = Rect::new(inside.x + 1, inside.bottom() - answers, inside.width.saturating_sub(2), answers);
    lines::draw(canvas, list, ask.answers.len(), &ask.marked, |at| Line::new(ask.answers[at].0.as_str(), ""));
}

/// Asks before many searches run as one: it costs nothing but time, so Enter runs them.
pub fn many_searches(query: &Query, deed: Deed) -> Ask {
    let words = format!("{}\n{}", query.words(), legs_take(query));
    let mut ask =
        Ask::new("Many searches", words, "Cancel", vec![("Run them (<everywhere.escape> stops)".to_owned(), deed)]);
    ask.marked.at = 1;
    ask
}
