//! All that a person can do, nested by where it means something. Each screen matches its own part exhaustively.

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
    Ask(QuestionCommand),
    Text(TextCommand),
    /// One of the person's own, by its place in the keymap.
    Own(usize),
}

/// Means the same wherever one is, in a text field too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Always {
    Interrupt,
    Suspend,
    Repaint,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// In the order of the tabs, with their names.
    pub const TABS: [(Screen, &str); 6] = [
        (Screen::Search, "Search"),
        (Screen::Basket, "Basket"),
        (Screen::Owned, "Owned"),
        (Screen::Saved, "Saved"),
        (Screen::Counts, "Counts"),
        (Screen::Jobs, "Jobs"),
    ];

    /// Has a tab only while it is shown, or has something.
    pub const NOW_AND_THEN: [(Screen, &str); 1] = [(Screen::Match, "Match")];
}

/// Everywhere outside a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum App {
    Help,
    Palette,
    Escape,
    Back,
    Go(Screen),
    FirstRow,
    History,
    Receipts,
    MaskMode,
    LastError,
    /// Unlocks without an outcome.
    Unknown,
    SidePanes,
    NextPane,
    PreviousPane,
    Undo,
    Redo,
    OtherCorpus,
    OtherSource,
    Profiles,
    LastRequest,
    MouseCapture,
    /// Without a key of their own: reached through the palette.
    NextTheme,
    /// How commands of the person's own are made.
    OwnCommands,
    Tour,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    Down,
    Up,
    Left,
    Right,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    NextServicePage,
    PreviousServicePage,
    Top,
    Last,
    FirstColumn,
    LastColumn,
    Find,
    FindNext,
    FindPrevious,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copy {
    Email,
    Phone,
    Name,
    Row,
    Json,
    Link,
    CommandLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Results {
    MainField,
    PickFilter,
    ClearFilters,
    FilterByCell,
    ExcludeByCell,
    /// What is left out, all kinds of it.
    Exclusions,
    PerCompany,
    HideOwned,
    HidePulled,
    MarkPulled,
    Stage,
    Range,
    StagePage,
    StageAll,
    EmptyBasket,
    Unlock,
    Open,
    Columns,
    Narrower,
    Wider,
    Order,
    OrderBack,
    Save,
    Recall,
    FetchAgain,
    Export,
    Tag,
    Note,
    Suppress,
    Copy(Copy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filters {
    Edit,
    Toggle,
    Clear,
    AddValue,
    ClearAll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnsCommand {
    Toggle,
    Later,
    Earlier,
    Reset,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BasketCommand {
    Unstage,
    Unlock,
    Empty,
    Suppressions,
    Request,
    Open,
    Export,
    Copy(Copy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnedCommand {
    Open,
    Tag,
    Note,
    Export,
    Forget,
    Find,
    Copy(Copy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SavedCommand {
    Run,
    RunNew,
    Rename,
    Edit,
    Delete,
    CopyCommand,
    Find,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountsCommand {
    Mark,
    Apply,
    View,
    Find,
    Again,
    CopyCommand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jobs {
    Open,
    Cancel,
    Retry,
    Export,
    CopyCommand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchCommand {
    Open,
    /// Starts what is ready, resumes what was stopped, shows the account once all is done.
    Start,
    Stop,
    Stage,
    StageAll,
    Likely,
    StageLikely,
    Export,
    CopyCommand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoneyCommand {
    /// Which one, the chord says.
    Digit,
    Backspace,
    Confirm,
    Suppressed,
    DropRisky,
    DropDuplicates,
    Verification,
    Back,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecoveryCommand {
    Look,
    Finish,
    Keep,
}

/// What the last order came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SummaryCommand {
    Export,
    Open,
    Receipt,
    Copy(Copy),
}

/// A question with a few answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuestionCommand {
    Leave,
    Choose,
    Next,
    Previous,
}

/// In a text field. Letters are not commands: they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextCommand {
    Submit,
    Leave,
    Complete,
    Next,
    Previous,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    DeleteBack,
    DeleteForward,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
    Yank,
}
