//! The dictionaries that a row draws from, read once per process from the lists of `assets/sandbox`: where people work, what they
//! do, who they work for, and their email addresses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::CheckOutcome;
use super::lists::{Dictionary, Word, columns, deal, entries, mix, number};

/// All dictionaries, read once per process. Nothing in here depends on a seed.
pub(crate) struct Lists {
    pub(crate) places: Places,
    pub(crate) work: Work,
    /// First and last names, the most common first, as a census has them. The people who bear them here are invented.
    pub(crate) first: Dictionary<Word>,
    pub(crate) last: Dictionary<Word>,
    /// For each kind of employer.
    pub(crate) mail: [Dictionary<Address>; 3],
    pub(crate) firms: Firms,
}

pub(crate) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let work = Work::read();
    Lists {
        places: Places::read(),
        first: names(lode_assets::sandbox::FIRST_NAMES, 12.0),
        last: names(lode_assets::sandbox::LAST_NAMES, 25.0),
        mail: addresses(),
        firms: Firms::read(&work),
        work,
    }
});

/// Names thin out with their rank, slowly at the top and then as one over the rank.
fn names(text: &'static str, flat: f64) -> Dictionary<Word> {
    Dictionary::weighted(entries(text).enumerate().map(|(rank, name)| (Word::new(name), 1.0 / (rank as f64 + flat))))
}

pub(crate) struct State {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
}

pub(crate) struct City {
    pub(crate) state: usize,
    pub(crate) name: &'static str,
    pub(crate) county: &'static str,
}

pub(crate) struct Site {
    pub(crate) city: usize,
    pub(crate) zip: String,
    pub(crate) area_code: &'static str,
}

/// Where people work: a site is a ZIP of a city, with the county, state and area code that belong to it.
pub(crate) struct Places {
    pub(crate) states: Vec<State>,
    pub(crate) cities: Vec<City>,
    pub(crate) sites: Dictionary<Site>,
}

/// Firms number their sites with this many bits.
const SITE_BITS: u32 = 13;

impl Places {
    fn read() -> Places {
        let of_state = |line| {
            let [code, name, thousands] = columns(line);
            (State { code, name }, number(thousands))
        };
        let (states, people): (Vec<State>, Vec<f64>) = entries(lode_assets::sandbox::STATES).map(of_state).unzip();
        let mut cities = Vec::new();
        let mut zips = Vec::new();
        let mut weights = Vec::new();
        // The cities of the list stand in for their entire state.
        let mut listed = vec![0.0; states.len()];
        for line in entries(lode_assets::sandbox::CITIES) {
            let [code, name, county, range, codes, thousands] = columns(line);
            let state = states.iter().position(|state| state.code == code);
            let state = state.unwrap_or_else(|| panic!("{name} lies in no state: {code}"));
            let (first, last) = range.split_once('-').unwrap_or_else(|| panic!("{range:?} should be a range"));
            cities.push(City { state, name, county });
            zips.push((number(first) as u32..=number(last) as u32, codes.split(' ').collect::<Vec<_>>()));
            weights.push(number(thousands));
            listed[state] += number(thousands);
        }
        let mut sites = Vec::new();
        for (at, (city, (range, codes))) in cities.iter().zip(zips).enumerate() {
            let share = people[city.state] * weights[at] / listed[city.state];
            let count = range.clone().count();
            for (nth, zip) in range.enumerate() {
                let site = Site { city: at, zip: format!("{zip:05}"), area_code: codes[nth % codes.len()] };
                sites.push((site, share / count as f64));
            }
        }
        assert!(sites.len() < 1 << SITE_BITS, "more sites than a firm's key has room for");
        Places { states, cities, sites: Dictionary::weighted(sites) }
    }
}

/// Kinds of employers, which decide what email addresses look like: the name in the list of sectors, the type of their
/// addresses, how many percent of their people use a personal one, and what their websites end in.
const EMPLOYERS: [(&str, &str, f64, &str); 3] = [
    ("business", "corporate", 13.0, "example"),
    ("edu", "edu", 10.0, "edu.example"),
    ("gov", "gov", 8.0, "gov.example"),
];

