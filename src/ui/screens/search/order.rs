//! Words into order, great and small letters alike: what `o` does to the loaded rows.
//!
//! A hundred thousand rows are not in order before the next frame is due. So it is done in steps, each so short that a key
//! pressed meanwhile waits for nothing: rows are gathered into runs that are in order, then two runs at a time become one. What
//! is compared is mostly the first letters of a word, as one number. Whose words those are is the caller's business.

use std::{cmp::Ordering, collections::VecDeque, iter::Peekable, vec::IntoIter};

/// Rows that one step gathers. So few are in order at once.
const GATHERED: usize = 2_048;
/// Rows that one step puts behind each other.
const MERGED: usize = 8_192;
/// Letters that are compared as one number.
const LETTERS: usize = 8;

/// An order in the making.
#[derive(Clone, Debug)]
pub struct Sorting {
    pub column: usize,
    pub back: bool,
    /// How many rows were loaded when it began.
    pub held: usize,
    /// Nothing is said of it: a view sorts.
    pub quiet: bool,
    words: Words,
    /// Each in order, those that came first before the others.
    runs: VecDeque<Vec<u32>>,
    merge: Option<Merge>,
    /// From which index on it wants rows; none where all are gathered.
    pub next: Option<u64>,
}

impl Sorting {
    pub fn new(column: usize, back: bool, held: usize) -> Sorting {
        let (words, runs) = (Words::default(), VecDeque::new());
        Sorting { column, back, held, quiet: false, words, runs, merge: None, next: Some(0) }
    }

    /// One step. `rows` are those from `next` on, ascending; `push` adds what a row says to the end of a text. True
    /// once all are in order.
    pub fn step<R>(&mut self, rows: impl Iterator<Item = (u64, R)>, push: impl Fn(R, &mut String)) -> bool {
        if self.next.is_some() {
            self.gather(rows, push);
        } else {
            self.merge();
        }
        self.next.is_none() && self.merge.is_none() && self.runs.len() <= 1
    }

    /// Puts rows of the first two runs behind each other until a step is full, or one run is left.
    fn merge(&mut self) {
        for _ in 0..MERGED {
            if self.merge.is_none() && self.runs.len() > 1 {
                self.merge = self.runs.pop_front().zip(self.runs.pop_front()).map(Merge::of);
            }
            let Some(Merge { first, second, one }) = &mut self.merge else { return };
            let next = match (first.peek(), second.peek()) {
                (Some(a), Some(b)) if self.words.compare(*b, *a, self.back) == Ordering::Less => second.next(),
                (Some(_), _) => first.next(),
                (None, _) => second.next(),
            };
            one.extend(next);
            if first.len() + second.len() == 0 {
                self.runs.push_back(std::mem::take(one));
                self.merge = None;
            }
        }
    }

    fn gather<R>(&mut self, rows: impl Iterator<Item = (u64, R)>, push: impl Fn(R, &mut String)) {
        let start = self.words.ends.len() as u32;
        let mut gathered = 0;
        for (index, row) in rows.take(GATHERED) {
            self.words.add(index, |text| push(row, text));
            self.next = Some(index + 1);
            gathered += 1;
        }
        if gathered < GATHERED {
            self.next = None;
        }
        let mut run: Vec<u32> = (start..self.words.ends.len() as u32).collect();
        run.sort_unstable_by(|one, other| self.words.compare(*one, *other, self.back));
        self.runs.extend(Some(run).filter(|run| !run.is_empty()));
    }

    /// By their words; those who say the same in the order in which they came, and those who say nothing last, either way
    /// round.
    pub fn order(mut self) -> Vec<u64> {
        let run = self.runs.pop_front().unwrap_or_default();
        let mut order: Vec<u64> = run.into_iter().map(|which| self.words.indices[which as usize]).collect();
        order.append(&mut self.words.silent);
        order
    }
}

/// Two runs on their way to become one.
#[derive(Clone, Debug)]
struct Merge {
    first: Peekable<IntoIter<u32>>,
    second: Peekable<IntoIter<u32>>,
    one: Vec<u32>,
}

