//! Sentences with the keys that the person uses.

use std::borrow::Cow;

use super::keymap::Keymap;

impl Keymap {
    /// A sentence with its keys: `<everywhere.undo>` becomes the key that is bound to it, or `:undo` where it has none. What
    /// names no binding stays as it is.
    pub fn spelled<'a>(&self, sentence: &'a str) -> Cow<'a, str> {
        // Nearly all that is drawn names no key.
        if memchr::memchr(b'<', sentence.as_bytes()).is_none() {
            return Cow::Borrowed(sentence);
        }
        let mut spelled = String::new();
        let mut rest = sentence;
        while let Some((before, after)) = rest.split_once('<') {
            let named = after.split_once('>').and_then(|(name, behind)| Some((self.key_named(name)?, behind)));
            let (key, behind) = named.unwrap_or_else(|| ("<".to_owned(), after));
            spelled.push_str(before);
            spelled.push_str(&key);
            rest = behind;
        }
        spelled.push_str(rest);
        Cow::Owned(spelled)
    }

    /// The key of `context.name`; `None` where there is no such binding.
    fn key_named(&self, full: &str) -> Option<String> {
        let (context, name) = full.split_once('.')?;
        let mut bindings = self.bindings().iter();
        let found = bindings.find(|one| one.row.name == name && one.row.context.name() == context)?;
        Some(found.first_key().unwrap_or_else(|| format!(":{name}")))
    }
}
