//! How the sandbox writes its answers: its own shapes, shared with no client.
//!
//! `rows` are the rows of both services with their masking, `shapes` the forms that the documents leave open. What goes
//! into an answer is decided in `service`.

pub(super) mod rows;

use serde_json::{Value, json};

/// The envelope of the workspace API when all went well.
pub(super) fn ok(data: Value) -> Value {
    with(json!({"ok": true}), "data", data)
}

/// An object with one more member, which is moved into it: `json!` would copy it, whole pages of rows and all.
pub(super) fn with(object: Value, name: &str, value: Value) -> Value {
    let Value::Object(mut object) = object else { unreachable!("only objects have members") };
    object.insert(name.to_owned(), value);
    Value::Object(object)
}

/// The envelope of the workspace API when it did not.
pub(super) fn not_ok(words: &str) -> Value {
    json!({"ok": false, "error": words})
}
