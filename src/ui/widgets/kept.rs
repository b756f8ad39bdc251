//! The lines of a list that stand in a frame already, each with what it was drawn from.
//!
//! A key that moves the cursor changes two lines out of forty. The others are neither drawn again nor held against the screen:
//! a frame is drawn over an older one, and a line that would be drawn from the same as there is left as it is.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::domain::row::Row;

/// What a line is drawn from. Equal seals, equal cells, at whatever height.
#[derive(Clone, Debug)]
pub struct Seal {
    pub row: Row,
    /// What distinguishes this line from others with such a row: the cursor, its state.
    pub marks: u16,
    /// What all lines of the list have in common, as a number: columns, colours.
    pub ground: u64,
}

impl PartialEq for Seal {
    fn eq(&self, other: &Seal) -> bool {
        (self.marks, self.ground) == (other.marks, other.ground) && self.row.is(&other.row)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub area: Rect,
    /// From the first line of the area on. None where a line is to be drawn in any case.
    lines: Vec<Option<Seal>>,
}

impl Kept {
    #[must_use]
    pub fn new(area: Rect) -> Kept {
        Kept { area, lines: vec![None; usize::from(area.height)] }
    }

    #[must_use]
    pub fn at(&self, y: u16) -> Option<&Seal> {
        self.lines.get(usize::from(y.checked_sub(self.area.y)?))?.as_ref()
    }

    pub fn put(&mut self, y: u16, seal: Option<Seal>) {
        if let Some(line) = y.checked_sub(self.area.y).and_then(|at| self.lines.get_mut(usize::from(at))) {
            *line = seal;
        }
    }

    /// Whether the line at this height is drawn from the same in both.
    #[must_use]
    pub fn same(&self, y: u16, other: &Kept) -> bool {
        self.area == other.area && self.at(y).is_some_and(|seal| other.at(y) == Some(seal))
    }

    /// The list went up on the screen by so many lines, or down.
    pub fn scroll(&mut self, by: i32) {
        let lines = (by.unsigned_abs() as usize).min(self.lines.len());
        let new = if by > 0 {
            self.lines.rotate_left(lines);
            let left = self.lines.len() - lines;
            &mut self.lines[left..]
        } else {
            self.lines.rotate_right(lines);
            &mut self.lines[..lines]
        };
        new.fill(None);
    }

    /// Something else was drawn in these rows.
    pub fn forget(&mut self, rows: Range<u16>) {
        rows.for_each(|y| self.put(y, None));
    }
}
