//! Jobs of the person's own commands: a program reads rows on its standard input; its output and exit code are kept.
//!
//! The host starts the program, with words and never with a command line; what rows say is data to it.

use super::*;

/// Jobs that are remembered.
const MOST: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnId(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub enum CommandStage {
    Running(Ticket),
    /// It ended: with an exit code, or killed.
    Ended(ProgramEnd),
    /// It could not be started.
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct CommandJob {
    pub id: OwnId,
    pub name: String,
    pub words: Vec<String>,
    pub rows: u64,
    /// Kept, so that it can be run again.
    input: Arc<Vec<u8>>,
    pub stage: CommandStage,
    pub began: Mono,
}

impl CommandJob {
    pub fn is_running(&self) -> bool {
        matches!(self.stage, CommandStage::Running(_))
    }

    /// Whether it ended as it should.
    pub fn is_good(&self) -> bool {
        self.state().0 == JobStage::Done
    }

    /// How far it is, and what made it fail.
    pub fn state(&self) -> (JobStage, String) {
        match &self.stage {
            CommandStage::Running(_) => (JobStage::Running, String::new()),
            CommandStage::Ended(ran) => match ran.code {
                Some(0) => (JobStage::Done, String::new()),
                Some(code) => (JobStage::Failed, format!("exit code {code}")),
                None => (JobStage::Stopped, String::new()),
            },
            CommandStage::Failed(words) => (JobStage::Failed, words.clone()),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct OwnJobs {
    jobs: Vec<CommandJob>,
    next: u64,
}

impl OwnJobs {
    /// The newest first.
    pub fn jobs(&self) -> impl Iterator<Item = &CommandJob> {
        self.jobs.iter().rev()
    }

    pub fn job(&self, id: OwnId) -> Option<&CommandJob> {
        self.jobs.iter().find(|job| job.id == id)
    }

    pub fn running(&self) -> usize {
        self.jobs.iter().filter(|job| job.is_running()).count()
    }

    pub fn begin(&mut self, name: String, words: Vec<String>, rows: &[Row], cx: &mut FlowContext<'_>) -> OwnId {
        self.next += 1;
        let mut input = Vec::with_capacity(rows.len() * 320);
        for row in rows {
            push_row(row, &mut input);
            input.push(b'\n');
        }
        let input = Arc::new(input);
        let stage = CommandStage::Running(start(&words, &input, cx));
        let job =
            CommandJob { id: OwnId(self.next), name, words, rows: rows.len() as u64, input, stage, began: cx.now.mono };
        if self.jobs.len() >= MOST
            && let Some(oldest) = self.jobs.iter().position(|job| !job.is_running())
        {
            self.jobs.remove(oldest);
        }
        self.jobs.push(job);
        OwnId(self.next)
    }

    /// The same rows to the same program once more.
    pub fn retry(&mut self, id: OwnId, cx: &mut FlowContext<'_>) -> bool {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == id && !job.is_running()) else { return false };
        job.stage = CommandStage::Running(start(&job.words, &job.input, cx));
        job.began = cx.now.mono;
        true
    }

    /// Kills the program and all it started.
    pub fn stop(&mut self, id: OwnId, cx: &mut FlowContext<'_>) -> bool {
        let Some(CommandStage::Running(ticket)) = self.job(id).map(|job| &job.stage) else { return false };
        cx.file(Owner::Memory, FileCall::StopRun { run: *ticket });
        true
    }

    /// The job that ended with this answer.
    pub fn handle(&mut self, arrival: &Arrival) -> Option<OwnId> {
        let Arrival::Filed(ticket, result) = arrival else { return None };
        let job = self.jobs.iter_mut().find(|job| job.stage == CommandStage::Running(*ticket))?;
        job.stage = match result {
            Ok(FileReply::Ran(ran)) => CommandStage::Ended(ran.clone()),
            Ok(_) => CommandStage::Failed("it was answered with something else".to_owned()),
            Err(failure) => CommandStage::Failed(failure.words.clone()),
        };
        Some(job.id)
    }
}

fn start(words: &[String], input: &Arc<Vec<u8>>, cx: &mut FlowContext<'_>) -> Ticket {
    cx.file(Owner::CommandJobs, FileCall::Run { words: words.to_vec(), input: Arc::clone(input) })
}
