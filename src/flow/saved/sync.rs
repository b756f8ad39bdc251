//! One change of the service's list: read it, write, read it again, and put back what vanished besides.
//!
//! Nothing says how the service takes a write, so only the list read afterwards counts: an answer of success proves nothing,
//! and neither does a broken line. Putting back is tried once; what is still missing then is named.

use std::collections::VecDeque;

use crate::domain::credits::counted;
use crate::domain::query::Query;
use crate::domain::saved::RemoteSaved;
use crate::effect::CallId;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;

use super::merge::{same_entry, same_there};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Want {
    Add {
        name: String,
        query: Query,
    },
    /// Where the list was not read yet, `name` is what the file says of the id: if another search has it by now, it stays.
    Remove {
        id: String,
        name: Option<String>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Sync {
    want: Want,
    stage: Stage,
    call: CallId,
    before: Vec<RemoteSaved>,
    /// What vanished besides, still to be put back.
    missing: VecDeque<RemoteSaved>,
    put_back: usize,
    refused: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    Writing,
    After,
    PuttingBack,
    AtLast,
}

pub(super) enum Step {
    NotMine,
    Going,
    Ended(Box<Synced>),
}

/// What came of it, as the list read last shows it.
#[derive(Clone, Debug)]
pub(super) struct Synced {
    pub(super) want: Want,
    pub(super) took: bool,
    /// The id of what was added.
    pub(super) id: Option<String>,
    pub(super) list: Option<Vec<RemoteSaved>>,
    /// Names of other searches that vanished: how many of them are back, and those that are not.
    pub(super) vanished: usize,
    pub(super) lost: Vec<String>,
    pub(super) failure: Option<Failure>,
}

impl Sync {
    pub(super) fn start(want: Want, cx: &mut Cx<'_>) -> Sync {
        let call = cx.ask(Owner::Shelf, Call::SavedList, Priority::Person);
        Sync {
            want,
            stage: Stage::Before,
            call,
            before: Vec::new(),
            missing: VecDeque::new(),
            put_back: 0,
            refused: None,
        }
    }

    pub(super) fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> Step {
        let Heard::Reply(id, _, result) = heard else { return Step::NotMine };
        if *id != self.call {
            return Step::NotMine;
        }
        match (self.stage, result) {
            (Stage::Before, Ok(Reply::Saved(list))) => {
                self.before.clone_from(list);
                self.write(cx)
            }
            (Stage::Writing, result) => {
                self.refused = result.as_ref().err().cloned();
                self.read(Stage::After, cx)
            }
            (Stage::After, Ok(Reply::Saved(list))) => {
                self.missing = self.vanished(list);
                if self.missing.is_empty() { Step::Ended(self.boxed(Some(list.clone()))) } else { self.restore(cx) }
            }
            (Stage::PuttingBack, _) => self.restore(cx),
            (Stage::AtLast, Ok(Reply::Saved(list))) => Step::Ended(self.boxed(Some(list.clone()))),
            (_, Err(failure)) => {
                self.refused = Some(failure.clone());
                Step::Ended(self.boxed(None))
            }
            (_, Ok(_)) => {
                self.refused = Some(Failure::OurBug { words: "the response is not a list".to_owned() });
                Step::Ended(self.boxed(None))
            }
        }
    }

    fn write(&mut self, cx: &mut Cx<'_>) -> Step {
        let call = match &self.want {
            Want::Add { name, query } => Call::SavedAdd { name: name.clone(), query: query.clone() },
            // Without an id of the list a DELETE might mean all of them.
            Want::Remove { .. } if !self.before.iter().any(|entry| self.is_meant(entry)) => {
                return Step::Ended(self.boxed(Some(self.before.clone())));
            }
            Want::Remove { id, .. } => Call::SavedRemove { id: id.clone() },
        };
        self.stage = Stage::Writing;
        self.call = cx.ask(Owner::Shelf, call, Priority::Person);
        Step::Going
    }

    fn read(&mut self, stage: Stage, cx: &mut Cx<'_>) -> Step {
        self.stage = stage;
        self.call = cx.ask(Owner::Shelf, Call::SavedList, Priority::Person);
        Step::Going
    }

    fn restore(&mut self, cx: &mut Cx<'_>) -> Step {
        let Some(entry) = self.missing.pop_front() else { return self.read(Stage::AtLast, cx) };
        self.put_back += 1;
        self.stage = Stage::PuttingBack;
        self.call = cx.ask(Owner::Shelf, Call::SavedRestore { raw: entry.raw }, Priority::Person);
        Step::Going
    }

    /// Whether it is the one that is to go.
    fn is_meant(&self, entry: &RemoteSaved) -> bool {
        match &self.want {
            Want::Remove { id, name } => {
                entry.id.as_ref() == Some(id) && name.as_ref().is_none_or(|name| *name == entry.name)
            }
            Want::Add { .. } => false,
        }
    }

    /// Entries of before that are not in the list any more, besides the one that was to go.
    fn vanished(&self, list: &[RemoteSaved]) -> VecDeque<RemoteSaved> {
        let is_there = |entry: &RemoteSaved| {
            let same_id = |other: &RemoteSaved| entry.id.is_some() && other.id == entry.id;
            list.iter().any(|other| same_id(other) || same_entry(other, entry))
        };
        self.before.iter().filter(|entry| !self.is_meant(entry) && !is_there(entry)).cloned().collect()
    }

    fn boxed(&self, list: Option<Vec<RemoteSaved>>) -> Box<Synced> {
        Box::new(self.ended(list))
    }

    fn ended(&self, list: Option<Vec<RemoteSaved>>) -> Synced {
        let read = list.as_deref().unwrap_or_default();
        let added = match &self.want {
            Want::Remove { .. } => None,
            Want::Add { name, query } => self.added(name, query, read),
        };
        let id = added.and_then(|entry| entry.id.clone());
        let took = list.is_some()
            && match &self.want {
                Want::Add { .. } => added.is_some(),
                Want::Remove { .. } => !read.iter().any(|entry| self.is_meant(entry)),
            };
        // What was put back may have a new id: its name tells.
        let lost = match (&list, self.stage) {
            (Some(list), Stage::AtLast) => self
                .vanished(list)
                .into_iter()
                .filter(|entry| !list.iter().any(|other| other.name == entry.name))
                .map(|entry| entry.name)
                .collect(),
            _ => Vec::new(),
        };
        Synced { want: self.want.clone(), took, id, list, vanished: self.put_back, lost, failure: self.refused.clone() }
    }

    /// What was added, as the list has it: a new entry of that name or one that asks the same; else an old one that does both.
    fn added<'a>(&self, name: &str, query: &Query, list: &'a [RemoteSaved]) -> Option<&'a RemoteSaved> {
        let new =
            |entry: &&RemoteSaved| !self.before.iter().any(|known| known.id == entry.id && same_entry(known, entry));
        let same_name = |entry: &&RemoteSaved| entry.name == name;
        let same_query = |entry: &&RemoteSaved| entry.query.as_ref().is_some_and(|theirs| same_there(theirs, query));
        let fresh = || list.iter().filter(new);
        let found = fresh().find(same_name).or_else(|| fresh().find(same_query));
        found.or_else(|| list.iter().filter(same_name).find(same_query))
    }
}

