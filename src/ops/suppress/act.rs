//! What is wanted of the suppression lists, as the arguments say it.

use crate::ops::exit::Exit;
use crate::ops::input::{self, Csv, Given};
use crate::ops::say::Problem;
use crate::ops::suppress::SuppressAct;
use lode_core::contact::{Corpus, Side, Source};

/// What is wanted of the lists.
#[derive(Debug)]
pub enum Act {
    Add {
        name: String,
        from: Csv,
        subdomains: bool,
    },
    List,
    Show(String),
    Remove(String),
    /// Single entries of a list.
    Take {
        name: String,
        from: Csv,
    },
    /// Of the basket where no rows are given.
    Check(Corpus, Option<Vec<Given>>),
}

/// The act that the arguments mean; `pipe` is what standard input held.
pub fn act(act: &SuppressAct, pipe: Option<&str>) -> Result<Act, Problem> {
    Ok(match act {
        SuppressAct::Add { name, file, subdomains, .. } => {
            let name = lode_core::scrub::name(name);
            if name.is_empty() {
                return Err(Problem::new(Exit::Usage, "the list needs a name", "use `lode suppress add NAME FILE`"));
            }
            Act::Add { name, from: Csv::named(file.as_deref(), pipe), subdomains: *subdomains }
        }
        SuppressAct::List => Act::List,
        SuppressAct::Show { name } => Act::Show(name.clone()),
        SuppressAct::Rm { name, file: None, .. } => Act::Remove(name.clone()),
        SuppressAct::Rm { name, file, .. } => Act::Take { name: name.clone(), from: Csv::named(file.as_deref(), pipe) },
        SuppressAct::Check { corpus, ids } => {
            let side = Side { source: Source::Workspace, corpus: *corpus };
            let rows = if ids.is_empty() { None } else { Some(input::read(ids, pipe, side, true)?) };
            Act::Check(*corpus, rows)
        }
    })
}
