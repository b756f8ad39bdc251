//! Accounts in, contacts out: a list of companies is held against a service, line by line.
//!
//! A job reads what an earlier run of the same list was answered, says what it will take, waits for the word to go, and asks. Each
//! answer is kept before the next is needed, so a run that was cut off repeats none. Nothing is staged and nothing is spent here.

pub mod accounts;
pub mod judge;
pub mod likely;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::flow::search::walk::{Walk, WalkEnd};
use crate::flow::search::{applied, page_of};
use crate::wire::rows::read_one;
use accounts::{AccountLine, Accounts};
use judge::{CompaniesSeen, Index, MatchResult};
use likely::LikelyMatches;

/// What is to be matched, and where.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    pub accounts: Arc<Accounts>,
    /// The side and the filters that every contact has to pass.
    pub query: Query,
    /// Contacts that are wanted of each account.
    pub per: usize,
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMatch {
    #[error(
        "the Workspace cannot be searched by company: at least one filter is needed to say which contacts are read"
    )]
    NoFilter,
    #[error("a match takes one value of each filter, except of --industry: run it once for each value")]
    Several,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MatchStage {
    /// What an earlier run was answered is read.
    Reading(Ticket),
    /// The first page tells how many there are.
    Sizing,
    /// What it takes is known: see [`MatchJob::plan`].
    Ready,
    Running,
    Done,
    Stopped,
    Failed(MatchFailure),
}

#[derive(Clone, Debug, PartialEq)]
pub enum MatchFailure {
    Call(Failure),
    Store(StoreFailure),
}

/// What a match will take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPlan {
    pub fields: &'static str,
    /// Requests still to make, at least and at most.
    pub requests: (u64, u64),
    /// Requests that an earlier run made.
    pub reused: u64,
    pub time: Duration,
}

impl MatchPlan {
    /// `company_website, then company_name; 32 (all found) to 291 requests or more, up to 3 min`
    pub fn words(&self) -> String {
        let (least, most) = self.requests;
        let all = counted(most, "request");
        let requests = if least == most { all } else { format!("{} (all found) to {all} or more", grouped(least)) };
        let time = match (self.time.as_secs().div_ceil(60), self.requests.0 == self.requests.1) {
            (0, _) => "less than 1 min".to_owned(),
            (minutes, true) => format!("about {} min", grouped(minutes)),
            (minutes, false) => format!("up to {} min", grouped(minutes)),
        };
        let reused =
            if self.reused > 0 { format!("; {} answered before", grouped(self.reused)) } else { String::new() };
        format!("{}; {requests}, {time}{reused}", self.fields)
    }
}

/// `6 min left`
pub fn time_left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..60 => format!("{} s left", seconds.max(1)),
        seconds => format!("{} min left", grouped(seconds.div_ceil(60))),
    }
}

#[derive(Clone, Debug, Default)]
pub struct Matching {
    job: Option<MatchJob>,
    /// A list on its way from the disk.
    opening: Option<Opening>,
    /// The file that the latest job was read from, where it came from one.
    pub list: Option<PathBuf>,
    /// Why the last named file is not a list of accounts.
    pub refused: Option<String>,
    /// Rows of the Workspace that are likely the same as contacts of the Data API.
    pub likely: LikelyMatches,
}

#[derive(Clone, Debug)]
struct Opening {
    ticket: Ticket,
    path: PathBuf,
    query: Query,
    per: usize,
    purse: PurseRef,
}

/// The bare minimum for a match on this side.
pub fn check(query: &Query) -> Result<(), NoMatch> {
    match query.side.source {
        _ if query.has_legs() => Err(NoMatch::Several),
        Source::Workspace if query.is_unfiltered() => Err(NoMatch::NoFilter),
        _ => Ok(()),
    }
}

impl Matching {
    /// The latest job.
    pub fn job(&self) -> Option<&MatchJob> {
        self.job.as_ref()
    }

    pub fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Requests are made now, or will be without another key. A list that is compared with what the ledger keeps is not running yet.
    pub fn is_running(&self) -> bool {
        self.job.as_ref().is_some_and(|job| matches!(job.stage, MatchStage::Sizing | MatchStage::Running))
    }

