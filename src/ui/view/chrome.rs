//! What frames every screen besides its header: tabs, message line, footer, tour, and the menu of a half-typed sequence.

use ratatui::layout::Rect;

use crate::keys::chord::Chord;
use crate::keys::command::{App, Command, Screen};
use crate::keys::keymap::{Hint, Keymap};
use crate::keys::situation::Situation;
use crate::model::tour::Tour;
use crate::model::{Model, facts};
use crate::theme::Role;
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::pane;
use lode_core::text;

pub fn tabs(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let mut x = line.x + 1;
    let scene = model.scene_ref();
    let has_tab = |screen: Screen| screen == model.nav.screen || !model.slice(screen).number(scene).is_empty();
    let more = Screen::NOW_AND_THEN.into_iter().filter(|(screen, _)| has_tab(*screen));
    let shown: Vec<(Screen, &str)> = Screen::TABS.into_iter().chain(more).collect();
    for (screen, name) in shown.iter().copied() {
        let start = x;
        let role = if screen == model.nav.screen { Role::Tab } else { Role::Text };
        x += canvas.put(x, line.y, line.right().saturating_sub(x), name, role);
        x += canvas.put(x, line.y, line.right().saturating_sub(x), &model.slice(screen).number(scene), Role::Dim);
        canvas.target(Rect::new(start, line.y, x - start, 1), Target::Command(Command::App(App::Go(screen))));
        x += 2;
        if x >= line.right() {
            return;
        }
    }
    let words = tab_keys(&model.keymap, &shown);
    let right = line.right().saturating_sub(1);
    if usize::from(right.saturating_sub(x)) > text::width(&words) + 1 {
        canvas.put_right(right, line.y, line.width, &words, Role::Dim);
    }
}

/// How the tabs are reached: `F2…F7 or g + letter`, as the keys are bound.
fn tab_keys(keymap: &Keymap, shown: &[(Screen, &str)]) -> String {
    let of = |screen| keymap.keys_of(crate::keys::situation::chain::READING, Command::App(App::Go(screen)));
    // The first key of the sequences of that length, one for each tab; none where a tab lacks one.
    let first_keys = |length| -> Option<Vec<Chord>> {
        let key = |screen| of(screen).iter().find(|keys| keys.len() == length).map(|keys| keys[0]);
        shown.iter().map(|(screen, _)| key(*screen)).collect()
    };
    let mut ways = Vec::new();
    if let Some([first, .., last]) = first_keys(1).as_deref() {
        ways.push(format!("{first}…{last}"));
    }
    if let Some([first, others @ ..]) = first_keys(2).as_deref()
        && others.iter().all(|other| other == first)
    {
        ways.push(format!("{first} + letter"));
    }
    ways.join(" or ")
}

pub fn notice(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let mut words = String::new();
    if let Some(count) = model.count {
        words.push_str(&count.to_string());
    }
    if !model.pending.is_empty() {
        words.push_str(&crate::keys::chord::sequence_text(&model.pending));
        words.push_str(" …");
    }
    if !words.is_empty() {
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Key);
        return;
    }
    if let Some(notice) = model.flash.as_ref().or(model.notice.as_ref()) {
        let role = if notice.bad { Role::Danger } else { Role::Text };
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(2), &notice.words, role);
    }
}

/// `TOUR 2/6  /  searches: type a title such as nurse, then <text.submit>               : tour  ends it`
pub fn tour(tour: Tour, keymap: &Keymap, canvas: &mut Canvas<'_>, line: Rect) {
    let Some(step) = tour.step() else { return };
    canvas.target(line, Target::Command(step.command));
    let palette = keymap.key_of(step.contexts, Command::App(App::Palette)).unwrap_or_default();
    let leave = format!("{palette} tour  ends it");
    let mut right = line.right().saturating_sub(1);
    let behind = format!("TOUR {}/{} ", tour.behind() + 1, Tour::LENGTH);
    let key = keymap.key_of(step.contexts, step.command).unwrap_or_default();
    let pieces =
        [(behind.as_str(), Role::Sandbox), (key.as_str(), Role::Key), ("  ", Role::Text), (step.words, Role::Text)];
    let wide: usize = pieces.iter().map(|(words, _)| text::width(words)).sum();
    if wide + text::width(&leave) + 4 <= usize::from(line.width) {
        let from = canvas.put_right(right, line.y, line.width, &leave, Role::Dim);
        canvas.target(Rect { x: from, width: right - from, ..line }, Target::Command(Command::App(App::Tour)));
        right = from;
    }
    canvas.line(line.x + 1, line.y, right.saturating_sub(line.x + 1), &pieces);
}

/// Hints of the present chain, most important first, `? help` always at the end.
pub fn footer(keymap: &Keymap, situation: &Situation, canvas: &mut Canvas<'_>, line: Rect) {
    let mut hints = keymap.hints(situation.chain);
    // A dialog names its own keys and how it is closed, not what belongs to the screen behind it.
    let left_out: &[App] = if situation.dialog_open { &[App::Profiles, App::Back] } else { &[App::Escape] };
    // What does nothing now is not named.
    let usable = |hint: &&Hint| {
        !left_out.iter().any(|app| hint.row.command == Command::App(*app)) && hint.row.is_usable(situation)
    };
    let width = |hint: &Hint| text::width(&hint.key) + 1 + text::width(hint.word) + 2;
    let help = hints.pop_if(|hint| hint.word == "help").filter(usable);
    let mut room = usize::from(line.width.saturating_sub(1)).saturating_sub(help.map_or(0, width));
    let shown = hints.into_iter().filter(usable).take_while(|hint| {
        let wide = width(hint);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    });
    let mut x = line.x + 1;
    for hint in shown.chain(help) {
        let start = x;
        x += canvas.put(x, line.y, line.right().saturating_sub(x), &hint.key, Role::Key) + 1;
        x += canvas.put(x, line.y, line.right().saturating_sub(x), hint.word, Role::Text);
        canvas.target(Rect::new(start, line.y, x - start, 1), Target::Command(hint.row.command));
        x += 2;
    }
}

/// The little menu after `g` or `y`: what may follow.
pub fn following(model: &Model, canvas: &mut Canvas<'_>, over: Rect) {
    let lines = facts::following(model);
    let widest = lines.iter().map(|(key, words, _)| text::width(key) + text::width(words) + 4).max().unwrap_or(10);
    let width = (widest as u16 + 4).min(over.width);
    let height = (lines.len() as u16 + 2).min(over.height);
    let area = Rect::new(over.right() - width, over.bottom() - height, width, height);
    canvas.clear(area);
    canvas.target(area, Target::Dialog);
    let title = crate::keys::chord::sequence_text(&model.pending);
    let inside = pane::pane(canvas, area, &title, true);
    for (at, (key, words, enabled)) in lines.iter().enumerate().take(usize::from(inside.height)) {
        let y = inside.y + at as u16;
        let (key_role, role) = if *enabled { (Role::Key, Role::Text) } else { (Role::Disabled, Role::Disabled) };
        let used = canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), key, key_role) + 2;
        canvas.put(inside.x + 1 + used, y, inside.width.saturating_sub(1 + used), words, role);
    }
}
