//! The one table: a row per command and context with its keys, its words and what it needs. A catalog, hence long.
//!
//! A row is read by the resolver, the footer, the help, the palette, the hints under the mouse and the README. Rows are in
//! the order in which the help shows them; the footer orders by rank.

use lode_core::contact::Source;

use super::command::{
    Always, App, Ask, Basket, Columns, Command, Copy, Counts, Filters, Jobs, List, Match, Money, Owned, Recovery,
    Results, Saved, Screen, Summary, Text,
};
use super::situation::{Context, Reason, Situation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Danger {
    /// Costs nothing and can be undone or repeated.
    Free,
    /// Leads to spending: always by way of the money dialog.
    Money,
    /// Removes or changes something that cannot be undone: asks first.
    Destroys,
}

pub type Enabled = fn(&Situation) -> Result<(), Reason>;

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub context: Context,
    /// Each a chord or a sequence. None: reached through the palette.
    pub keys: &'static [&'static str],
    pub command: Command,
    /// As in `[keys.CONTEXT]` of the config: unique within its context.
    pub name: &'static str,
    /// Verb first.
    pub title: &'static str,
    pub help: &'static str,
    /// Place in the footer (higher is further to the left) and the word shown there.
    pub footer: Option<(u8, &'static str)>,
    pub enabled: Enabled,
    pub danger: Danger,
    /// Cannot be bound to another key.
    pub fixed: bool,
    /// Other names that people type in the palette.
    pub aliases: &'static [&'static str],
    /// False where the command means nothing: its key is free there, and no footer or list names it.
    pub applies: fn(&Situation) -> bool,
}

/// A row without its words, which [`Row::says`] adds.
pub(super) const fn row(command: Command, name: &'static str, keys: &'static [&'static str]) -> Row {
    Row {
        context: Context::of(command),
        keys,
        command,
        name,
        title: "",
        help: "",
        footer: None,
        enabled: always,
        danger: Danger::Free,
        fixed: false,
        aliases: &[],
        applies: anywhere,
    }
}

impl Row {
    pub(super) const fn says(mut self, title: &'static str, help: &'static str) -> Row {
        self.title = title;
        self.help = help;
        self
    }

    const fn foot(mut self, rank: u8, word: &'static str) -> Row {
        self.footer = Some((rank, word));
        self
    }

    pub(super) const fn when(mut self, enabled: Enabled) -> Row {
        self.enabled = enabled;
        self
    }

    const fn money(mut self) -> Row {
        self.danger = Danger::Money;
        self
    }

    const fn destroys(mut self) -> Row {
        self.danger = Danger::Destroys;
        self
    }

    pub(super) const fn fixed(mut self) -> Row {
        self.fixed = true;
        self
    }

    const fn also(mut self, aliases: &'static [&'static str]) -> Row {
        self.aliases = aliases;
        self
    }

    const fn only(mut self, applies: fn(&Situation) -> bool) -> Row {
        self.applies = applies;
        self
    }

    /// Whether it does something now: a footer names no other.
    pub fn is_usable(&self, situation: &Situation) -> bool {
        (self.applies)(situation) && (self.enabled)(situation).is_ok()
    }

    /// Only on the grid itself, not where a contact lies over it.
    const fn grid(self) -> Row {
        self.only(|s| !s.contact_open)
    }
}

fn anywhere(_: &Situation) -> bool {
    true
}

fn always(_: &Situation) -> Result<(), Reason> {
    Ok(())
}

fn need(met: bool, reason: &'static str) -> Result<(), Reason> {
    if met { Ok(()) } else { Err(Reason(reason)) }
}

fn a_row(s: &Situation) -> Result<(), Reason> {
    need(s.has_row, "There is no row under the cursor.")
}

fn a_row_with_id(s: &Situation) -> Result<(), Reason> {
    a_row(s)?;
    need(s.row_has_id, "This row has no id, so it cannot be added to the basket.")
}

fn results(s: &Situation) -> Result<(), Reason> {
    need(s.has_results, "No results yet. <results.main-field> search.")
}

fn workspace(s: &Situation) -> Result<(), Reason> {
    need(
        s.source == Source::Workspace,
        "Only the Workspace knows which contacts you own. <everywhere.source> switch the source.",
    )
}

fn data(s: &Situation) -> Result<(), Reason> {
    need(s.source == Source::Data, "Only the Data API has pulled rows. <everywhere.source> switch the source.")
}

fn data_results(s: &Situation) -> Result<(), Reason> {
    data(s)?;
    results(s)
}

fn may_unlock(s: &Situation) -> Result<(), Reason> {
    need(s.has_workspace, "This profile has no Workspace key, which unlocking needs. <everywhere.profiles> add one.")?;
    need(s.may_unlock != Some(false), "This key may only search. <everywhere.profiles> switch the key.")
}

fn finish(s: &Situation) -> Result<(), Reason> {
    may_unlock(s)?;
    need(s.can_finish, "Nothing can be sent again. <recovery.look> check (free).")
}

