//! The Data API: search of both corpora, counts and the export. (How an export is written, and saved searches, have files of their own.)

use std::sync::Arc;

use serde_json::json;

use super::Service;
use super::answer::{Answered, Body, JSON, Refusal, ServiceAnswer};
use super::export::Export;
use super::reception::Ticket;
use super::request::Params;
use super::workspace::called_off;
use crate::corpus::CorpusKind;
use crate::faults::{Fault, hostile};
use crate::json::{data_row, filters};
use crate::records::JournalEvent;
use crate::scan::ScanQuery;
use crate::variants::Habits;

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
        if habits.export_needs_filter && !wanted.narrows() {
            return params.refuse("Export needs a query or at least one filter");
        }
        if habits.export_ignores_keyword {
            wanted.query = None;
        }
        let export = Export {
            engine: self.data.of(kind).clone(),
            kind,
            wanted,
            hidden,
            habits,
            hostile: ticket.drawn.has(Fault::Hostile),
            threads: self.setup.threads.max(1),
        };
        Ok(ServiceAnswer {
            body: Body::Export(Arc::new(export)),
            ..ServiceAnswer::text(200, "text/csv; charset=utf-8", "")
        }
        .with_header("content-disposition", "attachment; filename=\"export.csv\""))
    }

    /// What a search or an export of the Data API asks for, and the ids to leave out for this user, ascending.
    pub(super) fn filters(
        &self,
        params: &Params,
        kind: CorpusKind,
        user: &str,
        habits: &Habits,
    ) -> Result<(ScanQuery, Vec<u64>), Refusal> {
        if habits.strict_parameters {
            params.only(|name| COMMON.contains(&name) || filters(kind).any(|(known, _)| known == name))?;
            params.choice("email_domain_type", DOMAIN_TYPES)?;
            params.choice("email_status", STATUSES)?;
            params.choice("title_level", LEVELS)?;
        }
        let wanted = ScanQuery {
            query: params.get("query").map(str::to_owned),
            clauses: params.clauses(filters(kind)),
            dedup: params.choice("dedup", &["0", "1"])? != Some("0"),
        };
        let mut hidden = Vec::new();
        if params.switch("exclude_pulled")? {
            hidden.extend(self.state().records.user_named(user).iter().flat_map(|user| user.pulled.of(kind)));
        }
        Ok((wanted, hidden))
    }

    pub(super) fn data_search(&self, ticket: &Ticket<'_>, user: &str) -> Answered {
        let habits = ticket.habits;
        let kind = if ticket.path.ends_with("linkedin") { CorpusKind::Linkedin } else { CorpusKind::Us };
        let params = Params::read(&ticket.request.query, 400)?;
        let (wanted, hidden) = self.filters(&params, kind, user, habits)?;
        if !wanted.narrows() {
            return params.refuse("Search needs a query or at least one filter");
        }
        let limit = params.whole("limit", 1)?.unwrap_or(30);
        if limit > 100 && habits.refuses_large_pages {
            return params.refuse(format!("limit must be 1 to 100, got {limit}"));
        }
        let limit = limit.min(100);
        let offset = params.whole("offset", 0)?.unwrap_or(0);
        let mark = params.switch("mark_pulled")?;

        let engine = self.data.of(kind);
        let found = engine.find(&wanted, &hidden, offset, limit, ticket.watch.canceled).ok_or_else(called_off)?;
        let list = ticket.page(engine.corpus(), &found.ids, |person| data_row(kind, person, habits.data_masked));
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
        let params = Params::read(&ticket.request.query, 400)?;
        let kind = params.corpus(ticket.habits.corpus_required)?;
        Ok(ServiceAnswer::json(200, &(ticket.habits.totals)(kind, &self.data.of(kind).counts())))
    }
}
