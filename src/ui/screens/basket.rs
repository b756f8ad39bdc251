//! The basket: staged rows, what they would cost, which are suppressed, owned already, or the same person twice.
//!
//! The estimate is worked out from what is on this machine; the review (`U`) reads everything again before it counts.

use std::collections::HashSet;

use crate::card::{self, Card, Outcome, outcomes};
use crate::scene::prelude::*;
use lode_core::choose::person;
use lode_engine::flow::basket::BasketEntry;

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, scene @ SceneRef { session, side, .. }) = self;
        let basket = &session.side(side).basket;
        let rows = basket.rows();
        let mut title = format!("Basket · {} · {}", side.source.title(), side.corpus.title());
        if !rows.is_empty() {
            title.push_str(&format!(" · {} staged", grouped(rows.len() as u64)));
        }
        // Until the service has named the organization, this is the basket of the one it named last.
        if let Some(at) = session.balance.as_of.filter(|_| side.source == Source::Workspace) {
            title.push_str(&format!(" · as of {}", scene.hour(at.0)));
        }
        let beside = body.width >= BESIDE_FROM && !rows.is_empty();
        let list = if beside { Rect { width: body.width - ESTIMATE_WIDTH, ..body } } else { body };
        let mut inside =
            TitledPane::new(&title, true).below(&table::position(state.at, rows.len()), "").draw(list, buf, cx);
        if let Some(words) = asked(scene).filter(|_| inside.height > 3) {
            cx.put(buf, inside.x + 1, inside.y, inside.width.saturating_sub(2), &words, Role::Warning);
            inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
        }
        if inside.height == 0 {
            return;
        }
        if rows.is_empty() {
            let words = match side.source {
                Source::Workspace => "Adding is free. The basket survives searches and restarts.",
                Source::Data => "Data API rows can be exported from the basket; only the Workspace unlocks.",
            };
            let keys = "<results.stage> on Search adds a row   <basket.suppressions> suppression lists";
            return table::empty(&["The basket is empty", words, keys], inside, buf, cx);
        }
        let estimate = Estimate::of(scene, rows);
        let foot = if beside { Vec::new() } else { footer(&estimate, session, side, inside) };
        let space = table::foot(buf, cx, inside, 1, &foot);
        let visible = table::around(state.at, body.height, rows.len());
        let changed = visible.filter(|at| cx.motion.rows.contains(&ContactKey { side, id: rows[*at].id() })).collect();
        let cell = |at: usize, column| cell(&rows[at], estimate.outcomes[at], estimate.repeats.contains(&at), column);
        Table { columns: &COLUMNS, count: rows.len(), at: state.at, changed, cell }.render(space, buf, cx);
        if beside {
            let area = Rect { x: list.right(), width: ESTIMATE_WIDTH, ..body };
            let inside = TitledPane::new("Estimate", false).draw(area, buf, cx);
            let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
            let y = cx.lines(buf, inside, inside.y, &Vec::from_iter(numbers(&estimate, rows.len())));
            cx.lines(buf, inside, y, &cx.wrapped(&sentences(&estimate, session, side), usize::from(inside.width)));
        }
    }
}

impl Component for State {
    fn states(&self, scene: SceneRef<'_>, height: u16) -> RowStates {
        let rows = scene.session.side(scene.side).basket.rows();
        let visible = &rows[table::around(self.at.min(rows.len()), height, rows.len())];
        let key = |entry: &BasketEntry| ContactKey { side: scene.side, id: entry.id() };
        let rows_with_state =
            visible.iter().zip(outcomes(scene, visible)).map(|(entry, outcome)| (key(entry), Some(outcome.sign())));
        RowStates { total: rows.len(), rows: rows_with_state.collect() }
    }

    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.side(scene.side).basket.len() as u64, "")
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        let Side { source, corpus } = scene.side;
        Some(format!("lode basket --source {source} --corpus {corpus}"))
    }

    fn row<'a>(&self, scene: SceneRef<'a>) -> Option<&'a Row> {
        self.entry(scene.session, scene.side).map(|entry| &entry.row)
    }

    fn contact_reader(&self, scene: SceneRef<'_>, raw: bool) -> Option<Reader> {
        let SceneRef { session, side, .. } = scene;
        let (row, count) = (&self.entry(session, side)?.row, session.side(side).basket.len());
        let unlock = ("<basket.unlock>", Command::Basket(BasketCommand::Unlock));
        let words = || ReaderPart::Words("As found when it was added.".to_owned(), Role::Dim);
        let card = || Card { scene, side, row, unlock }.parts(vec![ReaderPart::Gap, words()], None);
        let at = self.at.min(count - 1) as u64 + 1;
        Some(card::dialog(scene, row, (!raw).then(card), "<basket.open>", (at, count as u64)))
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Basket(command) = command else { return };
        match command {
            BasketCommand::Unstage => unstage(self, scene),
            BasketCommand::Unlock => scene.hand(Intent::Unlock(false)),
            BasketCommand::Empty => {
                scene.empty_basket();
                self.at = 0;
            }
            BasketCommand::Suppressions => open_lists(scene),
            BasketCommand::Request => open_request(scene),
            BasketCommand::Export => scene.hand(Intent::OfferExport),
            BasketCommand::Open => scene.open_contact(),
        }
    }

    fn cursor(&mut self, scene: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        Some((&mut self.at, scene.session.side(scene.side).basket.len(), Some(Command::Basket(BasketCommand::Open))))
    }
}

