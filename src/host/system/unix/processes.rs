//! Other programs: started in a group of their own, ended with all they started.

use std::process::Command;

use rustix::process::{Pid, Signal, getpgid, getsid, kill_current_process_group, kill_process_group};

/// The command line as the person's shell would run it.
pub fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

/// The shell of the user, else the one that every system has.
pub fn users_shell() -> Command {
    let named = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    Command::new(named.unwrap_or_else(|| "/bin/sh".into()))
}

/// What opens an address, for which `$BROWSER` is asked first if it is one of the web: `firefox`, or `w3m -o x=%s:links`. None where a
/// program would have no screen, or open it on another computer's.
pub fn opener(address: &str) -> Option<Command> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    if set("SSH_CONNECTION").is_some() {
        return None;
    }
    let browser = set("BROWSER").filter(|_| address.starts_with("http"));
    let mut words = browser.as_deref().unwrap_or_default().split(':').next().unwrap_or_default().split_whitespace();
    if let Some(program) = words.next() {
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        if !words.iter().any(|word| word.contains("%s")) {
            words.push("%s".to_owned());
        }
        let mut command = Command::new(program);
        command.args(words.iter().map(|word| word.replace("%s", address)));
        return Some(command);
    }
    let has_screen = cfg!(target_os = "macos") || set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).is_some();
    let mut command = Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    command.arg(address);
    has_screen.then_some(command)
}

/// Gives a command that is not started yet a group of its own, so that what it starts ends with it.
pub fn in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Ends a process that was started [`in_own_group`] with everything it started.
pub fn end_group(process: u32) {
    if let Some(group) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Whether a shell with jobs could bring us back. What leads its own session, as in a terminal that runs nothing but lode,
/// would stand still for good.
pub fn can_be_suspended() -> bool {
    !matches!((getpgid(None), getsid(None)), (Ok(group), Ok(session)) if group == session)
}

/// Stops everything in this job until the shell's `fg`. The request to stop is heard by lode itself, which first gives the
/// terminal back, so this is the stop that nothing hears.
pub fn suspend() {
    let _ = kill_current_process_group(Signal::STOP);
}

/// What this thread computes comes after what others do, so that a key is answered first. What it starts does the same. Only
/// where threads can have a rank of their own.
pub fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

/// Lets this thread run soon after it wakes, also while other programs keep all cores busy: it works in short turns, which come sooner.
/// What it starts does not. Only where threads can say so, as on Linux from 6.12 on.
#[allow(unsafe_code)]
pub fn take_short_turns() {
    #[cfg(target_os = "linux")]
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        let wanted = libc::sched_attr {
            size: size_of::<libc::sched_attr>() as u32,
            sched_policy: libc::SCHED_OTHER as u32,
            sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
            sched_nice: nice,
            sched_priority: 0,
            sched_runtime: SHORTEST_TURN.as_nanos() as u64,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the kernel reads as many bytes as `size` says. 0 is the calling thread.
        unsafe {
            // A user may have given lode another rank.
            if libc::syscall(libc::SYS_sched_getscheduler, 0) == libc::c_long::from(libc::SCHED_OTHER) {
                libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0);
            }
        }
    }
}

#[cfg(target_os = "linux")]
const SHORTEST_TURN: std::time::Duration = std::time::Duration::from_micros(100);

/// Gives back the memory that was freed and that the C library keeps for later. Only where it keeps much.
#[allow(unsafe_code)]
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes the locks of the allocator itself, and touches only what is free.
    unsafe {
        libc::malloc_trim(0);
    }
}
