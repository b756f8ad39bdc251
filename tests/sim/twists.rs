//! Answers that contradict themselves: what was done is right, what is said of it is not.

use common::asking::Readable;
use lode_engine::effect::unlock::UnlockBody;
use lode_sandbox::service::{Body, ServiceAnswer};
use serde_json::{Value, json};

use common::rng::Rng;

/// One contradiction, by its mark. Each leaves the sums or another list as they were, so that it can be seen.
pub const TWISTS: &[&str] = &[
    "stopped for credits beside a shortened list",
    "a bought contact under missing",
    "a bought contact under already_unlocked",
    "ids that cannot be read",
    ALARMING,
    "less charged than unlocked",
    "refunds that nothing shows",
    "a contact in two lists",
    "contacts that were not sent",
    "a contact left out",
    SELDOM,
    "a list that is none",
];

/// Applies to every answer that unlocks something.
pub const ALARMING: &str = "more charged than was sent";
/// Applies to few.
pub const SELDOM: &str = "a missing contact among the unlocked";

/// What only the sums can show.
const COUNTED: &[&str] = &[
    "a contact left out",
    "stopped for credits beside a shortened list",
    "a bought contact under missing",
    "a bought contact under already_unlocked",
    SELDOM,
];

/// The same answer with the contradiction in it; none where it has nothing to contradict.
pub fn twisted(twist: &str, call: &UnlockBody, answer: &ServiceAnswer, rng: &mut Rng) -> Option<ServiceAnswer> {
    let mut body: Value = serde_json::from_slice(&answer.bytes().unwrap_or_default()).ok()?;
    let data = body.get_mut("data")?;
    let unlocked = data["unlocked"].as_array()?.clone();
    let some = rng.below(unlocked.len().max(1) as u64) as usize;
    if unlocked.is_empty() {
        return None;
    }
    // Where refunds are subtracted, or may be, fewer contacts with the same sums are one more way to count (M7): no contradiction.
    let refunded = unlocked.iter().filter(|entry| entry["refunded"] == json!(true)).count();
    let plain = data["credits_charged"] == json!(unlocked.len()) && (refunded == 0 || twist != SELDOM);
    if COUNTED.contains(&twist) && !plain {
        return None;
    }
    match twist {
        "stopped for credits beside a shortened list" => {
            data["stopped_for_credits"] = json!(true);
            data["unlocked"].as_array_mut()?.truncate(unlocked.len() / 2);
        }
        "a bought contact under missing" => move_to(data, some, "missing")?,
        "a bought contact under already_unlocked" => move_to(data, some, "already_unlocked")?,
        "ids that cannot be read" => {
            for (at, entry) in data["unlocked"].as_array_mut()?.iter_mut().enumerate() {
                if at == some || rng.per_mille(400) {
                    entry["id"] = rng.pick(&[Value::Null, json!("x"), json!(7.5), json!(-3.25)]).clone();
                }
            }
        }
        ALARMING => data["credits_charged"] = json!(call.ids.len() * 5 + 40),
        "less charged than unlocked" => {
            let net = unlocked.iter().filter(|entry| entry["refunded"] != json!(true)).count();
            if net == 0 {
                return None;
            }
            data["credits_charged"] = json!(net - 1);
        }
        "refunds that nothing shows" => {
            let said = data["credits_refunded"].as_i64()?;
            data["credits_refunded"] = json!(said + 3);
        }
        "a contact in two lists" => {
            let id = unlocked[some]["id"].clone();
            let list = *rng.pick(&["missing", "already_unlocked"]);
            data[list].as_array_mut()?.push(id);
        }
        "contacts that were not sent" => {
            let list = *rng.pick(&["missing", "already_unlocked"]);
            data[list].as_array_mut()?.push(json!(999_999));
            if rng.per_mille(500) {
                data["unlocked"].as_array_mut()?.remove(some);
            }
        }
        "a contact left out" => drop(data["unlocked"].as_array_mut()?.remove(some)),
        SELDOM => {
            let missing = data["missing"].as_array_mut()?;
            let at = missing.len().checked_sub(1)?;
            let entry = missing.remove(at);
            let id = entry.get("id").unwrap_or(&entry).clone();
            data["unlocked"]
                .as_array_mut()?
                .push(json!({"id": id, "email": "none@example.example", "refunded": false}));
        }
        "a list that is none" => data["unlocked"] = json!(unlocked.len()),
        other => panic!("no contradiction is called {other}"),
    }
    let mut answer = answer.clone();
    answer.body = Body::Bytes(body.to_string().into_bytes());
    Some(answer)
}

fn move_to(data: &mut Value, at: usize, list: &str) -> Option<()> {
    let entry = data["unlocked"].as_array_mut()?.remove(at);
    data[list].as_array_mut()?.push(entry["id"].clone());
    Some(())
}
