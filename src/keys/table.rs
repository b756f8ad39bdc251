//! The one table: a row per command and context with its keys, its words and what it needs. A catalog, hence long.
//!
//! A row is read by the resolver, the footer, the help, the palette, the hints under the mouse and the README. Rows are in
//! the order in which the help shows them; the footer orders by rank.

use crate::domain::contact::Source;

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

const fn row(
    context: Context,
    keys: &'static [&'static str],
    command: Command,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    Row {
        context,
        keys,
        command,
        name,
        title,
        help,
        footer: None,
        enabled: always,
        danger: Danger::Free,
        fixed: false,
        aliases: &[],
        applies: anywhere,
    }
}

impl Row {
    const fn foot(mut self, rank: u8, word: &'static str) -> Row {
        self.footer = Some((rank, word));
        self
    }

    const fn when(mut self, enabled: Enabled) -> Row {
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

    const fn fixed(mut self) -> Row {
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

    /// Only on the grid itself, not where a contact lies over it.
    const fn grid(self) -> Row {
        self.only(on_the_grid)
    }
}

fn anywhere(_: &Situation) -> bool {
    true
}

fn on_the_grid(s: &Situation) -> bool {
    !s.contact_open
}

fn on_a_screen(s: &Situation) -> bool {
    !s.dialog_open
}

fn suggestions(s: &Situation) -> bool {
    s.has_suggestions
}

fn risky(s: &Situation) -> bool {
    s.has_risky
}

fn suppressed(s: &Situation) -> bool {
    s.has_suppressed
}

fn duplicates(s: &Situation) -> bool {
    s.has_duplicates
}

fn a_choice(s: &Situation) -> bool {
    s.has_choice
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

fn demo(s: &Situation) -> Result<(), Reason> {
    need(s.demo, "The tour runs only in lode demo.")
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

fn unlock_from_results(s: &Situation) -> Result<(), Reason> {
    need(
        s.source == Source::Workspace,
        "Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.",
    )?;
    may_unlock(s)?;
    need(s.staged > 0 || s.row_has_id, "The basket is empty. <results.stage> add a row.")
}

fn unlock_basket(s: &Situation) -> Result<(), Reason> {
    need(
        s.source == Source::Workspace,
        "Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.",
    )?;
    may_unlock(s)?;
    staged(s)
}

fn staged(s: &Situation) -> Result<(), Reason> {
    need(s.staged > 0, "The basket is empty. <results.stage> add a row.")
}

fn undo(s: &Situation) -> Result<(), Reason> {
    need(s.can_undo, "Nothing to undo.")
}

fn redo(s: &Situation) -> Result<(), Reason> {
    need(s.can_redo, "Nothing to redo.")
}

fn an_error(s: &Situation) -> Result<(), Reason> {
    need(s.has_error, "No errors.")
}

fn a_request(s: &Situation) -> Result<(), Reason> {
    need(s.has_request, "No requests yet.")
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

macro_rules! copies {
    ($context:expr, $wrap:path) => {
        [
            row($context, &["y e"], $wrap(Copy::Email), "copy-email", "Copy the email", "Copies the email as shown.")
                .when(a_row)
                .foot(20, "copy"),
            row($context, &["y p"], $wrap(Copy::Phone), "copy-phone", "Copy the phone", "Copies the phone as shown.")
                .when(a_row),
            row($context, &["y n"], $wrap(Copy::Name), "copy-name", "Copy the name", "Copies the person's name.")
                .when(a_row),
            row(
                $context,
                &["y r"],
                $wrap(Copy::Row),
                "copy-row",
                "Copy the row",
                "Copies the row, columns separated by tabs.",
            )
            .when(a_row),
            row(
                $context,
                &["y j"],
                $wrap(Copy::Json),
                "copy-json",
                "Copy as JSON",
                "Copies the row as one JSON object, unchanged.",
            )
            .when(a_row),
            row($context, &["y l"], $wrap(Copy::Link), "copy-link", "Copy the link", "Copies the row's link.")
                .when(a_link),
            row($context, &["y c"], $wrap(Copy::CommandLine), "copy-command", "Copy as shell command", SAME_IN_A_SHELL),
        ]
    };
}

const fn results_copy(what: Copy) -> Command {
    Command::Results(Results::Copy(what))
}

const fn basket_copy(what: Copy) -> Command {
    Command::Basket(Basket::Copy(what))
}

const fn owned_copy(what: Copy) -> Command {
    Command::Owned(Owned::Copy(what))
}

use Context as C;

static EVERYWHERE: &[Row] = &[
    row(C::App, &["?"], Command::App(App::Help), "help", "Show help", "Lists the keys of this screen; type to filter.")
        .foot(1, "help"),
    row(
        C::App,
        &[":"],
        Command::App(App::Palette),
        "commands",
        "Run a command",
        "Finds a command by its words; each line shows its key.",
    )
    .foot(10, "commands"),
    row(C::App, &["g g"], Command::App(App::FirstRow), "first-row", "First row", "Moves the cursor to the first row."),
    row(
        C::App,
        &["g s", "F2"],
        Command::App(App::Go(Screen::Search)),
        "search",
        "Go to Search",
        "Filter pane, result grid, contact pane.",
    ),
    row(
        C::App,
        &["g b", "F3"],
        Command::App(App::Go(Screen::Basket)),
        "basket",
        "Go to the Basket",
        "Staged rows and what they would cost.",
    )
    .also(&["cart"]),
    row(C::App, &["g o", "F4"], Command::App(App::Go(Screen::Owned)), "owned", "Go to Owned", "Every contact you own."),
    row(
        C::App,
        &["g v", "F5"],
        Command::App(App::Go(Screen::Saved)),
        "saved",
        "Go to Saved",
        "Saved searches and what is new in them.",
    ),
    row(
        C::App,
        &["g c", "F6"],
        Command::App(App::Go(Screen::Counts)),
        "counts",
        "Go to Counts",
        "Totals per state and SIC code.",
    ),
    row(
        C::App,
        &["g j", "F7"],
        Command::App(App::Go(Screen::Jobs)),
        "jobs",
        "Go to Jobs",
        "Unlocks, exports and scans.",
    ),
    row(
        C::App,
        &["g a", "F8"],
        Command::App(App::Go(Screen::Match)),
        "match",
        "Match accounts",
        "A CSV of companies or domains in, their contacts out.",
    )
    .also(&["accounts"]),
    row(
        C::App,
        &["g h"],
        Command::App(App::History),
        "history",
        "Show the history",
        "Every search of this profile, newest first.",
    ),
    row(
        C::App,
        &["g r"],
        Command::App(App::Receipts),
        "receipts",
        "Show the receipts",
        "Every order with what was asked, charged and refunded.",
    ),
    row(
        C::App,
        &["g m"],
        Command::App(App::MaskMode),
        "mask",
        "Mask owned contacts",
        "Hides owned emails and phone numbers while you share the screen.",
    ),
    row(
        C::App,
        &["g e"],
        Command::App(App::LastError),
        "last-error",
        "Show the last error",
        "The last error in full, and where the log is.",
    )
    .when(an_error),
    row(
        C::App,
        &["F9"],
        Command::App(App::SidePanes),
        "panes",
        "Choose the panes",
        "All panes, the grid with the contact, the grid alone.",
    ),
    row(C::App, &["Tab"], Command::App(App::NextPane), "next-pane", "Next pane", "Filter pane, results, contact pane."),
    row(
        C::App,
        &["Shift-Tab"],
        Command::App(App::PreviousPane),
        "previous-pane",
        "Previous pane",
        "In the other direction.",
    ),
    row(
        C::App,
        &["Esc"],
        Command::App(App::Escape),
        "escape",
        "Close or cancel",
        "Closes a dialog, ends a range or stops a search. Never quits or stops a job.",
    )
    .fixed()
    .foot(26, "close"),
    row(
        C::App,
        &["q", "Ctrl-o"],
        Command::App(App::Back),
        "back",
        "Go back or quit",
        "Quits from Search. Everything is kept. Asks first if a job is running.",
    )
    .foot(5, "back"),
    row(C::App, &["u"], Command::App(App::Undo), "undo", "Undo", "Undoes changes of the basket, filters and marks.")
        .when(undo),
    row(C::App, &["Ctrl-r"], Command::App(App::Redo), "redo", "Redo", "Repeats what was undone.").when(redo),
    row(
        C::App,
        &["w", "g n"],
        Command::App(App::OtherCorpus),
        "corpus",
        "Switch the corpus",
        "us or linkedin; each keeps its own search and basket.",
    )
    .only(on_a_screen)
    .foot(30, "corpus"),
    row(
        C::App,
        &["W", "g d"],
        Command::App(App::OtherSource),
        "source",
        "Switch the source",
        "Workspace or Data API; filters carry over where they exist.",
    )
    .only(on_a_screen)
    .when(both_services),
    row(
        C::App,
        &["P"],
        Command::App(App::Profiles),
        "profiles",
        "Show profiles and keys",
        "Add, switch and check keys.",
    )
    .foot(25, "profile"),
    row(
        C::App,
        &["i"],
        Command::App(App::LastRequest),
        "last-request",
        "Show the last request",
        "The request and its response, without secrets.",
    )
    .when(a_request),
    row(
        C::App,
        &["%"],
        Command::App(App::MouseCapture),
        "mouse",
        "Toggle mouse capture",
        "Without capture the terminal selects text as usual.",
    ),
    row(C::App, &["Ctrl-l"], Command::App(App::Repaint), "repaint", "Repaint the screen", "Draws the screen again."),
    row(
        C::App,
        &[],
        Command::App(App::Unknown),
        "unknown",
        "Show unknown results",
        "Unlocks without a response: check for free, finish or keep.",
    ),
    row(
        C::App,
        &[],
        Command::App(App::NextTheme),
        "theme",
        "Change the theme",
        "Switches to the next theme and remembers it for the profile.",
    ),
    row(
        C::App,
        &[],
        Command::App(App::OwnCommands),
        "own-commands",
        "Commands of your own",
        "Shows how `config.toml` binds a program of yours to rows: results, basket, owned.",
    )
    .also(&["crm", "commands"]),
    row(
        C::App,
        &[],
        Command::App(App::Tour),
        "tour",
        "Start or end the tour",
        "Shows what to try next; only in the demo.",
    )
    .when(demo),
    row(
        C::App,
        &[],
        Command::App(App::Quit),
        "quit",
        "Quit lode",
        "Everything is kept. Asks first if a job is running.",
    )
    .also(&["q", "quit", "exit", "wq"]),
    row(
        C::Always,
        &["Ctrl-c"],
        Command::Always(Always::Interrupt),
        "interrupt",
        "Stop what is running",
        "Stops a search or the newest job (an unlock: after its current request); twice within 2 s quits.",
    )
    .fixed(),
    row(
        C::Always,
        &["Ctrl-z"],
        Command::Always(Always::Suspend),
        "suspend",
        "Suspend",
        "Returns to the shell; `fg` resumes.",
    )
    .fixed(),
    row(C::Dialog, &["?"], Command::App(App::Help), "help", "Show help", "Lists the keys of this dialog.")
        .foot(1, "help"),
];

static LISTS: &[Row] = &[
    row(
        C::List,
        &["j", "Down"],
        Command::List(List::Down),
        "down",
        "Move down",
        "A count before it moves that many rows.",
    ),
    row(C::List, &["k", "Up"], Command::List(List::Up), "up", "Move up", "A count before it moves that many rows."),
    row(
        C::List,
        &["h", "Left"],
        Command::List(List::Left),
        "left",
        "Move left",
        "Selects the cell that <results.filter-by-cell> filters by.",
    ),
    row(
        C::List,
        &["l", "Right"],
        Command::List(List::Right),
        "right",
        "Move right",
        "Selects the cell that <results.filter-by-cell> filters by.",
    ),
    row(
        C::List,
        &["Ctrl-d"],
        Command::List(List::HalfDown),
        "half-down",
        "Half screen down",
        "Half of the visible rows.",
    ),
    row(C::List, &["Ctrl-u"], Command::List(List::HalfUp), "half-up", "Half screen up", "Half of the visible rows."),
    row(C::List, &["PgDn"], Command::List(List::PageDown), "page-down", "One screen down", "All visible rows."),
    row(C::List, &["PgUp"], Command::List(List::PageUp), "page-up", "One screen up", "All visible rows."),
    row(
        C::List,
        &["]", "."],
        Command::List(List::NextServicePage),
        "next-page",
        "Next page",
        "The first row of the next page of the service.",
    ),
    row(
        C::List,
        &["[", ","],
        Command::List(List::PreviousServicePage),
        "previous-page",
        "Previous page",
        "The first row of the page before.",
    ),
    row(C::List, &["Home"], Command::List(List::Top), "top", "Go to the top", "The first row."),
    row(
        C::List,
        &["G", "End"],
        Command::List(List::Last),
        "last",
        "Last row",
        "A number before it goes to that row; one request, however deep.",
    ),
    row(
        C::List,
        &["0"],
        Command::List(List::FirstColumn),
        "first-column",
        "First column",
        "After a digit, 0 is part of a count.",
    ),
    row(C::List, &["$", "g l"], Command::List(List::LastColumn), "last-column", "Last column", "The rightmost column."),
    row(C::List, &["Ctrl-f"], Command::List(List::Find), "find", "Find in the rows", "Searches the loaded rows only."),
    row(C::List, &["n"], Command::List(List::FindNext), "find-next", "Find the next", "Downwards, then from the top."),
    row(
        C::List,
        &["N"],
        Command::List(List::FindPrevious),
        "find-previous",
        "Find the previous",
        "Upwards, then from the bottom.",
    ),
];

const fn results_row(
    keys: &'static [&'static str],
    what: Results,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Results, keys, Command::Results(what), name, title, help)
}

static RESULTS: &[Row] = &[
    results_row(
        &["Space"],
        Results::Stage,
        "stage",
        "Add or remove row",
        "Puts it in the basket or takes it out, then moves down. Costs nothing.",
    )
    .when(a_row_with_id)
    .foot(100, "basket"),
    results_row(&["v"], Results::Range, "range", "Start or end a range", "<results.stage> then adds all of it.")
        .grid()
        .when(a_row)
        .foot(95, "range"),
    results_row(
        &["a"],
        Results::StagePage,
        "stage-page",
        "Add this page",
        "Adds all loaded rows of the page to the basket.",
    )
    .grid()
    .when(a_row)
    .foot(90, "page"),
    results_row(
        &["A"],
        Results::StageAll,
        "stage-all",
        "Add all matches",
        "Adds matches to the basket, up to a number that you type.",
    )
    .grid()
    .when(results)
    .foot(85, "all"),
    results_row(&["X"], Results::EmptyBasket, "empty-basket", "Empty the basket", "<everywhere.undo> undoes it.")
        .grid()
        .when(staged),
    results_row(
        &["U"],
        Results::Unlock,
        "unlock",
        "Review and unlock",
        "The basket, or this row if it is empty. Nothing is sent before you confirm.",
    )
    .when(unlock_from_results)
    .money()
    .foot(80, "unlock"),
    results_row(
        &["/"],
        Results::MainField,
        "main-field",
        "Search",
        "The main text field: title on the Workspace, query on the Data API. Typing replaces its value.",
    )
    .grid()
    .foot(75, "search"),
    results_row(&["f"], Results::PickFilter, "filter", "Set a filter", "Pick a field, then a value.")
        .grid()
        .foot(70, "filter"),
    results_row(&["F"], Results::ClearFilters, "clear-filters", "Clear all filters", "<everywhere.undo> undoes it.")
        .grid(),
    results_row(
        &["="],
        Results::FilterByCell,
        "filter-by-cell",
        "Filter by this cell",
        "The value under the cursor becomes a filter, where its column is one.",
    )
    .grid()
    .when(a_row),
    results_row(
        &["-"],
        Results::ExcludeByCell,
        "exclude-by-cell",
        "Exclude this cell",
        "Leaves out its company, domain or words of its title, on this side: nothing is sent.",
    )
    .grid()
    .when(a_row),
    results_row(
        &["E"],
        Results::Exclusions,
        "exclusions",
        "Exclude",
        "By title, company, domain or suppression list; dimmed and never added by <results.stage-page> or <results.stage-all>.",
    )
    .grid(),
    results_row(
        &["L"],
        Results::PerCompany,
        "per-company",
        "Limit per company",
        "In <results.stage-page>, <results.stage-all> and the review, the best first.",
    )
    .grid(),
    results_row(&["H"], Results::HideOwned, "hide-ours", "Hide owned", "Leaves out contacts you own.")
        .grid()
        .when(workspace),
    results_row(&["p"], Results::HidePulled, "hide-pulled", "Hide pulled rows", "Leaves out rows that were pulled.")
        .grid()
        .when(data),
    results_row(
        &["M"],
        Results::MarkPulled,
        "mark-pulled",
        "Mark page as pulled",
        "Records the ids of this page for the user of this key. Cannot be undone; asks first.",
    )
    .grid()
    .when(data_results)
    .destroys(),
    results_row(&["Enter"], Results::Open, "open", "Open the contact", "All fields.").grid().when(a_row),
    results_row(
        &["d"],
        Results::Columns,
        "columns",
        "Choose the columns",
        "Show, hide and order them; remembered per side.",
    )
    .grid(),
    results_row(&["<"], Results::Narrower, "narrower", "Narrow the column", "The column under the cursor.").grid(),
    results_row(&[">"], Results::Wider, "wider", "Widen the column", "The column under the cursor.").grid(),
    results_row(
        &["o"],
        Results::Order,
        "order",
        "Sort by this column",
        "Loaded rows only; press again for the service's order.",
    )
    .grid()
    .also(&["sort"])
    .when(results),
    results_row(&["O"], Results::OrderBack, "order-back", "Sort descending", "Loaded rows only.").grid().when(results),
    results_row(
        &["e"],
        Results::Export,
        "export",
        "Export",
        "Basket, selection or the whole result, in a form you choose.",
    )
    .when(results)
    .foot(60, "export"),
    results_row(&["s"], Results::Save, "save", "Save this search", "Under a name; <results.recall> recalls it.")
        .grid()
        .foot(55, "save"),
    results_row(&["r"], Results::Recall, "recall", "Recall a search", "Recent and saved searches.")
        .grid()
        .foot(50, "recall"),
    results_row(
        &["R"],
        Results::FetchAgain,
        "fetch-again",
        "Refresh",
        "Runs the search again; a result never changes by itself.",
    )
    .grid(),
    results_row(&["t"], Results::Tag, "tag", "Tag the contact", "For owned contacts; kept on this computer.")
        .when(a_row_with_id),
    results_row(&["m"], Results::Note, "note", "Write a note", "For owned contacts; kept on this computer.")
        .when(a_row_with_id),
    results_row(
        &["x"],
        Results::Suppress,
        "suppress",
        "Suppress the contact",
        "It or its whole domain is never unlocked again. The lists are on the Basket screen.",
    )
    .when(a_row),
];

static RESULTS_COPY: &[Row] = &copies!(C::Results, results_copy);

const fn filters_row(
    keys: &'static [&'static str],
    what: Filters,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Filters, keys, Command::Filters(what), name, title, help)
}

static FILTERS: &[Row] = &[
    filters_row(&["Enter"], Filters::Edit, "edit", "Edit this filter", "Opens its field or its list of values.")
        .foot(100, "edit"),
    filters_row(&["Space"], Filters::Toggle, "toggle", "Switch on or off", "Hide owned, hide pulled, drop duplicates.")
        .foot(90, "toggle"),
    filters_row(&["Backspace"], Filters::Clear, "clear", "Clear this filter", "<everywhere.undo> undoes it.")
        .foot(85, "clear"),
    filters_row(
        &["a"],
        Filters::AddValue,
        "add-value",
        "Add a value",
        "Each value is one more search, and all are one list. Several industries stay one search.",
    )
    .foot(80, "add value"),
    filters_row(&["F"], Filters::ClearAll, "clear-all", "Clear all filters", "<everywhere.undo> undoes it.")
        .foot(75, "clear all"),
];

static COLUMNS: &[Row] = &[
    row(
        C::Columns,
        &["Space"],
        Command::Columns(Columns::Toggle),
        "toggle",
        "Show or hide the column",
        "Hidden columns are still in the contact and in exports.",
    )
    .foot(100, "show"),
    row(C::Columns, &["J"], Command::Columns(Columns::Later), "later", "Move the column to the right", "One place.")
        .foot(90, "right"),
    row(C::Columns, &["K"], Command::Columns(Columns::Earlier), "earlier", "Move the column to the left", "One place.")
        .foot(85, "left"),
    row(
        C::Columns,
        &["X"],
        Command::Columns(Columns::Reset),
        "reset",
        "Reset the columns",
        "Order, widths and what is shown.",
    )
    .foot(80, "reset"),
    row(
        C::Columns,
        &["Enter"],
        Command::Columns(Columns::Done),
        "done",
        "Close the list",
        "The choice is remembered per side.",
    )
    .foot(70, "done"),
];

const fn basket_row(
    keys: &'static [&'static str],
    what: Basket,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Basket, keys, Command::Basket(what), name, title, help)
}

