//! Profiles as their owner manages them: prove a key, keep it, rename, remove. And the profile in use as settings and keys have it
//! now, which is read before each batch of an order, and at each call of an assistant.
//!
//! Each management is one change in several places (settings, keys, saved searches, store), done in an order in which a failure leaves
//! the old state usable. All of it may take as long as a keyring asks its owner, so it runs off the screen's thread.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;

use lode_core::{Caps, Corpus, Mono, Source};
use lode_engine::effect::*;

use super::address::{self, ServiceAddress};
use super::config::edit::{self, ConfigChange};
use super::config::file::{KeyPlace, ProfileTable};
use super::config::{self, ChosenProfile, ConfigProblem, KeySource, environment::Environment};
use super::secrets::{self, KeyOwner};
use super::store::{self, Store, place};
use super::{clock, http::Http, saved};

/// Asks the service whose key this is: the account of a Workspace key, the counts of a Data key. Nothing is kept by it.
pub async fn prove(source: Source, url: &str, key: &SecretString) -> Result<Reply, Failure> {
    let base = address::read(source, url).map_err(|words| Failure::Unsent { words })?;
    let address = ServiceAddress { base, key: key.clone() };
    match source {
        Source::Workspace => Http::new(Some(address), None).send(&Call::Me).await,
        Source::Data => Http::new(None, Some(address)).send(&Call::Counts(Corpus::Us)).await,
    }
}

/// Keeps a service's key where its owner chose and writes the service into the settings; makes the profile if it is new.
pub fn keep(environment: &Environment, profile: &str, service: &NewService) -> Result<(), ConfigProblem> {
    let source = service.source;
    config::file::check_name(profile).map_err(|words| ConfigProblem::new(words, "choose another name"))?;
    let base = address::read(source, &service.url)
        .map_err(|words| ConfigProblem::new(words, "`lode doctor` shows the address of each service"))?;
    let place = match &service.keeping {
        Keeping::Keyring => KeyPlace::Keyring,
        Keeping::Command(line) => KeyPlace::Command(line.clone()),
        // Private, and beside the settings.
        Keeping::File => KeyPlace::File(format!("{profile}-{source}.key").into()),
    };
    let owner = KeyOwner { profile, source, origin: &base.origin };
    // The key first: settings that name a missing key would be worse than an unused key.
    secrets::keep(&place, &environment.config_dir, owner, &service.key)?;
    let change = ConfigChange::Service { profile: profile.to_owned(), source, url: base.url.clone(), key: place };
    edit::apply(environment, &[change])
}

/// Bounds of a profile.
pub fn bound(environment: &Environment, profile: &str, caps: Caps) -> Result<(), ConfigProblem> {
    edit::apply(environment, &[ConfigChange::Caps { profile: profile.to_owned(), caps }])
}

/// Gives a profile another name. Keys, saved searches, basket, history and the rest go along; receipts keep the old name.
pub fn rename(environment: &Environment, from: &str, to: &str) -> Result<(), ConfigProblem> {
    let table = table_of(environment, from)?;
    // Everything that can be refused is asked before anything is moved.
    let path = config::path(environment);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let change = [ConfigChange::Rename { from: from.to_owned(), to: to.to_owned() }];
    edit::applied(&path, &text, &change)?;
    move_keys(&table, from, to)?;
    saved::rename_profile(environment, from, to).map_err(|failure| ConfigProblem::new(failure.words, DOCTOR))?;
    // If that fails, the settings still have the old name, so the searches get it back.
    edit::apply(environment, &change).inspect_err(|_| drop(saved::rename_profile(environment, to, from)))?;
    for (owner, place) in owners(&table, from) {
        // An entry of the old name that stays in the keyring does no harm.
        let _ = matches!(place, KeyPlace::Keyring).then(|| secrets::discard(place, &environment.config_dir, owner));
    }
    let call = StoreCall::RenameProfile { from: from.to_owned(), to: to.to_owned() };
    let ledger = place::settle(&environment.state_dir, &environment.data_dir);
    let mut store = Store::open(&ledger.dir, store::fresh_window()).refusing(ledger.refused);
    let renamed = store.perform(call, clock::now());
    renamed.map(drop).map_err(|failure| ConfigProblem::new(failure.to_string(), DOCTOR))
}

/// Takes a profile out of the settings, with the keys that lode put away for it. What was bought and saved stays.
pub fn remove(environment: &Environment, name: &str) -> Result<(), ConfigProblem> {
    let table = table_of(environment, name)?;
    edit::apply(environment, &[ConfigChange::Remove { profile: name.to_owned() }])?;
    // Every key is tried; of several failures the last one is told.
    let discarded = owners(&table, name).map(|(owner, place)| secrets::discard(place, &environment.config_dir, owner));
    discarded.reduce(|before, done| done.and(before)).unwrap_or(Ok(()))
}

