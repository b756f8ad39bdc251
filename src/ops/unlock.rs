//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: a review of the ids, and an order accepted with `--max-credits` as the typed amount.
//! Everything that costs happens in the session; here are the lines.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::mem;
use std::time::Duration;
use std::vec::IntoIter;

use clap::{Args, ValueHint};

use super::console::{Console, script};
use super::filters::{corpus, credits};
use super::input;
use super::input::Given;
use super::operation::{Operation, Pipe, ScriptContext};
use super::output::{
    Format, OutputColumn, OutputLines, QuoteLine, QuoteShape, SummaryLine, SummaryShape, detail, json, text,
};
use super::problem::{Code, CommandProblem, Exit, seconds};
use super::program::{Run, Script};
use lode_core::{
    Contact, Corpus, Credits, HeldBy, Mono, Outcome, RowId, Side, Source, Staged, Tally, Verification, agree, contacts,
    counted, put_back, shows_domain,
};
use lode_engine::effect::{
    CapKind, Effect, Handle, IntentRefused, NotGranted, Proposal, ProposalState, Settled, StoreCall, StoreReply, Ticket,
};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::retry::SHELL_PATIENCE;
use lode_engine::flow::session::{Event, NoReview, Session, UnlockSubject};
use lode_engine::flow::unlock::{
    AGAIN, Bound, CapRoom, Declined, HeldContact, OrderEnd, OrderSummary, Quote, ReviewChoice,
};

/// How many seconds an unlock waits in total when the service answers 429, if nothing else was asked for.
pub const MAX_WAIT: u64 = lode_engine::flow::retry::UNLOCK_PATIENCE.as_secs();

#[derive(Clone, Debug, Args)]
pub struct UnlockArgs {
    /// Corpus of the ids; not needed for rows of `lode search`
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Maximum cost of this run, before refunds
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = credits, required = true)]
    pub max_credits: Credits,
    /// Skip email verification (no refunds)
    #[arg(long)]
    pub no_verify: bool,
    /// Also unlock contacts that cannot be checked against the suppression lists: ids without a row, rows that an entry may mean
    #[arg(long)]
    pub allow_unchecked: bool,
    /// Maximum contacts per company, best first; the rest stays locked
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u32).range(1..))]
    pub per_company: Option<u32>,
    /// Show the quote and stop; nothing is sent to unlock
    #[arg(long)]
    pub dry_run: bool,
    /// Maximum wait in seconds when the service answers 429 to the unlock
    #[arg(long, value_name = "SECONDS", value_hint = ValueHint::Other, default_value_t = MAX_WAIT)]
    pub max_wait: u64,
    /// Ids; without any, reads ids or JSON lines of `lode search` from standard input (also with `-`)
    #[arg(value_name = "ID", value_hint = ValueHint::Other)]
    pub ids: Vec<String>,
}

/// How long the balance may take once everything else is said.
pub(super) const LAST_READING: Duration = Duration::from_secs(10);
pub(super) const UNREAD_BALANCE: &str = "the balance was not read again; it is the last one the service reported";

pub struct UnlockScript {
    corpus: Corpus,
    max_credits: Credits,
    verify: bool,
    allow_unchecked: bool,
    per_company: Option<u32>,
    dry_run: bool,
    max_wait: Duration,
    given: Vec<Given>,
    /// The proposal of an assistant that this is the order of, and its rows.
    granted: Option<(Handle, Vec<Staged>)>,
    lines: Told,
    /// The pause before a batch is sent again that was told last.
    rest: Option<Mono>,
    /// The check that was told last.
    checking: Option<(u32, u32)>,
    /// That another unlock is waited for was told.
    awaiting: bool,
    stage: Stage,
    /// The user said stop.
    stopped: bool,
    /// The balance was not read again at the end.
    unread: bool,
}

#[derive(Debug, PartialEq)]
enum Stage {
    /// The rows of the basket are read, by which bare ids are known.
    Basket(Ticket),
    Review,
    Running,
    /// The balance once more, but no longer than until then; then the summary.
    After(Box<OrderSummary>, Mono),
    /// The lines of what was not sent are being told.
    Telling(Box<OrderSummary>),
    Over,
}

impl UnlockScript {
    pub fn new(args: &UnlockArgs, given: Vec<Given>, format: Format) -> UnlockScript {
        UnlockScript {
            corpus: args.corpus.unwrap_or_default(),
            max_credits: args.max_credits,
            verify: !args.no_verify,
            allow_unchecked: args.allow_unchecked,
            per_company: args.per_company,
            dry_run: args.dry_run,
            max_wait: Duration::from_secs(args.max_wait),
            given,
            granted: None,
            lines: Told::new(format),
            rest: None,
            checking: None,
            awaiting: false,
            stage: Stage::Over,
            stopped: false,
            unread: false,
        }
    }

