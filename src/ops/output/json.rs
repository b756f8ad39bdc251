//! JSON lines whose keys other programs rely on.

use serde::Serialize;
use serde_json::{Value, json};

use lode_core::{Contact, Corpus, Outcome, Owned, Row, RowId, Score, scrub};

use super::shapes::{ContactShape, OwnedLine, ScoreShape, UnlockLine};

/// A row with its fields as the service sent them: same names, same order, same types.
pub use lode_core::row_text as row;

/// The same with its score and the parts of it, under the name `lode`: no field of a service has this name.
pub fn scored(of: &Row, score: &Score<'_>) -> String {
    let parts = score.parts.iter().map(|(label, points)| ((*label).to_owned(), Value::from(*points)));
    let mut text = row(of);
    let before = if text.ends_with("{}") { "" } else { "," };
    text.pop();
    let shape = line(&ScoreShape { score: score.total(), parts: parts.collect() });
    format!("{text}{before}\"lode\":{shape}}}")
}

/// A line of one of the shapes.
pub fn line(shape: &impl Serialize) -> String {
    serde_json::to_string(shape).expect("a shape of our own is always JSON")
}

/// Text that is null where the answer did not carry it.
pub fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn shape(contact: &Contact) -> ContactShape {
    let Contact { email, phone, contact_name, company_name, title, verification, .. } = contact;
    let [email, phone, contact_name] = [email, phone, contact_name].map(|field| text(field));
    let [company_name, title] = [company_name, title].map(|field| text(field));
    let verification = verification.as_ref().map(|verification| verification.word().to_owned());
    ContactShape { email, phone, contact_name, company_name, title, verification }
}

/// One contact of `lode unlock` and `lode recover`, as it settles.
pub fn settled(corpus: Corpus, id: RowId, outcome: Outcome, contact: &Contact) -> String {
    // Whether it was bought is not known and never will be: to a script that is unknown, and the line says why it stays so.
    let unreachable = outcome == Outcome::Unreachable;
    let outcome = if unreachable { Outcome::Unknown.name() } else { outcome.name() };
    line(&UnlockLine { id: id.0, corpus: corpus.name(), outcome, contact: shape(contact), unreachable })
}

/// A response that could be neither stored nor read.
pub fn unstored(response: &str) -> String {
    json!({"unstored": {"response": scrub(response)}}).to_string()
}

/// One contact of `lode owned`: the same keys whatever answer it came from.
pub fn owned(owned: &Owned) -> OwnedLine {
    OwnedLine {
        id: owned.id.0,
        corpus: owned.corpus.name(),
        contact: shape(&owned.contact),
        refunded: owned.contact.refunded,
        unlocked_at: super::moment(owned.unlocked_at),
        tags: owned.tags.clone(),
        note: owned.note.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lode_core::row::{CellKind, ColumnNames};

    #[test]
    fn a_row_is_written_as_it_came() {
        let columns = Arc::new(ColumnNames::new(["id", "title", "note \"x\"", "score", "phone"]));
        let values = [
            (CellKind::Json, "7"),
            (CellKind::Text, "Director \"of\" Nursing"),
            (CellKind::Null, ""),
            (CellKind::Json, "1.50"),
            (CellKind::Text, "007"),
        ];
        assert_eq!(
            row(&Row::new(Some(RowId(7)), false, columns, values)),
            r#"{"id":7,"title":"Director \"of\" Nursing","note \"x\"":null,"score":1.50,"phone":"007"}"#
        );
    }

    #[test]
    fn a_settled_contact_has_exactly_the_promised_names() {
        let line = settled(Corpus::Us, RowId(5), Outcome::Locked, &Contact::default());
        assert_eq!(
            line,
            r#"{"id":5,"corpus":"us","outcome":"locked","email":null,"phone":null,"contact_name":null,"company_name":null,"title":null,"verification":null}"#
        );
        let line = settled(Corpus::Us, RowId(5), Outcome::Unreachable, &Contact::default());
        assert!(line.contains(r#""outcome":"unknown""#) && line.ends_with(r#""unreachable":true}"#), "{line}");
    }
}
