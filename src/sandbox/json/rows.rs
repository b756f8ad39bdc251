//! Rows as both services write them.

use serde_json::{Map, Value, json};

use crate::books::Owned;
use crate::corpus::{Kind, Person};
use crate::mask;

pub(crate) type Row = Map<String, Value>;

/// A row of `/search` on the workspace API: masked unless owned.
pub(crate) fn search_row(kind: Kind, person: &Person, owned: Option<&Owned>, more_columns: bool) -> Row {
    let hide = owned.is_none();
    let mut row = Row::with_capacity(24);
    row.insert("id".into(), json!(person.id));
    put(&mut row, "company_name", &person.company_name);
    put(&mut row, "first_name", &person.first_name);
    put(&mut row, "last_name", &person.last_name);
    put(&mut row, "title", &person.title);
    put(&mut row, "city", &person.city);
    put(&mut row, "state", &person.state);
    put(&mut row, "industry", &person.industry);
    let email = if hide { mask::email(&person.email) } else { person.email.to_string() };
    let phone = if hide { mask::phone(&person.phone) } else { person.phone.to_string() };
    row.insert(if kind == Kind::Us { "email_address" } else { "email" }.into(), email.into());
    row.insert("phone".into(), phone.into());
    put(&mut row, "email_domain_type", &person.email_domain_type);
    put(&mut row, "email_status", &person.email_status);
    row.insert("unlocked".into(), json!(!hide));
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

/// A column of a sheet: its name in the documents, its spoken name, its text, and the corpora that have it.
pub(crate) struct Column {
    pub name: &'static str,
    pub spoken: &'static str,
    pub of: fn(&Person) -> &str,
    corpora: &'static [Kind],
}

const fn column(name: &'static str, spoken: &'static str, of: fn(&Person) -> &str) -> Column {
    Column { name, spoken, of, corpora: &[Kind::Us, Kind::Linkedin] }
}

const fn us(column: Column) -> Column {
    Column { corpora: &[Kind::Us], ..column }
}

const fn linkedin(column: Column) -> Column {
    Column { corpora: &[Kind::Linkedin], ..column }
}

static COLUMNS: [Column; 22] = [
    column("email_address", "Email", |person| &person.email),
    column("company_name", "Company Name", |person| &person.company_name),
    column("first_name", "First Name", |person| &person.first_name),
    column("last_name", "Last Name", |person| &person.last_name),
    column("title", "Job Title", |person| &person.title),
    linkedin(column("title_level", "Seniority", |person| &person.title_level)),
    column("industry", "Industry", |person| &person.industry),
    linkedin(column("industry_group", "Industry Group", |person| &person.industry_group)),
    linkedin(column("revenue", "Revenue", |person| &person.revenue)),
    linkedin(column("employees", "Employees", |person| &person.employees)),
    column("address", "Street", |person| &person.address),
    column("city", "City", |person| &person.city),
    column("county", "County", |person| &person.county),
    column("state", "State", |person| &person.state),
    column("zip", "ZIP", |person| &person.zip),
    column("phone", "Phone", |person| &person.phone),
    column("company_website", "Website", |person| &person.company_website),
    column("sic_code", "SIC", |person| &person.sic_code),
    us(column("naics_code", "NAICS", |person| &person.naics_code)),
    column("email_domain_type", "Email Type", |person| &person.email_domain_type),
    column("email_status", "Email Status", |person| &person.email_status),
    linkedin(column("linkedin_url", "LinkedIn", |person| &person.linkedin_url)),
];

/// The columns that the Data API shows of a corpus, after the id.
pub(crate) fn data_columns(kind: Kind) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |column| column.corpora.contains(&kind))
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
