//! The money rules, and what each of them forbids in the model.

use super::state::{Ids, ModelBatch, ModelState, ModelWindow, World, count};

/// The money rules, by the names that `flow::unlock` gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Shown,
    Intent,
    Same,
    Twice,
    Holds,
    Unknown,
    Partial,
    Bounded,
    Stored,
    Purse,
    Typed,
    Impossible,
    OneWay,
}

impl Rule {
    pub const ALL: [(Rule, &'static str); 13] = [
        (Rule::Shown, "shown is paid"),
        (Rule::Intent, "intent before send"),
        (Rule::Same, "same batch, same ids"),
        (Rule::Twice, "never twice"),
        (Rule::Holds, "holds"),
        (Rule::Unknown, "unknown is a state"),
        (Rule::Partial, "partial is normal"),
        (Rule::Bounded, "bounded"),
        (Rule::Stored, "responses are stored first"),
        (Rule::Purse, "one purse"),
        (Rule::Typed, "typed"),
        (Rule::Impossible, "impossible stops"),
        (Rule::OneWay, "one way out"),
    ];

    pub fn name(self) -> &'static str {
        Rule::ALL.iter().find(|(rule, _)| *rule == self).expect("each rule has a name").1
    }
}

/// The rule that a request breaks by leaving. `written`: its batch, as it was written down.
pub fn broken_by_request(
    ids: Ids,
    window: &ModelWindow,
    written: Option<&ModelBatch>,
    state: &ModelState,
) -> Option<Rule> {
    let is_again = written.is_some_and(|batch| batch.sent > 1);
    let is_other = written.is_some_and(|batch| batch.ids != ids);
    first_of([
        (Rule::Intent, written.is_none()),
        (Rule::Shown, ids & state.listed != 0),
        (Rule::Impossible, is_other && window.mistaken),
        (Rule::Same, is_other || is_again && !window.checked || window.sends > 4),
        (Rule::Twice, ids & state.recorded != 0),
        (Rule::Partial, window.alarm),
    ])
}

/// The rule that is broken in a state, however it came about.
pub fn broken_in(state: &ModelState, world: &World) -> Option<Rule> {
    let open = state.open_of(0xff, |_| true);
    let each: u8 = state.batches.iter().map(|batch| count(batch.open)).sum();
    let over = |purse: Ids| u32::from(count((state.spent | open) & purse)) > world.cap;
    first_of([
        (Rule::Twice, each > count(open)),
        // Holds count like charges.
        (Rule::Bounded, over(0x0f) || over(0xf0)),
        // What was charged to us is in the books as charged, or it is still looked for.
        (Rule::Unknown, state.charged & !(open | state.spent) != 0),
        (Rule::Purse, state.recorded & !state.owned != 0),
        (Rule::Typed, state.windows.iter().any(|window| window.sent > window.typed)),
        (Rule::OneWay, state.batches.iter().any(|batch| batch.left > batch.sent)),
    ])
}

fn first_of<const COUNT: usize>(rules: [(Rule, bool); COUNT]) -> Option<Rule> {
    rules.into_iter().find_map(|(rule, broken)| broken.then_some(rule))
}
