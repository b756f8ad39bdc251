//! What the session tells, in words and in the places it concerns.

use crate::model::errands::Errand;
use crate::model::{Model, place};
use crate::screens::saved;
use crate::screens::search::view::trouble;
use lode_core::credits::{contacts, counted, grouped};
use lode_engine::effect::Effect;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::files::FileReply;
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::flow::desk::Heard;
use lode_engine::flow::saved::Told;
use lode_engine::flow::search::walk::End;
use lode_engine::flow::search::window::Marked;
use lode_engine::flow::session::Event;

use super::{exporting, fail, matching, on_screen, own, requests, say, spending, suppression, unknown, with_search};

pub(super) fn told(model: &mut Model, events: Vec<Event>, fx: &mut Vec<Effect>) {
    for event in events {
        tell(model, event, fx);
    }
}

fn tell(model: &mut Model, event: Event, fx: &mut Vec<Effect>) {
    match event {
        Event::Page { side, first } => {
            if first {
                model.search.seat_of_mut(side).anchor = None;
            }
        }
        Event::SearchFailed { failure, .. } | Event::PageFailed { failure, .. } => {
            let (sentence, hint) = trouble(&failure);
            fail(model, format!("{sentence} {hint}"));
        }
        Event::Moved { moved, .. } => {
            let words = format!(
                "The result changed: {} before, {} now.  <results.fetch-again> refresh",
                grouped(moved.was),
                grouped(moved.is)
            );
            say(model, words, false);
        }
        Event::Hole { index, total, .. } => {
            let words = format!("The service sent an empty page at row {} of {}.", grouped(index + 1), grouped(total));
            say(model, words, false);
        }
        Event::Repeated { index, twice, rows, .. } => {
            let words = format!(
                "At row {}, {} of {} repeat earlier ones: each is shown once, and others may be missing.  <results.fetch-again> refresh",
                grouped(index + 1),
                grouped(twice),
                counted(rows, "row")
            );
            say(model, words, false);
        }
        Event::Marked { marked, .. } => mark(model, &marked),
        Event::Purse(switched) => {
            let call = StoreCall::Basket { purse: model.session.profile().earlier(), side: model.search.side };
            model.ask_store(Errand::Earlier, call, fx);
            if let Some(switched) = switched {
                fail(model, switched.words());
            }
        }
        Event::BasketFailed { failure, .. } => {
            fail(model, format!("The basket is not saved: {failure}. Run lode doctor to find the cause."));
        }
        Event::Gathered { added, end: Some(end), left, .. } => {
            let added = counted(added, "row");
            if let (Some(left), End::Enough | End::All) = (left, &end) {
                let limit = model.session.taste().per_company;
                let not = left.words(limit);
                let not = if not.is_empty() { not } else { format!(" ({not})") };
                let words = format!(
                    "Added {added} of {} read{not}. Nothing spent.  <everywhere.undo> undo",
                    grouped(left.read)
                );
                return say(model, words, false);
            }
            match end {
                End::Failed(failure) => {
                    fail(model, format!("Added {added}, then: {}.", failure.words().trim_end_matches('.')));
                }
                end => match end.cut_short() {
                    Some(words) => fail(model, format!("Added {added}: {words}.")),
                    None => say(
                        model,
                        format!("Added {added} to the basket. Nothing spent.  <everywhere.undo> undo"),
                        false,
                    ),
                },
            }
        }
        Event::NotKept(failure) => {
            fail(model, format!("Not saved: {failure}. Run lode doctor to find the cause."));
        }
        Event::Answered(heard) => answered(model, heard, fx),
        Event::Balance | Event::Coverage { .. } | Event::Basket { .. } | Event::Gathered { .. } | Event::History => {}
        Event::Lists(_) | Event::Completed { .. } => {}
        Event::Saved(told) => {
            let listed = told == Told::Listed;
            on_screen(model, fx, |screen, scene| {
                saved::told(told, scene);
                if listed {
                    screen.saved_listed(scene);
                }
            });
        }
        Event::Exports => exporting::ended(model, fx),
        Event::Own => own::ended(model, fx),
        Event::Watched { side } => with_search(model, fx, |search, scene| search.watched(side, scene)),
        Event::Glanced | Event::Counts(_) => {}
        Event::Matching => matching::moved(model),
        Event::Review(result) => spending::reviewed(model, result),
        // What is spent and held, over all windows, is in the books.
        Event::Settled { .. } => model.session.read_spent(model.now, fx),
        Event::Unknown => {}
        Event::Requests(asked) => requests::told(model, asked, fx),
        Event::ReviewAgain { subject, choice, words } => spending::review_again(model, subject, choice, words, fx),
        Event::Finished(summary) => spending::finished(model, &summary, fx),
        Event::Recovery => {
            unknown::close_when_clear(model);
        }
        Event::Looked { trouble } => unknown::looked(model, trouble.as_ref()),
        Event::StoreFailed(failure) => {
            fail(
                model,
                format!("The ledger could not be read or written: {failure}. Run lode doctor to find the cause."),
            );
        }
    }
}

fn mark(model: &mut Model, marked: &Marked) {
    match marked {
        Marked::Recorded { ids, shown, unseen } if shown.is_empty() && unseen.is_empty() => {
            say(model, format!("Marked {} as pulled.", contacts(ids.len())), false);
        }
        Marked::Recorded { ids, shown, unseen } => {
            let words = format!(
                "Marked {} as pulled; {} on the screen were not among them, {} others were.  <results.fetch-again> refresh",
                contacts(ids.len()),
                grouped(shown.len() as u64),
                grouped(unseen.len() as u64)
            );
            say(model, words, true);
        }
        Marked::Refused(failure) => {
            fail(model, format!("Nothing was recorded: {}.", failure.words().trim_end_matches('.')))
        }
        Marked::Unclear { ids, failure } => {
            let count = contacts(ids.len());
            let why = failure.words().trim_end_matches('.');
            let words = format!(
                "{count} may have been marked as pulled: {why}. <results.hide-pulled> hide pulled rows to see which."
            );
            fail(model, words);
        }
    }
}

fn answered(model: &mut Model, heard: Heard, fx: &mut Vec<Effect>) {
    let Some(errand) = model.errands.take(&heard) else { return };
    match (errand, heard) {
        (Errand::Place, Heard::Stored(_, result)) => {
            let text = match result {
                Ok(StoreReply::Place(text)) => text,
                _ => None,
            };
            model.placed = text.clone().unwrap_or_default();
            let now = model.now;
            place::restore(model, text.as_deref(), now, fx);
        }
        (Errand::Earlier, Heard::Stored(_, Ok(StoreReply::Basket(earlier)))) if !earlier.rows.is_empty() => {
            let count = grouped(earlier.rows.len() as u64);
            let words = format!(
                "From an earlier version: {count} in a basket. `lode basket earlier` lists them, `--assign` adds them to this one."
            );
            fail(model, words);
        }
        (Errand::List(name), Heard::Filed(_, result)) => suppression::added(model, name, result, fx),
        (Errand::Exists(export), Heard::Filed(_, result)) => exporting::looked(model, *export, result, fx),
        (Errand::Forms, Heard::Filed(_, Ok(FileReply::Forms(names)))) => exporting::more_forms(model, &names),
        (Errand::Without, Heard::Reply(_, Call::Search(search), Ok(Reply::Page(page)))) => {
            exporting::counted_without(model, search.query, &page);
        }
        _ => {}
    }
}
