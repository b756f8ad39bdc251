//! Spending on the screen: the money dialog, and what an order came to.
//!
//! Every way that ends in an unlock goes through [`review`] and then through the number a person types; what the number may
//! do is decided by the session.

use std::sync::Arc;

use crossterm::event::KeyCode;

use crate::dialogs::money::Money;
use crate::dialogs::paid::Paid;
use crate::dialogs::{Dialog, summary};
use crate::keys::chord::Chord;
use crate::keys::command::{Copy, Money as Key, Summary as After};
use crate::model::Model;
use lode_core::contact::{RowId, Source};
use lode_core::credits::{contacts, counted};
use lode_core::export::local::owned_rows;
use lode_core::owned::Owned;
use lode_core::text::capital;
use lode_engine::effect::Effect;
use lode_engine::flow::session::{Begun, Granted, NoReview, Subject};
use lode_engine::flow::unlock::end::{End, Summary};
use lode_engine::flow::unlock::order::Declined;
use lode_engine::flow::unlock::quote::{Choice, Quote};

use super::{announce, exporting, fail, leave_when_done, on_screen, say};

/// `U`: the basket of this side, or the row under the cursor where nothing is staged.
pub(super) fn unlock(model: &mut Model, fx: &mut Vec<Effect>) {
    let side = model.search.side;
    if side.source != Source::Workspace {
        say(model, "Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.", false);
        return;
    }
    let state = model.session.side(side);
    let subject = if state.basket.is_empty() {
        let row = model.shown().row_to_unlock(model.scene_ref());
        let rows = row.map(|id| model.session.rows_of(side.corpus, &[id])).unwrap_or_default();
        if rows.is_empty() {
            say(model, "The basket is empty. <results.stage> add a row.", false);
            return;
        }
        Subject::BasketOr(side.corpus, Arc::new(rows))
    } else {
        Subject::Basket(side.corpus)
    };
    review(model, subject, fx);
}

/// Opens the money dialog and reads again what it depends on.
pub(super) fn review(model: &mut Model, subject: Subject, fx: &mut Vec<Effect>) {
    if model.session.unlock().is_running() {
        say(model, "An unlock is running. Review the next one when it is done.", false);
        return;
    }
    let choice = Choice::default();
    let now = model.now;
    model.session.review(subject.clone(), choice.clone(), now, fx);
    model.nav.dialogs.push(Dialog::Money(Box::new(Money::new(subject, choice))));
}

/// What was accepted is another by now: the review is shown as things stand.
pub(super) fn review_again(model: &mut Model, subject: Subject, choice: Choice, words: String, fx: &mut Vec<Effect>) {
    let now = model.now;
    let mut money = Money::new(subject.clone(), choice.clone());
    money.wait(Some(format!("{words}  Nothing sent.")));
    model.session.review(subject, choice, now, fx);
    model.nav.dialogs.push(Dialog::Money(Box::new(money)));
}

/// The review is here, or there is none.
pub(super) fn reviewed(model: &mut Model, result: Result<Box<Quote>, NoReview>) {
    let at =
        model.nav.dialogs.iter().position(|dialog| matches!(dialog, Dialog::Money(money) if money.quote.is_none()));
    let Some(at) = at else { return };
    match result {
        Ok(quote) => {
            if let Dialog::Money(money) = &mut model.nav.dialogs[at] {
                let words = money.words.take();
                money.show(quote, words);
            }
        }
        Err(none) => {
            model.nav.dialogs.remove(at);
            let hint = match none {
                NoReview::NoBatch => "",
                NoReview::Store(_) => " Run lode doctor to check the state folder.",
                _ => " Run lode doctor to check the keys.",
            };
            let words = none.to_string();
            fail(model, format!("Nothing sent: {}.{hint}", words.trim_end_matches('.')));
        }
    }
}

/// A frame was flushed: the dialog that it showed hears keys from a moment later on.
pub(super) fn painted(model: &mut Model) {
    let now = model.now;
    let visible = model.shell().is_some();
    let last = model.nav.dialogs.len().saturating_sub(1);
    for (at, dialog) in model.nav.dialogs.iter_mut().enumerate() {
        if let Dialog::Money(money) = dialog {
            if visible && at == last {
                money.painted(now);
            } else {
                money.covered();
            }
        }
    }
}

pub(super) fn money(model: &mut Model, key: Key, chord: Chord, fx: &mut Vec<Effect>) {
    let now = model.now;
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    if key == Key::Back {
        let asked = money.request.is_some();
        model.nav.dialogs.pop();
        model.session.drop_review();
        let words = match asked {
            true => "The request waits until it expires. Nothing sent, nothing spent.",
            false => "Nothing sent, nothing spent. The basket is unchanged.",
        };
        say(model, words, false);
        return;
    }
    if !money.hears(now) {
        return;
    }
    match key {
        Key::Back => {}
        Key::Digit => {
            if let KeyCode::Char(digit) = chord.code {
                money.digit(digit, now);
            }
        }
        Key::Backspace => money.backspace(now),
        Key::Suppressed => {
            let held = money.held_back();
            money.covered();
            model.nav.dialogs.extend(held.map(Dialog::Picker));
        }
        Key::DropRisky => choose(money, |choice| Choice { drop_risky: !choice.drop_risky, ..choice }),
        Key::DropDuplicates => choose(money, |choice| Choice { drop_duplicates: !choice.drop_duplicates, ..choice }),
        Key::Verification => choose(money, |choice| Choice { verify: !choice.verify, ..choice }),
        Key::Confirm => confirm(model, fx),
    }
}

