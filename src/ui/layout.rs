//! Where things stand at each size. Pure arithmetic on rectangles, used by the views and by the updates that need to know
//! how many rows are visible.
//!
//! As the width falls, the contact pane goes first (under 120), then the filter pane (under 96); both then open over the
//! grid. As the height falls, the tabs and the line for messages go.

use ratatui::layout::Rect;

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

/// Lines that are there only while there is something to say on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub job: bool,
    pub tour: bool,
}

/// None when the screen is too small for anything.
pub fn shell(area: Rect, lines: Lines) -> Option<Shell> {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return None;
    }
    let line = |y: u16| Rect::new(area.x, y, area.width, 1);
    let mut top = area.y;
    let header = line(top);
    top += 1;
    let tabs = (area.height >= 16).then(|| line(top));
    top += u16::from(tabs.is_some());
    let mut bottom = area.bottom() - 1;
    let footer = line(bottom);
    let notice = (area.height >= 20).then(|| line(bottom - 1));
    bottom -= u16::from(notice.is_some());
    let job = (lines.job && area.height >= 14).then(|| line(bottom - 1));
    bottom -= u16::from(job.is_some());
    let tour = (lines.tour && area.height >= 16).then(|| line(bottom - 1));
    bottom -= u16::from(tour.is_some());
    let body = Rect::new(area.x, top, area.width, bottom - top);
    Some(Shell { header, tabs, body, tour, job, notice, footer })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Beside the grid; None where it opens over it.
    pub filters: Option<Rect>,
    pub results: Rect,
    pub contact: Option<Rect>,
    /// Where they stand when they open over the grid.
    pub filters_over: Rect,
    pub contact_over: Rect,
}

const FILTERS_WIDTH: u16 = 34;

/// Full from 160 columns on, less below: the grid keeps room for a company beside the name.
fn contact_width(body: Rect) -> u16 {
    (body.width / 5 + 6).clamp(32, 38)
}

pub fn search(body: Rect, panes: bool) -> Search {
    let filters = (panes && body.width >= 96).then_some(Rect { width: FILTERS_WIDTH, ..body });
    let contact = (panes && body.width >= 120).then(|| {
        let width = contact_width(body);
        Rect { x: body.right() - width, width, ..body }
    });
    let left = filters.map_or(body.x, |area| area.right());
    let right = contact.map_or(body.right(), |area| area.x);
    let results = Rect { x: left, width: right - left, ..body };
    let over = body.width.min(44);
    Search {
        filters,
        results,
        contact,
        filters_over: Rect { width: over, ..body },
        contact_over: Rect { x: body.right() - over, width: over, ..body },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub words: Option<Rect>,
    pub heads: Rect,
    pub rows: Rect,
    pub legend: Option<Rect>,
}

/// The inside of the result pane.
pub fn grid(inside: Rect) -> Grid {
    let words = inside.height >= 6;
    let legend = inside.height >= 14 && inside.width >= 50;
    let line = |y: u16| Rect { y, height: 1, ..inside };
    let heads_y = inside.y + u16::from(words);
    let top = (heads_y + 1).min(inside.bottom());
    let bottom = inside.bottom() - u16::from(legend);
    Grid {
        words: words.then(|| line(inside.y)),
        heads: Rect { height: inside.height.min(1), ..line(heads_y.min(inside.bottom())) },
        rows: Rect { y: top, height: bottom.saturating_sub(top), ..inside },
        legend: legend.then(|| line(inside.bottom() - 1)),
    }
}

/// What is inside a box.
pub fn inside(area: Rect) -> Rect {
    if area.width < 2 || area.height < 2 {
        return Rect::new(area.x, area.y, 0, 0);
    }
    Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
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
                    let Some(shell) = shell(area, Lines { job: on, tour: on }) else {
                        assert!(width < LEAST.0 || height < LEAST.1);
                        continue;
                    };
                    for panes in [false, true] {
                        let search = search(shell.body, panes);
                        let grid = grid(inside(search.results));
                        let parts =
                            [Some(shell.header), shell.tabs, shell.tour, shell.job, shell.notice, Some(shell.footer)]
                                .into_iter()
                                .chain([search.filters, Some(search.results), search.contact])
                                .chain([Some(search.filters_over), Some(search.contact_over)])
                                .chain([grid.words, Some(grid.heads), Some(grid.rows), grid.legend]);
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
    fn panes_give_way_in_their_order() {
        let wide = search(Rect::new(0, 0, 160, 40), true);
        assert!(wide.filters.is_some() && wide.contact.is_some());
        let middle = search(Rect::new(0, 0, 119, 40), true);
        assert!(middle.filters.is_some() && middle.contact.is_none());
        let narrow = search(Rect::new(0, 0, 95, 40), true);
        assert!(narrow.filters.is_none() && narrow.contact.is_none());
    }
}
