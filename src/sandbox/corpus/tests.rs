//! What must hold for rows: the same ones for the same seed, and columns that agree with each other. The facts that rows are held
//! against are read from the list files here once more, on their own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::lists::mix;
use super::*;

const CITIES: &str = lode_assets::sandbox::CITIES;
const STATES: &str = lode_assets::sandbox::STATES;
const TITLES: &str = lode_assets::sandbox::TITLES;
const TRADES: &str = lode_assets::sandbox::TRADES;

fn table(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| line.split('|').collect())
}

/// 10,000 rows from all over both corpora at full size.
fn sample() -> impl Iterator<Item = (SandboxCorpus, Person)> {
    [(CorpusKind::Us, 80_000_000), (CorpusKind::Linkedin, 46_800_000)].into_iter().flat_map(|(kind, rows)| {
        let corpus = SandboxCorpus::new(kind, 42, rows);
        (0..5_000u64).map(move |nth| {
            let id = 1 + mix(nth) % rows;
            (corpus.clone(), corpus.person(id).unwrap())
        })
    })
}

/// Digests of the first and last rows of seed 1.
const GOLDEN_US: u64 = 0xacf5_e7e3_50d4_fb0e;
const GOLDEN_LINKEDIN: u64 = 0x35bb_5fce_b5af_e94c;

/// A change of a list or of the way rows are drawn changes all records that was kept before it: it must be meant.
#[test]
fn the_same_seed_gives_the_same_rows() {
    let digest = |seed: u64, kind: CorpusKind| {
        let corpus = SandboxCorpus::new(kind, seed, 80_000_000);
        let ids = (1..=500).chain(79_999_500..=80_000_000);
        ids.fold(0u64, |digest, id| {
            let row = format!("{:?} {}", corpus.person(id).unwrap(), corpus.suppressed(id));
            row.bytes().fold(digest, |digest, byte| mix(digest ^ u64::from(byte)))
        })
    };
    assert_eq!(digest(1, CorpusKind::Us), GOLDEN_US);
    assert_eq!(digest(1, CorpusKind::Linkedin), GOLDEN_LINKEDIN);
    assert_ne!(digest(2, CorpusKind::Us), GOLDEN_US);
}

#[test]
fn a_row_does_not_depend_on_the_size_of_the_corpus() {
    let small = SandboxCorpus::new(CorpusKind::Us, 9, 1_000);
    let large = SandboxCorpus::new(CorpusKind::Us, 9, 80_000_000);
    for id in 1..=1_000 {
        assert_eq!(small.person(id), large.person(id));
    }
    assert_eq!(small.person(0), None);
    assert_eq!(small.person(small.rows() + 1), None);
    assert!(large.person(small.rows() + 1).is_some());
}

#[test]
fn city_county_zip_and_area_code_belong_to_the_state() {
    let mut cities = HashMap::new();
    for row in table(CITIES) {
        let (from, to) = row[3].split_once('-').unwrap();
        let zips = from.parse::<u32>().unwrap()..=to.parse().unwrap();
        cities.insert((row[0].to_owned(), row[1].to_owned()), (row[2], zips, row[4].split(' ').collect::<Vec<_>>()));
    }
    for (_, person) in sample() {
        let (county, zips, codes) = &cities[&(person.state.to_string(), person.city.to_string())];
        assert_eq!(person.county, *county);
        let zip: u32 = person.zip.parse().unwrap();
        assert!(person.zip.len() == 5 && zips.contains(&zip), "{person:?}");
        assert!(codes.contains(&&person.phone[..3]), "{person:?}");
        assert!(person.phone.len() == 10 && person.phone[3..].starts_with("55501"), "{person:?}");
    }
}

#[test]
fn the_list_of_cities_is_sound() {
    let mut zips = BTreeMap::new();
    let mut areas: BTreeMap<&str, &str> = BTreeMap::new();
    for row in table(CITIES) {
        let (from, to) = row[3].split_once('-').unwrap();
        for zip in from.parse::<u32>().unwrap()..=to.parse().unwrap() {
            assert_eq!(zips.insert(zip, row[1]), None, "{zip} belongs to two cities");
        }
        for area in row[4].split(' ') {
            assert_eq!(*areas.entry(area).or_insert(row[0]), row[0], "{area} belongs to two states");
        }
    }
    let states: BTreeSet<&str> = table(CITIES).map(|row| row[0]).collect();
    let all: BTreeSet<&str> = table(STATES).map(|row| row[0]).collect();
    assert_eq!((states.len(), states == all), (51, true));
}

#[test]
fn the_level_agrees_with_the_title() {
    let mut levels: HashMap<&str, &str> = HashMap::new();
    for row in table(TITLES) {
        assert_eq!(*levels.entry(row[2]).or_insert(row[1]), row[1], "{} has two levels", row[2]);
    }
    for (_, person) in sample() {
        assert_eq!(levels[&*person.title], person.title_level);
        let named = person.title.to_lowercase();
        let obvious =
            [("chief executive", "C-Level"), ("vp ", "VP"), ("director of", "Director"), ("manager", "Manager")];
        for (word, level) in obvious {
            assert!(!named.starts_with(word) || person.title_level == level, "{person:?}");
        }
    }
}

