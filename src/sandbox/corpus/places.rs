//! Where people work: a site is a ZIP of a city, with the county, state and area code that belong to it.

use super::lists::{Dictionary, columns, entries, number};

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

pub(crate) struct Places {
    pub(crate) states: Vec<State>,
    pub(crate) cities: Vec<City>,
    pub(crate) sites: Dictionary<Site>,
}

/// Firms number their sites with this many bits.
pub(super) const SITE_BITS: u32 = 13;

impl Places {
    pub(super) fn read() -> Places {
        let mut states = Vec::new();
        let mut people = Vec::new();
        for line in entries(lode_assets::sandbox::STATES) {
            let [code, name, thousands] = columns(line);
            states.push(State { code, name });
            people.push(number(thousands));
        }
        let mut cities = Vec::new();
        let mut zips = Vec::new();
        let mut weights = Vec::new();
        for line in entries(lode_assets::sandbox::CITIES) {
            let [code, name, county, range, codes, thousands] = columns(line);
            let state = states.iter().position(|state: &State| state.code == code);
            let state = state.unwrap_or_else(|| panic!("{name} lies in no state: {code}"));
            let (first, last) = range.split_once('-').unwrap_or_else(|| panic!("{range:?} should be a range"));
            cities.push(City { state, name, county });
            zips.push((number(first) as u32..=number(last) as u32, codes.split(' ').collect::<Vec<_>>()));
            weights.push(number(thousands));
        }
        // The cities of the list stand for the whole of their state.
        let mut listed = vec![0.0; states.len()];
        for (city, weight) in cities.iter().zip(&weights) {
            listed[city.state] += weight;
        }
        let mut sites = Vec::new();
        let mut shares = Vec::new();
        for (at, (city, (range, codes))) in cities.iter().zip(zips).enumerate() {
            let share = people[city.state] * weights[at] / listed[city.state];
            let count = range.clone().count();
            for (nth, zip) in range.enumerate() {
                sites.push(Site { city: at, zip: format!("{zip:05}"), area_code: codes[nth % codes.len()] });
                shares.push(share / count as f64);
            }
        }
        assert!(sites.len() < 1 << SITE_BITS, "more sites than a firm's key has room for");
        Places { states, cities, sites: Dictionary::weighted(sites, &shares) }
    }
}
