//! What a search asks of a corpus. What it means for one row is written out in `tests`.

/// A column that can be filtered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScanField {
    Title,
    Industry,
    CompanyName,
    ContactName,
    FirstName,
    LastName,
    Address,
    City,
    County,
    State,
    Zip,
    Phone,
    CompanyWebsite,
    SicCode,
    NaicsCode,
    EmailAddress,
    EmailDomainType,
    EmailStatus,
    TitleLevel,
    IndustryGroup,
    Revenue,
    Employees,
}

impl ScanField {
    /// Text filters match within the field and ignore case; code and location filters match the stored value exactly.
    pub fn matches_within(self) -> bool {
        use ScanField::*;
        matches!(self, Title | Industry | CompanyName | ContactName | FirstName | LastName | Address)
    }
}

/// A search: the query and all clauses must hold; inside a clause one value is enough.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ScanQuery {
    /// Every word must occur in the company, name, title, industry, city or county, or be the state's code.
    pub query: Option<String>,
    /// AND over clauses, OR inside one (only industry ever has several values).
    pub clauses: Vec<(ScanField, Vec<String>)>,
    /// Leaves out rows that repeat an earlier one.
    pub dedup: bool,
}

impl ScanQuery {
    /// Whether there is a query or at least one filter.
    pub fn narrows(&self) -> bool {
        self.query.is_some() || !self.clauses.is_empty()
    }

    /// The same search always in the same words, however it was written.
    pub(super) fn canonical(&self) -> ScanQuery {
        let mut words: Vec<String> =
            self.query.iter().flat_map(|query| query.split_whitespace()).map(str::to_lowercase).collect();
        words.sort();
        words.dedup();
        let mut clauses: Vec<(ScanField, Vec<String>)> = self
            .clauses
            .iter()
            .map(|(field, values)| {
                let same = |value: &String| if field.matches_within() { value.to_lowercase() } else { value.clone() };
                let mut values: Vec<String> = values.iter().map(same).collect();
                values.sort();
                values.dedup();
                (*field, values)
            })
            .collect();
        clauses.sort();
        clauses.dedup();
        ScanQuery { query: (!words.is_empty()).then(|| words.join(" ")), clauses, dedup: self.dedup }
    }
}
