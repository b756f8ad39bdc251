//! The first line: whose money it is, what is left of it, what was spent, how many requests may go.

use ratatui::layout::Rect;

use crate::layout;
use crate::model::{Model, facts};
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use lode_core::credits::{counted, grouped};
use lode_core::text;

pub fn view(model: &Model, canvas: &mut Canvas<'_>, line: Rect) {
    let mut pieces = pieces(model);
    let wide = |pieces: &[Piece]| pieces.iter().map(|piece| text::width(&piece.words) + 3).sum::<usize>();
    let fits = |pieces: &[Piece]| pieces.len() <= 1 || wide(pieces) <= usize::from(line.width);
    layout::fit(&mut pieces, |piece| piece.rank, fits);
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

/// A piece of the header: what must stay has a high rank, what can go a low one.
struct Piece {
    rank: u8,
    words: String,
    role: Role,
    right: bool,
}

fn pieces(model: &Model) -> Vec<Piece> {
    let left = |rank, words: String, role| Piece { rank, words, role, right: false };
    let right = |rank, words: String, role| Piece { rank, words, role, right: true };
    let (session, side) = (&model.session, model.search.side);
    let (profile, balance) = (session.profile(), &session.balance());
    let (kind, kind_role) = if profile.live { ("LIVE", Role::Live) } else { ("SANDBOX", Role::Sandbox) };
    let mut pieces = vec![left(250, profile.name.clone(), Role::Strong)];
    if !model.keyless {
        pieces.push(left(255, kind.to_owned(), kind_role));
    }
    if model.search.masked {
        pieces.push(left(165, "MASKED".to_owned(), Role::Warning));
    }
    pieces.push(left(160, format!("{} · {}", side.source.title(), side.corpus.title()), Role::Text));
    let key = match (balance.account(), &profile.workspace) {
        _ if !model.opened => Some("opening…".to_owned()),
        (Some(account), _) => {
            let search_only = balance.may_unlock() == Some(false);
            let scopes = if search_only { "search only".to_owned() } else { account.scopes.join("+") };
            Some(format!("key {} ({scopes})", account.key_prefix))
        }
        (None, service) => service.as_ref().map(|service| format!("key {}…", service.shown)),
    };
    pieces.extend(key.map(|key| left(60, key, Role::Dim)));
    match profile.from_environment.as_slice() {
        [] => {}
        [one] => pieces.push(left(120, format!("from {one}"), Role::Warning)),
        // All names are in the list of profiles; here they would push out what changes.
        several => pieces.push(left(120, format!("{} values from LODE_*", several.len()), Role::Warning)),
    }
    pieces.extend(profile.note.clone().map(|note| left(170, note, Role::Warning)));
    if profile.workspace.is_some() {
        pieces.push(right(240, credits(model), Role::Money));
        pieces.push(right(230, spent(model), Role::Text));
    }
    let gauge = session.desk().gauge(side.source, model.now);
    let (words, role) = match (&gauge.paused, gauge.of) {
        (Some(paused), _) => {
            let seconds = paused.until.0.saturating_sub(model.now.mono.0).div_ceil(1000);
            (format!("waiting {seconds} s"), Role::Warning)
        }
        (None, Some(of)) => {
            let tight = gauge.used * 10 >= of * 9;
            (format!("{}/{}", gauge.used, counted(of.into(), "request")), if tight { Role::Warning } else { Role::Dim })
        }
        (None, None) => (format!("{} request{}", gauge.used, if gauge.used == 1 { "" } else { "s" }), Role::Dim),
    };
    pieces.push(right(220, words, role));
    if let Some(took) = session.side(side).window.took_ms() {
        pieces.push(right(40, format!("took {} ms", grouped(took)), Role::Dim));
    }
    pieces
}

fn credits(model: &Model) -> String {
    let balance = &model.session.balance();
    let old = balance.age(model.now).is_some_and(|age| age >= facts::OLD);
    // The moment, not the age: an age would have to tick.
    let at = balance.read_at().filter(|_| old).map(|at| facts::hour(model, at.0));
    match (balance.credits(), balance.failure().is_some(), at) {
        (Some(credits), false, Some(at)) => format!("{} (as of {at})", credits.words()),
        (Some(credits), false, None) => credits.words(),
        (Some(credits), true, _) => format!("{} (old)", credits.words()),
        (None, true, _) => "credits unknown".to_owned(),
        (None, false, _) => "… credits".to_owned(),
    }
}

fn spent(model: &Model) -> String {
    let spent = model.session.ledger().spent().copied().unwrap_or_default();
    let of = model.session.profile().caps.session.map_or(String::new(), |cap| format!(" of {cap}"));
    let net = if spent.session == spent.session_net { String::new() } else { format!(" (net {})", spent.session_net) };
    let held = if spent.held.0 > 0 { format!(" ({} on hold)", spent.held) } else { String::new() };
    format!("this session {}{of}{net}{held}", spent.session)
}
