//! Codes with their names, so that one finds `8062` by typing `hospital`, and the value that was probably meant. Aids for typing
//! only: any code may be typed.

use super::filter::{Filter, MatchKind};

/// The rows of a file of codes: the parts before and behind the bar.
pub fn read(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('|'))
}

pub fn states() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(lode_assets::STATES)
}

pub fn sic() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(lode_assets::SIC)
}

pub fn naics() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(lode_assets::NAICS)
}

// Totals of a whole corpus per state and per SIC code.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountKind {
    State,
    Sic,
}

impl CountKind {
    pub fn name(self) -> &'static str {
        ["state", "sic"][self as usize]
    }
}

/// One state or code, as `lode counts` prints it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "CountLine", description = "One state or code of `lode counts`.")]
pub struct Count {
    #[schemars(with = "String", extend("enum" = ["state", "sic"]))]
    pub kind: CountKind,
    pub code: String,
    // The service's name for it; empty where it sent only the code.
    pub name: String,
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The service's own total, where it sent one.
    pub total: Option<u64>,
    pub counts: Vec<Count>,
}

// The value that was probably meant: the one of a list that a typed value resembles, and the code whose name was typed.

/// The entry of a list that `typed` resembles most; `None` where it resembles none.
pub fn nearest<'a>(typed: &str, list: &[&'a str]) -> Option<&'a str> {
    named(typed, list.iter().map(|entry| (*entry, *entry)))
}

/// The value that this filter probably should have; `None` where the typed one may be right, or nothing is like it.
pub fn value(filter: Filter, typed: &str) -> Option<&'static str> {
    let likely = match (filter, filter.matching()) {
        (_, MatchKind::OneOf(list)) => nearest(typed, list),
        (Filter::State, _) if states().any(|(code, _)| code == typed) => None,
        (Filter::State, _) => named(typed, states().flat_map(|(code, name)| [(code, code), (name, code)])),
        (Filter::SicCode, _) => code(typed, sic()),
        (Filter::NaicsCode, _) => code(typed, naics()),
        _ => None,
    };
    likely.filter(|likely| *likely != typed)
}

/// A code by its name: `hospital` is 8062.
fn code(typed: &str, codes: impl Iterator<Item = (&'static str, &'static str)>) -> Option<&'static str> {
    let typed = plain(typed);
    let is_name = typed.len() > 2 && !typed.bytes().all(|byte| byte.is_ascii_digit());
    codes.filter(|_| is_name).find(|(_, name)| plain(name).contains(&typed)).map(|(code, _)| code)
}

/// Of pairs of a name and what it stands for: the same letters, then one that begins as the other does, then a slip or two.
fn named<'a>(typed: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<&'a str> {
    let typed = plain(typed);
    let rank = |name: &str| {
        let name = plain(name);
        if name == typed {
            return Some(0);
        }
        let short = name.len().min(typed.len());
        if short > 2 && (name.starts_with(&typed) || typed.starts_with(&name)) {
            return Some(1);
        }
        // How many letters have to be put in, taken out, changed or swapped with their neighbor.
        let slips = strsim::osa_distance(&name, &typed);
        (slips <= short / 4).then_some(1 + slips)
    };
    pairs.filter_map(|(name, means)| Some((rank(name)?, means))).min_by_key(|(rank, _)| *rank).map(|(_, means)| means)
}

/// Letters and digits only, in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
