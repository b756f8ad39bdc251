//! Data of a frame besides the cells of ratatui's `Buffer`: title, links, the cursor and the scroll, for the painter.

use ratatui::layout::{Position, Rect};

/// A frame besides its cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The title of the window; empty to leave it as it is.
    pub title: String,
    pub cursor: Option<Position>,
    pub links: Vec<Link>,
    /// The list that the terminal may scroll by itself.
    pub list: Option<DrawnList>,
    /// The rows of the screen that may differ from the frame before. None if all may.
    pub rows: Option<Vec<bool>>,
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
    /// Returns the area that the list moved in since `before`, and by how many rows (up is positive). None if it is in another
    /// place, or moved by more than half of what is visible.
    pub fn scrolled(&self, before: Option<DrawnList>) -> Option<(Rect, i32)> {
        let before = before?;
        let by = i64::try_from(self.top).ok()? - i64::try_from(before.top).ok()?;
        let half = i64::from(self.area.height / 2);
        let scrolls = before.area == self.area && by != 0 && by.abs() <= half;
        scrolls.then_some((self.area, by as i32))
    }
}
