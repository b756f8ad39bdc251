//! The model on a sheet: header, tabs, the screen, messages, hints, and what lies over it. Pure.

pub mod chrome;
pub mod columns;
pub mod header;
pub mod job;

use ratatui::layout::{Margin, Position, Rect};

use crate::domain::row::Row;
use crate::keys::command::Screen;

use super::dialogs::{Dialog, reader, recovery};
use super::layout;
use super::model::{Model, facts};
use super::screens::search::state::Pane;
use super::screens::{basket, counts, jobs, owned, saved, search};
use super::theme::Role;
use super::widgets::canvas::Canvas;
use super::widgets::frame::Frame;
use super::widgets::kept::Seal;
use super::widgets::text;
use chrome::Tabs;
use header::Header;

/// What a frame is besides its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub cursor: Option<Position>,
    /// The list that may have moved as a whole, which the terminal can do by itself.
    pub moving: Option<Moving>,
}

/// A list on the screen and the number of its first visible row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moving {
    pub area: Rect,
    pub top: u64,
}

/// Draws a whole frame, over an earlier one or over nothing.
pub fn view(model: &Model, frame: &mut Frame) -> Drawn {
    let shell = model.shell();
    let panes = shell.filter(|_| model.on_search()).map(|shell| layout::search(shell.body, model.search.panes));
    let list = panes.map(|panes| layout::grid(layout::inside(panes.results)).rows);
    let bars = shell.iter().flat_map(|shell| {
        [Some(shell.header), shell.tabs, shell.tour, shell.notice.map(|_| shell.footer)].into_iter().flatten()
    });
    let beside = panes.iter().flat_map(|panes| [panes.filters, panes.contact]).flatten();
    let patches: Vec<Rect> = bars.chain(beside).collect();
    // A line brings its piece of the sides of the pane.
    let lines = list.map_or(Rect::ZERO, |list| list.outer(Margin::new(1, 0)));
    frame.begin(model.area(), lines, &patches, model.theme.style(Role::Text));
    let mut canvas = Canvas::new(frame, &model.theme);
    draw(model, &mut canvas);
    let cursor = canvas.cursor;
    let moving = list.filter(|_| model.nav.dialogs.is_empty());
    Drawn { cursor, moving: moving.map(|area| Moving { area, top: model.search.seat().top }) }
}

pub fn draw(model: &Model, canvas: &mut Canvas<'_>) {
    let area = canvas.area();
    let Some(shell) = model.shell() else {
        too_small(canvas, area);
        return;
    };
    let header = Header::of(model);
    let theme = model.theme.number();
    canvas.patch(shell.header, Seal::of((theme, &header)), |canvas| header.view(canvas, shell.header));
    if let Some(tabs) = shell.tabs {
        let now = Tabs::of(model);
        canvas.patch(tabs, Seal::of((theme, &now)), |canvas| now.view(canvas, tabs));
    }
    match model.nav.screen {
        Screen::Search => search_screen(model, canvas, shell.body),
        Screen::Basket => {
            let side = model.search.side;
            let suppressed = |row: &Row| model.search.suppressed.names(side, row);
            basket::view(&model.basket, &model.session, side, suppressed, canvas, shell.body);
        }
        Screen::Owned => {
            let hour = |at| facts::hour(model, at);
            owned::view(&model.owned, &model.session, model.search.masked, hour, canvas, shell.body);
        }
        Screen::Saved => {
            let hour = |at| facts::hour(model, at);
            saved::view(&model.saved, &model.session, hour, canvas, shell.body);
        }
        Screen::Counts => {
            counts::view(&model.counts, &model.session, model.search.side.corpus, model.now, canvas, shell.body)
        }
        Screen::Jobs => {
            jobs::view(&model.jobs, &model.session, &model.behind.sessions, model.now, canvas, shell.body);
        }
    }
    let keymap = &model.keymap;
    if let Some(line) = shell.tour {
        let seal = Seal::of((theme, keymap.number(), model.tour));
        canvas.patch(line, seal, |canvas| chrome::tour(model.tour, keymap, canvas, line));
    }
    let situation = facts::situation(model);
    if let Some(line) = shell.job {
        job::view(model, canvas, line);
    }
    match shell.notice {
        Some(line) => {
            chrome::notice(model, canvas, line);
            let seal = Seal::of((theme, keymap.number(), &situation));
            canvas.patch(shell.footer, seal, |canvas| chrome::footer(keymap, &situation, canvas, shell.footer));
        }
        None if model.notice.is_some() || !model.pending.is_empty() || model.count.is_some() => {
            chrome::notice(model, canvas, shell.footer);
        }
        None => chrome::footer(keymap, &situation, canvas, shell.footer),
    }
    let over = model.over();
    for dialog in &model.nav.dialogs {
        // Only the topmost field has the cursor.
        canvas.cursor = None;
        match dialog {
            Dialog::Contact { top } => search::contact::whole(&model.search, &model.session, *top, canvas, over),
            Dialog::Recovery(panel) => recovery::view(panel, &model.session, model.offset_minutes, canvas, over),
            Dialog::Receipts { top } => reader::view(&facts::receipts(model, *top), canvas, over),
            Dialog::Columns { at } => columns::view(&model.search, *at, canvas, over),
            other => other.view(canvas, over),
        }
    }
    if !model.pending.is_empty() {
        chrome::following(model, canvas, over);
    }
}

fn search_screen(model: &Model, canvas: &mut Canvas<'_>, body: Rect) {
    let state = &model.search;
    let panes = layout::search(body, state.panes);
    search::grid::view(state, &model.session, model.now, canvas, panes.results);
    if let Some(area) = panes.contact {
        let seal = search::contact::seal(state, &model.session, canvas.theme);
        canvas.patch(area, seal, |canvas| search::contact::view(state, &model.session, canvas, area));
    } else if state.pane == Pane::Contact {
        canvas.clear(panes.contact_over);
        search::contact::view(state, &model.session, canvas, panes.contact_over);
    }
    if let Some(area) = panes.filters {
        let recent = model.session.history.recent();
        let seal = search::filters::seal(state, &model.session, (recent, model.offset_minutes), canvas.theme);
        canvas.patch(area, seal, |canvas| {
            search::filters::view(state, &model.session, &chrome::recent(model), canvas, area);
        });
    } else if state.pane == Pane::Filters || state.edit.is_some() {
        canvas.clear(panes.filters_over);
        search::filters::view(state, &model.session, &chrome::recent(model), canvas, panes.filters_over);
    }
}

/// One line that names the size that is needed, as much of it as there is room for.
fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let (width, height) = layout::LEAST;
    let words = format!("lode needs {width}×{height}, this is {}×{}", area.width, area.height);
    let fits = text::width(&words) <= usize::from(area.width);
    let words = if fits { words } else { format!("{width}×{height}") };
    canvas.put(area.x, area.y, area.width, &words, Role::Text);
}
