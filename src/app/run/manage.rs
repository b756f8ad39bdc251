//! Calls about profiles and keys, made off the screen's thread: a keyring may ask its owner, a service may be slow.
//!
//! Each call is a thread of its own that ends with one thing to tell: words, or a profile that is ready to open.

use tokio::sync::mpsc::UnboundedSender;

use lode_core::Source;
use lode_engine::effect::{Failure, Listed, ProfileCall, ProfileReply, Proof, Reply};
use lode_host::address;
use lode_host::config::edit::{self, ConfigChange};
use lode_host::config::environment::Environment;
use lode_host::config::file::{KeyPlace, ProfileTable};
use lode_host::config::{self, ConfigProblem};
use lode_host::secrets::Waiting;
use lode_host::{profiles, secrets};

use super::demo;
use super::opening::{self, OpenedProfile, capital};

/// The result of a thread of this module.
pub enum Managed {
    Told(Box<ProfileReply>),
    /// A profile to open.
    Opened(Result<Box<OpenedProfile>, String>),
    /// A key lets its owner wait: why.
    Waiting(String),
}

/// Starts the work of a call. `here` is the profile of this window.
pub fn perform(call: ProfileCall, environment: &Environment, here: String, tell: UnboundedSender<Managed>) {
    let environment = environment.clone();
    let failed = tell.clone();
    let work = move || {
        let done = answers(call, &environment, &here, &waiting(&tell));
        for done in done.unwrap_or_else(|problem| replies(refused(&problem))) {
            // The window may be gone meanwhile: then the result is dropped.
            let _ = tell.send(done);
        }
    };
    if std::thread::Builder::new().name("profiles".to_owned()).spawn(work).is_err() {
        let words = "The system is out of threads. Close something and try again.";
        let _ = failed.send(Managed::Told(Box::new(ProfileReply::Refused(words.to_owned()))));
    }
}

/// Says on the message line why a profile does not open yet.
pub(super) fn waiting(tell: &UnboundedSender<Managed>) -> impl Fn(&str) + use<> {
    let tell = tell.clone();
    move |words: &str| {
        let _ = tell.send(Managed::Waiting(format!("{} …", capital(words))));
    }
}

fn replies(told: ProfileReply) -> Vec<Managed> {
    vec![Managed::Told(Box::new(told))]
}

fn answers(
    call: ProfileCall,
    environment: &Environment,
    here: &str,
    waiting: Waiting<'_>,
) -> Result<Vec<Managed>, ConfigProblem> {
    let open = |name: Option<&str>, words: String| open(environment, name, words, waiting);
    let done = |words: String| replies(ProfileReply::Done(words));
    match call {
        ProfileCall::Prove { attempt, source, url, key } => {
            let proof = prove(environment, source, &url, &key);
            Ok(replies(ProfileReply::Proved { attempt, proof }))
        }
        ProfileCall::Demo => Ok(vec![Managed::Opened(demo::in_window(environment).map(Box::new))]),
        ProfileCall::Profiles => Ok(replies(ProfileReply::Profiles(listed(environment)?))),
        ProfileCall::Address { source, text } => {
            let base = address::read(source, &text).map_err(|words| ConfigProblem::new(words, ""))?;
            Ok(replies(ProfileReply::Address { url: base.url, said: base.said }))
        }
        ProfileCall::Keep { profile, service, caps } => {
            profiles::keep(environment, &profile, &service)?;
            if let Some(caps) = caps {
                profiles::bound(environment, &profile, caps)?;
            }
            open(Some(&profile), format!("Profile {profile} saved and opened."))
        }
        ProfileCall::Caps { profile, caps } => {
            profiles::bound(environment, &profile, caps)?;
            let words = format!("Saved the limits of {profile}.");
            if profile == here { open(Some(&profile), words) } else { Ok(done(words)) }
        }
        ProfileCall::Use(profile) => {
            let words = format!("Switched to profile {profile}.");
            open(Some(&profile), words)
        }
        ProfileCall::StartWith(profile) => {
            edit::apply(environment, &[ConfigChange::StartWith { profile: profile.clone() }])?;
            Ok(done(format!("{profile} is now the default profile.")))
        }
        ProfileCall::Rename { from, to } => {
            profiles::rename(environment, &from, &to)?;
            let words = format!("Renamed {from} to {to}.");
            if from == here { open(Some(&to), words) } else { Ok(done(words)) }
        }
        ProfileCall::Remove(profile) => {
            profiles::remove(environment, &profile)?;
            let words = format!("Removed {profile}. Owned contacts and saved searches are kept.");
            if profile == here { open(None, words) } else { Ok(done(words)) }
        }
    }
}

/// Opens a profile, the usual one where none is named. What is to be said comes after it, for opening clears the screen.
fn open(
    environment: &Environment,
    name: Option<&str>,
    words: String,
    waiting: Waiting<'_>,
) -> Result<Vec<Managed>, ConfigProblem> {
    let config = config::load(environment)?;
    let chosen = config::choose(&config, environment, name)?.unwrap_or_else(opening::without_profile);
    let opened = opening::opened(&chosen, environment, waiting);
    // A key that cannot be had is the news then.
    let whole = opened.problems.is_empty();
    let mut all = vec![Managed::Opened(Ok(Box::new(opened)))];
    all.extend(whole.then(|| Managed::Told(Box::new(ProfileReply::Done(words)))));
    Ok(all)
}

fn refused(problem: &ConfigProblem) -> ProfileReply {
    let hint = if problem.hint.is_empty() { String::new() } else { format!(" {}", capital(&problem.hint)) };
    ProfileReply::Refused(format!("{}.{hint}", capital(problem.to_string().trim_end_matches('.'))))
}

fn listed(environment: &Environment) -> Result<Vec<Listed>, ConfigProblem> {
    let config = config::load(environment)?;
    let first = config.profile.clone().or_else(|| config.profiles.first().map(|profile| profile.name.clone()));
    Ok(config.profiles.iter().map(|table| of(table, first.as_deref() == Some(&table.name))).collect())
}

fn of(table: &ProfileTable, first: bool) -> Listed {
    let both = [(Source::Workspace, &table.workspace), (Source::Data, &table.data)];
    let mut services = Vec::new();
    let mut loopback = true;
    for (source, service) in both {
        let Some(service) = service else { continue };
        let place = match &service.key {
            Some(KeyPlace::Keyring) => "keyring",
            Some(KeyPlace::Command(_)) => "command",
            Some(KeyPlace::File(_)) => "private file",
            None => "no key",
        };
        loopback &= service.base.as_ref().is_some_and(|base| base.loopback);
        services.push((source, place.to_owned()));
    }
    Listed { name: table.name.clone(), live: services.is_empty() || !loopback, services, caps: table.caps, first }
}

fn prove(environment: &Environment, source: Source, url: &str, key: &secrecy::SecretString) -> Result<Proof, Failure> {
    let unsent = |error: &dyn std::fmt::Display| Failure::Unsent { words: error.to_string() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| unsent(&error))?;
    let (account, rows) = match runtime.block_on(profiles::prove(source, url, key))? {
        Reply::Me(account) => (Some(account), None),
        Reply::Counts(counts) => (None, counts.total),
        _ => (None, None),
    };
    let config = config::load(environment).map_err(|error| unsent(&error))?;
    let taken = config.profiles.iter().map(|profile| profile.name.clone()).collect();
    let keyring = secrets::keyring_works().err().map(|problem| capital(&problem.words));
    Ok(Proof { account, rows, keyring, taken })
}
