//! What the commands of the Counts screen do. Marks become filters of the search as it is.

use crate::dialogs::Dialog;
use crate::dialogs::picker::{Item, Pick, Picker};
use crate::keys::command::Counts;
use crate::scene::{Handoff, Scene};
use lode_core::credits::grouped;

use super::facts::Sheet;
use super::state::State;

pub(super) fn sheet(scene: &Scene<'_>) -> Option<Sheet> {
    scene.session.totals(scene.side.corpus).counts().map(Sheet::of)
}

pub(super) fn command(state: &mut State, command: Counts, scene: &mut Scene<'_>) {
    match (command, sheet(scene)) {
        (Counts::View, _) => state.view = state.view.next(),
        (Counts::Again, _) => {
            scene.session.count(scene.side.corpus, true, scene.now, scene.fx);
            scene.say("Refreshing; the service may respond from its cache.");
        }
        (Counts::CopyCommand, _) => scene.hand(Handoff::CopyCommandLine),
        (Counts::Mark, Some(sheet)) => state.mark(&sheet),
        (Counts::Find, Some(sheet)) => {
            let lines = sheet.states.iter().chain(&sheet.sics).enumerate();
            let items = lines.map(|(at, line)| {
                Item::new(format!("{}  {}", line.code, line.name), grouped(line.count), Pick::Place(at))
            });
            scene.open(Dialog::Picker(Picker::new("Find a state or a code", items.collect())));
        }
        (Counts::Apply, Some(sheet)) => scene.hand(Handoff::Narrow(state.take(&sheet))),
        (Counts::Mark | Counts::Find | Counts::Apply, None) => {}
    }
}
