//! Every contact that is ours, with its verification, refund, receipt and source search.

use std::borrow::Cow;
use std::cmp::Reverse;

use ratatui::layout::Rect;

use crate::domain::credits::grouped;
use crate::domain::owned::Owned;
use crate::domain::query::Query;
use crate::effect::store::Receipt;
use crate::flow::session::Session;
use crate::ui::dialogs::reader::{Part, Reader};
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::pane;
use crate::ui::widgets::table::{self, Column};

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// Only contacts in which this occurs.
    pub find: String,
}

impl State {
    /// What is shown, the newest first.
    pub fn shown<'a>(&self, session: &'a Session) -> Vec<&'a Owned> {
        let find = self.find.to_lowercase();
        let mut all: Vec<&Owned> =
            session.ledger.owned().filter(|owned| find.is_empty() || names(owned, &find)).collect();
        all.sort_by_key(|owned| (Reverse(owned.unlocked_at), owned.corpus, owned.id));
        all
    }

    pub fn contact<'a>(&self, session: &'a Session) -> Option<&'a Owned> {
        let shown = self.shown(session);
        shown.get(self.at.min(shown.len().saturating_sub(1))).copied()
    }
}

fn names(owned: &Owned, find: &str) -> bool {
    let contact = &owned.contact;
    [&contact.contact_name, &contact.company_name, &contact.title, &contact.email, &contact.phone, &owned.note]
        .into_iter()
        .chain(&owned.tags)
        .any(|text| text.to_lowercase().contains(find))
        || owned.id.to_string() == find
}

const COLUMNS: [Column; 9] = [
    Column::text("NAME", 14, 100).growing(),
    Column::text("TITLE", 14, 30).growing(),
    Column::text("COMPANY", 14, 50).growing(),
    Column::text("EMAIL", 18, 90).growing(),
    Column::text("PHONE", 12, 60),
    Column::text("CHECK", 10, 80),
    Column::text("RECEIPT", 8, 40),
    Column::text("TAGS", 8, 45),
    Column::text("SINCE", 11, 20),
];

fn check(owned: &Owned) -> (String, Role) {
    match (&owned.contact.verification, owned.contact.refunded) {
        (_, Some(true)) => ("! refunded".to_owned(), Role::Refunded),
        (Some(word), _) if word.word() == "valid" => ("valid".to_owned(), Role::Good),
        (Some(word), _) => (word.word().to_owned(), Role::Warning),
        (None, _) if !owned.contact.has_address() => ("incomplete".to_owned(), Role::Warning),
        (None, _) => ("–".to_owned(), Role::Dim),
    }
}

fn masked_or(masked: bool, text: &str) -> Cow<'static, str> {
    Cow::from(if masked && !text.is_empty() { "•••".to_owned() } else { text.to_owned() })
}

pub fn view(
    state: &State,
    session: &Session,
    masked: bool,
    hour: impl Fn(i64) -> String,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let all = session.ledger.owned_count();
    let shown = state.shown(session);
    let mut title = format!("OWNED {}", grouped(all as u64));
    if !state.find.is_empty() {
        title.push_str(&format!("   {} with “{}”", grouped(shown.len() as u64), state.find));
    }
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height == 0 {
        return;
    }
    if shown.is_empty() {
        if all > 0 {
            table::instead(
                canvas,
                inside,
                &["Nothing of ours says that.", "/ finds something else; an empty word shows all."],
            );
        } else {
            table::instead(
                canvas,
                inside,
                &["Nothing is owned yet on this profile.", "U on Search reviews what an unlock would cost."],
            );
        }
        return;
    }
    let at = state.at.min(shown.len() - 1);
    let foot = if inside.height >= 7 { foot(shown[at], &hour) } else { Vec::new() };
    let list = Rect { height: inside.height.saturating_sub(foot.len() as u16), ..inside };
    table::draw(canvas, list, &COLUMNS, shown.len(), at, |row, column| {
        let owned = shown[row];
        let contact = &owned.contact;
        match column {
            0 if contact.contact_name.is_empty() => (Cow::from(owned.id.to_string()), Role::Dim),
            0 => (Cow::from(contact.contact_name.clone()), Role::Ours),
            1 => (Cow::from(contact.title.clone()), Role::Text),
            2 => (Cow::from(contact.company_name.clone()), Role::Text),
            3 => (masked_or(masked, &contact.email), Role::Text),
            4 => (masked_or(masked, &contact.phone), Role::Text),
            5 => {
                let (word, role) = check(owned);
                (Cow::from(word), role)
            }
            6 => (Cow::from(owned.order.map_or("before".to_owned(), |order| order.to_string())), Role::Dim),
            7 => (Cow::from(owned.tags.join(", ")), Role::Text),
            _ => (Cow::from(hour(owned.unlocked_at.0)), Role::Dim),
        }
    });
    for (line, (words, role)) in foot.iter().enumerate() {
        canvas.put(inside.x + 2, list.bottom() + line as u16, inside.width.saturating_sub(3), words, *role);
    }
}

