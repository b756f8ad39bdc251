//! The filters of both documents: the one catalog from which the filter pane, the shell flags, the saved files and the
//! requests are made. A parameter that no document names is not in it and is therefore never sent.

use super::contact::{Corpus, Side, Source};

/// A filter parameter that at least one search endpoint documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filter {
    Query,
    Title,
    TitleLevel,
    Industry,
    IndustryGroup,
    CompanyName,
    ContactName,
    FirstName,
    LastName,
    State,
    City,
    County,
    Zip,
    Address,
    Phone,
    EmailAddress,
    CompanyWebsite,
    SicCode,
    NaicsCode,
    Revenue,
    Employees,
    EmailDomainType,
    EmailStatus,
}

/// How the service compares a value, and so how it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Matches within the field.
    Text,
    /// Matches within the field; several values, any of which may match.
    AnyOf,
    /// Matches the stored value exactly.
    Exact,
    /// Matches exactly, and these are the values that the Data API documents. The Workspace API shows one of each and is sent
    /// what was typed.
    OneOf(&'static [&'static str]),
}

pub const TITLE_LEVELS: &[&str] = &["C-Level", "VP", "Director", "Manager", "Other"];
pub const EMAIL_DOMAIN_TYPES: &[&str] = &["corporate", "edu", "personal", "gov"];
pub const EMAIL_STATUSES: &[&str] =
    &["cross_verified", "valid", "catch_all", "unknown", "invalid", "disposable", "bounced"];

/// Email statuses that make an unlock a poor buy (M9).
pub const RISKY_STATUSES: &[&str] = &["invalid", "disposable", "bounced"];

impl Filter {
    pub const ALL: [Filter; 23] = [
        Filter::Query,
        Filter::Title,
        Filter::TitleLevel,
        Filter::Industry,
        Filter::IndustryGroup,
        Filter::CompanyName,
        Filter::ContactName,
        Filter::FirstName,
        Filter::LastName,
        Filter::State,
        Filter::City,
        Filter::County,
        Filter::Zip,
        Filter::Address,
        Filter::Phone,
        Filter::EmailAddress,
        Filter::CompanyWebsite,
        Filter::SicCode,
        Filter::NaicsCode,
        Filter::Revenue,
        Filter::Employees,
        Filter::EmailDomainType,
        Filter::EmailStatus,
    ];

    /// Its letter in the menu of the filters.
    pub fn letter(self) -> char {
        match self {
            Filter::Query => 'q',
            Filter::Title => 't',
            Filter::TitleLevel => 'l',
            Filter::Industry => 'i',
            Filter::IndustryGroup => 'g',
            Filter::CompanyName => 'c',
            Filter::ContactName => 'n',
            Filter::FirstName => 'f',
            Filter::LastName => 'o',
            Filter::State => 's',
            Filter::City => 'y',
            Filter::County => 'u',
            Filter::Zip => 'z',
            Filter::Address => 'a',
            Filter::Phone => 'p',
            Filter::EmailAddress => 'e',
            Filter::CompanyWebsite => 'w',
            Filter::SicCode => 'k',
            Filter::NaicsCode => 'x',
            Filter::Revenue => 'r',
            Filter::Employees => 'm',
            Filter::EmailDomainType => 'd',
            Filter::EmailStatus => 'v',
        }
    }

