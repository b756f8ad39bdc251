//! The review before spending, as a step of the session: everything it depends on is read again, then the quote is made; the
//! typed amount is held against everything once more, and only then an order begins.
//!
//! The money rules themselves are in `flow::unlock`. Here is only the gathering of what they need from the other machines.

use std::sync::Arc;

use crate::effect::Effect;
use crate::effect::failure::{Failure, StoreFailure};
use crate::effect::store::{OpenBatch, Suppression};
use crate::flow::unlock::order::{self, Accepted, Declined, Order};
use crate::flow::unlock::quote::{Basis, Choice, Limit, Origin, Quote, Sizes, Who};
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, Staged};
use lode_core::time::{Mono, Now};

use super::{Event, Session};

/// What is to be unlocked.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    Basket(Corpus),
    /// Single rows that are not in the basket.
    Rows(Corpus, Arc<Vec<Staged>>),
    /// The basket, or these rows where nothing is staged in any window.
    BasketOr(Corpus, Arc<Vec<Staged>>),
    /// A batch without an answer, once more with the very same ids.
    Again(BatchId),
}

impl Subject {
    /// What a quote is about.
    pub(super) fn of(quote: &Quote) -> Subject {
        match &quote.basis.origin {
            Origin::Basket(_) => Subject::Basket(quote.basis.corpus),
            Origin::Ids => Subject::Rows(quote.basis.corpus, quote.basis.staged.clone()),
            Origin::Again(batch) => Subject::Again(batch.batch),
        }
    }
}

/// Why there is no review.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoReview {
    #[error("no key for the Workspace API is set")]
    NoKey,
    #[error("the service did not identify the workspace of this key, so nothing can be unlocked: {}", .0.words())]
    Unread(Failure),
    #[error("the service did not identify the workspace of this key, so nothing can be unlocked")]
    NoPurse,
    #[error("nothing is spent, because it could not be recorded: {0}")]
    Store(StoreFailure),
    #[error("this batch already has its result")]
    NoBatch,
}

/// A review that is being prepared.
#[derive(Clone, Debug)]
pub(super) struct Review {
    subject: Subject,
    choice: Choice,
}

/// What a typed amount led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Begun {
    /// The order runs.
    Order,
    /// A smaller amount: the review of the first so many, to be confirmed by its own number.
    Fewer(Box<Quote>),
}

