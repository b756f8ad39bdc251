//! The model as lines of text, and the answers to them: for screen readers, simple terminals and logs.
//!
//! The same model under the same commands and guards; only what a person reads and types differs. A page is made of labeled
//! lines; the caller prints those that are new. Answers have numbers, except where a number is an amount of credits.
//! What no line is made for here is read off the screen itself, without its borders.

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::keys::chord::{Chord, read_sequence, sequence_text};
use crate::model::{Model, facts};
use crate::scene::prelude::*;
use crate::screens::search::{extent, filters};
use crate::unlock::review::{DELIBERATE, MoneyDialog};
use crate::{card, keys::keymap::Resolved, msg::Msg, screens::search::state::Pane, view};
use lode_engine::flow::search::window::Slot;

/// The size of the screen that is read off where no line is made for something.
pub const SIZE: (u16, u16) = (100, 60);
/// Lines of a list that are offered at once; typing finds the others.
const OFFERED: usize = 80;

/// What is to be read, and what may be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPage {
    pub lines: Vec<String>,
    pub choices: Vec<LinearChoice>,
    pub wants: Wants,
}

/// What a typed line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// The number of a choice.
    Choice,
    /// The text of a field.
    Text,
    /// The same, not to be shown.
    Secret,
    /// An amount of credits.
    Amount,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinearChoice {
    pub words: String,
    pub does: LineEffect,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LineEffect {
    Keys(Vec<Chord>),
    /// Takes a line of the list that is open.
    Answer(usize),
}

pub fn page(model: &Model) -> LinearPage {
    let mut lines = vec![status(model)];
    lines.extend(job(model));
    let (choices, wants) = match model.nav.top() {
        Some(dialog) => {
            lines.extend(dialog_lines(model, dialog));
            dialog_choices(model, dialog)
        }
        None if !model.opened => (Vec::new(), Wants::Choice),
        None => {
            lines.extend(if model.nav.screen == Screen::Search { search(model) } else { shown(model, WIDE) });
            match facts::chain_of(model)[0] {
                Context::Text => (Vec::new(), Wants::Text),
                _ => (commands(model).collect(), Wants::Choice),
            }
        }
    };
    if let Some(notice) = &model.messages.notice {
        lines.push(format!("{}: {}", if notice.bad { "Error" } else { "Message" }, notice.words));
    }
    let lines = lines.iter().map(|line| plain(&model.keymap.spelled(line))).filter(|line| !line.is_empty()).collect();
    LinearPage { lines, choices, wants }
}

/// `Status: demo, sandbox. Workspace · US. 1,204 credits, this session 0.`
fn status(model: &Model) -> String {
    let session = &model.session;
    let profile = session.profile();
    let kind = if profile.live { "LIVE" } else { "SANDBOX" };
    let mut words = format!("Status: {}, {kind}. {}.", profile.name, model.search.side);
    if !model.opened {
        words.push_str(" Opening.");
    } else if let Some(credits) = session.balance.credits {
        let spent = session.ledger.spent.as_ref();
        let spent = spent.map_or(String::new(), |spent| format!(", this session {}", spent.session));
        words.push_str(&format!(" {}{spent}.", credits.words()));
    }
    words
}

/// What runs, and what is unknown.
fn job(model: &Model) -> Option<String> {
    let session = &model.session;
    if let Some(job) = session.unlock().job() {
        let ((done, of), (request, requests), tally) = (job.contacts(), job.batches(), &job.tally);
        let state = match (job.stopping, job.checking(), job.rests()) {
            (true, ..) => ", stopping after the current request".to_owned(),
            (_, Some(_), _) => format!(", {}, checking for free", job.trouble()),
            (_, _, Some((_, tries))) if tries > 0 => format!(", {}, trying again soon", job.trouble()),
            _ => String::new(),
        };
        return Some(format!(
            "Job: unlocking {done} of {of}, request {request} of {requests}, charged {}, refunded {}{state}.",
            tally.charged, tally.refunded
        ));
    }
    if let Some((read, wanted)) = session.side(model.search.side).reading() {
        // In steps: each line that is another one is read out.
        return Some(format!("Job: reading {} of {}.", grouped(read / 1_000 * 1_000), counted(wanted, "row")));
    }
    if let Some(running) = session.exports.jobs().find(|job| job.is_running()) {
        let share = model.share().map_or(String::new(), |share| format!(", {} percent", share / 10 * 10));
        return Some(format!("Job: exporting {}{share}.", running.what));
    }
    (!session.recovery.is_clear())
        .then(|| format!("Job: {} have an unknown result and are on hold.", contacts(facts::unknown(model))))
}

/// The screen as it is drawn.
fn shown(model: &Model, width: u16) -> Vec<String> {
    drawn(model, width, |model, buf, cx, area| model.draw_shown(area, buf, cx))
}

/// The search, the row under the cursor, and the filter or field that has the keys.
fn search(model: &Model) -> Vec<String> {
    let state = &model.search;
    let (grid, side) = (state.grid(), model.session.side(state.side));
    let window = &side.window;
    let count = grid.count(window);
    if let Some(edit) = &state.edit {
        let value = edit.input.value();
        let now = if value.is_empty() { "empty".to_owned() } else { format!("`{value}`") };
        return vec![format!("Field: {}, {}. It is {now}.", edit.filter.label(), edit.filter.rule())];
    }
    if count == 0 {
        return shown(model, ALONE);
    }
    let found = match &grid.order {
        Some(order) if !order.only_new => format!("sorted {}", extent(order.rows.len(), window)),
        _ => format!("{} found", contacts(usize::try_from(count).unwrap_or(usize::MAX))),
    };
    let mut lines = vec![format!("Search: {}, {found}.", grid.draft.words())];
    let (read, legs) = window.read();
    if read < legs {
        lines.push(format!("{read} of {} read so far.", counted(legs as u64, "search")));
    }
    if state.pane == Pane::Filters
        && let Some(filters::FilterLine::Filter(filter)) = state.filter_line()
    {
        let values = grid.draft.values(filter);
        let value = if values.is_empty() { "any".to_owned() } else { values.join(", ") };
        lines.push(format!("Filter: {} {value}.", filter.label()));
    }
    let place = format!("Row {} of {}", grouped(grid.cursor + 1), grouped(count));
    lines.push(match window.slot(grid.index(grid.cursor)) {
        Slot::Row(row) | Slot::Again(row) => {
            let known = |what| row.known(what).to_owned();
            let mut words = vec![row.name(), known(Known::Title), known(Known::Company), known(Known::State)];
            let hidden = state.masked && row.unlocked();
            for (label, value) in [("email", row.email()), ("phone", row.known(Known::Phone))] {
                if !value.is_empty() {
                    words.push(format!("{label} {}", if hidden { "masked" } else { value }));
                }
            }
            words.extend(card::status(&Fields::of(row)).map(|(.., word, _)| word.into_owned()));
            let is_locked = !row.unlocked() && state.side.source == Source::Workspace;
            let is_staged = row.id().is_some_and(|id| side.basket.contains(id));
            let states = [(row.unlocked(), "owned"), (is_locked, "locked"), (is_staged, "in the basket")];
            let states = states.into_iter().chain([(grid.is_repeat(window), "shown before, counts once")]);
            words.extend(states.filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()));
            words.retain(|word| !word.is_empty());
            format!("{place}: {}.", words.join(", "))
        }
        Slot::Waiting => format!("{place}: loading."),
        _ => format!("{place}: not there any more."),
    });
    lines
}