fn unlock(s: &Situation) -> Result<(), Reason> {
    need(
        s.source == Source::Workspace,
        "Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.",
    )?;
    may_unlock(s)
}

fn unlock_from_results(s: &Situation) -> Result<(), Reason> {
    unlock(s)?;
    need(s.staged > 0 || s.row_has_id, "The basket is empty. <results.stage> add a row.")
}

fn unlock_basket(s: &Situation) -> Result<(), Reason> {
    unlock(s)?;
    staged(s)
}

fn staged(s: &Situation) -> Result<(), Reason> {
    need(s.staged > 0, "The basket is empty. <results.stage> add a row.")
}

fn a_link(s: &Situation) -> Result<(), Reason> {
    a_row(s)?;
    need(s.has_link, "This row has no link.")
}

fn a_workspace(s: &Situation) -> Result<(), Reason> {
    need(s.has_workspace, "This profile has no Workspace key. <everywhere.profiles> add one.")
}

fn a_data_key(s: &Situation) -> Result<(), Reason> {
    need(s.has_data, "This profile has no Data API key. <everywhere.profiles> add one.")
}

fn both_services(s: &Situation) -> Result<(), Reason> {
    match s.source {
        Source::Workspace => a_data_key(s),
        Source::Data => a_workspace(s),
    }
}

/// What `y c` does on every screen.
const SAME_IN_A_SHELL: &str = "Copies the command line that does the same in a shell.";

/// Copying, on a screen that lists rows of a service.
const fn copies(screen: Context) -> [Row; 7] {
    [
        row(copy(screen, Copy::Email), "copy-email", &["y e"])
            .says("Copy the email", "Copies the email as shown.")
            .when(a_row)
            .foot(20, "copy"),
        row(copy(screen, Copy::Phone), "copy-phone", &["y p"])
            .says("Copy the phone", "Copies the phone as shown.")
            .when(a_row),
        row(copy(screen, Copy::Name), "copy-name", &["y n"])
            .says("Copy the name", "Copies the person's name.")
            .when(a_row),
        row(copy(screen, Copy::Row), "copy-row", &["y r"])
            .says("Copy the row", "Copies the row, columns separated by tabs.")
            .when(a_row),
        row(copy(screen, Copy::Json), "copy-json", &["y j"])
            .says("Copy as JSON", "Copies the row as one JSON object, unchanged.")
            .when(a_row),
        row(copy(screen, Copy::Link), "copy-link", &["y l"])
            .says("Copy the link", "Copies the row's link.")
            .when(a_link),
        row(copy(screen, Copy::CommandLine), "copy-command", &["y c"]).says("Copy as shell command", SAME_IN_A_SHELL),
    ]
}

const fn copy(screen: Context, what: Copy) -> Command {
    match screen {
        Context::Basket => Command::Basket(Basket::Copy(what)),
        Context::Owned => Command::Owned(Owned::Copy(what)),
        _ => Command::Results(Results::Copy(what)),
    }
}

