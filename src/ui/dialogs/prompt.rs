//! One question that is answered with one line of text.

use ratatui::layout::Rect;
use tui_input::Input;

use crate::domain::contact::{ContactKey, RowId};
use crate::effect::files::Form;
use crate::keys::command::Text;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::{input, pane, text};

use super::{Outcome, export};

/// What the line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    SaveSearch,
    RenameSaved(String),
    StageAll,
    Find,
    Tag(Vec<ContactKey>),
    Note(RowId),
    NoteOwned(ContactKey),
    /// Where an export goes.
    ExportTo(export::What, Form),
    SuppressionFile,
    ListFind,
    WorkspaceKey,
    DataKey,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub title: String,
    pub question: String,
    pub input: Input,
    pub hidden: bool,
    pub purpose: Purpose,
}

impl Prompt {
    pub fn new(title: impl Into<String>, question: impl Into<String>, purpose: Purpose) -> Prompt {
        Prompt { title: title.into(), question: question.into(), input: Input::default(), hidden: false, purpose }
    }

    #[must_use]
    pub fn with(mut self, value: impl Into<String>) -> Prompt {
        self.input = Input::new(value.into());
        self
    }

    #[must_use]
    pub fn hidden(mut self) -> Prompt {
        self.hidden = true;
        self
    }

    pub fn typed(&mut self, words: &str) {
        input::insert(&mut self.input, words);
    }

    pub fn update(&mut self, command: Text) -> Outcome {
        match command {
            Text::Leave => Outcome::Close,
            Text::Submit => Outcome::Typed(self.purpose.clone(), self.input.value().trim().to_owned()),
            other => {
                input::edit(&mut self.input, other);
                Outcome::Stay
            }
        }
    }
}

pub fn view(prompt: &Prompt, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 76);
    let lines = text::wrapped(&prompt.question, usize::from(width.saturating_sub(4)));
    let extra = u16::from(prompt.hidden);
    let inside = pane::overlay(canvas, over, width, lines.len() as u16 + 4 + extra, &prompt.title);
    if inside.height == 0 {
        return;
    }
    let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
    let mut y = inside.y;
    for line in lines {
        if y + 1 >= inside.bottom() {
            break;
        }
        canvas.put(x, y, columns, &line, Role::Text);
        y += 1;
    }
    let y = (y + 1).min(inside.bottom() - 1);
    input::draw(canvas, x, y, columns, &prompt.input, prompt.hidden);
    if prompt.hidden && y + 1 < inside.bottom() {
        let value = prompt.input.value();
        let beginning: String = value.chars().take(7).collect();
        let words = format!("{} characters, begins with {beginning}", value.chars().count());
        canvas.put(x, y + 1, columns, if value.is_empty() { "nothing typed yet" } else { &words }, Role::Dim);
    }
}
