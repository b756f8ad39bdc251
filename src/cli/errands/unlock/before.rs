//! Before the first call: what is said of the quote, and what will not be sent at all.

use crate::cli::exit::Exit;
use crate::cli::program::Run;
use crate::domain::contact::Contact;
use crate::domain::money::Outcome;
use crate::effect::Effect;
use crate::flow::unlock::quote::Quote;

use super::ends::declined_problem;
use super::quote::{tell_quote, warn};
use super::{Stage, Unlock};

impl Unlock {
    pub(super) fn order(&mut self, quote: &Quote, run: &mut Run<'_>) {
        if self.dry_run {
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
        let mut settled = Vec::new();
        for id in &quote.ours {
            let known = run.session.ledger.contact(self.corpus, *id);
            let contact = known.map(|owned| owned.contact.clone()).unwrap_or_default();
            settled.push((*id, Outcome::Already, contact));
        }
        settled.extend(quote.in_doubt.iter().map(|id| (*id, Outcome::Unknown, Contact::default())));
        settled.extend(quote.suppressed.iter().map(|(id, _)| (*id, Outcome::Locked, Contact::default())));
        settled.extend(quote.held_unchecked().into_iter().map(|id| (id, Outcome::Locked, Contact::default())));
        for (id, outcome, contact) in settled {
            self.lines.tell(self.corpus, id, outcome, &contact, run.fx);
        }
    }
}
