//! Counts of the whole corpus: tile map of the states, bars, SIC table; marks become filters.
//!
//! ```text
//! ╭ Counts · US · all contacts ────────────────────────────╮
//! │ view: [map] bars SIC        total 80,013,442        v next view   / find     │
//! │  OR0 ID0 MT0 WY0     SD0 WI1 MI2         NY6 NH0       shade and digit:      │
//! │▸ TX  6,912,440  8.6%                                                         │
//! ╰──────────────────────────────────────────────────────────────────────────────╯
//! ```
//!
//! The counts themselves are `flow::totals`'; what marks come to concerns Search, so it is handed over.

use std::collections::{BTreeMap, BTreeSet};

use crate::scene::prelude::*;
use crate::widgets::map::{self, Tile, TileMap};
use crate::{keys::command::CountsCommand as Do, widgets::bars::filled};

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, SceneRef { session, now, side, .. }) = self;
        let corpus = side.corpus;
        let title = format!("Counts · {} · all contacts", corpus.title());
        let totals = &session.totals[corpus as usize];
        let sheet = totals.counts.as_ref().map(CountsList::of);
        let at = sheet.as_ref().map_or(String::new(), |sheet| state.at(sheet));
        let inside = TitledPane::new(&title, true).below(&at, "").draw(body, buf, cx);
        if inside.height < 2 || inside.width < 8 {
            return;
        }
        let Some(mut sheet) = sheet else {
            let one = "One free request; the service caches its counts.".to_owned();
            let (head, words, hint) = if session.profile().data.is_none() {
                let words = "Counts come from the Data API, and this profile has no key for it.";
                ("No Data API key".to_owned(), words.to_owned(), "<everywhere.profiles> add a key")
            } else if let Some(since) = totals.running_since() {
                let seconds = now.mono.since(since).as_secs();
                let head = cx.motion.waiting(Wait::Screen, &format!("Counting…  {seconds} s"));
                (head, one, "<everywhere.escape> stop")
            } else if let Some(failure) = &totals.failure {
                let why = capital(failure.reason());
                let (_, hint) = trouble(failure);
                let is_key = matches!(failure, Failure::Refused { why: Refusal::Key | Refusal::Scope, .. });
                let hint = if is_key { hint } else { "<counts.again> retry" };
                ("The counts could not be loaded".to_owned(), format!("{why}."), hint)
            } else {
                ("No counts loaded yet".to_owned(), one, "<counts.again> load")
            };
            return table::empty(&[&head, &words, hint], inside, buf, cx);
        };
        sheet.states.iter_mut().for_each(|line| line.owned = session.ledger.owned_in(corpus, &line.code));
        head(state, &sheet, buf, cx, inside);
        let below = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
        let rest = match state.view {
            View::Sic => return sic(state, &sheet, buf, cx, below),
            View::Map if has_room_for_map(body) => states_map(state, &sheet, buf, cx, below),
            View::Map | View::Bars => below,
        };
        bars(state, &sheet, buf, cx, rest);
    }
}

