//! What lies over a screen: a stack of one enum, of which the topmost has the keys.
//!
//! A dialog changes only itself. Its result is a [`DialogResult`], and the router decides what follows.

mod form;
pub mod money;
pub mod picker;
pub mod profiles;
pub mod question;
pub mod reader;
pub mod receipts;
pub mod recovery;
pub mod setup;
pub mod sheet;
pub mod summary;

use std::path::PathBuf;

use crate::keys::command::{self, Command, TextCommand};
use crate::keys::situation::{Context, chain};
use crate::widgets::prelude::*;
use lode_core::{ContactKey, ExclusionKind, Filter, Query, Row, RowId, Side, SuppressEntry};
use lode_engine::effect::{Form, Handle, ProfileCall};

use money::MoneyDialog;
use picker::Picker;
use profiles::Profiles;
use question::{Prompt, QuestionDialog};
use reader::Reader;
use recovery::Panel;
use setup::SetupDialog;
use sheet::HelpSheet;
use summary::Paid;

/// Which rows an export takes: what the picker offers, the prompt remembers and the router writes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportSubject {
    /// The whole filtered set, streamed from the Data API.
    Whole(Box<Query>),
    /// All pages of a search of the Data API.
    Pages(Box<Query>),
    /// The rows of the result that are here.
    Loaded,
    Range,
    Basket,
    Owned,
}

#[derive(Clone, Debug)]
pub enum Dialog {
    Picker(Picker),
    Prompt(Prompt),
    Ask(QuestionDialog),
    Reader(Reader),
    /// The review before spending.
    Money(Box<MoneyDialog>),
    /// Batches without an outcome; which, the session knows.
    Recovery(Panel),
    /// The result of the last order.
    Summary(Box<Paid>),
    /// The keys of a place, by purpose.
    Help(HelpSheet),
    Setup(Box<SetupDialog>),
    Profiles(Profiles),
    /// The columns of the grid, of the side that is shown.
    Columns {
        at: usize,
    },
}

/// What is wanted of the router: by a screen, or by the person who chose a line, an answer, or typed what a field was for.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    Nothing,
    Command(Command),
    /// Cannot be done now: choosing it says why.
    Refused(&'static str),
    /// Of a list that a screen knows by place.
    Place(usize),
    /// A row of the list that is shown, counted from 1.
    Row(u64),
    /// The list of past searches.
    Recall,
    /// The theme of this name: shown while its line is marked, kept when it is chosen.
    Theme(String),
    CopyCommandLine,
    Quit,
    /// Finish the call that is on its way, then leave.
    StopAfterCallAndQuit,
    /// Ends all exports and keeps what has come, then leaves.
    KeepAndQuit,

    Filter(Filter),
    Value(Filter, String),
    Query(Box<Query>),
    /// What of this kind to leave out of a result: asks for it, then takes what was typed.
    Exclude(ExclusionKind),
    /// A suppression list whose exclusion is switched on or off.
    ExcludeList(String),
    /// Contacts of one company at most.
    PerCompany,
    Find,
    /// The search with these values for their filters.
    Narrow(Vec<(Filter, String)>),
    StageAll,
    MarkPulled,
    /// Scans a whole corpus.
    RunSlow,

    /// A saved search, by its name.
    Saved(String),
    /// Runs one with many searches in it; whether only what is new is shown.
    RunSaved(String, bool),
    /// One that runs.
    ShowSaved {
        name: String,
        query: Box<Query>,
        only_new: bool,
    },
    /// One whose filters are to be changed.
    EditSaved(String, Box<Query>),
    SaveSearch,
    RenameSaved(String),
    DeleteSaved(String),
    ReplaceSaved(String),

    Tag(ContactKey),
    Note(ContactKey),
    ForgetOwned(ContactKey),
    ListFind,
    /// A list of accounts to match.
    Accounts,

    /// The basket of this side changed by a step that can be taken back.
    Undoable(Side),
    /// Review and unlock what is staged on this side, or the row under the cursor where nothing is.
    Unlock,

    /// A contact or a domain, and whom that leaves out.
    Suppress(SuppressEntry, String),
    /// Another suppression list: asks for its file, then reads the one whose path was typed.
    AddList,
    /// Asks before a suppression list is removed.
    List(String),
    RemoveList(String),

    /// A row of the review that cannot be checked: accepted, or that taken back.
    AcceptUnchecked(RowId),
    /// The request of an assistant.
    ReviewRequest(Handle),
    DeclineRequest(Handle),

    /// The export dialog of the screen that asked.
    OfferExport,
    /// These rows, under these words, into a file.
    ExportRows(String, Vec<Row>),
    /// The contacts of the last order.
    ExportLast,
    /// The steps of an export: what, in which form, to which file, over the one that is there.
    ExportOf(ExportSubject),
    Export(ExportSubject, Form),
    ExportTo(ExportSubject, Form),
    ReplaceFile(Box<(ExportSubject, Form, PathBuf)>),
    /// Ends an export: what has come is kept or deleted.
    CancelJob {
        job: u64,
        keep: bool,
    },
}

