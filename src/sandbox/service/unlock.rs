//! Unlock: the one call that moves credits.
//!
//! `UnlockOrder` is what was asked, `Outcome` what becomes of each id: decided against the records without touching them, then
//! recorded as one event. That makes an answer lost after charging, an unlock applied in part and one applied late the same code
//! as an ordinary one.

use std::collections::HashSet;

use super::*;
use crate::corpus::CheckOutcome;
use crate::json::unlocked_contact;
use crate::records::Bought;
use crate::variants::{Element, Twice};

const MOST_IDS: usize = 100;

pub struct UnlockOrder {
    org: String,
    /// Name of the key or member.
    by: String,
    /// Number of the request in the log.
    call: u64,
    pub(super) kind: CorpusKind,
    /// Wider than any id, so that whatever integer was sent can be named again.
    pub(super) ids: Vec<i128>,
    verify: bool,
}

#[derive(Default)]
struct Outcome {
    bought: Vec<Bought>,
    already: Vec<i128>,
    missing: Vec<i128>,
    /// Not reached before the credits ran out.
    rest: Vec<i128>,
}

impl UnlockOrder {
    pub(super) fn read(ticket: &Ticket<'_>, key: &Key) -> Result<UnlockOrder, Refusal> {
        let (request, habits) = (ticket.request, ticket.habits);
        let invalid = |words: String| Refusal::new(habits.invalid, words);
        let content_type = request.header_value("content-type").unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let is_json = essence.eq_ignore_ascii_case("application/json");
        Refusal::check(!is_json, 415, "Content-Type must be application/json")?;
        let body: Value =
            serde_json::from_slice(&request.body).map_err(|error| invalid(format!("The body is not JSON: {error}")))?;
        let body = body.as_object().ok_or_else(|| invalid("The body must be a JSON object".into()))?;
        let corpus = body.get("corpus").ok_or_else(|| invalid("corpus is required: us or linkedin".into()))?;
        let kind = corpus.as_str().and_then(|word| word.parse().ok());
        let kind = kind.ok_or_else(|| invalid("corpus must be us or linkedin".into()))?;
        let ids = body.get("ids").ok_or_else(|| invalid("ids is required: 1 to 100 row ids".into()))?;
        let ids = ids.as_array().ok_or_else(|| invalid("ids must be an array of integers".into()))?;
        let words = format!("ids must hold 1 to {MOST_IDS} row ids, got {}", ids.len());
        Refusal::check(ids.is_empty() || ids.len() > MOST_IDS, habits.invalid, words)?;
        let integer = |id: &Value| id.as_i64().map(i128::from).or_else(|| id.as_u64().map(i128::from));
        let ids: Option<Vec<i128>> = ids.iter().map(integer).collect();
        let ids = ids.ok_or_else(|| invalid("ids must be an array of integers".into()))?;
        let verify = match body.get("verify") {
            None | Some(Value::Null) => true,
            Some(Value::Bool(verify)) => *verify,
            Some(_) => return Err(invalid("verify must be true or false".into())),
        };
        let repeats = habits.twice == Twice::Refused && ids.iter().collect::<HashSet<_>>().len() < ids.len();
        Refusal::check(repeats, habits.invalid, "ids must not repeat")?;
        Ok(UnlockOrder { org: key.org.clone(), by: key.name.clone(), call: ticket.n, kind, ids, verify })
    }
}

impl Service {
    pub(super) fn unlock(&self, ticket: &Ticket<'_>, key: &Key) -> Answered {
        let habits = ticket.habits;
        let mut order = UnlockOrder::read(ticket, key)?;
        let mut state = self.state();
        if ticket.drawn.act == Some(Fault::Part) {
            order.ids.truncate(1 + state.faults.rng.below(order.ids.len() as u64 - 1) as usize);
        }
        let org = &key.org;
        let outcome = self.decide(&state, &order);
        if let Some(status) = habits.out_of_credits
            && !outcome.rest.is_empty()
            && state.records.balance(org) == 0
        {
            return Err(Refusal::new(status, "Insufficient credits: the balance is 0"));
        }
        record(&mut state, ticket.now_ms, &order, &outcome);
        if let Some(every) = habits.withdraws {
            let ids: Vec<u64> =
                outcome.bought.iter().map(|bought| bought.id).filter(|id| id.is_multiple_of(every)).collect();
            if !ids.is_empty() {
                state.record(JournalEvent::Suppressed { corpus: order.kind, ids });
            }
        }

        let corpus = self.workspace.of(order.kind).corpus();
        let contact = |id: u64| -> Option<Value> {
            let owned = state.records.org(org)?.owned.of(order.kind).get(&id)?;
            let mut contact = unlocked_contact(&corpus.person(id)?, owned, habits.has(Habit::NullWhenUnverified));
            if ticket.drawn.has(Fault::Hostile) {
                hostile::poison_contact(&mut contact, id);
            }
            Some(contact.into())
        };
        let unlocked: Vec<Value> = outcome.bought.iter().filter_map(|bought| contact(bought.id)).collect();
        let known = |id: &i128| element(habits.element, *id, None, || contact(u64::try_from(*id).ok()?));
        let already: Vec<Value> = outcome.already.iter().map(known).collect();
        let not_found = outcome.missing.iter().map(|id| (id, "not_found"));
        let rest = outcome.rest.iter().filter(|_| habits.has(Habit::RestInMissing)).map(|id| (id, "no_credits"));
        let missing = not_found.chain(rest).map(|(id, why)| element(habits.element, *id, Some(why), || None));
        let missing: Vec<Value> = missing.collect();
        let charged = outcome.bought.len();
        let refunded = outcome.bought.iter().filter(|bought| bought.refunded).count();
        let data = json!({
            "unlocked": unlocked,
            "already_unlocked": already,
            "credits_charged": if habits.has(Habit::ChargedNet) { charged - refunded } else { charged },
            "credits_refunded": refunded,
            "balance": state.records.balance(org),
            "stopped_for_credits": !outcome.rest.is_empty(),
            "missing": missing,
        });
        Ok(ServiceAnswer::text(200, JSON, hostile::with_marks(ok(data).to_string())))
    }

