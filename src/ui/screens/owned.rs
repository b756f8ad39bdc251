//! Every contact that is owned, with its verification, refund, receipt and source search.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::card::{self, Card};
use crate::keys::command::OwnedCommand as Do;
use crate::scene::prelude::*;
use crate::signs;

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, scene) = self;
        let session = scene.session;
        let all = session.ledger.owned_count();
        let shown = state.shown.len();
        let mut title = format!("Owned {}", grouped(all as u64));
        if !state.find.is_empty() {
            title.push_str(&format!("   {} with “{}”", grouped(shown as u64), state.find));
        }
        let inside = TitledPane::new(&title, true).draw(body, buf, cx);
        let Some(looked_at) = state.contact(session) else {
            let words = match all {
                0 => [
                    "No contacts unlocked yet",
                    "What you unlock stays here and is free to export.",
                    "<results.unlock> on Search unlocks",
                ],
                _ => ["No owned contact matches", "An empty search shows all.", "<owned.find> search again"],
            };
            return table::empty(&words, inside, buf, cx);
        };
        let at = state.at.min(shown - 1);
        let list = table::foot(buf, cx, inside, 2, &footer(looked_at, scene, inside.height));
        let visible = table::around(at, body.height, shown).filter_map(|at| Some((at, state.shown_at(at, session)?)));
        let changed = visible.filter(|(_, owned)| cx.motion.rows.contains(&key(owned))).map(|(at, _)| at).collect();
        let cell = |row: usize, column| {
            let Some(owned) = state.shown_at(row, session) else { return (String::new(), Role::Text) };
            let contact = &owned.contact;
            match column {
                0 => (sign(owned).letter().to_owned(), sign(owned).role()),
                1 if contact.contact_name.is_empty() => (owned.id.to_string(), Role::Dim),
                1 => (contact.contact_name.clone(), Role::Text),
                2 => (contact.title.clone(), Role::Text),
                3 => (contact.company_name.clone(), Role::Text),
                4 => (signs::shown(scene.masked, &contact.email), Role::Owned),
                5 => (signs::shown(scene.masked, &text::phone(&contact.phone)), Role::Owned),
                6 => status(owned).map_or((String::new(), Role::Dim), |(dot, role, ..)| (dot.to_owned(), role)),
                7 => check(owned),
                8 => (owned.order.map_or("seen".to_owned(), |order| order.to_string()), Role::Dim),
                9 => (owned.tags.join(", "), Role::Text),
                _ => (scene.hour(owned.unlocked_at.0), Role::Dim),
            }
        };
        Table { columns: &COLUMNS, count: shown, at, changed, cell }.render(list, buf, cx);
    }
}

