//! From the frame that is shown to the next one, in as few bytes as we can find.
//!
//! The painter remembers what every cell of the terminal shows, where its cursor is and how its pen writes. It moves the
//! cursor the shortest way, writes over small gaps instead of jumping them, erases runs of blanks, and where a part of the
//! frame is a list that moved by some rows it lets the terminal scroll. One frame is one write.
//!
//! What is shown is kept in cells of eight bytes, not the forty of ratatui's: most of the time of a key goes into memory that is cold.

use std::io::Write;
use std::mem;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};

use super::*;
use lode_core::{DrawnList, Frame, Link, cells, grapheme_width};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

const PLAIN: Pen = Pen { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

/// Writes the changes of a frame, and knows what the terminal will do with the next letter.
struct Hand {
    /// Unknown at first, and where terminals disagree about the width of what was written.
    at: Option<(u16, u16)>,
    pen: Option<Pen>,
    signs: Signs,
    /// What the terminal can do.
    features: Features,
    /// Columns that a tab leads to, once the terminal has proved it.
    stops: Vec<u16>,
    /// Those that were set last, and where the cursor is if the first one works.
    set: Vec<u16>,
    asked: Option<Position>,
    /// It did not work.
    has_no_stops: bool,
    /// The changes as bytes, as parts of rows, and as the runs that these are cut into, in buffers that are kept so that no frame allocates.
    out: Vec<u8>,
    spans: Vec<Span>,
    runs: Vec<Run>,
}

/// A row and columns of it.
type Span = (u16, Range<usize>);

/// Changed cells of a row that are written one after the other, and the place of their pen among the known ones.
struct Run {
    y: u16,
    cells: Range<usize>,
    pen: usize,
}

pub struct Painter {
    shown: Grid,
    /// The frame to be shown. Between two frames it is the one that is shown.
    next: Grid,
    shown_links: Vec<Link>,
    title: String,
    hand: Hand,
    cursor: Option<Position>,
    /// Where the list is in the frame that is shown.
    list: Option<DrawnList>,
    /// Nothing is known of the screen: the next frame is drawn whole.
    blank: bool,
    /// All that is written, in a buffer that is kept.
    out: Vec<u8>,
}

/// Frames below this size come through in one piece anyway: one write, one packet.
const SYNCHRONIZED_FROM: usize = 1_024;

impl Painter {
    pub fn new(depth: Depth) -> Painter {
        Painter {
            shown: Grid::default(),
            next: Grid::default(),
            shown_links: Vec::new(),
            title: String::new(),
            hand: Hand {
                at: None,
                pen: None,
                signs: Signs { depth, pens: vec![(PLAIN, PLAIN)], joined: Vec::new(), has_wide: false },
                features: Features::default(),
                stops: Vec::new(),
                set: Vec::new(),
                asked: None,
                has_no_stops: false,
                out: Vec::with_capacity(16 * 1024),
                spans: Vec::with_capacity(256),
                runs: Vec::with_capacity(512),
            },
            cursor: None,
            list: None,
            blank: true,
            out: Vec::with_capacity(16 * 1024),
        }
    }

    /// Uses what the terminal can do from the next frame on.
    pub fn use_features(&mut self, features: Features) {
        self.hand.features = features;
    }

    /// The frame asks where its tab stops led.
    pub fn asks_of_tabs(&self) -> bool {
        self.hand.asked.is_some()
    }

    /// The terminal tells where the cursor was, counted from one.
    pub fn cursor_was_at(&mut self, row: u16, column: u16) {
        let hand = &mut self.hand;
        match hand.asked.take() {
            Some(first) if (first.y + 1, first.x + 1) == (row, column) => hand.stops.clone_from(&hand.set),
            Some(first) if first.y + 1 == row => hand.has_no_stops = true,
            // An answer to another question: the next frame asks again.
            Some(_) => hand.set.clear(),
            None => {}
        }
    }

    pub fn depth(&self) -> Depth {
        self.hand.signs.depth
    }

    /// Forgets what is on the screen: after a suspension, a resize or Ctrl-l.
    pub fn forget(&mut self) {
        self.blank = true;
    }

    /// Returns the bytes that bring a frame to the screen: none if the screen shows it already.
    pub fn paint(&mut self, next: &Buffer, frame: &Frame) -> &[u8] {
        self.out.clear();
        let hand = &mut self.hand;
        hand.out.clear();
        let (size, mut jumps) = (next.area.as_size(), false);
        let fresh = self.blank || self.shown.size != size || hand.signs.are_many();
        if fresh {
            (hand.at, hand.pen) = (None, Some(PLAIN));
            hand.stops.clear();
            hand.set.clear();
            (hand.asked, hand.has_no_stops) = (None, false);
            hand.out.extend_from_slice(b"\x1b[?25l\x1b[m\x1b[2J");
            self.cursor = None;
            hand.signs.forget();
            self.shown = Grid { size, cells: vec![BLANK; next.content.len()] };
            self.next = self.shown.clone();
            self.title.clear();
            self.shown_links.clear();
            self.blank = false;
        }
        if frame.title != self.title {
            self.title.clone_from(&frame.title);
            let _ = write!(hand.out, "\x1b]2;{}\x07", self.title);
        }
        let before = mem::replace(&mut self.list, frame.list);
        let scrolled = frame.list.filter(|_| hand.features.scroll && !fresh).and_then(|list| list.scrolled(before));
        let whole_rows = |area: Rect| Rect { x: 0, width: size.width, ..area };
        if let Some((moved, by)) = scrolled {
            hand.set_pen(PLAIN);
            // Without margins panes beside the list move with it, and are drawn again like any other difference.
            jumps = !hand.features.margins;
            if !jumps {
                let _ = write!(hand.out, "\x1b[?69h\x1b[{};{}s", moved.left() + 1, moved.right());
            }
            let _ = write!(hand.out, "\x1b[{};{}r", moved.top() + 1, moved.bottom());
            motion::step(&mut hand.out, by.unsigned_abs() as u16, if by > 0 { b'S' } else { b'T' });
            hand.out.extend_from_slice(if jumps { "\x1b[r" } else { "\x1b[?69l\x1b[r" }.as_bytes());
            self.shown.scroll(if jumps { whole_rows(moved) } else { moved }, by);
            self.next.scroll(moved, by);
            hand.at = Some((0, 0));
        }
        let all = || vec![0..size.width; usize::from(size.height)];
        let mut changes = frame.changes.clone().filter(|_| !fresh).unwrap_or_else(all);
        if let Some(((moved, by), DrawnList { area, .. })) = scrolled.zip(frame.list)
            && moved != area
        {
            // The cursor's line stayed, and the lines next to it are blank.
            let height = by.unsigned_abs() as u16 + 1;
            let y = if moved.top() > area.top() { area.top() } else { area.bottom() - height };
            cells::note_change(&mut changes, Rect { y, height, ..area });
        }
        let place = |list: DrawnList| (list.area, list.top);
        if let Some(list) = frame.list.filter(|list| scrolled.is_none() && before.map(place) != Some(place(*list))) {
            cells::note_change(&mut changes, list.area);
        }
        let links: &[Link] = if hand.features.links { &frame.links } else { &[] };
        // Letters that are no link any more are written again, also where they stay the same.
        for link in self.shown_links.iter().filter(|link| !links.contains(link)) {
            for grid in [&mut self.shown, &mut self.next] {
                grid.row_mut(link.area.y)[columns(link.area)].fill(UNKNOWN);
            }
            cells::note_change(&mut changes, link.area);
        }
        // What is beside the list moved too.
        let beside = scrolled.filter(|_| jumps).map_or(Rect::ZERO, |(moved, _)| moved);
        let mut spans = mem::take(&mut hand.spans);
        spans.clear();
        for (y, changed) in (0..size.height).zip(changes) {
            let (mut changed, list) = (usize::from(changed.start)..usize::from(changed.end), columns(beside));
            if !changed.is_empty() {
                let signs = &mut self.next.row_mut(y)[changed.clone()];
                let found = hand.signs.convert(&cells::row(next, y)[changed.clone()], signs);
                changed = changed.start + found.start..changed.start + found.end;
            }
            if (beside.top()..beside.bottom()).contains(&y) {
                changed = changed.start.max(list.start)..changed.end.min(list.end);
                let parts = [0..list.start, changed, list.end..size.width.into()];
                spans.extend(parts.into_iter().filter(|part| !part.is_empty()).map(|part| (y, part)));
            } else if !changed.is_empty() {
                spans.push((y, changed));
            }
        }
        let is_changed = |link: &&Link| {
            // Letters beside it may be written across it.
            let y = link.area.y;
            !self.shown_links.contains(link) || self.next.row(y) != self.shown.row(y)
        };
        let linked: Vec<&Link> = links.iter().filter(is_changed).collect();
        hand.frame(&mut self.shown, &self.next, &spans);
        hand.spans = spans;
        hand.set_stops(&frame.stops);
        linked.into_iter().for_each(|link| hand.link(&self.next, link));
        links.clone_into(&mut self.shown_links);
        if !self.hand.out.is_empty() || frame.cursor != self.cursor {
            self.wrap(frame.cursor, jumps);
        }
        &self.out
    }

    /// Writes the changes with what surrounds them: synchronized output and the cursor.
    fn wrap(&mut self, cursor: Option<Position>, jumps: bool) {
        // Beside a list that scrolls, panes would be seen to jump and come back.
        let synchronized = self.hand.features.sync && (jumps || self.hand.out.len() >= SYNCHRONIZED_FROM);
        if synchronized {
            self.out.extend_from_slice(b"\x1b[?2026h");
        }
        if self.cursor.is_some() && (cursor.is_none() || synchronized) {
            self.out.extend_from_slice(b"\x1b[?25l");
            self.cursor = None;
        }
        self.out.extend_from_slice(&self.hand.out);
        if let Some(to) = cursor {
            motion::go(&mut self.out, self.hand.at, (to.x, to.y), &self.hand.stops);
            self.hand.at = Some((to.x, to.y));
            if self.cursor.is_none() {
                self.out.extend_from_slice(b"\x1b[?25h");
            }
        }
        self.cursor = cursor;
        if synchronized {
            self.out.extend_from_slice(b"\x1b[?2026l");
        }
    }
}

/// A cell of the terminal: a letter, and the place of its style among the known ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sign {
    /// A character, or with [`JOINED`] the place of several joined ones. [`WIDE`] if it takes the next cell too.
    letter: u32,
    style: u32,
}

