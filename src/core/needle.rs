//! Words that are looked for in rows, whatever their case.
//!
//! A find goes through a hundred thousand rows between two frames, so a row is looked at as one stretch of bytes, from the
//! rarest letter on; only what looks like a hit is held against the borders of its values. Which rows are looked at, and in
//! which order, is not said here.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use memchr::arch::all::packedpair::Pair;
use memchr::memmem::Finder;

use super::row::Row;

#[derive(Clone, Debug)]
pub struct Needle {
    small: String,
    way: Way,
    /// A row of the block that was looked at last, and in which of its common values the words are.
    common: RefCell<Option<(Row, u64)>>,
}

#[derive(Clone, Debug)]
enum Way {
    /// Nothing in it has two cases, such as a number: the bytes themselves.
    Exact(Box<Finder<'static>>),
    /// No letter outside of ASCII: bytes are compared. Where its rarest byte stands, and that byte in both cases.
    Bytes { rarest: usize, cases: [u8; 2] },
    /// Every form in which one of its letters can stand in a row: a row with none of them is passed over. First of all one with
    /// none of the bytes that are in one form or another, where few rows have any of those.
    Letters { forms: Vec<Finder<'static>>, bytes: Option<[u8; 3]> },
}

/// Where letters with two cases are, outside of ASCII: the first two planes have them all.
const LETTERS: RangeInclusive<char> = '\u{80}'..='\u{1ffff}';

impl Needle {
    pub fn new(words: &str) -> Needle {
        let small = in_small(words);
        // The dot of masked addresses has one form only.
        let way = match small.chars().find(|letter| !letter.is_ascii() && *letter != '•') {
            None if !small.bytes().any(|byte| byte.is_ascii_alphabetic()) => {
                Way::Exact(Box::new(Finder::new(small.as_bytes()).into_owned()))
            }
            None => {
                let rarest = Pair::new(small.as_bytes()).map_or(0, |pair| usize::from(pair.index1()));
                let byte = small.as_bytes().get(rarest).copied().unwrap_or_default();
                Way::Bytes { rarest, cases: [byte, byte.to_ascii_uppercase()] }
            }
            Some(letter) => {
                let forms = LETTERS.filter(|form| form.to_lowercase().any(|small| small == letter));
                let forms: Vec<String> = forms.map(String::from).collect();
                let bytes = telling(&forms, <[u8]>::last).or_else(|| telling(&forms, <[u8]>::first));
                Way::Letters { forms: forms.iter().map(|form| Finder::new(form).into_owned()).collect(), bytes }
            }
        };
        Needle { small, way, common: RefCell::new(None) }
    }

    /// One of its values has the words in it.
    pub fn is_in(&self, row: &Row) -> bool {
        let is_in_fields = || row.fields().any(|(_, _, value)| self.is_in_text(value));
        self.small.is_empty()
            || self.is_within(row.own_text(), |place| row.is_of_one_value(place), is_in_fields)
            || self.is_in_common(row)
    }

    /// One of the values that the row has in common with those beside it. The rows of a block come one after the other, so
    /// the common values are looked through once for all of them.
    fn is_in_common(&self, row: &Row) -> bool {
        let mut last = self.common.borrow_mut();
        let values = match &*last {
            Some((seen, values)) if seen.shares_block(row) => *values,
            _ => {
                let is_there = self.is_within(row.common_text(), |_| true, || true);
                let values = if is_there { row.common_values(|value| self.is_in_text(value)) } else { 0 };
                *last = Some((row.clone(), values));
                values
            }
        };
        values != 0 && row.has_common(values)
    }

    fn is_in_text(&self, value: &str) -> bool {
        in_small(value).contains(&self.small)
    }

    /// Searches the texts of several values at once. A match that spans two values does not count. Letters outside of ASCII differ
    /// in length between their forms: where one of them is in the text, each value is searched by itself.
    fn is_within(&self, text: &[u8], in_one_value: impl Fn(Range<usize>) -> bool, by_value: impl Fn() -> bool) -> bool {
        let length = self.small.len();
        match &self.way {
            Way::Exact(bytes) => {
                let after = |from: usize| Some(from + bytes.find(text.get(from..)?)?);
                // One place may reach into the next: where one goes over a border, the other may not.
                std::iter::successors(after(0), |at| after(at + 1)).any(|at| in_one_value(at..at + length))
            }
            Way::Bytes { .. } if length > text.len() => false,
            Way::Bytes { rarest, cases: [one, other] } => {
                let starts = &text[*rarest..=text.len() - length + *rarest];
                memchr::memchr2_iter(*one, *other, starts).any(|at| {
                    let end = at + length;
                    text[at..end].eq_ignore_ascii_case(self.small.as_bytes()) && in_one_value(at..end)
                })
            }
            Way::Letters { forms, bytes } => {
                let may_be = bytes.is_none_or(|[one, other, third]| memchr::memchr3(one, other, third, text).is_some());
                may_be && forms.iter().any(|form| form.find(text).is_some()) && by_value()
            }
        }
    }
}

/// Up to three bytes of which every form has one at this place. None where there are more, or where the dots that stand in
/// every masked address have one of them.
fn telling(forms: &[String], place: fn(&[u8]) -> Option<&u8>) -> Option<[u8; 3]> {
    let mut bytes: Vec<u8> = forms.iter().filter_map(|form| place(form.as_bytes()).copied()).collect();
    bytes.sort_unstable();
    bytes.dedup();
    match *bytes.as_slice() {
        _ if "•".bytes().any(|dot| bytes.contains(&dot)) => None,
        [one] => Some([one; 3]),
        [one, other] => Some([one, other, other]),
        [one, other, third] => Some([one, other, third]),
        _ => None,
    }
}

/// Letter by letter: a capital sigma has one small form here, wherever it stands.
fn in_small(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}
