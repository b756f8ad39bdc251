//! `lode counts`: one line per state and per SIC code.

use serde_json::json;

use crate::cli::exit::Exit;
use crate::cli::output::table::{number, text};
use crate::cli::output::{Format, Lines, json};
use crate::cli::program::Errand;
use crate::cli::say::Problem;
use crate::domain::contact::{Corpus, Source};
use crate::domain::credits::grouped;
use crate::effect::Effect;
use crate::effect::profile::Profile;
use crate::flow::counts::Totals;
use crate::flow::desk::{Cx, Heard, Owner};

pub struct Counts {
    has_key: bool,
    totals: Totals,
    lines: Lines,
}

impl Counts {
    pub fn new(profile: &Profile, corpus: Corpus, format: Format) -> Counts {
        let columns = vec![text("KIND", 5, 5), text("CODE", 4, 10), text("NAME", 10, 60), number("COUNT")];
        Counts { has_key: profile.data.is_some(), totals: Totals::new(corpus), lines: Lines::new(format, columns) }
    }
}

impl Errand for Counts {
    fn start(&mut self, cx: &mut Cx<'_>) {
        if self.has_key {
            self.totals.ask(cx);
            return;
        }
        Problem::no_key(Source::Data).end(cx.fx);
    }

    fn hear(&mut self, _owner: Owner, heard: Heard, cx: &mut Cx<'_>) {
        if !self.totals.hear(&heard, cx.now) {
            return;
        }
        let exit = if let Some(failure) = self.totals.failure() {
            let problem = Problem::of_call(Source::Data, failure);
            problem.say(cx.fx);
            problem.exit
        } else {
            let counts = self.totals.counts().map_or(&[][..], |counts| &counts.counts);
            self.lines.print(
                counts,
                |count| {
                    json::object([
                        ("kind", json!(count.kind.name())),
                        ("code", json!(count.code)),
                        ("name", json!(count.name)),
                        ("count", json!(count.count)),
                    ])
                },
                |count| vec![count.kind.name().into(), count.code.clone(), count.name.clone(), grouped(count.count)],
                cx.fx,
            );
            Exit::Done
        };
        cx.fx.push(Effect::Quit(exit.code()));
    }
}
