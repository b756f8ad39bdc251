//! The account as `/me` reports it: the balance and its age, the scopes of the key, and the purse that pays.
//!
//! The number is always one the service said, never one we worked out: others spend from the same balance (M5). What is in
//! flight is held by the ledger, not subtracted here.

use super::*;

/// The least time between two automatic readings, where `/me` keeps failing while everything else works.
const REST: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// Where the records of the service are kept, and its key.
    service: Option<(Origin, KeyHash)>,
    pub account: Option<Account>,
    /// True until `/me` answered in this run: the account is what the store remembers of the key.
    remembered: bool,
    /// When `/me` last named the account, while it has not answered in this run: what is shown of the purse is as of then.
    pub as_of: Option<Wall>,
    /// A sentence if `/me` named another organization than before. Nothing was moved there.
    pub(super) switched: Option<String>,
    /// As the service last said it in this run.
    pub credits: Option<Credits>,
    /// When that was.
    pub reading: Option<Now>,
    asking: Option<(CallId, Now)>,
    /// A reading was asked for while an earlier one was on its way, which may be too old.
    again: bool,
    /// Why the last reading failed.
    pub failure: Option<Failure>,
    /// When a success next leads to another reading, after one that failed as well.
    rests_until: Mono,
    known: Option<Ticket>,
    /// Whose key it is, on its way to the store; written again with the next answer where the store failed.
    knowing: Option<Ticket>,
    unwritten: bool,
}

impl Balance {
    pub fn new(profile: &Profile) -> Balance {
        Balance {
            service: profile.workspace.as_ref().map(|service| (profile.purse_origin(service), service.key.clone())),
            remembered: true,
            ..Balance::default()
        }
    }

    /// Asks the store what it remembers of the key, if nothing is known of it, and then `/me`. The reading that will come is not older
    /// than now.
    pub fn refresh(&mut self, cx: &mut FlowContext<'_>) {
        let Some((origin, key)) = self.service.clone() else { return };
        if self.account.is_none() && self.known.is_none() {
            self.known = Some(cx.store(Owner::Balance, StoreCall::AccountOf { origin, key }));
        }
        match self.asking {
            None => self.asking = Some((cx.ask(Owner::Balance, Call::Me, Priority::Person), cx.now)),
            Some((_, asked)) => self.again |= asked.mono < cx.now.mono,
        }
    }

    /// After a `/me` that failed: the next success on this key shows that it can be read again.
    pub fn recover(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Reply(_, call, result) = arrival else { return };
        let works = call.source() == Source::Workspace && *call != Call::Me && result.is_ok();
        let was_denied = matches!(call, Call::Search(_)) && self.may_search() == Some(false)
            || matches!(call, Call::Unlock(_)) && self.may_unlock() == Some(false);
        let is_due = self.asking.is_none() && self.rests_until <= cx.now.mono;
        if works && is_due && (self.failure.is_some() || was_denied) {
            self.rests_until = cx.now.mono.after(REST);
            self.asking = Some((cx.ask(Owner::Balance, Call::Me, Priority::Coverage), cx.now));
        }
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        if let Some(result) = arrival.stored::<KnownAccount>(&mut self.known) {
            match (result, &self.account) {
                (Ok(Some((_, account, at))), None) => {
                    self.account = Some(account.clone());
                    self.as_of = Some(*at);
                }
                // `/me` was faster than the store.
                (Ok(Some((_, before, _))), Some(_)) => self.compare_with(before),
                _ => {}
            }
        } else if let Some(result) = arrival.stored::<()>(&mut self.knowing) {
            self.unwritten = result.is_err();
        } else if let Arrival::Reply(id, Call::Me, result) = arrival
            && self.asking.take_if(|(asking, _)| asking == id).is_some()
        {
            match result {
                Ok(Reply::Me(account)) => self.answered(account, cx),
                Ok(_) => self.failure = Some(Failure::OurBug { words: "unexpected response to /me".into() }),
                Err(failure) => self.failure = Some(failure.clone()),
            }
            if std::mem::take(&mut self.again) {
                self.refresh(cx);
            }
        }
    }

    /// `/me` answered, here or to an unlock.
    pub fn answered(&mut self, account: &Account, cx: &mut FlowContext<'_>) {
        let changed = self.remembered
            || self.unwritten
            || self.account.as_ref().map(|known| &known.org_id) != Some(&account.org_id);
        if let Some(before) = self.account.replace(account.clone()) {
            self.compare_with(&before);
        }
        (self.remembered, self.as_of, self.failure) = (false, None, None);
        self.credits = account.credits.or(self.credits);
        self.reading = Some(cx.now);
        if let (true, Some(purse), Some((_, key))) = (changed, self.purse(), self.service.clone()) {
            let call = StoreCall::KeepAccount { key, purse, account: account.clone() };
            self.knowing = Some(cx.store(Owner::Balance, call));
        }
    }

    /// The balance as the answer of an unlock said it.
    pub fn set_stated(&mut self, credits: Credits, now: Now) {
        self.credits = Some(credits);
        self.reading = Some(now);
    }

    pub fn age(&self, now: Now) -> Option<Duration> {
        self.reading.map(|at| now.mono.since(at.mono))
    }

    pub fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Whose money it is, once `/me` said so in this run: what the store remembers may be another's by now.
    pub fn purse(&self) -> Option<Purse> {
        self.remembered_purse().filter(|_| !self.remembered)
    }

    fn compare_with(&mut self, before: &Account) {
        let Some(now) = self.account.as_ref().filter(|now| now.org_id != before.org_id) else { return };
        if !before.org_id.is_empty() {
            let (from, to) = (&before.org_name, &now.org_name);
            let words = format!(
                "This key now belongs to {to}. Its own basket and records are used; those of {from} are unchanged."
            );
            self.switched = Some(words);
        }
    }

    /// Whose money the key spent when it was last heard of: enough to say what its books leave open, not to spend.
    pub fn remembered_purse(&self) -> Option<Purse> {
        let account = self.account.as_ref().filter(|account| !account.org_id.is_empty())?;
        Some(Purse::of_org(self.service.as_ref()?.0.clone(), &account.org_id))
    }

    /// Whether the key can search; `None` until `/me` has answered.
    pub fn may_search(&self) -> Option<bool> {
        self.account.as_ref().map(Account::may_search)
    }

    /// Whether the key can spend; `None` until `/me` has answered.
    pub fn may_unlock(&self) -> Option<bool> {
        self.account.as_ref().map(Account::may_unlock)
    }
}