static BASKET: &[Row] = &[
    basket_row(
        &["Space"],
        Basket::Unstage,
        "unstage",
        "Remove the row from the basket",
        "<everywhere.undo> undoes it.",
    )
    .when(a_row)
    .foot(100, "remove"),
    basket_row(&["U"], Basket::Unlock, "unlock", "Review and unlock", "Nothing is sent before you confirm.")
        .when(unlock_basket)
        .money()
        .foot(95, "unlock"),
    basket_row(&["X"], Basket::Empty, "empty", "Empty the basket", "<everywhere.undo> undoes it.")
        .when(staged)
        .foot(90, "empty"),
    basket_row(
        &["S"],
        Basket::Suppressions,
        "suppressions",
        "Show the suppression lists",
        "Add a CSV of emails and domains, or remove a list.",
    )
    .foot(85, "lists"),
    basket_row(
        &["Q", "I"],
        Basket::Request,
        "request",
        "Answer an assistant",
        "Review what it asks to unlock, type the amount, or decline.",
    ),
    basket_row(&["Enter"], Basket::Open, "open", "Open the contact", "The contact as it was added.").when(a_row),
    basket_row(&["e"], Basket::Export, "export", "Export the basket", "Free, without a request.")
        .when(staged)
        .foot(80, "export"),
];

