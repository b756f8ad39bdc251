//! What a typed line means: the number of a choice, an amount, the text of a field, a key.

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::dialogs::Dialog;
use crate::dialogs::money::{DELIBERATE, Money};
use crate::keys::chord::{Chord, read_sequence};
use crate::keys::keymap::Resolved;
use crate::model::{Model, facts};
use crate::msg::Msg;
use lode_core::time::Now;

use super::{Choice, Does, Wants};

/// What a typed line leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Do(Box<Msg>),
    /// As long as a hand needs.
    Rest(Duration),
    Say(String),
    /// The choices once more.
    Offer,
}

/// What a line means, going by what was offered when it was typed.
pub fn means(model: &Model, offered: &[Choice], wants: Wants, line: &str, at: Now) -> Vec<Step> {
    let typed = line.trim();
    match wants {
        Wants::Text | Wants::Secret => {
            let text = if typed.is_empty() {
                Vec::new()
            } else {
                vec![key(Chord::ctrl('e')), key(Chord::ctrl('u')), paste(typed)]
            };
            text.into_iter().chain([enter()]).collect()
        }
        Wants::Amount => match model.nav.top() {
            Some(Dialog::Money(money)) => amount(money, typed, at),
            _ => None,
        }
        .unwrap_or_else(|| other(model, typed)),
        Wants::Choice => match typed.parse::<usize>().ok().and_then(|number| offered.get(number.checked_sub(1)?)) {
            Some(choice) => match &choice.does {
                Does::Keys(keys) => keys.iter().map(|chord| key(*chord)).collect(),
                Does::Answer(at) => vec![Step::Do(Box::new(Msg::Chosen(*at)))],
            },
            None => other(model, typed),
        },
    }
}

/// Anything but a number: keys, `/words` for the main field, `:words` for a command, words for the list that is open.
fn other(model: &Model, typed: &str) -> Vec<Step> {
    if matches!(model.nav.top(), Some(Dialog::Picker(_))) && !typed.is_empty() {
        return vec![key(Chord::ctrl('u')), paste(typed), enter()];
    }
    if let Some(rest) = typed.strip_prefix(['/', ':']).filter(|rest| !rest.trim().is_empty()) {
        let first = typed.chars().next().unwrap_or(':');
        return vec![key(Chord::char(first)), paste(rest.trim()), enter()];
    }
    let contexts = facts::chain_of(model);
    if let Ok(chords) = read_sequence(typed)
        && let Some((last, before)) = chords.split_last()
        && matches!(model.keymap.resolve(contexts, before, *last), Resolved::Command(_))
    {
        return chords.into_iter().map(key).collect();
    }
    // An empty line reads the choices again.
    let wrong = (!typed.is_empty()).then(|| Step::Say(format!("`{typed}` is not one of the choices.\n")));
    wrong.into_iter().chain([Step::Offer]).collect()
}

/// A number under a review: each digit as it is typed, then Enter as late as a hand would press it. A number from before the
/// review was printed is no answer to it.
fn amount(money: &Money, typed: &str, at: Now) -> Option<Vec<Step>> {
    if typed == "0" {
        return Some(vec![key(Chord::plain(KeyCode::Esc))]);
    }
    if typed.is_empty() || !typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if !money.hears(at) {
        let words = "That came before the review was printed. Read it, then type the amount.\n";
        return Some(vec![Step::Say(words.to_owned())]);
    }
    let clear = money.typed.chars().map(|_| Chord::plain(KeyCode::Backspace));
    let digits = clear.chain(typed.chars().map(Chord::char)).map(key);
    Some(digits.chain([Step::Rest(DELIBERATE), enter()]).collect())
}

fn key(chord: Chord) -> Step {
    Step::Do(Box::new(Msg::Key(chord)))
}

fn paste(words: &str) -> Step {
    Step::Do(Box::new(Msg::Paste(words.to_owned())))
}

fn enter() -> Step {
    key(Chord::plain(KeyCode::Enter))
}
