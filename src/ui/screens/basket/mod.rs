//! The basket: staged rows, what they would cost, which are suppressed, ours already, or the same person twice.
//!
//! The estimate is worked out from what is on this machine; the review (`U`) reads everything anew before it counts.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use ratatui::layout::Rect;

use crate::domain::contact::{Side, Source};
use crate::domain::credits::{Credits, grouped};
use crate::domain::filter::RISKY_STATUSES;
use crate::domain::row::{Known, Row};
use crate::flow::basket::Entry;
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::table::{self, Column};
use crate::ui::widgets::{pane, text};

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The row that is looked at.
    pub fn entry<'a>(&self, session: &'a Session, side: Side) -> Option<&'a Entry> {
        let rows = session.side(side).basket.rows();
        rows.get(self.at.min(rows.len().saturating_sub(1)))
    }
}

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    New,
    Risky,
    Ours,
    Suppressed,
    Doubt,
}

#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    to_unlock: u64,
    risky: u64,
    ours: u64,
    suppressed: u64,
    doubt: u64,
    twins: u64,
}

struct Books<'a, F: Fn(&Row) -> bool> {
    owned: std::sync::Arc<BTreeSet<crate::domain::contact::RowId>>,
    doubt: BTreeSet<crate::domain::contact::RowId>,
    suppressed: &'a F,
}

impl<F: Fn(&Row) -> bool> Books<'_, F> {
    fn standing(&self, entry: &Entry) -> Standing {
        let id = entry.id();
        if self.doubt.contains(&id) {
            Standing::Doubt
        } else if entry.ours() || self.owned.contains(&id) {
            Standing::Ours
        } else if (self.suppressed)(entry.row()) {
            Standing::Suppressed
        } else if RISKY_STATUSES.contains(&entry.row().known(Known::EmailStatus)) {
            Standing::Risky
        } else {
            Standing::New
        }
    }
}

/// Rows that show the same person, company and address as one before them: two ids, two credits, one contact.
fn twins(rows: &[Entry]) -> HashSet<usize> {
    const MOST: usize = 5_000;
    let mut seen = HashSet::new();
    let mut twins = HashSet::new();
    for (at, entry) in rows.iter().enumerate().take(MOST) {
        let row = entry.row();
        let name = row.name();
        if name.is_empty() || row.email().is_empty() {
            continue;
        }
        if !seen.insert((name, row.known(Known::Company).to_owned(), row.email().to_owned())) {
            twins.insert(at);
        }
    }
    twins
}

const COLUMNS: [Column; 8] = [
    Column::text("", 1, 200),
    Column::text("NAME", 14, 100).growing(),
    Column::text("TITLE", 14, 30).growing(),
    Column::text("COMPANY", 14, 40).growing(),
    Column::text("ST", 2, 50),
    Column::text("EMAIL", 18, 60).growing(),
    Column::text("PHONE", 10, 20),
    Column::text("STATUS", 12, 70),
];

const ESTIMATE_WIDTH: u16 = 38;

pub fn view(
    state: &State,
    session: &Session,
    side: Side,
    suppressed: impl Fn(&Row) -> bool,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let basket = &session.side(side).basket;
    let rows = basket.rows();
    let title = if rows.is_empty() {
        format!("BASKET {side}")
    } else {
        format!("BASKET {side}   {} staged", grouped(rows.len() as u64))
    };
    let beside = body.width >= 120 && !rows.is_empty();
    let list = if beside { Rect { width: body.width - ESTIMATE_WIDTH, ..body } } else { body };
    let inside = pane::pane(canvas, list, &title, true);
    if inside.height == 0 {
        return;
    }
    if rows.is_empty() {
        let source = match side.source {
            Source::Workspace => "Space on a search row puts it in; it stays through searches, restarts and crashes.",
            Source::Data => "Data API rows can be staged and exported; only the Workspace unlocks.",
        };
        table::instead(
            canvas,
            inside,
            &["The basket is empty. Nothing spent.", source, "S keeps the suppression lists."],
        );
        return;
    }
    let books = Books {
        owned: session.ledger.owned_ids(side.corpus),
        doubt: session.recovery.in_doubt(side.corpus),
        suppressed: &suppressed,
    };
    let twins = twins(rows);
    let estimate = estimate(&books, rows, &twins);
    let foot = if beside { Vec::new() } else { foot(&estimate, session, side, inside) };
    let space = Rect { height: inside.height.saturating_sub(foot.len() as u16), ..inside };
    table::draw(canvas, space, &COLUMNS, rows.len(), state.at, |at, column| {
        cell(&rows[at], books.standing(&rows[at]), twins.contains(&at), column)
    });
    for (line, (words, role)) in foot.iter().enumerate() {
        canvas.put(inside.x + 1, space.bottom() + line as u16, inside.width.saturating_sub(2), words, *role);
    }
    if beside {
        let area = Rect { x: list.right(), width: ESTIMATE_WIDTH, ..body };
        let inside = pane::pane(canvas, area, "ESTIMATE", false);
        let mut y = inside.y;
        for (words, role) in pane_lines(&estimate, session, side, rows.len()) {
            for line in text::wrapped(&words, usize::from(inside.width.saturating_sub(2))) {
                if y < inside.bottom() {
                    canvas.put(inside.x + 1, y, inside.width.saturating_sub(2), &line, role);
                }
                y += 1;
            }
        }
    }
}

