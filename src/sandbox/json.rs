//! How the sandbox writes its answers: the envelope, and the rows of both services with their masking. Shared with no client; what
//! goes into an answer is decided in `service`.

use serde_json::{Map, Value, json};

use crate::corpus::{ColumnText, CorpusKind, Person};
use crate::records::Purchase;
use crate::scan::ScanField;

/// The envelope of the workspace API when all went well.
pub(crate) fn ok(data: Value) -> Value {
    with(json!({"ok": true}), "data", data)
}

/// An object with one more member, which is moved into it: `json!` would copy it, whole pages of rows and all.
pub(crate) fn with(object: Value, name: &str, value: Value) -> Value {
    let Value::Object(mut object) = object else { unreachable!("only objects have members") };
    object.insert(name.to_owned(), value);
    Value::Object(object)
}

/// The envelope of the workspace API when it did not.
pub(crate) fn not_ok(words: &str) -> Value {
    json!({"ok": false, "error": words})
}

pub(crate) type Row = Map<String, Value>;

/// A row of `/search` on the workspace API: masked unless owned.
pub(crate) fn search_row(kind: CorpusKind, person: &Person, owned: Option<&Purchase>, more_columns: bool) -> Row {
    let shown =
        |full: &ColumnText, masked: fn(&str) -> String| if owned.is_some() { full.to_string() } else { masked(full) };
    let mut row = Row::with_capacity(24);
    row.insert("id".into(), json!(person.id));
    put(&mut row, "company_name", &person.company_name);
    put(&mut row, "first_name", &person.first_name);
    put(&mut row, "last_name", &person.last_name);
    put(&mut row, "title", &person.title);
    put(&mut row, "city", &person.city);
    put(&mut row, "state", &person.state);
    put(&mut row, "industry", &person.industry);
    put(&mut row, if kind == CorpusKind::Us { "email_address" } else { "email" }, &shown(&person.email, masked_email));
    put(&mut row, "phone", &shown(&person.phone, masked_phone));
    put(&mut row, "email_domain_type", &person.email_domain_type);
    put(&mut row, "email_status", &person.email_status);
    row.insert("unlocked".into(), json!(owned.is_some()));
    row.insert("verification".into(), json!(owned.and_then(|owned| owned.verification)));
    match kind {
        CorpusKind::Us => put(&mut row, "naics_code", &person.naics_code),
        CorpusKind::Linkedin => {
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
pub(crate) fn unlocked_contact(person: &Person, owned: &Purchase, null_when_unverified: bool) -> Row {
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
    filter: Option<ScanField>,
    pub spoken: &'static str,
    pub of: fn(&Person) -> &str,
    corpora: &'static [CorpusKind],
}

const BOTH: &[CorpusKind] = &[CorpusKind::Us, CorpusKind::Linkedin];
const US: &[CorpusKind] = &[CorpusKind::Us];
const LINKEDIN: &[CorpusKind] = &[CorpusKind::Linkedin];

const fn column(
    name: &'static str,
    filter: Option<ScanField>,
    spoken: &'static str,
    of: fn(&Person) -> &str,
    corpora: &'static [CorpusKind],
) -> Column {
    Column { name, filter, spoken, of, corpora }
}

static COLUMNS: [Column; 22] = [
    column("email_address", Some(ScanField::EmailAddress), "Email", |person| &person.email, BOTH),
    column("company_name", Some(ScanField::CompanyName), "Company Name", |person| &person.company_name, BOTH),
    column("first_name", Some(ScanField::FirstName), "First Name", |person| &person.first_name, BOTH),
    column("last_name", Some(ScanField::LastName), "Last Name", |person| &person.last_name, BOTH),
    column("title", Some(ScanField::Title), "Job Title", |person| &person.title, BOTH),
    column("title_level", Some(ScanField::TitleLevel), "Seniority", |person| &person.title_level, LINKEDIN),
    column("industry", None, "Industry", |person| &person.industry, BOTH),
    column(
        "industry_group",
        Some(ScanField::IndustryGroup),
        "Industry Group",
        |person| &person.industry_group,
        LINKEDIN,
    ),
    column("revenue", Some(ScanField::Revenue), "Revenue", |person| &person.revenue, LINKEDIN),
    column("employees", Some(ScanField::Employees), "Employees", |person| &person.employees, LINKEDIN),
    column("address", Some(ScanField::Address), "Street", |person| &person.address, BOTH),
    column("city", Some(ScanField::City), "City", |person| &person.city, BOTH),
    column("county", Some(ScanField::County), "County", |person| &person.county, BOTH),
    column("state", Some(ScanField::State), "State", |person| &person.state, BOTH),
    column("zip", Some(ScanField::Zip), "ZIP", |person| &person.zip, BOTH),
    column("phone", Some(ScanField::Phone), "Phone", |person| &person.phone, BOTH),
    column("company_website", Some(ScanField::CompanyWebsite), "Website", |person| &person.company_website, BOTH),
    column("sic_code", Some(ScanField::SicCode), "SIC", |person| &person.sic_code, BOTH),
    column("naics_code", Some(ScanField::NaicsCode), "NAICS", |person| &person.naics_code, US),
    column(
        "email_domain_type",
        Some(ScanField::EmailDomainType),
        "Email Type",
        |person| &person.email_domain_type,
        BOTH,
    ),
    column("email_status", Some(ScanField::EmailStatus), "Email Status", |person| &person.email_status, BOTH),
    column("linkedin_url", None, "LinkedIn", |person| &person.linkedin_url, LINKEDIN),
];

/// The columns that the Data API shows of a corpus, after the id.
pub(crate) fn data_columns(kind: CorpusKind) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |column| column.corpora.contains(&kind))
}

/// The filters of a corpus by name, as the document lists them.
pub(crate) fn filters(kind: CorpusKind) -> impl Iterator<Item = (&'static str, ScanField)> {
    let filters = data_columns(kind).filter_map(|column| Some((column.name, column.filter?)));
    let named = match kind {
        CorpusKind::Us => Some(("contact_name", ScanField::ContactName)),
        CorpusKind::Linkedin => None,
    };
    filters.filter(move |(name, _)| kind == CorpusKind::Us || *name != "email_address").chain(named)
}

/// A row of the Data API. Whether such rows are masked is not said, so a variant decides.
pub(crate) fn data_row(kind: CorpusKind, person: &Person, masked: bool) -> Row {
    let mut row = Row::new();
    row.insert("id".into(), json!(person.id));
    for Column { name, of, .. } in data_columns(kind) {
        let value = match *name {
            "email_address" if masked => masked_email(&person.email),
            "phone" if masked => masked_phone(&person.phone),
            _ => of(person).to_owned(),
        };
        row.insert((*name).to_owned(), value.into());
    }
    row
}

fn put(row: &mut Row, name: &str, value: &str) {
    row.insert(name.to_owned(), Value::from(value));
}

// How a row hides what is for sale. Exactly as written: an email keeps its first character and its whole domain, a phone its area
// code and its last two digits; bullets (U+2022) stand for the rest, three whatever the length.

const BULLETS: &str = "•••";

/// `dana@lakeside.example` → `d•••@lakeside.example`
pub(crate) fn masked_email(full: &str) -> String {
    let Some((local, domain)) = full.rsplit_once('@') else {
        return if full.is_empty() { String::new() } else { BULLETS.into() };
    };
    let mut masked = String::with_capacity(domain.len() + 14);
    masked.extend(local.chars().next());
    masked.push_str(BULLETS);
    masked.push('@');
    masked.push_str(domain);
    masked
}

/// `5125550171` → `512•••71`
pub(crate) fn masked_phone(full: &str) -> String {
    let digits: Vec<char> = full.chars().filter(char::is_ascii_digit).collect();
    // A leading country code 1 is not part of the area code.
    let digits = if digits.len() == 11 && digits[0] == '1' { &digits[1..] } else { &digits[..] };
    if digits.len() < 5 {
        return if digits.is_empty() { String::new() } else { BULLETS.into() };
    }
    let mut masked: String = digits[..3].iter().collect();
    masked.push_str(BULLETS);
    masked.extend(&digits[digits.len() - 2..]);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_keeps_its_first_character_and_its_whole_domain() {
        assert_eq!(masked_email("dana.whitfield@lakeside.example"), "d•••@lakeside.example");
        assert_eq!(masked_email("x@mail.lakeside.example"), "x•••@mail.lakeside.example");
        assert_eq!(masked_email(""), "");
    }

    #[test]
    fn a_phone_keeps_its_area_code_and_its_last_two_digits() {
        assert_eq!(masked_phone("5125550171"), "512•••71");
        assert_eq!(masked_phone("+1 (713) 555-0104"), "713•••04");
        assert_eq!(masked_phone(""), "");
    }
}
