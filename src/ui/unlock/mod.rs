//! Spending on the screen: the money dialog ([`review`](mod@review)), the result of an order ([`summary`]), and batches with an unknown
//! result ([`recovery`](mod@recovery)).
//!
//! Every way that ends in an unlock goes through [`review`] and then through the number a person types; what the number may
//! do is decided by the session.

pub mod recovery;
pub mod review;
pub mod summary;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use self::{review::MoneyDialog, summary::Paid};
use crate::keys::command::{MoneyCommand as Key, SummaryCommand as After};
use crate::model::{Model, PendingRequest, ReviewDue, facts};
use crate::scene::prelude::*;
use crate::update::{announce, leave_when_done};
use crate::{export, keys::chord::Chord, screens::owned};
use lode_engine::flow::session::{NoReview, ProposalNews, UnlockSubject};
use lode_engine::flow::unlock::{Declined, OrderEnd, OrderSummary, Quote, ReviewChoice};

/// `U`: the basket of this side, or the row under the cursor where nothing is staged. `only_row`: that row in any case.
pub(crate) fn unlock(model: &mut Model, only_row: bool, fx: &mut Vec<Effect>) {
    let side = model.search.side;
    if side.source != Source::Workspace {
        return model.say("Data API rows cannot be unlocked. <everywhere.source> switch to the Workspace.");
    }
    let subject = if only_row || model.session.side(side).basket.is_empty() {
        let id = model.shown().row(model.scene_ref()).and_then(Row::id);
        let Some(row) = id.and_then(|id| model.session.side(side).staged_row(id)) else {
            return model.say("The basket is empty. <results.stage> add a row.");
        };
        let rows = Arc::new(vec![row]);
        if only_row { UnlockSubject::Rows(side.corpus, rows) } else { UnlockSubject::Basket(side.corpus, Some(rows)) }
    } else {
        UnlockSubject::Basket(side.corpus, None)
    };
    review(model, subject, fx);
}

/// Opens the money dialog and reads again what it depends on.
pub(crate) fn review(model: &mut Model, subject: UnlockSubject, fx: &mut Vec<Effect>) {
    if model.session.unlock().is_running() {
        return model.say("An unlock is running. Review the next one when it is done.");
    }
    open_review(model, (subject, ReviewChoice::default(), None), fx);
}

/// Nothing was sent, because something changed before Enter: the review opens again as soon as nothing else has the keys.
pub(crate) fn review_again(model: &mut Model, subject: UnlockSubject, choice: ReviewChoice, words: String) {
    if others_have_keys(model) {
        model.alert(format!("The unlock did not start: {words}"));
    }
    model.review_due = Some((subject, choice, Some(words)));
}

pub(crate) fn offer_review(model: &mut Model, fx: &mut Vec<Effect>) {
    if !others_have_keys(model)
        && let Some(due) = model.review_due.take()
    {
        open_review(model, due, fx);
    }
}

/// A dialog or a field is open, a sequence of keys has begun, or an unlock runs: no dialog opens by itself.
fn others_have_keys(model: &Model) -> bool {
    let types = model.search.edit.is_some() || !model.pending.is_empty();
    types || !model.nav.dialogs.is_empty() || model.session.unlock().is_running()
}

/// The review as things stand; `words` say why what was accepted before is another by now. It takes the place of one that is due.
fn open_review(model: &mut Model, (subject, choice, words): ReviewDue, fx: &mut Vec<Effect>) {
    model.review_due = None;
    let money = MoneyDialog::new(subject.clone(), words.map(|words| format!("{words}  Nothing sent.")));
    model.session.review(subject, choice, model.now, fx);
    model.nav.dialogs.push(Dialog::Money(Box::new(money)));
}

/// The review is here, or there is none.
pub(crate) fn reviewed(model: &mut Model, result: Result<Box<Quote>, NoReview>) {
    let waiting = model.nav.dialogs.iter_mut().enumerate().find_map(|(at, dialog)| match dialog {
        Dialog::Money(money) if money.quote.is_none() => Some((at, money)),
        _ => None,
    });
    let Some((at, money)) = waiting else { return };
    match result {
        Ok(quote) => {
            let words = money.words.take();
            money.show(quote, words);
        }
        Err(none) => {
            model.nav.dialogs.remove(at);
            let hint = match none {
                NoReview::NoBatch => "",
                NoReview::Store(_) => " Run lode doctor to check the state folder.",
                _ => " Run lode doctor to check the keys.",
            };
            model.fail(format!("Nothing sent: {}.{hint}", none.to_string().trim_end_matches('.')));
        }
    }
}

