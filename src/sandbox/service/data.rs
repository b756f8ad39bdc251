//! The Data API: search of both corpora, counts, the export and saved searches.

use std::panic::resume_unwind;

use serde_json::Map;

use super::workspace::called_off;
use super::*;
use crate::json::{data_cells, data_columns, filters};
use crate::variants::Saves;

const DOMAIN_TYPES: &[&str] = &["corporate", "edu", "personal", "gov"];
const STATUSES: &[&str] = &["cross_verified", "valid", "catch_all", "unknown", "invalid", "disposable", "bounced"];
const LEVELS: &[&str] = &["C-Level", "VP", "Director", "Manager", "Other"];

const COMMON: &[&str] =
    &["api_key", "query", "industry", "limit", "offset", "dedup", "exclude_pulled", "mark_pulled", "corpus"];

impl Service {
    pub(super) fn export(&self, ticket: &Ticket<'_>, user: &str) -> Answered {
        let habits = ticket.habits;
        let params = Params::read(&ticket.request.query, 400)?;
        let kind = params.corpus(true)?;
        let (mut wanted, hidden) = self.filters(&params, kind, user, habits)?;
        let is_all = habits.has(Habit::ExportNeedsFilter) && !wanted.narrows();
        params.refuse_if(is_all, "Export needs a query or at least one filter")?;
        if habits.has(Habit::ExportIgnoresKeyword) {
            wanted.query = None;
        }
        let (engine, threads) = (self.data.of(kind).clone(), self.setup.threads.max(1));
        let hostile = ticket.drawn.has(Fault::Hostile);
        let export = Export { engine, kind, wanted, hidden, habits, hostile, threads };
        let answer = ServiceAnswer::text(200, "text/csv; charset=utf-8", "");
        let answer = ServiceAnswer { body: Body::Export(Arc::new(export)), ..answer };
        Ok(answer.with_header("content-disposition", "attachment; filename=\"export.csv\""))
    }

    /// What a search or an export of the Data API asks for, and the ids to leave out for this user, ascending.
    pub(super) fn filters(
        &self,
        params: &Params,
        kind: CorpusKind,
        user: &str,
        habits: &Habits,
    ) -> Result<(ScanQuery, Vec<u64>), Refusal> {
        if habits.has(Habit::StrictParameters) {
            params.only(|name| COMMON.contains(&name) || filters(kind).any(|known| known == name))?;
            params.choice("email_domain_type", DOMAIN_TYPES)?;
            params.choice("email_status", STATUSES)?;
            params.choice("title_level", LEVELS)?;
        }
        let dedup = params.choice("dedup", &["0", "1"])? != Some("0");
        let (query, clauses) = (params.get("query").map(str::to_owned), params.clauses(filters(kind)));
        let mut hidden = Vec::new();
        if params.switch("exclude_pulled")? {
            hidden.extend(self.state().records.user_named(user).iter().flat_map(|user| user.pulled.of(kind)));
        }
        Ok((ScanQuery { query, clauses, dedup }, hidden))
    }

    pub(super) fn data_search(&self, ticket: &Ticket<'_>, user: &str) -> Answered {
        let habits = ticket.habits;
        let kind = if ticket.path.ends_with("linkedin") { CorpusKind::Linkedin } else { CorpusKind::Us };
        let params = Params::read(&ticket.request.query, 400)?;
        let (wanted, hidden) = self.filters(&params, kind, user, habits)?;
        params.refuse_if(!wanted.narrows(), "Search needs a query or at least one filter")?;
        let limit = params.whole("limit", 1)?.unwrap_or(30);
        let is_large = limit > 100 && habits.has(Habit::RefusesLargePages);
        params.refuse_if(is_large, format!("limit must be 1 to 100, got {limit}"))?;
        let limit = limit.min(100);
        let offset = params.whole("offset", 0)?.unwrap_or(0);
        let (mark, masked) = (params.switch("mark_pulled")?, habits.has(Habit::DataMasked));

        let engine = self.data.of(kind);
        let found = engine.find(&wanted, &hidden, offset, limit, ticket.watch.canceled).ok_or_else(called_off)?;
        let list = ticket.page(engine.corpus(), &found.ids, |person| {
            let cells = data_cells(kind, person, masked).map(|(name, text)| (name.to_owned(), text.into()));
            [("id".to_owned(), json!(person.id))].into_iter().chain(cells).collect()
        });
        if mark && !found.ids.is_empty() {
            self.state().record(JournalEvent::Pulled { user: user.to_owned(), corpus: kind, ids: found.ids });
        }
        let body = json!({
            "data": list,
            "pagination": {"total": ticket.total(json!(found.total)), "limit": limit, "offset": offset},
            "took_ms": (ticket.watch.elapsed_ms)(),
        });
        Ok(ServiceAnswer::text(200, JSON, hostile::with_marks(body.to_string())))
    }

