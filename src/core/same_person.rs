//! Whether a masked row and an entry of a suppression list mean the same person: names, local parts of emails, phones.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::codes;

/// What a mask lets be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    Yes,
    No,
    Perhaps,
}

/// Whether a character stands for hidden ones.
pub fn is_mask(c: char) -> bool {
    c == '*' || !(c.is_ascii() || c.is_alphanumeric())
}

/// Titles and degrees: two names that share only these share nothing.
const TITLES: &[&str] =
    &["mr", "mrs", "ms", "miss", "dr", "prof", "jr", "sr", "ii", "iii", "iv", "md", "dds", "phd", "rn", "esq", "cpa"];

/// Accented letters and the plain one that stands for them.
static PLAIN: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let letters = |(accented, plain): (&'static str, &'static str)| accented.chars().map(move |letter| (letter, plain));
    codes::read(lode_assets::LETTERS).flat_map(letters).collect()
});

/// Letters that are also written as two: `Müller` is `Muller` or `Mueller`.
const AS_TWO: &[(char, &str)] = &[('ä', "ae"), ('å', "aa"), ('ö', "oe"), ('ø', "oe"), ('ü', "ue")];

/// A text in small letters without accents. Other scripts stay.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match PLAIN.get(&c) {
            Some(plain) => out.push_str(plain),
            None => out.push(c),
        }
    }
    out
}

/// Words of a name in lower case, without accents, punctuation and titles. A hyphen parts them.
pub fn name_words(name: &str) -> Vec<String> {
    let kept: String = name.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || *c == '-').collect();
    let folded = plain(&kept.to_lowercase());
    let words = folded.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty() && !TITLES.contains(word)).map(str::to_owned).collect()
}

/// The words of a name in every way that they may be written.
fn spellings(name: &str) -> Vec<String> {
    let mut words = name_words(name);
    let two = |c: char| AS_TWO.iter().find(|(letter, _)| *letter == c).map(|(_, two)| *two);
    let written: String = name.to_lowercase().chars().map(|c| two(c).map_or(c.to_string(), str::to_owned)).collect();
    words.extend(name_words(&written).into_iter().filter(|word| !words.contains(word)).collect::<Vec<_>>());
    words
}

/// Whether a name has accents. It has more spellings than a table knows: `Núñez` is `Nunes` too.
fn has_accents(name: &str) -> bool {
    name.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
}

/// Whether two words may be spellings of one name with accents.
fn begins_alike(one: &str, other: &str) -> bool {
    one.chars().take(2).eq(other.chars().take(2))
}

/// Whether one begins with the other: `Ed` and `Edward`, `S` and `Sylvia`.
fn begins(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Whether two names mean one person. Only first and last names that both differ are two people: a name changes with a marriage.
pub fn names(one: &str, other: &str) -> Same {
    let (a, b) = (name_words(one), name_words(other));
    let ([first, ..], [.., last], [other_first, ..], [.., other_last]) = (&a[..], &a[..], &b[..], &b[..]) else {
        return Same::Perhaps;
    };
    let is_first = first == other_first || (first.len().min(other_first.len()) == 1 && begins(first, other_first));
    if a.len() > 1 && b.len() > 1 && last == other_last && is_first || a == b {
        return Same::Yes;
    }
    if first == other_last && last == other_first {
        return Same::Yes;
    }
    let spelled = spellings(other);
    let shares = spellings(one).iter().any(|word| word.chars().count() > 1 && spelled.contains(word));
    // A name in another script may be the same one.
    let readable = a.concat().is_ascii() && b.concat().is_ascii();
    let accents = has_accents(one) || has_accents(other);
    let alike = accents && a.iter().any(|word| b.iter().any(|of| begins_alike(word, of)));
    let same_start = begins(first, other_first) || begins(last, other_last);
    if shares || !readable || alike || same_start { Same::Perhaps } else { Same::No }
}

/// Whether a part of an address may stand for a word of a name.
fn may_mean(part: &str, word: &str) -> bool {
    part == word || part.starts_with(word) || word.starts_with(part) || (word.len() > 2 && part.contains(word))
}

/// Whether the parts of an address are a name: its words, alone or two of them, or a word and an initial.
fn spells(parts: &[&str], words: &[String]) -> bool {
    if !parts.is_empty() && parts.iter().all(|part| part.len() > 1 && words.iter().any(|word| word == part)) {
        return true;
    }
    let whole = parts.concat();
    words.iter().enumerate().any(|(at, word)| {
        let others = words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| word);
        let initial = |word: &str| word.chars().take(1).collect::<String>();
        let written = |with: &str| whole == format!("{word}{with}") || whole == format!("{with}{word}");
        word.chars().count() > 1
            && (whole == *word || others.into_iter().any(|other| written(other) || written(&initial(other))))
    })
}

