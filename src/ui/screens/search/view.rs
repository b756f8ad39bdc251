//! The three panes of the Search screen; where there is no room beside the grid they open over it.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::widgets::canvas::Canvas;

use super::facts::recent;
use super::state::{Pane, State};
use super::{contact, filters, grid, strip};

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let panes = state.layout(body);
    grid::view(state, scene, canvas, &panes);
    if let Some(lines) = panes.grid.strip {
        strip::view(state, scene, canvas, lines);
    }
    let (contact, filters) = (state.pane == Pane::Contact, state.pane == Pane::Filters || state.edit.is_some());
    if panes.contact.is_none() && contact {
        canvas.clear(panes.contact_over);
    }
    if let Some(area) = panes.contact.or(contact.then_some(panes.contact_over)) {
        canvas.redraw(area);
        contact::view(state, scene, canvas, area);
    }
    // Typing takes more room than the pane has.
    let area = panes.filters.filter(|_| state.edit.is_none()).or(filters.then_some(panes.filters_over));
    if let Some(area) = area {
        if panes.filters != Some(area) {
            canvas.clear(area);
        }
        if !canvas.is_over_shown() {
            filters::view(state, scene.session, &recent(scene), canvas, area);
        }
    }
}
