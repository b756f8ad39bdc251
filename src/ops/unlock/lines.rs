//! What an unlock prints: one line per contact as it settles, each once, and what the run came to.

use std::collections::{BTreeSet, VecDeque};
use std::vec::IntoIter;

use crate::ops::output::shapes::{SummaryLine, SummaryShape};
use crate::ops::output::table::{Column, text};
use crate::ops::output::{Format, Lines, json};
use crate::ops::say::Problem;
use lode_core::contact::{Contact, Corpus, RowId, Verification};
use lode_core::credits::{Credits, contacts};
use lode_core::money::{Outcome, Tally};
use lode_core::put_back::put_back;
use lode_engine::effect::Effect;
use lode_engine::effect::store::Settled;
use lode_engine::flow::session::Session;
use lode_engine::flow::unlock::Held;
use lode_engine::flow::unlock::end::Summary;

/// Lines of contacts, each told once.
pub(in crate::ops) struct Told {
    pub(in crate::ops) format: Format,
    lines: Lines,
    told: BTreeSet<(Corpus, RowId)>,
    /// Responses that could be neither stored nor read, as they were told.
    unread: BTreeSet<String>,
    /// Lines that say no more than what became of an id, in the order in which they are told. There can be a million.
    plain: VecDeque<(Corpus, Outcome, IntoIter<RowId>)>,
}

/// So many of them are made at once.
const PORTION: usize = 5_000;

fn columns() -> Vec<Column> {
    vec![
        text("ID", 8, 20),
        text("OUTCOME", 9, 11),
        text("NAME", 16, 28),
        text("EMAIL", 20, 40),
        text("PHONE", 12, 18),
        text("COMPANY", 16, 32).detail(),
        text("CHECK", 8, 12),
    ]
}

impl Told {
    pub(in crate::ops) fn new(format: Format) -> Told {
        Told {
            format,
            lines: Lines::new(format, columns()),
            told: BTreeSet::new(),
            unread: BTreeSet::new(),
            plain: VecDeque::new(),
        }
    }

    pub(in crate::ops) fn settled(&mut self, corpus: Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
        let none = Contact::default();
        for settled in contacts {
            self.tell(corpus, settled.id, settled.outcome, settled.contact.as_deref().unwrap_or(&none), fx);
        }
    }

    /// All contacts of an order that has ended: those that were never sent are told as plain lines.
    pub(super) fn ended(&mut self, corpus: Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
        let is_plain = |settled: &Settled| settled.outcome == Outcome::Locked && settled.contact.is_none();
        for run in contacts.chunk_by(|one, next| is_plain(one) == is_plain(next)) {
            if is_plain(&run[0]) {
                let told = &self.told;
                let new = run.iter().map(|settled| settled.id).filter(|id| !told.contains(&(corpus, *id)));
                let new: Vec<RowId> = new.collect();
                self.plain(corpus, new, Outcome::Locked, fx);
            } else {
                self.settled(corpus, run, fx);
            }
        }
    }

    /// Contacts of which there is no more to say than this.
    pub(super) fn plain(&mut self, corpus: Corpus, ids: Vec<RowId>, outcome: Outcome, fx: &mut Vec<Effect>) {
        let waits = self.is_behind();
        self.plain.push_back((corpus, outcome, ids.into_iter()));
        if !waits {
            self.tell_more(fx);
        }
    }

    /// The next portion of those lines.
    pub(super) fn tell_more(&mut self, fx: &mut Vec<Effect>) {
        let (none, mut room) = (Contact::default(), PORTION);
        while room > 0
            && let Some((corpus, outcome, ids)) = self.plain.front_mut()
        {
            let (corpus, outcome) = (*corpus, *outcome);
            let portion: Vec<RowId> = ids.take(room).collect();
            if ids.as_slice().is_empty() {
                self.plain.pop_front();
            }
            room -= portion.len();
            portion.into_iter().for_each(|id| self.line(corpus, id, outcome, &none, fx));
        }
    }

    /// Lines wait to be told.
    pub(super) fn is_behind(&self) -> bool {
        !self.plain.is_empty()
    }

    /// They have no reader.
    pub(super) fn skip(&mut self) {
        self.plain.clear();
    }

