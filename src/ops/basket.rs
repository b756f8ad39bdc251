//! `lode basket`: rows put aside before anything is spent. The same basket as on the screen, per purse and side.

use super::assign::Assign;
use super::filters::SideArgs;
use super::input::Given;
use super::operation::{Operation, Pipe, ScriptContext};
use super::output::{BasketLine, Format, OutputLines, json, text};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::{input, operation};
use clap::{Args, Subcommand, ValueHint};
use std::collections::HashSet;

use lode_core::{PurseRef, RowId, Side, Source, Staged, agree, counted, grouped};
use lode_engine::effect::{Effect, Profile, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BasketArgs {
    #[command(subcommand)]
    pub act: Option<BasketAct>,
    #[command(flatten)]
    pub side: SideArgs,
}

impl BasketArgs {
    /// The basket that is meant.
    pub fn side(&self) -> Side {
        let side = match &self.act {
            None => &self.side,
            Some(
                BasketAct::Add { side, .. }
                | BasketAct::Rm { side, .. }
                | BasketAct::Earlier { side, .. }
                | BasketAct::List { side }
                | BasketAct::Clear { side },
            ) => side,
        };
        side.side()
    }
}

#[derive(Clone, Debug, Subcommand)]
pub enum BasketAct {
    /// Add rows: ids, or ids and JSON lines of `lode search` from standard input
    #[command(after_help = "Example:\n  lode search --title nurse --limit 20 --json | lode basket add")]
    Add {
        #[command(flatten)]
        side: SideArgs,
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
    /// Remove rows
    #[command(after_help = "Example:\n  lode basket rm 101 102")]
    Rm {
        #[command(flatten)]
        side: SideArgs,
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
    /// List contacts from an earlier version whose workspace is not certain
    #[command(after_help = "Example:\n  lode basket earlier --assign")]
    Earlier {
        #[command(flatten)]
        side: SideArgs,
        /// Add them to the basket of the current workspace
        #[arg(long)]
        assign: bool,
    },
    /// List the basket
    #[command(after_help = "Example:\n  lode basket list --json")]
    List {
        #[command(flatten)]
        side: SideArgs,
    },
    /// Empty the basket
    #[command(after_help = "Example:\n  lode basket clear --corpus linkedin")]
    Clear {
        #[command(flatten)]
        side: SideArgs,
    },
}

/// What is wanted of the basket.
#[derive(Debug, PartialEq)]
pub enum Act {
    Add(Vec<Given>),
    Remove(Vec<RowId>),
    List,
    /// What an earlier version put aside.
    ListEarlier,
    Clear,
}

pub struct BasketScript {
    /// None without a key for this side.
    purse: Option<PurseRef>,
    earlier: PurseRef,
    side: Side,
    act: Act,
    lines: OutputLines,
    before: HashSet<RowId>,
    stage: Stage,
}

#[derive(Debug, PartialEq)]
enum Stage {
    Reading(Ticket),
    Changing(Ticket),
    /// Listed; whether an earlier version left something is being read.
    Earlier(Ticket),
    Done,
}

impl BasketScript {
    pub fn new(profile: &Profile, side: Side, act: Act, format: Format) -> BasketScript {
        let columns = vec![
            text("ID", 4, 20),
            text("OWNED", 5, 5),
            text("NAME", 18, 28),
            text("COMPANY", 12, 32),
            text("EMAIL", 16, 40),
            text("PHONE", 10, 18).detail(),
            text("STATUS", 6, 14).detail(),
        ];
        let lines = OutputLines::new(format, columns);
        let purse = match act {
            Act::ListEarlier => Some(profile.earlier()),
            _ => profile.purse_of(side.source),
        };
        BasketScript { purse, earlier: profile.earlier(), side, act, lines, before: HashSet::new(), stage: Stage::Done }
    }

    /// Why some of what was added has no name.
    fn nameless(&self) -> Option<String> {
        let Act::Add(given) = &self.act else { return None };
        let count = given.iter().filter(|one| one.row.is_none() && !self.before.contains(&one.id)).count();
        let (bare, have) =
            if count == 1 { ("1 id".to_owned(), "has") } else { (format!("{} ids", grouped(count as u64)), "have") };
        (count > 0).then(|| {
            format!(
                "{bare} {have} no name: the service cannot look a contact up by id. The rows of `lode search --json` bring \
                 names."
            )
        })
    }

    fn change(&self) -> Option<StoreCall> {
        let (purse, side) = (self.purse.clone()?, self.side);
        match &self.act {
            Act::List | Act::ListEarlier => None,
            Act::Add(given) => Some(StoreCall::Stage { purse, side, rows: given.iter().map(Given::staged).collect() }),
            Act::Remove(ids) => Some(StoreCall::Unstage { purse, side, ids: ids.clone() }),
            Act::Clear => Some(StoreCall::Unstage { purse, side, ids: self.before.iter().copied().collect() }),
        }
    }

    /// How the change is told: on a terminal only, because a program looks at the exit code.
    fn summary(&self) -> String {
        let known = |id: &RowId| self.before.contains(id);
        match &self.act {
            Act::Add(given) => {
                let added = given.iter().filter(|one| !known(&one.id)).count();
                let (added, all) = (rows(added), grouped((self.before.len() + added) as u64));
                format!("added {added} to the basket of {} ({all}). Nothing spent.", self.side)
            }
            Act::Remove(ids) => {
                let taken = ids.iter().filter(|id| known(id)).count();
                format!("removed {} from the basket of {}. Nothing spent.", rows(taken), self.side)
            }
            Act::Clear | Act::List | Act::ListEarlier => {
                format!("emptied the basket of {} ({}). Nothing spent.", self.side, rows(self.before.len()))
            }
        }
    }

    fn list(&mut self, rows: &[Staged], fx: &mut Vec<Effect>) {
        let side = self.side;
        self.lines.print(rows, |row| line(side, row), cells, fx);
        if self.lines.is_table() && rows.is_empty() {
            let hint = "add contacts with `lode search --json | lode basket add`";
            fx.push(Effect::Warn(format!("the basket of {side} is empty; {hint}")));
        }
    }
}

/// What is said while rows of an earlier version wait to be assigned.
pub fn from_earlier(count: usize) -> String {
    format!(
        "{} from an earlier version {} not in this basket, because the workspace is not certain. \
         `lode basket earlier` lists them; `lode basket earlier --assign` adds them.",
        rows(count),
        agree(count, "is", "are")
    )
}

fn rows(count: usize) -> String {
    counted(count as u64, "row")
}

fn line(side: Side, row: &Staged) -> String {
    json::line(&BasketLine {
        id: row.id.0,
        source: side.source.name(),
        corpus: side.corpus.name(),
        owned: row.owned,
        email: json::text(&row.email),
        phone: json::text(&row.phone),
        contact_name: json::text(&row.name),
        company_name: json::text(&row.company),
        title: json::text(&row.clue.title),
        email_status: json::text(&row.email_status),
    })
}

fn cells(row: &Staged) -> Vec<String> {
    vec![
        row.id.to_string(),
        if row.owned { "yes".to_owned() } else { String::new() },
        if row.name.is_empty() { "(id only)".to_owned() } else { row.name.clone() },
        row.company.clone(),
        row.email.clone(),
        row.phone.clone(),
        row.email_status.clone(),
    ]
}

impl Operation for BasketArgs {
    fn services(&self) -> &'static [Source] {
        operation::one(self.side().source)
    }

    fn pipe(&self) -> Option<Pipe> {
        match &self.act {
            Some(BasketAct::Add { ids, .. } | BasketAct::Rm { ids, .. }) => input::wants_pipe(ids).then_some(Pipe::IDS),
            _ => None,
        }
    }

    fn script(
        &self,
        ScriptContext { profile, pipe, format }: ScriptContext<'_>,
    ) -> Result<Box<dyn Script>, CommandProblem> {
        let on = self.side();
        let act = match &self.act {
            None | Some(BasketAct::List { .. }) => Act::List,
            Some(BasketAct::Earlier { assign: false, .. }) => Act::ListEarlier,
            Some(BasketAct::Earlier { assign: true, .. }) => return Ok(Box::new(Assign::new(profile, on))),
            Some(BasketAct::Clear { .. }) => Act::Clear,
            Some(BasketAct::Add { ids, .. }) => Act::Add(input::read(ids, pipe, on, true)?),
            Some(BasketAct::Rm { ids, .. }) => {
                let given = input::read(ids, pipe, on, true)?;
                Act::Remove(given.into_iter().map(|one| one.id).collect())
            }
        };
        Ok(Box::new(BasketScript::new(profile, on, act, format)))
    }
}

impl Script for BasketScript {
    fn start(&mut self, run: &mut Run<'_>) {
        let Some(purse) = self.purse.clone() else { return CommandProblem::no_key(self.side.source).end(run.fx) };
        let call = StoreCall::Basket { purse, side: self.side };
        self.stage = Stage::Reading(run.store(call));
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(arrival) = event else { return };
        let Arrival::Stored(ticket, result) = arrival else { return };
        let result = match result {
            Ok(reply) => reply,
            Err(failure) => return CommandProblem::of_store(&failure).end(run.fx),
        };
        match (&self.stage, result) {
            (Stage::Reading(asked), StoreReply::Basket(basket)) if *asked == ticket => {
                self.before = basket.rows.iter().map(|row| row.id).collect();
                match self.change() {
                    Some(call) => self.stage = Stage::Changing(run.store(call)),
                    None => {
                        self.list(&basket.rows, run.fx);
                        let call = StoreCall::Basket { purse: self.earlier.clone(), side: self.side };
                        self.stage = Stage::Earlier(run.store(call));
                    }
                }
            }
            (Stage::Earlier(asked), StoreReply::Basket(earlier)) if *asked == ticket => {
                self.stage = Stage::Done;
                let waits = !earlier.rows.is_empty() && self.act == Act::List;
                run.fx.extend(waits.then(|| Effect::Warn(from_earlier(earlier.rows.len()))));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            (Stage::Changing(asked), _) if *asked == ticket => {
                self.stage = Stage::Done;
                if self.lines.is_table() {
                    run.fx.push(Effect::Warn(self.summary()));
                }
                run.fx.extend(self.nameless().map(Effect::Warn));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            _ => {}
        }
    }
}
