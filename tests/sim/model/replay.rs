//! A trace of the model on the real machine: session, store and service. After each step both must agree.

use crate::simulation::Simulation;
use crate::simulation::scripts;

use super::state::{Command, Gate, Ids, Line, ModelState, World};
use super::steps::{Step, What};

/// The facts that are compared between model and machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub gates: [Gate; 2],
    /// Requests on their way to the service.
    pub under_way: Vec<Ids>,
    /// Each batch: its contacts, those without an outcome, and how often it was written down to be sent.
    pub batches: Vec<(Ids, Ids, u8)>,
    /// At the service.
    pub owned: Ids,
    pub charged: Ids,
    /// In our books.
    pub recorded: Ids,
    pub spent: Ids,
}

impl Seen {
    fn of(state: &ModelState) -> Seen {
        Seen {
            gates: [state.windows[0].at, state.windows[1].at],
            under_way: state.wire.iter().filter(|one| one.said.is_none()).map(|one| one.ids).collect(),
            batches: state.batches.iter().map(|batch| (batch.ids, batch.open, batch.sent)).collect(),
            owned: state.owned,
            charged: state.charged,
            recorded: state.recorded,
            spent: state.spent,
        }
    }
}

/// Plays a trace. An error tells where model and machine differ, or which rule the referee saw broken.
pub fn replay(world: &World, trace: &[Step]) -> Result<usize, String> {
    let played = std::panic::catch_unwind(|| play(world, trace));
    played.unwrap_or_else(|_| Err(format!("{}: the machine stopped", words(trace))))
}

fn play(world: &World, trace: &[Step]) -> Result<usize, String> {
    let mut sim = Simulation::guided(world.batch as u32, world.cap.into(), world.is_apart());
    sim.traced = crate::number("SIM_TRACE").is_some();
    let mut state = world.start();
    for (at, step) in trace.iter().enumerate() {
        let here = || format!("after step {} of {}", at + 1, words(&trace[..=at]));
        assert!(state.steps(world).contains(step), "{}: no trace of the model", here());
        if !is_possible(&sim, *step) {
            return Err(format!("{}: the machine cannot do this: {:?}", here(), sim.seen()));
        }
        take(&mut sim, world, *step);
        (state, _) = state.after(world, *step);
        let is_young = state.batches.iter().any(|batch| batch.open != 0 && batch.line == Line::Young);
        if !is_young && !state.windows.iter().any(|window| window.at == Gate::Quiet) {
            sim.no_line_is_young();
        }
        if sim.takes_too_long() {
            return Ok(at);
        }
        let (model, machine) = (Seen::of(&state), sim.seen());
        if model != machine {
            return Err(format!("{}:\n      model {model:?}\n    machine {machine:?}", here()));
        }
        if let Some(words) = sim.broken() {
            return Err(format!("{}: {words}", here()));
        }
    }
    Ok(trace.len())
}

pub fn words(trace: &[Step]) -> String {
    trace.iter().map(Step::to_string).collect::<Vec<_>>().join(",")
}

/// A machine with a defect may be somewhere else.
fn is_possible(sim: &Simulation, Step(what, number): Step) -> bool {
    let w = usize::from(number);
    match what {
        What::Buy | What::Recover | What::Finish => sim.gate(w) == Gate::Off,
        What::Write | What::Mistake => sim.gate(w) == Gate::Write,
        What::Arrive => sim.requests_under_way() > w,
        What::Hear | What::Lie => sim.gate(w) == Gate::Wire && sim.is_answered(w),
        What::Break => sim.gate(w) == Gate::Wire,
        What::Keep | What::Full => sim.gate(w) == Gate::Keep,
        What::Settle => sim.gate(w) == Gate::Settle,
        What::Crash => sim.gate(w) != Gate::Off,
        What::List | What::Member | What::Key | What::Clock => true,
    }
}

fn take(sim: &mut Simulation, world: &World, Step(what, number): Step) {
    let w = usize::from(number);
    // A contact as a bit: which window's purse it is of, and its id there.
    let (of, id) = (usize::from(number > 3), 1 + i64::from(number % 4));
    match what {
        What::Buy => sim.begin(w, command(world, w, Command::Buy)),
        What::Recover => sim.begin(w, command(world, w, Command::Recover)),
        What::Finish => sim.begin(w, command(world, w, Command::Finish)),
        What::Write | What::Keep | What::Settle => sim.store_turn(w),
        What::Arrive => sim.arrives(w),
        What::Hear => sim.hears(w, false),
        What::Lie => sim.hears(w, true),
        What::Break => sim.line_breaks(w),
        What::Full => sim.disk_is_full(w),
        What::Crash => sim.dies(w),
        What::Mistake => sim.mistakes(w),
        What::List => sim.lists(of, id),
        What::Member => sim.member_buys(of, id as u64),
        What::Key => sim.keys_are_replaced(),
        What::Clock => sim.minutes_pass(),
    }
}

fn command(world: &World, w: usize, command: Command) -> scripts::Wanted {
    match command {
        Command::Buy => {
            let ids: Vec<i64> = (0..8).filter(|bit| world.wants[w] & 1 << bit != 0).map(|bit| 1 + bit % 4).collect();
            scripts::buying_within(&ids, world.amounts[w].into())
        }
        Command::Recover => scripts::checking(),
        Command::Finish => scripts::finishing(world.batch as i64),
    }
}
