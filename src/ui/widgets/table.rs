//! A list with columns: heads above, one line marked. Columns are as wide as their values; as the width falls they go by
//! their rank, and those that grow share what is left.

use std::ops::Range;

use super::prelude::*;
use super::share::{self, ColumnRequest, MEASURED, Need, Placed};

#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    pub head: &'static str,
    pub least: u16,
    /// The lowest goes first.
    pub rank: u8,
    pub width: ColumnWidth,
}

/// What a column is as wide as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnWidth {
    /// Its least width.
    Fixed,
    /// The same, and its values stand at the right.
    Number,
    /// Nearly all of its values, the longest where there is room; narrower than the least width where they are.
    Values,
    /// All of its values: what was paid for is not cut.
    Whole,
    /// Its least width and a share of what is left.
    Rest,
}

impl TableColumn {
    pub const fn new(head: &'static str, least: u16, rank: u8, width: ColumnWidth) -> TableColumn {
        TableColumn { head, least, rank, width }
    }
}

/// Before the first column: the mark.
const SIGNS: u16 = 2;
/// After the last one: numbers do not touch the frame.
const EDGE: u16 = 1;
const GAP: u16 = 2;

/// No value needs more.
const MOST: u16 = 60;
/// The least width of a `Whole` column while other columns can be left out; a wide screen gives it more.
const WHOLE: u16 = 34;

/// Measures the columns whose width follows their values. `None` for one that has nothing to show.
fn needs(columns: &[TableColumn], count: usize, cell: impl Fn(usize, usize) -> (String, Role)) -> Vec<Option<Need>> {
    let measure = |(at, column): (usize, &TableColumn)| {
        if !matches!(column.width, ColumnWidth::Values | ColumnWidth::Whole) {
            return (column.least > 0).then_some(Need { usual: column.least, most: column.least });
        }
        let widths = (0..count.min(MEASURED)).map(|row| text::width(&cell(row, at).0)).collect();
        let head = text::width(column.head) as u16;
        let need = Need::of(widths, MOST).unwrap_or(Need { usual: head, most: head });
        (need.most > 0).then(|| Need { usual: need.usual.max(head), most: need.most.max(head) })
    };
    columns.iter().enumerate().map(measure).collect()
}

/// Which columns are shown, each with its place and width. An empty one is shown where nothing else is cut for it.
fn placed(columns: &[TableColumn], needs: &[Option<Need>], width: u16) -> Vec<Placed> {
    let all: u32 = needs.iter().map(|need| u32::from(need.map_or(0, |need| need.most) + GAP)).sum();
    let is_tight = all > u32::from(width);
    let request = |(at, (column, need)): (usize, (&TableColumn, &Option<Need>))| {
        let head = text::width(column.head) as u16;
        let need = need.unwrap_or(Need { usual: head, most: head });
        let start = match column.width {
            ColumnWidth::Fixed | ColumnWidth::Number | ColumnWidth::Rest => column.least,
            ColumnWidth::Values => column.least.min(need.most),
            ColumnWidth::Whole => need.most.min(WHOLE.max(width * 5 / 12)),
        };
        // What must not be cut first, then what nearly all values need, then the longest.
        let aims = [if column.width == ColumnWidth::Whole { need.most } else { 0 }, need.usual, need.most];
        ColumnRequest { column: at, least: start, start, aims, rank: column.rank, wanted: false }
    };
    let shown = columns.iter().zip(needs).enumerate().filter(|(_, (_, need))| !is_tight || need.is_some());
    let requests = share::fitting(shown.map(request).collect(), width, GAP, None);
    let (mut widths, left) = share::widths(&requests, width, GAP);
    let of_rest = |request: &&ColumnRequest| columns[request.column].width == ColumnWidth::Rest;
    let all = requests.iter().filter(of_rest).count() as u16;
    let (each, mut odd) = (left.checked_div(all).unwrap_or(0), left.checked_rem(all).unwrap_or(0));
    for (_, width) in requests.iter().zip(&mut widths).filter(|(request, _)| of_rest(request)) {
        *width += each + std::mem::take(&mut odd);
    }
    share::placed(&requests, &widths, width, GAP)
}

