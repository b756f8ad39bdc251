//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: a review of the ids, and an order accepted with `--max-credits` as the typed amount.
//! Everything that costs happens in the session; here are the lines.

use std::mem;

use super::*;
use lode_core::{Tally, put_back, shows_domain};
use lode_engine::effect::{Handle, IntentRefused, NotGranted, Proposal, ProposalState};
use lode_engine::flow::retry::SHELL_PATIENCE;
use lode_engine::flow::session::{NoReview, UnlockSubject};
use lode_engine::flow::unlock::{AGAIN, Bound, CapRoom, Declined, HeldContact, Quote, ReviewChoice, RunningOrder};

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

pub(super) const UNREAD_BALANCE: &str = "the balance was not read again; it is the last one the service reported";

impl Operation for UnlockArgs {
    fn pipe(&self) -> Option<Pipe> {
        input::wants_pipe(&self.ids).then_some(Pipe::IDS)
    }

    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let side = Side { source: Source::Workspace, corpus: self.corpus.unwrap_or_default() };
        Ok(unlock(self, input::read(&self.ids, pipe, side, self.corpus.is_some())?))
    }
}

pub fn unlock(args: &UnlockArgs, given: Vec<Given>) -> Script {
    let &UnlockArgs { max_credits, no_verify, allow_unchecked, per_company, dry_run, .. } = args;
    let corpus = args.corpus.unwrap_or_default();
    let choice = ReviewChoice { verify: !no_verify, allow_unchecked, per_company, ..ReviewChoice::default() };
    let max_wait = Duration::from_secs(args.max_wait);
    script(async move |console| {
        begin(&console, max_wait).await?;
        let side = Side { source: Source::Workspace, corpus };
        let purse = console.with(|run| run.session.purse_or_earlier(side.source));
        // Bare ids are known by the rows of the basket.
        let rows = known_rows(given, &console.basket(purse, side).await?);
        let quote = review(&console, corpus, rows, choice).await?;
        if !dry_run {
            return buy(console, quote, max_credits, None).await;
        }
        if !quote.basis.who.may_unlock {
            return Err(declined_problem(&Declined::ReadOnly));
        }
        warn(&quote, &console);
        report_quote(&quote, max_credits, &console);
        Ok(Exit::Done)
    })
}

/// An unlock for an assistant: the ids, the amount and how to verify come from the proposal, as a person accepted it.
pub(super) fn unlock_granted(handle: Handle) -> Script {
    script(async move |console| {
        let proposal = proposal_of(&console, handle).await?;
        // What is read here only chooses the words: whether the handle holds is decided when the first batch is written down.
        let (rows, max_credits, verify) = match proposal.state {
            ProposalState::Accepted { amount, ids, verify } => {
                let rows = proposal.rows.into_iter().filter(|row| ids.contains(&row.id)).collect();
                (rows, amount, verify)
            }
            ProposalState::Waiting => (proposal.rows, proposal.ceiling, proposal.verify),
            ProposalState::Declined => return Err(not_granted(NotGranted::Declined)),
            ProposalState::Expired => return Err(not_granted(NotGranted::Expired)),
            ProposalState::Used(_) => return Err(not_granted(NotGranted::Used)),
        };
        // A client gives up on a call that is silent for a minute.
        begin(&console, SHELL_PATIENCE).await?;
        let choice = ReviewChoice { verify, ..ReviewChoice::default() };
        let quote = review(&console, proposal.corpus, rows, choice).await?;
        buy(console, quote, max_credits, Some(proposal.handle)).await
    })
}

pub(super) async fn begin(console: &Console, max_wait: Duration) -> Result<(), CommandProblem> {
    console.look_up_pages().await;
    console.with(|run| run.session.desk.limit_unlock_wait(max_wait));
    console.needs(Source::Workspace)
}

/// What the ledger knows of a handle.
pub(super) async fn proposal_of(console: &Console, handle: Handle) -> Result<Proposal, CommandProblem> {
    let purse = console.purse().await?;
    let found: Option<Proposal> = console.store(StoreCall::ProposalOf { purse, handle }).await?;
    found.ok_or_else(|| not_granted(NotGranted::NoSuch))
}

