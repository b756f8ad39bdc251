//! Contacts of the Data API, looked for at the Workspace: one free, narrow search each. The ids of the two services are not the same
//! (S8), so what is found is shown as likely the same, and nothing follows from it by itself.

use super::judge::domain_of;
use super::*;
use crate::flow::free_check::narrow_of;

/// The result of the search for one contact.
#[derive(Clone, Debug, PartialEq)]
pub enum LikelyResult {
    /// The response is still to come.
    Asked,
    /// Rows of the Workspace that are likely the same person: usually one, or none.
    Rows { rows: Vec<Row>, read: u64, total: u64 },
    /// It could not be asked for.
    Failed(String),
}

#[derive(Clone, Debug, Default)]
pub struct LikelyMatches {
    asked: HashMap<CallId, (Corpus, RowId, Row)>,
    found: BTreeMap<(Corpus, RowId), (Query, LikelyResult)>,
}

impl LikelyMatches {
    /// What is known of a contact of the Data API, with the search that was made.
    pub fn of(&self, corpus: Corpus, id: RowId) -> Option<&(Query, LikelyResult)> {
        self.found.get(&(corpus, id))
    }

    /// Looks for a contact of the Data API, free, unless that was done. False where nothing is known of it that could be searched
    /// by.
    pub fn check_row(&mut self, corpus: Corpus, row: &Row, cx: &mut FlowContext<'_>) -> bool {
        let Some(id) = row.id() else { return false };
        if !matches!(self.of(corpus, id), None | Some((_, LikelyResult::Failed(_)))) {
            return true;
        }
        let Some(query) = narrow(corpus, row) else { return false };
        let call = cx.search(Owner::Matching, query.clone(), 0, PAGE, Priority::Person);
        self.asked.insert(call, (corpus, id, row.clone()));
        self.found.insert((corpus, id), (query, LikelyResult::Asked));
        true
    }

    /// Whether an answer was for this.
    pub(super) fn handle(&mut self, arrival: &Arrival) -> bool {
        let Arrival::Reply(call, _, result) = arrival else { return false };
        let Some((corpus, id, wanted)) = self.asked.remove(call) else { return false };
        let found = match page_of(result) {
            Ok(page) => LikelyResult::Rows {
                rows: page.rows.iter().filter(|row| is_likely(&wanted, row)).cloned().collect(),
                read: page.rows.len() as u64,
                total: page.total,
            },
            Err(failure) => LikelyResult::Failed(failure.words().to_owned()),
        };
        if let Some((_, waiting)) = self.found.get_mut(&(corpus, id)) {
            *waiting = found;
        }
        true
    }
}

/// The Workspace's own filters that the row has a value for; `None` where it says neither title nor industry: that
/// would be no narrow search.
fn narrow(corpus: Corpus, row: &Row) -> Option<Query> {
    let mut clue = StagedFields::of(row).clue;
    // A comma in it would be read as two industries.
    clue.industry = Some(clue.industry).filter(|industry| !industry.contains(',')).unwrap_or_default();
    let query = narrow_of(Side { source: Source::Workspace, corpus }, &clue)?;
    (query.value(Filter::Title).is_some() || query.value(Filter::Industry).is_some()).then_some(query)
}

/// The same name at the same firm, and nothing that both show differs.
fn is_likely(data: &Row, row: &Row) -> bool {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (one, other) = (folded(&data.name()), folded(&row.name()));
    if one.is_empty() || one != other {
        return false;
    }
    let firms = [data, row].map(|row| firm::normal(row.known(Known::Company)));
    let domains = [domain_of(data), domain_of(row)];
    let same_firm = !firms[0].is_empty() && firms[0] == firms[1];
    let same_domain = domains[0].is_some() && domains[0] == domains[1];
    let differs = |known: Known| {
        let values = [data, row].map(|row| row.known(known).trim().to_lowercase());
        !values[0].is_empty() && !values[1].is_empty() && values[0] != values[1]
    };
    let letters = [data, row].map(|row| row.email().chars().next().filter(|c| c.is_ascii_alphanumeric()));
    let other_letter = same_domain && letters[0].is_some() && letters[1].is_some() && letters[0] != letters[1];
    (same_firm || same_domain) && !differs(Known::State) && !other_letter
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lode_core::row::{CellKind, ColumnNames};

    fn row(name: &str, company: &str, email: &str, state: &str) -> Row {
        let columns = Arc::new(ColumnNames::new(["contact_name", "company_name", "email", "state", "title"]));
        let values = [name, company, email, state, "Nurse"].map(|text| (CellKind::Text, text));
        Row::new(Some(RowId(1)), false, columns, values)
    }

    #[test]
    fn likely_is_one_name_at_one_firm_and_nothing_that_differs() {
        let data = row("Dana Whitfield", "Lakeside Inc", "dana@lakeside.example", "TX");
        for (other, likely) in [
            (row("dana  whitfield", "LAKESIDE LLC", "d•••@lakeside.example", "TX"), true),
            (row("Dana Whitfield", "Lakeside", "d•••@gmail.com", ""), true),
            (row("Dana Whitfield", "Quail Run", "d•••@quail.example", "TX"), false),
            (row("Dana Whitfield", "Lakeside", "d•••@lakeside.example", "OK"), false),
            (row("Dana Whitfield", "Lakeside", "w•••@lakeside.example", "TX"), false),
            (row("Dan Whitfield", "Lakeside", "d•••@lakeside.example", "TX"), false),
        ] {
            assert_eq!(is_likely(&data, &other), likely, "{other:?}");
        }
    }

    #[test]
    fn the_search_is_narrow_or_not_made() {
        let query = narrow(Corpus::Us, &row("Dana", "X", "d@corp.example", "TX")).unwrap();
        assert_eq!(query.canonical(), "workspace/us&title=Nurse&state=TX");
        let columns = Arc::new(ColumnNames::new(["state"]));
        assert_eq!(narrow(Corpus::Us, &Row::new(Some(RowId(1)), false, columns, [(CellKind::Text, "TX")])), None);
    }
}
