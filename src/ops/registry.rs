//! One script for each command that works on services, store or files, and which one an argument list means.

use std::time::Duration;

use lode_core::contact::{Side, Source};
use lode_engine::effect::profile::Profile;
use lode_engine::flow::saved::Change;

use super::basket::BasketAct;
use super::command::Command;
use super::exit::Exit;
use super::export::LocalData;
use super::input;
use super::output::Format;
use super::program::Script;
use super::saved::SavedAct;
use super::say::Problem;
use super::suppress::SuppressAct;
use super::{
    assign, basket, best, counts, export, legs, matching, me, owned, receipts, recover, saved, search, suppress, unlock,
};

/// Whether the command reads standard input, given these arguments.
pub fn reads_pipe(command: &Command) -> bool {
    match command {
        Command::Unlock(args) => input::wants_pipe(&args.ids),
        Command::Suppress(args) => match &args.act {
            SuppressAct::Add { file, .. } => file.as_deref().is_none_or(|file| file == "-"),
            SuppressAct::Rm { file, .. } => file.as_deref() == Some("-"),
            SuppressAct::Check { ids, .. } => ids.iter().any(|id| id == "-"),
            _ => false,
        },
        Command::Match(args) => args.file == "-",
        Command::Basket(args) => match &args.act {
            Some(BasketAct::Add { ids, .. } | BasketAct::Rm { ids, .. }) => input::wants_pipe(ids),
            _ => false,
        },
        _ => false,
    }
}

/// Whether what it reads of standard input is a list, as a program for tables saves it.
pub fn reads_list(command: &Command) -> bool {
    match command {
        Command::Suppress(args) => !matches!(args.act, SuppressAct::Check { .. }),
        Command::Match(_) => true,
        _ => false,
    }
}

/// Whether the command can do nothing without this service.
pub fn needs(command: &Command, source: Source) -> bool {
    match command {
        // The local shelf and the lists of the profile work without either.
        Command::Saved(_) | Command::Suppress(_) => false,
        // The lists are the Workspace's.
        _ if source == Source::Workspace && excludes_lists(command) => true,
        _ => speaks_with(command).contains(&source),
    }
}

/// The services whose keys the command uses: no other key is fetched for it, for fetching one can take its time. Suppression lists,
/// and what is owned, belong to the Workspace, whichever service the command speaks with.
pub fn uses(command: &Command, profile: &Profile) -> &'static [Source] {
    let scores = matches!(command, Command::Search(_) | Command::Export(_)) && profile.choosing.card.asks_owned();
    match speaks_with(command) {
        [Source::Data] if scores || excludes_lists(command) => &Source::ALL,
        sources => sources,
    }
}

/// Whether a suppression list decides what the command leaves out.
fn excludes_lists(command: &Command) -> bool {
    match command {
        Command::Search(args) => args.filters.excludes_lists(),
        Command::Export(args) => args.filters.0.excludes_lists(),
        _ => false,
    }
}

/// The services that the command may speak with.
fn speaks_with(command: &Command) -> &'static [Source] {
    const WORKSPACE: &[Source] = &[Source::Workspace];
    const DATA: &[Source] = &[Source::Data];
    let of = |source| if source == Source::Workspace { WORKSPACE } else { DATA };
    match command {
        Command::Search(args) => of(args.side.source),
        Command::Match(args) => of(args.source),
        Command::Unlock(_)
        | Command::Recover(_)
        | Command::Owned(_)
        | Command::Receipts(_)
        | Command::Suppress(_)
        | Command::Me => WORKSPACE,
        Command::Basket(args) => of(args.side().source),
        Command::Counts(_) => DATA,
        Command::Export(args) => match args.from {
            None => DATA,
            Some(LocalData::Owned | LocalData::Basket) => WORKSPACE,
        },
        Command::Saved(args) => match args.act {
            SavedAct::Run { .. } => &Source::ALL,
            SavedAct::Add { .. }
            | SavedAct::List
            | SavedAct::Show { .. }
            | SavedAct::Rename { .. }
            | SavedAct::Rm { .. } => DATA,
        },
        Command::Demo(_)
        | Command::Sandbox(_)
        | Command::Doctor
        | Command::Ledger(_)
        | Command::Info
        | Command::Spec
        | Command::Skill
        | Command::Completions(_)
        | Command::Man(_) => &[],
        #[cfg(feature = "mcp")]
        Command::Mcp(_) => &[],
    }
}

