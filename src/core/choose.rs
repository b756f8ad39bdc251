//! Chooses contacts: best first, the better one of duplicates, and a maximum per company. Choosing is free and comes before
//! anything is spent; the review applies the limit itself, in `flow::unlock::quote`.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::firm;
use super::money::{self, Staged};
use super::owned::Owned;
use super::row::{Fields, Known, Row};
use super::suppress::Suppression;

/// What the settings of a profile say about choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosing {
    pub card: Arc<ScoreRules>,
    /// Contacts of one company at most.
    pub per_company: Option<u32>,
    /// Of how many rows, from the first, the best are chosen.
    pub among: u64,
}

/// Of how many rows the best are chosen where nothing else is set.
pub const AMONG: u64 = 5_000;

impl Default for Choosing {
    fn default() -> Choosing {
        Choosing { card: Arc::default(), per_company: None, among: AMONG }
    }
}

/// What was chosen, and how many were not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection<'a> {
    /// The best first; among equals the earlier one.
    pub items: Vec<&'a Row>,
    pub duplicates: usize,
    /// More of a company than wanted.
    pub beyond: usize,
}

/// What this profile wants of contacts.
#[derive(Clone, Debug, Default)]
pub struct ChoiceRules {
    pub scorer: Scorer,
    /// Contacts of one company at most, as it was last set.
    pub per_company: Option<u32>,
    among: u64,
    pub lists: Arc<Vec<Suppression>>,
    /// Which reading of the ledger the owned companies are of.
    owned_as_of: Option<u64>,
}

impl ChoiceRules {
    pub fn new(choosing: &Choosing) -> ChoiceRules {
        let scorer = Scorer { card: Arc::clone(&choosing.card), ..Scorer::default() };
        ChoiceRules { scorer, per_company: choosing.per_company, among: choosing.among, ..ChoiceRules::default() }
    }

    /// The settings were changed. What was set by hand since then stays.
    pub fn set(&mut self, before: &Choosing, now: &Choosing) {
        if before.per_company != now.per_company {
            self.per_company = now.per_company;
        }
        self.among = now.among;
        self.scorer.card = Arc::clone(&now.card);
        self.owned_as_of = None;
    }

    pub fn has_score(&self) -> bool {
        !self.scorer.card.is_empty()
    }

    pub fn score<'a>(&'a self, row: &Row) -> Score<'a> {
        self.scorer.score(&Traits::of(row))
    }

    pub fn total(&self, row: &Row) -> i32 {
        self.scorer.total(&Traits::of(row))
    }

    /// Of how many rows the best are chosen.
    pub fn among(&self) -> u64 {
        self.among.max(1)
    }

    /// Learns of which companies a contact is owned, if a rule asks for it and it has changed.
    pub fn set_owned<'a>(&mut self, as_of: u64, owned: impl Iterator<Item = &'a Owned>) {
        if self.owned_as_of == Some(as_of) || !self.scorer.card.asks_owned() {
            return;
        }
        self.owned_as_of = Some(as_of);
        let mut firms = HashSet::new();
        for owned in owned {
            let kind = owned.row.as_ref().map_or("", |row| row.known(Known::EmailDomainType));
            firms.extend(firm::key(&owned.contact.email, kind, &owned.contact.company_name));
            firms.extend(firm::key("", "", &owned.contact.company_name));
        }
        self.scorer.owned = Arc::new(firms);
    }

    /// Chooses up to `most` of these rows. `beside` are those that are in the basket already: each has a place of its company.
    pub fn choose<'a, 'b>(
        &self,
        rows: impl IntoIterator<Item = &'a Row>,
        most: usize,
        beside: impl IntoIterator<Item = &'b Row>,
    ) -> Selection<'a> {
        let mut taken: HashMap<String, u32> = HashMap::new();
        if self.per_company.is_some() {
            for firm in beside.into_iter().filter_map(|row| Traits::of(row).firm()) {
                *taken.entry(firm).or_default() += 1;
            }
        }
        let mut rows: Vec<&Row> = rows.into_iter().collect();
        // Stable: among equals the earlier one stays before the later.
        rows.sort_by_cached_key(|row| std::cmp::Reverse(self.total(row)));
        let (mut chosen, mut people) = (Selection::default(), HashSet::new());
        for row in rows {
            if chosen.items.len() == most {
                break;
            }
            // Two of one person are duplicates.
            let person = person(row);
            if person.as_ref().is_some_and(|person| people.contains(person)) {
                chosen.duplicates += 1;
                continue;
            }
            // Where its company is not known it is never one too many.
            if let (Some(firm), Some(limit)) = (Traits::of(row).firm(), self.per_company) {
                let count = taken.entry(firm).or_default();
                if *count >= limit {
                    chosen.beyond += 1;
                    continue;
                }
                *count += 1;
            }
            people.extend(person);
            chosen.items.push(row);
        }
        chosen
    }
}