fn dialog_lines(model: &Model, dialog: &Dialog) -> Vec<String> {
    match dialog {
        Dialog::Picker(picker) => {
            let mut lines = counted(picker.shown() as u64, "line") + ".";
            if picker.shown() > OFFERED {
                lines.push_str(&format!(" The first {OFFERED} are listed; type words to find the others."));
            }
            vec![format!("List: {}. {}", picker.title, picker.rule), lines]
        }
        Dialog::Ask(form) if form.list().is_some() => vec![format!("Question: {}. {}", form.title, form.above[0].0)],
        Dialog::Ask(form) => {
            let now = match form.value() {
                "" => String::new(),
                value => format!(" It is `{value}`; <text.submit> keeps it."),
            };
            vec![format!("Question: {}. {}{now}", form.title, form.above[0].0.replace('\n', " "))]
        }
        dialog => {
            let answers = answers(dialog);
            let lines = drawn(model, WIDE, |model, buf, cx, area| view::dialog(model, dialog, buf, cx, area));
            // What is offered as an answer is not read twice.
            let offered = |line: &String| {
                let line = plain(line);
                answers.iter().any(|answer| line.trim_start_matches(['▸', ' ']).starts_with(answer.as_str()))
            };
            lines.into_iter().filter(|line| !offered(line)).collect()
        }
    }
}

