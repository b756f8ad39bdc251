//! A person who searches, stages, unlocks, looks, finishes and stops, without sense and with all rights.

use std::collections::BTreeSet;
use std::sync::Arc;

use lode::domain::contact::{Corpus, RowId, Side, Source};
use lode::domain::credits::Credits;
use lode::domain::filter::Filter;
use lode::domain::money::{Clue, Purse, Staged};
use lode::domain::page::Page;
use lode::domain::query::Query;
use lode::domain::row::Known;
use lode::domain::time::{Mono, Now};
use lode::effect::call::{Call, Reply, SearchCall};
use lode::effect::store::{BasketState, Spent, StoreCall, StoreReply};
use lode::effect::{CallId, Effect, Ticket};
use lode::flow::desk::Heard;
use lode::flow::limiter::Priority;
use lode::flow::unlock::order::{self, Accepted, Declined};
use lode::flow::unlock::quote::{Basis, Choice, Origin, Quote, Sizes, Who, known_by_id};

use crate::dice::Dice;
use crate::window::{Happened, Window};

#[derive(Default)]
pub struct Robot {
    /// The account, when it is being asked for, and the balance it told.
    me: Option<CallId>,
    know: Option<Ticket>,
    told: Option<Purse>,
    pub balance: Option<(Credits, Mono)>,
    org_name: String,
    key_prefix: String,
    search: Option<(CallId, Query)>,
    stage: Option<u64>,
    review: Option<Review>,
    /// A quote on the screen, until the person answers.
    pub shown: Option<Quote>,
    pub looks: u32,
}

/// What is gathered before a review can be shown.
struct Review {
    corpus: Corpus,
    basket: Result<BasketState, Ticket>,
    spent: Result<Spent, Ticket>,
    me: bool,
}

pub fn side(corpus: Corpus) -> Side {
    Side { source: Source::Workspace, corpus }
}

impl Window {
    /// The first thing a window does: whose key is it?
    pub fn robot_begins(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.robot.me = Some(self.desk.ask(Call::Me, Priority::Person, now, fx));
    }

    pub fn robot_is_ready(&self) -> bool {
        self.purse.is_some()
    }

    pub fn robot_searches(&mut self, corpus: Corpus, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
        let mut query = Query::new(side(corpus));
        let narrow = [
            (Filter::Title, "engineer"),
            (Filter::Title, "director"),
            (Filter::Title, "manager"),
            (Filter::Industry, "hospital,clinic"),
            (Filter::State, "TX"),
            (Filter::State, "CA"),
        ];
        if dice.per_mille(600) {
            let (filter, value) = dice.pick(&narrow);
            query.set(*filter, value).expect("a filter of this side");
        }
        query.hide_owned = dice.per_mille(300);
        let offset = if dice.per_mille(300) { dice.below(200) } else { 0 };
        let search = SearchCall { query: query.clone(), offset, limit: 100, mark_pulled: false };
        let call = self.desk.ask(Call::Search(search), Priority::Person, now, fx);
        self.robot.search = Some((call, query));
        self.robot.stage = Some(dice.next());
    }

    /// Reads everything a review rests on, now.
    pub fn robot_reviews(&mut self, corpus: Corpus, now: Now, fx: &mut Vec<Effect>) {
        let Some(purse) = self.purse.clone() else { return };
        let profile = self.profile.name.clone();
        let basket = self.desk.store(StoreCall::Basket { profile, side: side(corpus) }, fx);
        let spent = self.desk.store(StoreCall::Spent { purse, window: self.profile.window.clone() }, fx);
        self.robot.me = Some(self.desk.ask(Call::Me, Priority::Unlock, now, fx));
        self.robot.shown = None;
        self.robot.review = Some(Review { corpus, basket: Err(basket), spent: Err(spent), me: false });
    }

