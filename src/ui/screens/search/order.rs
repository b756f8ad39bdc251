//! Words into order, great and small letters alike: what `o` does to the loaded rows.
//!
//! A hundred thousand rows are in order before the next frame is due. What is compared is therefore numbers that stand side
//! by side: eight letters of a word at a time, and only of those words that say the same until there. Which words those
//! are is the caller's business.

use std::ops::Range;

/// The words of the rows, gathered in one text.
#[derive(Default)]
pub struct Words {
    text: String,
    /// Where each word ends.
    ends: Vec<usize>,
    /// What each word is said by.
    indices: Vec<u64>,
    /// Who says nothing.
    silent: Vec<u64>,
}

/// Letters that are compared at a time.
const LETTERS: usize = 8;

impl Words {
    /// `push` adds the word to the end of a text.
    pub fn add(&mut self, index: u64, push: impl FnOnce(&mut String)) {
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
        self.ends.push(self.text.len());
        self.indices.push(index);
    }

    /// By their words; those who say the same in the order in which they came, and those who say nothing last, either way
    /// round.
    pub fn in_order(mut self, back: bool) -> Vec<u64> {
        // Its letters above, which word it is below: one number is compared with another, and no two are the same.
        let mut rows: Vec<u128> = (0..self.ends.len() as u128).collect();
        let mut open: Vec<(Range<usize>, usize)> = vec![(0..rows.len(), 0)];
        while let Some((range, depth)) = open.pop() {
            let rows = &mut rows[range.clone()];
            for row in &mut *rows {
                let letters = self.letters(which(*row), depth);
                *row = u128::from(if back { !letters } else { letters }) << 64 | which(*row) as u128;
            }
            rows.sort_unstable();
            let mut start = range.start;
            for same in rows.chunk_by(|one, next| one >> 64 == next >> 64) {
                let deeper = depth + LETTERS;
                if same.len() > 1 && same.iter().any(|row| self.word(which(*row)).len() > deeper) {
                    open.push((start..start + same.len(), deeper));
                }
                start += same.len();
            }
        }
        let mut order: Vec<u64> = rows.into_iter().map(|row| self.indices[which(row)]).collect();
        order.append(&mut self.silent);
        order
    }

    fn word(&self, which: usize) -> &[u8] {
        let start = which.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text.as_bytes()[start..self.ends[which]]
    }

    /// Behind the end of a word nothing comes, which is less than any letter.
    fn letters(&self, which: usize, depth: usize) -> u64 {
        let rest = self.word(which).get(depth..).unwrap_or_default();
        let mut letters = [0; LETTERS];
        let known = rest.len().min(LETTERS);
        letters[..known].copy_from_slice(&rest[..known]);
        u64::from_be_bytes(letters)
    }
}

/// The lower half of a number.
fn which(row: u128) -> usize {
    row as u64 as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain way of saying it, held against dice: short and long words, many that begin alike, many that are the same.
    #[test]
    fn words_come_into_the_order_that_comparing_them_gives() {
        let mut dice = 5_u64;
        let mut roll = |below: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as usize % below
        };
        let beginnings = ["", "", "Director of ", "DIRECTOR OF NURSING and ", "é", "Ñandú der "];
        let letters: Vec<char> = "aAbBzZéÉ •1".chars().collect();
        for round in 0..40 {
            let texts: Vec<String> = (0..300)
                .map(|_| {
                    let length = roll(if round % 2 == 0 { 3 } else { 20 });
                    let end: String = (0..length).map(|_| letters[roll(letters.len())]).collect();
                    format!("{}{end}", beginnings[roll(beginnings.len())])
                })
                .collect();
            for back in [false, true] {
                let mut words = Words::default();
                let mut plain = Vec::new();
                for (at, text) in texts.iter().enumerate() {
                    let index = at as u64 * 7;
                    words.add(index, |to| to.push_str(text));
                    plain.push((text.to_lowercase(), index));
                }
                plain.sort_by(|(one, _), (other, _)| {
                    let order = if back { other.cmp(one) } else { one.cmp(other) };
                    one.is_empty().cmp(&other.is_empty()).then(order)
                });
                assert_eq!(words.in_order(back), plain.iter().map(|(_, index)| *index).collect::<Vec<_>>());
            }
        }
        assert_eq!(Words::default().in_order(true), [0_u64; 0]);
    }
}