pub(crate) struct Sector {
    /// Its place in `EMPLOYERS`.
    pub(crate) employer: usize,
    /// Last words of its company names.
    pub(crate) tails: [&'static str; 8],
}

pub(crate) struct Trade {
    pub(crate) sector: usize,
    pub(crate) industry: &'static str,
    pub(crate) group: &'static str,
    pub(crate) sic: &'static str,
    pub(crate) sic_title: &'static str,
    pub(crate) naics: &'static str,
}

pub(crate) struct Title {
    pub(crate) text: &'static str,
    pub(crate) level: &'static str,
}

/// What people do: a slot is a trade (industry, group, SIC and NAICS code, which always go together) and a title with its level.
///
/// Titles are drawn from the pools of the trade's sector, so that a hospital has nurses and a software house has engineers.
pub(crate) struct Work {
    pub(crate) sectors: Vec<Sector>,
    pub(crate) trades: Dictionary<Trade>,
    pub(crate) titles: Dictionary<Title>,
}

impl Work {
    fn read() -> Work {
        let mut titles = Vec::new();
        let mut pools: BTreeMap<&str, Vec<(u16, f64)>> = BTreeMap::new();
        for line in entries(lode_assets::sandbox::TITLES) {
            let [pool, level, text, share] = columns(line);
            pools.entry(pool).or_default().push((titles.len() as u16, number(share)));
            titles.push(Title { text, level });
        }
        let mut keys = Vec::new();
        let mut sectors = Vec::new();
        let mut staff: Vec<Vec<(u16, f64)>> = Vec::new();
        for line in entries(lode_assets::sandbox::SECTORS) {
            let [key, employer, shares, tails] = columns(line);
            let known = EMPLOYERS.iter().position(|(name, ..)| *name == employer);
            let employer = known.unwrap_or_else(|| panic!("{employer:?} is not a kind of employer"));
            let tails: Vec<&str> = tails.split(';').map(str::trim).collect();
            let tails = tails.try_into().unwrap_or_else(|_| panic!("{key} should have 8 last words"));
            keys.push(key);
            sectors.push(Sector { employer, tails });
            staff.push(shares.split(',').flat_map(|share| pool_share(&pools, share.trim())).collect());
        }
        let mut trades = Vec::new();
        for line in entries(lode_assets::sandbox::TRADES) {
            let [sector, industry, group, sic, sic_title, naics, share] = columns(line);
            let sector = keys.iter().position(|key| *key == sector);
            let sector = sector.unwrap_or_else(|| panic!("{industry} belongs to no sector"));
            trades.push((Trade { sector, industry, group, sic, sic_title, naics }, number(share)));
        }
        assert!(trades.len() <= 256, "a trade is a byte");
        let trades = Dictionary::weighted(trades);
        let mut dealt = Vec::new();
        for (at, slots) in trades.runs() {
            let staff = &staff[trades.entries[at].sector];
            let weights: Vec<f64> = staff.iter().map(|(_, weight)| *weight).collect();
            // A phase of its own for each trade: a rare title is not rare in the same trades as another one.
            let phase = (mix(at as u64) % 1000) as f64 / 1000.0;
            let runs = deal(&weights, slots.len(), phase);
            dealt.extend(runs.into_iter().map(|(nth, slots)| (staff[usize::from(nth)].0, slots)));
        }
        Work { sectors, trades, titles: Dictionary::dealt(titles, dealt) }
    }
}

/// `"general 5"`: the titles of a pool, weighing 5 together.
fn pool_share(pools: &BTreeMap<&str, Vec<(u16, f64)>>, text: &str) -> Vec<(u16, f64)> {
    let (pool, share) = text.split_once(' ').unwrap_or_else(|| panic!("{text:?} should be a pool and its share"));
    let titles = pools.get(pool).unwrap_or_else(|| panic!("no title is in the pool {pool}"));
    let total: f64 = titles.iter().map(|(_, weight)| weight).sum();
    titles.iter().map(|(title, weight)| (*title, weight / total * number(share))).collect()
}

/// Hosts of personal addresses, by three bits of the detail.
pub(crate) const HOSTS: [&str; 8] = [
    "mailbox.example", "inbox.example", "postbox.example", "homemail.example", "quickmail.example", "webpost.example",
    "everymail.example", "mymail.example",
];

/// Where disposable addresses live.
pub(crate) const DISPOSABLE_HOST: &str = "dropmail.example";

/// An email address: its type, its status in a search, and the result of a check.
///
/// The weights are chosen so that about 6 % of checks end in a refund and about 4 % cannot complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    /// corporate, edu, personal or gov.
    pub(crate) domain_type: &'static str,
    pub(crate) status: &'static str,
    pub(crate) verification: CheckOutcome,
}

