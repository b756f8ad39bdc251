use std::collections::HashSet;
use std::sync::Arc;

use lode_core::RowId;
use lode_core::choose::*;
use lode_core::row::{CellKind, ColumnNames, Row};
use strum::VariantArray;

/// A contact with these points, whose company counts by its name.
fn row(id: i64, points: i32, company: &str, name: &str) -> Row {
    let columns = Arc::new(ColumnNames::new(["title", "company_name", "contact_name", "email"]));
    let title = format!("worth {points}");
    let values = [&title, company, name, "d•••@gmail.com"].map(|text| (CellKind::Text, text));
    Row::new(Some(RowId(id)), false, columns, values)
}

#[test]
fn the_best_come_first_and_no_company_too_often() {
    let all = [
        row(1, 5, "a", ""),
        row(2, 9, "a", ""),
        row(3, 5, "a", ""),
        row(4, 5, "b", "Dana"),
        row(5, 7, "b", "Dana"),
        row(6, 0, "", ""),
        row(7, 0, "", ""),
    ];
    let choose = |most, per_company, beside: &[Row]| {
        let points = [5, 7, 9].map(|points| (ScoreField::Title, points.to_string(), points));
        let card = merit(&points.each_ref().map(|(field, words, points)| (*field, words.as_str(), *points))).card;
        let rules = ChoiceRules::new(&Choosing { card, per_company, ..Choosing::default() });
        let Selection { items, duplicates, beyond } = rules.choose(&all, most, beside);
        (items.iter().map(|row| row.id().unwrap().0).collect::<Vec<_>>(), duplicates, beyond)
    };
    assert_eq!(choose(9, Some(2), &[]), (vec![2, 5, 1, 6, 7], 1, 1));
    assert_eq!(choose(3, None, &[]).0, [2, 5, 1]);
    let before = [row(8, 0, "a", ""), row(9, 0, "A Inc", "")];
    assert_eq!(choose(9, Some(2), &before).0, [5, 6, 7]);
}

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
    let mut rng = 11_u64;
    let mut roll = |below: usize| {
        rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (rng >> 33) as usize % below
    };
    let words = ["nurse", "Director", "tx", "OK", "clinic", "valid", "C-Level", "vice president", "é"];
    let mut hits = 0;
    for _ in 0..2_000 {
        let rules: Vec<(ScoreField, &str, i32)> = (0..roll(12))
            .map(|_| (ScoreField::VARIANTS[roll(8)], words[roll(words.len())], roll(201) as i32 - 100))
            .collect();
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

#[test]
fn words_are_found_whole_and_in_a_row_whatever_their_case() {
    for (phrase, text, is_in) in [
        ("intern", "Summer INTERN", true),
        ("intern", "Internal Audit", false),
        ("vice president", "Senior Vice-President, Sales", true),
        ("vice president", "Vice Senior President", false),
        ("vice president", "Vice", false),
        ("élève", "ÉLÈVE infirmier", true),
        ("r&d", "Head of R & D", true),
        ("a a b", "a a a b", true),
        ("nurse", "", false),
        ("nurse", "Chef—Nurse", true),
        ("nurse", "“Nurse”", true),
        ("kelvin", "\u{212a}elvin", true),
        ("élève", "E eleve", false),
        ("2nd shift", "Lead, 2nd Shift", true),
    ] {
        assert_eq!(Phrase::new(phrase).unwrap().is_in(text), is_in, "{phrase} in {text}");
    }
    assert_eq!(Phrase::new(" - "), None);
    assert!(Phrase::new("c-level").unwrap().is("C-Level") && !Phrase::new("level").unwrap().is("C-Level"));
}
