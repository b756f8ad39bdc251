//! Exports of what is already here: rows of the basket or of a selection, and contacts we own.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ABSENT, Cell, Layout, Sheet, Touched};
use crate::domain::owned::Owned;
use crate::domain::row::{Columns, Kind, Row};

/// All rows as one text. Rows of different searches may carry different columns: the sheet has every one of them, in the
/// order in which they first appear.
pub fn write(layout: Layout, rows: &[Row]) -> (Vec<u8>, Touched) {
    let mut names: Vec<&str> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut kinds: HashMap<*const Columns, Vec<usize>> = HashMap::new();
    for row in rows {
        kinds.entry(Arc::as_ptr(row.columns())).or_insert_with(|| {
            row.columns()
                .names()
                .iter()
                .map(|name| {
                    *places.entry(name).or_insert_with(|| {
                        names.push(name);
                        names.len() - 1
                    })
                })
                .collect()
        });
    }
    let mut sheet = Sheet::new(layout, &names);
    let mut out = Vec::with_capacity(rows.len() * 256);
    sheet.header(&mut out);
    let mut cells = Vec::new();
    for row in rows {
        cells.clear();
        cells.resize(names.len(), ABSENT);
        let places = &kinds[&Arc::as_ptr(row.columns())];
        for ((_, kind, text), place) in row.fields().zip(places) {
            cells[*place] = Cell { kind, text };
        }
        sheet.row(&cells, &mut out);
    }
    (out, sheet.touched())
}

/// Contacts we own as rows, in the words of `lode owned`.
pub fn owned_rows(contacts: &[Owned]) -> Vec<Row> {
    let columns = Arc::new(Columns::new([
        "id",
        "corpus",
        "email",
        "phone",
        "contact_name",
        "company_name",
        "title",
        "verification",
        "refunded",
        "tags",
        "note",
    ]));
    contacts
        .iter()
        .map(|owned| {
            let contact = &owned.contact;
            let id = owned.id.to_string();
            let tags = owned.tags.join(", ");
            let verification = contact.verification.as_ref().map(|verification| verification.word());
            let refunded = contact.refunded.map(|refunded| if refunded { "true" } else { "false" });
            let values = [
                (Kind::Json, id.as_str()),
                (Kind::Text, owned.corpus.name()),
                (Kind::Text, &contact.email),
                (Kind::Text, &contact.phone),
                (Kind::Text, &contact.contact_name),
                (Kind::Text, &contact.company_name),
                (Kind::Text, &contact.title),
                verification.map_or((Kind::Null, ""), |word| (Kind::Text, word)),
                refunded.map_or((Kind::Null, ""), |word| (Kind::Json, word)),
                (Kind::Text, &tags),
                (Kind::Text, &owned.note),
            ];
            Row::new(Some(owned.id), true, Arc::clone(&columns), values)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(columns: &Arc<Columns>, values: &[&str]) -> Row {
        Row::new(None, false, Arc::clone(columns), values.iter().map(|value| (Kind::Text, *value)))
    }

    #[test]
    fn rows_of_different_searches_share_one_sheet() {
        let us = Arc::new(Columns::new(["id", "email_address", "state"]));
        let linkedin = Arc::new(Columns::new(["id", "state", "email"]));
        let rows = [row(&us, &["1", "a@x.example", "TX"]), row(&linkedin, &["2", "CA", "b@x.example"])];
        let (csv, _) = write(Layout::Contacts, &rows);
        assert_eq!(
            String::from_utf8(csv).unwrap(),
            "id,email_address,state,email\n1,a@x.example,TX,\n2,,CA,b@x.example\n"
        );
        let (lines, _) = write(Layout::JsonLines, &rows);
        assert_eq!(
            String::from_utf8(lines).unwrap(),
            "{\"id\":\"1\",\"email_address\":\"a@x.example\",\"state\":\"TX\"}\n{\"id\":\"2\",\"state\":\"CA\",\"email\":\"b@x.example\"}\n"
        );
    }
}