static EVERYWHERE: &[Row] = &[
    row(Command::App(App::Help), "help", &["?"])
        .says("Show help", "Lists the keys of this screen; type to filter.")
        .foot(1, "help"),
    row(Command::App(App::Palette), "commands", &[":"])
        .says("Run a command", "Finds a command by its words; each line shows its key.")
        .foot(10, "commands"),
    row(Command::App(App::FirstRow), "first-row", &["g g"]).says("First row", "Moves the cursor to the first row."),
    row(Command::App(App::Go(Screen::Search)), "search", &["g s", "F2"])
        .says("Go to Search", "Filter pane, result grid, contact pane."),
    row(Command::App(App::Go(Screen::Basket)), "basket", &["g b", "F3"])
        .says("Go to the Basket", "Staged rows and what they would cost.")
        .also(&["cart"]),
    row(Command::App(App::Go(Screen::Owned)), "owned", &["g o", "F4"]).says("Go to Owned", "Every contact you own."),
    row(Command::App(App::Go(Screen::Saved)), "saved", &["g v", "F5"])
        .says("Go to Saved", "Saved searches and what is new in them."),
    row(Command::App(App::Go(Screen::Counts)), "counts", &["g c", "F6"])
        .says("Go to Counts", "Totals per state and SIC code."),
    row(Command::App(App::Go(Screen::Jobs)), "jobs", &["g j", "F7"]).says("Go to Jobs", "Unlocks, exports and scans."),
    row(Command::App(App::Go(Screen::Match)), "match", &["g a", "F8"])
        .says("Match accounts", "A CSV or .xlsx of companies or domains in, their contacts out.")
        .also(&["accounts"]),
    row(Command::App(App::History), "history", &["g h"])
        .says("Show the history", "Every search of this profile, newest first."),
    row(Command::App(App::Receipts), "receipts", &["g r"])
        .says("Show the receipts", "Every order with what was asked, charged and refunded."),
    row(Command::App(App::MaskMode), "mask", &["g m"])
        .says("Mask owned contacts", "Hides owned emails and phone numbers while you share the screen."),
    row(Command::App(App::LastError), "last-error", &["g e"])
        .says("Show the last error", "The last error in full, and where the log is.")
        .when(|s| need(s.has_error, "No errors.")),
    row(Command::App(App::SidePanes), "panes", &["F9"])
        .says("Choose the panes", "All panes, the grid with the contact, the grid alone."),
    row(Command::App(App::NextPane), "next-pane", &["Tab"]).says("Next pane", "Filter pane, results, contact pane."),
    row(Command::App(App::PreviousPane), "previous-pane", &["Shift-Tab"])
        .says("Previous pane", "In the other direction."),
    row(Command::App(App::Escape), "escape", &["Esc"])
        .says("Close or cancel", "Closes a dialog, ends a range or stops a search. Never quits or stops a job.")
        .fixed()
        .foot(26, "close"),
    row(Command::App(App::Back), "back", &["q", "Ctrl-o"])
        .says("Go back or quit", "Quits from Search. Everything is kept. Asks first if a job is running.")
        .foot(5, "back"),
    row(Command::App(App::Undo), "undo", &["u"])
        .says("Undo", "Undoes changes of the basket, filters and marks.")
        .when(|s| need(s.can_undo, "Nothing to undo.")),
    row(Command::App(App::Redo), "redo", &["Ctrl-r"])
        .says("Redo", "Repeats what was undone.")
        .when(|s| need(s.can_redo, "Nothing to redo.")),
    row(Command::App(App::OtherCorpus), "corpus", &["w", "g n"])
        .says("Switch the corpus", "us or linkedin; each keeps its own search and basket.")
        .only(|s| !s.dialog_open)
        .foot(30, "corpus"),
    row(Command::App(App::OtherSource), "source", &["W", "g d"])
        .says("Switch the source", "Workspace or Data API; filters carry over where they exist.")
        .only(|s| !s.dialog_open)
        .when(both_services),
    row(Command::App(App::Profiles), "profiles", &["P"])
        .says("Show profiles and keys", "Add, switch and check keys.")
        .foot(25, "profile"),
    row(Command::App(App::LastRequest), "last-request", &["i"])
        .says("Show the last request", "The request and its response, without secrets.")
        .when(|s| need(s.has_request, "No requests yet.")),
    row(Command::App(App::MouseCapture), "mouse", &["%"])
        .says("Toggle mouse capture", "Without capture the terminal selects text as usual."),
    row(Command::App(App::Unknown), "unknown", &[])
        .says("Show unknown results", "Unlocks without a response: check for free, finish or keep."),
    row(Command::App(App::NextTheme), "theme", &[])
        .says("Change the theme", "Switches to the next theme and remembers it for the profile."),
    row(Command::App(App::OwnCommands), "own-commands", &[])
        .says(
            "Commands of your own",
            "Shows how `config.toml` binds a program of yours to rows: results, basket, owned.",
        )
        .also(&["crm", "commands"]),
    row(Command::App(App::Tour), "tour", &[])
        .says("Start or end the tour", "Shows what to try next; only in the demo.")
        .when(|s| need(s.demo, "The tour runs only in lode demo.")),
    row(Command::App(App::Quit), "quit", &[])
        .says("Quit lode", "Everything is kept. Asks first if a job is running.")
        .also(&["q", "quit", "exit", "wq"]),
    row(Command::Always(Always::Interrupt), "interrupt", &["Ctrl-c"])
        .says(
            "Stop what is running",
            "Stops a search or the newest job (an unlock: after its current request); twice within 2 s quits.",
        )
        .fixed(),
    row(Command::Always(Always::Suspend), "suspend", &["Ctrl-z"])
        .says("Suspend", "Returns to the shell; `fg` resumes.")
        .fixed(),
    row(Command::Always(Always::Repaint), "repaint", &["Ctrl-l"]).says("Repaint the screen", "Draws the screen again."),
    Row { context: Context::Dialog, ..row(Command::App(App::Help), "help", &["?"]) }
        .says("Show help", "Lists the keys of this dialog.")
        .foot(1, "help"),
];

