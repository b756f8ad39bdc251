//! The two corpora: a row is a pure function of (seed, corpus, id), so that 126.8 million rows cost no memory and no file.
//!
//! Nothing is searched here (see `scan`), nothing is masked, and nothing remembers who owns what (see `books`).

mod person;

pub use person::{Person, Text, Verification};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Us,
    Linkedin,
}

/// A corpus of a given size. Cheap to clone: it holds a seed, not rows.
#[derive(Clone, Debug)]
pub struct Corpus {
    kind: Kind,
    seed: u64,
    rows: u64,
}

const FIRST: &[&str] = &["Dana", "Priya", "Elena", "Tom", "Ruth", "James", "Maria", "Wei"];
const LAST: &[&str] = &["Whitfield", "Raman", "Sorokina", "Beckett", "Abara", "Okafor", "Nguyen", "Garcia"];
const TITLES: &[(&str, &str)] = &[
    ("Director of Nursing", "Director"),
    ("Software Engineer", "Other"),
    ("Chief Executive Officer", "C-Level"),
    ("VP of Sales", "VP"),
    ("Project Manager", "Manager"),
];
const TRADES: &[(&str, &str, &str, &str, &str)] = &[
    ("Hospital & Health Care", "Health Care", "8062", "622110", "Hospital"),
    ("Clinic", "Health Care", "8011", "621111", "Clinic"),
    ("Construction", "Construction", "1521", "236115", "Construction"),
    ("Computer Software", "Technology", "7372", "513210", "Software"),
];
const PLACES: &[(&str, &str, &str, u32, &str)] = &[
    ("TX", "Austin", "Travis", 78701, "512"),
    ("CA", "San Francisco", "San Francisco", 94102, "415"),
    ("NY", "New York", "New York", 10001, "212"),
    ("MA", "Boston", "Suffolk", 2108, "617"),
];
const STEMS: &[&str] = &["Lakeside", "Quail Run", "St. Brendan", "Harbor Point", "Meridian"];
const STATUS: &[(&str, Verification)] = &[
    ("cross_verified", Verification::Valid),
    ("valid", Verification::Valid),
    ("catch_all", Verification::Valid),
    ("valid", Verification::Valid),
    ("unknown", Verification::Unknown),
    ("invalid", Verification::Invalid),
    ("disposable", Verification::Disposable),
    ("bounced", Verification::Invalid),
];

impl Corpus {
    pub fn new(kind: Kind, seed: u64, rows: u64) -> Corpus {
        Corpus { kind, seed, rows }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The row with this id. Ids run from 1 to `rows`; the service's order is ascending id.
    pub fn person(&self, id: u64) -> Option<Person> {
        if id == 0 || id > self.rows {
            return None;
        }
        let original = (id % 32 == 20).then(|| id - 5);
        let mut hash = self.hash(original.unwrap_or(id));
        let mut pick = |count: usize| {
            hash = mix(hash);
            (hash % count as u64) as usize
        };
        let (first, last) = (FIRST[pick(FIRST.len())], LAST[pick(LAST.len())]);
        let (title, level) = TITLES[pick(TITLES.len())];
        let (industry, group, sic, naics, tail) = TRADES[pick(TRADES.len())];
        let (state, city, county, zip, area) = PLACES[pick(PLACES.len())];
        let company = format!("{} {tail}", STEMS[pick(STEMS.len())]);
        let domain = format!("{}.example", company.to_lowercase().replace([' ', '.'], ""));
        let (status, verification) = STATUS[pick(STATUS.len())];
        let personal = pick(8) == 0;
        let host = if personal { "mailbox.example" } else { domain.as_str() };
        Some(Person {
            id,
            first_name: first.into(),
            last_name: last.into(),
            title: title.into(),
            title_level: level.into(),
            company_name: company.into(),
            industry: industry.into(),
            industry_group: group.into(),
            revenue: "$1M-$10M".into(),
            employees: "11-50".into(),
            address: format!("{} Maple Ave", 1 + pick(9899)).into(),
            city: city.into(),
            county: county.into(),
            state: state.into(),
            zip: format!("{zip:05}").into(),
            phone: format!("{area}55501{:02}", pick(100)).into(),
            email: format!("{}.{}@{host}", first.to_lowercase(), last.to_lowercase()).into(),
            company_website: domain.into(),
            email_domain_type: if personal { "personal" } else { "corporate" }.into(),
            email_status: status.into(),
            naics_code: naics.into(),
            sic_code: sic.into(),
            linkedin_url: format!("https://linkedin.example/in/{first}-{last}-{id}").to_lowercase().into(),
            verification,
            original,
        })
    }

    /// Whether the row has been on the Do-Not-Sell list from the start.
    pub fn suppressed(&self, id: u64) -> bool {
        id % 2048 == 1024
    }

    fn hash(&self, id: u64) -> u64 {
        mix(self.seed ^ mix(id ^ ((self.kind as u64) << 56)))
    }
}

fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