    pub fn robot_hears(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) {
        match heard {
            Heard::Reply(call, _, result) if self.robot.me == Some(*call) => {
                self.robot.me = None;
                if let Ok(Reply::Me(account)) = result {
                    self.robot.balance = account.credits.map(|credits| (credits, now.mono));
                    self.robot.org_name.clone_from(&account.org_name);
                    self.robot.key_prefix.clone_from(&account.key_prefix);
                    let service = self.profile.workspace.as_ref().expect("the profile has a service");
                    let purse = Purse { origin: service.origin.clone(), org: account.org_id.clone() };
                    if self.purse.is_none() {
                        self.robot.told = Some(purse.clone());
                        let call = StoreCall::Know { key: service.key.clone(), purse, account: account.clone() };
                        self.robot.know = Some(self.desk.store(call, fx));
                    }
                    if let Some(review) = &mut self.robot.review {
                        review.me = true;
                    }
                } else {
                    self.robot.review = None;
                }
            }
            Heard::Stored(ticket, result) if self.robot.know == Some(*ticket) => {
                self.robot.know = None;
                if result.is_ok() {
                    self.known(fx);
                }
            }
            Heard::Reply(call, _, result) if self.robot.search.as_ref().is_some_and(|(asked, _)| asked == call) => {
                let (_, query) = self.robot.search.take().expect("it was asked for");
                if let Ok(Reply::Page(page)) = result {
                    self.stage(&query, page, fx);
                }
            }
            Heard::Stored(ticket, result) => {
                if let Some(review) = &mut self.robot.review {
                    match result {
                        Ok(StoreReply::Basket(basket)) if review.basket == Err(*ticket) => {
                            review.basket = Ok(basket.clone());
                        }
                        Ok(StoreReply::Spent(spent)) if review.spent == Err(*ticket) => review.spent = Ok(*spent),
                        Err(_) if review.basket == Err(*ticket) || review.spent == Err(*ticket) => {
                            self.robot.review = None;
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        self.show();
    }

    fn known(&mut self, fx: &mut Vec<Effect>) {
        let Some(purse) = self.robot.told.clone() else { return };
        self.purse = Some(purse.clone());
        self.recovery.begin(purse.clone(), &mut self.desk, fx);
        self.ledger.begin(purse, &mut self.desk, fx);
    }

    fn stage(&mut self, query: &Query, page: &Page, fx: &mut Vec<Effect>) {
        let canonical = query.canonical();
        let ids: Vec<RowId> = page.rows.iter().filter_map(|row| row.id).collect();
        let profile = self.profile.name.clone();
        self.desk.store(
            StoreCall::Searched {
                profile: profile.clone(),
                canonical: canonical.clone(),
                total: page.total,
                offset: page.offset,
                ids,
            },
            fx,
        );
        let mut dice = Dice::new(self.robot.stage.take().unwrap_or_default());
        let clued = dice.per_mille(800);
        let rows = page.rows.iter().filter(|row| row.id.is_some() && dice.per_mille(400)).map(|row| {
            let text = |known: Known| if clued { row.known(known).to_owned() } else { String::new() };
            Staged {
                ours: row.unlocked,
                email: row.email().to_owned(),
                phone: row.known(Known::Phone).to_owned(),
                name: row.name(),
                company: row.known(Known::Company).to_owned(),
                email_status: row.known(Known::EmailStatus).to_owned(),
                clue: Clue {
                    title: text(Known::Title),
                    title_level: text(Known::TitleLevel),
                    state: text(Known::State),
                    industry: text(Known::Industry),
                    email_domain_type: text(Known::EmailDomainType),
                    search: clued.then(|| canonical.clone()),
                },
                row: "{}".to_owned(),
                ..known_by_id(row.id.expect("filtered"))
            }
        });
        let rows: Vec<Staged> = rows.take(40).collect();
        self.desk.store(StoreCall::Stage { profile, side: query.side, rows }, fx);
    }

    /// Everything is gathered: the review is shown.
    fn show(&mut self) {
        let Some(Review { corpus, basket: Ok(basket), spent: Ok(spent), me: true }) = &self.robot.review else {
            return;
        };
        let staged = Arc::new(basket.rows.clone());
        let basis = self.basis(*corpus, staged, Origin::Basket(basket.version), *spent);
        self.robot.review = None;
        self.robot.shown = basis.map(|basis| Quote::make(basis, Choice::default()));
    }

    pub fn basis(&self, corpus: Corpus, staged: Arc<Vec<Staged>>, origin: Origin, spent: Spent) -> Option<Basis> {
        Some(Basis {
            who: self.who()?,
            corpus,
            staged,
            origin,
            owned: self.ledger.owned_ids(corpus),
            in_doubt: Arc::new(self.recovery.in_doubt(corpus)),
            suppressions: Arc::default(),
            balance: self.balance(),
            spent,
            caps: self.profile.caps,
            sizes: Sizes::of(&self.profile),
        })
    }

    fn who(&self) -> Option<Who> {
        Some(Who {
            profile: self.profile.name.clone(),
            live: false,
            window: self.profile.window.clone(),
            key: self.profile.workspace.as_ref()?.key.clone(),
            purse: self.purse.clone()?,
            org_name: self.robot.org_name.clone(),
            key_prefix: self.robot.key_prefix.clone(),
            may_unlock: true,
        })
    }

    /// The person types a number under the review.
    pub fn robot_accepts(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let Some(mut quote) = self.robot.shown.take() else { return Vec::new() };
        let mut happened = Vec::new();
        if dice.per_mille(100) {
            quote = quote.choosing(Choice { verify: false, drop_risky: dice.per_mille(500), ..quote.choice });
        }
        for _ in 0..3 {
            // What the same review rests on by now.
            let spent = quote.basis.spent;
            let staged = quote.basis.staged.clone();
            let Some(basis) = self.basis(quote.basis.corpus, staged, quote.basis.origin.clone(), spent) else { break };
            let smaller = quote.again().is_none() && quote.most.0 > 1 && dice.per_mille(200);
            let typed = if smaller { Credits(1 + dice.below(quote.most.0 as u64 - 1) as i64) } else { quote.most };
            match order::accept(&quote, typed, &basis, now) {
                Ok(Accepted::Order(order)) => {
                    if quote.again().is_some() {
                        happened.push(Happened::Mark("finish through the dialog"));
                    }
                    let _ = self.unlock.start(*order, &mut self.desk, now, fx);
                    break;
                }
                Ok(Accepted::Fewer(fewer)) => {
                    happened.push(Happened::Mark("a smaller amount kept the first"));
                    quote = *fewer;
                }
                Err(Declined::Balance { balance }) if balance.0 > 0 => {
                    let first = usize::try_from(balance.0).ok();
                    quote = quote.choosing(Choice { first, ..quote.choice });
                }
                Err(Declined::Cap { left, .. }) => {
                    happened.push(Happened::Mark("a cap held an order back"));
                    // A person who does not believe the review: the store must not believe the person.
                    let first = usize::try_from(left.0).ok();
                    quote = quote.choosing(Choice { first, ..quote.choice });
                }
                Err(Declined::Changed(changed)) => quote = *changed,
                Err(_) => break,
            }
        }
        happened
    }

    /// `lode unlock ID…`: ids out of the blue, a ceiling, no basket.
    pub fn robot_unlocks_ids(&mut self, rows: u64, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
        let corpus = *dice.pick(&Corpus::ALL);
        let count = 1 + dice.below(30);
        let staged: Vec<Staged> = (0..count).map(|_| known_by_id(RowId(1 + dice.below(rows + 5) as i64))).collect();
        let spent = self.ledger.spent().copied().unwrap_or_default();
        let Some(basis) = self.basis(corpus, Arc::new(staged), Origin::Ids, spent) else { return };
        let quote = Quote::make(basis.clone(), Choice::default());
        let ceiling = Credits(1 + dice.below(40) as i64);
        if let Ok(order) = order::accept_within(&quote, ceiling, &basis) {
            let _ = self.unlock.start(order, &mut self.desk, now, fx);
        }
    }

    /// The review of a batch that is to be sent again.
    pub fn robot_reviews_finish(&mut self, dice: &mut Dice) {
        let batches: Vec<_> = self.recovery.batches().filter(|batch| !batch.in_flight).cloned().collect();
        if batches.is_empty() {
            return;
        }
        let batch = Arc::new(dice.pick(&batches).clone());
        let Some(who) = self.who() else { return };
        let spent = self.ledger.spent().copied().unwrap_or_default();
        let basis = Basis::again(batch, who, self.balance(), spent, self.profile.caps);
        self.robot.shown = Some(Quote::make(basis, Choice::default()));
    }

    pub fn doubts(&self) -> BTreeSet<RowId> {
        Corpus::ALL.into_iter().flat_map(|corpus| self.recovery.in_doubt(corpus)).collect()
    }
}

impl Window {
    pub fn robot_waits(&self) -> bool {
        self.robot.me.is_some() || self.robot.know.is_some()
    }

    /// Whatever comes to mind.
    pub fn wander(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let corpus = *dice.pick(&[Corpus::Us, Corpus::Us, Corpus::Linkedin]);
        if self.robot.shown.is_some() && dice.per_mille(700) {
            return self.robot_accepts(dice, now, fx);
        }
        match dice.below(100) {
            0..35 => self.robot_searches(corpus, dice, now, fx),
            35..65 if !self.unlock.is_running() => self.robot_reviews(corpus, now, fx),
            65..75 if !self.unlock.is_running() => self.robot_unlocks_ids(crate::world::ROWS, dice, now, fx),
            75..88 => drop(self.recovery.look(&mut self.desk, fx)),
            88..93 if !self.unlock.is_running() => self.robot_reviews_finish(dice),
            93..97 => self.unlock.stop(&mut self.desk, now, fx),
            _ => {}
        }
        Vec::new()
    }

    /// Clears up, as a sensible person would: look, look again when it can prove something, in the end finish.
    pub fn settle(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if self.unlock.is_running() || !self.recovery.is_idle() {
            return Vec::new();
        }
        if self.robot.shown.as_ref().is_some_and(|quote| quote.again().is_some()) {
            return self.robot_accepts(dice, now, fx);
        }
        self.robot.shown = None;
        if self.robot.looks == 0 {
            self.robot.looks = 1;
            self.recovery.refresh(&mut self.desk, fx);
            return Vec::new();
        }
        if self.recovery.is_clear() {
            return Vec::new();
        }
        if self.recovery.next_look().is_none_or(|at| at <= now.mono) || self.robot.looks == 1 {
            self.robot.looks += 1;
            if self.robot.looks > 12 && dice.per_mille(500) {
                let fresh = self.robot.balance.is_some_and(|(_, at)| now.mono.since(at) < order::FRESH);
                if fresh {
                    self.robot_reviews_finish(dice);
                } else {
                    self.robot_begins(now, fx);
                }
            } else {
                self.recovery.look(&mut self.desk, fx);
            }
        }
        Vec::new()
    }
}
