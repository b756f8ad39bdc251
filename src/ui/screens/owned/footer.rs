//! Where the contact that is looked at came from, below the list.

use crate::scene::SceneRef;
use crate::theme::Role;
use lode_core::owned::Owned;

use super::facts::{seen, source};

pub(super) fn footer(owned: &Owned, scene: SceneRef<'_>) -> Vec<(String, Role)> {
    let note = if owned.note.is_empty() { "–" } else { &owned.note };
    let bought = match owned.order {
        Some(order) => format!("order {order}, {}", scene.hour(owned.unlocked_at.0)),
        None => seen(scene.hour(owned.unlocked_at.0)),
    };
    vec![
        (String::new(), Role::Text),
        (format!("{}   {bought}   found by: {}", owned.corpus, source(owned)), Role::Text),
        (format!("note {note}   exporting again is free"), Role::Dim),
    ]
}
