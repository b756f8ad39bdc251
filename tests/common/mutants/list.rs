//! The mutants of the money code, as cargo-mutants lists them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The money code: unlock, recovery, ledger, request scheduler, limiter, suppression and store.
const FILES: &[&str] = &[
    "src/core/money.rs",
    "src/core/suppress.rs",
    "src/engine/flow/balance.rs",
    "src/engine/flow/desk.rs",
    "src/engine/flow/free_check.rs",
    "src/engine/flow/ledger/*.rs",
    "src/engine/flow/limiter.rs",
    "src/engine/flow/lists.rs",
    "src/engine/flow/recovery.rs",
    "src/engine/flow/retry.rs",
    "src/engine/flow/unlock/*.rs",
    "src/host/store/*.rs",
];

/// Byte offsets in a file.
pub type Range = std::ops::Range<usize>;

pub struct Mutant {
    pub file: String,
    /// As cargo-mutants prints it, with line and column.
    pub name: String,
    /// The same after an edit elsewhere in the file: the name without line and column, and the first line it changes.
    pub key: String,
    /// What is replaced, and with what.
    pub range: Range,
    pub replacement: String,
    /// The function around it. `None` in a constant, which no switch reaches.
    pub function: Option<Range>,
    pub returns: String,
}

pub fn mutants(root: &Path) -> Vec<Mutant> {
    let mut command = Command::new("cargo");
    command.args(["mutants", "--no-config", "--workspace", "--list", "--json"]).current_dir(root);
    command.args(FILES.iter().flat_map(|file| ["-f", file]));
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "cargo mutants: {}", String::from_utf8_lossy(&output.stderr));
    let listed: Vec<Value> = serde_json::from_slice(&output.stdout).expect("a list of mutants");
    let (mut files, mut keys) = (BTreeMap::new(), BTreeMap::new());
    let mut mutants: Vec<Mutant> = listed.iter().map(|listed| mutant(root, listed, &mut files)).collect();
    for mutant in &mut mutants {
        let count = keys.entry(mutant.key.clone()).or_insert(0);
        *count += 1;
        // Equal lines in one function.
        if *count > 1 {
            mutant.key += &format!(" ({count})");
        }
    }
    mutants
}

/// A file's code and where its lines start.
type Code = (String, Vec<usize>);

fn mutant(root: &Path, listed: &Value, files: &mut BTreeMap<String, Code>) -> Mutant {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (file, name) = (text(&listed["file"]), text(&listed["name"]));
    let code = files.entry(file.clone()).or_insert_with(|| {
        let code = std::fs::read_to_string(root.join(&file)).expect("the file of a mutant");
        let starts = std::iter::once(0).chain(code.match_indices('\n').map(|(at, _)| at + 1)).collect();
        (code, starts)
    });
    let changed = text(&listed["diff"]);
    let changed = changed.lines().find_map(|line| line.strip_prefix('+').filter(|line| !line.starts_with("++ ")));
    let changed = changed.unwrap_or_default().replace("/* ~ changed by cargo-mutants ~ */", "");
    let words: Vec<&str> = changed.split_whitespace().collect();
    let change = name.split_once(": ").map_or("", |(_, change)| change);
    Mutant {
        key: format!("{file}: {change}\n    {}", words.join(" ")).trim_end().to_owned(),
        range: range(code, &listed["span"]).expect("a place in the code"),
        replacement: text(&listed["replacement"]),
        function: range(code, &listed["function"]["span"]),
        returns: text(&listed["function"]["return_type"]),
        file,
        name,
    }
}

fn range((code, starts): &Code, span: &Value) -> Option<Range> {
    let offset = |place: &Value| {
        let start = starts[place["line"].as_u64()? as usize - 1];
        let column = place["column"].as_u64()? as usize - 1;
        Some(code[start..].char_indices().nth(column).map_or(code.len(), |(at, _)| start + at))
    };
    Some(offset(&span["start"])?..offset(&span["end"])?)
}
