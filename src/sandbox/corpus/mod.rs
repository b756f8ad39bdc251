//! The two corpora: a row is a pure function of (seed, corpus, id), so that 126.8 million rows cost no memory and no file.
//!
//! A row draws a slot from each of six dictionaries (`draw`), and everything else follows: the slots of a place agree on city,
//! county, state, ZIP and area code, those of work on title, level, industry and codes, and a firm follows from place and work.
//! Nothing is searched here (see `scan`), nothing is masked, and nothing remembers who owns what (see `records`).

mod dictionaries;
mod draw;
mod duplicates;
mod lists;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::EnumString;

pub(crate) use dictionaries::{
    Address, City, DISPOSABLE_HOST, Firm, LISTS, STEM_BITS, Site, Style, Title, Trade, digits_of, dotted, host_of,
    house_number, line_of, stem_of,
};
pub(crate) use draw::{Axis, BLOCK, Seeds, Shuffle};
pub(crate) use duplicates::{Duplicates, ROW_GROUP, SPAN, STRIDE};
pub(crate) use lists::{Dictionary, SLOTS, Word, mix};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum CorpusKind {
    Us,
    Linkedin,
}

/// A corpus of a given size. Cheap to clone: it holds seeds, not rows.
#[derive(Clone, Debug)]
pub struct SandboxCorpus {
    rows: u64,
    pub(crate) seeds: Seeds,
    pub(crate) duplicates: Duplicates,
}

impl SandboxCorpus {
    /// A corpus that shows `shown` rows; those on the Do-Not-Sell list come on top, so that a person who asked for 80 million
    /// gets 80 million.
    pub fn new(kind: CorpusKind, seed: u64, shown: u64) -> SandboxCorpus {
        let seeds = Seeds::new(seed, kind as u64 + 1);
        let duplicates = Duplicates::new(seeds.rows);
        SandboxCorpus { rows: duplicates.rows_that_show(shown), seeds, duplicates }
    }

    /// All rows, those on the Do-Not-Sell list included; also the largest id.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The row with this id. Ids run from 1 to `rows`; the service's order is ascending id.
    pub fn person(&self, id: u64) -> Option<Person> {
        let row = self.row(id)?;
        let original = self.duplicates.original(row);
        let row = original.unwrap_or(row);
        let [place, work, first, last, mail, detail] = self.seeds.draw(row);
        let firm = self.seeds.firm(place, work, detail);
        let site = LISTS.places.sites.at(place);
        let city = &LISTS.places.cities[site.city];
        let (trade, title) = (LISTS.work.trades.at(work), LISTS.work.titles.at(work));
        let (first, last) = (LISTS.first.at(first), LISTS.last.at(last));
        let address = LISTS.mail[LISTS.work.sectors[trade.sector].employer].at(mail);
        let (employees, revenue) = LISTS.firms.size(firm.name());
        let (company_name, company_website) = company(firm, LISTS.work.trades.place(work) as u8);
        let host = match (address.personal(), address.disposable()) {
            (true, true) => DISPOSABLE_HOST,
            (true, false) => host_of(detail),
            (false, _) => &company_website,
        };
        let email = if address.personal() {
            let dot = if dotted(detail) { "." } else { "" };
            [&first.slug, dot, &last.slug, two_digits(digits_of(detail), &mut [0; 2]), "@", host].concat()
        } else {
            company_email(Style::of(firm.name()), &first.slug, &last.slug, host)
        };
        Some(Person {
            id,
            first_name: first.text.clone(),
            last_name: last.text.clone(),
            title: title.text.into(),
            title_level: title.level.into(),
            company_name: company_name.into(),
            industry: trade.industry.into(),
            industry_group: trade.group.into(),
            revenue: revenue.into(),
            employees: employees.into(),
            address: street_address(firm).into(),
            city: city.name.into(),
            county: city.county.into(),
            state: LISTS.places.states[city.state].code.into(),
            zip: site.zip.as_str().into(),
            phone: phone(site.area_code, line_of(detail)).into(),
            email: email.into(),
            company_website: company_website.into(),
            email_domain_type: address.domain_type.into(),
            email_status: address.status.into(),
            naics_code: trade.naics.into(),
            sic_code: trade.sic.into(),
            linkedin_url: profile(&first.slug, &last.slug, row).into(),
            verification: address.verification,
            original: original.map(|row| row + 1),
        })
    }

    /// Whether the row has been on the Do-Not-Sell list from the start.
    pub fn suppressed(&self, id: u64) -> bool {
        self.row(id).is_some_and(|row| self.duplicates.suppressed(row))
    }

    /// The place of an id, from 0.
    pub(crate) fn row(&self, id: u64) -> Option<u64> {
        (1..=self.rows).contains(&id).then(|| id - 1)
    }
}

// Texts are put together by hand below: an export renders millions of rows, and `format!` would take most of its time.

