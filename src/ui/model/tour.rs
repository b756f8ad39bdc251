//! The tour of the demo: one line that names the next thing to try.
//!
//! It never asks and never stands in the way: every key means what it always means, and a step is behind when the person did
//! what it names, however. Esc ends it where nothing else is left to close. How far it came is kept with the place, so
//! that whoever left it is not shown it again.

use crate::keys::command::{App, Command, List, Results, Screen};
use crate::keys::situation::{Context, chain};
use crate::ui::dialogs::Dialog;

use super::Model;

/// How many steps are behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tour(usize);

#[derive(Debug)]
pub struct Step {
    /// Where its key is looked up, so that the line shows the key as it is bound.
    pub contexts: &'static [Context],
    pub command: Command,
    /// After the key.
    pub words: &'static str,
    done: fn(&Model) -> bool,
}

const STEPS: [Step; Tour::LENGTH] = [
    Step {
        contexts: chain::RESULTS,
        command: Command::List(List::Last),
        words: "goes to the last row, however many there are",
        done: on_the_last_row,
    },
    Step {
        contexts: chain::RESULTS,
        command: Command::Results(Results::MainField),
        words: "searches: type a title, such as nurse, then Enter",
        done: found_something,
    },
    Step {
        contexts: chain::RESULTS,
        command: Command::Results(Results::Stage),
        words: "puts the row in the basket; nothing is spent",
        done: staged,
    },
    Step {
        contexts: chain::RESULTS,
        command: Command::Results(Results::Unlock),
        words: "reviews it: type the number of credits, then Enter",
        done: bought,
    },
    Step {
        contexts: chain::RESULTS,
        command: Command::App(App::Go(Screen::Owned)),
        words: "shows what is yours; e exports it, for free",
        done: at_owned,
    },
    Step {
        contexts: chain::RESULTS,
        command: Command::App(App::Help),
        words: "lists the keys of where you are, : all commands",
        done: in_help,
    },
];

impl Tour {
    pub const LENGTH: usize = 6;

    pub fn over() -> Tour {
        Tour(Tour::LENGTH)
    }

    pub fn after(behind: usize) -> Tour {
        Tour(behind.min(Tour::LENGTH))
    }

    pub fn behind(self) -> usize {
        self.0
    }

    /// What is to be tried next; none where the tour is over.
    pub fn step(self) -> Option<&'static Step> {
        STEPS.get(self.0)
    }
}

/// Goes on where the step was done. True where it was.
pub fn advance(model: &mut Model) -> bool {
    let done = model.opened && model.tour.step().is_some_and(|step| (step.done)(model));
    if done {
        model.tour = Tour::after(model.tour.behind() + 1);
    }
    done
}

fn on_the_last_row(model: &Model) -> bool {
    let seat = model.search.seat();
    let rows = seat.count(&model.session.side(model.search.side).window);
    rows > 1 && seat.cursor + 1 == rows
}

fn found_something(model: &Model) -> bool {
    let window = &model.session.side(model.search.side).window;
    !window.query().is_unfiltered() && window.total().is_some_and(|total| total > 0)
}

fn staged(model: &Model) -> bool {
    !model.session.side(model.search.side).basket.is_empty()
}

fn bought(model: &Model) -> bool {
    model.session.unlock.is_running() || model.session.unlock.last().is_some()
}

fn at_owned(model: &Model) -> bool {
    model.nav.screen == Screen::Owned
}

fn in_help(model: &Model) -> bool {
    matches!(model.nav.top(), Some(Dialog::Picker(picker)) if picker.title == "HELP")
}
