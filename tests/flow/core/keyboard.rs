use lode_core::keyboard::*;

#[test]
fn every_row_is_as_long_as_its_keys() {
    for (letters, keys) in places() {
        assert_eq!(letters.chars().count(), keys.chars().count(), "{letters}");
    }
}

#[test]
fn a_letter_is_the_key_at_its_place_and_a_capital_its_capital() {
    for (letter, key) in [('с', 'c'), ('С', 'C'), ('ψ', 'c'), ('ב', 'c'), ('і', 's'), ('Ю', '>'), ('х', '[')] {
        assert_eq!(latin(letter), Some(key), "{letter}");
    }
    for own in ['c', 'ü', 'é', '€', '山', ' '] {
        assert_eq!(latin(own), None, "{own}");
    }
    assert_eq!(english_text("йгше"), Some("quit".to_owned()));
    assert_eq!(english_text("nurse"), None);
}
