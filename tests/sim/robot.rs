//! A person who searches, stages, unlocks, looks, finishes and stops, without sense and with all rights.

use std::collections::BTreeMap;

use lode_core::Traits;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::Credits;
use lode_core::exclude::ExclusionKind;
use lode_core::filter::Filter;
use lode_core::money::Staged;
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::Now;
use lode_engine::effect::Effect;
use lode_engine::flow::search::window::Slot;
use lode_engine::flow::session::{Event, UnlockSubject};
use lode_engine::flow::unlock::order::Declined;
use lode_engine::flow::unlock::quote::{Quote, ReviewChoice};

use crate::referee::Wanted;
use crate::simulation::ROWS;
use crate::window::{Happened, Window};
use common::rng::Rng;

/// What comes to its mind how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Temper {
    /// Everything, one after another.
    Curious,
    /// Buys and buys, and seldom looks after what is unknown.
    Greedy,
    /// Sends again what is unknown whenever it can.
    Hasty,
    /// Buys under two profiles of one workspace, back and forth.
    Divided,
}

#[derive(Default)]
pub struct Robot {
    /// A quote on the screen, until the person answers.
    shown: Option<Quote>,
    /// It is to be accepted as a command does it, under this amount.
    ceiling: Option<Credits>,
    /// Contacts of one company that the person wants of it at most.
    per_company: Option<u32>,
    pub looks: u32,
}

fn side(corpus: Corpus) -> Side {
    Side { source: Source::Workspace, corpus }
}

impl Window {
    /// Whatever comes to mind.
    pub fn wander(&mut self, temper: Temper, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let corpus = *rng.pick(&[Corpus::Us, Corpus::Us, Corpus::Linkedin]);
        let again = self.robot.shown.as_ref().is_some_and(|quote| quote.again().is_some());
        // It is looked at for some seconds. Meanwhile another window sends the same batch.
        if again && temper == Temper::Hasty {
            return if rng.per_mille(150) { self.accepts(rng, now, fx) } else { Vec::new() };
        }
        if self.robot.shown.is_some() && rng.per_mille(700) {
            return self.accepts(rng, now, fx);
        }
        let running = self.session.unlock().is_running();
        // Up to where searching, staging, reviewing, unlocking by id, looking and finishing reach.
        let [search, stage, review, ids, look, finish] = match temper {
            Temper::Curious => [25, 45, 65, 75, 86, 93],
            Temper::Greedy | Temper::Divided => [12, 27, 47, 89, 93, 95],
            Temper::Hasty => [3, 6, 12, 30, 32, 93],
        };
        match rng.below(100) {
            roll if roll < search => self.searches(corpus, rng, now, fx),
            roll if roll < stage && rng.per_mille(200) => return self.chooses(corpus, rng, now, fx),
            roll if roll < stage => return self.stages(corpus, rng, now, fx),
            // One order of a window at a time.
            roll if running && roll < ids => {}
            roll if roll < review => {
                (self.robot.shown, self.robot.ceiling) = (None, None);
                self.robot.per_company = rng.per_mille(500).then(|| *rng.pick(&[1, 1, 1, 2]));
                self.session.choice_rules.per_company = self.robot.per_company;
                self.session.review(UnlockSubject::Basket(corpus, None), choice(rng), now, fx);
            }
            roll if roll < ids => self.unlocks_ids(rng, now, fx),
            roll if roll < look => drop(self.session.recovery.check(&mut self.session.desk.at(now, fx))),
            roll if running && roll < finish => {}
            roll if roll < finish => self.reviews_finish(rng, now, fx),
            93..97 => self.session.stop_unlock(now, fx),
            97 => self.session.focused(now, fx),
            98 => drop(self.session.side_mut(side(corpus)).0.basket.len()),
            _ => {}
        }
        Vec::new()
    }

    /// Clears up, as a sensible person would: look, look again when it can prove something, in the end finish.
    pub fn settle(&mut self, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if self.session.unlock().is_running() || !self.session.recovery.is_idle() || self.session.is_reviewing() {
            return Vec::new();
        }
        if self.robot.shown.as_ref().is_some_and(|quote| quote.again().is_some()) {
            return self.accepts(rng, now, fx);
        }
        (self.robot.shown, self.robot.ceiling) = (None, None);
        if self.robot.looks == 0 {
            self.robot.looks = 1;
            self.session.recovery.refresh(&mut self.session.desk.at(now, fx));
        } else if !self.session.recovery.is_clear() {
            let due = self.session.recovery.next_look().is_none_or(|at| at <= now.mono);
            if due || self.robot.looks == 1 {
                self.robot.looks += 1;
                if self.robot.looks > 12 && rng.per_mille(500) {
                    self.reviews_finish(rng, now, fx);
                } else {
                    self.session.recovery.check(&mut self.session.desk.at(now, fx));
                }
            }
        }
        Vec::new()
    }

