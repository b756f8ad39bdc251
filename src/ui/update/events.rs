//! What the session tells, in words and in the places it concerns.

use super::*;

pub(super) fn handle(model: &mut Model, event: Event, fx: &mut Vec<Effect>) {
    match event {
        Event::Window { side, news: WindowNews::Page { first, .. } } => {
            if first {
                model.search.grid_of_mut(side).anchor = None;
            }
            model.search.found = None;
        }
        Event::Window { news: WindowNews::Failed(failure) | WindowNews::PageFailed { failure, .. }, .. } => {
            let (what, hint) = trouble(&failure);
            model.fail(format!("{what}: {}. {hint}", failure.reason()));
        }
        Event::Window { news: WindowNews::Moved(moved), .. } => {
            let (was, is) = (grouped(moved.was), grouped(moved.is));
            model.say(format!("The result changed: {was} before, {is} now.  <results.fetch-again> refresh"));
        }
        Event::Window { news: WindowNews::Hole { index, total }, .. } => {
            model.say(format!("The service sent an empty page at row {} of {}.", grouped(index + 1), grouped(total)));
        }
        Event::Window { news: WindowNews::Repeated { index, twice, rows }, .. } => {
            let (row, twice, rows) = (grouped(index + 1), grouped(twice), counted(rows, "row"));
            model.say(format!(
                "At row {row}, {twice} of {rows} repeat earlier ones: each is shown once, and others may be missing.  <results.fetch-again> refresh"
            ));
        }
        Event::Window { news: WindowNews::Marked(marked), .. } => mark(model, &marked),
        Event::Purse(switched) => {
            let call = StoreCall::Basket { purse: model.session.profile().earlier(), side: model.search.side };
            model.ask_store(PendingRequest::Earlier, call, fx);
            if let Some(switched) = switched {
                model.fail(switched.words());
            }
        }
        Event::BasketFailed { failure, .. } => model.fail(format!("The basket is not saved: {failure}. {DOCTOR}")),
        Event::Gathered { side, added, end: Some(end), left } => {
            let added = counted(added, "row");
            let staged = grouped(model.session.side(side).basket.len() as u64);
            let rest = format!("Basket: {staged}. Nothing spent.  <everywhere.undo> undo");
            match (left, end) {
                (Some(left), WalkEnd::Enough | WalkEnd::All) => {
                    let not = left.words(model.session.choice_rules.per_company);
                    let not = if not.is_empty() { not } else { format!(" · {not}") };
                    model.say(format!("Added {added} of {} read{not}. {rest}", grouped(left.read)));
                }
                (_, WalkEnd::Failed(failure)) => model.fail(format!("Added {added}, then: {}.", failure.reason())),
                (_, end) => match end.cut_short() {
                    Some(words) => model.fail(format!("Added {added}: {words}.")),
                    None => model.say(format!("Added {added}. {rest}")),
                },
            }
        }
        Event::Read { side, rows, wanted } => {
            with_search(model, fx, |search, scene| search.has_read(side, rows, wanted, scene));
        }
        Event::NotKept(failure) => model.fail(format!("Not saved: {failure}. {DOCTOR}")),
        Event::Answered(heard) => answered(model, heard, fx),
        Event::Gathered { .. } | Event::Lists(_) | Event::Completed { .. } | Event::Counts(_) => {}
        Event::Saved(told) => {
            if told == SavedEvent::Listed && model.nav.screen == Screen::Saved {
                model.session.glance_at_saved(model.now, fx);
            }
            on_screen(model, fx, |_, scene| saved::report(told, scene));
        }
        Event::Exports => export::ended(model, fx),
        Event::Own => jobs::own_ended(model, fx),
        Event::Watched { side } => with_search(model, fx, |search, scene| search.watched(side, scene)),
        Event::Matching => {
            let (state, mut scene) = model.staged_match(fx);
            state.moved(&mut scene);
        }
        Event::Review(result) => unlock::reviewed(model, result),
        // What is spent and held, over all windows, is in the ledger.
        Event::Settled { .. } => model.session.ledger.read_spent(&mut model.session.desk.at(model.now, fx)),
        Event::Requests(asked) => unlock::request_event(model, asked, fx),
        Event::ReviewAgain { subject, choice, words } => unlock::review_again(model, subject, choice, words),
        Event::Finished(summary) => unlock::finished(model, &summary, fx),
        Event::Recovery => _ = unlock::close_when_clear(model),
        Event::Looked { trouble } => unlock::looked(model, trouble.as_ref()),
        Event::StoreFailed(failure) => {
            model.fail(format!("The ledger could not be read or written: {failure}. {DOCTOR}"));
        }
    }
}

