//! `lode export --paged`: the pages of the search, read to the end and written as one file. The document of the export lists
//! only filters, so for a keyword this is what is certain; it costs one request a page.

use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::domain::credits::{counted, grouped};
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::domain::time::Mono;
use crate::effect::files::{ExportTarget, FileCall, FileReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{End, Step, Walk};
use crate::flow::session::Event;

use super::exported::tell;
use super::search::{slow, warnings};

pub(super) struct Paged {
    walk: Walk,
    rows: Vec<Row>,
    target: ExportTarget,
    format: Format,
    began: Mono,
    /// How many requests it takes was told.
    told: bool,
    written: Option<Ticket>,
}

impl Paged {
    pub(super) fn new(query: Query, target: ExportTarget, format: Format) -> Paged {
        let walk = Walk::new(Owner::Caller, query, u64::MAX, Priority::Person);
        Paged { walk, rows: Vec::new(), target, format, began: Mono::default(), told: false, written: None }
    }

    fn step(&mut self, step: Step, run: &mut Run<'_>) {
        let page = step.rows.len() as u64;
        self.rows.extend(step.rows);
        if !self.told && page > 0 && step.end.is_none() {
            self.told = true;
            let requests = step.total.div_ceil(page);
            let each = run.now.mono.since(self.began).as_millis();
            let minutes = (each * u128::from(requests)).div_ceil(60_000).max(1);
            run.fx.push(Effect::Warn(format!(
                "{} by pages: {}, about {minutes} min",
                counted(step.total, "row"),
                counted(requests, "request")
            )));
        }
        run.fx.push(Effect::Status(format!("{} of {}", grouped(self.walk.given()), counted(step.total, "row"))));
        match step.end {
            None => {}
            Some(End::Failed(failure)) => {
                run.fx.push(Effect::Status(String::new()));
                Problem::of_call(self.walk.query().side.source, &failure).end(run.fx);
            }
            Some(end) => {
                run.fx.push(Effect::Status(String::new()));
                run.fx.extend(warnings(&self.walk, &end).into_iter().map(Effect::Warn));
                let rows = std::mem::take(&mut self.rows);
                if rows.is_empty() {
                    run.fx.push(Effect::Warn("nothing matched: no file was written".to_owned()));
                    run.fx.push(Effect::Quit(Exit::Done.code()));
                    return;
                }
                self.written = Some(run.file(FileCall::WriteRows { target: self.target.clone(), rows }));
            }
        }
    }
}

impl Script for Paged {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.walk.query().side.source;
        if !run.session.has(source) {
            return Problem::no_key(source).end(run.fx);
        }
        if let Some(warning) = slow(self.walk.query()) {
            run.fx.push(Effect::Warn(warning));
        }
        self.began = run.now.mono;
        self.walk.start(&mut run.cx());
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(heard) = event else { return };
        if let Some(step) = self.walk.hear(&heard, &mut run.cx()) {
            return self.step(step, run);
        }
        let Heard::Filed(ticket, result) = heard else { return };
        if self.written != Some(ticket) {
            return;
        }
        match result {
            Ok(FileReply::Written(exported)) => {
                tell(&exported, self.format, run.fx);
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
            Err(failure) => Problem::of_file(&failure).end(run.fx),
        }
    }
}