#[test]
fn sic_naics_and_group_agree_with_the_industry() {
    let trades: BTreeSet<[&str; 4]> = table(TRADES).map(|row| [row[1], row[2], row[3], row[5]]).collect();
    let by_sic: BTreeSet<&str> = trades.iter().map(|trade| trade[2]).collect();
    assert_eq!(by_sic.len(), trades.len(), "a SIC code names one trade");
    for (_, person) in sample() {
        let trade = [&*person.industry, &*person.industry_group, &*person.sic_code, &*person.naics_code];
        assert!(trades.contains(&trade), "{person:?}");
        assert!(person.sic_code.len() == 4 && person.naics_code.len() == 6, "{person:?}");
    }
}

#[test]
fn company_website_and_address_agree() {
    for (_, person) in sample() {
        assert!(person.company_website.ends_with(".example"), "{person:?}");
        let plain = lists::slug(&person.company_name);
        assert!(person.company_website.starts_with(&plain), "{person:?}");
        let (local, host) = person.email.split_once('@').unwrap();
        assert!(local.is_ascii() && !local.is_empty() && host.ends_with(".example"), "{person:?}");
        if person.email_domain_type == "personal" {
            assert_ne!(host, person.company_website);
        } else {
            assert_eq!(host, person.company_website);
        }
        let first = lists::slug(&person.first_name);
        assert!(local.starts_with(&first[..1]), "{person:?}");
        assert!(person.linkedin_url.starts_with("https://linkedin.example/in/"), "{person:?}");
        assert_eq!(person.email_domain_type == "edu", host.ends_with(".edu.example"), "{person:?}");
        assert_eq!(person.email_domain_type == "gov", host.ends_with(".gov.example"), "{person:?}");
    }
}

#[test]
fn colleagues_share_their_company() {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 4, 300_000);
    let mut firms: HashMap<(String, String, String), Person> = HashMap::new();
    let mut colleagues = 0;
    for id in (1..=corpus.rows()).filter(|id| !corpus.suppressed(*id)) {
        let person = corpus.person(id).unwrap();
        let key = (person.company_name.to_string(), person.zip.to_string(), person.address.to_string());
        if let Some(other) = firms.get(&key) {
            colleagues += 1;
            assert_eq!(
                (&other.company_website, &other.city, &other.employees, &other.revenue),
                (&person.company_website, &person.city, &person.employees, &person.revenue)
            );
        } else {
            firms.insert(key, person);
        }
    }
    assert!(colleagues > 3_000, "only {colleagues} have a colleague among 300,000");
}

#[test]
fn repetitions_repeat_everything_but_the_id() {
    let corpus = SandboxCorpus::new(CorpusKind::Linkedin, 8, 20_000);
    let mut repeated = 0;
    for id in 1..=corpus.rows() {
        let person = corpus.person(id).unwrap();
        let Some(original) = person.original else { continue };
        repeated += 1;
        assert!(original < id);
        let first = corpus.person(original).unwrap();
        assert_eq!(Person { id: original, original: None, ..person }, first);
    }
    assert_eq!(repeated, 20_000 / 32);
}

#[test]
fn shares_are_believable() {
    let mut share: BTreeMap<&str, f64> = BTreeMap::new();
    let mut one =
        |of: &'static str, holds: bool| *share.entry(of).or_default() += f64::from(u8::from(holds)) / 10_000.0;
    for (corpus, person) in sample() {
        one("refunded", matches!(person.verification, CheckOutcome::Invalid | CheckOutcome::Disposable));
        one("uncertain", person.verification == CheckOutcome::Unknown);
        one("corporate", person.email_domain_type == "corporate");
        one("cross_verified", person.email_status == "cross_verified");
        one("engineer", person.title.to_lowercase().contains("engineer"));
        one("Texas", person.state == "TX");
        one("Wyoming", person.state == "WY");
        one("repeated", person.original.is_some());
        one("suppressed", corpus.suppressed(person.id));
        one("C-Level", person.title_level == "C-Level");
    }
    let between = |of: &str, low: f64, high: f64| assert!((low..high).contains(&share[of]), "{of}: {}", share[of]);
    between("refunded", 0.05, 0.07);
    between("uncertain", 0.03, 0.05);
    between("corporate", 0.6, 0.8);
    between("cross_verified", 0.35, 0.45);
    between("engineer", 0.02, 0.1);
    between("Texas", 0.075, 0.1);
    between("Wyoming", 0.0002, 0.004);
    between("repeated", 0.025, 0.038);
    between("suppressed", 0.0, 0.0015);
    between("C-Level", 0.03, 0.12);
}

#[test]
fn what_a_check_finds_goes_with_the_status() {
    let (mut bad, mut good) = ([0.0f64; 2], [0.0f64; 2]);
    for (_, person) in sample() {
        let refunded = matches!(person.verification, CheckOutcome::Invalid | CheckOutcome::Disposable);
        let of = match &*person.email_status {
            "invalid" | "bounced" | "disposable" => &mut bad,
            "cross_verified" | "valid" => &mut good,
            _ => continue,
        };
        of[0] += 1.0;
        of[1] += f64::from(u8::from(refunded));
    }
    assert!(bad[1] / bad[0] > 0.6 && good[1] / good[0] < 0.03, "bad {bad:?} good {good:?}");
}
