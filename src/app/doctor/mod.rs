//! What `lode doctor` and `lode info` know: facts gathered from the machine, and what needs a fix.
//!
//! Only the services are left to the caller, who asks them like anybody else and tells the report with
//! [`Report::service`]. Nothing is changed by looking, except that a file is made and removed again to see whether one can be,
//! and that the folder where requests are counted is made.

mod report;
mod terminal;

use std::fs;
use std::path::Path;

use crate::ops::command::VERSION;
pub use crate::ops::output::Grade;
use lode_core::{Unreadable, agree, contacts, counted};
use lode_engine::effect::{FileReply, RESTORE, SavedCall};

pub use report::Report;
use report::topic;

use super::{crash, preferences};
use lode_host::config::environment::Environment;
use lode_host::config::file::KeyPlace;
use lode_host::config::{self, ChosenProfile, KeySource};
use lode_host::saved::SavedFiles;
use lode_host::secrets::Ready;
use lode_host::store::LEDGER_FILE;
use lode_host::store::check::{check, inspect};
use lode_host::store::place;
use lode_host::system::files::{how_to_close, is_open_to_others, room};
use lode_host::system::runtime;
use lode_host::{clock, log, secrets};
use lode_ui::theme::Themes;

/// Everything that can be known without asking a service. `ready` where the settings could be read and name one.
pub fn examine(environment: &Environment, chosen: Option<&ChosenProfile>, ready: Option<&Ready>) -> Report {
    let mut report = Report::default();
    settings(environment, chosen, &mut report);
    if let (Some(chosen), Some(ready)) = (chosen, ready) {
        keys(chosen, ready, &mut report);
    }
    keyring(chosen, &mut report);
    state(environment, &mut report);
    if let Some(chosen) = chosen {
        saved(environment, &chosen.profile.name, &mut report);
    }
    requests(environment, &mut report);
    terminal::examine(&mut report, &config::load(environment).unwrap_or_default());
    report.fine("log", log::path(&environment.state_dir).display().to_string());
    report
}

fn settings(environment: &Environment, chosen: Option<&ChosenProfile>, report: &mut Report) {
    let path = config::path(environment);
    let config = match config::load(environment) {
        Err(problem) => return report.bad("settings", problem.to_string(), problem.hint),
        Ok(config) => config,
    };
    let (own, problems) = preferences::own_themes(environment);
    for problem in problems {
        report.bad("theme", problem, "change the role in that file");
    }
    if let Err(problem) = preferences::theme(&config, &Themes { own, ..Themes::default() }) {
        report.bad("settings", problem.to_string(), "change `theme` in that file");
    }
    for problem in preferences::keymap(&config).1 {
        report.bad("settings", problem, "change the key in that file");
    }
    if path.exists() {
        let profiles: Vec<&str> = config.profiles.iter().map(|profile| profile.name.as_str()).collect();
        let named = if profiles.is_empty() { "no profile".to_owned() } else { profiles.join(", ") };
        report.fine("settings", format!("{}: {named}", path.display()));
    } else {
        report.note("settings", format!("{} does not exist yet", path.display()));
    }
    if let Some(chosen) = chosen {
        let live = if chosen.profile.live { "LIVE" } else { "SANDBOX" };
        let from = match chosen.profile.from_environment.as_slice() {
            [] => String::new(),
            names => format!(", with {}", names.join(", ")),
        };
        report.fine("profile", format!("{} [{live}]{from}", chosen.profile.name));
        for said in &chosen.said {
            report.note("profile", said.clone());
        }
        return;
    }
    match config::choose(&config, environment, None) {
        Err(problem) => report.bad("profile", problem.to_string(), problem.hint),
        Ok(_) => {
            let words = "no service is set up yet";
            report.bad("profile", words, "run `lode` to add a key; `lode demo` needs none");
        }
    }
}

