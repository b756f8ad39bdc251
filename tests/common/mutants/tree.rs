//! A copy of the repository with every mutant behind a switch, built once.
//!
//! A function with mutants gets one body for each of them, chosen by the switch: that works for any mutant, and an error of the
//! compiler names its mutant by its line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::built;
use serde_json::Value;

use crate::list::{Mutant, Range};

/// A function with mutants, or a function in it.
struct Switch {
    function: Range,
    /// Indexes of its mutants.
    mutants: Vec<usize>,
}

pub struct Tree<'a> {
    root: &'a Path,
    pub copy: PathBuf,
    list: &'a [Mutant],
    /// Mutants that do not compile, or that no switch reaches.
    pub dropped: BTreeSet<usize>,
    /// By file, in the order of the numbers that the code passes to `mutant`.
    switches: Vec<(&'a str, Switch)>,
    /// By file: the lines of the copy, and the mutants that an error there belongs to.
    lines: BTreeMap<&'a str, Vec<(Range, Vec<usize>)>>,
}

impl<'a> Tree<'a> {
    /// Copies the repository and drops mutants until the rest compiles. Returns the tree with the paths of the test programs.
    pub fn build(root: &'a Path, home: &Path, list: &'a [Mutant]) -> (Tree<'a>, Vec<PathBuf>) {
        let dropped = (0..list.len()).filter(|at| list[*at].function.is_none()).collect();
        let copy = home.join("tree");
        let mut tree = Tree { root, copy, list, dropped, switches: switches(list), lines: BTreeMap::new() };
        tree.copy_files();
        // What another run found out saves most of the builds.
        let known = home.join("not-viable");
        let names = std::fs::read_to_string(&known).unwrap_or_default();
        let names: BTreeSet<&str> = names.split("\n\n").collect();
        tree.dropped.extend((0..list.len()).filter(|at| names.contains(list[*at].key.as_str())));
        loop {
            tree.write_switched();
            let (done, messages) = tree.cargo();
            if done {
                let keys = tree.dropped.iter().map(|at| list[*at].key.as_str()).collect::<Vec<_>>();
                std::fs::write(&known, keys.join("\n\n")).expect("target is writable");
                return (tree, built::test_programs(&messages).into_iter().map(|(_, path)| path).collect());
            }
            tree.drop_what_fails(&messages);
        }
    }

    /// The number of the switch of a mutant.
    pub fn switch(&self, mutant: usize) -> usize {
        self.switches.iter().position(|(_, switch)| switch.mutants.contains(&mutant)).expect("each has one")
    }