    /// What becomes of each id, in the order they were sent.
    fn decide(&self, state: &ServiceState, order: &UnlockOrder) -> Outcome {
        let habits = state.variant.habits();
        let mut outcome = Outcome::default();
        let Some(org) = state.records.org(&order.org) else { return outcome };
        let mut credits = org.balance;
        let mut seen = Vec::new();
        for id in &order.ids {
            if !outcome.rest.is_empty() && !habits.has(Habit::LooksOn) {
                outcome.rest.push(*id);
                continue;
            }
            if seen.contains(id) {
                // Bought a moment ago in this very call; a second missing or unreached one is not worth a second entry.
                let bought = outcome.bought.iter().any(|bought| i128::from(bought.id) == *id);
                if bought && habits.twice == Twice::AlreadyUnlocked {
                    outcome.already.push(*id);
                }
                continue;
            }
            seen.push(*id);
            match self.obtainable(state, order.kind, *id) {
                None => outcome.missing.push(*id),
                Some(person) if org.owned.of(order.kind).contains_key(&person.id) => outcome.already.push(*id),
                Some(_) if credits < 1 => outcome.rest.push(*id),
                Some(person) => {
                    let verification = order.verify.then_some(person.verification);
                    let refunded = matches!(verification, Some(CheckOutcome::Invalid | CheckOutcome::Disposable));
                    credits -= if refunded && !habits.has(Habit::RefundsLast) { 0 } else { 1 };
                    outcome.bought.push(Bought { id: person.id, verification, refunded });
                }
            }
        }
        outcome
    }

    /// The contact, unless there is none or it is on the Do-Not-Sell list: then no call returns it, owned or not.
    fn obtainable(&self, state: &ServiceState, kind: CorpusKind, id: i128) -> Option<Person> {
        let id = u64::try_from(id).ok()?;
        let corpus = self.workspace.of(kind).corpus();
        if state.records.suppressed.of(kind).contains(&id) || corpus.suppressed(id) {
            return None;
        }
        corpus.person(id)
    }

    /// Other members unlock through the web application: the same records, no key. Returns what was charged.
    pub(super) fn unlock_elsewhere(
        &self,
        state: &mut ServiceState,
        org: &str,
        kind: CorpusKind,
        ids: &[u64],
        now_ms: u64,
    ) -> Vec<u64> {
        let ids = ids.iter().map(|id| i128::from(*id)).collect();
        let order = UnlockOrder { org: org.into(), by: OTHER_MEMBER.into(), call: 0, kind, ids, verify: true };
        let outcome = self.decide(state, &order);
        record(state, now_ms, &order, &outcome);
        outcome.bought.iter().map(|bought| bought.id).collect()
    }

    /// Keeps an unlock for later. One that would have been refused never happens.
    pub(super) fn put_off(&self, state: &mut ServiceState, ticket: &Ticket<'_>, key: &Key, ms: u64) {
        let is_unlock = ticket.request.method == "POST" && key.may("unlock");
        let order = UnlockOrder::read(ticket, key).ok().filter(|_| is_unlock);
        state.late.extend(order.map(|order| (ticket.now_ms + ms, order)));
    }

    /// Lets everything take effect that was put off until now or earlier.
    pub(super) fn settle_late(&self, state: &mut ServiceState, now_ms: u64) {
        let mut due: Vec<_> = state.late.extract_if(.., |(due_ms, _)| *due_ms <= now_ms).collect();
        due.sort_by_key(|(due_ms, _)| *due_ms);
        for (due_ms, order) in due {
            let outcome = self.decide(state, &order);
            record(state, due_ms, &order, &outcome);
        }
    }
}

/// An element of `already_unlocked` or `missing`. `whole` is asked only where the variant lists contacts in full.
fn element(form: Element, id: i128, reason: Option<&str>, whole: impl FnOnce() -> Option<Value>) -> Value {
    let number = i64::try_from(id).map_or_else(|_| json!(id.to_string()), |id| json!(id));
    match form {
        Element::Integer => number,
        Element::NumericString => json!(id.to_string()),
        Element::Contact if reason.is_none() => whole().unwrap_or(number),
        Element::IdObject | Element::Contact => match reason {
            Some(reason) => json!({"id": number, "reason": reason}),
            None => json!({"id": number}),
        },
    }
}

fn record(state: &mut ServiceState, at_ms: u64, order: &UnlockOrder, outcome: &Outcome) {
    if outcome.bought.is_empty() {
        return;
    }
    let (org, by, contacts) = (order.org.clone(), order.by.clone(), outcome.bought.clone());
    state.record(JournalEvent::Unlocked { at_ms, org, by, call: order.call, corpus: order.kind, contacts });
}
