//! The context of a screen besides its own state, and its requests to the router.
//!
//! A screen changes itself and drives the session; it opens dialogs and says what happened. What concerns other
//! screens is an [`Intent`].

use crate::messages::Messages;
use prelude::*;

/// What a command of a screen is run with.
pub struct Scene<'a> {
    pub session: &'a mut Session,
    /// Other profiles whose jobs go on.
    pub behind: &'a [Session],
    /// The side that is shown when the command begins.
    pub side: Side,
    /// Owned contacts are masked.
    pub masked: bool,
    /// Where the screen stands.
    pub body: Rect,
    pub now: Now,
    pub fx: &'a mut Vec<Effect>,
    pub nav: &'a mut Nav,
    pub messages: &'a mut Messages,
    /// What the router does for the screen, in this order.
    pub intents: Vec<Intent>,
}

/// What a screen is drawn from besides its own state.
#[derive(Clone, Copy)]
pub struct SceneRef<'a> {
    pub session: &'a Session,
    pub behind: &'a [Session],
    pub side: Side,
    pub masked: bool,
    pub offset_minutes: i32,
    pub now: Now,
}

/// A screen to be drawn: each is a `StatefulWidget` as a view of its own state.
pub struct ScreenView<'a, S>(pub &'a S, pub SceneRef<'a>);

/// What the router and the view ask of the screen that is shown.
pub trait Component {
    /// What stands beside the name of the screen: ` 3`.
    fn number(&self, _scene: SceneRef<'_>) -> String {
        String::new()
    }

