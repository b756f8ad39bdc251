//! Saved searches: where each one is stored, its total then and now, and what is new since its last run.
//!
//! ```text
//!    NAME            SEARCH          FILTERS                     LIVES    THEN    NOW   NEW  LAST RUN
//! ▸ nurses in TX     Workspace · US  title: nurse · state: TX    both    4,870  4,882   +12  yesterday
//! ```
//!
//! The searches themselves are `flow::saved`'s business; here is only which one is looked at and how the list is drawn.

use crate::scene::prelude::*;
use lode_engine::flow::saved::{Refused, Remote, SavedChange, SavedEntry, SavedEvent, SavedSearches};

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, scene) = self;
        let session = scene.session;
        let saved_searches = &session.saved_searches;
        let entries = saved_searches.entries();
        let title = if entries.is_empty() { "Saved".to_owned() } else { format!("Saved {}", entries.len()) };
        let inside = TitledPane::new(&title, true).draw(body, buf, cx);
        if entries.is_empty() {
            let listed = service(saved_searches, &cx.motion);
            let sentences = match saved_searches.failure() {
                Some(why) => ["The saved searches cannot be loaded", &why.words, DOCTOR],
                None => ["No saved searches yet", &listed, "<results.save> on Search saves the current search"],
            };
            return table::empty(&sentences, inside, buf, cx);
        }
        let foot = footer(&entries[state.at.min(entries.len() - 1)], session, inside, &cx.motion);
        let list = table::foot(buf, cx, inside, 2, &foot);
        let cell = |row: usize, column| cell(&entries[row], column, scene);
        let table = Table { columns: &COLUMNS, count: entries.len(), at: state.at, changed: Vec::new(), cell };
        table.render(list, buf, cx);
    }
}

impl Component for State {
    /// Rows of saved searches that ran here which their last run did not have.
    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.saved_totals.new_rows(), " new")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        !scene.session.saved_searches.entries().is_empty()
    }

    fn is_loading(&self, scene: SceneRef<'_>) -> bool {
        matches!(scene.session.saved_searches.remote, Remote::Asked(_))
    }

    /// Both lists are read again, and what each search comes to now is asked behind everything else.
    fn arrive(&mut self, scene: &mut Scene<'_>) {
        scene.session.read_saved(scene.now, scene.fx);
        scene.session.glance_at_saved(scene.now, scene.fx);
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        let Command::Saved(command) = command else { return };
        let Some(entry) = self.entry(scene.session) else { return };
        match command {
            SavedCommand::Run => run(&entry.name, false, scene),
            SavedCommand::RunNew => run(&entry.name, true, scene),
            SavedCommand::Rename => {
                let words = format!("New name of `{}`", entry.name);
                scene.prompt("Rename", words, Intent::RenameSaved(entry.name.clone()), Field::new(entry.name));
            }
            SavedCommand::Edit => match entry.query {
                Ok(query) => scene.hand(Intent::EditSaved(entry.name, Box::new(query))),
                Err(_) => scene.say("Its filters cannot be read, so they cannot be edited."),
            },
            SavedCommand::Delete => {
                let words = match entry.home {
                    Home::Local => format!("Deletes `{}` and the record of its last run.", entry.name),
                    Home::Service => format!("Deletes `{}` on the service, where others may use it.", entry.name),
                    Home::Both => format!("Deletes `{}` here and on the service.", entry.name),
                };
                scene.ask("Delete saved search", words, "Cancel", vec![("Delete", Intent::DeleteSaved(entry.name))]);
            }
            SavedCommand::CopyCommand => {
                let line = format!("lode saved run {}", shell_line::quoted(&entry.name));
                scene.copy_text(line.clone(), &line);
            }
            SavedCommand::Find => {
                let entries = scene.session.saved_searches.entries();
                let items = entries.iter().enumerate().map(|(at, entry)| line(entry, Intent::Place(at)));
                scene.pick(Picker::new("Find a saved search", items.collect()).finding());
            }
        }
    }

    fn cursor(&mut self, scene: &Scene<'_>) -> Option<(&mut usize, usize, Option<Command>)> {
        Some((&mut self.at, scene.session.saved_searches.entries().len(), Some(Command::Saved(SavedCommand::Run))))
    }
}

// Which of the saved searches is looked at.

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The search that is looked at.
    pub fn entry(&self, session: &Session) -> Option<SavedEntry> {
        let mut entries = session.saved_searches.entries();
        let at = self.at.min(entries.len().checked_sub(1)?);
        Some(entries.swap_remove(at))
    }
}

// What the commands of the Saved screen do, what saving from Search does, and what their flow tells.

