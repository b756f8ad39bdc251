//! The router: what happened goes to the one it concerns. Total, never blocks, never fails.
//!
//! A key becomes a command by the keymap, a command goes to the screen or dialog that has the keys, and what that hands
//! over is done here. Answers of the world go to the session, and what it tells is turned into words.

mod events;
pub mod jobs;
pub mod menus;

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::keys::keymap::{Binding, Resolved, own_place};
use crate::layout::{self, Panes};
use crate::model::{Model, PendingRequest, facts, place, tour};
use crate::msg::{Mouse, MouseWhat, Msg};
use crate::scene::prelude::*;
use crate::screens::jobs::cancel_newest;
use crate::screens::search::state::{Pane, State, UndoStep};
use crate::screens::{basket, owned, saved};
use crate::setup::{self, profiles::Profiles};
use crate::unlock::{self, recovery::clock, summary};
use crate::{
    dialogs::sheet::HelpSheet, export, keys::chord::Chord, keys::situation::Situation, messages::Notice,
    model::tour::Tour, screens::saved::recallable, screens::search::edit::Becomes, screens::search::views,
    theme::Background,
};
use lode_assets::help;
use lode_engine::flow::desk::{Arrival, LastRequest};
use lode_engine::flow::saved::{SavedChange, SavedEvent};
use lode_engine::flow::search::window::{MarkResult, Status, WindowNews};
use lode_engine::flow::user_command::{CommandJob, CommandStage, OwnId};
use lode_engine::{flow::search::walk::WalkEnd, flow::session::Event, flow::unlock::OrderEnd};

pub use crate::model::HostActions;

