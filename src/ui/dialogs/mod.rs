//! What lies over a screen: a stack of one enum, of which the topmost has the keys. Those of a wizard are in its folder.
//!
//! A dialog changes only itself. Its result is a [`DialogResult`], and the router decides what follows.

pub mod picker;
pub mod question;
pub mod reader;
pub mod sheet;

use std::path::PathBuf;

use strum::VariantArray;
use tui_input::InputRequest;

use self::prelude::*;
use self::{reader::Reader, sheet::HelpSheet};
use crate::keys::keymap::Keymap;
use crate::setup::{dialog::SetupDialog, profiles::Profiles};
use crate::unlock::{review::MoneyDialog, summary::Paid};
use lode_core::rank::{Rank, rank};
use lode_engine::{flow::export::JobId, flow::search::legs::legs_take};

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
    /// A question, answered with a line of a list or with a text.
    Ask(FormDialog),
    Reader(Reader),
    /// The review before spending.
    Money(Box<MoneyDialog>),
    /// Batches without an outcome; which, the session knows. The result of the last free check.
    Recovery(Option<String>),
    /// The result of the last order.
    Summary(Box<Paid>),
    /// The keys of a place, by purpose.
    Help(HelpSheet),
    Setup(Box<SetupDialog>),
    Profiles(Box<Profiles>),
    /// The columns of the grid, of the side that is shown.
    Columns(Picker),
}

/// What is wanted of the router: by a screen, or by the person who chose a line, an answer, or typed what a field was for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Intent {
    #[default]
    Nothing,
    Command(Command),
    /// Cannot be done now: choosing it says why.
    Refused(&'static str),
    /// Of a list that a screen knows by place.
    Place(usize),
    /// A row of the list that is shown, counted from 1.
    Row(u64),
    /// The theme of this name: shown while its line is marked, kept when it is chosen.
    Theme(String),
    /// The view of this name.
    View(String),
    /// Keeps the present view under a name; without one, asks for it or takes what was typed.
    SaveView(Option<String>),
    /// Removes a view; without a name, asks which.
    DeleteView(Option<String>),
    CopyCommandLine,
    Quit,
    /// Finish the call that is on its way, then leave.
    StopAfterCallAndQuit,
    /// Ends all exports and keeps what has come, then leaves.
    KeepAndQuit,

    Filter(Filter),
    Value(Filter, String),
    /// All values of a filter.
    Values(Filter, Vec<String>),
    Query(Box<Query>),
    /// What of this kind to leave out of a result: asks for it, then takes what was typed.
    Exclude(ExclusionKind),
    /// A suppression list whose exclusion is switched on or off.
    ExcludeList(String),
    /// All suppression lists that are excluded.
    ExcludeLists(Vec<String>),
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
    /// One that runs; whether only what is new is shown.
    ShowSaved(String, Box<Query>, bool),
    /// One whose filters are to be changed.
    EditSaved(String, Box<Query>),
    /// Saves the search under the name that was typed, or in place of the one with this name.
    SaveSearch(Option<String>),
    RenameSaved(String),
    DeleteSaved(String),

    Tag(ContactKey),
    Note(ContactKey),
    ForgetOwned(ContactKey),
    ListFind,
    /// A list of accounts to match.
    Accounts,

    /// The basket of this side changed by a step that can be taken back.
    Undoable(Side),
    /// Review and unlock the basket of this side, or the row under the cursor if the basket is empty. If true, that row alone.
    Unlock(bool),
    /// Leads to another program.
    Open(Box<Lead>),

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
    /// Ends an export; whether what has come is kept.
    CancelJob(JobId, bool),
}

/// The result of an action in a dialog.
#[derive(Clone, Debug)]
pub enum DialogResult {
    Stay,
    Close,
    /// With the text that was typed for it, where it has a field.
    Do(Intent, Option<String>),
    /// The shell is asked about profiles and keys; the dialog stays.
    Call(ProfileCall),
    /// The setup of a key or of limits comes over this dialog.
    Setup(Box<SetupDialog>),
}

impl Dialog {
    pub fn chain(&self) -> Chain {
        match self {
            Dialog::Reader(_) => chain::READING,
            Dialog::Money(_) => chain::MONEY,
            Dialog::Recovery(_) => chain::RECOVERY,
            Dialog::Summary(_) => chain::SUMMARY,
            Dialog::Columns(_) => chain::COLUMNS,
            dialog => dialog.form().map(FormDialog::chain).or(dialog.list().map(Picker::chain)).unwrap_or(chain::ASK),
        }
    }

