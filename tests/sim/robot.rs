//! A person who searches, stages, unlocks, looks, finishes and stops, without sense and with all rights.

use std::collections::BTreeMap;

use lode::domain::contact::{Corpus, RowId, Side, Source};
use lode::domain::credits::Credits;
use lode::domain::exclude::Kind;
use lode::domain::filter::Filter;
use lode::domain::money::Staged;
use lode::domain::query::Query;
use lode::domain::row::Row;
use lode::domain::time::Now;
use lode::domain::traits::Traits;
use lode::effect::Effect;
use lode::flow::session::{Begun, Event, Subject};
use lode::flow::unlock::order::Declined;
use lode::flow::unlock::quote::{Choice, Quote, known_by_id};

use crate::dice::Dice;
use crate::window::{Happened, Window};
use crate::world::ROWS;

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
    pub looks: u32,
}

fn side(corpus: Corpus) -> Side {
    Side { source: Source::Workspace, corpus }
}

impl Window {
    /// Whatever comes to mind.
    pub fn wander(&mut self, temper: Temper, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let corpus = *dice.pick(&[Corpus::Us, Corpus::Us, Corpus::Linkedin]);
        if self.robot.shown.is_some() && dice.per_mille(700) {
            return self.accepts(dice, now, fx);
        }
        let running = self.session.unlock.is_running();
        // Up to where searching, staging, reviewing, unlocking by id, looking and finishing reach.
        let [search, stage, review, ids, look, finish] = match temper {
            Temper::Curious => [25, 45, 65, 75, 86, 93],
            Temper::Greedy | Temper::Divided => [12, 27, 47, 89, 93, 95],
            Temper::Hasty => [3, 6, 12, 30, 32, 93],
        };
        match dice.below(100) {
            roll if roll < search => self.searches(corpus, dice, now, fx),
            roll if roll < stage && dice.per_mille(200) => return self.chooses(corpus, dice, now, fx),
            roll if roll < stage => self.stages(corpus, dice, now, fx),
            // One order of a window at a time.
            roll if running && roll < ids => {}
            roll if roll < review => {
                self.robot.ceiling = None;
                self.session.taste.per_company = dice.per_mille(400).then(|| 1 + dice.below(3) as u32);
                self.session.review(Subject::Basket(corpus), choice(dice), now, fx);
            }
            roll if roll < ids => self.unlocks_ids(dice, now, fx),
            roll if roll < look => drop(self.session.recovery.look(&mut self.session.desk.at(now, fx))),
            roll if running && roll < finish => {}
            roll if roll < finish => self.reviews_finish(dice, now, fx),
            93..97 => self.session.unlock.stop(&mut self.session.desk.at(now, fx)),
            97 => self.session.focused(now, fx),
            98 => drop(self.session.side_mut(side(corpus)).0.basket.len()),
            _ => {}
        }
        Vec::new()
    }

    /// Clears up, as a sensible person would: look, look again when it can prove something, in the end finish.
    pub fn settle(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if self.session.unlock.is_running() || !self.session.recovery.is_idle() || self.session.is_reviewing() {
            return Vec::new();
        }
        if self.robot.shown.as_ref().is_some_and(|quote| quote.again().is_some()) {
            return self.accepts(dice, now, fx);
        }
        (self.robot.shown, self.robot.ceiling) = (None, None);
        if self.robot.looks == 0 {
            self.robot.looks = 1;
            self.session.recovery.refresh(&mut self.session.desk.at(now, fx));
        } else if !self.session.recovery.is_clear() {
            let due = self.session.recovery.next_look().is_none_or(|at| at <= now.mono);
            if due || self.robot.looks == 1 {
                self.robot.looks += 1;
                if self.robot.looks > 12 && dice.per_mille(500) {
                    self.reviews_finish(dice, now, fx);
                } else {
                    self.session.recovery.look(&mut self.session.desk.at(now, fx));
                }
            }
        }
        Vec::new()
    }

    pub fn robot_hears(&mut self, event: &Event) {
        if let Event::Review(Ok(quote)) = event {
            is_chosen(quote);
            self.robot.shown = Some((**quote).clone());
        }
    }

    fn searches(&mut self, corpus: Corpus, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
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
        if dice.per_mille(500) {
            let (filter, value) = dice.pick(&narrow);
            query.set(*filter, value).expect("a filter of this side");
        }
        // Several values: the same contact may come in more than one leg.
        if dice.per_mille(250) {
            for (filter, value) in narrow.iter().filter(|_| dice.per_mille(600)) {
                if *filter != Filter::Industry {
                    query.add(*filter, value).expect("a filter of this side");
                }
            }
        }
        query.hide_owned = dice.per_mille(300);
        for word in ["assistant", "senior", "manager"] {
            if dice.per_mille(150) {
                query.not.add(Kind::Title, word).expect("a word");
            }
        }
        let offset = if dice.per_mille(300) { dice.below(120) } else { 0 };
        self.session.search_at(query, offset, now, fx);
    }