static BASKET_COPY: &[Row] = &copies!(C::Basket, basket_copy);

const fn owned_row(
    keys: &'static [&'static str],
    what: Owned,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Owned, keys, Command::Owned(what), name, title, help)
}

static OWNED: &[Row] = &[
    owned_row(
        &["Enter"],
        Owned::Open,
        "open",
        "Open the contact and its receipt",
        "Verification, refund, source search.",
    )
    .when(a_row)
    .foot(100, "open"),
    owned_row(&["t"], Owned::Tag, "tag", "Tag the contact", "Words separated by commas.").when(a_row).foot(95, "tag"),
    owned_row(&["m"], Owned::Note, "note", "Write a note", "Kept on this computer only.").when(a_row).foot(90, "note"),
    owned_row(&["e"], Owned::Export, "export", "Export", "Again and for free.").when(a_row).foot(85, "export"),
    owned_row(
        &["D"],
        Owned::Forget,
        "forget",
        "Remove the contact from this computer",
        "Asks first. Your workspace still owns it.",
    )
    .when(a_row)
    .destroys()
    .foot(70, "forget"),
    owned_row(&["/"], Owned::Find, "find", "Find", "Type to narrow the list.").foot(80, "find"),
];

static OWNED_COPY: &[Row] = &copies!(C::Owned, owned_copy);

