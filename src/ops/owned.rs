//! `lode owned`: every contact that is owned, by the books of this machine. Nothing is asked of the service.

use super::filters::corpus;
use super::operation::{Operation, ScriptContext};
use super::output::{Format, OutputLines, json, moment, text};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::purse_lookup::Books;
use clap::{Args, ValueHint};
use lode_core::{Corpus, Owned as Contact, Source, Verification};
use lode_engine::effect::{Effect, Profile, StoreCall, StoreReply};
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
pub struct OwnedArgs {
    /// Only this corpus
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Only contacts that mention this: name, company, title, email, tag or note
    #[arg(long, value_name = "WORDS", value_hint = ValueHint::Other)]
    pub find: Option<String>,
}

pub struct OwnedScript {
    books: Books,
    lines: OutputLines,
    find: String,
}

impl OwnedScript {
    pub fn new(profile: &Profile, args: OwnedArgs, format: Format) -> OwnedScript {
        let corpus = args.corpus;
        let columns = vec![
            text("ID", 4, 20),
            text("CORPUS", 8, 8).detail(),
            text("NAME", 18, 28),
            text("EMAIL", 16, 40),
            text("PHONE", 12, 18),
            text("COMPANY", 8, 32).detail(),
            text("CHECK", 5, 12),
            text("SINCE", 10, 10).detail(),
            text("TAGS", 4, 24).detail(),
        ];
        OwnedScript {
            books: Books::new(profile, move |purse| StoreCall::Owned { purse, corpus }),
            lines: OutputLines::new(format, columns),
            find: args.find.unwrap_or_default(),
        }
    }
}

fn cells(owned: &Contact) -> Vec<String> {
    let contact = &owned.contact;
    let check = match (contact.refunded, &contact.verification) {
        (Some(true), _) => "refunded",
        (_, verification) => verification.as_ref().map_or("", Verification::word),
    };
    let since = moment(owned.unlocked_at);
    vec![
        owned.id.to_string(),
        owned.corpus.to_string(),
        contact.contact_name.clone(),
        contact.email.clone(),
        contact.phone.clone(),
        contact.company_name.clone(),
        check.to_owned(),
        since.get(..10).unwrap_or("").to_owned(),
        owned.tags.join(", "),
    ]
}

impl Operation for OwnedArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(
        &self,
        ScriptContext { profile, format, .. }: ScriptContext<'_>,
    ) -> Result<Box<dyn Script>, CommandProblem> {
        Ok(Box::new(OwnedScript::new(profile, self.clone(), format)))
    }
}

impl Script for OwnedScript {
    fn start(&mut self, run: &mut Run<'_>) {
        self.books.start(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(reply) = self.books.handle(event, run) else { return };
        let StoreReply::Owned(mut owned) = reply else { return run.fx.push(Effect::Quit(Exit::Failed.code())) };
        let none = owned.is_empty();
        owned.retain(|owned| owned.mentions(&self.find));
        self.lines.print(&owned, json::owned, cells, run.fx);
        if self.lines.is_table() && none {
            run.fx.push(Effect::Warn("no contacts owned yet; see `lode unlock --help`".to_owned()));
        } else if self.lines.is_table() && owned.is_empty() {
            run.fx.push(Effect::Warn(format!("no owned contact mentions `{}`", self.find)));
        }
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.books.advance(run);
    }
}
