//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: a review of the ids, and an order accepted with `--max-credits` as the typed amount.
//! Everything that costs happens in the session; here are the lines.

mod before;
mod ends;
mod known;
mod lines;
mod proposal;
mod quote;

use crate::ops::filters::{corpus, credits};
use crate::ops::input;
use crate::ops::operation::{Context, Cost, Fact, Operation, Pipe};
use clap::{Args, ValueHint};
use std::sync::Arc;
use std::time::Duration;

use crate::ops::exit::Exit;
use crate::ops::input::Given;
use crate::ops::output::Format;
use crate::ops::program::{Run, Script};
use crate::ops::say::{self, Problem};
use lode_core::contact::{Corpus, Side, Source};
use lode_core::credits::{Credits, contacts};
use lode_core::money::Outcome;
use lode_core::put_back::put_back;
use lode_core::time::Mono;
use lode_engine::effect::store::{Handle, StoreCall, StoreReply};
use lode_engine::effect::{Effect, Ticket};
use lode_engine::flow::desk::Heard;
use lode_engine::flow::session::{Event, Subject};
use lode_engine::flow::unlock::AGAIN;
use lode_engine::flow::unlock::end::Summary;
use lode_engine::flow::unlock::quote::Choice;

use crate::ops::purse_lookup::PurseLookup;

pub(super) use ends::{declined_problem, left_open, problem_of};
pub use ends::{no_review, not_granted};
pub use known::rows as known_rows;
pub(super) use lines::{Sums, Told};
pub use quote::quote_shape;

/// How many seconds an unlock waits in total when the service answers 429, if nothing else was asked for.
pub const MAX_WAIT: u64 = lode_engine::flow::retry::UNLOCK_PATIENCE.as_secs();

pub const FACTS: &[Fact] =
    &[Fact { name: "unlock", cost: Cost::Spends, asks: true, output: &["unlock", "summary", "quote"] }];

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
    /// Contacts of one company at most, the best first; the rest stays locked
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

pub struct Unlock {
    corpus: Corpus,
    max_credits: Credits,
    verify: bool,
    allow_unchecked: bool,
    per_company: Option<u32>,
    dry_run: bool,
    max_wait: Duration,
    given: Vec<Given>,
    /// The proposal of an assistant that this is the order of.
    handle: Option<Handle>,
    lookup: Option<PurseLookup>,
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
    /// Whose purse it is: there the proposal is.
    PurseLookup,
    Proposal(Ticket),
    /// The rows of the basket are read, by which bare ids are known.
    Basket(Ticket),
    Review,
    Running,
    /// The balance once more, but no longer than until then; then the summary.
    After(Box<Summary>, Mono),
    /// The lines of what was not sent are being told.
    Telling(Box<Summary>),
    Over,
}

impl Unlock {
    pub fn new(args: &UnlockArgs, given: Vec<Given>, format: Format) -> Unlock {
        Unlock {
            corpus: args.corpus.unwrap_or_default(),
            max_credits: args.max_credits,
            verify: !args.no_verify,
            allow_unchecked: args.allow_unchecked,
            per_company: args.per_company,
            dry_run: args.dry_run,
            max_wait: Duration::from_secs(args.max_wait),
            given,
            handle: None,
            lookup: None,
            lines: Told::new(format),
            rest: None,
            checking: None,
            awaiting: false,
            stage: Stage::Over,
            stopped: false,
            unread: false,
        }
    }

    fn finished(&mut self, summary: Box<Summary>, run: &mut Run<'_>) {
        if !put_back("unknown-before-printed") {
            self.lines.held(run.session, run.fx);
        }
        self.lines.ended(summary.corpus, &summary.contacts, run.fx);
        let sent = !summary.contacts.is_empty();
        if sent && (self.stopped || run.session.is_paused(run.now)) {
            return self.end_unread(summary, run);
        }
        self.stage = Stage::After(summary, run.now.mono.after(LAST_READING));
    }

