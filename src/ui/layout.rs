//! Where things stand at each size. Pure arithmetic on rectangles, used by the views and by the updates that need to know
//! how many rows are visible.
//!
//! Data gets the width: panes give way before columns do. From 180 columns on the filters and the contact stand beside the grid, from
//! 120 on the contact alone, from 80 on as a strip under it; what does not stand beside the grid opens over it. As the height falls, the
//! strip and the lines of the status go.

use ratatui::layout::{Margin, Rect};
use strum::{Display, EnumString, VariantArray};

/// The smallest screen on which something useful can be shown.
pub const LEAST: (u16, u16) = (40, 10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shell {
    pub header: Rect,
    pub body: Rect,
    pub tour: Option<Rect>,
    pub job: Option<Rect>,
    /// None where there is no message, or where it takes the place of the footer.
    pub notice: Option<Rect>,
    pub footer: Rect,
}

/// Lines that are there only while there is something to say on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalLines {
    pub job: bool,
    pub tour: bool,
    pub notice: bool,
}

/// None when the screen is too small for anything.
pub fn shell(area: Rect, lines: OptionalLines) -> Option<Shell> {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return None;
    }
    let line = |y: u16| Rect::new(area.x, y, area.width, 1);
    let header = line(area.y);
    let footer = line(area.bottom() - 1);
    let mut bottom = footer.y;
    let mut above = |is_there: bool| {
        bottom -= u16::from(is_there);
        is_there.then(|| line(bottom))
    };
    let notice = above(lines.notice && area.height >= 16);
    let job = above(lines.job && area.height >= 14);
    let tour = above(lines.tour && area.height >= 16);
    let body = Rect { y: area.y + 1, height: bottom - area.y - 1, ..area };
    Some(Shell { header, body, tour, job, notice, footer })
}

/// Which panes are wanted around the grid, where there is room for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Panes {
    #[default]
    All,
    Contact,
    Grid,
}

impl Panes {
    pub fn next(self) -> Panes {
        Panes::VARIANTS[(self as usize + 1) % Panes::VARIANTS.len()]
    }
}

/// Widths that are laid out alike.
pub const CLASSES: usize = 4;

const STRIP_FROM: u16 = 80;
const CARD_FROM: u16 = 120;
const FILTERS_FROM: u16 = 180;

/// The class of a width, from narrow to wide.
pub fn class(width: u16) -> usize {
    [STRIP_FROM, CARD_FROM, FILTERS_FROM].iter().filter(|from| width >= **from).count()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLayout {
    /// The search that ran, as pills; the field of a filter opens there.
    pub pills: Option<Rect>,
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
    pub heads: Rect,
    pub rows: Rect,
    /// Lines of the contact; the line above them is a border.
    pub strip: Option<Rect>,
}

/// The strip leaves at least this many rows.
const ROWS_KEPT: u16 = 8;

/// Lines of the strip.
const STRIP: u16 = 3;

pub fn search(body: Rect, panes: Panes) -> SearchLayout {
    let pills = (body.height >= 6).then_some(Rect { height: 1, ..body });
    let lines = u16::from(pills.is_some());
    let body = Rect { y: body.y + lines, height: body.height - lines, ..body };
    let filters = (panes == Panes::All && body.width >= FILTERS_FROM).then_some(Rect { width: 28, ..body });
    // From 36 to 40, with the width.
    let card = if body.width >= FILTERS_FROM { 44 } else { 40.min(36 + body.width.saturating_sub(CARD_FROM) / 10) };
    let contact =
        (panes != Panes::Grid && body.width >= CARD_FROM).then(|| Rect { x: body.right() - card, width: card, ..body });
    let left = filters.map_or(body.x, |area| area.right());
    let right = contact.map_or(body.right(), |area| area.x);
    let results = Rect { x: left, width: right - left, ..body };
    let strip = panes != Panes::Grid && (STRIP_FROM..CARD_FROM).contains(&body.width);
    let over = body.width.min(44);
    SearchLayout {
        pills,
        filters,
        results,
        contact,
        grid: grid(results.inner(Margin::new(1, 1)), strip),
        filters_over: Rect { width: over, ..body },
        contact_over: Rect { x: body.right() - over, width: over, ..body },
    }
}

/// The inside of the result pane.
fn grid(inside: Rect, strip: bool) -> Grid {
    let heads = Rect { height: inside.height.min(1), ..inside };
    let top = heads.bottom();
    let strip = strip && inside.bottom() - top > ROWS_KEPT + STRIP;
    let bottom = inside.bottom() - if strip { STRIP + 1 } else { 0 };
    Grid {
        heads,
        rows: Rect { y: top, height: bottom.saturating_sub(top), ..inside },
        strip: strip.then_some(Rect { y: bottom + 1, height: STRIP, ..inside }),
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
                    let Some(shell) = shell(area, OptionalLines { job: on, tour: on, notice: on }) else {
                        assert!(width < LEAST.0 || height < LEAST.1);
                        continue;
                    };
                    for panes in Panes::VARIANTS.iter().copied() {
                        let search = search(shell.body, panes);
                        let grid = search.grid;
                        let parts = [Some(shell.header), shell.tour, shell.job, shell.notice, Some(shell.footer)]
                            .into_iter()
                            .chain([search.pills, search.filters, Some(search.results), search.contact])
                            .chain([Some(search.filters_over), Some(search.contact_over)])
                            .chain([Some(grid.heads), Some(grid.rows), grid.strip]);
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
            (
                search.filters.map(|area| area.width),
                search.results.inner(Margin::new(1, 1)).width,
                search.contact.map(|area| area.width),
            )
        };
        assert_eq!(widths(at(240, 50)), (Some(28), 166, Some(44)));
        assert_eq!(widths(at(180, 50)), (Some(28), 106, Some(44)));
        assert_eq!(widths(at(179, 50)), (None, 137, Some(40)));
        assert_eq!(widths(at(120, 32)), (None, 82, Some(36)));
        assert_eq!(widths(at(119, 32)), (None, 117, None));
        assert_eq!(widths(at(80, 20)), (None, 78, None));
        let strip = |width, height| at(width, height).grid.strip.map(|area| area.height);
        assert_eq!([strip(120, 50), strip(119, 44), strip(80, 44), strip(79, 44)], [None, Some(3), Some(3), None]);
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
        assert_eq!(
            [Panes::All, Panes::Contact, Panes::Grid].map(Panes::next),
            [Panes::Contact, Panes::Grid, Panes::All]
        );
        assert_eq!([60, 80, 120, 180].map(class), [0, 1, 2, 3]);
    }
}