    fn review(&mut self, rows: Vec<Staged>, run: &mut Run<'_>) {
        self.stage = Stage::Review;
        let choice = ReviewChoice {
            verify: self.verify,
            allow_unchecked: self.allow_unchecked,
            per_company: self.per_company,
            ..ReviewChoice::default()
        };
        run.session.review(UnlockSubject::Rows(self.corpus, rows.into()), choice, run.now, run.fx);
    }

    fn finished(&mut self, summary: Box<OrderSummary>, run: &mut Run<'_>) {
        if !put_back("unknown-before-printed") {
            self.lines.held(run.session, run.fx);
        }
        self.lines.ended(summary.corpus(), &summary.contacts, run.fx);
        let sent = !summary.contacts.is_empty();
        if sent && (self.stopped || run.session.asked_to_wait(run.now).is_some()) {
            return self.end_unread(summary, run);
        }
        self.stage = Stage::After(summary, run.now.mono.after(LAST_READING));
    }

    /// How far the order is.
    fn report_progress(&mut self, run: &mut Run<'_>) {
        let Some(job) = run.session.unlock().job() else { return };
        if let Some(check) = job.checking().filter(|check| self.checking != Some(*check)) {
            run.fx.push(Effect::Warn(format!("{} to batch {}: checking for free", job.trouble(), check.0)));
            self.checking = Some(check);
        }
        if let Some((until, tries)) = job.rests().filter(|(until, tries)| *tries > 0 && self.rest != Some(*until)) {
            self.rest = Some(until);
            let wait = seconds(until.since(run.now.mono));
            run.fx.push(Effect::Warn(format!(
                "{} to batch {}: sending the identical ids again in {wait} (try {tries} of {AGAIN})",
                job.trouble(),
                job.batches().0
            )));
        }
        if let Some(count) = job.awaits_others().filter(|_| !mem::replace(&mut self.awaiting, true)) {
            let words = format!("waiting for another unlock of {}", contacts(count));
            run.fx.push(Effect::Warn(words));
        }
        let ((batch, of), (done, all), tally) = (job.batches(), job.contacts(), &job.tally);
        run.fx.push(Effect::Status(format!(
            "batch {batch} of {of}: {done} of {all}, {} charged, {} refunded",
            tally.charged, tally.refunded
        )));
    }

    /// The end, without the balance having been read once more.
    fn end_unread(&mut self, summary: Box<OrderSummary>, run: &mut Run<'_>) {
        run.fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.unread = true;
        self.end(summary, run);
    }

    fn end(&mut self, summary: Box<OrderSummary>, run: &mut Run<'_>) {
        run.fx.push(Effect::Status(String::new()));
        self.lines.plain(self.corpus, summary.quote.beyond.clone(), Outcome::Locked, run.fx);
        self.lines.plain(self.corpus, summary.quote.kept_back.clone(), Outcome::Locked, run.fx);
        if self.lines.is_behind() {
            self.stage = Stage::Telling(summary);
        } else {
            self.sum_up(&summary, run);
        }
    }

    /// The last line, and the exit code.
    fn sum_up(&mut self, summary: &OrderSummary, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        let balance = &run.session.balance();
        let last = balance.credits.or(summary.said.balance);
        let balance = if self.unread || balance.failure.is_some() { summary.said.balance.or(last) } else { last };
        let sums = Sums::of(summary, balance);
        self.lines.summary(&sums, run.fx);
        run.fx.extend(summary.notices.iter().cloned().chain(summary.unexplained(balance)).map(Effect::Warn));
        let exit = match problem_of(summary, self.max_credits) {
            Some(problem) => {
                let problem = sums.spent(problem).waits(run.session.asked_to_wait(run.now));
                problem.say(run.fx);
                problem.exit
            }
            None => Exit::Done,
        };
        run.fx.push(Effect::Quit(exit.code()));
    }

    fn fail(&mut self, problem: &CommandProblem, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        run.fx.push(Effect::Status(String::new()));
        problem.end(run.fx);
    }

    /// True where there was something to stop.
    fn stop(&mut self, run: &mut Run<'_>) -> bool {
        self.stopped = true;
        if self.stage == Stage::Running {
            run.session.stop_unlock(run.now, run.fx);
            return true;
        }
        match mem::replace(&mut self.stage, Stage::Over) {
            Stage::After(summary, _) => self.end_unread(summary, run),
            Stage::Telling(summary) => {
                self.lines.skip();
                self.sum_up(&summary, run);
            }
            other => {
                self.stage = other;
                return false;
            }
        }
        true
    }
}

impl Operation for UnlockArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn pipe(&self) -> Option<Pipe> {
        input::wants_pipe(&self.ids).then_some(Pipe::IDS)
    }

    fn script(&self, ScriptContext { pipe, format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        let side = Side { source: Source::Workspace, corpus: self.corpus.unwrap_or_default() };
        let given = input::read(&self.ids, pipe, side, self.corpus.is_some())?;
        Ok(Box::new(UnlockScript::new(self, given, format)))
    }
}

