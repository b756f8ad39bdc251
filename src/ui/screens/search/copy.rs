//! What `y` copies of the row under the cursor.

use crate::domain::link::is_web;
use crate::domain::row::{Kind, Known, Row};
use crate::domain::shell_line;
use crate::effect::Effect;
use crate::keys::command::Copy;
use crate::ui::scene::Scene;

use super::state::State;

pub fn copy(state: &State, what: Copy, scene: &mut Scene<'_>) {
    let window = &scene.session.side(state.side).window;
    let row = state.seat().row(window);
    let (text, name) = match (what, row) {
        (Copy::CommandLine, _) => (shell_line::search(&state.seat().wish), "the shell command"),
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
pub fn link(row: &Row) -> Option<&str> {
    [Known::Linkedin, Known::Website].into_iter().map(|column| row.known(column)).find(|link| is_web(link))
}

/// The shown columns, separated by tabs.
fn shown(state: &State, row: &Row) -> String {
    let columns = state.seat().columns.iter().filter(|column| column.shown);
    columns.map(|column| column.text(row)).collect::<Vec<_>>().join("\t")
}

/// As it came: the same fields in the same order.
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
