//! What the money machines have to tell each other and all others, after every step: rows fill in where they stand,
//! settled contacts leave the basket, the balance is read again, what is unknown is looked after.

use crate::effect::Effect;
use crate::effect::store::Settled;
use crate::flow::{recovery, unlock};
use lode_core::contact::{Contact, Corpus, RowId, Side, Source};
use lode_core::money::Outcome;
use lode_core::purse::{Purse, PurseRef};
use lode_core::time::Now;

use super::{Event, Session, Subject};

impl Session {
    pub fn read_balance(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.balance.refresh(&mut self.desk.at(now, fx));
    }

    /// Asks `/me` once more, where its last answer was a failure.
    pub fn reread_account(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.balance.failure().is_some() {
            self.balance.refresh(&mut self.desk.at(now, fx));
        }
    }

    /// Looks for free at everything that is unknown or lacks what was paid for. False where there is nothing to look for.
    pub fn look(&mut self, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.recovery.look(&mut self.desk.at(now, fx))
    }

    /// The same with the requests that the looks before have left: for a command that looks again by itself.
    pub fn look_again(&mut self, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.recovery.look_again(&mut self.desk.at(now, fx))
    }

    /// Where `/me` fails: the batches of the purse that the key spent from when it was last heard of. False where that is not
    /// known. They can be named; nothing can be cleared up or spent.
    pub fn read_remembered(&mut self, now: Now, fx: &mut Vec<Effect>) -> bool {
        let purse = self.balance.remembered_purse();
        purse.map(|purse| self.settle_kept(purse, now, fx)).is_some()
    }

    /// Reads which batches are open; answers that were kept and not read yet settle, for free.
    pub fn settle_kept(&mut self, purse: Purse, now: Now, fx: &mut Vec<Effect>) {
        self.recovery.begin(purse, &mut self.desk.at(now, fx));
    }

    /// Stops the order after the call that is on the wire.
    pub fn stop_unlock(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.unlock.stop(&mut self.desk.at(now, fx));
    }

    /// Updates all parts of the session.
    pub(super) fn go_on(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.begin_books(now, fx);
        self.recovery.exclude_in_flight(self.unlock.at_work());
        while let Some(news) = self.unlock.news() {
            match news {
                unlock::News::Settled { corpus, contacts } => {
                    if let Some(balance) = self.unlock.job().and_then(unlock::job::Job::balance)
                        && self.balance.credits() != Some(balance)
                    {
                        self.balance.told(balance, now);
                    }
                    let certain = contacts.iter().filter(|settled| settled.outcome != Outcome::Unknown);
                    self.recovery.settled(corpus, &certain.map(|settled| settled.id).collect());
                    self.settled(corpus, contacts, now);
                }
                unlock::News::Unknown => {
                    self.recovery.refresh(&mut self.desk.at(now, fx));
                    self.events.push(Event::Unknown);
                }
                unlock::News::Written if self.completes => self.ledger.read_spent(&mut self.desk.at(now, fx)),
                unlock::News::Written => {}
                unlock::News::Settings(profile) => self.saved_as(*profile),
                unlock::News::ReviewAgain { quote, words } => {
                    let subject = Subject::of(&quote);
                    self.events.push(Event::ReviewAgain { subject, choice: quote.choice.clone(), words });
                }
                unlock::News::Finished(summary) => {
                    if !summary.contacts.is_empty() {
                        self.ledger.refresh(&mut self.desk.at(now, fx));
                        self.recovery.refresh(&mut self.desk.at(now, fx));
                        self.balance.refresh(&mut self.desk.at(now, fx));
                        self.after_spending(summary.corpus, now, fx);
                    }
                    self.events.push(Event::Finished(summary));
                }
            }
        }
        while let Some(news) = self.recovery.news() {
            match news {
                recovery::News::Settled { corpus, contacts } => {
                    self.settled(corpus, contacts, now);
                    self.ledger.refresh(&mut self.desk.at(now, fx));
                    self.after_spending(corpus, now, fx);
                }
                recovery::News::Completed { corpus, contacts } => {
                    for (id, contact) in &contacts {
                        self.own(corpus, *id, contact);
                    }
                    self.ledger.refresh(&mut self.desk.at(now, fx));
                    self.events.push(Event::Completed { corpus, contacts });
                }
                recovery::News::Read => self.events.push(Event::Recovery),
                recovery::News::Looked { trouble } => self.events.push(Event::Looked { trouble }),
                recovery::News::Store(failure) => self.events.push(Event::StoreFailed(failure)),
            }
        }
        let quiet = self.recovery.is_idle() && self.recovery.is_clear() && !self.unlock.is_running();
        if self.completing && quiet {
            self.completing = false;
            self.recovery.look(&mut self.desk.at(now, fx));
        }
        let newly = self.ledger.newly_owned();
        if !newly.is_empty() {
            self.fill_in(newly, now, fx);
        }
        self.go_on_with_review();
    }