type Quoted = Result<Box<Quote>, CommandProblem>;

/// The quote of some rows.
pub(super) async fn review(console: &Console, corpus: Corpus, rows: Vec<Staged>, choice: ReviewChoice) -> Quoted {
    console.with(|run| run.session.review(UnlockSubject::Rows(corpus, rows.into()), choice, run.now, run.fx));
    loop {
        match console.event().await {
            Event::Review(Ok(quote)) => return Ok(quote),
            Event::Review(Err(none)) => return Err(no_review(&none)),
            Event::StoreFailed(failure) => return Err(CommandProblem::of_store(&failure)),
            _ => {}
        }
    }
}

/// Accepts a quote and follows its order to the end. `granted` is the proposal of an assistant that this is the order of.
async fn buy(console: Console, quote: Box<Quote>, max_credits: Credits, granted: Option<Handle>) -> Ending {
    warn(&quote, &console);
    let corpus = quote.basis.corpus;
    let mut told = PrintedLines::new(console.clone());
    told.left_aside(corpus, &quote).await;
    let accepted = console.with(|run| run.session.accept_within(&quote, max_credits, granted, run.now, run.fx));
    accepted.map_err(|declined| declined_problem(&declined))?;
    // It may name a million contacts, and the order has them now.
    drop(quote);
    let (summary, stopped) = follow(&console, &mut told).await;
    if !put_back("unknown-before-printed") {
        told.held();
    }
    told.ended(summary.corpus(), &summary.contacts).await;
    let is_held_up = stopped || told.is_left || asked_to_wait(&console).is_some();
    let is_read = (summary.contacts.is_empty() || !is_held_up) && balance_is_read(&console).await;
    if !is_read {
        console.warn(UNREAD_BALANCE);
    }
    console.status("");
    told.plain(corpus, summary.quote.beyond.clone(), Outcome::Locked).await;
    told.plain(corpus, summary.quote.kept_back.clone(), Outcome::Locked).await;
    let (last, failed) = console.with(|run| {
        let balance = &run.session.balance;
        (balance.credits.or(summary.said.balance), balance.failure.is_some())
    });
    let balance = if is_read && !failed { last } else { summary.said.balance.or(last) };
    told.summary(&whole_tally(&summary), balance, summary.is_out_of_credits());
    summary.notices.iter().for_each(|words| console.warn(words.clone()));
    if summary.unexplained(balance, None).is_some() {
        console.with(|run| run.session.ledger.read_spent(&mut run.session.desk.at(run.now, run.fx)));
        console.until(|session| !session.ledger.is_reading_spent()).await;
        let spent = console.with(|run| run.session.ledger.spent);
        summary.unexplained(balance, spent.as_ref()).into_iter().for_each(|words| console.warn(words));
    }
    let problem = problem_of(&summary, max_credits);
    problem.map_or(Ok(Exit::Done), |problem| Err(problem.waits(asked_to_wait(&console))))
}

/// The order from its first request to its last: its summary, and whether the user said stop. A request that is on the wire is
/// waited for: its answer says what was bought.
async fn follow(console: &Console, told: &mut PrintedLines) -> (Box<OrderSummary>, bool) {
    console.take_interrupts();
    let (mut progress, mut stopped) = (Progress::default(), false);
    loop {
        progress.report(console);
        for turn in console.turns().await {
            match turn {
                Turn::Event(Event::Settled { corpus, contacts }) => told.settled(corpus, &contacts),
                Turn::Event(Event::Finished(summary)) => return (summary, stopped),
                Turn::Event(_) | Turn::Deadline => {}
                Turn::Interrupt => {
                    stopped = true;
                    if let Some(is_in_flight) = stop_unlock(console) {
                        console.warn(if is_in_flight {
                            "stopping after this request; press Ctrl-C again to leave at once; `lode recover` then checks what \
                             is unknown"
                        } else {
                            "stopping: nothing more is sent"
                        });
                    }
                }
                Turn::Unread => {
                    stopped = true;
                    stop_unlock(console);
                }
                Turn::Abandon => {
                    told.held();
                    left_open(console);
                }
            }
        }
    }
}