const WIDE: u32 = 1 << 30;
const JOINED: u32 = 1 << 31;
const SPACE: u32 = b' ' as u32;

const BLANK: Sign = Sign { letter: SPACE, style: 0 };

/// What no view draws: a cell of which nothing is known.
const UNKNOWN: Sign = Sign { letter: 1, style: 0 };

impl Sign {
    /// Returns the letter if it is a single byte.
    fn byte(self) -> Option<u8> {
        (self.letter < 0x80).then_some(self.letter as u8)
    }

    fn is_visible_byte(self) -> bool {
        self.letter < 0x80 && self.letter != SPACE
    }

    fn is_wide(self) -> bool {
        self.letter & WIDE != 0
    }

    /// Terminals agree on the width of a single letter, not on that of joined ones; and some draw nothing for the sign that
    /// stands for what could not be read.
    fn is_simple(self) -> bool {
        self.letter & JOINED == 0 && self.letter != u32::from(char::REPLACEMENT_CHARACTER)
    }
}

/// Returns whether a cell of a row is the right half of a wide letter.
fn is_tail(row: &[Sign], x: usize) -> bool {
    x > 0 && row[x - 1].is_wide()
}

/// The columns of an area as places in a row.
fn columns(area: Rect) -> Range<usize> {
    area.left().into()..area.right().into()
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Grid {
    size: Size,
    cells: Vec<Sign>,
}

impl Grid {
    fn row(&self, y: u16) -> &[Sign] {
        let width = usize::from(self.size.width);
        &self.cells[usize::from(y) * width..][..width]
    }

    fn row_mut(&mut self, y: u16) -> &mut [Sign] {
        let width = usize::from(self.size.width);
        &mut self.cells[usize::from(y) * width..][..width]
    }

    /// What a terminal shows after it moved the rows of this area up or down.
    fn scroll(&mut self, area: Rect, by: i32) {
        let (width, height) = (usize::from(self.size.width), usize::from(area.height));
        let rows = &mut self.cells[usize::from(area.top()) * width..usize::from(area.bottom()) * width];
        let count = (by.unsigned_abs() as usize).min(height);
        for at in 0..height {
            // A row is moved before another one takes its place.
            let to = if by > 0 { at } else { height - 1 - at };
            let place = to * width + usize::from(area.left());
            if at < height - count {
                let from = if by > 0 { place + count * width } else { place - count * width };
                rows.copy_within(from..from + usize::from(area.width), place);
            } else {
                rows[place..][..usize::from(area.width)].fill(BLANK);
            }
        }
    }
}

/// The styles and the joined letters that are on the screen. Few are in use. Finding the nearest color that a terminal has is slow, so
/// each style has its pen beside it.
struct Signs {
    depth: Depth,
    /// As a frame asks for it, and as the terminal can show it.
    pens: Vec<(Pen, Pen)>,
    joined: Vec<Box<str>>,
    /// A wide letter was seen: halves of one may be on the screen.
    has_wide: bool,
}

/// The jumps of a few runs cost more than their pens.
const FEW_RUNS: usize = 24;

/// More than any screen has. Above it the screen is drawn whole, and only what it shows is kept.
const MANY: usize = 1_000;

impl Signs {
    fn are_many(&self) -> bool {
        self.pens.len().max(self.joined.len()) > MANY
    }

    fn forget(&mut self) {
        self.pens.truncate(1);
        self.joined.clear();
        self.has_wide = false;
    }

    /// Writes cells of a buffer as signs. Returns the places from the first to the last that differ.
    fn convert(&mut self, cells: &[Cell], signs: &mut [Sign]) -> Range<usize> {
        let (mut start, mut end) = (0, 0);
        let Some(mut before) = cells.first() else { return start..end };
        let mut style = self.style(before);
        for (at, (cell, sign)) in cells.iter().zip(signs).enumerate() {
            let symbol = cell.symbol();
            let new = if symbol == " " && cell.bg == Color::Reset && !shows_on_blanks(cell.modifier) {
                // Nothing is seen of the color of its letter.
                BLANK
            } else {
                if !has_style_of(cell, before) {
                    style = self.style(cell);
                }
                before = cell;
                let letter = if let [byte] = symbol.as_bytes() { u32::from(*byte) } else { self.letter(symbol) };
                Sign { letter, style }
            };
            if *sign != new {
                *sign = new;
                start = if end == 0 { at } else { start };
                end = at + 1;
            }
        }
        start..end
    }

    /// Of a letter that has more than one byte.
    #[inline(never)] // Inside the loop of `convert` it would take the registers.
    fn letter(&mut self, symbol: &str) -> u32 {
        let mut chars = symbol.chars();
        let letter = match (chars.next(), chars.next()) {
            // None of these is wide: letters before Hangul, punctuation, arrows, lines and blocks.
            (Some(letter @ (..'\u{1100}' | '\u{2010}'..'\u{2300}' | '\u{2500}'..'\u{25fc}')), None) => {
                return u32::from(letter);
            }
            (Some(letter), None) => u32::from(letter),
            _ => {
                let place = self.joined.iter().position(|known| **known == *symbol).unwrap_or_else(|| {
                    self.joined.push(symbol.into());
                    self.joined.len() - 1
                });
                JOINED | place as u32
            }
        };
        let is_wide = grapheme_width(symbol) == 2;
        self.has_wide |= is_wide;
        if is_wide { letter | WIDE } else { letter }
    }

    /// The place of the style of a cell among those that are known.
    #[inline(never)]
    fn style(&mut self, cell: &Cell) -> u32 {
        let pen = Pen { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
        self.pens.iter().position(|(known, _)| *known == pen).unwrap_or_else(|| self.add(pen)) as u32
    }

    /// Returns the place of a new style.
    fn add(&mut self, pen: Pen) -> usize {
        let (fg, bg) = self.depth.pair(pen.fg, pen.bg);
        self.pens.push((pen, Pen { fg, bg, modifier: self.depth.weight(pen.modifier, fg, bg) }));
        self.pens.len() - 1
    }

    fn pen(&self, sign: Sign) -> Pen {
        self.pens[sign.style as usize].1
    }

    fn is_blank(&self, sign: Sign) -> bool {
        sign.letter == SPACE && !shows_on_blanks(self.pen(sign).modifier)
    }

    /// Returns whether a cell looks the same with this pen: a blank shows nothing of the letter's color.
    fn suits(&self, sign: Sign, pen: Pen) -> bool {
        let own = self.pen(sign);
        own == pen || self.is_blank(sign) && own.bg == pen.bg && !shows_on_blanks(pen.modifier)
    }

    fn write(&self, out: &mut Vec<u8>, sign: Sign, plain: bool) {
        if sign.letter & JOINED != 0 {
            return out.extend_from_slice(self.joined[(sign.letter & !JOINED & !WIDE) as usize].as_bytes());
        }
        let letter = char::from_u32(sign.letter & !WIDE).unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut bytes = [0; 4];
        let symbol: &str = letter.encode_utf8(&mut bytes);
        out.extend_from_slice(if plain { plain_sign(symbol) } else { symbol }.as_bytes());
    }
}

fn has_style_of(cell: &Cell, other: &Cell) -> bool {
    cell.fg == other.fg && cell.bg == other.bg && cell.modifier == other.modifier
}

const WEIGHTS: [(Modifier, u16, u16); 7] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::CROSSED_OUT, 9, 29),
];

