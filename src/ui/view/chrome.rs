//! What frames every screen: header, tabs, job line, message line, footer, and the menu of a half-typed sequence.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::domain::contact::Source;
use crate::domain::credits::grouped;
use crate::domain::query::Query;
use crate::keys::command::{App, Command, Screen};
use crate::keys::keymap::Hint;
use crate::keys::situation::Situation;
use crate::ui::model::tour::{Step, Tour};
use crate::ui::model::{Model, facts};
use crate::ui::screens::search::filters::Recent;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::{Canvas, Target};
use crate::ui::widgets::{pane, text};

/// From this age on a balance says when it was read.
const OLD: Duration = Duration::from_secs(60);

/// A piece of the header: what must stay has a high rank, what can go a low one.
struct Piece {
    rank: u8,
    words: String,
    role: Role,
    right: bool,
}

pub fn header(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let mut pieces = pieces(model);
    let wide = |pieces: &[Piece]| pieces.iter().map(|piece| text::width(&piece.words) + 3).sum::<usize>();
    while pieces.len() > 1 && wide(&pieces) > usize::from(line.width) {
        let goes = pieces.iter().enumerate().min_by_key(|(_, piece)| piece.rank).map(|(at, _)| at);
        pieces.remove(goes.unwrap_or(0));
    }
    let mut x = line.x + 1;
    for piece in pieces.iter().filter(|piece| !piece.right) {
        x += canvas.put(x, line.y, line.right().saturating_sub(x), &piece.words, piece.role) + 2;
    }
    let mut right = line.right().saturating_sub(1);
    for piece in pieces.iter().rev().filter(|piece| piece.right) {
        let room = right.saturating_sub(x);
        right = canvas.put_right(right, line.y, room, &piece.words, piece.role).saturating_sub(3);
    }
}

fn pieces(model: &Model) -> Vec<Piece> {
    let session = &model.session;
    let profile = &session.profile;
    let balance = &session.balance;
    let left = |rank, words: String, role| Piece { rank, words, role, right: false };
    let right = |rank, words: String, role| Piece { rank, words, role, right: true };
    let (kind, kind_role) = if profile.live { ("[LIVE]", Role::Live) } else { ("[SANDBOX]", Role::Sandbox) };
    let mut pieces = vec![left(250, profile.name.clone(), Role::Strong)];
    if !model.keyless {
        pieces.push(left(255, kind.to_owned(), kind_role));
    }
    pieces.push(left(160, model.search.side.to_string(), Role::Text));
    let workspace = profile.workspace.as_ref();
    if !model.opened {
        pieces.push(left(60, "opening…".to_owned(), Role::Dim));
    } else if let Some(account) = balance.account() {
        let scopes = account.scopes.join("+");
        let scopes = match (balance.may_search(), balance.may_unlock()) {
            (_, Some(false)) => "search only".to_owned(),
            _ => scopes,
        };
        pieces.push(left(60, format!("key {} ({scopes})", account.key_prefix), Role::Dim));
    } else if let Some(service) = workspace {
        pieces.push(left(60, format!("key {}…", service.shown), Role::Dim));
    }
    match profile.from_environment.as_slice() {
        [] => {}
        [one] => pieces.push(left(120, format!("from {one}"), Role::Warning)),
        // All names are in the list of profiles; here they would push out what changes.
        several => pieces.push(left(120, format!("{} values from LODE_*", several.len()), Role::Warning)),
    }
    if let Some(note) = &profile.note {
        pieces.push(left(170, note.clone(), Role::Warning));
    }
    if workspace.is_some() {
        let credits = match (balance.credits(), balance.failure()) {
            (Some(credits), None) => match (balance.age(model.now), balance.read_at()) {
                // The moment, not the age: an age would have to tick.
                (Some(age), Some(at)) if age >= OLD => format!("credits {credits} at {}", facts::hour(model, at.0)),
                _ => format!("credits {credits}"),
            },
            (Some(credits), Some(_)) => format!("credits {credits} (old)"),
            (None, Some(_)) => "credits unknown".to_owned(),
            (None, None) => "credits …".to_owned(),
        };
        pieces.push(right(240, credits, Role::Strong));
        pieces.push(spent(model));
    }
    let gauge = session.desk.gauge(model.search.side.source, model.now);
    let (words, role) = match (gauge.of, &gauge.paused) {
        (_, Some(paused)) => {
            let seconds = paused.until.0.saturating_sub(model.now.mono.0).div_ceil(1000);
            (format!("waiting {seconds} s"), Role::Warning)
        }
        (Some(of), None) => {
            let tight = gauge.used * 10 >= of * 9;
            (format!("req {}/{of} min", gauge.used), if tight { Role::Warning } else { Role::Dim })
        }
        (None, None) => (format!("req {}", gauge.used), Role::Dim),
    };
    pieces.push(right(220, words, role));
    if let Some(took) = session.side(model.search.side).window.took_ms() {
        pieces.push(right(40, format!("took {} ms", grouped(took)), Role::Dim));
    }
    pieces
}

