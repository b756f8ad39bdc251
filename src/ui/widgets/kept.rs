//! What stands in a frame already, each part with what it was drawn from: lines of a list, and patches such as a pane.
//!
//! A key that moves the cursor changes two lines out of forty and the pane beside them. All else is neither drawn again nor held
//! against the screen: a frame is drawn over an older one, and a part that would be drawn from the same as there is left as
//! it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use ratatui::layout::{Margin, Position, Rect};

use crate::domain::row::Row;

use super::cell::Link;

/// What a part is drawn from. Equal seals, equal cells, wherever it stands.
#[derive(Clone, Debug)]
pub struct Seal {
    pub row: Option<Row>,
    /// All else, as a number.
    pub number: u64,
}

impl Seal {
    /// Of values that are all that is drawn from.
    pub fn of(values: impl Hash) -> Seal {
        let mut hasher = DefaultHasher::new();
        values.hash(&mut hasher);
        Seal { row: None, number: hasher.finish() }
    }
}

impl PartialEq for Seal {
    fn eq(&self, other: &Seal) -> bool {
        let rows = match (&self.row, &other.row) {
            (Some(one), Some(two)) => one.is(two),
            (None, None) => true,
            _ => false,
        };
        rows && self.number == other.number
    }
}

/// A patch as it stands there, with what a frame holds of it besides the cells.
#[derive(Clone, Debug)]
pub struct Patch {
    pub seal: Seal,
    pub cursor: Option<Position>,
    pub links: Vec<Link>,
}

#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub list: Rect,
    /// From the first line of the list on. None where a line is to be drawn in any case.
    lines: Vec<Option<Seal>>,
    patches: Vec<(Rect, Option<Patch>)>,
}

impl Kept {
    /// What may stay where the next view has a list and patches at these places.
    pub fn begin(&mut self, list: Rect, patches: &[Rect]) {
        if self.list != list {
            self.list = list;
            self.lines = vec![None; usize::from(list.height)];
        }
        if self.patches.len() != patches.len() || self.patches.iter().zip(patches).any(|((one, _), two)| one != two) {
            self.patches = patches.iter().map(|area| (*area, None)).collect();
        }
    }

    pub fn line(&self, y: u16) -> Option<&Seal> {
        self.lines.get(usize::from(y.checked_sub(self.list.y)?))?.as_ref()
    }

    pub fn put_line(&mut self, y: u16, seal: Option<Seal>) {
        if let Some(line) = y.checked_sub(self.list.y).and_then(|at| self.lines.get_mut(usize::from(at))) {
            *line = seal;
        }
    }

    pub fn patch(&self, area: Rect) -> Option<&Patch> {
        self.patches.iter().find(|(place, _)| *place == area).and_then(|(_, patch)| patch.as_ref())
    }

    pub fn put_patch(&mut self, area: Rect, patch: Option<Patch>) {
        if let Some((_, place)) = self.patches.iter_mut().find(|(place, _)| *place == area) {
            *place = patch;
        }
    }

    /// What stands in a row, from left to right.
    pub fn standing(&self, y: u16) -> Stretches {
        self.stretches(y, |_| true, |_, _| true)
    }

    /// What stands in a row of both, drawn from the same.
    pub fn same(&self, y: u16, other: &Kept) -> Stretches {
        let line = |seal: &Seal| self.list == other.list && other.line(y) == Some(seal);
        let patch = |area: Rect, patch: &Patch| other.patch(area).is_some_and(|there| there.seal == patch.seal);
        self.stretches(y, line, patch)
    }

    fn stretches(&self, y: u16, line: impl Fn(&Seal) -> bool, patch: impl Fn(Rect, &Patch) -> bool) -> Stretches {
        let mut out = Stretches::default();
        if self.line(y).is_some_and(line) {
            out.add(self.list.left()..self.list.right());
        }
        for (area, there) in &self.patches {
            if (area.top()..area.bottom()).contains(&y) && there.as_ref().is_some_and(|there| patch(*area, there)) {
                out.add(area.left()..area.right());
            }
        }
        out
    }

    /// The screen moved these rows up by so many, or down.
    pub fn scroll(&mut self, rows: &Range<u16>, by: i32) {
        let moved = Rect { y: rows.start, height: rows.end - rows.start, x: 0, width: u16::MAX };
        if (self.list.top()..self.list.bottom()) != *rows {
            return self.forget(moved);
        }
        self.forget_patches(moved);
        roll(&mut self.lines, by, 1, None);
    }

    /// Something else was drawn here.
    pub fn forget(&mut self, area: Rect) {
        (area.top()..area.bottom()).for_each(|y| self.put_line(y, None));
        // Half of a wide letter beside it may have gone too.
        self.forget_patches(area.outer(Margin::new(1, 0)));
    }

    fn forget_patches(&mut self, area: Rect) {
        self.patches.iter_mut().filter(|(place, _)| place.intersects(area)).for_each(|(_, patch)| *patch = None);
    }
}

/// Moves rows of so many items up, or down, and fills what comes in.
pub(super) fn roll<T: Clone>(items: &mut [T], by: i32, width: usize, empty: T) {
    let count = (by.unsigned_abs() as usize * width).min(items.len());
    let new = if by > 0 {
        items.rotate_left(count);
        let left = items.len() - count;
        &mut items[left..]
    } else {
        items.rotate_right(count);
        &mut items[..count]
    };
    new.fill(empty);
}

/// Stretches of a row, from left to right. A row of the screen crosses few parts.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    known: [Range<usize>; 4],
    count: usize,
}

impl Stretches {
    /// One more than there is room for is drawn as if nothing were known of it.
    fn add(&mut self, columns: Range<u16>) {
        if self.count == self.known.len() {
            return;
        }
        let mut at = self.count;
        self.known[at] = usize::from(columns.start)..usize::from(columns.end);
        while at > 0 && self.known[at - 1].start > self.known[at].start {
            self.known.swap(at - 1, at);
            at -= 1;
        }
        self.count += 1;
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Range<usize>> {
        self.known[..self.count].iter()
    }

    /// The stretch that begins here.
    pub fn from(&self, x: usize) -> Option<&Range<usize>> {
        self.iter().find(|stretch| stretch.start == x)
    }

    pub fn contains(&self, x: usize) -> bool {
        self.iter().any(|stretch| stretch.contains(&x))
    }

    /// What lies between them in a row of this width.
    pub fn gaps(&self, width: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
        (0..=self.count).map(move |at| {
            let from = if at == 0 { 0 } else { self.known[at - 1].end };
            let to = if at == self.count { width } else { self.known[at].start };
            from..to.max(from)
        })
    }
}