static LISTS: &[Row] = &[
    row(Command::List(List::Down), "down", &["j", "Down"]).says("Move down", "A count before it moves that many rows."),
    row(Command::List(List::Up), "up", &["k", "Up"]).says("Move up", "A count before it moves that many rows."),
    row(Command::List(List::Left), "left", &["h", "Left"])
        .says("Move left", "Selects the cell that <results.filter-by-cell> filters by."),
    row(Command::List(List::Right), "right", &["l", "Right"])
        .says("Move right", "Selects the cell that <results.filter-by-cell> filters by."),
    row(Command::List(List::HalfDown), "half-down", &["Ctrl-d"]).says("Half screen down", "Half of the visible rows."),
    row(Command::List(List::HalfUp), "half-up", &["Ctrl-u"]).says("Half screen up", "Half of the visible rows."),
    row(Command::List(List::PageDown), "page-down", &["PgDn"]).says("One screen down", "All visible rows."),
    row(Command::List(List::PageUp), "page-up", &["PgUp"]).says("One screen up", "All visible rows."),
    row(Command::List(List::NextServicePage), "next-page", &["]", "."])
        .says("Next page", "The first row of the next page of the service."),
    row(Command::List(List::PreviousServicePage), "previous-page", &["[", ","])
        .says("Previous page", "The first row of the page before."),
    row(Command::List(List::Top), "top", &["Home"]).says("Go to the top", "The first row."),
    row(Command::List(List::Last), "last", &["G", "End"])
        .says("Last row", "A number before it goes to that row; one request, however deep."),
    row(Command::List(List::FirstColumn), "first-column", &["0"])
        .says("First column", "After a digit, 0 is part of a count."),
    row(Command::List(List::LastColumn), "last-column", &["$", "g l"]).says("Last column", "The rightmost column."),
    row(Command::List(List::Find), "find", &["Ctrl-f"]).says("Find in the rows", "Searches the loaded rows only."),
    row(Command::List(List::FindNext), "find-next", &["n"]).says("Find the next", "Downwards, then from the top."),
    row(Command::List(List::FindPrevious), "find-previous", &["N"])
        .says("Find the previous", "Upwards, then from the bottom."),
];

static RESULTS: &[Row] = &[
    row(Command::Results(Results::Stage), "stage", &["Space"]).says("Add or remove row", "Puts it in the basket or takes it out, then moves down. Costs nothing.")
    .when(a_row_with_id)
    .foot(100, "basket"),
    row(Command::Results(Results::Range), "range", &["v"]).says("Start or end a range", "<results.stage> then adds all of it.")
        .grid()
        .when(a_row)
        .foot(95, "range"),
    row(Command::Results(Results::StagePage), "stage-page", &["a"]).says("Add this page", "Adds all loaded rows of the page to the basket.")
    .grid()
    .when(a_row)
    .foot(90, "page"),
    row(Command::Results(Results::StageAll), "stage-all", &["A"]).says("Add all matches", "Adds matches to the basket, up to a number that you type.")
    .grid()
    .when(results)
    .foot(85, "all"),
    row(Command::Results(Results::EmptyBasket), "empty-basket", &["X"]).says("Empty the basket", "<everywhere.undo> undoes it.")
        .grid()
        .when(staged),
    row(Command::Results(Results::Unlock), "unlock", &["U"]).says("Review and unlock", "The basket, or this row if it is empty. Nothing is sent before you confirm.")
    .when(unlock_from_results)
    .money()
    .foot(80, "unlock"),
    row(Command::Results(Results::MainField), "main-field", &["/"]).says("Search", "The main text field: title on the Workspace, query on the Data API. Typing replaces its value.")
    .grid()
    .foot(75, "search"),
    row(Command::Results(Results::PickFilter), "filter", &["f"]).says("Set a filter", "Pick a field, then a value.")
        .grid()
        .foot(70, "filter"),
    row(Command::Results(Results::ClearFilters), "clear-filters", &["F"]).says("Clear all filters", "<everywhere.undo> undoes it.")
        .grid(),
    row(Command::Results(Results::FilterByCell), "filter-by-cell", &["="]).says("Filter by this cell", "The value under the cursor becomes a filter, where its column is one.")
    .grid()
    .when(a_row),
    row(Command::Results(Results::ExcludeByCell), "exclude-by-cell", &["-"]).says("Exclude this cell", "Leaves out its company, domain or words of its title, on this side: nothing is sent.")
    .grid()
    .when(a_row),
    row(Command::Results(Results::Exclusions), "exclusions", &["E"]).says("Exclude", "By title, company, domain or suppression list; dimmed and never added by <results.stage-page> or <results.stage-all>.")
    .grid(),
    row(Command::Results(Results::PerCompany), "per-company", &["L"]).says("Limit per company", "In <results.stage-page>, <results.stage-all> and the review, the best first.")
    .grid(),
    row(Command::Results(Results::HideOwned), "hide-ours", &["H"]).says("Hide owned", "Leaves out contacts you own.")
        .grid()
        .when(workspace),
    row(Command::Results(Results::HidePulled), "hide-pulled", &["p"]).says("Hide pulled rows", "Leaves out rows that were pulled.")
        .grid()
        .when(data),
    row(Command::Results(Results::MarkPulled), "mark-pulled", &["M"]).says("Mark page as pulled", "Records the ids of this page for the user of this key. Cannot be undone; asks first.")
    .grid()
    .when(data_results)
    .destroys(),
    row(Command::Results(Results::Open), "open", &["Enter"]).says("Open the contact", "All fields.").grid().when(a_row),
    row(Command::Results(Results::Columns), "columns", &["d"]).says("Choose the columns", "Show, hide and order them; remembered per side.")
    .grid(),
    row(Command::Results(Results::Narrower), "narrower", &["<"]).says("Narrow the column", "The column under the cursor.").grid(),
    row(Command::Results(Results::Wider), "wider", &[">"]).says("Widen the column", "The column under the cursor.").grid(),
    row(Command::Results(Results::Order), "order", &["o"]).says("Sort by this column", "Loaded rows only; press again for the service's order.")
    .grid()
    .also(&["sort"])
    .when(results),
    row(Command::Results(Results::OrderBack), "order-back", &["O"]).says("Sort descending", "Loaded rows only.").grid().when(results),
    row(Command::Results(Results::Export), "export", &["e"]).says("Export", "Basket, selection or the whole result, in a form you choose.")
    .when(results)
    .foot(60, "export"),
    row(Command::Results(Results::Save), "save", &["s"]).says("Save this search", "Under a name; <results.recall> recalls it.")
        .grid()
        .foot(55, "save"),
    row(Command::Results(Results::Recall), "recall", &["r"]).says("Recall a search", "Recent and saved searches.")
        .grid()
        .foot(50, "recall"),
    row(Command::Results(Results::FetchAgain), "fetch-again", &["R"]).says("Refresh", "Runs the search again; a result never changes by itself.")
    .grid(),
    row(Command::Results(Results::Tag), "tag", &["t"]).says("Tag the contact", "For owned contacts; kept on this computer.")
        .when(a_row_with_id),
    row(Command::Results(Results::Note), "note", &["m"]).says("Write a note", "For owned contacts; kept on this computer.")
        .when(a_row_with_id),
    row(Command::Results(Results::Suppress), "suppress", &["x"]).says("Suppress the contact", "It or its whole domain is never unlocked again. The lists are on the Basket screen.")
    .when(a_row),
];

