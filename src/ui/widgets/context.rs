//! What a view needs beside the buffer, and what it leaves there: theme and keys; links, cursor, and what a click means.
//!
//! It is the state of every `StatefulWidget` here. A click is looked up by drawing once more into a scratch buffer, so no
//! second list of positions has to be kept right.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::prelude::{Position, Rect, Style};

use crate::keys::{command::Command, keymap::Keymap, situation::Situation};
use crate::motion::MotionFrame;
use crate::theme::{ROLES, Role, Theme};
use lode_core::{DrawnList, Filter, Frame, Link, cells, is_tellable, text};

/// What a place on the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A tab or hint: does what it says.
    Command(Command),
    /// Row of the list that has the keys.
    Row(u64),
    /// The sign column of a row: basket.
    Sign(u64),
    /// Head of the visible column at this place.
    Head(usize),
    /// A filter's value, by its place among several.
    Value(Filter, usize),
    /// The cross of a filter; of what is excluded where it is none.
    Remove(Option<Filter>),
    /// Another line of the filter pane, by its place.
    FilterLine(usize),
    /// Line of the topmost dialog's list.
    Line(usize),
    /// A whole pane: gets the keys.
    Pane(usize),
    /// Inside a dialog, on nothing in particular.
    Dialog,
}

/// What the card and the footer of a frame were drawn from. The next frame keeps each whose input is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnParts {
    pub list: Option<DrawnList>,
    /// The words in the lower borders of panes, and where they are.
    pub border_words: Vec<(Rect, String)>,
    /// The row that the card shows.
    pub card: Option<u64>,
    /// The keys that mean something now, the digits typed and the step of the tour. None where the lines below the screen show more.
    pub footer: Option<(Situation, Option<u64>, usize)>,
    /// Where a field is, the words before and behind it, and how many of its columns are filled.
    pub field: Option<(Rect, Arc<str>, &'static str, u16)>,
    /// Where suggestions drop down, they and the marked one.
    pub suggestions: Option<(Rect, Arc<[String]>, Option<usize>)>,
}

pub struct ViewContext {
    /// The whole buffer.
    area: Rect,
    styles: Arc<[Style; ROLES]>,
    /// The keys that sentences name.
    pub keys: Arc<Keymap>,
    pub motion: MotionFrame,
    pub cursor: Option<Position>,
    pub links: Vec<Link>,
    /// Where the columns of the list begin.
    pub stops: Vec<u16>,
    /// What was drawn.
    pub parts: DrawnParts,
    /// The row under the cursor of the screen.
    pub row: Option<Rect>,
    /// Of the shown frame, if the buffer holds that frame.
    shown: DrawnParts,
    /// What differs from that frame, as in [`lode_core::Frame::changes`]. Without it, all is drawn.
    pub changes: Option<Vec<Range<u16>>>,
    /// The place of a click, and what is there. None for a frame of the screen.
    click: Option<(Position, Option<Target>)>,
}

impl ViewContext {
    pub fn new(area: Rect, theme: &Theme, keys: &Arc<Keymap>) -> ViewContext {
        let (styles, keys) = (Arc::clone(&theme.styles), Arc::clone(keys));
        let (motion, [parts, shown]) = (MotionFrame::default(), Default::default());
        let (links, stops, changes) = (Vec::new(), Vec::new(), None);
        ViewContext {
            area,
            styles,
            keys,
            motion,
            cursor: None,
            links,
            stops,
            parts,
            row: None,
            shown,
            changes,
            click: None,
        }
    }

    /// Finds out what a place is while it draws.
    pub fn clicked(self, x: u16, y: u16) -> ViewContext {
        ViewContext { click: Some((Position { x, y }, None)), ..self }
    }

    /// Draws over the shown frame, in which only the cursor of the list has moved.
    pub fn over_shown(&mut self, frame: Frame, mut parts: DrawnParts) {
        // Until the list is drawn in other columns, and a pane with other words.
        (self.links, self.stops) = (frame.links, frame.stops);
        self.parts.border_words = std::mem::take(&mut parts.border_words);
        self.shown = parts;
        self.changes = Some(vec![0..0; usize::from(self.area.height)]);
    }

    pub fn is_over_shown(&self) -> bool {
        self.changes.is_some()
    }

    /// Notes that an area is drawn over the shown frame.
    pub fn change(&mut self, area: Rect) {
        if let Some(changes) = &mut self.changes {
            // A wide letter that begins left of the area is cleared too.
            let x = area.x.saturating_sub(1);
            let area = Rect { x, width: area.right() - x, ..area }.intersection(self.area);
            cells::note_change(changes, area);
        }
    }