// Which of the staged rows is looked at.

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The row that is looked at.
    pub fn entry<'a>(&self, session: &'a Session, side: Side) -> Option<&'a BasketEntry> {
        let rows = session.side(side).basket.rows();
        rows.get(self.at.min(rows.len().saturating_sub(1)))
    }
}

// What the commands of the Basket screen do. Taking out and emptying can be undone; nothing here spends.

fn unstage(state: &mut State, scene: &mut Scene<'_>) {
    let side = scene.side;
    let Some(entry) = state.entry(scene.session, side) else { return };
    let (id, name) = (entry.id(), entry.row.name());
    let (of_side, desk) = scene.session.side_mut(side);
    of_side.basket.unstage(&[id], &mut desk.at(scene.now, scene.fx));
    state.at = state.at.min(of_side.basket.len().saturating_sub(1));
    let name = if name.is_empty() { id.to_string() } else { name };
    scene.say_basket(side, &format!("Removed {name}"));
}

/// The lists, and the way to another one.
fn open_lists(scene: &mut Scene<'_>) {
    let lists = &scene.session.lists.all;
    let rule = if lists.is_empty() {
        "No suppression lists yet. Contacts on a list are never unlocked."
    } else {
        "Contacts on a list are never unlocked. <text.submit> on a list removes it, after asking."
    };
    let mut items = vec![PickerItem::new("Add a file …", "a CSV or .xlsx file", Intent::AddList)];
    items.extend(lists.iter().map(|list| {
        PickerItem::new(list.list.clone(), suppress::contents(&list.entries), Intent::List(list.list.clone()))
    }));
    scene.pick(Picker::new("Suppression lists", items).with_rule(rule));
}

pub fn ask_list(scene: &mut Scene<'_>) {
    let words = "Path of a CSV or .xlsx file, relative to the current folder. Emails and domains are found in any column, phones \
                 and names with companies by the column headings. The list gets the name of the file.";
    scene.prompt("Add a suppression list", words, Intent::AddList, Field::default());
}

pub fn ask_remove_list(name: String, scene: &mut Scene<'_>) {
    let words = format!("Removes the list `{name}` from this profile. Its contacts can be unlocked again.");
    scene.ask("Remove a suppression list", words, "Cancel", vec![("Remove", Intent::RemoveList(name))]);
}

pub fn remove_list(list: String, scene: &mut Scene<'_>) {
    let words = format!("Removed the list {list}.");
    scene.session.remove_list(list, scene.now, scene.fx);
    scene.say(words);
}

/// The oldest request of an assistant that waits.
fn open_request(scene: &mut Scene<'_>) {
    scene.session.read_requests(scene.fx);
    let Some(request) = scene.session.requests.waiting(scene.now).next() else {
        return scene.say("No assistant asks for anything.");
    };
    let (whom, most) = (contacts(request.rows.len()), request.ceiling.words());
    let side = Side { source: Source::Workspace, corpus: request.corpus };
    let mut words = format!("{} asks to unlock {whom} ({side}) for up to {most}.", request.assistant);
    let names: Vec<&str> = request.rows.iter().map(|row| row.name.as_str()).filter(|name| !name.is_empty()).collect();
    let named = &names[..names.len().min(3)];
    let more = request.rows.len() - named.len();
    if !named.is_empty() {
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        words.push_str(&format!(" {}{and}.", named.join(", ")));
    }
    let handle = request.handle.clone();
    let review = ("Review it and type the amount", Intent::ReviewRequest(handle.clone()));
    scene.ask("Assistant", words, "Later", vec![review, ("Decline", Intent::DeclineRequest(handle))]);
}

