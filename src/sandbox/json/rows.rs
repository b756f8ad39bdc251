//! Rows as both services write them.

use serde_json::{Map, Value, json};

use crate::corpus::{Kind, Person, Text};
use crate::mask;
use crate::records::Owned;
use crate::scan::Field;

pub(crate) type Row = Map<String, Value>;

/// A row of `/search` on the workspace API: masked unless owned.
pub(crate) fn search_row(kind: Kind, person: &Person, owned: Option<&Owned>, more_columns: bool) -> Row {
    let shown = |full: &Text, masked: fn(&str) -> String| if owned.is_some() { full.to_string() } else { masked(full) };
    let mut row = Row::with_capacity(24);
    row.insert("id".into(), json!(person.id));
    put(&mut row, "company_name", &person.company_name);
    put(&mut row, "first_name", &person.first_name);
    put(&mut row, "last_name", &person.last_name);
    put(&mut row, "title", &person.title);
    put(&mut row, "city", &person.city);
    put(&mut row, "state", &person.state);
    put(&mut row, "industry", &person.industry);
    put(&mut row, if kind == Kind::Us { "email_address" } else { "email" }, &shown(&person.email, mask::email));
    put(&mut row, "phone", &shown(&person.phone, mask::phone));
    put(&mut row, "email_domain_type", &person.email_domain_type);
    put(&mut row, "email_status", &person.email_status);
    row.insert("unlocked".into(), json!(owned.is_some()));
    row.insert("verification".into(), json!(owned.and_then(|owned| owned.verification)));
    match kind {
        Kind::Us => put(&mut row, "naics_code", &person.naics_code),
        Kind::Linkedin => {
            put(&mut row, "title_level", &person.title_level);
            put(&mut row, "linkedin_url", &person.linkedin_url);
        }
    }
    if more_columns {
        put(&mut row, "county", &person.county);
        put(&mut row, "zip", &person.zip);
        put(&mut row, "company_website", &person.company_website);
        row.insert("freshness".into(), json!({"checked": "2025-11", "sources": [1, 2]}));
    }
    row
}

/// A contact as unlock hands it over.
pub(crate) fn unlocked_contact(person: &Person, owned: &Owned, null_when_unverified: bool) -> Row {
    let mut row = Row::new();
    row.insert("id".into(), json!(person.id));
    put(&mut row, "email", &person.email);
    put(&mut row, "phone", &person.phone);
    row.insert("contact_name".into(), person.contact_name().into());
    put(&mut row, "company_name", &person.company_name);
    put(&mut row, "title", &person.title);
    let found = match owned.verification {
        Some(found) => json!(found),
        None if null_when_unverified => Value::Null,
        None => json!("unknown"),
    };
    row.insert("verification".into(), found);
    row.insert("refunded".into(), json!(owned.refunded));
    row
}

/// A column of the Data API: its name in the documents, its spoken name, its text, and the corpora that have it.
pub(crate) struct Column {
    pub name: &'static str,
    /// The filter of that name; the industry takes several values and is read on its own.
    filter: Option<Field>,
    pub spoken: &'static str,
    pub of: fn(&Person) -> &str,
    corpora: &'static [Kind],
}

const fn column(name: &'static str, filter: Option<Field>, spoken: &'static str, of: fn(&Person) -> &str) -> Column {
    Column { name, filter, spoken, of, corpora: &[Kind::Us, Kind::Linkedin] }
}

const fn us(column: Column) -> Column {
    Column { corpora: &[Kind::Us], ..column }
}

const fn linkedin(column: Column) -> Column {
    Column { corpora: &[Kind::Linkedin], ..column }
}

static COLUMNS: [Column; 22] = [
    column("email_address", Some(Field::EmailAddress), "Email", |person| &person.email),
    column("company_name", Some(Field::CompanyName), "Company Name", |person| &person.company_name),
    column("first_name", Some(Field::FirstName), "First Name", |person| &person.first_name),
    column("last_name", Some(Field::LastName), "Last Name", |person| &person.last_name),
    column("title", Some(Field::Title), "Job Title", |person| &person.title),
    linkedin(column("title_level", Some(Field::TitleLevel), "Seniority", |person| &person.title_level)),
    column("industry", None, "Industry", |person| &person.industry),
    linkedin(column("industry_group", Some(Field::IndustryGroup), "Industry Group", |person| &person.industry_group)),
    linkedin(column("revenue", Some(Field::Revenue), "Revenue", |person| &person.revenue)),
    linkedin(column("employees", Some(Field::Employees), "Employees", |person| &person.employees)),
    column("address", Some(Field::Address), "Street", |person| &person.address),
    column("city", Some(Field::City), "City", |person| &person.city),
    column("county", Some(Field::County), "County", |person| &person.county),
    column("state", Some(Field::State), "State", |person| &person.state),
    column("zip", Some(Field::Zip), "ZIP", |person| &person.zip),
    column("phone", Some(Field::Phone), "Phone", |person| &person.phone),
    column("company_website", Some(Field::CompanyWebsite), "Website", |person| &person.company_website),
    column("sic_code", Some(Field::SicCode), "SIC", |person| &person.sic_code),
    us(column("naics_code", Some(Field::NaicsCode), "NAICS", |person| &person.naics_code)),
    column("email_domain_type", Some(Field::EmailDomainType), "Email Type", |person| &person.email_domain_type),
    column("email_status", Some(Field::EmailStatus), "Email Status", |person| &person.email_status),
    linkedin(column("linkedin_url", None, "LinkedIn", |person| &person.linkedin_url)),
];

/// The columns that the Data API shows of a corpus, after the id.
pub(crate) fn data_columns(kind: Kind) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |column| column.corpora.contains(&kind))
}

/// The filters of a corpus by name, as the document lists them.
pub(crate) fn filters(kind: Kind) -> impl Iterator<Item = (&'static str, Field)> {
    let filters = data_columns(kind).filter_map(|column| Some((column.name, column.filter?)));
    let named = match kind {
        Kind::Us => Some(("contact_name", Field::ContactName)),
        Kind::Linkedin => None,
    };
    filters.filter(move |(name, _)| kind == Kind::Us || *name != "email_address").chain(named)
}

/// A row of the Data API. Whether such rows are masked is not said, so a variant decides.
pub(crate) fn data_row(kind: Kind, person: &Person, masked: bool) -> Row {
    let mut row = Row::new();
    row.insert("id".into(), json!(person.id));
    for Column { name, of, .. } in data_columns(kind) {
        let value = match *name {
            "email_address" if masked => mask::email(&person.email),
            "phone" if masked => mask::phone(&person.phone),
            _ => of(person).to_owned(),
        };
        row.insert((*name).to_owned(), value.into());
    }
    row
}

fn put(row: &mut Row, name: &str, value: &str) {
    row.insert(name.to_owned(), Value::from(value));
}
