//! Column maps of other programs: which of our columns becomes which of theirs. The maps are TOML that people may write; a few
//! come with lode (`assets/presets.toml`).

use std::borrow::Cow;
use std::sync::LazyLock;

use toml_edit::{DocumentMut, Item, Table, Value};

use super::{Cell, is_phone_column};
use crate::{codes, row::Known};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub title: String,
    pub columns: Vec<PresetColumn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetColumn {
    /// As the other program calls it.
    pub name: String,
    /// Our columns, the first that holds something.
    pub from: Vec<String>,
}

/// Why a preset cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the preset cannot be read: {0}")]
pub struct PresetProblem(pub String);

/// The presets that come with lode.
pub static BUILT_IN: LazyLock<Vec<(String, Preset)>> = LazyLock::new(|| {
    let document: DocumentMut = lode_assets::PRESETS.parse().expect("the presets of lode are TOML");
    let table = |item: &Item| Preset::of(item.as_table().expect("each preset of lode is a table"));
    document.iter().map(|(name, item)| (name.to_owned(), table(item).expect("presets of lode are complete"))).collect()
});

impl Preset {
    pub fn built_in(name: &str) -> Option<&'static Preset> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, preset)| preset)
    }

    /// The names of those that come with lode, as a list in a sentence.
    pub fn built_in_names() -> String {
        BUILT_IN.iter().map(|(name, _)| &**name).collect::<Vec<&str>>().join(", ")
    }

    pub fn read(text: &str) -> Result<Preset, PresetProblem> {
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            PresetProblem(format!("line {line}: {}", error.message().lines().next().unwrap_or("it is not TOML")))
        })?;
        Preset::of(&document)
    }

    fn of(document: &Table) -> Result<Preset, PresetProblem> {
        let title = document.get("title").and_then(Item::as_str).unwrap_or_default().to_owned();
        let table = document.get("columns").and_then(Item::as_table).filter(|table| !table.is_empty());
        let table = table.ok_or_else(|| PresetProblem("it has no [columns]".to_owned()))?;
        let mut columns = Vec::new();
        for (name, item) in table {
            let from = match item.as_value() {
                Some(Value::String(one)) => vec![one.value().clone()],
                Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            if from.is_empty() {
                return Err(PresetProblem(format!("`{name}` is not a known column")));
            }
            columns.push(PresetColumn { name: name.to_owned(), from });
        }
        Ok(Preset { title, columns })
    }

    /// Where each column of the preset is found among those that come.
    pub(super) fn find(&self, columns: &[String]) -> Vec<Found> {
        let known: Vec<String> = columns.iter().map(|column| plain(column)).collect();
        let place = |name: &str| {
            let exact = columns.iter().position(|column| column == name);
            exact.or_else(|| known.iter().position(|known| *known == plain(name)))
        };
        let names = ["contact_name", "first_name", "last_name"].map(place);
        let origin = |name: &String| match name.as_str() {
            "contact_name" => Some(Origin::ContactName),
            "first_name" => Some(Origin::FirstName),
            "last_name" => Some(Origin::LastName),
            name => place(name).map(Origin::Cell),
        };
        let found = |column: &PresetColumn| Found {
            is_phone: is_phone_column(&column.name),
            from: column.from.iter().filter_map(origin).collect(),
            names,
        };
        self.columns.iter().map(found).collect()
    }
}

/// Whether the first record of a file names at least one column of a contact. Semicolons and tabs separate columns as well.
pub fn is_head<S: AsRef<str>>(cells: &[S]) -> bool {
    let mut names =
        cells.iter().flat_map(|cell| cell.as_ref().split([';', '\t'])).map(|name| plain(name.trim_matches('"')));
    names.any(|name| matches!(&*name, "id" | "record_id" | "address") || Known::of(&name).is_some())
}

/// The name of a column as the documents spell it. Nothing shows the columns of an export, and people are written to as well
/// as programs: `E-mail Address` is `email_address`.
fn plain(head: &str) -> String {
    let mut name = String::with_capacity(head.len());
    for c in head.trim().chars() {
        match c {
            c if c.is_alphanumeric() => name.extend(c.to_lowercase()),
            '-' | '\'' | '’' | '.' => {}
            _ if name.ends_with('_') || name.is_empty() => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_end_matches('_');
    let is_of = |(_, others): &(&str, &str)| others.split(' ').any(|other| other == name);
    let known = codes::read(lode_assets::COLUMNS).find(is_of);
    known.map_or(name, |(column, _)| column).to_owned()
}

/// Names may come whole or in parts; each is made from the other where it is missing.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Cell(usize),
    ContactName,
    FirstName,
    LastName,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    pub is_phone: bool,
    from: Vec<Origin>,
    /// Where the contact name, the first and the last name are.
    names: [Option<usize>; 3],
}

impl Found {
    pub(super) fn value<'a>(&self, cells: &[Cell<'a>]) -> Cow<'a, str> {
        let found = self.from.iter().map(|origin| self.value_of(*origin, cells));
        found.into_iter().find(|value| !value.is_empty()).unwrap_or_default()
    }

    fn value_of<'a>(&self, origin: Origin, cells: &[Cell<'a>]) -> Cow<'a, str> {
        let names = || self.names.map(|place| text(cells, place).trim());
        match origin {
            Origin::Cell(place) => text(cells, Some(place)).into(),
            Origin::ContactName => match names() {
                ["", first, last] => format!("{first} {last}").trim().to_owned().into(),
                [whole, ..] => whole.into(),
            },
            Origin::FirstName | Origin::LastName => {
                let (first, last) = match names() {
                    [whole, "", ""] => whole.rsplit_once(' ').unwrap_or(("", whole)),
                    [_, first, last] => (first, last),
                };
                if matches!(origin, Origin::FirstName) { first } else { last }.into()
            }
        }
    }
}

/// The text of a cell; empty where there is none.
fn text<'a>(cells: &[Cell<'a>], place: Option<usize>) -> &'a str {
    place.and_then(|place| cells.get(place)).map_or("", |(_, text)| text)
}
