//! Whether a suppression list names a contact that is still masked.
//!
//! A masked row shows the first letter and the domain of its email, and the area code and last two digits of its phone. A domain
//! entry can therefore be decided. Of other entries only a contradiction makes a row clear; where there is none and the row is not
//! named, it is *unchecked* and is not bought unless a person allows it. Reading lists is `crm`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use strum::Display;

use super::contact::{RowId, Side};
use super::credits::{counted, grouped};
use super::firm::{self, Similarity};
use super::money::Staged;
use super::row::{Known, Row};
use super::same_person::{Same, is_mask, masked_phone, name_words, names, person, phone};

/// What one entry of a suppression list names. `name` is the person's name if the list has it, else empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressEntry {
    /// One address.
    Email { email: String, name: String },
    /// The domain and its subdomains.
    Domain(String),
    /// The domain alone.
    ExactDomain(String),
    /// `digits`: digits alone, without the country code 1.
    Phone { digits: String, name: String },
    /// A person by name and company.
    Person { name: String, company: String },
    /// A contact by its id.
    Contact(Side, RowId),
}

impl SuppressEntry {
    /// Its place among the [counts].
    fn kind(&self) -> usize {
        match self {
            SuppressEntry::Email { .. } => 0,
            SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_) => 1,
            SuppressEntry::Phone { .. } => 2,
            SuppressEntry::Person { .. } => 3,
            SuppressEntry::Contact(..) => 4,
        }
    }

    /// An address of which the list says no more.
    pub fn email(email: impl Into<String>) -> SuppressEntry {
        SuppressEntry::Email { email: email.into(), name: String::new() }
    }
}

/// How many entries are emails, domains, phones, people and contacts.
pub fn counts(entries: &[SuppressEntry]) -> [u64; 5] {
    let mut counts = [0; 5];
    entries.iter().for_each(|entry| counts[entry.kind()] += 1);
    counts
}

/// `3 emails, 1 domain`.
pub fn contents(entries: &[SuppressEntry]) -> String {
    let named = counts(entries).into_iter().zip(["email", "domain", "phone", "person", "contact"]);
    let words = named.filter(|(count, _)| *count > 0).map(|(count, kind)| match (count, kind) {
        (2.., "person") => format!("{} people", grouped(count)),
        _ => counted(count, kind),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// As a person reads it: `tom.beckett@quailrun.example`, `*.acme.example`.
impl fmt::Display for SuppressEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuppressEntry::Email { email, name } | SuppressEntry::Phone { digits: email, name } => {
                f.write_str(email)?;
                if name.is_empty() { Ok(()) } else { write!(f, " ({name})") }
            }
            SuppressEntry::Domain(domain) => write!(f, "*.{domain}"),
            SuppressEntry::ExactDomain(domain) => f.write_str(domain),
            SuppressEntry::Person { name, company } => write!(f, "{name}, {company}"),
            SuppressEntry::Contact(_, id) => write!(f, "contact {id}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    pub list: String,
    pub entries: Vec<SuppressEntry>,
}

/// Why a contact cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display)]
pub enum Unchecked {
    #[strum(to_string = "only the id is known")]
    NoRow,
    #[strum(to_string = "the row shows no domain")]
    NoDomain,
    #[strum(to_string = "the masked email may be one of the list")]
    Email,
    #[strum(to_string = "the masked phone may be one of the list")]
    Phone,
    #[strum(to_string = "the row lacks the name or the company")]
    Person,
    /// The same company, and a name that may be the same.
    #[strum(to_string = "the name may be one of the list")]
    Name,
}

/// An entry: its list, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    list: usize,
    entry: usize,
}

/// What the lists say of a contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuppressionCheck {
    Clear,
    /// The entry that names it.
    Named(EntryPlace),
    /// With the entries that may name it; none where it could be any of them.
    Unchecked(Unchecked, Vec<EntryPlace>),
}

/// The entry that holds a contact back, in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "HeldByShape", description = "An entry of a suppression list.")]
pub struct HeldBy {
    pub list: String,
    pub entry: String,
}

impl HeldBy {
    /// With how many others do the same: `dnc: tom.beckett@quailrun.example and 2 more`.
    pub fn with(&self, more: usize) -> String {
        if more == 0 { self.to_string() } else { format!("{self} and {} more", grouped(more as u64)) }
    }
}

/// `dnc: tom.beckett@quailrun.example`
impl fmt::Display for HeldBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.list, self.entry)
    }
}

