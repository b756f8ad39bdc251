//! Facts derived from the model: the situation that decides on keys, when a number on the screen changes, and times as they
//! are shown.

use super::*;

/// The contexts in which the next key is looked up.
pub fn chain_of(model: &Model) -> Chain {
    match model.nav.top() {
        Some(dialog) if !dialog.is_contact() => dialog.chain(),
        _ if model.nav.screen == Screen::Search => model.search.chain(),
        _ => model.nav.screen.chain(),
    }
}

/// The row under the cursor, also of a screen that lists owned contacts.
pub fn row(model: &Model) -> Option<Row> {
    let (shown, scene) = (model.shown(), model.scene_ref());
    shown.row(scene).cloned().or_else(|| shown.selection(scene).into_iter().next())
}

/// Where that row leads outside of lode; in mask mode not to what is owned.
pub fn leads(model: &Model) -> Vec<Lead> {
    let Some(row) = row(model) else { return Vec::new() };
    link::leads(&row).into_iter().filter(|lead| is_shown(model, &row, lead.kind)).collect()
}

fn is_shown(model: &Model, row: &Row, kind: LeadKind) -> bool {
    let is_hidden = model.search.masked && (row.unlocked() || model.nav.screen == Screen::Owned);
    !is_hidden || matches!(kind, LeadKind::Website | LeadKind::Profile)
}

pub fn situation(model: &Model) -> Situation {
    let side = model.search.side;
    let state = model.session.side(side);
    let lead_kinds = |row: Row| link::kinds(&row).filter(|kind| is_shown(model, &row, *kind)).collect::<Vec<_>>();
    // The keys of a field do nothing to the row.
    let has_field = model.search.edit.is_some() && model.nav.top().is_none();
    let leads = if has_field { None } else { row(model) }.map_or_else(Vec::new, lead_kinds);
    let (row, scene) = (model.search.grid().row(&state.window), model.scene_ref());
    let list = model.nav.top().and_then(Dialog::list);
    let quote = if let Some(Dialog::Money(money)) = model.nav.top() { money.quote.as_deref() } else { None };
    Situation {
        chain: chain_of(model),
        source: side.source,
        may_unlock: model.session.balance.may_unlock(),
        has_workspace: model.session.profile().workspace.is_some(),
        has_data: model.session.profile().data.is_some(),
        has_row: model.shown().has_row(scene),
        row_runs: model.shown().row_runs(scene),
        row_has_id: row.is_some_and(|row| row.id().is_some()),
        row_owned: row.is_some_and(Row::unlocked),
        leads: [&[LeadKind::Website, LeadKind::Profile][..], &[LeadKind::Mail], &[LeadKind::Phone]]
            .map(|kinds| leads.iter().any(|kind| kinds.contains(kind))),
        has_results: state.window.total().is_some_and(|total| total > 0),
        staged: state.basket.len() as u64,
        can_undo: !model.search.undo.is_empty(),
        can_redo: !model.search.redo.is_empty(),
        has_error: model.messages.last_error.is_some(),
        has_request: model.session.desk.last_request.is_some(),
        has_link: model.shown().row(scene).or(row).is_some_and(|row| row_link(row).is_some()),
        demo: model.session.profile().demo,
        enter: model.nav.top().map_or("search", Dialog::enter),
        dialog_open: model.nav.top().is_some(),
        contact_open: model.nav.top().is_some_and(Dialog::is_contact),
        has_suggestions: match model.nav.top() {
            Some(_) => list.is_some_and(|list| list.shown() > 0),
            None => model.search.edit.as_ref().is_some_and(|edit| !edit.suggestions.is_empty()),
        },
        has_marks: list.is_some_and(|list| list.items.iter().any(|item| item.mark.is_some())),
        has_risky: quote.is_some_and(|quote| quote.risky_count() > 0),
        has_duplicates: quote.is_some_and(|quote| !quote.duplicates.is_empty()),
        has_suppressed: quote.is_some_and(|quote| !quote.suppressed.is_empty() || !quote.unchecked.is_empty()),
        has_bought: matches!(model.nav.top(), Some(Dialog::Summary(paid)) if paid.has_contacts()),
        can_pay: quote.is_none_or(|quote| quote.most > Credits::ZERO),
        can_finish: matches!(model.nav.top(), Some(Dialog::Recovery(_))) && model.session.finishable().is_some(),
        has_choice: quote.is_none_or(|quote| quote.again().is_none()),
    }
}

/// From this age on, the header says when the balance was read.
pub const OLD: Duration = Duration::from_secs(60);

const DAY: i64 = 86_400_000;