    /// The parameter as the documents spell it; also the key in saved files.
    pub fn name(self) -> &'static str {
        match self {
            Filter::Query => "query",
            Filter::Title => "title",
            Filter::TitleLevel => "title_level",
            Filter::Industry => "industry",
            Filter::IndustryGroup => "industry_group",
            Filter::CompanyName => "company_name",
            Filter::ContactName => "contact_name",
            Filter::FirstName => "first_name",
            Filter::LastName => "last_name",
            Filter::State => "state",
            Filter::City => "city",
            Filter::County => "county",
            Filter::Zip => "zip",
            Filter::Address => "address",
            Filter::Phone => "phone",
            Filter::EmailAddress => "email_address",
            Filter::CompanyWebsite => "company_website",
            Filter::SicCode => "sic_code",
            Filter::NaicsCode => "naics_code",
            Filter::Revenue => "revenue",
            Filter::Employees => "employees",
            Filter::EmailDomainType => "email_domain_type",
            Filter::EmailStatus => "email_status",
        }
    }

    pub fn named(name: &str) -> Option<Filter> {
        Filter::ALL.into_iter().find(|filter| filter.name() == name)
    }

    /// The short word of the filter pane.
    pub fn label(self) -> &'static str {
        match self {
            Filter::TitleLevel => "level",
            Filter::IndustryGroup => "group",
            Filter::CompanyName => "company",
            Filter::ContactName => "name",
            Filter::FirstName => "first",
            Filter::LastName => "last",
            Filter::EmailAddress => "email",
            Filter::CompanyWebsite => "website",
            Filter::SicCode => "sic",
            Filter::NaicsCode => "naics",
            Filter::EmailDomainType => "type",
            Filter::EmailStatus => "status",
            other => other.name(),
        }
    }

    pub fn matching(self) -> Match {
        match self {
            Filter::Industry => Match::AnyOf,
            Filter::TitleLevel => Match::OneOf(TITLE_LEVELS),
            Filter::EmailDomainType => Match::OneOf(EMAIL_DOMAIN_TYPES),
            Filter::EmailStatus => Match::OneOf(EMAIL_STATUSES),
            Filter::Query
            | Filter::Title
            | Filter::CompanyName
            | Filter::ContactName
            | Filter::FirstName
            | Filter::LastName
            | Filter::Address => Match::Text,
            _ => Match::Exact,
        }
    }

    /// One sentence said where the filter is typed (S6).
    pub fn rule(self) -> &'static str {
        match self.matching() {
            Match::Text => "contains",
            Match::AnyOf => "contains any of these",
            Match::Exact => "exact match",
            Match::OneOf(_) => "choose one",
        }
    }

    /// The filters that the search of one side documents, in the order of the filter pane. The first is the main text field.
    pub fn of(side: Side) -> &'static [Filter] {
        use Filter::*;
        match (side.source, side.corpus) {
            (Source::Workspace, Corpus::Us) => &[Title, Industry, State, EmailDomainType],
            (Source::Workspace, Corpus::Linkedin) => &[Title, TitleLevel, Industry, State, EmailDomainType],
            (Source::Data, Corpus::Us) => &[
                Query,
                Title,
                Industry,
                CompanyName,
                ContactName,
                FirstName,
                LastName,
                State,
                City,
                County,
                Zip,
                Address,
                Phone,
                EmailAddress,
                CompanyWebsite,
                SicCode,
                NaicsCode,
                EmailDomainType,
                EmailStatus,
            ],
            (Source::Data, Corpus::Linkedin) => &[
                Query,
                Title,
                TitleLevel,
                Industry,
                IndustryGroup,
                CompanyName,
                FirstName,
                LastName,
                State,
                City,
                County,
                Zip,
                Address,
                Phone,
                CompanyWebsite,
                SicCode,
                Revenue,
                Employees,
                EmailDomainType,
                EmailStatus,
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for filter in Filter::ALL {
            assert_eq!(Filter::named(filter.name()), Some(filter));
        }
    }

    #[test]
    fn every_filter_belongs_to_a_side_and_none_twice() {
        for filter in Filter::ALL {
            assert!(Side::ALL.into_iter().any(|side| Filter::of(side).contains(&filter)), "{}", filter.name());
        }
        for side in Side::ALL {
            let mut seen: Vec<_> = Filter::of(side).to_vec();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), Filter::of(side).len());
        }
    }

    #[test]
    fn every_filter_has_a_letter_of_its_own() {
        let letters: std::collections::BTreeSet<char> = Filter::ALL.into_iter().map(Filter::letter).collect();
        assert_eq!(letters.len(), Filter::ALL.len());
        assert!(letters.iter().all(char::is_ascii_lowercase));
    }
}