fn estimate<F: Fn(&Row) -> bool>(books: &Books<'_, F>, rows: &[Entry], twins: &HashSet<usize>) -> Estimate {
    let mut sum = Estimate { twins: twins.len() as u64, ..Estimate::default() };
    for entry in rows {
        match books.standing(entry) {
            Standing::New => sum.to_unlock += 1,
            Standing::Risky => {
                sum.to_unlock += 1;
                sum.risky += 1;
            }
            Standing::Ours => sum.ours += 1,
            Standing::Suppressed => sum.suppressed += 1,
            Standing::Doubt => sum.doubt += 1,
        }
    }
    sum
}

fn cell(entry: &Entry, standing: Standing, twin: bool, column: usize) -> (Cow<'static, str>, Role) {
    let row = entry.row();
    let (sign, role, word) = match standing {
        Standing::New if twin => ("=", Role::Warning, "twin"),
        Standing::New => ("●", Role::Staged, ""),
        Standing::Risky => ("!", Role::Warning, ""),
        Standing::Ours => ("○", Role::Ours, "ours, free"),
        Standing::Suppressed => ("×", Role::Suppressed, "suppressed"),
        Standing::Doubt => ("?", Role::Danger, "UNKNOWN"),
    };
    let known = |what: Known| Cow::from(row.known(what).to_owned());
    let plain = if standing == Standing::Suppressed { Role::Suppressed } else { Role::Text };
    match column {
        0 => (Cow::from(sign), role),
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

/// What can go: `up to 25 credits`.
fn most(estimate: &Estimate) -> String {
    let credits = Credits(i64::try_from(estimate.to_unlock).unwrap_or(i64::MAX));
    format!("up to {credits} credit{}", if credits == Credits(1) { "" } else { "s" })
}

fn why_not(session: &Session, side: Side) -> Option<&'static str> {
    match (side.source, session.balance.may_unlock()) {
        (Source::Data, _) => Some("Data API rows cannot be unlocked; e exports them."),
        (_, Some(false)) => Some("This key may search only: the basket can be kept and exported."),
        _ => None,
    }
}

fn pane_lines(estimate: &Estimate, session: &Session, side: Side, staged: usize) -> Vec<(String, Role)> {
    let number = |label: &str, count: u64, role: Role| (format!("{label:<22}{:>10}", grouped(count)), role);
    let mut lines = vec![
        number("● staged", staged as u64, Role::Text),
        number("○ already ours (free)", estimate.ours, Role::Ours),
        number("× suppressed", estimate.suppressed, Role::Suppressed),
    ];
    if estimate.doubt > 0 {
        lines.push(number("? outcome UNKNOWN", estimate.doubt, Role::Danger));
    }
    if estimate.risky > 0 {
        lines.push(number("! risky status", estimate.risky, Role::Warning));
    }
    if estimate.twins > 0 {
        lines.push(number("= twins of another", estimate.twins, Role::Warning));
    }
    lines.push(number("to unlock", estimate.to_unlock, Role::Strong));
    lines.push((String::new(), Role::Text));
    match why_not(session, side) {
        Some(words) => lines.push((words.to_owned(), Role::Warning)),
        None => {
            lines.push((most(estimate), Role::Strong));
            lines.push((
                "U reviews it: balance, caps and lists are read anew, and only a number typed there spends.".to_owned(),
                Role::Dim,
            ));
        }
    }
    lines.push((String::new(), Role::Text));
    if estimate.twins > 0 {
        let words = "Twins show the same person, company and address under two ids: each would cost a credit.";
        lines.push((words.to_owned(), Role::Dim));
    }
    lines.push(("Nothing is spent by looking, taking out or exporting.".to_owned(), Role::Dim));
    lines
}

fn foot(estimate: &Estimate, session: &Session, side: Side, inside: Rect) -> Vec<(String, Role)> {
    if inside.height < 5 {
        return Vec::new();
    }
    let first = match why_not(session, side) {
        Some(words) => (words.to_owned(), Role::Warning),
        None => (format!("{}   U review   nothing spent so far", most(estimate)), Role::Strong),
    };
    if inside.height < 9 {
        return vec![first];
    }
    let mut words = format!(
        "to unlock {}   ○ ours {}   × suppressed {}   ! risky {}",
        grouped(estimate.to_unlock),
        grouped(estimate.ours),
        grouped(estimate.suppressed),
        grouped(estimate.risky)
    );
    for (count, name) in [(estimate.twins, "= twins"), (estimate.doubt, "? UNKNOWN")] {
        if count > 0 {
            words.push_str(&format!("   {name} {}", grouped(count)));
        }
    }
    vec![(words, Role::Text), first]
}
