//! Saved searches as files: one small readable file each under the config folder, made for eyes, editors and git.
//!
//! What only lode cares about (when it last ran, how many there were, under which id the service keeps it, what is not to be
//! listed) is in one file of the state folder, so that running a search changes nothing under version control. Changes of
//! several windows go one after the other, and each reads the folder again: no list is written back from memory. Named views of the
//! grid are in one more file, for all profiles; one that cannot be read is told and stays as it is written, and the others work:
//!
//! ```toml
//! [west]
//! columns = ["name", "title:30", "state"]
//! sort = "-title"
//! ```

pub mod form;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml_edit::{Array, Document, DocumentMut, Item, Table, Value};

use crate::config::reader::{Read, Setting, parse};
use crate::config::{ConfigProblem, edit::set, environment::Environment};
use lode_core::{ExclusionKind, Filter, GridView, Query, SavedSearch, Side, Source, Unreadable, Wall, scrub, slug};
use lode_engine::effect::{FileFailure, FileReply, SavedCall};

use super::files::{atomic, free_name, if_there, locked};

/// The saved searches of one profile.
#[derive(Clone, Debug)]
pub struct SavedFiles {
    /// One file for each search.
    folder: PathBuf,
    /// What lode remembers about them.
    facts: PathBuf,
    /// The named views of all profiles.
    views: PathBuf,
}

/// A file of the folder, read.
struct Entry {
    path: PathBuf,
    text: String,
    read: Result<SavedSearch, String>,
}

impl SavedFiles {
    pub fn of(environment: &Environment, profile: &str) -> SavedFiles {
        let folder = environment.config_dir.join("saved").join(profile);
        let state = environment.state_dir.join("saved");
        SavedFiles { folder, facts: state.join(format!("{profile}.json")), views: state.join("views.toml") }
    }

    /// Every change touches the first; the second holds the searches themselves, which people edit by hand.
    pub fn folders(&self) -> Vec<PathBuf> {
        let own = Some(&*self.folder).filter(|folder| folder.is_dir());
        self.facts.parent().into_iter().chain(own).map(Path::to_owned).collect()
    }

    /// Does one call about saved searches.
    pub fn perform(&self, call: &SavedCall) -> Result<FileReply, FileFailure> {
        if let SavedCall::List = call {
            return self.list();
        }
        let _lock = lock(if matches!(call, SavedCall::KeepView { .. }) { &self.views } else { &self.facts })?;
        match call {
            SavedCall::List => {}
            SavedCall::KeepView { name, view } => {
                let text = self.views_text()?;
                let text = changed_views(&self.views, &text, &scrub(name), view.as_ref()).map_err(failure)?;
                self.put(&self.views, &text)?;
            }
            SavedCall::Add(saved) => return self.add(&shown(saved)),
            SavedCall::Note(saved) => self.note(&shown(saved))?,
            SavedCall::Rename { from, to } => return self.rename(&scrub(from), &shown(to)),
            SavedCall::Remove { name } => self.remove(name)?,
            SavedCall::Hide { key } => self.change_facts(|facts| facts.hidden.extend([key.clone()]))?,
        }
        Ok(FileReply::Done)
    }

    fn entries(&self) -> Result<Vec<Entry>, FileFailure> {
        let Some(listed) = there(&self.folder, fs::read_dir(&self.folder))? else { return Ok(Vec::new()) };
        let mut paths: Vec<_> = listed.flatten().map(|entry| entry.path()).filter(|path| is_search(path)).collect();
        paths.sort();
        // None if another window removed it meanwhile.
        let read_one = |path: PathBuf| match if_there(fs::read_to_string(&path)).transpose()? {
            Ok(text) => Some(Entry { read: form::read(&text), path, text }),
            Err(error) => Some(Entry { path, text: String::new(), read: Err(error.to_string()) }),
        };
        Ok(paths.into_iter().filter_map(read_one).collect())
    }

