//! The loop of the shell commands: performs the effects of a command, gives it the answers, and prints.
//!
//! The first interrupt is the program's to answer, because an unlock on the wire is waited for; the second leaves at once. A
//! reader that goes away (`| head`) ends reading quietly. Lines go out in whole batches, one write for all that is known.

use std::io::{BufWriter, Stderr, Stdout};

use super::*;

/// A program that runs, with what performs its effects.
pub(super) struct Driver {
    pub(super) program: Program,
    pub(super) performer: Performer,
    pub(super) fx: Vec<Effect>,
    answers: UnboundedReceiver<Answer>,
}

impl Driver {
    pub(super) fn start(mut program: Program, setup: PerformerSetup) -> Driver {
        let (sender, answers) = unbounded_channel();
        let mut fx = Vec::new();
        program.start(clock::now(), &mut fx);
        Driver { program, performer: Performer::new(setup, sender), fx, answers }
    }

    /// Waits for answers, for no longer than until the deadline, and passes on everything that is here.
    pub(super) async fn proceed(&mut self, deadline: Option<Mono>) {
        let Driver { program, fx, answers, .. } = self;
        tokio::select! {
            biased;
            Some(answer) = answers.recv() => {
                program.handle(answer, clock::now(), fx);
                while let Ok(answer) = answers.try_recv() {
                    program.handle(answer, clock::now(), fx);
                }
            }
            () = clock::sleep_until(deadline) => program.wake(clock::now(), fx),
        }
    }
}

/// Runs a program to its end and answers its exit code.
pub fn run(program: Program, setup: PerformerSetup, pick: Option<Pick>) -> Result<u8, CommandProblem> {
    bootstrap::runtime()?.block_on(async {
        let mut streams = Streams::new(pick);
        let mut interrupts = ExitSignals::listen();
        let mut interrupted = false;
        let mut driver = Driver::start(program, setup);
        loop {
            if let Some(code) = carry_out(&mut driver, &mut streams) {
                if interrupted {
                    driver.performer.finish_within(IN_HASTE);
                } else {
                    driver.performer.finish();
                }
                return Ok(streams.end(code, interrupted, driver.program.spent()));
            }
            let deadline = driver.program.deadline();
            tokio::select! {
                biased;
                () = interrupts.recv() => {
                    if interrupted {
                        driver.program.abandon(clock::now(), &mut driver.fx);
                        carry_out(&mut driver, &mut streams);
                        return Ok(streams.end(Exit::Interrupted.code(), true, driver.program.spent()));
                    }
                    interrupted = true;
                    driver.program.interrupt(clock::now(), &mut driver.fx);
                }
                () = driver.proceed(deadline) => {}
            }
        }
    })
}

/// Does everything that is wanted; the exit code, once the program leaves.
fn carry_out(driver: &mut Driver, streams: &mut Streams) -> Option<u8> {
    let mut exit = None;
    while !driver.fx.is_empty() {
        for effect in std::mem::take(&mut driver.fx) {
            match driver.performer.perform(effect) {
                Some(Effect::Print(line)) => streams.print(&line),
                Some(Effect::PrintWhole(line)) => streams.print_whole(&line),
                Some(Effect::Warn(words)) => streams.aside(|| output_mode::warn(&words)),
                Some(Effect::Fail { words, json }) => streams.aside(|| output_mode::fail(&words, &json)),
                Some(Effect::Status(line)) => streams.status(&line),
                Some(Effect::Quit(code)) => exit = exit.or(Some(code)),
                // A clipboard, a browser and notices belong to the screen.
                Some(_) | None => {}
            }
        }
        streams.flush();
        // Told once, after the output can no longer be written.
        let is_left = exit.is_none() && streams.trouble.is_some();
        if is_left && !std::mem::replace(&mut streams.told_program, true) {
            driver.program.unread(clock::now(), &mut driver.fx);
        }
    }
    exit
}

/// Where lines go. Passing lines are shown on the error stream only if it is a terminal.
struct Streams {
    out: BufWriter<Stdout>,
    err: Stderr,
    passing: bool,
    /// Width of the passing line that stands there.
    shown: usize,
    trouble: Option<io::Error>,
    told_program: bool,
    /// What becomes of the lines, and those that wait for it.
    pick: Option<Pick>,
    lines: Vec<String>,
}

