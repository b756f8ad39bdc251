//! The forms that the documents do not show, each written as a variant wants it.

use serde_json::{Map, Value, json};

use crate::corpus::Kind;
use crate::scan::Counts;
use crate::variants::{Complaint, Element, Totals};

/// An element of `already_unlocked` or `missing`. `whole` is asked only where the variant lists contacts in full.
pub(crate) fn element(form: Element, id: i128, reason: Option<&str>, whole: impl FnOnce() -> Option<Value>) -> Value {
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

pub(crate) fn counts(form: Totals, corpus: Kind, counts: &Counts) -> Value {
    type Rows = [(String, String, u64)];
    let map =
        |rows: &Rows| -> Map<String, Value> { rows.iter().map(|(code, _, n)| (code.clone(), json!(n))).collect() };
    let array = |rows: &Rows, code_is: &str| -> Vec<Value> {
        rows.iter().map(|(code, name, n)| json!({code_is: code, "name": name, "count": n})).collect()
    };
    let (states, sic, total) = (&counts.states, &counts.sic, counts.total);
    match form {
        Totals::Maps => json!({"corpus": corpus, "total": total, "states": map(states), "sic": map(sic)}),
        Totals::MapsUnderData => {
            json!({"data": {"total": total, "by_state": map(states), "by_sic_code": map(sic)}, "cached": true})
        }
        Totals::Arrays => json!({"states": array(states, "state"), "sic_codes": array(sic, "sic_code")}),
        Totals::ArraysUnderData => {
            json!({"data": {"state": array(states, "code"), "sic": array(sic, "code")}, "meta": {"total": total}})
        }
    }
}

/// Body of a Data API error other than the wrong key.
pub(crate) fn complaint(form: Complaint, status: u16, words: &str) -> Value {
    match form {
        Complaint::Message => json!({"message": words}),
        Complaint::Error => json!({"error": {"code": status, "message": words}}),
        Complaint::StatusAndList => json!({"statusCode": status, "message": [words], "error": "Bad Request"}),
        Complaint::Detail => json!({"detail": words}),
    }
}
