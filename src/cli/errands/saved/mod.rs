//! `lode saved`: searches kept under a name. The local files are the truth; what the service makes of them is said on the
//! error stream and changes no exit code.

mod lines;
mod run;

use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::program::Errand;
use crate::cli::say::Problem;
use crate::domain::query::Query;
use crate::effect::Effect;
use crate::effect::profile::Profile;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::saved::{Change, Refused, Remote, Shelf, Told};

use run::Run;

/// What is wanted of the saved searches.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Add { name: String, query: Query },
    List,
    Show { name: String },
    Run { name: String, only_new: bool, limit: u64 },
    Rename { old: String, new: String },
    Remove { name: String },
}

pub struct Saved {
    profile: Profile,
    act: Act,
    format: Format,
    shelf: Shelf,
    run: Option<Run>,
    begun: bool,
    /// What was asked for is done: left once the disk has it.
    leaving: Option<Exit>,
    over: bool,
}

impl Saved {
    pub fn new(profile: &Profile, act: Act, format: Format) -> Saved {
        Saved {
            shelf: Shelf::new(profile),
            profile: profile.clone(),
            act,
            format,
            run: None,
            begun: false,
            leaving: None,
            over: false,
        }
    }

    /// Goes on once both lists were read, as far as they can be.
    fn advance(&mut self, cx: &mut Cx<'_>) {
        for told in self.shelf.told() {
            match told {
                Told::Loaded | Told::Listed => {}
                Told::Done { change, sentences } => {
                    cx.fx.extend(sentences.into_iter().map(Effect::Warn));
                    if let Format::Table { .. } = self.format {
                        cx.fx.push(Effect::Warn(lines::done(&change)));
                    }
                    self.leaving = Some(Exit::Done);
                }
                Told::Forgotten(failure) => cx.fx.push(Effect::Warn(format!("not remembered: {failure}"))),
                Told::Failed { failure, .. } => return self.fail(&Problem::of_file(&failure), cx.fx),
            }
        }
        if let Some(exit) = self.leaving.filter(|_| !self.shelf.is_busy()) {
            return self.leave(exit, cx.fx);
        }
        if self.begun || !self.shelf.is_loaded() || matches!(self.shelf.remote(), Remote::Asked(_)) {
            return;
        }
        self.begun = true;
        if let Some(failure) = self.shelf.failure() {
            let problem = Problem::of_file(failure);
            return self.fail(&problem, cx.fx);
        }
        if let Remote::Failed(failure) = self.shelf.remote() {
            cx.fx.push(Effect::Warn(format!("the service's list cannot be read: {}", failure.words())));
        }
        match self.act.clone() {
            Act::List => {
                lines::list(&self.shelf.entries(), self.format, cx.fx);
                self.leave(Exit::Done, cx.fx);
            }
            Act::Show { name } => match self.shelf.named(&name) {
                Some(entry) => {
                    lines::show(&entry, self.format, cx.fx);
                    self.leave(Exit::Done, cx.fx);
                }
                None => self.refuse(&Refused::Unknown(name), cx.fx),
            },
            Act::Run { name, limit, .. } => match self.shelf.named(&name) {
                Some(entry) => self.begin_run(entry, limit, cx),
                None => self.refuse(&Refused::Unknown(name), cx.fx),
            },
            Act::Add { name, query } => self.change(Change::Add { name, query }, cx),
            Act::Rename { old, new } => self.change(Change::Rename { old, new }, cx),
            Act::Remove { name } => self.change(Change::Remove { name }, cx),
        }
    }

    fn change(&mut self, change: Change, cx: &mut Cx<'_>) {
        if let Err(refused) = self.shelf.change(change, cx) {
            return self.refuse(&refused, cx.fx);
        }
        self.advance(cx);
    }

    fn refuse(&mut self, refused: &Refused, fx: &mut Vec<Effect>) {
        let hint = match refused {
            Refused::Taken(_) => "`lode saved rm` or `lode saved rename` makes room for it",
            _ => "`lode saved list` shows what there is",
        };
        self.fail(&Problem::new(Exit::Failed, refused.to_string(), hint), fx);
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

impl Errand for Saved {
    fn start(&mut self, cx: &mut Cx<'_>) {
        self.shelf.load(cx);
        self.shelf.ask_service(cx);
    }

    fn hear(&mut self, _owner: Owner, heard: Heard, cx: &mut Cx<'_>) {
        if self.over {
            return;
        }
        if !self.shelf.hear(&heard, cx) {
            self.hear_run(&heard, cx);
        }
        if !self.over {
            self.advance(cx);
        }
    }
}
