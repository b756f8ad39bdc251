//! What happens when lode itself is wrong: the terminal is given back, a report is written, its place is said, and the exit
//! code is 1. Nothing is sent anywhere.

use std::backtrace::Backtrace;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::args::VERSION;
use crate::domain::time::Wall;

use super::clock;
use super::system::files::{make_private_dir, open_private};

static FALLING: AtomicBool = AtomicBool::new(false);

/// Says it on the error stream, whoever reads that.
pub fn aloud(words: &str) {
    let _ = io::stderr().write_all(words.as_bytes());
}

/// Whether the end has begun: the terminal is given back, and nobody may draw on it any more.
pub fn is_falling() -> bool {
    FALLING.load(Ordering::SeqCst)
}

/// From here on a panic in any thread ends the program in order. `restore` gives the terminal back, `tell` says what is left to
/// say.
pub fn install(
    state_dir: &Path,
    restore: impl Fn() + Send + Sync + 'static,
    tell: impl Fn(&str) + Send + Sync + 'static,
) {
    let state_dir = state_dir.to_owned();
    std::panic::set_hook(Box::new(move |panic| {
        // A second panic on the way out, or in another thread: the first one is being told.
        if FALLING.swap(true, Ordering::SeqCst) {
            return;
        }
        restore();
        let text = report(panic, clock::now().wall, &Backtrace::force_capture());
        let told = match write(&state_dir, &text, clock::now().wall) {
            Ok(path) => format!("hint: the report is in {}; nothing was sent", path.display()),
            Err(error) => format!("hint: no report could be written ({error}); `lode doctor` checks the state folder"),
        };
        tell(&format!("lode: this is a bug in lode: {}\n{told}\n", words(panic)));
        std::process::exit(1);
    }));
}

fn words(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic without words");
    let first = text.lines().next().unwrap_or_default();
    let words: String = first.chars().filter(|c| !c.is_control()).take(200).collect();
    let place = panic.location().map_or_else(String::new, |place| format!(" ({}:{})", place.file(), place.line()));
    format!("{words}{place}")
}

fn report(panic: &PanicHookInfo<'_>, at: Wall, trace: &Backtrace) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| at.0.to_string(), |at| at.to_string());
    let thread = std::thread::current().name().unwrap_or("without a name").to_owned();
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "lode {VERSION} on {os} {arch}\nat {moment}, thread {thread}\n{}\n\n{trace}\n\
         \nKeys and contacts are in no report. Please look it through before you share it.\n",
        words(panic)
    )
}

fn write(state_dir: &Path, text: &str, at: Wall) -> io::Result<PathBuf> {
    let folder = folder(state_dir);
    make_private_dir(&folder)?;
    let path = folder.join(format!("crash-{}-{}.txt", at.0, std::process::id()));
    let mut file = open_private(OpenOptions::new().create(true).append(true), &path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(path)
}

/// Where reports are.
pub fn folder(state_dir: &Path) -> PathBuf {
    state_dir.join("crashes")
}
