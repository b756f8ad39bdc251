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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::row::{CellKind, ColumnNames, Rows};

    fn row(values: &[&str]) -> Row {
        let columns = Arc::new(ColumnNames::new((0..values.len()).map(|at| format!("column {at}"))));
        Row::new(None, false, columns, values.iter().map(|value| (CellKind::Text, *value)))
    }

    fn is_in(words: &str, values: &[&str]) -> bool {
        Needle::new(words).is_in(&row(values))
    }

    #[test]
    fn words_are_found_in_any_value_whatever_their_case() {
        let values = ["Ruth", "", "WHITFIELD", "r•••@Lakeside.example", "Straẞe 7", "ΣΊΣΥΦΟΣ", "İzmir"];
        for words in [
            "r", "RUTH", "whit", "field", "D", "r•••@lake", "•", "7", "straße", "ẞ", "σίσυφοσ", "Ί", "i\u{307}z", "İ",
            "zmir",
        ] {
            assert!(is_in(words, &values), "{words}");
        }
        assert!(is_in("1212", &["12", "1212"]), "the first place of it goes over a border");
        assert!(!is_in("2121", &["12", "12"]));
        for words in ["ruthw", "whitfieldr", "fieldd", "••••", "@@", "ö", "straße 8", "Ruth ", "q"] {
            assert!(!is_in(words, &values), "{words}");
        }
    }

    /// Their bytes are those of the dots, or of three forms, or of two: whatever is passed over by them must not be a hit.
    #[test]
    fn letters_of_every_kind_are_told_from_the_dots_of_masked_addresses() {
        for letter in ['å', 'â', 'ø', 'ß', 'ā', 'ж', 'ω', 'é', 'ı', '\u{1e922}'] {
            let large: String = letter.to_uppercase().collect();
            for word in [letter.to_string(), format!("x{letter}y")] {
                assert!(is_in(&word, &["d•••@lakeside.example", &format!("Bx{letter}Y")]), "{word}");
                assert!(!is_in(&word, &["d•••@lakeside.example", "•", "512•••71", "xy"]), "{word}");
                if large.to_lowercase() == letter.to_string() {
                    assert!(is_in(&word, &["d•••@lakeside.example", &format!("BX{large}y")]), "{word} in {large}");
                }
            }
        }
    }

    #[test]
    fn a_match_across_two_values_does_not_count_and_hides_none() {
        assert!(!is_in("anna", &["joan", "na"]));
        assert!(is_in("anna", &["joan", "nanna"]));
        assert!(is_in("anna", &["joan", "na", "anna"]));
        assert!(!is_in("anna", &["an", "", "na"]));
        assert!(is_in("na", &["", "na", ""]));
        assert!(!is_in("na", &[]));
        assert!(!is_in("né", &["n", "é"]));
        assert!(is_in("né", &["n", "É", "NÉ"]));
    }

    /// The plain way of saying it, held against dice.
    #[test]
    fn it_finds_what_lower_case_copies_would_find() {
        let letters: Vec<char> = "aAbB •éÉ1".chars().collect();
        let mut rng = 7_u64;
        let mut word = |most: u64| {
            let mut roll = |below: u64| {
                rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (rng >> 33) % below
            };
            (0..roll(most + 1)).map(|_| letters[roll(letters.len() as u64) as usize]).collect::<String>()
        };
        let mut hits = 0;
        for _ in 0..60 {
            let words = word(3);
            let needle = Needle::new(&words);
            let all: Vec<[String; 4]> = (0..50).map(|_| [word(4), word(0), word(5), word(3)]).collect();
            let columns = Arc::new(ColumnNames::new(["a", "b", "c", "d"]));
            let mut side_by_side = Rows::new(Arc::clone(&columns));
            for values in &all {
                side_by_side.push(None, false, &columns, values.iter().map(|value| (CellKind::Text, value.as_str())));
            }
            for (values, neighbor) in all.iter().zip(side_by_side.finish()) {
                let values = values.each_ref().map(String::as_str);
                let plain = values.iter().any(|value| value.to_lowercase().contains(&words.to_lowercase()));
                assert_eq!(needle.is_in(&row(&values)), plain, "{words:?} in {values:?}");
                assert_eq!(needle.is_in(&neighbor), plain, "{words:?} in {values:?} among others");
                hits += usize::from(plain);
            }
        }
        assert!((300..2_700).contains(&hits), "{hits}");
    }
}
