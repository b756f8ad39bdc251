//! A question with a few answers. The first line is the one that changes nothing, and the mark stands on it.

use crate::widgets::input::TextField;
use crate::widgets::lines::LineList;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::StatefulWidget;
use tui_input::Input;

use crate::dialogs::{DialogResult, Intent};
use crate::keys::command::TextCommand;
use crate::theme::Role;
use crate::widgets::context::ViewContext;
use crate::widgets::lines::{ListCursor, ListLine};
use crate::widgets::{input, pane};
use lode_core::Query;
use lode_engine::flow::search::legs::legs_take;

#[derive(Clone, Debug)]
pub struct QuestionDialog {
    pub title: String,
    pub words: String,
    pub answers: Vec<(String, Intent)>,
    pub marked: ListCursor,
}

impl QuestionDialog {
    /// `stay` is the answer that leaves everything as it is.
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        stay: &str,
        deeds: Vec<(String, Intent)>,
    ) -> QuestionDialog {
        let mut answers = vec![(stay.to_owned(), Intent::Nothing)];
        answers.extend(deeds);
        QuestionDialog { title: title.into(), words: words.into(), answers, marked: ListCursor::default() }
    }

    pub fn choose(&self, at: usize) -> DialogResult {
        self.answers.get(at).map_or(DialogResult::Stay, |(_, intent)| DialogResult::Do(intent.clone()))
    }
}

impl StatefulWidget for &QuestionDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, 76);
        let words = cx.wrapped(&self.words, usize::from(width.saturating_sub(4)));
        let height = words.len() as u16 + self.answers.len() as u16 + 3;
        let inside = pane::overlay(buf, cx, over, width, height, &self.title);
        if inside.height == 0 {
            return;
        }
        let answers = (self.answers.len() as u16).min(inside.height);
        let room = inside.height.saturating_sub(answers + 1);
        for (at, line) in words.iter().take(usize::from(room)).enumerate() {
            cx.put(buf, inside.x + 1, inside.y + at as u16, inside.width.saturating_sub(2), line, Role::Text);
        }
        let list = Rect::new(inside.x + 1, inside.bottom() - answers, inside.width.saturating_sub(2), answers);
        LineList::new(self.answers.len(), &self.marked, |at| ListLine::new(self.answers[at].0.as_str(), ""))
            .render(list, buf, cx);
    }
}

/// Asks before many searches run as one: it costs nothing but time, so Enter runs them.
pub fn many_searches(query: &Query, deed: Intent) -> QuestionDialog {
    let words = format!("{}\n{}", query.words(), legs_take(query));
    let mut ask = QuestionDialog::new(
        "Many searches",
        words,
        "Cancel",
        vec![("Run them (<everywhere.escape> stops)".to_owned(), deed)],
    );
    ask.marked.at = 1;
    ask
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub title: String,
    pub question: String,
    pub input: Input,
    /// What stands in the field is an offer: the first letter replaces it, moving in it keeps it.
    pub offered: bool,
    pub intent: Intent,
}

impl Prompt {
    pub fn new(title: impl Into<String>, question: impl Into<String>, intent: Intent) -> Prompt {
        Prompt { title: title.into(), question: question.into(), input: Input::default(), offered: false, intent }
    }

    pub fn with(mut self, value: impl Into<String>) -> Prompt {
        self.input = Input::new(value.into());
        self
    }

    pub fn offering(self, value: impl Into<String>) -> Prompt {
        let prompt = self.with(value);
        Prompt { offered: !prompt.input.value().is_empty(), ..prompt }
    }

    pub fn typed(&mut self, words: &str) {
        input::insert_over(&mut self.input, &mut self.offered, words);
    }

    pub fn update(&mut self, command: TextCommand) -> DialogResult {
        match command {
            TextCommand::Leave => DialogResult::Close,
            TextCommand::Submit => DialogResult::DoWith(self.intent.clone(), self.input.value().trim().to_owned()),
            other => {
                self.offered = false;
                input::edit(&mut self.input, other);
                DialogResult::Stay
            }
        }
    }
}

impl StatefulWidget for &Prompt {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, 76);
        let lines = cx.wrapped(&self.question, usize::from(width.saturating_sub(4)));
        let inside = pane::overlay(buf, cx, over, width, lines.len() as u16 + 4, &self.title);
        if inside.height == 0 {
            return;
        }
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        let mut y = inside.y;
        for line in lines {
            if y + 1 >= inside.bottom() {
                break;
            }
            cx.put(buf, x, y, columns, &line, Role::Text);
            y += 1;
        }
        let y = (y + 1).min(inside.bottom() - 1);
        if self.offered {
            TextField::new(&self.input).offered(true).render(Rect::new(x, y, columns, 1), buf, cx);
        } else {
            TextField::new(&self.input).render(Rect::new(x, y, columns, 1), buf, cx);
        }
    }
}