/// A frame was flushed: the dialog that it showed hears keys from a moment later on.
pub(crate) fn painted(model: &mut Model) {
    let visible = model.shell().is_some();
    let last = model.nav.dialogs.len().saturating_sub(1);
    for (at, dialog) in model.nav.dialogs.iter_mut().enumerate() {
        let Dialog::Money(money) = dialog else { continue };
        if visible && at == last { money.painted(model.now) } else { money.covered() }
    }
}

pub(crate) fn money(model: &mut Model, key: Key, chord: Chord, fx: &mut Vec<Effect>) {
    let now = model.now;
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    match key {
        Key::Back => {
            let words = match money.request {
                Some(_) => "The request waits until it expires. Nothing sent, nothing spent.",
                None => "Nothing sent, nothing spent. The basket is unchanged.",
            };
            model.nav.dialogs.pop();
            model.session.drop_review();
            model.say(words);
        }
        _ if !money.accepts_keys(now) => {}
        Key::Digit => chord.letter().into_iter().for_each(|digit| money.digit(digit, now)),
        Key::Backspace => money.backspace(now),
        Key::Suppressed => show_held_back(model, 0),
        Key::DropRisky => choose(money, |choice| choice.drop_risky = !choice.drop_risky),
        Key::DropDuplicates => choose(money, |choice| choice.drop_duplicates = !choice.drop_duplicates),
        Key::Verification => choose(money, |choice| choice.verify = !choice.verify),
        Key::Confirm => confirm(model, fx),
    }
}

fn choose(money: &mut MoneyDialog, change: impl FnOnce(&mut ReviewChoice)) {
    let Some(quote) = &money.quote else { return };
    if quote.again().is_some() {
        money.words = Some("A batch with an unknown result is sent again whole or not at all.".to_owned());
        return;
    }
    let mut choice = quote.choice.clone();
    change(&mut choice);
    money.show(Box::new(quote.choosing(choice)), None);
}

/// Accepts a row that cannot be checked, or takes that back. The review is another one then: its number has to be typed again.
pub(crate) fn accept_unchecked(model: &mut Model, id: RowId) {
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    let Some(quote) = &money.quote else { return };
    let Some(at) = quote.unchecked.iter().position(|row| row.id == id) else { return };
    if money.request.is_some() {
        money.words = Some("An assistant gets no row that cannot be checked.  Nothing sent.".to_owned());
        return;
    }
    let by = quote.unchecked[at].by.clone();
    choose(money, |choice| choice.accepted.toggle(id, by));
    show_held_back(model, at);
}

/// Opens the list of what the suppression lists hold back, with the cursor on one of its lines.
fn show_held_back(model: &mut Model, at: usize) {
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    money.covered();
    let held = money.held_back();
    model.nav.dialogs.extend(held.map(|held| Dialog::Picker(held.standing_at(at))));
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
            Ok(()) => return model.nav.dialogs.clear(),
            begun => begun,
        },
        None => model.session.accept(&quote, typed, now, fx),
    };
    let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() else { return };
    match begun {
        Ok(()) => {
            model.nav.dialogs.clear();
            let (whom, requests) = (contacts(quote.to_unlock.len()), counted(quote.calls.len() as u64, "request"));
            model.say(format!("Unlocking {whom} in {requests}.  <always.interrupt> stop after the current request"));
        }
        Err(Declined::Fewer(fewer)) => {
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
            model.session.review(money.subject.clone(), quote.choice.clone(), now, fx);
        }
        Err(declined) => {
            money.words = Some(format!("{}.  Nothing sent.", capital(&declined.to_string())));
            money.clear();
        }
    }
}

