//! What people do: a slot is a trade (industry, group, SIC and NAICS code, which always go together) and a title with its level.
//!
//! Titles are drawn from the pools of the trade's sector, so that a hospital has nurses and a software house has engineers.

use std::collections::BTreeMap;

use super::lists::{Dictionary, columns, deal, entries, mix, number};

/// What kind of employer a sector is: it decides what its email addresses look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Employer {
    Business,
    Edu,
    Gov,
}

impl Employer {
    pub(crate) const ALL: [Employer; 3] = [Employer::Business, Employer::Edu, Employer::Gov];
}

pub(crate) struct Sector {
    pub(crate) employer: Employer,
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

pub(crate) struct Work {
    pub(crate) sectors: Vec<Sector>,
    pub(crate) trades: Dictionary<Trade>,
    pub(crate) titles: Dictionary<Title>,
}

impl Work {
    pub(super) fn read() -> Work {
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
            let employer = match employer {
                "business" => Employer::Business,
                "edu" => Employer::Edu,
                "gov" => Employer::Gov,
                other => panic!("{other:?} is no kind of employer"),
            };
            let tails: Vec<&str> = tails.split(';').map(str::trim).collect();
            let tails = tails.try_into().unwrap_or_else(|_| panic!("{key} should have 8 last words"));
            keys.push(key);
            sectors.push(Sector { employer, tails });
            staff.push(shares.split(',').flat_map(|share| pool_share(&pools, share.trim())).collect());
        }
        let mut trades = Vec::new();
        let mut weights = Vec::new();
        for line in entries(lode_assets::sandbox::TRADES) {
            let [sector, industry, group, sic, sic_title, naics, share] = columns(line);
            let sector = keys.iter().position(|key| *key == sector);
            let sector = sector.unwrap_or_else(|| panic!("{industry} belongs to no sector"));
            trades.push(Trade { sector, industry, group, sic, sic_title, naics });
            weights.push(number(share));
        }
        assert!(trades.len() <= 256, "a trade is a byte");
        let trades = Dictionary::weighted(trades, &weights);
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