impl Component for State {
    fn states(&self, scene: SceneRef<'_>, height: u16) -> RowStates {
        let visible = table::around(self.at, height, self.shown.len());
        let owned = visible.filter_map(|at| self.shown_at(at, scene.session));
        let rows = owned.map(|owned| (key(owned), Some(sign(owned)))).collect();
        RowStates { total: scene.session.ledger.owned_count(), rows }
    }

    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.ledger.owned_count() as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        self.contact(scene.session).is_some()
    }

    fn command_line(&self, _: SceneRef<'_>) -> Option<String> {
        let line = "lode owned".to_owned();
        Some(if self.find.is_empty() { line } else { format!("{line} --find {}", quoted(&self.find)) })
    }

    fn contact_reader(&self, scene: SceneRef<'_>, raw: bool) -> Option<Reader> {
        let owned = self.contact(scene.session)?;
        let row = owned_rows(std::slice::from_ref(owned)).pop()?;
        let (side, unlock) = (key(owned).side, ("", Command::Owned(Do::Open)));
        let card = || Card { scene, side, row: &row, unlock }.parts(parts(owned, scene), None);
        let at = self.at.min(self.shown.len() - 1) as u64 + 1;
        Some(card::dialog(scene, &row, (!raw).then(card), "<owned.open>", (at, self.shown.len() as u64)))
    }

    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        self.contact(scene.session).map(|owned| owned_rows(std::slice::from_ref(owned))).unwrap_or_default()
    }

    fn exports(&self, scene: SceneRef<'_>) -> Vec<(ExportSubject, String)> {
        let count = scene.session.ledger.owned_count() as u64;
        let owned = (ExportSubject::Owned, format!("owned ({})", counted(count, "contact")));
        if count > 0 { vec![owned] } else { Vec::new() }
    }

    /// The receipts are read, which the contacts point at.
    fn arrive(&mut self, scene: &mut Scene<'_>) {
        if scene.session.ledger.receipts.is_none() {
            scene.session.ledger.read_receipts(&mut scene.session.desk.at(scene.now, scene.fx));
        }
    }

    /// Looks again at what is owned where that or the words changed: hundreds of thousands of contacts are not put in order for
    /// each key.
    fn look(&mut self, scene: &mut Scene<'_>) {
        let ledger = &scene.session.ledger;
        let changes = ledger.changes;
        if self.known.as_ref().is_some_and(|(known, words)| *known == changes && *words == self.find) {
            return;
        }
        let mentioned = ledger.owned().filter(|owned| owned.mentions(&self.find));
        let mut all: Vec<_> = mentioned.map(|owned| (Reverse(owned.unlocked_at), owned.corpus, owned.id)).collect();
        all.sort_unstable();
        self.shown = all.into_iter().map(|(_, corpus, id)| (corpus, id)).collect();
        self.known = Some((changes, self.find.clone()));
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Owned(command) = command else { return };
        match (command, self.contact(scene.session).cloned()) {
            (Do::Find, _) => {
                let words = "Name, company, title, email, tag or note; empty shows all.";
                scene.prompt("Find", words, Intent::ListFind, Field::offering(self.find.clone()));
            }
            (_, None) => {}
            (Do::Open, Some(_)) => scene.open_contact(),
            (Do::Tag, Some(contact)) => {
                let words = format!("Tags of {}, separated by commas.", name(&contact));
                scene.prompt("Tag", words, Intent::Tag(key(&contact)), Field::new(contact.tags.join(", ")));
            }
            (Do::Note, Some(contact)) => {
                let words = format!("Note on {} (kept on this computer only).", name(&contact));
                scene.prompt("Note", words, Intent::Note(key(&contact)), Field::new(contact.note));
            }
            (Do::Export, Some(_)) if self.find.is_empty() => scene.hand(Intent::OfferExport),
            (Do::Export, Some(_)) => {
                let shown = (0..self.shown.len()).filter_map(|at| self.shown_at(at, scene.session).cloned());
                let rows = owned_rows(&Vec::from_iter(shown));
                scene.hand(Intent::ExportRows(format!("owned contacts with “{}”", self.find), rows));
            }
            (Do::Forget, Some(contact)) => {
                let words = format!(
                    "Removes {} from this computer, with tags and note. Your workspace still owns it and the receipt stays; a \
                     search or an unlock brings it back for free.",
                    name(&contact)
                );
                let forget = Intent::ForgetOwned(key(&contact));
                scene.ask("Forget", words, "Cancel", vec![("Remove from this computer", forget)]);
            }
        }
    }

    fn cursor(&mut self, _: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        Some((&mut self.at, self.shown.len(), Some(Command::Owned(Do::Open))))
    }
}

// Which of the owned contacts are shown, and which one is looked at.

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// Only contacts in which this occurs.
    pub find: String,
    /// What is shown, the newest first.
    shown: Vec<(Corpus, RowId)>,
    /// Of which state of the ledger that is true, and of which words.
    known: Option<(u64, String)>,
}

impl State {
    /// One of those that are shown.
    fn shown_at<'a>(&self, at: usize, session: &'a Session) -> Option<&'a Owned> {
        let (corpus, id) = self.shown.get(at)?;
        session.ledger.contact(*corpus, *id)
    }

    pub fn contact<'a>(&self, session: &'a Session) -> Option<&'a Owned> {
        self.shown_at(self.at.min(self.shown.len().saturating_sub(1)), session)
    }
}

// What the commands of the Owned screen do. All of it is free.

pub fn forget(key: ContactKey, scene: &mut Scene<'_>) {
    scene.session.ledger.forget(key.side.corpus, vec![key.id], &mut scene.session.desk.at(scene.now, scene.fx));
    scene.say("Removed from this computer. Your workspace still owns it; the receipt stays.");
}

// What there is to say of an owned contact, up to the whole of it with its receipt.

fn status(owned: &Owned) -> Option<(&'static str, Role, Cow<'_, str>, Role)> {
    owned.contact.verification.as_ref().and_then(|found| status_of(found.word()))
}

