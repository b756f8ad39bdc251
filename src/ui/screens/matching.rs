//! Accounts in, contacts out: a list of companies held against a service, account by account.
//!
//! ```text
//!    Line  Account              Result     Company                               Contacts
//! ▸     2  LAKESIDE LLC         matched    Lakeside Regional                            3
//!       3  quail                ambiguous  Quail Run (quail.example); Quail Hill
//! ```
//!
//! The list and what each account comes to belong to `flow::matching`, the same as for `lode match`. Here is only which account is
//! looked at, how a list is opened, and what goes into a basket.

use std::path::PathBuf;

use crate::scene::prelude::*;
use crate::{card::joined, widgets::bars};
use lode_engine::flow::matching::judge::{CompanyCandidate, MatchResult};
use lode_engine::flow::matching::{
    MatchFailure, MatchJob, MatchStage, NoMatch, check, likely::LikelyResult, time_left,
};

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, scene) = self;
        let matching = &scene.session.matching;
        let title = match &matching.list {
            Some(list) => format!("Match {} · {}", list.display(), counted(accounts(scene.session) as u64, "account")),
            None => "Match accounts".to_owned(),
        };
        let inside = TitledPane::new(&title, true).draw(body, buf, cx);
        if inside.height == 0 {
            return;
        }
        // A list that could not be read leaves the open one where it is.
        let Some(job) = matching.job().filter(|_| !matching.is_opening()) else {
            let words = match &matching.refused {
                Some(refused) => format!("{}.", refused.trim_end_matches('.')),
                None if matching.is_opening() => cx.motion.waiting(Wait::Screen, "Reading the list…"),
                None => "No list of accounts yet".to_owned(),
            };
            let hint = "<match.open> open a CSV or .xlsx file with a column of companies or domains";
            return table::empty(&[&words, how(scene.side.source), hint], inside, buf, cx);
        };
        let (mut words, of_stage) = progress(job, scene.now);
        if state.is_loading(scene) {
            words = cx.motion.waiting(Wait::Screen, &words);
        }
        cx.put(buf, inside.x + 2, inside.y, inside.width.saturating_sub(3), &words, of_stage);
        let mut foot = if inside.height < 10 { Vec::new() } else { footer(state, scene.session) };
        foot.truncate(usize::from(inside.height / 2));
        let list = table::foot(buf, cx, Rect { y: inside.y + 1, height: inside.height - 1, ..inside }, 2, &foot);
        let accounts = &job.wanted.accounts.lines;
        let cell = |row: usize, column| {
            let (account, verdict) = (&accounts[row], job.verdicts.get(row));
            match (column, verdict) {
                (0, _) => (account.line.to_string(), Role::Dim),
                (1, _) if account.title().is_empty() => ("–".to_owned(), Role::Strong),
                (1, _) => (account.title().to_owned(), Role::Strong),
                (2, Some(verdict)) => (verdict.name().to_owned(), role(verdict)),
                (2, None) => ("…".to_owned(), Role::Dim),
                (3, Some(MatchResult::Matched { company, .. })) => (company.clone(), Role::Text),
                (3, Some(MatchResult::Ambiguous { candidates, .. })) => {
                    (candidates.iter().map(CompanyCandidate::title).collect::<Vec<_>>().join("; "), Role::Warning)
                }
                (4, Some(MatchResult::Matched { rows, .. })) => (rows.len().to_string(), Role::Text),
                _ => (String::new(), Role::Dim),
            }
        };
        let table = Table { columns: &COLUMNS, count: accounts.len(), at: state.at, changed: Vec::new(), cell };
        table.render(list, buf, cx);
    }
}

impl Component for State {
    /// Accounts of the list.
    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(accounts(scene.session) as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        accounts(scene.session) > 0
    }

