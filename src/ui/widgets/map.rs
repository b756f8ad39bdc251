//! The states as tiles, roughly where they lie: code above, rounded count below, shaded by share.

use std::sync::LazyLock;

use ratatui::text::Text;

use super::prelude::*;
use lode_assets::TILES;

/// A tile has at least this size, and grows with the space up to the other.
const LEAST: (u16, u16) = (5, 2);
const MOST: (u16, u16) = (9, 4);

/// Columns and rows that the smallest map needs.
pub const SIZE: (u16, u16) = ((LEAST.0 + 1) * COLUMNS + 1, LEAST.1 * ROWS);
const COLUMNS: u16 = 11;
const ROWS: u16 = 8;

/// The tiles of a map in an area.
#[derive(Clone, Copy, Debug)]
pub struct TileGrid {
    area: Rect,
    tile: (u16, u16),
    /// From the top of a tile to the next one: with a line between them where there is room.
    down: u16,
}

impl TileGrid {
    pub fn of(area: Rect) -> TileGrid {
        let fit = |space: u16, count: u16, least: u16, most: u16| (space / count).clamp(least, most);
        let wide = fit(area.width.saturating_sub(1), COLUMNS, LEAST.0 + 1, MOST.0 + 1) - 1;
        // A tile is about twice as wide as high, as a cell is twice as high as wide.
        let high = fit(area.height, ROWS, LEAST.1, MOST.1).min(wide / 2);
        let down = if area.height >= ROWS * (high + 1) { high + 1 } else { high };
        let area = Rect { width: ((wide + 1) * COLUMNS + 1).min(area.width), ..area };
        TileGrid { area, tile: (wide, high), down }
    }

    /// The columns and rows that the map takes.
    pub fn size(self) -> (u16, u16) {
        (self.area.width, (self.down * ROWS).min(self.area.height))
    }

    /// Where the tile of a column and a row is.
    pub fn tile(self, column: u16, row: u16) -> Rect {
        let (x, y) = (self.area.x + 1 + column * (self.tile.0 + 1), self.area.y + row * self.down);
        Rect::new(x, y, self.tile.0, self.tile.1)
    }
}

/// Each state with its column and row.
static PLACES: LazyLock<Vec<(&str, u16, u16)>> = LazyLock::new(|| {
    let lines = TILES.lines().zip(0..);
    let all = lines.flat_map(|(line, y)| line.split(' ').zip(0..).map(move |(code, x)| (code, x, y)));
    all.filter(|(code, ..)| *code != "..").collect()
});

/// What a tile shows, and what a click on it means.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    pub target: Target,
    pub count: u64,
    /// A step of the ramp, from 0.
    pub level: u8,
    pub marked: bool,
}

/// From little to the most.
pub const RAMP: [Role; 6] = [Role::Shade1, Role::Shade2, Role::Shade3, Role::Shade4, Role::Shade5, Role::Shade6];

/// `7`, `940`, `12k`, `1.2M`, `80M`: never more than four cells.
pub fn rounded(count: u64) -> String {
    let near = |unit: u64| count.saturating_add(unit / 2) / unit;
    let scaled = |unit: u64, letter: char| match near(unit / 10) {
        tenths @ 0..100 => format!("{}.{}{letter}", tenths / 10, tenths % 10),
        _ => format!("{}{letter}", near(unit)),
    };
    // What rounds up to a thousand of a unit is one of the next.
    match count {
        0..1_000 => count.to_string(),
        1_000..999_500 => scaled(1_000, 'k'),
        999_500..999_500_000 => scaled(1_000_000, 'M'),
        _ => scaled(1_000_000_000, 'G'),
    }
}

/// The map. A state of which nothing is known has no count.
pub struct TileMap<'a, F> {
    pub at: &'a str,
    pub tile: F,
}

impl<F: Fn(&str) -> Option<Tile>> StatefulWidget for TileMap<'_, F> {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let grid = TileGrid::of(area);
        for (code, x, y) in PLACES.iter().copied() {
            let whole = grid.tile(x, y);
            if whole.right() > area.right() || whole.bottom() > area.bottom() {
                continue;
            }
            let tile = (self.tile)(code);
            let (count, role, marked) = match tile {
                Some(tile) => (rounded(tile.count), RAMP[usize::from(tile.level).min(RAMP.len() - 1)], tile.marked),
                None => (String::new(), Role::Disabled, false),
            };
            let sign = if marked { "●" } else { " " };
            let (aside, above) = ((whole.width - LEAST.0) / 2, (whole.height - LEAST.1) / 2);
            let middle = Rect { x: whole.x + aside, y: whole.y + above, ..whole }.intersection(whole);
            buf.set_style(whole, cx.style(role));
            Text::raw(format!(" {code}{sign}\n{count:>5}")).render(middle, buf);
            if code == self.at {
                for row in whole.rows() {
                    cx.put(buf, row.x - 1, row.y, 1, "▌", Role::Focus);
                }
                cx.mark_cell(buf, whole);
            }
            if let Some(tile) = tile {
                cx.target(whole, tile.target);
            }
        }
    }
}

/// The next tile in a direction: the nearest one there, straight ahead before aside.
pub fn neighbor(at: &str, list: List) -> Option<&'static str> {
    let (_, x, y) = PLACES.iter().copied().find(|(code, ..)| *code == at)?;
    let reach = |(code, column, row): (&'static str, u16, u16)| {
        let (dx, dy) = (i32::from(column) - i32::from(x), i32::from(row) - i32::from(y));
        let (ahead, aside) = match list {
            List::Left => (-dx, dy * 40),
            List::Right => (dx, dy * 40),
            List::Up => (-dy, dx),
            List::Down => (dy, dx),
            _ => return None,
        };
        // Up and down go to the next row first; left and right stay in theirs where they can.
        let far = if matches!(list, List::Up | List::Down) { ahead * 100 + aside.abs() } else { ahead + aside.abs() };
        (ahead > 0).then_some((far, code))
    };
    PLACES.iter().copied().filter_map(reach).min().map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lode_core::codes as names;

    #[test]
    fn every_state_has_one_tile() {
        let tiles: Vec<&str> = PLACES.iter().map(|place| place.0).collect();
        let set: BTreeSet<&str> = tiles.iter().copied().collect();
        assert_eq!(tiles.len(), set.len());
        let states: BTreeSet<&str> = names::states().map(|(code, _)| code).collect();
        assert_eq!(set, states, "each with a name");
    }

    #[test]
    fn counts_fit_a_tile() {
        let all = [0, 999, 1_000, 9_999, 12_345, 999_999, 1_234_567, 80_013_442, 999_999_999, 7_000_000_000];
        let words = all.map(rounded);
        assert_eq!(words, ["0", "999", "1.0k", "10k", "12k", "1.0M", "1.2M", "80M", "1.0G", "7.0G"]);
    }

    #[test]
    fn every_tile_can_be_reached() {
        let mut seen = BTreeSet::from(["TX"]);
        let mut open = vec!["TX"];
        while let Some(code) = open.pop() {
            for list in [List::Left, List::Right, List::Up, List::Down] {
                if let Some(next) = neighbor(code, list)
                    && seen.insert(next)
                {
                    open.push(next);
                }
            }
        }
        assert_eq!(seen.len(), PLACES.len());
        assert_eq!(neighbor("TX", List::Right), Some("FL"));
        assert_eq!(neighbor("TX", List::Up), Some("OK"));
        assert_eq!(neighbor("ME", List::Right), None);
    }
}
