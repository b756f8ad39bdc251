//! A text field of one line. The state is `tui_input::Input`; here it is drawn, with its cursor, and edited by commands.

use ratatui::prelude::{Buffer, Position, Rect, StatefulWidget, Widget};
use ratatui::widgets::Clear;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

use crate::keys::command::TextCommand;
use crate::theme::Role;
use lode_core::{is_bidi_control, text};

use super::context::ViewContext;

/// Does what an editing command says; nothing for those that are not about editing.
pub fn edit(input: &mut Input, command: TextCommand) {
    use InputRequest as Do;
    let request = match command {
        TextCommand::Left => Do::GoToPrevChar,
        TextCommand::Right => Do::GoToNextChar,
        TextCommand::WordLeft => Do::GoToPrevWord,
        TextCommand::WordRight => Do::GoToNextWord,
        TextCommand::Home => Do::GoToStart,
        TextCommand::End => Do::GoToEnd,
        TextCommand::DeleteBack => Do::DeletePrevChar,
        TextCommand::DeleteForward => Do::DeleteNextChar,
        TextCommand::DeleteWord => Do::DeletePrevWord,
        TextCommand::DeleteToStart => Do::DeleteFromStart,
        TextCommand::DeleteToEnd => Do::DeleteTillEnd,
        TextCommand::Yank => Do::Yank,
        TextCommand::Submit
        | TextCommand::Leave
        | TextCommand::Complete
        | TextCommand::Next
        | TextCommand::Previous => return,
    };
    input.handle(request);
}

/// The longest text a field takes: more is not a filter but an accident with the clipboard.
pub const LONGEST: usize = 1_000;

/// Types text: line breaks and control characters become blanks and what changes the direction of the text is left out, so a
/// paste never does more than type.
pub fn insert(input: &mut Input, words: &str) {
    for c in words.chars().filter(|c| !is_bidi_control(*c)) {
        if input.value().len() + c.len_utf8() > LONGEST {
            return;
        }
        input.handle(InputRequest::InsertChar(if c.is_control() { ' ' } else { c }));
    }
}

/// Types into a field whose text is only an offer, if `offered`: the first letter takes its place, as in a marked text.
pub fn insert_over(input: &mut Input, offered: &mut bool, words: &str) {
    if std::mem::take(offered) {
        input.reset();
    }
    insert(input, words);
}

/// A text field. It puts the terminal's cursor into itself.
pub struct TextField<'a> {
    input: &'a Input,
    hidden: bool,
    offered: bool,
}

impl<'a> TextField<'a> {
    pub fn new(input: &'a Input) -> TextField<'a> {
        TextField { input, hidden: false, offered: false }
    }

    /// Shows a dot for each letter.
    pub fn hidden(self, hidden: bool) -> TextField<'a> {
        TextField { hidden, ..self }
    }

    /// Marks the text, so that one sees that typing replaces it.
    pub fn offered(self, offered: bool) -> TextField<'a> {
        TextField { offered, ..self }
    }
}

impl StatefulWidget for TextField<'_> {
    type State = ViewContext;

    fn render(self, field: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let TextField { input, hidden, offered } = self;
        let columns = field.width;
        if columns == 0 {
            return;
        }
        let shown = |text: &str| if hidden { "•".repeat(text.graphemes(true).count()) } else { text.to_owned() };
        let value = shown(input.value());
        let before = shown(&input.value().chars().take(input.cursor()).collect::<String>());
        let room = usize::from(columns) - 1;
        // The part that is shown ends at the cursor when the text is longer than the field.
        let mut skipped = 0;
        let mut over = text::width(&before).saturating_sub(room);
        for grapheme in value.graphemes(true) {
            if over == 0 {
                break;
            }
            skipped += grapheme.len();
            over = over.saturating_sub(text::grapheme_width(grapheme));
        }
        let style = cx.style(Role::Input);
        Clear.render(field.intersection(buf.area), buf);
        buf.set_style(field, style);
        text::put(buf, field.x, field.y, columns, &value[skipped..], style);
        let column = text::width(before.get(skipped..).unwrap_or("")) as u16;
        cx.cursor = Some(Position { x: field.x + column.min(columns - 1), y: field.y });
        if offered {
            let marked = text::width(input.value()).min(usize::from(columns - 1));
            cx.restyle(buf, Rect { width: marked as u16, ..field }, Role::Cursor);
        }
    }
}