const fn saved_row(
    keys: &'static [&'static str],
    what: Saved,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Saved, keys, Command::Saved(what), name, title, help)
}

static SAVED: &[Row] = &[
    saved_row(&["Enter"], Saved::Run, "run", "Run the search", "Total then and now.").when(a_row).foot(100, "run"),
    saved_row(
        &["+"],
        Saved::RunNew,
        "run-new",
        "Run it and show only what is new",
        "Rows that were not in the last run.",
    )
    .when(a_row)
    .foot(95, "new only"),
    saved_row(&["r"], Saved::Rename, "rename", "Rename", "Here, and on the service if possible.")
        .when(a_row)
        .foot(90, "rename"),
    saved_row(&["e"], Saved::Edit, "edit", "Edit the filters", "Opens it on the Search screen.")
        .when(a_row)
        .foot(85, "edit"),
    saved_row(&["D"], Saved::Delete, "delete", "Delete", "Asks first.").when(a_row).destroys().foot(80, "delete"),
    saved_row(&["y"], Saved::CopyCommand, "copy-command", "Copy as shell command", "The line that runs it in a shell.")
        .when(a_row)
        .foot(75, "copy"),
    saved_row(&["/"], Saved::Find, "find", "Find", "Type to narrow the list.").foot(70, "find"),
];

