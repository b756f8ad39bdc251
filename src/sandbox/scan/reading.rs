//! Turns a query into a plan: each filter is looked up in the dictionaries once and becomes sets of slots.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::ScanQuery;
use super::plan::{Bits, Plan};
use crate::corpus::{
    Address, Axis, City, DISPOSABLE_HOST, Dictionary, LISTS, SLOTS, STEM_BITS, Site, Style, Title, Trade, Word,
    digits_of, dotted, host_of, house_number, line_of,
};

/// No text of the corpora is longer than this. Longer values are not taken apart, which would take long.
const LONGEST: usize = 200;

/// A column that can be filtered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// The column of this name.
    pub(crate) fn named(name: &str) -> Option<ScanField> {
        serde_json::from_value(name.into()).ok()
    }

    /// Text filters match within the field and ignore case; code and location filters match the stored value exactly.
    pub fn matches_within(self) -> bool {
        use ScanField::*;
        matches!(self, Title | Industry | CompanyName | ContactName | FirstName | LastName | Address)
    }
}

/// What the tests read in the plain way.
#[cfg(test)]
impl ScanField {
    pub const ALL: [ScanField; 22] = [
        ScanField::Title,
        ScanField::Industry,
        ScanField::CompanyName,
        ScanField::ContactName,
        ScanField::FirstName,
        ScanField::LastName,
        ScanField::Address,
        ScanField::City,
        ScanField::County,
        ScanField::State,
        ScanField::Zip,
        ScanField::Phone,
        ScanField::CompanyWebsite,
        ScanField::SicCode,
        ScanField::NaicsCode,
        ScanField::EmailAddress,
        ScanField::EmailDomainType,
        ScanField::EmailStatus,
        ScanField::TitleLevel,
        ScanField::IndustryGroup,
        ScanField::Revenue,
        ScanField::Employees,
    ];

    /// The stored value of this column.
    pub fn of(self, person: &crate::corpus::Person) -> std::borrow::Cow<'_, str> {
        let text = match self {
            ScanField::ContactName => return std::borrow::Cow::Owned(person.contact_name()),
            ScanField::Title => &person.title,
            ScanField::Industry => &person.industry,
            ScanField::CompanyName => &person.company_name,
            ScanField::FirstName => &person.first_name,
            ScanField::LastName => &person.last_name,
            ScanField::Address => &person.address,
            ScanField::City => &person.city,
            ScanField::County => &person.county,
            ScanField::State => &person.state,
            ScanField::Zip => &person.zip,
            ScanField::Phone => &person.phone,
            ScanField::CompanyWebsite => &person.company_website,
            ScanField::SicCode => &person.sic_code,
            ScanField::NaicsCode => &person.naics_code,
            ScanField::EmailAddress => &person.email,
            ScanField::EmailDomainType => &person.email_domain_type,
            ScanField::EmailStatus => &person.email_status,
            ScanField::TitleLevel => &person.title_level,
            ScanField::IndustryGroup => &person.industry_group,
            ScanField::Revenue => &person.revenue,
            ScanField::Employees => &person.employees,
        };
        std::borrow::Cow::Borrowed(text)
    }
}

impl Plan {
    pub(super) fn read(wanted: &ScanQuery) -> Plan {
        let words =
            wanted.query.iter().flat_map(|query| query.split_whitespace()).map(|word| keyword(&word.to_lowercase()));
        let clauses =
            wanted.clauses.iter().map(|(field, values)| Plan::any(values.iter().map(|value| clause(*field, value))));
        Plan::all(words.chain(clauses))
    }
}

/// One word of the query, in lower case.
fn keyword(word: &str) -> Plan {
    let within = |text: &str| text.to_lowercase().contains(word);
    Plan::any([
        trade(|trade| within(trade.industry)),
        title(|title| within(title.text)),
        city(|city| {
            within(city.name) || within(city.county) || LISTS.places.states[city.state].code.to_lowercase() == word
        }),
        first(|name| name.lower.contains(word)),
        last(|name| name.lower.contains(word)),
        company(word),
    ])
}

