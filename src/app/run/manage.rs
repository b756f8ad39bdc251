//! Calls about profiles and keys, made off the screen's thread: a keyring may ask its owner, a service may be slow.
//!
//! Each call is a thread of its own that ends with one thing to tell: words, or a profile that is ready to open.

use super::*;

/// The result of a thread of this module.
pub enum Managed {
    Reply(Box<ProfileReply>),
    /// A profile to open.
    Opened(Result<Box<StartedRun>, String>),
    /// A key lets its owner wait: why.
    Waiting(String),
}

/// Starts the work of a call. `here` is the profile of this window.
pub fn perform(call: ProfileCall, environment: &Environment, here: String, tell: UnboundedSender<Managed>) {
    let environment = environment.clone();
    let failed = tell.clone();
    let work = move || {
        let told = answer(call, &environment, &here, &tell).unwrap_or_else(|problem| Some(refused(&problem)));
        // The window may be gone meanwhile: then the result is dropped.
        if let Some(told) = told {
            let _ = tell.send(Managed::Reply(Box::new(told)));
        }
    };
    if std::thread::Builder::new().name("profiles".to_owned()).spawn(work).is_err() {
        let words = "The system is out of threads. Close something and try again.";
        let _ = failed.send(Managed::Reply(Box::new(ProfileReply::Refused(words.to_owned()))));
    }
}

/// Says on the message line why a profile does not open yet.
pub(super) fn waiting(tell: &UnboundedSender<Managed>) -> impl Fn(&str) + use<> {
    let tell = tell.clone();
    move |words: &str| {
        let _ = tell.send(Managed::Waiting(format!("{} …", capital(words))));
    }
}

/// Does what a call asks. None if a profile that opens is all there is to tell.
fn answer(
    call: ProfileCall,
    environment: &Environment,
    here: &str,
    tell: &UnboundedSender<Managed>,
) -> Result<Option<ProfileReply>, ConfigProblem> {
    // Opens a profile, the usual one where none is named. What is to be said comes after it, for opening clears the screen.
    let open = |name: Option<&str>, words: String| -> Result<_, ConfigProblem> {
        let config = config::load(environment)?;
        let chosen = config::choose(&config, environment, name)?.unwrap_or_else(opening::without_profile);
        let opened = bootstrap::begin(environment, &chosen, &Source::ALL, &waiting(tell));
        // A key that cannot be had is the news then.
        let whole = opened.problems.is_empty();
        let _ = tell.send(Managed::Opened(Ok(Box::new(opened))));
        Ok(whole.then_some(ProfileReply::Done(words)))
    };
    let done = |words: String| Ok(Some(ProfileReply::Done(words)));
    match call {
        ProfileCall::Prove { attempt, source, url, key } => {
            Ok(Some(ProfileReply::Proved { attempt, proof: prove(environment, source, &url, &key) }))
        }
        ProfileCall::Demo => {
            let _ = tell.send(Managed::Opened(demo::in_window(environment).map(Box::new)));
            Ok(None)
        }
        ProfileCall::Profiles => Ok(Some(ProfileReply::Profiles(listed(environment)?))),
        ProfileCall::Address { source, text } => {
            let base = address::read(source, &text).map_err(|words| ConfigProblem::new(words, ""))?;
            Ok(Some(ProfileReply::Address { url: base.url, said: base.said }))
        }
        ProfileCall::Keep { profile, service, caps } => {
            profiles::keep(environment, &profile, &service)?;
            caps.map(|caps| profiles::bound(environment, &profile, caps)).transpose()?;
            open(Some(&profile), format!("Profile {profile} saved and opened."))
        }
        ProfileCall::Caps { profile, caps } => {
            profiles::bound(environment, &profile, caps)?;
            let words = format!("Saved the limits of {profile}.");
            if profile == here { open(Some(&profile), words) } else { done(words) }
        }
        ProfileCall::Use(profile) => open(Some(&profile), format!("Switched to profile {profile}.")),
        ProfileCall::StartWith(profile) => {
            edit::apply(environment, &[ConfigChange::StartWith { profile: profile.clone() }])?;
            done(format!("{profile} is now the default profile."))
        }
        ProfileCall::Rename { from, to } => {
            profiles::rename(environment, &from, &to)?;
            let words = format!("Renamed {from} to {to}.");
            if from == here { open(Some(&to), words) } else { done(words) }
        }
        ProfileCall::Remove(profile) => {
            profiles::remove(environment, &profile)?;
            let words = format!("Removed {profile}. Owned contacts and saved searches are kept.");
            if profile == here { open(None, words) } else { done(words) }
        }
    }
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
    let mut services = Vec::new();
    let mut loopback = true;
    for (source, service) in [(Source::Workspace, &table.workspace), (Source::Data, &table.data)] {
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