/// When a number on the screen changes by time alone: a count-down, the clock of a running search. Nothing else wakes the program.
pub fn clock(model: &Model) -> Option<Mono> {
    let now = model.now;
    let desk = &model.session.desk;
    let window = &model.session.side(model.search.side).window;
    let next_second = |since: Mono| Mono(since.0 + (now.mono.0.saturating_sub(since.0) / 1000 + 1) * 1000);
    let running = if let Status::Running { since, .. } = window.status() { Some(next_second(*since)) } else { None };
    let asked = model.shown().running_since(model.scene_ref());
    let counting = match window.waits(desk, now) {
        Some(Waits::Pause(paused)) => Some(paused.until),
        Some(Waits::Slot { until: Some(until) } | Waits::Again { until, .. }) => Some(until),
        _ => desk.gauge(model.search.side.source, now).paused.map(|paused| paused.until),
    };
    // A count-down shows whole seconds, rounded up: it changes when a whole number of them is left.
    let counting = counting.map(|until| {
        let left = until.0.saturating_sub(now.mono.0);
        Mono(until.0 - left.saturating_sub(1) / 1000 * 1000)
    });
    let working = model.session.unlock().is_running() || model.session.matching.is_running();
    let working = working.then(|| next_second(Mono(0)));
    let balance = model.session.balance.age(now).and_then(|age| OLD.checked_sub(age)).map(|left| now.mono.after(left));
    // Then the hour of the balance becomes `yesterday`.
    let passed = (now.wall.0 + i64::from(model.offset_minutes) * 60_000).rem_euclid(DAY);
    let midnight = model.session.balance.reading.map(|_| Mono(now.mono.0 + (DAY - passed) as u64));
    let all = [running, asked.map(next_second), counting, working, balance, midnight];
    all.into_iter().flatten().filter(|at| *at > now.mono).min()
}

/// What motion follows; `body` is the height of the screen, where rows may have changed. `acts`: the person did something else than move the
/// cursor.
pub fn observed(model: &Model, body: Option<u16>, acts: bool) -> Observed {
    let (shown, scene) = (model.shown(), model.scene_ref());
    let is_loading = shown.is_loading(scene);
    let is_search = model.nav.screen == Screen::Search;
    let is_read = match model.nav.top() {
        Some(Dialog::Money(money)) => money.quote.is_some(),
        Some(Dialog::Reader(reader)) if reader.source == ReaderSource::Receipts => {
            model.session.ledger.receipts.is_some()
        }
        _ => true,
    };
    Observed {
        place: (model.nav.screen, model.search.side),
        rows: body.map(|height| shown.states(scene, height)),
        credits: model.session.balance.credits,
        is_exact: model.nav.dialogs.iter().any(|dialog| matches!(dialog, Dialog::Money(_))),
        waits: [is_search && is_loading, !model.opened || !is_read || is_loading && !is_search, model.running() > 0],
        cursor: model.search.grid().cursor,
        acts,
    }
}

/// What the rate limit makes one wait for. Where there are no rows yet, the Search screen says it in their place.
pub fn waiting(model: &Model) -> Option<String> {
    let (search, session) = (&model.search, &model.session);
    if model.nav.screen == Screen::Search && search.grid().count(&session.side(search.side).window) == 0 {
        return None;
    }
    search::view::waiting(search, session, model.now)
}

/// `4 of 120 requests in the last minute`
pub fn requests(model: &Model, source: Source) -> String {
    let gauge = model.session.desk.gauge(source, model.now);
    let used = |of: u32| format!("{} of {}", gauge.used, counted(of.into(), "request"));
    format!("{} in the last minute", gauge.of.map_or_else(|| counted(gauge.used.into(), "request"), used))
}

/// A reader with its lines. None while the contact that it shows is not here.
pub fn read<'a>(model: &'a Model, reader: &'a Reader) -> Option<Cow<'a, Reader>> {
    let mut lines = match reader.source {
        ReaderSource::Own => return Some(Cow::Borrowed(reader)),
        ReaderSource::Contact | ReaderSource::Raw => {
            model.shown().contact_reader(model.scene_ref(), reader.source == ReaderSource::Raw)?
        }
        ReaderSource::Receipts => receipts::reader(model),
    };
    lines.top = reader.top;
    Some(Cow::Owned(lines))
}

/// Contacts without an outcome.
pub fn unknown(model: &Model) -> usize {
    let batches = model.session.recovery.batches();
    let ids = batches.flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id)));
    BTreeSet::<(Corpus, RowId)>::from_iter(ids).len()
}