    /// Notes the words in a border. Returns those of the shown frame.
    pub fn words_in_border(&mut self, line: Rect, words: [(Rect, &str); 2]) -> Vec<(Rect, String)> {
        let all = &mut self.parts.border_words;
        let before = all.extract_if(.., |(place, _)| place.intersects(line)).collect();
        all.extend(
            words.iter().filter(|(place, _)| !place.is_empty()).map(|(place, words)| (*place, (*words).to_owned())),
        );
        before
    }

    /// Notes the row whose card is shown. True if the shown frame has that card already.
    pub fn keeps_card(&mut self, row: u64) -> bool {
        self.parts.card = Some(row);
        self.shown.card == self.parts.card
    }

    /// Notes what the footer is drawn from. True if the shown frame has that footer already.
    pub fn keeps_footer(&mut self, footer: Option<(Situation, Option<u64>, usize)>) -> bool {
        self.parts.footer = footer;
        self.parts.footer.is_some() && self.shown.footer == self.parts.footer
    }

    /// How many columns of a field are filled in the shown frame. None if that frame shows another field.
    pub fn shown_field(&self, area: Rect, before: &str, behind: &str) -> Option<u16> {
        let (place, label, rule, filled) = self.shown.field.as_ref()?;
        ((*place, &**label, *rule) == (area, before, behind)).then_some(*filled)
    }

    /// Where the shown frame has suggestions.
    pub fn shown_suggestions(&self) -> Option<Rect> {
        self.shown.suggestions.as_ref().map(|(area, ..)| *area)
    }

    /// Notes what drops down in an area. Returns what the shown frame has there, if nothing was drawn over it since.
    pub fn keep_suggestions(
        &mut self,
        area: Rect,
        suggestions: &Arc<[String]>,
        marked: Option<usize>,
    ) -> Option<(Arc<[String]>, Option<usize>)> {
        self.parts.suggestions = Some((area, Arc::clone(suggestions), marked));
        let mut rows = self.changes.iter().flatten().skip(area.y.into()).take(area.height.into());
        let is_drawn_over = rows.any(|columns| columns.start < area.right() && area.left() < columns.end);
        let (place, suggestions, marked) = self.shown.suggestions.take()?;
        (place == area && !is_drawn_over).then_some((suggestions, marked))
    }

    /// The list as the shown frame has it: at most with another cursor, or scrolled. None if that frame shows another list.
    pub fn shown_list(&self, list: DrawnList) -> Option<DrawnList> {
        self.shown.list.filter(|before| (before.area, before.key) == (list.area, list.key))
    }

    /// True if the shown frame has the same rows of a list, with the same cursor.
    pub fn keeps_list(&mut self, list: DrawnList) -> bool {
        let keeps = self.shown.list == Some(list);
        if keeps {
            self.parts.list = Some(list);
        }
        keeps
    }

    /// True if the shown frame has a list that begins with row `top`, with the cursor on row `cursor`. It and its card are kept then.
    pub fn keeps_all_rows(&mut self, top: u64, cursor: u64) -> bool {
        let keeps = self.shown.list.is_some_and(|list| (list.top, list.cursor) == (top, cursor));
        if keeps {
            (self.parts.list, self.parts.card) = (self.shown.list, self.shown.card);
        }
        keeps
    }

    /// Prepares an area for drawing: clears what the shown frame has there.
    pub fn redraw(&mut self, buf: &mut Buffer, area: Rect) {
        if self.is_over_shown() {
            self.change(area);
            self.clear(buf, area);
        }
    }

    /// Keeps the rows of a list that the shown frame has already, and moves them to their place. Returns a function that says which
    /// rows must be drawn, each after [`ViewContext::redraw`].
    pub fn keep_rows(&mut self, buf: &mut Buffer, list: DrawnList) -> impl Fn(u64) -> bool + use<> {
        self.parts.list = Some(list);
        // Rows under suggestions are not there as they are: none can move to its place.
        let is_whole = |before: &DrawnList| before.top == list.top || self.shown.suggestions.is_none();
        let before = self.shown_list(list).filter(is_whole);
        let height = u64::from(list.area.height);
        let kept = before.map_or(0..0, |before| before.top.max(list.top)..(before.top.min(list.top) + height));
        let cursors = before.map(|before| [before.cursor, list.cursor]);
        let cursors = cursors.filter(|[before, now]| before != now);
        if let Some(before) = before {
            Self::scroll(buf, list, before.top);
        }
        move |row: u64| !kept.contains(&row) || cursors.is_some_and(|cursors| cursors.contains(&row))
    }

