//! The key of an English keyboard at the place of a letter from another script.
//!
//! Commands are letters, and where another layout is on those letters do not exist. What a key means there follows from
//! where it is: `с` of a Russian keyboard is where `c` is. Latin layouts (German, French) need nothing: their letters are the
//! commands themselves. Text that is typed into a field is never changed.

use super::codes;

/// Lower-case letters, each with the key of an English keyboard at its place.
pub fn places() -> impl Iterator<Item = (&'static str, &'static str)> {
    codes::read(lode_assets::KEYBOARDS)
}

/// The key of an English keyboard where this letter is; `None` for what that keyboard has itself.
pub fn latin(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return None;
    }
    if let Some(key) = place(letter) {
        return Some(key);
    }
    let mut small = letter.to_lowercase();
    match (small.next().and_then(place), small.next()) {
        (Some(','), None) => Some('<'),
        (Some('.'), None) => Some('>'),
        (Some('['), None) => Some('{'),
        (Some(']'), None) => Some('}'),
        (Some(key), None) => Some(key.to_ascii_uppercase()),
        _ => None,
    }
}

fn place(letter: char) -> Option<char> {
    let mut pairs = places().flat_map(|(letters, keys)| letters.chars().zip(keys.chars()));
    pairs.find(|(one, _)| *one == letter).map(|(_, key)| key)
}

/// Signs of a Greek or Hebrew keyboard, with the letter at their place. Other keyboards have these signs elsewhere, so the place
/// has to be known.
const SIGNS: &[(char, char)] = &[(';', 'q'), ('/', 'q'), ('\'', 'w')];

/// Whether the sign is typed in another script where an English keyboard has the letter.
pub fn is_sign_of(sign: char, letter: char) -> bool {
    SIGNS.contains(&(sign, letter))
}

/// A whole text as an English keyboard would have typed it; `None` where nothing of it is from another script.
pub fn english_text(text: &str) -> Option<String> {
    text.chars().any(|letter| latin(letter).is_some()).then(|| text.chars().map(|c| latin(c).unwrap_or(c)).collect())
}
