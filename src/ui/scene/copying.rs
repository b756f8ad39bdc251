//! What `y` copies of the row under the cursor.

use crate::keys::command::Copy;
use lode_core::export::json::row_text;
use lode_core::link::is_web;
use lode_core::row::{Kind, Known, Row};
use lode_engine::effect::Effect;

use super::{Handoff, Scene};

impl Scene<'_> {
    /// `whole` is what the row comes to as one line.
    pub fn copy(&mut self, what: Copy, row: &Row, whole: String) {
        let masked;
        let (row, whole) = if self.masked && row.unlocked() {
            masked = mask(row);
            let private = [row.email(), row.known(Known::Phone)];
            let shown = |whole: String, private: &str| whole.replace(private, "•••");
            (&masked, private.into_iter().filter(|private| !private.is_empty()).fold(whole, shown))
        } else {
            (row, whole)
        };
        let (text, name) = match what {
            Copy::Email => (row.email().to_owned(), "email"),
            Copy::Phone => (row.known(Known::Phone).to_owned(), "phone"),
            Copy::Name => (row.name(), "name"),
            Copy::Row => (whole, "row"),
            Copy::Json => (row_text(row), "row as JSON"),
            Copy::Link => (link(row).unwrap_or_default().to_owned(), "link"),
            Copy::CommandLine => return self.hand(Handoff::CopyCommandLine),
        };
        if text.is_empty() {
            return self.say("This field is empty; nothing was copied.");
        }
        let masked = if matches!(what, Copy::Email | Copy::Phone) && text.contains('•') { "masked " } else { "" };
        self.copy_text(text, &format!("the {masked}{name}."));
    }

    pub fn copy_text(&mut self, text: String, words: &str) {
        self.fx.push(Effect::Copy(text));
        self.say(format!("Copied {words}"));
    }
}

/// The row as mask mode shows it.
fn mask(row: &Row) -> Row {
    let values = row.fields().map(|(name, kind, text)| match Known::of(name) {
        Some(Known::Email | Known::Phone) if !text.is_empty() => (Kind::Text, "•••"),
        _ => (kind, text),
    });
    Row::new(row.id(), row.unlocked(), std::sync::Arc::clone(row.columns()), values)
}

/// All fields of a row, separated by tabs.
pub fn fields(row: &Row) -> String {
    row.fields().map(|(_, _, value)| value).collect::<Vec<_>>().join("\t")
}

/// The link of a row, http(s) only.
pub fn link(row: &Row) -> Option<&str> {
    [Known::Linkedin, Known::Website].into_iter().map(|column| row.known(column)).find(|link| is_web(link))
}
