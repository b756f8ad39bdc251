//! `lode basket`: rows put aside before anything is spent. The same basket as on the screen, per purse and side.

use std::collections::HashSet;

use super::*;
use lode_core::PurseRef;

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
    fn side(&self) -> &SideArgs {
        match &self.act {
            None => &self.side,
            Some(BasketAct::Add(rows) | BasketAct::Rm(rows)) => &rows.side,
            Some(BasketAct::Earlier { side, .. } | BasketAct::List(side) | BasketAct::Clear(side)) => side,
        }
    }
}

#[derive(Clone, Debug, Subcommand)]
pub enum BasketAct {
    /// Add rows: ids, or ids and JSON lines of `lode search` from standard input
    #[command(after_help = "Example:\n  lode search --title nurse --limit 20 --json | lode basket add")]
    Add(RowArgs),
    /// Remove rows
    #[command(after_help = "Example:\n  lode basket rm 101 102")]
    Rm(RowArgs),
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
    List(SideArgs),
    /// Empty the basket
    #[command(after_help = "Example:\n  lode basket clear --corpus linkedin")]
    Clear(SideArgs),
}

// Which rows of a basket are meant.
#[derive(Clone, Debug, Args)]
pub struct RowArgs {
    #[command(flatten)]
    side: SideArgs,
    #[arg(value_name = "ID", value_hint = ValueHint::Other)]
    ids: Vec<String>,
}

impl Operation for BasketArgs {
    fn services(&self) -> &[Source] {
        slice::from_ref(&self.side().source)
    }

    fn pipe(&self) -> Option<Pipe> {
        match &self.act {
            Some(BasketAct::Add(rows) | BasketAct::Rm(rows)) => input::wants_pipe(&rows.ids).then_some(Pipe::IDS),
            _ => None,
        }
    }

    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let side = self.side().side();
        Ok(match &self.act {
            None | Some(BasketAct::List(_)) => script(move |console| list(console, side)),
            Some(BasketAct::Earlier { assign: false, .. }) => {
                script(async move |console| show(&console, side, &read_earlier(&console, side).await?))
            }
            Some(BasketAct::Earlier { assign: true, .. }) => script(move |console| assign(console, side)),
            Some(BasketAct::Clear(_)) => script(move |console| clear(console, side)),
            Some(BasketAct::Add(rows)) => {
                let given = input::read(&rows.ids, pipe, side, true)?;
                script(move |console| add(console, side, given))
            }
            Some(BasketAct::Rm(rows)) => {
                let ids = input::read(&rows.ids, pipe, side, true)?.into_iter().map(|one| one.id).collect();
                script(move |console| remove(console, side, ids))
            }
        })
    }
}

/// The purse of the service, with its basket.
async fn read(console: &Console, side: Side) -> Result<(PurseRef, Vec<Staged>), CommandProblem> {
    let purse = console.with(|run| run.session.profile().purse_of(side.source));
    let purse = purse.ok_or_else(|| CommandProblem::no_key(side.source))?;
    Ok((purse.clone(), console.basket(purse, side).await?))
}

/// The rows that an earlier version put aside.
async fn read_earlier(console: &Console, side: Side) -> Result<Vec<Staged>, CommandProblem> {
    console.basket(console.with(|run| run.session.profile().earlier()), side).await
}

fn show(console: &Console, side: Side, rows: &[Staged]) -> Ending {
    console.rows(COLUMNS, rows, |row| line(side, row));
    let hint = "add contacts with `lode search --json | lode basket add`";
    console.remark_if(rows.is_empty(), format!("the basket of {side} is empty; {hint}"));
    Ok(Exit::Done)
}

pub(super) async fn list(console: Console, side: Side) -> Ending {
    let (_, rows) = read(&console, side).await?;
    show(&console, side, &rows)?;
    let earlier = read_earlier(&console, side).await?.len();
    if earlier > 0 {
        console.warn(format!(
            "{} from an earlier version {} not in this basket, because the workspace is not certain. \
             `lode basket earlier` lists them; `lode basket earlier --assign` adds them.",
            counted(earlier as u64, "row"),
            agree(earlier, "is", "are")
        ));
    }
    Ok(Exit::Done)
}

pub(super) async fn add(console: Console, side: Side, given: Vec<Given>) -> Ending {
    let (purse, rows) = read(&console, side).await?;
    let before: HashSet<RowId> = rows.iter().map(|row| row.id).collect();
    let added = given.iter().filter(|one| !before.contains(&one.id)).count();
    let (new, all) = (counted(added as u64, "row"), grouped((before.len() + added) as u64));
    let told = format!("added {new} to the basket of {side} ({all}). Nothing spent.");
    let rows = given.iter().map(Given::staged).collect();
    change(&console, StoreCall::Stage { purse, side, rows }, told).await?;
    let bare = given.iter().filter(|one| one.row.is_none() && !before.contains(&one.id)).count();
    if bare > 0 {
        let (ids, have) = (counted(bare as u64, "id"), agree(bare, "has", "have"));
        console.warn(format!(
            "{ids} {have} no name: the service cannot look a contact up by id. The rows of `lode search --json` bring \
             names."
        ));
    }
    Ok(Exit::Done)
}

pub(super) async fn remove(console: Console, side: Side, ids: Vec<RowId>) -> Ending {
    let (purse, rows) = read(&console, side).await?;
    let before: HashSet<RowId> = rows.iter().map(|row| row.id).collect();
    let taken = counted(ids.iter().filter(|id| before.contains(id)).count() as u64, "row");
    let told = format!("removed {taken} from the basket of {side}. Nothing spent.");
    change(&console, StoreCall::Unstage { purse, side, ids }, told).await
}

async fn clear(console: Console, side: Side) -> Ending {
    let (purse, rows) = read(&console, side).await?;
    let told = format!("emptied the basket of {side} ({}). Nothing spent.", counted(rows.len() as u64, "row"));
    change(&console, StoreCall::Unstage { purse, side, ids: rows.iter().map(|row| row.id).collect() }, told).await
}

/// Makes a change. How it is told is for a terminal only: a program looks at the exit code.
async fn change(console: &Console, call: StoreCall, told: String) -> Ending {
    console.store::<u64>(call).await?;
    console.remark(told);
    Ok(Exit::Done)
}

async fn assign(console: Console, side: Side) -> Ending {
    let purse = match (side.source, console.with(|run| run.session.profile().purse_of(side.source))) {
        (Source::Workspace, _) => console.purse().await?,
        (Source::Data, Some(PurseRef::Known(purse))) => purse,
        (Source::Data, _) => return Err(CommandProblem::no_key(Source::Data)),
    };
    let profile = console.with(|run| run.session.profile().name.clone());
    let moved = console.store(StoreCall::Assign { profile, purse }).await?;
    console.warn(format!("added {} to the basket. Nothing spent.", counted(moved, "contact")));
    Ok(Exit::Done)
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
    let (id, source, corpus, owned) = (row.id.0, side.source.name(), side.corpus.name(), row.owned);
    let [email, phone, email_status] = [&row.email, &row.phone, &row.email_status].map(|text| json::text(text));
    let [contact_name, company_name, title] = [&row.name, &row.company, &row.clue.title].map(|text| json::text(text));
    BasketLine { id, source, corpus, owned, email, phone, contact_name, company_name, title, email_status }
}