static RESULTS_COPY: &[Row] = &copies(Context::Results);

static FILTERS: &[Row] = &[
    row(Command::Filters(Filters::Edit), "edit", &["Enter"])
        .says("Edit this filter", "Opens its field or its list of values.")
        .foot(100, "edit"),
    row(Command::Filters(Filters::Toggle), "toggle", &["Space"])
        .says("Switch on or off", "Hide owned, hide pulled, drop duplicates.")
        .foot(90, "toggle"),
    row(Command::Filters(Filters::Clear), "clear", &["Backspace"])
        .says("Clear this filter", "<everywhere.undo> undoes it.")
        .foot(85, "clear"),
    row(Command::Filters(Filters::AddValue), "add-value", &["a"])
        .says("Add a value", "Each value is one more search, and all are one list. Several industries stay one search.")
        .foot(80, "add value"),
    row(Command::Filters(Filters::ClearAll), "clear-all", &["F"])
        .says("Clear all filters", "<everywhere.undo> undoes it.")
        .foot(75, "clear all"),
];

static COLUMNS: &[Row] = &[
    row(Command::Columns(Columns::Toggle), "toggle", &["Space"])
        .says("Show or hide the column", "Hidden columns are still in the contact and in exports.")
        .foot(100, "show"),
    row(Command::Columns(Columns::Later), "later", &["J"])
        .says("Move the column to the right", "One place.")
        .foot(90, "right"),
    row(Command::Columns(Columns::Earlier), "earlier", &["K"])
        .says("Move the column to the left", "One place.")
        .foot(85, "left"),
    row(Command::Columns(Columns::Reset), "reset", &["X"])
        .says("Reset the columns", "Order, widths and what is shown.")
        .foot(80, "reset"),
    row(Command::Columns(Columns::Done), "done", &["Enter"])
        .says("Close the list", "The choice is remembered per side.")
        .foot(70, "done"),
];

static BASKET: &[Row] = &[
    row(Command::Basket(Basket::Unstage), "unstage", &["Space"])
        .says("Remove the row from the basket", "<everywhere.undo> undoes it.")
        .when(a_row)
        .foot(100, "remove"),
    row(Command::Basket(Basket::Unlock), "unlock", &["U"])
        .says("Review and unlock", "Nothing is sent before you confirm.")
        .when(unlock_basket)
        .money()
        .foot(95, "unlock"),
    row(Command::Basket(Basket::Empty), "empty", &["X"])
        .says("Empty the basket", "<everywhere.undo> undoes it.")
        .when(staged)
        .foot(90, "empty"),
    row(Command::Basket(Basket::Suppressions), "suppressions", &["S"])
        .says("Show the suppression lists", "Add a CSV or .xlsx file, or remove a list.")
        .foot(85, "lists"),
    row(Command::Basket(Basket::Request), "request", &["Q", "I"])
        .says("Answer an assistant", "Review what it asks to unlock, type the amount, or decline."),
    row(Command::Basket(Basket::Open), "open", &["Enter"])
        .says("Open the contact", "The contact as it was added.")
        .when(a_row),
    row(Command::Basket(Basket::Export), "export", &["e"])
        .says("Export the basket", "Free, without a request.")
        .when(staged)
        .foot(80, "export"),
];

static BASKET_COPY: &[Row] = &copies(Context::Basket);