const DOCTOR: &str = "`lode doctor` shows the folders in use";

fn table_of(environment: &Environment, name: &str) -> Result<ProfileTable, ConfigProblem> {
    let config = config::load(environment)?;
    let missing = || {
        let words = format!("no profile `{name}` in the settings");
        ConfigProblem::new(words, "what the environment sets is changed there; `lode info` shows it")
    };
    config.named(name).cloned().ok_or_else(missing)
}

/// The keys that a profile's settings name, with the origin each is bound to.
fn owners<'a>(table: &'a ProfileTable, profile: &'a str) -> impl Iterator<Item = (KeyOwner<'a>, &'a KeyPlace)> {
    let services = [(Source::Workspace, &table.workspace), (Source::Data, &table.data)];
    services.into_iter().filter_map(move |(source, service)| {
        let service = service.as_ref()?;
        let origin = service.base.as_ref()?.origin.as_str();
        Some((KeyOwner { profile, source, origin }, service.key.as_ref()?))
    })
}

/// Keyring entries carry the profile's name: they are written under the new one before the old ones go.
fn move_keys(table: &ProfileTable, from: &str, to: &str) -> Result<(), ConfigProblem> {
    for (owner, place) in owners(table, from).filter(|(_, place)| **place == KeyPlace::Keyring) {
        let key = secrets::fetch(&config::KeySource::Stored(KeyPlace::Keyring), owner, &|_| {})?;
        secrets::keep(place, std::path::Path::new(""), KeyOwner { profile: to, ..owner }, &key)?;
    }
    Ok(())
}

/// Reads the profile; true asks the keyring or the key command, however recently they were asked.
pub type ReadProfile = Arc<dyn Fn(bool) -> Result<FileReply, FileFailure> + Send + Sync>;

/// How long the answer of a keyring or a key command holds between the batches of an order.
const HOLDS: Duration = Duration::from_secs(60);

/// How to read the profile that was chosen. `profile` has what stays while it is open: its window and its Data key.
pub fn reader(environment: &Environment, chosen: &ChosenProfile, profile: &Profile) -> ReadProfile {
    let (environment, chosen, profile) = (environment.clone(), chosen.clone(), profile.clone());
    let asked: Mutex<Option<(KeyPlace, KeyHash, Mono)>> = Mutex::default();
    Arc::new(move |ask_key| {
        let unread = |problem| FileFailure { words: format!("the settings cannot be read: {problem}") };
        let config = config::load(&environment).map_err(unread)?;
        let now = config::as_saved(&config, &environment, &chosen).map_err(unread)?;
        let Some(now) = now else { return Ok(FileReply::Profile(None)) };
        let workspace = now.workspace.as_ref().map(|access| {
            let (name, origin) = (&chosen.profile.name, &access.base.origin);
            let owner = secrets::KeyOwner { profile: name, source: Source::Workspace, origin };
            let fetch = || secrets::fetch(&access.key, owner, &|_| {}).map(|key| secrets::hash(&key));
            let key = match &access.key {
                KeySource::Stored(place @ (KeyPlace::Keyring | KeyPlace::Command(_))) => {
                    let (mut asked, at) = (asked.lock().unwrap_or_else(PoisonError::into_inner), clock::now().mono);
                    match &*asked {
                        Some((of, key, then)) if !ask_key && of == place && at.since(*then) < HOLDS => Ok(key.clone()),
                        _ => fetch().inspect(|key| *asked = Some((place.clone(), key.clone(), at))),
                    }
                }
                _ => fetch(),
            };
            key.map(|key| secrets::service_of(access, key)).map_err(|problem| FileFailure { words: problem.words })
        });
        let workspace = workspace.transpose()?;
        let (data, window, demo) = (profile.data.clone(), profile.window.clone(), profile.demo);
        let profile = Profile { workspace, data, window, demo, ..now.profile };
        Ok(FileReply::Profile(Some(Box::new(SavedProfile { profile, standing: config.assistant.standing }))))
    })
}

/// The demo's profile: of the settings it has the rules for choosing alone.
pub fn of_demo(environment: &Environment, profile: &Profile) -> ReadProfile {
    let (environment, profile) = (environment.clone(), profile.clone());
    Arc::new(move |_| {
        let (_, choosing, _) = config::for_demo(&environment);
        let profile = Profile { choosing, ..profile.clone() };
        Ok(FileReply::Profile(Some(Box::new(SavedProfile { profile, standing: None }))))
    })
}