const fn counts_row(
    keys: &'static [&'static str],
    what: Counts,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Counts, keys, Command::Counts(what), name, title, help)
}

static COUNTS: &[Row] = &[
    counts_row(&["Space"], Counts::Mark, "mark", "Mark", "Marks become filters of the search.")
        .when(a_row)
        .foot(100, "mark"),
    counts_row(&["Enter"], Counts::Apply, "apply", "Make the marks a filter", "Goes to Search with them.")
        .when(a_row)
        .foot(95, "filter"),
    counts_row(&["v"], Counts::View, "view", "Change the view", "Map, bars, SIC table.").foot(90, "view"),
    counts_row(&["/"], Counts::Find, "find", "Find", "A state or a code, by its name.").foot(85, "find"),
    counts_row(&["R"], Counts::Again, "again", "Refresh", "The service caches its counts.").foot(80, "again"),
    counts_row(&["y c"], Counts::CopyCommand, "copy-command", "Copy as shell command", SAME_IN_A_SHELL)
        .foot(20, "copy"),
];

const fn jobs_row(
    keys: &'static [&'static str],
    what: Jobs,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Jobs, keys, Command::Jobs(what), name, title, help)
}

static JOBS: &[Row] = &[
    jobs_row(&["Enter"], Jobs::Open, "open", "Open the job", "Its result or its receipt.")
        .when(a_row)
        .foot(100, "open"),
    jobs_row(&["c"], Jobs::Cancel, "cancel", "Cancel the job", "Asks what to keep.")
        .when(a_row)
        .destroys()
        .foot(95, "cancel"),
    jobs_row(&["r"], Jobs::Retry, "retry", "Retry what failed", "An unlock goes through the money dialog.")
        .when(a_row)
        .money()
        .foot(90, "retry"),
    jobs_row(&["e"], Jobs::Export, "export", "Export the result", "The rows of this job.")
        .when(a_row)
        .foot(85, "export"),
    jobs_row(&["y c"], Jobs::CopyCommand, "copy-command", "Copy as shell command", SAME_IN_A_SHELL).foot(20, "copy"),
];

