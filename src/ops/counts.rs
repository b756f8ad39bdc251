//! `lode counts`: one line per state and per SIC code.

use super::filters::corpus;
use super::operation::{Operation, ScriptContext};
use super::output::{CountLine, Format, OutputLines, json, number, text};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use clap::Args;
use lode_core::{Corpus, Source, grouped};
use lode_engine::effect::Effect;
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
pub struct CountsArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

pub struct CountsScript {
    corpus: Corpus,
    lines: OutputLines,
}

impl CountsScript {
    pub fn new(corpus: Corpus, format: Format) -> CountsScript {
        let columns = vec![text("KIND", 5, 5), text("CODE", 4, 10), text("NAME", 10, 60), number("COUNT")];
        CountsScript { corpus, lines: OutputLines::new(format, columns) }
    }
}

impl Operation for CountsArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Data]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        Ok(Box::new(CountsScript::new(self.corpus, format)))
    }
}

impl Script for CountsScript {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(Source::Data) {
            return CommandProblem::no_key(Source::Data).end(run.fx);
        }
        run.session.count(self.corpus, false, run.now, run.fx);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Counts(_) = event else { return };
        let totals = run.session.totals(self.corpus);
        let exit = if let Some(failure) = &totals.failure {
            let problem = CommandProblem::of_call(Source::Data, failure);
            problem.say(run.fx);
            problem.exit
        } else {
            let counts = totals.counts.as_ref().map_or(&[][..], |counts| &counts.counts);
            self.lines.print(
                counts,
                |count| {
                    json::line(&CountLine {
                        kind: count.kind.name(),
                        code: count.code.clone(),
                        name: count.name.clone(),
                        count: count.count,
                    })
                },
                |count| vec![count.kind.name().into(), count.code.clone(), count.name.clone(), grouped(count.count)],
                run.fx,
            );
            Exit::Done
        };
        run.fx.push(Effect::Quit(exit.code()));
    }
}
