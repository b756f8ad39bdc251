//! Chance that can be had again: everything of a run follows from its seed.

use std::collections::BTreeMap;

/// A generator of small state. The simulation plays by these numbers: a seed that once broke a rule must stay that course.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng::standing(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A generator in a known state, for inputs that were found with it.
    pub fn standing(state: u64) -> Rng {
        Rng(state)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// 0 up to, not including, `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.roll() % bound }
    }

    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }

    pub fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub fn per_mille(&mut self, chance: u64) -> bool {
        self.below(1_000) < chance
    }

    /// A place in a list of this length.
    pub fn place(&mut self, count: usize) -> usize {
        self.below(count as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.place(of.len())]
    }
}

/// The last step of splitmix64: each bit of the input changes about half the bits of the result.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The name of a draw: the kind of event, the window, the ids. It is a hash of its parts, equal on every machine and in every build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u64);

impl Key {
    pub fn new(kind: &str) -> Key {
        Key(0).text(kind)
    }

    pub fn number(self, number: u64) -> Key {
        Key(mixed(self.0.rotate_left(5) ^ number.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    pub fn text(self, text: &str) -> Key {
        let bytes = text.bytes().fold(self, |key, byte| Key((key.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
        bytes.number(text.len() as u64)
    }

    /// The upper half, for a digest that people read.
    pub fn short(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn and(self, other: Key) -> Key {
        self.number(other.0)
    }
}

/// Draws that are found by their keys. A draw does not depend on how many others were made before it, so a change that swaps
/// unrelated events leaves what happens to each of them as it was. Only events of the same key are told apart by their order.
#[derive(Clone, Debug)]
pub struct Draws {
    seed: u64,
    attempts: BTreeMap<Key, u64>,
}

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws { seed, attempts: BTreeMap::new() }
    }

    /// The key of one attempt: the same key gives another one each time.
    pub fn attempt(&mut self, key: Key) -> Key {
        let attempt = self.attempts.entry(key).or_default();
        *attempt += 1;
        key.number(*attempt)
    }

    /// The numbers of one event.
    pub fn at(&self, key: Key) -> Rng {
        Rng::new(Key(self.seed).and(key).0)
    }

    /// The numbers of the next attempt of an event.
    pub fn next(&mut self, key: Key) -> Rng {
        let key = self.attempt(key);
        self.at(key)
    }
}
