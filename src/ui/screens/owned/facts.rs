//! What there is to say of an owned contact, up to the whole of it with its receipt.

use crate::dialogs::reader::{Part, Reader};
use crate::scene::Scene;
use crate::signs::Sign;
use crate::theme::Role;
use lode_core::contact::{ContactKey, Side, Source};
use lode_core::credits::counted;
use lode_core::export::local::is_more;
use lode_core::owned::Owned;
use lode_core::query::Query;
use lode_core::row::Row;

pub(super) fn check(owned: &Owned) -> (String, Role) {
    match (&owned.contact.verification, owned.contact.refunded) {
        (Some(word), Some(true)) => (word.word().to_owned(), Role::Refunded),
        (None, Some(true)) => ("refunded".to_owned(), Role::Refunded),
        (Some(word), _) if word.word() == "valid" => ("valid".to_owned(), Role::Good),
        (Some(word), _) => (word.word().to_owned(), Role::Warning),
        (None, _) if !owned.contact.has_address() => ("incomplete".to_owned(), Role::Warning),
        (None, _) => ("–".to_owned(), Role::Dim),
    }
}

/// Whether it was paid for in the end.
pub(super) fn sign(owned: &Owned) -> Sign {
    if owned.contact.refunded == Some(true) { Sign::Refunded } else { Sign::Owned }
}

pub(super) fn masked(masked: bool, text: &str) -> String {
    if masked && !text.is_empty() { "•••".to_owned() } else { text.to_owned() }
}

pub(super) fn key(owned: &Owned) -> ContactKey {
    ContactKey { side: Side { source: Source::Workspace, corpus: owned.corpus }, id: owned.id }
}

pub(super) fn name(owned: &Owned) -> String {
    let name = &owned.contact.contact_name;
    if name.is_empty() { format!("contact {}", owned.id) } else { name.clone() }
}

/// What stands for the receipt of a contact that was not bought here.
pub(super) fn seen(when: String) -> String {
    format!("seen {when}, not bought by lode")
}

/// The search it was found by, in words.
pub(super) fn source(owned: &Owned) -> String {
    let query = owned.search.as_deref().and_then(Query::from_canonical);
    query.map_or("unknown".to_owned(), |query| format!("{}  {}", query.side, query.words()))
}

/// The order that bought it, or when it was seen.
fn receipt(owned: &Owned, scene: &Scene<'_>) -> String {
    let Some(order) = owned.order else { return seen(scene.hour(owned.unlocked_at.0)) };
    let mut receipts = scene.session.ledger().receipts().unwrap_or_default().iter();
    let Some(receipt) = receipts.find(|receipt| receipt.order == order) else { return format!("order {order}") };
    let (when, tally) = (scene.hour(receipt.opened_at.0), &receipt.tally);
    let (asked, charged, refunded) = (tally.asked, tally.charged, tally.refunded);
    let net = counted(tally.net(), "credit");
    format!("order {order}  {when}  {asked} requested, {charged} charged, {refunded} refunded, {net}")
}

/// The contact in full, with its receipt.
pub(super) fn reader(owned: &Owned, scene: &Scene<'_>) -> Reader {
    let contact = &owned.contact;
    let dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let (word, role) = check(owned);
    let verification = contact.verification.as_ref().map_or("not reported", |word| word.word());
    let refund = match contact.refunded {
        Some(true) => "refunded: the email is invalid or disposable; you keep the contact",
        Some(false) => "none",
        None => "not reported",
    };
    let mut parts = vec![
        Part::Words(dash(&contact.contact_name), Role::Strong),
        Part::Words("Owned. Free to view and export.".to_owned(), Role::Owned),
        Part::Gap,
        Part::pair("email", dash(&masked(scene.masked, &contact.email))),
        Part::pair("phone", dash(&masked(scene.masked, &contact.phone))),
        Part::pair("title", dash(&contact.title)),
        Part::pair("company", dash(&contact.company_name)),
        Part::pair("corpus", format!("{}  id {}", owned.corpus, owned.id)),
        Part::Gap,
        Part::Pair("verification".to_owned(), verification.to_owned(), role),
        Part::pair("refund", refund),
    ];
    if word == "incomplete" {
        let words = "The email was not in the response: a free check completes it.";
        parts.push(Part::Words(words.to_owned(), Role::Warning));
    }
    parts.extend([
        Part::pair("source search", source(owned)),
        Part::pair("receipt", receipt(owned, scene)),
        Part::pair("tags", dash(&owned.tags.join(", "))),
        Part::pair("note", dash(&owned.note)),
    ]);
    let told = owned.row.iter().flat_map(Row::fields).filter(|(name, _, text)| is_more(name) && !text.is_empty());
    let mut more = told.map(|(name, _, text)| Part::pair(name, text)).peekable();
    parts.extend(more.peek().is_some().then_some(Part::Gap));
    parts.extend(more);
    Reader::new("Owned contact", parts)
}