    pub fn robot_hears(&mut self, event: &Event) {
        if let Event::Review(Ok(quote)) = event {
            adds_up(quote);
            self.robot.shown = Some((**quote).clone());
        }
    }

    fn searches(&mut self, corpus: Corpus, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) {
        let mut query = Query::new(side(corpus));
        let narrow = [
            (Filter::Title, "engineer"),
            (Filter::Title, "director"),
            (Filter::Title, "manager"),
            (Filter::Industry, "hospital,clinic"),
            (Filter::State, "TX"),
            (Filter::State, "CA"),
            // One reading of the documents never answers this.
            (Filter::Industry, "government"),
        ];
        if rng.per_mille(500) {
            let (filter, value) = rng.pick(&narrow);
            query.set(*filter, value).expect("a filter of this side");
        }
        // Several values: the same contact may come in more than one leg.
        if rng.per_mille(250) {
            for (filter, value) in narrow.iter().filter(|_| rng.per_mille(600)) {
                if *filter != Filter::Industry {
                    query.add(*filter, value).expect("a filter of this side");
                }
            }
        }
        query.hide_owned = rng.per_mille(300);
        for word in ["assistant", "senior", "manager"] {
            if rng.per_mille(250) {
                query.not.add(ExclusionKind::Title, word).expect("a word");
            }
        }
        let offset = if rng.per_mille(300) { rng.below(120) } else { 0 };
        self.session.search_at(query, offset, now, fx);
    }

    /// The best of the first rows, as `A` does it where there is something to choose by.
    fn chooses(&mut self, corpus: Corpus, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let among = self.session.choice_rules.among();
        let (state, desk) = self.session.side_mut(side(corpus));
        let most = 1 + rng.below(40) as usize;
        let not = words_of(state.window.query());
        let begun = state.gather(among, Some(most), &mut desk.at(now, fx)).is_none();
        if !begun {
            return Vec::new();
        }
        // The person does not wait for it.
        if rng.per_mille(500) {
            self.searches(corpus, rng, now, fx);
        }
        vec![Happened::Mark("the best were chosen"), Happened::Chooses(corpus, not)]
    }