/// Stops the order that runs: whether a request of it is on the wire. `None` where that was its end.
pub(super) fn stop_unlock(console: &Console) -> Option<bool> {
    console.with(|run| {
        run.session.stop_unlock(run.now, run.fx);
        run.session.unlock().job().map(RunningOrder::awaits_answer)
    })
}

/// How far an order is, as it was told last.
#[derive(Default)]
struct Progress {
    /// The pause before a batch is sent again.
    rest: Option<Mono>,
    checking: Option<(u32, u32)>,
    /// Another unlock is waited for.
    awaiting: bool,
}

impl Progress {
    fn report(&mut self, console: &Console) {
        console.with(|run| {
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
                run.fx.push(Effect::Warn(format!("waiting for another unlock of {}", contacts(count))));
            }
            let ((batch, of), (done, all), Tally { charged, refunded, .. }) =
                (job.batches(), job.contacts(), &job.tally);
            let words = format!("batch {batch} of {of}: {done} of {all}, {charged} charged, {refunded} refunded");
            run.fx.push(Effect::Status(words));
        });
    }
}

/// How long the service asks the Workspace key to wait. `None` where it does not ask.
pub(super) fn asked_to_wait(console: &Console) -> Option<Duration> {
    console.with(|run| Some(run.session.desk.gauge(Source::Workspace, run.now).paused?.left(run.now.mono)))
}

/// How long the balance may take after all other output.
const LAST_READING: Duration = Duration::from_secs(10);

/// Waits for the balance that was asked for. False where it takes too long, or the user does not wait.
pub(super) async fn balance_is_read(console: &Console) -> bool {
    let until = console.with(|run| run.now.mono.after(LAST_READING));
    let is_read = |session: &Session| !session.balance.is_asking();
    loop {
        match console.turn_until(Some(until), is_read).await {
            None => return true,
            Some(Turn::Event(_)) => {}
            Some(Turn::Deadline) => return console.with(|run| is_read(run.session)),
            Some(Turn::Interrupt | Turn::Unread | Turn::Abandon) => return false,
        }
    }
}

// How an unlock ends when not all went as asked: one sentence, one hint, one exit code.

const CHECK_IT: &str = "run `lode recover` to check it (free)";
const QUOTE: &str = "`lode unlock --dry-run` shows the quote";

pub(super) fn declined_problem(declined: &Declined) -> CommandProblem {
    let (exit, hint) = match declined {
        Declined::ReadOnly => (Exit::Scope, "`lode me` shows the scopes of the key"),
        Declined::Cap { .. } | Declined::TooMuch { .. } | Declined::NoAmount => (Exit::Capped, QUOTE),
        Declined::Whole { .. } => (Exit::Capped, "`lode recover --finish --max-credits N` with the number it names"),
        Declined::Balance { .. } => (Exit::Credits, QUOTE),
        Declined::PartOwned => (Exit::Failed, "run `lode recover` to check again (free)"),
        _ => (Exit::Failed, QUOTE),
    };
    CommandProblem::new(exit, declined.to_string(), hint)
}

/// The end in the middle of an order: what was charged, and what a request that is still open may cost.
pub(super) fn left_open(console: &Console) {
    let open = |job: &RunningOrder| (job.tally.charged, job.held().0.unsigned_abs());
    let Some((charged, unknown)) = console.with(|run| run.session.unlock().job().map(open)) else { return };
    let (exit, hint) = (Exit::Interrupted, "run `lode recover` to check the rest (free)");
    let sentence = format!("interrupted: {charged} charged, the result of {} is unknown", contacts(unknown as usize));
    console.spent(charged, unknown);
    let end = CommandProblem { spent: SpentShape { charged, unknown }, ..CommandProblem::new(exit, sentence, hint) };
    console.with(|run| end.say(run.fx));
}