    /// How far the order is.
    fn tell_progress(&mut self, run: &mut Run<'_>) {
        let Some(job) = run.session.unlock().job() else { return };
        if let Some(check) = job.checking().filter(|check| self.checking != Some(*check)) {
            run.fx.push(Effect::Warn(format!("{} to batch {}: checking for free", job.trouble(), check.0)));
            self.checking = Some(check);
        }
        if let Some((until, tries)) = job.rests().filter(|(until, tries)| *tries > 0 && self.rest != Some(*until)) {
            self.rest = Some(until);
            let wait = say::seconds(until.since(run.now.mono));
            run.fx.push(Effect::Warn(format!(
                "{} to batch {}: sending the identical ids again in {wait} (try {tries} of {AGAIN})",
                job.trouble(),
                job.batches().0
            )));
        }
        if let Some(count) = job.awaits_others().filter(|_| !std::mem::replace(&mut self.awaiting, true)) {
            let words = format!("waiting for another unlock of {}", contacts(count));
            run.fx.push(Effect::Warn(words));
        }
        let ((batch, of), (done, all), tally) = (job.batches(), job.contacts(), job.tally());
        run.fx.push(Effect::Status(format!(
            "batch {batch} of {of}: {done} of {all}, {} charged, {} refunded",
            tally.charged, tally.refunded
        )));
    }

    /// The end, without the balance having been read once more.
    fn end_unread(&mut self, summary: Box<Summary>, run: &mut Run<'_>) {
        run.fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.unread = true;
        self.end(summary, run);
    }

    fn end(&mut self, summary: Box<Summary>, run: &mut Run<'_>) {
        run.fx.push(Effect::Status(String::new()));
        self.lines.plain(self.corpus, summary.beyond.clone(), Outcome::Locked, run.fx);
        self.lines.plain(self.corpus, summary.kept_back.clone(), Outcome::Locked, run.fx);
        if self.lines.is_behind() {
            self.stage = Stage::Telling(summary);
        } else {
            self.sum_up(&summary, run);
        }
    }

    /// The last line, and the exit code.
    fn sum_up(&mut self, summary: &Summary, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        let balance = &run.session.balance();
        let last = balance.credits().or(summary.said.balance);
        let balance = if self.unread || balance.failure().is_some() { summary.said.balance.or(last) } else { last };
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

    fn fail(&mut self, problem: &Problem, run: &mut Run<'_>) {
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
        match std::mem::replace(&mut self.stage, Stage::Over) {
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

    fn script(&self, Context { pipe, format, .. }: Context<'_>) -> Result<Box<dyn Script>, Problem> {
        let side = Side { source: Source::Workspace, corpus: self.corpus.unwrap_or_default() };
        let given = input::read(&self.ids, pipe, side, self.corpus.is_some())?;
        Ok(Box::new(Unlock::new(self, given, format)))
    }
}

impl Script for Unlock {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.limit_unlock_wait(self.max_wait);
        if run.session.profile().workspace.is_none() {
            return self.fail(&Problem::no_key(Source::Workspace), run);
        }
        if self.handle.is_some() {
            return self.find_proposal(run);
        }
        let side = Side { source: Source::Workspace, corpus: self.corpus };
        let purse = run.session.purse_of(side.source).unwrap_or_else(|| run.session.profile().earlier());
        let call = StoreCall::Basket { purse, side };
        self.stage = Stage::Basket(run.store(call));
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(event) = self.hear_proposal(event, run) else { return };
        match (&self.stage, event) {
            (Stage::Basket(asked), Event::Answered(Heard::Stored(ticket, result))) if *asked == ticket => {
                match result {
                    Ok(StoreReply::Basket(basket)) => {
                        let staged = known::rows(std::mem::take(&mut self.given), &basket.rows);
                        self.stage = Stage::Review;
                        let choice = Choice {
                            verify: self.verify,
                            allow_unchecked: self.allow_unchecked,
                            per_company: self.per_company,
                            ..Choice::default()
                        };
                        run.session.review(Subject::Rows(self.corpus, Arc::new(staged)), choice, run.now, run.fx);
                    }
                    Ok(_) => {}
                    Err(failure) => self.fail(&Problem::of_store(&failure), run),
                }
            }
            (Stage::Review, Event::Review(Ok(quote))) => self.order(&quote, run),
            (Stage::Review, Event::Review(Err(none))) => self.fail(&no_review(&none), run),
            (Stage::Review, Event::StoreFailed(failure)) => self.fail(&Problem::of_store(&failure), run),
            (Stage::Running, Event::Settled { corpus, contacts }) => self.lines.settled(corpus, &contacts, run.fx),
            (Stage::Running, Event::Finished(summary)) => self.finished(summary, run),
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        match &self.stage {
            Stage::Running => self.tell_progress(run),
            Stage::After(..) if !run.session.balance().is_asking() => {
                if let Stage::After(summary, _) = std::mem::replace(&mut self.stage, Stage::Over) {
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
        self.lines.tell_more(run.fx);
        match std::mem::replace(&mut self.stage, Stage::Over) {
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
