//! Who people work for. A firm is known by a 32-bit key that follows from its site, its trade and which of the few firms of that
//! trade on that site it is; so colleagues share name, website, street, ZIP and trade without any firm being stored.
//!
//! The low 16 bits are the firm's *name*: 13 for the stem, 3 for the last word (of its sector). All that belongs to a name rather
//! than to a branch (website, size, how mail addresses are built) follows from them alone.

use super::lists::{Dictionary, Word, entries, mix};
use super::places::SITE_BITS;
use super::work::{Employer, Work};

/// Number of stems is a power of two so that a stem is a few bits of the key.
pub(crate) const STEM_BITS: u32 = 13;

/// Which of the firms of a trade on a site a person works for, by four bits of the detail: some are larger than others.
const BRANCH: [u8; 16] = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7];

/// Employees, revenue and how many in a hundred people work for a firm of that size.
type Size = (&'static str, &'static str, f64);

const SIZES: [Size; 14] = [
    ("1-10", "$0-$1M", 14.0),
    ("1-10", "$1M-$5M", 8.0),
    ("11-50", "$1M-$5M", 14.0),
    ("11-50", "$5M-$10M", 8.0),
    ("51-200", "$5M-$10M", 6.0),
    ("51-200", "$10M-$50M", 15.0),
    ("201-500", "$10M-$50M", 6.0),
    ("201-500", "$50M-$100M", 6.0),
    ("501-1000", "$50M-$100M", 5.0),
    ("501-1000", "$100M-$500M", 3.0),
    ("1001-5000", "$100M-$500M", 6.0),
    ("1001-5000", "$500M-$1B", 3.0),
    ("5001-10000", "$500M-$1B", 2.0),
    ("10001+", "$1B+", 3.0),
];

pub(crate) struct Firms {
    pub(crate) stems: Vec<Word>,
    /// Eight a sector.
    pub(crate) tails: Vec<Word>,
    pub(crate) streets: Vec<Word>,
    /// For each trade the first of its sector's tails.
    tails_from: [u16; 256],
    /// By the scattered name of a firm.
    sizes: Dictionary<Size>,
}

/// A firm's key. What it says is read with the methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Firm(pub(crate) u32);

impl Firm {
    #[inline]
    pub(crate) fn at(seed: u32, site: u16, trade: u8, detail: u16) -> Firm {
        let branch = BRANCH[(detail & 15) as usize];
        let place = u32::from(site) | u32::from(trade) << SITE_BITS | u32::from(branch) << (SITE_BITS + 8);
        let mut key = place.wrapping_mul(0x9e37_79b1).wrapping_add(seed);
        key = (key ^ (key >> 15)).wrapping_mul(0x85eb_ca6b);
        key = (key ^ (key >> 13)).wrapping_mul(0xc2b2_ae35);
        Firm(key ^ (key >> 16))
    }

    pub(crate) fn name(self) -> u16 {
        self.0 as u16
    }

    /// House numbers and streets come from bits that the name does not use: branches of one name have different addresses.
    pub(crate) fn house(self) -> u16 {
        (self.0 >> 16) as u16
    }

    pub(crate) fn street(self) -> u16 {
        (self.0.wrapping_mul(0x27d4_eb2f) >> 25) as u16
    }
}

/// The stem of a name, as a place in `Firms::stems`.
pub(crate) fn stem_of(name: u16) -> usize {
    usize::from(name) & ((1 << STEM_BITS) - 1)
}

pub(crate) fn house_number(house: u16) -> u32 {
    100 + u32::from(house) % 9_900
}

/// How a firm builds its mail addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// dana.whitfield
    Dotted,
    /// dwhitfield
    Initial,
    /// danaw
    Short,
    /// dana_whitfield
    Underscored,
}

impl Style {
    pub(crate) fn of(name: u16) -> Style {
        match mix(u64::from(name) ^ 0x5717_1e00) % 8 {
            0..=3 => Style::Dotted,
            4 | 5 => Style::Initial,
            6 => Style::Short,
            _ => Style::Underscored,
        }
    }
}

impl Firms {
    pub(super) fn read(work: &Work) -> Firms {
        let text = lode_assets::sandbox::COMPANY_STEMS;
        let (first, second) = text.split_once("[second]").unwrap_or_else(|| panic!("stems have two parts"));
        let first: Vec<Word> = entries(first).filter(|word| *word != "[first]").map(Word::new).collect();
        let second: Vec<Word> = entries(second).map(Word::new).collect();
        assert_eq!(first.len() * second.len(), 1 << STEM_BITS, "stems fill their bits");
        let mut stems = Vec::with_capacity(1 << STEM_BITS);
        for second in &second {
            for first in &first {
                let alone = second.text == "-" || second.text == first.text;
                stems.push(if alone { first.clone() } else { first.followed_by(second) });
            }
        }
        let tails = work.sectors.iter().flat_map(|sector| {
            sector.tails.map(|text| {
                let end = match sector.employer {
                    Employer::Business => "example",
                    Employer::Edu => "edu.example",
                    Employer::Gov => "gov.example",
                };
                let word = Word::new(text);
                Word { slug: format!("{}.{end}", word.slug), ..word }
            })
        });
        let streets: Vec<Word> = entries(lode_assets::sandbox::STREETS).map(Word::new).collect();
        assert_eq!(streets.len(), 128, "a street is seven bits");
        let sizes = Dictionary::weighted(SIZES.to_vec(), &SIZES.map(|(_, _, share)| share));
        let mut tails_from = [0; 256];
        for (from, trade) in tails_from.iter_mut().zip(&work.trades.entries) {
            *from = trade.sector as u16 * 8;
        }
        Firms { stems, tails: tails.collect(), streets, tails_from, sizes }
    }

    /// The last word of a firm's name, as a place in `tails`.
    pub(crate) fn tail_of(&self, trade: u8, name: u16) -> u16 {
        self.tails_from[usize::from(trade)] + (name >> STEM_BITS)
    }

    /// Employees and revenue. Stems stand in the order of their list, and sizes in that of theirs: scattered, neither tells of the
    /// other.
    pub(crate) fn size(&self, name: u16) -> (&'static str, &'static str) {
        let (employees, revenue, _) = *self.sizes.at(name.wrapping_mul(0x6a4d).wrapping_add(0x1234));
        (employees, revenue)
    }
}
