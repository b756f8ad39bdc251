//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: whose purse it is, what is in doubt, what is ours, a quote of that, and an order accepted
//! with `--max-credits` as the typed amount. Everything that costs happens in `flow::unlock`; here are the lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use crate::cli::args::money::UnlockArgs;
use crate::cli::exit::Exit;
use crate::cli::input::Given;
use crate::cli::output::table::{Column, text};
use crate::cli::output::{Format, Lines, json};
use crate::cli::program::Errand;
use crate::cli::say::{self, Problem};
use crate::domain::contact::{Contact, Corpus, RowId, Source, Verification};
use crate::domain::credits::{Credits, grouped};
use crate::domain::money::{Outcome, Staged, Tally};
use crate::domain::time::{Mono, Now};
use crate::effect::Effect;
use crate::effect::Ticket;
use crate::effect::profile::Profile;
use crate::effect::store::{Settled, StoreCall, StoreReply, Suppression};
use crate::flow::balance::Balance;
use crate::flow::desk::{Desk, Heard};
use crate::flow::ledger::Ledger;
use crate::flow::ledger::reading::contact_of;
use crate::flow::recovery::{self, Recovery};
use crate::flow::retry::Patience;
use crate::flow::unlock::job::{End, Summary};
use crate::flow::unlock::order::{Declined, accept_within};
use crate::flow::unlock::quote::{Basis, Choice, Origin, Quote, Sizes, Who};
use crate::flow::unlock::{AGAIN, News, Unlock as Machine};

pub struct Unlock {
    profile: Profile,
    corpus: Corpus,
    max_credits: Credits,
    verify: bool,
    dry_run: bool,
    given: Vec<Given>,
    balance: Balance,
    recovery: Recovery,
    ledger: Ledger,
    machine: Machine,
    lists: Lists,
    lines: Told,
    /// The pause before a batch is sent again that was told last.
    rest: Option<Mono>,
    stage: Stage,
}

#[derive(Debug)]
enum Lists {
    Asked(Ticket),
    Read(Vec<Suppression>),
}

#[derive(Debug, PartialEq)]
enum Stage {
    /// Whose purse.
    Me,
    /// What is in doubt; answers that were kept and not read settle here, for free.
    Doubt,
    /// What is ours, what was spent, what is suppressed.
    Books,
    Running,
    /// The balance once more, then the summary.
    After(Box<Summary>),
    Over,
}

impl Unlock {
    #[must_use]
    pub fn new(profile: &Profile, args: &UnlockArgs, given: Vec<Given>, seed: u64, format: Format) -> Unlock {
        Unlock {
            corpus: args.corpus,
            max_credits: args.max_credits,
            verify: !args.no_verify,
            dry_run: args.dry_run,
            given,
            balance: Balance::new(profile),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            machine: Machine::new(Patience::Shell, seed),
            lists: Lists::Read(Vec::new()),
            lines: Told::new(format),
            rest: None,
            stage: Stage::Me,
            profile: profile.clone(),
        }
    }

    /// Goes on as far as what is known allows.
    fn advance(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        match &self.stage {
            Stage::Me if !self.balance.is_asking() => self.knows_purse(desk, fx),
            Stage::Doubt if self.recovery.is_idle() => self.knows_doubt(desk, fx),
            Stage::Books => {
                if let Some(failure) = self.ledger.failure() {
                    self.fail(&Problem::of_store(&failure), fx);
                } else if self.ledger.is_loaded()
                    && self.ledger.spent().is_some()
                    && matches!(self.lists, Lists::Read(_))
                {
                    self.order(desk, now, fx);
                }
            }
            Stage::After(summary) if !self.balance.is_asking() => {
                let summary = summary.clone();
                self.end(&summary, fx);
            }
            _ => {}
        }
    }

    fn knows_purse(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if let Some(failure) = self.balance.failure() {
            let problem = Problem::of_call(Source::Workspace, failure);
            return self.fail(&problem, fx);
        }
        let Some(purse) = self.balance.purse() else {
            let words = "the service does not say whose key this is, so nothing can be booked";
            return self.fail(&Problem::new(Exit::Network, words, "`lode me` shows what it says"), fx);
        };
        self.stage = Stage::Doubt;
        self.recovery.begin(purse, desk, fx);
    }

