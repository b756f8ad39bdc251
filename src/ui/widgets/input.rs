//! A text field of one line. The state is `tui_input::Input`; here it is drawn, with its cursor, and edited by commands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

use crate::keys::command::Text;
use crate::theme::Role;
use lode_core::scrub::is_bidi_control;

use super::context::ViewContext;
use lode_core::text;

/// Does what an editing command says; nothing for those that are not about editing.
pub fn edit(input: &mut Input, command: Text) {
    use InputRequest as Do;
    let request = match command {
        Text::Left => Do::GoToPrevChar,
        Text::Right => Do::GoToNextChar,
        Text::WordLeft => Do::GoToPrevWord,
        Text::WordRight => Do::GoToNextWord,
        Text::Home => Do::GoToStart,
        Text::End => Do::GoToEnd,
        Text::DeleteBack => Do::DeletePrevChar,
        Text::DeleteForward => Do::DeleteNextChar,
        Text::DeleteWord => Do::DeletePrevWord,
        Text::DeleteToStart => Do::DeleteFromStart,
        Text::DeleteToEnd => Do::DeleteTillEnd,
        Text::Yank => Do::Yank,
        Text::Submit | Text::Leave | Text::Complete | Text::Next | Text::Previous => return,
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

/// Draws the field with its text marked, so that one sees that typing replaces it.
pub fn draw_offered(buf: &mut Buffer, cx: &mut ViewContext, x: u16, y: u16, columns: u16, input: &Input) {
    draw(buf, cx, x, y, columns, input, false);
    let marked = text::width(input.value()).min(usize::from(columns.saturating_sub(1)));
    cx.restyle(buf, Rect::new(x, y, marked as u16, 1), Role::Cursor);
}

/// Draws the field and puts the terminal's cursor into it. `hidden` shows a dot for each letter.
pub fn draw(buf: &mut Buffer, cx: &mut ViewContext, x: u16, y: u16, columns: u16, input: &Input, hidden: bool) {
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
    let field = Rect::new(x, y, columns, 1);
    Clear.render(field.intersection(buf.area), buf);
    buf.set_style(field, style);
    text::put(buf, x, y, columns, &value[skipped..], style);
    let column = text::width(before.get(skipped..).unwrap_or("")) as u16;
    cx.cursor = Some(ratatui::layout::Position { x: x + column.min(columns - 1), y });
}