impl Session {
    /// Prepares the review: balance, spending, unknown results, suppression lists and basket are read now. It comes as
    /// [`Event::Review`]. A preparation that was under way is dropped.
    pub fn review(&mut self, subject: Subject, choice: Choice, now: Now, fx: &mut Vec<Effect>) {
        self.balance.refresh(&mut self.desk.at(now, fx));
        self.ledger.write_seen(&mut self.desk.at(now, fx));
        self.ledger.read_spent(&mut self.desk.at(now, fx));
        self.recovery.refresh(&mut self.desk.at(now, fx));
        self.look_elsewhere(now, fx);
        if let Subject::Basket(corpus) | Subject::BasketOr(corpus, _) = &subject {
            let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus: *corpus });
            side.basket.check(&mut desk.at(now, fx));
        }
        self.read_lists(now, fx);
        self.review = Some(Review { subject, choice });
    }

    pub fn is_reviewing(&self) -> bool {
        self.review.is_some()
    }

    /// The person looks elsewhere.
    pub fn drop_review(&mut self) {
        self.review = None;
    }

    /// Holds the typed amount against the quote that was shown and against everything as it is now (money rule 1, *shown is paid*), and
    /// begins the order.
    pub fn accept(&mut self, shown: &Quote, typed: Credits, now: Now, fx: &mut Vec<Effect>) -> Result<Begun, Declined> {
        if self.requests.assistant.is_some() {
            return Err(Declined::Assistant);
        }
        let Ok(current) = self.current(shown) else { return Err(Declined::Stale) };
        if self.unlock.is_running() {
            return Err(Declined::Running);
        }
        match order::accept(shown, typed, &current, now)? {
            Accepted::Fewer(quote) => Ok(Begun::Fewer(quote)),
            Accepted::Order(order) => {
                self.begin(*order, now, fx)?;
                Ok(Begun::Order)
            }
        }
    }

    /// The shell's way: `--max-credits` is the typed amount, and where it holds nothing the order ends at once.
    pub fn accept_within(
        &mut self,
        shown: &Quote,
        ceiling: Credits,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<(), Declined> {
        if self.requests.assistant.is_some() {
            return Err(Declined::Assistant);
        }
        let current = self.current(shown).map_err(|_| Declined::Stale)?;
        self.begin(order::accept_within(shown, ceiling, &current)?, now, fx)
    }

    /// A batch with an unknown result goes out again under a ceiling, on what is known now.
    pub fn finish(&mut self, batch: BatchId, ceiling: Credits, now: Now, fx: &mut Vec<Effect>) -> Result<(), Declined> {
        if self.requests.assistant.is_some() {
            return Err(Declined::Assistant);
        }
        let (Some(Ok(who)), Some(spent)) = (self.who(), self.ledger.spent()) else { return Err(Declined::Stale) };
        let batch = Arc::new(self.recovery.batch(batch).ok_or(Declined::Nothing)?.clone());
        let basis = Basis::again(batch, who, self.known_balance(), *spent, self.profile.caps);
        let quote = Quote::make(basis.clone(), Choice::default());
        self.begin(order::accept_within(&quote, ceiling, &basis)?, now, fx)
    }

    /// Why a batch with an unknown result cannot go out again as it is.
    pub fn may_finish(&self, batch: &OpenBatch) -> Result<(), String> {
        let (Some(Ok(who)), Some(spent)) = (self.who(), self.ledger.spent()) else {
            return Err(Declined::Stale.to_string());
        };
        let basis = Basis::again(Arc::new(batch.clone()), who, self.known_balance(), *spent, self.profile.caps);
        let lists = self.lists.index().ok_or("the suppression lists are not read yet")?;
        order::check_again(&basis, lists)
    }

    /// The first batch with an unknown result that can go out again as it is.
    pub fn finishable(&self) -> Option<&OpenBatch> {
        self.recovery.batches().find(|batch| self.may_finish(batch).is_ok())
    }

    pub(super) fn begin(&mut self, order: Order, now: Now, fx: &mut Vec<Effect>) -> Result<(), Declined> {
        self.unlock.start(order, &mut self.desk.at(now, fx))?;
        self.order_began = Some(now.mono);
        Ok(())
    }

    /// The balance and when it was read.
    fn known_balance(&self) -> Option<(Credits, Mono)> {
        self.balance.credits().zip(self.balance.reading().map(|reading| reading.at.mono))
    }

    /// What the same review would rest on now.
    pub(super) fn current(&self, shown: &Quote) -> Result<Basis, NoReview> {
        match self.basis(&Subject::of(shown), self.lists.all().clone()) {
            Some(basis) => basis,
            None => Err(NoReview::NoPurse),
        }
    }

    /// The basis of a review; none while something it needs is still on its way.
    fn basis(&self, subject: &Subject, suppressions: Arc<Vec<Suppression>>) -> Option<Result<Basis, NoReview>> {
        let who = match self.who()? {
            Ok(who) => who,
            Err(none) => return Some(Err(none)),
        };
        let balance = self.known_balance();
        let spent = *self.ledger.spent()?;
        if self.balance.is_asking()
            || !self.ledger.is_loaded()
            || self.ledger.is_reading_spent()
            || self.ledger.is_reading_owned()
            || self.is_looking_elsewhere()
            || !self.recovery.is_idle()
        {
            return None;
        }
        let caps = self.profile.caps;
        let (corpus, staged, origin) = match subject {
            Subject::Again(batch) => {
                let Some(batch) = self.recovery.batch(*batch) else { return Some(Err(NoReview::NoBatch)) };
                return Some(Ok(Basis::again(Arc::new(batch.clone()), who, balance, spent, caps)));
            }
            Subject::Rows(corpus, rows) => (*corpus, rows.clone(), Origin::Ids),
            Subject::BasketOr(corpus, rows) if self.has_nothing_staged(*corpus)? => {
                (*corpus, rows.clone(), Origin::Ids)
            }
            Subject::Basket(corpus) | Subject::BasketOr(corpus, _) => {
                let side = self.side(Side { source: Source::Workspace, corpus: *corpus });
                if let Some(failure) = side.basket.failure() {
                    return Some(Err(NoReview::Store(failure.clone())));
                }
                let (version, rows) = side.basket.settled_state()?;
                (*corpus, Arc::new(rows), Origin::Basket(version))
            }
        };
        Some(Ok(Basis {
            who,
            corpus,
            staged,
            origin,
            owned: self.ledger.owned_ids(corpus),
            unknown: Arc::new(self.recovery.unknown(corpus)),
            suppressions,
            balance,
            spent,
            caps,
            limit: Limit { window: self.taste.per_company, saved: self.profile.choosing.per_company },
            sizes: Sizes::of(&self.profile),
            merit: self.taste.merit().clone(),
        }))
    }

    /// Whether the basket as stored is empty; none while it is being read.
    fn has_nothing_staged(&self, corpus: Corpus) -> Option<bool> {
        let basket = &self.side(Side { source: Source::Workspace, corpus }).basket;
        if basket.failure().is_some() {
            return Some(basket.is_empty());
        }
        basket.settled_state().map(|(_, rows)| rows.is_empty())
    }

    fn who(&self) -> Option<Result<Who, NoReview>> {
        if self.profile.workspace.is_none() {
            return Some(Err(NoReview::NoKey));
        }
        let Some(purse) = self.balance.purse() else {
            if self.balance.is_asking() {
                return None;
            }
            return Some(Err(match self.balance.failure() {
                Some(failure) => NoReview::Unread(failure.clone()),
                None => NoReview::NoPurse,
            }));
        };
        Some(Who::of(&self.profile, self.balance.account()?, purse).ok_or(NoReview::NoKey))
    }

    /// Makes the quote once everything it rests on is here.
    pub(super) fn go_on_with_review(&mut self) {
        if let Some(failure) = self.review_failed.take().or_else(|| self.ledger.failure()) {
            self.events.push(match self.review.take() {
                Some(_) => Event::Review(Err(NoReview::Store(failure))),
                None => Event::StoreFailed(failure),
            });
            return;
        }
        let Some(Review { subject, choice }) = &self.review else { return };
        if self.lists.is_reading() {
            return;
        }
        let Some(basis) = self.basis(subject, self.lists.all().clone()) else { return };
        let choice = choice.clone();
        self.review = None;
        self.events.push(Event::Review(basis.map(|basis| Box::new(Quote::make(basis, choice)))));
    }

    /// Rows of a side as a review needs them, by their ids: as the basket or the window knows them.
    pub fn rows_of(&self, corpus: Corpus, ids: &[RowId]) -> Vec<Staged> {
        let side = self.side(Side { source: Source::Workspace, corpus });
        ids.iter().filter_map(|id| side.staged_row(*id)).collect()
    }
}
