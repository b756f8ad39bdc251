//! How the counts are drawn: the map where there is room for it, bars, the table of codes.

use ratatui::layout::Rect;

use crate::keys::command::{Command, Counts as Do};
use crate::scene::SceneRef;
use crate::signs::Sign;
use crate::theme::Role;
use crate::widgets::bars::{bar, filled};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::map::{self, Tile};
use crate::widgets::pane;
use crate::widgets::table::{self, Column};
use lode_core::credits::grouped;
use lode_core::text;

use super::facts::{Sheet, has_room_for_map, share};
use super::footer::footer;
use super::state::{State, View};

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let SceneRef { session, now, side, .. } = scene;
    let corpus = side.corpus;
    let title = format!("Counts · {} · whole corpus, cached by the service", corpus.title());
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height < 2 || inside.width < 8 {
        return;
    }
    let totals = session.totals(corpus);
    let Some(counts) = totals.counts() else {
        let (words, hint) = if session.profile().data.is_none() {
            let words = "Counts come from the Data API, and this profile has no key for it.";
            (words.to_owned(), "<everywhere.profiles> add a key")
        } else if let Some(since) = totals.running_since() {
            let seconds = now.mono.since(since).as_secs();
            let words = format!("Counting…  {seconds} s   <everywhere.escape> stop");
            (words, "One request; the service caches its counts.")
        } else if let Some(failure) = totals.failure() {
            let why = failure.words().trim_end_matches('.');
            (format!("The counts could not be loaded: {why}."), "<counts.again> retry")
        } else {
            ("No counts loaded yet.".to_owned(), "<counts.again> load")
        };
        return table::instead(canvas, inside, &[&words, hint]);
    };
    let sheet = Sheet::of(counts);
    head(state, &sheet, canvas, inside);
    let below = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    let rest = match state.view {
        View::Sic => return sic(state, &sheet, canvas, below),
        View::Map if has_room_for_map(body) => states_map(state, &sheet, canvas, below),
        View::Map | View::Bars => below,
    };
    bars(state, &sheet, canvas, rest);
}

/// `view: [map] bars SIC        total 80,013,442        v next view   / find`
fn head(state: &State, sheet: &Sheet, canvas: &mut Canvas<'_>, inside: Rect) {
    let name = |view: View, name: &str| if state.view == view { format!("[{name}]") } else { name.to_owned() };
    let views = format!("view: {} {} {}", name(View::Map, "map"), name(View::Bars, "bars"), name(View::Sic, "SIC"));
    let mut x = inside.x + 1;
    let used = canvas.put(x, inside.y, inside.right().saturating_sub(x), &views, Role::Text);
    canvas.target(Rect::new(x, inside.y, used, 1), Target::Command(Command::Counts(Do::View)));
    let total = format!("total {}", grouped(sheet.total));
    for (at, pieces) in [(29, &[(total.as_str(), Role::Strong)][..]), (53, &HINTS)] {
        x = inside.x + at;
        let wide: usize = pieces.iter().map(|(words, _)| text::width(words)).sum();
        if usize::from(x) + wide <= usize::from(inside.right()) {
            canvas.line(x, inside.y, inside.right() - x, pieces);
        }
    }
}

const HINTS: [(&str, Role); 4] =
    [("v", Role::Key), (" next view   ", Role::Dim), ("/", Role::Key), (" find", Role::Dim)];

/// The map, with what stands under the cursor below it. Returns what is left for the bars: beside it, or below.
fn states_map(state: &State, sheet: &Sheet, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    // The bars stand beside it where there is room, and below it where there is not.
    let is_beside = area.width >= map::SIZE.0 + 42;
    let height = if is_beside { area.height } else { map::SIZE.1.min(area.height) };
    let area_of_map = Rect { width: map::SIZE.0.min(area.width), height, ..area };
    map::draw(canvas, area_of_map, &state.state, |code| {
        let at = sheet.states.iter().position(|line| line.code == code)?;
        let count = sheet.states[at].count;
        let (level, marked) = (sheet.level(count), state.states.contains(code));
        Some(Tile { target: Target::Row(at as u64), count, level, marked })
    });
    // The ramp and the state under the cursor stand in the corners where no state lies.
    let y = area.y + map::SIZE.1 - 1;
    let x = area.x + 8;
    canvas.put(area.x + 8, area.y, 6, "fewest", Role::Dim);
    for (at, role) in map::RAMP.into_iter().enumerate() {
        canvas.put(area.x + 15 + 3 * at as u16, area.y, 3, &format!(" {} ", at + 1), role);
    }
    canvas.put(area.x + 34, area.y, 4, "most", Role::Dim);
    let below = Rect { y: y + 2, height: area.bottom().saturating_sub(y + 2), ..area };
    let beside =
        Rect { x: area_of_map.right() + 2, width: area.right().saturating_sub(area_of_map.right() + 2), ..area };
    let here = match sheet.state(&state.state) {
        Some(line) => format!("{} {}  {}", line.name, grouped(line.count), share(line.count, sheet)),
        None => format!("{} not counted", state.state),
    };
    canvas.put(x, area.y + map::down(area_of_map), map::SIZE.0.saturating_sub(20), &here, Role::Strong);
    if is_beside { beside } else { below }
}

