//! The services that the simulation plays against: the sandbox, and habits that no document allows and some service has.

use common::asking::{Askable, Readable};
use lode_core::contact::{Corpus, RowId};
use lode_engine::effect::call::Call;
use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::records::CreditKind;
use lode_sandbox::service::{Body, Service, ServiceAnswer, ServiceRequest};
use serde_json::{Value, json};

/// What a contact costs that the workspace owns already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Again {
    /// Nothing, as the document says.
    Free,
    /// A credit, and the answer lists it as newly unlocked.
    Openly,
    /// A credit, and the answer lists it as owned before.
    Silently,
}

/// A contact that a call was charged for.
#[derive(Clone, Debug)]
pub struct Taken {
    pub id: RowId,
    pub refunded: bool,
    /// Since when the workspace owned it before this call.
    pub owned_since: Option<u64>,
    /// The answer does not say that it was charged.
    pub silently: bool,
}

pub struct Counter {
    pub service: Service,
    pub again: Again,
    /// An unlock is not carried out at once but in parts, with time between them.
    pub in_parts: bool,
    /// Searches show a few large companies, all with addresses at one mail provider.
    pub large_companies: bool,
    read: usize,
}

impl Counter {
    pub fn new(service: Service, again: Again, in_parts: bool) -> Counter {
        let mut counter = Counter { service, again, in_parts, large_companies: false, read: 0 };
        counter.pass(0);
        counter
    }

    /// What was written into its books up to now was not one of these calls.
    pub fn pass(&mut self, now: u64) {
        self.read = self.service.read(now, |books| books.lines().len());
    }

    /// Answers a request of lode, and tells what it was charged for.
    pub fn handle(
        &mut self,
        request: &ServiceRequest,
        call: &Call,
        org: &str,
        now: u64,
    ) -> (ServiceAnswer, Vec<Taken>) {
        let before = match call {
            Call::Unlock(unlock) if self.again != Again::Free => self.owned(org, kind(unlock.corpus), &unlock.ids, now),
            _ => Vec::new(),
        };
        let mut answer = self.service.answer(request, now);
        let read = self.read;
        let lines = self.service.read(now, |books| books.lines()[read..].to_vec());
        self.read += lines.len();
        let refunds: Vec<u64> =
            lines.iter().filter(|line| line.what == CreditKind::Refund).filter_map(|line| line.contact).collect();
        let charges = lines.iter().filter(|line| line.what == CreditKind::Charge).filter_map(|line| line.contact);
        let mut taken: Vec<Taken> = charges
            .map(|id| Taken {
                id: RowId(id as i64),
                refunded: refunds.contains(&id),
                owned_since: None,
                silently: false,
            })
            .collect();
        if let (Call::Unlock(unlock), 200) = (call, answer.status) {
            let most = self.service.balance(org, now);
            // Where the credits ran out it did not come to the others, and says so.
            let came_to = already(&answer);
            let again = before.into_iter().filter(|(id, _)| came_to.iter().any(|entry| names(entry, *id)));
            let again: Vec<(RowId, u64)> = again.take(most.max(0) as usize).collect();
            if !again.is_empty() {
                self.service.state().member_spends(org, again.len() as i64, now);
                self.pass(now);
                self.say(&mut answer, org, kind(unlock.corpus), &again, now);
            }
            let silently = self.again == Again::Silently;
            taken.extend(again.iter().map(|(id, since)| Taken {
                id: *id,
                refunded: false,
                owned_since: Some(*since),
                silently,
            }));
        }
        if let (Call::Search(_), 200, true) = (call, answer.status, self.large_companies) {
            name_large_companies(&mut answer);
        }
        (answer, taken)
    }

    /// Which of them the workspace owns and any call returns, and since when.
    fn owned(&self, org: &str, kind: CorpusKind, ids: &[RowId], now: u64) -> Vec<(RowId, u64)> {
        let owned = |id: &RowId| {
            let since = |books: &lode_sandbox::records::Records| {
                Some(books.org(org)?.owned.of(kind).get(&(id.0 as u64))?.at_ms)
            };
            let since = self.service.read(now, since)?;
            (!self.service.suppressed(kind, id.0 as u64)).then_some((*id, since))
        };
        ids.iter().filter_map(owned).collect()
    }