fn keys(chosen: &ChosenProfile, ready: &Ready, report: &mut Report) {
    for access in chosen.workspace.iter().chain(&chosen.data) {
        let topic = topic(access.source);
        report.fine(topic, format!("address {}", access.base.url));
        if let Some((_, problem)) = ready.problems.iter().find(|(source, _)| *source == access.source) {
            report.bad(topic, problem.words.clone(), problem.hint.clone());
            continue;
        }
        let shown = ready.profile.service(access.source).map_or("", |service| service.shown.as_str());
        let place = match &access.key {
            KeySource::Given { from, .. } => from.clone(),
            KeySource::Stored(KeyPlace::Keyring) => "the system keyring".to_owned(),
            KeySource::Stored(KeyPlace::Command(_)) => "a command".to_owned(),
            KeySource::Stored(KeyPlace::File(path)) => path.display().to_string(),
            KeySource::Missing(_) => continue,
        };
        let words = format!("key {shown}… from {place}");
        if matches!(access.key, KeySource::Stored(KeyPlace::File(_))) {
            report.note(topic, words)
        } else {
            report.fine(topic, words)
        }
    }
}

fn keyring(chosen: Option<&ChosenProfile>, report: &mut Report) {
    let used = chosen.is_some_and(|chosen| {
        chosen
            .workspace
            .iter()
            .chain(&chosen.data)
            .any(|access| matches!(access.key, KeySource::Stored(KeyPlace::Keyring)))
    });
    // Where one is used, fetching the key has said how it is.
    if !used {
        match secrets::keyring_works() {
            Ok(()) => report.fine("keyring", "there is a system keyring"),
            Err(problem) => report.note("keyring", problem.words),
        }
    }
}

fn state(environment: &Environment, report: &mut Report) {
    let ledger = place::locate(&environment.state_dir, &environment.data_dir);
    let dir = &ledger.dir;
    if let Some(lost) = &ledger.refused {
        report.bad("ledger", lost.to_string(), "run `lode ledger check` to see what to do");
    }
    let hint = "LODE_STATE_DIR names another folder; `lode info` shows the one in use";
    if !dir.exists() {
        let above = dir.ancestors().find(|above| above.exists()).unwrap_or(dir);
        match can_write(above) {
            Ok(()) => report.note("state", format!("{} does not exist yet", dir.display())),
            Err(error) => {
                let words =
                    format!("{} cannot be made, as {} cannot be written to ({error})", dir.display(), above.display());
                report.bad("state", words, hint);
            }
        }
        return;
    }
    if let Err(error) = can_write(dir) {
        let words = format!("{} cannot be written to ({error}): searching works, unlocking is refused", dir.display());
        report.bad("state", words, hint);
    }
    if is_open_to_others(dir).unwrap_or(false) {
        let words = format!("{} is readable by other users", dir.display());
        report.bad("state", words, format!("{} makes it yours alone", how_to_close(dir)));
    }
    match room(dir) {
        Ok(free) if free < 64 << 20 => {
            report.bad("state", format!("the disk has {} MB left", free >> 20), "free some disk space");
        }
        _ => {}
    }
    match inspect(dir, clock::now().wall.0) {
        Err(failure) => report.bad("state", failure.to_string(), state_hint(&failure)),
        Ok(found) => {
            let Some(ledger) = found.ledger else {
                report.note("state", format!("{}: empty so far", dir.display()));
                return;
            };
            let size = ledger.bytes.div_ceil(1024);
            let windows = match found.windows {
                0 => String::new(),
                1 => ", one window open".to_owned(),
                several => format!(", {several} windows open"),
            };
            report.fine("state", format!("{}: sound, {size} kB{windows}", dir.display()));
            for found in check(dir).unwrap_or_default().into_iter().filter(|found| !found.adds_up) {
                let hint = found.hint.unwrap_or_else(|| "run `lode ledger check` for a full check".to_owned());
                report.bad("ledger", found.words, hint);
            }
            if ledger.open > 0 {
                let words = format!(
                    "{} {} an unknown result",
                    contacts(ledger.open as usize),
                    agree(ledger.open as usize, "has", "have")
                );
                report.bad("state", words, "run `lode recover` to check them (free)");
            }
            if ledger.ahead_ms > 60_000 {
                let words = format!(
                    "the last ledger entry is {} in the future: the clock was set back",
                    counted(ledger.ahead_ms.unsigned_abs() / 60_000, "minute")
                );
                report.note("state", format!("{words}; the daily limit counts from that entry on"));
            }
            for backup in found.backups {
                report.note("state", format!("{backup} is a copy from before an update; you can delete it"));
            }
        }
    }
    let crashes = fs::read_dir(crash::folder(&environment.state_dir)).into_iter().flatten().count();
    if crashes > 0 {
        report.note(
            "crashes",
            format!("{} in {}", counted(crashes as u64, "report"), crash::folder(&environment.state_dir).display()),
        );
    }
}