fn check(owned: &Owned) -> (String, Role) {
    match (status(owned), owned.contact.refunded) {
        (Some((.., word, _)), Some(true)) => (word.into_owned(), Role::Refunded),
        (None, Some(true)) => ("refunded".to_owned(), Role::Refunded),
        (Some((.., word, role)), _) => (word.into_owned(), role),
        (None, _) if !owned.contact.has_address() => ("incomplete".to_owned(), Role::Warning),
        (None, _) => ("–".to_owned(), Role::Dim),
    }
}

/// Whether it was paid for in the end.
fn sign(owned: &Owned) -> Sign {
    if owned.contact.refunded == Some(true) { Sign::Refunded } else { Sign::Owned }
}

fn key(owned: &Owned) -> ContactKey {
    ContactKey { side: Side { source: Source::Workspace, corpus: owned.corpus }, id: owned.id }
}

fn name(owned: &Owned) -> String {
    let name = &owned.contact.contact_name;
    if name.is_empty() { format!("contact {}", owned.id) } else { name.clone() }
}

/// What stands for the receipt of a contact that was not bought here.
fn seen(when: &str) -> String {
    format!("seen {when}, not bought by lode")
}

/// The search it was found by, in words.
fn source(owned: &Owned) -> String {
    let query = owned.search.as_deref().and_then(Query::from_canonical);
    query.map_or("unknown".to_owned(), |query| format!("{}  {}", query.side, query.words()))
}

/// The order that bought it, or when it was seen.
fn receipt(owned: &Owned, scene: SceneRef<'_>) -> String {
    let Some(order) = owned.order else { return seen(&scene.hour(owned.unlocked_at.0)) };
    let mut receipts = scene.session.ledger.receipts.as_deref().unwrap_or_default().iter();
    let Some(receipt) = receipts.find(|receipt| receipt.order == order) else { return format!("order {order}") };
    let (when, tally) = (scene.hour(receipt.opened_at.0), &receipt.tally);
    let (asked, charged, refunded) = (tally.asked, tally.charged, tally.refunded);
    let net = counted(tally.net(), "credit");
    format!("order {order}  {when}  {asked} requested, {charged} charged, {refunded} refunded, {net}")
}

/// Where it came from and what it cost.
fn parts(owned: &Owned, scene: SceneRef<'_>) -> Vec<ReaderPart> {
    let mut parts = vec![ReaderPart::Gap];
    if owned.contact.refunded == Some(true) {
        let words = "Refunded: the email is invalid or disposable. You keep the contact.";
        parts.push(ReaderPart::Words(words.to_owned(), Role::Refunded));
    }
    if check(owned).0 == "incomplete" {
        let words = "The email was not in the response: a free check completes it.";
        parts.push(ReaderPart::Words(words.to_owned(), Role::Warning));
    }
    parts.extend([ReaderPart::pair("found by", source(owned)), ReaderPart::pair("receipt", receipt(owned, scene))]);
    parts
}

// The list of the owned contacts.

const COLUMNS: [TableColumn; 11] = [
    TableColumn::new("", 1, 200, ColumnWidth::Fixed),
    TableColumn::new("Name", 14, 100, ColumnWidth::Values),
    TableColumn::new("Title", 14, 40, ColumnWidth::Values),
    TableColumn::new("Company", 14, 50, ColumnWidth::Values),
    TableColumn::new("Email", 18, 90, ColumnWidth::Whole),
    TableColumn::new("Phone", 12, 85, ColumnWidth::Whole),
    TableColumn::new("", 1, 190, ColumnWidth::Fixed),
    TableColumn::new("Status", 10, 80, ColumnWidth::Values),
    TableColumn::new("Receipt", 8, 30, ColumnWidth::Fixed),
    TableColumn::new("Tags", 12, 45, ColumnWidth::Values),
    TableColumn::new("Since", 11, 20, ColumnWidth::Values),
];

// Where the contact that is looked at came from, below the list.

fn footer(owned: &Owned, scene: SceneRef<'_>, height: u16) -> Vec<(String, Role)> {
    if height < 7 {
        return Vec::new();
    }
    let note = if owned.note.is_empty() { "–" } else { &owned.note };
    let when = scene.hour(owned.unlocked_at.0);
    let bought = owned.order.map_or_else(|| seen(&when), |order| format!("order {order}, {when}"));
    vec![
        (String::new(), Role::Text),
        (format!("{}   {bought}   found by: {}", owned.corpus, source(owned)), Role::Text),
        (format!("note {note}   exporting again is free"), Role::Dim),
    ]
}