impl Address {
    pub(crate) fn personal(&self) -> bool {
        self.domain_type == "personal"
    }

    pub(crate) fn disposable(&self) -> bool {
        self.status == "disposable"
    }
}

const CHECKS: [CheckOutcome; 4] =
    [CheckOutcome::Valid, CheckOutcome::Invalid, CheckOutcome::Disposable, CheckOutcome::Unknown];

/// The addresses that the people of each kind of employer have.
fn addresses() -> [Dictionary<Address>; 3] {
    EMPLOYERS.map(|(_, own, personal, _)| {
        let mut addresses = Vec::new();
        for (domain_type, share) in [(own, 100.0 - personal), ("personal", personal)] {
            for line in entries(lode_assets::sandbox::STATUSES) {
                let [status, company_share, personal_share, checks @ ..] = columns::<7>(line);
                let of_type = number(if domain_type == "personal" { personal_share } else { company_share });
                for (verification, per_thousand) in CHECKS.into_iter().zip(checks) {
                    let address = Address { domain_type, status, verification };
                    addresses.push((address, share * of_type * number(per_thousand)));
                }
            }
        }
        Dictionary::weighted(addresses)
    })
}

/// The host of a personal address.
pub(crate) fn host_of(detail: u16) -> &'static str {
    HOSTS[usize::from(detail >> 5) & 7]
}

/// The two digits behind the name in a personal address.
pub(crate) fn digits_of(detail: u16) -> u16 {
    detail % 100
}

/// Whether first and last name of a personal address are parted by a dot.
pub(crate) fn dotted(detail: u16) -> bool {
    detail >> 13 < 5
}

/// The last two digits of a phone number, all of which are 555-01xx.
pub(crate) fn line_of(detail: u16) -> u16 {
    ((u32::from(detail >> 4) * 100) >> 12) as u16
}

/// Number of stems is a power of two so that a stem is a few bits of the key.
pub(crate) const STEM_BITS: u32 = 13;

/// Which of the firms of a trade on a site a person works for, by four bits of the detail: some are larger than others.
const BRANCH: [u8; 16] = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7];

/// Who people work for. A firm is known by a 32-bit key that follows from its site, its trade and which of the few firms of that
/// trade on that site it is; so colleagues share name, website, street, ZIP and trade without any firm being stored.
///
/// The low 16 bits are the firm's *name*: 13 for the stem, 3 for the last word (of its sector). All that belongs to a name rather
/// than to a branch (website, size, how mail addresses are built) follows from them alone.
pub(crate) struct Firms {
    pub(crate) stems: Vec<Word>,
    /// Eight a sector.
    pub(crate) tails: Vec<Word>,
    pub(crate) streets: Vec<Word>,
    /// For each trade the first of its sector's tails.
    tails_from: [u16; 256],
    /// Employees and revenue, by the scattered name of a firm.
    sizes: Dictionary<(&'static str, &'static str)>,
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
    fn read(work: &Work) -> Firms {
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
                let word = Word::new(text);
                Word { slug: format!("{}.{}", word.slug, EMPLOYERS[sector.employer].3), ..word }
            })
        });
        let streets: Vec<Word> = entries(lode_assets::sandbox::STREETS).map(Word::new).collect();
        assert_eq!(streets.len(), 128, "a street is seven bits");
        let sizes = entries(lode_assets::sandbox::SIZES).map(|line| {
            let [employees, revenue, share] = columns(line);
            ((employees, revenue), number(share))
        });
        let trade = |at: usize| work.trades.entries.get(at);
        let tails_from = std::array::from_fn(|at| trade(at).map_or(0, |trade| trade.sector as u16 * 8));
        Firms { stems, tails: tails.collect(), streets, tails_from, sizes: Dictionary::weighted(sizes) }
    }

    /// The last word of a firm's name, as a place in `tails`.
    pub(crate) fn tail_of(&self, trade: u8, name: u16) -> u16 {
        self.tails_from[usize::from(trade)] + (name >> STEM_BITS)
    }

    /// Employees and revenue. Stems stand in the order of their list, and sizes in that of theirs: scattered, neither tells of the
    /// other.
    pub(crate) fn size(&self, name: u16) -> (&'static str, &'static str) {
        *self.sizes.at(name.wrapping_mul(0x6a4d).wrapping_add(0x1234))
    }
}
