//! One staged row in memory: the row as the search showed it, which says everything a screen, a quote or a free look asks.
//! A basket of 50,000 stays small because the rows share their column names and their search.

use std::sync::Arc;

use crate::wire::rows;
use lode_core::contact::{RowId, Source};
use lode_core::export::json::row_text;
use lode_core::money::{About, Clue, Staged};
use lode_core::query::Query;
use lode_core::row::{Columns, Kind, Known, Row, Rows};

#[derive(Clone, Debug)]
pub struct Entry {
    pub(super) place: u32,
    pub(super) owned: bool,
    /// It has an id.
    row: Row,
    search: Option<Arc<String>>,
}

impl Entry {
    pub(super) fn new(place: u32, row: Row, search: Option<Arc<String>>) -> Entry {
        Entry { place, owned: row.unlocked(), row, search }
    }

    /// A row of a search as if it were staged; none without an id.
    pub fn of(row: &Row, query: &Query) -> Option<Entry> {
        row.id().map(|_| Entry::new(0, row.clone(), Some(Arc::new(query.canonical()))))
    }

    /// The same row where the store has it now.
    pub(super) fn moved_to(self, place: u32, owned: bool) -> Entry {
        Entry { place, owned: owned || self.owned, ..self }
    }

    pub fn id(&self) -> RowId {
        self.row.id().expect("only rows with an id are staged")
    }

    /// The search showed it as owned: unlocking it costs nothing.
    pub fn owned(&self) -> bool {
        self.owned
    }

    pub fn row(&self) -> &Row {
        &self.row
    }

    /// The canonical form of the search that showed it.
    pub fn search(&self) -> Option<&str> {
        self.search.as_deref().map(String::as_str)
    }

    /// What the review and a free look need of it.
    pub fn staged(&self) -> Staged {
        self.staged_with(String::new())
    }

    /// The same with the whole row, as the store keeps it.
    pub fn to_store(&self) -> Staged {
        self.staged_with(row_text(&self.row))
    }

    fn staged_with(&self, row: String) -> Staged {
        let text = |column| self.row.known(column).to_owned();
        let about = About {
            email: text(Known::Email),
            phone: text(Known::Phone),
            name: self.row.name(),
            company: text(Known::Company),
            email_status: text(Known::EmailStatus),
            clue: Clue {
                title: text(Known::Title),
                title_level: text(Known::TitleLevel),
                state: text(Known::State),
                industry: text(Known::Industry),
                email_domain_type: text(Known::EmailDomainType),
                search: self.search.as_deref().cloned(),
            },
            row,
        };
        Staged::new(self.id(), self.owned, about)
    }
}

/// The rows that the store kept, side by side.
pub(super) fn read<'a>(kept: impl Iterator<Item = &'a Staged>, source: Source, like: Option<&Row>) -> Vec<Row> {
    let mut rows = like.map(|like| Rows::new(Arc::clone(like.columns())));
    for staged in kept {
        let row = rows::read_one(source, &staged.row).unwrap_or_else(|_| known_fields(staged));
        let values = row.fields().map(|(_, kind, text)| (kind, text));
        let rows = rows.get_or_insert_with(|| Rows::new(Arc::clone(row.columns())));
        rows.push(Some(staged.id), row.unlocked(), row.columns(), values);
    }
    rows.map(Rows::finish).unwrap_or_default()
}

/// A row of which the store kept no more than single fields, such as one that was added by its id.
fn known_fields(staged: &Staged) -> Row {
    let id = staged.id.to_string();
    let fields = [
        ("id", Kind::Json, id.as_str()),
        ("contact_name", Kind::Text, &staged.name),
        ("company_name", Kind::Text, &staged.company),
        ("title", Kind::Text, &staged.clue.title),
        ("title_level", Kind::Text, &staged.clue.title_level),
        ("state", Kind::Text, &staged.clue.state),
        ("industry", Kind::Text, &staged.clue.industry),
        ("email", Kind::Text, &staged.email),
        ("phone", Kind::Text, &staged.phone),
        ("email_domain_type", Kind::Text, &staged.clue.email_domain_type),
        ("email_status", Kind::Text, &staged.email_status),
    ];
    let columns = Columns::new(fields.iter().map(|(name, ..)| *name));
    Row::new(Some(staged.id), staged.owned, Arc::new(columns), fields.iter().map(|(_, kind, text)| (*kind, *text)))
}