/// Why there is no review, and so no order.
fn no_review(why: &NoReview) -> CommandProblem {
    match why {
        NoReview::NoKey => CommandProblem::no_key(Source::Workspace),
        NoReview::Unread(failure) => CommandProblem::of_call(Source::Workspace, failure),
        NoReview::NoPurse => {
            let words = "the service did not identify the workspace of this key, so nothing can be unlocked";
            CommandProblem::new(Exit::Network, words, "`lode me` shows what the service returns")
        }
        NoReview::Store(failure) => CommandProblem::of_store(failure),
        NoReview::NoBatch => CommandProblem::new(Exit::Failed, why.to_string(), "`lode recover` shows what is unknown"),
    }
}

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
    CommandProblem::new(Code::NotAccepted, sentence, hint)
}

/// What to say at the end, where not all went as asked. The graver thing is said.
pub(super) fn problem_of(summary: &OrderSummary, max_credits: Credits) -> Option<CommandProblem> {
    const WITH_THE_REST: &str = "run `lode unlock` again with the rest";
    let tally = &summary.tally;
    let unknown = tally.unknown as usize + summary.quote.unknown.len();
    if unknown > 0 {
        let elsewhere = summary.elsewhere.len();
        let has_them = elsewhere == unknown || matches!(summary.end, OrderEnd::Withheld(IntentRefused::Open(_)));
        let why = match summary.why_unknown().filter(|_| tally.unknown as usize > elsewhere) {
            Some(why) => format!(": {why}"),
            None if has_them => ": another unlock is sending them".to_owned(),
            None if elsewhere > 0 => format!(": another unlock is sending {elsewhere} of them"),
            None => String::new(),
        };
        let sentence = format!("the result of {} is unknown{why}", contacts(unknown));
        return Some(CommandProblem::new(Exit::Unknown, sentence, CHECK_IT));
    }
    if let OrderEnd::Withheld(IntentRefused::NotGranted(why)) = &summary.end {
        return Some(not_granted(*why));
    }
    let (quote, held_back) = (&summary.quote, summary.quote.held_back());
    let left = tally.locked as usize + held_back;
    let rest = format!("{} {} locked and not charged", contacts(left), agree(left, "stays", "stay"));
    let (kept_back, unchecked) = (quote.kept_back.len(), quote.held_unchecked().len());
    let exit = match Exit::of(summary.exit()) {
        Exit::Done | Exit::Rate | Exit::Network if held_back > 0 => Exit::Capped,
        Exit::Done => return None,
        exit => exit,
    };
    let left_out = contacts(summary.left_out);
    let ran_out = format!("credits ran out: {} unlocked, {rest}", tally.charged);
    let (sentence, hint) = match &summary.end {
        OrderEnd::OutOfCredits => (ran_out, SHOW_BALANCE),
        OrderEnd::Done | OrderEnd::Stopped => match () {
            () if exit != Exit::Capped => (format!("interrupted: {rest}"), WITH_THE_REST),
            () if summary.left_out > 0 => (
                format!("{left_out} left out, because a list or a limit changed while this ran: {rest}"),
                "`lode unlock --dry-run` shows the quote as it is now",
            ),
            () if kept_back + unchecked == 0 => (
                format!("the limit per company leaves out {}: {rest}", contacts(quote.beyond.len())),
                "a larger `--per-company` unlocks more of each company",
            ),
            () if kept_back == 0 => (
                format!(
                    "{} cannot be checked against the suppression lists and {} locked, not charged",
                    contacts(unchecked),
                    agree(unchecked, "stays", "stay")
                ),
                "`lode suppress check -` shows the entries; add `--allow-unchecked` to unlock them anyway, or pipe `lode search --json` rows",
            ),
            () if summary.ceiling < max_credits => (
                format!("a limit of this profile allows only {}: {rest}", summary.ceiling.words()),
                "`lode info` shows the limits",
            ),
            () => (format!("--max-credits {max_credits} was reached: {rest}"), WITH_THE_REST),
        },
        OrderEnd::Refused { words, .. } => match exit {
            Exit::Credits => {
                let words = words.trim_end_matches('.');
                (format!("{ran_out}; reported by the service: {words}"), SHOW_BALANCE)
            }
            Exit::Key => (format!("the Workspace API refused the key: {words}; {rest}"), CHECK_KEYS),
            Exit::Scope => (format!("the key has no permission for this: {words}; {rest}"), SHOW_SCOPES),
            _ => (format!("the Workspace API refused the request: {words}; {rest}"), "`lode me` shows the key"),
        },
        OrderEnd::Withheld(refused) => (format!("{}; {rest}", withheld(refused)), QUOTE),
        OrderEnd::Limit(words) => (format!("the rate limit: {words}; {rest}"), "run `lode unlock` again later"),
        OrderEnd::Unreached(words) => (format!("the Workspace API cannot be reached: {words}; {rest}"), CHECK_SERVICES),
        OrderEnd::Changed(words) => {
            (format!("{words}; {rest}"), "`lode doctor` checks settings and keys; then run it again")
        }
        OrderEnd::Store(words) => (format!("{words}; {rest}"), CHECK_STATE),
        OrderEnd::Alarm(words) => (
            format!("{words}: nothing more was sent; {rest}"),
            "`lode receipts` shows the numbers; ask the service about them",
        ),
        OrderEnd::Unknown(words) => (words.clone(), CHECK_IT),
    };
    Some(CommandProblem::new(exit, sentence, hint))
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} {} in an unlock without a result yet", contacts(ids.len()), agree(ids.len(), "is", "are"))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            format!("this would exceed the {} of {cap} ({used} used, {held} on hold)", which.words())
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