    /// The best of the first rows, as `A` does it where there is something to choose by.
    fn chooses(&mut self, corpus: Corpus, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let among = self.session.taste.among();
        let (state, desk) = self.session.side_mut(side(corpus));
        let most = 1 + dice.below(40) as usize;
        let begun = state.gather_best(most, among, &mut desk.at(now, fx)).is_none();
        if begun { vec![Happened::Mark("the best were chosen")] } else { Vec::new() }
    }

    fn stages(&mut self, corpus: Corpus, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
        let (state, desk) = self.session.side_mut(side(corpus));
        let mut ids: Vec<_> = state.window.loaded().filter_map(|(_, row)| row.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "each contact is loaded once, in whichever leg it came");
        let rows: Vec<(Row, Query)> = state
            .window
            .loaded()
            .filter(|_| dice.per_mille(300))
            .take(35)
            .map(|(_, row)| {
                (row.clone(), row.id.map_or_else(|| state.window.query(), |id| state.window.query_of(id)).clone())
            })
            .collect();
        let mut legs: BTreeMap<String, (Query, Vec<Row>)> = BTreeMap::new();
        for (row, query) in rows {
            legs.entry(query.canonical()).or_insert((query, Vec::new())).1.push(row);
        }
        for (query, rows) in legs.values() {
            state.basket.stage(rows, query, &mut desk.at(now, fx));
        }
    }

    /// The person types a number under the review.
    fn accepts(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if let Some(ceiling) = self.robot.ceiling.take() {
            return self.accepts_within(ceiling, now, fx);
        }
        let Some(mut quote) = self.robot.shown.take() else { return Vec::new() };
        let mut happened = Vec::new();
        for _ in 0..3 {
            let smaller = quote.again().is_none() && quote.most.0 > 1 && dice.per_mille(200);
            let typed = if smaller { Credits(1 + dice.below(quote.most.0 as u64 - 1) as i64) } else { quote.most };
            match self.session.accept(&quote, typed, now, fx) {
                Ok(Begun::Order) => {
                    self.orders(typed.0);
                    if !quote.beyond.is_empty() {
                        happened.push(Happened::Mark("a company had more than wanted"));
                    }
                    if quote.again().is_some() {
                        happened.push(Happened::Mark("finish through the dialog"));
                    }
                    break;
                }
                Ok(Begun::Fewer(fewer)) => {
                    happened.push(Happened::Mark("a smaller amount kept the first"));
                    quote = *fewer;
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
    fn unlocks_ids(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
        let corpus = *dice.pick(&Corpus::ALL);
        let count = 1 + dice.below(30);
        let staged: Vec<Staged> = (0..count).map(|_| known_by_id(RowId(1 + dice.below(ROWS + 5) as i64))).collect();
        self.robot.ceiling = Some(Credits(1 + dice.below(40) as i64));
        self.session.review(Subject::Rows(corpus, staged.into()), choice(dice), now, fx);
    }

    /// `--max-credits` instead of a typed number.
    fn accepts_within(&mut self, ceiling: Credits, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let Some(quote) = self.robot.shown.take() else { return Vec::new() };
        if self.session.accept_within(&quote, ceiling, now, fx).is_ok() {
            self.orders(ceiling.0);
        }
        Vec::new()
    }

    fn reviews_finish(&mut self, dice: &mut Dice, now: Now, fx: &mut Vec<Effect>) {
        let batches: Vec<_> = self.session.recovery.batches().map(|batch| batch.batch).collect();
        if batches.is_empty() {
            // What another window left behind shows only to one that looks into the books.
            return self.session.focused(now, fx);
        }
        let batch = *dice.pick(&batches);
        self.robot.ceiling = None;
        self.session.review(Subject::Again(batch), choice(dice), now, fx);
    }
}

fn choice(dice: &mut Dice) -> Choice {
    Choice { verify: !dice.per_mille(80), drop_risky: dice.per_mille(100), ..Choice::default() }
}

fn first(quote: &Quote, most: Credits) -> Quote {
    quote.choosing(Choice { first: usize::try_from(most.0).ok(), ..quote.choice })
}

/// Whatever is reviewed: the best come first, no company has more than wanted, and each score is the sum of its parts.
fn is_chosen(quote: &Quote) {
    if quote.again().is_some() {
        return;
    }
    let score = |staged: &Staged| {
        let (traits, merit) = (Traits::staged(staged), &quote.basis.merit);
        let score = merit.score(&traits);
        assert_eq!(score.total(), merit.total(&traits), "a score is the sum of its parts");
        assert_eq!(score.total(), score.parts.iter().map(|(_, points)| points).sum::<i32>());
        score.total()
    };
    let scores: Vec<i32> = quote.to_unlock.iter().map(score).collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "the best come first: {scores:?}");
    let mut firms: BTreeMap<String, u32> = BTreeMap::new();
    for firm in quote.to_unlock.iter().filter_map(|staged| Traits::staged(staged).firm()) {
        *firms.entry(firm).or_default() += 1;
    }
    if let Some(limit) = quote.choice.per_company {
        assert!(firms.values().all(|count| *count <= limit), "more than {limit} of a company: {firms:?}");
    }
}