impl Synced {
    /// What a person should know; nothing where all went as it should.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let words = self.failure.as_ref().map(|failure| failure.words().trim_end_matches('.').to_owned());
        match (&self.want, &self.list, words) {
            (Want::Add { .. }, None, Some(words)) => {
                sentences.push(format!("saved here only: the service's list cannot be read ({words})"));
            }
            (Want::Add { .. }, Some(_), Some(words)) if !self.took => {
                sentences.push(format!("saved here only: the service refused it ({words})"));
            }
            (Want::Add { .. }, Some(_), None) if !self.took => {
                sentences.push("saved here only: the service accepted it but did not keep it".to_owned());
            }
            (Want::Remove { .. }, None, Some(words)) => sentences
                .push(format!("removed here; the service may still have its copy: its list cannot be read ({words})")),
            (Want::Remove { .. }, Some(_), words) if !self.took => {
                let why = words.map(|words| format!(" ({words})")).unwrap_or_default();
                sentences.push(format!("removed here; the service kept its copy, which is no longer listed{why}"));
            }
            _ => {}
        }
        if self.vanished > 0 {
            let (back, lost) = (self.vanished.saturating_sub(self.lost.len()), self.lost.join(", "));
            sentences.push(match self.lost.len() {
                0 => format!(
                    "the service also dropped {}; all were put back",
                    counted(back as u64, "other saved search")
                ),
                _ => format!("the service also dropped other saved searches; {back} put back, not restored: {lost}"),
            });
        }
        sentences
    }
}
