//! Problems of the settings: what is wrong, where, and how to fix it.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lode_core::scrub;

/// One sentence about the settings, with the place in the file where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    pub place: Option<FilePlace>,
    pub words: String,
    pub hint: String,
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
        ConfigProblem { place: None, words: clean(words.into()), hint: hint.into() }
    }

    /// What is wrong at a place of a file.
    pub fn at(place: FilePlace, words: impl Into<String>) -> ConfigProblem {
        ConfigProblem {
            place: Some(place),
            words: clean(words.into()),
            hint: "`lode doctor` checks the file again after you changed it".into(),
        }
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

/// A problem quotes the file, and a file may come from anywhere.
fn clean(words: String) -> String {
    scrub(&words).into_owned()
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
