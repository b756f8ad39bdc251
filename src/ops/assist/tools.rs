//! The list of tools as a client gets it, with the schemas of their arguments and of what they answer. An answer's schema is made
//! from the shapes of the lines. It is short: names and types, nothing is required, because a failure has the same schema.

use schemars::generate::SchemaSettings;

use super::*;
use lode_core::{Filter, Preset};

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
    pub about: &'static str,
    pub does: ToolEffect,
    /// It asks a service.
    pub asks: bool,
    /// A word for each: `!` after the name of one that is needed, then `=` and the values it may have where its name alone
    /// does not say them. An argument of the same name is the same in every tool.
    arguments: &'static str,
}

use ToolEffect::{Change, Make, Read, Spend};

/// Every tool, in the order of the list.
pub const TOOLS: [Tool; 13] = [
    Tool::asking("search", Read, "source=workspace|data corpus limit offset fields exclude_owned filters")
        .about("Search contacts, free. Email and phone of contacts that are not owned are masked. Returns rows, total, next offset."),
    Tool::asking("counts", Read, "corpus kind=state|sic limit")
        .about("Count contacts for each state or SIC code, largest first."),
    Tool::local("contact", Read, "corpus id!")
        .about("Show one contact: in full if it is owned, else as the last search showed it."),
    Tool::local("basket", Change, "action!=list|add|remove corpus ids limit offset")
        .about("List the user's basket, or add or remove contacts. Free; it never spends."),
    Tool::local("suppress", Change, "action!=list|check|add corpus ids name entries")
        .about("List suppression lists, check contacts against them, or add emails and domains to one. What is on a list is never unlocked. Removing is up to the user."),
    Tool::asking("match", Read, "corpus companies! title")
        .about("Find contacts at named companies in the Data API, free: for each company its total and the first rows."),
    Tool::asking("quote", Make, "corpus ids basket max_credits verify")
        .about("Ask the user for permission to unlock contacts by id, or the basket. Returns the highest possible cost and a handle. Spends nothing. The user accepts it on the Basket screen of lode."),
    Tool::asking("unlock", Spend, "handle!")
        .about("Unlock the contacts of a quote that the user accepted. SPENDS CREDITS. A handle works once. If it is not accepted yet, tell the user, then call status with the handle."),
    Tool::local("owned", Read, "corpus find limit offset fields")
        .about("List contacts that are owned, in full, or those that mention `find`."),
    Tool::local("receipts", Read, "limit offset")
        .about("List what was spent, newest first."),
    Tool::asking("saved", Change, "action!=list|run|add name corpus limit filters")
        .about("List saved searches, run one, or save a search."),
    Tool::asking("export", Make, "from!=owned|basket|data corpus form file! filters")
        .about("Write owned contacts, the basket, or a search of the Data API to a new file in a folder that the user allowed."),
    Tool::asking("status", Read, "handle")
        .about("Show workspace, credits, what may be spent without asking, and the state of a handle."),
];

impl Tool {
    /// One that asks a service.
    const fn asking(name: &'static str, does: ToolEffect, arguments: &'static str) -> Tool {
        Tool { name, about: "", does, asks: true, arguments }
    }

    const fn local(name: &'static str, does: ToolEffect, arguments: &'static str) -> Tool {
        Tool { asks: false, ..Tool::asking(name, does, arguments) }
    }

    const fn about(self, about: &'static str) -> Tool {
        Tool { about, ..self }
    }

    pub fn named(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for word in self.arguments.split(' ') {
            let (name, values) = word.split_once('=').map_or((word, None), |(name, values)| (name, Some(values)));
            let bare = name.trim_end_matches('!');
            required.extend((bare != name).then_some(bare));
            let one_of = |values: &str| json!({"type": "string", "enum": values.split('|').collect::<Vec<_>>()});
            properties.insert(bare.to_owned(), values.map_or_else(|| usual(bare), one_of));
        }
        let mut schema = object(properties.into());
        schema["required"] = json!(required);
        schema["additionalProperties"] = false.into();
        schema.as_object().cloned().unwrap_or_default()
    }
}

/// The schema of an argument whose name says what it is.
fn usual(name: &str) -> Value {
    let list = |of: Value, most: u32| json!({"type": "array", "items": of, "maxItems": most});
    match name {
        "corpus" => json!({"type": "string", "enum": ["us", "linkedin"]}),
        "limit" => json!({"type": "integer", "minimum": 1, "maximum": 50}),
        "offset" => json!({"type": "integer", "minimum": 0}),
        "max_credits" => json!({"type": "integer", "minimum": 1}),
        "id" => json!({"type": "integer"}),
        "basket" | "exclude_owned" | "verify" => json!({"type": "boolean"}),
        "ids" => list(json!({"type": "integer"}), 500),
        "companies" => list(text(), 10),
        "fields" => list(text(), 30),
        "entries" => list(text(), 500),
        "form" => {
            let built_in = Preset::built_in_names();
            let about = format!("contacts (default), raw, xlsx, jsonl, {built_in}, or a preset of the user");
            json!({"type": "string", "description": about})
        }
        "filters" => {
            let filters: Map<String, Value> =
                Filter::ALL.into_iter().map(|filter| (filter.name().to_owned(), text())).collect();
            json!({"type": "object", "properties": filters, "additionalProperties": false})
        }
        _ => text(),
    }
}

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
        if let Some(words) = words.get_mut(inner) {
            shorten(words);
        }
    }
    let fields = words.get_mut("properties").and_then(Value::as_object_mut);
    fields.into_iter().flatten().for_each(|(_, field)| shorten(field));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unlock_is_destructive_and_every_schema_is_an_object() {
        for tool in TOOLS {
            assert_eq!(tool.does == ToolEffect::Spend, tool.name == "unlock");
            assert_eq!(tool.schema()["type"], "object", "{}", tool.name);
        }
        let bytes: usize =
            TOOLS.iter().map(|tool| Value::Object(tool.schema()).to_string().len() + tool.about.len()).sum();
        assert!(bytes < 8_500, "{bytes}");
    }
}