/// `;1;31` for what has to change.
fn write_difference(out: &mut Vec<u8>, from: Pen, to: Pen) {
    let mut has = from.modifier;
    for (weight, _, off) in WEIGHTS {
        if has.contains(weight) && !to.modifier.contains(weight) {
            out.push(b';');
            number(out, off);
            has.remove(weight);
            if off == 22 {
                has.remove(Modifier::BOLD | Modifier::DIM);
            }
        }
    }
    for (weight, on, _) in WEIGHTS {
        if to.modifier.contains(weight) && !has.contains(weight) {
            out.push(b';');
            number(out, on);
        }
    }
    for (from, to, background) in [(from.fg, to.fg, false), (from.bg, to.bg, true)] {
        if from != to {
            out.push(b';');
            write_code(out, to, background);
        }
    }
}

/// A row of the next frame over the same row of the shown one.
struct Row<'a> {
    new: &'a [Sign],
    old: &'a [Sign],
    /// There may be wide letters.
    has_wide: bool,
}

impl Row<'_> {
    /// Returns whether the terminal shows at `x` what the next frame has there.
    fn is_same(&self, x: usize) -> bool {
        self.new[x] == self.old[x] && (!self.has_wide || is_tail(self.new, x) == is_tail(self.old, x))
    }

    /// Returns whether the letter at `x` must be written: the terminal shows another there, or only half of a wide one.
    fn is_stale(&self, x: usize) -> bool {
        let half_lost = || self.new[x].is_wide() && x + 1 < self.new.len() && !is_tail(self.old, x + 1);
        !is_tail(self.new, x) && (!self.is_same(x) || half_lost())
    }

    /// Returns the first place from `x` on whose letter must be written, or the end.
    fn next_stale(&self, x: usize, end: usize) -> usize {
        if self.has_wide {
            return (x..end).find(|x| self.is_stale(*x)).unwrap_or(end);
        }
        let pairs = self.new[x..end].iter().zip(&self.old[x..end]);
        x + pairs.take_while(|(new, old)| new == old).count()
    }

    /// How many cells from the stale one at `x` on are stale, simple, of its style, and blank if it is.
    fn stretch(&self, x: usize, end: usize) -> usize {
        if self.has_wide {
            return 1;
        }
        let (Sign { letter: first, style }, pairs) = (self.new[x], self.new[x..end].iter().zip(&self.old[x..end]));
        let alike = pairs.take_while(|(new, old)| new != old && new.style == style);
        if first == SPACE {
            alike.take_while(|(new, _)| new.letter == SPACE).count()
        } else {
            alike.take_while(|(new, _)| new.is_simple()).count()
        }
    }

    fn has_only_blanks(&self, places: &Range<usize>) -> bool {
        self.new[places.clone()].iter().all(|cell| *cell == BLANK)
    }

    /// How many of the cells after `x` are the same.
    fn repeated(&self, x: usize, end: usize) -> usize {
        self.new[x + 1..end.max(x + 1)].iter().take_while(|cell| **cell == self.new[x]).count()
    }

    /// How many of the first `count` cells after `x` are stale.
    fn stale_of(&self, x: usize, count: usize) -> usize {
        let pairs = self.new[x + 1..][..count].iter().zip(&self.old[x + 1..]);
        if self.has_wide { 0 } else { pairs.take_while(|(new, old)| new != old).count() }
    }

    /// How many of the cells after the one-byte letter at `x` are written together with it. They are one-byte letters with the
    /// same style, or blanks that look the same in it. A few unchanged ones are written again when changed ones follow: that is
    /// shorter than a jump. After a blank that keeps another pen, only blanks qualify. `has_blanks`: plain blanks look the same in
    /// its pen. `blanks` is how many blanks start here; they are not erased.
    fn run(&self, x: usize, end: usize, in_its_pen: bool, has_blanks: bool, blanks: usize, stops: &[u16]) -> usize {
        let places = x + 1..end.max(x + 1);
        let (new, old, style) = (&self.new[places.clone()], &self.old[places.clone()], self.new[x].style);
        // Mostly a word follows, all of it new.
        let is_of_word = |(new, old): &(&Sign, &Sign)| new.is_visible_byte() && new.style == style && new != old;
        let is_letter = in_its_pen && !self.has_wide;
        let word = if is_letter { new.iter().zip(old).take_while(is_of_word).count() } else { 0 };
        let (mut length, mut judged) = (word, blanks.saturating_sub(1));
        for at in word..new.len() {
            let next = new[at];
            if at - length > GAP || next.style != style && !(has_blanks && next == BLANK) {
                break;
            }
            if next.letter != SPACE {
                if !in_its_pen || !next.is_visible_byte() {
                    break;
                }
            } else if at >= judged {
                let blanks = new[at..].iter().take_while(|cell| cell.letter == SPACE).count();
                if blanks >= FEW {
                    break;
                }
                judged = at + blanks;
            }
            if next != old[at] || self.has_wide && !self.is_same(places.start + at) {
                // A tab is shorter than two letters.
                if at > length + 1 && stops.contains(&((places.start + at) as u16)) {
                    break;
                }
                length = at + 1;
            }
        }
        length
    }
}