    /// Contacts of an answer that could not be stored: these lines are all that is left of them (money rule 9, *responses are stored first*).
    /// They come before every line that says only that a contact is unknown.
    pub(in crate::ops) fn held(&mut self, session: &Session, fx: &mut Vec<Effect>) {
        let told = &mut self.told;
        let held: Vec<Held> =
            session.unlock().held().into_iter().filter(|held| told.insert((held.corpus, held.id))).collect();
        for held in &held {
            let contact = if put_back("print-without-contact") { &Contact::default() } else { &held.contact };
            fx.push(Effect::PrintWhole(json::settled(held.corpus, held.id, Outcome::Unknown, contact)));
        }
        if !held.is_empty() {
            let many = contacts(held.len());
            fx.push(Effect::Warn(format!("{many} were paid for and could not be stored: keep the lines above")));
        }
        for response in
            session.unlock().held_unread().into_iter().filter(|response| self.unread.insert(response.clone()))
        {
            fx.push(Effect::PrintWhole(json::unstored(&response)));
            let words = "a response to an unlock could be neither stored nor read: keep the line above";
            fx.push(Effect::Warn(words.to_owned()));
        }
    }

    pub(in crate::ops) fn tell(
        &mut self,
        corpus: Corpus,
        id: RowId,
        outcome: Outcome,
        contact: &Contact,
        fx: &mut Vec<Effect>,
    ) {
        if self.told.insert((corpus, id)) {
            self.line(corpus, id, outcome, contact, fx);
        }
    }

    fn line(&mut self, corpus: Corpus, id: RowId, outcome: Outcome, contact: &Contact, fx: &mut Vec<Effect>) {
        self.lines.print(
            &[()],
            |()| json::settled(corpus, id, outcome, contact),
            |()| {
                vec![
                    id.to_string(),
                    outcome.name().to_owned(),
                    contact.contact_name.clone(),
                    contact.email.clone(),
                    contact.phone.clone(),
                    contact.company_name.clone(),
                    contact.verification.as_ref().map_or("", Verification::word).to_owned(),
                ]
            },
            fx,
        );
    }

    pub(in crate::ops) fn summary(&self, sums: &Sums, fx: &mut Vec<Effect>) {
        fx.push(Effect::Print(match self.format {
            Format::Json => sums.json(),
            Format::Table { .. } => sums.tally.sentence(sums.balance),
        }));
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::ops) struct Sums {
    pub(in crate::ops) tally: Tally,
    pub(in crate::ops) balance: Option<Credits>,
    pub(in crate::ops) stopped_for_credits: bool,
}

impl Sums {
    pub(super) fn of(summary: &Summary, balance: Option<Credits>) -> Sums {
        let mut tally = summary.tally;
        let left_aside = [
            (&summary.owned, Outcome::Already),
            (&summary.unknown, Outcome::Unknown),
            (&summary.suppressed, Outcome::Locked),
            (&summary.unchecked, Outcome::Locked),
            (&summary.kept_back, Outcome::Locked),
            (&summary.beyond, Outcome::Locked),
        ];
        for (ids, outcome) in left_aside {
            ids.iter().for_each(|_| tally.count(outcome));
        }
        let stopped_for_credits = summary.is_out_of_credits();
        Sums { tally, balance, stopped_for_credits }
    }

    /// One contact that a look or a second sending settled.
    pub(in crate::ops) fn count(&mut self, settled: &Settled) {
        self.tally.count(settled.outcome);
        if settled.outcome.gross() > Credits::ZERO {
            match settled.contact.as_ref().and_then(|contact| contact.verification.as_ref()) {
                Some(Verification::Valid) => self.tally.valid += 1,
                Some(Verification::Unknown) => self.tally.unverified += 1,
                _ => {}
            }
        }
    }

    /// A failure with what was spent before it.
    pub(in crate::ops) fn spent(&self, problem: Problem) -> Problem {
        problem.spent(self.tally.charged, self.tally.unknown + self.tally.unreachable)
    }

    fn json(&self) -> String {
        let tally = &self.tally;
        json::line(&SummaryLine {
            summary: SummaryShape {
                asked: tally.asked,
                charged: tally.charged,
                refunded: tally.refunded,
                already: tally.already,
                missing: tally.missing,
                locked: tally.locked,
                unknown: tally.unknown + tally.unreachable,
                balance: self.balance.map(|balance| balance.0),
                stopped_for_credits: self.stopped_for_credits,
                // Of the unknown ones: those that no reading can clear up any more. Nothing is left to do about them.
                unreachable: tally.unreachable,
            },
        })
    }
}
