//! Turns a query into a plan: each filter is looked up in the dictionaries once and becomes sets of slots.

use std::collections::BTreeSet;

use super::ScanQuery;
use super::plan::{Bits, Plan};
use crate::corpus::{
    Address, Axis, City, DISPOSABLE_HOST, Dictionary, LISTS, SLOTS, STEM_BITS, Site, Style, Title, Trade, Word,
    digits_of, dotted, host_of, house_number, line_of,
};

/// No text of the corpora is longer than this. Longer values are not taken apart, which would take long.
const LONGEST: usize = 200;

/// A column that can be filtered, by its name.
pub type ScanField = &'static str;

/// A column, whether values match within its text in any case (else the stored value exactly), and the rows that have a value. What
/// matches in any case comes in lower case.
type Filter = (ScanField, bool, fn(&str) -> Plan);

static FILTERS: [Filter; 22] = [
    ("title", true, |value| title(|title| title.text.to_lowercase().contains(value))),
    ("industry", true, |value| trade(|trade| trade.industry.to_lowercase().contains(value))),
    ("company_name", true, company),
    ("contact_name", true, contact),
    ("first_name", true, |value| first(|name| name.lower.contains(value))),
    ("last_name", true, |value| last(|name| name.lower.contains(value))),
    ("address", true, street_address),
    ("city", false, |value| city(|city| city.name == value)),
    ("county", false, |value| city(|city| city.county == value)),
    ("state", false, |value| city(|city| LISTS.places.states[city.state].code == value)),
    ("zip", false, |value| site(|site| site.zip == value)),
    ("phone", false, phone),
    ("company_website", false, website),
    ("sic_code", false, |value| trade(|trade| trade.sic == value)),
    ("naics_code", false, |value| trade(|trade| trade.naics == value)),
    ("email_address", false, email),
    ("email_domain_type", false, |value| address(|address| address.domain_type == value)),
    ("email_status", false, |value| address(|address| address.status == value)),
    ("title_level", false, |value| title(|title| title.level == value)),
    ("industry_group", false, |value| trade(|trade| trade.group == value)),
    ("revenue", false, |value| Plan::within(Axis::Name, Bits::of(|name| LISTS.firms.size(name).1 == value))),
    ("employees", false, |value| Plan::within(Axis::Name, Bits::of(|name| LISTS.firms.size(name).0 == value))),
];

fn filter(field: ScanField) -> &'static Filter {
    FILTERS.iter().find(|(name, ..)| *name == field).expect("only columns of the table are filtered")
}

pub(super) fn matches_within(field: ScanField) -> bool {
    filter(field).1
}

impl Plan {
    pub(super) fn read(wanted: &ScanQuery) -> Plan {
        let words =
            wanted.query.iter().flat_map(|query| query.split_whitespace()).map(|word| keyword(&word.to_lowercase()));
        let clauses = wanted.clauses.iter().map(|(field, values)| {
            let (.., rows) = filter(field);
            Plan::any(values.iter().map(|value| rows(value)))
        });
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

fn contact(lower: &str) -> Plan {
    joined(lower, |ask| first(|name| ask(&name.lower)), |ask| last(|name| ask(&name.lower)))
}

fn street_address(lower: &str) -> Plan {
    let house = |ask: Ask| Plan::within(Axis::House, Bits::of(|house| ask(&house_number(house).to_string())));
    joined(lower, house, |ask| of_places(Axis::Street, &LISTS.firms.streets, |street| ask(&street.lower)))
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
