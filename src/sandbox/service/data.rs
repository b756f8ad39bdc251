//! The Data API: search of both corpora, and counts. (Export and saved searches have rooms of their own.)

use serde_json::{Value, json};

use super::answer::{Answer, JSON};
use super::arrival::Refusal;
use super::params::{Params, quoted};
use super::workspace::{called_off, corpus};
use super::{Service, Ticket, Watch};
use crate::books::event::Event;
use crate::corpus::Kind;
use crate::faults::{Fault, hostile};
use crate::json::{rows, shapes};
use crate::scan::{Field, Wanted};
use crate::variants::Habits;

const DOMAIN_TYPES: &[&str] = &["corporate", "edu", "personal", "gov"];
const STATUSES: &[&str] = &["cross_verified", "valid", "catch_all", "unknown", "invalid", "disposable", "bounced"];
const LEVELS: &[&str] = &["C-Level", "VP", "Director", "Manager", "Other"];

/// Filters of both corpora, by the names of the document.
const SHARED: &[(&str, Field)] = &[
    ("title", Field::Title),
    ("company_name", Field::CompanyName),
    ("first_name", Field::FirstName),
    ("last_name", Field::LastName),
    ("address", Field::Address),
    ("city", Field::City),
    ("county", Field::County),
    ("state", Field::State),
    ("zip", Field::Zip),
    ("phone", Field::Phone),
    ("company_website", Field::CompanyWebsite),
    ("sic_code", Field::SicCode),
    ("email_domain_type", Field::EmailDomainType),
    ("email_status", Field::EmailStatus),
];
const US_ONLY: &[(&str, Field)] =
    &[("email_address", Field::EmailAddress), ("naics_code", Field::NaicsCode), ("contact_name", Field::ContactName)];
const LINKEDIN_ONLY: &[(&str, Field)] = &[
    ("title_level", Field::TitleLevel),
    ("industry_group", Field::IndustryGroup),
    ("revenue", Field::Revenue),
    ("employees", Field::Employees),
];
const COMMON: &[&str] =
    &["api_key", "query", "industry", "limit", "offset", "dedup", "exclude_pulled", "mark_pulled", "corpus"];

/// What a search or an export of the Data API asks for.
pub(super) struct Asked {
    pub wanted: Wanted,
    pub exclude_pulled: bool,
}

impl Asked {
    /// Whether there is a query or at least one filter.
    pub(super) fn narrows(&self) -> bool {
        self.wanted.query.is_some() || !self.wanted.clauses.is_empty()
    }
}

pub(super) fn asked(params: &Params, kind: Kind, habits: &Habits) -> Result<Asked, String> {
    let own = if kind == Kind::Us { US_ONLY } else { LINKEDIN_ONLY };
    let filters = || SHARED.iter().chain(own);
    if habits.strict_parameters {
        let known = |name: &str| COMMON.contains(&name) || filters().any(|(known, _)| *known == name);
        if let Some(unknown) = params.names().find(|name| !known(name)) {
            return Err(format!("Unknown parameter {}", quoted(unknown)));
        }
        params.choice("email_domain_type", DOMAIN_TYPES)?;
        params.choice("email_status", STATUSES)?;
        params.choice("title_level", LEVELS)?;
    }
    let mut wanted = Wanted { query: params.get("query").map(str::to_owned), ..Wanted::default() };
    let given = filters().filter_map(|(name, field)| params.get(name).map(|value| (*field, vec![value.to_owned()])));
    wanted.clauses.extend(given);
    let industries = params.list("industry");
    if !industries.is_empty() {
        wanted.clauses.push((Field::Industry, industries));
    }
    wanted.dedup = params.choice("dedup", &["0", "1"])? != Some("0");
    Ok(Asked { wanted, exclude_pulled: params.switch("exclude_pulled")? })
}

impl Service {
    pub(super) fn data_search(
        &self,
        ticket: &Ticket<'_>,
        path: &str,
        user: &str,
        watch: &Watch<'_>,
    ) -> Result<Answer, Refusal> {
        let habits = ticket.habits;
        let invalid = |words: String| Refusal::new(400, words);
        let kind = if path.ends_with("linkedin") { Kind::Linkedin } else { Kind::Us };
        let params = Params::read(&ticket.request.query).map_err(invalid)?;
        let asked = asked(&params, kind, habits).map_err(invalid)?;
        if !asked.narrows() {
            return Err(invalid("Search needs a query or at least one filter".into()));
        }
        let limit = params.whole("limit", 1).map_err(invalid)?.unwrap_or(30);
        if limit > 100 && habits.refuses_large_pages {
            return Err(invalid(format!("limit must be 1 to 100, got {limit}")));
        }
        let limit = limit.min(100);
        let offset = params.whole("offset", 0).map_err(invalid)?.unwrap_or(0);
        let mark = params.switch("mark_pulled").map_err(invalid)?;

        let hidden = self.hidden_from(user, kind, asked.exclude_pulled);
        let engine = self.data.of(kind);
        let found = engine.find(&asked.wanted, &hidden, offset, limit, watch.canceled).ok_or_else(called_off)?;
        let mut list: Vec<Value> = Vec::with_capacity(found.ids.len());
        for id in &found.ids {
            let Some(person) = engine.corpus().person(*id) else { continue };
            let mut row = rows::data_row(kind, &person, habits.data_masked);
            hostile::befall(&mut row, *id, &ticket.drawn);
            list.push(Value::Object(row));
        }
        if ticket.drawn.has(Fault::Reorder) {
            list.reverse();
        }
        if mark && !found.ids.is_empty() {
            self.state().record(Event::Pulled { user: user.to_owned(), corpus: kind, ids: found.ids });
        }
        let body = json!({
            "data": list,
            "pagination": {"total": ticket.drawn.odd_total.map_or_else(|| json!(found.total), hostile::odd_total), "limit": limit, "offset": offset},
            "took_ms": (watch.elapsed_ms)(),
        });
        Ok(Answer::text(200, JSON, hostile::with_marks(body.to_string())))
    }

    pub(super) fn counts(&self, ticket: &Ticket<'_>) -> Result<Answer, Refusal> {
        let params = Params::read(&ticket.request.query).map_err(|words| Refusal::new(400, words))?;
        let kind = corpus(&params, ticket.habits.corpus_required).map_err(|words| Refusal::new(400, words))?;
        let counts = self.data.of(kind).counts();
        Ok(Answer::json(200, &shapes::counts(ticket.habits.totals, kind, &counts)))
    }

    /// Ids to leave out for this user, ascending.
    pub(super) fn hidden_from(&self, user: &str, kind: Kind, without_pulled: bool) -> Vec<u64> {
        let state = self.state();
        let pulled = state.books.user_named(user).filter(|_| without_pulled).map(|user| user.pulled.of(kind));
        pulled.map(|pulled| pulled.iter().copied().collect()).unwrap_or_default()
    }
}