impl Hand {
    /// Writes what turns `shown` into `next`, and brings `shown` up to date. What is written with the same pen is written together:
    /// where colors have many digits, another pen costs more than a jump.
    fn frame(&mut self, shown: &mut Grid, next: &Grid, changes: &[Span]) {
        let mut runs = mem::take(&mut self.runs);
        let has_wide = self.signs.has_wide;
        for (y, columns) in changes {
            let row = Row { new: next.row(*y), old: shown.row(*y), has_wide };
            let last = columns.end - 1;
            // The right half of a wide letter goes with its left half.
            let end = columns.end + usize::from(row.new[last].is_wide() || row.old[last].is_wide());
            self.cut(&row, *y, columns.start..end.min(row.new.len()), &mut runs);
        }
        let by_pen = runs.len() >= FEW_RUNS && matches!(self.signs.depth, Depth::True | Depth::Palette);
        if runs.len() < FEW_RUNS {
            runs.dedup_by(|next, run| {
                let in_row = next.y == run.y;
                run.cells.end = if in_row { next.cells.end } else { run.cells.end };
                in_row
            });
        } else if by_pen {
            runs.sort_by_key(|run| run.pen);
        }
        let mut groups: Vec<&[Run]> = runs.chunk_by(|one, next| !by_pen || one.pen == next.pen).collect();
        // The next pen is the one whose first run takes the fewest bytes to begin.
        while let Some(group) = (0..groups.len()).min_by_key(|at| self.bytes_to_begin(&groups[*at][0])) {
            for Run { y, cells: changed, .. } in groups.remove(group) {
                let row = Row { new: next.row(*y), old: shown.row(*y), has_wide };
                self.row(&row, *y, changed.clone());
            }
        }
        for (y, columns) in changes {
            shown.row_mut(*y)[columns.clone()].copy_from_slice(&next.row(*y)[columns.clone()]);
        }
        runs.clear();
        self.runs = runs;
    }

    /// About how many bytes it takes to begin a run.
    fn bytes_to_begin(&self, run: &Run) -> u32 {
        let (from, to) = (self.pen.unwrap_or(PLAIN), self.signs.pens[run.pen].1);
        let way = match self.at {
            Some((x, y)) if y == run.y && usize::from(x) == run.cells.start => 0,
            Some((_, y)) if y == run.y => 5,
            _ => 9,
        };
        let modifier = if from.modifier == to.modifier { 0 } else { 3 };
        way + modifier + if from.fg == to.fg { 0 } else { 9 } + if from.bg == to.bg { 0 } else { 12 }
    }

    /// Cuts the changes of a row where the pen changes.
    #[inline(never)]
    fn cut(&mut self, row: &Row<'_>, y: u16, changed: Range<usize>, runs: &mut Vec<Run>) {
        // Of a wide letter only the right half may have changed.
        let start = changed.start.saturating_sub(row.has_wide.into());
        let first = runs.len();
        let mut x = row.next_stale(start, changed.end);
        while x < changed.end {
            let (cell, pen) = (row.new[x], row.new[x].style as usize);
            // What joined letters do to the rest of their row is not known: it stays in one piece.
            if !cell.is_simple() {
                runs.truncate(first);
                return runs.push(Run { y, cells: start..changed.end, pen });
            }
            let (pens, end) = (&self.signs.pens, x + row.stretch(x, changed.end));
            match runs[first..].last_mut() {
                Some(run) if run.pen == pen || self.signs.is_blank(cell) && pens[run.pen].1.bg == pens[pen].1.bg => {
                    run.cells.end = end;
                }
                // Blanks before a word are written with its pen.
                Some(run) if self.signs.pens[pen].1.bg == Color::Reset && row.has_only_blanks(&run.cells) => {
                    (run.pen, run.cells.end) = (pen, end);
                }
                _ => runs.push(Run { y, cells: x..end, pen }),
            }
            x = row.next_stale(end, changed.end);
        }
    }

