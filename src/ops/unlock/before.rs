//! Before the first call: what is said of the quote, and what will not be sent at all.

use crate::ops::exit::Exit;
use crate::ops::program::Run;
use lode_core::money::Outcome;
use lode_engine::effect::Effect;
use lode_engine::flow::unlock::order::Declined;
use lode_engine::flow::unlock::quote::Quote;

use super::ends::declined_problem;
use super::quote::{tell_quote, warn};
use super::{Stage, Unlock};

impl Unlock {
    pub(super) fn order(&mut self, quote: &Quote, run: &mut Run<'_>) {
        if self.dry_run {
            if !quote.basis.who.may_unlock {
                return self.fail(&declined_problem(&Declined::ReadOnly), run);
            }
            self.stage = Stage::Over;
            warn(quote, run.fx);
            tell_quote(quote, self.max_credits, self.lines.format, run.fx);
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        warn(quote, run.fx);
        self.tell_left_aside(quote, run);
        let accepted = match &self.handle {
            Some(handle) => run.session.accept_granted(quote, self.max_credits, handle.clone(), run.now, run.fx),
            None => run.session.accept_within(quote, self.max_credits, run.now, run.fx),
        };
        match accepted {
            Ok(()) => self.stage = Stage::Running,
            Err(declined) => self.fail(&declined_problem(&declined), run),
        }
    }

    /// Lines of what will not be sent, because nothing has to be or nothing may be.
    fn tell_left_aside(&mut self, quote: &Quote, run: &mut Run<'_>) {
        for id in &quote.owned {
            let known = run.session.ledger().contact(self.corpus, *id);
            let contact = known.map(|owned| owned.contact.clone()).unwrap_or_default();
            self.lines.tell(self.corpus, *id, Outcome::Already, &contact, run.fx);
        }
        self.lines.plain(self.corpus, quote.unknown.clone(), Outcome::Unknown, run.fx);
        let locked = quote.suppressed.iter().map(|(id, _)| *id).chain(quote.held_unchecked());
        self.lines.plain(self.corpus, locked.collect(), Outcome::Locked, run.fx);
    }
}
