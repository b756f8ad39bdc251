use std::sync::Arc;

use lode_core::needle::*;
use lode_core::row::Row;
use lode_core::row::{CellKind, ColumnNames, Rows};

fn row(values: &[&str]) -> Row {
    let columns = Arc::new(ColumnNames::new((0..values.len()).map(|at| format!("column {at}"))));
    Row::new(None, false, columns, values.iter().map(|value| (CellKind::Text, *value)))
}

fn is_in(words: &str, values: &[&str]) -> bool {
    Needle::new(words).is_in(&row(values))
}

#[test]
fn words_are_found_in_any_value_whatever_their_case() {
    let values = ["Ruth", "", "WHITFIELD", "r•••@Lakeside.example", "Straẞe 7", "ΣΊΣΥΦΟΣ", "İzmir"];
    for words in [
        "r", "RUTH", "whit", "field", "D", "r•••@lake", "•", "7", "straße", "ẞ", "σίσυφοσ", "Ί", "i\u{307}z", "İ",
        "zmir",
    ] {
        assert!(is_in(words, &values), "{words}");
    }
    assert!(is_in("1212", &["12", "1212"]), "the first place of it goes over a border");
    assert!(!is_in("2121", &["12", "12"]));
    for words in ["ruthw", "whitfieldr", "fieldd", "••••", "@@", "ö", "straße 8", "Ruth ", "q"] {
        assert!(!is_in(words, &values), "{words}");
    }
}

/// Their bytes are those of the dots, or of three forms, or of two: whatever is passed over by them must not be a hit.
#[test]
fn letters_of_every_kind_are_told_from_the_dots_of_masked_addresses() {
    for letter in ['å', 'â', 'ø', 'ß', 'ā', 'ж', 'ω', 'é', 'ı', '\u{1e922}'] {
        let large: String = letter.to_uppercase().collect();
        for word in [letter.to_string(), format!("x{letter}y")] {
            assert!(is_in(&word, &["d•••@lakeside.example", &format!("Bx{letter}Y")]), "{word}");
            assert!(!is_in(&word, &["d•••@lakeside.example", "•", "512•••71", "xy"]), "{word}");
            if large.to_lowercase() == letter.to_string() {
                assert!(is_in(&word, &["d•••@lakeside.example", &format!("BX{large}y")]), "{word} in {large}");
            }
        }
    }
}

#[test]
fn a_match_across_two_values_does_not_count_and_hides_none() {
    assert!(!is_in("anna", &["joan", "na"]));
    assert!(is_in("anna", &["joan", "nanna"]));
    assert!(is_in("anna", &["joan", "na", "anna"]));
    assert!(!is_in("anna", &["an", "", "na"]));
    assert!(is_in("na", &["", "na", ""]));
    assert!(!is_in("na", &[]));
    assert!(!is_in("né", &["n", "é"]));
    assert!(is_in("né", &["n", "É", "NÉ"]));
}

/// The plain way of saying it, held against dice.
#[test]
fn it_finds_what_lower_case_copies_would_find() {
    let letters: Vec<char> = "aAbB •éÉ1".chars().collect();
    let mut rng = 7_u64;
    let mut word = |most: u64| {
        let mut roll = |below: u64| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) % below
        };
        (0..roll(most + 1)).map(|_| letters[roll(letters.len() as u64) as usize]).collect::<String>()
    };
    let mut hits = 0;
    for _ in 0..60 {
        let words = word(3);
        let needle = Needle::new(&words);
        let all: Vec<[String; 4]> = (0..50).map(|_| [word(4), word(0), word(5), word(3)]).collect();
        let columns = Arc::new(ColumnNames::new(["a", "b", "c", "d"]));
        let mut side_by_side = Rows::new(Arc::clone(&columns));
        for values in &all {
            side_by_side.push(None, false, &columns, values.iter().map(|value| (CellKind::Text, value.as_str())));
        }
        for (values, neighbor) in all.iter().zip(side_by_side.finish()) {
            let values = values.each_ref().map(String::as_str);
            let plain = values.iter().any(|value| value.to_lowercase().contains(&words.to_lowercase()));
            assert_eq!(needle.is_in(&row(&values)), plain, "{words:?} in {values:?}");
            assert_eq!(needle.is_in(&neighbor), plain, "{words:?} in {values:?} among others");
            hits += usize::from(plain);
        }
    }
    assert!((300..2_700).contains(&hits), "{hits}");
}