const fn match_row(
    keys: &'static [&'static str],
    what: Match,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Match, keys, Command::Match(what), name, title, help)
}

static MATCH: &[Row] = &[
    match_row(&["o"], Match::Open, "open", "Open a list of accounts", "A CSV with a column of companies or domains.")
        .foot(100, "open a list"),
    match_row(&["Enter"], Match::Start, "start", "Start, resume, or show the account", "Matching is free.")
        .when(a_row)
        .foot(95, "start/show"),
    match_row(&["c"], Match::Stop, "stop", "Stop the match", "What was answered is kept.").when(a_row).foot(90, "stop"),
    match_row(
        &["Space"],
        Match::Stage,
        "stage",
        "Add the account's contacts to the basket",
        "Only of a matched account.",
    )
    .when(a_row)
    .foot(85, "add"),
    match_row(&["A"], Match::StageAll, "stage-all", "Add the contacts of all matched accounts", "Each contact once.")
        .when(a_row)
        .foot(80, "add all"),
    match_row(&["L"], Match::Likely, "likely", "Look for the contacts in the Workspace", LIKELY)
        .when(a_row)
        .foot(75, "find in Workspace"),
    match_row(&["+"], Match::StageLikely, "stage-likely", "Add what is likely the same", "To the Workspace's basket.")
        .when(a_row)
        .foot(70, "add likely"),
    match_row(&["e"], Match::Export, "export", "Export the contacts", "Of all matched accounts.")
        .when(a_row)
        .foot(65, "export"),
    match_row(&["y c"], Match::CopyCommand, "copy-command", "Copy as shell command", SAME_IN_A_SHELL)
        .when(a_row)
        .foot(20, "copy"),
];

