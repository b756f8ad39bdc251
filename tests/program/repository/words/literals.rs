//! The string literals of the sources, without their tests: what a user can be shown.

use std::fs;
use std::path::{Path, PathBuf};

pub struct Literal {
    pub path: String,
    pub line: usize,
    pub words: String,
}

/// The literals of these rooms of `src`; `#[cfg(test)]` ends a file.
pub fn of(rooms: &[&str]) -> Vec<Literal> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for room in rooms {
        let path = root.join(room);
        if path.is_dir() { folder(&path, &root, &mut found) } else { file(&path, &root, &mut found) }
    }
    assert!(found.len() > 100, "the sources are read");
    found
}

/// All Rust files of these folders of the crate, but for those of this test, each with its path.
pub fn texts(folders: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.starts_with(root.join("tests/program/repository/words"))
        {
            found.push((path.strip_prefix(root).unwrap().display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(found.len() > 300, "the sources are read");
    found
}

fn folder(path: &Path, root: &Path, found: &mut Vec<Literal>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            folder(&entry, root, found);
        } else if entry.extension().is_some_and(|ending| ending == "rs") && !entry.ends_with("tests.rs") {
            file(&entry, root, found);
        }
    }
}

fn file(path: &Path, root: &Path, found: &mut Vec<Literal>) {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let name = path.strip_prefix(root).unwrap().display().to_string();
    let letters: Vec<char> = text.chars().collect();
    let (mut at, mut line) = (0, 1);
    while at < letters.len() {
        match letters[at] {
            '/' if letters.get(at + 1) == Some(&'/') => at += until(&letters[at..], '\n'),
            '"' => {
                let raw = letters[..at].iter().rev().take_while(|c| **c == '#').count();
                let is_raw = at > raw && letters[at - raw - 1] == 'r';
                let (words, length) = if is_raw { raw_end(&letters[at + 1..], raw) } else { end(&letters[at + 1..]) };
                found.push(Literal { path: name.clone(), line, words });
                line += letters[at..at + length + 1].iter().filter(|c| **c == '\n').count();
                at += length + 1;
                continue;
            }
            // A letter in quotes, not a lifetime.
            '\'' if letters.get(at + 1) == Some(&'\\') => at += 2,
            '\'' if letters.get(at + 2) == Some(&'\'') => at += 2,
            _ => {}
        }
        line += usize::from(letters.get(at) == Some(&'\n'));
        at += 1;
    }
}

fn until(letters: &[char], stop: char) -> usize {
    letters.iter().position(|c| *c == stop).unwrap_or(letters.len())
}

/// The words up to the closing quote, continued lines joined, and how many letters they take with it.
fn end(letters: &[char]) -> (String, usize) {
    let (mut words, mut at) = (String::new(), 0);
    while let Some(letter) = letters.get(at) {
        match letter {
            '"' => break,
            '\\' if letters.get(at + 1) == Some(&'\n') => {
                at += 2;
                at += letters[at..].iter().take_while(|c| c.is_whitespace()).count();
                continue;
            }
            '\\' => {
                words.push(' ');
                at += 2;
                continue;
            }
            letter => words.push(*letter),
        }
        at += 1;
    }
    (words, at + 1)
}

fn raw_end(letters: &[char], hashes: usize) -> (String, usize) {
    let closes = |at: usize| letters[at] == '"' && letters[at + 1..].iter().take(hashes).all(|c| *c == '#');
    let at = (0..letters.len()).find(|at| closes(*at)).unwrap_or(letters.len());
    (letters[..at].iter().collect(), at + 1 + hashes)
}