/// Runs a saved search. Many searches in one are asked about first.
pub fn run(name: &str, only_new: bool, scene: &mut Scene<'_>) {
    let query = scene.session.saved_searches.named(name).and_then(|entry| entry.query.ok());
    let Some(query) = query.filter(|query| query.leg_count() > ASKED_ABOVE && query.ready().is_ok()) else {
        return run_now(name, only_new, scene);
    };
    scene.open(Dialog::Ask(FormDialog::many_searches(&query, Intent::RunSaved(name.to_owned(), only_new))));
}

pub fn run_now(name: &str, only_new: bool, scene: &mut Scene<'_>) {
    match scene.session.run_saved(name, scene.now, scene.fx) {
        Ok(query) if scene.session.has(query.side.source) => {
            scene.hand(Intent::ShowSaved(name.to_owned(), Box::new(query), only_new));
        }
        Ok(query) => scene.say(format!("This profile has no key for {}. <everywhere.profiles> add one.", query.side)),
        Err(refused) => scene.say(sentence(&refused)),
    }
}

/// Saves a search with the name of the view that the grid shows, or in place of the one that is `replaced`.
pub fn save(name: &str, replaced: Option<String>, query: Query, view: Option<String>, scene: &mut Scene<'_>) {
    let (saved, cx) = (&mut scene.session.saved_searches, &mut scene.session.desk.at(scene.now, scene.fx));
    let name = replaced.clone().unwrap_or_else(|| name.to_owned());
    let add = SavedChange::Add { name, query, view };
    let done = match replaced {
        Some(name) => saved.change(vec![SavedChange::Remove { name }, add], cx),
        None => saved.change(vec![add], cx),
    };
    match done {
        Err(Refused::Taken(name)) => {
            let words = format!("`{name}` already exists. New results are still compared with its last run.");
            scene.ask("Replace saved search", words, "Cancel", vec![("Replace", Intent::SaveSearch(Some(name)))]);
        }
        done => finish(done, scene),
    }
}

pub fn change(change: SavedChange, scene: &mut Scene<'_>) {
    finish(scene.session.saved_searches.change(vec![change], &mut scene.session.desk.at(scene.now, scene.fx)), scene);
}

/// A change that waits for no service is done at once.
fn finish(done: Result<(), Refused>, scene: &mut Scene<'_>) {
    match done {
        Ok(()) => scene.session.saved_searches.take_events().into_iter().for_each(|event| report(event, scene)),
        Err(refused) => scene.alert(sentence(&refused)),
    }
}

pub fn report(event: SavedEvent, scene: &mut Scene<'_>) {
    match event {
        SavedEvent::Listed => {}
        SavedEvent::Unread(words) => scene.warn(words),
        SavedEvent::Forgotten(failure) => scene.warn(format!("Not saved: {failure}. {DOCTOR}")),
        SavedEvent::Failed(failure) => scene.warn(format!("Nothing was changed: {failure}.")),
        SavedEvent::Refused(refused) => scene.warn(format!("Nothing was changed: {refused}.")),
        SavedEvent::Done { change, home, sentences } => {
            let lives = if home == Home::Both { "here and on the service" } else { "here" };
            let (done, keys) = match &change {
                SavedChange::Add { name, .. } => {
                    (format!("Saved `{name}` {lives}."), "  <results.recall> recall  <everywhere.saved> list all")
                }
                SavedChange::Rename { old, new } => (format!("Renamed `{old}` to `{new}`, {lives}."), ""),
                SavedChange::Remove { name } => (format!("Deleted `{name}`."), ""),
            };
            if sentences.is_empty() {
                scene.say(done + keys);
            } else {
                scene.warn(format!("{done} {}.{keys}", capital(&sentences.join("; "))));
            }
        }
    }
}

// What is said of saved searches: as lines of a picker, of the service's list, of a refusal.

fn line(entry: &SavedEntry, pick: Intent) -> PickerItem {
    let total = entry.total.map_or(String::new(), |total| format!("{} then", grouped(total)));
    let hidden = entry.query.as_ref().map_or(String::new(), |query| format!("{} {}", query.side, query.words()));
    PickerItem { hidden, ..PickerItem::new(entry.name.clone(), total, pick) }
}

/// The saved searches as lines of the recall, before those that were only run.
pub fn recallable(session: &Session) -> Vec<PickerItem> {
    let starred = |entry: &SavedEntry| PickerItem {
        left: format!("★ {}", entry.name),
        ..line(entry, Intent::Saved(entry.name.clone()))
    };
    session.saved_searches.entries().iter().filter(|entry| entry.query.is_ok()).map(starred).collect()
}