impl Script for UnlockScript {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.desk.limit_unlock_wait(self.max_wait);
        if run.session.profile().workspace.is_none() {
            return self.fail(&CommandProblem::no_key(Source::Workspace), run);
        }
        if let Some((_, rows)) = &mut self.granted {
            let rows = mem::take(rows);
            return self.review(rows, run);
        }
        let side = Side { source: Source::Workspace, corpus: self.corpus };
        let purse = run.purse_or_earlier(side.source);
        let call = StoreCall::Basket { purse, side };
        self.stage = Stage::Basket(run.store(call));
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        match (&self.stage, event) {
            (Stage::Basket(asked), Event::Answered(Arrival::Stored(ticket, result))) if *asked == ticket => {
                match result {
                    Ok(StoreReply::Basket(basket)) => {
                        let rows = known_rows(mem::take(&mut self.given), &basket.rows);
                        self.review(rows, run);
                    }
                    Ok(_) => {}
                    Err(failure) => self.fail(&CommandProblem::of_store(&failure), run),
                }
            }
            (Stage::Review, Event::Review(Ok(quote))) => self.order(&quote, run),
            (Stage::Review, Event::Review(Err(none))) => self.fail(&no_review(&none), run),
            (Stage::Review, Event::StoreFailed(failure)) => self.fail(&CommandProblem::of_store(&failure), run),
            (Stage::Running, Event::Settled { corpus, contacts }) => self.lines.settled(corpus, &contacts, run.fx),
            (Stage::Running, Event::Finished(summary)) => self.finished(summary, run),
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        match &self.stage {
            Stage::Running => self.report_progress(run),
            Stage::After(..) if !run.session.balance().is_asking() => {
                if let Stage::After(summary, _) = mem::replace(&mut self.stage, Stage::Over) {
                    self.end(summary, run);
                }
            }
            _ => {}
        }
    }

    fn deadline(&self) -> Option<Mono> {
        match &self.stage {
            // At once, when what was told so far is written.
            _ if self.lines.is_behind() => Some(Mono(0)),
            Stage::After(_, until) => Some(*until),
            _ => None,
        }
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        self.lines.report_more(run.fx);
        match mem::replace(&mut self.stage, Stage::Over) {
            Stage::After(summary, until) if until <= run.now.mono && run.session.balance().is_asking() => {
                self.end_unread(summary, run);
            }
            Stage::Telling(summary) if !self.lines.is_behind() => self.sum_up(&summary, run),
            other => self.stage = other,
        }
    }

