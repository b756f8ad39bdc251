//! The profile in use as settings and keys have it now: read before each batch of an order, and at each call of an assistant.
//!
//! A key in a file or in the environment is read each time. A keyring or a key command may ask its owner: between the batches of
//! an order they are asked once a minute at most.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lode_core::{Mono, Source};
use lode_engine::effect::{FileFailure, FileReply, KeyHash, Profile, SavedProfile};

use super::clock;
use super::config::environment::Environment;
use super::config::file::KeyPlace;
use super::config::{self, ChosenProfile, KeySource};
use super::secrets;

/// Reads the profile; true asks the keyring or the key command, however recently they were asked.
pub type ReadProfile = Arc<dyn Fn(bool) -> Result<FileReply, FileFailure> + Send + Sync>;

/// How long the answer of a keyring or a key command holds between the batches of an order.
const HOLDS: Duration = Duration::from_secs(60);

/// How to read the profile that was chosen. `profile` has what stays while it is open: its window and its Data key.
pub fn reader(environment: &Environment, chosen: &ChosenProfile, profile: &Profile) -> ReadProfile {
    let (environment, chosen, profile) = (environment.clone(), chosen.clone(), profile.clone());
    let asked: Mutex<Option<(KeyPlace, KeyHash, Mono)>> = Mutex::default();
    Arc::new(move |ask_key| {
        let failed = |words: String| FileFailure { words };
        let config = config::load(&environment).map_err(|problem| failed(unread(&problem)))?;
        let now = config::as_saved(&config, &environment, &chosen).map_err(|problem| failed(unread(&problem)))?;
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
            key.map(|key| secrets::service_of(access, key)).map_err(|problem| failed(problem.words))
        });
        let workspace = workspace.transpose()?;
        let (data, window, demo) = (profile.data.clone(), profile.window.clone(), profile.demo);
        let profile = Profile { workspace, data, window, demo, ..now.profile };
        Ok(FileReply::Profile(Some(Box::new(SavedProfile { profile, standing: config.assistant.standing() }))))
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

fn unread(problem: &config::ConfigProblem) -> String {
    format!("the settings cannot be read: {problem}")
}