    #[inline(never)]
    fn row(&mut self, row: &Row<'_>, y: u16, changed: Range<usize>) {
        let (new, width) = (row.new, row.new.len());
        // Joined letters may spill over what follows, so from the first changed one on the row is written again.
        let mut spilled = false;
        let mut x = changed.start;
        while x < width && (spilled || x < changed.end) {
            if !spilled {
                x = row.next_stale(x, changed.end);
                if x == changed.end {
                    break;
                }
            } else if is_tail(new, x) {
                x += 1;
                continue;
            }
            let cell = new[x];
            let pen = self.signs.pen(cell);

            // Blanks with a color behind them are never erased.
            let mut blanks = if pen.bg == Color::Reset { 0 } else { usize::MAX };
            if pen.bg == Color::Reset && self.signs.is_blank(cell) {
                let on_plain = |other: &&Sign| {
                    let is_plain = || self.signs.is_blank(**other) && self.signs.pen(**other).bg == Color::Reset;
                    **other == cell || is_plain()
                };
                blanks = new[x..].iter().take_while(on_plain).count();
                // Blanks at the end of the run that are blank on the screen already need not be erased.
                let last = if spilled { x + blanks } else { (x + blanks).min(changed.end) };
                let needed = (x..last).rev().find(|at| spilled || !row.is_same(*at)).map_or(x, |at| at) + 1 - x;
                // Letters after the run cost a jump over it as well.
                let ends = x + blanks == width || x + needed >= changed.end;
                if needed >= if ends { FEW } else { 11 } {
                    // From where the cursor is, if only blanks are between.
                    let at = self.at.filter(|at| at.1 == y).map_or(x, |at| x.min(at.0.into()));
                    let start = if new[at..x].iter().all(|cell| on_plain(&cell)) { at } else { x };
                    self.go((start as u16, y));
                    let erase = Pen { fg: self.pen.map_or(Color::Reset, |pen| pen.fg), ..PLAIN };
                    // Some terminals erase with all that the pen does to letters, reversal too.
                    if self.pen.is_none_or(|pen| pen.bg != Color::Reset || shows_on_blanks(pen.modifier)) {
                        self.set_pen(erase);
                    }
                    if x + blanks == width {
                        self.out.extend_from_slice(b"\x1b[K");
                    } else {
                        self.out.extend_from_slice(b"\x1b[");
                        number(&mut self.out, (x + needed - start) as u16);
                        self.out.push(b'X');
                    }
                    x += needed;
                    continue;
                }
            }

            self.bridge_or_go(new, x, y);
            let wanted = self.pen.filter(|now| self.signs.suits(cell, *now)).unwrap_or(pen);
            self.set_pen(wanted);
            let (wide, simple) = match cell.byte() {
                Some(byte) => {
                    self.out.push(byte);
                    let has_blanks = wanted.bg == Color::Reset && !shows_on_blanks(wanted.modifier);
                    let run = row.run(x, changed.end, wanted == pen, has_blanks, blanks, &self.stops);
                    self.out.extend(new[x + 1..][..run].iter().map(|cell| cell.letter as u8));
                    (1 + run, true)
                }
                None => {
                    let (start, wide) = (self.out.len(), 1 + usize::from(cell.is_wide()));
                    self.signs.write(&mut self.out, cell, self.features.wide_signs);
                    let length = self.out.len() - start;
                    let simple = cell.is_simple() && (!self.features.wide_signs || length == 1 || wide == 2);
                    let alike = if simple && wide == 1 { row.repeated(x, changed.end) } else { 0 };
                    let repeated = if self.features.repeat { repeat(&mut self.out, length, alike) } else { 0 };
                    let written = if repeated == 0 { row.stale_of(x, alike) } else { 0 };
                    (0..written).for_each(|_| self.out.extend_from_within(start..start + length));
                    (wide + repeated + written, simple)
                }
            };
            x += wide;
            self.at = (simple && x < width).then_some((x as u16, y));
            spilled |= !simple;
        }
    }

    fn go(&mut self, to: (u16, u16)) {
        motion::go(&mut self.out, self.at, to, &self.stops);
        self.at = Some(to);
    }

    /// Lets tabs lead to the columns of a list: the next page gets there with a byte each. Where the first one led is asked,
    /// because a terminal that ignores stops would show letters in the wrong place.
    fn set_stops(&mut self, wanted: &[u16]) {
        debug_assert!(wanted.is_sorted_by(|one, next| one < next), "{wanted:?}");
        let is_new = self.features.tabs && !self.has_no_stops && self.set != wanted;
        let Some(first) = wanted.first().filter(|_| is_new) else { return };
        self.stops.clear();
        self.set = wanted.to_vec();
        self.out.extend_from_slice(b"\x1b[3g");
        let y = self.at.map_or(0, |at| at.1);
        for stop in wanted {
            self.go((*stop, y));
            self.out.extend_from_slice(b"\x1bH");
        }
        self.out.extend_from_slice(b"\r\t\x1b[6n");
        // Unproved: a terminal that takes no stops went elsewhere.
        self.at = None;
        self.asked = Some(Position { x: *first, y });
    }

    /// Moves the cursor to (x, y), by writing again what stands between where that is shorter.
    fn bridge_or_go(&mut self, new: &[Sign], x: usize, y: u16) {
        let to = (x as u16, y);
        if let (Some(at), Some(pen)) = (self.at, self.pen)
            && at.1 == y
            && let Some(gap @ 1..=GAP) = x.checked_sub(at.0.into())
            && (gap == 1 || !self.stops.contains(&to.0))
        {
            let between = &new[usize::from(at.0)..x];
            if between.iter().all(|cell| cell.byte().is_some() && self.signs.suits(*cell, pen)) {
                self.out.extend(between.iter().filter_map(|cell| cell.byte()));
                self.at = Some(to);
                return;
            }
        }
        self.go(to);
    }

    /// The letters of a link once more, with the address they lead to (OSC 8).
    fn link(&mut self, next: &Grid, link: &Link) {
        self.go((link.area.x, link.area.y));
        let _ = write!(self.out, "\x1b]8;;{}\x07", link.to);
        let row = next.row(link.area.y);
        for x in columns(link.area).filter(|x| !is_tail(row, *x)) {
            self.set_pen(self.signs.pen(row[x]));
            self.signs.write(&mut self.out, row[x], false);
        }
        self.out.extend_from_slice(b"\x1b]8;;\x07");
        // Letters of an address are simple, but what shortens it need not be.
        self.at = None;
    }

    fn set_pen(&mut self, wanted: Pen) {
        if self.pen == Some(wanted) {
            return;
        }
        // Both ways are written, the longer one is taken back.
        let (start, out) = (self.out.len(), &mut self.out);
        if let Some(pen) = self.pen {
            write_difference(out, pen, wanted);
            // The difference begins with a separator, which becomes the bracket of the sequence.
            out[start] = b'[';
            out.insert(start, 0x1b);
            out.push(b'm');
        }
        let whole = out.len();
        out.extend_from_slice(b"\x1b[");
        if wanted != PLAIN {
            // A parameter that is left out is a 0: all is off.
            write_difference(out, PLAIN, wanted);
        }
        out.push(b'm');
        if self.pen.is_some() {
            motion::keep_shorter(out, start, whole);
        }
        self.pen = Some(wanted);
    }
}

/// What stands for signs where they would take two columns.
const PLAIN_SIGNS: [(&str, &str); 10] = [
    ("─━–╸", "-"),
    ("│┤├▏▌", "|"),
    ("╭╮╰╯", "+"),
    ("•●★◆■", "*"),
    ("█▀▄", "#"),
    ("○◐□", "o"),
    ("›▸→", ">"),
    ("·…", "."),
    ("×", "x"),
    ("“”", "\""),
];

fn plain_sign(symbol: &str) -> &str {
    PLAIN_SIGNS.iter().find(|(signs, _)| signs.contains(symbol)).map_or(symbol, |(_, plain)| plain)
}

/// Has the terminal repeat the letter before, where that is shorter. Returns how often.
fn repeat(out: &mut Vec<u8>, length: usize, count: usize) -> usize {
    let start = out.len();
    out.extend_from_slice(b"\x1b[");
    number(out, count as u16);
    out.push(b'b');
    if out.len() - start < count * length {
        return count;
    }
    out.truncate(start);
    0
}

/// Fewer blanks than this are written, never erased.
const FEW: usize = 6;

fn shows_on_blanks(modifier: Modifier) -> bool {
    modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
}

