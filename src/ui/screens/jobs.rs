//! Unlocks, exports and scans: what runs, what waits, how they ended.
//!
//! ```text
//!    JOB       WHAT                                   ROWS          SIZE    STATE
//! ▸ export    Data · US title: nurse · contacts       12,000 of 48,700  2.1 MB  1.2 MB/s, 17 s left
//! ```
//!
//! A job belongs to its flow; this is the one list of all of them, and which line is looked at.

use std::path::Path;

use crate::scene::prelude::*;
use crate::{unlock::summary::Paid, widgets::bars::with_percent};
use lode_engine::flow::export::{ExportJob, ExportStage, From, JobId, bytes};
use lode_engine::flow::user_command::{CommandJob as OwnJob, CommandStage as OwnStage, OwnId};
use lode_engine::flow::{desk::Waits, matching};

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, scene @ SceneRef { session, behind, now, .. }) = self;
        let items = items(session, behind);
        let running = running(scene);
        let title = if running > 0 { format!("Jobs {running} running") } else { "Jobs".to_owned() };
        let inside = TitledPane::new(&title, true).draw(body, buf, cx);
        let lines: Vec<Line> = items.iter().filter_map(|(_, item)| line(*item, session, behind, now)).collect();
        if lines.is_empty() {
            let words = "Unlocks, exports and saved-search runs appear here and continue in the background.";
            let keys = "<results.export> on Search exports   <results.unlock> unlocks";
            return table::empty(&["No jobs yet", words, keys], inside, buf, cx);
        }
        let at = state.at.min(lines.len() - 1);
        let foot = if inside.height < 12 { Vec::new() } else { footer(&lines[at], items[at].1, session, inside.width) };
        let list = table::foot(buf, cx, inside, 2, &foot);
        let cell = |row: usize, column| {
            let line = &lines[row];
            match column {
                0 => (line.kind.clone(), Role::Strong),
                1 => (line.what.clone(), Role::Text),
                2 => (line.rows.map_or(String::new(), of), Role::Text),
                3 => match line.rows {
                    Some((done, Some(of))) if line.is_running => (with_percent(8, done, of), Role::Bar),
                    _ => (String::new(), Role::Dim),
                },
                4 => (line.size.clone(), Role::Dim),
                _ => (line.state.clone(), line.role),
            }
        };
        Table { columns: &COLUMNS, count: lines.len(), at, changed: Vec::new(), cell }.render(list, buf, cx);
    }
}

impl Component for State {
    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(running(scene) as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        !items(scene.session, scene.behind).is_empty()
    }

