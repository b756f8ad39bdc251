use lode_core::rank::*;

#[test]
fn the_start_of_a_word_comes_before_a_part_before_initials_before_a_typo() {
    assert_eq!(rank("Settings", "sett"), Some(Rank::LineStart));
    assert_eq!(rank("Open settings", "sett"), Some(Rank::WordStart));
    assert_eq!(rank("Reset", "set"), Some(Rank::Part));
    assert_eq!(rank("Unlock contacts", "ucon"), Some(Rank::Initials));
    assert_eq!(rank("Hospital people", "hsptl"), Some(Rank::Gaps));
    for typed in ["settigns", "sxttings", "stetings", "esttings", "settinngs", "settingss"] {
        assert_eq!(rank("Settings", typed), Some(Rank::Typo), "{typed}");
    }
    for typed in ["settgins", "xsttings", "sxttinxs", "settingsss", "set ", "sxt"] {
        assert!(rank("Settings", typed).is_none_or(|rank| rank < Rank::Typo), "{typed}");
    }
}

#[test]
fn letters_that_are_only_somewhere_in_the_line_match_nothing() {
    assert_eq!(rank("Save the results of this search as text", "sett"), None);
    assert_eq!(rank("Select contacts with an owned email", "score"), None);
    assert_eq!(rank("Go to Jobs", "xjobs"), Some(Rank::Typo));
    assert_eq!(rank("", "a"), None);
}

#[test]
fn each_typed_word_must_match_in_any_order_and_case() {
    assert_eq!(rank("Director of Nursing", "NURS dir"), Some(Rank::WordStart));
    assert_eq!(rank("Director of Nursing", "nurs sales"), None);
    assert_eq!(rank("Ägypten Straße", "äg"), Some(Rank::LineStart));
}