/// Changes the model by what happened and says what should be done.
pub fn update(model: &mut Model, msg: Msg, now: Now) -> (Vec<Effect>, HostActions) {
    let keeps_frame = matches!(msg, Msg::Deadline) && model.keeps_frame_at(now.mono);
    model.now = now;
    let mut fx = Vec::new();
    let place = (model.nav.screen, model.search.side.corpus);
    // Whether it only moves the cursor, or changes nothing visible.
    let (mut moves, tour) = (false, model.tour);
    let (said, before) = (model.messages.count, scenery(model));
    let field = open_field(model);
    let (blurred, painted) = (matches!(msg, Msg::Focused(false)), matches!(msg, Msg::Painted));
    let ending = matches!(msg, Msg::Ending);
    let is_typed = matches!(msg, Msg::Key(_) | Msg::Placed(..) | Msg::Paste(_));
    let is_input = is_typed || matches!(msg, Msg::Mouse(_) | Msg::Chosen(_));
    match msg {
        Msg::Key(chord) => moves = key(model, chord, &mut fx),
        Msg::Placed(chord, letter) => {
            let english = Some(Chord::char(letter));
            let meant = model.keymap.meant(facts::chain_of(model), &model.pending, chord, english);
            moves = key(model, meant, &mut fx);
        }
        Msg::Paste(words) => typed(model, &words, &mut fx),
        Msg::Mouse(event) => mouse(model, event, &mut fx),
        Msg::Chosen(at) => {
            if let Some(dialog) = model.nav.dialogs.last_mut() {
                let outcome = dialog.in_list(|list| list.choose(at));
                dialog_result(model, outcome, &mut fx);
            }
        }
        Msg::Resized(width, height) => model.size = (width, height),
        Msg::Focused(focused) => {
            model.focused = focused;
            if model.opened && focused {
                model.session.focused(now, &mut fx);
            }
        }
        Msg::Background(rgb) => {
            model.themes.paper = Some(rgb);
            if model.themes.follows {
                model.theme = model.themes.on(Background::of(rgb));
                model.themes.before = None;
            }
        }
        Msg::Answered(answer) => {
            // What a job has done is shown in lines of its own, which are drawn again while it runs.
            let is_of_unlock =
                matches!(answer, Answer::Stored(_, Ok(StoreReply::Done(())))) && model.session.unlock().job().is_some();
            let is_ack = answer.is_quiet() && !is_of_unlock;
            let events = model.session.handle(answer, now, &mut fx);
            moves = is_ack && events.is_empty();
            events.into_iter().for_each(|event| events::handle(model, event, &mut fx));
        }
        Msg::AnsweredBehind(window, answer) => events::answer_behind(model, &window, answer, &mut fx),
        Msg::Returned(window) => model.come_back(&window, &mut fx),
        Msg::Opened(Ok(profile)) => {
            model.open(*profile, now, &mut fx);
            if model.keyless {
                // First run: no key yet, three ways on.
                model.nav.dialogs.push(Dialog::Profiles(Box::new(Profiles::welcome())));
            }
        }
        Msg::Opened(Err(words)) => model.fail(words),
        Msg::Managed(told) => setup::handle_profile_reply(model, told),
        Msg::Elsewhere(touched) if model.opened => {
            model.session.touched(touched, now, &mut fx);
            moves = true;
        }
        Msg::Elsewhere(_) => {}
        Msg::Deadline => {
            let events = model.session.wake(now, &mut fx);
            moves = keeps_frame && events.is_empty();
            events.into_iter().for_each(|event| events::handle(model, event, &mut fx));
            events::behind(model, &mut fx, |session, wanted| session.wake(now, wanted));
            with_search(model, &mut fx, State::sort_on);
        }
        Msg::Resumed => model.shelled.repaint = true,
        Msg::Painted => unlock::painted(model),
        Msg::Ending => stop_unlocks(model, &mut fx),
        Msg::Message(words, bad) => model.report(words, bad),
    }
    if (model.nav.screen, model.search.side.corpus) != place && model.opened {
        // What the Saved screen has not asked yet matters on no other one.
        model.session.saved_totals.leave();
        on_screen(model, &mut fx, |screen, scene| screen.arrive(scene));
    }
    if tour::advance(model) && model.tour.step().is_none() {
        model.say("Tour done.  <everywhere.help> help  <everywhere.back> quit");
    }
    if is_input && said == model.messages.count {
        let (screen, dialogs, searches) = scenery(model);
        let is_left = screen != before.0 || dialogs > before.1 || searches && !before.2;
        model.messages.notice.take_if(|notice| is_left && notice.holds == Holds::Time);
    }
    fade(model);
    menus::try_theme(model);
    unlock::offer_review(model, &mut fx);
    unlock::offer_recovery(model, &mut fx);
    // More lines under a field are drawn over what is there; fewer uncover what was below them.
    let types = match (field, open_field(model)) {
        (Some((before, lines)), Some((now, more))) => is_typed && before == now && lines <= more,
        _ => false,
    };
    if model.opened && !types {
        on_screen(model, &mut fx, |screen, scene| screen.look(scene));
        if model.nav.screen != Screen::Search && !model.shown().has_row(model.scene_ref()) {
            model.nav.dialogs.pop_if(|dialog| dialog.is_contact());
        }
        model.session.report_jobs(now, &mut fx);
    }
    // A page that is asked for shows nothing before it is on its way for a while.
    let is_quiet = |effect: &Effect| match effect {
        Effect::Send(..) => true,
        Effect::Store(_, call) => {
            matches!(call, StoreCall::Reserve { .. } | StoreCall::Changes { .. } | StoreCall::Gauge { .. })
        }
        _ => false,
    };
    let same = painted || model.only_moved && (moves || types) && fx.iter().all(is_quiet) && model.tour == tour;
    let is_moved = follow_motion(model, same, painted, is_input && !moves);
    model.only_moved = same && !is_moved && is_over_results(model);
    let quits = fx.iter().position(|effect| matches!(effect, Effect::Quit(_)));
    let mut kept = Vec::new();
    let due = !is_input && model.place_due.is_some_and(|due| due <= now.mono);
    let leaving = blurred || ending || due || model.shelled.suspend || quits.is_some();
    // After the frame is shown, so that the answer to a key does not wait for it.
    if painted || leaving {
        place::keep(model, leaving, &mut kept);
    }
    let at = quits.unwrap_or(fx.len());
    fx.splice(at..at, kept);
    model.let_go();
    (fx, std::mem::take(&mut model.shelled))
}

/// Lets motion follow what happened, and after a frame only notes what that shows. True where the next frame differs by it.
fn follow_motion(model: &mut Model, same: bool, painted: bool, acts: bool) -> bool {
    if model.motion.is_off() {
        return false;
    }
    let height = model.shell().map_or(0, |shell| shell.body.height);
    let observed = facts::observed(model, (painted || !same).then_some(height), acts);
    if painted {
        model.motion.note(observed.place, observed.rows);
        return false;
    }
    model.motion.update(observed, model.now.mono)
}