    fn row_runs(&self, scene: SceneRef<'_>) -> bool {
        self.item(scene.session, scene.behind).is_some_and(|(has_ended, _)| !has_ended)
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        self.command_line(scene.session, scene.behind)
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Jobs(command) = command else { return };
        match (command, self.item(scene.session, scene.behind).map(|(_, item)| item)) {
            // A job of another profile, window or command is managed where it runs.
            (_, Some(JobLine::Elsewhere(at))) => {
                let Some(other) = scene.behind.get(at) else { return };
                let name = &other.profile().name;
                scene.say(format!("It is a job of {name} and keeps running.  <everywhere.profiles> open {name}"));
            }
            (_, Some(JobLine::Others(at))) => {
                match scene.session.shared_jobs.others.get(at).map(JobElsewhere::is_running) {
                    Some(true) => scene.say("Another window or command runs this job. Stop it there."),
                    Some(false) => scene.say("This job ran in another window or command."),
                    None => {}
                }
            }
            (Jobs::CopyCommand, _) => match self.command_line(scene.session, scene.behind) {
                Some(_) => scene.hand(Intent::CopyCommandLine),
                None => scene.say("No shell command does this: its rows were chosen on screen."),
            },
            (_, None) => {}
            (Jobs::Cancel, Some(item)) => cancel(item, scene),
            (Jobs::Open, Some(JobLine::LastUnlock)) => match scene.session.unlock().last() {
                Some(_) if is_cleared_up(scene.session) => scene.open_receipts(),
                Some(last) => scene.open(Dialog::Summary(Box::new(Paid::of(last, scene.session, scene.masked)))),
                None => {}
            },
            (Jobs::Open, Some(JobLine::Unlock)) => {
                scene.say("Progress is shown above the keys. <jobs.cancel> stop after this request.");
            }
            (Jobs::Open, Some(JobLine::Gathering(_) | JobLine::Scan(_))) => {
                scene.say("It runs until everything is read. <jobs.cancel> stop.");
            }
            (Jobs::Open, Some(JobLine::Matching)) => scene.nav.go(Screen::Match),
            (Jobs::Open, Some(JobLine::Own(id))) => {
                let Some(job) = scene.session.own.job(id) else { return };
                scene.read(job.name.clone(), own_parts(job));
            }
            (Jobs::Open, Some(JobLine::Export(id))) => {
                let Some(job) = scene.session.exports.job(id) else { return };
                scene.read("Export", parts(job));
            }
            (Jobs::Retry, Some(JobLine::Export(id))) => {
                let begun = scene.session.exports.retry(id, &mut scene.session.desk.at(scene.now, scene.fx));
                scene.say(if begun { "Exporting again from the beginning." } else { "Nothing to retry." });
            }
            (Jobs::Retry, Some(JobLine::Own(id))) => {
                let begun = scene.session.own.retry(id, &mut scene.session.desk.at(scene.now, scene.fx));
                scene.say(if begun { "Running it again with the same rows." } else { "Already running." });
            }
            (Jobs::Retry, Some(JobLine::Matching)) => {
                scene.session.matching.again(&mut scene.session.desk.at(scene.now, scene.fx));
            }
            // What is left of an order is in the basket, and the basket is spent from its review only.
            (Jobs::Retry, Some(JobLine::LastUnlock)) => scene.hand(Intent::Unlock(false)),
            (Jobs::Export, Some(JobLine::LastUnlock)) => scene.hand(Intent::ExportLast),
            // Where the file is, for the clipboard.
            (Jobs::Export, Some(JobLine::Export(id))) => match scene.session.exports.job(id).map(|job| &job.stage) {
                Some(ExportStage::Whole(exported)) => {
                    let path = exported.path.display().to_string();
                    scene.copy_text(path.clone(), &path);
                }
                _ => scene.say("The export did not complete."),
            },
            (Jobs::Export, Some(JobLine::Own(_))) => {
                scene.say("A command has no result to export. <jobs.open> show its output.");
            }
            (Jobs::Export, Some(JobLine::Matching)) => {
                scene.say("Its contacts are exported from its own screen.  <everywhere.match> open");
            }
            // A running job can be neither repeated nor exported. The key table tells the user.
            (Jobs::Retry | Jobs::Export, Some(_)) => {}
        }
    }

    fn cursor(&mut self, scene: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        Some((&mut self.at, items(scene.session, scene.behind).len(), None))
    }
}

// The jobs there are, and which of them is looked at.

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobLine {
    /// The order that is under way.
    Unlock,
    /// The last order that ended.
    LastUnlock,
    /// Rows on their way into the basket.
    Gathering(Side),
    /// The first rows of a result, or of a saved search, that are being read.
    Scan(Side),
    Export(JobId),
    /// A list of accounts held against a service.
    Matching,
    /// A command of the person's own.
    Own(OwnId),
    /// What runs of another profile, by its place among those.
    Elsewhere(usize),
    /// A job of another window or of a command, by its place among those.
    Others(usize),
}