impl Component for State {
    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        scene.session.totals[scene.side.corpus as usize].counts.is_some()
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        Some(format!("lode counts --corpus {}", scene.side.corpus))
    }

    fn running_since(&self, scene: SceneRef<'_>) -> Option<Mono> {
        scene.session.totals[scene.side.corpus as usize].running_since()
    }

    fn arrive(&mut self, scene: &mut Scene<'_>) {
        if scene.session.profile().data.is_some() {
            scene.session.totals[scene.side.corpus as usize]
                .ask(false, &mut scene.session.desk.at(scene.now, scene.fx));
        }
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Counts(command) = command else { return };
        match (command, sheet(scene)) {
            (Do::View, _) => self.view = VIEWS[(self.view as usize + 1) % VIEWS.len()].0,
            (Do::Again, _) => {
                scene.session.totals[scene.side.corpus as usize]
                    .ask(true, &mut scene.session.desk.at(scene.now, scene.fx));
                scene.say("Refreshing; the service may respond from its cache.");
            }
            (Do::Mark, Some(sheet)) => {
                if let Some(mark) = self.here(&sheet).filter(|mark| !self.marks.remove(mark)) {
                    self.marks.insert(mark);
                }
            }
            (Do::Find, Some(sheet)) => {
                let items = sheet.states.iter().chain(&sheet.sics).enumerate().map(|(at, line)| {
                    PickerItem::new(format!("{}  {}", line.code, line.name), grouped(line.count), Intent::Place(at))
                });
                scene.pick(Picker::new("Find a state or a code", items.collect()).finding());
            }
            (Do::Apply, Some(sheet)) => scene.hand(Intent::Narrow(self.take(&sheet))),
            (Do::Mark | Do::Find | Do::Apply, None) => {}
        }
    }

    fn list(&mut self, list: List, times: Option<u64>, scene: &mut Scene<'_>) {
        let Some(sheet) = sheet(scene) else { return };
        // Where the map has no room the bars stand in for it.
        let has_map = has_room_for_map(scene.body);
        match self.view {
            View::Map if has_map && matches!(list, List::Left | List::Right | List::Up | List::Down) => {
                for _ in 0..times.unwrap_or(1).min(50) {
                    let Some(next) = map::neighbor(&self.state, list) else { break };
                    self.state = next.to_owned();
                }
            }
            View::Map | View::Bars => {
                let at = sheet.place(&self.state).unwrap_or(0);
                if let Some(line) = sheet.states.get(table::moved(at, list, times, sheet.states.len(), table::STEPS)) {
                    self.state.clone_from(&line.code);
                }
            }
            View::Sic => self.sic = table::moved(self.sic, list, times, sheet.sics.len(), table::STEPS),
        }
    }

    fn escape(&mut self, scene: &mut Scene<'_>) {
        scene.session.totals[scene.side.corpus as usize].stop(&mut scene.session.desk.at(scene.now, scene.fx));
    }

    fn click(&mut self, target: Target, double: bool, scene: &mut Scene<'_>) -> Option<Command> {
        if let (Target::Row(at), Some(sheet)) = (target, sheet(scene)) {
            let first = if self.view == View::Sic { sheet.states.len() } else { 0 };
            self.pick(first + usize::try_from(at).unwrap_or(0), scene);
        }
        double.then_some(Command::Counts(Do::Mark))
    }

    /// The line of a list was found: states first, then codes.
    fn pick(&mut self, at: usize, scene: &mut Scene<'_>) {
        let Some(sheet) = sheet(scene) else { return };
        if let Some(line) = sheet.states.get(at) {
            self.state.clone_from(&line.code);
            if self.view == View::Sic {
                self.view = View::Map;
            }
        } else if at - sheet.states.len() < sheet.sics.len() {
            self.sic = at - sheet.states.len();
            self.view = View::Sic;
        }
    }
}

// Which view of the counts is shown, what is looked at in it, and what is marked.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Map,
    Bars,
    Sic,
}

/// The views in their order, with their names.
const VIEWS: [(View, &str); 3] = [(View::Map, "map"), (View::Bars, "bars"), (View::Sic, "SIC")];

#[derive(Clone, Debug)]
pub struct State {
    pub view: View,
    /// Code of the state that is looked at, on the map and among the bars.
    pub state: String,
    /// Line of the SIC table.
    pub sic: usize,
    /// Codes of states and SIC codes, with the filter of each.
    pub marks: BTreeSet<(Filter, String)>,
}

impl Default for State {
    fn default() -> State {
        State { view: View::default(), state: "TX".to_owned(), sic: 0, marks: BTreeSet::new() }
    }
}