/// The answers of a dialog that is a list of them.
fn answers(dialog: &Dialog) -> Vec<String> {
    match dialog {
        Dialog::Help(_) | Dialog::Columns(_) => Vec::new(),
        Dialog::Ask(_) | Dialog::Picker(_) => dialog.list().map_or_else(Vec::new, |list| list.offered(OFFERED)),
        _ => dialog.list().into_iter().flat_map(|list| &list.items).map(|item| item.left.clone()).collect(),
    }
}

fn dialog_choices(model: &Model, dialog: &Dialog) -> (Vec<LinearChoice>, Wants) {
    let answers = answers(dialog).into_iter().enumerate();
    let mut choices: Vec<LinearChoice> =
        answers.map(|(at, words)| LinearChoice { words, does: LineEffect::Answer(at) }).collect();
    let wants = match dialog {
        Dialog::Money(_) => Wants::Amount,
        Dialog::Setup(setup) if matches!(&setup.form.body, FormBody::Field(field) if field.hidden) => Wants::Secret,
        Dialog::Picker(_) => Wants::Choice,
        dialog if dialog.chain()[0] == Context::Text => Wants::Text,
        _ => Wants::Choice,
    };
    match dialog {
        Dialog::Ask(_) | Dialog::Setup(_) => {}
        Dialog::Money(_) | Dialog::Recovery(_) => choices.extend(offered(model)),
        Dialog::Picker(_) | Dialog::Profiles(_) => choices.extend(close(model, Command::Text(TextCommand::Leave))),
        _ => {
            choices.extend(commands(model));
            choices.extend(close(model, Command::App(App::Escape)));
        }
    }
    (choices, wants)
}

/// What the footer would name, and moving from row to row.
fn commands(model: &Model) -> impl Iterator<Item = LinearChoice> {
    let moves = [List::Down, List::Up].into_iter().filter_map(|list| choice(model, Command::List(list)));
    moves.chain(offered(model))
}

fn close(model: &Model, command: Command) -> Option<LinearChoice> {
    choice(model, command).map(|choice| LinearChoice { words: "Close".to_owned(), ..choice })
}

fn choice(model: &Model, command: Command) -> Option<LinearChoice> {
    let binding = model.keymap.binding(facts::chain_of(model), command)?;
    Some(LinearChoice { words: binding.row.title.to_owned(), does: LineEffect::Keys(binding.keys.first()?.clone()) })
}

/// The commands that the footer names here, the most important first.
fn offered(model: &Model) -> Vec<LinearChoice> {
    let situation = facts::situation(model);
    let hints = model.keymap.hints(situation.chain).into_iter().filter(|hint| hint.row.is_usable(&situation));
    hints.filter_map(|hint| choice(model, hint.row.command)).collect()
}

/// How a choice is answered where numbers are amounts: by its key.
pub fn key_of(choice: &LinearChoice) -> String {
    match &choice.does {
        LineEffect::Keys(keys) => sequence_text(keys),
        LineEffect::Answer(at) => (at + 1).to_string(),
    }
}

/// What a typed line leads to.
#[derive(Debug, PartialEq)]
pub enum LineAction {
    Do(Box<Msg>),
    /// As long as a hand needs.
    Rest(Duration),
    Say(String),
    /// The choices once more.
    Offer,
}

