//! The door and the key rack: the welcome of a first run, and the list of profiles with what can be done to each.
//!
//! Both are pages of one list, so that a person meets one way of choosing. Removing asks once more, with the mark on "keep".

mod view;

use tui_input::Input;

use crate::domain::contact::Source;
use crate::effect::setup::{Listed, ProfileCall, Told};
use crate::keys::command::{Ask, Text};
use crate::keys::situation::{Context, chain};
use crate::ui::widgets::input;
use crate::ui::widgets::lines::Marked;

use super::{Next, Setup};

pub use view::view;

#[derive(Clone, Debug, PartialEq)]
enum Page {
    Welcome,
    List,
    /// There are none here, and why.
    Alone(String),
    /// What can be done to one.
    Of(Listed),
    Rename(Listed),
    /// Whether it is really to be removed.
    Sure(Listed),
}

#[derive(Clone, Debug, PartialEq)]
enum Act {
    Demo,
    Add(Source, Option<String>),
    Open(usize),
    Use(String),
    StartWith(String),
    Rename,
    Caps,
    Sure,
    Remove(String),
    Back,
}

/// What was chosen.
#[derive(Clone, Debug)]
pub enum Chosen {
    Next(Next),
    Setup(Box<Setup>),
}

#[derive(Clone, Debug)]
pub struct Profiles {
    page: Page,
    list: Option<Vec<Listed>>,
    /// The profile of this window.
    here: String,
    /// What is known about it.
    about: String,
    marked: Marked,
    input: Input,
    trouble: Option<String>,
}

impl Profiles {
    pub fn welcome() -> Profiles {
        Profiles { page: Page::Welcome, ..Profiles::list(String::new(), String::new()) }
    }

    pub fn list(here: String, about: String) -> Profiles {
        Profiles {
            page: Page::List,
            list: None,
            here,
            about,
            marked: Marked::default(),
            input: Input::default(),
            trouble: None,
        }
    }