fn spent(model: &Model) -> Piece {
    let spent = model.session.ledger.spent().copied().unwrap_or_default();
    let (gross, net, held) = (spent.session, spent.session_net, spent.held);
    let of = model.session.profile.session_cap().map_or(String::new(), |cap| format!(" of {cap}"));
    let held = if held.0 > 0 { format!(" ({held} held)") } else { String::new() };
    let net = if gross == net { String::new() } else { format!(" (net {net})") };
    Piece { rank: 230, words: format!("spent here {gross}{of}{net}{held}"), role: Role::Text, right: true }
}

const TABS: [(Screen, &str, &str); 6] = [
    (Screen::Search, "F2", "Search"),
    (Screen::Basket, "F3", "Basket"),
    (Screen::Owned, "F4", "Owned"),
    (Screen::Saved, "F5", "Saved"),
    (Screen::Counts, "F6", "Counts"),
    (Screen::Jobs, "F7", "Jobs"),
];

/// `(3 new)` where saved searches that ran here brought rows their last run did not have.
fn session_new(model: &Model, screen: Screen) -> String {
    let new = if screen == Screen::Saved { model.session.glance.new_rows() } else { 0 };
    if new > 0 { format!("({} new)", grouped(new)) } else { String::new() }
}

pub fn tabs(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let mut x = line.x + 1;
    let short = line.width < 84;
    for (screen, key, name) in TABS {
        let number = match screen {
            Screen::Basket => {
                Some(model.session.side(model.search.side).basket.len() as u64).filter(|count| *count > 0)
            }
            Screen::Owned => Some(model.session.ledger.owned_count() as u64).filter(|count| *count > 0),
            Screen::Jobs => Some(model.running() as u64).filter(|count| *count > 0),
            _ => None,
        };
        let new = session_new(model, screen);
        let number = number.map_or(new, |count| format!("({})", grouped(count)));
        let start = x;
        if !short {
            x += canvas.put(x, line.y, line.right().saturating_sub(x), key, Role::Key) + 1;
        }
        let role = if screen == model.nav.screen { Role::Tab } else { Role::Text };
        let words = format!("{name}{number}");
        x += canvas.put(x, line.y, line.right().saturating_sub(x), &words, role);
        canvas.target(Rect::new(start, line.y, x - start, 1), Target::Command(Command::App(App::Go(screen))));
        x += if short { 2 } else { 3 };
        if x >= line.right() {
            return;
        }
    }
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
    if let Some(notice) = &model.notice {
        let role = if notice.bad { Role::Danger } else { Role::Text };
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(2), &notice.words, role);
    }
}

/// `TOUR 2/6  /  searches: type a title, such as nurse, then Enter               Esc ends the tour`
pub fn tour(model: &Model, step: &Step, canvas: &mut Canvas<'_>, line: Rect) {
    canvas.target(line, Target::Command(step.command));
    let leave = "Esc ends the tour";
    let mut right = line.right().saturating_sub(1);
    let behind = format!("TOUR {}/{} ", model.tour.behind() + 1, Tour::LENGTH);
    let key = model.keymap.key_of(step.contexts, step.command).unwrap_or_default();
    let pieces =
        [(behind.as_str(), Role::Sandbox), (key.as_str(), Role::Key), ("  ", Role::Text), (step.words, Role::Text)];
    let wide: usize = pieces.iter().map(|(words, _)| text::width(words)).sum();
    if wide + text::width(leave) + 4 <= usize::from(line.width) {
        let from = canvas.put_right(right, line.y, line.width, leave, Role::Dim);
        canvas.target(Rect { x: from, width: right - from, ..line }, Target::Command(Command::App(App::Tour)));
        right = from;
    }
    canvas.line(line.x + 1, line.y, right.saturating_sub(line.x + 1), &pieces);
}

/// Hints of the present chain, most important first, `? help` always at the end.
pub fn footer(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let situation: Situation = facts::situation(model);
    let mut hints = model.keymap.hints(situation.chain);
    let width = |hint: &Hint| text::width(&hint.key) + 1 + text::width(hint.word) + 2;
    let help = hints.pop_if(|hint| hint.word == "help");
    let mut room = usize::from(line.width.saturating_sub(1)).saturating_sub(help.map_or(0, width));
    let shown = hints.into_iter().take_while(|hint| {
        let wide = width(hint);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    });
    let mut x = line.x + 1;
    for hint in shown.chain(help) {
        let start = x;
        let enabled = (hint.row.enabled)(&situation).is_ok();
        let (key_role, word_role) = if enabled { (Role::Key, Role::Text) } else { (Role::Disabled, Role::Disabled) };
        x += canvas.put(x, line.y, line.right().saturating_sub(x), &hint.key, key_role) + 1;
        x += canvas.put(x, line.y, line.right().saturating_sub(x), hint.word, word_role);
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

/// The searches that the filter pane shows: as many as one may glance at.
#[must_use]
pub fn recent(model: &Model) -> Vec<Recent> {
    let past = model.session.history.recent().iter().take(12);
    past.filter_map(|past| {
        let query = Query::from_canonical(&past.canonical)?;
        let values: Vec<&str> = query.filters().flat_map(|(_, values)| values.iter().map(String::as_str)).collect();
        let words = if values.is_empty() { "everything".to_owned() } else { values.join(" ") };
        let source = if query.side.source == Source::Data { "D " } else { "" };
        Some(Recent { at: facts::hour(model, past.at.0), words: format!("{source}{words}") })
    })
    .collect()
}
