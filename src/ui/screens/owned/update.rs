//! What the commands of the Owned screen do. All of it is free.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::keys::command::{Copy, Owned};
use crate::scene::{Handoff, Scene, copying};
use lode_core::contact::ContactKey;
use lode_core::export::local::owned_rows;
use lode_core::owned::Owned as Contact;

use super::facts::{key, name, reader};
use super::state::State;

pub(super) fn command(state: &mut State, command: Owned, scene: &mut Scene<'_>) {
    if command == Owned::Find {
        let prompt =
            Prompt::new("Find", "Name, company, title, email, tag or note; empty shows all.", Purpose::ListFind);
        return scene.open(Dialog::Prompt(prompt.offering(state.find.clone())));
    }
    if command == Owned::Copy(Copy::CommandLine) {
        return scene.hand(Handoff::CopyCommandLine);
    }
    let Some(contact) = state.contact(scene.session).cloned() else { return };
    match command {
        Owned::Find => {}
        Owned::Open => scene.open(Dialog::Reader(reader(&contact, scene))),
        Owned::Tag => {
            let words = format!("Tags of {}, separated by commas.", name(&contact));
            let prompt = Prompt::new("TAG", words, Purpose::Tag(key(&contact))).with(contact.tags.join(", "));
            scene.open(Dialog::Prompt(prompt));
        }
        Owned::Note => {
            let words = format!("Note on {} (kept on this computer only).", name(&contact));
            let prompt = Prompt::new("Note", words, Purpose::Note(key(&contact))).with(contact.note);
            scene.open(Dialog::Prompt(prompt));
        }
        Owned::Export if state.find.is_empty() => scene.hand(Handoff::Export),
        Owned::Export => {
            let shown: Vec<Contact> = state.shown(scene.session).cloned().collect();
            let what = format!("owned contacts with “{}”", state.find);
            scene.hand(Handoff::ExportRows(what, owned_rows(&shown)));
        }
        Owned::Forget => {
            let words = format!(
                "Removes {} from this computer, with tags and note. Your workspace still owns it and the receipt stays; a \
                 search or an unlock brings it back for free.",
                name(&contact)
            );
            let deeds = vec![("Remove from this computer".to_owned(), Deed::ForgetOwned(key(&contact)))];
            scene.open(Dialog::Ask(Ask::new("Forget", words, "Cancel", deeds)));
        }
        Owned::Copy(what) => {
            if let Some(row) = owned_rows(&[contact]).first() {
                scene.copy(what, row, copying::fields(row));
            }
        }
    }
}

pub fn forget(key: ContactKey, scene: &mut Scene<'_>) {
    scene.session.forget(key.side.corpus, vec![key.id], scene.now, scene.fx);
    scene.say("Removed from this computer. Your workspace still owns it; the receipt stays.");
}