    /// Moves the rows of a list that began with row `top`.
    fn scroll(buf: &mut Buffer, list: DrawnList, top: u64) {
        let DrawnList { area, .. } = list;
        let by = list.top.abs_diff(top);
        if by == 0 || by >= u64::from(area.height) {
            return;
        }
        let (by, width) = (by as u16, usize::from(area.width));
        let mut swap = |one: u16, other: u16| {
            let (one, other) = (buf.index_of(area.x, one.min(other)), buf.index_of(area.x, one.max(other)));
            let (above, below) = buf.content.split_at_mut(other);
            above[one..one + width].swap_with_slice(&mut below[..width]);
        };
        if list.top > top {
            (area.top()..area.bottom() - by).for_each(|y| swap(y, y + by));
        } else {
            (area.top() + by..area.bottom()).rev().for_each(|y| swap(y, y - by));
        }
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Text in a role, at most `columns` wide, an ellipsis where it is cut. Returns the columns taken.
    pub fn put(&self, buf: &mut Buffer, x: u16, y: u16, columns: u16, words: &str, role: Role) -> u16 {
        text::put_cut(buf, x, y, columns, &self.keys.spelled(words), self.style(role))
    }

    /// Lines of pieces in the middle of an area, from its top on.
    pub fn centered(&self, buf: &mut Buffer, area: Rect, lines: &[Pieces]) {
        for (row, pieces) in area.rows().zip(lines) {
            let indent = row.width.saturating_sub(width_of(pieces) as u16) / 2;
            self.line(buf, row.x + indent, row.y, row.width - indent, pieces);
        }
    }

    /// The lines of sentences, keys and all.
    pub fn wrapped(&self, all: &[(impl AsRef<str>, Role)], columns: usize) -> Vec<(String, Role)> {
        let lines = |words: &str| text::wrapped(&self.keys.spelled(words), columns);
        all.iter().flat_map(|(words, role)| lines(words.as_ref()).into_iter().map(|line| (line, *role))).collect()
    }

    /// A sentence on lines of at most `columns`, in which the keys that it names have their own look.
    pub fn keyed(&self, words: &str, role: Role, columns: usize) -> Vec<Vec<(String, Role)>> {
        let mut pieces = Vec::new();
        for (words, is_key) in self.keys.pieces(words) {
            match is_key {
                true => pieces.push((words, Role::Key)),
                false => pieces.extend(words.split_inclusive(' ').map(|word| (word.to_owned(), role))),
            }
        }
        flowed(&pieces, columns)
    }

    /// Ends at `right` (exclusive). Returns where it begins.
    pub fn put_right(&self, buf: &mut Buffer, right: u16, y: u16, columns: u16, words: &str, role: Role) -> u16 {
        let words = &*self.keys.spelled(words);
        let wide = text::width(words).min(usize::from(columns)) as u16;
        let x = right.saturating_sub(wide);
        self.put(buf, x, y, wide, words, role);
        x
    }

    /// Pieces in different roles one after the other. Returns the columns taken.
    pub fn line(&self, buf: &mut Buffer, x: u16, y: u16, columns: u16, pieces: &[(impl AsRef<str>, Role)]) -> u16 {
        let mut used = 0;
        for (words, role) in pieces {
            if used >= columns {
                break;
            }
            used += self.put(buf, x + used, y, columns - used, words.as_ref(), *role);
        }
        used
    }

    /// Lines one below the other from `y` on, each cut at the edge. Returns the line after them.
    pub fn lines(&self, buf: &mut Buffer, area: Rect, mut y: u16, lines: &[(impl AsRef<str>, Role)]) -> u16 {
        for (words, role) in lines {
            if y < area.bottom() {
                self.put(buf, area.x, y, area.width, words.as_ref(), *role);
            }
            y += 1;
        }
        y
    }

    /// These cells lead to an address, where it is one that a terminal may be told.
    pub fn link(&mut self, x: u16, y: u16, columns: u16, to: &str) {
        let area = Rect::new(x, y, columns, 1).intersection(self.area);
        if !area.is_empty() && is_tellable(to) {
            self.links.push(Link { area, to: to.to_owned() });
        }
    }

    /// Blanks with the screen's own background.
    pub fn clear(&mut self, buf: &mut Buffer, area: Rect) {
        let area = area.intersection(self.area);
        self.links.retain(|link| !link.area.intersects(area));
        // A wide letter that begins left of the area loses its right half, so it goes as a whole.
        for y in area.top()..area.bottom() {
            if area.left() > self.area.left() && cells::is_wide(&buf[(area.left() - 1, y)]) {
                buf[(area.left() - 1, y)].set_symbol(" ");
            }
        }
        // In place of the widget `Clear` and a style: each of them looks up every cell by itself.
        let mut blank = Cell::EMPTY;
        blank.set_style(self.style(Role::Text));
        for row in cells::rows_mut(buf, area) {
            for cell in row {
                *cell = Cell::EMPTY;
                (cell.fg, cell.bg, cell.modifier) = (blank.fg, blank.bg, blank.modifier);
            }
        }
    }

    /// Gives cells that are there already another look.
    pub fn restyle(&self, buf: &mut Buffer, area: Rect, role: Role) {
        let style = self.style(role);
        for cell in cells::rows_mut(buf, area).flatten() {
            cell.set_style(style);
        }
    }

    /// Gives the words of an area the look of the cell under the cursor; blanks around them stay as they are.
    pub fn mark_cell(&self, buf: &mut Buffer, area: Rect) {
        for row in area.intersection(buf.area).rows() {
            let is_blank = |x: &u16| buf[(*x, row.y)].symbol() == " ";
            let first = (row.left()..row.right()).find(|x| !is_blank(x)).unwrap_or(row.left());
            let end = (first..row.right()).rev().find(|x| !is_blank(x)).map_or(first, |x| x + 1);
            self.restyle(buf, Rect { x: first, width: end - first, ..row }, Role::Cell);
        }
    }

    /// Everything that is drawn so far steps back: it is behind a dialog now.
    pub fn fade(&self, buf: &mut Buffer, area: Rect) {
        buf.set_style(area, Style::reset().patch(self.style(Role::Text)).patch(self.style(Role::Faint)));
    }

    /// What a click here means. Later ones lie on top.
    pub fn target(&mut self, area: Rect, target: Target) {
        if let Some((place, found)) = &mut self.click
            && area.contains(*place)
        {
            *found = Some(target);
        }
    }

    pub fn found(&self) -> Option<Target> {
        self.click.and_then(|(_, found)| found)
    }
}

/// Words in different roles, one after the other.
pub type Pieces = Vec<(String, Role)>;

/// The columns that pieces take.
pub fn width_of(pieces: &[(String, Role)]) -> usize {
    pieces.iter().map(|(words, _)| text::width(words)).sum()
}

/// A piece at the beginning of a line: what separates it from the one before separates nothing there.
pub fn beginning(piece: &str) -> &str {
    piece.trim_start().trim_start_matches("· ")
}

/// Pieces on lines of at most `columns`: what does not fit begins on the next line, what is longer than a line is broken.
pub fn flowed(pieces: &[(String, Role)], columns: usize) -> Vec<Vec<(String, Role)>> {
    let (mut lines, mut line, mut used) = (Vec::new(), Vec::new(), 0);
    for (words, role) in pieces {
        let mut rest = words.as_str();
        if used > 0 && used + text::width(rest.trim_end()) > columns {
            lines.push(std::mem::take(&mut line));
            (rest, used) = (beginning(rest), 0);
        }
        while !rest.is_empty() {
            let (fits, wide) = text::fitting(rest, columns.max(1) - used);
            let fits = if fits.is_empty() && used == 0 { rest } else { fits };
            line.push((fits.to_owned(), *role));
            used += wide;
            rest = &rest[fits.len()..];
            if !rest.trim_end().is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0;
            } else {
                break;
            }
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_moved_whole_and_broken_only_where_a_line_is_too_short() {
        let lines = |columns: usize| -> Vec<String> {
            let pieces =
                ["✉ ", "maria", "@a-hospital", ".example", " · valid"].map(|words| (words.to_owned(), Role::Text));
            let joined = |line: Vec<(String, Role)>| line.into_iter().map(|(words, _)| words).collect();
            flowed(&pieces, columns).into_iter().map(joined).collect()
        };
        assert_eq!(lines(34), ["✉ maria@a-hospital.example · valid"]);
        assert_eq!(lines(26), ["✉ maria@a-hospital.example", "valid"]);
        assert_eq!(lines(18), ["✉ maria@a-hospital", ".example · valid"]);
        assert_eq!(lines(6), ["✉ ", "maria", "@a-hos", "pital", ".examp", "le", "valid"]);
    }
}