/// Heads and the visible rows; the list scrolls so that row `at` is seen.
pub struct Table<'a, F> {
    pub columns: &'a [TableColumn],
    pub count: usize,
    pub at: usize,
    /// Rows that just changed: they are highlighted.
    pub changed: Vec<usize>,
    /// Makes the words of a row and column.
    pub cell: F,
}

impl<F: Fn(usize, usize) -> (String, Role)> StatefulWidget for Table<'_, F> {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let Table { columns, count, at, changed, cell } = self;
        if area.height < 2 || area.width <= SIGNS + EDGE {
            return;
        }
        let placed = placed(columns, &needs(columns, count, &cell), area.width - SIGNS - EDGE);
        let put = |buf: &mut Buffer, cx: &mut ViewContext, place: &Placed, y: u16, words: &str, role: Role| {
            let x = area.x + SIGNS + place.x;
            if columns[place.column].width == ColumnWidth::Number {
                cx.put_right(buf, x + place.width, y, place.width, words, role);
            } else {
                cx.put(buf, x, y, place.width, words, role);
            }
        };
        for place in &placed {
            put(buf, cx, place, area.y, columns[place.column].head, Role::Head);
        }
        let height = usize::from(area.height - 1);
        let at = at.min(count.saturating_sub(1));
        let top = if at < height { 0 } else { (at + 1 - (height / 2).max(1)).min(count.saturating_sub(height)) };
        for (line, row) in (top..count.min(top + height)).enumerate() {
            let y = area.y + 1 + line as u16;
            for place in &placed {
                let (words, role) = cell(row, place.column);
                put(buf, cx, place, y, &words, role);
            }
            if changed.contains(&row) {
                cx.restyle(buf, Rect { y, height: 1, ..area }, Role::Changed);
            }
            if row == at {
                cx.row = Some(Rect { y, height: 1, ..area });
                cx.put(buf, area.x, y, 1, "▌", Role::Focus);
                cx.restyle(buf, Rect { y, height: 1, ..area }, Role::Row);
                if let Some(place) = placed.iter().find(|place| !columns[place.column].head.is_empty()) {
                    cx.mark_cell(buf, Rect::new(area.x + SIGNS + place.x, y, place.width, 1));
                }
            }
            cx.target(Rect { y, height: 1, ..area }, Target::Row(row as u64));
        }
    }
}

/// The rows that may be visible around row `at`.
pub fn around(at: usize, height: u16, count: usize) -> Range<usize> {
    let height = usize::from(height);
    at.saturating_sub(height)..count.min(at + height)
}

/// Lines of half a screen and of a whole one, where the height is not known.
pub const STEPS: [usize; 2] = [10, 10];

/// The place after a movement in a list of `count` lines. `half` and `page` are the lines of half a screen and of a whole one.
pub fn moved(at: usize, list: List, times: Option<u64>, count: usize, [half, page]: [usize; 2]) -> usize {
    let last = count.saturating_sub(1);
    let step = usize::try_from(times.unwrap_or(1)).unwrap_or(usize::MAX).saturating_mul(match list {
        List::HalfDown | List::HalfUp => half,
        List::PageDown | List::PageUp => page,
        _ => 1,
    });
    match list {
        List::Down | List::HalfDown | List::PageDown => at.saturating_add(step).min(last),
        List::Up | List::HalfUp | List::PageUp => at.min(last).saturating_sub(step),
        List::Top => 0,
        List::Last => times.map_or(last, |row| usize::try_from(row).unwrap_or(usize::MAX).saturating_sub(1)).min(last),
        _ => at.min(last),
    }
}

/// `12 of 340`, for the border below a list. Nothing for an empty one.
pub fn position(at: usize, count: usize) -> String {
    let words = |last: usize| format!("{} of {}", grouped(at.min(last) as u64 + 1), grouped(count as u64));
    count.checked_sub(1).map_or(String::new(), words)
}

/// What stands where nothing can be listed: a headline, a sentence, and last the key that helps.
pub fn empty(all: &[&str], area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let roles = std::iter::once(Role::Strong).chain(std::iter::repeat(Role::Dim));
    instead(all.iter().zip(roles), area, buf, cx);
}