const LIKELY: &str = "Contacts of the Data API: one free, narrow search each. Ids of the two services differ.";

static DIALOGS: &[Row] = &[
    row(
        C::Money,
        &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
        Command::Money(Money::Digit),
        "digit",
        "Type the amount",
        "The number of credits to confirm.",
    )
    .fixed(),
    row(
        C::Money,
        &["Backspace"],
        Command::Money(Money::Backspace),
        "backspace",
        "Remove the last digit",
        "The field starts empty.",
    )
    .fixed(),
    row(
        C::Money,
        &["Enter"],
        Command::Money(Money::Confirm),
        "confirm",
        "Unlock for the typed amount",
        "Only if the number matches the total and fits balance and caps.",
    )
    .money()
    .fixed()
    .foot(100, "unlock"),
    row(
        C::Money,
        &["s"],
        Command::Money(Money::Suppressed),
        "suppressed",
        "Show what is suppressed",
        "Which rows, and by which list.",
    )
    .only(suppressed)
    .foot(90, "suppressed"),
    row(
        C::Money,
        &["r"],
        Command::Money(Money::DropRisky),
        "drop-risky",
        "Exclude or include risky emails",
        "They stay in the basket.",
    )
    .only(risky)
    .foot(85, "risky"),
    row(
        C::Money,
        &["d"],
        Command::Money(Money::DropDuplicates),
        "drop-duplicates",
        "Exclude or include duplicates",
        "Rows that show the same person, company and email as an earlier one.",
    )
    .only(duplicates)
    .foot(84, "duplicates"),
    row(
        C::Money,
        &["V"],
        Command::Money(Money::Verification),
        "verification",
        "Turn verification on or off",
        "Off: no refunds.",
    )
    .only(a_choice)
    .foot(80, "verification"),
    row(
        C::Money,
        &["Esc"],
        Command::Money(Money::Back),
        "back",
        "Go back",
        "Nothing is sent; the basket is unchanged.",
    )
    .fixed()
    .foot(75, "back"),
    row(
        C::Recovery,
        &["Enter"],
        Command::Recovery(Recovery::Look),
        "look",
        "Check (free)",
        "Searches again; owned rows come back complete.",
    )
    .foot(100, "check"),
    row(
        C::Recovery,
        &["F"],
        Command::Recovery(Recovery::Finish),
        "finish",
        "Finish the batch",
        "Sends the identical contacts again, after a review.",
    )
    .when(may_unlock)
    .money()
    .foot(90, "finish"),
    row(
        C::Recovery,
        &["Esc"],
        Command::Recovery(Recovery::Keep),
        "keep",
        "Later",
        "Nothing is sent; the result stays unknown.",
    )
    .fixed()
    .foot(80, "later"),
    row(
        C::Summary,
        &["e"],
        Command::Summary(Summary::Export),
        "export",
        "Export exactly these contacts",
        "Free, without a request.",
    )
    .foot(100, "export"),
    row(
        C::Summary,
        &["Enter"],
        Command::Summary(Summary::Open),
        "open",
        "Show what was bought",
        "Every contact with all that was bought.",
    )
    .foot(95, "details"),
    row(
        C::Summary,
        &["r"],
        Command::Summary(Summary::Receipt),
        "receipt",
        "Show the receipt",
        "Every order with what was asked, charged and refunded.",
    )
    .foot(90, "receipt"),
    row(
        C::Summary,
        &["y e"],
        Command::Summary(Summary::Copy(Copy::Email)),
        "copy-email",
        "Copy the email",
        "Of several contacts all, a line each.",
    )
    .foot(85, "copy"),
    row(
        C::Summary,
        &["y p"],
        Command::Summary(Summary::Copy(Copy::Phone)),
        "copy-phone",
        "Copy the phone",
        "Of several contacts all, a line each.",
    ),
    row(C::Ask, &["Enter"], Command::Ask(Ask::Choose), "choose", "Choose this answer", "Does what the line says.")
        .fixed()
        .foot(100, "choose"),
    row(C::Ask, &["Down", "j", "Tab"], Command::Ask(Ask::Next), "next", "Go to the next answer", "Downwards.")
        .foot(90, "next"),
    row(
        C::Ask,
        &["Up", "k", "Shift-Tab"],
        Command::Ask(Ask::Previous),
        "previous",
        "Go to the previous answer",
        "Upwards.",
    ),
    row(C::Ask, &["Esc"], Command::Ask(Ask::Leave), "leave", "Cancel", "Changes nothing.").fixed().foot(80, "cancel"),
];