/// Name and domain.
fn company(firm: Firm, trade: u8) -> (String, String) {
    let stem = &LISTS.firms.stems[stem_of(firm.name())];
    let tail = &LISTS.firms.tails[usize::from(LISTS.firms.tail_of(trade, firm.name()))];
    ([&*stem.text, " ", &*tail.text].concat(), [&*stem.slug, &*tail.slug].concat())
}

fn street_address(firm: Firm) -> String {
    let number = house_number(firm.house()).to_string();
    [&number, " ", &LISTS.firms.streets[usize::from(firm.street())].text].concat()
}

fn phone(area_code: &str, line: u16) -> String {
    [area_code, "55501", two_digits(line, &mut [0; 2])].concat()
}

fn company_email(style: Style, first: &str, last: &str, host: &str) -> String {
    match style {
        Style::Dotted => [first, ".", last, "@", host].concat(),
        Style::Initial => [&first[..1], last, "@", host].concat(),
        Style::Short => [first, &last[..1], "@", host].concat(),
        Style::Underscored => [first, "_", last, "@", host].concat(),
    }
}

/// The address of a profile page: the name and a handle that no other row has.
fn profile(first: &str, last: &str, row: u64) -> String {
    // An odd factor scatters neighbors without letting two rows meet: it shares no divisor with 36.
    let mut left = (row + 1).wrapping_mul(30_469_287_581) % 36u64.pow(7);
    let mut handle = [b'0'; 7];
    for digit in handle.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(left % 36) as usize];
        left /= 36;
    }
    ["https://linkedin.example/in/", first, "-", last, "-", ascii(&handle)].concat()
}

fn two_digits(number: u16, room: &mut [u8; 2]) -> &str {
    *room = [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8];
    ascii(room)
}

fn ascii(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_else(|_| unreachable!("digits and small letters are text"))
}

/// Text of a column: nearly always a word of a dictionary, which costs nothing to hand out.
pub type ColumnText = Cow<'static, str>;

/// What a check of the email address will find when the contact is unlocked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    Valid,
    Invalid,
    Disposable,
    /// The check could not complete: the contact is kept and not refunded.
    Unknown,
}

/// A text column of a person: its name in the documents of the Data API, its spoken name, its text, and the corpora that have it.
pub(crate) type Column = (&'static str, &'static str, fn(&Person) -> &str, &'static [CorpusKind]);

const BOTH: &[CorpusKind] = &[CorpusKind::Us, CorpusKind::Linkedin];
const US: &[CorpusKind] = &[CorpusKind::Us];
const LINKEDIN: &[CorpusKind] = &[CorpusKind::Linkedin];

/// A person by the columns, which are in the order of the documents.
macro_rules! person {
    ($($(#[$doc:meta])* $column:ident $name:literal $spoken:literal $corpora:ident;)*) => {
        /// A contact, unmasked. All people are invented; domains end in `.example`, phones are 555-01xx.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Person {
            pub id: u64,
            $($(#[$doc])* pub $column: ColumnText,)*
            pub verification: CheckOutcome,
            /// The earlier row that this one repeats, if it is a duplicate.
            pub original: Option<u64>,
        }

        pub(crate) static COLUMNS: &[Column] = &[$(($name, $spoken, |person| &person.$column, $corpora)),*];
    };
}

person! {
    email "email_address" "Email" BOTH;
    company_name "company_name" "Company Name" BOTH;
    first_name "first_name" "First Name" BOTH;
    last_name "last_name" "Last Name" BOTH;
    title "title" "Job Title" BOTH;
    /// C-Level, VP, Director, Manager or Other; follows from the title.
    title_level "title_level" "Seniority" LINKEDIN;
    industry "industry" "Industry" BOTH;
    industry_group "industry_group" "Industry Group" LINKEDIN;
    revenue "revenue" "Revenue" LINKEDIN;
    employees "employees" "Employees" LINKEDIN;
    address "address" "Street" BOTH;
    city "city" "City" BOTH;
    county "county" "County" BOTH;
    /// Two letters.
    state "state" "State" BOTH;
    /// Five digits, leading zeros kept.
    zip "zip" "ZIP" BOTH;
    /// Ten digits.
    phone "phone" "Phone" BOTH;
    /// A bare domain, the same that company email addresses end in.
    company_website "company_website" "Website" BOTH;
    sic_code "sic_code" "SIC" BOTH;
    naics_code "naics_code" "NAICS" US;
    /// corporate, edu, personal or gov.
    email_domain_type "email_domain_type" "Email Type" BOTH;
    /// cross_verified, valid, catch_all, unknown, invalid, disposable or bounced.
    email_status "email_status" "Email Status" BOTH;
    linkedin_url "linkedin_url" "LinkedIn" LINKEDIN;
}

impl Person {
    pub fn contact_name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}
