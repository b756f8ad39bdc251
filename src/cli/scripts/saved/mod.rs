//! `lode saved`: searches kept under a name. The local files are the truth; what the service makes of them is said on the
//! error stream and changes no exit code.

mod lines;
mod run;

use crate::cli::code::Code;
use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::effect::Effect;
use crate::flow::saved::{Change, Refused, Remote, Told};
use crate::flow::session::Event;

use run::Reading;

/// What is wanted of the saved searches.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Change(Change),
    List,
    Show { name: String },
    Run { name: String, only_new: bool, limit: u64, yes: bool },
}

pub struct Saved {
    act: Act,
    format: Format,
    reading: Option<Reading>,
    begun: bool,
    /// What was asked for is done: left once the disk has it.
    leaving: Option<Exit>,
    over: bool,
}

impl Saved {
    pub fn new(act: Act, format: Format) -> Saved {
        Saved { act, format, reading: None, begun: false, leaving: None, over: false }
    }

    fn told(&mut self, told: Told, fx: &mut Vec<Effect>) {
        match told {
            Told::Loaded | Told::Listed => {}
            Told::Done { change, sentences } => {
                fx.extend(sentences.into_iter().map(Effect::Warn));
                if let Format::Table { .. } = self.format {
                    fx.push(Effect::Warn(lines::done(&change)));
                }
                self.leaving = Some(Exit::Done);
            }
            Told::Forgotten(failure) => fx.push(Effect::Warn(format!("not remembered: {failure}"))),
            Told::Failed { failure, .. } => self.fail(&Problem::of_file(&failure), fx),
        }
    }

    /// Both lists were read, as far as they can be.
    fn begin(&mut self, run: &mut Run<'_>) {
        self.begun = true;
        let shelf = run.session.shelf();
        if let Some(failure) = shelf.failure() {
            return self.fail(&Problem::of_file(failure), run.fx);
        }
        if let Remote::Failed(failure) = shelf.remote() {
            run.fx.push(Effect::Warn(format!("the service's list cannot be read: {}", failure.words())));
        }
        match self.act.clone() {
            Act::List => {
                lines::list(&shelf.entries(), self.format, run.fx);
                self.leave(Exit::Done, run.fx);
            }
            Act::Show { name } => match shelf.named(&name) {
                Some(entry) => {
                    lines::show(&entry, self.format, run.fx);
                    self.leave(Exit::Done, run.fx);
                }
                None => self.refuse(&Refused::Unknown(name), run.fx),
            },
            Act::Run { name, limit, yes, .. } => match shelf.named(&name) {
                Some(entry) => self.begin_reading(entry, (limit, yes), run),
                None => self.refuse(&Refused::Unknown(name), run.fx),
            },
            Act::Change(change) => {
                if let Err(refused) = run.session.change_saved(change, run.now, run.fx) {
                    self.refuse(&refused, run.fx);
                }
            }
        }
    }

    fn refuse(&mut self, refused: &Refused, fx: &mut Vec<Effect>) {
        let hint = match refused {
            Refused::Taken(_) => "remove or rename the other one with `lode saved rm` or `lode saved rename`",
            _ => "`lode saved list` shows all saved searches",
        };
        let code = if matches!(refused, Refused::Unknown(_)) { Code::NotFound } else { Code::Failed };
        self.fail(&Problem::new(Exit::Failed, refused.to_string(), hint).code(code), fx);
    }

    fn leave(&mut self, exit: Exit, fx: &mut Vec<Effect>) {
        self.over = true;
        fx.push(Effect::Quit(exit.code()));
    }

    fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.over = true;
        problem.end(fx);
    }
}

impl Script for Saved {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.read_saved(run.now, run.fx);
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        match event {
            _ if self.over => {}
            Event::Saved(told) => self.told(told, run.fx),
            event @ Event::Answered(_) => self.hear_answer(event, run),
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        let shelf = run.session.shelf();
        if self.over {
        } else if let Some(exit) = self.leaving.filter(|_| !shelf.is_busy()) {
            self.leave(exit, run.fx);
        } else if !self.begun && shelf.is_loaded() && !matches!(shelf.remote(), Remote::Asked(_)) {
            self.begin(run);
        } else if self.begun {
            self.go_on_reading(run);
        }
    }
}