    /// As soon as `/me` said whose key it is: the books of that purse. What an earlier run left incomplete is looked for with
    /// the next look.
    fn begin_books(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let switched = self.balance.switched();
        let purse = self.balance.purse().filter(|purse| switched.is_some() || self.ledger.purse() != Some(purse));
        if let Some(purse) = purse {
            let moved = switched.is_some();
            for side in self.sides.iter_mut().filter(|side| side.side.source == Source::Workspace) {
                side.basket.belongs_to(purse.clone().into(), moved, &mut self.desk.at(now, fx));
            }
            self.history.belongs_to(self.profile.purses(Some(&purse)), &mut self.desk.at(now, fx));
            self.events.push(Event::Purse(switched));
            if self.lists.is_wanted() {
                self.read_lists(now, fx);
            }
            // Before the books are read: what is changed from here on is noticed.
            self.look_elsewhere(now, fx);
            self.ledger.begin(purse.clone(), &mut self.desk.at(now, fx));
            self.recovery.begin(purse, &mut self.desk.at(now, fx));
            self.gleaned = false;
            if self.completes {
                self.read_requests(fx);
            }
        }
        if self.ledger.is_loaded() && !self.gleaned {
            self.gleaned = true;
            let incomplete: Vec<(Corpus, RowId)> =
                self.ledger.incomplete().map(|owned| (owned.corpus, owned.id)).collect();
            self.completing = self.completes && !incomplete.is_empty();
            for (corpus, id) in incomplete {
                self.recovery.complete(corpus, [(id, Default::default())]);
            }
        }
    }

    /// Where a new suppression list goes.
    pub fn list_purse(&self) -> PurseRef {
        self.profile.list_purse(self.balance.purse().as_ref())
    }

    /// Whose suppression lists apply.
    pub fn purses(&self) -> Vec<PurseRef> {
        self.profile.purses(self.balance.purse().as_ref())
    }

    /// The purse that records about a source go to.
    pub fn purse_of(&self, source: Source) -> Option<PurseRef> {
        let known = self.balance.purse().filter(|_| source == Source::Workspace);
        known.map(PurseRef::Known).or_else(|| self.profile.purse_of(source))
    }

    fn settled(&mut self, corpus: Corpus, contacts: Vec<Settled>, now: Now) {
        let mut owned = Vec::new();
        let mut leave = Vec::new();
        for settled in &contacts {
            if settled.outcome.is_owned() {
                let row = self.side(Side { source: Source::Workspace, corpus }).row(settled.id).cloned();
                owned.push((settled.id, settled.contact.as_deref().cloned().unwrap_or_default(), row));
            }
            if settled.outcome.is_owned() || matches!(settled.outcome, Outcome::Missing | Outcome::Unreachable) {
                leave.push(settled.id);
            }
        }
        for (id, contact, _) in &owned {
            self.own(corpus, *id, contact);
        }
        let order = self.unlock.job().and_then(unlock::job::Job::id);
        self.ledger.take(corpus, owned, now.wall, order);
        let (side, _) = self.side_mut(Side { source: Source::Workspace, corpus });
        side.basket.settled(&leave);
        self.events.push(Event::Settled { corpus, contacts });
    }

    fn own(&mut self, corpus: Corpus, id: RowId, contact: &Contact) {
        let (side, _) = self.side_mut(Side { source: Source::Workspace, corpus });
        side.own(id, contact);
    }

    /// Under `hide_owned` what was bought has left the service's set: pages that were read since are read again. The share
    /// that is owned is another one, and so is the version of the basket.
    fn after_spending(&mut self, corpus: Corpus, now: Now, fx: &mut Vec<Effect>) {
        let since = self.order_began.unwrap_or(now.mono);
        let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus });
        side.window.reread_since(since, &mut desk.at(now, fx));
        if let Some(totals) = side.window.service_totals() {
            side.coverage.refresh(&totals, &mut desk.at(now, fx));
        }
        side.basket.check(&mut desk.at(now, fx));
    }
}
