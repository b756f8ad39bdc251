//! What happens when lode itself is wrong: the terminal is given back, a report is written, its place is said, the answer of an
//! unlock in flight is waited for, and the exit code is 1. The report stays on this machine.

use std::backtrace::Backtrace;
use std::panic::PanicHookInfo;

use super::*;
use lode_host::perform::NET;

/// Prints on the error stream why the program ended, also where frames were drawn on the same terminal.
pub fn tell(words: &str) {
    let lines: Vec<&str> = words.lines().collect();
    match lines[..] {
        _ if line::is_error_stream() => line::last_words(words.as_bytes()),
        _ if !output_mode::speaks_data() => drop(io::stderr().write_all(words.as_bytes())),
        [sentence, hint] if sentence.starts_with("lode: this is a bug") => {
            let (sentence, hint) = (sentence.trim_start_matches("lode: "), hint.trim_start_matches("hint: "));
            let _ = output_mode::failed(&CommandProblem::new(Code::Bug, sentence, hint));
        }
        _ => lines.into_iter().for_each(output_mode::warn),
    }
}

/// From here on a panic in any thread gives the terminal back and ends the program in order.
pub fn install(state: &Path) {
    let state_dir = state.to_owned();
    std::panic::set_hook(Box::new(move |panic| {
        // A second panic on the way out, or in another thread: the first one is being told.
        if !in_flight::fall() {
            return;
        }
        modes::leave();
        let text = report(panic, clock::now().wall, &Backtrace::force_capture());
        if panic.location().is_some_and(|place| stop::is_money_code(place.file())) {
            // If this fails too, the report below names the folder that cannot be written.
            let _ = stop::record(&state_dir, &words(panic));
        }
        let told = match write(&state_dir, &text, clock::now().wall) {
            Ok(path) => format!("hint: the report is in {}; it stays on this machine", path.display()),
            Err(error) => format!("hint: no report could be written ({error}); `lode doctor` checks the state folder"),
        };
        tell(&format!("lode: this is a bug in lode: {}\n{told}\n", words(panic)));
        if in_flight::any() {
            match std::thread::Builder::new().name("lode-end".to_owned()).spawn(see_out) {
                // The answer arrives on this very thread: it goes on, without the task that broke.
                Ok(_) if std::thread::current().name() == Some(NET) => return,
                Ok(waiting) => drop(waiting.join()),
                Err(_) => {}
            }
        }
        std::process::exit(1);
    }));
}

/// Waits until the answer of the unlock in flight is on the disk, for a bounded time and no longer than until a signal comes.
fn see_out() {
    tell(&waiting_words());
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        runtime.block_on(async {
            let mut signals = ExitSignals::listen();
            tokio::select! {
                () = in_flight::landed() => {}
                () = signals.recv() => {}
                () = tokio::time::sleep(in_flight::PATIENCE) => {}
            }
        });
    }
    tell(if in_flight::any() {
        "lode: no response: the result of the unlock is unknown\nhint: run `lode recover` to check it (free)\n"
    } else {
        "lode: the running unlock request has ended, and its response is stored\nhint: run `lode recover` to complete it (free)\n"
    });
    std::process::exit(1);
}

/// What an orderly exit says while an unlock is in flight.
pub fn waiting_words() -> String {
    let seconds = in_flight::PATIENCE.as_secs();
    format!("lode: waiting up to {seconds} s for the response to the unlock; press Ctrl-C to leave at once\n")
}

/// Where another thread broke and still waits for an answer, this one must not end the program before it.
pub fn wait_while_falling() {
    if in_flight::is_falling() {
        std::thread::sleep(in_flight::PATIENCE + Duration::from_secs(4));
    }
}

fn words(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let first = text.unwrap_or("internal error").lines().next().unwrap_or_default();
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
         \nReports never contain keys or contacts. Please review it before you share it.\n",
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
