//! `lode counts`: one line per state and per SIC code.

use super::filters::corpus;
use super::operation::{Context, Cost, Fact, Operation};
use crate::ops::exit::Exit;
use crate::ops::output::shapes::CountLine;
use crate::ops::output::table::{number, text};
use crate::ops::output::{Format, Lines, json};
use crate::ops::program::{Run, Script};
use crate::ops::say::Problem;
use clap::Args;
use lode_core::contact::{Corpus, Source};
use lode_core::credits::grouped;
use lode_engine::effect::Effect;
use lode_engine::flow::session::Event;

pub const FACTS: &[Fact] = &[Fact { name: "counts", cost: Cost::Free, asks: true, output: &["count"] }];

#[derive(Clone, Debug, Args)]
pub struct CountsArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

pub struct Counts {
    corpus: Corpus,
    lines: Lines,
}

impl Counts {
    pub fn new(corpus: Corpus, format: Format) -> Counts {
        let columns = vec![text("KIND", 5, 5), text("CODE", 4, 10), text("NAME", 10, 60), number("COUNT")];
        Counts { corpus, lines: Lines::new(format, columns) }
    }
}

impl Operation for CountsArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Data]
    }

    fn script(&self, Context { format, .. }: Context<'_>) -> Result<Box<dyn Script>, Problem> {
        Ok(Box::new(Counts::new(self.corpus, format)))
    }
}

impl Script for Counts {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(Source::Data) {
            return Problem::no_key(Source::Data).end(run.fx);
        }
        run.session.count(self.corpus, false, run.now, run.fx);
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Counts(_) = event else { return };
        let totals = run.session.totals(self.corpus);
        let exit = if let Some(failure) = totals.failure() {
            let problem = Problem::of_call(Source::Data, failure);
            problem.say(run.fx);
            problem.exit
        } else {
            let counts = totals.counts().map_or(&[][..], |counts| &counts.counts);
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