impl Streams {
    fn new(pick: Option<Pick>) -> Streams {
        let err = io::stderr();
        Streams {
            out: BufWriter::with_capacity(1 << 16, io::stdout()),
            passing: err.is_terminal(),
            err,
            shown: 0,
            trouble: None,
            told_program: false,
            pick,
            lines: Vec::new(),
        }
    }

    fn print(&mut self, line: &str) {
        match self.pick {
            Some(_) => self.lines.push(line.to_owned()),
            None => self.write(line),
        }
    }

    /// Writes a line that is stored nowhere: to the error stream if the output takes nothing any more.
    fn print_whole(&mut self, line: &str) {
        self.flush();
        self.write(line);
        self.flush();
        if self.trouble.is_some() {
            output_mode::say(line);
        }
    }

    /// Writes the lines that wait, as they are wanted.
    fn print_picked(&mut self) {
        let Some(pick) = self.pick.as_mut().filter(|_| !self.lines.is_empty()) else { return };
        let picked = pick.lines(&std::mem::take(&mut self.lines));
        self.print_all(&picked);
    }

    fn print_all(&mut self, picked: &Picked) {
        picked.out.iter().for_each(|line| self.write(line));
        picked.warning.iter().for_each(|words| output_mode::warn(words));
        picked.aside.iter().for_each(|line| output_mode::aside(line));
    }

    fn write(&mut self, line: &str) {
        self.wipe();
        if self.trouble.is_none() {
            self.trouble = self.out.write_all(line.as_bytes()).and_then(|()| self.out.write_all(b"\n")).err();
        }
    }

    /// Says something on the error stream, after every line so far.
    fn aside(&mut self, say: impl FnOnce()) {
        self.flush();
        self.wipe();
        say();
    }

    fn status(&mut self, line: &str) {
        if !self.passing {
            return;
        }
        self.flush();
        self.wipe();
        let line: String = line.chars().take(78).collect();
        self.shown = line.chars().count();
        drop(write!(self.err, "{line}\r").and_then(|()| self.err.flush()));
    }

    fn wipe(&mut self) {
        if self.shown > 0 {
            drop(write!(self.err, "{:width$}\r", "", width = self.shown).and_then(|()| self.err.flush()));
            self.shown = 0;
        }
    }

    fn flush(&mut self) {
        self.print_picked();
        if self.trouble.is_none() {
            self.trouble = self.out.flush().err();
        }
    }

    /// The exit code, with what the output itself has to say about it.
    ///
    /// A program that stopped because its lines could not be written was not interrupted by the user.
    fn end(mut self, code: u8, interrupted: bool, spent: SpentShape) -> u8 {
        self.print_picked();
        if let Some(picked) = self.pick.as_mut().map(Pick::end) {
            self.print_all(&picked);
        }
        self.flush();
        self.wipe();
        // What is still in the buffer has nowhere to go.
        drop(self.out.into_parts());
        match self.trouble {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = output_mode::failed(&CommandProblem { spent, ..unwritten(&error) });
                let stopped = code == Exit::Interrupted.code() && !interrupted;
                if code == Exit::Done.code() || stopped { Exit::Failed.code() } else { code }
            }
            _ => code,
        }
    }
}

fn unwritten(error: &io::Error) -> CommandProblem {
    let (words, hint) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            ("the disk is full: the output cannot be written".to_owned(), "free some disk space, then run it again")
        }
        _ => (format!("the output cannot be written: {error}"), "the reader may be gone"),
    };
    CommandProblem::new(Code::File, words, hint)
}

/// Lines on standard output, as they are wanted.
pub fn print_lines(text: &str, pick: Option<Pick>) -> ExitCode {
    let mut streams = Streams::new(pick);
    text.lines().for_each(|line| streams.print(line));
    ExitCode::from(streams.end(Exit::Done.code(), false, SpentShape::default()))
}

/// Something whole on standard output.
pub fn print(bytes: &[u8]) -> ExitCode {
    let mut out = io::stdout().lock();
    exit_code(out.write_all(bytes).and_then(|()| out.flush()))
}

/// How it ends when something was written. A reader that went away is not a failure.
pub fn exit_code(written: io::Result<()>) -> ExitCode {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => output_mode::failed(&unwritten(&error)),
        _ => ExitCode::SUCCESS,
    }
}