fn clause(field: ScanField, value: &str) -> Plan {
    let lower = value.to_lowercase();
    match field {
        ScanField::Title => title(|title| title.text.to_lowercase().contains(&lower)),
        ScanField::Industry => trade(|trade| trade.industry.to_lowercase().contains(&lower)),
        ScanField::CompanyName => company(&lower),
        ScanField::ContactName => {
            joined(&lower, |ask| first(|name| ask(&name.lower)), |ask| last(|name| ask(&name.lower)))
        }
        ScanField::FirstName => first(|name| name.lower.contains(&lower)),
        ScanField::LastName => last(|name| name.lower.contains(&lower)),
        ScanField::Address => {
            let house = |ask: Ask| Plan::within(Axis::House, Bits::of(|house| ask(&house_number(house).to_string())));
            joined(&lower, house, |ask| of_places(Axis::Street, &LISTS.firms.streets, |street| ask(&street.lower)))
        }
        ScanField::City => city(|city| city.name == value),
        ScanField::County => city(|city| city.county == value),
        ScanField::State => city(|city| LISTS.places.states[city.state].code == value),
        ScanField::Zip => site(|site| site.zip == value),
        ScanField::Phone => phone(value),
        ScanField::CompanyWebsite => website(value),
        ScanField::SicCode => trade(|trade| trade.sic == value),
        ScanField::NaicsCode => trade(|trade| trade.naics == value),
        ScanField::EmailAddress => email(value),
        ScanField::EmailDomainType => address(|address| address.domain_type == value),
        ScanField::EmailStatus => address(|address| address.status == value),
        ScanField::TitleLevel => title(|title| title.level == value),
        ScanField::IndustryGroup => trade(|trade| trade.group == value),
        ScanField::Revenue => Plan::within(Axis::Name, Bits::of(|name| LISTS.firms.size(name).1 == value)),
        ScanField::Employees => Plan::within(Axis::Name, Bits::of(|name| LISTS.firms.size(name).0 == value)),
    }
}

/// Asks each entry once, then gives all slots that it owns its answer.
fn of_entries<E>(axis: Axis, dictionary: &Dictionary<E>, holds: impl FnMut(&E) -> bool) -> Plan {
    let answers: Vec<bool> = dictionary.entries.iter().map(holds).collect();
    Plan::within(axis, Bits::slots(dictionary.runs().filter(|(entry, _)| answers[*entry]).flat_map(|(_, slots)| slots)))
}

/// For lists in which an entry's place is its slot.
fn of_places<E>(axis: Axis, entries: &[E], mut holds: impl FnMut(&E) -> bool) -> Plan {
    Plan::within(axis, Bits::slots(entries.iter().enumerate().filter(|(_, entry)| holds(entry)).map(|(at, _)| at)))
}

fn site(holds: impl FnMut(&Site) -> bool) -> Plan {
    of_entries(Axis::Place, &LISTS.places.sites, holds)
}

fn city(holds: impl FnMut(&City) -> bool) -> Plan {
    let answers: Vec<bool> = LISTS.places.cities.iter().map(holds).collect();
    site(|site| answers[site.city])
}

fn trade(holds: impl FnMut(&Trade) -> bool) -> Plan {
    of_entries(Axis::Work, &LISTS.work.trades, holds)
}

fn title(holds: impl FnMut(&Title) -> bool) -> Plan {
    of_entries(Axis::Work, &LISTS.work.titles, holds)
}

fn first(holds: impl FnMut(&Word) -> bool) -> Plan {
    of_entries(Axis::First, &LISTS.first, holds)
}

fn last(holds: impl FnMut(&Word) -> bool) -> Plan {
    of_entries(Axis::Last, &LISTS.last, holds)
}

fn stem(mut holds: impl FnMut(&Word) -> bool) -> Plan {
    let stems = LISTS.firms.stems.iter().enumerate().filter(|(_, stem)| holds(stem)).map(|(at, _)| at);
    // The stem is the low bits of the name; the high ones are the last word, whichever it is.
    let names = stems.flat_map(|stem| (stem..SLOTS).step_by(1 << STEM_BITS));
    Plan::within(Axis::Name, Bits::slots(names))
}

/// Last words belong to sectors, and a sector is known from the work alone: asked first, it spares most rows the question which
/// firm they belong to.
fn tail(mut holds: impl FnMut(&Word) -> bool) -> Plan {
    let answers: Vec<bool> = LISTS.firms.tails.iter().map(&mut holds).collect();
    let sector_has = |sector: usize| answers[sector * 8..sector * 8 + 8].contains(&true);
    Plan::all([trade(|trade| sector_has(trade.sector)), of_places(Axis::Tail, &LISTS.firms.tails, holds)])
}

type Ask<'a> = &'a dyn Fn(&str) -> bool;

fn company(lower: &str) -> Plan {
    joined(lower, |ask| stem(|stem| ask(&stem.lower)), |ask| tail(|tail| ask(&tail.lower)))
}