    /// The contacts of the account under the cursor.
    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        self.rows(scene.session).to_vec()
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        let (job, list) = (scene.session.matching.job()?, scene.session.matching.list.as_ref()?);
        Some(shell_line::matching(&list.display().to_string(), &job.wanted.query))
    }

    fn is_loading(&self, scene: SceneRef<'_>) -> bool {
        let matching = &scene.session.matching;
        let is_read = |job: &MatchJob| matches!(job.stage, MatchStage::Reading(_) | MatchStage::Sizing);
        matching.is_opening() || matching.job().is_some_and(is_read)
    }

    /// The time left is counted down.
    fn running_since(&self, scene: SceneRef<'_>) -> Option<Mono> {
        scene.session.matching.job().filter(|job| job.stage == MatchStage::Running).and_then(|job| job.began)
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Match(command) = command else { return };
        match command {
            MatchCommand::Open => scene.hand(Intent::Accounts),
            MatchCommand::Start => start(self, scene),
            MatchCommand::Stop => {
                if !scene.session.matching.is_running() {
                    return scene.say("No match is running.");
                }
                scene.session.matching.stop(&mut scene.session.desk.at(scene.now, scene.fx));
                scene.say("Stopped. What was answered is kept.  <match.start> resume");
            }
            MatchCommand::Stage => stage(self.rows(scene.session).to_vec(), scene),
            MatchCommand::StageAll => stage(all(scene), scene),
            MatchCommand::Likely => look(self, scene),
            MatchCommand::StageLikely => stage_likely(self, scene),
            MatchCommand::Export => match all(scene) {
                rows if rows.is_empty() => scene.say("No account is matched, so there is nothing to export."),
                rows => scene.hand(Intent::ExportRows(format!("{} of matched accounts", contacts(rows.len())), rows)),
            },
        }
    }

    fn cursor(&mut self, scene: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        Some((&mut self.at, accounts(scene.session), Some(Command::Match(MatchCommand::Start))))
    }
}

// Which account is looked at.

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// What was said of it last, so that it is said once.
    pub told: Option<String>,
}

impl State {
    /// The result for the account under the cursor, once the job is done.
    fn verdict<'s>(&self, session: &'s Session) -> Option<&'s MatchResult> {
        session.matching.job()?.verdicts.get(self.at)
    }

    /// The contacts of the account under the cursor.
    fn rows<'s>(&self, session: &'s Session) -> &'s [Row] {
        self.verdict(session).map_or(&[], MatchResult::rows)
    }

    /// Reads a list, to be held against the side and the filters that Search shows. Without a path asks for it, once these fit.
    pub fn open(&mut self, mut query: Query, path: Option<&str>, scene: &mut Scene<'_>) {
        if path == Some("") {
            return scene.say("No file name; no list was opened.");
        }
        if scene.session.matching.is_running() {
            return scene.say("A match is running.  <match.stop> stop it first");
        }
        if query.side.source == Source::Data {
            // These come from the list.
            query.clear(Filter::CompanyName);
            query.clear(Filter::CompanyWebsite);
        }
        // A match takes no exclusions.
        query.not = Exclusions::default();
        if let Err(problem) = check(&query) {
            return scene.alert(match problem {
                NoMatch::Several => "Matching works with one value per filter.",
                _ => {
                    "The Workspace cannot be searched by company. Set at least one filter on Search, or <everywhere.source> \
                     switch to the Data API."
                }
            });
        }
        let Some(purse) = scene.session.purse_of(query.side.source) else {
            return scene.alert(format!("This profile has no key for {}.  <everywhere.profiles> add one", query.side));
        };
        let Some(path) = path else {
            let what = "Path of a CSV or .xlsx file with a column of companies or domains.";
            let words = format!("{what} {} Nothing is sent before you start it.", how(query.side.source));
            return scene.prompt("Match a list of accounts", words, Intent::Accounts, Field::default());
        };
        self.told = None;
        let cx = &mut scene.session.desk.at(scene.now, scene.fx);
        scene.session.matching.open(PathBuf::from(path), query, PER_ACCOUNT, purse, cx);
    }

    /// The list was read, or the match moved.
    pub fn moved(&mut self, scene: &mut Scene<'_>) {
        let found = &scene.session.matching;
        if let Some(refused) = &found.refused
            && self.told.as_ref() != Some(refused)
        {
            self.told = Some(refused.to_owned());
            return scene.warn(format!("{}.", refused.trim_end_matches('.')));
        }
        let Some(job) = found.job() else { return };
        let done = (job.stage == MatchStage::Done).then(|| {
            let ([matched, ..], contacts) = (job.tally(), contacts(job.contacts().len()));
            format!("Match done: {} matched, {contacts}. Nothing spent.", counted(matched, "account"))
        });
        if self.told != done {
            self.told.clone_from(&done);
            done.into_iter().for_each(|words| scene.say(words));
        }
    }
}