    pub fn chain(&self) -> &'static [Context] {
        if matches!(self.page, Page::Rename(_)) { chain::TEXT } else { chain::ASK }
    }

    /// The answers that can be chosen now.
    pub fn answers(&self) -> Vec<String> {
        self.lines().into_iter().map(|(left, ..)| left).collect()
    }

    pub fn is_welcome(&self) -> bool {
        self.page == Page::Welcome
    }

    pub fn typed(&mut self, words: &str) {
        if matches!(self.page, Page::Rename(_)) {
            input::insert(&mut self.input, words);
        }
    }

    pub fn text(&mut self, command: Text) -> Next {
        let Page::Rename(listed) = &self.page else { return Next::Stay };
        match command {
            Text::Leave => self.back(),
            Text::Submit => {
                let (from, to) = (listed.name.clone(), self.input.value().trim().to_owned());
                if from == to {
                    return self.back();
                }
                Next::Call(ProfileCall::Rename { from, to })
            }
            other => {
                input::edit(&mut self.input, other);
                Next::Stay
            }
        }
    }

    pub fn ask(&mut self, key: Ask) -> Chosen {
        let count = self.lines().len();
        match key {
            Ask::Leave => return Chosen::Next(self.back()),
            Ask::Next => self.marked.next(count),
            Ask::Previous => self.marked.previous(count),
            Ask::Choose => return self.choose(self.marked.at),
        }
        Chosen::Next(Next::Stay)
    }

    pub fn mark(&mut self, at: usize) {
        self.marked.at = at.min(self.lines().len().saturating_sub(1));
    }

    pub fn choose(&mut self, at: usize) -> Chosen {
        let Some((_, _, act)) = self.lines().into_iter().nth(at) else { return Chosen::Next(Next::Stay) };
        self.trouble = None;
        Chosen::Next(match act {
            Act::Demo => Next::Call(ProfileCall::Demo),
            Act::Add(source, profile) => return Chosen::Setup(Box::new(Setup::new(source, profile))),
            Act::Open(index) => match self.list.as_ref().and_then(|list| list.get(index)).cloned() {
                Some(listed) => self.go(Page::Of(listed)),
                None => Next::Stay,
            },
            Act::Use(name) => Next::Call(ProfileCall::Use(name)),
            Act::StartWith(name) => Next::Call(ProfileCall::StartWith(name)),
            Act::Rename => match self.page.clone() {
                Page::Of(listed) => {
                    self.input = Input::new(listed.name.clone());
                    self.go(Page::Rename(listed))
                }
                _ => Next::Stay,
            },
            Act::Caps => match &self.page {
                Page::Of(listed) => return Chosen::Setup(Box::new(Setup::caps(listed.name.clone(), listed.caps))),
                _ => Next::Stay,
            },
            Act::Sure => match self.page.clone() {
                Page::Of(listed) => self.go(Page::Sure(listed)),
                _ => Next::Stay,
            },
            Act::Remove(name) => Next::Call(ProfileCall::Remove(name)),
            Act::Back => self.back(),
        })
    }

    /// True where it concerned this list.
    pub fn told(&mut self, told: &Told) -> bool {
        match told {
            Told::Profiles(list) if self.page == Page::List => {
                self.list = Some(list.clone());
                self.marked.at = list.iter().position(|listed| listed.name == self.here).unwrap_or(0);
            }
            Told::Alone(words) => self.page = Page::Alone(words.clone()),
            Told::Refused(words) => self.trouble = Some(words.clone()),
            _ => return false,
        }
        true
    }

    fn go(&mut self, page: Page) -> Next {
        self.page = page;
        self.marked = Marked::default();
        self.trouble = None;
        Next::Stay
    }

    fn back(&mut self) -> Next {
        match self.page.clone() {
            Page::Welcome | Page::List | Page::Alone(_) => Next::Close,
            Page::Of(_) => self.go(Page::List),
            Page::Rename(listed) | Page::Sure(listed) => self.go(Page::Of(listed)),
        }
    }

    fn lines(&self) -> Vec<(String, String, Act)> {
        let line = |left: &str, right: &str, act: Act| (left.to_owned(), right.to_owned(), act);
        match &self.page {
            Page::Welcome => vec![
                line("try everything on the sandbox", "no key, no network: lode demo", Act::Demo),
                line("add a Workspace key", "search and unlock", Act::Add(Source::Workspace, None)),
                line("add a Data API key", "search, counts, exports", Act::Add(Source::Data, None)),
            ],
            Page::List => {
                let listed = self.list.iter().flatten().enumerate().map(|(at, listed)| {
                    let kind = if listed.live { "[LIVE]" } else { "[SANDBOX]" };
                    let here = if listed.name == self.here { "  this window" } else { "" };
                    let services: Vec<String> =
                        listed.services.iter().map(|(source, place)| format!("{source}: {place}")).collect();
                    (format!("{} {kind}{here}", listed.name), services.join("  "), Act::Open(at))
                });
                let mut all: Vec<_> = listed.collect();
                all.push(line("add a profile with a Workspace key", "", Act::Add(Source::Workspace, None)));
                all.push(line("add a profile with a Data API key", "", Act::Add(Source::Data, None)));
                all.push(line("the sandbox", "no key, no network", Act::Demo));
                all
            }
            Page::Of(listed) => {
                let name = &listed.name;
                let has = |source| listed.services.iter().any(|(its, _)| *its == source);
                let verb = |source| if has(source) { "another" } else { "add a" };
                let add = |source| Act::Add(source, Some(name.clone()));
                let first = if listed.first { "it does" } else { "" };
                vec![
                    line(
                        "Use it in this window",
                        if *name == self.here { "it is" } else { "" },
                        Act::Use(name.clone()),
                    ),
                    line("start with it", first, Act::StartWith(name.clone())),
                    line("rename it", "basket, history and keys move with it", Act::Rename),
                    line(&format!("{} Workspace key", verb(Source::Workspace)), "", add(Source::Workspace)),
                    line(&format!("{} Data API key", verb(Source::Data)), "", add(Source::Data)),
                    line("caps", &bounds(listed), Act::Caps),
                    line("remove it", "asks", Act::Sure),
                ]
            }
            Page::Sure(listed) => vec![
                line("cancel", "", Act::Back),
                line("remove it", "and the keys that lode stored for it", Act::Remove(listed.name.clone())),
            ],
            Page::Alone(_) => vec![line("close", "", Act::Back)],
            Page::Rename(_) => Vec::new(),
        }
    }
}

fn bounds(listed: &Listed) -> String {
    let caps = [("call", listed.caps.call), ("session", listed.caps.session), ("24 h", listed.caps.day)];
    let words: Vec<String> = caps.iter().filter_map(|(name, cap)| cap.map(|cap| format!("{cap} a {name}"))).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