/// The script of a command. `pipe` is what standard input held, where the command reads it.
pub fn script(
    command: &Command,
    profile: &Profile,
    pipe: Option<&str>,
    format: Format,
) -> Result<Option<Box<dyn Script>>, Problem> {
    Ok(Some(match command {
        Command::Search(args) => {
            let query = args.filters.query(args.side.side())?;
            legs::may_run(&query, args.yes)?;
            let limit = if args.all { u64::MAX } else { args.limit };
            let best = best::Best::of(args, profile);
            Box::new(search::Search::new(profile, query, limit, best, format).with_summary(args.summary))
        }
        Command::Unlock(args) => {
            let side = Side { source: Source::Workspace, corpus: args.corpus.unwrap_or_default() };
            let given = input::read(&args.ids, pipe, side, args.corpus.is_some())?;
            Box::new(unlock::Unlock::new(args, given, format))
        }
        Command::Recover(args) => {
            let finish = args.max_credits.filter(|_| args.finish);
            Box::new(recover::Recover::new(finish, format).with_max_wait(Duration::from_secs(args.max_wait)))
        }
        Command::Owned(args) => Box::new(owned::Owned::new(profile, args.clone(), format)),
        Command::Receipts(args) => Box::new(receipts::Receipts::new(profile, args.month, format)),
        Command::Basket(args) => {
            let on = args.side();
            let act = match &args.act {
                None | Some(BasketAct::List { .. }) => basket::Act::List,
                Some(BasketAct::Earlier { assign: false, .. }) => basket::Act::ListEarlier,
                Some(BasketAct::Earlier { assign: true, .. }) => {
                    return Ok(Some(Box::new(assign::Assign::new(profile, on))));
                }
                Some(BasketAct::Clear { .. }) => basket::Act::Clear,
                Some(BasketAct::Add { ids, .. }) => basket::Act::Add(input::read(ids, pipe, on, true)?),
                Some(BasketAct::Rm { ids, .. }) => {
                    let given = input::read(ids, pipe, on, true)?;
                    basket::Act::Remove(given.into_iter().map(|one| one.id).collect())
                }
            };
            Box::new(basket::Basket::new(profile, on, act, format))
        }
        Command::Suppress(args) => {
            let act = suppress::act(&args.act, pipe, |ids, side| input::read(ids, pipe, side, true))?;
            let summary =
                matches!(args.act, SuppressAct::Add { summary: true, .. } | SuppressAct::Rm { summary: true, .. });
            Box::new(suppress::Suppress::new(act, format).with_summary(summary))
        }
        Command::Match(args) => Box::new(matching::Match::new(args, pipe, format)?),
        Command::Export(args) => export::script(profile, args, format)?,
        Command::Counts(args) => Box::new(counts::Counts::new(args.corpus, format)),
        Command::Saved(args) => {
            let act = match &args.act {
                SavedAct::Add { name, side, filters } => {
                    saved::Act::Change(Change::Add { name: name.clone(), query: filters.query(side.side())? })
                }
                SavedAct::List => saved::Act::List,
                SavedAct::Show { name } => saved::Act::Show { name: name.clone() },
                SavedAct::Run { name, new, limit, yes, summary } => {
                    saved::Act::Run { name: name.clone(), only_new: *new, limit: *limit, yes: *yes, summary: *summary }
                }
                SavedAct::Rename { old, new } => {
                    saved::Act::Change(Change::Rename { old: old.clone(), new: new.clone() })
                }
                SavedAct::Rm { name } => saved::Act::Change(Change::Remove { name: name.clone() }),
            };
            Box::new(saved::Saved::new(act, format))
        }
        Command::Me => Box::new(me::Me { format }),
        Command::Demo(_)
        | Command::Sandbox(_)
        | Command::Doctor
        | Command::Ledger(_)
        | Command::Info
        | Command::Spec
        | Command::Skill
        | Command::Completions(_)
        | Command::Man(_) => return Ok(None),
        #[cfg(feature = "mcp")]
        Command::Mcp(_) => return Ok(None),
    }))
}

/// Nothing came where standard input is read.
pub fn nothing_piped(command: &Command) -> Problem {
    if let Command::Suppress(_) = command {
        let hint = "name a file, or pipe a CRM export to standard input";
        return Problem::new(Exit::Usage, "no file was given", hint);
    }
    if let Command::Match(_) = command {
        return Problem::new(Exit::Usage, "no list was given", "name a file, or pipe the list into `lode match -`");
    }
    Problem::new(Exit::Usage, "no ids were given", "give ids, or pipe the JSON lines of `lode search --json`")
}