static OWNED: &[Row] = &[
    row(Command::Owned(Owned::Open), "open", &["Enter"])
        .says("Open the contact and its receipt", "Verification, refund, source search.")
        .when(a_row)
        .foot(100, "open"),
    row(Command::Owned(Owned::Tag), "tag", &["t"])
        .says("Tag the contact", "Words separated by commas.")
        .when(a_row)
        .foot(95, "tag"),
    row(Command::Owned(Owned::Note), "note", &["m"])
        .says("Write a note", "Kept on this computer only.")
        .when(a_row)
        .foot(90, "note"),
    row(Command::Owned(Owned::Export), "export", &["e"])
        .says("Export", "Again and for free.")
        .when(a_row)
        .foot(85, "export"),
    row(Command::Owned(Owned::Forget), "forget", &["D"])
        .says("Remove the contact from this computer", "Asks first. Your workspace still owns it.")
        .when(a_row)
        .destroys()
        .foot(70, "forget"),
    row(Command::Owned(Owned::Find), "find", &["/"]).says("Find", "Type to narrow the list.").foot(80, "find"),
];

static OWNED_COPY: &[Row] = &copies(Context::Owned);

static SAVED: &[Row] = &[
    row(Command::Saved(Saved::Run), "run", &["Enter"])
        .says("Run the search", "Total then and now.")
        .when(a_row)
        .foot(100, "run"),
    row(Command::Saved(Saved::RunNew), "run-new", &["+"])
        .says("Run it and show only what is new", "Rows that were not in the last run.")
        .when(a_row)
        .foot(95, "new only"),
    row(Command::Saved(Saved::Rename), "rename", &["r"])
        .says("Rename", "Here, and on the service if possible.")
        .when(a_row)
        .foot(90, "rename"),
    row(Command::Saved(Saved::Edit), "edit", &["e"])
        .says("Edit the filters", "Opens it on the Search screen.")
        .when(a_row)
        .foot(85, "edit"),
    row(Command::Saved(Saved::Delete), "delete", &["D"])
        .says("Delete", "Asks first.")
        .when(a_row)
        .destroys()
        .foot(80, "delete"),
    row(Command::Saved(Saved::CopyCommand), "copy-command", &["y"])
        .says("Copy as shell command", "The line that runs it in a shell.")
        .when(a_row)
        .foot(75, "copy"),
    row(Command::Saved(Saved::Find), "find", &["/"]).says("Find", "Type to narrow the list.").foot(70, "find"),
];

static COUNTS: &[Row] = &[
    row(Command::Counts(Counts::Mark), "mark", &["Space"])
        .says("Mark", "Marks become filters of the search.")
        .when(a_row)
        .foot(100, "mark"),
    row(Command::Counts(Counts::Apply), "apply", &["Enter"])
        .says("Make the marks a filter", "Goes to Search with them.")
        .when(a_row)
        .foot(95, "filter"),
    row(Command::Counts(Counts::View), "view", &["v"])
        .says("Change the view", "Map, bars, SIC table.")
        .foot(90, "view"),
    row(Command::Counts(Counts::Find), "find", &["/"]).says("Find", "A state or a code, by its name.").foot(85, "find"),
    row(Command::Counts(Counts::Again), "again", &["R"])
        .says("Refresh", "The service caches its counts.")
        .foot(80, "again"),
    row(Command::Counts(Counts::CopyCommand), "copy-command", &["y c"])
        .says("Copy as shell command", SAME_IN_A_SHELL)
        .foot(20, "copy"),
];

static JOBS: &[Row] = &[
    row(Command::Jobs(Jobs::Open), "open", &["Enter"])
        .says("Open the job", "Its result or its receipt.")
        .when(a_row)
        .foot(100, "open"),
    row(Command::Jobs(Jobs::Cancel), "cancel", &["c"])
        .says("Cancel the job", "Asks what to keep.")
        .when(a_row)
        .destroys()
        .foot(95, "cancel"),
    row(Command::Jobs(Jobs::Retry), "retry", &["r"])
        .says("Retry what failed", "An unlock goes through the money dialog.")
        .when(a_row)
        .money()
        .foot(90, "retry"),
    row(Command::Jobs(Jobs::Export), "export", &["e"])
        .says("Export the result", "The rows of this job.")
        .when(a_row)
        .foot(85, "export"),
    row(Command::Jobs(Jobs::CopyCommand), "copy-command", &["y c"])
        .says("Copy as shell command", SAME_IN_A_SHELL)
        .foot(20, "copy"),
];

