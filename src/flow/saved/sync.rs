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
    pub(super) want: Want,
    stage: Stage,
    call: CallId,
    before: Vec<RemoteSaved>,
    /// What vanished besides, still to be put back.
    missing: VecDeque<RemoteSaved>,
    put_back: usize,
    refused: Option<Failure>,
    /// As it was read last; `None` where that could not be.
    pub(super) list: Option<Vec<RemoteSaved>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    Writing,
    After,
    PuttingBack,
    AtLast,
}

/// The service's list, if the answer is one.
pub(super) fn listed(result: &Result<Reply, Failure>) -> Result<Vec<RemoteSaved>, Failure> {
    match result {
        Ok(Reply::Saved(list)) => Ok(list.clone()),
        Ok(_) => Err(Failure::OurBug { words: "the response is not a list".to_owned() }),
        Err(failure) => Err(failure.clone()),
    }
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
            list: None,
        }
    }

    /// Whether it is over with this answer.
    pub(super) fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Heard::Reply(id, _, result) = heard else { return false };
        if *id != self.call {
            return false;
        }
        match self.stage {
            Stage::Writing => {
                self.refused = result.as_ref().err().cloned();
                self.ask(Stage::After, Call::SavedList, cx)
            }
            Stage::PuttingBack => self.restore(cx),
            stage => match listed(result) {
                Err(failure) => {
                    self.refused = Some(failure);
                    true
                }
                Ok(list) if stage == Stage::Before => {
                    self.before = list;
                    self.write(cx)
                }
                Ok(list) => {
                    self.missing = self.vanished(&list);
                    if stage == Stage::After && !self.missing.is_empty() {
                        return self.restore(cx);
                    }
                    self.list = Some(list);
                    true
                }
            },
        }
    }

    fn write(&mut self, cx: &mut Cx<'_>) -> bool {
        let call = match &self.want {
            Want::Add { name, query } => Call::SavedAdd { name: name.clone(), query: query.clone() },
            // Without an id of the list a DELETE might mean all of them.
            Want::Remove { .. } if !self.before.iter().any(|entry| self.is_meant(entry)) => {
                self.list = Some(std::mem::take(&mut self.before));
                return true;
            }
            Want::Remove { id, .. } => Call::SavedRemove { id: id.clone() },
        };
        self.ask(Stage::Writing, call, cx)
    }

    fn ask(&mut self, stage: Stage, call: Call, cx: &mut Cx<'_>) -> bool {
        self.stage = stage;
        self.call = cx.ask(Owner::Shelf, call, Priority::Person);
        false
    }

    fn restore(&mut self, cx: &mut Cx<'_>) -> bool {
        let Some(entry) = self.missing.pop_front() else { return self.ask(Stage::AtLast, Call::SavedList, cx) };
        self.put_back += 1;
        self.ask(Stage::PuttingBack, Call::SavedRestore { raw: entry.raw }, cx)
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

    /// Whether the list that was read last shows what was wanted.
    pub(super) fn took(&self) -> bool {
        self.list.as_ref().is_some_and(|list| match &self.want {
            Want::Add { .. } => self.added().is_some(),
            Want::Remove { .. } => !list.iter().any(|entry| self.is_meant(entry)),
        })
    }

    /// What was added, as the list has it: a new entry of that name or one that asks the same; else an old one that does both.
    pub(super) fn added(&self) -> Option<&RemoteSaved> {
        let (Want::Add { name, query }, Some(list)) = (&self.want, &self.list) else { return None };
        let new =
            |entry: &&RemoteSaved| !self.before.iter().any(|known| known.id == entry.id && same_entry(known, entry));
        let same_name = |entry: &&RemoteSaved| entry.name == *name;
        let same_query = |entry: &&RemoteSaved| entry.query.as_ref().is_some_and(|theirs| same_there(theirs, query));
        let fresh = || list.iter().filter(new);
        let found = fresh().find(same_name).or_else(|| fresh().find(same_query));
        found.or_else(|| list.iter().filter(same_name).find(same_query))
    }

    /// What a person should know; nothing where all went as it should.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let words = self.refused.as_ref().map(|failure| failure.words().trim_end_matches('.').to_owned());
        let unread = self.list.is_none();
        let said = match (&self.want, words) {
            _ if self.took() => None,
            (Want::Add { .. }, Some(words)) if unread => {
                Some(format!("saved here only: the service's list cannot be read ({words})"))
            }
            (Want::Add { .. }, Some(words)) => Some(format!("saved here only: the service refused it ({words})")),
            (Want::Add { .. }, None) => Some("saved here only: the service accepted it but did not keep it".to_owned()),
            (Want::Remove { .. }, Some(words)) if unread => {
                Some(format!("removed here; the service may still have its copy: its list cannot be read ({words})"))
            }
            (Want::Remove { .. }, words) => {
                let why = words.map(|words| format!(" ({words})")).unwrap_or_default();
                Some(format!("removed here; the service kept its copy, which is no longer listed{why}"))
            }
        };
        said.into_iter().chain((self.put_back > 0).then(|| self.dropped()))
    }

    /// What the service dropped besides, and what of it is back.
    fn dropped(&self) -> String {
        // What was put back may have a new id: its name tells.
        let is_back = |name: &&str| self.list.iter().flatten().any(|entry| entry.name == **name);
        let names = self.missing.iter().map(|entry| entry.name.as_str());
        let lost: Vec<&str> = names.filter(|name| !is_back(name)).collect();
        let back = self.put_back.saturating_sub(lost.len());
        if lost.is_empty() {
            let back = counted(back as u64, "other saved search");
            return format!("the service also dropped {back}; all were put back");
        }
        let lost = lost.join(", ");
        format!("the service also dropped other saved searches; {back} put back, not restored: {lost}")
    }
}