/// The search it was found by, in words.
fn source(owned: &Owned) -> String {
    let query = owned.search.as_deref().and_then(Query::from_canonical);
    query.map_or("not known here".to_owned(), |query| format!("{}  {}", query.side, query.words()))
}

fn foot(owned: &Owned, hour: &impl Fn(i64) -> String) -> Vec<(String, Role)> {
    let note = if owned.note.is_empty() { "–" } else { &owned.note };
    let bought = match owned.order {
        Some(order) => format!("order {order}, {}", hour(owned.unlocked_at.0)),
        None => "owned before lode saw it".to_owned(),
    };
    vec![
        (String::new(), Role::Text),
        (format!("{}   {bought}   found by: {}", owned.corpus, source(owned)), Role::Text),
        (format!("note {note}   exporting again is free"), Role::Dim),
    ]
}

/// The contact in full, with its receipt.
pub fn reader(owned: &Owned, receipts: &[Receipt], masked: bool, hour: impl Fn(i64) -> String) -> Reader {
    let contact = &owned.contact;
    let private = |text: &str| if masked && !text.is_empty() { "•••".to_owned() } else { text.to_owned() };
    let dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let (word, role) = check(owned);
    let mut parts = vec![
        Part::Words(dash(&contact.contact_name), Role::Strong),
        Part::Words("Ours. Free to read and export.".to_owned(), Role::Ours),
        Part::Gap,
        Part::pair("email", dash(&private(&contact.email))),
        Part::pair("phone", dash(&private(&contact.phone))),
        Part::pair("title", dash(&contact.title)),
        Part::pair("company", dash(&contact.company_name)),
        Part::pair("corpus", format!("{}  id {}", owned.corpus, owned.id)),
        Part::Gap,
        Part::Pair(
            "verification".to_owned(),
            contact.verification.as_ref().map_or("not told".to_owned(), |word| word.word().to_owned()),
            role,
        ),
        Part::pair(
            "refund",
            match contact.refunded {
                Some(true) => "returned at once: the address proved bad; the contact stays ours",
                Some(false) => "none",
                None => "not told",
            },
        ),
    ];
    if word == "incomplete" {
        parts.push(Part::Words(
            "The address was not in the answer: a free look completes it.".to_owned(),
            Role::Warning,
        ));
    }
    parts.push(Part::pair("source search", source(owned)));
    match owned.order.and_then(|order| receipts.iter().find(|receipt| receipt.order == order)) {
        Some(receipt) => {
            let tally = &receipt.tally;
            parts.push(Part::pair(
                "receipt",
                format!(
                    "order {}  {}  {} asked, {} charged, {} refunded, net {}",
                    receipt.order,
                    hour(receipt.opened_at.0),
                    tally.asked,
                    tally.charged,
                    tally.refunded,
                    tally.net()
                ),
            ));
        }
        None => {
            let words = owned.order.map_or("owned before lode saw it".to_owned(), |order| format!("order {order}"));
            parts.push(Part::pair("receipt", words));
        }
    }
    parts.push(Part::pair("tags", dash(&owned.tags.join(", "))));
    parts.push(Part::pair("note", dash(&owned.note)));
    Reader::new("OWNED CONTACT", parts)
}
