//! What the commands of the Basket screen do. Taking out and emptying can be undone; nothing here spends.

use crate::dialogs::Dialog;
use crate::dialogs::reader::{Part, Reader};
use crate::keys::command::{Basket, Copy};
use crate::scene::{Handoff, Scene, copying};
use crate::theme::Role;
use lode_core::credits::grouped;
use lode_core::row::Row;

use super::state::State;

pub(super) fn command(state: &mut State, command: Basket, scene: &mut Scene<'_>) {
    let row = state.entry(scene.session, scene.side).map(|entry| entry.row().clone());
    match (command, row) {
        (Basket::Unstage, _) => unstage(state, scene),
        (Basket::Unlock, _) => scene.hand(Handoff::Unlock),
        (Basket::Empty, _) => {
            scene.hand(Handoff::EmptyBasket);
            state.at = 0;
        }
        (Basket::Suppressions, _) => scene.hand(Handoff::Suppressions),
        (Basket::Request, _) => scene.hand(Handoff::Request),
        (Basket::Export, _) => scene.hand(Handoff::Export),
        (Basket::Open, Some(row)) => scene.open(Dialog::Reader(reader(&row))),
        (Basket::Copy(Copy::CommandLine), _) => scene.hand(Handoff::CopyCommandLine),
        (Basket::Copy(what), Some(row)) => scene.copy(what, &row, copying::fields(&row)),
        (Basket::Open | Basket::Copy(_), None) => {}
    }
}

fn unstage(state: &mut State, scene: &mut Scene<'_>) {
    let side = scene.side;
    let Some(entry) = state.entry(scene.session, side) else { return };
    let (id, name) = (entry.id(), entry.row().name());
    let (of_side, desk) = scene.session.side_mut(side);
    of_side.basket.unstage(&[id], &mut desk.at(scene.now, scene.fx));
    let left = of_side.basket.len();
    state.at = state.at.min(left.saturating_sub(1));
    scene.hand(Handoff::Undoable(side));
    let name = if name.is_empty() { id.to_string() } else { name };
    scene.say(format!(
        "Removed {name} from the basket ({}). Nothing spent.  <everywhere.undo> undo",
        grouped(left as u64)
    ));
}

fn reader(row: &Row) -> Reader {
    let mut parts = vec![Part::Words(row.name(), Role::Strong), Part::Gap];
    parts.extend(row.fields().map(|(name, _, value)| Part::pair(name, if value.is_empty() { "–" } else { value })));
    parts.push(Part::Gap);
    parts.push(Part::Words("As found when it was added.".to_owned(), Role::Dim));
    Reader::new("BASKET CONTACT", parts)
}