    fn list(&self) -> Result<FileReply, FileFailure> {
        let (facts, wrong) = self.read_facts().map_or_else(|why| (Facts::default(), Some(why)), |facts| (facts, None));
        let mut saved: Vec<SavedSearch> = Vec::new();
        let mut unreadable = Vec::new();
        for entry in self.entries()? {
            let file = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match entry.read {
                Ok(written) if saved.iter().any(|known| known.name == written.name) => {
                    let why = format!("another file is named `{}` as well", written.name);
                    unreadable.push(Unreadable { file, why, name: Some(written.name) });
                }
                Ok(written) => saved.push(facts.complete(written)),
                Err(why) => unreadable.push(Unreadable { file, why, name: form::name(&entry.text) }),
            }
        }
        saved.sort_by_key(|saved| saved.name.to_lowercase());
        let views = self.views_text().map(|text| read_views(&self.views, &text));
        let (views, wrong_views) = views.unwrap_or_else(|failure| (BTreeMap::new(), Some(failure.words)));
        let wrong = wrong.map(|wrong| format!("Totals and dates of saved searches are missing: {}", wrong.words));
        let views = (views, wrong.or(wrong_views));
        Ok(FileReply::Saved { saved, unreadable, hidden: facts.hidden.into_iter().collect(), views })
    }

    fn views_text(&self) -> Result<String, FileFailure> {
        Ok(there(&self.views, fs::read_to_string(&self.views))?.unwrap_or_default())
    }

    fn find(&self, name: &str) -> Result<Option<Entry>, FileFailure> {
        let name = scrub(name);
        let named = |entry: &Entry| entry.read.as_ref().is_ok_and(|written| written.name == *name);
        Ok(self.entries()?.into_iter().find(named))
    }

    fn add(&self, saved: &SavedSearch) -> Result<FileReply, FileFailure> {
        if saved.name.trim().is_empty() {
            return Err(failure("a saved search needs a name that can be read"));
        }
        // Another window may have taken the name since it was free.
        if self.find(&saved.name)?.is_some() {
            return Ok(FileReply::Taken);
        }
        self.put(&self.free_path(&saved.name), &form::changed("", saved))?;
        self.change_facts(|facts| facts.keep(saved))?;
        Ok(FileReply::Done)
    }

    fn note(&self, saved: &SavedSearch) -> Result<(), FileFailure> {
        let asks_the_same = |there: SavedSearch| there.query.written() == saved.query.written();
        let is_there = self.find(&saved.name)?.is_some_and(|entry| entry.read.is_ok_and(asks_the_same));
        if is_there { self.change_facts(|facts| facts.keep(saved)) } else { Ok(()) }
    }

    fn rename(&self, from: &str, to: &SavedSearch) -> Result<FileReply, FileFailure> {
        let Some(entry) = self.find(from)? else { return Err(failure(format!("no saved search is named `{from}`"))) };
        if to.name != from && self.find(&to.name)?.is_some() {
            return Ok(FileReply::Taken);
        }
        let path = self.free_path(&to.name);
        // First the new content where it was, then the new place: at no moment is there none, or two.
        self.put(&entry.path, &form::changed(&entry.text, to))?;
        if entry.path.file_stem() != path.file_stem() {
            fs::rename(&entry.path, &path).map_err(|error| failure(atomic::sentence(&path, &error)))?;
        }
        self.change_facts(|facts| {
            facts.runs.remove(from);
            facts.keep(to);
        })?;
        Ok(FileReply::Done)
    }

    fn remove(&self, name: &str) -> Result<(), FileFailure> {
        // One that cannot be read has no name but its file's.
        let unreadable = |entry: &Entry| entry.read.is_err() && entry.path.file_name().is_some_and(|file| file == name);
        let entry = match self.find(name)? {
            None => self.entries()?.into_iter().find(unreadable),
            found => found,
        };
        let Some(entry) = entry else { return Err(failure(format!("no saved search is named `{name}`"))) };
        fs::remove_file(&entry.path)
            .map_err(|error| failure(format!("{} cannot be removed: {error}", entry.path.display())))?;
        self.change_facts(|facts| drop(facts.runs.remove(&*scrub(name))))
    }