/// Running jobs, here and of other profiles, then ended ones, the newest first. Each with whether it ended.
fn items(session: &Session, behind: &[Session]) -> Vec<(bool, JobLine)> {
    let (matching, others) = (&session.matching, &session.shared_jobs.others);
    let mut items = Vec::from_iter(session.unlock().is_running().then_some((false, JobLine::Unlock)));
    for side in &session.sides {
        let is_scanned = side.reading().is_some() || side.watch.is_some() && !side.window.has_read_ahead();
        items.extend(side.gathering().is_some().then_some((false, JobLine::Gathering(side.side))));
        items.extend(is_scanned.then_some((false, JobLine::Scan(side.side))));
    }
    items.extend(matching.is_running().then_some((false, JobLine::Matching)));
    items.extend(session.exports.jobs().map(|job| (!job.is_running(), JobLine::Export(job.id))));
    items.extend(session.own.jobs().map(|job| (!job.is_running(), JobLine::Own(job.id))));
    items.extend((0..behind.len()).map(|at| (false, JobLine::Elsewhere(at))));
    items.extend((matching.job().is_some() && !matching.is_running()).then_some((true, JobLine::Matching)));
    items.extend(session.unlock().last().is_some().then_some((true, JobLine::LastUnlock)));
    items.extend(others.iter().enumerate().map(|(at, job)| (!job.is_running(), JobLine::Others(at))));
    items.sort_by_key(|(has_ended, _)| *has_ended);
    items
}

impl State {
    /// The line that is looked at, with whether it ended.
    fn item(&self, session: &Session, behind: &[Session]) -> Option<(bool, JobLine)> {
        let items = items(session, behind);
        items.get(self.at.min(items.len().checked_sub(1)?)).copied()
    }