/// What an act on a dialog came to.
#[derive(Clone, Debug)]
pub enum DialogResult {
    Stay,
    Close,
    Do(Intent),
    /// The same with the text that was typed for it.
    DoWith(Intent, String),
    /// The shell is asked about profiles and keys; the dialog stays.
    Call(ProfileCall),
    /// Another dialog comes over this one.
    Open(Box<Dialog>),
}

impl Dialog {
    pub fn chain(&self) -> &'static [Context] {
        match self {
            Dialog::Picker(_) | Dialog::Help(_) | Dialog::Prompt(_) => chain::TEXT,
            Dialog::Ask(_) => chain::ASK,
            Dialog::Setup(setup) => setup.chain(),
            Dialog::Profiles(profiles) => profiles.chain(),
            Dialog::Reader(reader) if reader.source.is_contact() => chain::RESULTS,
            Dialog::Reader(_) => chain::READING,
            Dialog::Money(_) => chain::MONEY,
            Dialog::Recovery(_) => chain::RECOVERY,
            Dialog::Summary(_) => chain::SUMMARY,
            Dialog::Columns { .. } => chain::COLUMNS,
        }
    }

    /// Typed or pasted text.
    pub fn typed(&mut self, words: &str) {
        match self {
            Dialog::Picker(picker) => picker.typed(words),
            Dialog::Help(sheet) => sheet.picker.typed(words),
            Dialog::Prompt(prompt) => prompt.input.typed(words),
            Dialog::Setup(setup) => setup.typed(words),
            Dialog::Profiles(profiles) => profiles.typed(words),
            _ => {}
        }
    }

    /// A command of its field. `over` is where dialogs stand.
    pub fn text(&mut self, text: TextCommand, over: Rect) -> DialogResult {
        match self {
            Dialog::Picker(picker) => picker.update(text),
            Dialog::Help(sheet) => sheet.update(text, over),
            Dialog::Prompt(prompt) => prompt.update(text),
            Dialog::Setup(setup) => setup.text(text),
            Dialog::Profiles(profiles) => profiles.text(text),
            _ => DialogResult::Stay,
        }
    }

    /// Which of its answers is marked, and how many there are.
    fn marking(&mut self) -> Option<(&mut ListCursor, usize)> {
        match self {
            Dialog::Ask(ask) => Some((&mut ask.marked, ask.answers.len())),
            Dialog::Setup(setup) => Some(setup.marking()),
            Dialog::Profiles(profiles) => Some(profiles.marking()),
            _ => None,
        }
    }

    /// A key of its answers.
    pub fn ask(&mut self, key: command::QuestionCommand) -> DialogResult {
        let Some((marked, count)) = self.marking() else { return DialogResult::Stay };
        match key {
            command::QuestionCommand::Next => marked.next(count),
            command::QuestionCommand::Previous => marked.previous(count),
            command::QuestionCommand::Choose => {
                let at = marked.at;
                return self.choose(at);
            }
            command::QuestionCommand::Leave => match self {
                Dialog::Setup(setup) => return setup.back(),
                Dialog::Profiles(profiles) => return profiles.back(),
                _ => return DialogResult::Close,
            },
        }
        DialogResult::Stay
    }

    /// A click on a line. On an answer the first one only marks it, so that no slip of the hand gives it.
    pub fn click(&mut self, at: usize, double: bool) -> DialogResult {
        match self.marking() {
            Some((marked, _)) if !double || marked.at != at => {
                marked.at = at;
                DialogResult::Stay
            }
            _ => self.choose(at),
        }
    }

    /// Takes a line by its place.
    pub fn choose(&mut self, at: usize) -> DialogResult {
        match self {
            Dialog::Picker(picker) => picker.choose(at),
            Dialog::Help(sheet) => sheet.picker.choose(at),
            Dialog::Ask(ask) => ask.choose(at),
            Dialog::Setup(setup) => setup.choose(at),
            Dialog::Profiles(profiles) => profiles.choose(at),
            Dialog::Columns { at: marked } => {
                *marked = at;
                DialogResult::Stay
            }
            _ => DialogResult::Stay,
        }
    }
}
