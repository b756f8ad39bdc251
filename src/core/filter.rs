//! The filters of both documents: the one catalog from which the filter pane, the shell flags, the saved files and the
//! requests are made. A parameter that no document names is not in it and is therefore never sent.

use std::sync::LazyLock;

use schemars::JsonSchema;
use strum::VariantArray;

use super::contact::{Corpus, Side, Source};

/// A filter parameter that at least one search endpoint documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
pub enum MatchKind {
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

type Sides = fn(Side) -> bool;

const EVERYWHERE: Sides = |_| true;
const LINKEDIN: Sides = |side| side.corpus == Corpus::Linkedin;
const DATA: Sides = |side| side.source == Source::Data;
const DATA_US: Sides = |side| DATA(side) && side.corpus == Corpus::Us;
const DATA_LINKEDIN: Sides = |side| DATA(side) && LINKEDIN(side);

/// Each filter in the order of the enum: its letter in menus, its name in requests, its label on the screen, how it matches, and
/// the sides whose document names it.
const CATALOG: [(Filter, char, &str, &str, MatchKind, Sides); 23] = {
    use Filter::*;
    use MatchKind::*;
    [
        (Query, 'q', "query", "query", Text, DATA),
        (Title, 't', "title", "title", Text, EVERYWHERE),
        (TitleLevel, 'l', "title_level", "level", OneOf(TITLE_LEVELS), LINKEDIN),
        (Industry, 'i', "industry", "industry", AnyOf, EVERYWHERE),
        (IndustryGroup, 'g', "industry_group", "group", Exact, DATA_LINKEDIN),
        (CompanyName, 'c', "company_name", "company", Text, DATA),
        (ContactName, 'n', "contact_name", "name", Text, DATA_US),
        (FirstName, 'f', "first_name", "first", Text, DATA),
        (LastName, 'o', "last_name", "last", Text, DATA),
        (State, 's', "state", "state", Exact, EVERYWHERE),
        (City, 'y', "city", "city", Exact, DATA),
        (County, 'u', "county", "county", Exact, DATA),
        (Zip, 'z', "zip", "zip", Exact, DATA),
        (Address, 'a', "address", "address", Text, DATA),
        (Phone, 'p', "phone", "phone", Exact, DATA),
        (EmailAddress, 'e', "email_address", "email", Exact, DATA_US),
        (CompanyWebsite, 'w', "company_website", "website", Exact, DATA),
        (SicCode, 'k', "sic_code", "sic", Exact, DATA),
        (NaicsCode, 'x', "naics_code", "naics", Exact, DATA_US),
        (Revenue, 'r', "revenue", "revenue", Exact, DATA_LINKEDIN),
        (Employees, 'm', "employees", "employees", Exact, DATA_LINKEDIN),
        (EmailDomainType, 'd', "email_domain_type", "type", OneOf(EMAIL_DOMAIN_TYPES), EVERYWHERE),
        (EmailStatus, 'v', "email_status", "status", OneOf(EMAIL_STATUSES), DATA),
    ]
};

impl Filter {
    pub const ALL: [Filter; CATALOG.len()] = *Filter::VARIANTS.first_chunk().unwrap();

    /// Its letter in the menu of the filters.
    pub fn letter(self) -> char {
        CATALOG[self as usize].1
    }

    /// The parameter as the documents spell it; also the key in saved files.
    pub fn name(self) -> &'static str {
        CATALOG[self as usize].2
    }

    pub fn named(name: &str) -> Option<Filter> {
        Filter::ALL.into_iter().find(|filter| filter.name() == name)
    }

    /// The short word of the filter pane.
    pub fn label(self) -> &'static str {
        CATALOG[self as usize].3
    }

    pub fn matching(self) -> MatchKind {
        CATALOG[self as usize].4
    }

    /// One sentence said where the filter is typed (S6).
    pub fn rule(self) -> &'static str {
        match self.matching() {
            MatchKind::Text => "contains",
            MatchKind::AnyOf => "contains any of these",
            MatchKind::Exact => "exact match",
            MatchKind::OneOf(_) => "choose one",
        }
    }

    /// The filters that the search of one side documents, in the order of the filter pane. The first is the main text field.
    pub fn of(side: Side) -> &'static [Filter] {
        static OF: LazyLock<[Vec<Filter>; 4]> = LazyLock::new(|| {
            Side::ALL.map(|side| CATALOG.iter().filter(|(.., sides)| sides(side)).map(|(filter, ..)| *filter).collect())
        });
        &OF[side.source as usize * 2 + side.corpus as usize]
    }
}