    /// The shell command that does or shows the same as the job under the cursor. None where only a screen can say which rows.
    fn command_line(&self, session: &Session, behind: &[Session]) -> Option<String> {
        Some(match self.item(session, behind).map(|(_, item)| item) {
            None | Some(JobLine::Unlock | JobLine::LastUnlock) => "lode receipts".to_owned(),
            Some(JobLine::Elsewhere(_) | JobLine::Others(_)) => return None,
            Some(JobLine::Gathering(side)) => shell_line::search(&session.side(side).gathering()?.query),
            Some(JobLine::Scan(side)) => match &session.side(side).watch {
                Some(watch) => format!("lode saved run {} --new", quoted(&watch.name)),
                None => shell_line::search(session.side(side).window.query()),
            },
            Some(JobLine::Export(id)) => {
                let job = session.exports.job(id)?;
                match &job.from {
                    From::Stream(query) => shell_line::export(query, job.target.form.as_ref()),
                    From::Pages(query) => shell_line::export(query, job.target.form.as_ref()) + " --paged",
                    From::Rows(_) => return None,
                }
            }
            Some(JobLine::Matching) => {
                let list = session.matching.list.as_ref()?.display().to_string();
                shell_line::matching(&list, &session.matching.job()?.wanted.query)
            }
            Some(JobLine::Own(id)) => {
                session.own.job(id)?.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
        })
    }
}

/// Asks whether to keep the partial file of the newest export. Returns false if no export is running.
pub fn cancel_newest(scene: &mut Scene<'_>) -> bool {
    let export = scene.session.exports.jobs().find(|job| job.can_stop()).map(|job| JobLine::Export(job.id));
    let newest = if scene.session.matching.is_running() { Some(JobLine::Matching) } else { export };
    newest.map(|item| cancel(item, scene)).is_some()
}

fn cancel(item: JobLine, scene: &mut Scene<'_>) {
    match item {
        JobLine::Unlock => {
            scene.session.stop_unlock(scene.now, scene.fx);
            scene.say("Stopping after the current request. The rest stays in the basket.");
        }
        JobLine::Gathering(side) => {
            let (state, desk) = scene.session.side_mut(side);
            state.stop_gathering(&mut desk.at(scene.now, scene.fx));
            let held = grouped(state.basket.len() as u64);
            scene.say(format!("Stopped reading; the basket holds {held}."));
        }
        JobLine::Scan(side) => {
            let (state, desk) = scene.session.side_mut(side);
            let cx = &mut desk.at(scene.now, scene.fx);
            state.stop_reading(cx);
            state.window.read_ahead(0, false, cx);
            scene.say("Stopped reading ahead.");
        }
        JobLine::Export(id) => {
            let Some(job) = scene.session.exports.job(id) else { return };
            if !job.can_stop() {
                return scene.say("It is already stopping.");
            }
            let rows = counted(job.progress.as_ref().map_or(0, |progress| progress.rows), "row");
            let resumed = "An export cannot be resumed; a new one starts from the beginning.";
            let words = format!("{}\n{rows} received. {resumed}", job.what);
            let stop = |keep| Intent::CancelJob(id, keep);
            let keep = ("Stop and keep the partial file as .incomplete", stop(true));
            let delete = ("Stop and delete the partial file", stop(false));
            scene.ask("Cancel the export", words, "Continue the export", vec![keep, delete]);
        }
        JobLine::Matching => {
            scene.session.matching.stop(&mut scene.session.desk.at(scene.now, scene.fx));
            scene.say("Stopped. What was answered is kept.");
        }
        JobLine::Own(id) => {
            let stopped = scene.session.own.stop(id, &mut scene.session.desk.at(scene.now, scene.fx));
            scene.say(if stopped { "Stopping it with everything it started." } else { "Finished." });
        }
        JobLine::LastUnlock => scene.say("Finished."),
        JobLine::Elsewhere(_) | JobLine::Others(_) => {}
    }
}

// What each job comes to: as a line, as a sentence, in full.

/// The last order ended with an unknown outcome that has been settled since: its receipt has the result.
pub fn is_cleared_up(session: &Session) -> bool {
    session.unlock().last().is_some_and(|last| last.tally.unknown > 0) && session.recovery.is_clear()
}

/// Unlocks, exports and other jobs of a session that run.
pub fn running_in(session: &Session) -> usize {
    let others = usize::from(session.matching.is_running()) + usize::from(session.unlock().is_running());
    session.exports.running() + session.own.running() + others
}

/// The same of whichever profile and window.
fn running(scene: SceneRef<'_>) -> usize {
    let here: usize = scene.behind.iter().chain([scene.session]).map(running_in).sum();
    here + scene.session.shared_jobs.others.iter().filter(|job| job.is_running()).count()
}

/// A job as a line of the list. None where it ended meanwhile.
fn line(item: JobLine, session: &Session, behind: &[Session], now: Now) -> Option<Line> {
    Some(match item {
        JobLine::Unlock => unlock(session, now),
        JobLine::LastUnlock => {
            let last = session.unlock().last()?;
            let state = match is_cleared_up(session) {
                true => "resolved: <jobs.open> receipts".to_owned(),
                false => last.tally.sentence(None),
            };
            Line::of("unlock", format!("corpus {}", last.corpus()), (last.contacts.len() as u64, None), state)
        }
        JobLine::Gathering(side) => {
            let walk = session.side(side).gathering()?;
            let rows = (walk.given(), walk.total());
            Line::of("scan", format!("{side} into the basket"), rows, "reading; nothing is spent")
        }
        JobLine::Scan(side) => {
            let side = session.side(side);
            if let Some((read, wanted)) = side.reading() {
                let what = format!("{}: the first rows", side.side);
                return Some(Line::of("scan", what, (read, Some(wanted)), "reading"));
            }
            let watch = side.watch.as_ref()?;
            let rows = (watch.news().1, Some(watch.total()));
            Line::of("scan", format!("`{}`: what is new", watch.name), rows, "reading")
        }
        JobLine::Matching => {
            let job = session.matching.job()?;
            let accounts = counted(job.wanted.accounts.lines.len() as u64, "account");
            let (done, all, left) = job.progress(now);
            let state = match &job.stage {
                matching::MatchStage::Ready => "waiting for you to start: <everywhere.match> open".to_owned(),
                matching::MatchStage::Done => "done: <everywhere.match> open".to_owned(),
                matching::MatchStage::Stopped => "stopped: <everywhere.match> open".to_owned(),
                matching::MatchStage::Failed(_) => "failed: <everywhere.match> open".to_owned(),
                _ => matching::time_left(left),
            };
            let what = format!("{accounts} at {}", job.wanted.query.side);
            // These numbers count requests, not rows, so only the bar uses them.
            let is_running = session.matching.is_running();
            let line = Line::of("match", what, (done, Some(all)), state);
            Line { is_running, rows: line.rows.filter(|_| is_running), ..line }
        }
        JobLine::Elsewhere(at) => {
            let other = behind.get(at)?;
            let export_job = other.exports.jobs().find(|job| job.is_running()).filter(|_| !other.unlock().is_running());
            let found = export_job.map_or_else(|| unlock(other, now), |job| export(job, other, now));
            Line { what: format!("{}: {}", other.profile().name, found.what), ..found }
        }
        JobLine::Others(at) => line_elsewhere(session.shared_jobs.others.get(at)?, session),
        JobLine::Own(id) => {
            let job = session.own.job(id)?;
            let (state, role) = own_state(job);
            Line { role, ..Line::of("command", &job.name, (job.rows, None), state) }
        }
        JobLine::Export(id) => export(session.exports.job(id)?, session, now),
    })
}

fn unlock(session: &Session, now: Now) -> Line {
    let Some(job) = session.unlock().job() else {
        return Line { rows: None, ..Line::of("unlock", "", (0, None), "begins") };
    };
    let ((done, all), tally) = (job.contacts(), &job.tally);
    let eta = job.eta(now).map_or(String::new(), |left| format!(", {} s left", left.as_millis().div_ceil(1000)));
    let state = format!("charged {}, refunded {}{eta}", tally.charged, tally.refunded);
    Line::of("unlock", format!("corpus {}", job.corpus()), (done as u64, Some(all as u64)), state)
}

/// `page 3 of 12, 20 s left`
pub fn pages(job: &ExportJob) -> String {
    match job.pages() {
        Some((done, all, left)) => format!("page {} of {}, {}", grouped(done), grouped(all), matching::time_left(left)),
        None => "requested".to_owned(),
    }
}

fn export(job: &ExportJob, session: &Session, now: Now) -> Line {
    let progress = job.progress.clone().unwrap_or_default();
    let mut rows = (progress.rows, job.total.filter(|_| job.is_running()));
    let mut size = if job.walk().is_some() { String::new() } else { bytes(progress.bytes) };
    let (state, role) = match &job.stage {
        ExportStage::Writing(_) => ("writing".to_owned(), Role::Text),
        ExportStage::Paging => (pages(job), Role::Good),
        ExportStage::Ending { .. } | ExportStage::Keeping(..) => ("ending".to_owned(), Role::Warning),
        ExportStage::Streaming(call) => match (job.quiet(), job.pace(), session.desk.waits(*call, now)) {
            (Some(quiet), ..) => (format!("no data for {} s; <jobs.cancel> stop", quiet.as_secs()), Role::Warning),
            (None, Some((rate, left)), _) => {
                let left = left.map_or(String::new(), |left| format!(", {} s left", left.as_secs().max(1)));
                let leg = job.legs().map_or(String::new(), |(whole, all)| format!("search {} of {all}, ", whole + 1));
                (format!("{leg}{}/s{left}", bytes(rate)), Role::Good)
            }
            (None, None, Some(Waits::Answer)) => ("requested".to_owned(), Role::Text),
            (None, None, _) => ("queued".to_owned(), Role::Dim),
        },
        ExportStage::Whole(exported) => {
            rows.0 = exported.rows;
            size = bytes(exported.bytes);
            (format!("complete: {}", file_name(&exported.path)), Role::Good)
        }
        ExportStage::Stopped { kept: Some(path), rows: kept } => {
            rows.0 = *kept;
            (format!("incomplete: {}", file_name(path)), Role::Warning)
        }
        ExportStage::Stopped { kept: None, .. } => ("stopped, file deleted".to_owned(), Role::Dim),
        ExportStage::Failed(failure) => (format!("failed: {}", failure.words()), Role::Danger),
    };
    Line { size, role, ..Line::of("export", job.what.clone(), rows, state) }
}

/// The result of a job, and whether that is bad.
pub fn sentence(job: &ExportJob) -> (String, bool) {
    match &job.stage {
        ExportStage::Whole(exported) => {
            let other_total = job.total.filter(|total| *total != exported.rows + exported.lint.excluded);
            let differs = |total| format!(" The export is complete; the search counts {}.", grouped(total));
            let differs = other_total.map_or(String::new(), differs);
            let (path, rows, lint) = (exported.path.display(), counted(exported.rows, "row"), exported.lint.words());
            let words = format!("{path}: {rows}, {lint}.{differs} Nothing spent; the path is copied.");
            match job.cut_short() {
                Some(short) => (format!("{words} But {short}."), true),
                None => (words, false),
            }
        }
        ExportStage::Stopped { kept: None, .. } if job.total == Some(0) => {
            ("Nothing matched, so no file was written.".to_owned(), false)
        }
        ExportStage::Stopped { kept: Some(path), rows } => {
            (format!("Stopped: the first {} are in {}.", counted(*rows, "row"), path.display()), false)
        }
        ExportStage::Stopped { kept: None, .. } => ("Stopped. The file was deleted.".to_owned(), false),
        ExportStage::Failed(failure) => {
            let why = failure.reason();
            (format!("The export failed: {why}.  <everywhere.jobs> then <jobs.retry> retry"), true)
        }
        ExportStage::Streaming(_) | ExportStage::Paging | ExportStage::Writing(_) => ("Already running.".into(), false),
        ExportStage::Ending { .. } | ExportStage::Keeping(..) => ("It is stopping.".into(), false),
    }
}

fn parts(job: &ExportJob) -> Vec<ReaderPart> {
    let mut parts = vec![ReaderPart::pair("what", job.what.clone())];
    match &job.stage {
        ExportStage::Whole(exported) => parts.extend([
            ReaderPart::pair("file", exported.path.display().to_string()),
            ReaderPart::pair("rows", grouped(exported.rows)),
            ReaderPart::pair("size", bytes(exported.bytes)),
            ReaderPart::pair("cells", exported.lint.words()),
        ]),
        _ => parts.push(ReaderPart::pair("state", sentence(job).0)),
    }
    parts.extend(job.total.map(|total| ReaderPart::pair("search total", grouped(total))));
    parts
}

// A command of the person's own among the jobs: how it stands, and what it printed.

fn own_state(job: &OwnJob) -> (String, Role) {
    match job.state() {
        (JobStage::Running, _) => ("running".to_owned(), Role::Text),
        (JobStage::Done, _) => ("done".to_owned(), Role::Good),
        (JobStage::Stopped, _) => ("stopped".to_owned(), Role::Warning),
        (JobStage::Failed, why) => (format!("failed: {why}"), Role::Danger),
    }
}

fn own_parts(job: &OwnJob) -> Vec<ReaderPart> {
    let mut parts = vec![
        ReaderPart::pair("runs", job.words.join(" ")),
        ReaderPart::pair("rows", grouped(job.rows)),
        ReaderPart::pair("state", own_state(job).0),
    ];
    if let OwnStage::Ended(ran) = &job.stage {
        for (title, text) in [("Output", &ran.out), ("Errors", &ran.err)] {
            if !text.is_empty() {
                parts.extend([ReaderPart::Gap, ReaderPart::heading(title)]);
                parts.extend(text.lines().map(ReaderPart::words));
            }
        }
        if ran.cut {
            parts.extend([ReaderPart::Gap, ReaderPart::Words("Output was cut.".to_owned(), Role::Dim)]);
        }
    }
    parts
}

// A line of the list of jobs.

struct Line {
    kind: String,
    what: String,
    /// Rows that are done, and all of them where that is known.
    rows: Option<(u64, Option<u64>)>,
    size: String,
    state: String,
    role: Role,
    /// Its share of all rows is shown.
    is_running: bool,
}

impl Line {
    fn of(kind: &str, what: impl Into<String>, rows: (u64, Option<u64>), state: impl Into<String>) -> Line {
        let (kind, what, rows, state) = (kind.to_owned(), what.into(), Some(rows), state.into());
        Line { kind, what, rows, size: String::new(), state, role: Role::Text, is_running: true }
    }
}

/// `262 of 1,050`
fn of((done, all): (u64, Option<u64>)) -> String {
    grouped(done) + &all.map_or(String::new(), |all| format!(" of {}", grouped(all)))
}

/// The folder is shown below the list and when the job is opened.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

// Jobs of other windows and of commands: they are seen here and managed where they run.

fn line_elsewhere(job: &JobElsewhere, session: &Session) -> Line {
    let note = &job.note;
    let of = if note.profile == session.profile().name { String::new() } else { format!("{}: ", note.profile) };
    let is_file = note.stage == JobStage::Done && note.kind == "export";
    let words = if is_file { file_name(Path::new(&note.words)) } else { note.words.clone() };
    let with = |state: &str| if words.is_empty() { state.to_owned() } else { format!("{state}: {words}") };
    let (state, role) = match note.stage {
        JobStage::Running if job.lives => (with("in another window"), Role::Text),
        JobStage::Running => ("interrupted: its window closed".to_owned(), Role::Warning),
        JobStage::Done => (with("done in another window"), Role::Good),
        JobStage::Stopped => (with("stopped in another window"), Role::Dim),
        JobStage::Failed => (with("failed in another window"), Role::Danger),
    };
    let rows = (note.done, note.of.filter(|_| note.stage == JobStage::Running));
    Line { role, is_running: job.is_running(), ..Line::of(&note.kind, of + &note.what, rows, state) }
}

// The list of the jobs.

const COLUMNS: [TableColumn; 6] = [
    TableColumn::new("Job", 7, 90, ColumnWidth::Fixed),
    TableColumn::new("What", 18, 50, ColumnWidth::Values),
    TableColumn::new("Rows", 16, 80, ColumnWidth::Number),
    TableColumn::new("Done", 13, 70, ColumnWidth::Fixed),
    TableColumn::new("Size", 9, 30, ColumnWidth::Number),
    TableColumn::new("State", 27, 99, ColumnWidth::Whole),
];

// The job that is looked at in full, below the list: where its file is, or what went wrong.

fn footer(line: &Line, item: JobLine, session: &Session, width: u16) -> Vec<(String, Role)> {
    let export = if let JobLine::Export(id) = item { session.exports.job(id) } else { None };
    let below = match export.map(|job| &job.stage) {
        None => line.state.clone(),
        Some(ExportStage::Whole(exported)) => format!("{}  {}", exported.path.display(), exported.lint.words()),
        Some(ExportStage::Stopped { kept: Some(path), .. }) => path.display().to_string(),
        Some(ExportStage::Failed(why)) => format!("{}.  <jobs.retry> retry", why.reason()),
        Some(_) => String::new(),
    };
    let words = format!("{}\n{below}", line.what);
    let lines = text::wrapped(words.trim_end_matches('\n'), usize::from(width.saturating_sub(4)));
    lines.into_iter().take(4).map(|line| (line, Role::Dim)).collect()
}
