//! `score.toml`: scoring rules of a profile. Each table is a field of the contact, each line a rule.
//!
//! ```toml
//! [title]
//! "director" = 20
//!
//! [profiles.acme.state]
//! TX = 5
//! ```
//!
//! What stands under `profiles.NAME` is added for that profile, in the place of a rule that says the same.

use super::*;

pub fn path(environment: &Environment) -> PathBuf {
    environment.config_dir.join("score.toml")
}

/// The card of a profile. Without a file it has no rule.
pub(super) fn load(environment: &Environment, profile: &str) -> Read<ScoreRules> {
    let path = path(environment);
    let Some(bytes) = bytes(&path)? else { return Ok(ScoreRules::default()) };
    read(&path, &String::from_utf8_lossy(&bytes), profile)
}

/// The example with all its rules on, where it can be read.
pub(super) fn sample() -> ScoreRules {
    read(Path::new("score.toml"), &sample_text(), "").unwrap_or_default()
}

/// The rules that the demo has: those of the file, else the example's.
pub fn text_for_demo(environment: &Environment) -> String {
    let has_some = load(environment, super::DEMO).is_ok_and(|card| !card.is_empty());
    let text = has_some.then(|| std::fs::read_to_string(path(environment)).ok()).flatten();
    text.unwrap_or_else(sample_text)
}

/// A rule of the example begins with a `#` of its own; a sentence has a space after it.
fn sample_text() -> String {
    let on = |line: &'static str| line.strip_prefix('#').filter(|on| !on.starts_with(' ')).unwrap_or(line);
    lode_assets::SCORE.lines().flat_map(|line| [on(line), "\n"]).collect()
}

/// The text of the file. `path` is only for what is said about it.
fn read(path: &Path, text: &str, profile: &str) -> Read<ScoreRules> {
    parse(path, text, |file| rules_of(file, profile))
}

fn rules_of(file: &Setting<'_>, profile: &str) -> Read<ScoreRules> {
    let mut card = ScoreRules::default();
    let fields: Vec<&str> = ScoreField::VARIANTS.iter().map(|field| field.name()).collect();
    let with_profiles = [fields.as_slice(), &["profiles"]].concat();
    let (profiles, common): (Vec<_>, Vec<_>) = file.entries()?.into_iter().partition(|table| table.name == "profiles");
    add_rules(&common, &with_profiles, &mut card)?;
    for table in profiles {
        for own in table.entries()? {
            // A mistake under another profile is a mistake as well.
            let mut other = ScoreRules::default();
            add_rules(&own.entries()?, &fields, if own.name == profile { &mut card } else { &mut other })?;
        }
    }
    if card.len() > MOST_RULES {
        return Err(file.wrong_name(format!("at most {MOST_RULES} rules; there are {}", card.len())));
    }
    Ok(card)
}

/// Adds the rules of tables whose names may be those of `known`.
fn add_rules(tables: &[Setting<'_>], known: &[&str], card: &mut ScoreRules) -> Read<()> {
    for table in tables {
        let field = table.name.parse().map_err(|_| table.unknown(known))?;
        for rule in table.entries()? {
            if field == ScoreField::Owned && rule.name != "company" {
                return Err(rule.unknown(&["company"]));
            }
            let points = rule.number(-i64::from(MOST_POINTS), i64::from(MOST_POINTS))?;
            let read = ScoreRule::new(field, &scrub(rule.name), points);
            card.add(read.ok_or_else(|| rule.wrong_name("a rule needs a word: \"director\" = 20"))?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lode_core::Scorer;
    use lode_core::Traits;

    fn said(text: &str) -> String {
        read(Path::new("score.toml"), text, "acme").unwrap_err().to_string()
    }

    #[test]
    fn a_profile_adds_to_the_rules_of_all() {
        let text = "[title]\ndirector = 20\nnurse = 5\n[profiles.acme.title]\n\"Director\" = 1\n[profiles.other.state]\nTX = 50\n";
        let merit = Scorer { card: Arc::new(read(Path::new("x"), text, "acme").unwrap()), ..Scorer::default() };
        let traits = Traits { title: "Director, Nurse", state: "TX", ..Traits::default() };
        assert_eq!(merit.score(&traits).to_string(), "6 = title Director 1 + title nurse 5");
    }

    #[test]
    fn the_example_is_a_card() {
        assert!(read(Path::new("x"), lode_assets::SCORE, "acme").unwrap().is_empty(), "as it comes it does nothing");
        assert!(sample().len() > 8, "{}", sample_text());
    }

    #[test]
    fn mistakes_are_said_with_their_line() {
        for (text, expected) in [
            ("[titel]\n", "score.toml, line 1, column 2: unknown setting `titel`. Did you mean `title`?"),
            ("[title]\nnurse = \"5\"\n", "score.toml, line 2, column 9: `nurse` is a whole number from -100 to 100"),
            ("[title]\nnurse = 101\n", "score.toml, line 2, column 9: `nurse` is a whole number from -100 to 100"),
            ("[title]\n\"-\" = 1\n", "score.toml, line 2, column 1: a rule needs a word: \"director\" = 20"),
            (
                "[owned]\nperson = 1\n",
                "score.toml, line 2, column 1: unknown setting `person`; valid settings: company",
            ),
            (
                "[profiles.other.titel]\n",
                "score.toml, line 1, column 17: unknown setting `titel`. Did you mean `title`?",
            ),
            ("title = 5\n", "score.toml, line 1, column 9: `title` is a table: write [title]"),
        ] {
            assert_eq!(said(text), expected);
        }
        assert!(said("[title\n").contains("line 1"), "{}", said("[title\n"));
    }
}