/// Up to this many unchanged letters are written again instead of jumping over them.
const GAP: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use common::tabbed::TabbedTerminal;
    use lode_core::text;
    use ratatui::style::Style;

    fn using(features: Features) -> Painter {
        let mut painter = Painter::new(Depth::True);
        painter.use_features(features);
        painter
    }

    fn list(area: Rect, top: u64) -> DrawnList {
        DrawnList { area, top, cursor: top, key: 0 }
    }

    fn frame(lines: &[String]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
        for (y, line) in lines.iter().enumerate().take(20) {
            let style =
                if y % 3 == 0 { Style::new().fg(Color::Red).add_modifier(Modifier::BOLD) } else { Style::new() };
            text::put(&mut buffer, 0, y as u16, 60, line, style);
        }
        buffer
    }

    fn screen_equals(screen: &vt100::Screen, wanted: &Buffer) {
        for y in 0..wanted.area.height {
            for x in 0..wanted.area.width {
                let cell = screen.cell(y, x).unwrap();
                let shown = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
                let look = &wanted[(x, y)];
                let symbol = look.symbol();
                if cells::is_tail(cells::row(wanted, y), usize::from(x)) {
                    continue;
                }
                assert_eq!(shown, symbol, "at {x},{y}");
                assert_eq!(cell.inverse(), look.modifier.contains(Modifier::REVERSED), "at {x},{y}");
                if symbol != " " {
                    assert_eq!(cell.bold(), look.modifier.contains(Modifier::BOLD), "at {x},{y}");
                    assert_eq!(cell.fgcolor(), color(look.fg), "at {x},{y}");
                }
                assert_eq!(cell.bgcolor(), color(look.bg), "at {x},{y}");
            }
        }
    }

    fn color(color: Color) -> vt100::Color {
        match color {
            Color::Red => vt100::Color::Idx(1),
            Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
            _ => vt100::Color::Default,
        }
    }

    /// Gives letters colors, so that a row has many pens.
    fn colored(buffer: &mut Buffer, shift: usize) {
        for y in 0..buffer.area.height {
            let mut pen = Style::new();
            for x in 0..buffer.area.width {
                if !cells::is_tail(cells::row(buffer, y), usize::from(x)) {
                    let kind = (usize::from(x / 4) + usize::from(y) + shift) % 5;
                    let fg = [Color::Red, Color::Reset, Color::Rgb(200, 9, 9), Color::Rgb(9, 200, 9), Color::Red][kind];
                    pen = pen.fg(fg).bg(if kind == 3 { Color::Rgb(9, 9, 90) } else { Color::Reset });
                }
                buffer[(x, y)].set_style(pen);
            }
        }
    }

    /// A small generator, so that a failing frame can be named by its number.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    #[test]
    fn whatever_the_frames_the_screen_shows_the_last_one() {
        let mut seed = 7;
        let mut painter = Painter::new(Depth::True);
        let mut terminal = vt100::Parser::new(20, 60, 0);
        let words = ["alpha", "beta gamma", "山田", "x", "            ", "│", "delta…", "é"];
        let mut lines: Vec<String> = vec![String::new(); 20];
        let mut top = 1_000;
        for round in 0..800 {
            match next(&mut seed) % 4 {
                0 => {
                    let by = 1 + next(&mut seed) % 3;
                    lines.rotate_left(by as usize);
                    top += by;
                }
                1 => {
                    lines.rotate_right(1);
                    top -= 1;
                }
                _ => {
                    for _ in 0..=next(&mut seed) % 6 {
                        let at = (next(&mut seed) % 20) as usize;
                        lines[at] = (0..next(&mut seed) % 9).map(|_| words[(next(&mut seed) % 8) as usize]).collect();
                    }
                }
            }
            let mut wanted = frame(&lines);
            if round % 3 == 0 {
                colored(&mut wanted, round / 9);
            }
            if round % 5 == 0 {
                wanted.set_style(Rect::new(3, 4, 20, 1), Style::new().add_modifier(Modifier::REVERSED));
            }
            // The cursor stays on the first line, on the last, or between.
            let line = [0, 15, 7][round / 20 % 3];
            let list = Some(DrawnList { cursor: top + line, ..list(Rect::new(0, 2, 60, 16), top) });
            let cursor = (round % 7 == 0).then_some(Position { x: 5, y: 3 });
            terminal.process(painter.paint(&wanted, &Frame { cursor, list, ..Frame::default() }));
            screen_equals(terminal.screen(), &wanted);
            assert_eq!(terminal.screen().hide_cursor(), cursor.is_none());
            if let Some(at) = cursor {
                assert_eq!(terminal.screen().cursor_position(), (at.y, at.x));
            }
        }
    }

    /// A list of three columns, each of another color.
    fn page(top: u64) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
        for y in 0..20 {
            let mut seed = top + u64::from(y);
            for (x, color) in [(3, Color::Red), (21, Color::Reset), (40, Color::Rgb(9, 200, 9))] {
                let letter = char::from(b'a' + (next(&mut seed) % 26) as u8);
                let words = String::from(letter).repeat(3 + (next(&mut seed) % 9) as usize);
                text::put(&mut buffer, x, y, 15, &words, Style::new().fg(color));
            }
        }
        buffer
    }

    fn with_stops(stops: &[u16]) -> Frame {
        Frame { stops: stops.to_vec(), ..Frame::default() }
    }

    #[test]
    fn tabs_lead_to_the_columns_of_a_list() {
        let mut plain = Painter::new(Depth::True);
        let mut painter = using(Features { tabs: true, ..Features::default() });
        let mut terminal = TabbedTerminal::new(20, 60);
        let (mut bytes, mut without) = (0, 0);
        for round in 0..200 {
            let mut wanted = page(round * 20);
            let mut frame = with_stops(&[3, 21, 40]);
            // A screen without a list, another list, and back.
            match round % 50 {
                40..45 => colored(&mut wanted, 1),
                45..47 => frame.stops.clear(),
                47.. => frame.stops = vec![8, 20],
                _ => {}
            }
            if round == 100 {
                painter.forget();
                terminal.reset_stops();
            }
            let painted = painter.paint(&wanted, &frame).to_vec();
            bytes += painted.len();
            without += plain.paint(&wanted, &frame).len();
            terminal.process(&painted);
            screen_equals(terminal.screen(), &wanted);
            // As a terminal answers after a frame.
            if painter.asks_of_tabs() {
                let (row, column) = terminal.cursor();
                painter.cursor_was_at(row, column);
            }
        }
        assert!(bytes * 20 < without * 19, "{bytes} of {without}");
    }

    /// Before the answer, after a wrong one, and after an answer to another question.
    #[test]
    fn a_tab_is_used_once_its_stop_is_proved() {
        let mut painter = using(Features { tabs: true, ..Features::default() });
        let is_tabbed = |painter: &mut Painter, top: u64| {
            let bytes = painter.paint(&page(top * 20), &with_stops(&[3, 21, 40]));
            String::from_utf8_lossy(bytes).replace("\r\t\x1b[6n", "").contains('\t')
        };
        let asked = |painter: &Painter| painter.hand.asked.map(|first| (first.y + 1, first.x + 1));
        assert!(!is_tabbed(&mut painter, 0) && !is_tabbed(&mut painter, 1));
        let (row, _) = asked(&painter).unwrap();
        painter.cursor_was_at(row + 1, 4);
        assert!(!is_tabbed(&mut painter, 2));
        let (row, _) = asked(&painter).expect("the question again");
        painter.cursor_was_at(row, 9);
        assert!(!is_tabbed(&mut painter, 3) && asked(&painter).is_none());
        painter.forget();
        is_tabbed(&mut painter, 4);
        let (row, column) = asked(&painter).expect("the question once more");
        painter.cursor_was_at(row, column);
        assert!(is_tabbed(&mut painter, 5));
    }

    /// A terminal that leaves its stops where they always are, and answers late or never.
    #[test]
    fn a_terminal_that_takes_no_stops_shows_each_frame_before_it_answers() {
        for row in 0..20 {
            let mut painter = using(Features { tabs: true, ..Features::default() });
            let mut terminal = vt100::Parser::new(20, 60, 0);
            terminal.process(painter.paint(&page(0), &with_stops(&[3, 21, 40])));
            assert!(painter.asks_of_tabs());
            let mut wanted = page(0);
            text::put(&mut wanted, 50, row, 9, "elsewhere", Style::new());
            terminal.process(painter.paint(&wanted, &with_stops(&[3, 21, 40])));
            screen_equals(terminal.screen(), &wanted);
        }
    }

    #[test]
    fn a_sign_that_a_terminal_skips_moves_nothing_beside_it() {
        let mut terminal = vt100::Parser::new(20, 60, 0);
        let wanted = frame(&["a\u{fffd}b│".to_owned(), "│\u{fffd}\u{fffd}│".to_owned()]);
        terminal.process(Painter::new(Depth::True).paint(&wanted, &Frame::default()));
        for (row, column, letter) in [(0, 2, "b"), (0, 3, "│"), (1, 0, "│"), (1, 3, "│")] {
            assert_eq!(terminal.screen().cell(row, column).unwrap().contents(), letter, "{row},{column}");
        }
    }

    /// Undoes what `vt100` does not know: a letter that is repeated.
    fn repeated(bytes: &[u8]) -> String {
        let mut out = String::new();
        for piece in String::from_utf8_lossy(bytes).split_inclusive('b') {
            let count = piece
                .rsplit_once("\x1b[")
                .and_then(|(before, rest)| Some((before, rest.strip_suffix('b')?.parse().ok()?)));
            match count {
                Some((before, count)) => {
                    out.push_str(before);
                    let last = out.chars().last().unwrap();
                    out.extend(std::iter::repeat_n(last, count));
                }
                None => out.push_str(piece),
            }
        }
        out
    }

    #[test]
    fn a_sign_that_comes_again_is_repeated_by_the_terminal() {
        let lines = ["a────────────────────b──c".to_owned(), "••••••••••••┤".to_owned(), "─".repeat(60)];
        let mut plain = Painter::new(Depth::True);
        let whole = plain.paint(&frame(&lines), &Frame::default()).len();
        let mut painter = using(Features { repeat: true, ..Features::default() });
        let bytes = painter.paint(&frame(&lines), &Frame::default()).to_vec();
        assert!(bytes.len() * 3 < whole, "{} of {whole}", bytes.len());
        let mut terminal = vt100::Parser::new(20, 60, 0);
        terminal.process(repeated(&bytes).as_bytes());
        screen_equals(terminal.screen(), &frame(&lines));
    }

    #[test]
    fn between_margins_only_the_list_moves() {
        let area = Rect::new(5, 2, 20, 10);
        let draw = |top: u64| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
            for y in 0..20 {
                text::put(&mut buffer, 0, y, 60, &format!("{y:>2}{:<24}beside {y}", ""), Style::new());
            }
            for y in 0..area.height {
                text::put(
                    &mut buffer,
                    area.x,
                    area.y + y,
                    area.width,
                    &format!("{:<20}", top + u64::from(y)),
                    Style::new(),
                );
            }
            buffer
        };
        let at = |top, cursor| Frame { list: Some(DrawnList { cursor, ..list(area, top) }), ..Frame::default() };
        for (from, to) in [(7, 8), (8, 7), (7, 10), (10, 7)] {
            let mut painter = using(Features { margins: true, ..Features::default() });
            painter.paint(&draw(from), &at(from, 12));
            let bytes = String::from_utf8(painter.paint(&draw(to), &at(to, 12)).to_vec()).unwrap();
            let (way, count) = if to > from { ('S', to - from) } else { ('T', from - to) };
            let steps = if count == 1 { String::new() } else { count.to_string() };
            let scroll = format!("\x1b[?69h\x1b[6;25s\x1b[3;12r\x1b[{steps}{way}\x1b[?69l\x1b[r");
            let rest = bytes.strip_prefix(&scroll).unwrap_or_else(|| panic!("{bytes:?}"));
            // The rows that came are drawn; beside the list nothing moved, so nothing is drawn there.
            assert!(!rest.contains("beside") && rest.len() < 12 * count as usize, "{rest:?}");
            let mut wanted = painter.shown.cells.clone();
            painter.hand.signs.convert(&draw(to).content, &mut wanted);
            assert_eq!(painter.shown.cells, wanted);
        }
    }

    #[test]
    fn a_cursor_that_stays_on_the_edge_keeps_the_background_of_its_line() {
        let area = Rect::new(5, 2, 20, 10);
        let draw = |top: u64, line: u16| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
            for y in 0..area.height {
                let style = if y == line { Style::new().bg(Color::Blue) } else { Style::new() };
                let words = format!("{:<20}", top + u64::from(y));
                text::put(&mut buffer, area.x, area.y + y, area.width, &words, style);
            }
            buffer
        };
        for (from, to, line, moved) in
            [(17, 18, 9, "3;11"), (17, 19, 9, "3;11"), (18, 17, 0, "4;12"), (18, 17, 4, "3;12")]
        {
            let mut painter = using(Features { margins: true, ..Features::default() });
            let at = |top| DrawnList { cursor: top + u64::from(line), ..list(area, top) };
            let mut paint = |top| {
                let frame = Frame { list: Some(at(top)), ..Frame::default() };
                String::from_utf8(painter.paint(&draw(top, line), &frame).to_vec()).unwrap()
            };
            paint(from);
            let bytes = paint(to);
            assert!(bytes.contains(&format!("\x1b[{moved}r")), "{bytes:?}");
            let stays_on_edge = line != 4;
            assert_eq!(bytes.contains(&" ".repeat(10)), !stays_on_edge, "its blanks are there already: {bytes:?}");
            let mut wanted = painter.shown.cells.clone();
            painter.hand.signs.convert(&draw(to, line).content, &mut wanted);
            assert_eq!(painter.shown.cells, wanted);
        }
    }

    #[test]
    fn where_signs_are_wide_plain_ones_stand_in_their_place() {
        let mut painter = using(Features { wide_signs: true, ..Features::default() });
        let bytes = painter.paint(&frame(&["╭──•…│ 山é x".to_owned()]), &Frame::default()).to_vec();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("+--*.| 山é"), "{text:?}");
        assert!(text.contains("é\x1b["), "after a letter of doubtful width the cursor is placed: {text:?}");
    }

    #[test]
    fn a_letter_is_wide_here_where_it_is_wide_elsewhere() {
        let mut signs = Painter::new(Depth::True).hand.signs;
        for letter in ('\u{80}'..='\u{3ffff}').map(String::from) {
            let is_wide = Sign { letter: signs.letter(&letter), style: 0 }.is_wide();
            assert_eq!(is_wide, grapheme_width(&letter) == 2, "{letter:?}");
        }
    }

    /// More styles than are kept: the screen is drawn whole, and all of it is right.
    #[test]
    fn a_screen_of_ever_new_styles_shows_the_last_frame() {
        let mut painter = Painter::new(Depth::True);
        let mut terminal = vt100::Parser::new(20, 60, 0);
        for round in 0..40_u8 {
            let mut wanted = frame(&["alpha beta".to_owned(), format!("e\u{301}{round}")]);
            for x in 0..60 {
                wanted[(x, 4)].set_symbol("x").set_style(Style::new().fg(Color::Rgb(round, x as u8, 7)));
            }
            terminal.process(painter.paint(&wanted, &Frame::default()));
            screen_equals(terminal.screen(), &wanted);
        }
        assert!(painter.hand.signs.pens.len() < MANY + 61);
    }

    #[test]
    fn a_frame_is_not_announced_where_that_is_to_be_avoided() {
        let long = frame(&vec!["abcdefghij".repeat(6); 20]);
        let announced = |features| {
            let bytes = using(features).paint(&long, &Frame::default()).to_vec();
            String::from_utf8(bytes).unwrap().contains("?2026h")
        };
        assert!(announced(Features::default()));
        assert!(!announced(Features { sync: false, ..Features::default() }));
    }

    #[test]
    fn nothing_new_writes_no_byte() {
        let mut painter = Painter::new(Depth::True);
        let wanted = frame(&["one".to_owned(), "two".to_owned()]);
        assert!(!painter.paint(&wanted, &Frame::default()).is_empty());
        assert_eq!(painter.paint(&wanted, &Frame::default()), b"");
    }

    #[test]
    fn a_list_that_moved_by_one_row_scrolls() {
        let mut painter = Painter::new(Depth::True);
        let mut seed = 3;
        let letter = |seed: &mut u64| char::from(b'a' + (next(seed) % 26) as u8);
        let lines: Vec<String> = (0..60).map(|_| (0..58).map(|_| letter(&mut seed)).collect()).collect();
        let plain = |from: usize| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
            for y in 0..20u16 {
                text::put(&mut buffer, 0, y, 60, &lines[from + usize::from(y)], Style::new());
            }
            buffer
        };
        let at = |top| {
            let list = Some(list(Rect::new(0, 0, 60, 20), top));
            Frame { list, ..Frame::default() }
        };
        let whole = painter.paint(&plain(0), &at(0)).len();
        let step = painter.paint(&plain(1), &at(1)).len();
        assert!(step < whole / 8, "{step} of {whole}");
    }

    /// What a terminal that follows links would keep of some bytes: the address under each cell of a row.
    fn linked(bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let mut out = String::new();
        for piece in text.split("\u{1b}]8;;").skip(1) {
            let (to, letters) = piece.split_once('\u{7}').unwrap();
            let letters = letters.split('\u{1b}').next().unwrap();
            out.push_str(&if to.is_empty() { ".".to_owned() } else { format!("[{letters}]({to})") });
        }
        out
    }

    #[test]
    fn links_are_told_once_and_again_when_their_letters_change_and_taken_back_when_they_go() {
        let to = |to: &str| vec![Link { area: Rect::new(2, 1, 5, 1), to: to.to_owned() }];
        let with = |line: &str, links: Vec<Link>| {
            (frame(&[String::new(), line.to_owned()]), Frame { links, ..Frame::default() })
        };
        let mut painter = using(Features { links: true, ..Features::default() });
        let mut say = |(next, drawn): (Buffer, Frame)| linked(painter.paint(&next, &drawn));
        let here = "https://one.example";
        assert_eq!(say(with("  alpha  beta", to(here))), "[alpha](https://one.example).");
        assert_eq!(say(with("  alpha  beta", to(here))), "");
        assert_eq!(say(with("  alpha  beto", to(here))), "[alpha](https://one.example).", "near it was written");
        assert_eq!(say(with("  alpha  beto", to("https://two.example"))), "[alpha](https://two.example).");
        assert_eq!(say(with("  gamma  beto", to("https://two.example"))), "[gamma](https://two.example).");
        assert_eq!(say(with("  gamma  beto", Vec::new())), "");

        // The same letters without a link are written again, because the terminal would keep it.
        let mut painter = using(Features { links: true, ..Features::default() });
        let paint = |painter: &mut Painter, (next, drawn): (Buffer, Frame)| painter.paint(&next, &drawn).to_vec();
        paint(&mut painter, with("  gamma", to(here)));
        let bytes = paint(&mut painter, with("  gamma", Vec::new()));
        assert!(String::from_utf8_lossy(&bytes).contains("gamma"));

        let mut silent = Painter::new(Depth::True);
        assert_eq!(linked(&paint(&mut silent, with("  gamma", to(here)))), "");
    }

    #[test]
    fn links_of_a_larger_screen_are_forgotten_with_it() {
        let mut painter = using(Features { links: true, ..Features::default() });
        let links = vec![Link { area: Rect::new(50, 19, 5, 1), to: "https://one.example".to_owned() }];
        painter.paint(&frame(&vec!["alpha".repeat(12); 20]), &Frame { links, ..Frame::default() });
        let small = Buffer::with_lines(["beta"]);
        assert!(String::from_utf8_lossy(painter.paint(&small, &Frame::default())).contains("beta"));
    }

    #[test]
    fn a_title_is_told_once_and_again_on_a_screen_that_was_cleared() {
        let mut painter = Painter::new(Depth::True);
        let buffer = frame(&["a".to_owned()]);
        let titled = |title: &str| Frame { title: title.to_owned(), ..Frame::default() };
        let told =
            |bytes: &[u8], title: &str| String::from_utf8_lossy(bytes).contains(&format!("\u{1b}]2;{title}\u{7}"));
        assert!(told(painter.paint(&buffer, &titled("lode")), "lode"));
        assert_eq!(painter.paint(&buffer, &titled("lode")), b"");
        assert!(told(painter.paint(&buffer, &titled("lode: unlocking 25/75")), "lode: unlocking 25/75"));
        painter.forget();
        assert!(told(painter.paint(&buffer, &titled("lode: unlocking 25/75")), "lode: unlocking 25/75"));
    }

    #[test]
    fn without_colors_no_color_is_written() {
        let mut painter = Painter::new(Depth::None);
        let bytes = painter.paint(&frame(&["one".to_owned()]), &Frame::default()).to_vec();
        assert!(!String::from_utf8(bytes).unwrap().contains("31"));
    }
}
