//! The requests of a match at the Data API: each account is asked for by its website, then, where that settles nothing, by its
//! company. What is asked for is looser than what counts: services write websites and names in different ways, and which rows are
//! the account's is decided by `judge` alone. Accounts that share a website or a name share the request.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::effect::CallId;
use crate::effect::call::{Call, SearchCall};
use crate::flow::desk::{Cx, Owner, PAGE};
use crate::flow::limiter::Priority;
use crate::flow::search::applied;
use lode_core::filter::Filter;
use lode_core::firm;
use lode_core::page::Page;
use lode_core::query::Query;
use lode_core::row::{Known, Row};

use super::accounts::{Account, Accounts};
use super::index::Index;
use super::judge::{Firms, Verdict};

/// Requests that are under way at once.
const AT_ONCE: usize = 2;
/// Pages of one name that are read before it counts as too common to be sure.
const PAGES: u64 = 10;
/// How services write the website of a domain: what stands before it and after it.
const WEBSITES: [(&str, &str); 12] = [
    ("", ""),
    ("www.", ""),
    ("https://www.", "/"),
    ("http://www.", "/"),
    ("https://", "/"),
    ("http://", "/"),
    ("https://www.", ""),
    ("http://www.", ""),
    ("https://", ""),
    ("http://", ""),
    ("www.", "/"),
    ("", "/"),
];
/// Companies whose websites are written alike before no other way is asked for.
const ALIKE: usize = 20;
/// Companies whose way is remembered at most.
const REMEMBERED: usize = 200;
/// A keyword that many companies match: its rows show how the service writes websites.
const SAMPLE: &str = "inc";

/// What is asked for: a website, a company's name in lower case, or [`SAMPLE`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ask {
    pub filter: Filter,
    pub value: String,
}

/// One request: what is asked for, from which place on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub ask: Ask,
    pub offset: u64,
}

impl Step {
    /// As the journal names it.
    pub(super) fn name(&self) -> String {
        format!("{}={}@{}", self.ask.filter.name(), self.ask.value, self.offset)
    }

    pub(super) fn named(name: &str) -> Option<Step> {
        let (ask, offset) = name.rsplit_once('@')?;
        let (filter, value) = ask.split_once('=')?;
        let ask = Ask { filter: Filter::named(filter)?, value: value.to_owned() };
        Some(Step { ask, offset: offset.parse().ok()? })
    }
}

/// How far something that is asked for was read.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    next: u64,
    pages: u64,
    /// Pages still to read, by the total and the limit of the latest one.
    left: u64,
    whole: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// Accounts that are not settled, in the order in which they are asked for.
    open: VecDeque<usize>,
    index: Index,
    read: HashMap<Ask, Read>,
    /// How the companies found by name write their websites, by domain: places in [`WEBSITES`]. A search by website finds only
    /// what is written as it was asked for.
    websites: HashMap<String, usize>,
    /// What was seen of accounts that are asked for by a word of their name too. Whether such a word was read must not change what
    /// an account is whose name alone is enough.
    loose: HashMap<usize, Firms>,
    under_way: HashMap<CallId, Step>,
    /// Still to be read before the first website is asked for.
    sample: Option<Ask>,
}

fn website(domain: &str, (before, after): (&str, &str)) -> Ask {
    Ask { filter: Filter::CompanyWebsite, value: format!("{before}{domain}{after}") }
}

/// The name of the account without its article and legal form: as it is written, without punctuation, and with `&` for `and` and
/// the reverse.
fn names(account: &Account) -> Vec<String> {
    if account.normal.is_empty() {
        return Vec::new();
    }
    let name = firm::without_legal_form(&account.company);
    let name = match name.split_once(char::is_whitespace) {
        Some((first, rest)) if first.eq_ignore_ascii_case("the") && !rest.trim().is_empty() => rest.trim().to_owned(),
        _ => name,
    };
    let parted = |c: char| if c.is_alphanumeric() || c == '&' { c } else { ' ' };
    let plain = name.chars().filter(|c| !matches!(c, '.' | '\'' | '’' | '`')).map(parted).collect::<String>();
    let plain = plain.replace('&', " & ");
    let with = |and: Option<&'static str>| {
        let is_and = |word: &str| word == "&" || word.eq_ignore_ascii_case("and");
        let words = plain.split_whitespace().map(|word| and.filter(|_| is_and(word)).unwrap_or(word));
        words.collect::<Vec<&str>>().join(" ")
    };
    let mut names = vec![name];
    for other in [with(None), with(Some("&")), with(Some("and"))] {
        if !other.is_empty() && !names.iter().any(|name| name.to_lowercase() == other.to_lowercase()) {
            names.push(other);
        }
    }
    names
}