    fn copy_files(&self) {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "-co", "--exclude-standard"]).current_dir(self.root);
        let files = git.output().expect("git runs").stdout;
        let money: BTreeSet<&str> = self.list.iter().map(|mutant| mutant.file.as_str()).collect();
        for file in String::from_utf8(files).expect("paths are UTF-8").split_terminator('\0') {
            // A file that was deleted and not committed is listed too.
            if let Some(bytes) = std::fs::read(self.root.join(file)).ok().filter(|_| !money.contains(file)) {
                let switch = if file == "src/core/put_back.rs" { include_bytes!("switch.rs").as_slice() } else { b"" };
                self.write(file, &[&bytes, switch].concat());
                let permissions = self.root.join(file).metadata().expect("it was read").permissions();
                std::fs::set_permissions(self.copy.join(file), permissions).expect("target is writable");
            }
        }
    }

    /// Keeps the time of an equal file, so that cargo does not build it again.
    fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.copy.join(file);
        if std::fs::read(&path).ok().as_deref() != Some(bytes) {
            std::fs::create_dir_all(path.parent().expect("it is below the copy")).expect("target is writable");
            std::fs::write(path, bytes).expect("target is writable");
        }
    }

    fn write_switched(&mut self) {
        self.lines.clear();
        for file in self.switches.iter().map(|(file, _)| *file).collect::<BTreeSet<_>>() {
            let code = std::fs::read_to_string(self.root.join(file)).expect("it was listed");
            let path = if file.starts_with("src/core") { "crate" } else { "lode_core" };
            let mut out = Lines::default();
            let mut at = 0;
            for (number, (_, switch)) in self.switches.iter().enumerate().filter(|(_, (of, _))| *of == file) {
                let viable = switch.mutants.iter().copied().filter(|mutant| !self.dropped.contains(mutant));
                let viable: Vec<usize> = viable.collect();
                let Some(first) = viable.first() else { continue };
                let body = body(&code, &switch.function);
                let top = out.number;
                let mut signature = &code[at..body.start];
                let mut boxed = "";
                // Each body has a type of its own, so what is returned becomes a box.
                if let Some(start) =
                    signature.rfind("-> impl ").filter(|_| self.list[*first].returns.contains("-> impl "))
                {
                    out.push(&signature[..start]);
                    out.push("-> Box<dyn ");
                    out.push(signature[start..].trim_start_matches("-> impl ").trim_end_matches(['{', ' ']));
                    (signature, boxed) = (" + '_> {", "Box::new");
                }
                out.push(&format!("{signature} match {path}::put_back::mutant({number}) {{\n"));
                for mutant in &viable {
                    let Mutant { range, replacement, .. } = &self.list[*mutant];
                    let (before, after) = (&code[body.start..range.start], &code[range.end..body.end]);
                    let start = out.number;
                    out.push(&format!("{} => {boxed}({{{before}{replacement}{after}}}),\n", mutant + 1));
                    self.lines.entry(file).or_default().push((start..out.number, vec![*mutant]));
                }
                out.push(&format!("_ => {boxed}({{{}}}),\n}}", &code[body.clone()]));
                self.lines.entry(file).or_default().push((top..out.number + 1, viable));
                at = body.end;
            }
            out.push(&code[at..]);
            self.write(file, out.text.as_bytes());
        }
    }

    /// Builds the tests. Returns whether it went well, and the messages of cargo.
    fn cargo(&self) -> (bool, String) {
        let mut command = Command::new("cargo");
        command.args(["test", "--locked", "--no-run", "--message-format=json"]).current_dir(&self.copy);
        for package in ["lode-prospect", "lode-prospect-engine", "lode-prospect-host", "lode-suites"] {
            command.args(["-p", package]);
        }
        command.args(["--lib", "--test", "store", "--test", "flow", "--test", "sim"]);
        command.env("CARGO_TARGET_DIR", self.copy.with_file_name("build"));
        command
            .env("RUSTFLAGS", "--cap-lints=allow")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("LODE_COMMIT", "mutants");
        let output = command.stderr(Stdio::inherit()).output().expect("cargo runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn drop_what_fails(&mut self, messages: &str) {
        let before = self.dropped.len();
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for message in messages.map(|mut line| line["message"].take()).filter(|message| message["level"] == "error") {
            let empty = Vec::new();
            let spans = message["spans"].as_array().unwrap_or(&empty);
            let (primary, others): (Vec<&Value>, Vec<&Value>) =
                spans.iter().partition(|span| span["is_primary"] == true);
            let found = primary.into_iter().chain(others).find_map(|span| self.mutants_at(span));
            assert!(found.is_some() || spans.is_empty(), "not an error of a mutant: {}", message["rendered"]);
            self.dropped.extend(found.into_iter().flatten());
        }
        let dropped = self.dropped.len() - before;
        assert!(dropped > 0, "the copy does not compile without mutants either");
        eprintln!("{dropped} mutants do not compile");
    }

    /// The mutants of a place in the copy. A macro's place is where it is called.
    fn mutants_at(&self, span: &Value) -> Option<Vec<usize>> {
        let call = &span["expansion"]["span"];
        if call.is_object()
            && let Some(found) = self.mutants_at(call)
        {
            return Some(found);
        }
        let line = span["line_start"].as_u64()? as usize - 1;
        let lines = self.lines.get(span["file_name"].as_str()?)?;
        // The lines of a mutant are listed before those of its function.
        lines.iter().find(|(range, _)| range.contains(&line)).map(|(_, mutants)| mutants.clone())
    }
}

/// Text, and how many lines before its end were finished.
#[derive(Default)]
struct Lines {
    text: String,
    number: usize,
}

impl Lines {
    fn push(&mut self, text: &str) {
        self.text += text;
        self.number += text.matches('\n').count();
    }
}

/// The outermost functions of all mutants, in order.
fn switches(list: &[Mutant]) -> Vec<(&str, Switch)> {
    let mut all: Vec<(&str, Switch)> = Vec::new();
    let mut order: Vec<(&Range, usize)> = Vec::new();
    for (at, mutant) in list.iter().enumerate() {
        order.extend(mutant.function.as_ref().map(|function| (function, at)));
    }
    order.sort_by_key(|(function, at)| (&list[*at].file, function.start, std::cmp::Reverse(function.end), *at));
    for (function, at) in order {
        match all.last_mut() {
            Some((file, last)) if *file == list[at].file && last.function.end >= function.end => last.mutants.push(at),
            _ => all.push((&list[at].file, Switch { function: function.clone(), mutants: vec![at] })),
        }
    }
    all
}

/// What is between the braces of a function.
fn body(code: &str, function: &Range) -> Range {
    let mut depth = 0;
    let brace = code[function.clone()].find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == '{' && depth == 0
    });
    function.start + brace.expect("a function has a body") + 1..function.end - 1
}
