//! A list of accounts: opened by name, and told of when it has come to its end.

use std::path::PathBuf;

use crate::model::Model;
use lode_core::contact::Source;
use lode_core::credits::{contacts, counted};
use lode_core::exclude::Exclusions;
use lode_core::filter::Filter;
use lode_engine::effect::Effect;
use lode_engine::flow::matching::{NoMatch, Stage, check};

use super::{fail, say};

/// Contacts of each account.
const PER_ACCOUNT: usize = 5;

/// Reads a list, to be held against the side and the filters that Search shows.
pub(super) fn open(model: &mut Model, path: &str, fx: &mut Vec<Effect>) {
    if path.is_empty() {
        return say(model, "No file name; no list was opened.", false);
    }
    if model.session.matching().is_running() {
        return say(model, "A match is running.  <match.stop> stop it first", false);
    }
    let mut query = model.search.seat().draft.clone();
    if query.side.source == Source::Data {
        // These come from the list.
        query.clear(Filter::CompanyName);
        query.clear(Filter::CompanyWebsite);
    }
    // A match takes no exclusions.
    query.not = Exclusions::default();
    if let Err(problem) = check(&query) {
        let words = if problem == NoMatch::Several {
            "A match takes one value of each filter. Clear the others on Search."
        } else {
            "The Workspace cannot be searched by company. Set at least one filter on Search, or <everywhere.source> \
                     switch to the Data API."
        };
        return say(model, words, true);
    }
    let Some(purse) = model.session.purse_of(query.side.source) else {
        return say(model, format!("This profile has no key for {}.  <everywhere.profiles> add one", query.side), true);
    };
    model.matching.told = None;
    model.session.open_match(PathBuf::from(path), query, PER_ACCOUNT, purse, model.now, fx);
}

/// The list was read, or the match moved.
pub(super) fn moved(model: &mut Model) {
    let matching = model.session.matching();
    if let Some(refused) = matching.refused()
        && model.matching.told.as_deref() != Some(refused)
    {
        let words = refused.to_owned();
        model.matching.told = Some(words.clone());
        return fail(model, format!("{}.", words.trim_end_matches('.')));
    }
    let Some(job) = matching.job() else { return };
    let words = match job.stage() {
        Stage::Done => {
            let matched = job.verdicts().iter().filter(|verdict| verdict.name() == "matched").count();
            let contacts = contacts(job.contacts().len());
            format!("Match done: {} matched, {contacts}. Nothing spent.", counted(matched as u64, "account"))
        }
        _ => {
            model.matching.told = None;
            return;
        }
    };
    if model.matching.told.as_ref() != Some(&words) {
        model.matching.told = Some(words.clone());
        say(model, words, false);
    }
}