    /// Reads a list of accounts from a file; its job is [`MatchStage::Ready`] in time. What was kept of a finished job before it goes.
    pub fn open(&mut self, path: PathBuf, query: Query, per: usize, purse: PurseRef, cx: &mut FlowContext<'_>) {
        self.refused = None;
        let ticket = cx.file(Owner::Matching, FileCall::ReadList(path.clone()));
        self.opening = Some(Opening { ticket, path, query, per, purse });
    }

    /// The same job once more: what was answered is not asked again.
    pub fn again(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.take_if(|job| job.is_over()) {
            self.job = Some(MatchJob::begin(job.wanted, job.purse, cx));
        }
    }

    fn opened(&mut self, opening: Opening, text: &str, cx: &mut FlowContext<'_>) {
        let Opening { path, query, per, purse, .. } = opening;
        match Accounts::read(text) {
            Ok(accounts) => {
                self.forget(cx);
                self.begin(MatchRequest { accounts: Arc::new(accounts), query, per }, purse, cx);
                self.list = Some(path);
            }
            Err(unusable) => self.refused = Some(format!("{} is not a list of accounts: {unusable}", path.display())),
        }
    }

    /// Begins to read what is known already. A job before it is dropped.
    pub fn begin(&mut self, wanted: MatchRequest, purse: PurseRef, cx: &mut FlowContext<'_>) {
        self.stop(cx);
        self.list = None;
        self.job = Some(MatchJob::begin(wanted, purse, cx));
    }

    /// The word to go, once it is [`MatchStage::Ready`].
    pub fn go(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.stage == MatchStage::Ready) {
            job.stage = MatchStage::Running;
            job.began = Some(cx.now.mono);
            job.go_on(cx);
        }
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| !job.is_over()) {
            job.end(MatchStage::Stopped, cx);
        }
    }

    /// The result is where it belongs: what was kept of a finished job is not needed any more.
    pub fn forget(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.stage == MatchStage::Done) {
            let call = StoreCall::MatchDone { purse: job.purse.clone(), job: job.key.clone() };
            job.writing.push(cx.store(Owner::Matching, call));
        }
    }

    /// Whether an answer was this job's.
    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        if self.likely.handle(arrival) {
            return true;
        }
        if let Arrival::Filed(ticket, result) = arrival
            && let Some(opening) = self.opening.take_if(|opening| opening.ticket == *ticket)
        {
            match result {
                Ok(FileReply::Text(text)) => self.opened(opening, text, cx),
                Ok(_) => return false,
                Err(failure) => self.refused = Some(failure.words.clone()),
            }
            return true;
        }
        let Some(job) = &mut self.job else { return false };
        match arrival {
            Arrival::Stored(ticket, result) => job.stored(*ticket, result, cx),
            Arrival::Reply(..) => job.replied(arrival, cx),
            Arrival::Unsent(..) | Arrival::Progress(..) | Arrival::Filed(..) => return false,
        }
        true
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.job.as_ref().and_then(MatchJob::held)
    }

    pub fn wake(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.held().is_some_and(|held| held <= cx.now.mono)) {
            job.go_on(cx);
        }
    }
}

// One match job: reuses the answers of an earlier run, asks for the rest, and keeps every answer.

#[derive(Clone, Debug)]
enum Reader {
    Asking(Box<Asking>),
    Walking { walk: Box<Walk>, index: Index },
}

#[derive(Clone, Debug)]
pub struct MatchJob {
    pub wanted: MatchRequest,
    purse: PurseRef,
    key: String,
    pub stage: MatchStage,
    /// The result for each account: nothing before the job is done.
    pub verdicts: Vec<MatchResult>,
    /// What was seen of each account.
    firms: Vec<CompaniesSeen>,
    reader: Reader,
    /// Requests made by this run, and those that an earlier one made.
    pub made: u64,
    pub reused: u64,
    /// On its way into the journal: answers, and that a finished job is forgotten.
    writing: Vec<Ticket>,
    /// When it was told to go.
    pub began: Option<Mono>,
}