/// What is known of the service's list.
fn service(saved_searches: &SavedSearches, motion: &MotionFrame) -> String {
    match &saved_searches.remote {
        Remote::None => "Saved on this computer only: no Data API key is set.".to_owned(),
        Remote::NotAsked => "The service's list is not loaded yet.".to_owned(),
        Remote::Asked(_) => motion.waiting(Wait::Screen, "Loading the service's list…"),
        Remote::Read(list) => {
            let count = list.len() as u64;
            format!("{} saved on the service", if count == 0 { "None".to_owned() } else { grouped(count) })
        }
        Remote::Failed(failure) => format!("The service's list cannot be loaded: {}.", failure.reason()),
    }
}

fn sentence(refused: &Refused) -> String {
    format!("{}.", capital(&refused.to_string()))
}

// The list of the saved searches.

const COLUMNS: [TableColumn; 8] = [
    TableColumn::new("Name", 16, 99, ColumnWidth::Values),
    TableColumn::new("Search", 20, 40, ColumnWidth::Values),
    TableColumn::new("Filters", 24, 30, ColumnWidth::Values),
    TableColumn::new("Stored", 14, 50, ColumnWidth::Values),
    TableColumn::new("Then", 10, 70, ColumnWidth::Number),
    TableColumn::new("Now", 10, 90, ColumnWidth::Number),
    TableColumn::new("New", 7, 80, ColumnWidth::Number),
    TableColumn::new("Last run", 11, 20, ColumnWidth::Values),
];

fn cell(entry: &SavedEntry, column: usize, scene: SceneRef<'_>) -> (String, Role) {
    let (plain, totals) = (|words: String| (words, Role::Text), &scene.session.saved_totals);
    let seen = totals.seen(&entry.name);
    match column {
        0 => (entry.name.clone(), if entry.query.is_ok() { Role::Strong } else { Role::Disabled }),
        1 => plain(entry.query.as_ref().map_or_else(|_| "unreadable".to_owned(), |query| query.side.to_string())),
        2 => match &entry.query {
            Ok(query) => plain(query.words()),
            Err(trouble) => (trouble.clone(), Role::Warning),
        },
        3 => (homes(entry).0.to_owned(), Role::Dim),
        4 => plain(entry.total.map_or_else(|| "–".to_owned(), grouped)),
        5 => match seen {
            Some(seen) if entry.total.is_some_and(|then| then != seen.total) => (grouped(seen.total), Role::New),
            Some(seen) => plain(grouped(seen.total)),
            None if totals.is_asking(&entry.name) => ("…".to_owned(), Role::Dim),
            None => ("–".to_owned(), Role::Dim),
        },
        6 => match seen.and_then(|seen| seen.news) {
            Some((0, _)) => ("0".to_owned(), Role::Text),
            Some((fresh, _)) => (format!("+{}", grouped(fresh)), Role::New),
            None => ("–".to_owned(), Role::Dim),
        },
        _ => (entry.last_run.map_or_else(|| "never".to_owned(), |at| scene.hour(at.0)), Role::Dim),
    }
}

/// Where a search is stored, in a word and in a sentence.
fn homes(entry: &SavedEntry) -> (&'static str, &'static str) {
    match entry.home {
        Home::Local => ("here", "Stored on this computer only, in the config folder."),
        Home::Service => ("service", "Stored on the service only: created elsewhere."),
        Home::Both => ("here + service", "Stored on this computer and on the service."),
    }
}

// The search that is looked at in full, below the list.

/// What there is to say of the one that is looked at, and of the service's list.
fn footer(entry: &SavedEntry, session: &Session, inside: Rect, motion: &MotionFrame) -> Vec<(String, Role)> {
    let Rect { width, height, .. } = inside;
    if height < 7 {
        return Vec::new();
    }
    let mut lines = vec![(String::new(), Role::Text)];
    let columns = usize::from(width.saturating_sub(4));
    let said = match &entry.query {
        Ok(query) => format!("{}   {}", query.side, query.words()),
        Err(trouble) => format!("Can't read this search: {trouble}."),
    };
    lines.extend(text::wrapped(&said, columns).into_iter().take(2).map(|line| (line, Role::Text)));
    let lives = homes(entry).1;
    let news = session.saved_totals.seen(&entry.name).and_then(|seen| seen.news);
    let read = news.map_or(String::new(), |(fresh, read)| {
        format!("  Last run here: {} read, {} new.", counted(read, "row"), grouped(fresh))
    });
    let view = entry.view.as_ref().map_or(String::new(), |view| format!("  View: {view}."));
    lines.push((format!("{lives}{view}{read}"), Role::Dim));
    if height >= 12 {
        lines.push((service(&session.saved_searches, motion), Role::Dim));
    }
    lines
}