fn mark(model: &mut Model, marked: &MarkResult) {
    match marked {
        MarkResult::Recorded { ids, shown, unseen } => {
            let ids = contacts(ids.len());
            if shown.is_empty() && unseen.is_empty() {
                return model.say(format!("Marked {ids} as pulled."));
            }
            let (shown, unseen) = (grouped(shown.len() as u64), grouped(unseen.len() as u64));
            model.alert(format!(
                "Marked {ids} as pulled; {shown} on the screen were not among them, {unseen} others were.  <results.fetch-again> refresh"
            ));
        }
        MarkResult::Refused(failure) => model.fail(format!("Nothing was recorded: {}.", failure.reason())),
        MarkResult::Unclear { ids, failure } => {
            let (count, why) = (contacts(ids.len()), failure.reason());
            model.fail(format!(
                "{count} may have been marked as pulled: {why}. <results.hide-pulled> hide pulled rows to see which."
            ));
        }
    }
}

fn answered(model: &mut Model, heard: Arrival, fx: &mut Vec<Effect>) {
    let Some(request) = model.requests.take(&heard) else { return };
    match (request, heard) {
        (PendingRequest::Place, Arrival::Stored(_, result)) => {
            let text = result.map_or(None, Option::<String>::of);
            model.placed = text.clone().unwrap_or_default();
            place::restore(model, text.as_deref(), model.now, fx);
        }
        (PendingRequest::Earlier, Arrival::Stored(_, Ok(reply))) => match BasketState::of(reply).rows.len() as u64 {
            0 => {}
            rows => model.fail(format!(
                "From an earlier version: {} in a basket. `lode basket earlier` lists them, `--assign` adds them to this one.",
                grouped(rows)
            )),
        },
        (PendingRequest::List(name), Arrival::Filed(_, result)) => unlock::list_read(model, name, result, fx),
        (PendingRequest::Exists(export), Arrival::Filed(_, result)) => export::looked(model, *export, result, fx),
        (PendingRequest::Open, Arrival::Filed(_, result)) => menus::opened(model, result, fx),
        (PendingRequest::Forms, Arrival::Filed(_, Ok(FileReply::Forms(names)))) => export::more_forms(model, &names),
        (PendingRequest::Without, Arrival::Reply(_, Call::Search(search), Ok(Reply::Page(page)))) => {
            export::counted_without(model, search.query, &page);
        }
        _ => {}
    }
}

pub(super) fn answer_behind(model: &mut Model, window: &WindowId, answer: Answer, fx: &mut Vec<Effect>) {
    let (now, mut answer) = (model.now, Some(answer));
    behind(model, fx, |session, wanted| match answer.take_if(|_| session.profile().window == *window) {
        Some(answer) => session.handle(answer, now, wanted),
        None => Vec::new(),
    });
}

/// Does something with the other profiles, and says what that ended.
pub(super) fn behind(
    model: &mut Model,
    fx: &mut Vec<Effect>,
    mut act: impl FnMut(&mut Session, &mut Vec<Effect>) -> Vec<Event>,
) {
    let mut ended: Vec<(String, (String, bool))> = Vec::new();
    model.each_behind(|session, wanted| {
        for event in act(session, wanted) {
            let said = ended_behind(session, event, fx);
            ended.extend(said.into_iter().map(|said| (session.profile().name.clone(), said)));
        }
    });
    for (name, (words, bad)) in ended {
        let words = format!("{name}: {words}");
        fx.push(Effect::Notify(words.clone()));
        let hint = if bad { format!("  <everywhere.profiles> open {name}") } else { String::new() };
        model.report(words + &hint, bad);
    }
    leave_when_done(model, fx);
}

/// What is to be said of an event of another profile, and whether it is bad.
fn ended_behind(session: &mut Session, event: Event, fx: &mut Vec<Effect>) -> Vec<(String, bool)> {
    match event {
        Event::Finished(summary) => {
            let bad = !matches!(summary.end, OrderEnd::Done | OrderEnd::Stopped) || summary.tally.unknown > 0;
            let ending = summary::ending(&summary).map_or(String::new(), |ending| format!("{ending} "));
            vec![(format!("{ending}{}", summary::line(&summary)), bad)]
        }
        Event::ReviewAgain { words, .. } => vec![(format!("The unlock did not start: {words}"), true)],
        Event::Exports => export::ended_behind(session, fx),
        Event::Own => jobs::own_results(session),
        Event::StoreFailed(failure) => vec![(format!("The ledger could not be read or written: {failure}."), true)],
        _ => Vec::new(),
    }
}

/// Stops the unlocks of other profiles after the call that is out. True where one ran.
pub(super) fn stop_unlocks_behind(model: &mut Model) -> bool {
    let now = model.now;
    let mut any = false;
    model.each_behind(|session, wanted| {
        if session.unlock().job().is_some_and(|job| !job.stopping) {
            any = true;
            session.stop_unlock(now, wanted);
        }
    });
    any
}