    /// Writes what changed; a file that says the same already is left alone.
    fn put(&self, path: &Path, text: &str) -> Result<(), FileFailure> {
        if fs::read_to_string(path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        atomic::write_private(path, text.as_bytes()).map_err(failure)
    }

    /// A path for a new name that no file has.
    fn free_path(&self, name: &str) -> PathBuf {
        free_name(&self.folder, &slug(name), "toml", |path| fs::symlink_metadata(path).is_err())
    }

    fn read_facts(&self) -> Result<Facts, FileFailure> {
        let Some(text) = there(&self.facts, fs::read_to_string(&self.facts))? else { return Ok(Facts::default()) };
        Facts::read(&text).map_err(|why| failure(format!("{} is damaged: {why}", self.facts.display())))
    }

    fn change_facts(&self, change: impl FnOnce(&mut Facts)) -> Result<(), FileFailure> {
        let text = there(&self.facts, fs::read_to_string(&self.facts))?;
        let read = text.as_deref().map(Facts::read).transpose();
        if read.is_err() {
            // What cannot be read is put aside, or nothing could be saved any more.
            fs::rename(&self.facts, self.facts.with_extension("damaged")).map_err(|why| failure(why.to_string()))?;
        }
        let mut facts = read.unwrap_or_default().unwrap_or_default();
        change(&mut facts);
        self.put(&self.facts, &facts.text())
    }
}

/// What was read of a file or folder. None if nothing has that name.
fn there<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, FileFailure> {
    if_there(read).map_err(|error| failure(format!("{} cannot be read: {error}", path.display())))
}

/// One window changes a file at a time.
fn lock(file: &Path) -> Result<File, FileFailure> {
    let path = file.with_extension("lock");
    locked(&path).map_err(|error| failure(atomic::sentence(&path, &error)))
}

/// Gives the saved searches of a profile to its new name.
pub fn rename_profile(environment: &Environment, from: &str, to: &str) -> Result<(), FileFailure> {
    let (old, new) = (SavedFiles::of(environment, from), SavedFiles::of(environment, to));
    let _lock = lock(&old.facts)?;
    for (from, to) in [(&old.folder, &new.folder), (&old.facts, &new.facts)] {
        if to.exists() {
            return Err(failure(format!("{} already exists", to.display())));
        }
        if_there(fs::rename(from, to)).map_err(|error| failure(atomic::sentence(to, &error)))?;
    }
    Ok(())
}

/// Under the name by which it will be read.
fn shown(saved: &SavedSearch) -> SavedSearch {
    SavedSearch { name: scrub(&saved.name).into_owned(), ..saved.clone() }
}

fn failure(words: impl Into<String>) -> FileFailure {
    FileFailure { words: words.into() }
}

fn is_search(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
        && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Facts {
    /// By the name of the search.
    pub runs: BTreeMap<String, Run>,
    /// Entries of the service's list that are not listed here.
    pub hidden: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Run {
    /// Under which the service keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<i64>,
    /// The named view that it was saved with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
}

impl Facts {
    fn read(text: &str) -> Result<Facts, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    fn keep(&mut self, saved: &SavedSearch) {
        let (id, view) = (saved.id.clone(), saved.view.clone());
        let run = Run { id, total: saved.total, last_run: saved.last_run.map(|at| at.0), view };
        if run == Run::default() {
            self.runs.remove(&saved.name);
        } else {
            self.runs.insert(saved.name.clone(), run);
        }
    }

    fn complete(&self, written: SavedSearch) -> SavedSearch {
        let run = self.runs.get(&written.name).cloned().unwrap_or_default();
        let Run { id, total, last_run, view } = run;
        SavedSearch { id, total, last_run: last_run.map(Wall), view, ..written }
    }
}

/// The views, and what is wrong with the last one that cannot be read.
fn read_views(path: &Path, text: &str) -> (BTreeMap<String, GridView>, Option<String>) {
    let (mut views, mut wrong) = (BTreeMap::new(), None);
    let read = parse(path, text, |file| {
        for entry in file.entries()? {
            match view(&entry) {
                Ok(view) => _ = views.insert(scrub(entry.name).into_owned(), view),
                Err(problem) => wrong = Some(problem),
            }
        }
        Ok(())
    });
    (views, read.err().or(wrong).map(|problem| format!("A view cannot be read: {problem}")))
}

fn view(entry: &Setting<'_>) -> Read<GridView> {
    let settings = entry.entries()?;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let columns = find("columns").and_then(Setting::strings).unwrap_or_default();
    let view = GridView::read(&columns, find("sort").and_then(|sort| sort.item.as_str()));
    view.ok_or_else(|| entry.wrong(format!("the view `{}` needs columns = [\"name\", \"title:30\"]", entry.name)))
}

/// The text of the file with this view in it, or without the one of that name. The error is what is wrong with the file.
fn changed_views(path: &Path, text: &str, name: &str, view: Option<&GridView>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|_| read_views(path, text).1.unwrap_or_default())?;
    document.remove(name);
    if let Some((columns, sort)) = view.map(GridView::written) {
        let mut table = Table::new();
        set(&mut table, "columns", columns.into_iter().collect::<Array>());
        if let Some(sort) = sort {
            set(&mut table, "sort", sort);
        }
        document.insert(name, Item::Table(table));
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests;
