//! What `y` copies of the row under the cursor.

use crate::domain::query::Query;
use crate::domain::row::{Kind, Known, Row};
use crate::effect::Effect;
use crate::keys::command::Copy;
use crate::ui::scene::Scene;

use super::state::State;

pub fn copy(state: &State, what: Copy, scene: &mut Scene<'_>) {
    let window = &scene.session.side(state.side).window;
    let row = state.seat().row(window);
    let (text, name) = match (what, row) {
        (Copy::CommandLine, _) => (command_line(&state.seat().wish), "the shell command"),
        (_, None) => return,
        (Copy::Email, Some(row)) => (row.email().to_owned(), "the e-mail"),
        (Copy::Phone, Some(row)) => (row.known(Known::Phone).to_owned(), "the phone"),
        (Copy::Name, Some(row)) => (row.name(), "the name"),
        (Copy::Row, Some(row)) => (shown(state, row), "the row"),
        (Copy::Json, Some(row)) => (json(row), "the row as JSON"),
        (Copy::Link, Some(row)) => (link(row).unwrap_or_default().to_owned(), "the link"),
    };
    if text.is_empty() {
        scene.say("There is nothing to copy in this field.");
        return;
    }
    let masked =
        if matches!(what, Copy::Email | Copy::Phone) && text.contains('•') { ", masked as it is" } else { "" };
    scene.fx.push(Effect::Copy(text));
    scene.say(format!("Handed {name} to the terminal's clipboard{masked}."));
}

/// The link of a row, http(s) only.
#[must_use]
pub fn link(row: &Row) -> Option<&str> {
    [Known::Linkedin, Known::Website]
        .into_iter()
        .map(|column| row.known(column))
        .find(|link| link.starts_with("https://") || link.starts_with("http://"))
}

/// The shown columns, separated by tabs.
fn shown(state: &State, row: &Row) -> String {
    let columns = state.seat().columns.iter().filter(|column| column.shown);
    columns.map(|column| column.text(row)).collect::<Vec<_>>().join("\t")
}

/// As it came: the same fields in the same order.
#[must_use]
pub fn json(row: &Row) -> String {
    let fields = row.fields().map(|(name, kind, value)| {
        let value = match kind {
            Kind::Text => serde_json::Value::from(value).to_string(),
            Kind::Json => value.to_owned(),
            Kind::Null => "null".to_owned(),
        };
        format!("{}:{value}", serde_json::Value::from(name))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// `lode search` with the same filters.
#[must_use]
pub fn command_line(query: &Query) -> String {
    let mut line = format!("lode search --source {} --corpus {}", query.side.source, query.side.corpus);
    for (filter, values) in query.filters() {
        line.push_str(&format!(" --{} {}", filter.name().replace('_', "-"), quoted(&values.join(","))));
    }
    if query.hide_owned {
        line.push_str(" --exclude-unlocked");
    }
    if query.hide_pulled {
        line.push_str(" --exclude-pulled");
    }
    if !query.dedup {
        line.push_str(" --no-dedup");
    }
    line
}

/// A word that a shell reads as one.
#[must_use]
pub fn quoted(value: &str) -> String {
    let plain = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,@/:".contains(c));
    if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contact::Side;
    use crate::domain::filter::Filter;

    #[test]
    fn a_copied_command_line_survives_the_shell() {
        let mut query = Query::new(Side::default());
        query.set(Filter::Title, "director's aide; rm -rf").unwrap();
        query.set(Filter::Industry, "hospital, clinic").unwrap();
        query.hide_owned = true;
        assert_eq!(
            command_line(&query),
            r"lode search --source workspace --corpus us --title 'director'\''s aide; rm -rf' --industry hospital,clinic --exclude-unlocked"
        );
    }
}
