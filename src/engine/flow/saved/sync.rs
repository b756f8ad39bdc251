//! One change of the service's list: read it, write, read it again, and put back what vanished besides.
//!
//! Nothing says how the service takes a write, so only the list read afterwards counts: an answer of success proves nothing,
//! and neither does a broken line. Putting back is tried once; what is still missing then is named.

use std::collections::VecDeque;

use crate::effect::CallId;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use lode_core::credits::counted;
use lode_core::query::Query;
use lode_core::saved::{RemoteSaved, Saved};

use super::merge::{find, same_entry, same_there};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Want {
    Add {
        name: String,
        query: Query,
    },
    /// The copy under another name, where the service has one. The old one is still there afterwards.
    Rename {
        old: String,
        name: String,
        query: Query,
        copy: Copy,
    },
    Remove {
        copy: Copy,
        why: Why,
    },
}

/// How the service's copy of a search is found in its list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Copy {
    /// The entry as it was listed.
    Listed(RemoteSaved),
    /// The list was not read: the copy of what is saved here, if it has one.
    Of(Saved),
}

/// Why a copy is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The search was removed here.
    Removed,
    /// It is kept under another name by now.
    Renamed,
    /// It asks something else than was sent.
    Misread,
}

#[derive(Clone, Debug)]
pub(super) struct Sync {
    pub(super) want: Want,
    stage: Stage,
    call: CallId,
    before: Vec<RemoteSaved>,
    /// The copy that is renamed or removed.
    old: Option<RemoteSaved>,
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

/// Whether both are one entry of the list: by its id, where it has one.
pub(super) fn same_place(one: &RemoteSaved, other: &RemoteSaved) -> bool {
    if one.id.is_some() { one.id == other.id } else { other.id.is_none() && same_entry(one, other) }
}

impl Sync {
    pub(super) fn start(want: Want, cx: &mut Cx<'_>) -> Sync {
        let call = cx.ask(Owner::Shelf, Call::SavedList, Priority::Person);
        Sync {
            want,
            stage: Stage::Before,
            call,
            before: Vec::new(),
            old: None,
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
                    self.old = self.copy().cloned();
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
        let add = |name: &String, query: &Query| Call::SavedAdd { name: name.clone(), query: query.clone() };
        // Without an id of the list a DELETE might mean all of them.
        let id = self.old.as_ref().and_then(|old| old.id.clone());
        let call = match &self.want {
            Want::Add { name, query } => Some(add(name, query)),
            Want::Rename { name, query, .. } => self.old.is_some().then(|| add(name, query)),
            Want::Remove { .. } => id.map(|id| Call::SavedRemove { id }),
        };
        let Some(call) = call else {
            self.list = Some(self.before.clone());
            return true;
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

    /// The copy that is meant, as the list has it.
    fn copy(&self) -> Option<&RemoteSaved> {
        match &self.want {
            Want::Add { .. } => None,
            Want::Rename { copy: Copy::Listed(one), .. } | Want::Remove { copy: Copy::Listed(one), .. } => {
                self.before.iter().find(|entry| same_place(entry, one))
            }
            Want::Rename { copy: Copy::Of(saved), .. } | Want::Remove { copy: Copy::Of(saved), .. } => {
                let all: Vec<&RemoteSaved> = self.before.iter().collect();
                find(saved, &all).map(|at| all[at])
            }
        }
    }

    /// The copy that was to be renamed or removed.
    pub(super) fn old(&self) -> Option<&RemoteSaved> {
        self.old.as_ref()
    }

    /// Whether it is the one that is to go.
    fn is_meant(&self, entry: &RemoteSaved) -> bool {
        matches!(self.want, Want::Remove { .. }) && self.old.as_ref().is_some_and(|old| same_place(old, entry))
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
            Want::Add { .. } | Want::Rename { .. } => self.added().is_some(),
            Want::Remove { .. } => !list.iter().any(|entry| self.is_meant(entry)),
        })
    }

    /// What was added, as the list has it: a new entry of that name or one that asks the same; else an old one that does both.
    /// None where it asks something else than was sent.
    pub(super) fn added(&self) -> Option<&RemoteSaved> {
        self.found().filter(|entry| self.asks(entry) != Some(false))
    }

    /// The only new entry, if it asks something else than was sent: the service dropped or changed a part of the search.
    pub(super) fn misread(&self) -> Option<&RemoteSaved> {
        let mut fresh = self.fresh();
        let only = fresh.next().filter(|_| fresh.next().is_none())?;
        (self.asks(only) == Some(false)).then_some(only)
    }

    fn found(&self) -> Option<&RemoteSaved> {
        let (Want::Add { name, .. } | Want::Rename { name, .. }) = &self.want else { return None };
        let same_name = |entry: &&RemoteSaved| entry.name == *name;
        let same_query = |entry: &&RemoteSaved| self.asks(entry) == Some(true);
        let found = self.fresh().filter(same_name).find(same_query).or_else(|| self.fresh().find(same_name));
        let found = found.or_else(|| self.fresh().find(same_query));
        found.or_else(|| self.list.iter().flatten().filter(same_name).find(same_query))
    }

    /// The entries that were not there before.
    fn fresh(&self) -> impl Iterator<Item = &RemoteSaved> {
        let is_known =
            |entry: &RemoteSaved| self.before.iter().any(|known| known.id == entry.id && same_entry(known, entry));
        self.list.iter().flatten().filter(move |entry| !is_known(entry))
    }

    /// Whether the entry asks what was sent; `None` where its filters cannot be read.
    fn asks(&self, entry: &RemoteSaved) -> Option<bool> {
        let (Want::Add { query, .. } | Want::Rename { query, .. }) = &self.want else { return None };
        let theirs = entry.query.as_ref()?;
        Some(same_there(theirs, query) && theirs.side.source == query.side.source)
    }

    /// How the search that the service keeps differs from the one that was sent.
    fn difference(&self) -> Option<String> {
        let (Want::Add { query, .. } | Want::Rename { query, .. }) = &self.want else { return None };
        let theirs = self.found().filter(|entry| self.asks(entry) == Some(false))?.query.as_ref()?;
        Some(if theirs.side.source == query.side.source {
            "the service would keep it with other filters".to_owned()
        } else {
            format!("the service would keep it as a search of the {} API", theirs.side.source.title())
        })
    }

    /// What a person should know; nothing where all went as it should.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let words = self.refused.as_ref().map(|failure| failure.words().trim_end_matches('.').to_owned());
        let unread = self.list.is_none();
        let why = words.as_ref().map(|words| format!(" ({words})")).unwrap_or_default();
        let said = match (&self.want, words) {
            _ if self.took() => None,
            (Want::Add { .. }, Some(_)) if unread => {
                Some(format!("saved here only: the service's list cannot be read{why}"))
            }
            (Want::Add { .. }, words) => Some(match (self.difference(), words) {
                (Some(difference), _) => format!("saved here only: {difference}"),
                (None, Some(_)) => format!("saved here only: the service refused it{why}"),
                (None, None) => "saved here only: the service accepted it but did not keep it".to_owned(),
            }),
            (Want::Rename { old, .. }, _) if unread => {
                Some(format!("renamed here; the service may keep the name `{old}`: its list cannot be read{why}"))
            }
            // The service has no copy.
            (Want::Rename { .. }, _) if self.old.is_none() => None,
            (Want::Rename { old, .. }, _) => {
                let why = self.difference().map(|difference| format!(" ({difference})")).unwrap_or(why);
                Some(format!("renamed here; the service's copy keeps the name `{old}`{why}"))
            }
            (Want::Remove { why: Why::Removed, .. }, _) if unread => {
                Some(format!("removed here; the service may still have its copy: its list cannot be read{why}"))
            }
            (Want::Remove { why: Why::Removed, .. }, _) => {
                Some(format!("removed here; the service kept its copy, which is no longer listed{why}"))
            }
            (Want::Remove { why: Why::Renamed, .. }, _) => {
                Some(format!("the service also kept the copy with the old name, which is no longer listed{why}"))
            }
            (Want::Remove { why: Why::Misread, .. }, _) => {
                Some(format!("its copy could not be removed and is no longer listed{why}"))
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