/// What a row shows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct ShownFields<'a> {
    pub id: RowId,
    pub email: &'a str,
    pub phone: &'a str,
    pub name: &'a str,
    pub company: &'a str,
}

impl<'a> ShownFields<'a> {
    pub fn of(row: &'a Staged) -> ShownFields<'a> {
        ShownFields { id: row.id, email: &row.email, phone: &row.phone, name: &row.name, company: &row.company }
    }
}

/// Suppression lists, made quick to ask.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    all: Arc<Vec<Suppression>>,
    /// Each list with its size, for rows that any of its entries may name. A list that grows reads differently.
    every: Arc<[HeldBy]>,
    contacts: HashMap<(Side, RowId), EntryPlace>,
    /// Domains by their ASCII spelling.
    hosts: HashMap<String, Host>,
    /// Entries of domains with letters outside of ASCII, and those of them that have no ASCII spelling.
    international: Vec<EntryPlace>,
    incomparable: Vec<EntryPlace>,
    phones: BTreeMap<String, Vec<EntryPlace>>,
    /// Without an area code: the digits backwards.
    short_phones: BTreeMap<String, Vec<EntryPlace>>,
    /// By company.
    people: HashMap<String, Vec<EntryPlace>>,
    /// By each word of their names.
    people_by_word: HashMap<String, Vec<EntryPlace>>,
}

/// What the lists say of a domain. The first entry that names it counts.
#[derive(Clone, Debug, Default)]
struct Host {
    with_subdomains: Option<EntryPlace>,
    alone: Option<EntryPlace>,
    /// Local parts of its addresses.
    emails: Vec<(String, EntryPlace)>,
}

fn backwards(digits: &str) -> String {
    digits.chars().rev().collect()
}

/// The company of an entry or a row, however it is spelled.
fn company_key(company: &str) -> String {
    firm::normal(company).replace(' ', "")
}

impl Lists {
    pub fn of(all: Arc<Vec<Suppression>>) -> Lists {
        let size = |list: &Suppression| format!("any of {}", counted(list.entries.len() as u64, "entry"));
        let every = all.iter().map(|list| HeldBy { list: list.list.clone(), entry: size(list) }).collect();
        let mut lists = Lists { all: all.clone(), every, ..Lists::default() };
        for (list, suppression) in all.iter().enumerate() {
            for (entry, of) in suppression.entries.iter().enumerate() {
                lists.add(of, EntryPlace { list, entry });
            }
        }
        lists
    }

    fn add(&mut self, entry: &SuppressEntry, at: EntryPlace) {
        match entry {
            SuppressEntry::Domain(named) => drop(self.host(named, at).with_subdomains.get_or_insert(at)),
            SuppressEntry::ExactDomain(named) => drop(self.host(named, at).alone.get_or_insert(at)),
            SuppressEntry::Email { email, .. } => {
                if let Some((local, domain)) = email.to_lowercase().rsplit_once('@') {
                    self.host(domain, at).emails.push((local.to_owned(), at));
                }
            }
            SuppressEntry::Phone { digits, .. } => {
                let (phones, key) = match digits.len() {
                    ..10 => (&mut self.short_phones, backwards(digits)),
                    _ => (&mut self.phones, digits.clone()),
                };
                phones.entry(key).or_default().push(at);
            }
            SuppressEntry::Person { name, company } => {
                self.people.entry(company_key(company)).or_default().push(at);
                let words: BTreeSet<String> = name_words(name).into_iter().collect();
                words.into_iter().for_each(|word| self.people_by_word.entry(word).or_default().push(at));
            }
            SuppressEntry::Contact(side, id) => drop(self.contacts.entry((*side, *id)).or_insert(at)),
        }
    }

    /// The domain of an entry, by the spelling in which rows are compared with it.
    fn host(&mut self, named: &str, at: EntryPlace) -> &mut Host {
        let domain = named.trim_start_matches('@').to_lowercase();
        if firm::is_international(&domain) {
            self.international.push(at);
            self.incomparable.extend(firm::ascii(&domain).is_none().then_some(at));
        }
        self.hosts.entry(firm::comparable(&domain)).or_default()
    }

    /// The name of the list of an entry.
    pub fn list(&self, at: EntryPlace) -> &str {
        &self.all[at.list].list
    }

    fn entry(&self, at: EntryPlace) -> &SuppressEntry {
        &self.all[at.list].entries[at.entry]
    }

