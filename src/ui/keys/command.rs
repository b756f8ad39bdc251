//! All commands of the screen: each is declared once, with its keys, its words and its conditions. A catalog, hence long.
//!
//! A row is read by the resolver, the footer, the help, the palette, the hints under the mouse and the README. Rows are in
//! the order in which the help shows them; the footer orders by rank. Each screen matches its own commands exhaustively.

use lode_core::{LeadKind, Source};
use strum::{Display, VariantArray};
use tui_input::InputRequest::{self, *};

use super::situation::{Chain, Context, Situation, chain};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    Always(Always),
    App(App),
    List(List),
    Results(Results),
    Filters(Filters),
    Columns(ColumnsCommand),
    Basket(BasketCommand),
    Owned(OwnedCommand),
    Saved(SavedCommand),
    Counts(CountsCommand),
    Jobs(Jobs),
    Match(MatchCommand),
    Money(MoneyCommand),
    Recovery(RecoveryCommand),
    Summary(SummaryCommand),
    /// Of a text field or a list.
    Text(TextCommand),
    /// Of the row under the cursor, or of what the last order bought.
    Copy(Copy),
    /// Leads from it to another program: to this one, or to any, after asking where there are several.
    Open(Option<LeadKind>),
    /// One of the person's own, by its place in the keymap.
    Own(usize),
}

/// In the order of the tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, VariantArray)]
pub enum Screen {
    /// Where everything begins.
    #[default]
    Search,
    Basket,
    Owned,
    Saved,
    Counts,
    Jobs,
    Match,
}

