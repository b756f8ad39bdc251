//! What asks before it does something to a row: pulled, suppressed, tagged, a note.

use crate::domain::contact::{ContactKey, RowId};
use crate::domain::credits::contacts;
use crate::effect::store::SuppressEntry;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::prompt::{Prompt, Purpose};
use crate::ui::scene::Scene;
use crate::ui::screens::search::state::State;

impl State {
    pub(super) fn ask_mark_pulled(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        let index = self.seat().index(self.seat().cursor);
        let ids = scene.session.side(side).window.page_ids(index);
        if ids.is_empty() {
            scene.say("This page is still loading.");
            return;
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

    fn current_id(&self, scene: &Scene<'_>) -> Option<(RowId, bool)> {
        let row = self.seat().row(&scene.session.side(self.side).window)?;
        row.id().map(|id| (id, row.unlocked()))
    }

    pub(super) fn ask_tag(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        match self.current_id(scene) {
            Some((id, true)) => {
                let tags = scene.session.ledger().contact(side.corpus, id).map(|owned| owned.tags.join(", "));
                let words = "Words separated by commas; empty removes them.";
                let prompt =
                    Prompt::new("TAG", words, Purpose::Tag(ContactKey { side, id })).with(tags.unwrap_or_default());
                scene.open(Dialog::Prompt(prompt));
            }
            _ => scene.say("Tags and notes are for owned contacts."),
        }
    }

    pub(super) fn ask_note(&mut self, scene: &mut Scene<'_>) {
        match self.current_id(scene) {
            Some((id, true)) => {
                let note = scene.session.ledger().contact(self.side.corpus, id).map(|owned| owned.note.clone());
                let prompt = Prompt::new(
                    "Note",
                    "Kept on this computer only.",
                    Purpose::Note(ContactKey { side: self.side, id }),
                )
                .with(note.unwrap_or_default());
                scene.open(Dialog::Prompt(prompt));
            }
            _ => scene.say("Tags and notes are for owned contacts."),
        }
    }
}
