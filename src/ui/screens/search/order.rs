//! Words into order, great and small letters alike: what `o` does to the loaded rows.
//!
//! A hundred thousand rows are not in order before the next frame is due. So it is done in steps, each so short that a key
//! pressed meanwhile waits for nothing: rows are gathered into runs that are in order, then two runs at a time become one. What
//! is compared is mostly the first letters of a word, as one number. Whose words those are is the caller's business.

use std::{cmp::Ordering, collections::VecDeque};

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
    /// All words in small letters, one after the other.
    text: String,
    /// Each in order, those that came first before the others.
    runs: VecDeque<VecDeque<Word>>,
    /// Two runs on their way to become one, and that one.
    merge: Option<[VecDeque<Word>; 3]>,
    /// Rows that say nothing.
    silent: Vec<u64>,
    /// From which index on it wants rows; none where all are gathered.
    pub next: Option<u64>,
}

/// What a row says: its first letters as one number, where it is in the text, and the index of the row.
#[derive(Clone, Debug)]
struct Word {
    letters: u64,
    start: usize,
    end: usize,
    index: u64,
}

impl Sorting {
    pub fn new(column: usize, back: bool, held: usize) -> Sorting {
        let (text, runs, silent) = (String::new(), VecDeque::new(), Vec::new());
        Sorting { column, back, held, quiet: false, text, runs, merge: None, silent, next: Some(0) }
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
                let two = self.runs.pop_front().zip(self.runs.pop_front());
                self.merge = two.map(|(first, second)| [first, second, VecDeque::new()]);
            }
            let Some([first, second, one]) = &mut self.merge else { return };
            let next = match (first.front(), second.front()) {
                (Some(a), Some(b)) if compare(b, a, &self.text, self.back) == Ordering::Less => second.pop_front(),
                (Some(_), _) => first.pop_front(),
                (None, _) => second.pop_front(),
            };
            one.extend(next);
            if first.is_empty() && second.is_empty() {
                self.runs.push_back(std::mem::take(one));
                self.merge = None;
            }
        }
    }

    fn gather<R>(&mut self, rows: impl Iterator<Item = (u64, R)>, push: impl Fn(R, &mut String)) {
        let (mut run, mut word, mut gathered) = (Vec::new(), String::new(), 0);
        for (index, row) in rows.take(GATHERED) {
            word.clear();
            push(row, &mut word);
            if word.is_empty() {
                self.silent.push(index);
            } else {
                let (start, mut letters) = (self.text.len(), [0; LETTERS]);
                self.text.push_str(&word.to_lowercase());
                let known = &self.text.as_bytes()[start..];
                letters.iter_mut().zip(known).for_each(|(letter, byte)| *letter = *byte);
                let letters = u64::from_be_bytes(letters);
                run.push(Word { letters, start, end: self.text.len(), index });
            }
            self.next = Some(index + 1);
            gathered += 1;
        }
        self.next.take_if(|_| gathered < GATHERED);
        run.sort_unstable_by(|one, other| compare(one, other, &self.text, self.back));
        self.runs.extend(Some(run).filter(|run| !run.is_empty()).map(VecDeque::from));
    }

    /// By their words; those who say the same in the order in which they came, and those who say nothing last, either way
    /// round.
    pub fn order(mut self) -> Vec<u64> {
        let run = self.runs.pop_front().into_iter().flatten();
        run.map(|word| word.index).chain(self.silent).collect()
    }
}

/// No two are the same: who came first stands first, either way round.
fn compare(one: &Word, other: &Word, text: &str, back: bool) -> Ordering {
    let word = |of: &Word| &text.as_bytes()[of.start..of.end];
    let words = one.letters.cmp(&other.letters).then_with(|| word(one).cmp(word(other)));
    if back { words.reverse() } else { words }.then(one.index.cmp(&other.index))
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