/// The same with a look for each sentence: centered, around the end of the upper third.
pub fn instead(all: impl Iterator<Item = (impl AsRef<str>, Role)>, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let columns = usize::from(area.width.saturating_sub(4).min(64));
    let mut lines = Vec::new();
    for (words, role) in all {
        lines.extend((!lines.is_empty() && area.height >= AIRY).then(Vec::new));
        lines.extend(cx.keyed(words.as_ref(), role, columns));
    }
    let top = (area.height / 3).saturating_sub(lines.len() as u16 / 2);
    cx.centered(buf, Rect { y: area.y + top, height: area.height - top, ..area }, &lines);
}

/// From this height on an empty line stands between two sentences.
const AIRY: u16 = 12;

/// Draws the lines that stand below a list, `indent` from its edge. Returns what is left above.
pub fn foot(buf: &mut Buffer, cx: &mut ViewContext, area: Rect, indent: u16, lines: &[(String, Role)]) -> Rect {
    let list = Rect { height: area.height.saturating_sub(lines.len() as u16), ..area };
    let place = Rect { x: area.x + indent, width: area.width.saturating_sub(indent + 1), ..area };
    cx.lines(buf, place, list.bottom(), lines);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [TableColumn; 3] = [
        TableColumn::new("NAME", 8, 9, ColumnWidth::Fixed),
        TableColumn::new("FILTERS", 10, 1, ColumnWidth::Rest),
        TableColumn::new("TOTAL", 6, 5, ColumnWidth::Number),
    ];

    fn share(columns: &[TableColumn], rows: &[&[&'static str]], width: u16) -> Vec<(usize, u16, u16)> {
        let needs = needs(columns, rows.len(), |row, at| (rows[row][at].to_owned(), Role::Text));
        placed(columns, &needs, width).iter().map(|place| (place.column, place.x, place.width)).collect()
    }

    #[test]
    fn columns_go_by_rank_and_one_takes_the_rest() {
        assert_eq!(share(&COLUMNS, &[], 40), [(0, 0, 8), (1, 10, 22), (2, 34, 6)]);
        assert_eq!(share(&COLUMNS, &[], 20), [(0, 0, 8), (2, 10, 6)]);
        assert_eq!(share(&COLUMNS, &[], 5), [(0, 0, 5)]);
    }

    #[test]
    fn columns_are_as_wide_as_their_values_and_what_was_paid_for_is_whole() {
        let columns = [
            TableColumn::new("Name", 8, 9, ColumnWidth::Values),
            TableColumn::new("Title", 10, 1, ColumnWidth::Values),
            TableColumn::new("Email", 6, 8, ColumnWidth::Whole),
            TableColumn::new("Tags", 8, 2, ColumnWidth::Values),
        ];
        let rows: [&[&'static str]; 2] =
            [&["Ann", "Chief Nursing Officer", "ann@lakeside.example", ""], &["Bo", "Nurse", "bo@elm.example", ""]];
        assert_eq!(share(&columns, &rows, 90), [(0, 0, 4), (1, 6, 21), (2, 29, 20), (3, 51, 4)]);
        assert_eq!(share(&columns, &rows, 50), [(0, 0, 4), (1, 6, 21), (2, 29, 20)], "nothing is cut for an empty one");
        assert_eq!(share(&columns, &rows, 32), [(0, 0, 4), (2, 6, 20)], "title goes first");
        assert_eq!(share(&columns, &rows, 29), [(0, 0, 4), (2, 6, 20)]);
    }

    #[test]
    fn movements_stay_in_the_list() {
        assert_eq!(moved(0, List::Up, None, 5, STEPS), 0);
        assert_eq!(moved(3, List::Down, Some(9), 5, STEPS), 4);
        assert_eq!(moved(0, List::Last, None, 0, STEPS), 0);
        assert_eq!(moved(0, List::Last, Some(3), 5, STEPS), 2);
        assert_eq!(moved(9, List::Up, None, 5, STEPS), 3);
    }
}
