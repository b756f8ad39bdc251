//! A text field of one line: `tui_input::Input`, edited by commands and drawn with its cursor.

use std::borrow::Cow;

use ratatui::widgets::Clear;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

use super::prelude::*;

/// The longest text a field takes: more is not a filter but an accident with the clipboard.
pub const LONGEST: usize = 1_000;

/// What is typed into a field.
#[derive(Clone, Debug, Default)]
pub struct Field {
    input: Input,
    /// What stands in it is an offer: the first letter replaces it, as in a marked text; moving in it keeps it.
    offered: bool,
    /// It shows a dot for each letter.
    pub hidden: bool,
}

impl Field {
    pub fn new(value: impl Into<String>) -> Field {
        Field { input: Input::new(value.into()), ..Field::default() }
    }

    pub fn offering(value: impl Into<String>) -> Field {
        let field = Field::new(value);
        Field { offered: !field.value().is_empty(), ..field }
    }

    pub fn hidden(self) -> Field {
        Field { hidden: true, ..self }
    }

    pub fn value(&self) -> &str {
        self.input.value()
    }

    pub fn trimmed(&self) -> &str {
        self.value().trim()
    }

    /// Types text: line breaks and control characters become blanks and what changes the direction of the text is left out, so a
    /// paste never does more than type.
    pub fn typed(&mut self, words: &str) {
        if std::mem::take(&mut self.offered) {
            self.input.reset();
        }
        for c in words.chars().filter(|c| !is_bidi_control(*c)) {
            if self.value().len() + c.len_utf8() > LONGEST {
                return;
            }
            self.input.handle(InputRequest::InsertChar(if c.is_control() { ' ' } else { c }));
        }
    }

    /// Does what an editing command says; nothing for those that are not about editing. True where the text is another one.
    pub fn edit(&mut self, command: TextCommand) -> bool {
        self.offered = false;
        let TextCommand::Edit(request) = command else { return false };
        self.input.handle(request).is_some_and(|changed| changed.value)
    }
}

/// It puts the terminal's cursor into itself.
impl StatefulWidget for &Field {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        self.draw_over(area.width, area, buf, cx);
    }
}

impl Field {
    /// Draws over a field in which only the first columns are filled. Returns how many are now.
    pub fn draw_over(&self, filled: u16, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) -> u16 {
        let Field { input, offered, hidden } = self;
        let Some(last) = area.width.checked_sub(1) else { return 0 };
        let text = input.value();
        let before = text.char_indices().nth(input.cursor()).map_or(text, |(at, _)| &text[..at]);
        let shown = |text| if *hidden { Cow::Owned(dots(text)) } else { Cow::Borrowed(text) };
        let (value, before) = (shown(text), shown(before));
        // The part that is shown ends at the cursor when the text is longer than the field.
        let skipped = match text::width(&before).saturating_sub(last.into()) {
            0 => 0,
            // A wide letter at the edge goes as a whole.
            over => match text::fitting(&value, over) {
                (skipped, wide) if wide == over => skipped.len(),
                _ => text::fitting(&value, over + 1).0.len(),
            },
        };
        let style = cx.style(Role::Input);
        let cleared = Rect { width: filled, ..area };
        Clear.render(cleared.intersection(buf.area), buf);
        buf.set_style(cleared, style);
        let used = text::put(buf, area.x, area.y, area.width, &value[skipped..], style);
        let column = text::width(before.get(skipped..).unwrap_or("")) as u16;
        cx.cursor = Some(Position { x: area.x + column.min(last), y: area.y });
        if *offered && !hidden {
            let marked = text::width(input.value()).min(last.into());
            cx.restyle(buf, Rect { width: marked as u16, ..area }, Role::Cursor);
        }
        used
    }
}

/// A dot for each letter.
fn dots(text: &str) -> String {
    "•".repeat(text.graphemes(true).count())
}
