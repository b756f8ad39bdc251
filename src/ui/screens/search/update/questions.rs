//! What asks before it does something to a row: pulled, suppressed, tagged, a note.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::scene::Scene;
use crate::screens::search::state::State;
use lode_core::contact::ContactKey;
use lode_core::credits::contacts;
use lode_core::owned::Owned;
use lode_engine::effect::store::SuppressEntry;

impl State {
    pub(super) fn ask_mark_pulled(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        let index = self.seat().index(self.seat().cursor);
        let ids = scene.session.side(side).window.page_ids(index);
        if ids.is_empty() {
            return scene.say("This page is still loading.");
        }
        let words = format!(
            "Marks {} as pulled for the user of this key. This cannot be undone. Sends one request for this page.",
            contacts(ids.len())
        );
        let ask = Ask::new(
            "Mark this page as pulled",
            words,
            "Cancel",
            vec![("Mark as pulled".to_owned(), Deed::MarkPulled)],
        );
        scene.open(Dialog::Ask(ask));
    }

    pub(super) fn ask_suppress(&mut self, scene: &mut Scene<'_>) {
        let Some(row) = self.seat().row(&scene.session.side(self.side).window) else { return };
        let mut deeds = Vec::new();
        if let Some(id) = row.id() {
            let deed = Deed::Suppress(SuppressEntry::Contact(self.side, id), row.name());
            deeds.push((format!("Suppress {}", row.name()), deed));
        }
        if let Some(domain) = row.email_domain() {
            let small = domain.to_lowercase();
            let whom = format!("all contacts at {small}");
            let deed = Deed::Suppress(SuppressEntry::Domain(small), whom);
            deeds.push((format!("Suppress all contacts at {domain}"), deed));
        }
        let words =
            "A suppressed contact is never unlocked. The lists are on the Basket screen: <basket.suppressions>.";
        scene.open(Dialog::Ask(Ask::new("Suppress", words, "Neither", deeds)));
    }

    /// The row under the cursor where it is owned, with what is kept of it. Says it where it is not.
    fn owned_row<'a>(&self, scene: &'a mut Scene<'_>) -> Option<(ContactKey, Option<&'a Owned>)> {
        let row = self.seat().row(&scene.session.side(self.side).window);
        let Some(id) = row.filter(|row| row.unlocked()).and_then(|row| row.id()) else {
            scene.say("Tags and notes are for owned contacts.");
            return None;
        };
        Some((ContactKey { side: self.side, id }, scene.session.ledger().contact(self.side.corpus, id)))
    }

    pub(super) fn ask_tag(&mut self, scene: &mut Scene<'_>) {
        let Some((key, owned)) = self.owned_row(scene) else { return };
        let tags = owned.map_or(String::new(), |owned| owned.tags.join(", "));
        let words = "Words separated by commas; empty removes them.";
        scene.open(Dialog::Prompt(Prompt::new("TAG", words, Purpose::Tag(key)).with(tags)));
    }

    pub(super) fn ask_note(&mut self, scene: &mut Scene<'_>) {
        let Some((key, owned)) = self.owned_row(scene) else { return };
        let note = owned.map_or(String::new(), |owned| owned.note.clone());
        let prompt = Prompt::new("Note", "Kept on this computer only.", Purpose::Note(key)).with(note);
        scene.open(Dialog::Prompt(prompt));
    }
}
