//! The three panes of the Search screen; where there is no room beside the grid they open over it.

use ratatui::layout::Rect;

use crate::ui::layout;
use crate::ui::scene::SceneRef;
use crate::ui::widgets::canvas::Canvas;

use super::facts::recent;
use super::state::{Pane, State};
use super::{contact, filters, grid};

pub fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let panes = layout::search(body, state.panes);
    grid::view(state, scene, canvas, panes.results);
    let (contact, filters) = (state.pane == Pane::Contact, state.pane == Pane::Filters || state.edit.is_some());
    if panes.contact.is_none() && contact {
        canvas.clear(panes.contact_over);
    }
    if let Some(area) = panes.contact.or(contact.then_some(panes.contact_over)) {
        contact::view(state, scene, canvas, area);
    }
    if panes.filters.is_none() && filters {
        canvas.clear(panes.filters_over);
    }
    if let Some(area) = panes.filters.or(filters.then_some(panes.filters_over)) {
        filters::view(state, scene.session, &recent(scene), canvas, area);
    }
}
