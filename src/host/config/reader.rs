//! Values of `config.toml` with what is wrong about them, line by line. What they mean is `file`'s to know.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, Key, TableLike};

use lode_core::{likely::nearest, scrub};

use super::problem::{ConfigProblem, FilePlace};

pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    text: &'a str,
}

pub(super) type Read<T> = Result<T, ConfigProblem>;

/// What a file holds; none where there is no such file.
pub(super) fn bytes(path: &Path) -> Read<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigProblem::new(
            format!("{} cannot be read: {error}", path.display()),
            "`lode doctor` shows which folder is used and who may read it",
        )),
    }
}

/// Reads a text as TOML; `read` says what its table means. `path` is only for what is said about it.
pub(super) fn parse<T>(path: &Path, text: &str, read: impl FnOnce(&Reader<'_>, &dyn TableLike) -> Read<T>) -> Read<T> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse(text).map_err(|error| {
        let words = error.message().lines().next().unwrap_or("this cannot be read");
        ConfigProblem::at(FilePlace::of(path, text, error.span()), format!("this cannot be read as TOML: {words}"))
    })?;
    read(&Reader { path, text }, document.as_table())
}

impl Reader<'_> {
    pub(super) fn wrong(&self, span: Option<Range<usize>>, words: impl Into<String>) -> ConfigProblem {
        ConfigProblem::at(self.place(span), words)
    }

    pub(super) fn place(&self, span: Option<Range<usize>>) -> FilePlace {
        FilePlace::of(self.path, self.text, span)
    }

    pub(super) fn line(&self, span: Option<Range<usize>>) -> usize {
        self.place(span).line
    }

    pub(super) fn unknown<T>(&self, key: &Key, known: &str) -> Read<T> {
        let list: Vec<&str> = known.split(", ").collect();
        let words = match nearest(key.get(), &list) {
            Some(near) => format!("there is no setting `{}` here. Did you mean `{near}`?", key.get()),
            None => format!("there is no setting `{}` here; valid settings: {known}", key.get()),
        };
        Err(self.wrong(key.span(), words))
    }

    pub(super) fn entries<'t>(&self, table: &'t dyn TableLike) -> Vec<(&'t Key, &'t Item)> {
        table.iter().filter_map(|(name, _)| table.get_key_value(name)).collect()
    }

    pub(super) fn table<'t>(&self, key: &Key, item: &'t Item) -> Read<&'t dyn TableLike> {
        item.as_table_like().ok_or_else(|| self.wrong(item.span(), format!("`{}` is a table: write [{0}]", key.get())))
    }

    pub(super) fn string(&self, key: &Key, item: &Item) -> Read<String> {
        let text = item.as_str().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| self.wrong(item.span(), format!("`{}` is a text in quotes", key.get())))
    }

    /// A name that is only compared and said.
    pub(super) fn name(&self, key: &Key, item: &Item) -> Read<String> {
        self.string(key, item).map(|text| scrub(&text).into_owned())
    }

    pub(super) fn flag(&self, key: &Key, item: &Item) -> Read<bool> {
        item.as_bool().ok_or_else(|| self.wrong(item.span(), format!("`{}` is true or false", key.get())))
    }

    pub(super) fn number(&self, key: &Key, item: &Item, from: i64, to: i64) -> Read<i64> {
        let number = item.as_integer().filter(|number| (from..=to).contains(number));
        let words = match to {
            i64::MAX => format!("`{}` is a whole number, {from} or more", key.get()),
            to => format!("`{}` is a whole number from {from} to {to}", key.get()),
        };
        number.ok_or_else(|| self.wrong(item.span(), words))
    }
}
