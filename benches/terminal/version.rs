//! What a script pays that asks for the version: `lode --version` beside a program that says hello, alternately.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 500;

/// Medians of hello and of the version. None without a compiler.
pub fn beside_hello(folder: &Path) -> Option<(Duration, Duration)> {
    let (source, hello) = (folder.join("hello.rs"), folder.join("hello"));
    std::fs::write(&source, "fn main() {\n    println!(\"hello\");\n}\n").ok()?;
    let made = Command::new("rustc").arg("-O").arg("-o").args([&hello, &source]).status().ok()?;
    made.success().then_some(())?;
    let mut took: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        took[0].push(run(&mut Command::new(&hello))?);
        took[1].push(run(Command::new(common::binary()).arg("--version"))?);
    }
    let [hello, version] = took.map(|mut took| {
        took.sort_unstable();
        took[RUNS / 2]
    });
    Some((hello, version))
}

fn run(command: &mut Command) -> Option<Duration> {
    let began = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().ok()?;
    status.success().then(|| began.elapsed())
}