impl State {
    /// What is looked at: a code and its filter.
    fn here(&self, sheet: &CountsList) -> Option<(Filter, String)> {
        match self.view {
            View::Map | View::Bars => Some((Filter::State, self.state.clone())),
            View::Sic => sheet.sics.get(self.sic).map(|line| (Filter::SicCode, line.code.clone())),
        }
    }

    /// `12 of 340`: where the cursor is in the list that is shown.
    fn at(&self, sheet: &CountsList) -> String {
        let (at, of) = match self.view {
            View::Map | View::Bars => (sheet.place(&self.state), sheet.states.len()),
            View::Sic => (Some(self.sic), sheet.sics.len()),
        };
        at.filter(|at| *at < of).map_or(String::new(), |at| table::position(at, of))
    }

    /// All marks as values of their filters, and none is left; without marks, what is looked at.
    pub fn take(&mut self, sheet: &CountsList) -> Vec<(Filter, String)> {
        if self.marks.is_empty() {
            return self.here(sheet).into_iter().collect();
        }
        std::mem::take(&mut self.marks).into_iter().collect()
    }

    /// The codes that are marked for a filter.
    fn marks_of(&self, filter: Filter) -> impl Iterator<Item = &str> {
        self.marks.iter().filter(move |(of, _)| *of == filter).map(|(_, code)| code.as_str())
    }

    /// The sign of a line: whether it is marked.
    fn sign(&self, filter: Filter, line: &CountRow) -> &'static str {
        if self.marks_of(filter).any(|code| code == line.code) { Sign::Basket.letter() } else { " " }
    }
}

// What the commands of the Counts screen do. Marks become filters of the search as it is.

fn sheet(scene: &Scene<'_>) -> Option<CountsList> {
    scene.session.totals[scene.side.corpus as usize].counts.as_ref().map(CountsList::of)
}

// The counts in the order in which they are shown: states and SIC codes, the largest first, with their names.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRow {
    pub code: String,
    pub name: String,
    pub count: u64,
    /// Contacts of it that are owned, once it is drawn.
    owned: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountsList {
    pub states: Vec<CountRow>,
    pub sics: Vec<CountRow>,
    /// Of the corpus: as the service says it, else what the states come to.
    pub total: u64,
}

impl CountsList {
    pub fn of(counts: &Counts) -> CountsList {
        let states = lines(counts, CountKind::State);
        let sics = lines(counts, CountKind::Sic);
        let sum = |lines: &[CountRow]| lines.iter().map(|line| line.count).fold(0, u64::saturating_add);
        let total = counts.total.unwrap_or_else(|| sum(&states).max(sum(&sics)));
        CountsList { states, sics, total }
    }

    /// The place of a state among the states.
    fn place(&self, code: &str) -> Option<usize> {
        self.states.iter().position(|line| line.code == code)
    }

    /// The step of the ramp from 0 to 5, by the square root of the share of the largest state: a few large states leave the others
    /// apart.
    pub fn level(&self, count: u64) -> u8 {
        let largest = u128::from(self.states.first().map_or(0, |line| line.count).max(1));
        (1..6).filter(|step| u128::from(count) * 36 >= step * step * largest).count() as u8
    }
}

/// A code may come in any case, a state even by its name; the same one twice is one.
fn lines(counts: &Counts, kind: CountKind) -> Vec<CountRow> {
    let mut found: BTreeMap<String, CountRow> = BTreeMap::new();
    for count in counts.counts.iter().filter(|count| count.kind == kind) {
        let sent = count.code.trim();
        let by_name = || codes::states().find(|(_, name)| name.eq_ignore_ascii_case(sent));
        let known = match kind {
            CountKind::State => codes::states().find(|(code, _)| code.eq_ignore_ascii_case(sent)).or_else(by_name),
            CountKind::Sic => codes::sic().find(|(code, _)| *code == sent),
        };
        let (code, known) = known.unwrap_or((sent, ""));
        let name = if count.name.is_empty() { known } else { &count.name };
        let new = || CountRow { code: code.to_owned(), name: name.to_owned(), count: 0, owned: 0 };
        let line = found.entry(code.to_owned()).or_insert_with(new);
        line.count = line.count.saturating_add(count.count);
    }
    let mut lines: Vec<CountRow> = found.into_values().collect();
    lines.sort_by(|one, two| two.count.cmp(&one.count).then_with(|| one.code.cmp(&two.code)));
    lines
}