impl MatchJob {
    fn begin(wanted: MatchRequest, purse: PurseRef, cx: &mut FlowContext<'_>) -> MatchJob {
        let key = format!("{} {}", wanted.accounts.digest, wanted.query.canonical());
        let reader = match wanted.query.side.source {
            Source::Data => Reader::Asking(Box::new(Asking::new(&wanted.accounts))),
            Source::Workspace => {
                let mut walk = Walk::new(Owner::Matching, wanted.query.clone(), u64::MAX);
                walk.hold();
                Reader::Walking { walk: Box::new(walk), index: Index::of(&wanted.accounts.lines) }
            }
        };
        let call = StoreCall::MatchSteps { purse: purse.clone(), job: key.clone() };
        let stage = MatchStage::Reading(cx.store(Owner::Matching, call));
        let firms = vec![CompaniesSeen::default(); wanted.accounts.lines.len()];
        let (verdicts, writing) = (Vec::new(), Vec::new());
        MatchJob { wanted, purse, key, stage, verdicts, firms, reader, made: 0, reused: 0, writing, began: None }
    }

    /// Ends it before its time: nothing more is asked for.
    fn end(&mut self, stage: MatchStage, cx: &mut FlowContext<'_>) {
        match &mut self.reader {
            Reader::Asking(asking) => cx.cancel_all(asking.under_way.drain().map(|(id, _)| id)),
            Reader::Walking { walk, .. } => walk.stop(cx),
        }
        self.stage = stage;
    }

