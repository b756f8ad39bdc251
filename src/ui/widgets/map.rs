//! The states as tiles, roughly where they lie: code and a digit, shaded by share.

use std::sync::LazyLock;

use ratatui::layout::Rect;

use crate::keys::command::List;
use crate::ui::theme::Role;

use super::canvas::{Canvas, Target};

/// The tiles as they stand on the screen; what is right of column 54 in the lower rows is free for words.
const TILES: [&str; 6] = [
    "  WA                          ND      MN                           VT  ME",
    "  OR  ID  MT  WY      SD  WI  MI          NY  NH",
    "  CA  NV  UT  CO  NE  IA  IL  IN  OH  PA  NJ  MA",
    "      AZ  NM  KS  MO  KY  WV  VA  MD  CT  RI",
    "  AK      TX  OK  AR  TN  NC  SC  DC  DE",
    "  HI          LA  MS  AL  GA  FL",
];

/// Columns and rows that the map needs.
pub const SIZE: (u16, u16) = (74, 6);
/// Where the words beside the map begin.
pub const BESIDE: u16 = 54;

struct Place {
    code: &'static str,
    x: u16,
    y: u16,
}

static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let mut places = Vec::new();
    for (y, line) in TILES.iter().enumerate() {
        let mut x = 0;
        while x + 1 < line.len() {
            match line.get(x..x + 2) {
                Some(code) if !code.contains(' ') => {
                    places.push(Place { code, x: x as u16, y: y as u16 });
                    x += 2;
                }
                _ => x += 1,
            }
        }
    }
    places
});

/// The codes that have a tile.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PLACES.iter().map(|place| place.code)
}

/// What a tile shows.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// 0 to 9.
    pub level: u8,
    pub marked: bool,
}

/// The shade of a level: the digit says the same.
pub fn shade(level: u8) -> Role {
    match level {
        0 => Role::Dim,
        1 => Role::Shade1,
        2..=3 => Role::Shade2,
        4..=6 => Role::Shade3,
        _ => Role::Shade4,
    }
}

/// Draws the map. A state of which nothing is known has no digit. `target` is what a click on it means.
pub fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    at: &str,
    tile: impl Fn(&str) -> Option<Tile>,
    target: impl Fn(&str) -> Option<Target>,
) {
    for place in PLACES.iter() {
        let (x, y) = (area.x + place.x, area.y + place.y);
        if x + 3 > area.right() || y >= area.bottom() {
            continue;
        }
        let (sign, role) = match tile(place.code) {
            Some(Tile { marked: true, .. }) => ("●".to_owned(), Role::Staged),
            Some(Tile { level, .. }) => (level.to_string(), shade(level)),
            None => (" ".to_owned(), Role::Disabled),
        };
        let here = place.code == at;
        if here {
            canvas.put(x - 1, y, 1, "▸", Role::Focus);
        }
        canvas.put(x, y, 2, place.code, if here { Role::Cursor } else { role });
        canvas.put(x + 2, y, 1, &sign, role);
        if let Some(target) = target(place.code) {
            canvas.target(Rect::new(x, y, 3, 1), target);
        }
    }
}

/// The next tile in a direction: the nearest one there, straight ahead before aside.
pub fn neighbour(at: &str, list: List) -> Option<&'static str> {
    let here = PLACES.iter().find(|place| place.code == at)?;
    let (x, y) = (i32::from(here.x), i32::from(here.y));
    let reach = |place: &&Place| {
        let (dx, dy) = (i32::from(place.x) - x, i32::from(place.y) - y);
        let (ahead, aside) = match list {
            List::Left => (-dx, dy * 40),
            List::Right => (dx, dy * 40),
            List::Up => (-dy, dx),
            List::Down => (dy, dx),
            _ => return None,
        };
        // Up and down go to the next row first; left and right stay in theirs where they can.
        let far = if matches!(list, List::Up | List::Down) { ahead * 100 + aside.abs() } else { ahead + aside.abs() };
        (ahead > 0).then_some(far)
    };
    PLACES.iter().filter_map(|place| reach(&place).map(|far| (far, place.code))).min().map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::codes as names;

    #[test]
    fn every_state_has_one_tile() {
        let tiles: Vec<&str> = codes().collect();
        let set: BTreeSet<&str> = tiles.iter().copied().collect();
        assert_eq!(tiles.len(), set.len());
        let states: BTreeSet<&str> = names::states().map(|(code, _)| code).collect();
        assert_eq!(set, states, "each with a name");
    }

    #[test]
    fn every_tile_can_be_reached() {
        let mut seen = BTreeSet::from(["TX"]);
        let mut open = vec!["TX"];
        while let Some(code) = open.pop() {
            for list in [List::Left, List::Right, List::Up, List::Down] {
                if let Some(next) = neighbour(code, list)
                    && seen.insert(next)
                {
                    open.push(next);
                }
            }
        }
        assert_eq!(seen.len(), codes().count());
        assert_eq!(neighbour("TX", List::Right), Some("OK"));
        assert_eq!(neighbour("TX", List::Up), Some("NM"));
        assert_eq!(neighbour("ME", List::Right), None);
    }
}
