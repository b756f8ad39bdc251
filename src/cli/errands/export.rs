//! `lode export`: the whole filtered set of the Data API streamed into a file, or local data written again for free.
//!
//! The total is asked beside the stream, never before it, and only so that progress means something. Whether a stream was
//! whole is decided by its framing; a total that differs is said and is no failure.

use serde_json::{Value, json};

use crate::cli::args::searches::{ExportArgs, LocalData};
use crate::cli::exit::Exit;
use crate::cli::input::row_of;
use crate::cli::output::{Format, json};
use crate::cli::program::Errand;
use crate::cli::say::Problem;
use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::credits::grouped;
use crate::domain::export::local::owned_rows;
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::domain::time::Now;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::files::{ExportTarget, Exported, FileCall, FileReply, Progress};
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{CallId, Effect, Ticket};
use crate::flow::desk::{Desk, Heard};
use crate::flow::limiter::Priority;

use super::search::slow;
use super::whose::Whose;

/// The machine that these arguments mean.
pub fn errand(profile: &Profile, args: &ExportArgs, format: Format) -> Result<Box<dyn Errand>, Problem> {
    let target = ExportTarget { path: args.output.clone(), form: args.form.clone(), keep_incomplete: false };
    let Some(from) = args.from else {
        let query = args.filters.query(Side { source: Source::Data, corpus: args.corpus })?;
        let has_key = profile.data.is_some();
        return Ok(Box::new(Stream {
            query,
            target,
            format,
            has_key,
            total: None,
            call: None,
            count: None,
            latest: None,
        }));
    };
    if !args.filters.is_empty() {
        return Err(Problem::new(
            Exit::Usage,
            "filters choose from the Data API, not from local data",
            "`lode export --help` shows both ways",
        ));
    }
    let (profile_name, corpus) = (profile.name.clone(), args.corpus);
    let whose = Whose::new(profile);
    Ok(Box::new(Local { from, profile: profile_name, corpus, target, format, whose, asked: None, written: None }))
}

/// From the Data API.
struct Stream {
    query: Query,
    target: ExportTarget,
    format: Format,
    has_key: bool,
    /// As the parallel search counts it.
    total: Option<u64>,
    call: Option<CallId>,
    count: Option<CallId>,
    latest: Option<Progress>,
}

impl Stream {
    fn status(&self, progress: &Progress) -> String {
        let seconds = progress.elapsed.as_secs_f64().max(0.001);
        let rate = progress.rows as f64 / seconds;
        let megabytes = progress.bytes as f64 / 1e6;
        let of = match self.total.or(progress.of) {
            Some(total) if total > progress.rows && rate > 0.0 => {
                let left = (total - progress.rows) as f64 / rate;
                format!(" of {}, {left:.0} s left", grouped(total))
            }
            Some(total) => format!(" of {}", grouped(total)),
            None => String::new(),
        };
        format!("{} rows{of}, {megabytes:.1} MB, {:.1} MB/s", grouped(progress.rows), megabytes / seconds)
    }
}

impl Errand for Stream {
    fn start(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if !self.has_key {
            return Problem::no_key(Source::Data).end(fx);
        }
        if let Some(warning) = slow(&self.query) {
            fx.push(Effect::Warn(warning));
        }
        let export = Call::Export { query: self.query.clone(), target: self.target.clone() };
        self.call = Some(desk.ask(export, Priority::Person, now, fx));
        let count = SearchCall { query: self.query.clone(), offset: 0, limit: 1, mark_pulled: false };
        self.count = Some(desk.ask(Call::Search(count), Priority::Coverage, now, fx));
    }