    /// When the pace lets the next request go.
    fn held(&self) -> Option<Mono> {
        let Reader::Asking(asking) = &self.reader else { return None };
        asking.held.filter(|_| self.stage == MatchStage::Running)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.stage, MatchStage::Done | MatchStage::Stopped | MatchStage::Failed(_))
    }

    /// Whether everything that was answered is kept, and a finished job forgotten where that was asked for.
    pub fn is_settled(&self) -> bool {
        self.writing.is_empty()
    }

    /// How many accounts are matched, ambiguous and without a company that fits.
    pub fn tally(&self) -> [u64; 3] {
        ["matched", "ambiguous", "none"]
            .map(|name| self.verdicts.iter().filter(|verdict| verdict.name() == name).count() as u64)
    }

    /// The contacts of all matched accounts, each once.
    pub fn contacts(&self) -> Vec<&Row> {
        let mut seen = BTreeSet::new();
        let rows = self.verdicts.iter().flat_map(MatchResult::rows);
        rows.filter(|row| row.id().is_none_or(|id| seen.insert(id))).collect()
    }

    fn done(&mut self) {
        self.stage = MatchStage::Done;
        self.verdicts = (0..self.firms.len()).map(|at| self.verdict(at)).collect();
    }

    pub fn verdict(&self, at: usize) -> MatchResult {
        let account = &self.wanted.accounts.lines[at];
        let (firms, per) = (&self.firms[at], self.wanted.per);
        match &self.reader {
            Reader::Asking(asking) => asking.verdict(at, account, firms, per),
            Reader::Walking { walk, .. } => {
                let whole = walk.end().is_some_and(|end| matches!(end, WalkEnd::All | WalkEnd::Enough));
                firms.judge(account, per, whole)
            }
        }
    }

    /// What has to be said about how the result was read, where it was not read as it should be.
    pub fn warning(&self) -> Option<String> {
        if let Reader::Walking { walk, .. } = &self.reader { walk.end()?.cut_short() } else { None }
    }

    fn stored(&mut self, ticket: Ticket, result: &Result<StoreReply, StoreFailure>, cx: &mut FlowContext<'_>) {
        self.writing.retain(|writing| *writing != ticket);
        match result {
            Err(failure) if !self.is_over() => self.end(MatchStage::Failed(MatchFailure::Store(failure.clone())), cx),
            Ok(reply) if self.stage == MatchStage::Reading(ticket) => {
                for step in Vec::<MatchStep>::read(reply) {
                    self.replay(step, cx.now);
                }
                self.stage = MatchStage::Ready;
                match &mut self.reader {
                    Reader::Asking(asking) => asking.recount(&self.wanted.accounts),
                    Reader::Walking { walk, .. } if walk.page_size().is_none() => {
                        self.stage = MatchStage::Sizing;
                        walk.start(cx);
                    }
                    Reader::Walking { .. } => {}
                }
            }
            _ => {}
        }
    }

    /// Takes what an earlier run was answered.
    fn replay(&mut self, step: &MatchStep, now: Now) {
        let Some((limit, page)) = read(self.wanted.query.side.source, &step.answer) else { return };
        match &mut self.reader {
            Reader::Asking(asking) => {
                let ago = Duration::from_millis(now.wall.0.saturating_sub(step.at.0).max(0).unsigned_abs());
                remember(&mut asking.pace, ago, now.mono);
                let Some(asked) = Step::named(&step.step) else { return };
                asking.take(&self.wanted, (&asked, limit, &page), &mut self.firms);
            }
            Reader::Walking { walk, index } => {
                index.sort(&walk.replay(limit, &page).rows, &mut self.firms, self.wanted.per);
            }
        }
        self.reused += 1;
    }

    fn replied(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Reply(id, Call::Search(SearchCall { limit, .. }), result) = arrival else { return };
        match &mut self.reader {
            Reader::Asking(asking) => {
                let Some(step) = asking.under_way.remove(id) else { return };
                let page = match page_of(result) {
                    Ok(page) => page,
                    Err(failure) => return self.end(MatchStage::Failed(MatchFailure::Call(failure)), cx),
                };
                asking.take(&self.wanted, (&step, *limit, page), &mut self.firms);
                self.made += 1;
                self.keep(step.name(), write(*limit, page, |_| true), cx);
                self.go_on(cx);
            }
            Reader::Walking { walk, index } => {
                let Some(step) = walk.handle(arrival, cx).pop() else { return };
                if let (Ok(Reply::Page(page)), Some(_)) = (result, walk.page_size()) {
                    index.sort(&step.rows, &mut self.firms, self.wanted.per);
                    let text = write(*limit, page, |row| !index.accounts(row).is_empty());
                    self.made += 1;
                    // In the order in which they were read: that is how they are read again.
                    let name = format!("{:09}", self.made + self.reused);
                    self.keep(name, text, cx);
                }
                self.go_on(cx);
            }
        }
    }

    fn keep(&mut self, step: String, answer: String, cx: &mut FlowContext<'_>) {
        let (purse, job) = (self.purse.clone(), self.key.clone());
        self.writing.push(cx.store(Owner::Matching, StoreCall::MatchStep { purse, job, step, answer }));
    }

    /// Continues as long as nothing has to be waited for.
    fn go_on(&mut self, cx: &mut FlowContext<'_>) {
        match &mut self.reader {
            Reader::Asking(asking) => {
                if self.stage != MatchStage::Running {
                    return;
                }
                asking.pump(&self.wanted, &self.firms, cx);
                asking.recount(&self.wanted.accounts);
                if asking.open.is_empty() && asking.under_way.is_empty() {
                    self.done();
                }
            }
            Reader::Walking { walk, .. } => match (walk.end(), &self.stage) {
                (Some(WalkEnd::Failed(failure)), _) => {
                    self.stage = MatchStage::Failed(MatchFailure::Call(failure.clone()))
                }
                (Some(_), MatchStage::Running) => self.done(),
                (None, MatchStage::Running) => walk.go_on(cx),
                (_, MatchStage::Sizing) if walk.page_size().is_some() => {
                    walk.hold();
                    self.stage = MatchStage::Ready;
                }
                _ => {}
            },
        }
    }

    pub fn plan(&self) -> MatchPlan {
        let least = self.ahead();
        let (fields, most) = match &self.reader {
            Reader::Asking(asking) => ("company_website, then company_name", asking.most(&self.wanted.accounts)),
            Reader::Walking { .. } => ("company_name and the domain of the email, compared here", least),
        };
        let time = time_for(most.max(least), MOST, MINUTE_MS);
        MatchPlan { fields, requests: (least, most.max(least)), reused: self.reused, time }
    }

    /// Requests still to make, at least.
    fn ahead(&self) -> u64 {
        match &self.reader {
            Reader::Asking(asking) => asking.ahead,
            Reader::Walking { walk, .. } => walk.ahead(),
        }
    }

    /// Requests answered, those in all, and the time left.
    pub fn progress(&self, now: Now) -> (u64, u64, Duration) {
        let done = self.made + self.reused;
        let ahead = self.ahead();
        let passed = self.began.map_or(Duration::ZERO, |began| now.mono.since(began));
        let measured = if self.made == 0 { Duration::ZERO } else { passed.mul_f64(ahead as f64 / self.made as f64) };
        (done, done + ahead, measured.max(time_for(ahead, MOST, MINUTE_MS)))
    }
}