fn bars(state: &State, sheet: &Sheet, canvas: &mut Canvas<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    if sheet.states.is_empty() {
        return table::instead(canvas, area, &["The service sent no state counts.", "<counts.view> SIC codes"]);
    }
    let area = footer(state, canvas, area);
    let height = usize::from(area.height);
    let at = sheet.states.iter().position(|line| line.code == state.state).unwrap_or(0);
    let top = if at < height { 0 } else { (at + 1 - height / 2).min(sheet.states.len().saturating_sub(height)) };
    let largest = sheet.states[0].count;
    let name = if area.width >= 60 { 20 } else { 0 };
    for (y, (place, line)) in (area.y..).zip(sheet.states.iter().enumerate().skip(top).take(height)) {
        let (here, marked) = (place == at, state.states.contains(&line.code));
        canvas.put(area.x + 1, y, 1, if marked { Sign::Basket.letter() } else { " " }, Sign::Basket.role());
        canvas.put(area.x + 3, y, 3, &line.code, if here { Role::Cursor } else { Role::Text });
        if name > 0 {
            canvas.put(area.x + 6, y, name, &line.name, Role::Text);
        }
        canvas.put_right(area.right() - 8, y, 14, &grouped(line.count), Role::Text);
        canvas.put_right(area.right() - 1, y, 7, &share(line.count, sheet), Role::Dim);
        let x = area.x + 6 + name + u16::from(name > 0);
        let room = area.right().saturating_sub(8 + 14 + 1).saturating_sub(x);
        bar(canvas, x, y, room, line.count, largest);
        let whole = Rect { y, height: 1, ..area };
        if here {
            canvas.put(area.x, y, 1, "▌", Role::Focus);
            canvas.restyle(whole, Role::Row);
        }
        canvas.target(whole, Target::Row(place as u64));
    }
}

const SIC: [Column; 6] = [
    Column::text(" ", 1, 90),
    Column::text("Code", 6, 99),
    Column::text("Name", 16, 80).growing(),
    Column::text("", 0, 10),
    Column::number("Rows", 12, 95),
    Column::number("Share", 6, 70),
];
/// Names are not longer than this; what is wider is for bars, so that the eye finds from a name to its number.
const SIC_NAMED: u16 = 97;

fn sic(state: &State, sheet: &Sheet, canvas: &mut Canvas<'_>, area: Rect) {
    if sheet.sics.is_empty() {
        return table::instead(canvas, area, &["The service sent no SIC code counts.", "<counts.view> states"]);
    }
    let area = footer(state, canvas, area);
    let mut columns = SIC;
    let bars = area.width.saturating_sub(SIC_NAMED);
    columns[3].least = bars;
    let largest = sheet.sics[0].count;
    table::draw(canvas, area, &columns, sheet.sics.len(), state.sic, |row, column| {
        let line = &sheet.sics[row];
        match column {
            0 => (
                String::from(if state.sics.contains(&line.code) { Sign::Basket.letter() } else { " " }),
                Sign::Basket.role(),
            ),
            1 => (line.code.clone(), Role::Strong),
            2 if line.name.is_empty() => ("–".to_owned(), Role::Dim),
            2 => (line.name.clone(), Role::Text),
            3 => (filled(bars, line.count, largest), Role::Bar),
            4 => (grouped(line.count), Role::Text),
            _ => (share(line.count, sheet), Role::Dim),
        }
    });
}
