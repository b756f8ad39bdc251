//! How the sandbox writes its answers: its own shapes, shared with no client.
//!
//! `rows` are the rows of both services with their masking, `shapes` the forms that the documents leave open. What goes
//! into an answer is decided in `service`.

pub mod rows;
pub mod shapes;

use serde_json::{Value, json};

/// The envelope of the workspace API when all went well.
pub fn ok(data: Value) -> Value {
    json!({"ok": true, "data": data})
}

/// The envelope of the workspace API when it did not.
pub fn not_ok(words: &str) -> Value {
    json!({"ok": false, "error": words})
}
