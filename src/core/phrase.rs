//! Words that are looked for as whole words, whatever their case: `intern` is in `Summer Intern`, not in `Internal Audit`.

/// One word or several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// In small letters, never empty.
    words: Vec<String>,
}

impl Phrase {
    /// `None` where the text has no word.
    pub fn new(text: &str) -> Option<Phrase> {
        let words: Vec<String> = words(text).map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
        (!words.is_empty()).then_some(Phrase { words })
    }

    pub fn is_in(&self, text: &str) -> bool {
        let mut rest = words(text);
        loop {
            let begin = rest.clone();
            if rest.next().is_none() {
                return false;
            }
            if self.begins(begin) {
                return true;
            }
        }
    }

    /// Whether it is all that the text says.
    pub fn is(&self, text: &str) -> bool {
        words(text).count() == self.words.len() && self.begins(words(text))
    }

    fn begins<'a>(&self, mut rest: impl Iterator<Item = &'a str>) -> bool {
        self.words.iter().all(|small| rest.next().is_some_and(|word| same(word, small)))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn same(word: &str, small: &str) -> bool {
    if word.is_ascii() {
        word.eq_ignore_ascii_case(small)
    } else {
        word.chars().flat_map(char::to_lowercase).eq(small.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(Phrase::new(phrase).unwrap().is_in(text), is_in, "{phrase} in {text}");
        }
        assert_eq!(Phrase::new(" - "), None);
        assert!(Phrase::new("c-level").unwrap().is("C-Level") && !Phrase::new("level").unwrap().is("C-Level"));
    }
}