/// Whether there is room for the map inside a body of this size.
fn has_room_for_map(body: Rect) -> bool {
    body.width >= map::SIZE.0 + 4 && body.height >= map::SIZE.1 + 3
}

fn share(count: u64, sheet: &CountsList) -> String {
    let total = u128::from(sheet.total.max(1));
    let tenths = (u128::from(count) * 1000 + total / 2) / total;
    format!("{}.{}%", tenths / 10, tenths % 10)
}

// How the counts are drawn: the map where there is room for it, bars, the table of codes.

/// `view: [map] bars SIC        total 80,013,442        v next view   / find`
fn head(state: &State, sheet: &CountsList, buf: &mut Buffer, cx: &mut ViewContext, inside: Rect) {
    let name = |(view, name)| if state.view == view { format!("[{name}]") } else { String::from(name) };
    let views = format!("view: {}", VIEWS.map(name).join(" "));
    let mut x = inside.x + 1;
    let used = cx.put(buf, x, inside.y, inside.right().saturating_sub(x), &views, Role::Text);
    cx.target(Rect::new(x, inside.y, used, 1), Target::Command(Command::Counts(Do::View)));
    let total = vec![(format!("total {}", grouped(sheet.total)), Role::Strong)];
    let hints = cx.keyed("<counts.view> next view   <counts.find> find", Role::Dim, 80).concat();
    for (at, pieces) in [(29, total), (53, hints)] {
        x = inside.x + at;
        if usize::from(x) + width_of(&pieces) <= usize::from(inside.right()) {
            cx.line(buf, x, inside.y, inside.right() - x, &pieces);
        }
    }
}

/// What the bars beside the map need.
const BESIDE: u16 = 42;

/// The map, with what stands under the cursor below it. Returns what is left for the bars: beside it, or below.
fn states_map(state: &State, sheet: &CountsList, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) -> Rect {
    // The bars stand beside it where there is room, and below it where there is not.
    let is_beside = area.width >= map::SIZE.0 + BESIDE;
    let room = if is_beside { area.width - BESIDE } else { area.width };
    let grid =
        map::TileGrid::of(Rect { width: room, height: if is_beside { area.height } else { map::SIZE.1 }, ..area });
    let (width, height) = grid.size();
    let tile = |code: &str| {
        let at = sheet.place(code)?;
        let count = sheet.states[at].count;
        let (level, marked) = (sheet.level(count), state.marks_of(Filter::State).any(|marked| marked == code));
        Some(Tile { target: Target::Row(at as u64), count, level, marked })
    };
    TileMap { at: &state.state, tile }.render(Rect { width, height, ..area }, buf, cx);
    // The ramp and the state under the cursor are in the corners where no state lies.
    let x = grid.tile(1, 0).x + 1;
    let [least, most] = [sheet.states.last(), sheet.states.first()];
    let ends = [least, most].map(|line| line.map_or(String::new(), |line| map::rounded(line.count)));
    cx.put_right(buf, x + 5, area.y, 5, &ends[0], Role::Dim);
    for (at, role) in (0..).zip(map::RAMP) {
        cx.put(buf, x + 6 + 3 * at, area.y, 3, &format!(" {} ", at + 1), role);
    }
    cx.put(buf, x + 25, area.y, 5, &ends[1], Role::Dim);
    let mut here = format!("{} not counted", state.state);
    if let Some(line) = sheet.place(&state.state).map(|at| &sheet.states[at]) {
        let owned = if line.owned > 0 { format!("  {} owned", grouped(line.owned)) } else { String::new() };
        here = format!("{} {}  {}{owned}", line.name, grouped(line.count), share(line.count, sheet));
    }
    cx.put(buf, x, grid.tile(0, 1).y, grid.tile(9, 1).x - x, &here, Role::Strong);
    let (across, down) = (width + 2, height + 1);
    if is_beside {
        return Rect { x: area.x + across, width: area.width.saturating_sub(across), ..area };
    }
    Rect { y: area.y + down, height: area.height.saturating_sub(down), ..area }
}

