//! The schema of what each tool answers, made from the shapes of the lines. It is short: names and types, nothing is required,
//! because a failure has the same schema.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::ops::output::{
    BasketLine, CountLine, ExportLine, KeyShape, OrgShape, OwnedLine, QuoteShape, ReceiptLine, SummaryShape,
    SuppressCheckLine, SuppressListLine, UnlockLine,
};

use super::tools::Tool;

impl Tool {
    /// The schema of its answer.
    pub fn answer(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut has = |name: &str, schema: Value| fields.insert(name.to_owned(), schema);
        let rows = match self.name {
            // Fields that were asked for come as the service sent them.
            "search" => Some(named(&CONTACT)),
            "counts" => Some(shape::<CountLine>()),
            "basket" => Some(shape::<BasketLine>()),
            "suppress" => Some(joined(shape::<SuppressListLine>(), shape::<SuppressCheckLine>())),
            "match" => {
                let of_company = json!({"company": text(), "total": integer(), "first": list(object(json!({})))});
                Some(object(of_company))
            }
            "unlock" => {
                has("summary", shape::<SummaryShape>());
                // Contacts whose response could not be stored.
                has("unstored", list(shape::<UnlockLine>()));
                Some(shape::<UnlockLine>())
            }
            "owned" => Some(shape::<OwnedLine>()),
            "receipts" => Some(shape::<ReceiptLine>()),
            // Saved searches, or the rows of one.
            "saved" => Some(named(&["name", "source", "corpus", "filters", "where", "total", "last_run"])),
            _ => None,
        };
        if let Some(row) = rows {
            has("rows", list(row));
            has("total", integer());
            has("next", json!({"type": ["integer", "null"]}));
            has("left_out", json!({"type": "boolean"}));
        }
        let own = match self.name {
            // In full where it is owned, else as the service sent it.
            "contact" => named(&["id", "email", "phone", "contact_name", "company_name", "title"]),
            "quote" => object(json!({
                "handle": or_null("string"), "max_credits": integer(), "expires_at": text(),
                "quote": shape::<QuoteShape>(), "next": text(),
            })),
            "export" => shape::<ExportLine>(),
            "status" => {
                let allowance = json!({"per_day": integer(), "per_call": integer()});
                let proposal = json!({
                    "state": {"enum": ["waiting", "accepted", "declined", "expired", "used"]},
                    "accepted_credits": or_null("integer"), "max_credits": integer(), "contacts": integer(),
                    "expires_at": text(),
                });
                object(json!({
                    "org": shape::<OrgShape>(), "key": shape::<KeyShape>(), "credits": or_null("integer"),
                    "standing_allowance": {"type": ["object", "null"], "properties": allowance},
                    "proposal": object(proposal),
                }))
            }
            _ => object(json!({})),
        };
        for (name, schema) in own["properties"].as_object().cloned().unwrap_or_default() {
            has(&name, schema);
        }
        has("note", text());
        has("warnings", list(text()));
        has("error", object(json!({"code": text(), "message": text(), "hint": text()})));
        object(Value::Object(fields)).as_object().cloned().unwrap_or_default()
    }
}

/// What a found contact says, unless other fields were asked for.
const CONTACT: [&str; 10] =
    ["id", "name", "title", "company", "city", "state", "email", "phone", "email_status", "owned"];

fn text() -> Value {
    json!({"type": "string"})
}

fn integer() -> Value {
    json!({"type": "integer"})
}

fn or_null(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
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
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    let mut schema = Value::from(settings.into_generator().into_root_schema_for::<T>());
    shorten(&mut schema);
    schema
}

fn shorten(schema: &mut Value) {
    let Some(words) = schema.as_object_mut() else { return };
    words.retain(|word, _| matches!(word.as_str(), "type" | "properties" | "items" | "enum" | "additionalProperties"));
    for inner in ["items", "additionalProperties"] {
        words.get_mut(inner).into_iter().for_each(shorten);
    }
    let fields = words.get_mut("properties").and_then(Value::as_object_mut);
    fields.into_iter().flatten().for_each(|(_, field)| shorten(field));
}
