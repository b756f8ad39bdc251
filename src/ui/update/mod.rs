//! The router: what happened goes to the one it concerns. Total, never blocks, never fails.
//!
//! A key becomes a command by the keymap, a command goes to the screen or dialog that has the keys, and what that hands
//! over is done here. Answers of the world go to the session, and what it tells is turned into words.

mod answers;
mod behind;
mod commands;
mod exporting;
mod handoffs;
mod leaving;
mod lists;
mod matching;
pub mod menus;
mod mouse;
mod outcomes;
pub mod own;
mod requests;
pub mod setup;
mod spending;
mod status;
mod suppression;
pub mod unknown;

use crossterm::event::KeyCode;

use crate::keys::chord::Chord;
use crate::keys::command::{App, Command, Screen};
use crate::keys::keymap::Resolved;
use crate::keys::situation::Context;
use crate::scene::Holds;
use lode_core::time::Now;
use lode_engine::effect::Effect;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::setup::ProfileCall;

use super::model::{Model, facts, place, tour};
use super::msg::Msg;
use super::scene::{Scene, Slice};
use super::screens::search;
use super::screens::search::state::Pane;
use super::theme::Theme;
use status::{announce, fade, fail, flash, report, say, say_while};

/// What the shell has to do besides the effects: things of the terminal itself.
#[derive(Clone, Debug, Default)]
pub struct Shelled {
    pub suspend: bool,
    pub repaint: bool,
    /// The mouse is to be captured, or handed back.
    pub mouse: Option<bool>,
    /// About profiles and keys.
    pub profile_calls: Vec<ProfileCall>,
    /// What the jobs of other profiles want done, each by the hands it was opened with.
    pub behind: Vec<(WindowId, Vec<Effect>)>,
    /// Profiles that were left and of which nothing runs any more.
    pub let_go: Vec<WindowId>,
}

/// Changes the model by what happened and says what should be done.
pub fn update(model: &mut Model, msg: Msg, now: Now) -> (Vec<Effect>, Shelled) {
    model.now = now;
    let mut fx = Vec::new();
    let mut shelled = Shelled::default();
    let place = (model.nav.screen, model.search.side.corpus);
    let (mut moves, tour) = (false, model.tour);
    let (blurred, painted) = (matches!(msg, Msg::Focused(false)), matches!(msg, Msg::Painted));
    let ending = matches!(msg, Msg::Ending);
    match msg {
        Msg::Key(chord) => moves = key(model, chord, &mut fx, &mut shelled),
        Msg::Placed(chord, letter) => {
            let english = Some(Chord::char(letter));
            let meant = model.keymap.meant_at(facts::chain_of(model), &model.pending, chord, english);
            moves = key(model, meant, &mut fx, &mut shelled);
        }
        Msg::Paste(words) => typed(model, &words, &mut fx),
        Msg::Mouse(event) => mouse::mouse(model, event, &mut fx, &mut shelled),
        Msg::Chosen(at) => {
            if let Some(dialog) = model.nav.dialogs.last_mut() {
                let outcome = dialog.choose(at);
                outcomes::came_to(model, outcome, &mut fx, &mut shelled);
            }
        }
        Msg::Resized { width, height } => model.size = (width, height),
        Msg::Focused(focused) => {
            model.focused = focused;
            if model.opened && focused {
                model.session.focused(now, &mut fx);
            }
        }
        Msg::Background(background) => {
            if model.theme_follows {
                model.theme = Theme::on(background);
            }
        }
        Msg::Answered(answer) => {
            let events = model.session.hear(answer, now, &mut fx);
            answers::told(model, events, &mut fx);
        }
        Msg::AnsweredBehind(window, answer) => behind::hear(model, &window, &answer, &mut fx),
        Msg::Returned(window) => model.come_back(&window, &mut fx),
        Msg::Opened(Ok(profile)) => {
            model.open(*profile, now, &mut fx);
            if model.keyless {
                setup::welcome(model);
            }
        }
        Msg::Opened(Err(words)) => fail(model, words),
        Msg::Managed(told) => setup::told(model, told),
        Msg::Elsewhere(touched) => {
            if model.opened {
                model.session.touched(touched, now, &mut fx);
            }
        }
        Msg::Deadline => {
            let events = model.session.wake(now, &mut fx);
            answers::told(model, events, &mut fx);
            behind::wake(model, &mut fx);
            if model.search.is_sorting() {
                with_search(model, &mut fx, search::state::State::sort_on);
            }
        }
        Msg::Resumed => shelled.repaint = true,
        Msg::Painted => spending::painted(model),
        Msg::Ending => leaving::stop_unlocks(model, &mut fx),
        Msg::Told { words, bad } => report(model, words, bad),
    }
    if (model.nav.screen, model.search.side.corpus) != place && model.opened {
        if model.nav.screen != place.0 {
            on(model, place.0, &mut fx, |screen, scene| screen.leave(scene));
        }
        on_screen(model, &mut fx, |screen, scene| screen.arrive(scene));
    }
    if tour::advance(model) && model.tour.step().is_none() {
        say(model, "That was the tour.  <everywhere.help> help  <everywhere.back> quit", false);
    }
    fade(model);
    unknown::offer(model, &mut fx);
    if model.opened {
        on_screen(model, &mut fx, |screen, scene| screen.look(scene));
        model.session.tell_jobs(now, &mut fx);
    }
    let same = painted || model.only_moved && moves && fx.is_empty() && model.tour == tour;
    model.only_moved = same && in_results(model);
    let quits = fx.iter().position(|effect| matches!(effect, Effect::Quit(_)));
    let mut kept = Vec::new();
    let due = model.place_due.is_some_and(|due| due <= now.mono);
    let leaving = blurred || ending || due || shelled.suspend || quits.is_some();
    // After the frame is shown, so that the answer to a key does not wait for it.
    if painted || leaving {
        place::keep(model, leaving, &mut kept);
    }
    let at = quits.unwrap_or(fx.len());
    fx.splice(at..at, kept);
    shelled.profile_calls.append(&mut model.profile_calls);
    shelled.behind.append(&mut model.behind.wanted);
    shelled.let_go = model.behind.let_go();
    (fx, shelled)
}

