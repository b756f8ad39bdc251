//! The tour of the demo: one line that names the next step, up to the first unlock and its result.
//!
//! It never asks and never stands in the way: every key means what it always means. A step is done once its aim is reached,
//! however and in whichever order; the line names the first that is not. Only the command that began it ends it early. What
//! was done is kept with the place, so that a finished tour is not shown again.

use super::*;

/// Which steps are done, a bit for each: at first none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tour(u8);

/// What a click on its line does, its words, and whether its aim is reached.
type TourStep = (Command, &'static str, fn(&Model) -> bool);

const STEPS: [TourStep; Tour::LENGTH] = [
    (Command::Results(Results::MainField), "Press <results.main-field> and type nurse, then <text.submit>.", |model| {
        let window = &model.session.side(model.search.side).window;
        !window.query().is_unfiltered() && window.total().is_some_and(|total| total > 0)
    }),
    (Command::Results(Results::Stage), "Press <results.stage> to add a contact. It's free.", staged),
    (
        Command::Results(Results::Unlock),
        "Press <results.unlock>, type the number of credits, then <money.confirm>.",
        bought,
    ),
    (
        Command::App(App::Go(Screen::Owned)),
        "Press <everywhere.owned> to see what you own. <owned.export> exports it for free.",
        |model| model.nav.screen == Screen::Owned,
    ),
    (
        Command::App(App::Help),
        "Press <everywhere.help> for the keys of this screen, <everywhere.commands> for all commands.",
        |model| matches!(model.nav.top(), Some(Dialog::Help(_))),
    ),
];

impl Tour {
    pub const LENGTH: usize = 5;

    pub const OVER: Tour = Tour(u8::MAX);

    /// What is to be tried next, with its number; none where the tour is over.
    pub fn step(self) -> Option<(usize, Command, &'static str)> {
        (0..Tour::LENGTH).find(|at| self.0 >> at & 1 == 0).map(|at| (at + 1, STEPS[at].0, STEPS[at].1))
    }
}

/// Marks the steps whose aim is reached. True where there was one.
pub fn advance(model: &mut Model) -> bool {
    if !model.opened || model.tour.step().is_none() {
        return false;
    }
    let reached = (0..Tour::LENGTH).filter(|at| STEPS[*at].2(model));
    let done = reached.fold(model.tour.0, |done, at| done | 1 << at);
    std::mem::replace(&mut model.tour, Tour(done)).0 != done
}

fn staged(model: &Model) -> bool {
    let unlock = model.session.unlock();
    unlock.is_running() || bought(model) || !model.session.side(model.search.side).basket.is_empty()
}

/// Once it has ended: what comes next shows what was bought.
fn bought(model: &Model) -> bool {
    model.session.unlock().last().is_some()
}
