//! Other programs: started without a console of their own, ended with all they started.

use super::*;

/// The command line as the person's shell would run it.
pub fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd.exe");
    // Between its own quotes cmd takes the line as it is.
    command.raw_arg("/D /S /C").raw_arg(format!("\"{line}\""));
    command
}

/// The shell of the user, else the one that every system has.
pub fn users_shell() -> Command {
    let named = ["SHELL", "COMSPEC"].into_iter().find_map(std::env::var_os);
    Command::new(named.unwrap_or_else(|| "cmd.exe".into()))
}

/// What opens an address: `%BROWSER%` if it is one of the web, else what Windows has for it. None in a session over SSH.
pub fn opener(address: &str) -> Option<Command> {
    if std::env::var_os("SSH_CONNECTION").is_some() {
        return None;
    }
    let browser = std::env::var_os("BROWSER").filter(|value| !value.is_empty() && address.starts_with("http"));
    let mut command = Command::new(browser.as_deref().unwrap_or("rundll32.exe".as_ref()));
    if browser.is_none() {
        command.arg("url.dll,FileProtocolHandler");
    }
    command.arg(address);
    Some(command)
}

/// Keeps a command that is not started yet away from our console, which it would read our keys from.
pub fn in_own_group(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

/// Ends a process with everything it started.
pub fn end_group(process: u32) {
    let mut command = Command::new("taskkill.exe");
    command.args(["/T", "/F", "/PID", &process.to_string()]);
    command.creation_flags(CREATE_NO_WINDOW).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.status();
}

/// There are no jobs to stop.
pub fn can_be_suspended() -> bool {
    false
}

/// Does nothing: nothing could bring lode back.
pub fn suspend() {}

/// What this thread computes comes after what others do, so that a key is answered first.
#[allow(unsafe_code)]
pub fn step_back() {
    // SAFETY: the handle names the calling thread and needs no closing.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) };
}

/// Does nothing: the window with the focus comes first anyway.
pub fn take_short_turns() {}

/// Does nothing: its allocator keeps little.
pub fn give_back_freed() {}
