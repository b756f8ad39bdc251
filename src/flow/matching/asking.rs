//! The requests of a match at the Data API: each account is asked for by its website, then, where that settles nothing, by its
//! company. Accounts that share a website or a name share the request.

use std::collections::{HashMap, VecDeque};

use crate::domain::filter::Filter;
use crate::domain::firm;
use crate::domain::page::Page;
use crate::domain::query::Query;
use crate::effect::CallId;
use crate::effect::call::{Call, SearchCall};
use crate::flow::desk::{Cx, Owner, PAGE};
use crate::flow::limiter::Priority;
use crate::flow::search::applied;

use super::accounts::{Account, Accounts};
use super::judge::{Firms, Verdict};

/// Requests that are under way at once.
const AT_ONCE: usize = 2;
/// Pages of one name that are read before it counts as too common to be sure.
const PAGES: u64 = 10;

/// What is asked for: a website, or a company's name in lower case.
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
    whole: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Asking {
    /// Accounts that are not settled, in the order in which they are asked for.
    open: VecDeque<usize>,
    read: HashMap<Ask, Read>,
    /// The accounts behind what is asked for.
    wanted_by: HashMap<Ask, Vec<usize>>,
    under_way: HashMap<CallId, Step>,
}

pub(super) fn website(account: &Account) -> Option<Ask> {
    account.domain.clone().map(|value| Ask { filter: Filter::CompanyWebsite, value })
}

pub(super) fn company(account: &Account) -> Option<Ask> {
    let value = firm::without_legal_form(&account.company).to_lowercase();
    (!account.normal.is_empty()).then_some(Ask { filter: Filter::CompanyName, value })
}

impl Asking {
    pub(super) fn new(accounts: &Accounts) -> Asking {
        let mut asking = Asking::default();
        for (at, account) in accounts.lines.iter().enumerate() {
            for ask in website(account).into_iter().chain(company(account)) {
                asking.wanted_by.entry(ask).or_default().push(at);
            }
            asking.open.push_back(at);
        }
        asking
    }

    pub(super) fn is_over(&self) -> bool {
        self.open.is_empty() && self.under_way.is_empty()
    }

    /// Requests that are certain to come, as far as is known: one for each thing that is asked for.
    pub(super) fn ahead(&self, accounts: &Accounts) -> u64 {
        let mut asks: Vec<Ask> = self
            .open
            .iter()
            .filter_map(|at| {
                let account = &accounts.lines[*at];
                let open = |ask: &Ask| !self.read.get(ask).is_some_and(|read| read.whole);
                website(account).filter(open).or_else(|| company(account).filter(open))
            })
            .collect();
        asks.sort_by(|one, other| one.value.cmp(&other.value));
        asks.dedup();
        asks.len() as u64
    }

    /// Requests that are made at most, pages of common names aside.
    pub(super) fn most(&self) -> u64 {
        self.wanted_by.keys().filter(|ask| !self.read.get(ask).is_some_and(|read| read.whole)).count() as u64
    }

    /// Takes an answered page, whether it came now or was kept by an earlier run.
    pub(super) fn take(&mut self, step: &Step, limit: u64, page: &Page, firms: &mut [Firms], per: usize) {
        let read = self.read.entry(step.ask.clone()).or_default();
        read.next = step.offset.saturating_add(applied(limit, page));
        read.pages += 1;
        let is_end = if page.uncounted { page.rows.is_empty() } else { read.next >= page.total };
        // A website names one company: its first page says whose it is.
        read.whole = is_end || page.rows.is_empty() || step.ask.filter == Filter::CompanyWebsite;
        for at in self.wanted_by.get(&step.ask).into_iter().flatten() {
            for row in &page.rows {
                firms[*at].add(row, per);
            }
        }
    }

    /// Whether all rows of the account's name were read.
    pub(super) fn is_whole(&self, account: &Account) -> bool {
        company(account).is_none_or(|ask| self.read.get(&ask).is_none_or(|read| read.whole))
    }

    /// What has to be asked next for an account; none once it is settled.
    fn next(&self, account: &Account, firms: &Firms, per: usize) -> Option<Step> {
        if let Some(ask) = website(account) {
            if !self.read.contains_key(&ask) {
                return Some(Step { ask, offset: 0 });
            }
            if let Verdict::Matched { .. } = firms.judge(account, per, true) {
                return None;
            }
        }
        let ask = company(account)?;
        match self.read.get(&ask) {
            None => Some(Step { ask, offset: 0 }),
            Some(read) if read.whole || read.pages >= PAGES => None,
            Some(read) => Some(Step { ask, offset: read.next }),
        }
    }

    /// Asks for as much as may be asked now. `may_send` is asked before each request.
    pub(super) fn pump(
        &mut self,
        (accounts, query): (&Accounts, &Query),
        (firms, per): (&[Firms], usize),
        cx: &mut Cx<'_>,
        mut may_send: impl FnMut() -> bool,
    ) {
        for _ in 0..self.open.len() {
            if self.under_way.len() >= AT_ONCE {
                return;
            }
            let Some(at) = self.open.pop_front() else { return };
            let account = &accounts.lines[at];
            let Some(step) = self.next(account, &firms[at], per) else { continue };
            if self.under_way.values().any(|under_way| *under_way == step) {
                self.open.push_back(at);
                continue;
            }
            let mut query = query.clone();
            let value = match step.ask.filter {
                Filter::CompanyName => firm::without_legal_form(&account.company),
                _ => step.ask.value.clone(),
            };
            if query.set(step.ask.filter, &value).and_then(|()| query.ready()).is_err() {
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
            let call = SearchCall { query, offset: step.offset, limit: PAGE, mark_pulled: false };
            let id = cx.ask(Owner::Matching, Call::Search(call), Priority::Person);
            self.under_way.insert(id, step);
        }
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