const fn text_row(
    keys: &'static [&'static str],
    what: Text,
    name: &'static str,
    title: &'static str,
    help: &'static str,
) -> Row {
    row(C::Text, keys, Command::Text(what), name, title, help)
}

static TEXT: &[Row] = &[
    text_row(&["Enter"], Text::Submit, "submit", "Run", "Uses what is typed, or the marked line.")
        .fixed()
        .foot(100, "run"),
    text_row(&["Esc"], Text::Leave, "leave", "Leave the field", "Discards what was typed.").fixed().foot(90, "cancel"),
    text_row(&["Tab"], Text::Complete, "complete", "Take the suggestion", "The marked one.")
        .only(suggestions)
        .foot(80, "suggestion"),
    text_row(&["Down", "Ctrl-n"], Text::Next, "next", "Mark the next line", "Suggestions and earlier values.")
        .only(suggestions)
        .foot(70, "next"),
    text_row(
        &["Up", "Ctrl-p"],
        Text::Previous,
        "previous",
        "Mark the previous line",
        "Suggestions and earlier values.",
    )
    .only(suggestions),
    text_row(&["Left"], Text::Left, "left", "Move left", "One letter."),
    text_row(&["Right", "Ctrl-f"], Text::Right, "right", "Move right", "One letter."),
    text_row(&["Ctrl-Left"], Text::WordLeft, "word-left", "Move a word left", "To its beginning."),
    text_row(&["Ctrl-Right"], Text::WordRight, "word-right", "Move a word right", "To the next one."),
    text_row(&["Home", "Ctrl-a"], Text::Home, "home", "Move to the beginning", "Of the field."),
    text_row(&["End", "Ctrl-e"], Text::End, "end", "Move to the end", "Of the field."),
    text_row(&["Backspace"], Text::DeleteBack, "delete-back", "Delete backwards", "One letter."),
    text_row(&["Del", "Ctrl-d"], Text::DeleteForward, "delete-forward", "Delete forwards", "One letter."),
    text_row(&["Ctrl-w"], Text::DeleteWord, "delete-word", "Delete the word before", "<text.yank> puts it back."),
    text_row(&["Ctrl-u"], Text::DeleteToStart, "delete-to-start", "Delete to the beginning", "All before the cursor."),
    text_row(&["Ctrl-k"], Text::DeleteToEnd, "delete-to-end", "Delete to the end", "All after the cursor."),
    text_row(&["Ctrl-y"], Text::Yank, "yank", "Paste what was cut", "What was cut last."),
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
    for context in Context::ALL {
        let here: Vec<&Row> = rows().filter(|row| row.context == context && !row.keys.is_empty()).collect();
        if here.is_empty() {
            continue;
        }
        out.push_str(&format!("\n**{}**\n\n| key | what it does |\n|---|---|\n", context.title()));
        for row in here {
            let keys = if row.keys.len() == 10 {
                "digits".to_owned()
            } else {
                row.keys.iter().map(|keys| format!("`{}`", keys.replace('|', "\\|"))).collect::<Vec<_>>().join(" ")
            };
            out.push_str(&format!("| {keys} | {}. {} |\n", row.title, row.help.replace('|', "\\|")));
        }
    }
    out.push_str(&format!("\n**Commands of your own**\n\n```toml\n{}```\n\n", super::sample::EXAMPLE));
    out.push_str(&super::sample::WORDS.join("\n"));
    out.push_str("\n\n");
    out
}
