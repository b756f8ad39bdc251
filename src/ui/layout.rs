//! Where things stand at each size. Pure arithmetic on rectangles, used by the views and by the updates that need to know
//! how many rows are visible.
//!
//! Data gets the width: panes give way before columns do. From 240 columns on the contact stands beside the grid, below that
//! as a strip under it; the filters stand beside the grid from 120 on, below that they open over it. As the height falls,
//! the strip, the tabs and the line for messages go.

use ratatui::layout::Rect;

use crate::widgets::pane::inside;

/// The smallest screen on which something useful can be shown.
pub const LEAST: (u16, u16) = (40, 10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shell {
    pub header: Rect,
    pub tabs: Option<Rect>,
    pub body: Rect,
    pub tour: Option<Rect>,
    pub job: Option<Rect>,
    /// None where a message takes the place of the footer.
    pub notice: Option<Rect>,
    pub footer: Rect,
}

/// Takes out of what is shown what matters least, until the rest fits.
pub fn fit<T>(all: &mut Vec<T>, rank: impl Fn(&T) -> u8, fits: impl Fn(&[T]) -> bool) {
    while !fits(all) {
        let Some((goes, _)) = all.iter().enumerate().min_by_key(|(_, one)| rank(one)) else { return };
        all.remove(goes);
    }
}

/// Lines that are there only while there is something to say on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalLines {
    pub job: bool,
    pub tour: bool,
}

/// None when the screen is too small for anything.
pub fn shell(area: Rect, lines: OptionalLines) -> Option<Shell> {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return None;
    }
    let line = |y: u16| Rect::new(area.x, y, area.width, 1);
    let mut top = area.y;
    let header = line(top);
    top += 1;
    let tabs = (area.height >= 16).then(|| line(top));
    top += u16::from(tabs.is_some());
    let footer = line(area.bottom() - 1);
    let mut bottom = footer.y;
    let mut above = |is_there: bool| {
        bottom -= u16::from(is_there);
        is_there.then(|| line(bottom))
    };
    let notice = above(area.height >= 20);
    let job = above(lines.job && area.height >= 14);
    let tour = above(lines.tour && area.height >= 16);
    let body = Rect::new(area.x, top, area.width, bottom - top);
    Some(Shell { header, tabs, body, tour, job, notice, footer })
}

/// Which panes are wanted around the grid, where there is room for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Panes {
    #[default]
    All,
    Contact,
    Grid,
}

impl Panes {
    pub const ALL: [(&str, Panes); 3] = [("all", Panes::All), ("contact", Panes::Contact), ("grid", Panes::Grid)];

    pub fn name(self) -> &'static str {
        Panes::ALL.iter().find(|(_, panes)| *panes == self).map_or("all", |(name, _)| name)
    }

    pub fn named(name: &str) -> Option<Panes> {
        Panes::ALL.iter().find(|(known, _)| *known == name).map(|(_, panes)| *panes)
    }

    pub fn next(self) -> Panes {
        Panes::ALL[(self as usize + 1) % Panes::ALL.len()].1
    }
}

/// Widths that are laid out alike.
pub const CLASSES: usize = 4;

const STRIP_FROM: u16 = 80;
const FILTERS_FROM: u16 = 120;
const CONTACT_FROM: u16 = 240;