/// Runs a piece of the screen that is shown with its scene, then does what it handed over.
fn on_screen<T>(
    model: &mut Model,
    fx: &mut Vec<Effect>,
    act: impl FnOnce(&mut dyn Component, &mut Scene<'_>) -> T,
) -> T {
    let (slice, mut scene) = model.staged(fx);
    let result = act(slice, &mut scene);
    scene.intents.into_iter().for_each(|intent| carry_out(model, intent, None, fx));
    result
}

/// The same for the Search screen, to which all others lead.
fn with_search<T>(model: &mut Model, fx: &mut Vec<Effect>, act: impl FnOnce(&mut State, &mut Scene<'_>) -> T) -> T {
    let (search, mut scene) = model.staged_search(fx);
    let result = act(search, &mut scene);
    scene.intents.into_iter().for_each(|intent| carry_out(model, intent, None, fx));
    result
}

fn typed(model: &mut Model, words: &str, fx: &mut Vec<Effect>) {
    match model.nav.dialogs.last_mut() {
        Some(dialog) => dialog.typed(words),
        None => on_screen(model, fx, |screen, _| screen.typed(words)),
    }
}

/// A letter that is not a command: types in a field, takes a line of a list. False where it means nothing.
fn lettered(model: &mut Model, chord: Chord, in_text: bool, fx: &mut Vec<Effect>) -> bool {
    let Some(letter) = chord.letter() else { return false };
    let Some(dialog) = model.nav.dialogs.last_mut() else {
        if in_text {
            typed(model, letter.encode_utf8(&mut [0; 4]), fx);
        }
        return in_text;
    };
    let Some(outcome) = dialog.letter(letter) else { return false };
    dialog_result(model, outcome, fx);
    true
}

/// Whether the keys go to the results of the search, or to a field over them.
fn is_over_results(model: &Model) -> bool {
    let here = model.nav.screen == Screen::Search && model.search.pane == Pane::Results;
    here && model.nav.dialogs.is_empty() && model.pending.is_empty()
}

/// The field of the search if it has the keys, and how many lines drop down from it.
fn open_field(model: &Model) -> Option<(Filter, usize)> {
    let edit = model.search.edit.as_ref().filter(|_| is_over_results(model))?;
    Some((edit.filter, edit.lines))
}

/// Carries out a key. Returns true if it moved in a list.
fn key(model: &mut Model, chord: Chord, fx: &mut Vec<Effect>) -> bool {
    model.messages.flash = None;
    if chord != Chord::ctrl('c') {
        // Twice means one after the other.
        model.leaving = None;
    }
    let contexts = facts::chain_of(model);
    let in_text = contexts.contains(&Context::Text);
    if contexts.contains(&Context::List)
        && model.pending.is_empty()
        && let Some(digit) = chord.letter().and_then(|letter| letter.to_digit(10))
        && (digit > 0 || model.count.is_some())
    {
        model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(digit.into()));
        return false;
    }
    if !model.pending.is_empty() && chord.code == KeyCode::Esc {
        model.pending.clear();
        model.count = None;
        return false;
    }
    let chord = model.keymap.meant(contexts, &model.pending, chord, chord.english());
    let resolved = model.keymap.resolve(contexts, &model.pending, chord);
    if let Resolved::Command(row) = resolved {
        let situation = facts::situation(model);
        if (row.applies)(&situation) {
            model.pending.clear();
            let count = model.count.take();
            run(model, row, &situation, chord, count, fx);
            return matches!(row.command, Command::List(_));
        }
    }
    if matches!(resolved, Resolved::Prefix) {
        model.pending.push(chord);
        return false;
    }
    let pending = std::mem::take(&mut model.pending);
    model.count = None;
    if !pending.is_empty() || !lettered(model, chord, in_text, fx) {
        flash(model, contexts, pending, chord);
    }
    false
}

/// Leaves where that was waited for and nothing runs any more, of whichever profile.
pub(crate) fn leave_when_done(model: &mut Model, fx: &mut Vec<Effect>) {
    if !model.leave_after || model.running() > 0 {
        return;
    }
    if model.has_unsaved() {
        // It was asked before this was known.
        model.leave_after = false;
        return leave(model, fx);
    }
    fx.push(Effect::Quit(0));
}

/// The command of a click or of a palette line.
fn given(model: &mut Model, command: Command, fx: &mut Vec<Effect>) {
    if command == Command::App(App::Quit) {
        return leave(model, fx);
    }
    if let Some(row) = model.keymap.binding(facts::chain_of(model), command).map(|binding| binding.row) {
        run(model, row, &facts::situation(model), Chord::plain(KeyCode::Enter), None, fx);
    }
}

/// What a message is about: the screen, how many dialogs lie over it, whether a search runs. It clears when the screen changes, a
/// dialog opens or a search begins.
fn scenery(model: &Model) -> (Screen, usize, bool) {
    let status = model.session.side(model.search.side).window.status();
    (model.nav.screen, model.nav.dialogs.len(), matches!(status, Status::Running { .. }))
}

/// How long it is said that a key means nothing.
const FLASH: Duration = Duration::from_secs(1);
/// Drops what has had its time.
fn fade(model: &mut Model) {
    let now = model.now.mono;
    model.messages.flash.take_if(|flash| flash.until <= now);
    model.leaving.take_if(|until| *until <= now);
    let Some(notice) = &model.messages.notice else { return };
    let holds = match notice.holds {
        Holds::Time => true,
        Holds::Range => model.nav.screen == Screen::Search && model.search.grid().anchor.is_some(),
        Holds::Value => model.search.value.is_some(),
        Holds::Fetching => model.session.side(model.search.side).window.is_busy(),
        Holds::Leaving => model.leaving.is_some(),
        Holds::Here(screen) => model.nav.screen == screen,
    };
    if !holds || notice.until <= now {
        model.messages.notice = None;
    }
}

/// Reports a job that ran in the background, also to a person on another screen.
pub(crate) fn announce(model: &mut Model, words: String, bad: bool, fx: &mut Vec<Effect>) {
    fx.push(Effect::Notify(words.clone()));
    model.report(words, bad);
}

/// A key that means nothing here says so for a second.
fn flash(model: &mut Model, contexts: Chain, mut pending: Vec<Chord>, chord: Chord) {
    pending.push(chord);
    let help = model.keymap.key_of(contexts, Command::App(App::Help));
    let help = help.map_or(String::new(), |key| format!(" · {key} help"));
    let words = format!("{}: no such key{help}", crate::keys::chord::sequence_text(&pending));
    let until = model.now.mono.after(FLASH);
    model.messages.flash = Some(Notice { words, bad: false, until, holds: Holds::Time });
}

fn run(model: &mut Model, row: &KeyRow, situation: &Situation, chord: Chord, count: Option<u64>, fx: &mut Vec<Effect>) {
    if let Err(reason) = row.enabled(situation) {
        // `Escape` and the like are always allowed, so a reason is always news.
        return model.say_while(Holds::Here(model.nav.screen), reason);
    }
    match row.command {
        Command::Always(Always::Interrupt) => interrupt(model, fx),
        Command::Always(Always::Suspend) => model.shelled.suspend = true,
        Command::Always(Always::Repaint) => model.shelled.repaint = true,
        Command::App(app) => everywhere(model, app, fx),
        Command::List(list) => travel(model, list, count, fx),
        Command::Text(text) => in_text(model, text, fx),
        Command::Money(key) => unlock::money(model, key, chord, fx),
        Command::Recovery(deed) => unlock::recovery(model, deed, fx),
        Command::Own(at) => jobs::run_own(model, at, fx),
        Command::Summary(key) => unlock::bought(model, key, fx),
        Command::Copy(what) => copy(model, what, fx),
        Command::Open(what) => menus::open(model, what, fx),
        command => on_screen(model, fx, |screen, scene| screen.command(command, scene)),
    }
}

fn everywhere(model: &mut Model, app: App, fx: &mut Vec<Effect>) {
    match app {
        App::Help => menus::help(model),
        App::Palette => menus::palette(model),
        App::Escape => escape(model, fx),
        App::Back => back(model, fx),
        App::Quit => leave(model, fx),
        App::Go(screen) => model.nav.go(screen),
        App::History => menus::recall(model),
        App::Receipts => on_screen(model, fx, |_, scene| scene.open_receipts()),
        App::MaskMode => {
            model.search.masked = !model.search.masked;
            model.say(if model.search.masked { "Owned contacts are masked." } else { "Owned contacts are shown." });
        }
        App::LastError => menus::last_error(model),
        App::Unknown => unlock::open_recovery(model, fx),
        App::SidePanes => {
            let class = layout::class(model.area().width);
            let search = &mut model.search;
            let over = class + 1 < layout::CLASSES;
            // Where the filters open over the grid, what is left once they are closed is the grid with the contact.
            let is_closed = over && search.pane != Pane::Filters && search.panes[class] == Panes::All;
            let now = if is_closed { Panes::Contact } else { search.panes[class] };
            search.panes[class] = now.next();
            search.pane = if over && now.next() == Panes::All { Pane::Filters } else { Pane::Results };
        }
        App::NextPane | App::PreviousPane => on_screen(model, fx, |screen, _| screen.next_pane(app == App::NextPane)),
        App::Undo | App::Redo => with_search(model, fx, |search, scene| search.step(app == App::Undo, scene)),
        App::OtherCorpus => with_search(model, fx, |search, scene| search.other_corpus(scene)),
        App::OtherSource => with_search(model, fx, |search, scene| search.other_source(scene)),
        App::Profiles => setup::profiles(model),
        App::LastRequest => menus::last_request(model),
        App::MouseCapture => {
            model.mouse = !model.mouse;
            model.shelled.mouse = Some(model.mouse);
            let lode = "lode uses the mouse; hold Shift and drag to select text.";
            model.say(if model.mouse { lode } else { "The terminal uses the mouse." });
        }
        App::CopyCommandLine => copy_command_line(model, fx),
        App::RowMenu => menus::row(model),
        App::Settings => menus::settings(model),
        App::ScoreRules => menus::score_rules(model),
        App::OwnCommands => menus::own_commands(model),
        App::Tour => toggle_tour(model),
        App::Themes => menus::themes(model),
    }
}

/// Leaves the text field first; an unlock does not wait for that. Then it stops the newest thing that runs; pressed again, it leaves
/// lode.
fn interrupt(model: &mut Model, fx: &mut Vec<Effect>) {
    if facts::chain_of(model).contains(&Context::Text) {
        in_text(model, TextCommand::Leave, fx);
        if !model.is_unlocking() {
            return;
        }
    }
    if with_search(model, fx, |search, scene| search.stop_query(scene)) {
        return;
    }
    if model.session.unlock().job().is_some_and(|job| !job.stopping) {
        model.session.stop_unlock(model.now, fx);
        return model.say("Stopping after the current request. The rest stays in the basket.");
    }
    if events::stop_unlocks_behind(model) {
        return model.say("The unlock of the other profile stops after its current request.");
    }
    if model.leaving.is_some() {
        return fx.push(Effect::Quit(0));
    }
    let asking = matches!(model.nav.top(), Some(Dialog::Ask(_)));
    if !asking && on_screen(model, fx, |_, scene| cancel_newest(scene)) {
        return;
    }
    model.leaving = Some(model.now.mono.after(TWICE));
    let words = match model.is_unlocking() {
        true => "Stopping after the current request. <always.interrupt> again within 2 s quits now.",
        false => "Nothing is running. <always.interrupt> again within 2 s quits.",
    };
    model.say_while(Holds::Leaving, words);
}

fn in_text(model: &mut Model, text: TextCommand, fx: &mut Vec<Effect>) {
    let over = model.over();
    let Some(dialog) = model.nav.dialogs.last_mut() else {
        return on_screen(model, fx, |screen, scene| screen.text(text, scene));
    };
    let outcome = dialog.text(text, over);
    dialog_result(model, outcome, fx);
}

fn travel(model: &mut Model, list: List, count: Option<u64>, fx: &mut Vec<Effect>) {
    let scrolled = scrolled(model, list, count.unwrap_or(1));
    if let Some(Dialog::Reader(reader)) = model.nav.dialogs.last_mut() {
        // Moving on leads to the next contact, which is read from its beginning.
        reader.top = scrolled.unwrap_or(0);
    }
    if scrolled.is_none() {
        on_screen(model, fx, |screen, scene| screen.list(list, count, scene));
    }
}

/// The first line of what is only read, after a movement. None where that does not scroll: in a contact lines go to the next one.
fn scrolled(model: &Model, list: List, count: u64) -> Option<usize> {
    let Some(Dialog::Reader(reader)) = model.nav.top() else { return None };
    let pages = matches!(list, List::PageDown | List::HalfDown | List::PageUp | List::HalfUp);
    if reader.source.is_contact() && !pages {
        return None;
    }
    let mut lines = facts::read(model, reader)?.into_owned();
    lines.update(list, count, model.over(), &model.keymap);
    Some(lines.top)
}

/// Rows that one step of the wheel moves.
const WHEEL: u64 = 3;

fn mouse(model: &mut Model, event: Mouse, fx: &mut Vec<Effect>) {
    match event.what {
        MouseWhat::WheelDown => wheel(model, List::Down, fx),
        MouseWhat::WheelUp => wheel(model, List::Up, fx),
        MouseWhat::Press | MouseWhat::Double => {
            model.search.pressed = None;
            click(model, event, fx);
        }
        // The cursor goes to the row first: the menu is of that one.
        MouseWhat::Menu if model.nav.dialogs.is_empty() => {
            if let Some(Target::Row(at) | Target::Sign(at)) = target(model, event) {
                on_screen(model, fx, |screen, scene| screen.click(Target::Row(at), false, scene));
                model.search.pressed = None;
                given(model, Command::App(App::RowMenu), fx);
            }
        }
        MouseWhat::Drag if model.nav.dialogs.is_empty() => {
            on_screen(model, fx, |screen, scene| screen.drag(event.y, scene));
        }
        MouseWhat::Menu | MouseWhat::Drag => {}
        MouseWhat::Release => model.search.pressed = None,
    }
}

fn wheel(model: &mut Model, list: List, fx: &mut Vec<Effect>) {
    let scrolled = scrolled(model, list, WHEEL);
    match model.nav.dialogs.last_mut() {
        Some(Dialog::Reader(reader)) => reader.top = scrolled.unwrap_or(reader.top),
        Some(dialog) => dialog.list_mut().into_iter().for_each(|lines| lines.wheel(list)),
        None => on_screen(model, fx, |screen, scene| screen.wheel(list, WHEEL, scene)),
    }
}

fn target(model: &Model, event: Mouse) -> Option<Target> {
    let area = model.area();
    let mut scratch = Buffer::empty(area);
    let mut cx = ViewContext::new(area, &model.theme, &model.keymap).clicked(event.x, event.y);
    model.render(area, &mut scratch, &mut cx);
    cx.found()
}

fn click(model: &mut Model, event: Mouse, fx: &mut Vec<Effect>) {
    let Some(target) = target(model, event) else { return };
    if !model.nav.dialogs.is_empty() {
        return in_dialog(model, target, fx);
    }
    let double = event.what == MouseWhat::Double;
    let command = match target {
        Target::Command(command) => Some(command),
        target => on_screen(model, fx, |screen, scene| screen.click(target, double, scene)),
    };
    if let Some(command) = command {
        given(model, command, fx);
    }
    if let Target::Sign(position) = target {
        // Where the sign of a row is clicked the cursor stays on that row.
        model.search.grid_mut().cursor = position;
    }
}

fn in_dialog(model: &mut Model, target: Target, fx: &mut Vec<Effect>) {
    match (target, model.nav.dialogs.last_mut()) {
        // Money is spent by typing, never by a click.
        (_, Some(Dialog::Money(_) | Dialog::Recovery(_))) => {}
        (Target::Line(at), Some(dialog)) => {
            let outcome = dialog.in_list(|list| list.click(at));
            dialog_result(model, outcome, fx);
        }
        (Target::Command(command), _) => given(model, command, fx),
        (Target::Dialog, _) => {}
        // A click beside a list closes it; a question stays until it is answered.
        (_, Some(dialog)) if dialog.form().is_some_and(|form| form.intent == Intent::Nothing) => {}
        _ => dialog_result(model, DialogResult::Close, fx),
    }
}

/// Copies something of what was just bought, else of the row under the cursor.
fn copy(model: &mut Model, what: Copy, fx: &mut Vec<Effect>) {
    if matches!(model.nav.top(), Some(Dialog::Summary(_))) {
        return unlock::copy_bought(model, what, fx);
    }
    let Some(row) = facts::row(model) else { return };
    let line = model.shown().line_of(&row);
    on_screen(model, fx, |_, scene| scene.copy(what, &row, line));
}

/// Copies the shell command that shows what the screen shows; where it has none, that of the search.
fn copy_command_line(model: &mut Model, fx: &mut Vec<Effect>) {
    match model.shown().command_line(model.scene_ref()) {
        Some(line) => {
            model.say(format!("Handed to the terminal's clipboard: {line}"));
            fx.push(Effect::Copy(line));
        }
        None => with_search(model, fx, |search, scene| {
            scene.copy_text(shell_line::search(&search.grid().draft), "the shell command.");
        }),
    }
}

fn dialog_result(model: &mut Model, outcome: DialogResult, fx: &mut Vec<Effect>) {
    with_search(model, fx, State::show_columns);
    match outcome {
        DialogResult::Stay => {}
        DialogResult::Close => drop(model.nav.dialogs.pop()),
        DialogResult::Do(intent, typed) => {
            model.nav.dialogs.pop();
            carry_out(model, intent, typed.as_deref(), fx);
        }
        DialogResult::Call(call) => setup::call(model, call),
        DialogResult::Setup(setup) => model.nav.dialogs.push(Dialog::Setup(setup)),
    }
}

/// Does what a dialog was for; `answer` is the text of its field, where it had one.
fn carry_out(model: &mut Model, intent: Intent, answer: Option<&str>, fx: &mut Vec<Effect>) {
    let typed = answer.unwrap_or_default();
    match intent {
        Intent::Nothing | Intent::Command(Command::Text(_)) => {}
        Intent::Theme(name) => menus::pick_theme(model, &name),
        Intent::View(name) => with_search(model, fx, |search, scene| search.apply_view(&name, scene)),
        Intent::SaveView(name) => {
            with_search(model, fx, |search, scene| search.save_view(name.as_deref().or(answer), scene));
        }
        Intent::DeleteView(name) => with_search(model, fx, |search, scene| search.delete_view(name, scene)),
        Intent::Unlock(only_row) => unlock::unlock(model, only_row, fx),
        Intent::Open(lead) => menus::open_lead(model, *lead, fx),
        Intent::OfferExport => export::offer(model, fx),
        Intent::ExportRows(what, rows) => export::rows(model, what, rows, fx),
        Intent::ExportLast => unlock::export_last(model, fx),
        Intent::Undoable(side) => model.search.did(UndoStep::Basket(side)),
        Intent::CopyCommandLine => copy_command_line(model, fx),
        Intent::Narrow(values) => with_search(model, fx, |search, scene| search.narrow(values, scene)),
        Intent::ShowSaved(name, query, only_new) => {
            with_search(model, fx, |search, scene| search.show_saved(name, *query, only_new, scene));
        }
        Intent::EditSaved(name, query) => {
            with_search(model, fx, |search, scene| search.edit_saved(name, *query, scene));
        }
        Intent::Place(at) => on_screen(model, fx, |screen, scene| screen.pick(at, scene)),
        Intent::Row(row) => travel(model, List::Last, Some(row), fx),
        Intent::ExportOf(what) => export::ask_form(model, &what, fx),
        Intent::Export(what, form) => export::ask_name(model, what, form, ""),
        Intent::Saved(name) => with_search(model, fx, |_, scene| saved::run(&name, false, scene)),
        Intent::Command(command) => given(model, command, fx),
        Intent::Exclude(kind) => with_search(model, fx, |search, scene| match answer {
            None => search.ask_exclude(kind, scene),
            Some(words) => {
                let values = words.split(';').filter(|value| !value.trim().is_empty());
                search.set_excluded(kind, &Vec::from_iter(values), scene);
            }
        }),
        Intent::ExcludeList(name) => with_search(model, fx, |search, scene| search.toggle_excluded_list(&name, scene)),
        Intent::ExcludeLists(names) => with_search(model, fx, |search, scene| {
            search.set_excluded(ExclusionKind::List, &Vec::from_iter(names.iter().map(String::as_str)), scene);
        }),
        Intent::AcceptUnchecked(id) => unlock::accept_unchecked(model, id),
        Intent::AddList => match answer {
            None => on_screen(model, fx, |_, scene| basket::ask_list(scene)),
            Some(path) => unlock::read_list(model, path, fx),
        },
        Intent::List(name) => on_screen(model, fx, |_, scene| basket::ask_remove_list(name, scene)),
        Intent::Refused(reason) => model.say(reason),
        Intent::Filter(filter) => {
            // An industry that is set gets another one.
            let add = filter == Filter::Industry && model.search.grid().draft.value(filter).is_some();
            let becomes = if add { Becomes::Another } else { Becomes::All };
            with_search(model, fx, |search, scene| search.edit_filter(filter, becomes, scene));
        }
        Intent::Value(filter, value) => with_search(model, fx, |search, scene| search.picked(filter, &value, scene)),
        Intent::Values(filter, values) => {
            with_search(model, fx, |search, scene| search.set_values(filter, &values, scene))
        }
        Intent::Query(query) => with_search(model, fx, |search, scene| search.recall(*query, scene)),
        Intent::PerCompany => with_search(model, fx, |search, scene| search.set_per_company(typed, scene)),
        Intent::Find => with_search(model, fx, |search, scene| search.begin_find(typed, scene)),
        Intent::StageAll => with_search(model, fx, |search, scene| search.stage_all(typed, scene)),
        Intent::Tag(key) => {
            let tags = Vec::from_iter(typed.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned));
            let said = format!("Tagged: {}.", tags.join(", "));
            model.say(if tags.is_empty() { "Tags removed.".to_owned() } else { said });
            model.session.ledger.tag(key.side.corpus, vec![key.id], tags, &mut model.session.desk.at(model.now, fx));
        }
        Intent::Note(key) => {
            let session = &mut model.session;
            session.ledger.note(key.side.corpus, key.id, typed.to_owned(), &mut session.desk.at(model.now, fx));
            model.say("Note saved.");
        }
        Intent::Accounts => {
            let query = model.search.grid().draft.clone();
            let (state, mut scene) = model.staged_match(fx);
            state.open(query, answer, &mut scene);
        }
        Intent::ListFind => (model.owned.find, model.owned.at) = (typed.to_owned(), 0),
        Intent::SaveSearch(replaced) => with_search(model, fx, |search, scene| {
            saved::save(typed, replaced, search.grid().draft.clone(), search.view_name(scene.session), scene);
        }),
        Intent::RenameSaved(old) if old == typed => {}
        Intent::RenameSaved(old) => {
            let change = SavedChange::Rename { old, new: typed.to_owned() };
            on_screen(model, fx, |_, scene| saved::change(change, scene));
        }
        Intent::ExportTo(what, form) => export::named(model, what, form, typed, fx),
        Intent::Quit => fx.push(Effect::Quit(0)),
        Intent::StopAfterCallAndQuit => {
            model.leave_after = true;
            stop_unlocks(model, fx);
            match model.is_unlocking() {
                true => model.say("Quitting as soon as the current request has its response."),
                false => fx.push(Effect::Quit(0)),
            }
        }
        Intent::RunSlow => with_search(model, fx, |search, scene| search.run_now(scene)),
        Intent::MarkPulled => {
            let index = model.search.grid().index(model.search.grid().cursor);
            let (state, desk) = model.session.side_mut(model.search.side);
            let ids = state.window.page_ids(index).len() as u64;
            if state.window.mark_pulled(index, &mut desk.at(model.now, fx)) {
                model.say(format!("Marking {} as pulled…", counted(ids, "contact")));
            }
        }
        Intent::Suppress(entry, whom) => {
            model.session.suppress("by hand".to_owned(), vec![entry], model.now, fx);
            model.say(format!("Suppressed {whom}."));
        }
        Intent::ForgetOwned(key) => on_screen(model, fx, |_, scene| owned::forget(key, scene)),
        Intent::ReviewRequest(handle) => unlock::review_request(model, &handle, fx),
        Intent::DeclineRequest(handle) => model.session.decline(&handle, fx),
        Intent::RemoveList(name) => on_screen(model, fx, |_, scene| basket::remove_list(name, scene)),
        Intent::DeleteSaved(name) => {
            on_screen(model, fx, |_, scene| saved::change(SavedChange::Remove { name }, scene))
        }
        Intent::RunSaved(name, only_new) => on_screen(model, fx, |_, scene| saved::run_now(&name, only_new, scene)),
        Intent::CancelJob(job, keep) => export::stop(model, job, keep, fx),
        Intent::ReplaceFile(export) => export::replace(model, *export, fx),
        Intent::KeepAndQuit => export::keep_and_quit(model, fx),
    }
}

