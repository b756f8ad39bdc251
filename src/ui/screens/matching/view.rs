//! The list of the accounts.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::pane;
use crate::widgets::table::{self, Column};
use lode_core::credits::counted;
use lode_engine::flow::matching::judge::Verdict;

use super::facts::{accounts, candidate, how, role, state as stage};
use super::footer::footer;
use super::state::State;

const COLUMNS: [Column; 5] = [
    Column::number("Line", 5, 40),
    Column::text("Account", 16, 99).fitting(),
    Column::text("Result", 9, 95),
    Column::text("Company", 20, 60).growing(),
    Column::number("Contacts", 8, 50),
];

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let matching = scene.session.matching();
    let title = match matching.list() {
        Some(list) => format!("Match {} · {}", list.display(), counted(accounts(scene.session) as u64, "account")),
        None => "Match accounts".to_owned(),
    };
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height == 0 {
        return;
    }
    // A list that could not be read leaves the open one where it is.
    let Some(job) = matching.job().filter(|_| !matching.is_opening()) else {
        let words = match matching.refused() {
            Some(refused) => format!("{}.", refused.trim_end_matches('.')),
            None if matching.is_opening() => "Reading the list…".to_owned(),
            None => "No list of accounts yet.".to_owned(),
        };
        let hint =
            "Press <match.open> to open a CSV or .xlsx file with a column of companies or domains. Matching is free.";
        return table::instead(canvas, inside, &[&words, hint, how(scene.side.source)]);
    };
    let (words, of_stage) = stage(job, scene.now);
    canvas.put(inside.x + 2, inside.y, inside.width.saturating_sub(3), &words, of_stage);
    let mut foot = if inside.height < 10 { Vec::new() } else { footer(state, scene.session) };
    foot.truncate(usize::from(inside.height / 2));
    let below = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    let list = table::foot(canvas, below, 2, &foot);
    let wanted = job.wanted();
    table::draw(canvas, list, &COLUMNS, wanted.accounts.lines.len(), state.at, |row, column| {
        let (account, verdict) = (&wanted.accounts.lines[row], job.verdicts().get(row));
        match (column, verdict) {
            (0, _) => (account.line.to_string(), Role::Dim),
            (1, _) => {
                let asked = [account.company.as_str(), account.domain.as_deref().unwrap_or_default()];
                let asked = asked.into_iter().find(|text| !text.is_empty()).unwrap_or("–");
                (asked.to_owned(), Role::Strong)
            }
            (2, Some(verdict)) => (verdict.name().to_owned(), role(verdict)),
            (2, None) => ("…".to_owned(), Role::Dim),
            (3, Some(Verdict::Matched { company, .. })) => (company.clone(), Role::Text),
            (3, Some(Verdict::Ambiguous { candidates, .. })) => {
                (candidates.iter().map(candidate).collect::<Vec<_>>().join("; "), Role::Warning)
            }
            (4, Some(Verdict::Matched { rows, .. })) => (rows.len().to_string(), Role::Text),
            _ => (String::new(), Role::Dim),
        }
    });
}