/// An order is over.
pub(crate) fn finished(model: &mut Model, summary: &OrderSummary, fx: &mut Vec<Effect>) {
    let mut words: Vec<String> = summary::ending(summary).into_iter().collect();
    words.push(summary::line(summary));
    words.extend(summary::notices(summary, &model.session));
    let bad = !matches!(summary.end, OrderEnd::Done | OrderEnd::Stopped) || !summary.notices.is_empty();
    announce(model, words.join(" "), bad, fx);
    if model.leave_after {
        // What else is on its way has its own last word.
        return leave_when_done(model, fx);
    }
    // Never while the user types or is asked something: there the status line has to do.
    if !others_have_keys(model) && summary.uncertain() == 0 {
        let paid = Paid::of(summary, &model.session, model.search.masked);
        model.nav.dialogs.push(Dialog::Summary(Box::new(paid)));
    }
}

/// What can be done with what was just bought.
pub(crate) fn bought(model: &mut Model, key: After, fx: &mut Vec<Effect>) {
    match key {
        After::Export => export_last(model, fx),
        After::Open => {
            // The newest are first there.
            model.owned = owned::State::default();
            model.nav.go(Screen::Owned);
        }
    }
}

/// Copies the email or phone of everything that was just bought.
pub(crate) fn copy_bought(model: &mut Model, what: Copy, fx: &mut Vec<Effect>) {
    let Some(Dialog::Summary(paid)) = model.nav.top() else { return };
    let (text, count) = (paid.copied(what), if paid.is_one() { "" } else { "s" });
    if text.is_empty() {
        return model.say("Nothing to copy.");
    }
    let name = if what == Copy::Phone { "phone number" } else { "email" };
    fx.push(Effect::Copy(text));
    model.say(format!("Copied the {name}{count}."));
}

/// Exactly the contacts of the last order that are owned.
pub(crate) fn export_last(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(last) = model.session.unlock().last() else { return };
    let ledger = &model.session.ledger;
    let owned = last.contacts.iter().filter(|settled| settled.outcome.is_owned());
    let owned: Vec<Owned> = owned.filter_map(|settled| ledger.contact(last.corpus(), settled.id).cloned()).collect();
    let what = last.order.map_or("the last order".to_owned(), |order| format!("order {order}"));
    export::rows(model, what, owned_rows(&owned), fx);
}

pub(crate) fn request_event(model: &mut Model, asked: ProposalNews, fx: &mut Vec<Effect>) {
    match asked {
        ProposalNews::New { assistant, ceiling } => {
            let most = ceiling.words();
            let words = format!("{assistant} asks for up to {most}. Answer on the Basket screen: <basket.request>.");
            let words = model.keymap.spelled(&words).into_owned();
            fx.push(Effect::Notify(words.clone()));
            model.alert(words);
        }
        ProposalNews::Accepted => model.say("Accepted. The assistant can unlock these contacts now, once."),
        ProposalNews::Declined => model.say("Declined. Nothing spent."),
        ProposalNews::Refused(why) => {
            let why = match why {
                NotGranted::Expired => "the request expired",
                NotGranted::TooMuch => "it is more than was asked for",
                NotGranted::NoSuch => "the workspace of the request is not known now",
                _ => "it was answered already",
            };
            model.fail(format!("Not accepted: {why}. Nothing spent."));
        }
    }
}

/// The same review as for any unlock, of the contacts that are asked for.
pub(crate) fn review_request(model: &mut Model, handle: &Handle, fx: &mut Vec<Effect>) {
    let Some(request) = model.session.requests.get(handle) else {
        return model.say("This request is answered already.");
    };
    let subject = UnlockSubject::Rows(request.corpus, request.rows.clone().into());
    let title = format!("{} wants to unlock {}", request.assistant, contacts(request.rows.len()));
    review(model, subject, fx);
    if let Some(Dialog::Money(money)) = model.nav.dialogs.last_mut() {
        money.request = Some((handle.clone(), title));
    }
}

/// Opens the recovery panel for batches that were not shown yet, as soon as nothing else has the keys.
pub(crate) fn offer_recovery(model: &mut Model, fx: &mut Vec<Effect>) {
    if others_have_keys(model) || !model.opened || !model.session.recovery.is_idle() {
        return;
    }
    let open: BTreeSet<_> = model.session.recovery.batches().map(|batch| batch.batch).collect();
    if !open.is_subset(&model.batches_seen) {
        open_recovery(model, fx);
    }
}

