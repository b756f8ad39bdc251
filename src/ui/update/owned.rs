//! The Owned screen and the receipts: what their commands do. All of it is free.

use crate::domain::contact::{ContactKey, Side, Source};
use crate::domain::export::local::owned_rows;
use crate::domain::owned::Owned as Contact;
use crate::effect::Effect;
use crate::keys::command::Owned;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::prompt::{Prompt, Purpose};
use crate::ui::model::{Model, facts};
use crate::ui::screens::owned;

use super::{basket, exporting, say, spending};

/// The screen is entered: the receipts are read, which the contacts point at.
pub(super) fn arrived(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.session.ledger.receipts().is_none() {
        let session = &mut model.session;
        session.ledger.read_receipts(None, &mut session.desk.at(model.now, fx));
    }
}

pub(super) fn receipts(model: &mut Model, fx: &mut Vec<Effect>) {
    let session = &mut model.session;
    session.ledger.read_receipts(None, &mut session.desk.at(model.now, fx));
    model.nav.dialogs.push(Dialog::Receipts { top: 0 });
}

fn key(contact: &Contact) -> ContactKey {
    ContactKey { side: Side { source: Source::Workspace, corpus: contact.corpus }, id: contact.id }
}

pub(super) fn command(model: &mut Model, command: Owned, fx: &mut Vec<Effect>) {
    if command == Owned::Find {
        let prompt =
            Prompt::new("FIND", "Name, company, title, address, tag or note; empty shows all.", Purpose::ListFind);
        model.nav.dialogs.push(Dialog::Prompt(prompt.offering(model.owned.find.clone())));
        return;
    }
    let Some(contact) = model.owned.contact(&model.session).cloned() else { return };
    match command {
        Owned::Find => {}
        Owned::Open => {
            let receipts = model.session.ledger.receipts().unwrap_or_default();
            let reader = owned::reader(&contact, receipts, model.search.masked, |at| facts::hour(model, at));
            model.nav.dialogs.push(Dialog::Reader(reader));
        }
        Owned::Tag => {
            let words = format!("Tags of {}, separated by commas.", name(&contact));
            let prompt = Prompt::new("TAG", words, Purpose::Tag(vec![key(&contact)])).with(contact.tags.join(", "));
            model.nav.dialogs.push(Dialog::Prompt(prompt));
        }
        Owned::Note => {
            let words = format!("A note on {}; it is kept here only.", name(&contact));
            let prompt = Prompt::new("NOTE", words, Purpose::NoteOwned(key(&contact))).with(contact.note);
            model.nav.dialogs.push(Dialog::Prompt(prompt));
        }
        Owned::Export if model.owned.find.is_empty() => exporting::offer(model, fx),
        Owned::Export => {
            let shown: Vec<Contact> = model.owned.shown(&model.session).into_iter().cloned().collect();
            let what = format!("owned contacts with “{}”", model.owned.find);
            spending::export(model, what, owned_rows(&shown), fx);
        }
        Owned::Forget => {
            let words = format!(
                "Takes {} off this machine, with tags and note. The workspace still owns the contact and the receipt stays; \
                 an unlock or a search brings it back for free.",
                name(&contact)
            );
            let deeds = vec![("Forget it here".to_owned(), Deed::ForgetOwned(key(&contact)))];
            model.nav.dialogs.push(Dialog::Ask(Ask::new("FORGET", words, "Keep it", deeds)));
        }
        Owned::Copy(what) => {
            if let Some(row) = owned_rows(&[contact]).first() {
                basket::copy_row(model, what, row, fx);
            }
        }
    }
}

fn name(contact: &Contact) -> String {
    let name = &contact.contact.contact_name;
    if name.is_empty() { format!("contact {}", contact.id) } else { name.clone() }
}

pub(super) fn find(model: &mut Model, words: &str) {
    words.clone_into(&mut model.owned.find);
    model.owned.at = 0;
}

pub(super) fn forget(model: &mut Model, key: ContactKey, fx: &mut Vec<Effect>) {
    let session = &mut model.session;
    session.ledger.forget(key.side.corpus, vec![key.id], &mut session.desk.at(model.now, fx));
    say(model, "Forgotten here. The workspace still owns it; the receipt stays.", false);
}
