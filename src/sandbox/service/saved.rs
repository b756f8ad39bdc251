//! Saved searches: nothing about their payloads is documented, so every variant has its own idea of them.

use serde_json::{Value, json};

use super::Service;
use super::answer::{Answered, Refusal, ServiceAnswer};
use super::reception::Ticket;
use super::request::Params;
use crate::records::JournalEvent;
use crate::variants::Saves;

impl Service {
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
        if !payload.is_object() {
            return Err(Refusal::new(400, "A saved search must be a JSON object"));
        }
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
            state.records.user_named(user).map(|user| user.saved.keys().copied().collect()).unwrap_or_default();
        let params = Params::read(&ticket.request.query, 400);
        let in_query = || Ok::<_, Refusal>(params?.get("id").and_then(|id| id.parse().ok()));
        let body: Value = serde_json::from_slice(&ticket.request.body).unwrap_or_default();
        let in_body = |name: &str| body.get(name).and_then(reshaped_id);
        let missing = |words: &str| Refusal::new(400, words);
        let named = match saves {
            Saves::Careful => Some(in_query()?.or_else(|| in_body("id")).ok_or_else(|| missing("id is required"))?),
            Saves::Reshaping => {
                Some(in_body("id").or_else(|| in_body("_id")).ok_or_else(|| missing("id is required in the body"))?)
            }
            Saves::Trusting | Saves::Forgetful => in_query()?,
        };
        let gone = match named {
            Some(id) if kept.contains(&id) => vec![id],
            Some(_) => return Err(Refusal::new(404, "No saved search has this id")),
            // Nothing named, everything removed: the trap a client must never step into.
            None => kept,
        };
        let removed = gone.len();
        state.record(JournalEvent::SavedRemoved { user: user.to_owned(), ids: gone });
        Ok(ServiceAnswer::json(200, &json!({"success": true, "removed": removed})))
    }
}

fn with_id(id: u64, payload: &Value) -> Value {
    let mut entry = serde_json::Map::from_iter([("id".to_owned(), json!(id))]);
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
