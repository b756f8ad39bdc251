//! `lode counts`: one line per state and per SIC code.

use super::console::{Console, Ending, script};
use super::filters::corpus;
use super::operation::{Operation, ScriptContext};
use super::output::{CountLine, Format, OutputColumn, number, text};
use super::problem::{CommandProblem, Exit};
use super::program::Script;
use clap::Args;
use lode_core::{Corpus, Count, Source, grouped};
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
pub struct CountsArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

const COLUMNS: &[OutputColumn<Count>] = &[
    text("KIND", 5, 5, |count| count.kind.name().to_owned()),
    text("CODE", 4, 10, |count| count.code.clone()),
    text("NAME", 10, 60, |count| count.name.clone()),
    number("COUNT", |count| grouped(count.count)),
];

pub(super) async fn counts(console: Console, corpus: Corpus, format: Format) -> Ending {
    console.needs(Source::Data)?;
    console.with(move |run| run.session.count(corpus, false, run.now, run.fx));
    while !matches!(console.event().await, Event::Counts(_)) {}
    let totals = console.with(move |run| run.session.totals(corpus).clone());
    if let Some(failure) = &totals.failure {
        return Err(CommandProblem::of_call(Source::Data, failure));
    }
    let counts = totals.counts.as_ref().map_or(&[][..], |counts| &counts.counts);
    console.rows(format, COLUMNS, counts, |count| CountLine {
        kind: count.kind.name(),
        code: count.code.clone(),
        name: count.name.clone(),
        count: count.count,
    });
    Ok(Exit::Done)
}

impl Operation for CountsArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Data]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Script, CommandProblem> {
        let corpus = self.corpus;
        Ok(script(move |console| counts(console, corpus, format)))
    }
}