// What an unlock would do with the staged rows, worked out from what is on this machine.

/// What an unlock would do with all staged rows.
struct Estimate {
    /// Of each row.
    outcomes: Vec<Outcome>,
    /// Places of the rows that show the same contact as one before them.
    repeats: HashSet<usize>,
}

impl Estimate {
    fn of(scene: SceneRef<'_>, rows: &[BasketEntry]) -> Estimate {
        Estimate { outcomes: outcomes(scene, rows).collect(), repeats: repeats(scene, rows) }
    }

    fn count(&self, wanted: Outcome) -> u64 {
        self.outcomes.iter().filter(|outcome| **outcome == wanted).count() as u64
    }

    fn to_unlock(&self) -> u64 {
        self.count(Outcome::New) + self.count(Outcome::Risky)
    }

    /// Those of the rows to unlock that are in the basket under another id too.
    fn duplicates(&self) -> u64 {
        let is_bought = |at: &&usize| matches!(self.outcomes[**at], Outcome::New | Outcome::Risky);
        self.repeats.iter().filter(is_bought).count() as u64
    }

    /// What can go: `up to 25 credits`.
    fn most(&self) -> String {
        format!("up to {}", Credits::for_contacts(self.to_unlock() as usize).words())
    }
}

/// Rows that show the same person, company and address as one before them, or as an owned one: two ids, two credits, one contact.
fn repeats(scene: SceneRef<'_>, rows: &[BasketEntry]) -> HashSet<usize> {
    const MOST: usize = 5_000;
    let (mut seen, owned) = (HashSet::new(), scene.session.ledger.owned_people());
    let mut is_new = |person: [String; 3]| !owned.holds(&person) && seen.insert(person);
    let mut is_repeat = |entry: &BasketEntry| person(&entry.row).is_some_and(|person| !is_new(person));
    rows.iter().take(MOST).enumerate().filter(|(_, entry)| is_repeat(entry)).map(|(at, _)| at).collect()
}

fn why_not(session: &Session, side: Side) -> Option<&'static str> {
    match (side.source, session.balance.may_unlock()) {
        (Source::Data, _) => Some("Data API rows cannot be unlocked; <basket.export> exports them."),
        (_, Some(false)) => Some("This key may only search. You can keep and export the basket."),
        _ => None,
    }
}

// The staged rows with what an unlock would do with each, and the estimate beside them.

const COLUMNS: [TableColumn; 8] = [
    TableColumn::new("", 1, 200, ColumnWidth::Fixed),
    TableColumn::new("Name", 14, 100, ColumnWidth::Values),
    TableColumn::new("Title", 12, 30, ColumnWidth::Values),
    TableColumn::new("Company", 12, 65, ColumnWidth::Values),
    TableColumn::new("St", 2, 20, ColumnWidth::Fixed),
    TableColumn::new("Email", 16, 60, ColumnWidth::Values),
    TableColumn::new("Phone", 10, 25, ColumnWidth::Whole),
    TableColumn::new("Status", 12, 70, ColumnWidth::Values),
];

const ESTIMATE_WIDTH: u16 = 38;

/// From this width on all columns fit beside the estimate; below that it stands under them.
const BESIDE_FROM: u16 = 140;

/// What an assistant waits for.
fn asked(scene: SceneRef<'_>) -> Option<String> {
    let mut waiting = scene.session.requests.waiting(scene.now);
    let first = waiting.next()?;
    let more = waiting.count();
    let and = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(format!("{} asks for up to {}{and}.  <basket.request> reviews it", first.assistant, first.ceiling.words()))
}

fn cell(entry: &BasketEntry, outcome: Outcome, repeat: bool, column: usize) -> (String, Role) {
    let row = &entry.row;
    // How an address was verified is a word in its color, never a sign.
    let (word, role) = match outcome {
        Outcome::New if repeat => ("duplicate", Role::Warning),
        Outcome::New => ("", Role::Text),
        Outcome::Risky => ("", Role::Warning),
        Outcome::Owned => ("owned, free", Role::Owned),
        Outcome::Suppressed => ("suppressed", Role::Suppressed),
        Outcome::Unchecked => ("not checked", Role::Warning),
        Outcome::Unknown => ("UNKNOWN", Role::Danger),
    };
    let sign = if repeat && outcome == Outcome::New { Sign::Repeat } else { outcome.sign() };
    let known = |what: Known| row.known(what).to_owned();
    let plain = if outcome == Outcome::Suppressed { Role::Suppressed } else { Role::Text };
    match column {
        0 => (sign.letter().to_owned(), sign.role()),
        1 => (if row.name().is_empty() { entry.id().to_string() } else { row.name() }, plain),
        2 => (known(Known::Title), plain),
        3 => (known(Known::Company), plain),
        4 => (known(Known::State), plain),
        5 => (row.email().to_owned(), plain),
        6 => (text::phone(row.known(Known::Phone)), plain),
        _ if word.is_empty() => card::status(&Fields::of(row))
            .map_or((String::new(), role), |(dot, _, word, role)| (format!("{dot} {word}"), role)),
        _ => (word.to_owned(), role),
    }
}