static MATCH: &[Row] = &[
    row(Command::Match(Match::Open), "open", &["o"])
        .says("Open a list of accounts", "A CSV or .xlsx file with a column of companies or domains.")
        .foot(100, "open a list"),
    row(Command::Match(Match::Start), "start", &["Enter"])
        .says("Start, resume, or show the account", "Matching is free.")
        .when(a_row)
        .foot(95, "start/show"),
    row(Command::Match(Match::Stop), "stop", &["c"])
        .says("Stop the match", "What was answered is kept.")
        .when(a_row)
        .foot(90, "stop"),
    row(Command::Match(Match::Stage), "stage", &["Space"])
        .says("Add the account's contacts to the basket", "Only of a matched account.")
        .when(a_row)
        .foot(85, "add"),
    row(Command::Match(Match::StageAll), "stage-all", &["A"])
        .says("Add the contacts of all matched accounts", "Each contact once.")
        .when(a_row)
        .foot(80, "add all"),
    row(Command::Match(Match::Likely), "likely", &["L"])
        .says("Look for the contacts in the Workspace", LIKELY)
        .when(a_row)
        .foot(75, "find in Workspace"),
    row(Command::Match(Match::StageLikely), "stage-likely", &["+"])
        .says("Add what is likely the same", "To the Workspace's basket.")
        .when(a_row)
        .foot(70, "add likely"),
    row(Command::Match(Match::Export), "export", &["e"])
        .says("Export the contacts", "Of all matched accounts.")
        .when(a_row)
        .foot(65, "export"),
    row(Command::Match(Match::CopyCommand), "copy-command", &["y c"])
        .says("Copy as shell command", SAME_IN_A_SHELL)
        .when(a_row)
        .foot(20, "copy"),
];

const LIKELY: &str = "Contacts of the Data API: one free, narrow search each. Ids of the two services differ.";

