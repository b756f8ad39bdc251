//! `lode owned`: every contact that is owned, by the ledger of this machine. Nothing is asked of the service.

use super::console::{Console, Ending, script};
use super::filters::corpus;
use super::operation::{Operation, ScriptContext};
use super::output::{Format, OutputColumn, day, detail, json, text};
use super::problem::{CommandProblem, Exit};
use super::program::Script;
use clap::{Args, ValueHint};
use lode_core::{Corpus, Owned, Source, Verification};

#[derive(Clone, Debug, Args)]
pub struct OwnedArgs {
    /// Only this corpus
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Only contacts that mention this: name, company, title, email, tag or note
    #[arg(long, value_name = "WORDS", value_hint = ValueHint::Other)]
    pub find: Option<String>,
}

const COLUMNS: &[OutputColumn<Owned>] = &[
    text("ID", 4, 20, |owned| owned.id.to_string()),
    detail(text("CORPUS", 8, 8, |owned| owned.corpus.to_string())),
    text("NAME", 18, 28, |owned| owned.contact.contact_name.clone()),
    text("EMAIL", 16, 40, |owned| owned.contact.email.clone()),
    text("PHONE", 12, 18, |owned| owned.contact.phone.clone()),
    detail(text("COMPANY", 8, 32, |owned| owned.contact.company_name.clone())),
    text("STATUS", 6, 12, |owned| match (owned.contact.refunded, &owned.contact.verification) {
        (Some(true), _) => "refunded".to_owned(),
        (_, verification) => verification.as_ref().map_or("", Verification::word).to_owned(),
    }),
    detail(text("SINCE", 10, 10, |owned| day(owned.unlocked_at))),
    detail(text("TAGS", 4, 24, |owned| owned.tags.join(", "))),
];

impl Operation for OwnedArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Script, CommandProblem> {
        let args = self.clone();
        Ok(script(move |console| owned(console, args, format)))
    }
}

pub(super) async fn owned(console: Console, args: OwnedArgs, format: Format) -> Ending {
    let all = console.owned(args.corpus).await?;
    let find = args.find.unwrap_or_default();
    let owned: Vec<Owned> = all.iter().filter(|owned| owned.mentions(&find)).cloned().collect();
    console.rows(format, COLUMNS, &owned, json::owned);
    if format.is_table() && all.is_empty() {
        console.warn("no contacts owned yet; see `lode unlock --help`");
    } else if format.is_table() && owned.is_empty() {
        console.warn(format!("no owned contact mentions `{find}`"));
    }
    Ok(Exit::Done)
}