    /// Whether the cursor stands on something.
    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        self.row(scene).is_some()
    }

    /// Whether the item under the cursor is running.
    fn row_runs(&self, _scene: SceneRef<'_>) -> bool {
        false
    }

    /// The row under the cursor, where the screen lists rows of a service.
    fn row<'a>(&self, _scene: SceneRef<'a>) -> Option<&'a Row> {
        None
    }

    /// The contact under the cursor as a dialog, or all its fields as they came. None while it is not here.
    fn contact_reader(&self, _scene: SceneRef<'_>, _raw: bool) -> Option<Reader> {
        None
    }

    /// The rows that a command of the person's own gets: the marked range, else the row under the cursor.
    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        self.row(scene).cloned().into_iter().collect()
    }

    /// A row as one line of text, for copying.
    fn line_of(&self, row: &Row) -> String {
        row.fields().map(|(_, _, value)| value).collect::<Vec<_>>().join("\t")
    }

    /// The shell command that shows what this screen shows; none where it is the search's.
    fn command_line(&self, _scene: SceneRef<'_>) -> Option<String> {
        None
    }

    /// What can be exported here besides the basket, with its words.
    fn exports(&self, _scene: SceneRef<'_>) -> Vec<(ExportSubject, String)> {
        Vec::new()
    }

    /// The states of the rows that may be visible in `height` lines.
    fn states(&self, _scene: SceneRef<'_>, _height: u16) -> RowStates {
        RowStates::default()
    }

    /// Whether the screen waits for what it shows.
    fn is_loading(&self, scene: SceneRef<'_>) -> bool {
        self.running_since(scene).is_some()
    }

    /// Since when something runs whose seconds are counted on this screen.
    fn running_since(&self, _scene: SceneRef<'_>) -> Option<Mono> {
        None
    }

    /// The screen is shown, or shows another corpus.
    fn arrive(&mut self, _scene: &mut Scene<'_>) {}

    /// Does a command of its own; those of others are none of its business.
    fn command(&mut self, command: Command, scene: &mut Scene<'_>);

    /// Of a screen that is one list: which line is looked at, how many there are, what a double click on one does.
    fn cursor(&mut self, _scene: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        None
    }

    /// Moves in its list.
    fn list(&mut self, list: List, times: Option<u64>, scene: &mut Scene<'_>) {
        if let Some((at, count, _)) = self.cursor(scene) {
            *at = table::moved(*at, list, times, count, table::STEPS);
        }
    }

    /// Esc.
    fn escape(&mut self, _scene: &mut Scene<'_>) {}

    /// A click; returns the command that it gives.
    fn click(&mut self, target: Target, double: bool, scene: &mut Scene<'_>) -> Option<Command> {
        let (Target::Row(row), Some((at, _, opens))) = (target, self.cursor(scene)) else { return None };
        *at = usize::try_from(row).unwrap_or(0);
        opens.filter(|_| double)
    }

    /// The mouse is dragged to a line of the terminal.
    fn drag(&mut self, _y: u16, _scene: &mut Scene<'_>) {}

    fn wheel(&mut self, _list: List, _rows: u64, _scene: &mut Scene<'_>) {}

    /// A line of its list was found by typing.
    fn pick(&mut self, place: usize, scene: &mut Scene<'_>) {
        if let Some((at, ..)) = self.cursor(scene) {
            *at = place;
        }
    }

    /// A command of the field that is open.
    fn text(&mut self, _text: TextCommand, _scene: &mut Scene<'_>) {}

    /// Text for the field that is open.
    fn typed(&mut self, _words: &str) {}

    /// The keys go to the pane beside.
    fn next_pane(&mut self, _forward: bool) {}

    /// Called after everything that may have moved what is visible.
    fn look(&mut self, _scene: &mut Scene<'_>) {}
}

impl Scene<'_> {
    pub fn hand(&mut self, intent: Intent) {
        self.intents.push(intent);
    }

    pub fn say(&mut self, words: impl Into<String>) {
        self.say_while(Holds::Time, words);
    }

    pub fn say_while(&mut self, holds: Holds, words: impl Into<String>) {
        self.messages.say(words, false, holds, self.now);
    }

    /// Says what was not done.
    pub fn alert(&mut self, words: impl Into<String>) {
        self.messages.say(words, true, Holds::Time, self.now);
    }

    /// Says a failure, which is kept for the list of errors.
    pub fn warn(&mut self, words: impl Into<String>) {
        self.messages.fail(words, &self.session.desk, self.now);
    }

    pub fn open(&mut self, dialog: Dialog) {
        self.nav.dialogs.push(dialog);
    }

    /// Says what was done to the basket of a side, and that it can be undone.
    pub fn say_basket(&mut self, side: Side, did: &str) {
        self.hand(Intent::Undoable(side));
        let staged = grouped(self.session.side(side).basket.len() as u64);
        self.say(format!("{did}. Basket: {staged}. Nothing spent.  <everywhere.undo> undo"));
    }

    pub fn empty_basket(&mut self) {
        let side = self.side;
        let (state, desk) = self.session.side_mut(side);
        // What is still being read would fill it again.
        let stopped = state.stop_gathering(&mut desk.at(self.now, self.fx));
        let staged = state.basket.len();
        if staged > 0 {
            state.basket.empty(&mut desk.at(self.now, self.fx));
            let stopped = if stopped { "; stopped adding" } else { "" };
            self.say_basket(side, &format!("Removed {}{stopped}", counted(staged as u64, "row")));
        } else if stopped {
            self.say("Stopped adding. The basket is empty; nothing spent.");
        }
    }

    /// Asks for a text.
    pub fn prompt(&mut self, title: impl Into<String>, words: impl Into<String>, intent: Intent, field: Field) {
        self.open(Dialog::Ask(FormDialog::prompt(title, words, intent, field)));
    }

    /// Asks what to do. `stay` is the answer that changes nothing.
    pub fn ask(&mut self, title: &str, words: impl Into<String>, stay: &str, deeds: Vec<(impl Into<String>, Intent)>) {
        self.open(Dialog::Ask(FormDialog::ask(title, words, stay, deeds)));
    }

    /// Offers a list to pick from.
    pub fn pick(&mut self, picker: Picker) {
        self.open(Dialog::Picker(picker));
    }

    /// Shows lines to read.
    pub fn read(&mut self, title: impl Into<String>, parts: Vec<ReaderPart>) {
        self.open(Dialog::Reader(Reader::new(title, parts)));
    }

    /// Opens the contact under the cursor; where it is open already, shows its raw fields instead, and back.
    pub fn open_contact(&mut self) {
        let source = match self.nav.dialogs.pop_if(|dialog| dialog.is_contact()) {
            Some(Dialog::Reader(reader)) if reader.source == ReaderSource::Contact => ReaderSource::Raw,
            _ => ReaderSource::Contact,
        };
        self.open(Dialog::Reader(Reader { source, ..Reader::default() }));
    }

    pub fn open_receipts(&mut self) {
        self.session.ledger.read_receipts(&mut self.session.desk.at(self.now, self.fx));
        self.open(Dialog::Reader(Reader { source: ReaderSource::Receipts, ..Reader::default() }));
    }
}

impl SceneRef<'_> {
    /// `12:01` of a moment, by the clock of this place; the days since then where it was not today.
    pub fn hour(&self, wall: i64) -> String {
        let offset = i64::from(self.offset_minutes) * 60_000;
        let minutes = (wall + offset).div_euclid(60_000);
        let (day, minute) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
        let today = (self.now.wall.0 + offset).div_euclid(86_400_000);
        match today - day {
            ..=0 => format!("{:02}:{:02}", minute / 60, minute % 60),
            1 => "yesterday".to_owned(),
            days => format!("{days} days ago"),
        }
    }
}

/// ` 3` after a name, or nothing for none.
pub fn numbered(count: u64, what: &str) -> String {
    if count > 0 { format!(" {}{what}", grouped(count)) } else { String::new() }
}

// What `y` copies of the row under the cursor.

impl Scene<'_> {
    /// `whole` is what the row comes to as one line.
    pub fn copy(&mut self, what: Copy, row: &Row, whole: String) {
        let masked;
        let (row, whole) = if self.masked && row.unlocked() {
            masked = mask(row);
            let private = [row.email(), row.known(Known::Phone)];
            let shown = |whole: String, private: &str| whole.replace(private, "•••");
            (&masked, private.into_iter().filter(|private| !private.is_empty()).fold(whole, shown))
        } else {
            (row, whole)
        };
        let (text, name) = match what {
            Copy::Email => (row.email().to_owned(), "email"),
            Copy::Phone => (row.known(Known::Phone).to_owned(), "phone"),
            Copy::Name => (row.name(), "name"),
            Copy::Row => (whole, "row"),
            Copy::Json => (row_text(row), "row as JSON"),
            Copy::Link => (row_link(row).unwrap_or_default().to_owned(), "link"),
        };
        if text.is_empty() {
            return self.say("This field is empty; nothing was copied.");
        }
        let masked = if matches!(what, Copy::Email | Copy::Phone) && text.contains('•') { "masked " } else { "" };
        self.copy_text(text, &format!("the {masked}{name}."));
    }

    pub fn copy_text(&mut self, text: String, words: &str) {
        self.fx.push(Effect::Copy(text));
        self.say(format!("Copied {words}"));
    }
}

/// The row as mask mode shows it.
fn mask(row: &Row) -> Row {
    let values = row.fields().map(|(name, kind, text)| match Known::of(name) {
        Some(Known::Email | Known::Phone) if !text.is_empty() => (CellKind::Text, "•••"),
        _ => (kind, text),
    });
    Row::new(row.id(), row.unlocked(), std::sync::Arc::clone(row.columns()), values)
}

/// The link of a row, http(s) only.
pub fn row_link(row: &Row) -> Option<&str> {
    [Known::Linkedin, Known::Website].into_iter().map(|column| row.known(column)).find(|link| is_web(link))
}

// Where one is: a screen, and what lies over it.

#[derive(Clone, Debug, Default)]
pub struct Nav {
    pub screen: Screen,
    /// Screens that were left for the present one, for `q`.
    pub back: Vec<Screen>,
    pub dialogs: Vec<Dialog>,
}

impl Nav {
    pub fn go(&mut self, to: Screen) {
        self.dialogs.clear();
        if to == Screen::Search {
            // Search is home: `q` leaves from there, however one came.
            self.back.clear();
        } else if to != self.screen {
            self.back.retain(|screen| *screen != to);
            self.back.push(self.screen);
        }
        self.screen = to;
    }

    /// False where there is nothing to go back to: Search is where everything begins and ends.
    pub fn back(&mut self) -> bool {
        let from = std::mem::replace(&mut self.screen, self.back.pop().unwrap_or_default());
        from != Screen::Search
    }

    pub fn top(&self) -> Option<&Dialog> {
        self.dialogs.last()
    }
}

/// The names that almost every screen uses.
pub(crate) mod prelude {
    pub(crate) use super::{Component, Scene, SceneRef, ScreenView, numbered, row_link};
    pub(crate) use crate::dialogs::prelude::*;
    pub(crate) use crate::dialogs::reader::{Reader, ReaderPart, ReaderSource};
    pub(crate) use crate::dialogs::{Dialog, ExportSubject};
    pub(crate) use crate::messages::{DOCTOR, Holds, trouble};
    pub(crate) use crate::widgets::table::{ColumnWidth, Table, TableColumn};
}