impl Screen {
    /// The contexts in which its keys are looked up; while a pane or field of Search has them, Search knows others.
    pub fn chain(self) -> Chain {
        chain::EVERY[self as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copy {
    Email,
    Phone,
    Name,
    Row,
    Json,
    Link,
}

/// What a key is for, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Choose,
    Search,
    Move,
    Copy,
    Screens,
    Program,
}

/// Keys or other names.
type Names = &'static [&'static str];

/// What has to be so for a command to do something, and the sentence that is shown where it is not.
pub type Condition = (fn(&Situation) -> bool, &'static str);

#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    pub context: Context,
    /// Each a chord or a sequence. None: reached through the palette.
    pub keys: Names,
    pub command: Command,
    /// As in `[keys.CONTEXT]` of the config: unique within its context.
    pub name: &'static str,
    /// Verb first.
    pub title: &'static str,
    pub help: &'static str,
    /// Place in the footer (higher is further to the left) and the word shown there.
    pub footer: Option<(u8, &'static str)>,
    /// All of them have to be met; the first that is not says why.
    pub needs: &'static [Condition],
    /// Under which heading the help has it.
    pub group: Group,
    /// Cannot be bound to another key.
    pub fixed: bool,
    /// Other names that people type in the palette.
    pub aliases: Names,
    /// False where the command means nothing: its key is free there, and no footer or list names it.
    pub applies: fn(&Situation) -> bool,
    /// Whether the menu of a row lists it, if it can be given.
    pub in_menu: fn(&Situation) -> bool,
}

/// The rows of a context: each a command, its name and keys, what it is called and what it does, then what else holds for it.
macro_rules! rows {
    ($context:ident: $($command:ident($($which:tt)*) $name:literal $keys:tt : $title:literal $help:tt
        $(. $then:ident ($($with:tt)*))* ;)*) => {
        &[$(KeyRow::new(Context::$context, Command::$command($($which)*), &$keys, [$name, $title, $help])
            $(.$then($($with)*))*),*]
    };
}

/// The commands of a context as an enum, and the table of its rows. A row of a command from elsewhere begins with `=`; variants
/// without a row of their own are behind `with`.
macro_rules! commands {
    ($(#[$doc:meta])* $vis:vis enum $commands:ident in $context:ident, $rows:ident
        $(, with $($(#[$note:meta])* $more:ident $(($of:ty))?),+)?:
        $($($(#[$about:meta])* $command:ident)? $(= $other:ident($which:expr))? $name:literal $keys:tt
            : $title:literal $help:tt $(. $then:ident ($($with:tt)*))* ;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $commands {
            $($($(#[$about])* $command,)?)*
            $($($(#[$note])* $more $(($of))?),+)?
        }

        static $rows: &[KeyRow] = rows! { $context:
            $($($context($commands::$command))? $($other($which))? $name $keys: $title $help $(.$then($($with)*))*;)*
        };
    };
}

impl KeyRow {
    /// A row without conditions that no footer shows. `words` are its name, title and help.
    pub(super) const fn new(context: Context, command: Command, keys: Names, words: [&'static str; 3]) -> KeyRow {
        let [name, title, help] = words;
        let group = match (context, command) {
            (_, Command::App(App::Go(_))) => Group::Screens,
            (Context::Filters, _) => Group::Search,
            (Context::List, _) => Group::Move,
            (Context::App | Context::Always, _) => Group::Program,
            _ => Group::Choose,
        };
        KeyRow {
            context,
            keys,
            command,
            name,
            title,
            help,
            footer: None,
            needs: &[],
            group,
            fixed: false,
            aliases: &[],
            applies: |_| true,
            in_menu: |_| false,
        }
    }

    const fn foot(self, rank: u8, word: &'static str) -> KeyRow {
        KeyRow { footer: Some((rank, word)), ..self }
    }

    pub(super) const fn when(self, needs: &'static [Condition]) -> KeyRow {
        KeyRow { needs, ..self }
    }

    /// Only with a row under the cursor.
    const fn on_row(self) -> KeyRow {
        self.when(&[A_ROW])
    }

    pub(super) const fn fixed(self) -> KeyRow {
        KeyRow { fixed: true, ..self }
    }

    const fn group(self, group: Group) -> KeyRow {
        KeyRow { group, ..self }
    }

    const fn also(self, aliases: Names) -> KeyRow {
        KeyRow { aliases, ..self }
    }

    const fn listed(self) -> KeyRow {
        self.listed_if(|_| true)
    }

    const fn listed_if(self, in_menu: fn(&Situation) -> bool) -> KeyRow {
        KeyRow { in_menu, ..self }
    }

    const fn only(self, applies: fn(&Situation) -> bool) -> KeyRow {
        KeyRow { applies, ..self }
    }

    /// Whether it can be given now; the error is the reason why not.
    pub fn enabled(&self, situation: &Situation) -> Result<(), &'static str> {
        self.needs.iter().find(|(is_met, _)| !is_met(situation)).map_or(Ok(()), |(_, reason)| Err(reason))
    }

    /// Whether it does something now: a footer names no other.
    pub fn is_usable(&self, situation: &Situation) -> bool {
        (self.applies)(situation) && self.enabled(situation).is_ok()
    }

    /// Only on the grid itself, not where a contact lies over it.
    const fn grid(self) -> KeyRow {
        self.only(|s| !s.contact_open)
    }
}

const A_ROW: Condition = (|s| s.has_row, "No row under the cursor.");
pub(crate) const A_ROW_TO_SEND: Condition = (|s| s.has_row, "No row to send.");
const AN_ID: Condition = (|s| s.row_has_id, "This row has no id, so it cannot be added to the basket.");
const RUNNING: Condition = (|s| s.row_runs, "Finished.");
const ENDED: Condition = (|s| !s.row_runs, "It is still running. <jobs.cancel> cancel it.");
const BOUGHT: Condition = (|s| s.has_bought, "Nothing was unlocked.");
const OWNED_ROW: Condition = (|s| s.row_owned, "Tags and notes are for owned contacts.");
const NOT_OWNED: Condition = (|s| !s.row_owned, "You own this contact already.");
const A_LEAD: Condition = (
    |s| s.leads.contains(&true),
    "Nothing to open: this row has no website, profile, email or phone that is not masked.",
);
const A_MAIL: Condition = (|s| s.leads[1], "This row has no email, or a masked one.");
const A_PHONE: Condition = (|s| s.leads[2], "This row has no phone number, or a masked one.");
const A_LINK: Condition = (|s| s.has_link, "This row has no link.");
const RESULTS_HERE: Condition = (|s| s.has_results, "No results yet. <results.main-field> search.");
const STAGED: Condition = (|s| s.staged > 0, "The basket is empty. <results.stage> add a row.");
const STAGED_OR_A_ROW: Condition = (|s| s.staged > 0 || s.row_has_id, STAGED.1);
const IN_WORKSPACE: fn(&Situation) -> bool = |s| s.source == Source::Workspace;
const WORKSPACE: Condition =
    (IN_WORKSPACE, "Only the Workspace knows which contacts you own. <everywhere.source> switch the source.");
const DATA: Condition =
    (|s| s.source == Source::Data, "Only the Data API has pulled rows. <everywhere.source> switch the source.");
const UNLOCKABLE: Condition =
    (IN_WORKSPACE, "Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.");
const A_KEY_TO_UNLOCK: Condition =
    (|s| s.has_workspace, "This profile has no Workspace key, which unlocking needs. <everywhere.profiles> add one.");
const MAY_UNLOCK: Condition =
    (|s| s.may_unlock != Some(false), "This key may only search. <everywhere.profiles> switch the key.");
const A_BATCH_TO_FINISH: Condition = (|s| s.can_finish, "Nothing can be sent again. <recovery.look> check (free).");
/// The other source has a key too.
const OTHER_IS_DATA: Condition =
    (|s| s.source == Source::Data || s.has_data, "This profile has no Data API key. <everywhere.profiles> add one.");
const OTHER_IS_WORKSPACE: Condition = (
    |s| s.source == Source::Workspace || s.has_workspace,
    "This profile has no Workspace key. <everywhere.profiles> add one.",
);

commands! {
    /// Everywhere outside a text field.
    pub enum App in App, EVERYWHERE, with
        Go(Screen),
        /// The shell command that shows what the screen shows. The contexts that have one name it.
        CopyCommandLine,
        /// What can be done with the row under the cursor. The contexts that have rows name it.
        RowMenu:
    Help "help" ["?"]: "Show help" "Lists the keys of this screen; type to filter." .foot(1, "help");
    Palette "commands" [":"]:
        "Run a command" "Finds a command by its words; each line shows its key." .foot(10, "commands");
    = List(List::Top) "first-row" ["g g"]: "First row" "Moves the cursor to the first row." .group(Group::Move);
    = App(App::Go(Screen::Search)) "search" ["g s", "F2"]: "Go to Search" "Filter pane, result grid, contact pane.";
    = App(App::Go(Screen::Basket)) "basket" ["g b", "F3"]:
        "Go to the Basket" "Staged rows and what they would cost." .also(&["cart"]);
    = App(App::Go(Screen::Owned)) "owned" ["g o", "F4"]: "Go to Owned" "Every contact you own.";
    = App(App::Go(Screen::Saved)) "saved" ["g v", "F5"]: "Go to Saved" "Saved searches and what is new in them.";
    = App(App::Go(Screen::Counts)) "counts" ["g c", "F6"]: "Go to Counts" "Totals per state and SIC code.";
    = App(App::Go(Screen::Jobs)) "jobs" ["g j", "F7"]: "Go to Jobs" "Unlocks, exports and scans.";
    = App(App::Go(Screen::Match)) "match" ["g a", "F8"]:
        "Match accounts" "A CSV or .xlsx of companies or domains in, their contacts out." .also(&["accounts"]);
    History "history" ["g h"]: "Show the history" "Every search of this profile, newest first." .group(Group::Screens);
    Receipts "receipts" ["g r"]:
        "Show the receipts" "Every order with what was asked, charged and refunded." .group(Group::Screens);
    MaskMode "mask" ["g m"]: "Mask owned contacts" "Hides owned emails and phone numbers while you share the screen.";
    LastError "last-error" ["g e"]: "Show the last error" "The last error in full, and where the log is."
        .when(&[(|s| s.has_error, "No errors.")]).group(Group::Screens);
    SidePanes "panes" ["F9"]:
        "Choose the panes" "All panes, the grid with the contact, the grid alone." .only(|s| !s.dialog_open);
    NextPane "next-pane" ["Tab"]: "Next pane" "Filter pane, results, contact pane." .only(|s| !s.dialog_open)
        .group(Group::Move);
    PreviousPane "previous-pane" ["Shift-Tab"]: "Previous pane" "In the other direction."
        .only(|s| !s.dialog_open).group(Group::Move);
    Escape "escape" ["Esc"]: "Close or cancel"
        "Closes a dialog, ends a range or stops a search. Never quits or stops a job." .fixed().foot(26, "close");
    Back "back" ["q", "Ctrl-o"]:
        "Go back or quit" "Quits from Search. Everything is kept. Asks first if a job is running." .foot(5, "back");
    Undo "undo" ["u"]:
        "Undo" "Undoes changes of the basket, filters and marks." .when(&[(|s| s.can_undo, "Nothing to undo.")]);
    Redo "redo" ["Ctrl-r"]: "Redo" "Repeats what was undone." .when(&[(|s| s.can_redo, "Nothing to redo.")]);
    OtherCorpus "corpus" ["w", "g n"]: "Switch the corpus" "us or linkedin; each keeps its own search and basket."
        .only(|s| !s.dialog_open).foot(30, "corpus").group(Group::Search);
    OtherSource "source" ["W", "g d"]: "Switch the source" "Workspace or Data API; filters carry over where they exist."
        .only(|s| !s.dialog_open).when(&[OTHER_IS_DATA, OTHER_IS_WORKSPACE]).group(Group::Search);
    Profiles "profiles" ["P"]: "Show profiles and keys" "Add, switch and check keys." .foot(25, "profile")
        .group(Group::Screens);
    LastRequest "last-request" ["i"]: "Show the last request" "The request and its response, without secrets."
        .when(&[(|s| s.has_request, "No requests yet.")]).group(Group::Screens);
    MouseCapture "mouse" ["%"]: "Toggle mouse capture" "Without capture the terminal selects text as usual.";
    /// Unlocks without an outcome.
    Unknown "unknown" []:
        "Show unknown results" "Unlocks without a response: check for free, finish or keep." .group(Group::Screens);
    Themes "theme" []:
        "Choose a theme" "Lists the themes and shows each as you move; <text.submit> keeps it for the profile, <text.leave> goes back.";
    /// The files and rules that are in force.
    Settings "settings" []:
        "Show the settings" "Files, theme, motion, spending limits and choosing rules, and where to edit them."
        .also(&["config", "preferences"]);
    ScoreRules "score-rules" []:
        "Show the score rules" "Each rule of `score.toml` with its points." .also(&["score", "scores"]);
    /// How commands of the person's own are made.
    OwnCommands "own-commands" []: "Commands of your own"
        "Shows how `config.toml` binds a program of yours to rows: results, basket, owned." .also(&["crm", "commands"]);
    Tour "tour" []: "Start or end the tour" "Shows what to try next; only in the demo."
        .when(&[(|s| s.demo, "The tour runs only in lode demo.")]);
    Quit "quit" []:
        "Quit lode" "Everything is kept. Asks first if a job is running." .also(&["q", "quit", "exit", "wq"]);
}

commands! {
    /// Means the same wherever one is, in a text field too.
    pub enum Always in Always, ALWAYS:
    Interrupt "interrupt" ["Ctrl-c"]: "Stop what is running"
        "Stops a search or the newest job (an unlock: after its current request); twice within 2 s quits." .fixed();
    Suspend "suspend" ["Ctrl-z"]: "Suspend" "Returns to the shell; `fg` resumes." .fixed();
    Repaint "repaint" ["Ctrl-l"]: "Repaint the screen" "Draws the screen again.";
}

static DIALOGS: &[KeyRow] = rows! { Dialog:
    App(App::Help) "help" ["?"]: "Show help" "Lists the keys of this dialog." .foot(1, "help").group(Group::Program);
};

commands! {
    pub enum List in List, LISTS:
    Down "down" ["j", "Down"]: "Move down" "A count before it moves that many rows.";
    Up "up" ["k", "Up"]: "Move up" "A count before it moves that many rows.";
    Left "left" ["h", "Left"]: "Move left" "Selects the cell that <results.filter-by-cell> filters by.";
    Right "right" ["l", "Right"]: "Move right" "Selects the cell that <results.filter-by-cell> filters by.";
    HalfDown "half-down" ["Ctrl-d"]: "Half screen down" "Half of the visible rows.";
    HalfUp "half-up" ["Ctrl-u"]: "Half screen up" "Half of the visible rows.";
    PageDown "page-down" ["PgDn"]: "One screen down" "All visible rows.";
    PageUp "page-up" ["PgUp"]: "One screen up" "All visible rows.";
    NextServicePage "next-page" ["]", "."]: "Next page" "The first row of the next page of the service.";
    PreviousServicePage "previous-page" ["[", ","]: "Previous page" "The first row of the page before.";
    Top "top" ["Home"]: "Go to the top" "The first row.";
    Last "last" ["G", "End"]: "Last row" "A number before it goes to that row; one request, however deep.";
    FirstColumn "first-column" ["0"]: "First column" "After a digit, 0 is part of a count.";
    LastColumn "last-column" ["$", "g l"]: "Last column" "The rightmost column.";
    Find "find" ["Ctrl-f"]: "Find in the rows" "Searches all rows that were read.";
    FindNext "find-next" ["n"]: "Find the next" "Downwards, then from the top.";
    FindPrevious "find-previous" ["N"]: "Find the previous" "Upwards, then from the bottom.";
}

commands! {
    pub enum Results in Results, RESULTS:
    Stage "stage" ["Space"]:
        "Add or remove row" "Puts it in the basket or takes it out, then moves down. Costs nothing."
        .when(&[A_ROW, AN_ID]).foot(100, "basket").listed_if(|s| !s.row_owned);
    Range "range" ["v"]:
        "Start or end a range" "<results.stage> then adds all of it." .grid().on_row().foot(52, "range");
    StagePage "stage-page" ["a"]:
        "Add this page" "Adds all loaded rows of the page to the basket." .grid().on_row().foot(90, "page");
    StageAll "stage-all" ["A"]: "Add all matches" "Adds matches to the basket, up to a number that you type." .grid()
        .when(&[RESULTS_HERE]).foot(51, "all");
    EmptyBasket "empty-basket" ["X"]: "Empty the basket" "<everywhere.undo> undoes it." .grid().when(&[STAGED]);
    Unlock "unlock" ["U"]:
        "Review and unlock" "The basket, or this row if it is empty. Nothing is sent before you confirm."
        .when(&[UNLOCKABLE, A_KEY_TO_UNLOCK, MAY_UNLOCK, STAGED_OR_A_ROW]).foot(80, "unlock");
    UnlockRow "unlock-row" []: "Unlock this contact" "Reviews this row alone. Nothing is sent before you confirm."
        .when(&[UNLOCKABLE, A_KEY_TO_UNLOCK, MAY_UNLOCK, A_ROW, AN_ID, NOT_OWNED]).listed();
    MainField "main-field" ["/"]:
        "Search" "The main text field: title on the Workspace, query on the Data API. Typing replaces its value."
        .grid().foot(75, "search").group(Group::Search);
    PickFilter "filter" ["f"]: "Set a filter" "Pick a field, then a value." .grid().foot(70, "filter")
        .group(Group::Search);
    ClearFilters "clear-filters" ["F"]: "Clear all filters" "<everywhere.undo> undoes it." .grid().group(Group::Search);
    FilterByCell "filter-by-cell" ["="]:
        "Filter by this cell" "The value under the cursor becomes a filter, if that column can be filtered."
        .grid().on_row().group(Group::Search);
    ExcludeByCell "exclude-by-cell" ["-"]: "Exclude this cell"
        "Hides this company, domain or title word, on this side: nothing is sent." .grid().on_row().foot(65, "exclude");
    /// What is left out, all kinds of it.
    Exclusions "exclusions" ["E"]: "Exclude"
        "By title, company, domain or suppression list; dimmed and never added by <results.stage-page> or <results.stage-all>."
        .grid();
    PerCompany "per-company" ["L"]: "Limit per company" "Used when adding and reviewing; best first." .grid();
    HideOwned "hide-ours" ["H"]: "Hide owned" "Leaves out contacts you own." .grid().when(&[WORKSPACE]).group(Group::Search);
    HidePulled "hide-pulled" ["p"]:
        "Hide pulled rows" "Leaves out rows that were pulled." .grid().when(&[DATA]).group(Group::Search);
    MarkPulled "mark-pulled" ["M"]:
        "Mark page as pulled" "Records the ids of this page for the user of this key. Cannot be undone; asks first."
        .grid().when(&[DATA, RESULTS_HERE]);
    Open "open" ["Enter"]: "Open the contact" "Once more shows all fields as they came." .on_row().listed();
    Columns "columns" ["d"]:
        "Choose the columns" "Show, hide and order them; remembered per side." .grid().group(Group::Search);
    Views "views" ["V"]:
        "Choose a view" "A named set of columns, widths and sort; <everywhere.commands> `view save NAME` keeps the present one."
        .grid().also(&["view"]).group(Group::Search);
    Narrower "narrower" ["<"]: "Narrow the column" "The column under the cursor." .grid().group(Group::Search);
    Wider "wider" [">"]: "Widen the column" "The column under the cursor." .grid().group(Group::Search);
    Order "order" ["o"]: "Sort by this column" "All rows that were read; press again for the service's order." .grid()
        .also(&["sort"]).when(&[RESULTS_HERE]).group(Group::Search);
    OrderBack "order-back" ["O"]:
        "Sort descending" "All rows that were read." .grid().when(&[RESULTS_HERE]).group(Group::Search);
    ReadFirst "read-first" ["+"]:
        "Read the first 5,000" "In the background and free: sorting and finding are then over them. <everywhere.escape> stops."
        .grid().also(&["read"]).when(&[RESULTS_HERE]).group(Group::Search);
    Export "export" ["e"]:
        "Export" "Basket, selection or all matches, in a format you choose." .when(&[RESULTS_HERE]).foot(60, "export");
    Save "save" ["s"]:
        "Save this search" "Under a name; <results.recall> recalls it." .grid().foot(55, "save").group(Group::Search);
    = App(App::History) "recall" ["r"]:
        "Recall a search" "Recent and saved searches." .grid().foot(50, "recall").group(Group::Search);
    FetchAgain "fetch-again" ["R"]:
        "Refresh" "Runs the search again; a result never changes by itself." .grid().group(Group::Search);
    Tag "tag" ["t"]:
        "Tag the contact" "For owned contacts; kept on this computer." .when(&[A_ROW, AN_ID, OWNED_ROW]).listed();
    Note "note" ["m"]:
        "Write a note" "For owned contacts; kept on this computer." .when(&[A_ROW, AN_ID, OWNED_ROW]).listed();
    Suppress "suppress" ["x"]: "Suppress the contact"
        "lode will never unlock it, or anyone at its domain. The lists are on the Basket screen." .on_row().listed();
    ExcludeCompany "exclude-company" []:
        "Exclude this company" "Hides its contacts, on this side: nothing is sent." .on_row().listed();
}

commands! {
    pub enum Filters in Filters, FILTERS:
    Edit "edit" ["Enter"]: "Edit this filter" "Opens its field or its list of values." .foot(100, "edit");
    Toggle "toggle" ["Space"]: "Switch on or off" "Hide owned, hide pulled, drop duplicates." .foot(90, "toggle");
    Clear "clear" ["Backspace"]: "Clear this filter" "<everywhere.undo> undoes it." .foot(85, "clear");
    AddValue "add-value" ["a"]: "Add a value"
        "Combines results from several values. Several industries stay one search." .foot(80, "add value");
    = Results(Results::ClearFilters) "clear-all" ["F"]:
        "Clear all filters" "<everywhere.undo> undoes it." .foot(75, "clear all");
}

commands! {
    pub enum ColumnsCommand in Columns, COLUMNS:
    = Text(TextCommand::Mark) "toggle" ["Space"]:
        "Show or hide the column" "Hidden columns are still in the contact and in exports." .foot(100, "show");
    = Text(TextCommand::Submit) "done" ["Enter"]:
        "Close the list" "The choice is remembered per side." .foot(70, "done");
    Later "later" ["J"]: "Move the column to the right" "One place." .foot(90, "right");
    Earlier "earlier" ["K"]: "Move the column to the left" "One place." .foot(85, "left");
    Reset "reset" ["X"]: "Reset the columns" "Order, widths and what is shown." .foot(80, "reset");
}

commands! {
    pub enum BasketCommand in Basket, BASKET:
    Unstage "unstage" ["Space"]:
        "Remove the row from the basket" "<everywhere.undo> undoes it." .on_row().foot(100, "remove").listed();
    Unlock "unlock" ["U"]:
        "Review and unlock" "Nothing is sent before you confirm." .when(&[UNLOCKABLE, A_KEY_TO_UNLOCK, MAY_UNLOCK, STAGED]).foot(95, "unlock");
    Empty "empty" ["X"]: "Empty the basket" "<everywhere.undo> undoes it." .grid().when(&[STAGED]).foot(90, "empty");
    Suppressions "suppressions" ["S"]:
        "Show the suppression lists" "Add a CSV or .xlsx file, or remove a list." .foot(85, "lists");
    Request "request" ["Q", "I"]: "Answer an assistant" "Review what it asks to unlock, type the amount, or decline.";
    Open "open" ["Enter"]: "Open the contact" "As it was added. Once more shows all fields as they came." .on_row().listed();
    Export "export" ["e"]: "Export the basket" "Free, without a request." .when(&[STAGED]).foot(80, "export");
}

commands! {
    pub enum OwnedCommand in Owned, OWNED:
    Open "open" ["Enter"]:
        "Open the contact and its receipt" "Once more shows all fields as they came." .on_row().foot(100, "open").listed();
    Tag "tag" ["t"]: "Tag the contact" "Words separated by commas." .on_row().foot(95, "tag").listed();
    Note "note" ["m"]: "Write a note" "Kept on this computer only." .on_row().foot(90, "note").listed();
    Export "export" ["e"]: "Export" "Again and for free." .on_row().foot(85, "export");
    Forget "forget" ["D"]: "Remove the contact from this computer" "Asks first. Your workspace still owns it."
        .on_row().foot(70, "forget");
    Find "find" ["/"]: "Find" "Type to narrow the list." .grid().foot(80, "find");
}

commands! {
    pub enum SavedCommand in Saved, SAVED:
    Run "run" ["Enter"]: "Run the search" "Runs it and compares totals." .on_row().foot(100, "run");
    RunNew "run-new" ["+"]:
        "Run it and show only what is new" "Rows that were not in the last run." .on_row().foot(95, "new only");
    Rename "rename" ["r"]: "Rename" "Here, and on the service if possible." .on_row().foot(90, "rename");
    Edit "edit" ["e"]: "Edit the filters" "Opens it on the Search screen." .on_row().foot(85, "edit");
    Delete "delete" ["D"]: "Delete" "Asks first." .on_row().foot(80, "delete");
    CopyCommand "copy-command" ["y"]:
        "Copy as shell command" "The line that runs it in a shell." .on_row().foot(75, "copy").group(Group::Copy);
    Find "find" ["/"]: "Find" "Type to narrow the list." .foot(70, "find");
}

commands! {
    pub enum CountsCommand in Counts, COUNTS:
    Mark "mark" ["Space"]: "Mark" "Marks become filters of the search." .on_row().foot(100, "mark");
    Apply "apply" ["Enter"]: "Make the marks a filter" "Goes to Search with them." .on_row().foot(95, "filter");
    View "view" ["v"]: "Change the view" "Map, bars, SIC table." .foot(90, "view");
    Find "find" ["/"]: "Find" "A state or a code, by its name." .foot(85, "find");
    Again "again" ["R"]: "Refresh" "The service caches its counts." .foot(80, "refresh");
    = App(App::CopyCommandLine) "copy-command" ["y c"]: "Copy as shell command" SAME_IN_A_SHELL .foot(20, "copy");
}

commands! {
    pub enum Jobs in Jobs, JOBS:
    Open "open" ["Enter"]: "Open the job" "Its result or its receipt." .on_row().foot(100, "open");
    Cancel "cancel" ["c"]: "Cancel the job" "Choose to keep or delete the partial file." .when(&[A_ROW, RUNNING]).foot(95, "cancel");
    Retry "retry" ["r"]: "Retry what failed" "An unlock goes through the money dialog."
        .when(&[A_ROW, ENDED]).foot(90, "retry");
    Export "export" ["e"]: "Export the result" "The rows of this job." .when(&[A_ROW, ENDED]).foot(85, "export");
    CopyCommand "copy-command" ["y c"]: "Copy as shell command" SAME_IN_A_SHELL .foot(20, "copy");
}

commands! {
    pub enum MatchCommand in Match, MATCH:
    Open "open" ["o"]: "Open a list of accounts" "A CSV or .xlsx file with a column of companies or domains."
        .foot(100, "open a list");
    /// Starts what is ready, resumes what was stopped, shows the account once all is done.
    Start "start" ["Enter"]: "Start, resume, or show the account" "Matching is free." .on_row().foot(95, "start/show");
    Stop "stop" ["c"]: "Stop the match" "What was answered is kept." .on_row().foot(90, "stop");
    Stage "stage" ["Space"]:
        "Add the account's contacts to the basket" "Only of a matched account." .on_row().foot(85, "add");
    StageAll "stage-all" ["A"]:
        "Add the contacts of all matched accounts" "Each contact once." .on_row().foot(80, "add all");
    Likely "likely" ["L"]: "Look for the contacts in the Workspace" LIKELY .on_row().foot(75, "find in Workspace");
    StageLikely "stage-likely" ["+"]:
        "Add likely matches" "To the Workspace's basket." .on_row().foot(70, "add likely");
    Export "export" ["e"]: "Export the contacts" "Of all matched accounts." .on_row().foot(65, "export");
    = App(App::CopyCommandLine) "copy-command" ["y c"]:
        "Copy as shell command" SAME_IN_A_SHELL .on_row().foot(20, "copy");
}

commands! {
    pub enum MoneyCommand in Money, MONEY:
    /// Which one, the chord says.
    Digit "digit" ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]:
        "Type the amount" "The number of credits to confirm." .fixed();
    Backspace "backspace" ["Backspace"]: "Remove the last digit" "The field starts empty." .fixed();
    Confirm "confirm" ["Enter"]: "Unlock for the typed amount"
        "Only if the number matches the total and fits balance and limits." .only(|s| s.can_pay).fixed().foot(100, "unlock");
    Suppressed "suppressed" ["s"]: "Show what the lists hold back"
        "Which rows, and by which entry. A row that may be on a list can be accepted there." .only(|s| s.has_suppressed)
        .foot(90, "lists");
    DropRisky "drop-risky" ["r"]:
        "Exclude or include risky emails" "They stay in the basket." .only(|s| s.has_risky).foot(85, "risky");
    DropDuplicates "drop-duplicates" ["d"]:
        "Exclude or include duplicates" "Rows that show the same person, company and email as an earlier one."
        .only(|s| s.has_duplicates).foot(84, "duplicates");
    Verification "verification" ["V"]:
        "Turn verification on or off" "Off: no refunds." .only(|s| s.has_choice).foot(80, "verification");
    Back "back" ["Esc"]: "Go back" "Nothing is sent; the basket is unchanged." .fixed().foot(75, "back");
}

commands! {
    pub enum RecoveryCommand in Recovery, RECOVERY:
    Look "look" ["Enter"]: "Check (free)" "Shows which ones you own." .foot(100, "check");
    Finish "finish" ["F"]: "Finish the batch" "Sends the identical contacts again, after a review."
        .when(&[A_KEY_TO_UNLOCK, MAY_UNLOCK, A_BATCH_TO_FINISH]).foot(90, "finish");
    Keep "keep" ["Esc"]: "Later" "Nothing is sent; the result stays unknown." .fixed().foot(80, "later");
}

commands! {
    /// The result of the last order.
    pub enum SummaryCommand in Summary, SUMMARY:
    Export "export" ["e"]: "Export exactly these contacts" "Free, without a request." .when(&[BOUGHT]).foot(100, "export");
    Open "open" ["Enter"]: "Open the list in Owned" "The newest contacts are first." .when(&[BOUGHT]).foot(95, "open");
    = App(App::Receipts) "receipt" ["r"]:
        "Show the receipt" "Every order with what was asked, charged and refunded." .foot(90, "receipt");
    = Copy(Copy::Email) "copy-email" ["y e"]: "Copy the email" "All selected, one per line."
        .when(&[BOUGHT]).foot(85, "copy");
    = Copy(Copy::Phone) "copy-phone" ["y p"]: "Copy the phone" "All selected, one per line." .when(&[BOUGHT]);
}

/// A list whose lines are taken by letters.
static ASK: &[KeyRow] = rows! { Ask:
    Text(TextCommand::Submit) "choose" ["Enter"]:
        "Choose this line" "Does what the line says. Its letter does too." .fixed().foot(100, "choose");
    Text(TextCommand::Mark) "mark" ["Space"]:
        "Mark the line" "<question.choose> then takes all that are marked." .only(|s| s.has_marks).foot(95, "mark");
    Text(TextCommand::Next) "next" ["Down", "j", "Tab"]: "Go to the next line" "Downwards." .foot(90, "next");
    Text(TextCommand::Previous) "previous" ["Up", "k", "Shift-Tab"]: "Go to the previous line" "Upwards.";
    Text(TextCommand::Leave) "leave" ["Esc", "q"]: "Cancel" "Changes nothing." .fixed().foot(80, "cancel");
};

commands! {
    /// In a text field or a list that is filtered. Letters are not commands: they are typed.
    pub enum TextCommand in Text, TEXT, with
        /// Moves in the field or changes it.
        Edit(InputRequest):
    Submit "submit" ["Enter"]: "Run" "Uses what is typed, or the marked line." .fixed().foot(100, "run");
    Leave "leave" ["Esc"]: "Leave the field" "Discards what was typed." .fixed().foot(90, "cancel");
    Complete "complete" ["Tab"]:
        "Take the suggestion" "The marked one." .only(|s| s.has_suggestions).foot(80, "suggestion");
    Mark "mark" ["Space"]: "Mark the line"
        "In a list of values; <text.submit> then takes all that are marked." .only(|s| s.has_marks).foot(95, "mark");
    Next "next" ["Down", "Ctrl-n"]:
        "Mark the next line" "Suggestions and earlier values." .only(|s| s.has_suggestions).foot(70, "next");
    Previous "previous" ["Up", "Ctrl-p"]:
        "Mark the previous line" "Suggestions and earlier values." .only(|s| s.has_suggestions);
    = Text(TextCommand::Edit(GoToPrevChar)) "left" ["Left"]: "Move left" "One letter.";
    = Text(TextCommand::Edit(GoToNextChar)) "right" ["Right", "Ctrl-f"]: "Move right" "One letter.";
    = Text(TextCommand::Edit(GoToPrevWord)) "word-left" ["Ctrl-Left"]: "Move a word left" "To its beginning.";
    = Text(TextCommand::Edit(GoToNextWord)) "word-right" ["Ctrl-Right"]: "Move a word right" "To the next one.";
    = Text(TextCommand::Edit(GoToStart)) "home" ["Home", "Ctrl-a"]: "Move to the beginning" "Of the field.";
    = Text(TextCommand::Edit(GoToEnd)) "end" ["End", "Ctrl-e"]: "Move to the end" "Of the field.";
    = Text(TextCommand::Edit(DeletePrevChar)) "delete-back" ["Backspace"]: "Delete backwards" "One letter.";
    = Text(TextCommand::Edit(DeleteNextChar)) "delete-forward" ["Del", "Ctrl-d"]: "Delete forwards" "One letter.";
    = Text(TextCommand::Edit(DeletePrevWord)) "delete-word" ["Ctrl-w"]:
        "Delete the word before" "<text.yank> puts it back.";
    = Text(TextCommand::Edit(DeleteFromStart)) "delete-to-start" ["Ctrl-u"]:
        "Delete to the beginning" "All before the cursor.";
    = Text(TextCommand::Edit(DeleteTillEnd)) "delete-to-end" ["Ctrl-k"]: "Delete to the end" "All after the cursor.";
    = Text(TextCommand::Edit(Yank)) "yank" ["Ctrl-y"]: "Paste what was cut" "What was cut last.";
}

const LIKELY: &str = "Contacts of the Data API: one free, narrow search each. Ids of the two services differ.";

/// What `y c` does on every screen.
const SAME_IN_A_SHELL: &str = "Copies the command line that does the same in a shell.";

/// Copying and opening, on a screen that lists rows of a service.
macro_rules! copies {
    ($context:ident) => {
        rows! { $context:
            Copy(Copy::Email) "copy-email" ["y e"]:
                "Copy the email" "Copies the email as shown." .on_row().foot(20, "copy").group(Group::Copy).listed();
            Copy(Copy::Phone) "copy-phone" ["y p"]:
                "Copy the phone" "Copies the phone as shown." .on_row().group(Group::Copy);
            Copy(Copy::Name) "copy-name" ["y n"]:
                "Copy the name" "Copies the person's name." .on_row().group(Group::Copy);
            Copy(Copy::Row) "copy-row" ["y r"]:
                "Copy the row" "Copies the row, columns separated by tabs." .on_row().group(Group::Copy).listed();
            Copy(Copy::Json) "copy-json" ["y j"]:
                "Copy as JSON" "Copies the row as one JSON object, unchanged." .on_row().group(Group::Copy);
            Copy(Copy::Link) "copy-link" ["y l"]:
                "Copy the link" "Copies the row's link." .when(&[A_ROW, A_LINK]).group(Group::Copy);
            App(App::CopyCommandLine) "copy-command" ["y c"]:
                "Copy as shell command" SAME_IN_A_SHELL .group(Group::Copy);
            App(App::RowMenu) "menu" ["z"]:
                "Show the actions" "What can be done with this contact, beside its row; so does a right click." .on_row();
            Open(None) "browse" ["g x"]:
                "Open in another program" "Website, profile, email or phone; asks if there are several." .when(&[A_ROW, A_LEAD]).listed();
            Open(Some(LeadKind::Mail)) "mail" []:
                "Write an email" "In your mail program, as `mail.toml` says." .when(&[A_ROW, A_MAIL]).listed();
            Open(Some(LeadKind::Phone)) "call" []: "Call" "With your phone program." .when(&[A_ROW, A_PHONE]).listed();
        }
    };
}

static RESULTS_COPY: &[KeyRow] = copies!(Results);
static BASKET_COPY: &[KeyRow] = copies!(Basket);
static OWNED_COPY: &[KeyRow] = copies!(Owned);

/// Every row, grouped as the help shows them.
pub fn rows() -> impl Iterator<Item = &'static KeyRow> {
    [
        EVERYWHERE, ALWAYS, DIALOGS, LISTS, RESULTS, RESULTS_COPY, FILTERS, COLUMNS, BASKET, BASKET_COPY, OWNED,
        OWNED_COPY, SAVED, COUNTS, JOBS, MATCH, MONEY, RECOVERY, SUMMARY, ASK, TEXT,
    ]
    .into_iter()
    .flatten()
}