/// The recovery panel, wanted or offered.
pub(crate) fn open_recovery(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.session.recovery.is_clear() {
        if model.session.recovery.known || !model.session.has(Source::Workspace) {
            return model.say("No unknown results.");
        }
        // An empty list that could not be read is not an empty list.
        model.session.recovery.refresh(&mut model.session.desk.at(model.now, fx));
        return model.alert("The ledger could not be read yet, so unknown results are not listed; reading it again.  <everywhere.unknown>");
    }
    model.batches_seen = model.session.recovery.batches().map(|batch| batch.batch).collect();
    if model.session.ledger.receipts.is_none() {
        model.session.ledger.read_receipts(&mut model.session.desk.at(model.now, fx));
    }
    model.nav.dialogs.push(Dialog::Recovery(None));
}

pub(crate) fn recovery(model: &mut Model, command: RecoveryCommand, fx: &mut Vec<Effect>) {
    match command {
        RecoveryCommand::Look => {
            let begun = model.session.recovery.check(&mut model.session.desk.at(model.now, fx));
            let words = if begun { "Checking (free) …" } else { "A check is running already (free)." };
            about(model, words.to_owned());
        }
        RecoveryCommand::Finish => {
            if let Some(batch) = model.session.finishable().map(|batch| batch.batch) {
                review(model, UnlockSubject::Again(batch), fx);
            }
        }
        RecoveryCommand::Keep => {
            model.nav.dialogs.pop();
            let open = facts::unknown(model);
            if open > 0 {
                model.say(format!("Nothing was sent. {} on hold.  <everywhere.unknown> open again", contacts(open)));
            }
        }
    }
}

/// A free check ended, or a batch changed.
pub(crate) fn looked(model: &mut Model, trouble: Option<&Failure>) {
    if close_when_clear(model) {
        return;
    }
    let words = match trouble {
        Some(failure) => format!("The check was interrupted: {}. Checking again is free.", failure.reason()),
        None => {
            let open = contacts(facts::unknown(model));
            let wait = model.session.recovery.next_look().map(|at| at.since(model.now.mono).as_millis().div_ceil(1000));
            let next = match wait.unwrap_or(0) {
                0 if model.session.finishable().is_some() => {
                    "Check again, or <recovery.finish> finish the batch.".to_owned()
                }
                0 => "Check again.".to_owned(),
                seconds => format!("The request may still be on its way; check again in {seconds} s."),
            };
            format!("The result of {open} is still unknown. {next} Nothing spent.")
        }
    };
    about(model, words);
}

/// The panel goes once there is nothing left to clear up.
pub(crate) fn close_when_clear(model: &mut Model) -> bool {
    let clear = model.session.recovery.is_clear();
    let is_panel = |dialog: &mut Dialog| matches!(dialog, Dialog::Recovery(_));
    if clear && model.nav.dialogs.extract_if(.., is_panel).count() > 0 {
        model.say("All resolved. The check was free.  <everywhere.receipts> receipts");
    }
    clear
}

fn about(model: &mut Model, words: String) {
    match model.nav.dialogs.iter_mut().rfind(|dialog| matches!(dialog, Dialog::Recovery(_))) {
        Some(Dialog::Recovery(checked)) => *checked = Some(words),
        _ => model.say(words),
    }
}

pub(crate) fn read_list(model: &mut Model, path: &str, fx: &mut Vec<Effect>) {
    if path.is_empty() {
        return model.say("No file name; no list was added.");
    }
    let path = PathBuf::from(path);
    let name = path.file_name().map_or_else(|| "list".to_owned(), |name| name.to_string_lossy().into_owned());
    model.ask_file(PendingRequest::List(name), FileCall::ReadList(path), fx);
}

/// The file is here, or cannot be read.
pub(crate) fn list_read(model: &mut Model, list: String, result: Result<FileReply, FileFailure>, fx: &mut Vec<Effect>) {
    let text = match result {
        Ok(FileReply::Text(text)) => text,
        Ok(_) => return,
        Err(failure) => return model.fail(format!("No list was added: {}.", failure.words.trim_end_matches('.'))),
    };
    let found = match crm::read_any(&text) {
        Ok(found) => found,
        Err(unusable) => return model.fail(format!("No list was added: {list} cannot be used: {unusable}.")),
    };
    let (all, left_out) = (suppress::contents(&found.entries), found.left_out());
    let words = format!("Added {list}: {all}{left_out}. Contacts on it are never unlocked.");
    model.session.suppress(list, found.entries, model.now, fx);
    model.say(words);
}