/// The word by which the name is found however its punctuation and blanks are written: the first longer one, without an `s` that
/// an apostrophe may precede.
fn word(account: &Account) -> Option<String> {
    let names = names(account);
    let is_common = |word: &&str| ["and", "for", "of", "the"].contains(&word.to_lowercase().as_str());
    let parts = || names.first().into_iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric()));
    let words = || parts().filter(|word| !is_common(word));
    let length = |word: &&str| word.chars().count();
    let word = words().find(|word| length(word) >= 4).or_else(|| words().max_by_key(length))?;
    let word = if length(&word) > 4 { word.trim_end_matches(['s', 'S']) } else { word };
    let is_new = names.iter().all(|name| name.to_lowercase() != word.to_lowercase());
    (is_new && length(&word) >= 3).then(|| word.to_owned())
}

fn company(name: &str) -> Ask {
    Ask { filter: Filter::CompanyName, value: name.to_lowercase() }
}

impl Asking {
    pub(super) fn new(accounts: &Accounts) -> Asking {
        Asking {
            open: (0..accounts.lines.len()).collect(),
            index: Index::of(&accounts.lines),
            read: HashMap::new(),
            websites: HashMap::new(),
            loose: HashMap::new(),
            under_way: HashMap::new(),
            sample: accounts
                .lines
                .iter()
                .any(|account| account.domain.is_some())
                .then(|| Ask { filter: Filter::Query, value: SAMPLE.to_owned() }),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.open.is_empty() && self.under_way.is_empty()
    }

    fn is_whole_ask(&self, ask: &Ask) -> bool {
        self.read.get(ask).is_some_and(|read| read.whole)
    }

    /// How a website may be written, the likeliest way first.
    fn ways(&self) -> Vec<(&'static str, &'static str)> {
        let mut seen = [0; WEBSITES.len()];
        self.websites.values().for_each(|way| seen[*way] += 1);
        let mut ways: Vec<usize> = (0..WEBSITES.len()).collect();
        ways.sort_by_key(|way| std::cmp::Reverse(seen[*way]));
        if seen[ways[0]] >= ALIKE && seen[ways[0]] == self.websites.len() {
            ways.truncate(1);
        }
        ways.into_iter().map(|way| WEBSITES[way]).collect()
    }

    /// Requests that will come for certain: one for each thing that is asked for.
    pub(super) fn ahead(&self, accounts: &Accounts) -> u64 {
        let way = self.ways()[0];
        let next = |account: &Account| {
            let website = account.domain.iter().map(|domain| website(domain, way));
            let names = names(account).into_iter().map(|name| company(&name));
            website.chain(names).find(|ask| !self.is_whole_ask(ask))
        };
        let asks: HashSet<Ask> = self.open.iter().filter_map(|at| next(&accounts.lines[*at])).collect();
        (asks.len() + self.sample.iter().len()) as u64
    }

    /// Requests that are made at most, pages of common names aside.
    pub(super) fn most(&self, accounts: &Accounts) -> u64 {
        let domains: HashSet<&String> = accounts.lines.iter().filter_map(|account| account.domain.as_ref()).collect();
        let names: HashSet<Ask> = accounts
            .lines
            .iter()
            .flat_map(|account| names(account).into_iter().chain(word(account)))
            .map(|name| company(&name))
            .collect();
        let read = self.read.values().filter(|read| read.whole).count();
        let asks = (domains.len() * self.ways().len() + names.len()).saturating_sub(read);
        (asks + self.sample.iter().len()) as u64
    }

    /// Takes an answered page, whether it came now or was kept by an earlier run.
    pub(super) fn take(
        &mut self,
        accounts: &Accounts,
        (step, limit, page): (&Step, u64, &Page),
        firms: &mut [Firms],
        per: usize,
    ) {
        if self.sample.take_if(|sample| *sample == step.ask).is_some() {
            return page.rows.iter().for_each(|row| self.learn(row));
        }
        let read = self.read.entry(step.ask.clone()).or_default();
        let stride = applied(limit, page);
        read.next = step.offset.saturating_add(stride);
        read.pages += 1;
        read.left = page.total.saturating_sub(read.next).div_ceil(stride);
        let is_end = if page.uncounted { page.rows.is_empty() } else { read.next >= page.total };
        // A website names one company: its first page says whose it is.
        read.whole = is_end || page.rows.is_empty() || step.ask.filter == Filter::CompanyWebsite;
        for row in &page.rows {
            if step.ask.filter == Filter::CompanyName {
                self.learn(row);
            }
            for at in self.index.accounts(row) {
                let account = &accounts.lines[at];
                if asks_for(account, &step.ask) {
                    firms[at].add(row, per);
                    self.loose.entry(at).and_modify(|loose| loose.add(row, per));
                } else if word(account).is_some_and(|word| company(&word) == step.ask) {
                    self.loose.entry(at).or_insert_with(|| firms[at].clone()).add(row, per);
                }
            }
        }
    }

    /// How the service writes the website of a company.
    fn learn(&mut self, row: &Row) {
        if self.websites.len() >= REMEMBERED {
            return;
        }
        let text = row.known(Known::Website).trim().to_lowercase();
        let Some(domain) = firm::domain(&text) else { return };
        let way = WEBSITES.iter().position(|way| website(&domain, *way).value == text);
        self.websites.extend(way.map(|way| (domain, way)));
    }

    /// What the rows say that were read so far.
    pub(super) fn verdict(&self, at: usize, account: &Account, firms: &Firms, per: usize) -> Verdict {
        let is_whole = |name: &String| self.is_whole_ask(&company(name));
        let names_whole = names(account).iter().all(is_whole);
        let verdict = firms.judge(account, per, names_whole);
        match self.loose.get(&at) {
            Some(loose) if !matches!(verdict, Verdict::Matched { .. }) => {
                loose.judge(account, per, names_whole && word(account).iter().all(is_whole))
            }
            _ => verdict,
        }
    }

    /// What has to be asked next for an account, and the text to send; none once it is settled.
    fn next(&self, at: usize, account: &Account, firms: &Firms, per: usize) -> Option<(Step, String)> {
        let first = |ask: Ask| {
            let text = ask.value.clone();
            (Step { ask, offset: 0 }, text)
        };
        let ways = self.ways();
        let website = |way| account.domain.as_ref().map(|domain| website(domain, way));
        let is_read = |ask: &Ask| self.read.contains_key(ask);
        if !WEBSITES.into_iter().filter_map(website).any(|ask| is_read(&ask))
            && let Some(ask) = website(ways[0])
        {
            return Some(first(ask));
        }
        let is_settled = || matches!(self.verdict(at, account, firms, per), Verdict::Matched { .. });
        if is_settled() {
            return None;
        }
        for name in names(account) {
            let ask = company(&name);
            match self.read.get(&ask) {
                None => return Some((Step { ask, offset: 0 }, name)),
                Some(read) if read.whole || read.pages >= PAGES => {}
                Some(read) => return Some((Step { ask, offset: read.next }, name)),
            }
        }
        if is_settled() {
            return None;
        }
        if let Some(word) = word(account).filter(|_| !firms.has_name(account)) {
            let ask = company(&word);
            match self.read.get(&ask) {
                None => return Some((Step { ask, offset: 0 }, word)),
                // A word that too many names have is not read in part.
                Some(read) if read.whole || read.pages.saturating_add(read.left) > PAGES => {}
                Some(read) => return Some((Step { ask, offset: read.next }, word)),
            }
        }
        if is_settled() {
            return None;
        }
        ways.into_iter().filter_map(website).find(|ask| !is_read(ask)).map(first)
    }

    /// Asks for as much as may be asked now. `may_send` is asked before each request.
    pub(super) fn pump(
        &mut self,
        (accounts, query): (&Accounts, &Query),
        (firms, per): (&[Firms], usize),
        cx: &mut Cx<'_>,
        mut may_send: impl FnMut() -> bool,
    ) {
        if let Some(ask) = &self.sample {
            let mut query = Query::new(query.side);
            let is_set = query.set(ask.filter, &ask.value).is_ok();
            assert!(is_set, "the Data API takes a keyword on both corpora");
            if self.under_way.is_empty() && may_send() {
                self.send(Step { ask: ask.clone(), offset: 0 }, query, cx);
            }
            return;
        }
        for _ in 0..self.open.len() {
            if self.under_way.len() >= AT_ONCE {
                return;
            }
            let Some(at) = self.open.pop_front() else { return };
            let Some((step, text)) = self.next(at, &accounts.lines[at], &firms[at], per) else { continue };
            if self.under_way.values().any(|under_way| *under_way == step) {
                self.open.push_back(at);
                continue;
            }
            let mut query = query.clone();
            if query.set(step.ask.filter, &text).and_then(|()| query.ready()).is_err() {
                // What cannot be asked for is not found: the name is too long.
                self.read.insert(step.ask, Read { whole: true, ..Read::default() });
                self.open.push_back(at);
                continue;
            }
            if !may_send() {
                self.open.push_front(at);
                return;
            }
            self.open.push_back(at);
            self.send(step, query, cx);
        }
    }

    fn send(&mut self, step: Step, query: Query, cx: &mut Cx<'_>) {
        let call = SearchCall { query, offset: step.offset, limit: PAGE, mark_pulled: false };
        let id = cx.ask(Owner::Matching, Call::Search(call), Priority::Person);
        self.under_way.insert(id, step);
    }

    /// The request that was answered.
    pub(super) fn answered(&mut self, id: CallId) -> Option<Step> {
        self.under_way.remove(&id)
    }

    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        for (id, _) in self.under_way.drain() {
            cx.cancel(id);
        }
    }
}

/// Whether the account is asked for in this way, by more than a word.
fn asks_for(account: &Account, ask: &Ask) -> bool {
    match ask.filter {
        Filter::CompanyWebsite => account.domain.is_some() && firm::domain(&ask.value) == account.domain,
        _ => names(account).iter().any(|name| company(name) == *ask),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_back_from_its_name() {
        for value in ["lakeside.example", "a=b@c & d"] {
            let step = Step { ask: Ask { filter: Filter::CompanyName, value: value.to_owned() }, offset: 100 };
            assert_eq!(Step::named(&step.name()), Some(step));
        }
        assert_eq!(Step::named("page@7"), None);
    }
}
