//! Values of a TOML file, and problems of the settings: what is wrong, where, and how to fix it. What the values mean is for `file`,
//! `score` and `saved::form` to know.

use super::*;

pub(crate) type Read<T> = Result<T, ConfigProblem>;

/// One setting of a file: its name, its value, and where both are. The file as a whole is a setting without a name.
#[derive(Clone)]
pub(crate) struct Setting<'t> {
    path: &'t Path,
    text: &'t str,
    pub(crate) name: &'t str,
    name_span: Option<Range<usize>>,
    pub(crate) item: &'t Item,
}

/// What a file holds; none where there is no such file.
pub(super) fn bytes(path: &Path) -> Read<Option<Vec<u8>>> {
    if_there(std::fs::read(path)).map_err(|error| {
        let words = format!("{} cannot be read: {error}", path.display());
        ConfigProblem::new(words, "`lode doctor` shows which folder is used and who may read it")
    })
}

/// Reads a text as TOML; `read` says what its settings mean. `path` is only for what is said about it.
pub(crate) fn parse<T>(path: &Path, text: &str, read: impl FnOnce(&Setting<'_>) -> Read<T>) -> Read<T> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse(text).map_err(|error| {
        let words = error.message().lines().next().unwrap_or("this cannot be read");
        ConfigProblem::at(FilePlace::of(path, text, error.span()), format!("this cannot be read as TOML: {words}"))
    })?;
    read(&Setting { path, text, name: "", name_span: None, item: document.as_item() })
}

impl<'t> Setting<'t> {
    /// Says what is wrong with the value.
    pub(crate) fn wrong(&self, words: impl Into<String>) -> ConfigProblem {
        ConfigProblem::at(self.place(), words)
    }

    /// Says what is wrong with the name.
    pub(crate) fn wrong_name(&self, words: impl Into<String>) -> ConfigProblem {
        ConfigProblem::at(FilePlace::of(self.path, self.text, self.name_span.clone()), words)
    }

    pub(super) fn place(&self) -> FilePlace {
        FilePlace::of(self.path, self.text, self.item.span())
    }

    /// The line of the name.
    pub(super) fn line(&self) -> usize {
        FilePlace::of(self.path, self.text, self.name_span.clone()).line
    }

    pub(super) fn unknown(&self, known: &[&str]) -> ConfigProblem {
        self.wrong_name(match nearest(self.name, known) {
            Some(near) => format!("unknown setting `{}`. Did you mean `{near}`?", self.name),
            None => format!("unknown setting `{}`; valid settings: {}", self.name, known.join(", ")),
        })
    }

    /// The settings of a table, in the order of the file.
    pub(crate) fn entries(&self) -> Read<Vec<Setting<'t>>> {
        let table = self.item.as_table_like();
        let table = table.ok_or_else(|| self.wrong(format!("`{}` is a table: write [{0}]", self.name)))?;
        let entry = |(name, _): (&str, _)| {
            let (key, item) = table.get_key_value(name)?;
            Some(Setting { name: key.get(), name_span: key.span(), item, ..self.clone() })
        };
        Ok(table.iter().filter_map(entry).collect())
    }

    /// The settings of a table, in the order of `names`. One with another name is an error.
    pub(super) fn fields<const N: usize>(&self, names: [&str; N]) -> Read<[Option<Setting<'t>>; N]> {
        let mut fields = [const { None }; N];
        for setting in self.entries()? {
            let at = names.iter().position(|name| *name == setting.name).ok_or_else(|| setting.unknown(&names))?;
            fields[at] = Some(setting);
        }
        Ok(fields)
    }

    pub(super) fn string(&self) -> Read<String> {
        let text = self.item.as_str().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| self.wrong(format!("`{}` is a text in quotes", self.name)))
    }

    /// A name that is only compared and said.
    pub(super) fn clean_string(&self) -> Read<String> {
        self.string().map(|text| scrub(&text).into_owned())
    }

    /// The texts of a list. None if it is not one, or has something else in it.
    pub(crate) fn strings(&self) -> Option<Vec<String>> {
        self.item.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn flag(&self) -> Read<bool> {
        self.item.as_bool().ok_or_else(|| self.wrong(format!("`{}` is true or false", self.name)))
    }

    pub(super) fn number<T: TryFrom<i64>>(&self, from: i64, to: i64) -> Read<T> {
        let number = self.item.as_integer().filter(|number| (from..=to).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            self.wrong(match to {
                i64::MAX => format!("`{}` is a whole number, {from} or more", self.name),
                to => format!("`{}` is a whole number from {from} to {to}", self.name),
            })
        })
    }
}

/// One sentence about the settings or a key, with the place in the file where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    pub place: Option<FilePlace>,
    pub words: String,
    pub hint: String,
    /// The keyring cannot be used at all: the next key would fail too.
    pub(crate) keyring_fails: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    pub column: usize,
}

impl ConfigProblem {
    pub fn new(words: impl Into<String>, hint: impl Into<String>) -> ConfigProblem {
        // A problem quotes the file, and a file may come from anywhere.
        let words = scrub(&words.into()).into_owned();
        ConfigProblem { place: None, words, hint: hint.into(), keyring_fails: false }
    }

    /// What is wrong at a place of a file.
    pub fn at(place: FilePlace, words: impl Into<String>) -> ConfigProblem {
        let hint = "`lode doctor` checks the file again after you changed it";
        ConfigProblem { place: Some(place), ..ConfigProblem::new(words, hint) }
    }
}

impl FilePlace {
    /// Where a span of the text begins.
    pub(super) fn of(path: &Path, text: &str, span: Option<Range<usize>>) -> FilePlace {
        let before = span.and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        FilePlace { path: path.to_owned(), line, column }
    }
}

/// `/home/me/.config/lode/config.toml, line 12, column 3: a cap is a whole number of credits`
impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(FilePlace { path, line, column }) = &self.place {
            write!(f, "{}, line {line}, column {column}: ", path.display())?;
        }
        f.write_str(&self.words)
    }
}

impl std::error::Error for ConfigProblem {}
