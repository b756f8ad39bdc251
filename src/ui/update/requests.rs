//! Requests of assistants: the question, the review with its typed amount, and what became of the answer.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::model::Model;
use lode_core::contact::{Side, Source};
use lode_core::credits::contacts;
use lode_engine::effect::Effect;
use lode_engine::effect::store::{Handle, NotGranted};
use lode_engine::flow::session::{Asked, Subject};

use super::{fail, say, spending};

pub(super) fn told(model: &mut Model, asked: Asked, fx: &mut Vec<Effect>) {
    match asked {
        Asked::New { assistant, ceiling } => {
            let words = format!(
                "{assistant} asks for up to {}. Answer on the Basket screen: <basket.request>.",
                ceiling.words()
            );
            let words = model.keymap.spelled(&words).into_owned();
            fx.push(Effect::Notify(words.clone()));
            say(model, words, true);
        }
        Asked::Accepted => say(model, "Accepted. The assistant can unlock these contacts now, once.", false),
        Asked::Declined => say(model, "Declined. Nothing spent.", false),
        Asked::Refused(why) => {
            let why = match why {
                NotGranted::Expired => "the request expired",
                NotGranted::TooMuch => "it is more than was asked for",
                _ => "it was answered already",
            };
            fail(model, format!("Not accepted: {why}. Nothing spent."));
        }
    }
}

/// The oldest request that waits.
pub(super) fn open(model: &mut Model, fx: &mut Vec<Effect>) {
    model.session.read_requests(fx);
    let now = model.now;
    let Some(request) = model.session.requests().waiting(now).next() else {
        return say(model, "No assistant asks for anything.", false);
    };
    let names: Vec<&str> = request.rows.iter().map(|row| row.name.as_str()).filter(|name| !name.is_empty()).collect();
    let more = request.rows.len() - names.len().min(3);
    let mut words = format!(
        "{} asks to unlock {} ({}) for up to {}.",
        request.assistant,
        contacts(request.rows.len()),
        Side { source: Source::Workspace, corpus: request.corpus },
        request.ceiling.words()
    );
    if !names.is_empty() {
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        words.push_str(&format!(" {}{and}.", names[..names.len().min(3)].join(", ")));
    }
    let handle = request.handle.clone();
    let deeds = vec![
        ("Review it and type the amount".to_owned(), Deed::ReviewRequest(handle.clone())),
        ("Decline".to_owned(), Deed::DeclineRequest(handle)),
    ];
    model.nav.dialogs.push(Dialog::Ask(Ask::new("Assistant", words, "Later", deeds)));
}

/// The same review as for any unlock, of the contacts that are asked for.
pub(super) fn review(model: &mut Model, handle: &Handle, fx: &mut Vec<Effect>) {
    let Some(request) = model.session.requests().get(handle) else {
        return say(model, "This request is answered already.", false);
    };
    let subject = Subject::Rows(request.corpus, request.rows.clone().into());
    let title = format!("{} asks: read before you accept", request.assistant);
    spending::review(model, subject, fx);
    if let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() {
        money.request = Some((handle.clone(), title));
    }
}
