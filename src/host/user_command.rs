//! Runs the person's own commands: a program and its arguments as they stand in the settings, rows on its standard input.
//!
//! No shell reads anything. Of what it prints the first part is kept, the rest is read and dropped, so that it never waits for us.
//! The keys of the services are not in its environment.
//!
//! Opens an address too, with the browser, the mail program or the phone program of the person. The address is one argument of
//! that program, and never begins with `-`.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use lode_core::{Lead, LeadKind, MailTemplate, Source, scrub};
use lode_engine::effect::{FileFailure, FileReply, ProgramEnd, Ticket};

use super::config::{environment::key_name, mail};
use super::system::processes::{end_group, in_own_group, opener};

/// Bytes of each stream that are kept.
const MOST: usize = 32 * 1024;

/// The programs that run, by the work they are started for. `None` until one has begun.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Mutex<HashMap<Ticket, Option<u32>>>>);

impl Programs {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<Ticket, Option<u32>>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A program is to run: from here on it can be stopped, also before its thread has begun.
    pub fn expect(&self, ticket: Ticket) {
        self.with(|programs| programs.insert(ticket, None));
    }

    /// Ends a program with everything it started. One that has not begun never begins.
    pub fn stop(&self, ticket: Ticket) {
        let begun = self.with(|programs| match programs.get(&ticket) {
            Some(None) => programs.remove(&ticket).flatten(),
            begun => begun.copied().flatten(),
        });
        begun.into_iter().for_each(end_group);
    }

    pub fn stop_all(&self) {
        let running: Vec<Ticket> = self.with(|running| running.keys().copied().collect());
        for ticket in running {
            self.stop(ticket);
        }
    }

    /// Runs a program that was expected to its end, in the folder where the shell was started.
    pub fn run(&self, ticket: Ticket, words: &[String], input: &[u8], here: &Path) -> Result<ProgramEnd, FileFailure> {
        let ended = self.begin(ticket, words, here).map(|child| child.map(|child| attend(child, input)));
        self.with(|programs| programs.remove(&ticket));
        let Attended { code, out, err, cut } = ended?.unwrap_or_default();
        Ok(ProgramEnd { code, out: clean(&out), err: clean(&err), cut })
    }

    /// Starts a program. None if it was stopped before.
    fn begin(&self, ticket: Ticket, words: &[String], here: &Path) -> Result<Option<Child>, FileFailure> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(FileFailure { words: "the command names no program".to_owned() });
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(here);
        in_own_group(without_keys(&mut command));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Under the lock, so that no stop falls between its start and the note of it.
        self.with(|programs| {
            let Some(place) = programs.get_mut(&ticket) else { return Ok(None) };
            let failed = |error| FileFailure { words: format!("`{program}` could not be started: {error}") };
            let child = command.spawn().map_err(failed)?;
            *place = Some(child.id());
            Ok(Some(child))
        })
    }
}

/// Takes the keys of the services out of the environment of a program.
pub(crate) fn without_keys(command: &mut Command) -> &mut Command {
    Source::ALL.into_iter().fold(command, |command, source| command.env_remove(key_name(source)))
}

/// What a program printed, the first part of each stream, and how it ended.
#[derive(Default)]
pub(crate) struct Attended {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
    /// There was more.
    cut: bool,
}

/// Gives a program its input, and waits for its end.
pub(crate) fn attend(mut child: Child, input: &[u8]) -> Attended {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let ((out, out_cut), (err, err_cut)) = thread::scope(|scope| {
        let complained = scope.spawn(|| kept(err));
        let printed = scope.spawn(|| kept(out));
        if let Some(mut pipe) = child.stdin.take() {
            // It may end without reading all: its exit code says more than the broken pipe.
            let _ = pipe.write_all(input);
        }
        (printed.join().unwrap_or_default(), complained.join().unwrap_or_default())
    });
    let code = child.wait().ok().and_then(|status| status.code());
    Attended { code, out, err, cut: out_cut || err_cut }
}