/// Contacts of each account.
const PER_ACCOUNT: usize = 5;

// What the commands of the Match screen do. Nothing here spends: contacts go into a basket, and only by the person's word.

/// The word to go, the word to go on, or the account in full.
fn start(state: &State, scene: &mut Scene<'_>) {
    let session = &mut *scene.session;
    if session.matching.is_opening() {
        return scene.say("The list is being read. Nothing is sent before you start it.");
    }
    match session.matching.job().map(|job| job.stage.clone()) {
        None => scene.say("No list yet.  <match.open> open a list of accounts"),
        Some(MatchStage::Ready) => session.matching.go(&mut session.desk.at(scene.now, scene.fx)),
        Some(MatchStage::Stopped | MatchStage::Failed(_)) => {
            session.matching.again(&mut session.desk.at(scene.now, scene.fx))
        }
        Some(MatchStage::Reading(_) | MatchStage::Sizing | MatchStage::Running) => {
            scene.say("Results appear when matching finishes.  <match.stop> stop");
        }
        Some(MatchStage::Done) => account(state, scene).into_iter().for_each(|parts| scene.read("Account", parts)),
    }
}

/// The account under the cursor in full: the columns of its list, and its result.
fn account(state: &State, scene: &Scene<'_>) -> Option<Vec<ReaderPart>> {
    let (job, verdict) = (scene.session.matching.job()?, state.verdict(scene.session)?);
    let accounts = &job.wanted.accounts;
    let cells = accounts.heads.iter().zip(&accounts.lines.get(state.at)?.cells);
    let mut parts: Vec<ReaderPart> = cells.map(|(head, cell)| ReaderPart::pair(head.clone(), cell.clone())).collect();
    parts.extend([ReaderPart::Gap, ReaderPart::heading(verdict.name())]);
    match verdict {
        MatchResult::None => parts.push(ReaderPart::words("No company fits in name or domain.")),
        MatchResult::Ambiguous { candidates, why } => {
            parts.push(ReaderPart::Words(format!("{why}; none is picked"), Role::Dim));
            parts.extend(candidates.iter().map(|one| ReaderPart::pair(one.title(), one.why)));
        }
        MatchResult::Matched { company, rows, .. } => {
            parts.push(ReaderPart::pair("company", company.clone()));
            parts.extend(rows.iter().map(|row| ReaderPart::words(contact(row))));
        }
    }
    Some(parts)
}

/// The contacts of all matched accounts, each once.
fn all(scene: &Scene<'_>) -> Vec<Row> {
    scene.session.matching.job().map(|job| job.contacts()).into_iter().flatten().cloned().collect()
}

fn stage(rows: Vec<Row>, scene: &mut Scene<'_>) {
    let query = scene.session.matching.job().map(|job| job.wanted.query.clone());
    let Some(query) = query.filter(|_| !rows.is_empty()) else {
        return scene.say("No contacts: this account is not matched.");
    };
    let (of_side, desk) = scene.session.side_mut(query.side);
    let added = of_side.basket.stage(0, &rows, &query, &mut desk.at(scene.now, scene.fx));
    say_added(added, query.side, scene);
}

