//! Exports of local data: rows of the basket or of a selection, and owned contacts.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ABSENT, Cell};
use crate::owned::Owned;
use crate::row::{CellKind, ColumnNames, Row, Rows};

/// The one set of columns that rows of different searches share: every column they have, in the order in which they first appear.
pub struct Spread<'r> {
    pub names: Vec<&'r str>,
    /// Where the cells of a row go, by the columns of its search.
    places: HashMap<*const ColumnNames, Vec<usize>>,
}

impl<'r> Spread<'r> {
    pub fn of(rows: &'r [Row]) -> Spread<'r> {
        let mut names: Vec<&str> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut places: HashMap<*const ColumnNames, Vec<usize>> = HashMap::new();
        for row in rows {
            places.entry(Arc::as_ptr(row.columns())).or_insert_with(|| {
                row.columns()
                    .names()
                    .iter()
                    .map(|name| {
                        *known.entry(name).or_insert_with(|| {
                            names.push(name);
                            names.len() - 1
                        })
                    })
                    .collect()
            });
        }
        Spread { names, places }
    }

    /// The cells of one of these rows, one for each name.
    pub fn cells<'a>(&self, row: &'a Row, cells: &mut Vec<Cell<'a>>) {
        cells.clear();
        cells.resize(self.names.len(), ABSENT);
        let places = &self.places[&Arc::as_ptr(row.columns())];
        for ((_, kind, text), place) in row.fields().zip(places) {
            cells[*place] = Cell { kind, text };
        }
    }
}

/// The fields of an owned contact that lode itself knows, in the words of `lode owned`.
const OWNED: [&str; 11] = [
    "id", "corpus", "email", "phone", "contact_name", "company_name", "title", "verification", "refunded", "tags",
    "note",
];

/// Whether a field of a row says something that [`OWNED`] does not.
pub fn is_more(name: &str) -> bool {
    name != "unlocked" && name != "email_address" && !OWNED.contains(&name)
}

/// Owned contacts as rows, in the words of `lode owned`, each with what else its search row said: city, state, industry and
/// whatever the service sends.
pub fn owned_rows(contacts: &[Owned]) -> Vec<Row> {
    let bare = Arc::new(ColumnNames::new(OWNED));
    let mut wider: HashMap<*const ColumnNames, Arc<ColumnNames>> = HashMap::new();
    let mut rows = Rows::new(Arc::clone(&bare));
    for owned in contacts {
        let contact = &owned.contact;
        let id = owned.id.to_string();
        let tags = owned.tags.join(", ");
        let verification = contact.verification.as_ref().map(|verification| verification.word());
        let refunded = contact.refunded.map(|refunded| if refunded { "true" } else { "false" });
        let values = [
            (CellKind::Json, id.as_str()),
            (CellKind::Text, owned.corpus.name()),
            (CellKind::Text, &contact.email),
            (CellKind::Text, &contact.phone),
            (CellKind::Text, &contact.contact_name),
            (CellKind::Text, &contact.company_name),
            (CellKind::Text, &contact.title),
            verification.map_or((CellKind::Null, ""), |word| (CellKind::Text, word)),
            refunded.map_or((CellKind::Null, ""), |word| (CellKind::Json, word)),
            (CellKind::Text, &tags),
            (CellKind::Text, &owned.note),
        ];
        match &owned.row {
            Some(row) => {
                let columns = wider.entry(Arc::as_ptr(row.columns())).or_insert_with(|| {
                    let more = row.columns().names().iter().map(|name| &**name).filter(|name| is_more(name));
                    Arc::new(ColumnNames::new(OWNED.into_iter().chain(more)))
                });
                let more = row.fields().filter(|(name, ..)| is_more(name)).map(|(_, kind, text)| (kind, text));
                rows.push(Some(owned.id), true, columns, values.into_iter().chain(more));
            }
            None => rows.push(Some(owned.id), true, &bare, values),
        }
    }
    rows.finish()
}

#[cfg(test)]
mod tests {
    use super::super::{ExportWriter, Layout};
    use super::*;

    fn write(layout: Layout, rows: &[Row]) -> String {
        let spread = Spread::of(rows);
        let mut sheet = ExportWriter::new(layout, &spread.names);
        let (mut out, mut cells) = (Vec::new(), Vec::new());
        sheet.header(&mut out);
        for row in rows {
            spread.cells(row, &mut cells);
            sheet.row(&cells, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    fn row(columns: &Arc<ColumnNames>, values: &[&str]) -> Row {
        Row::new(None, false, Arc::clone(columns), values.iter().map(|value| (CellKind::Text, *value)))
    }

    #[test]
    fn rows_of_different_searches_share_one_sheet() {
        let us = Arc::new(ColumnNames::new(["id", "email_address", "state"]));
        let linkedin = Arc::new(ColumnNames::new(["id", "state", "email"]));
        let rows = [row(&us, &["1", "a@x.example", "TX"]), row(&linkedin, &["2", "CA", "b@x.example"])];
        let csv = write(Layout::Contacts, &rows);
        assert_eq!(csv, "id,email_address,state,email\n1,a@x.example,TX,\n2,,CA,b@x.example\n");
        let lines = write(Layout::JsonLines, &rows);
        assert_eq!(
            lines,
            "{\"id\":\"1\",\"email_address\":\"a@x.example\",\"state\":\"TX\"}\n{\"id\":\"2\",\"state\":\"CA\",\"email\":\"b@x.example\"}\n"
        );
    }
}
