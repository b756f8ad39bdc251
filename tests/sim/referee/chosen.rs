//! What a person wanted of an order: what was shown is bought and nothing else, nothing that the search leaves out, no more of
//! one company than wanted, and the best first. Only rows that a search showed can be told apart; of bare ids nothing is known.

use std::collections::BTreeMap;

use lode_core::Traits;
use lode_core::contact::{Corpus, RowId};
use lode_core::money::{BatchId, Staged};
use lode_core::row::{Known, Row};
use lode_engine::effect::store::{BatchIntent, IntentRefused};

use super::{Referee, Verdict, Who, Whose};

/// What a search showed of a contact.
pub struct Looks {
    title: String,
    firm: Option<String>,
    /// By the robot's rules, but for the one about owned companies.
    score: i32,
}

/// What the rule about owned companies may add to either side.
const OWNED_COMPANY: i32 = 7;

/// An amount as its person saw it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub shown: Vec<RowId>,
    /// Contacts of one company at most.
    pub per_company: Option<u32>,
    pub bought: Vec<RowId>,
    /// When it was accepted.
    pub at: u64,
    /// Another window had these in an open batch or took them out of the basket when their turn came: they go after the others.
    pub waited: Vec<RowId>,
}

fn has_word(title: &str, words: &[String]) -> bool {
    let title = title.to_lowercase();
    title.split(|c: char| !c.is_alphanumeric()).any(|word| words.iter().any(|wanted| wanted == word))
}

impl Looks {
    fn of(row: &Row) -> Looks {
        let title = row.known(Known::Title).to_owned();
        let points = |has: bool, points: i32| if has { points } else { 0 };
        let has = |word: &str| has_word(&title, &[word.to_owned()]);
        let score = points(has("director"), 20)
            + points(has("engineer"), 5)
            + points(row.known(Known::EmailDomainType) == "personal", -15)
            + points(row.known(Known::EmailStatus) == "valid", 3);
        Looks { firm: Traits::of(row).firm(), score, title }
    }
}

impl Referee {
    pub(super) fn looks(&mut self, whose: Whose, row: &Row) {
        self.looks.entry(whose).or_insert_with(|| Looks::of(row));
    }

    /// The company of a contact, as searches showed it first.
    pub fn firm(&self, whose: Whose) -> Option<&str> {
        self.looks.get(&whose)?.firm.as_deref()
    }

    /// A person puts rows into the basket whose titles must have none of these words.
    pub fn takes(&mut self, who: &Who, corpus: Corpus, ids: &[RowId], not: &[String]) {
        for id in ids {
            let whose = (who.purse, corpus, *id);
            match self.looks.get(&whose).is_some_and(|looks| has_word(&looks.title, not)) {
                true => self.left_out.insert(whose),
                false => self.by_hand.insert(whose),
            };
        }
    }

    /// Rows with none of these words in their titles are chosen by themselves from here on.
    pub fn chooses(&mut self, who: &Who, corpus: Corpus, not: Vec<String>) {
        self.choosing.insert((who.generation, corpus), not);
    }

    /// Rows are on their way into the basket.
    pub fn staged(&mut self, who: &Who, corpus: Corpus, rows: &[Staged]) {
        let not = self.choosing.get(&(who.generation, corpus)).cloned().unwrap_or_default();
        let new = rows.iter().map(|row| row.id).filter(|id| !self.by_hand.contains(&(who.purse, corpus, *id)));
        let out =
            |id: &RowId| self.looks.get(&(who.purse, corpus, *id)).is_some_and(|looks| has_word(&looks.title, &not));
        let out: Vec<Whose> = new.filter(out).map(|id| (who.purse, corpus, id)).collect();
        self.left_out.extend(out);
    }

    /// A person accepts what is shown, under an amount.
    pub fn accepted(&mut self, order: u64, wanted: Wanted, at: u64) {
        self.wanted.insert(order, Wanted { at, ..wanted });
    }

    /// A batch was not written down.
    pub fn withheld(&mut self, intent: &BatchIntent, why: &IntentRefused, who: &Who) {
        let ids = match why {
            IntentRefused::Open(ids) => ids,
            IntentRefused::BasketChanged => &intent.ids,
            _ => return,
        };
        if let Some(wanted) = who.order.and_then(|order| self.wanted.get_mut(&order.no)) {
            wanted.waited.extend(ids);
        }
    }

    /// Called when a batch was written down for the first time.
    pub(super) fn chosen(&mut self, batch: BatchId, intent: &BatchIntent, who: &Who, at: u64) -> Verdict {
        let whose = |id: &RowId| (who.purse, intent.corpus, *id);
        let accepted = who.order.and_then(|order| self.wanted.get(&order.no)).map_or(at, |wanted| wanted.at);
        let saved = self.limit_since(accepted, at);
        let wanted = who.order.and_then(|order| self.wanted.get_mut(&order.no));
        let Some(wanted) = wanted else { return Ok(()) };
        let mut last = wanted.bought.last().copied();
        for id in &intent.ids {
            if !wanted.shown.contains(id) {
                return Err(format!("{id} of {batch:?} was not in what was shown and accepted"));
            }
            if intent.basket.is_none() || wanted.bought.contains(id) {
                continue;
            }
            if self.left_out.contains(&whose(id)) && !self.by_hand.contains(&whose(id)) {
                return Err(format!("{id} of {batch:?} is bought, and its search leaves it out"));
            }
            if wanted.waited.contains(id) {
                wanted.bought.push(*id);
                continue;
            }
            let score = |id: &RowId| self.looks.get(&whose(id)).map(|looks| looks.score);
            if let (Some(before), Some(this)) = (last.as_ref().and_then(score), score(id))
                && this > before + OWNED_COMPANY
            {
                return Err(format!("{id} of {batch:?} scores {this}, and the one that went before it {before}"));
            }
            wanted.bought.push(*id);
            last = Some(*id);
        }
        let mut firms: BTreeMap<&String, u32> = BTreeMap::new();
        for firm in wanted.bought.iter().filter_map(|id| self.looks.get(&whose(id))?.firm.as_ref()) {
            *firms.entry(firm).or_default() += 1;
        }
        if let Some(limit) = saved.filter(|_| intent.basket.is_some()) {
            let firm = |id: &RowId| self.looks.get(&whose(id))?.firm.as_ref();
            if let Some(firm) = intent.ids.iter().filter_map(firm).find(|firm| firms[*firm] > limit) {
                let count = firms[firm];
                return Err(format!(
                    "{count} of {firm} are bought, the last in {batch:?}, and {limit} were saved before"
                ));
            }
        }
        let Some(limit) = wanted.per_company else { return Ok(()) };
        match firms.iter().find(|(_, count)| **count > limit) {
            Some((firm, count)) => Err(format!("{count} of {firm} are bought in one order, {limit} were wanted")),
            None => Ok(()),
        }
    }
}