    /// The name that an entry says.
    fn name(&self, at: EntryPlace) -> &str {
        match self.entry(at) {
            SuppressEntry::Email { name, .. }
            | SuppressEntry::Phone { name, .. }
            | SuppressEntry::Person { name, .. } => name,
            _ => "",
        }
    }

    /// An entry with its list, in words.
    pub fn held_by(&self, at: EntryPlace) -> HeldBy {
        HeldBy { list: self.list(at).to_owned(), entry: self.entry(at).to_string() }
    }

    /// The same of the entries that may name a row: of every list where there are none.
    pub fn may_be_held_by(&self, may: &[EntryPlace]) -> Arc<[HeldBy]> {
        if may.is_empty() { self.every.clone() } else { may.iter().map(|at| self.held_by(*at)).collect() }
    }

    /// What they say of the contact that a row shows.
    pub fn check_row(&self, side: Side, row: &Row) -> SuppressionCheck {
        if self.is_empty() {
            return SuppressionCheck::Clear;
        }
        let id = row.id().unwrap_or(RowId(i64::MIN));
        let (email, phone, company) = (row.email(), row.known(Known::Phone), row.known(Known::Company));
        self.check(side, ShownFields { id, email, phone, name: &row.name(), company })
    }

    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && !self.asks_more_than_ids()
    }

    fn asks_phones(&self) -> bool {
        !(self.phones.is_empty() && self.short_phones.is_empty())
    }

    fn asks_more_than_ids(&self) -> bool {
        !self.hosts.is_empty() || self.asks_phones() || !self.people.is_empty()
    }

    /// What the lists say of a row of this side.
    pub fn check(&self, side: Side, row: ShownFields<'_>) -> SuppressionCheck {
        if let Some(at) = self.contacts.get(&(side, row.id)) {
            return SuppressionCheck::Named(*at);
        }
        if !self.asks_more_than_ids() {
            return SuppressionCheck::Clear;
        }
        if [row.email, row.phone, row.name, row.company].into_iter().all(str::is_empty) {
            return SuppressionCheck::Unchecked(Unchecked::NoRow, Vec::new());
        }
        let mut found = SuppressionCheck::Clear;
        for check in [self.by_address(row), self.by_phone(row), self.by_person(row)] {
            found = match (found, check) {
                (_, SuppressionCheck::Named(at)) => return SuppressionCheck::Named(at),
                (SuppressionCheck::Clear, check) => check,
                // All entries that may name the row are told, or that it could be any.
                (SuppressionCheck::Unchecked(why, mut all), SuppressionCheck::Unchecked(_, more)) => {
                    let any = all.is_empty() || more.is_empty();
                    all.extend(more);
                    SuppressionCheck::Unchecked(why, if any { Vec::new() } else { all })
                }
                (found, _) => found,
            };
        }
        found
    }

    fn by_address(&self, row: ShownFields<'_>) -> SuppressionCheck {
        if self.hosts.is_empty() {
            return SuppressionCheck::Clear;
        }
        let email = row.email.trim().to_lowercase();
        let Some((local, domain, is_whole)) = address(&email) else {
            return SuppressionCheck::Unchecked(Unchecked::NoDomain, Vec::new());
        };
        let (domain, mut may) = match firm::ascii(domain) {
            Some(spelled) if firm::is_international(domain) => (spelled, self.incomparable.clone()),
            Some(spelled) => (spelled, Vec::new()),
            None => (domain.to_owned(), self.international.clone()),
        };
        let domain = domain.as_str();
        let host = self.hosts.get(domain);
        // `mail.acme.example` is of `acme.example`.
        let mut parents = std::iter::successors(Some(domain), |rest| rest.split_once('.').map(|(_, parent)| parent));
        let above = || parents.find_map(|parent| self.hosts.get(parent)?.with_subdomains);
        if let Some(at) = host.and_then(|host| host.alone).or_else(above) {
            return SuppressionCheck::Named(at);
        }
        for (entry, at) in host.into_iter().flat_map(|host| &host.emails) {
            match person(entry, self.name(*at), local, row.name) {
                Same::Yes => return SuppressionCheck::Named(*at),
                Same::Perhaps => may.push(*at),
                Same::No => {}
            }
        }
        if !is_whole {
            return SuppressionCheck::Unchecked(Unchecked::NoDomain, Vec::new());
        }
        unchecked(Unchecked::Email, may)
    }

    fn by_phone(&self, row: ShownFields<'_>) -> SuppressionCheck {
        if !self.asks_phones() || row.phone.is_empty() {
            return SuppressionCheck::Clear;
        }
        let may_be = |at: &&EntryPlace| names(self.name(**at), row.name) != Same::No;
        let Some((start, end)) = masked_phone(row.phone) else {
            let digits = phone(row.phone);
            if let Some(at) = self.phones.get(&digits).or_else(|| self.short_phones.get(&backwards(&digits))) {
                return SuppressionCheck::Named(at[0]);
            }
            let short = self.short_phones.iter().filter(|(key, _)| backwards(&digits).starts_with(*key));
            return unchecked(Unchecked::Phone, short.flat_map(|(_, all)| all).filter(may_be).copied().collect());
        };
        // The country code 1 is in no entry.
        let starts = [Some(start.as_str()), start.strip_prefix('1')].into_iter().flatten();
        let long = starts.flat_map(|start| {
            let least = start.len() + end.len();
            let from = self.phones.range(start.to_owned()..).take_while(move |(digits, _)| digits.starts_with(start));
            from.filter(move |(digits, _)| digits.len() >= least)
        });
        let long = long.filter(|(digits, _)| digits.ends_with(&end));
        let back = backwards(&end);
        let short = self.short_phones.range(back.clone()..).take_while(|(digits, _)| digits.starts_with(&back));
        let all = long.chain(short).flat_map(|(_, all)| all);
        unchecked(Unchecked::Phone, all.filter(may_be).copied().collect())
    }

    fn by_person(&self, row: ShownFields<'_>) -> SuppressionCheck {
        if self.people.is_empty() {
            return SuppressionCheck::Clear;
        }
        let (name, company) = (name_words(row.name), company_key(row.company));
        let at_company = || self.people.get(&company).into_iter().flatten();
        // Entries of this name at any company.
        let namesakes = || {
            let all = name.last().and_then(|word| self.people_by_word.get(word)).into_iter().flatten();
            all.filter(|at| names(self.name(**at), row.name) == Same::Yes).copied()
        };
        match (name.is_empty(), company.is_empty()) {
            (true, true) => return SuppressionCheck::Unchecked(Unchecked::Person, Vec::new()),
            (true, false) => return unchecked(Unchecked::Person, at_company().copied().collect()),
            (false, true) => return unchecked(Unchecked::Person, namesakes().collect()),
            (false, false) => {}
        }
        let mut may = Vec::new();
        for at in at_company() {
            match names(self.name(*at), row.name) {
                Same::Yes => return SuppressionCheck::Named(*at),
                Same::Perhaps => may.push(*at),
                Same::No => {}
            }
        }
        let normal = firm::normal(row.company);
        let is_like = |at: &EntryPlace| {
            let SuppressEntry::Person { company, .. } = self.entry(*at) else { return false };
            Similarity::of(&firm::normal(company), &normal) != Similarity::Other
        };
        may.extend(namesakes().filter(is_like));
        unchecked(Unchecked::Name, may)
    }
}