    /// Single rows, each as it is, or what `a` takes of them: none that is left out.
    fn stages(&mut self, corpus: Corpus, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let choice_rules = rng.per_mille(500).then(|| self.session.choice_rules.clone());
        let (state, desk) = self.session.side_mut(side(corpus));
        let mut ids: Vec<_> = state.window.loaded().filter_map(|(_, row)| row.id()).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "each contact is loaded once, in whichever leg it came");
        let several = state.window.query().has_legs();
        let again = |at: u64| matches!(state.window.slot(at), Slot::Again(_));
        let mut happened = Vec::new();
        if several && (0..state.window.total().unwrap_or(0)).any(again) {
            happened.push(Happened::Mark("a contact came in two legs"));
        }
        let mut rows: Vec<&Row> =
            state.window.loaded().filter(|_| rng.per_mille(300)).take(35).map(|(_, row)| row).collect();
        if let Some(choice_rules) = &choice_rules {
            let (wanted, left) = state.wanted(rows, choice_rules);
            rows = wanted;
            if left.excluded > 0 {
                happened.push(Happened::Mark("rows were left out of what was chosen"));
            }
        }
        let ids = rows.iter().filter_map(|row| row.id()).collect();
        let mut legs: BTreeMap<String, (Query, Vec<Row>)> = BTreeMap::new();
        for row in rows {
            let query = row.id().map_or_else(|| state.window.query(), |id| state.window.query_of(id));
            legs.entry(query.canonical()).or_insert((query.clone(), Vec::new())).1.push(row.clone());
        }
        let not = if choice_rules.is_some() { words_of(state.window.query()) } else { Vec::new() };
        for (query, rows) in legs.values() {
            state.basket.stage(0, rows, query, &mut desk.at(now, fx));
        }
        happened.push(Happened::Takes(corpus, ids, not));
        happened
    }

    /// The person types a number under the review.
    fn accepts(&mut self, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if let Some(ceiling) = self.robot.ceiling.take() {
            return self.accepts_within(ceiling, now, fx);
        }
        let Some(mut quote) = self.robot.shown.take() else { return Vec::new() };
        // More comes into the basket under the person's eyes, most often while only the best of it are shown. The number is typed
        // later, when the basket is stored.
        let often = if quote.choice.first.is_some() { 600 } else { 100 };
        if quote.again().is_none() && rng.per_mille(often) {
            let corpus = quote.basis.corpus;
            self.robot.shown = Some(quote);
            return self.stages(corpus, rng, now, fx);
        }
        let mut happened = Vec::new();
        for _ in 0..3 {
            let smaller = quote.again().is_none() && quote.most.0 > 1 && rng.per_mille(400);
            let typed = if smaller { Credits(1 + rng.below(quote.most.0 as u64 - 1) as i64) } else { quote.most };
            match self.session.accept(&quote, typed, now, fx) {
                Ok(()) => {
                    self.orders(typed.0);
                    happened.push(self.wants(&quote));
                    if !quote.beyond.is_empty() {
                        happened.push(Happened::Mark("a company had more than wanted"));
                    }
                    if quote.again().is_some() {
                        happened.push(Happened::Mark("finish through the dialog"));
                    }
                    break;
                }
                Err(Declined::Fewer(fewer)) => {
                    happened.push(Happened::Mark("a smaller amount kept the first"));
                    quote = *fewer;
                    // It is looked at for a while.
                    if rng.per_mille(500) {
                        self.robot.shown = Some(quote);
                        break;
                    }
                }
                Err(Declined::Balance { balance }) if balance.0 > 0 => quote = first(&quote, balance),
                Err(Declined::Cap { left, .. }) => {
                    happened.push(Happened::Mark("a cap held an order back"));
                    quote = first(&quote, left);
                }
                Err(Declined::Changed(changed)) => {
                    happened.push(Happened::Mark("the basis changed under a quote"));
                    quote = *changed;
                }
                Err(_) => break,
            }
        }
        happened
    }

    /// Ids out of the blue: no basket, no row, no list to be held against.
    fn unlocks_ids(&mut self, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) {
        let corpus = *rng.pick(&Corpus::ALL);
        let count = 1 + rng.below(30);
        let staged: Vec<Staged> = (0..count).map(|_| Staged::by_id(RowId(1 + rng.below(ROWS + 5) as i64))).collect();
        (self.robot.shown, self.robot.ceiling) = (None, Some(Credits(1 + rng.below(40) as i64)));
        self.session.review(UnlockSubject::Rows(corpus, staged.into()), choice(rng), now, fx);
    }

    /// `--max-credits` instead of a typed number.
    fn accepts_within(&mut self, ceiling: Credits, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let Some(quote) = self.robot.shown.take() else { return Vec::new() };
        if self.session.accept_within(&quote, ceiling, None, now, fx).is_err() {
            return Vec::new();
        }
        self.orders(ceiling.0);
        vec![self.wants(&quote)]
    }

    fn wants(&self, quote: &Quote) -> Happened {
        let shown = quote.to_unlock.iter().map(|line| line.id).collect();
        let (bought, waited) = (Vec::new(), Vec::new());
        Happened::Accepts(Wanted { shown, per_company: self.robot.per_company, bought, at: 0, waited })
    }

    fn reviews_finish(&mut self, rng: &mut Rng, now: Now, fx: &mut Vec<Effect>) {
        let batches: Vec<_> = self.session.recovery.batches().map(|batch| batch.batch).collect();
        if batches.is_empty() {
            // What another window left behind shows only to one that looks into the books.
            return self.session.focused(now, fx);
        }
        let batch = *rng.pick(&batches);
        (self.robot.shown, self.robot.ceiling) = (None, None);
        self.session.review(UnlockSubject::Again(batch), choice(rng), now, fx);
    }
}

/// Words that no title has that is chosen of this search.
fn words_of(query: &Query) -> Vec<String> {
    query.not.values(ExclusionKind::Title).map(str::to_owned).collect()
}

fn choice(rng: &mut Rng) -> ReviewChoice {
    ReviewChoice { verify: !rng.per_mille(80), drop_risky: rng.per_mille(100), ..ReviewChoice::default() }
}

fn first(quote: &Quote, most: Credits) -> Quote {
    quote.choosing(ReviewChoice { first: usize::try_from(most.0).ok(), ..quote.choice.clone() })
}

/// Whatever is reviewed: each score is the sum of its parts. Whether the best go first is the referee's to say.
fn adds_up(quote: &Quote) {
    let scorer = &quote.basis.scorer;
    for staged in quote.to_unlock.iter() {
        let traits = Traits::staged(staged);
        let score = scorer.score(&traits);
        assert_eq!(score.total(), scorer.total(&traits), "a score is the sum of its parts");
        assert_eq!(score.total(), score.parts.iter().map(|(_, points)| points).sum::<i32>());
    }
}