// What an unlock prints: one line per contact as it settles, each once, and the result of the run.

/// Lines of contacts, each told once.
#[derive(Default)]
pub(super) struct PrintedLines {
    console: Console,
    lines: OutputLines,
    told: BTreeSet<(Corpus, RowId)>,
    /// Responses that could be neither stored nor read, as they were told.
    unread: BTreeSet<String>,
    /// The user does not wait for the lines that say no more than what became of an id.
    is_left: bool,
}

/// Lines that are made at once. There can be a million.
const PORTION: usize = 5_000;

/// A contact with its outcome.
type SettledRow<'a> = (RowId, Outcome, &'a Contact);

fn columns<'a>() -> [OutputColumn<SettledRow<'a>>; 7] {
    [
        text("ID", 8, 20, |(id, ..)| id.to_string()),
        text("OUTCOME", 9, 11, |(_, outcome, _)| outcome.name().to_owned()),
        text("NAME", 16, 28, |(.., contact)| contact.contact_name.clone()),
        text("EMAIL", 20, 40, |(.., contact)| contact.email.clone()),
        text("PHONE", 12, 18, |(.., contact)| contact.phone.clone()),
        detail(text("COMPANY", 16, 32, |(.., contact)| contact.company_name.clone())),
        text("STATUS", 8, 12, |(.., contact)| contact.verification.as_ref().map_or("", Verification::word).to_owned()),
    ]
}

impl PrintedLines {
    pub(super) fn new(console: Console) -> PrintedLines {
        let lines = OutputLines::new(console.format(), &columns());
        PrintedLines { console, lines, told: BTreeSet::new(), unread: BTreeSet::new(), is_left: false }
    }

    /// Lines of what will not be sent, because nothing has to be or nothing may be.
    async fn left_aside(&mut self, corpus: Corpus, quote: &Quote) {
        for id in &quote.owned {
            let known = |run: &mut Run<'_>| run.session.ledger.contact(corpus, *id).map(|owned| owned.contact.clone());
            let contact = self.console.with(known).unwrap_or_default();
            self.report(corpus, *id, Outcome::Already, &contact);
        }
        self.plain(corpus, quote.unknown.clone(), Outcome::Unknown).await;
        let locked = quote.suppressed.iter().map(|(id, _)| *id).chain(quote.held_unchecked());
        self.plain(corpus, locked.collect(), Outcome::Locked).await;
    }

    pub(super) fn settled(&mut self, corpus: Corpus, contacts: &[Settled]) {
        let none = Contact::default();
        for settled in contacts {
            self.report(corpus, settled.id, settled.outcome, settled.contact.as_deref().unwrap_or(&none));
        }
    }

