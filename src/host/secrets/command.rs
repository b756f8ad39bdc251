//! A command that prints the key: a password manager's, for example. Programs run with a time limit; what they print is a secret,
//! and their errors are not repeated.

use super::*;

/// A password manager may ask for a finger or a password of its own.
const PATIENCE: Duration = Duration::from_secs(30);
const WAITING: &str = "waiting for the key command, which may be asking for a password";

/// The first line that the command prints.
pub(super) fn read(line: &str, waiting: Waiting<'_>) -> Read<SecretString> {
    read_within(line, CommandTimeout { most: PATIENCE, waiting: Some((waiting, WAITING)) })
}

fn read_within(line: &str, timeout: CommandTimeout<'_>) -> Read<SecretString> {
    let read = match run(shell(line), None, timeout) {
        Ran::NotStarted(error) => Err(format!("could not be started: {error}")),
        Ran::TooSlow => Err(format!("did not answer within {} seconds and was stopped", timeout.most.as_secs())),
        Ran::Done { code: Some(0), out, .. } => match std::str::from_utf8(out.expose_secret()) {
            Err(_) => Err("did not print text".to_owned()),
            Ok(text) => match text.lines().next().map(str::trim).filter(|first| !first.is_empty()) {
                Some(first) => Ok(SecretString::from(first.to_owned())),
                None => Err("printed nothing on its first line".to_owned()),
            },
        },
        Ran::Done { code: Some(code), .. } => Err(format!("failed with exit code {code}")),
        Ran::Done { code: None, .. } => Err("was killed".to_owned()),
    };
    let hint = "run the `key` command of the profile in config.toml by hand; `lode doctor` tries it again";
    read.map_err(|how| ConfigProblem::new(format!("the key command {how}"), hint))
}

/// After this the user may be asked for a password and should know why.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a program may take, and what is told when it lets its caller wait.
#[derive(Clone, Copy)]
pub(super) struct CommandTimeout<'a> {
    pub(super) most: Duration,
    /// Who is told, and in which words.
    pub(super) waiting: Option<(Waiting<'a>, &'static str)>,
}

impl CommandTimeout<'static> {
    /// No progress is reported.
    pub(super) fn silent(most: Duration) -> CommandTimeout<'static> {
        CommandTimeout { most, waiting: None }
    }
}

pub(super) enum Ran {
    /// Ended by itself: what it printed, and whether it called that a success.
    Done { out: SecretSlice<u8>, code: Option<i32>, complained: bool },
    /// Did not end in time and was stopped.
    TooSlow,
    /// The program was not found, or may not be run.
    NotStarted(std::io::Error),
}

/// Runs `command` with `input` on its standard input.
pub(super) fn run(mut command: Command, input: Option<SecretSlice<u8>>, timeout: CommandTimeout<'_>) -> Ran {
    // A group of its own, so that what it started ends with it.
    in_own_group(without_keys(&mut command));
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let child = match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(error),
    };
    let group = child.id();
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let input = input.as_ref().map_or(&[] as &[u8], |input| input.expose_secret());
        let _ = done.send(attend(child, input));
    });
    let ran = ended.recv_timeout(timeout.most.min(SILENCE)).or_else(|_| {
        timeout.waiting.inspect(|(tell, words)| tell(words));
        ended.recv_timeout(timeout.most.saturating_sub(SILENCE))
    });
    match ran {
        Ok(Attended { code, out, err, .. }) => Ran::Done { out: out.into(), code, complained: !err.is_empty() },
        Err(_) => {
            end_group(group);
            Ran::TooSlow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> String {
        read_within(line, CommandTimeout::silent(PATIENCE)).unwrap_err().words
    }

    #[test]
    fn the_first_line_is_the_key() {
        for line in ["echo ak_live_1", "printf ak_live_1", "printf 'ak_live_1\\r\\nuser: me\\n'"] {
            assert_eq!(read(line, &|_| {}).unwrap().expose_secret(), "ak_live_1", "{line}");
        }
    }

    #[test]
    fn every_failure_has_its_sentence() {
        assert_eq!(words("echo secret; exit 3"), "the key command failed with exit code 3");
        assert_eq!(words("no-such-program-here"), "the key command failed with exit code 127");
        assert_eq!(words("echo"), "the key command printed nothing on its first line");
        assert_eq!(words("true"), "the key command printed nothing on its first line");
        assert_eq!(words("kill -9 $$"), "the key command was killed");
        assert_eq!(words("printf '\\377\\376'"), "the key command did not print text");
    }

    #[test]
    fn one_that_hangs_is_stopped_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let alive = folder.path().join("alive");
        // The child holds the pipe open by itself, which would keep a reader that only waits for the shell.
        let line = format!("sleep 600 & echo $! > {}; wait", alive.display());
        let slow = read_within(&line, CommandTimeout::silent(Duration::from_millis(1_500))).unwrap_err();
        assert!(slow.words.contains("did not answer"), "{}", slow.words);
        let pid: i32 = std::fs::read_to_string(&alive).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        // Gone, or an uncollected zombie in a container: either way it does not run.
        while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(pid) {
            assert!(std::time::Instant::now() < deadline, "what it started still runs");
            std::thread::yield_now();
        }
    }

    fn is_zombie(pid: rustix::process::Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
    }
}