/// The person of a row; two ids of one person are duplicates.
pub fn person(row: &Row) -> Option<[String; 3]> {
    money::person(&row.name(), row.known(Known::Company), row.email())
}

// The score of a contact: the sum of the points of `score.toml` that fit it, each with the rule it comes from.
//
// Nothing is learned and nothing is hidden: a score is its parts. The host reads the file; choosing by the
// score is [`choose`](super::choose).

/// What a rule looks at: a table of `score.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ScoreField {
    Title,
    Level,
    Company,
    Industry,
    State,
    EmailType,
    EmailStatus,
    /// A contact of the company is owned already.
    Owned,
}

impl ScoreField {
    /// The name of its table.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The most points of one rule, either way.
pub const MOST_POINTS: i32 = 100;
/// The most rules of one card.
pub const MOST_RULES: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRule {
    field: ScoreField,
    phrase: Phrase,
    points: i32,
    /// `title director`: unique within a card.
    label: String,
}

impl ScoreRule {
    /// `None` where there is no word in it.
    pub fn new(field: ScoreField, words: &str, points: i32) -> Option<ScoreRule> {
        let phrase = Phrase::new(words)?;
        let label = format!("{} {}", field.name().replace('_', " "), words.trim());
        Some(ScoreRule { field, phrase, points: points.clamp(-MOST_POINTS, MOST_POINTS), label })
    }
}

/// The rules of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreRules {
    rules: Vec<ScoreRule>,
}

/// A score with the rules that gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score<'a> {
    pub parts: Vec<(&'a str, i32)>,
}

impl Score<'_> {
    pub fn total(&self) -> i32 {
        self.parts.iter().map(|(_, points)| points).sum()
    }
}

/// `35 = title director 20 + state TX 15`
impl fmt::Display for Score<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total())?;
        for (at, (label, points)) in self.parts.iter().enumerate() {
            let sign = match (at, *points < 0) {
                (0, false) => " = ",
                (0, true) => " = −",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            write!(f, "{sign}{label} {}", points.unsigned_abs())?;
        }
        Ok(())
    }
}

impl ScoreRules {
    /// A rule that says what an earlier one says takes its place.
    pub fn add(&mut self, rule: ScoreRule) {
        let same = |known: &ScoreRule| known.field == rule.field && known.phrase == rule.phrase;
        match self.rules.iter().position(same) {
            Some(at) => self.rules[at] = rule,
            None => self.rules.push(rule),
        }
    }

    /// Each rule with its points, as `title director` and 20.
    pub fn parts(&self) -> impl Iterator<Item = (&str, i32)> {
        self.rules.iter().map(|rule| (&*rule.label, rule.points))
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether it asks what is owned.
    pub fn asks_owned(&self) -> bool {
        self.rules.iter().any(|rule| rule.field == ScoreField::Owned)
    }
}

/// A card, and what it needs to know besides the row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scorer {
    pub card: Arc<ScoreRules>,
    /// Companies of which a contact is owned.
    pub owned: Arc<HashSet<String>>,
}