/// A bar whose color says the same as its length, in the steps of the map.
fn bar(sheet: &CountsList, line: &CountRow, largest: u64, buf: &mut Buffer, cx: &ViewContext, at: Rect) {
    let used = cx.put(buf, at.x, at.y, at.width, &filled(at.width, line.count, largest), Role::Bar);
    // The first two steps can hardly be seen as a line.
    if let Some(color) = cx.style(map::RAMP[usize::from(sheet.level(line.count)).max(2)]).bg {
        buf.set_style(Rect { width: used, height: 1, ..at }, ratatui::style::Style::new().fg(color));
    }
}

/// What is owned of each state stands beside its bar where there is room, and a line between the bars where all fit.
fn bars(state: &State, sheet: &CountsList, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    if area.height == 0 {
        return;
    }
    if sheet.states.is_empty() {
        return table::empty(&["The service sent no state counts", "<counts.view> SIC codes"], area, buf, cx);
    }
    let area = footer(state, buf, cx, area);
    let step = if usize::from(area.height) >= 2 * sheet.states.len() { 2 } else { 1 };
    let height = usize::from(area.height) / step;
    let at = sheet.place(&state.state).unwrap_or(0);
    let top =
        if at < height { 0 } else { (at + 1 - (height / 2).max(1)).min(sheet.states.len().saturating_sub(height)) };
    let largest = sheet.states[0].count;
    let name = if area.width >= 60 { 20 } else { 0 };
    let own = if area.width >= 78 && sheet.states.iter().any(|line| line.owned > 0) { 16 } else { 0 };
    let lines = sheet.states.iter().enumerate().skip(top).take(height);
    for (y, (place, line)) in (area.y..).step_by(step).zip(lines) {
        let here = place == at;
        cx.put(buf, area.x + 1, y, 1, state.sign(Filter::State, line), Sign::Basket.role());
        cx.put(buf, area.x + 3, y, 3, &line.code, if here { Role::Cursor } else { Role::Text });
        if name > 0 {
            cx.put(buf, area.x + 6, y, name, &line.name, Role::Text);
        }
        let right = area.right() - own;
        cx.put_right(buf, right - 8, y, 14, &grouped(line.count), Role::Text);
        cx.put_right(buf, right - 1, y, 7, &share(line.count, sheet), Role::Dim);
        if line.owned > 0 && own > 0 {
            let words = format!("{} owned", grouped(line.owned));
            cx.put_right(buf, area.right() - 1, y, own - 1, &words, Role::Owned);
        }
        let x = area.x + 6 + name + u16::from(name > 0);
        let room = right.saturating_sub(8 + 14 + 1).saturating_sub(x);
        bar(sheet, line, largest, buf, cx, Rect::new(x, y, room, 1));
        let whole = Rect { y, height: 1, ..area };
        if here {
            cx.put(buf, area.x, y, 1, "▌", Role::Focus);
            cx.restyle(buf, whole, Role::Row);
        }
        cx.target(whole, Target::Row(place as u64));
    }
}

const SIC: [TableColumn; 6] = [
    TableColumn::new(" ", 1, 90, ColumnWidth::Fixed),
    TableColumn::new("Code", 6, 99, ColumnWidth::Fixed),
    TableColumn::new("Name", 16, 80, ColumnWidth::Rest),
    TableColumn::new("", 0, 10, ColumnWidth::Fixed),
    TableColumn::new("Rows", 12, 95, ColumnWidth::Number),
    TableColumn::new("Share", 6, 70, ColumnWidth::Number),
];
/// Names are not longer than this; what is wider is for bars, so that the eye finds from a name to its number.
const SIC_NAMED: u16 = 97;

