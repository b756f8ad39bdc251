//! Every state of a world, breadth first. A state is known by its hash, and found again by the steps that led to it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::rules::Rule;
use super::state::{ModelState, World};
use super::steps::Step;

/// The result of a walk.
#[derive(Default)]
pub struct Walk {
    /// Of each state: the one before it, and the step from there. The first is the start.
    came_from: Vec<Option<(u32, Step)>>,
    /// How many steps the farthest state is away.
    pub depth: usize,
    /// Nothing was left out.
    pub is_whole: bool,
    /// States that no new state was found from.
    pub ends: Vec<u32>,
    /// The first state that breaks a rule, and the rule.
    pub broken: Option<(u32, Rule)>,
}

impl Walk {
    /// Goes to every state that is at most `depth` steps away, or until a rule is broken.
    pub fn through(world: &World, depth: usize) -> Walk {
        let mut walk = Walk { came_from: vec![None], ..Walk::default() };
        let mut front = vec![(0, world.start())];
        let mut known = HashSet::from([hash(&world.start())]);
        while !front.is_empty() && walk.depth < depth {
            let mut next = Vec::new();
            for (at, state) in front {
                let before = next.len();
                for step in state.steps(world) {
                    let (after, broken) = state.after(world, step);
                    if !known.insert(hash(&after)) {
                        continue;
                    }
                    let number = walk.came_from.len() as u32;
                    walk.came_from.push(Some((at, step)));
                    if let Some(rule) = broken {
                        walk.broken = Some((number, rule));
                        return walk;
                    }
                    next.push((number, after));
                }
                if next.len() == before {
                    walk.ends.push(at);
                }
            }
            front = next;
            walk.depth += usize::from(!front.is_empty());
        }
        walk.is_whole = front.is_empty();
        walk.ends.extend(front.iter().map(|(at, _)| *at));
        walk
    }

    pub fn states(&self) -> usize {
        self.came_from.len()
    }

    /// The steps to the state that is the farthest away.
    pub fn farthest(&self) -> Vec<Step> {
        self.trace(self.states() as u32 - 1)
    }

    /// The steps that lead to a state.
    pub fn trace(&self, mut at: u32) -> Vec<Step> {
        let mut trace = Vec::new();
        while let Some((before, step)) = self.came_from[at as usize] {
            trace.push(step);
            at = before;
        }
        trace.reverse();
        trace
    }
}

fn hash(state: &ModelState) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}
