//! The setup of profiles and keys: what its dialogs ask the shell for, and what follows from the reply.
//!
//! [`profiles`] is the first run and the list of profiles, [`dialog`] the steps of a key.

pub mod dialog;
pub mod profiles;

use self::profiles::Profiles;
use crate::model::{Model, facts};
use crate::scene::prelude::*;
use crate::{keys::keymap::Keymap, theme::Theme};

/// The profiles there are; the shell reads them afresh.
pub(crate) fn profiles(model: &mut Model) {
    let profile = model.session.profile();
    let mut about = vec![format!("{} {}", profile.name, if profile.live { "[LIVE]" } else { "[SANDBOX]" })];
    if let Some(account) = model.session.balance.account.as_ref() {
        about.push(format!("{}, {}", account.org_name, account.scopes.join("+")));
    }
    for source in [Source::Workspace, Source::Data] {
        let Some(service) = profile.service(source) else { continue };
        about.push(format!("{}, key {}…, {}", service.origin, service.shown, facts::requests(model, source)));
    }
    about.extend(profile.note.clone());
    if !profile.from_environment.is_empty() {
        about.push(format!("from the environment: {}", profile.from_environment.join(" ")));
    }
    model.nav.dialogs.push(Dialog::Profiles(Box::new(Profiles::list(profile.name.clone(), about.join("\n")))));
    model.shelled.profile_calls.push(ProfileCall::Profiles);
}

/// Asks the shell for it, unless a job stands in the way.
pub(crate) fn call(model: &mut Model, call: ProfileCall) {
    if let Some(name) = changes(&call).filter(|name| works(model, name)) {
        return model
            .alert(format!("A job of {name} is running: wait for it or stop it first.  <everywhere.jobs> jobs"));
    }
    match &call {
        ProfileCall::Use(name) if *name == model.session.profile().name && model.session.is_working() => {
            return model.say("Stop its running job first.");
        }
        ProfileCall::Use(name) => model.say(format!("Opening {name} …")),
        ProfileCall::Demo => model.say("Starting the sandbox …"),
        _ => {}
    }
    model.shelled.profile_calls.push(call);
}

/// The settings were changed by their owner, in an editor: keys, theme, motion and caps are as they say from now on.
pub fn settle(model: &mut Model, settings: WindowSettings) {
    model.keymap = settings.keymap.into();
    model.pending.clear();
    model.themes.own = settings.own_themes;
    model.motion.turn_off(settings.is_still);
    let before = std::mem::replace(&mut model.themes.set, settings.theme);
    let named = model.themes.set.as_ref().filter(|name| before.as_ref() != Some(*name));
    model.themes.follows &= named.is_none();
    // The file of the one in use may be what was saved.
    if let Ok(theme) = model.themes.named(named.unwrap_or(&model.kept_theme().name)) {
        model.theme = theme;
        model.themes.before = None;
    }
    if let Some(caps) = settings.caps {
        model.session.set_caps(caps);
    }
    model.session.set_choosing(settings.choosing);
}

/// A user whose keys cannot be read is not new: the profiles are where to try again or to give another key.
fn unusable(model: &mut Model, words: String) {
    model.fail(words.clone());
    if std::mem::take(&mut model.keyless) {
        model.nav.dialogs.clear();
        profiles(model);
        handle_profile_reply(model, ProfileReply::Refused(words));
    }
}

/// What of the settings a running window takes over.
#[derive(Clone, Debug)]
pub struct WindowSettings {
    pub keymap: Keymap,
    /// Its name; none where the settings name none.
    pub theme: Option<String>,
    /// Those of the config folder.
    pub own_themes: Vec<Theme>,
    /// Nothing moves on the screen.
    pub is_still: bool,
    /// Of the profile of this window; none where the settings do not have it.
    pub caps: Option<Caps>,
    pub choosing: Choosing,
}

/// The profile whose settings become others by it: a job of it goes by those it began with, so it has to end before.
fn changes(call: &ProfileCall) -> Option<&str> {
    match call {
        ProfileCall::Keep { profile, .. } | ProfileCall::Caps { profile, .. } => Some(profile),
        ProfileCall::Rename { from: name, .. } | ProfileCall::Remove(name) => Some(name),
        ProfileCall::Profiles | ProfileCall::Address { .. } | ProfileCall::Prove { .. } => None,
        ProfileCall::StartWith(_) | ProfileCall::Use(_) | ProfileCall::Demo => None,
    }
}

/// Whether money or files of this profile are on their way in this window.
fn works(model: &Model, name: &str) -> bool {
    let here = model.session.profile().name == name && model.session.is_working();
    here || model.behind.iter().any(|session| session.profile().name == name)
}

pub(crate) fn handle_profile_reply(model: &mut Model, told: ProfileReply) {
    let taken = model.nav.dialogs.iter_mut().rev().any(|dialog| match dialog {
        Dialog::Setup(setup) => setup.handle(&told),
        Dialog::Profiles(profiles) => profiles.handle(&told),
        _ => false,
    });
    match told {
        ProfileReply::Done(words) => {
            // The list shows what was, so it goes.
            let is_list = |dialog: &Dialog| matches!(dialog, Dialog::Profiles(list) if !list.is_welcome());
            model.nav.dialogs.retain(|dialog| !matches!(dialog, Dialog::Setup(_)) && !is_list(dialog));
            model.say(words);
        }
        ProfileReply::Refused(words) if !taken => model.fail(words),
        ProfileReply::Unusable(words) => unusable(model, words),
        _ => {}
    }
}
