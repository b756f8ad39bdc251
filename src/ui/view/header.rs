//! The first line: whose money it is, what is left of it, what was spent, how many requests may go.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::domain::contact::Side;
use crate::domain::credits::{Credits, grouped};
use crate::ui::model::{Model, facts};
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::text;

/// From this age on a balance says when it was read.
const OLD: Duration = Duration::from_secs(60);

/// All that the header says. It is drawn from this and nothing else, so that it can stand where this stays.
#[derive(Hash)]
pub struct Header<'a> {
    profile: &'a str,
    live: bool,
    keyless: bool,
    side: Side,
    key: Key<'a>,
    from_environment: &'a [String],
    note: Option<&'a str>,
    /// None where there is nothing to spend from.
    purse: Option<Purse>,
    gauge: Gauge,
    took_ms: Option<u64>,
}

#[derive(Hash)]
enum Key<'a> {
    Opening,
    /// By the account: its beginning, what it may do, and whether it may unlock.
    Known(&'a str, &'a [String], bool),
    /// By its beginning, until the account is read.
    Shown(&'a str),
    None,
}

#[derive(Hash)]
struct Purse {
    credits: Option<Credits>,
    failed: bool,
    /// The moment, not the age: an age would have to tick.
    at: Option<String>,
    gross: Credits,
    net: Credits,
    held: Credits,
    cap: Option<Credits>,
}

#[derive(Hash)]
enum Gauge {
    Waiting { seconds: u64 },
    Of { used: u32, of: Option<u32> },
}

impl<'a> Header<'a> {
    pub fn of(model: &'a Model) -> Header<'a> {
        let session = &model.session;
        let (profile, balance) = (&session.profile, &session.balance);
        let workspace = profile.workspace.as_ref();
        let key = match (balance.account(), workspace) {
            _ if !model.opened => Key::Opening,
            (Some(account), _) => {
                let search_only = balance.may_unlock() == Some(false);
                Key::Known(&account.key_prefix, &account.scopes, !search_only)
            }
            (None, Some(service)) => Key::Shown(&service.shown),
            (None, None) => Key::None,
        };
        let gauge = session.desk.gauge(model.search.side.source, model.now);
        let gauge = match &gauge.paused {
            Some(paused) => Gauge::Waiting { seconds: paused.until.0.saturating_sub(model.now.mono.0).div_ceil(1000) },
            None => Gauge::Of { used: gauge.used, of: gauge.of },
        };
        Header {
            profile: &profile.name,
            live: profile.live,
            keyless: model.keyless,
            side: model.search.side,
            key,
            from_environment: &profile.from_environment,
            note: profile.note.as_deref(),
            purse: workspace.map(|_| purse(model)),
            gauge,
            took_ms: session.side(model.search.side).window.took_ms(),
        }
    }

    pub fn view(&self, canvas: &mut Canvas<'_>, line: Rect) {
        let mut pieces = self.pieces();
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

    fn pieces(&self) -> Vec<Piece> {
        let left = |rank, words: String, role| Piece { rank, words, role, right: false };
        let right = |rank, words: String, role| Piece { rank, words, role, right: true };
        let (kind, kind_role) = if self.live { ("[LIVE]", Role::Live) } else { ("[SANDBOX]", Role::Sandbox) };
        let mut pieces = vec![left(250, self.profile.to_owned(), Role::Strong)];
        if !self.keyless {
            pieces.push(left(255, kind.to_owned(), kind_role));
        }
        pieces.push(left(160, self.side.to_string(), Role::Text));
        match self.key {
            Key::Opening => pieces.push(left(60, "opening…".to_owned(), Role::Dim)),
            Key::Known(prefix, scopes, may_unlock) => {
                let scopes = if may_unlock { scopes.join("+") } else { "search only".to_owned() };
                pieces.push(left(60, format!("key {prefix} ({scopes})"), Role::Dim));
            }
            Key::Shown(key) => pieces.push(left(60, format!("key {key}…"), Role::Dim)),
            Key::None => {}
        }
        match self.from_environment {
            [] => {}
            [one] => pieces.push(left(120, format!("from {one}"), Role::Warning)),
            // All names are in the list of profiles; here they would push out what changes.
            several => pieces.push(left(120, format!("{} values from LODE_*", several.len()), Role::Warning)),
        }
        if let Some(note) = self.note {
            pieces.push(left(170, note.to_owned(), Role::Warning));
        }
        if let Some(purse) = &self.purse {
            pieces.push(right(240, purse.credits(), Role::Strong));
            pieces.push(right(230, purse.spent(), Role::Text));
        }
        let (words, role) = match self.gauge {
            Gauge::Waiting { seconds } => (format!("waiting {seconds} s"), Role::Warning),
            Gauge::Of { used, of: Some(of) } => {
                let tight = used * 10 >= of * 9;
                (format!("req {used}/{of} min"), if tight { Role::Warning } else { Role::Dim })
            }
            Gauge::Of { used, of: None } => (format!("req {used}"), Role::Dim),
        };
        pieces.push(right(220, words, role));
        if let Some(took) = self.took_ms {
            pieces.push(right(40, format!("took {} ms", grouped(took)), Role::Dim));
        }
        pieces
    }
}

/// A piece of the header: what must stay has a high rank, what can go a low one.
struct Piece {
    rank: u8,
    words: String,
    role: Role,
    right: bool,
}

fn purse(model: &Model) -> Purse {
    let balance = &model.session.balance;
    let old = balance.age(model.now).is_some_and(|age| age >= OLD);
    let spent = model.session.ledger.spent().copied().unwrap_or_default();
    Purse {
        credits: balance.credits(),
        failed: balance.failure().is_some(),
        at: balance.read_at().filter(|_| old).map(|at| facts::hour(model, at.0)),
        gross: spent.session,
        net: spent.session_net,
        held: spent.held,
        cap: model.session.profile.session_cap(),
    }
}

impl Purse {
    fn credits(&self) -> String {
        match (self.credits, self.failed, &self.at) {
            (Some(credits), false, Some(at)) => format!("credits {credits} at {at}"),
            (Some(credits), false, None) => format!("credits {credits}"),
            (Some(credits), true, _) => format!("credits {credits} (old)"),
            (None, true, _) => "credits unknown".to_owned(),
            (None, false, _) => "credits …".to_owned(),
        }
    }

    fn spent(&self) -> String {
        let Purse { gross, net, held, .. } = self;
        let of = self.cap.map_or(String::new(), |cap| format!(" of {cap}"));
        let held = if held.0 > 0 { format!(" ({held} held)") } else { String::new() };
        let net = if gross == net { String::new() } else { format!(" (net {net})") };
        format!("spent here {gross}{of}{net}{held}")
    }
}
