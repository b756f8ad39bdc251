//! What remains of a stop: lode's money code found a state of its own that cannot be, and ended the program. Money rule 12,
//! *impossible stops*.
//!
//! A state that was stored would stop the next start too, so the ledger opens read-only until `lode ledger check` has found
//! that everything adds up, or a backup is restored.

use super::*;

/// Sources whose panics stop spending: all that keep a money rule. The path of a panic is the one that the compiler saw.
const MONEY_CODE: &[&str] = &[
    "core/choose", "core/credits", "core/exclude", "core/money", "core/suppress", "/effect/", "flow/balance",
    "flow/desk", "flow/free_check", "flow/ledger", "flow/recovery", "flow/session", "flow/unlock", "ops/unlock",
    "/store/",
];

/// Whether a panic at this place of the source is one of the money code.
pub fn is_money_code(file: &str) -> bool {
    let file = file.replace('\\', "/");
    MONEY_CODE.iter().any(|part| file.contains(part))
}

fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("stopped")
}

/// Records the stop, durable when it returns. `words` is one line.
pub fn record(state_dir: &Path, words: &str) -> io::Result<()> {
    make_private_dir(state_dir)?;
    write_whole(&path(state_dir), words.as_bytes()).map(drop)
}

/// Why lode stopped, if nothing lifted the stop since. What cannot be read is a stop too.
pub fn reason(state_dir: &Path) -> Option<String> {
    let read = if_there(fs::read(path(state_dir))).unwrap_or_else(|_| Some(Vec::new()))?;
    let words = scrub(&String::from_utf8_lossy(&read)).into_owned();
    Some(format!("lode stopped because its money code found an impossible state: {words}"))
}

/// Allows spending again.
pub fn lift(state_dir: &Path) -> io::Result<()> {
    if_there(fs::remove_file(path(state_dir))).map(drop)
}