/// The first part of a stream, and whether there was more. Reads to the end.
fn kept(stream: Option<impl Read>) -> (Vec<u8>, bool) {
    let (mut kept, mut cut, mut piece) = (Vec::new(), false, [0; 8 * 1024]);
    let Some(mut stream) = stream else { return (kept, cut) };
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        let room = (MOST - kept.len()).min(count);
        kept.extend_from_slice(&piece[..room]);
        cut |= room < count;
    }
    (kept, cut)
}

/// As text without control characters.
fn clean(kept: &[u8]) -> String {
    let lines: Vec<String> = String::from_utf8_lossy(kept).lines().map(|line| scrub(line).into_owned()).collect();
    lines.join("\n")
}

/// Waits for the end of the program, which may be the end of the browser.
pub(super) fn open(lead: &Lead, config: &Path) -> Result<FileReply, FileFailure> {
    let failed = |words: String| FileFailure { words };
    let template = match lead.kind {
        LeadKind::Mail => mail::template(config).map_err(|problem| failed(problem.to_string()))?,
        _ => MailTemplate::default(),
    };
    let address = lead.address(&template);
    let Some(mut command) = opener(&address) else { return Ok(FileReply::NoProgram(address)) };
    let program = command.get_program().to_string_lossy().into_owned();
    in_own_group(without_keys(&mut command));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(FileReply::Done),
        Ok(status) => Err(failed(format!("`{program}` could not open it ({status})"))),
        Err(error) => Err(failed(format!("`{program}` could not be started: {error}"))),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn run(words: &[&str], input: &str) -> Result<ProgramEnd, FileFailure> {
        let folder = tempfile::tempdir().unwrap();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let programs = Programs::default();
        programs.expect(Ticket(1));
        programs.run(Ticket(1), &words, input.as_bytes(), folder.path())
    }

    #[test]
    fn words_are_never_read_by_a_shell_and_rows_come_on_standard_input() {
        let hostile = "{\"name\":\"$(touch owned) `touch owned`; touch owned\"}\n";
        let ran = run(&["cat"], hostile).unwrap();
        assert_eq!((ran.code, ran.out.as_str(), ran.cut), (Some(0), hostile.trim_end(), false));
        let ran = run(&["printf", "%s", "$(echo x); echo y | z"], "").unwrap();
        assert_eq!(ran.out, "$(echo x); echo y | z");
    }

    #[test]
    fn the_end_is_told_and_output_is_limited_and_clean() {
        let ran = run(&["sh", "-c", "echo no >&2; exit 3"], "").unwrap();
        assert_eq!((ran.code, ran.err.as_str()), (Some(3), "no"));
        // It prints far more than is kept, while it is fed far more than it reads.
        let ran = run(&["sh", "-c", "yes '\x1b[2J' | head -c 1000000"], &"x".repeat(1 << 20)).unwrap();
        assert!(ran.cut && ran.out.len() <= MOST && !ran.out.contains('\x1b'), "{}", ran.out.len());
        assert!(run(&["no-such-program-here"], "").unwrap_err().words.contains("could not be started"));
        assert!(run(&[], "").is_err());
    }

    #[test]
    fn one_that_hangs_is_stopped_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let programs = Programs::default();
        let words: Vec<String> = ["sh", "-c", "touch begun; sleep 600 & wait"].map(str::to_owned).to_vec();
        programs.expect(Ticket(7));
        let ran = thread::scope(|scope| {
            let runs = scope.spawn(|| programs.run(Ticket(7), &words, b"", folder.path()));
            while !folder.path().join("begun").exists() {
                thread::yield_now();
            }
            programs.stop(Ticket(7));
            runs.join().unwrap().unwrap()
        });
        assert_eq!(ran.code, None);
    }

    #[test]
    fn one_that_is_stopped_before_it_begins_never_begins() {
        let folder = tempfile::tempdir().unwrap();
        let programs = Programs::default();
        programs.expect(Ticket(7));
        programs.stop(Ticket(7));
        let ran = programs.run(Ticket(7), &["touch".to_owned(), "begun".to_owned()], b"", folder.path()).unwrap();
        assert_eq!((ran.code, folder.path().join("begun").exists()), (None, false));
    }
}
