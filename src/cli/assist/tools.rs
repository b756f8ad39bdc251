//! The list of tools with their arguments, as a client gets it.

use serde_json::{Map, Value, json};

use crate::domain::filter::Filter;

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub about: &'static str,
    /// It changes nothing.
    pub reads: bool,
    /// What it does cannot be undone.
    pub destroys: bool,
    /// Doing it again changes nothing more.
    pub idempotent: bool,
    /// It asks a service.
    pub asks: bool,
    arguments: fn() -> Value,
}

/// The arguments that make a search.
fn filters() -> Map<String, Value> {
    let mut fields = Map::new();
    for filter in Filter::ALL {
        fields.insert(filter.name().to_owned(), json!({"type": "string"}));
    }
    fields
}

fn object(fields: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false})
}

fn with_filters(fields: &Value, required: &[&str]) -> Value {
    let mut all = fields.as_object().cloned().unwrap_or_default();
    all.insert("filters".to_owned(), json!({"type": "object", "properties": filters(), "additionalProperties": false}));
    object(Value::Object(all), required)
}

fn corpus() -> Value {
    json!({"type": "string", "enum": ["us", "linkedin"]})
}

fn page() -> (Value, Value) {
    (json!({"type": "integer", "minimum": 1, "maximum": 50}), json!({"type": "integer", "minimum": 0}))
}

fn ids() -> Value {
    json!({"type": "array", "items": {"type": "integer"}, "maxItems": 500})
}

fn texts(most: u32) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "maxItems": most})
}

/// Every tool, in the order of the list.
pub const TOOLS: [Tool; 13] = [
    Tool {
        name: "search",
        about: "Search contacts, free. Email and phone of contacts that are not owned are masked. Returns rows, total, next offset.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: true,
        arguments: || {
            let (limit, offset) = page();
            let source = json!({"type": "string", "enum": ["workspace", "data"]});
            with_filters(
                &json!({"source": source, "corpus": corpus(), "limit": limit, "offset": offset, "fields": texts(30),
                    "exclude_owned": {"type": "boolean"}}),
                &[],
            )
        },
    },
    Tool {
        name: "counts",
        about: "Count contacts for each state or SIC code, largest first.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: true,
        arguments: || {
            let (limit, _) = page();
            let kind = json!({"type": "string", "enum": ["state", "sic"]});
            object(json!({"corpus": corpus(), "kind": kind, "limit": limit}), &[])
        },
    },
    Tool {
        name: "contact",
        about: "Show one contact: in full if it is owned, else as the last search showed it.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: false,
        arguments: || object(json!({"corpus": corpus(), "id": {"type": "integer"}}), &["id"]),
    },
    Tool {
        name: "basket",
        about: "List the user's basket, or add or remove contacts. Free; it never spends.",
        reads: false,
        destroys: false,
        idempotent: true,
        asks: false,
        arguments: || {
            let (limit, offset) = page();
            let action = json!({"type": "string", "enum": ["list", "add", "remove"]});
            object(
                json!({"action": action, "corpus": corpus(), "ids": ids(), "limit": limit, "offset": offset}),
                &["action"],
            )
        },
    },
    Tool {
        name: "suppress",
        about: "List suppression lists, check contacts against them, or add emails and domains to one. What is on a list is never unlocked. Removing is up to the user.",
        reads: false,
        destroys: false,
        idempotent: true,
        asks: false,
        arguments: || {
            let action = json!({"type": "string", "enum": ["list", "check", "add"]});
            let name = json!({"type": "string"});
            object(
                json!({"action": action, "corpus": corpus(), "ids": ids(), "name": name, "entries": texts(500)}),
                &["action"],
            )
        },
    },
    Tool {
        name: "match",
        about: "Find contacts at named companies in the Data API, free: for each company its total and the first rows.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: true,
        arguments: || {
            let title = json!({"type": "string"});
            object(json!({"corpus": corpus(), "companies": texts(10), "title": title}), &["companies"])
        },
    },
    Tool {
        name: "quote",
        about: "Ask the user for permission to unlock contacts by id, or the basket. Returns the highest possible cost and a handle. Spends nothing. The user accepts it on the Basket screen of lode.",
        reads: false,
        destroys: false,
        idempotent: false,
        asks: true,
        arguments: || {
            let amount = json!({"type": "integer", "minimum": 1});
            let verify = json!({"type": "boolean"});
            object(
                json!({"corpus": corpus(), "ids": ids(), "basket": {"type": "boolean"}, "max_credits": amount, "verify": verify}),
                &[],
            )
        },
    },
    Tool {
        name: "unlock",
        about: "Unlock the contacts of a quote that the user accepted. SPENDS CREDITS. A handle works once. If it is not accepted yet, tell the user, then call status with the handle.",
        reads: false,
        destroys: true,
        idempotent: false,
        asks: true,
        arguments: || object(json!({"handle": {"type": "string"}}), &["handle"]),
    },
    Tool {
        name: "owned",
        about: "List contacts that are owned, in full, or those that mention `find`.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: false,
        arguments: || {
            let (limit, offset) = page();
            let find = json!({"type": "string"});
            object(
                json!({"corpus": corpus(), "find": find, "limit": limit, "offset": offset, "fields": texts(30)}),
                &[],
            )
        },
    },
    Tool {
        name: "receipts",
        about: "List what was spent, newest first.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: false,
        arguments: || {
            let (limit, offset) = page();
            object(json!({"limit": limit, "offset": offset}), &[])
        },
    },
    Tool {
        name: "saved",
        about: "List saved searches, run one, or save a search.",
        reads: false,
        destroys: false,
        idempotent: true,
        asks: true,
        arguments: || {
            let (limit, _) = page();
            let action = json!({"type": "string", "enum": ["list", "run", "add"]});
            with_filters(
                &json!({"action": action, "name": {"type": "string"}, "corpus": corpus(), "limit": limit}),
                &["action"],
            )
        },
    },
    Tool {
        name: "export",
        about: "Write owned contacts, the basket, or a search of the Data API to a new file in a folder that the user allowed.",
        reads: false,
        destroys: false,
        idempotent: false,
        asks: true,
        arguments: || {
            let from = json!({"type": "string", "enum": ["owned", "basket", "data"]});
            let form = json!({"type": "string", "enum": ["contacts", "hubspot", "salesforce", "jsonl"]});
            with_filters(
                &json!({"from": from, "corpus": corpus(), "form": form, "file": {"type": "string"}}),
                &["from", "file"],
            )
        },
    },
    Tool {
        name: "status",
        about: "Show workspace, credits, what may be spent without asking, and the state of a handle.",
        reads: true,
        destroys: false,
        idempotent: true,
        asks: true,
        arguments: || object(json!({"handle": {"type": "string"}}), &[]),
    },
];

impl Tool {
    pub fn named(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        (self.arguments)().as_object().cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unlock_is_destructive_and_every_schema_is_an_object() {
        for tool in TOOLS {
            assert_eq!(tool.destroys, tool.name == "unlock");
            assert_eq!(tool.schema()["type"], "object", "{}", tool.name);
        }
        let bytes: usize =
            TOOLS.iter().map(|tool| Value::Object(tool.schema()).to_string().len() + tool.about.len()).sum();
        assert!(bytes < 8_500, "{bytes}");
    }
}