    /// A call that is on the wire is waited for: its answer says what was bought.
    fn interrupt(&mut self, run: &mut Run<'_>) {
        if self.stop(run) {
            let words = match run.session.unlock().job() {
                Some(job) if job.awaits_answer() => {
                    "stopping after this request; press Ctrl-C again to leave at once; `lode recover` then checks what is unknown"
                }
                Some(_) => "stopping: nothing more is sent",
                None => return,
            };
            run.fx.push(Effect::Warn(words.to_owned()));
        } else {
            run.fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn abandon(&mut self, run: &mut Run<'_>) {
        self.lines.held(run.session, run.fx);
        left_open(run);
    }

    fn unread(&mut self, run: &mut Run<'_>) {
        if !self.stop(run) {
            run.fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}

// An unlock for an assistant: the ids, the amount and how to verify come from the proposal, as a person accepted it.

/// The order of a proposal. Everything else about it is in the ledger.
pub(super) fn unlock_granted(handle: Handle) -> Box<dyn Script> {
    let args = UnlockArgs {
        corpus: None,
        max_credits: Credits::ZERO,
        no_verify: false,
        allow_unchecked: false,
        per_company: None,
        dry_run: false,
        // A client gives up on a call that is silent for a minute.
        max_wait: SHELL_PATIENCE.as_secs(),
        ids: Vec::new(),
    };
    script(async move |console| {
        let proposal = proposal_of(&console, handle).await?;
        let unlock = UnlockScript::new(&args, Vec::new(), Format::Json).begin_proposal(proposal)?;
        console.hand_over(Box::new(unlock));
        Ok(Exit::Done)
    })
}

/// What the ledger knows of a handle.
pub(super) async fn proposal_of(console: &Console, handle: Handle) -> Result<Proposal, CommandProblem> {
    let purse = console.purse().await?;
    let StoreReply::Proposals(found) = console.store(StoreCall::ProposalOf { purse, handle }).await? else {
        unreachable!("the store answers with proposals");
    };
    found.into_iter().next().ok_or_else(|| not_granted(NotGranted::NoSuch))
}

impl UnlockScript {
    /// What is read here only chooses the words: whether the handle holds is decided when the first batch is written down.
    fn begin_proposal(mut self, proposal: Proposal) -> Result<UnlockScript, CommandProblem> {
        let (rows, amount, verify) = match proposal.state {
            ProposalState::Accepted { amount, ids, verify } => {
                let rows = proposal.rows.into_iter().filter(|row| ids.contains(&row.id)).collect();
                (rows, amount, verify)
            }
            ProposalState::Waiting => (proposal.rows, proposal.ceiling, proposal.verify),
            ProposalState::Declined => return Err(not_granted(NotGranted::Declined)),
            ProposalState::Expired => return Err(not_granted(NotGranted::Expired)),
            ProposalState::Used(_) => return Err(not_granted(NotGranted::Used)),
        };
        (self.corpus, self.max_credits, self.verify) = (proposal.corpus, amount, verify);
        self.granted = Some((proposal.handle, rows));
        Ok(self)
    }
}

// How an unlock ends when not all went as asked: one sentence, one hint, one exit code.

pub(super) fn declined_problem(declined: &Declined) -> CommandProblem {
    let exit = match declined {
        Declined::ReadOnly => Exit::Scope,
        Declined::Cap { .. } | Declined::TooMuch { .. } | Declined::NoAmount | Declined::Whole { .. } => Exit::Capped,
        Declined::Balance { .. } => Exit::Credits,
        _ => Exit::Failed,
    };
    let hint = match declined {
        Declined::ReadOnly => "`lode me` shows the scopes of the key",
        Declined::PartOwned => "run `lode recover` to check again (free)",
        Declined::Whole { .. } => "`lode recover --finish --max-credits N` with the number it names",
        _ => "`lode unlock --dry-run` shows the quote",
    };
    CommandProblem::new(exit, declined.to_string(), hint)
}

/// The end in the middle of an order: what was charged, and what a request that is still open may cost.
pub(super) fn left_open(run: &mut Run<'_>) {
    let Some(job) = run.session.unlock().job() else { return };
    let (charged, unknown) = (job.tally.charged, job.held().0.unsigned_abs());
    let (exit, hint) = (Exit::Interrupted, "run `lode recover` to check the rest (free)");
    let sentence = format!("interrupted: {charged} charged, the result of {} is unknown", contacts(unknown as usize));
    CommandProblem::new(exit, sentence, hint).spent(charged, unknown).say(run.fx);
}

/// Why there is no review, and so no order.
pub fn no_review(none: &NoReview) -> CommandProblem {
    match none {
        NoReview::NoKey => CommandProblem::no_key(Source::Workspace),
        NoReview::Unread(failure) => CommandProblem::of_call(Source::Workspace, failure),
        NoReview::NoPurse => {
            let words = "the service did not identify the workspace of this key, so nothing can be unlocked";
            CommandProblem::new(Exit::Network, words, "`lode me` shows what the service returns")
        }
        NoReview::Store(failure) => CommandProblem::of_store(failure),
        NoReview::NoBatch => {
            CommandProblem::new(Exit::Failed, none.to_string(), "`lode recover` shows what is unknown")
        }
    }
}

const HAS_THEM: &str = ": another unlock is sending them";

/// Why the handle of an assistant does not lead to an unlock.
pub fn not_granted(why: NotGranted) -> CommandProblem {
    const AGAIN: &str = "quote makes a new one";
    const ASK: &str = "ask the user to answer on the Basket screen of lode; then call unlock";
    let (sentence, hint) = match why {
        NotGranted::NoSuch => ("no quote has this handle, or it is about other contacts".to_owned(), AGAIN),
        NotGranted::Waiting => ("the user has not accepted this quote".to_owned(), ASK),
        NotGranted::Declined => ("the user declined this quote".to_owned(), "do not ask for the same again"),
        NotGranted::Expired => ("this quote expired".to_owned(), AGAIN),
        NotGranted::Used => ("this handle was used".to_owned(), AGAIN),
        NotGranted::TooMuch => ("this is more than was accepted".to_owned(), AGAIN),
        NotGranted::Standing { left } => (format!("the standing allowance leaves {}", left.words()), ASK),
    };
    CommandProblem::new(Exit::Capped, sentence, hint).code(Code::NotAccepted)
}

/// What to say at the end, where not all went as asked. The graver thing is said.
pub(super) fn problem_of(summary: &OrderSummary, max_credits: Credits) -> Option<CommandProblem> {
    let tally = &summary.tally;
    let unknown = tally.unknown as usize + summary.quote.unknown.len();
    if unknown > 0 {
        let why = match &summary.end {
            _ if tally.unknown as usize > summary.elsewhere.len() && summary.why_unknown().is_some() => {
                format!(": {}", summary.why_unknown().unwrap_or_default())
            }
            OrderEnd::Withheld(IntentRefused::Open(_)) => HAS_THEM.to_owned(),
            _ if summary.elsewhere.len() == unknown => HAS_THEM.to_owned(),
            _ if !summary.elsewhere.is_empty() => {
                format!(": another unlock is sending {} of them", summary.elsewhere.len())
            }
            _ => String::new(),
        };
        let sentence = format!("the result of {} is unknown{why}", contacts(unknown));
        return Some(CommandProblem::new(Exit::Unknown, sentence, "run `lode recover` to check it (free)"));
    }
    if let OrderEnd::Withheld(IntentRefused::NotGranted(why)) = &summary.end {
        return Some(not_granted(*why));
    }
    let (quote, held_back) = (&summary.quote, summary.quote.held_back());
    let unchecked = quote.held_unchecked().len();
    let left = tally.locked as usize + held_back;
    let rest = format!("{} {} locked and not charged", contacts(left), agree(left, "stays", "stay"));
    let mut exit = Exit::of(summary.exit());
    if matches!(exit, Exit::Done | Exit::Rate | Exit::Network) && held_back > 0 {
        exit = Exit::Capped;
    }
    let (sentence, hint) = match (&summary.end, exit) {
        (_, Exit::Done) => return None,
        (OrderEnd::OutOfCredits, _) => {
            (format!("credits ran out: {} unlocked, {rest}", tally.charged), "`lode me` shows the balance")
        }
        (OrderEnd::Done | OrderEnd::Stopped, Exit::Capped) if summary.left_out > 0 => (
            format!(
                "{} left out, because a list or a limit changed while this ran: {rest}",
                contacts(summary.left_out)
            ),
            "`lode unlock --dry-run` shows the quote as it is now",
        ),
        (OrderEnd::Done | OrderEnd::Stopped, Exit::Capped) if quote.kept_back.is_empty() && unchecked == 0 => (
            format!("the limit per company leaves out {}: {rest}", contacts(quote.beyond.len())),
            "a larger `--per-company` unlocks more of each company",
        ),
        (OrderEnd::Done | OrderEnd::Stopped, Exit::Capped) if quote.kept_back.is_empty() => (
            format!(
                "{} cannot be checked against the suppression lists and {} locked, not charged",
                contacts(unchecked),
                agree(unchecked, "stays", "stay")
            ),
            "`lode suppress check -` shows the entries; add `--allow-unchecked` to unlock them anyway, or pipe `lode search --json` rows",
        ),
        (OrderEnd::Done | OrderEnd::Stopped, Exit::Capped) if summary.ceiling < max_credits => (
            format!("a cap of this profile allows only {}: {rest}", summary.ceiling.words()),
            "`lode info` shows where the caps are set",
        ),
        (OrderEnd::Done | OrderEnd::Stopped, Exit::Capped) => {
            (format!("--max-credits {max_credits} was reached: {rest}"), "run `lode unlock` again with the rest")
        }
        (OrderEnd::Stopped | OrderEnd::Done, _) => {
            (format!("interrupted: {rest}"), "run `lode unlock` again with the rest")
        }
        (OrderEnd::Refused { words, .. }, Exit::Credits) => {
            let words = words.trim_end_matches('.');
            let sentence =
                format!("credits ran out: {} unlocked, {rest}; reported by the service: {words}", tally.charged);
            (sentence, "`lode me` shows the balance")
        }
        (OrderEnd::Refused { words, .. }, Exit::Key) => {
            (format!("the Workspace API refused the key: {words}; {rest}"), "`lode doctor` checks the keys")
        }
        (OrderEnd::Refused { words, .. }, Exit::Scope) => {
            (format!("the key has no permission for this: {words}; {rest}"), "`lode me` shows its scopes")
        }
        (OrderEnd::Refused { words, .. }, _) => {
            (format!("the Workspace API refused the request: {words}; {rest}"), "`lode me` shows the key")
        }
        (OrderEnd::Withheld(refused), _) => {
            (format!("{}; {rest}", withheld(refused)), "`lode unlock --dry-run` shows the quote")
        }
        (OrderEnd::Limit(words), _) => (format!("the rate limit: {words}; {rest}"), "run `lode unlock` again later"),
        (OrderEnd::Unreached(words), _) => {
            (format!("the Workspace API cannot be reached: {words}; {rest}"), "`lode doctor` checks the services")
        }
        (OrderEnd::Changed(words), _) => {
            (format!("{words}; {rest}"), "`lode doctor` checks settings and keys; then run it again")
        }
        (OrderEnd::Store(words), _) => (format!("{words}; {rest}"), "`lode doctor` checks the state folder"),
        (OrderEnd::Alarm(words), _) => (
            format!("{words}: nothing more was sent; {rest}"),
            "`lode receipts` shows the numbers; ask the service about them",
        ),
        (OrderEnd::Unknown(words), _) => (words.clone(), "run `lode recover` to check it (free)"),
    };
    Some(CommandProblem::new(exit, sentence, hint))
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} {} in an unlock without a result yet", contacts(ids.len()), agree(ids.len(), "is", "are"))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "call",
                CapKind::Session => "session",
                CapKind::Day => "day",
            };
            format!("this would exceed the cap of {} per {which} ({used} used, {held} on hold)", cap.words())
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("this would exceed --max-credits {ceiling} ({used} used, {held} on hold)")
        }
        IntentRefused::ListsChanged => "a suppression list was changed in the meantime".to_owned(),
        IntentRefused::BasketChanged => "the basket changed in the meantime".to_owned(),
        IntentRefused::Settled(_) => "another window has its result already".to_owned(),
        IntentRefused::OtherPurse => "the key now belongs to another workspace".to_owned(),
        IntentRefused::NotGranted(why) => not_granted(*why).sentence,
    }
}