/// The class of a width, from narrow to wide.
pub fn class(width: u16) -> usize {
    [STRIP_FROM, FILTERS_FROM, CONTACT_FROM].iter().filter(|from| width >= **from).count()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLayout {
    /// Beside the grid; None where it opens over it.
    pub filters: Option<Rect>,
    pub results: Rect,
    /// Beside the grid; None where it is a strip under it or opens over it.
    pub contact: Option<Rect>,
    pub grid: Grid,
    /// Where they stand when they open over the grid.
    pub filters_over: Rect,
    pub contact_over: Rect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The search that ran, as chips.
    pub words: Option<Rect>,
    pub heads: Rect,
    pub rows: Rect,
    /// Lines of the contact; the line above them is a border.
    pub strip: Option<Rect>,
}

/// The strip leaves at least so many rows.
const ROWS_KEPT: u16 = 8;

/// From this height of the body on (40 lines of the terminal) the strip has all its lines.
const TALL: u16 = 36;

pub fn search(body: Rect, panes: Panes) -> SearchLayout {
    let wide = body.width >= CONTACT_FROM;
    let filters = (panes == Panes::All && body.width >= FILTERS_FROM)
        .then_some(Rect { width: if wide { 28 } else { 26 }, ..body });
    let contact = (panes != Panes::Grid && wide).then(|| Rect { x: body.right() - 44, width: 44, ..body });
    let left = filters.map_or(body.x, |area| area.right());
    let right = contact.map_or(body.right(), |area| area.x);
    let results = Rect { x: left, width: right - left, ..body };
    let strip = (panes != Panes::Grid && contact.is_none() && body.width >= STRIP_FROM)
        .then_some(if body.width >= FILTERS_FROM && body.height >= TALL { 6 } else { 3 });
    let over = body.width.min(44);
    SearchLayout {
        filters,
        results,
        contact,
        grid: grid(inside(results), strip),
        filters_over: Rect { width: over, ..body },
        contact_over: Rect { x: body.right() - over, width: over, ..body },
    }
}

/// The inside of the result pane.
fn grid(inside: Rect, strip: Option<u16>) -> Grid {
    let words = inside.height >= 6;
    let line = |y: u16| Rect { y, height: 1, ..inside };
    let heads_y = inside.y + u16::from(words);
    let top = (heads_y + 1).min(inside.bottom());
    let room = inside.bottom() - top;
    let strip = strip.into_iter().flat_map(|lines| [lines, 3]).find(|lines| room >= ROWS_KEPT + 1 + lines);
    let bottom = inside.bottom() - strip.map_or(0, |lines| lines + 1);
    Grid {
        words: words.then(|| line(inside.y)),
        heads: Rect { height: inside.height.min(1), ..line(heads_y.min(inside.bottom())) },
        rows: Rect { y: top, height: bottom.saturating_sub(top), ..inside },
        strip: strip.map(|lines| Rect { y: bottom + 1, height: lines, ..inside }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stays_on_the_screen_at_every_size() {
        for width in 1..=300u16 {
            for height in 1..=90u16 {
                let area = Rect::new(0, 0, width, height);
                for on in [false, true] {
                    let Some(shell) = shell(area, OptionalLines { job: on, tour: on }) else {
                        assert!(width < LEAST.0 || height < LEAST.1);
                        continue;
                    };
                    for (_, panes) in Panes::ALL {
                        let search = search(shell.body, panes);
                        let grid = search.grid;
                        let parts =
                            [Some(shell.header), shell.tabs, shell.tour, shell.job, shell.notice, Some(shell.footer)]
                                .into_iter()
                                .chain([search.filters, Some(search.results), search.contact])
                                .chain([Some(search.filters_over), Some(search.contact_over)])
                                .chain([grid.words, Some(grid.heads), Some(grid.rows), grid.strip]);
                        for part in parts.flatten() {
                            assert_eq!(part.intersection(area), part, "{width}x{height}");
                        }
                        assert!(grid.rows.height > 0, "{width}x{height}");
                    }
                }
            }
        }
    }

    #[test]
    fn panes_give_way_before_columns_do() {
        let at = |width, height| search(Rect::new(0, 0, width, height), Panes::All);
        let widths = |search: SearchLayout| {
            (search.filters.map(|area| area.width), inside(search.results).width, search.contact.map(|area| area.width))
        };
        assert_eq!(widths(at(240, 50)), (Some(28), 166, Some(44)));
        assert_eq!(widths(at(239, 50)), (Some(26), 211, None));
        assert_eq!(widths(at(160, 44)), (Some(26), 132, None));
        assert_eq!(widths(at(120, 32)), (Some(26), 92, None));
        assert_eq!(widths(at(119, 32)), (None, 117, None));
        assert_eq!(widths(at(80, 20)), (None, 78, None));
        let strip = |width, height| at(width, height).grid.strip.map(|area| area.height);
        assert_eq!(strip(240, 50), None);
        assert_eq!(strip(160, 44), Some(6));
        assert_eq!(strip(160, 35), Some(3));
        assert_eq!(strip(119, 44), Some(3));
        assert_eq!(strip(79, 44), None);
    }

    #[test]
    fn the_strip_leaves_eight_rows() {
        for height in 1..=60 {
            let grid = search(Rect::new(0, 0, 100, height), Panes::All).grid;
            assert!(grid.strip.is_none() || grid.rows.height >= ROWS_KEPT, "{height}");
        }
        assert!(search(Rect::new(0, 0, 100, 17), Panes::All).grid.strip.is_some());
    }

    #[test]
    fn walking_through_the_panes_comes_round() {
        assert_eq!(Panes::ALL.map(|(_, panes)| panes.next()), [Panes::Contact, Panes::Grid, Panes::All]);
        assert_eq!([60, 80, 120, 240].map(class), [0, 1, 2, 3]);
    }
}
