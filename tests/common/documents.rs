//! The parameters of the searches as the two documents list them, each with values that a person may type. What a program
//! sends is held against this and against nothing that the program says of itself. Each list is written out as its document
//! has it, also where two are nearly the same.

use lode_core::contact::{Corpus, Side, Source};

#[derive(Clone, Copy)]
pub struct Documented {
    pub source: Source,
    pub corpus: Corpus,
    /// Where its search is asked.
    pub search: &'static str,
    /// Whether the corpus is a parameter there, or the address says it.
    pub corpus_named: bool,
    pub filters: &'static [(&'static str, &'static [&'static str])],
}

impl Documented {
    pub fn side(&self) -> Side {
        Side { source: self.source, corpus: self.corpus }
    }
}

const TEXT: &[&str] = &["director of nursing", "R&D = 50% off; \"Söhne\" + 1?#"];
const TYPES: &[&str] = &["corporate", "edu", "personal", "gov"];
const STATUSES: &[&str] = &["cross_verified", "valid", "catch_all", "unknown", "invalid", "disposable", "bounced"];
const LEVELS: &[&str] = &["C-Level", "VP", "Director", "Manager", "Other"];
const INDUSTRIES: &[&str] = &["hospital", "hospital,clinic & lab"];
const PHONES: &[&str] = &["+1 512 555-0133"];
const CITIES: &[&str] = &["St. Paul"];
const ZIPS: &[&str] = &["01234"];
const SITES: &[&str] = &["https://quailrun.example/a?b=c&d"];

/// Each list stands whole and in the order of its document, to be read beside it, though two of them share a run.
pub const DOCUMENTED: [Documented; 4] = [
    Documented {
        source: Source::Workspace,
        corpus: Corpus::Us,
        search: "/api/v1/search",
        corpus_named: true,
        filters: &[("title", TEXT), ("industry", INDUSTRIES), ("state", &["TX"]), ("email_domain_type", TYPES)],
    },
    Documented {
        source: Source::Workspace,
        corpus: Corpus::Linkedin,
        search: "/api/v1/search",
        corpus_named: true,
        filters: &[
            ("title", TEXT),
            ("industry", INDUSTRIES),
            ("state", &["TX"]),
            ("email_domain_type", TYPES),
            ("title_level", LEVELS),
        ],
    },
    Documented {
        source: Source::Data,
        corpus: Corpus::Us,
        search: "/api/search",
        corpus_named: false,
        filters: &[
            ("query", TEXT),
            ("email_address", &["a.b+c@quailrun.example"]),
            ("naics_code", &["622110"]),
            ("contact_name", TEXT),
            ("industry", INDUSTRIES),
            ("title", TEXT),
            ("company_name", TEXT),
            ("first_name", TEXT),
            ("last_name", TEXT),
            ("address", TEXT),
            ("city", CITIES),
            ("county", CITIES),
            ("state", &["TX"]),
            ("zip", ZIPS),
            ("phone", PHONES),
            ("company_website", SITES),
            ("sic_code", &["8062"]),
            ("email_domain_type", TYPES),
            ("email_status", STATUSES),
        ],
    },
    Documented {
        source: Source::Data,
        corpus: Corpus::Linkedin,
        search: "/api/search-linkedin",
        corpus_named: false,
        filters: &[
            ("query", TEXT),
            ("title_level", LEVELS),
            ("industry_group", &["Health Care & Social"]),
            ("revenue", &["$1M - $5M"]),
            ("employees", &["51-200"]),
            ("industry", INDUSTRIES),
            ("title", TEXT),
            ("company_name", TEXT),
            ("first_name", TEXT),
            ("last_name", TEXT),
            ("address", TEXT),
            ("city", CITIES),
            ("county", CITIES),
            ("state", &["TX"]),
            ("zip", ZIPS),
            ("phone", PHONES),
            ("company_website", SITES),
            ("sic_code", &["8062"]),
            ("email_domain_type", TYPES),
            ("email_status", STATUSES),
        ],
    },
];

/// The parameters of a query string as it arrived.
pub fn decoded(query: &str) -> Vec<(String, String)> {
    let plain = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            let (byte, left) = match (first, after) {
                (b'%', [high, low, left @ ..]) => {
                    let digits = [*high, *low];
                    (u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap(), left)
                }
                (b'+', left) => (b' ', left),
                (byte, left) => (*byte, left),
            };
            bytes.push(byte);
            rest = left;
        }
        String::from_utf8(bytes).unwrap()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap()).map(|(name, value)| (plain(name), plain(value))).collect()
}
