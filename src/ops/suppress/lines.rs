//! Lists and their entries as lines and cells.

use serde_json::{Value, json};

use crate::ops::code::Code;
use crate::ops::exit::Exit;
use crate::ops::output::json;
use crate::ops::output::shapes::SuppressListLine;
use crate::ops::output::summaries::SuppressSummaryShape;
use crate::ops::say::Problem;
use lode_engine::effect::store::{SuppressEntry, Suppression};

pub(super) fn no_list(name: &str) -> Problem {
    let words = format!("there is no suppression list `{name}`");
    Problem::new(Exit::Failed, words, "`lode suppress list` shows the lists").code(Code::NotFound)
}

/// What an entry names, without what only describes it.
pub(super) fn meant(entry: &SuppressEntry) -> String {
    match entry {
        SuppressEntry::Email { email, .. } => format!("email {}", email.to_lowercase()),
        SuppressEntry::Domain(domain) | SuppressEntry::ExactDomain(domain) => {
            format!("domain {}", domain.to_lowercase())
        }
        SuppressEntry::Phone { digits, .. } => format!("phone {digits}"),
        SuppressEntry::Person { name, company } => format!("person {name}\t{company}").to_lowercase(),
        SuppressEntry::Contact(side, id) => format!("contact {side} {id}"),
    }
}

/// How many entries there are of each kind.
pub(super) fn counts(list: &str, entries: &[SuppressEntry]) -> SuppressSummaryShape {
    let count = |kind: fn(&SuppressEntry) -> bool| entries.iter().filter(|entry| kind(entry)).count() as u64;
    SuppressSummaryShape {
        list: list.to_owned(),
        emails: count(|entry| matches!(entry, SuppressEntry::Email { .. })),
        domains: count(|entry| matches!(entry, SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_))),
        phones: count(|entry| matches!(entry, SuppressEntry::Phone { .. })),
        people: count(|entry| matches!(entry, SuppressEntry::Person { .. })),
        contacts: count(|entry| matches!(entry, SuppressEntry::Contact(..))),
        ..SuppressSummaryShape::default()
    }
}

/// A list as one line.
pub(super) fn summary(list: &Suppression) -> String {
    let SuppressSummaryShape { list: name, emails, domains, phones, people, contacts, .. } =
        counts(&list.list, &list.entries);
    json::line(&SuppressListLine { name, emails, domains, phones, people, contacts })
}

/// An entry as a line and as cells.
pub(super) fn described(entry: &SuppressEntry) -> (String, Vec<String>) {
    let (kind, value, name, company, subdomains) = match entry {
        SuppressEntry::Email { email, name } => ("email", email.clone(), name.as_str(), "", false),
        SuppressEntry::Domain(domain) => ("domain", domain.clone(), "", "", true),
        SuppressEntry::ExactDomain(domain) => ("domain", domain.clone(), "", "", false),
        SuppressEntry::Phone { digits, name } => ("phone", digits.clone(), name.as_str(), "", false),
        SuppressEntry::Person { name, company } => ("person", company.clone(), name.as_str(), company.as_str(), false),
        SuppressEntry::Contact(side, id) => ("contact", format!("{side} {id}"), "", "", false),
    };
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    let mut fields = vec![("kind", json!(kind))];
    match entry {
        SuppressEntry::Person { .. } => fields.push(("company_name", json!(company))),
        SuppressEntry::Contact(side, id) => {
            let side =
                [("source", json!(side.source.name())), ("corpus", json!(side.corpus.name())), ("id", json!(id.0))];
            fields.extend(side);
        }
        _ => fields.push(("value", json!(value))),
    }
    if kind == "domain" {
        fields.push(("subdomains", json!(subdomains)));
    }
    if matches!(kind, "email" | "phone" | "person") {
        fields.push(("contact_name", or_null(name)));
    }
    let shown = if subdomains { format!("*.{value}") } else { value };
    (json::object(fields), vec![kind.to_owned(), shown, name.to_owned()])
}
