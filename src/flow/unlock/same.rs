//! Whether a masked row and an entry of a suppression list mean the same person: names, local parts of emails, phones.

/// What a mask lets be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Same {
    Yes,
    No,
    Perhaps,
}

/// Whether a character stands for hidden ones.
pub(super) fn is_mask(c: char) -> bool {
    c == '*' || !(c.is_ascii() || c.is_alphanumeric())
}

/// Words in lower case with one space between them; punctuation is dropped.
pub(super) fn folded(text: &str) -> String {
    let kept: String = text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || *c == '-').collect();
    kept.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether two names may be those of one person: the same last name, or one word of a name that is only one word.
pub(super) fn names(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    let words = |name: &str| name.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(&one), words(&other));
    if one.len() == 1 || other.len() == 1 {
        return one.iter().any(|word| other.contains(word));
    }
    one.last() == other.last()
}

/// Whether the email `entry@…`, of `named` where the list says a name, is that of the row with this local part and name.
pub(super) fn person(entry: &str, named: &str, local: &str, name: &str) -> Same {
    if entry == local {
        return Same::Yes;
    }
    if !local.chars().any(is_mask) {
        return Same::No;
    }
    let letter = local.chars().next().filter(|c| !is_mask(*c));
    if letter.is_some() && entry.chars().next() != letter {
        return Same::No;
    }
    let name = folded(name);
    if name.is_empty() {
        return Same::Perhaps;
    }
    if !named.is_empty() {
        return if names(named, &name) { Same::Yes } else { Same::No };
    }
    let words: Vec<&str> = name.split(' ').collect();
    let parts: Vec<&str> = entry.split(|c: char| !c.is_alphanumeric()).collect();
    let speaks_of = |word: &&str| parts.contains(word) || (word.chars().count() > 2 && entry.contains(*word));
    if words.iter().any(speaks_of) || entry == words.concat() {
        return Same::Yes;
    }
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    // A name in letters that an address cannot show may be written there in others.
    if parts.concat() == initials || !name.is_ascii() { Same::Perhaps } else { Same::No }
}

/// The digits of a phone, without the country code 1.
pub(super) fn phone(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match digits.strip_prefix('1') {
        Some(rest) if rest.len() == 10 => rest.to_owned(),
        _ => digits,
    }
}

/// The digits before and behind the mask of a phone; none where nothing is masked.
pub(super) fn masked_phone(text: &str) -> Option<(String, String)> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let start = text.find(is_mask)?;
    let end = text.rfind(is_mask)?;
    let start = digits(&text[..start]);
    let start = if start.len() == 4 { start.trim_start_matches('1').to_owned() } else { start };
    Some((start, digits(&text[end..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_part_speaks_of_a_name_or_not() {
        for (entry, name, expected) in [
            ("tom.beckett", "Tom Beckett", Same::Yes),
            ("tbeckett", "Tom Beckett", Same::Yes),
            ("t.li", "Tao Li", Same::Yes),
            ("taoli", "Tao Li", Same::Yes),
            ("tl", "Tao Li", Same::Perhaps),
            ("t.o", "Tara Olsen", Same::Perhaps),
            ("team", "Tara Olsen", Same::No),
            ("tomas.nunez", "Tomás Núñez", Same::Perhaps),
            ("tom.beckett", "", Same::Perhaps),
        ] {
            assert_eq!(person(entry, "", "t•••", name), expected, "{entry} {name}");
        }
        assert_eq!(person("sylviab", "Sylvia Bennett", "s•••", "Sylvia Moore"), Same::No);
        assert_eq!(person("sylviab", "S. Bennett", "s•••", "Sylvia Bennett"), Same::Yes);
        assert_eq!(person("tom", "", "•••", "Tom Beckett"), Same::Yes, "a mask may hide the letter as well");
    }

    #[test]
    fn phones_are_their_digits() {
        assert_eq!(phone("+1 (512) 555-0142"), "5125550142");
        assert_eq!(phone("44 20 7946 0958"), "442079460958");
        assert_eq!(masked_phone("(512) •••-••71"), Some(("512".to_owned(), "71".to_owned())));
        assert_eq!(masked_phone("+1 512•••71"), Some(("512".to_owned(), "71".to_owned())));
        assert_eq!(masked_phone("5125550142"), None);
    }
}