static DIALOGS: &[Row] = &[
    row(Command::Money(Money::Digit), "digit", &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
        .says("Type the amount", "The number of credits to confirm.")
        .fixed(),
    row(Command::Money(Money::Backspace), "backspace", &["Backspace"])
        .says("Remove the last digit", "The field starts empty.")
        .fixed(),
    row(Command::Money(Money::Confirm), "confirm", &["Enter"])
        .says("Unlock for the typed amount", "Only if the number matches the total and fits balance and caps.")
        .money()
        .fixed()
        .foot(100, "unlock"),
    row(Command::Money(Money::Suppressed), "suppressed", &["s"])
        .says(
            "Show what the lists hold back",
            "Which rows, and by which entry. A row that may be on a list can be accepted there.",
        )
        .only(|s| s.has_suppressed)
        .foot(90, "lists"),
    row(Command::Money(Money::DropRisky), "drop-risky", &["r"])
        .says("Exclude or include risky emails", "They stay in the basket.")
        .only(|s| s.has_risky)
        .foot(85, "risky"),
    row(Command::Money(Money::DropDuplicates), "drop-duplicates", &["d"])
        .says("Exclude or include duplicates", "Rows that show the same person, company and email as an earlier one.")
        .only(|s| s.has_duplicates)
        .foot(84, "duplicates"),
    row(Command::Money(Money::Verification), "verification", &["V"])
        .says("Turn verification on or off", "Off: no refunds.")
        .only(|s| s.has_choice)
        .foot(80, "verification"),
    row(Command::Money(Money::Back), "back", &["Esc"])
        .says("Go back", "Nothing is sent; the basket is unchanged.")
        .fixed()
        .foot(75, "back"),
    row(Command::Recovery(Recovery::Look), "look", &["Enter"])
        .says("Check (free)", "Searches again; owned rows come back complete.")
        .foot(100, "check"),
    row(Command::Recovery(Recovery::Finish), "finish", &["F"])
        .says("Finish the batch", "Sends the identical contacts again, after a review.")
        .when(finish)
        .money()
        .foot(90, "finish"),
    row(Command::Recovery(Recovery::Keep), "keep", &["Esc"])
        .says("Later", "Nothing is sent; the result stays unknown.")
        .fixed()
        .foot(80, "later"),
    row(Command::Summary(Summary::Export), "export", &["e"])
        .says("Export exactly these contacts", "Free, without a request.")
        .foot(100, "export"),
    row(Command::Summary(Summary::Open), "open", &["Enter"])
        .says("Show what was bought", "Every contact with all that was bought.")
        .foot(95, "details"),
    row(Command::Summary(Summary::Receipt), "receipt", &["r"])
        .says("Show the receipt", "Every order with what was asked, charged and refunded.")
        .foot(90, "receipt"),
    row(Command::Summary(Summary::Copy(Copy::Email)), "copy-email", &["y e"])
        .says("Copy the email", "Of several contacts all, a line each.")
        .foot(85, "copy"),
    row(Command::Summary(Summary::Copy(Copy::Phone)), "copy-phone", &["y p"])
        .says("Copy the phone", "Of several contacts all, a line each."),
    row(Command::Ask(Ask::Choose), "choose", &["Enter"])
        .says("Choose this answer", "Does what the line says.")
        .fixed()
        .foot(100, "choose"),
    row(Command::Ask(Ask::Next), "next", &["Down", "j", "Tab"])
        .says("Go to the next answer", "Downwards.")
        .foot(90, "next"),
    row(Command::Ask(Ask::Previous), "previous", &["Up", "k", "Shift-Tab"])
        .says("Go to the previous answer", "Upwards."),
    row(Command::Ask(Ask::Leave), "leave", &["Esc"]).says("Cancel", "Changes nothing.").fixed().foot(80, "cancel"),
];

static TEXT: &[Row] = &[
    row(Command::Text(Text::Submit), "submit", &["Enter"])
        .says("Run", "Uses what is typed, or the marked line.")
        .fixed()
        .foot(100, "run"),
    row(Command::Text(Text::Leave), "leave", &["Esc"])
        .says("Leave the field", "Discards what was typed.")
        .fixed()
        .foot(90, "cancel"),
    row(Command::Text(Text::Complete), "complete", &["Tab"])
        .says("Take the suggestion", "The marked one.")
        .only(|s| s.has_suggestions)
        .foot(80, "suggestion"),
    row(Command::Text(Text::Next), "next", &["Down", "Ctrl-n"])
        .says("Mark the next line", "Suggestions and earlier values.")
        .only(|s| s.has_suggestions)
        .foot(70, "next"),
    row(Command::Text(Text::Previous), "previous", &["Up", "Ctrl-p"])
        .says("Mark the previous line", "Suggestions and earlier values.")
        .only(|s| s.has_suggestions),
    row(Command::Text(Text::Left), "left", &["Left"]).says("Move left", "One letter."),
    row(Command::Text(Text::Right), "right", &["Right", "Ctrl-f"]).says("Move right", "One letter."),
    row(Command::Text(Text::WordLeft), "word-left", &["Ctrl-Left"]).says("Move a word left", "To its beginning."),
    row(Command::Text(Text::WordRight), "word-right", &["Ctrl-Right"]).says("Move a word right", "To the next one."),
    row(Command::Text(Text::Home), "home", &["Home", "Ctrl-a"]).says("Move to the beginning", "Of the field."),
    row(Command::Text(Text::End), "end", &["End", "Ctrl-e"]).says("Move to the end", "Of the field."),
    row(Command::Text(Text::DeleteBack), "delete-back", &["Backspace"]).says("Delete backwards", "One letter."),
    row(Command::Text(Text::DeleteForward), "delete-forward", &["Del", "Ctrl-d"])
        .says("Delete forwards", "One letter."),
    row(Command::Text(Text::DeleteWord), "delete-word", &["Ctrl-w"])
        .says("Delete the word before", "<text.yank> puts it back."),
    row(Command::Text(Text::DeleteToStart), "delete-to-start", &["Ctrl-u"])
        .says("Delete to the beginning", "All before the cursor."),
    row(Command::Text(Text::DeleteToEnd), "delete-to-end", &["Ctrl-k"])
        .says("Delete to the end", "All after the cursor."),
    row(Command::Text(Text::Yank), "yank", &["Ctrl-y"]).says("Paste what was cut", "What was cut last."),
];

/// A command of the person's own as it stands in `config.toml`.
pub const OWN_EXAMPLE: &str = "\
[commands.results]
push = { run = [\"crm\", \"push\"], key = \"K\", rows = \"selection\" }
";

/// How such a command works: for the page of the keys and for the palette.
pub const OWN_WORDS: [&str; 5] = [
    "`[commands.results]`, `[commands.basket]` and `[commands.owned]` each hold the commands of that screen.",
    "`run` is a program and its arguments as a list of words. No shell reads them, so nothing in a row can run anything.",
    "The rows go to its standard input as JSON lines: `rows = \"selection\"` (the marked range, else the row under the cursor) or \
     `\"all\"`.",
    "It runs as a job: Jobs shows its output and its exit code, and can run it again with the same rows.",
    "`key` may be left out: every command is in the palette by its name.",
];

/// Every row, grouped as the help shows them.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [
        EVERYWHERE,
        LISTS,
        RESULTS,
        RESULTS_COPY,
        FILTERS,
        COLUMNS,
        BASKET,
        BASKET_COPY,
        OWNED,
        OWNED_COPY,
        SAVED,
        COUNTS,
        JOBS,
        MATCH,
        DIALOGS,
        TEXT,
    ]
    .into_iter()
    .flatten()
}

/// The key table of the README.
pub fn markdown() -> String {
    let mut out = String::new();
    for (context, _, title) in Context::ALL {
        let here: Vec<&Row> = rows().filter(|row| row.context == context && !row.keys.is_empty()).collect();
        if here.is_empty() {
            continue;
        }
        out.push_str(&format!("\n**{}**\n\n| key | what it does |\n|---|---|\n", title));
        for row in here {
            let keys = if row.keys.len() == 10 {
                "digits".to_owned()
            } else {
                row.keys.iter().map(|keys| format!("`{}`", keys.replace('|', "\\|"))).collect::<Vec<_>>().join(" ")
            };
            out.push_str(&format!("| {keys} | {}. {} |\n", row.title, row.help.replace('|', "\\|")));
        }
    }
    out.push_str(&format!("\n**Commands of your own**\n\n```toml\n{}```\n\n", OWN_EXAMPLE));
    out.push_str(&OWN_WORDS.join("\n"));
    out.push_str("\n\n");
    out
}