fn sic(state: &State, sheet: &CountsList, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    if sheet.sics.is_empty() {
        return table::empty(&["The service sent no SIC code counts", "<counts.view> states"], area, buf, cx);
    }
    let area = footer(state, buf, cx, area);
    let mut columns = SIC;
    let bars = area.width.saturating_sub(SIC_NAMED);
    columns[3].least = bars;
    let largest = sheet.sics[0].count;
    let cell = |row: usize, column| {
        let line = &sheet.sics[row];
        match column {
            0 => (state.sign(Filter::SicCode, line).to_owned(), Sign::Basket.role()),
            1 => (line.code.clone(), Role::Strong),
            2 if line.name.is_empty() => ("–".to_owned(), Role::Dim),
            2 => (line.name.clone(), Role::Text),
            3 => (filled(bars, line.count, largest), Role::Bar),
            4 => (grouped(line.count), Role::Text),
            _ => (share(line.count, sheet), Role::Dim),
        }
    };
    let table = Table { columns: &columns, count: sheet.sics.len(), at: state.sic, changed: Vec::new(), cell };
    table.render(area, buf, cx);
}

// What is marked and what Enter makes of it, in the last line.

/// Draws it. Returns what is left above.
fn footer(state: &State, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) -> Rect {
    if state.marks.is_empty() || area.height < 4 {
        return area;
    }
    let values = |filter| state.marks_of(filter).count().max(1) as u64;
    let searches = counted(values(Filter::State) * values(Filter::SicCode), "search");
    let marked: Vec<&str> = state.marks.iter().map(|(_, code)| code.as_str()).collect();
    let words = format!("marked: {}.  <counts.apply> run {searches}", marked.join(", "));
    table::foot(buf, cx, area, 1, &[(words, Role::Staged)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::Count;

    #[test]
    fn all_marks_go_into_one_search() {
        let mut state = State::default();
        let sheet = CountsList::default();
        let value = |filter, code: &str| (filter, code.to_owned());
        assert_eq!(state.take(&sheet), [value(Filter::State, "TX")]);
        for code in ["NM", "CA"] {
            state.marks.insert(value(Filter::State, code));
        }
        state.marks.insert(value(Filter::SicCode, "8062"));
        let all = [value(Filter::State, "CA"), value(Filter::State, "NM"), value(Filter::SicCode, "8062")];
        assert_eq!(state.take(&sheet), all);
        assert_eq!(state.take(&sheet), [value(Filter::State, "TX")], "none is left");
    }

    fn count(kind: CountKind, code: &str, count: u64) -> Count {
        Count { kind, code: code.to_owned(), name: String::new(), count }
    }

    #[test]
    fn codes_in_any_spelling_come_to_one_line_with_a_name() {
        let counts = Counts {
            total: None,
            counts: vec![
                count(CountKind::State, "tx", 50),
                count(CountKind::State, "Texas", 25),
                count(CountKind::State, "CA", 100),
                count(CountKind::State, "??", 1),
                count(CountKind::Sic, "0111", 7),
            ],
        };
        let sheet = CountsList::of(&counts);
        let states: Vec<(&str, &str, u64)> =
            sheet.states.iter().map(|line| (line.code.as_str(), line.name.as_str(), line.count)).collect();
        assert_eq!(states, [("CA", "California", 100), ("TX", "Texas", 75), ("??", "", 1)]);
        assert_eq!((sheet.total, sheet.sics[0].name.as_str()), (176, "Wheat"));
        assert_eq!((sheet.level(100), sheet.level(69), sheet.level(25), sheet.level(1)), (5, 4, 3, 0));
    }
}
