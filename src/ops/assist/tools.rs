//! The list of tools as a client gets it, with the schemas of what they answer; `input` has those of their arguments. An answer's
//! schema is made from the shapes of the lines. It is short: names and types, nothing is required, because a failure has the same schema.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use strum::VariantNames;

use super::*;
use lode_engine::effect::ProposalState;

/// What a call of a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    /// It changes nothing.
    Read,
    /// It changes something; doing it again changes nothing more.
    Change,
    /// It makes something new each time.
    Make,
    /// It cannot be undone.
    Spend,
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub does: ToolEffect,
    /// It asks a service.
    pub asks: bool,
}

use ToolEffect::{Change, Make, Read, Spend};

/// Every tool, in the order of the list.
pub const TOOLS: [Tool; 13] = [
    Tool { name: "search", does: Read, asks: true },
    Tool { name: "counts", does: Read, asks: true },
    Tool { name: "contact", does: Read, asks: false },
    Tool { name: "basket", does: Change, asks: false },
    Tool { name: "suppress", does: Change, asks: false },
    Tool { name: "match", does: Read, asks: true },
    Tool { name: "quote", does: Make, asks: true },
    Tool { name: "unlock", does: Spend, asks: true },
    Tool { name: "owned", does: Read, asks: false },
    Tool { name: "receipts", does: Read, asks: false },
    Tool { name: "saved", does: Change, asks: true },
    Tool { name: "export", does: Make, asks: true },
    Tool { name: "status", does: Read, asks: true },
];

impl Tool {
    /// The schema of its answer.
    pub fn answer(&self) -> Map<String, Value> {
        let (next, left_out) = (of(["integer", "null"]), json!({"type": "boolean"}));
        let page = |row| object(json!({"rows": list(row), "total": of("integer"), "next": next, "left_out": left_out}));
        let own = match self.name {
            // Fields that were asked for come as the service sent them.
            "search" => {
                let brief = BRIEF.map(|(name, _)| name);
                page(named(&[&["id", "name"], &brief[..], &["owned"]].concat()))
            }
            "counts" => page(shape::<Count>()),
            // In full where it is owned, else as the service sent it.
            "contact" => named(&["id", "email", "phone", "contact_name", "company_name", "title"]),
            "basket" => page(shape::<BasketLine>()),
            "suppress" => page(joined(shape::<SuppressListLine>(), shape::<SuppressCheckLine>())),
            "match" => {
                let first = list(object(json!({})));
                page(object(json!({"company": of("string"), "total": of("integer"), "first": first})))
            }
            "quote" => object(json!({
                "handle": of(["string", "null"]), "max_credits": of("integer"), "expires_at": of("string"),
                "quote": shape::<QuoteShape>(), "next": of("string"),
            })),
            "unlock" => {
                // Contacts whose response could not be stored.
                let unstored = list(shape::<UnlockLine>());
                let ends = object(json!({"summary": shape::<SummaryShape>(), "unstored": unstored}));
                joined(ends, page(shape::<UnlockLine>()))
            }
            "owned" => page(shape::<OwnedLine>()),
            "receipts" => page(shape::<ReceiptLine>()),
            // Saved searches, or the rows of one.
            "saved" => page(named(&["name", "source", "corpus", "filters", "where", "total", "last_run"])),
            "export" => shape::<ExportLine>(),
            _ => {
                let allowance = json!({"per_day": of("integer"), "per_call": of("integer")});
                let proposal = json!({
                    "state": {"enum": ProposalState::VARIANTS},
                    "accepted_credits": of(["integer", "null"]), "max_credits": of("integer"), "contacts": of("integer"),
                    "expires_at": of("string"),
                });
                object(json!({
                    "org": shape::<OrgShape>(), "key": shape::<KeyShape>(), "credits": of(["integer", "null"]),
                    "standing_allowance": {"type": ["object", "null"], "properties": allowance},
                    "proposal": object(proposal),
                }))
            }
        };
        let error = object(json!({"code": of("string"), "message": of("string"), "hint": of("string")}));
        let all = joined(own, object(json!({"note": of("string"), "warnings": list(of("string")), "error": error})));
        all.as_object().cloned().unwrap_or_default()
    }
}

/// What a found contact says besides id, name, and whether it is owned.
pub(super) const BRIEF: [(&str, Known); 7] = [
    ("title", Known::Title),
    ("company", Known::Company),
    ("city", Known::City),
    ("state", Known::State),
    ("email", Known::Email),
    ("phone", Known::Phone),
    ("email_status", Known::EmailStatus),
];

/// `kind` is a type, or several.
fn of(kind: impl serde::Serialize) -> Value {
    json!({"type": kind})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// Fields of any type.
fn named(names: &[&str]) -> Value {
    object(Value::Object(names.iter().map(|name| ((*name).to_owned(), json!({}))).collect()))
}

/// The fields of both.
fn joined(mut one: Value, other: Value) -> Value {
    if let (Some(fields), Value::Object(more)) = (one["properties"].as_object_mut(), other["properties"].clone()) {
        fields.extend(more);
    }
    one
}

/// The schema of a line, without the words that `docs/schemas` has.
fn shape<T: JsonSchema>() -> Value {
    let words = &["type", "properties", "items", "enum", "additionalProperties"];
    short::<T>(SchemaSettings::draft2020_12().for_serialize(), words)
}

/// The schema of a type in one piece, with these words alone.
pub(super) fn short<T: JsonSchema>(settings: SchemaSettings, words: &'static [&'static str]) -> Value {
    let shorten = move |schema: &mut Schema| {
        if let Some(schema) = schema.as_object_mut() {
            schema.retain(|word, _| words.contains(&word.as_str()));
        }
    };
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    settings.with_transform(RecursiveTransform(shorten)).into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unlock_is_destructive_and_every_schema_is_an_object() {
        for tool in TOOLS {
            assert_eq!(tool.does == ToolEffect::Spend, tool.name == "unlock");
            assert_eq!(input::described(tool.name).unwrap().1["type"], "object", "{}", tool.name);
        }
        let inputs = TOOLS.iter().filter_map(|tool| input::described(tool.name));
        let bytes: usize = inputs.map(|(about, schema)| Value::Object(schema).to_string().len() + about.len()).sum();
        assert!(bytes < 8_500, "{bytes}");
    }
}