    fn knows_doubt(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        while let Some(news) = self.recovery.news() {
            if let recovery::News::Store(failure) = news {
                return self.fail(&Problem::of_store(&failure), fx);
            }
        }
        let Some(purse) = self.balance.purse() else { return };
        self.stage = Stage::Books;
        self.ledger.begin(purse, desk, fx);
        let call = StoreCall::Suppressions { profile: self.profile.name.clone() };
        self.lists = Lists::Asked(desk.store(call, fx));
    }

    fn basis(&self, now: Now) -> Option<Basis> {
        let account = self.balance.account()?;
        let service = self.profile.workspace.as_ref()?;
        let Lists::Read(lists) = &self.lists else { return None };
        let staged: Vec<Staged> = self.given.iter().map(Given::staged).collect();
        Some(Basis {
            who: Who {
                profile: self.profile.name.clone(),
                live: self.profile.live,
                window: self.profile.window.clone(),
                key: service.key.clone(),
                purse: self.balance.purse()?,
                org_name: account.org_name.clone(),
                key_prefix: account.key_prefix.clone(),
                may_unlock: account.may_unlock(),
            },
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

    fn order(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(basis) = self.basis(now) else { return };
        let quote = Quote::make(basis.clone(), Choice { verify: self.verify, ..Choice::default() });
        if self.dry_run {
            self.stage = Stage::Over;
            tell_quote(&quote, self.max_credits, self.lines.format, fx);
            fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        warn(&quote, fx);
        self.tell_left_aside(&quote, fx);
        match accept_within(&quote, self.max_credits, &basis) {
            Ok(order) if order.quote().to_unlock.is_empty() => {
                let kept_back = order.quote().kept_back.clone();
                self.nothing_sent(&quote, kept_back, order.ceiling(), fx);
            }
            Ok(order) => {
                self.stage = Stage::Running;
                if let Err(declined) = self.machine.start(order, desk, now, fx) {
                    self.fail(&declined_problem(&declined), fx);
                }
                self.hear_machine(desk, now, fx);
            }
            Err(Declined::Nothing) => {
                let kept_back = quote.to_unlock.iter().map(|line| line.id).collect();
                self.nothing_sent(&quote, kept_back, Credits::ZERO, fx);
            }
            Err(declined) => self.fail(&declined_problem(&declined), fx),
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
            ended: crate::domain::time::Wall(0),
            end: End::Done,
            verify: self.verify,
            ceiling,
            contacts: Vec::new(),
            tally: Tally::default(),
            said: Default::default(),
            ours: quote.ours.clone(),
            in_doubt: quote.in_doubt.clone(),
            suppressed: quote.suppressed.iter().map(|(id, _)| *id).collect(),
            kept_back,
        };
        self.end(&summary, fx);
    }

    fn hear_machine(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.lines.settled(corpus, &contacts, fx),
                News::Doubt => {}
                News::Finished(summary) => {
                    self.lines.settled(summary.corpus, &summary.contacts, fx);
                    self.stage = Stage::After(summary);
                    self.balance.refresh(desk, now, fx);
                }
            }
        }
        if let Some(job) = self.machine.job() {
            if let Some((until, tries)) = job.rests().filter(|(until, tries)| *tries > 0 && self.rest != Some(*until)) {
                self.rest = Some(until);
                let wait = say::seconds(until.since(now.mono));
                fx.push(Effect::Warn(format!(
                    "no answer to batch {}: the identical ids go out again in {wait} (try {tries} of {AGAIN})",
                    job.batches().0
                )));
            }
            let ((batch, of), (done, all), tally) = (job.batches(), job.contacts(), job.tally());
            fx.push(Effect::Status(format!(
                "batch {batch}/{of}: {done} of {all}, charged {}, refunded {}",
                tally.charged, tally.refunded
            )));
        }
    }

    fn end(&mut self, summary: &Summary, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        for id in &summary.kept_back {
            self.lines.tell(self.corpus, *id, Outcome::Locked, &Contact::default(), fx);
        }
        let balance = self.balance.credits().or(summary.said.balance);
        let balance = if self.balance.failure().is_some() { summary.said.balance.or(balance) } else { balance };
        self.lines.summary(&Sums::of(summary, balance), fx);
        let exit = match problem_of(summary, self.max_credits) {
            Some(problem) => {
                problem.say(fx);
                problem.exit
            }
            None => Exit::Done,
        };
        fx.push(Effect::Quit(exit.code()));
    }

    fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        problem.end(fx);
    }

    fn stop(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) -> bool {
        let running = self.stage == Stage::Running;
        if running {
            self.machine.stop(desk, now, fx);
            self.hear_machine(desk, now, fx);
            self.advance(desk, now, fx);
        }
        running || matches!(self.stage, Stage::After(_))
    }
}

impl Errand for Unlock {
    fn start(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.profile.workspace.is_none() {
            return Problem::no_key(Source::Workspace).end(fx);
        }
        self.balance.start(desk, now, fx);
        self.advance(desk, now, fx);
    }