    /// All contacts of an order that has ended: those that were never sent are told as plain lines.
    async fn ended(&mut self, corpus: Corpus, contacts: &[Settled]) {
        let is_plain = |settled: &Settled| settled.outcome == Outcome::Locked && settled.contact.is_none();
        for run in contacts.chunk_by(|one, next| is_plain(one) == is_plain(next)) {
            if is_plain(&run[0]) {
                let new = run.iter().map(|settled| settled.id).filter(|id| !self.told.contains(&(corpus, *id)));
                self.plain(corpus, new.collect(), Outcome::Locked).await;
            } else {
                self.settled(corpus, run);
            }
        }
    }

    /// Contacts of which there is no more to say than this, in portions: each is written before the next one is made.
    async fn plain(&mut self, corpus: Corpus, ids: Vec<RowId>, outcome: Outcome) {
        let none = Contact::default();
        for (at, portion) in ids.chunks(PORTION).enumerate() {
            if at > 0 && matches!(self.console.turn(Some(Mono(0))).await, Turn::Interrupt | Turn::Unread) {
                self.is_left = true;
            }
            if self.is_left {
                return;
            }
            portion.iter().for_each(|id| self.line(corpus, *id, outcome, &none));
        }
    }

    /// Contacts of an answer that could not be stored: these lines are all that is left of them (money rule 9, *responses are stored first*).
    /// They come before every line that says only that a contact is unknown.
    pub(super) fn held(&mut self) {
        let (held, responses) = self.console.with(|run| run.session.unlock().held());
        let told = &mut self.told;
        let held: Vec<HeldContact> = held.into_iter().filter(|held| told.insert((held.corpus, held.id))).collect();
        for held in &held {
            let contact = if put_back("print-without-contact") { &Contact::default() } else { &held.contact };
            self.console.say(Effect::PrintWhole(json::settled(held.corpus, held.id, Outcome::Unknown, contact)));
        }
        if !held.is_empty() {
            let many = contacts(held.len());
            self.console.warn(format!("{many} were paid for and could not be stored: keep the lines above"));
        }
        for response in responses {
            if self.unread.insert(response.clone()) {
                self.console.say(Effect::PrintWhole(json::unstored(&response)));
                self.console.warn("a response to an unlock could be neither stored nor read: keep the line above");
            }
        }
    }

    pub(super) fn report(&mut self, corpus: Corpus, id: RowId, outcome: Outcome, contact: &Contact) {
        if self.told.insert((corpus, id)) {
            self.line(corpus, id, outcome, contact);
        }
    }

    fn line(&mut self, corpus: Corpus, id: RowId, outcome: Outcome, contact: &Contact) {
        let json = |_: &SettledRow<'_>| json::settled(corpus, id, outcome, contact);
        let lines = self.lines.print(&columns(), &[(id, outcome, contact)], json);
        self.console.with(|run| run.fx.extend(lines));
    }

    /// The result of the run.
    pub(super) fn summary(&self, tally: &Tally, balance: Option<Credits>, stopped_for_credits: bool) {
        let unknown = tally.unknown + tally.unreachable;
        self.console.spent(tally.charged, unknown);
        if self.console.is_table() {
            return self.console.say(Effect::Print(tally.sentence(balance)));
        }
        let summary = SummaryShape {
            asked: tally.asked,
            charged: tally.charged,
            refunded: tally.refunded,
            already: tally.already,
            missing: tally.missing,
            locked: tally.locked,
            unknown,
            balance: balance.map(|balance| balance.0),
            stopped_for_credits,
            // Of the unknown ones: those that no reading can clear up any more. Nothing is left to do about them.
            unreachable: tally.unreachable,
        };
        self.console.print(&SummaryOf { summary });
    }
}

/// The tally of an order, with what the quote left aside.
fn whole_tally(summary: &OrderSummary) -> Tally {
    let mut tally = summary.tally;
    let quote = &summary.quote;
    for (count, outcome) in [
        (quote.owned.len(), Outcome::Already),
        (quote.unknown.len(), Outcome::Unknown),
        (quote.suppressed.len() + quote.held_back(), Outcome::Locked),
    ] {
        (0..count).for_each(|_| tally.count(outcome));
    }
    tally
}

// The quote in words: what should be known before anything is spent, and all of it for `--dry-run`.