// The requests of a match at the Data API: each account is asked for by its website, then, where that settles nothing, by its
// company. What is asked for is looser than what counts: services write websites and names in different ways, and which rows are
// the account's is decided by `judge` alone. Accounts that share a website or a name share the request.

/// Requests that are under way at once.
const AT_ONCE: usize = 2;
/// Pages of one name that are read before it counts as too common to be sure.
const PAGES: u64 = 10;
/// How services write the website of a domain, which stands for the star.
const WEBSITES: [&str; 12] = [
    "*", "www.*", "https://www.*/", "http://www.*/", "https://*/", "http://*/", "https://www.*", "http://www.*",
    "https://*", "http://*", "www.*/", "*/",
];
/// Companies whose websites are written alike before no other way is asked for.
const ALIKE: usize = 20;
/// Companies whose way is remembered at most.
const REMEMBERED: usize = 200;
/// A keyword that many companies match: its rows show how the service writes websites.
const SAMPLE: &str = "inc";

/// What is asked for: a website, a company's name in lower case, or [`SAMPLE`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ask {
    pub filter: Filter,
    pub value: String,
}

/// One request: what is asked for, from which place on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Step {
    pub ask: Ask,
    pub offset: u64,
}

impl Step {
    /// As the journal names it.
    fn name(&self) -> String {
        format!("{}={}@{}", self.ask.filter.name(), self.ask.value, self.offset)
    }

    fn named(name: &str) -> Option<Step> {
        let (ask, offset) = name.rsplit_once('@')?;
        let (filter, value) = ask.split_once('=')?;
        let ask = Ask { filter: Filter::named(filter)?, value: value.to_owned() };
        Some(Step { ask, offset: offset.parse().ok()? })
    }
}

/// How far something that is asked for was read.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    next: u64,
    pages: u64,
    /// Pages still to read, by the total and the limit of the latest one.
    left: u64,
    whole: bool,
}

#[derive(Clone, Debug, Default)]
struct Asking {
    /// Accounts that are not settled, in the order in which they are asked for.
    open: VecDeque<usize>,
    index: Index,
    read: HashMap<Ask, Read>,
    /// How the companies found by name write their websites, by domain: places in [`WEBSITES`]. A search by website finds only
    /// what is written as it was asked for.
    websites: HashMap<String, usize>,
    /// What was seen of accounts that are asked for by a word of their name too. Whether such a word was read must not change what
    /// an account is whose name alone is enough.
    loose: HashMap<usize, CompaniesSeen>,
    under_way: HashMap<CallId, Step>,
    pace: Meter,
    /// When the pace lets the next request go, if it holds one back.
    held: Option<Mono>,
    /// Still to be read before the first website is asked for.
    sample: Option<Ask>,
    /// Requests that will come for certain. Counted after each answer: it takes a look at every open account, and the screen asks at
    /// each key.
    ahead: u64,
}

fn website(domain: &str, way: &str) -> Ask {
    Ask { filter: Filter::CompanyWebsite, value: way.replace('*', domain) }
}

fn company(name: &str) -> Ask {
    Ask { filter: Filter::CompanyName, value: name.to_lowercase() }
}

impl Asking {
    fn new(accounts: &Accounts) -> Asking {
        let has_domain = accounts.lines.iter().any(|account| account.domain.is_some());
        let mut asking = Asking {
            open: (0..accounts.lines.len()).collect(),
            index: Index::of(&accounts.lines),
            pace: Meter::new(PACE),
            sample: has_domain.then(|| Ask { filter: Filter::Query, value: SAMPLE.to_owned() }),
            ..Asking::default()
        };
        asking.recount(accounts);
        asking
    }

    fn is_whole_ask(&self, ask: &Ask) -> bool {
        self.read.get(ask).is_some_and(|read| read.whole)
    }