    /// What Enter does with what is typed or marked, in a word.
    pub fn enter(&self) -> &'static str {
        match self {
            Dialog::Ask(form) => match form.intent {
                Intent::Nothing => "run",
                Intent::SaveView(_) | Intent::SaveSearch(_) | Intent::Tag(_) | Intent::Note(_) => "save",
                Intent::RenameSaved(_) => "rename",
                Intent::Find | Intent::ListFind => "find",
                Intent::StageAll | Intent::AddList => "add",
                Intent::Exclude(_) => "exclude",
                Intent::ExportTo(..) => "export",
                Intent::PerCompany => "apply",
                _ => "continue",
            },
            Dialog::Setup(_) => "continue",
            Dialog::Profiles(profiles) if profiles.form.list().is_none() => "rename",
            Dialog::Profiles(_) => "choose",
            Dialog::Picker(list) if !list.is_palette() => "choose",
            _ => "run",
        }
    }

    /// Its sentences with their field or list, where it is one of those.
    pub fn form(&self) -> Option<&FormDialog> {
        match self {
            Dialog::Ask(form) => Some(form),
            Dialog::Setup(setup) => Some(&setup.form),
            Dialog::Profiles(profiles) => Some(&profiles.form),
            _ => None,
        }
    }

    fn form_mut(&mut self) -> Option<&mut FormDialog> {
        match self {
            Dialog::Ask(form) => Some(form),
            Dialog::Setup(setup) => Some(&mut setup.form),
            Dialog::Profiles(profiles) => Some(&mut profiles.form),
            _ => None,
        }
    }

    /// The list that has the keys.
    pub fn list(&self) -> Option<&Picker> {
        match self {
            Dialog::Picker(list) | Dialog::Columns(list) => Some(list),
            Dialog::Help(sheet) => Some(&sheet.picker),
            dialog => dialog.form()?.list(),
        }
    }

    pub fn list_mut(&mut self) -> Option<&mut Picker> {
        match self {
            Dialog::Picker(list) | Dialog::Columns(list) => Some(list),
            Dialog::Help(sheet) => Some(&mut sheet.picker),
            dialog => dialog.form_mut()?.list_mut(),
        }
    }

    /// A contact lies over the screen.
    pub fn is_contact(&self) -> bool {
        matches!(self, Dialog::Reader(reader) if reader.source.is_contact())
    }

    /// Typed or pasted text.
    pub fn typed(&mut self, words: &str) {
        match self.form_mut() {
            Some(form) => form.typed(words),
            None => self.list_mut().into_iter().for_each(|list| list.typed(words)),
        }
    }

    /// A letter that is not a command. None where it means nothing.
    pub fn letter(&mut self, letter: char) -> Option<DialogResult> {
        let Some(list) = self.list_mut() else {
            self.typed(letter.encode_utf8(&mut [0; 4]));
            return (self.chain() == chain::TEXT).then_some(DialogResult::Stay);
        };
        let result = list.letter(letter)?;
        Some(self.answered(result))
    }

    /// A command of its field or list. `over` is where dialogs stand.
    pub fn text(&mut self, text: TextCommand, over: Rect) -> DialogResult {
        match (text, self) {
            (text, Dialog::Help(sheet)) => sheet.update(text, over),
            (text, dialog) if dialog.list().is_some() => dialog.in_list(|list| list.update(text)),
            (TextCommand::Leave, dialog) => dialog.answered(DialogResult::Close),
            (TextCommand::Submit, Dialog::Ask(form)) => {
                DialogResult::Do(form.intent.clone(), Some(form.value().trim().to_owned()))
            }
            (TextCommand::Submit, Dialog::Setup(setup)) => setup.submit(),
            (TextCommand::Submit, Dialog::Profiles(profiles)) => profiles.submit(),
            (text, dialog) => {
                let body = dialog.form_mut().map(|form| &mut form.body);
                if let Some(FormBody::Field(field)) = body {
                    field.edit(text);
                }
                DialogResult::Stay
            }
        }
    }

    /// Does something with its list.
    pub fn in_list(&mut self, act: impl FnOnce(&mut Picker) -> DialogResult) -> DialogResult {
        let result = self.list_mut().map_or(DialogResult::Stay, act);
        self.answered(result)
    }

    /// The lines of a wizard are its own; it goes back before it closes.
    fn answered(&mut self, result: DialogResult) -> DialogResult {
        match (self, result) {
            (Dialog::Setup(setup), DialogResult::Do(..)) => setup.choose(),
            (Dialog::Setup(setup), DialogResult::Close) => setup.back(),
            (Dialog::Profiles(profiles), DialogResult::Do(..)) => profiles.choose(),
            (Dialog::Profiles(profiles), DialogResult::Close) => profiles.back(),
            (_, result) => result,
        }
    }
}

/// The names that almost every dialog uses.
pub(crate) mod prelude {
    pub(crate) use super::picker::{Picker, PickerItem};
    pub(crate) use super::question::{FormBody, FormDialog};
    pub(crate) use super::{DialogResult, Intent};
    pub(crate) use crate::widgets::prelude::*;
    pub(crate) use crate::widgets::table;
    pub(crate) use lode_engine::effect::*;
    pub(crate) use lode_engine::flow::session::Session;
}
