//! Before the first call: what the quote rests on, what is said of it, and what will not be sent at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::exit::Exit;
use crate::cli::input::Given;
use crate::domain::contact::{Contact, RowId};
use crate::domain::credits::Credits;
use crate::domain::money::{Outcome, Staged, Tally};
use crate::domain::time::{Now, Wall};
use crate::effect::Effect;
use crate::flow::desk::Cx;
use crate::flow::ledger::reading::contact_of;
use crate::flow::unlock::end::{End, Summary};
use crate::flow::unlock::order::{Declined, accept_within};
use crate::flow::unlock::quote::{Basis, Choice, Origin, Quote, Sizes, Who};

use super::ends::declined_problem;
use super::quote::{tell_quote, warn};
use super::{Lists, Stage, Unlock};

impl Unlock {
    fn basis(&self, now: Now) -> Option<Basis> {
        let Lists::Read(lists) = &self.lists else { return None };
        let staged: Vec<Staged> = self.given.iter().map(Given::staged).collect();
        Some(Basis {
            who: Who::of(&self.profile, self.balance.account()?, self.balance.purse()?)?,
            corpus: self.corpus,
            staged: Arc::new(staged),
            origin: Origin::Ids,
            owned: self.ledger.owned_ids(self.corpus),
            in_doubt: Arc::new(self.recovery.in_doubt(self.corpus)),
            suppressions: Arc::new(lists.clone()),
            balance: self.balance.credits().map(|credits| (credits, now.mono)),
            spent: self.ledger.spent().copied()?,
            caps: self.profile.caps,
            sizes: Sizes::of(&self.profile),
        })
    }

    pub(super) fn order(&mut self, cx: &mut Cx<'_>) {
        let Some(basis) = self.basis(cx.now) else { return };
        let quote = Quote::make(basis.clone(), Choice { verify: self.verify, ..Choice::default() });
        if self.dry_run {
            self.stage = Stage::Over;
            tell_quote(&quote, self.max_credits, self.lines.format, cx.fx);
            cx.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        warn(&quote, cx.fx);
        self.tell_left_aside(&quote, cx.fx);
        match accept_within(&quote, self.max_credits, &basis) {
            Ok(order) if order.quote().to_unlock.is_empty() => {
                let kept_back = order.quote().kept_back.clone();
                self.nothing_sent(&quote, kept_back, order.ceiling(), cx.fx);
            }
            Ok(order) => {
                self.stage = Stage::Running;
                if let Err(declined) = self.machine.start(order, cx) {
                    self.fail(&declined_problem(&declined), cx.fx);
                }
                self.hear_machine(cx);
            }
            Err(Declined::Nothing) => {
                let kept_back = quote.to_unlock.iter().map(|line| line.id).collect();
                self.nothing_sent(&quote, kept_back, Credits::ZERO, cx.fx);
            }
            Err(declined) => self.fail(&declined_problem(&declined), cx.fx),
        }
    }

    /// Lines of what will not be sent, because nothing has to be or nothing may be.
    fn tell_left_aside(&mut self, quote: &Quote, fx: &mut Vec<Effect>) {
        let rows: BTreeMap<RowId, &Given> = self.given.iter().map(|given| (given.id, given)).collect();
        let mut settled = Vec::new();
        for id in &quote.ours {
            let mut contact =
                self.ledger.contact(self.corpus, *id).map(|owned| owned.contact.clone()).unwrap_or_default();
            if let Some(row) = rows.get(id).and_then(|given| given.row.as_ref()).filter(|row| row.unlocked) {
                contact.complete_with(&contact_of(row));
            }
            settled.push((*id, Outcome::Already, contact));
        }
        settled.extend(quote.in_doubt.iter().map(|id| (*id, Outcome::Unknown, Contact::default())));
        settled.extend(quote.suppressed.iter().map(|(id, _)| (*id, Outcome::Locked, Contact::default())));
        for (id, outcome, contact) in settled {
            self.lines.tell(self.corpus, id, outcome, &contact, fx);
        }
    }

    /// The run is over without a call: everything is ours, in doubt, suppressed, or more than may be spent.
    fn nothing_sent(&mut self, quote: &Quote, kept_back: Vec<RowId>, ceiling: Credits, fx: &mut Vec<Effect>) {
        let summary = Summary {
            order: None,
            corpus: self.corpus,
            ended: Wall(0),
            end: End::Done,
            verify: self.verify,
            ceiling,
            contacts: Vec::new(),
            tally: Tally::default(),
            said: Default::default(),
            elsewhere: Vec::new(),
            ours: quote.ours.clone(),
            in_doubt: quote.in_doubt.clone(),
            suppressed: quote.suppressed.iter().map(|(id, _)| *id).collect(),
            kept_back,
        };
        self.end(&summary, fx);
    }
}