fn requests(environment: &Environment, report: &mut Report) {
    match runtime::folder(environment.runtime_dir.as_deref()) {
        Ok(folder) => {
            report.fine("requests", format!("shared in {} by every lode window of this user", folder.display()))
        }
        Err(error) => {
            let words = format!("counted for this state folder alone: {error}");
            report.bad("requests", words, "remove or rename it, or set LODE_RUNTIME_DIR to a private folder");
        }
    }
}

fn state_hint(failure: &lode_engine::effect::failure::StoreFailure) -> String {
    use lode_engine::effect::failure::StoreFailure::*;
    match failure {
        Newer => "install the lode that wrote it, or set LODE_STATE_DIR to another folder".to_owned(),
        Corrupt(_) => RESTORE.to_owned(),
        Lost(_) => "run `lode ledger check` to see what to do".to_owned(),
        Locked => "close the other program and try `lode doctor` again".to_owned(),
        _ => "`lode info` shows the folder in use".to_owned(),
    }
}

fn can_write(dir: &Path) -> std::io::Result<()> {
    let probe = dir.join(format!(".probe-{}", std::process::id()));
    fs::OpenOptions::new().create_new(true).write(true).open(&probe)?;
    fs::remove_file(probe)
}

fn saved(environment: &Environment, profile: &str, report: &mut Report) {
    match SavedFiles::of(environment, profile).perform(&SavedCall::List) {
        Ok(FileReply::Saved { saved, unreadable, views: (_, wrong), .. }) => {
            wrong.into_iter().for_each(|wrong| report.bad("saved", wrong, "fix the file in an editor, or remove it"));
            if !saved.is_empty() {
                report.fine("saved", lode_core::credits::counted(saved.len() as u64, "saved search"));
            }
            for Unreadable { file, why, .. } in unreadable {
                report.bad(
                    "saved",
                    format!("{file} cannot be read: {why}"),
                    "fix the file in an editor, or `lode saved rm` it",
                );
            }
        }
        Ok(_) => {}
        Err(failure) => report.bad("saved", failure.words, "`lode info` shows the folder in use"),
    }
}

/// Show the paths, versions and settings in use: name and value, for `lode info`.
pub fn info(environment: &Environment, chosen: Option<&ChosenProfile>) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("version", VERSION.to_owned()),
        ("settings", config::path(environment).display().to_string()),
        ("saved", environment.config_dir.join("saved").display().to_string()),
        ("state", environment.state_dir.display().to_string()),
        (
            "ledger",
            place::locate(&environment.state_dir, &environment.data_dir).dir.join(LEDGER_FILE).display().to_string(),
        ),
        ("log", log::path(&environment.state_dir).display().to_string()),
        ("crashes", crash::folder(&environment.state_dir).display().to_string()),
    ];
    if let Some(chosen) = chosen {
        facts.push(("profile", chosen.profile.name.clone()));
        facts.push(("live", chosen.profile.live.to_string()));
        for access in chosen.workspace.iter().chain(&chosen.data) {
            facts.push((topic(access.source), access.base.url.clone()));
        }
        let cap = |cap: Option<lode_core::credits::Credits>| cap.map_or("none".to_owned(), |cap| cap.to_string());
        facts.push(("limit per request", cap(chosen.profile.caps.call)));
        facts.push(("limit per session", cap(chosen.profile.caps.session)));
        facts.push(("limit per day", cap(chosen.profile.caps.day)));
        if !chosen.profile.from_environment.is_empty() {
            facts.push(("environment", chosen.profile.from_environment.join(", ")));
        }
    }
    facts
}
