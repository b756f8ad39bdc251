//! The list of the owned contacts.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::pane;
use crate::widgets::table::{self, Column};
use lode_core::credits::grouped;

use super::facts::{check, masked, sign};
use super::footer::footer;
use super::state::State;

const COLUMNS: [Column; 10] = [
    Column::text("", 1, 200),
    Column::text("Name", 14, 100).fitting(),
    Column::text("Title", 14, 40).fitting(),
    Column::text("Company", 14, 50).fitting(),
    Column::text("Email", 18, 90).whole(),
    Column::text("Phone", 12, 85).whole(),
    Column::text("Check", 10, 80).fitting(),
    Column::text("Receipt", 8, 30),
    Column::text("Tags", 12, 45).fitting(),
    Column::text("Since", 11, 20).fitting(),
];

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let session = scene.session;
    let all = session.ledger().owned_count();
    let shown = state.count();
    let mut title = format!("Owned {}", grouped(all as u64));
    if !state.find.is_empty() {
        title.push_str(&format!("   {} with “{}”", grouped(shown as u64), state.find));
    }
    let inside = pane::pane(canvas, body, &title, true);
    let Some(looked_at) = state.contact(session) else {
        if all > 0 {
            table::instead(
                canvas,
                inside,
                &["No owned contact matches.", "<owned.find> search again; empty shows all."],
            );
        } else {
            table::instead(
                canvas,
                inside,
                &["No contacts unlocked yet.", "To unlock contacts, press <results.unlock> on Search."],
            );
        }
        return;
    };
    let at = state.at.min(shown - 1);
    let foot = if inside.height >= 7 { footer(looked_at, scene) } else { Vec::new() };
    let list = table::foot(canvas, inside, 2, &foot);
    table::draw(canvas, list, &COLUMNS, shown, at, |row, column| {
        let Some(owned) = state.shown_at(row, session) else { return (String::new(), Role::Text) };
        let contact = &owned.contact;
        match column {
            0 => (sign(owned).letter().to_owned(), sign(owned).role()),
            1 if contact.contact_name.is_empty() => (owned.id.to_string(), Role::Dim),
            1 => (contact.contact_name.clone(), Role::Text),
            2 => (contact.title.clone(), Role::Text),
            3 => (contact.company_name.clone(), Role::Text),
            4 => (masked(scene.masked, &contact.email), Role::Owned),
            5 => (masked(scene.masked, &contact.phone), Role::Owned),
            6 => check(owned),
            7 => (owned.order.map_or("seen".to_owned(), |order| order.to_string()), Role::Dim),
            8 => (owned.tags.join(", "), Role::Text),
            _ => (scene.hour(owned.unlocked_at.0), Role::Dim),
        }
    });
}