/// Ctrl-c twice within this leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Closes the top layer, then ends a range, then drops a running query.
fn escape(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_none() {
        on_screen(model, fx, |screen, scene| screen.escape(scene));
    }
}

/// Ends the tour for good, or starts it again on request.
fn toggle_tour(model: &mut Model) {
    if model.tour.step().is_some() {
        model.tour = Tour::OVER;
        model.say("Tour done.  <everywhere.tour> starts it again");
    } else {
        model.tour = Tour::default();
    }
}

fn back(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_none() && !model.nav.back() {
        leave(model, fx);
    }
}

/// Stops every unlock after the request in flight.
fn stop_unlocks(model: &mut Model, fx: &mut Vec<Effect>) {
    model.session.stop_unlock(model.now, fx);
    events::stop_unlocks_behind(model);
}

/// Leaves, with a question where something is on its way.
fn leave(model: &mut Model, fx: &mut Vec<Effect>) {
    let running = model.running();
    let (words, stay, deeds) = if model.is_unlocking() && !model.leave_after {
        let words = "An unlock is running. Every batch is recorded before it is sent, so nothing is lost if you leave.";
        (words.to_owned(), "Stay", vec![("Stop after this request, then quit", Intent::StopAfterCallAndQuit)])
    } else if model.has_unsaved() {
        let words = "The response to a paid unlock could not be saved yet; lode keeps trying. Free some disk space and it will be \
                     saved. If you quit now, its contacts are printed once.";
        (words.to_owned(), "Stay until it is saved", vec![("Quit and print the contacts", Intent::Quit)])
    } else if running > 0 && !model.leave_after {
        let running = format!("{} {}", counted(running as u64, "job"), agree(running, "is", "are"));
        let words = format!("{running} running. A file appears under its final name only when it is complete.");
        let keep = ("Quit and keep the partial file as .incomplete", Intent::KeepAndQuit);
        (words, "Stay", vec![("Quit and delete the partial file", Intent::Quit), keep])
    } else {
        return fx.push(Effect::Quit(0));
    };
    model.nav.dialogs.push(Dialog::Ask(FormDialog::ask("Quit lode?", words, stay, deeds)));
}
