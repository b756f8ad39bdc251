//! `lode basket`: rows put aside before anything is spent. The same basket as on the screen, per purse and side.

use std::collections::HashSet;

use clap::{Args, Subcommand, ValueHint};

use super::console::{Console, Ending, script};
use super::filters::SideArgs;
use super::input::{self, Given};
use super::operation::{self, Operation, Pipe, ScriptContext};
use super::output::{BasketLine, Format, OutputColumn, detail, json, text};
use super::problem::{CommandProblem, Exit};
use super::program::Script;
use lode_core::{PurseRef, RowId, Side, Source, Staged, agree, counted, grouped};
use lode_engine::effect::{StoreCall, StoreReply};

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
    /// What an earlier version put aside goes into the basket of the workspace in use.
    Assign,
    Clear,
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

    fn script(&self, ScriptContext { pipe, format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        let side = self.side();
        let act = match &self.act {
            None | Some(BasketAct::List { .. }) => Act::List,
            Some(BasketAct::Earlier { assign: false, .. }) => Act::ListEarlier,
            Some(BasketAct::Earlier { assign: true, .. }) => Act::Assign,
            Some(BasketAct::Clear { .. }) => Act::Clear,
            Some(BasketAct::Add { ids, .. }) => Act::Add(input::read(ids, pipe, side, true)?),
            Some(BasketAct::Rm { ids, .. }) => {
                let given = input::read(ids, pipe, side, true)?;
                Act::Remove(given.into_iter().map(|one| one.id).collect())
            }
        };
        Ok(script(move |console| basket(console, side, act, format)))
    }
}

pub(super) async fn basket(console: Console, side: Side, act: Act, format: Format) -> Ending {
    let (own, earlier) = console
        .with(move |run| {
            let profile = run.session.profile();
            (profile.purse_of(side.source), profile.earlier())
        })
        .await;
    if act == Act::Assign {
        return assign(console, side, own).await;
    }
    let own = if act == Act::ListEarlier { Some(earlier.clone()) } else { own };
    let purse = own.ok_or_else(|| CommandProblem::no_key(side.source))?;
    let rows = console.basket(purse.clone(), side).await?;
    let before: HashSet<RowId> = rows.iter().map(|row| row.id).collect();
    let count =
        |ids: &mut dyn Iterator<Item = RowId>, there: bool| ids.filter(|id| before.contains(id) == there).count();
    // How a change is told is for a terminal only: a program looks at the exit code.
    let (change, told) = match &act {
        Act::List | Act::ListEarlier | Act::Assign => {
            console.rows(format, COLUMNS, &rows, |row| line(side, row));
            if format.is_table() && rows.is_empty() {
                let hint = "add contacts with `lode search --json | lode basket add`";
                console.warn(format!("the basket of {side} is empty; {hint}"));
            }
            let earlier = console.basket(earlier, side).await?;
            if !earlier.is_empty() && act == Act::List {
                console.warn(from_earlier(earlier.len()));
            }
            return Ok(Exit::Done);
        }
        Act::Add(given) => {
            let added = count(&mut given.iter().map(|one| one.id), false);
            let (new, all) = (counted_rows(added), grouped((before.len() + added) as u64));
            let told = format!("added {new} to the basket of {side} ({all}). Nothing spent.");
            (StoreCall::Stage { purse, side, rows: given.iter().map(Given::staged).collect() }, told)
        }
        Act::Remove(ids) => {
            let taken = counted_rows(count(&mut ids.iter().copied(), true));
            let told = format!("removed {taken} from the basket of {side}. Nothing spent.");
            (StoreCall::Unstage { purse, side, ids: ids.clone() }, told)
        }
        Act::Clear => {
            let told = format!("emptied the basket of {side} ({}). Nothing spent.", counted_rows(before.len()));
            (StoreCall::Unstage { purse, side, ids: before.iter().copied().collect() }, told)
        }
    };
    console.store(change).await?;
    if format.is_table() {
        console.warn(told);
    }
    if let Act::Add(given) = &act {
        let bare = given.iter().filter(|one| one.row.is_none() && !before.contains(&one.id)).count();
        let (ids, have) =
            if bare == 1 { ("1 id".to_owned(), "has") } else { (format!("{} ids", grouped(bare as u64)), "have") };
        if bare > 0 {
            console.warn(format!(
                "{ids} {have} no name: the service cannot look a contact up by id. The rows of `lode search --json` bring \
                 names."
            ));
        }
    }
    Ok(Exit::Done)
}

async fn assign(console: Console, side: Side, own: Option<PurseRef>) -> Ending {
    let purse = match (side.source, own) {
        (Source::Workspace, _) => console.purse().await?,
        (Source::Data, Some(PurseRef::Known(purse))) => purse,
        (Source::Data, _) => return Err(CommandProblem::no_key(Source::Data)),
    };
    let profile = console.with(|run| run.session.profile().name.clone()).await;
    let StoreReply::Assigned(moved) = console.store(StoreCall::Assign { profile, purse }).await? else {
        unreachable!("the store answers with what it moved");
    };
    console.warn(format!("added {} to the basket. Nothing spent.", counted(moved, "contact")));
    Ok(Exit::Done)
}

/// What is said while rows of an earlier version wait to be assigned.
fn from_earlier(count: usize) -> String {
    format!(
        "{} from an earlier version {} not in this basket, because the workspace is not certain. \
         `lode basket earlier` lists them; `lode basket earlier --assign` adds them.",
        counted_rows(count),
        agree(count, "is", "are")
    )
}

fn counted_rows(count: usize) -> String {
    counted(count as u64, "row")
}

const COLUMNS: &[OutputColumn<Staged>] = &[
    text("ID", 4, 20, |row| row.id.to_string()),
    text("OWNED", 5, 5, |row| if row.owned { "yes".to_owned() } else { String::new() }),
    text("NAME", 18, 28, |row| if row.name.is_empty() { "(id only)".to_owned() } else { row.name.clone() }),
    text("COMPANY", 12, 32, |row| row.company.clone()),
    text("EMAIL", 16, 40, |row| row.email.clone()),
    detail(text("PHONE", 10, 18, |row| row.phone.clone())),
    detail(text("STATUS", 6, 14, |row| row.email_status.clone())),
];

fn line(side: Side, row: &Staged) -> BasketLine {
    BasketLine {
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
    }
}