/// Text that consists of two parts with a space between them contains `wanted` if either part does, or if the left part ends
/// where the right one begins.
fn joined(wanted: &str, left: fn(Ask) -> Plan, right: fn(Ask) -> Plan) -> Plan {
    if wanted.len() > LONGEST {
        return Plan::Nothing;
    }
    let across = wanted.match_indices(' ').map(|(space, _)| {
        let (end, start) = (&wanted[..space], &wanted[space + 1..]);
        Plan::all([left(&|text| text.ends_with(end)), right(&|text| text.starts_with(start))])
    });
    let apart = [left(&|text| text.contains(wanted)), right(&|text| text.contains(wanted))];
    Plan::any(apart.into_iter().chain(across))
}

fn phone(value: &str) -> Plan {
    let (Some(area), Some(line)) = (value.get(..3), value.get(3..).and_then(|rest| rest.strip_prefix("55501"))) else {
        return Plan::Nothing;
    };
    let line_is = Bits::of(|detail| format!("{:02}", line_of(detail)) == line);
    Plan::all([site(|site| site.area_code == area), Plan::within(Axis::Detail, line_is)])
}

/// A domain is a stem and a last word run together; there may be several ways to part it.
fn website(value: &str) -> Plan {
    let starts = LISTS.firms.stems.iter().filter(|stem| value.starts_with(&stem.slug)).map(|stem| stem.slug.len());
    let ways: BTreeSet<usize> = starts.collect();
    Plan::any(ways.into_iter().map(|at| {
        let (start, end) = value.split_at(at);
        Plan::all([tail(|entry| entry.slug == end), stem(|entry| entry.slug == start)])
    }))
}

/// Which addresses an employer has depends on its kind, so each kind is asked for itself.
fn address(mut holds: impl FnMut(&Address) -> bool) -> Plan {
    Plan::any(LISTS.mail.iter().enumerate().map(|(employer, addresses)| {
        let works_there = trade(|trade| LISTS.work.sectors[trade.sector].employer == employer);
        Plan::all([works_there, of_entries(Axis::Mail, addresses, &mut holds)])
    }))
}

/// Goes backwards through the rules that build an address.
fn email(value: &str) -> Plan {
    let Some((local, host)) = value.rsplit_once('@').filter(|_| value.len() <= LONGEST) else { return Plan::Nothing };
    Plan::any([company_email(local, host), personal_email(local, host)])
}

fn company_email(local: &str, host: &str) -> Plan {
    let at_host = website(host);
    if matches!(at_host, Plan::Nothing) {
        return Plan::Nothing;
    }
    // Where each style parts the name, and whether it writes out the first name and the last.
    let styles = [
        (Style::Dotted, local.split_once('.'), true, true),
        (Style::Initial, local.split_at_checked(1), false, true),
        (Style::Short, local.split_at_checked(local.len().saturating_sub(1)), true, false),
        (Style::Underscored, local.split_once('_'), true, true),
    ];
    let is = |name: &Word, text: &str, whole: bool| {
        if whole { name.slug == text } else { text.len() == 1 && name.slug.starts_with(text) }
    };
    let built = styles.into_iter().filter_map(|(style, parts, whole_first, whole_last)| {
        let (left, right) = parts?;
        Some(Plan::all([
            first(|name| is(name, left, whole_first)),
            last(|name| is(name, right, whole_last)),
            Plan::within(Axis::Name, Bits::of(|name| Style::of(name) == style)),
        ]))
    });
    Plan::all([at_host, Plan::any(built), address(|address| !address.personal())])
}

fn personal_email(local: &str, host: &str) -> Plan {
    let Some((name, digits)) = local.split_at_checked(local.len().saturating_sub(2)) else { return Plan::Nothing };
    let details = |with_dot: bool, at_host: bool| {
        Plan::within(
            Axis::Detail,
            Bits::of(|detail| {
                dotted(detail) == with_dot
                    && (!at_host || host_of(detail) == host)
                    && format!("{:02}", digits_of(detail)) == digits
            }),
        )
    };
    let named = |left: &str, right: &str| Plan::all([first(|name| name.slug == left), last(|name| name.slug == right)]);
    let with_dot = name.split_once('.').map_or(Plan::Nothing, |(left, right)| named(left, right));
    let without =
        Plan::any((1..name.len()).filter(|at| name.is_char_boundary(*at)).map(|at| named(&name[..at], &name[at..])));
    // Disposable addresses are all at one host, whichever their digits would give.
    let of_kind = |disposable: bool| {
        Plan::all([
            address(|address| address.personal() && address.disposable() == disposable),
            Plan::any([
                Plan::all([with_dot.clone(), details(true, !disposable)]),
                Plan::all([without.clone(), details(false, !disposable)]),
            ]),
        ])
    };
    if host == DISPOSABLE_HOST { Plan::any([of_kind(false), of_kind(true)]) } else { of_kind(false) }
}