impl Merge {
    fn of((first, second): (Vec<u32>, Vec<u32>)) -> Merge {
        let one = Vec::with_capacity(first.len() + second.len());
        Merge { first: first.into_iter().peekable(), second: second.into_iter().peekable(), one }
    }
}

/// The words of the rows, gathered in one text.
#[derive(Clone, Debug, Default)]
struct Words {
    text: String,
    /// Where each word ends.
    ends: Vec<usize>,
    /// What each begins with.
    letters: Vec<u64>,
    /// What each word is said by.
    indices: Vec<u64>,
    /// Who says nothing.
    silent: Vec<u64>,
}

impl Words {
    /// `push` adds the word to the end of a text.
    fn add(&mut self, index: u64, push: impl FnOnce(&mut String)) {
        let start = self.text.len();
        push(&mut self.text);
        let word = &mut self.text[start..];
        if word.is_empty() {
            self.silent.push(index);
            return;
        }
        if word.is_ascii() {
            word.make_ascii_lowercase();
        } else {
            let small = word.to_lowercase();
            self.text.truncate(start);
            self.text.push_str(&small);
        }
        let mut letters = [0; LETTERS];
        let word = &self.text.as_bytes()[start..];
        let known = word.len().min(LETTERS);
        letters[..known].copy_from_slice(&word[..known]);
        self.letters.push(u64::from_be_bytes(letters));
        self.ends.push(self.text.len());
        self.indices.push(index);
    }

    /// No two are the same: who came first stands first, either way round.
    fn compare(&self, one: u32, other: u32, back: bool) -> Ordering {
        let (first, second) = (self.letters[one as usize], self.letters[other as usize]);
        let words = first.cmp(&second).then_with(|| self.word(one).cmp(self.word(other)));
        if back { words.reverse() } else { words }.then(one.cmp(&other))
    }

    fn word(&self, which: u32) -> &[u8] {
        let which = which as usize;
        let start = which.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text.as_bytes()[start..self.ends[which]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All steps of an order, and how many they were.
    fn in_order(texts: &[String], back: bool) -> (Vec<u64>, usize) {
        let mut sorting = Sorting::new(0, back, texts.len());
        for step in 1.. {
            let next = sorting.next.unwrap_or(u64::MAX);
            let rows = texts.iter().enumerate().map(|(at, text)| (at as u64 * 7, text)).filter(|(at, _)| *at >= next);
            if sorting.step(rows, |text, to| to.push_str(text)) {
                return (sorting.order(), step);
            }
        }
        unreachable!()
    }

    /// The plain way of saying it, held against dice: short and long words, many that begin alike, many that are the same.
    #[test]
    fn words_come_into_the_order_that_comparing_them_gives() {
        let mut rng = 5_u64;
        let mut roll = |below: usize| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) as usize % below
        };
        let beginnings = ["", "", "Director of ", "DIRECTOR OF NURSING and ", "é", "Ñandú der "];
        let letters: Vec<char> = "aAbBzZéÉ •1".chars().collect();
        for round in 0..12 {
            // A few rows take one step. Many take one for each run and one for each `GATHERED` rows that are merged.
            let many = [0, 1, 300, GATHERED, GATHERED + 1, 5 * GATHERED + 17][round % 6];
            let texts: Vec<String> = (0..many)
                .map(|_| {
                    let length = roll(if round < 6 { 3 } else { 20 });
                    let end: String = (0..length).map(|_| letters[roll(letters.len())]).collect();
                    format!("{}{end}", beginnings[roll(beginnings.len())])
                })
                .collect();
            for back in [false, true] {
                let mut plain: Vec<(String, u64)> =
                    texts.iter().enumerate().map(|(at, text)| (text.to_lowercase(), at as u64 * 7)).collect();
                plain.sort_by(|(one, _), (other, _)| {
                    let order = if back { other.cmp(one) } else { one.cmp(other) };
                    one.is_empty().cmp(&other.is_empty()).then(order)
                });
                let (order, steps) = in_order(&texts, back);
                assert_eq!(order, plain.iter().map(|(_, index)| *index).collect::<Vec<_>>());
                assert_eq!(steps == 1, many < GATHERED, "{many} in {steps} steps");
            }
        }
    }
}
