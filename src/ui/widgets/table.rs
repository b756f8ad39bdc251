//! A list with columns: heads above, one line marked. As the width falls, columns go by their rank; those that grow share
//! what is left.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::keys::command::List;
use crate::ui::theme::Role;

use super::canvas::{Canvas, Target};

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub head: &'static str,
    pub least: u16,
    /// How many shares of what is left it takes.
    pub grows: u16,
    /// The lowest goes first.
    pub rank: u8,
    /// Numbers stand at the right.
    pub right: bool,
}

impl Column {
    pub const fn text(head: &'static str, least: u16, rank: u8) -> Column {
        Column { head, least, grows: 0, rank, right: false }
    }

    pub const fn number(head: &'static str, least: u16, rank: u8) -> Column {
        Column { head, least, grows: 0, rank, right: true }
    }

    pub const fn growing(self) -> Column {
        self.growing_by(1)
    }

    pub const fn growing_by(mut self, shares: u16) -> Column {
        self.grows = shares;
        self
    }
}

/// Before the first column: the mark.
const SIGNS: u16 = 2;
/// After the last one: numbers do not touch the frame.
const EDGE: u16 = 1;
const GAP: u16 = 2;

/// Which columns are shown, each with its place and width.
fn placed(columns: &[Column], width: u16) -> Vec<(usize, u16, u16)> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let wide = |shown: &[usize]| shown.iter().map(|at| columns[*at].least + GAP).sum::<u16>().saturating_sub(GAP);
    while shown.len() > 1 && wide(&shown) > width {
        let goes = (0..shown.len()).min_by_key(|at| columns[shown[*at]].rank).unwrap_or(0);
        shown.remove(goes);
    }
    let growing = shown.iter().map(|at| columns[*at].grows).sum::<u16>();
    let left = width.saturating_sub(wide(&shown));
    let (each, mut odd) = (left.checked_div(growing).unwrap_or(0), left.checked_rem(growing).unwrap_or(0));
    let mut x = 0;
    let mut out = Vec::new();
    for at in shown {
        let mut take = columns[at].least;
        if columns[at].grows > 0 {
            take += each * columns[at].grows + odd;
            odd = 0;
        }
        out.push((at, x, take.min(width.saturating_sub(x))));
        x += take + GAP;
    }
    out
}

/// Draws heads and the visible rows; the list scrolls so that row `at` is seen.
pub fn draw<'a>(
    canvas: &mut Canvas<'_>,
    area: Rect,
    columns: &[Column],
    count: usize,
    at: usize,
    cell: impl Fn(usize, usize) -> (Cow<'a, str>, Role),
) {
    if area.height < 2 || area.width <= SIGNS + EDGE {
        return;
    }
    let placed = placed(columns, area.width - SIGNS - EDGE);
    let put = |canvas: &mut Canvas<'_>, place: &(usize, u16, u16), y: u16, words: &str, role: Role| {
        let x = area.x + SIGNS + place.1;
        if columns[place.0].right {
            canvas.put_right(x + place.2, y, place.2, words, role);
        } else {
            canvas.put(x, y, place.2, words, role);
        }
    };
    for place in &placed {
        put(canvas, place, area.y, columns[place.0].head, Role::Head);
    }
    let height = usize::from(area.height - 1);
    let at = at.min(count.saturating_sub(1));
    let top = if at < height { 0 } else { (at + 1 - height / 2).min(count.saturating_sub(height)) };
    for (line, row) in (top..count.min(top + height)).enumerate() {
        let y = area.y + 1 + line as u16;
        for place in &placed {
            let (words, role) = cell(row, place.0);
            put(canvas, place, y, &words, role);
        }
        if row == at {
            canvas.put(area.x, y, 1, "▌", Role::Focus);
            canvas.restyle(Rect { y, height: 1, ..area }, Role::Row);
            if let Some(place) = placed.iter().find(|place| !columns[place.0].head.is_empty()) {
                canvas.restyle(Rect::new(area.x + SIGNS + place.1, y, place.2, 1), Role::Cell);
            }
        }
        canvas.target(Rect { y, height: 1, ..area }, Target::Row(row as u64));
    }
}

/// The place after a movement in a list of `count` lines.
pub fn moved(at: usize, list: List, times: Option<u64>, count: usize) -> usize {
    let last = count.saturating_sub(1);
    let times_or_one = usize::try_from(times.unwrap_or(1)).unwrap_or(usize::MAX);
    match list {
        List::Down => at.saturating_add(times_or_one).min(last),
        List::Up => at.min(last).saturating_sub(times_or_one),
        List::HalfDown | List::PageDown => at.saturating_add(times_or_one.saturating_mul(10)).min(last),
        List::HalfUp | List::PageUp => at.min(last).saturating_sub(times_or_one.saturating_mul(10)),
        List::Top => 0,
        List::Last => times.map_or(last, |row| usize::try_from(row).unwrap_or(usize::MAX).saturating_sub(1)).min(last),
        _ => at.min(last),
    }
}

/// A click on a row marks it. True where it was on one.
pub fn clicked(at: &mut usize, target: Target) -> bool {
    if let Target::Row(position) = target {
        *at = usize::try_from(position).unwrap_or(0);
        return true;
    }
    false
}

/// Sentences in the middle of an empty place, the first one strong.
pub fn instead(canvas: &mut Canvas<'_>, area: Rect, sentences: &[&str]) {
    let mut y = area.y + area.height / 3;
    let columns = area.width.saturating_sub(4);
    for (at, sentence) in sentences.iter().enumerate() {
        for line in canvas.wrapped(sentence, usize::from(columns)) {
            if y < area.bottom() {
                canvas.put(area.x + 2, y, columns, &line, if at == 0 { Role::Strong } else { Role::Dim });
            }
            y += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] =
        [Column::text("NAME", 8, 9), Column::text("FILTERS", 10, 1).growing(), Column::number("TOTAL", 6, 5)];

    #[test]
    fn columns_go_by_rank_and_one_takes_the_rest() {
        assert_eq!(placed(&COLUMNS, 40), [(0, 0, 8), (1, 10, 22), (2, 34, 6)]);
        assert_eq!(placed(&COLUMNS, 20), [(0, 0, 8), (2, 10, 6)]);
        assert_eq!(placed(&COLUMNS, 5), [(0, 0, 5)]);
    }

    #[test]
    fn movements_stay_in_the_list() {
        assert_eq!(moved(0, List::Up, None, 5), 0);
        assert_eq!(moved(3, List::Down, Some(9), 5), 4);
        assert_eq!(moved(0, List::Last, None, 0), 0);
        assert_eq!(moved(0, List::Last, Some(3), 5), 2);
        assert_eq!(moved(9, List::Up, None, 5), 3);
    }
}
