//! How a row looks once its contact is owned: the same row with the full address, so that it fills in at its place.

use std::sync::Arc;

use lode_core::contact::Contact;
use lode_core::row::{Kind, Known, Row};

/// `row` with what was bought. A field that the answer did not carry keeps what the search showed.
pub fn filled(row: &Row, contact: &Contact) -> Row {
    let columns = Arc::clone(row.columns());
    let values = row.fields().map(|(name, kind, text)| match (Known::of(name), name) {
        (Some(Known::Email), _) if !contact.email.is_empty() => (Kind::Text, contact.email.as_str()),
        (Some(Known::Phone), _) if !contact.phone.is_empty() => (Kind::Text, contact.phone.as_str()),
        (Some(Known::Verification), _) => match &contact.verification {
            Some(verification) => (Kind::Text, verification.word()),
            None => (kind, text),
        },
        (_, "unlocked") => (Kind::Json, "true"),
        _ => (kind, text),
    });
    Row::new(row.id(), true, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::{RowId, Verification};
    use lode_core::row::Columns;

    #[test]
    fn a_row_fills_in_place_and_keeps_everything_else() {
        let columns = Arc::new(Columns::new(["id", "email", "phone", "unlocked", "verification", "shoe_size"]));
        let values = [
            (Kind::Json, "9"),
            (Kind::Text, "d•••@lakeside.example"),
            (Kind::Text, "512•••71"),
            (Kind::Json, "false"),
            (Kind::Null, ""),
            (Kind::Json, "44"),
        ];
        let masked = Row::new(Some(RowId(9)), false, columns, values);
        let contact = Contact {
            email: "dana@lakeside.example".to_owned(),
            verification: Some(Verification::Valid),
            ..Contact::default()
        };
        let owned = filled(&masked, &contact);
        assert!(owned.unlocked() && owned.id() == masked.id());
        assert_eq!(owned.email(), "dana@lakeside.example");
        assert_eq!(owned.known(Known::Phone), "512•••71", "the answer did not carry one");
        assert_eq!(owned.named("verification"), Some("valid"));
        assert_eq!(owned.named("unlocked"), Some("true"));
        assert_eq!(owned.named("shoe_size"), Some("44"));
    }
}