    fn hear(&mut self, heard: Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.stage == Stage::Over {
            return;
        }
        if let (Lists::Asked(asked), Heard::Stored(ticket, result)) = (&self.lists, &heard)
            && asked == ticket
        {
            match result {
                Ok(StoreReply::Suppressions(lists)) => self.lists = Lists::Read(lists.clone()),
                Ok(_) => self.lists = Lists::Read(Vec::new()),
                Err(failure) => return self.fail(&Problem::of_store(failure), fx),
            }
        }
        let taken = self.balance.hear(&heard, desk, now, fx)
            || self.recovery.hear(&heard, desk, now, fx)
            || self.ledger.hear(&heard, desk, fx)
            || self.machine.hear(&heard, desk, now, fx);
        if taken && self.stage == Stage::Running {
            self.hear_machine(desk, now, fx);
        }
        self.advance(desk, now, fx);
    }

    fn deadline(&self) -> Option<Mono> {
        self.machine.deadline()
    }

    fn wake(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        self.machine.wake(desk, now, fx);
        if self.stage == Stage::Running {
            self.hear_machine(desk, now, fx);
        }
        self.advance(desk, now, fx);
    }

    /// A call that is on the wire is waited for: its answer says what was bought.
    fn interrupt(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.stop(desk, now, fx) {
            fx.push(Effect::Warn(
                "stopping after this call; Ctrl-C again leaves at once, then `lode recover` clears up".to_owned(),
            ));
        } else {
            fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn unread(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if !self.stop(desk, now, fx) {
            fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}

/// Lines of contacts, each told once.
pub(super) struct Told {
    pub(super) format: Format,
    lines: Lines,
    told: BTreeSet<(Corpus, RowId)>,
}

fn columns() -> Vec<Column> {
    vec![
        text("ID", 8, 20),
        text("OUTCOME", 9, 11),
        text("NAME", 18, 28),
        text("EMAIL", 26, 40),
        text("PHONE", 12, 18),
        text("COMPANY", 16, 32),
        text("CHECK", 8, 12),
    ]
}

impl Told {
    pub(super) fn new(format: Format) -> Told {
        Told { format, lines: Lines::new(format, columns()), told: BTreeSet::new() }
    }

    pub(super) fn settled(&mut self, corpus: Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
        let none = Contact::default();
        for settled in contacts {
            self.tell(corpus, settled.id, settled.outcome, settled.contact.as_ref().unwrap_or(&none), fx);
        }
    }

    pub(super) fn tell(
        &mut self,
        corpus: Corpus,
        id: RowId,
        outcome: Outcome,
        contact: &Contact,
        fx: &mut Vec<Effect>,
    ) {
        if !self.told.insert((corpus, id)) {
            return;
        }
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

    pub(super) fn summary(&self, sums: &Sums, fx: &mut Vec<Effect>) {
        fx.push(Effect::Print(match self.format {
            Format::Json => sums.json(),
            Format::Table { .. } => sums.sentence(),
        }));
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) tally: Tally,
    pub(super) balance: Option<Credits>,
    pub(super) stopped_for_credits: bool,
}

impl Sums {
    fn of(summary: &Summary, balance: Option<Credits>) -> Sums {
        let mut tally = summary.tally;
        let left_aside = [
            (&summary.ours, Outcome::Already),
            (&summary.in_doubt, Outcome::Unknown),
            (&summary.suppressed, Outcome::Locked),
            (&summary.kept_back, Outcome::Locked),
        ];
        for (ids, outcome) in left_aside {
            ids.iter().for_each(|_| tally.count(outcome));
        }
        let stopped_for_credits = summary.end == End::OutOfCredits;
        Sums { tally, balance, stopped_for_credits }
    }

    /// One contact that a look or a second sending settled.
    pub(super) fn count(&mut self, settled: &Settled) {
        self.tally.count(settled.outcome);
        if settled.outcome.gross() > Credits::ZERO {
            match settled.contact.as_ref().and_then(|contact| contact.verification.as_ref()) {
                Some(Verification::Valid) => self.tally.valid += 1,
                Some(Verification::Unknown) => self.tally.unverified += 1,
                _ => {}
            }
        }
    }

    fn json(&self) -> String {
        let tally = &self.tally;
        json!({"summary": {
            "asked": tally.asked,
            "charged": tally.charged,
            "refunded": tally.refunded,
            "already": tally.already,
            "missing": tally.missing,
            "locked": tally.locked,
            "unknown": tally.unknown + tally.unreachable,
            "balance": self.balance.map(|balance| balance.0),
            "stopped_for_credits": self.stopped_for_credits,
        }})
        .to_string()
    }

    fn sentence(&self) -> String {
        let tally = &self.tally;
        let parts = [
            ("already ours", tally.already),
            ("missing", tally.missing),
            ("locked", tally.locked),
            ("UNKNOWN", tally.unknown + tally.unreachable),
        ];
        let rest: String =
            parts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!(", {name} {count}")).collect();
        let balance = self.balance.map_or_else(String::new, |balance| format!("; balance {balance}"));
        format!(
            "{} asked: {} charged, {} refunded, net {}; valid {}, unknown {}{rest}{balance}",
            grouped(tally.asked),
            grouped(tally.charged),
            grouped(tally.refunded),
            grouped(tally.net()),
            grouped(tally.valid),
            grouped(tally.unverified),
        )
    }
}

/// What should be known before it is spent.
fn warn(quote: &Quote, fx: &mut Vec<Effect>) {
    for (list, count) in quote.suppressed_by() {
        fx.push(Effect::Warn(format!("{count} on the suppression list {list}: not unlocked")));
    }
    if quote.risky_count() > 0 {
        let each: Vec<String> = quote.risky.iter().map(|(status, ids)| format!("{status} {}", ids.len())).collect();
        fx.push(Effect::Warn(format!("{} with a risky e-mail status: {}", quote.risky_count(), each.join(", "))));
    }
    if !quote.choice.verify {
        fx.push(Effect::Warn("verification is off: no refunds are possible".to_owned()));
    }
}

fn tell_quote(quote: &Quote, max_credits: Credits, format: Format, fx: &mut Vec<Effect>) {
    let balance = quote.basis.balance.map(|(balance, _)| balance);
    let cost = quote.most.min(max_credits);
    match format {
        Format::Json => {
            let credits = |credits: Option<Credits>| credits.map(|credits| credits.0);
            let line = json!({"quote": {
                "corpus": quote.basis.corpus.name(),
                "asked": quote.staged,
                "already": quote.ours.len(),
                "in_doubt": quote.in_doubt.len(),
                "suppressed": quote.suppressed.len(),
                "risky": quote.risky_count(),
                "to_unlock": quote.to_unlock.len(),
                "calls": quote.calls,
                "most": quote.most.0,
                "likely_low": credits(quote.likely.map(|likely| likely.low)),
                "likely_high": credits(quote.likely.map(|likely| likely.high)),
                "max_credits": max_credits.0,
                "balance": credits(balance),
                "balance_after": credits(balance.map(|balance| balance - cost)),
                "verify": quote.choice.verify,
            }});
            fx.push(Effect::Print(line.to_string()));
        }
        Format::Table { .. } => {
            let mut lines = vec![format!("asked for          {}", quote.staged)];
            let mut line = |title: &str, count: usize| {
                if count > 0 {
                    lines.push(format!("{title:<18} {count}"));
                }
            };
            line("already ours", quote.ours.len());
            line("in doubt", quote.in_doubt.len());
            line("suppressed", quote.suppressed.len());
            line("risky status", quote.risky_count());
            lines.push(format!("to unlock          {} in {} calls", quote.to_unlock.len(), quote.calls.len()));
            lines.push(format!("most it can cost   {} credits (--max-credits {max_credits})", cost));
            if let Some(likely) = quote.likely {
                lines.push(format!("likely             {}–{} after refunds", likely.low, likely.high));
            }
            if let Some(balance) = balance {
                lines.push(format!("balance            {balance}, at least {} after", balance - cost));
            }
            lines.push("Nothing sent, nothing spent.".to_owned());
            fx.extend(lines.into_iter().map(Effect::Print));
        }
    }
}

pub(super) fn declined_problem(declined: &Declined) -> Problem {
    let exit = match declined {
        Declined::ReadOnly => Exit::Scope,
        Declined::Cap { .. } | Declined::TooMuch { .. } | Declined::NoAmount | Declined::Whole { .. } => Exit::Capped,
        Declined::Balance { .. } => Exit::Credits,
        _ => Exit::Failed,
    };
    let hint = match declined {
        Declined::ReadOnly => "`lode me` shows the scopes of the key",
        Declined::Whole { .. } => "`lode recover --finish --max-credits N` with the number it names",
        _ => "`lode unlock --dry-run` shows the quote",
    };
    Problem::new(exit, declined.to_string(), hint)
}

/// What to say at the end, where not all went as asked. The graver thing is said.
pub(super) fn problem_of(summary: &Summary, max_credits: Credits) -> Option<Problem> {
    let tally = &summary.tally;
    let doubt = tally.unknown as usize + summary.in_doubt.len();
    if doubt > 0 {
        let why = match &summary.end {
            End::Unknown(words) if !words.is_empty() => format!(": {}", words.trim_end_matches('.')),
            _ => String::new(),
        };
        let sentence = format!("the outcome of {doubt} contacts is UNKNOWN{why}");
        return Some(Problem::new(Exit::Unknown, sentence, "`lode recover` clears it up by reading, for free"));
    }
    let left = tally.locked as usize + summary.kept_back.len();
    let rest = format!("{left} contacts stay locked, none of them charged");
    let mut exit = Exit::of(summary.exit());
    if matches!(exit, Exit::Done | Exit::Rate | Exit::Network) && !summary.kept_back.is_empty() {
        exit = Exit::Capped;
    }
    let (sentence, hint) = match (&summary.end, exit) {
        (_, Exit::Done) => return None,
        (End::OutOfCredits, _) => {
            (format!("credits ran out: {} unlocked, {rest}", tally.charged), "`lode me` shows the balance")
        }
        (End::Done | End::Stopped, Exit::Capped) if summary.ceiling < max_credits => (
            format!("a cap of this profile left room for {} credits: {rest}", summary.ceiling),
            "`lode info` shows where the caps are set",
        ),
        (End::Done | End::Stopped, Exit::Capped) => {
            (format!("--max-credits {max_credits} was reached: {rest}"), "`lode unlock` with the rest goes on")
        }
        (End::Stopped | End::Done, _) => (format!("interrupted: {rest}"), "`lode unlock` with the rest goes on"),
        (End::Refused { words, .. }, Exit::Key) => {
            (format!("the Workspace API refused the key: {words}; {rest}"), "`lode doctor` checks the keys")
        }
        (End::Refused { words, .. }, _) => {
            (format!("the Workspace API refused it: {words}; {rest}"), "`lode me` shows the key")
        }
        (End::Withheld(refused), _) => {
            (format!("{}; {rest}", withheld(refused)), "`lode unlock --dry-run` shows the quote")
        }
        (End::Limit(words), _) => (format!("the rate limit: {words}; {rest}"), "`lode unlock` again later goes on"),
        (End::Unreached(words), _) => {
            (format!("the Workspace API cannot be reached: {words}; {rest}"), "`lode doctor` checks the services")
        }
        (End::Store(words), _) => (format!("{words}; {rest}"), "`lode doctor` checks the state folder"),
        (End::Unknown(words), _) => (words.clone(), "`lode recover` clears it up by reading, for free"),
    };
    Some(Problem::new(exit, sentence, hint))
}

fn withheld(refused: &crate::effect::store::IntentRefused) -> String {
    use crate::effect::store::{CapKind, IntentRefused};
    match refused {
        IntentRefused::Open(ids) => format!("{} of the ids are in an unlock that is not settled yet", ids.len()),
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "call",
                CapKind::Session => "session",
                CapKind::Day => "day",
            };
            format!("the cap of {cap} credits per {which} would be passed ({used} used, {held} held)")
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("--max-credits {ceiling} would be passed ({used} used, {held} held)")
        }
        IntentRefused::BasketChanged => "the basket changed meanwhile".to_owned(),
        IntentRefused::Settled => "it was settled meanwhile, by another window".to_owned(),
        IntentRefused::OtherPurse => "the key belongs to another workspace than before".to_owned(),
    }
}
