//! One question that is answered with one line of text.

use ratatui::layout::Rect;
use tui_input::Input;

use crate::keys::command::Text;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::{input, pane};
use lode_core::contact::ContactKey;
use lode_core::exclude::Kind;
use lode_engine::effect::files::Form;

use super::Outcome;
use super::subject::Subject;

/// What the line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    SaveSearch,
    RenameSaved(String),
    StageAll,
    /// What to leave out of a result.
    Exclude(Kind),
    /// Contacts of one company at most.
    PerCompany,
    Find,
    Tag(ContactKey),
    Note(ContactKey),
    /// Where an export goes.
    ExportTo(Subject, Form),
    SuppressionFile,
    /// A list of accounts to match.
    Accounts,
    ListFind,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub title: String,
    pub question: String,
    pub input: Input,
    /// What stands in the field is an offer: the first letter replaces it, moving in it keeps it.
    pub offered: bool,
    pub purpose: Purpose,
}

impl Prompt {
    pub fn new(title: impl Into<String>, question: impl Into<String>, purpose: Purpose) -> Prompt {
        Prompt { title: title.into(), question: question.into(), input: Input::default(), offered: false, purpose }
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

    pub fn update(&mut self, command: Text) -> Outcome {
        match command {
            Text::Leave => Outcome::Close,
            Text::Submit => Outcome::Typed(self.purpose.clone(), self.input.value().trim().to_owned()),
            other => {
                self.offered = false;
                input::edit(&mut self.input, other);
                Outcome::Stay
            }
        }
    }
}

pub fn view(prompt: &Prompt, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 76);
    let lines = canvas.wrapped(&prompt.question, usize::from(width.saturating_sub(4)));
    let inside = pane::overlay(canvas, over, width, lines.len() as u16 + 4, &prompt.title);
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
    if prompt.offered {
        input::draw_offered(canvas, x, y, columns, &prompt.input);
    } else {
        input::draw(canvas, x, y, columns, &prompt.input, false);
    }
}