/// Clear where no entry may name the row.
fn unchecked(why: Unchecked, may: Vec<EntryPlace>) -> SuppressionCheck {
    if may.is_empty() { SuppressionCheck::Clear } else { SuppressionCheck::Unchecked(why, may) }
}

/// The readable part of a masked email, in lower case: its local part, its domain, and whether that is whole. Where the mask ate
/// the `@`, the domain may have begun earlier.
fn address(email: &str) -> Option<(&str, &str, bool)> {
    let (local, domain, is_whole) = match email.rsplit_once('@') {
        Some((local, domain)) => (local, domain, true),
        None => {
            let (at, mask) = email.char_indices().rfind(|(_, c)| is_mask(*c))?;
            let end = at + mask.len_utf8();
            (&email[..end], &email[end..], false)
        }
    };
    is_domain(domain).then_some((local, domain, is_whole))
}

/// Whether an email shows its domain, masked or whole.
pub fn shows_domain(email: &str) -> bool {
    address(&email.trim().to_lowercase()).is_some_and(|(.., is_whole)| is_whole)
}

pub(super) fn is_domain(domain: &str) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    let fits = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    let last = labels.last().copied().unwrap_or("");
    labels.len() >= 2
        && labels.iter().all(fits)
        && last.chars().count() >= 2
        && (last.starts_with("xn--") || last.chars().all(char::is_alphabetic))
}
