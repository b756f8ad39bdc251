//! Cells of ratatui's [`Buffer`] as a terminal shows them.
//!
//! A wide letter is in the cell of its left half. Its right half is a blank cell that nothing shows: it follows from the symbol
//! before it.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use super::text::grapheme_width;

/// Returns whether the letter of a cell takes the next cell too.
#[inline]
pub fn is_wide(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.len() > 1 && grapheme_width(symbol) == 2
}

/// Returns whether a cell of a row is the right half of a wide letter.
#[inline]
pub fn is_tail(row: &[Cell], x: usize) -> bool {
    x > 0 && is_wide(&row[x - 1])
}

/// Returns the cells of a row, counted from the top of the buffer.
pub fn row(buf: &Buffer, row: u16) -> &[Cell] {
    let width = usize::from(buf.area.width);
    &buf.content[usize::from(row) * width..][..width]
}

/// Returns the cells of an area, row by row. What of it is outside the buffer is left out.
pub fn rows_mut(buf: &mut Buffer, area: Rect) -> impl Iterator<Item = &mut [Cell]> {
    let area = area.intersection(buf.area);
    let width = usize::from(buf.area.width).max(1);
    let height = if area.is_empty() { 0 } else { usize::from(area.height) };
    let columns = usize::from(area.left() - buf.area.left())..usize::from(area.right() - buf.area.left());
    let rows = buf.content.chunks_exact_mut(width);
    let rows = rows.skip(usize::from(area.top() - buf.area.top())).take(height);
    rows.map(move |row| &mut row[columns.clone()])
}

/// Returns each row as text, without the blanks at its end.
pub fn lines(buf: &Buffer) -> impl Iterator<Item = String> {
    (0..buf.area.height).map(|y| {
        let cells = row(buf, y);
        let symbols = cells.iter().enumerate().filter(|(x, _)| !is_tail(cells, *x)).map(|(_, cell)| cell.symbol());
        symbols.collect::<String>().trim_end().to_owned()
    })
}

// Data of a frame besides the cells of ratatui's `Buffer`: title, links, the cursor and the scroll, for the painter.

/// A frame besides its cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The title of the window; empty to leave it as it is.
    pub title: String,
    pub cursor: Option<Position>,
    pub links: Vec<Link>,
    /// The list that the terminal may scroll by itself.
    pub list: Option<DrawnList>,
    /// Where the columns of that list begin.
    pub stops: Vec<u16>,
    /// The columns of each row of the screen that may differ from the frame before, other than by rows of the list that only moved.
    /// None if all may.
    pub changes: Option<Vec<Range<u16>>>,
}

/// Notes that an area of the screen may differ.
pub fn note_change(changes: &mut [Range<u16>], area: Rect) {
    let rows = changes.iter_mut().skip(usize::from(area.top())).take(usize::from(area.height));
    for columns in rows.filter(|_| area.width > 0) {
        *columns = match *columns {
            Range { start, end } if start < end => start.min(area.left())..end.max(area.right()),
            _ => area.left()..area.right(),
        };
    }
}

/// Cells of one row that lead to an address of the web, for terminals that can follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub area: Rect,
    pub to: String,
}

/// A list that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnList {
    pub area: Rect,
    /// The number of its first visible row.
    pub top: u64,
    /// The number of the row under the cursor.
    pub cursor: u64,
    /// Stands for all else that its rows depend on.
    pub key: u64,
}

impl DrawnList {
    /// Returns the part of the area that the list moved in since `before`, and by how many rows (up is positive). If the cursor
    /// stays on the first or the last line, that line is not part of it: it keeps its background. None if the list is in another
    /// place, or moved by more than half of what is visible.
    pub fn scrolled(&self, before: Option<DrawnList>) -> Option<(Rect, i32)> {
        let before = before?;
        let by = i64::try_from(self.top).ok()? - i64::try_from(before.top).ok()?;
        let half = i64::from(self.area.height / 2);
        let scrolls = before.area == self.area && by != 0 && by.abs() <= half;
        scrolls.then(|| (self.moving_part(before), by as i32))
    }

    fn moving_part(&self, before: DrawnList) -> Rect {
        let (area, line) = (self.area, self.cursor.wrapping_sub(self.top));
        let stays = line == before.cursor.wrapping_sub(before.top);
        match area.height {
            height if stays && height > 2 && line + 1 == u64::from(height) => Rect { height: height - 1, ..area },
            height if stays && height > 2 && line == 0 => Rect { y: area.y + 1, height: height - 1, ..area },
            _ => area,
        }
    }
}