/// What has to be kept before another profile takes the place of this one.
pub fn part(model: &mut Model) -> Vec<Effect> {
    let mut fx = Vec::new();
    place::keep(model, true, &mut fx);
    fx
}

/// Runs a piece of the screen that is shown with its scene, then does what it handed over.
fn on_screen<T>(model: &mut Model, fx: &mut Vec<Effect>, act: impl FnOnce(&mut dyn Slice, &mut Scene<'_>) -> T) -> T {
    on(model, model.nav.screen, fx, act)
}

fn on<T>(
    model: &mut Model,
    screen: Screen,
    fx: &mut Vec<Effect>,
    act: impl FnOnce(&mut dyn Slice, &mut Scene<'_>) -> T,
) -> T {
    let (slice, mut scene) = model.staged(screen, fx);
    let result = act(slice, &mut scene);
    let handed = scene.handoffs;
    handed.into_iter().for_each(|handoff| handoffs::take(model, handoff, fx));
    result
}

/// The same for the Search screen, to which all others lead.
fn with_search<T>(
    model: &mut Model,
    fx: &mut Vec<Effect>,
    act: impl FnOnce(&mut search::state::State, &mut Scene<'_>) -> T,
) -> T {
    let (search, mut scene) = model.staged_search(fx);
    let result = act(search, &mut scene);
    let handed = scene.handoffs;
    handed.into_iter().for_each(|handoff| handoffs::take(model, handoff, fx));
    result
}

fn typed(model: &mut Model, words: &str, fx: &mut Vec<Effect>) {
    match model.nav.dialogs.last_mut() {
        Some(dialog) => dialog.typed(words),
        None => on_screen(model, fx, |screen, _| screen.typed(words)),
    }
}

/// Whether the keys go to the results of the search, with nothing open over them.
fn in_results(model: &Model) -> bool {
    let search = &model.search;
    let here = model.nav.screen == Screen::Search && search.pane == Pane::Results && search.edit.is_none();
    here && model.nav.dialogs.is_empty() && model.pending.is_empty()
}

/// Carries out a key. Returns true if it moved in a list.
fn key(model: &mut Model, chord: Chord, fx: &mut Vec<Effect>, shelled: &mut Shelled) -> bool {
    model.flash = None;
    if chord != Chord::ctrl('c') {
        // Twice means one after the other.
        model.leaving = None;
    }
    let contexts = facts::chain_of(model);
    let in_text = contexts[0] == Context::Text;
    if !in_text
        && contexts.contains(&Context::List)
        && model.pending.is_empty()
        && let Some(digit @ '0'..='9') = chord.letter()
        && (digit != '0' || model.count.is_some())
    {
        let value = u64::from(digit.to_digit(10).unwrap_or(0));
        model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(value));
        return false;
    }
    if !model.pending.is_empty() && chord.code == KeyCode::Esc {
        model.pending.clear();
        model.count = None;
        return false;
    }
    let chord = model.keymap.meant(contexts, &model.pending, chord);
    match model.keymap.resolve(contexts, &model.pending, chord) {
        Resolved::Command(row) if (row.applies)(&facts::situation(model)) => {
            model.pending.clear();
            let count = model.count.take();
            commands::run(model, row, chord, count, fx, shelled);
            return matches!(row.command, Command::List(_));
        }
        Resolved::Prefix => model.pending.push(chord),
        Resolved::Command(_) | Resolved::Nothing => {
            let pending = std::mem::take(&mut model.pending);
            model.count = None;
            if let (true, Some(c)) = (in_text, chord.letter()) {
                if menus::letter(model, c, fx, shelled) {
                    return false;
                }
                typed(model, c.encode_utf8(&mut [0; 4]), fx);
            } else {
                flash(model, contexts, pending, chord);
            }
        }
    }
    false
}

/// Whether a command of the table can be given now; the reason is said where not.
fn allowed(model: &mut Model, row: &crate::keys::table::Row) -> bool {
    match (row.enabled)(&facts::situation(model)) {
        Ok(()) => true,
        Err(reason) => {
            // `Escape` and the like are always allowed, so a reason is always news.
            say_while(model, Holds::Here(model.nav.screen), reason.0);
            false
        }
    }
}

/// Leaves where that was waited for and nothing runs any more, of whichever profile.
fn leave_when_done(model: &mut Model, fx: &mut Vec<Effect>) {
    if !model.leave_after || model.running() > 0 {
        return;
    }
    if model.has_unsaved() {
        // It was asked before this was known.
        model.leave_after = false;
        return leaving::leave(model, fx);
    }
    quit(fx);
}

/// Ends the program.
fn quit(fx: &mut Vec<Effect>) {
    fx.push(Effect::Quit(0));
}

/// The command of a click or of a palette line.
fn given(model: &mut Model, command: Command, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    if command == Command::App(App::Quit) {
        leaving::leave(model, fx);
        return;
    }
    let contexts = facts::chain_of(model);
    let found = model.keymap.of(contexts).find(|binding| binding.row.command == command).map(|binding| binding.row);
    if let Some(row) = found {
        commands::run(model, row, Chord::plain(KeyCode::Enter), None, fx, shelled);
    }
}