    fn hear(&mut self, heard: Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        match heard {
            Heard::Progress(id, progress) if self.call == Some(id) => {
                fx.push(Effect::Status(self.status(&progress)));
                self.latest = Some(progress);
            }
            Heard::Reply(id, _, Ok(Reply::Page(page))) if self.count == Some(id) => {
                self.count = None;
                self.total = Some(page.total);
                if let Some(progress) = &self.latest {
                    fx.push(Effect::Status(self.status(progress)));
                }
            }
            Heard::Reply(id, ..) if self.count == Some(id) => self.count = None,
            Heard::Reply(id, _, result) if self.call == Some(id) => {
                if let Some(count) = self.count.take() {
                    desk.cancel(count, now, fx);
                }
                fx.push(Effect::Status(String::new()));
                match result {
                    Ok(Reply::Exported(exported)) => {
                        if let Some(total) = self.total.filter(|total| *total != exported.rows) {
                            fx.push(Effect::Warn(format!(
                                "the stream was whole with {} rows, while the search counts {}",
                                grouped(exported.rows),
                                grouped(total)
                            )));
                        }
                        tell(&exported, self.format, fx);
                        fx.push(Effect::Quit(Exit::Done.code()));
                    }
                    Ok(_) => fx.push(Effect::Quit(Exit::Failed.code())),
                    Err(failure) => Problem::of_call(Source::Data, &failure).end(fx),
                }
            }
            _ => {}
        }
    }

    fn interrupt(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if let Some(call) = self.call.take() {
            desk.cancel(call, now, fx);
        }
        fx.push(Effect::Warn("interrupted; nothing was written under the final name".to_owned()));
        fx.push(Effect::Quit(Exit::Interrupted.code()));
    }
}

/// From the basket or from what is ours.
struct Local {
    from: LocalData,
    profile: String,
    corpus: Corpus,
    target: ExportTarget,
    format: Format,
    whose: Whose,
    asked: Option<Ticket>,
    written: Option<Ticket>,
}

impl Local {
    fn write(&mut self, rows: Vec<Row>, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if rows.is_empty() {
            let what = match self.from {
                LocalData::Basket => format!("the basket of {}", self.corpus),
                LocalData::Owned => format!("what is owned of {}", self.corpus),
            };
            fx.push(Effect::Warn(format!("{what} is empty: no file was written")));
            fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        self.written = Some(desk.file(FileCall::WriteRows { target: self.target.clone(), rows }, fx));
    }
}

impl Errand for Local {
    fn start(&mut self, desk: &mut Desk, _now: Now, fx: &mut Vec<Effect>) {
        match self.from {
            LocalData::Basket => {
                let side = Side { source: Source::Workspace, corpus: self.corpus };
                self.asked = Some(desk.store(StoreCall::Basket { profile: self.profile.clone(), side }, fx));
            }
            LocalData::Owned => {
                if let Err(problem) = self.whose.start(desk, fx) {
                    problem.end(fx);
                }
            }
        }
    }

    fn hear(&mut self, heard: Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        match self.whose.hear(&heard, desk, now, fx) {
            Some(Ok(purse)) => {
                self.asked = Some(desk.store(StoreCall::Owned { purse, corpus: Some(self.corpus) }, fx));
                return;
            }
            Some(Err(problem)) => return problem.end(fx),
            None => {}
        }
        match heard {
            Heard::Stored(ticket, result) if self.asked == Some(ticket) => match result {
                Ok(StoreReply::Owned(owned)) => self.write(owned_rows(&owned), desk, fx),
                Ok(StoreReply::Basket(basket)) => {
                    let side = Side { source: Source::Workspace, corpus: self.corpus };
                    let rows = basket.rows.iter().map(|staged| row_of(side, staged)).collect();
                    self.write(rows, desk, fx);
                }
                Ok(_) => fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => Problem::of_store(&failure).end(fx),
            },
            Heard::Filed(ticket, result) if self.written == Some(ticket) => match result {
                Ok(FileReply::Written(exported)) => {
                    tell(&exported, self.format, fx);
                    fx.push(Effect::Quit(Exit::Done.code()));
                }
                Ok(_) => fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => Problem::of_file(&failure).end(fx),
            },
            _ => {}
        }
    }
}

/// Where it is, how much it is, and what was done to its cells.
fn tell(exported: &Exported, format: Format, fx: &mut Vec<Effect>) {
    let path = exported.path.display().to_string();
    fx.push(Effect::Print(match format {
        Format::Json => json::object([
            ("path", Value::from(path)),
            ("rows", json!(exported.rows)),
            ("bytes", json!(exported.bytes)),
            ("formulas", json!(exported.lint.formulas)),
            ("phones", json!(exported.lint.phones)),
            ("not_text", json!(exported.lint.not_text)),
        ]),
        Format::Table { .. } => {
            format!(
                "{path}: {} rows, {} bytes; {}",
                grouped(exported.rows),
                grouped(exported.bytes),
                exported.lint.words()
            )
        }
    }));
}