    /// How a website may be written, the likeliest way first.
    fn ways(&self) -> Vec<&'static str> {
        let mut seen = [0; WEBSITES.len()];
        self.websites.values().for_each(|way| seen[*way] += 1);
        let mut ways: Vec<usize> = (0..WEBSITES.len()).collect();
        ways.sort_by_key(|way| std::cmp::Reverse(seen[*way]));
        if seen[ways[0]] >= ALIKE && seen[ways[0]] == self.websites.len() {
            ways.truncate(1);
        }
        ways.into_iter().map(|way| WEBSITES[way]).collect()
    }

    /// Counts the requests that will come for certain: one for each thing that is asked for.
    fn recount(&mut self, accounts: &Accounts) {
        let way = self.ways()[0];
        let next = |account: &AccountLine| {
            let website = account.domain.iter().map(|domain| website(domain, way));
            let names = account.names.iter().map(|name| company(name));
            website.chain(names).find(|ask| !self.is_whole_ask(ask))
        };
        let asks: HashSet<Ask> = self.open.iter().filter_map(|at| next(&accounts.lines[*at])).collect();
        self.ahead = (asks.len() + self.sample.iter().len()) as u64;
    }

    /// Requests that are made at most, pages of common names aside.
    fn most(&self, accounts: &Accounts) -> u64 {
        let domains: HashSet<&String> = accounts.lines.iter().filter_map(|account| account.domain.as_ref()).collect();
        let names = accounts.lines.iter().flat_map(|account| account.names.iter().chain(&account.word));
        let names: HashSet<Ask> = names.map(|name| company(name)).collect();
        let read = self.read.values().filter(|read| read.whole).count();
        let asks = (domains.len() * self.ways().len() + names.len()).saturating_sub(read);
        (asks + self.sample.iter().len()) as u64
    }

    /// Takes an answered page, whether it came now or was kept by an earlier run.
    fn take(&mut self, wanted: &MatchRequest, (step, limit, page): (&Step, u64, &Page), firms: &mut [CompaniesSeen]) {
        let per = wanted.per;
        if self.sample.take_if(|sample| *sample == step.ask).is_some() {
            return page.rows.iter().for_each(|row| self.learn(row));
        }
        let read = self.read.entry(step.ask.clone()).or_default();
        let stride = applied(limit, page);
        read.next = step.offset.saturating_add(stride);
        read.pages += 1;
        read.left = page.total.saturating_sub(read.next).div_ceil(stride);
        let is_end = if page.uncounted { page.rows.is_empty() } else { read.next >= page.total };
        // A website names one company: its first page says whose it is.
        read.whole = is_end || page.rows.is_empty() || step.ask.filter == Filter::CompanyWebsite;
        for row in &page.rows {
            if step.ask.filter == Filter::CompanyName {
                self.learn(row);
            }
            for at in self.index.accounts(row) {
                let account = &wanted.accounts.lines[at];
                if asks_for(account, &step.ask) {
                    firms[at].add(row, per);
                    self.loose.entry(at).and_modify(|loose| loose.add(row, per));
                } else if account.word.as_ref().is_some_and(|word| company(word) == step.ask) {
                    self.loose.entry(at).or_insert_with(|| firms[at].clone()).add(row, per);
                }
            }
        }
    }

    /// How the service writes the website of a company.
    fn learn(&mut self, row: &Row) {
        if self.websites.len() >= REMEMBERED {
            return;
        }
        let text = row.known(Known::Website).trim().to_lowercase();
        let Some(domain) = firm::domain(&text) else { return };
        let way = WEBSITES.iter().position(|way| website(&domain, way).value == text);
        self.websites.extend(way.map(|way| (domain, way)));
    }

    /// What the rows say that were read so far.
    fn verdict(&self, at: usize, account: &AccountLine, firms: &CompaniesSeen, per: usize) -> MatchResult {
        let is_whole = |name: &String| self.is_whole_ask(&company(name));
        let names_whole = account.names.iter().all(is_whole);
        let verdict = firms.judge(account, per, names_whole);
        match self.loose.get(&at) {
            Some(loose) if !matches!(verdict, MatchResult::Matched { .. }) => {
                loose.judge(account, per, names_whole && account.word.iter().all(is_whole))
            }
            _ => verdict,
        }
    }

    /// What has to be asked next for an account, and the text to send; none once it is settled.
    fn next(&self, at: usize, account: &AccountLine, firms: &CompaniesSeen, per: usize) -> Option<(Step, String)> {
        let ways = self.ways();
        let website = |way| account.domain.as_ref().map(|domain| website(domain, way));
        let is_unread = |ask: &Ask| !self.read.contains_key(ask);
        let first = |ask: Ask| {
            let text = ask.value.clone();
            (Step { ask, offset: 0 }, text)
        };
        if WEBSITES.into_iter().filter_map(website).all(|ask| is_unread(&ask))
            && let Some(ask) = website(ways[0])
        {
            return Some(first(ask));
        }
        if matches!(self.verdict(at, account, firms, per), MatchResult::Matched { .. }) {
            return None;
        }
        let unread = |name: &String, goes_on: fn(&Read) -> bool| {
            let ask = company(name);
            let offset = match self.read.get(&ask) {
                None => 0,
                Some(read) if !read.whole && goes_on(read) => read.next,
                Some(_) => return None,
            };
            Some((Step { ask, offset }, name.clone()))
        };
        let by_name = || account.names.iter().find_map(|name| unread(name, |read| read.pages < PAGES));
        // A word that too many names have is not read in part.
        let by_word = || {
            let word = account.word.as_ref().filter(|_| !firms.has_name(account))?;
            unread(word, |read| read.pages.saturating_add(read.left) <= PAGES)
        };
        let in_other_ways = || ways.iter().copied().filter_map(website).find(is_unread).map(first);
        by_name().or_else(by_word).or_else(in_other_ways)
    }

    /// Whether the pace lets a request go now.
    fn may_send(&mut self, now: Now) -> bool {
        self.held = take_place(&mut self.pace, now.mono);
        self.held.is_none()
    }

    /// Asks for as much as may be asked now.
    fn pump(&mut self, wanted: &MatchRequest, firms: &[CompaniesSeen], cx: &mut FlowContext<'_>) {
        let MatchRequest { accounts, query, per } = wanted;
        self.held = None;
        if let Some(ask) = self.sample.clone() {
            let mut query = Query::new(query.side);
            let is_set = query.set(ask.filter, &ask.value).is_ok();
            assert!(is_set, "the Data API takes a keyword on both corpora");
            if self.under_way.is_empty() && self.may_send(cx.now) {
                self.send(Step { ask, offset: 0 }, query, cx);
            }
            return;
        }
        for _ in 0..self.open.len() {
            if self.under_way.len() >= AT_ONCE {
                return;
            }
            let Some(at) = self.open.pop_front() else { return };
            let Some((step, text)) = self.next(at, &accounts.lines[at], &firms[at], *per) else { continue };
            if self.under_way.values().any(|under_way| *under_way == step) {
                self.open.push_back(at);
                continue;
            }
            let mut query = query.clone();
            if query.set(step.ask.filter, &text).and_then(|()| query.ready()).is_err() {
                // What cannot be asked for is not found: the name is too long.
                self.read.insert(step.ask, Read { whole: true, ..Read::default() });
                self.open.push_back(at);
                continue;
            }
            if !self.may_send(cx.now) {
                self.open.push_front(at);
                return;
            }
            self.open.push_back(at);
            self.send(step, query, cx);
        }
    }

    fn send(&mut self, step: Step, query: Query, cx: &mut FlowContext<'_>) {
        let id = cx.search(Owner::Matching, query, step.offset, PAGE, Priority::Person);
        self.under_way.insert(id, step);
    }
}