    pub(super) fn counts(&self, ticket: &Ticket<'_>) -> Answered {
        let kind = Params::read(&ticket.request.query, 400)?.corpus(ticket.habits.has(Habit::CorpusRequired))?;
        Ok(ServiceAnswer::json(200, &(ticket.habits.totals)(kind, &self.data.of(kind).counts())))
    }

    // Saved searches: nothing about their payloads is documented, so every variant has its own idea of them.

    pub(super) fn saved(&self, ticket: &Ticket<'_>, user: &str) -> Answered {
        let saves = ticket.habits.saves;
        match ticket.request.method.as_str() {
            "POST" => self.save(ticket, user, saves),
            "DELETE" => self.remove_saved(ticket, user, saves),
            _ => Ok(ServiceAnswer::json(200, &self.list_saved(user, saves))),
        }
    }

    fn list_saved(&self, user: &str, saves: Saves) -> Value {
        let state = self.state();
        let entries = state.records.user_named(user).into_iter().flat_map(|user| &user.saved);
        let shape = if saves == Saves::Reshaping { reshape } else { with_id };
        let list: Vec<Value> = entries.map(|(id, payload)| shape(*id, payload)).collect();
        match saves {
            Saves::Trusting => json!({"data": list}),
            Saves::Forgetful => list.into(),
            Saves::Careful => json!({"saved_searches": &list, "count": list.len()}),
            Saves::Reshaping => json!({"searches": list}),
        }
    }

    fn save(&self, ticket: &Ticket<'_>, user: &str, saves: Saves) -> Answered {
        let payload: Value = serde_json::from_slice(&ticket.request.body)
            .map_err(|error| Refusal::new(400, format!("The body is not JSON: {error}")))?;
        Refusal::check(!payload.is_object(), 400, "A saved search must be a JSON object")?;
        if saves == Saves::Forgetful {
            return Ok(ServiceAnswer::json(200, &json!({"success": true})));
        }
        let id = self.save_for(user, payload.clone());
        Ok(match saves {
            Saves::Reshaping => ServiceAnswer::json(200, &reshape(id, &payload)),
            _ => ServiceAnswer::json(201, &json!({"data": with_id(id, &payload)})),
        })
    }

    fn remove_saved(&self, ticket: &Ticket<'_>, user: &str, saves: Saves) -> Answered {
        let mut state = self.state();
        let kept: Vec<u64> =
            state.records.user_named(user).iter().flat_map(|user| user.saved.keys().copied()).collect();
        let params = Params::read(&ticket.request.query, 400);
        let in_query = || Ok::<_, Refusal>(params?.get("id").and_then(|id| id.parse().ok()));
        let body: Value = serde_json::from_slice(&ticket.request.body).unwrap_or_default();
        let in_body = |name: &str| body.get(name).and_then(reshaped_id);
        let named = match saves {
            Saves::Careful => in_query()?.or_else(|| in_body("id")),
            Saves::Reshaping => in_body("id").or_else(|| in_body("_id")),
            Saves::Trusting | Saves::Forgetful => in_query()?,
        };
        let gone = match (named, saves) {
            (Some(id), _) if kept.contains(&id) => vec![id],
            (Some(_), _) => return Err(Refusal::new(404, "No saved search has this id")),
            (None, Saves::Careful) => return Err(Refusal::new(400, "id is required")),
            (None, Saves::Reshaping) => return Err(Refusal::new(400, "id is required in the body")),
            // Nothing named, everything removed: the trap a client must never step into.
            (None, Saves::Trusting | Saves::Forgetful) => kept,
        };
        let removed = gone.len();
        state.record(JournalEvent::SavedRemoved { user: user.to_owned(), ids: gone });
        Ok(ServiceAnswer::json(200, &json!({"success": true, "removed": removed})))
    }
}