fn say_added(added: usize, side: Side, scene: &mut Scene<'_>) {
    match added {
        0 => scene.say("All of them are already in the basket."),
        _ => scene.say_basket(side, &format!("Added {} to {side}", contacts(added))),
    }
}

/// Asks the Workspace for the contacts of the account under the cursor: free, one narrow search each.
fn look(state: &State, scene: &mut Scene<'_>) {
    let Some(corpus) = data_corpus(scene) else { return };
    if scene.session.profile().workspace.is_none() {
        return scene.say("This profile has no Workspace key.  <everywhere.profiles> add one");
    }
    let rows = state.rows(scene.session).to_vec();
    let (likely, cx) = (&mut scene.session.matching.likely, &mut scene.session.desk.at(scene.now, scene.fx));
    let asked = rows.iter().filter(|row| likely.check_row(corpus, row, cx)).count();
    scene.say(match asked {
        0 => "Too little is known of these contacts to look for them.".to_owned(),
        count => format!("Looking for {} in the Workspace. Nothing spent.", contacts(count)),
    });
}

/// What was found for the account under the cursor, where it was one row for a contact: into the basket of the Workspace.
fn stage_likely(state: &State, scene: &mut Scene<'_>) {
    let Some(corpus) = data_corpus(scene) else { return };
    let likely = &scene.session.matching.likely;
    let only = |row: &Row| match likely.of(corpus, row.id()?)? {
        (query, LikelyResult::Rows { rows, .. }) if rows.len() == 1 => Some((query.clone(), rows[0].clone())),
        _ => None,
    };
    let found: Vec<(Query, Row)> = state.rows(scene.session).iter().filter_map(only).collect();
    if found.is_empty() {
        return scene.say("Nothing found to add.  <match.likely> look for these contacts in the Workspace");
    }
    let side = Side { source: Source::Workspace, corpus };
    let (of_side, desk) = scene.session.side_mut(side);
    let mut added = 0;
    for (query, row) in &found {
        added += of_side.basket.stage(added, [row], query, &mut desk.at(scene.now, scene.fx));
    }
    say_added(added, side, scene);
}

/// The corpus of a match at the Data API; says what else it is.
fn data_corpus(scene: &mut Scene<'_>) -> Option<Corpus> {
    scene.say(match scene.session.matching.job().map(|job| job.wanted.query.side) {
        Some(Side { source: Source::Data, corpus }) => return Some(corpus),
        Some(_) => "These contacts are from the Workspace already.",
        None => "No list yet.  <match.open> open a list of accounts",
    });
    None
}

// The words about a match: what it will take, how far it is, its result.

fn accounts(session: &Session) -> usize {
    session.matching.job().map_or(0, |job| job.wanted.accounts.lines.len())
}

/// What each service is asked, before there is a list.
fn how(source: Source) -> &'static str {
    match source {
        Source::Data => "The Data API is searched for each account: by its website, then by its company name.",
        Source::Workspace => {
            "The Workspace cannot be searched by company: lode reads all contacts that match the filters on Search and \
             compares them."
        }
    }
}

