//! The score of a contact: the sum of the points of `score.toml` that fit it, each with the rule it comes from.
//!
//! Nothing is learned and nothing is hidden: a score is its parts. Reading the file is the shell's business; choosing by the
//! score is [`choose`](super::choose).

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::phrase::Phrase;
use super::traits::Traits;

/// What a rule looks at: a table of `score.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

type Text = for<'a> fn(&Traits<'a>) -> &'a str;

/// Each field in the order of the enum: the name of its table, and what it is held against.
const FIELDS: [(ScoreField, &str, Text); 8] = [
    (ScoreField::Title, "title", |traits| traits.title),
    (ScoreField::Level, "level", |traits| traits.level),
    (ScoreField::Company, "company", |traits| traits.company),
    (ScoreField::Industry, "industry", |traits| traits.industry),
    (ScoreField::State, "state", |traits| traits.state),
    (ScoreField::EmailType, "email_type", |traits| traits.email_type),
    (ScoreField::EmailStatus, "email_status", |traits| traits.email_status),
    (ScoreField::Owned, "owned", |_| ""),
];

impl ScoreField {
    pub fn all() -> impl Iterator<Item = ScoreField> {
        FIELDS.into_iter().map(|(field, ..)| field)
    }

    /// The name of its table.
    pub fn name(self) -> &'static str {
        FIELDS[self as usize].1
    }

    /// Whether a word anywhere in the field counts; else it has to be all that the field says.
    fn has_words(self) -> bool {
        matches!(self, ScoreField::Title | ScoreField::Company | ScoreField::Industry)
    }

    fn text<'a>(self, traits: &Traits<'a>) -> &'a str {
        let (.., text) = FIELDS[self as usize];
        text(traits)
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
        let fits = move |rule: &&ScoreRule| match rule.field {
            ScoreField::Owned => self.is_owned(traits),
            field if field.has_words() => rule.phrase.is_in(field.text(traits)),
            field => rule.phrase.is(field.text(traits)),
        };
        self.card.rules.iter().filter(fits)
    }

    fn is_owned(&self, traits: &Traits<'_>) -> bool {
        !self.owned.is_empty() && traits.firm().is_some_and(|firm| self.owned.contains(&firm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merit(rules: &[(ScoreField, &str, i32)]) -> Scorer {
        let mut card = ScoreRules::default();
        for (field, words, points) in rules {
            card.add(ScoreRule::new(*field, words, *points).unwrap());
        }
        Scorer { card: Arc::new(card), owned: Arc::new(HashSet::from(["lakeside.example".to_owned()])) }
    }

    fn traits() -> Traits<'static> {
        Traits {
            title: "Director of Nursing",
            level: "Director",
            company: "Lakeside Regional",
            industry: "Hospital & Clinic",
            state: "TX",
            email: "d•••@lakeside.example",
            email_type: "corporate",
            email_status: "valid",
            website: "",
        }
    }

    #[test]
    fn a_score_is_the_sum_of_its_parts_and_says_them() {
        let merit = merit(&[
            (ScoreField::Title, "director", 20),
            (ScoreField::Title, "intern", -50),
            (ScoreField::State, "tx", 5),
            (ScoreField::Industry, "clinic", 3),
            (ScoreField::Level, "C-Level", 30),
            (ScoreField::EmailStatus, "valid", 4),
            (ScoreField::Owned, "company", -7),
        ]);
        let score = merit.score(&traits());
        assert_eq!(
            score.to_string(),
            "25 = title director 20 + state tx 5 + industry clinic 3 + email status valid 4 − owned company 7"
        );
        assert_eq!(merit.total(&traits()), 25);
        assert_eq!(merit.score(&Traits::default()).to_string(), "0");
        let alone = Traits { title: "Intern", ..Traits::default() };
        assert_eq!(merit.score(&alone).to_string(), "-50 = −title intern 50");
    }

    #[test]
    fn a_later_rule_takes_the_place_of_one_that_says_the_same() {
        let merit = merit(&[(ScoreField::Title, "Director", 20), (ScoreField::Title, "director", 1)]);
        assert_eq!((merit.card.len(), merit.total(&traits())), (1, 1));
    }

    /// Held against dice: whatever the rules and the contact, the printed parts add up.
    #[test]
    fn every_score_equals_the_sum_of_its_printed_parts() {
        let mut dice = 11_u64;
        let mut roll = |below: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as usize % below
        };
        let words = ["nurse", "Director", "tx", "OK", "clinic", "valid", "C-Level", "vice president", "é"];
        let mut hits = 0;
        for _ in 0..2_000 {
            let rules: Vec<(ScoreField, &str, i32)> =
                (0..roll(12)).map(|_| (FIELDS[roll(8)].0, words[roll(words.len())], roll(201) as i32 - 100)).collect();
            let merit = merit(&rules);
            let texts: Vec<String> =
                (0..7).map(|_| format!("{} {}", words[roll(words.len())], words[roll(words.len())])).collect();
            let traits = Traits {
                title: &texts[0],
                level: words[roll(words.len())],
                company: &texts[1],
                industry: &texts[2],
                state: words[roll(words.len())],
                email: if roll(2) == 0 { "x•••@lakeside.example" } else { "" },
                email_type: words[roll(words.len())],
                email_status: words[roll(words.len())],
                website: "",
            };
            let score = merit.score(&traits);
            assert_eq!(merit.total(&traits), score.total());
            let said = score.to_string();
            let (total, parts) = said.split_once(" = ").unwrap_or((&said, ""));
            let (mut sign, mut sum) = (1, 0);
            for word in parts.split(' ') {
                sign = match word.chars().next() {
                    Some('+') => 1,
                    Some('−') => -1,
                    _ => sign,
                };
                sum += sign * word.parse::<i32>().unwrap_or(0);
            }
            assert_eq!(total.parse::<i32>().unwrap(), sum, "{said}");
            hits += score.parts.len();
        }
        assert!(hits > 2_000, "{hits}");
    }
}
