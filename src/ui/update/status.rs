//! The status line: what is said there, for how long, and what drops it again.

use std::time::Duration;

use crate::keys::chord::Chord;
use crate::keys::command::{App, Command, Screen};
use crate::keys::situation::Context;
use crate::model::{LastError, Model, Notice};
use crate::scene::Holds;
use lode_engine::effect::Effect;
use lode_engine::flow::desk::LastRequest;

/// How long it is said that a key means nothing.
const FLASH: Duration = Duration::from_secs(1);
/// A request that failed so recently is what an error is about.
const JUST: Duration = Duration::from_secs(2);
/// How long a message stays.
const NOTICE: Duration = Duration::from_secs(6);

/// Drops what has had its time.
pub(super) fn fade(model: &mut Model) {
    let now = model.now.mono;
    model.flash.take_if(|flash| flash.until <= now);
    model.leaving.take_if(|until| *until <= now);
    let Some(notice) = &model.notice else { return };
    let holds = match notice.holds {
        Holds::Time => true,
        Holds::Range => model.nav.screen == Screen::Search && model.search.seat().anchor.is_some(),
        Holds::Value => model.search.value.is_some(),
        Holds::Fetching => model.session.side(model.search.side).window.is_busy(),
        Holds::Leaving => model.leaving.is_some(),
        Holds::Here(screen) => model.nav.screen == screen,
    };
    if !holds || notice.until <= now {
        model.notice = None;
    }
}

pub(super) fn say(model: &mut Model, words: impl Into<String>, bad: bool) {
    let until = model.now.mono.after(NOTICE);
    model.notice = Some(Notice { words: words.into(), bad, until, holds: Holds::Time });
}

/// Says it for as long as it holds.
pub(super) fn say_while(model: &mut Model, holds: Holds, words: impl Into<String>) {
    say(model, words, false);
    if let Some(notice) = &mut model.notice {
        notice.holds = holds;
    }
}

/// Says it and keeps it for `g e`.
pub(super) fn fail(model: &mut Model, words: impl Into<String>) {
    let words = model.keymap.spelled(&words.into()).into_owned();
    let now = model.now;
    let just = |request: &&LastRequest| now.mono.since(request.at.mono) < JUST;
    let request = model.session.desk().last_failed().filter(just).cloned();
    model.last_error = Some(LastError { words: words.clone(), at: now, request });
    say(model, words, true);
}

/// Says what something came to; what went wrong is kept.
pub(super) fn report(model: &mut Model, words: impl Into<String>, bad: bool) {
    if bad {
        fail(model, words);
    } else {
        say(model, words, false);
    }
}

/// The same of what ran by itself: a person who looks elsewhere hears of it too.
pub(super) fn announce(model: &mut Model, words: String, bad: bool, fx: &mut Vec<Effect>) {
    fx.push(Effect::Notify(words.clone()));
    report(model, words, bad);
}

/// A key that means nothing here says so for a second.
pub(super) fn flash(model: &mut Model, contexts: &'static [Context], mut pending: Vec<Chord>, chord: Chord) {
    pending.push(chord);
    let help = model.keymap.key_of(contexts, Command::App(App::Help));
    let help = help.map_or(String::new(), |key| format!(" · {key} help"));
    let words = format!("{}: no such key{help}", crate::keys::chord::sequence_text(&pending));
    let until = model.now.mono.after(FLASH);
    model.flash = Some(Notice { words, bad: false, until, holds: Holds::Time });
}