/// What should be known before it is spent.
fn warn(quote: &Quote, console: &Console) {
    for (list, count) in quote.suppressed_by() {
        console.warn(format!("{} on the suppression list {list}: not unlocked", contacts(count)));
    }
    for (why, count) in quote.unchecked_because() {
        let then = if quote.choice.allow_unchecked { "unlocked anyway" } else { "not unlocked" };
        let rows = quote.unchecked.iter().filter(|row| row.why == why);
        let by: BTreeSet<&HeldBy> = rows.flat_map(|row| row.by.iter()).collect();
        let by = by.first().map(|first| first.with(by.len() - 1)).unwrap_or_default();
        console
            .warn(format!("{} cannot be checked against the suppression lists: {why} ({by}); {then}", contacts(count)));
    }
    if !quote.beyond.is_empty() {
        let limit = quote.per_company().unwrap_or(0);
        console.warn(format!("{} left out: at most {limit} of each company", contacts(quote.beyond.len())));
    }
    if quote.risky_count() > 0 {
        let each: Vec<String> = quote.risky.iter().map(|(status, ids)| format!("{status} {}", ids.len())).collect();
        console.warn(format!("{} with a risky email status: {}", contacts(quote.risky_count()), each.join(", ")));
    }
    if !quote.duplicates.is_empty() {
        let owned = match quote.owned_people {
            0 => String::new(),
            owned => format!("; you own {} of these people under another id", grouped(owned as u64)),
        };
        let words = "the same person, company and email as another contact: each costs a credit";
        console.warn(format!("{}, {words}{owned}", counted(quote.duplicates.len() as u64, "duplicate")));
    }
    if !quote.basis.who.may_search {
        console.warn("this key cannot search, so an unknown result could not be checked");
    }
    if !quote.choice.verify {
        console.warn("verification is off: no refunds are possible");
    }
}

/// The quote as data, up to a number of credits: what an order would really send and cost.
pub fn quote_shape(quote: &Quote, max_credits: Credits) -> QuoteShape {
    let (cost, by) = quote.bound(max_credits);
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
    let unchecked_because = quote.unchecked_because().into_iter();
    QuoteShape {
        corpus: quote.basis.corpus.name(),
        asked: quote.staged,
        already: quote.owned.len(),
        unknown: quote.unknown.len(),
        suppressed: quote.suppressed.len(),
        unchecked: quote.unchecked.len(),
        unchecked_because: unchecked_because.map(|(why, count)| (why.to_string(), count)).collect(),
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
        bounded_by: by.map(|by| bound_words(by, quote, max_credits).0),
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
        Bound::Call => ("call_cap", "the limit per request of 0".to_owned()),
        Bound::Session => ("session_cap", format!("the session limit of {}", room(quote.session))),
        Bound::Day => ("day_cap", format!("the day limit of {}", room(quote.day))),
        Bound::Balance => ("balance", "the balance".to_owned()),
    }
}

fn report_quote(quote: &Quote, max_credits: Credits, console: &Console) {
    let shape = quote_shape(quote, max_credits);
    if !console.is_table() {
        return console.print(&json!({"quote": shape}));
    }
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
    let (cost, by) = quote.bound(max_credits);
    let part = if by.is_some() { format!("{cost} of {}", quote.most) } else { format!("{} in {requests}", quote.most) };
    lines.push(format!("to unlock          {part}"));
    lines.push(format!("maximum cost       {} (--max-credits {max_credits})", cost.words()));
    if let Some(by) = by {
        let (_, words) = bound_words(by, quote, max_credits);
        lines.push(format!("stay locked        {}, beyond {words}", quote.most - cost));
    }
    if let (Some(low), Some(high)) = (shape.likely_low, shape.likely_high) {
        lines.push(format!("likely             {low}–{high} after refunds"));
    }
    if let (Some(balance), Some(after)) = (shape.balance, shape.balance_after) {
        lines.push(format!("balance            {}, at least {} after", Credits(balance), Credits(after)));
    }
    lines.push("Nothing sent, nothing spent.".to_owned());
    lines.into_iter().for_each(|line| console.say(Effect::Print(line)));
}