/// What a line means, going by what was offered when it was typed.
pub fn means(model: &Model, offered: &[LinearChoice], wants: Wants, line: &str, at: Now) -> Vec<LineAction> {
    let typed = line.trim();
    match wants {
        Wants::Text | Wants::Secret if typed.is_empty() => vec![enter()],
        Wants::Text | Wants::Secret => vec![key(Chord::ctrl('e')), key(Chord::ctrl('u')), paste(typed), enter()],
        Wants::Amount => {
            let amount = if let Some(Dialog::Money(money)) = model.nav.top() { amount(money, typed, at) } else { None };
            amount.unwrap_or_else(|| other(model, typed))
        }
        Wants::Choice => match typed.parse::<usize>().ok().and_then(|number| offered.get(number.checked_sub(1)?)) {
            Some(choice) => match &choice.does {
                LineEffect::Keys(keys) => keys.iter().map(|chord| key(*chord)).collect(),
                LineEffect::Answer(at) => vec![LineAction::Do(Box::new(Msg::Chosen(*at)))],
            },
            None => other(model, typed),
        },
    }
}

/// Anything but a number: keys, `/words` for the main field, `:words` for a command, words for the list that is open.
fn other(model: &Model, typed: &str) -> Vec<LineAction> {
    if matches!(model.nav.top(), Some(Dialog::Picker(_))) && !typed.is_empty() {
        return vec![key(Chord::ctrl('u')), paste(typed), enter()];
    }
    if let Some(rest) = typed.strip_prefix(['/', ':']).filter(|rest| !rest.trim().is_empty()) {
        let first = typed.chars().next().unwrap_or(':');
        return vec![key(Chord::char(first)), paste(rest.trim()), enter()];
    }
    if let Ok(chords) = read_sequence(typed)
        && let Some((last, before)) = chords.split_last()
        && matches!(model.keymap.resolve(facts::chain_of(model), before, *last), Resolved::Command(_))
    {
        return chords.into_iter().map(key).collect();
    }
    // An empty line reads the choices again.
    let wrong = (!typed.is_empty()).then(|| LineAction::Say(format!("`{typed}` is not one of the choices.\n")));
    wrong.into_iter().chain([LineAction::Offer]).collect()
}

/// A number under a review: each digit as it is typed, then Enter as late as a hand would press it. A number from before the
/// review was printed does not answer it.
fn amount(money: &MoneyDialog, typed: &str, at: Now) -> Option<Vec<LineAction>> {
    if typed == "0" {
        return Some(vec![key(Chord::plain(KeyCode::Esc))]);
    }
    if typed.is_empty() || !typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if !money.accepts_keys(at) {
        let words = "That came before the review was printed. Read it, then type the amount.\n";
        return Some(vec![LineAction::Say(words.to_owned())]);
    }
    let clear = money.typed.chars().map(|_| Chord::plain(KeyCode::Backspace));
    let digits = clear.chain(typed.chars().map(Chord::char)).map(key);
    Some(digits.chain([LineAction::Rest(DELIBERATE), enter()]).collect())
}

fn key(chord: Chord) -> LineAction {
    LineAction::Do(Box::new(Msg::Key(chord)))
}

fn paste(words: &str) -> LineAction {
    LineAction::Do(Box::new(Msg::Paste(words.to_owned())))
}

fn enter() -> LineAction {
    key(Chord::plain(KeyCode::Enter))
}

/// So wide that nothing is cut: no line has to fit anywhere.
const WIDE: u16 = 400;
/// So narrow that nothing stands beside the list.
const ALONE: u16 = 79;

/// What the screen would show, line by line.
fn drawn(model: &Model, width: u16, draw: impl FnOnce(&Model, &mut Buffer, &mut ViewContext, Rect)) -> Vec<String> {
    let area = Rect::new(0, 0, width, 200);
    let mut buf = Buffer::empty(area);
    let mut cx = ViewContext::new(area, &model.theme, &model.keymap);
    draw(model, &mut buf, &mut cx, area);
    cells::lines(&buf).collect()
}

/// A line without borders, bars and the blanks that hold columns apart.
fn plain(line: &str) -> String {
    let bare: String = line.chars().map(|c| if ('\u{2500}'..='\u{259f}').contains(&c) { ' ' } else { c }).collect();
    let mut line = String::new();
    for part in bare.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            line.push_str(if line.ends_with([',', '.', ':', ';']) { " " } else { ", " });
        }
        line.push_str(part);
    }
    line
}
