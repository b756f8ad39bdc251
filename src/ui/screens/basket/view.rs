//! The staged rows with what an unlock would do with each, and the estimate beside them.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::domain::contact::{Side, Source};
use crate::domain::credits::grouped;
use crate::domain::row::Known;
use crate::flow::basket::Entry;
use crate::flow::session::Session;
use crate::ui::scene::SceneRef;
use crate::ui::signs::Sign;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::table::{self, Column};
use crate::ui::widgets::{pane, text};

use super::facts::{Books, Estimate, Standing, estimate, most, repeats, why_not};
use super::footer::footer;
use super::state::State;

const COLUMNS: [Column; 8] = [
    Column::text("", 1, 200),
    Column::text("Name", 14, 100).fitting(),
    Column::text("Title", 12, 30).fitting(),
    Column::text("Company", 12, 40).fitting(),
    Column::text("St", 2, 20),
    Column::text("Email", 16, 60).fitting(),
    Column::text("Phone", 10, 50).fitting(),
    Column::text("Status", 12, 70).fitting(),
];

const ESTIMATE_WIDTH: u16 = 38;

/// From this width on all columns fit beside the estimate; below that it stands under them.
const BESIDE_FROM: u16 = 140;

pub fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let SceneRef { session, side, .. } = scene;
    let basket = &session.side(side).basket;
    let rows = basket.rows();
    let mut title = format!("Basket · {} · {}", side.source.title(), side.corpus.title());
    if !rows.is_empty() {
        title.push_str(&format!(" · {} staged", grouped(rows.len() as u64)));
    }
    // Until the service has named the organization, this is the basket of the one it named last.
    if let Some(at) = session.balance().as_of().filter(|_| side.source == Source::Workspace) {
        title.push_str(&format!(" · as of {}", scene.hour(at.0)));
    }
    let beside = body.width >= BESIDE_FROM && !rows.is_empty();
    let list = if beside { Rect { width: body.width - ESTIMATE_WIDTH, ..body } } else { body };
    let mut inside = pane::pane(canvas, list, &title, true);
    if let Some(words) = asked(scene).filter(|_| inside.height > 3) {
        canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(2), &words, Role::Warning);
        inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    }
    if inside.height == 0 {
        return;
    }
    if rows.is_empty() {
        let source = match side.source {
            Source::Workspace => {
                "Press <results.stage> on a search row to add it. The basket survives searches and restarts."
            }
            Source::Data => "Data API rows can be exported from the basket; only the Workspace unlocks.",
        };
        table::instead(
            canvas,
            inside,
            &["The basket is empty. Nothing spent.", source, "<basket.suppressions> suppression lists"],
        );
        return;
    }
    let books = Books::of(scene);
    let repeats = repeats(rows);
    let estimate = estimate(&books, rows, &repeats);
    let foot = if beside { Vec::new() } else { footer(&estimate, session, side, inside) };
    let space = Rect { height: inside.height.saturating_sub(foot.len() as u16), ..inside };
    table::draw(canvas, space, &COLUMNS, rows.len(), state.at, |at, column| {
        cell(&rows[at], books.standing(&rows[at]), repeats.contains(&at), column)
    });
    for (line, (words, role)) in foot.iter().enumerate() {
        canvas.put(inside.x + 1, space.bottom() + line as u16, inside.width.saturating_sub(2), words, *role);
    }
    if beside {
        let area = Rect { x: list.right(), width: ESTIMATE_WIDTH, ..body };
        let inside = pane::pane(canvas, area, "Estimate", false);
        let mut y = inside.y;
        for (words, role) in pane_lines(&estimate, session, side, rows.len()) {
            let room = usize::from(inside.width.saturating_sub(2));
            let fits = text::width(&words) <= room;
            for line in if fits { vec![words] } else { canvas.wrapped(&words, room) } {
                if y < inside.bottom() {
                    canvas.put(inside.x + 1, y, inside.width.saturating_sub(2), &line, role);
                }
                y += 1;
            }
        }
    }
}

/// What an assistant waits for.
fn asked(scene: SceneRef<'_>) -> Option<String> {
    let mut waiting = scene.session.requests().waiting(scene.now);
    let first = waiting.next()?;
    let more = waiting.count();
    let and = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(format!("{} asks for up to {}{and}.  <basket.request> reviews it", first.assistant, first.ceiling.words()))
}

fn cell(entry: &Entry, standing: Standing, repeat: bool, column: usize) -> (Cow<'static, str>, Role) {
    let row = entry.row();
    let (sign, word) = match standing {
        Standing::New if repeat => (Sign::Repeat, "repeat"),
        Standing::New | Standing::Risky => (Sign::Basket, ""),
        Standing::Owned => (Sign::Owned, "owned, free"),
        Standing::Suppressed => (Sign::Suppressed, "suppressed"),
        Standing::Unknown => (Sign::Unknown, "UNKNOWN"),
    };
    // How an address was verified is a word in its color, never a sign.
    let role = match standing {
        Standing::New if !repeat => Role::Text,
        Standing::New | Standing::Risky => Role::Warning,
        Standing::Owned => Role::Owned,
        Standing::Suppressed => Role::Suppressed,
        Standing::Unknown => Role::Danger,
    };
    let known = |what: Known| Cow::from(row.known(what).to_owned());
    let plain = if standing == Standing::Suppressed { Role::Suppressed } else { Role::Text };
    match column {
        0 => (Cow::from(sign.letter()), sign.role()),
        1 => (Cow::from(if row.name().is_empty() { entry.id().to_string() } else { row.name() }), plain),
        2 => (known(Known::Title), plain),
        3 => (known(Known::Company), plain),
        4 => (known(Known::State), plain),
        5 => (Cow::from(row.email().to_owned()), plain),
        6 => (known(Known::Phone), plain),
        _ if word.is_empty() => (known(Known::EmailStatus), role),
        _ => (Cow::from(word), role),
    }
}

fn pane_lines(estimate: &Estimate, session: &Session, side: Side, staged: usize) -> Vec<(String, Role)> {
    let number = |label: &str, count: u64, role: Role| (format!("{label:<22}{:>10}", grouped(count)), role);
    let mut lines = vec![
        number(&Sign::Basket.before("staged"), staged as u64, Role::Text),
        number(&Sign::Owned.before("already owned (free)"), estimate.owned, Role::Owned),
        number(&Sign::Suppressed.before("suppressed"), estimate.suppressed, Role::Suppressed),
    ];
    if estimate.unknown > 0 {
        lines.push(number(&Sign::Unknown.before("result UNKNOWN"), estimate.unknown, Role::Danger));
    }
    if estimate.risky > 0 {
        lines.push(number("  risky status", estimate.risky, Role::Warning));
    }
    if estimate.repeats > 0 {
        lines.push(number(&Sign::Repeat.before("repeats"), estimate.repeats, Role::Warning));
    }
    lines.push(number("  to unlock", estimate.to_unlock, Role::Strong));
    lines.push((String::new(), Role::Text));
    match why_not(session, side) {
        Some(words) => lines.push((words.to_owned(), Role::Warning)),
        None => {
            lines.push((most(estimate), Role::Strong));
            lines.push((
                "<basket.unlock> review. Lists are checked again; nothing is spent until you confirm.".to_owned(),
                Role::Dim,
            ));
        }
    }
    lines.push((String::new(), Role::Text));
    if estimate.repeats > 0 {
        let words = "Duplicates are the same person, company and email under two ids; each costs a credit.";
        lines.push((words.to_owned(), Role::Dim));
    }
    lines.push(("Viewing, removing and exporting are free.".to_owned(), Role::Dim));
    lines
}