/// The state of the job in one line.
fn progress(job: &MatchJob, now: Now) -> (String, Role) {
    match &job.stage {
        MatchStage::Reading(_) | MatchStage::Sizing => ("Looking how many requests it takes…".to_owned(), Role::Dim),
        MatchStage::Ready => (format!("{}. Nothing is sent yet.", job.plan().words()), Role::Strong),
        MatchStage::Running => {
            let (done, of, left) = job.progress(now);
            let (bar, of) = (bars::with_percent(20, done, of), counted(of, "request"));
            (format!("{bar}  {} of {of}, {}  <match.stop> stop", grouped(done), time_left(left)), Role::Bar)
        }
        MatchStage::Stopped => ("Stopped. What was answered is kept.  <match.start> resume".to_owned(), Role::Warning),
        MatchStage::Failed(failure) => {
            let words = match failure {
                MatchFailure::Call(failure) => failure.words().to_owned(),
                MatchFailure::Store(failure) => failure.to_string(),
            };
            let words = words.trim_end_matches('.');
            (format!("{words}. What was answered is kept.  <match.start> resume"), Role::Danger)
        }
        MatchStage::Done => {
            let [matched, ambiguous, none] = job.tally().map(grouped);
            let contacts = contacts(job.contacts().len());
            let words = format!("{matched} matched · {ambiguous} ambiguous · {none} none · {contacts}. Nothing spent.");
            match job.warning() {
                Some(warning) => (format!("{words} {warning}."), Role::Warning),
                None => (words, Role::Good),
            }
        }
    }
}

fn role(verdict: &MatchResult) -> Role {
    match verdict {
        MatchResult::Matched { .. } => Role::Good,
        MatchResult::Ambiguous { .. } => Role::Warning,
        MatchResult::None => Role::Dim,
    }
}

/// `Dana Whitfield · Director of Nursing · d•••@lakeside.example`
fn contact(row: &Row) -> String {
    joined(&[&row.name(), row.known(Known::Title), row.email()], " · ")
}

/// What is known of a contact of the Data API at the Workspace.
fn likely(found: &LikelyResult) -> (String, Role) {
    match found {
        LikelyResult::Asked => ("looking in the Workspace…".to_owned(), Role::Dim),
        LikelyResult::Failed(words) => (format!("not found out: {}", words.trim_end_matches('.')), Role::Warning),
        LikelyResult::Rows { rows, read, total } => match rows.as_slice() {
            [] if read < total => {
                (format!("not among the first {} of {} like it", grouped(*read), grouped(*total)), Role::Dim)
            }
            [] => ("not in the Workspace".to_owned(), Role::Dim),
            [row] if row.unlocked() => (format!("likely the same: {}, owned", contact(row)), Role::Good),
            [row] => (format!("likely the same: {}", contact(row)), Role::New),
            rows => (format!("{} are like it: none is picked", contacts(rows.len())), Role::Warning),
        },
    }
}

// The list of the accounts.

const COLUMNS: [TableColumn; 5] = [
    TableColumn::new("Line", 5, 40, ColumnWidth::Number),
    TableColumn::new("Account", 16, 99, ColumnWidth::Values),
    TableColumn::new("Result", 9, 95, ColumnWidth::Fixed),
    TableColumn::new("Company", 20, 60, ColumnWidth::Rest),
    TableColumn::new("Contacts", 8, 50, ColumnWidth::Number),
];

// The account that is looked at in full, below the list: its contacts, or the companies that it may mean.

fn footer(state: &State, session: &Session) -> Vec<(String, Role)> {
    let (Some(job), Some(verdict)) = (session.matching.job(), state.verdict(session)) else { return Vec::new() };
    let side = job.wanted.query.side;
    match verdict {
        MatchResult::None => vec![("No company fits in name or domain.".to_owned(), Role::Dim)],
        MatchResult::Ambiguous { candidates, why } => {
            let words = |one: &CompanyCandidate| format!("  {} · {} seen · {}", one.title(), one.contacts, one.why);
            let first = (format!("Not picked: {why}."), Role::Warning);
            std::iter::once(first).chain(candidates.iter().map(|one| (words(one), Role::Text))).collect()
        }
        MatchResult::Matched { rows, .. } => {
            let below = |row: &Row| {
                let id = row.id().filter(|_| side.source == Source::Data)?;
                let (words, role) = likely(&session.matching.likely.of(side.corpus, id)?.1);
                Some((format!("      {words}"), role))
            };
            let lines = |row| std::iter::once((format!("  {}", contact(row)), Role::Text)).chain(below(row));
            rows.iter().flat_map(lines).collect()
        }
    }
}