// Before the first call: what is said of the quote, and what will not be sent at all.

impl UnlockScript {
    fn order(&mut self, quote: &Quote, run: &mut Run<'_>) {
        if self.dry_run {
            if !quote.basis.who.may_unlock {
                return self.fail(&declined_problem(&Declined::ReadOnly), run);
            }
            self.stage = Stage::Over;
            warn(quote, run.fx);
            report_quote(quote, self.max_credits, self.lines.format, run.fx);
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        warn(quote, run.fx);
        self.report_left_aside(quote, run);
        let accepted = match &self.granted {
            Some((handle, _)) => run.session.accept_granted(quote, self.max_credits, handle.clone(), run.now, run.fx),
            None => run.session.accept_within(quote, self.max_credits, run.now, run.fx),
        };
        match accepted {
            Ok(()) => self.stage = Stage::Running,
            Err(declined) => self.fail(&declined_problem(&declined), run),
        }
    }

    /// Lines of what will not be sent, because nothing has to be or nothing may be.
    fn report_left_aside(&mut self, quote: &Quote, run: &mut Run<'_>) {
        for id in &quote.owned {
            let known = run.session.ledger().contact(self.corpus, *id);
            let contact = known.map(|owned| owned.contact.clone()).unwrap_or_default();
            self.lines.report(self.corpus, *id, Outcome::Already, &contact, run.fx);
        }
        self.lines.plain(self.corpus, quote.unknown.clone(), Outcome::Unknown, run.fx);
        let locked = quote.suppressed.iter().map(|(id, _)| *id).chain(quote.held_unchecked());
        self.lines.plain(self.corpus, locked.collect(), Outcome::Locked, run.fx);
    }
}

// What is known of the ids that were given: their own lines, and their rows in the basket.

pub fn known_rows(given: Vec<Given>, basket: &[Staged]) -> Vec<Staged> {
    let basket: HashMap<RowId, &Staged> = basket.iter().map(|row| (row.id, row)).collect();
    given.into_iter().map(|given| known(&given, basket.get(&given.id).copied())).collect()
}

/// The line of an id; what it lacks comes from the row in the basket.
fn known(given: &Given, in_basket: Option<&Staged>) -> Staged {
    let Some(row) = in_basket else { return given.staged() };
    let mut about = given.about();
    if !shows_domain(&about.email) {
        about.email.clone_from(&row.email);
    }
    for (own, row) in [
        (&mut about.phone, &row.phone),
        (&mut about.name, &row.name),
        (&mut about.company, &row.company),
        (&mut about.email_status, &row.email_status),
        (&mut about.row, &row.row),
    ] {
        if own.is_empty() {
            own.clone_from(row);
        }
    }
    if given.row.is_none() {
        about.clue.clone_from(&row.clue);
    }
    Staged::new(given.id, row.owned, about)
}

// What an unlock prints: one line per contact as it settles, each once, and what the run came to.

/// Lines of contacts, each told once.
pub(super) struct Told {
    pub(super) format: Format,
    lines: OutputLines,
    told: BTreeSet<(Corpus, RowId)>,
    /// Responses that could be neither stored nor read, as they were told.
    unread: BTreeSet<String>,
    /// Lines that say no more than what became of an id, in the order in which they are told. There can be a million.
    plain: VecDeque<(Corpus, Outcome, IntoIter<RowId>)>,
}

/// So many of them are made at once.
const PORTION: usize = 5_000;

/// A contact with its outcome.
struct SettledRow<'a> {
    corpus: Corpus,
    id: RowId,
    outcome: Outcome,
    contact: &'a Contact,
}