fn choose(money: &mut Money, change: impl Fn(Choice) -> Choice) {
    let Some(quote) = &money.quote else { return };
    if quote.again().is_some() {
        money.words = Some("A batch with an unknown result is sent again whole or not at all.".to_owned());
        return;
    }
    let changed = quote.choosing(change(quote.choice.clone()));
    money.show(Box::new(changed), None);
}

/// Accepts a row that cannot be checked, or takes that back. The review is another one then: its number has to be typed again.
pub(super) fn accept_unchecked(model: &mut Model, id: RowId) {
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    let Some(quote) = &money.quote else { return };
    let Some(at) = quote.unchecked.iter().position(|row| row.id == id) else { return };
    if money.request.is_some() {
        money.words = Some("An assistant gets no row that cannot be checked.  Nothing sent.".to_owned());
        return;
    }
    let by = quote.unchecked[at].by.clone();
    choose(money, |mut choice| {
        choice.accepted.toggle(id, by.clone());
        choice
    });
    let held = money.held_back();
    money.covered();
    model.nav.dialogs.extend(held.map(|held| Dialog::Picker(held.marked_at(at))));
}

fn confirm(model: &mut Model, fx: &mut Vec<Effect>) {
    let now = model.now;
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    let Some(quote) = money.quote.clone() else { return };
    if money.typed.is_empty() {
        money.words = Some(format!("Type {} to confirm.  Nothing sent yet.", quote.most));
        return;
    }
    let Some(typed) = money.amount(now) else { return };
    let begun = match money.request.clone() {
        Some((handle, _)) => match model.session.grant(&handle, &quote, typed, now, fx) {
            Ok(Granted::Answered) => return model.nav.dialogs.clear(),
            Ok(Granted::Fewer(fewer)) => Ok(Begun::Fewer(fewer)),
            Err(declined) => Err(declined),
        },
        None => model.session.accept(&quote, typed, now, fx),
    };
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    match begun {
        Ok(Begun::Order) => {
            model.nav.dialogs.clear();
            let calls = quote.calls.len();
            let words = format!(
                "Unlocking {} in {}.  <always.interrupt> stop after the current request",
                contacts(quote.to_unlock.len()),
                counted(calls as u64, "request")
            );
            say(model, words, false);
        }
        Ok(Begun::Fewer(fewer)) => {
            let words = format!("Unlock the first {}? Type {} again.  Nothing sent yet.", fewer.most, fewer.most);
            money.show(fewer, Some(words));
        }
        Err(Declined::Changed(changed)) => {
            let what = match changed.most == quote.most {
                true => "Something changed since this was shown".to_owned(),
                false => format!("The total changed to {}", changed.most),
            };
            money.show(changed, Some(format!("{what}. Review it again.  Nothing sent.")));
        }
        Err(Declined::Stale) => {
            money.wait(Some("The total changed. Review it again.  Nothing sent.".to_owned()));
            let (subject, choice) = (money.subject.clone(), money.choice.clone());
            model.session.review(subject, choice, now, fx);
        }
        Err(declined) => {
            money.words = Some(format!("{}.  Nothing sent.", capital(&declined.to_string())));
            money.clear();
        }
    }
}

/// An order is over.
pub(super) fn finished(model: &mut Model, summary: &Summary, fx: &mut Vec<Effect>) {
    let mut words: Vec<String> = summary::ending(summary).into_iter().collect();
    words.push(summary::line(summary));
    words.extend(summary::notices(summary));
    let words = words.join(" ");
    let bad = !matches!(summary.end, End::Done | End::Stopped) || !summary.notices.is_empty();
    announce(model, words, bad, fx);
    if model.leave_after {
        // What else is on its way has its own last word.
        return leave_when_done(model, fx);
    }
    // Never while the user types or is asked something: there the status line has to do.
    if model.nav.dialogs.is_empty()
        && model.search.edit.is_none()
        && model.pending.is_empty()
        && summary.uncertain() == 0
    {
        let ledger = &model.session.ledger();
        let paid = Paid::of(summary, |id| ledger.contact(summary.corpus, id), model.search.masked);
        model.nav.dialogs.push(Dialog::Summary(Box::new(paid)));
    }
}

/// What can be done with what was just bought.
pub(super) fn bought(model: &mut Model, key: After, fx: &mut Vec<Effect>) {
    match key {
        After::Export => export_last(model, fx),
        After::Receipt => on_screen(model, fx, |_, scene| scene.open_receipts()),
        After::Open => {
            let Some(Dialog::Summary(paid)) = model.nav.top() else { return };
            let reader = paid.reader();
            model.nav.dialogs.push(Dialog::Reader(reader));
        }
        After::Copy(what) => {
            let Some(Dialog::Summary(paid)) = model.nav.top() else { return };
            let (text, count) = (paid.copied(what), if paid.is_one() { "" } else { "s" });
            if text.is_empty() {
                return say(model, "There is nothing to copy.", false);
            }
            let name = if what == Copy::Phone { "phone number" } else { "email" };
            fx.push(Effect::Copy(text));
            say(model, format!("Copied the {name}{count}."), false);
        }
    }
}

/// Exactly the contacts of the last order that are owned.
pub(super) fn export_last(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(last) = model.session.unlock().last() else { return };
    let ledger = &model.session.ledger();
    let owned = last.contacts.iter().filter(|settled| settled.outcome.is_owned());
    let owned: Vec<Owned> = owned.filter_map(|settled| ledger.contact(last.corpus, settled.id).cloned()).collect();
    let what = last.order.map_or("the last order".to_owned(), |order| format!("order {order}"));
    exporting::rows(model, what, owned_rows(&owned), fx);
}
