#![cfg(test)]
//! The plain reading of the rules, one rendered row at a time: slow, and the measure of the fast engine.

use std::borrow::Cow;

use crate::corpus::Person;

use super::{Field, Wanted};

impl Field {
    pub const ALL: [Field; 22] = [
        Field::Title,
        Field::Industry,
        Field::CompanyName,
        Field::ContactName,
        Field::FirstName,
        Field::LastName,
        Field::Address,
        Field::City,
        Field::County,
        Field::State,
        Field::Zip,
        Field::Phone,
        Field::CompanyWebsite,
        Field::SicCode,
        Field::NaicsCode,
        Field::EmailAddress,
        Field::EmailDomainType,
        Field::EmailStatus,
        Field::TitleLevel,
        Field::IndustryGroup,
        Field::Revenue,
        Field::Employees,
    ];

    /// The stored value of this column.
    pub fn of(self, person: &Person) -> Cow<'_, str> {
        let text = match self {
            Field::ContactName => return Cow::Owned(person.contact_name()),
            Field::Title => &person.title,
            Field::Industry => &person.industry,
            Field::CompanyName => &person.company_name,
            Field::FirstName => &person.first_name,
            Field::LastName => &person.last_name,
            Field::Address => &person.address,
            Field::City => &person.city,
            Field::County => &person.county,
            Field::State => &person.state,
            Field::Zip => &person.zip,
            Field::Phone => &person.phone,
            Field::CompanyWebsite => &person.company_website,
            Field::SicCode => &person.sic_code,
            Field::NaicsCode => &person.naics_code,
            Field::EmailAddress => &person.email,
            Field::EmailDomainType => &person.email_domain_type,
            Field::EmailStatus => &person.email_status,
            Field::TitleLevel => &person.title_level,
            Field::IndustryGroup => &person.industry_group,
            Field::Revenue => &person.revenue,
            Field::Employees => &person.employees,
        };
        Cow::Borrowed(text)
    }
}

impl Wanted {
    /// Whether this row is asked for, suppression and ownership aside.
    pub fn meets(&self, person: &Person) -> bool {
        if self.dedup && person.original.is_some() {
            return false;
        }
        let words_occur = self.query.iter().flat_map(|query| query.split_whitespace()).all(|word| {
            let word = word.to_lowercase();
            use Field::*;
            let within = [CompanyName, FirstName, LastName, Title, Industry, City, County];
            within.iter().any(|field| field.of(person).to_lowercase().contains(&word))
                || person.state.to_lowercase() == word
        });
        words_occur
            && self.clauses.iter().all(|(field, values)| {
                let stored = field.of(person);
                if field.matches_within() {
                    let stored = stored.to_lowercase();
                    values.iter().any(|value| stored.contains(&value.to_lowercase()))
                } else {
                    values.iter().any(|value| stored == value.as_str())
                }
            })
    }
}