fn columns<'a>() -> [OutputColumn<SettledRow<'a>>; 7] {
    [
        text("ID", 8, 20, |row| row.id.to_string()),
        text("OUTCOME", 9, 11, |row| row.outcome.name().to_owned()),
        text("NAME", 16, 28, |row| row.contact.contact_name.clone()),
        text("EMAIL", 20, 40, |row| row.contact.email.clone()),
        text("PHONE", 12, 18, |row| row.contact.phone.clone()),
        detail(text("COMPANY", 16, 32, |row| row.contact.company_name.clone())),
        text("CHECK", 8, 12, |row| row.contact.verification.as_ref().map_or("", Verification::word).to_owned()),
    ]
}

impl Told {
    pub(super) fn new(format: Format) -> Told {
        Told {
            format,
            lines: OutputLines::new(format, &columns()),
            told: BTreeSet::new(),
            unread: BTreeSet::new(),
            plain: VecDeque::new(),
        }
    }

    pub(super) fn settled(&mut self, corpus: Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
        let none = Contact::default();
        for settled in contacts {
            self.report(corpus, settled.id, settled.outcome, settled.contact.as_deref().unwrap_or(&none), fx);
        }
    }

    /// All contacts of an order that has ended: those that were never sent are told as plain lines.
    fn ended(&mut self, corpus: Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
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
    fn plain(&mut self, corpus: Corpus, ids: Vec<RowId>, outcome: Outcome, fx: &mut Vec<Effect>) {
        let waits = self.is_behind();
        self.plain.push_back((corpus, outcome, ids.into_iter()));
        if !waits {
            self.report_more(fx);
        }
    }

    /// The next portion of those lines.
    fn report_more(&mut self, fx: &mut Vec<Effect>) {
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
    fn is_behind(&self) -> bool {
        !self.plain.is_empty()
    }

    /// They have no reader.
    fn skip(&mut self) {
        self.plain.clear();
    }

    /// Contacts of an answer that could not be stored: these lines are all that is left of them (money rule 9, *responses are stored first*).
    /// They come before every line that says only that a contact is unknown.
    pub(super) fn held(&mut self, session: &Session, fx: &mut Vec<Effect>) {
        let told = &mut self.told;
        let held: Vec<HeldContact> =
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

    pub(super) fn report(
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
        let row = SettledRow { corpus, id, outcome, contact };
        let json = |row: &SettledRow<'_>| json::settled(row.corpus, row.id, row.outcome, row.contact);
        self.lines.print(&columns(), &[row], json, fx);
    }

    pub(super) fn summary(&self, sums: &Sums, fx: &mut Vec<Effect>) {
        fx.push(Effect::Print(match self.format {
            Format::Json => sums.json(),
            Format::Table { .. } => sums.tally.sentence(sums.balance),
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
    fn of(summary: &OrderSummary, balance: Option<Credits>) -> Sums {
        let mut tally = summary.tally;
        let quote = &summary.quote;
        for (count, outcome) in [
            (quote.owned.len(), Outcome::Already),
            (quote.unknown.len(), Outcome::Unknown),
            (quote.suppressed.len() + quote.held_back(), Outcome::Locked),
        ] {
            (0..count).for_each(|_| tally.count(outcome));
        }
        let stopped_for_credits = summary.is_out_of_credits();
        Sums { tally, balance, stopped_for_credits }
    }

    /// One contact that a look or a second sending settled.
    pub(super) fn count(&mut self, settled: &Settled) {
        self.tally.count_contact(settled.outcome, settled.contact.as_deref());
    }

    /// A failure with what was spent before it.
    pub(super) fn spent(&self, problem: CommandProblem) -> CommandProblem {
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

// The quote in words: what should be known before anything is spent, and all of it for `--dry-run`.

const CANNOT_SEARCH: &str = "this key cannot search, so an unknown result could not be checked";

/// What should be known before it is spent.
fn warn(quote: &Quote, fx: &mut Vec<Effect>) {
    for (list, count) in quote.suppressed_by() {
        fx.push(Effect::Warn(format!("{} on the suppression list {list}: not unlocked", contacts(count))));
    }
    for (why, count) in quote.unchecked_because() {
        let then = if quote.choice.allow_unchecked { "unlocked anyway" } else { "not unlocked" };
        let rows = quote.unchecked.iter().filter(|row| row.why == why);
        let by: BTreeSet<&HeldBy> = rows.flat_map(|row| row.by.iter()).collect();
        let by = by.first().map(|first| first.with(by.len() - 1)).unwrap_or_default();
        fx.push(Effect::Warn(format!(
            "{} cannot be checked against the suppression lists: {why} ({by}); {then}",
            contacts(count)
        )));
    }
    if !quote.beyond.is_empty() {
        let limit = quote.per_company().unwrap_or(0);
        let words = format!("{} left out: at most {limit} of each company", contacts(quote.beyond.len()));
        fx.push(Effect::Warn(words));
    }
    if quote.risky_count() > 0 {
        let each: Vec<String> = quote.risky.iter().map(|(status, ids)| format!("{status} {}", ids.len())).collect();
        fx.push(Effect::Warn(format!(
            "{} with a risky email status: {}",
            contacts(quote.risky_count()),
            each.join(", ")
        )));
    }
    if !quote.duplicates.is_empty() {
        let words = "the same person, company and email as another contact: each costs a credit";
        fx.push(Effect::Warn(format!("{}, {words}", counted(quote.duplicates.len() as u64, "duplicate"))));
    }
    if !quote.basis.who.may_search {
        fx.push(Effect::Warn(CANNOT_SEARCH.to_owned()));
    }
    if !quote.choice.verify {
        fx.push(Effect::Warn("verification is off: no refunds are possible".to_owned()));
    }
}

/// The quote as data, up to a number of credits: what an order would really send and cost.
pub fn quote_shape(quote: &Quote, max_credits: Credits) -> QuoteShape {
    let (cost, by) = quote.bound(max_credits);
    let bounded_by = by.map(|by| bound_words(by, quote, max_credits));
    let likely = quote.likely_of(cost);
    let mut rest = usize::try_from(quote.within(max_credits).0).unwrap_or(0);
    let calls = quote.calls.iter().map(|call| {
        let sent = rest.min(*call);
        rest -= sent;
        sent
    });
    let balance = quote.basis.balance.map(|(balance, _)| balance);
    let credits = |credits: Option<Credits>| credits.map(|credits| credits.0);
    let beyond = usize::try_from((quote.most - cost).0).unwrap_or(0);
    let locked = quote.suppressed.len() + quote.held_unchecked().len() + quote.beyond.len() + beyond;
    let unchecked_because =
        quote.unchecked_because().into_iter().map(|(why, count)| (why.to_string(), count)).collect();
    QuoteShape {
        corpus: quote.basis.corpus.name(),
        asked: quote.staged,
        already: quote.owned.len(),
        unknown: quote.unknown.len(),
        suppressed: quote.suppressed.len(),
        unchecked: quote.unchecked.len(),
        unchecked_because,
        beyond_company: quote.beyond.len(),
        risky: quote.risky_count(),
        duplicates: quote.duplicates.len(),
        to_unlock: quote.to_unlock.len(),
        calls: calls.filter(|sent| *sent > 0).collect(),
        locked,
        most: cost.0,
        likely_low: credits(likely.map(|likely| likely.low)),
        likely_high: credits(likely.map(|likely| likely.high)),
        max_credits: max_credits.0,
        bounded_by: bounded_by.map(|(name, _)| name),
        balance: credits(balance),
        balance_after: credits(balance.map(|balance| balance - cost)),
        verify: quote.choice.verify,
    }
}

/// What bounds the cost, as a name for programs and in words.
fn bound_words(by: Bound, quote: &Quote, max_credits: Credits) -> (&'static str, String) {
    let room = |room: Option<CapRoom>| room.map_or(String::new(), |room| format!("{}, {} left", room.cap, room.left));
    match by {
        Bound::Ceiling => ("max_credits", format!("--max-credits {max_credits}")),
        Bound::Call => ("call_cap", "the cap per call of 0".to_owned()),
        Bound::Session => ("session_cap", format!("the session cap of {}", room(quote.session))),
        Bound::Day => ("day_cap", format!("the day cap of {}", room(quote.day))),
        Bound::Balance => ("balance", "the balance".to_owned()),
    }
}

fn report_quote(quote: &Quote, max_credits: Credits, format: Format, fx: &mut Vec<Effect>) {
    let shape = quote_shape(quote, max_credits);
    match format {
        Format::Json => {
            fx.push(Effect::Print(json::line(&QuoteLine { quote: shape })));
        }
        Format::Table { .. } => {
            let line = |title: &str, count: usize| (count > 0).then(|| format!("{title:<18} {count}"));
            let mut lines = vec![format!("asked for          {}", quote.staged)];
            lines.extend(line("already owned", quote.owned.len()));
            lines.extend(line("result unknown", quote.unknown.len()));
            lines.extend(line("suppressed", quote.suppressed.len()));
            let reasons = quote.unchecked_because();
            lines.extend(reasons.iter().map(|(why, count)| format!("{:<18} {count}, {why}", "not checked")));
            lines.extend(line("over company limit", quote.beyond.len()));
            lines.extend(line("risky status", quote.risky_count()));
            lines.extend(line("duplicates", shape.duplicates));
            let requests = counted(shape.calls.len() as u64, "request");
            lines.push(format!("to unlock          {} in {requests}", shape.calls.iter().sum::<usize>()));
            let (cost, by) = quote.bound(max_credits);
            lines.push(format!("maximum cost       {} (--max-credits {max_credits})", cost.words()));
            if let Some(by) = by {
                let (_, words) = bound_words(by, quote, max_credits);
                lines.push(format!("stay locked        {}, beyond {words}", quote.most - cost));
            }
            if let (Some(low), Some(high)) = (shape.likely_low, shape.likely_high) {
                lines.push(format!("likely             {low}–{high} after refunds"));
            }
            if let (Some(balance), Some(after)) = (shape.balance, shape.balance_after) {
                lines.push(format!("balance            {balance}, at least {after} after"));
            }
            lines.push("Nothing sent, nothing spent.".to_owned());
            fx.extend(lines.into_iter().map(Effect::Print));
        }
    }
}