/// What a local part says of a name. One word alone contradicts nothing, nor do a number, initials or an office.
fn local_part(entry: &str, name: &str) -> Same {
    // `tom+news` is a mailbox of `tom`.
    let entry = plain(&entry.split('+').next().unwrap_or_default().replace(['\'', '’'], ""));
    let words = name_words(name);
    let parts: Vec<&str> = entry.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    if spells(&parts, &words) {
        return Same::Yes;
    }
    // A hyphen joins: `jchoi-bennett` is one word.
    let is_word = |part: &&str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let least = if letters.len() < part.len() { 3 } else { 2 };
        letters.len() >= least && letters.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    let is_office = parts.iter().any(|part| lode_assets::ROLES.lines().any(|role| role == *part));
    let spelled = spellings(name);
    let accents = has_accents(name);
    let may_mean = |part: &str, word: &str| may_mean(part, word) || accents && begins_alike(part, word);
    let relates = || parts.iter().any(|part| spelled.iter().any(|word| may_mean(part, word)));
    // A name in another script may be written in any letters.
    let readable = entry.is_ascii() && words.concat().is_ascii();
    let is_name = entry.split(['.', '_']).filter(is_word).count() > 1;
    if readable && is_name && !is_office && !relates() { Same::No } else { Same::Perhaps }
}

/// Whether a local part hides characters. `r..`, `r__` and `rxxx` are masks too.
fn is_masked(local: &str) -> bool {
    let hides = |(one, next): (char, char)| one == next && !one.is_alphanumeric();
    let hidden = local.chars().any(is_mask) || local.chars().zip(local.chars().skip(1)).any(hides);
    hidden || local.is_empty() || local.contains("xxx")
}

/// Whether the email `entry@…`, of `named` where the list says a name, is that of the row with this local part and name. Only a
/// contradiction is a `No`: another first letter, another name, or another name in the address.
pub fn person(entry: &str, named: &str, local: &str, name: &str) -> Same {
    if entry == local {
        return Same::Yes;
    }
    if !is_masked(local) {
        return Same::No;
    }
    let (Some(letter), Some(shown)) = (entry.chars().next(), local.chars().next()) else { return Same::Perhaps };
    if letter != shown && letter.is_ascii() && shown.is_ascii_alphanumeric() {
        return Same::No;
    }
    if name_words(name).is_empty() {
        return Same::Perhaps;
    }
    let address = local_part(entry, name);
    if name_words(named).is_empty() {
        return address;
    }
    match (names(named, name), address) {
        (Same::Perhaps, Same::Yes) => Same::Yes,
        (Same::No, Same::Yes) => Same::Perhaps,
        (said, _) => said,
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The digits of a phone, without the country code 1 and without its extension: `5125550142` of `+1 (512) 555-0142 ext. 7`.
pub fn phone(text: &str) -> String {
    const SHORTEST: usize = 7;
    let before = text.find(|c: char| c == '#' || c.is_alphabetic()).map(|end| digits(&text[..end]));
    let digits = before.filter(|digits| digits.len() >= SHORTEST).unwrap_or_else(|| digits(text));
    digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits).to_owned()
}

/// The digits before and behind the mask of a phone; none where nothing is masked.
pub fn masked_phone(text: &str) -> Option<(String, String)> {
    let start = text.find(is_mask)?;
    let end = text.rfind(is_mask)?;
    let start = digits(&text[..start]);
    let start = if start.len() == 4 { start.trim_start_matches('1').to_owned() } else { start };
    Some((start, digits(&text[end..])))
}