/// Whether the account is asked for in this way, by more than a word.
fn asks_for(account: &AccountLine, ask: &Ask) -> bool {
    match ask.filter {
        Filter::CompanyWebsite => account.domain.is_some() && firm::domain(&ask.value) == account.domain,
        _ => account.names.iter().any(|name| company(name) == *ask),
    }
}

// An answered request as text: what is kept of it, so that a run that was cut off goes on where it was.
//
// The first line says where the page stood; each line after it is a row. A row that no account needs is only its id.

/// `needed` decides which rows are kept whole.
fn write(limit: u64, page: &Page, needed: impl Fn(&Row) -> bool) -> String {
    let head = json!({
        "asked": limit, "total": page.total, "limit": page.limit, "offset": page.offset, "uncounted": page.uncounted,
    });
    let mut text = head.to_string().into_bytes();
    for row in &page.rows {
        text.push(b'\n');
        match row.id().filter(|_| !needed(row)) {
            Some(id) => text.extend_from_slice(format!("{{\"id\":{id}}}").as_bytes()),
            None => push_row(row, &mut text),
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The limit that was asked for, and the page. `None` where the text is not what [`write`] makes.
fn read(source: Source, text: &str) -> Option<(u64, Page)> {
    let mut lines = text.split('\n');
    let head: Value = serde_json::from_str(lines.next()?).ok()?;
    let number = |name: &str| head[name].as_u64();
    let rows = lines.map(|line| read_one(source, line).ok()).collect::<Option<Vec<Row>>>()?;
    let (total, limit, offset) = (number("total")?, number("limit")?, number("offset")?);
    let page = Page { total, limit, offset, uncounted: head["uncounted"].as_bool()?, took_ms: None, rows };
    Some((number("asked")?, page))
}

// Never more than 120 requests in any minute, also at a service that states no limit: what was sent is remembered, what an earlier
// run sent as well.

/// Two less than 120: that many may have been under way when an earlier run was cut off.
const MOST: u32 = 118;
/// A minute, and what a request may be on its way.
const MINUTE_MS: u64 = 62_000;
const PACE: Allowance = Allowance { requests: Some(MOST), window_ms: MINUTE_MS, in_flight: 1 };

/// Remembers a request that was answered so long ago.
fn remember(pace: &mut Meter, ago: Duration, now: Mono) {
    pace.end(MINUTE_MS.saturating_sub(u64::try_from(ago.as_millis()).unwrap_or(u64::MAX)), now);
}

/// Takes a place for one request; the moment at which there is one, where there is none now.
fn take_place(pace: &mut Meter, now: Mono) -> Option<Mono> {
    let until = pace.free_at(now).filter(|free_at| *free_at > now);
    if until.is_none() {
        pace.end(MINUTE_MS, now);
    }
    until
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_back_from_its_name() {
        for value in ["lakeside.example", "a=b@c & d"] {
            let step = Step { ask: Ask { filter: Filter::CompanyName, value: value.to_owned() }, offset: 100 };
            assert_eq!(Step::named(&step.name()), Some(step));
        }
        assert_eq!(Step::named("page@7"), None);
    }

    #[test]
    fn a_page_comes_back_as_it_was() {
        let rows = [r#"{"id":7,"company_name":"Ünï \"x\"\nInc","score":1.50,"unlocked":false}"#, r#"{"id":8}"#];
        let rows: Vec<Row> = rows.iter().map(|row| read_one(Source::Data, row).unwrap()).collect();
        let page = Page { total: 9, limit: 100, offset: 2, rows, ..Page::default() };
        assert_eq!(read(Source::Data, &write(100, &page, |_| true)), Some((100, page.clone())));
        let (_, short) = read(Source::Data, &write(100, &page, |_| false)).unwrap();
        assert_eq!(short.rows.iter().map(|row| row.id().unwrap().0).collect::<Vec<_>>(), [7, 8]);
        assert_eq!(short.rows[0].fields().count(), 1);
        assert_eq!(read(Source::Data, "nothing"), None);
    }

    #[test]
    fn no_minute_has_more_than_a_hundred_and_twenty_requests() {
        let (mut pace, mut now, mut sent) = (Meter::new(PACE), Mono(1_000_000), Vec::new());
        for ago in 0..50 {
            remember(&mut pace, Duration::from_secs(ago), now);
            sent.push(Mono(now.0 - ago * 1_000));
        }
        while sent.len() < 1_000 {
            match take_place(&mut pace, now) {
                None => sent.push(now),
                Some(until) => now = until,
            }
        }
        sent.sort_unstable();
        for (at, moment) in sent.iter().enumerate() {
            let minute = sent[at..].iter().take_while(|other| other.0 < moment.0 + 60_000).count();
            assert!(minute <= 120, "{minute}");
        }
        assert!(now.since(Mono(1_000_000)) < Duration::from_secs(9 * 62), "and it is not much slower than it may be");
    }
}
