//! Reading the small text files of `assets/sandbox`, and dealing their entries out by weight.
//!
//! What an entry means is the business of `dictionaries`.

use std::ops::Range;

use super::ColumnText;

/// Every dictionary has this many slots; an entry owns as many of them as its weight says.
pub(crate) const SLOTS: usize = 1 << 16;

/// The entries of a list file: everything but blank lines and `#` remarks.
pub(super) fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The columns of an entry. The files are part of the program, so a wrong one is a bug here.
pub(super) fn columns<const N: usize>(line: &'static str) -> [&'static str; N] {
    let found: Vec<&'static str> = line.split('|').map(str::trim).collect();
    found.try_into().unwrap_or_else(|_| panic!("{line:?} should have {N} columns"))
}

pub(super) fn number(text: &str) -> f64 {
    text.trim().parse().unwrap_or_else(|_| panic!("{text:?} should be a number"))
}

/// Entries, and the slots dealt out to each. What an entry owns is in one piece, or in few.
pub(crate) struct Dictionary<E> {
    pub(crate) entries: Vec<E>,
    /// The entry of each slot. A table of fixed size needs no check when 16 bits index it, which counts for millions of rows.
    of: Box<[u16; SLOTS]>,
    /// Entry and number of slots, in the order of the slots.
    runs: Vec<(u16, usize)>,
}

impl<E> Dictionary<E> {
    /// Each entry owns slots in proportion to its weight.
    pub(super) fn weighted(entries: impl IntoIterator<Item = (E, f64)>) -> Dictionary<E> {
        let (entries, weights): (Vec<E>, Vec<f64>) = entries.into_iter().unzip();
        Dictionary::dealt(entries, deal(&weights, SLOTS, 0.5))
    }

    pub(super) fn dealt(entries: Vec<E>, runs: Vec<(u16, usize)>) -> Dictionary<E> {
        let of: Vec<u16> = runs.iter().flat_map(|(entry, slots)| std::iter::repeat_n(*entry, *slots)).collect();
        Dictionary { entries, of: of.try_into().expect("all slots are dealt"), runs }
    }

    /// The place of the entry that owns a slot.
    #[inline]
    pub(crate) fn place(&self, slot: u16) -> u16 {
        self.of[usize::from(slot)]
    }

    /// The entry that owns a slot.
    pub(crate) fn at(&self, slot: u16) -> &E {
        &self.entries[usize::from(self.place(slot))]
    }

    /// The place of each entry, with slots that it owns.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.runs.iter().scan(0, |from, (entry, slots)| {
            let start = *from;
            *from += slots;
            Some((usize::from(*entry), start..*from))
        })
    }
}

/// Deals `slots` out to entries in proportion to their weights, in the order of the entries. `phase` in 0..1 decides which of the
/// entries too light for a slot of their own get one, so that different phases give each of them a chance.
pub(super) fn deal(weights: &[f64], slots: usize, phase: f64) -> Vec<(u16, usize)> {
    let total: f64 = weights.iter().sum();
    let mut dealt = 0;
    let mut reached = 0.0;
    let mut runs: Vec<(u16, usize)> = Vec::new();
    for (entry, weight) in weights.iter().enumerate() {
        reached += weight / total * slots as f64;
        // Rounding must not leave the last slot open.
        let until = if entry + 1 == weights.len() { slots } else { ((reached - phase).ceil() as usize).min(slots) };
        if until > dealt {
            runs.push((entry as u16, until - dealt));
            dealt = until;
        }
    }
    runs
}

/// A scrambler of 64 bits in which every bit of the input moves every bit of the output.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An entry as it is shown, as it is compared and as it stands in addresses.
#[derive(Clone)]
pub(crate) struct Word {
    pub(crate) text: ColumnText,
    pub(crate) lower: String,
    pub(crate) slug: String,
}

impl Word {
    pub(super) fn new(text: &'static str) -> Word {
        Word { text: text.into(), lower: text.to_lowercase(), slug: slug(text) }
    }

    pub(super) fn followed_by(&self, second: &Word) -> Word {
        Word {
            text: [&*self.text, " ", &*second.text].concat().into(),
            lower: [&*self.lower, " ", &*second.lower].concat(),
            slug: [&*self.slug, &*second.slug].concat(),
        }
    }
}

/// Text as it stands in an address: lower case, letters without their marks, nothing but letters and digits.
pub(super) fn slug(text: &str) -> String {
    text.to_lowercase()
        .chars()
        .flat_map(|letter| match letter {
            'à'..='å' | 'ā' => Some('a'),
            'ç' => Some('c'),
            'è'..='ë' | 'ễ' => Some('e'),
            'ì'..='ï' => Some('i'),
            'ñ' => Some('n'),
            'ò'..='ö' | 'ø' => Some('o'),
            'ù'..='ü' => Some('u'),
            other => other.is_ascii_alphanumeric().then_some(other),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_the_weights() {
        let dealt = deal(&[1.0, 2.0, 1.0], 8, 0.5);
        assert_eq!(dealt, [(0, 2), (1, 4), (2, 2)]);
        let dealt = Dictionary::weighted([((), 1.0), ((), 0.0), ((), 3.0)]);
        assert_eq!(dealt.runs().collect::<Vec<_>>(), [(0, 0..SLOTS / 4), (2, SLOTS / 4..SLOTS)]);
        assert_eq!((dealt.place(0x3fff), dealt.place(0x4000)), (0, 2));
    }

    #[test]
    fn the_phase_decides_which_light_entries_get_a_slot() {
        let light = vec![1.0; 10];
        let early = deal(&light, 2, 0.05);
        let late = deal(&light, 2, 0.95);
        assert_eq!((early, late), (vec![(0, 1), (5, 1)], vec![(4, 1), (9, 1)]));
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("Núñez-O'Brien Østergaard & Co."), "nunezobrienostergaardco");
    }
}
