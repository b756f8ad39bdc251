//! Named views of the grid, in one file for all profiles:
//!
//! ```toml
//! [west]
//! columns = ["name", "title:30", "state"]
//! sort = "-title"
//! ```
//!
//! A view that cannot be read is told and stays as it is written; the others work.

use std::collections::BTreeMap;
use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, Table};

use crate::config::edit::set;
use crate::config::reader::{Read, Setting, parse};
use lode_core::{GridView, scrub};

/// The views, and what is wrong with the last one that cannot be read.
pub(super) fn read(path: &Path, text: &str) -> (BTreeMap<String, GridView>, Option<String>) {
    let (mut views, mut wrong) = (BTreeMap::new(), None);
    let read = parse(path, text, |file| {
        for entry in file.entries()? {
            match view(&entry) {
                Ok(view) => _ = views.insert(scrub(entry.name).into_owned(), view),
                Err(problem) => wrong = Some(problem),
            }
        }
        Ok(())
    });
    (views, read.err().or(wrong).map(|problem| format!("A view cannot be read: {problem}")))
}

fn view(entry: &Setting<'_>) -> Read<GridView> {
    let settings = entry.entries()?;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let columns = find("columns").and_then(Setting::strings).unwrap_or_default();
    let view = GridView::read(&columns, find("sort").and_then(|sort| sort.item.as_str()));
    view.ok_or_else(|| entry.wrong(format!("the view `{}` needs columns = [\"name\", \"title:30\"]", entry.name)))
}

/// The text of the file with this view in it, or without the one of that name. The error is what is wrong with the file.
pub(super) fn changed(path: &Path, text: &str, name: &str, view: Option<&GridView>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|_| read(path, text).1.unwrap_or_default())?;
    document.remove(name);
    if let Some((columns, sort)) = view.map(GridView::written) {
        let mut table = Table::new();
        set(&mut table, "columns", columns.into_iter().collect::<Array>());
        sort.into_iter().for_each(|sort| set(&mut table, "sort", sort));
        document.insert(name, Item::Table(table));
    }
    Ok(document.to_string())
}