impl Scorer {
    pub fn score(&self, traits: &Traits<'_>) -> Score<'_> {
        Score { parts: self.fitting(traits).map(|rule| (rule.label.as_str(), rule.points)).collect() }
    }

    pub fn total(&self, traits: &Traits<'_>) -> i32 {
        self.fitting(traits).map(|rule| rule.points).sum()
    }

    fn fitting<'a>(&'a self, traits: &Traits<'_>) -> impl Iterator<Item = &'a ScoreRule> {
        let mut read: Option<(ScoreField, Words<'_>)> = None;
        let fits = move |rule: &&ScoreRule| {
            let field = rule.field;
            let text = match field {
                ScoreField::Title => traits.title,
                ScoreField::Company => traits.company,
                ScoreField::Industry => traits.industry,
                ScoreField::Level => traits.level,
                ScoreField::State => traits.state,
                ScoreField::EmailType => traits.email_type,
                ScoreField::EmailStatus => traits.email_status,
                ScoreField::Owned => {
                    return !self.owned.is_empty() && traits.firm().is_some_and(|firm| self.owned.contains(&firm));
                }
            };
            // Rules of one field follow each other.
            let words = read.filter(|(of, _)| *of == field).map_or_else(|| Words::of(text), |(_, words)| words);
            read = Some((field, words));
            match field {
                // A word anywhere in these counts; the others must match completely.
                ScoreField::Title | ScoreField::Company | ScoreField::Industry => rule.phrase.is_among(words),
                _ => rule.phrase.is_all_of(words),
            }
        };
        self.card.rules.iter().filter(fits)
    }
}

// The facts of a contact that scores and exclusions use, borrowed from a row, a staged contact or a record.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits<'a> {
    pub title: &'a str,
    pub level: &'a str,
    pub company: &'a str,
    pub industry: &'a str,
    pub state: &'a str,
    pub email: &'a str,
    pub email_type: &'a str,
    pub email_status: &'a str,
    pub website: &'a str,
}

impl<'a> Traits<'a> {
    pub fn of(row: &'a Row) -> Traits<'a> {
        Traits::among(&Fields::of(row))
    }

    pub fn among(fields: &Fields<'a>) -> Traits<'a> {
        Traits {
            title: fields.known(Known::Title),
            level: fields.known(Known::TitleLevel),
            company: fields.known(Known::Company),
            industry: fields.known(Known::Industry),
            state: fields.known(Known::State),
            email: fields.known(Known::Email),
            email_type: fields.known(Known::EmailDomainType),
            email_status: fields.known(Known::EmailStatus),
            website: fields.known(Known::Website),
        }
    }

    pub fn staged(staged: &'a Staged) -> Traits<'a> {
        Traits {
            title: &staged.clue.title,
            level: &staged.clue.title_level,
            company: &staged.company,
            industry: &staged.clue.industry,
            state: &staged.clue.state,
            email: &staged.email,
            email_type: &staged.clue.email_domain_type,
            email_status: &staged.email_status,
            website: "",
        }
    }

    /// The company that it counts for: the domain of a company's email, else the normalized name. `None` where neither is known.
    pub fn firm(&self) -> Option<String> {
        firm::key(self.email, self.email_type, self.company)
    }
}

// Words that are looked for as whole words, whatever their case: `intern` is in `Summer Intern`, not in `Internal Audit`.

/// One word or several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// In small letters, never empty.
    words: Vec<String>,
    /// The bit of its first letter.
    initial: u32,
}

impl Phrase {
    /// `None` where the text has no word.
    pub fn new(text: &str) -> Option<Phrase> {
        let words: Vec<String> = words(text).map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
        let initial = words.first()?.bytes().next().map_or(0, initial);
        Some(Phrase { words, initial })
    }

    pub fn is_in(&self, text: &str) -> bool {
        self.is_among(Words::of(text))
    }

    /// Whether it is all that the text says.
    pub fn is(&self, text: &str) -> bool {
        self.is_all_of(Words::of(text))
    }

    pub(crate) fn is_among(&self, among: Words<'_>) -> bool {
        if !self.may_be_in(among) {
            return false;
        }
        let (first, more) = self.words.split_first().expect("a phrase has a word");
        let mut rest = words(among.text);
        while let Some(word) = rest.next() {
            if same(word, first) && begin(rest.clone(), more) {
                return true;
            }
        }
        false
    }

    fn is_all_of(&self, of: Words<'_>) -> bool {
        self.may_be_in(of) && begin(words(of.text), &self.words) && words(of.text).count() == self.words.len()
    }

    /// Whether a word of the text begins as it does.
    fn may_be_in(&self, text: Words<'_>) -> bool {
        text.initials & self.initial != 0
    }
}

/// A text, with the bits of the letters that its words begin with: a phrase with another first letter is not in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    text: &'a str,
    initials: u32,
}

impl Words<'_> {
    pub(crate) fn of(text: &str) -> Words<'_> {
        let (mut initials, mut is_in_word) = (0, false);
        for byte in text.bytes() {
            let starts_word = !is_in_word || !byte.is_ascii();
            is_in_word = byte.is_ascii_alphanumeric();
            if starts_word && (is_in_word || !byte.is_ascii()) {
                initials |= initial(byte);
            }
        }
        Words { text, initials }
    }
}

/// The same bit for a letter in either case. What is outside of ASCII may be any letter in the other case, or part words.
fn initial(byte: u8) -> u32 {
    if byte.is_ascii() { 1 << (byte & 31) } else { u32::MAX }
}

fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether the first of some words are these, which are in small letters.
fn begin<'a>(mut words: impl Iterator<Item = &'a str>, small: &[String]) -> bool {
    small.iter().all(|small| words.next().is_some_and(|word| same(word, small)))
}

fn same(word: &str, small: &str) -> bool {
    let in_small = || word.chars().flat_map(char::to_lowercase);
    word.eq_ignore_ascii_case(small) || !word.is_ascii() && in_small().eq(small.chars())
}
