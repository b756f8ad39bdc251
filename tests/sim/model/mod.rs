//! The model.
mod replay;
mod state;
mod steps;
mod walk;

pub use replay::Seen;
pub use state::{Gate, Ids};

use state::{Budget, World};
use walk::Walk;

fn worlds() -> [World; 3] {
    let budget = Budget { crashes: 1, breaks: 1, fulls: 1, lies: 1, lists: 1, members: 1, keys: 1, clocks: 1, mistakes: 1 };
    let pairs = World { name: "pairs", batch: 2, wants: [0b1011, 0b1110], amounts: [3, 2], processes: 2, cap: 3,
        may_list: 0b0010, may_be_bought: 0b0010, budget, weak: None };
    let singles = World { name: "singles", batch: 1, ..pairs.clone() };
    let apart = World { name: "apart", wants: [0b0011, 0b0110_0000], amounts: [2, 2], ..pairs.clone() };
    [pairs, singles, apart]
}

#[test]
fn try_it() {
    let mut failed = 0;
    for world in worlds() {
        let began = std::time::Instant::now();
        let depth = super::number("MODEL_DEPTH").unwrap_or(4) as usize;
        let walk = Walk::through(&world, depth);
        let every = super::number("MODEL_EVERY").unwrap_or(1) as usize;
        let mut played = 0;
        for at in walk.ends.iter().step_by(every) {
            played += 1;
            if let Err(error) = replay::replay(&world, &walk.trace(*at)) {
                println!("{}: {error}", world.name);
                failed += 1;
                if failed > 8 { panic!("no"); }
            }
        }
        println!("{} {} states, {played} replayed {:.1} s", world.name, walk.states(), began.elapsed().as_secs_f64());
    }
    assert_eq!(failed, 0);
}

#[test]
fn one_trace() {
    let text = std::env::var("MODEL_TRACE").unwrap_or_else(|_| "pairs:buy0,write0".to_owned());
    let (name, steps) = text.split_once(':').expect("WORLD:STEPS");
    let world = worlds().into_iter().find(|world| world.name == name).expect("a world");
    let trace: Vec<_> = steps.split(',').map(|step| steps::Step::read(step).expect(step)).collect();
    assert_eq!(replay::replay(&world, &trace), Ok(()));
}