fn numbers(estimate: &Estimate, staged: usize) -> impl Iterator<Item = (String, Role)> {
    // The first three always stand there.
    let all = [
        (Sign::Basket.before("staged"), staged as u64, Role::Text),
        (Sign::Owned.before("already owned (free)"), estimate.count(Outcome::Owned), Role::Owned),
        (Sign::Suppressed.before("suppressed"), estimate.count(Outcome::Suppressed), Role::Suppressed),
        (Sign::Unknown.before("result UNKNOWN"), estimate.count(Outcome::Unknown), Role::Danger),
        (Sign::Excluded.before("not checked"), estimate.count(Outcome::Unchecked), Role::Warning),
        ("  to unlock".to_owned(), estimate.to_unlock(), Role::Strong),
        ("    of them risky".to_owned(), estimate.count(Outcome::Risky), Role::Warning),
        ("    of them duplicates".to_owned(), estimate.duplicates(), Role::Warning),
    ];
    let shown = all.into_iter().enumerate().filter(|(at, (_, count, _))| *at < 3 || *count > 0);
    shown.map(|(_, (label, count, role))| (format!("{label:<22}{:>10}", grouped(count)), role))
}

fn sentences(estimate: &Estimate, session: &Session, side: Side) -> Vec<(String, Role)> {
    let gap = || (String::new(), Role::Text);
    let dim = |words: &str| (words.to_owned(), Role::Dim);
    let review = "<basket.unlock> review. Lists are checked again; nothing is spent until you confirm.";
    let mut all = match why_not(session, side) {
        Some(words) => vec![gap(), (words.to_owned(), Role::Warning), gap()],
        None => vec![gap(), (estimate.most(), Role::Strong), dim(review), gap()],
    };
    let unchecked =
        "Rows that are not checked may be on a list. The review leaves them out; accept them there one by one.";
    let repeats = "Duplicates are the same person, company and email under two ids; each costs a credit.";
    all.extend((estimate.count(Outcome::Unchecked) > 0).then(|| dim(unchecked)));
    all.extend((!estimate.repeats.is_empty()).then(|| dim(repeats)));
    all.push(dim("Viewing, removing and exporting are free."));
    all
}

// The estimate in two lines below the list, where there is no room for it beside.

fn footer(estimate: &Estimate, session: &Session, side: Side, inside: Rect) -> Vec<(String, Role)> {
    if inside.height < 5 {
        return Vec::new();
    }
    let first = match why_not(session, side) {
        Some(words) => (words.to_owned(), Role::Warning),
        None => (format!("{}   <basket.unlock> review", estimate.most()), Role::Strong),
    };
    if inside.height < 9 {
        return vec![first];
    }
    let (risky, twice) = (estimate.count(Outcome::Risky), estimate.duplicates());
    let risky = (risky > 0).then(|| format!("{} risky", grouped(risky)));
    let included: Vec<String> = risky.into_iter().chain((twice > 0).then(|| counted(twice, "duplicate"))).collect();
    let included = if included.is_empty() { String::new() } else { format!(" ({})", included.join(", ")) };
    // Owned and suppressed always stand there.
    let more = [
        (Sign::Owned, "owned", estimate.count(Outcome::Owned)),
        (Sign::Suppressed, "suppressed", estimate.count(Outcome::Suppressed)),
        (Sign::Excluded, "not checked", estimate.count(Outcome::Unchecked)),
        (Sign::Unknown, "UNKNOWN", estimate.count(Outcome::Unknown)),
    ];
    let mut words = format!("to unlock {}{included}", grouped(estimate.to_unlock()));
    for (_, (sign, name, count)) in more.into_iter().enumerate().filter(|(at, (.., count))| *at < 2 || *count > 0) {
        words.push_str(&format!("   {} {}", sign.before(name), grouped(count)));
    }
    vec![(words, Role::Text), first]
}
