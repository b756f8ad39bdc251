//! Cells of ratatui's [`Buffer`] as a terminal shows them.
//!
//! A wide letter is in the cell of its left half. Its right half is a blank cell that nothing shows: it follows from the symbol
//! before it.

use ratatui::buffer::{Buffer, Cell};

use super::text::grapheme_width;

/// Returns whether two cells show the same.
#[inline]
pub fn same(one: &Cell, other: &Cell) -> bool {
    one.symbol() == other.symbol() && one.fg == other.fg && one.bg == other.bg && one.modifier == other.modifier
}

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

/// Returns each row as text, without the blanks at its end.
pub fn lines(buf: &Buffer) -> impl Iterator<Item = String> {
    (0..buf.area.height).map(|y| {
        let cells = row(buf, y);
        let symbols = cells.iter().enumerate().filter(|(x, _)| !is_tail(cells, *x)).map(|(_, cell)| cell.symbol());
        symbols.collect::<String>().trim_end().to_owned()
    })
}