fn with_id(id: u64, payload: &Value) -> Value {
    let mut entry = Map::from_iter([("id".to_owned(), json!(id))]);
    let own = payload.as_object().into_iter().flatten().filter(|(name, _)| *name != "id");
    entry.extend(own.map(|(name, value)| (name.clone(), value.clone())));
    entry.into()
}

/// A shape of the service's own: the id a string, the name a label, everything else a JSON text.
fn reshape(id: u64, payload: &Value) -> Value {
    let label = payload.get("name").or_else(|| payload.get("title")).cloned().unwrap_or(json!("untitled"));
    json!({"_id": format!("s_{id}"), "label": label, "payload": payload.to_string()})
}

fn reshaped_id(id: &Value) -> Option<u64> {
    match id {
        Value::String(text) => text.strip_prefix("s_").unwrap_or(text).parse().ok(),
        other => other.as_u64(),
    }
}

/// Records that are written by one thread in one go: a piece of about 800 kB.
const BATCH: usize = 4096;
/// Records after which a thread lets others go first: the screen that the rows are for runs on the same machine.
const TURN: usize = 24;
/// One address in this many goes over two lines, where the variant has such cells.
const TWO_LINES_EVERY: u64 = 97;

pub struct Export {
    pub(super) engine: Arc<Engine>,
    pub(super) kind: CorpusKind,
    pub(super) wanted: ScanQuery,
    pub(super) hidden: Vec<u64>,
    pub(super) habits: &'static Habits,
    pub(super) hostile: bool,
    pub(super) threads: usize,
}

impl Export {
    /// Hands over the file in order, piece by piece, until `take` says that the reader is gone.
    pub fn write(&self, take: &mut dyn FnMut(Vec<u8>) -> bool) {
        let mut heads = Vec::new();
        self.heads(&mut heads);
        if !take(heads) {
            return;
        }
        self.engine.walk(&self.wanted, &self.hidden, &mut |ids| {
            ids.chunks(BATCH * self.threads).all(|ids| self.write_rows(ids, take))
        });
    }

    /// Hands over these rows; all threads write a part of them.
    fn write_rows(&self, ids: &[u64], take: &mut dyn FnMut(Vec<u8>) -> bool) -> bool {
        std::thread::scope(|scope| {
            let parts = ids.chunks(ids.len().div_ceil(self.threads));
            let writers: Vec<_> = parts.map(|part| scope.spawn(|| self.piece(part))).collect();
            writers.into_iter().all(|writer| take(writer.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }

    fn piece(&self, ids: &[u64]) -> Vec<u8> {
        let mut out = Vec::with_capacity(ids.len() * 220);
        for some in ids.chunks(TURN) {
            let people = some.iter().filter_map(|id| self.engine.corpus().person(*id));
            people.for_each(|person| self.record(&person, &mut out));
            std::thread::yield_now();
        }
        out
    }

    fn heads(&self, out: &mut Vec<u8>) {
        if self.habits.has(Habit::Bom) {
            out.extend_from_slice("\u{feff}".as_bytes());
        }
        self.cell(if self.habits.has(Habit::SpokenHeads) { "Record ID" } else { "id" }, out);
        for (name, spoken, ..) in data_columns(self.kind) {
            out.push(b',');
            self.cell(if self.habits.has(Habit::SpokenHeads) { spoken } else { name }, out);
        }
        self.end(out);
    }

    fn record(&self, person: &Person, out: &mut Vec<u8>) {
        self.cell(&person.id.to_string(), out);
        let two_lines = self.habits.has(Habit::TwoLineCells) && person.id.is_multiple_of(TWO_LINES_EVERY);
        for (at, (name, text)) in data_cells(self.kind, person, self.habits.has(Habit::DataMasked)).enumerate() {
            out.push(b',');
            match hostile::cell(person.id, at).filter(|_| self.hostile) {
                Some(hostile) => self.cell(hostile, out),
                None if two_lines && name == "address" => {
                    self.cell(&format!("{text}\n\"Suite\" {}", person.id % 40 + 1), out);
                }
                None => self.cell(&text, out),
            }
        }
        self.end(out);
    }

    fn cell(&self, text: &str, out: &mut Vec<u8>) {
        let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !self.habits.has(Habit::QuoteAll) && !text.bytes().any(special) {
            out.extend_from_slice(text.as_bytes());
            return;
        }
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    }

    fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.habits.has(Habit::Crlf) { b"\r\n" } else { b"\n" });
    }
}