    fn say(&self, answer: &mut ServiceAnswer, org: &str, kind: CorpusKind, again: &[(RowId, u64)], now: u64) {
        let Ok(mut body) = serde_json::from_slice::<Value>(&answer.bytes().unwrap_or_default()) else { return };
        let data = &mut body["data"];
        data["balance"] = json!(self.service.balance(org, now));
        if self.again == Again::Openly {
            if let Some(already) = data["already_unlocked"].as_array_mut() {
                already.retain(|entry| !again.iter().any(|(id, _)| names(entry, *id)));
            }
            if let Some(unlocked) = data["unlocked"].as_array_mut() {
                unlocked.extend(again.iter().filter_map(|(id, _)| self.contact(org, kind, *id, now)));
            }
            let charged = data["credits_charged"].as_i64().unwrap_or(0);
            data["credits_charged"] = json!(charged + again.len() as i64);
        }
        answer.body = Body::Bytes(body.to_string().into_bytes());
    }

    fn contact(&self, org: &str, kind: CorpusKind, id: RowId, now: u64) -> Option<Value> {
        let person = self.service.person(kind, id.0 as u64)?;
        let verification = self.service.read(now, |books| books.org(org)?.owned.of(kind).get(&person.id)?.verification);
        let word = match verification {
            Some(CheckOutcome::Valid) => "valid",
            Some(CheckOutcome::Invalid) => "invalid",
            Some(CheckOutcome::Disposable) => "disposable",
            _ => "unknown",
        };
        Some(json!({
            "id": id.0,
            "email": person.email.to_string(),
            "phone": person.phone.to_string(),
            "contact_name": person.contact_name(),
            "company_name": person.company_name.to_string(),
            "title": person.title.to_string(),
            "verification": word,
            "refunded": false,
        }))
    }
}

/// What an answer calls owned before.
fn already(answer: &ServiceAnswer) -> Vec<Value> {
    let body = serde_json::from_slice::<Value>(&answer.bytes().unwrap_or_default()).unwrap_or_default();
    body["data"]["already_unlocked"].as_array().cloned().unwrap_or_default()
}

/// Whether an entry of it is this contact, in every form that the service may choose.
fn names(entry: &Value, id: RowId) -> bool {
    let entry = entry.get("id").unwrap_or(entry);
    entry.as_i64() == Some(id.0) || entry.as_str() == Some(&id.0.to_string())
}

pub fn kind(corpus: Corpus) -> CorpusKind {
    match corpus {
        Corpus::Us => CorpusKind::Us,
        Corpus::Linkedin => CorpusKind::Linkedin,
    }
}

/// How many companies there are where they are large.
const LARGE_COMPANIES: i64 = 8;

fn name_large_companies(answer: &mut ServiceAnswer) {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.bytes().unwrap_or_default()) else { return };
    for row in body["data"]["rows"].as_array_mut().into_iter().flatten() {
        let number = row["id"].as_i64().unwrap_or_default() % LARGE_COMPANIES;
        row["company_name"] = json!(format!("Company {number}"));
        for field in ["email", "email_address"] {
            // The address of an owned contact stays: it was paid for.
            let masked = row[field].as_str().filter(|email| email.contains('•'));
            if let Some((local, _)) = masked.and_then(|email| email.rsplit_once('@')) {
                row[field] = json!(format!("{local}@gmail.com"));
            }
        }
    }
    answer.body = Body::Bytes(body.to_string().into_bytes());
}

/// The answer to a call that was carried out in parts, as one.
pub fn joined(parts: Vec<ServiceAnswer>) -> ServiceAnswer {
    let mut parts = parts.into_iter();
    let mut first = parts.next().expect("a call has a first part");
    for part in parts {
        if first.status != 200 {
            return first;
        }
        let read = |answer: &ServiceAnswer| serde_json::from_slice::<Value>(&answer.bytes().unwrap_or_default()).ok();
        let Some(mut whole) = read(&first) else { return first };
        let data = &mut whole["data"];
        match read(&part).filter(|_| part.status == 200) {
            Some(part) => {
                let part = &part["data"];
                for list in ["unlocked", "already_unlocked", "missing"] {
                    if let (Some(all), Some(more)) = (data[list].as_array_mut(), part[list].as_array()) {
                        all.extend(more.iter().cloned());
                    }
                }
                for sum in ["credits_charged", "credits_refunded"] {
                    let both = data[sum].as_i64().unwrap_or(0) + part[sum].as_i64().unwrap_or(0);
                    data[sum] = json!(both);
                }
                data["balance"] = part["balance"].clone();
                let stopped = |data: &Value| data["stopped_for_credits"] == json!(true);
                data["stopped_for_credits"] = json!(stopped(data) || stopped(part));
            }
            // The rest was refused for want of credits.
            None => data["stopped_for_credits"] = json!(true),
        }
        first.body = Body::Bytes(whole.to_string().into_bytes());
    }
    first
}
