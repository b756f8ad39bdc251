//! What each tool takes: its arguments as a type, the schema that a client gets of them, and a call held against that schema.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{AddNullable, RecursiveTransform};
use serde::Deserialize;

use super::tools::short;
use super::*;
use crate::ops::filters::DataFilters;
use lode_core::{CountKind, Preset};

/// A call with its arguments. The comment of a variant is what a client reads about the tool.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum ToolInput {
    /// Search contacts, free. Email and phone of contacts that are not owned are masked. Returns rows, total, next offset.
    Search {
        source: Option<Source>,
        corpus: Option<Corpus>,
        limit: Limit,
        offset: Offset,
        fields: Fields,
        exclude_owned: Option<bool>,
        filters: Option<FilterArgs>,
    },
    /// Count contacts for each state or SIC code, largest first.
    Counts { corpus: Option<Corpus>, kind: Option<CountKind>, limit: Limit },
    /// Show one contact: in full if it is owned, else as the last search showed it.
    Contact { corpus: Option<Corpus>, id: RowId },
    /// List the user's basket, or add or remove contacts. Free; it never spends.
    Basket { action: Staging, corpus: Option<Corpus>, ids: Ids, limit: Limit, offset: Offset },
    /// List suppression lists, check contacts against them, or add emails and domains to one. What is on a list is never unlocked.
    /// Removing is up to the user.
    Suppress { action: Suppressing, corpus: Option<Corpus>, ids: Ids, name: Option<String>, entries: Entries },
    /// Find contacts at named companies in the Data API, free: for each company its total and the first rows.
    Match { corpus: Option<Corpus>, companies: List<String, 10>, title: Option<String> },
    /// Ask the user for permission to unlock contacts by id, or the basket. Returns the highest possible cost and a handle. Spends
    /// nothing. The user accepts it on the Basket screen of lode.
    Quote { corpus: Option<Corpus>, ids: Ids, basket: Option<bool>, max_credits: MaxCredits, verify: Option<bool> },
    /// Unlock the contacts of a quote that the user accepted. SPENDS CREDITS. A handle works once. If it is not accepted yet, tell
    /// the user, then call status with the handle.
    Unlock { handle: String },
    /// List contacts that are owned, in full, or those that mention `find`.
    Owned { corpus: Option<Corpus>, find: Option<String>, limit: Limit, offset: Offset, fields: Fields },
    /// List what was spent, newest first.
    Receipts { limit: Limit, offset: Offset },
    /// List saved searches, run one, or save a search.
    Saved { action: Saving, name: Option<String>, corpus: Option<Corpus>, limit: Limit, filters: Option<FilterArgs> },
    /// Write owned contacts, the basket, or a search of the Data API to a new file in a folder that the user allowed.
    Export { from: RowsOf, corpus: Option<Corpus>, form: Option<FormName>, file: String, filters: Option<DataFilters> },
    /// Show workspace, credits, what may be spent without asking, and the state of a handle.
    Status { handle: Option<String> },
}

// Arguments that may be absent.
pub(super) type Ids = Option<List<RowId, 500>>;
type Entries = Option<List<String, 500>>;
type Fields = Option<List<String, 30>>;
/// The most rows of a page.
pub(super) type Limit = Option<Number<1, 50>>;
pub(super) type Offset = Option<Number<0, { u32::MAX }>>;
type MaxCredits = Option<Number<1, 1_000_000>>;

// A whole number.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Number<const LEAST: u32, const MOST: u32>(#[schemars(range(min = LEAST, max = MOST))] pub u32);

// A list of at most this many.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct List<T, const MOST: usize>(#[schemars(length(max = MOST))] pub Vec<T>);

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = format!("contacts (default), raw, xlsx, jsonl, {}, or a preset of the user", Preset::built_in_names()))]
pub(super) struct FormName(pub String);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Staging {
    List,
    Add,
    Remove,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Suppressing {
    List,
    Check,
    Add,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Saving {
    List,
    Run,
    Add,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum RowsOf {
    Owned,
    Basket,
    Data,
}

/// The words of a schema that a client needs to call a tool.
const WORDS: &[&str] = &[
    "type", "description", "properties", "required", "additionalProperties", "items", "maxItems", "enum", "minimum",
    "maximum", "oneOf",
];

/// The schema of every call. It is made once: each call is held against its part.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    // An argument is absent, never null. Comments of types are for the readers of the code.
    let argument = |schema: &mut Schema| {
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
            schema.remove("description");
        }
    };
    let settings = SchemaSettings::draft2020_12().with_transform(AddNullable::default());
    short::<ToolInput>(settings.with_transform(RecursiveTransform(argument)), WORDS)
});

/// What a client reads about a tool, and the schema of its arguments.
pub fn described(tool: &str) -> Option<(String, Map<String, Value>)> {
    let mut each = SCHEMA["oneOf"].as_array()?.iter();
    let of_tool = each.find(|one| one["properties"].get(tool).is_some())?;
    Some((of_tool["description"].as_str()?.replace('\n', " "), of_tool["properties"][tool].as_object()?.clone()))
}

/// Reads the arguments of a call. Null is the same as absent.
pub(super) fn read(tool: &str, mut arguments: Map<String, Value>) -> Result<ToolInput, CommandProblem> {
    let (_, schema) = described(tool).ok_or_else(|| wrong(format!("`{tool}` is not a tool of lode")))?;
    arguments.retain(|_, value| !value.is_null());
    let arguments = Value::Object(arguments);
    check(&format!("`{tool}`"), &arguments, &schema.into())?;
    let call = Map::from_iter([(tool.to_owned(), arguments)]);
    serde_json::from_value(call.into()).map_err(|error| wrong(format!("`{tool}` cannot be read: {error}")))
}

pub(super) fn wrong(words: impl Into<String>) -> CommandProblem {
    CommandProblem::new(Exit::Usage, words, "tools/list shows what each tool takes")
}

/// Holds a value against a schema of `WORDS`.
fn check(name: &str, value: &Value, schema: &Value) -> Result<(), CommandProblem> {
    let limit = |word: &str, or: i64| schema[word].as_i64().unwrap_or(or);
    let words = |list: &'static str| schema[list].as_array().into_iter().flatten().filter_map(Value::as_str);
    let (fits, takes) = match schema["type"].as_str().unwrap_or_default() {
        "object" => (value.is_object(), "is an object".to_owned()),
        "boolean" => (value.is_boolean(), "is true or false".to_owned()),
        "array" => {
            let most = limit("maxItems", i64::MAX);
            let fits = value.as_array().is_some_and(|entries| entries.len() as i64 <= most);
            (fits, format!("is a list of at most {most}"))
        }
        "integer" => {
            let (least, most) = (limit("minimum", i64::MIN), limit("maximum", i64::MAX));
            let fits = value.as_i64().is_some_and(|number| (least..=most).contains(&number));
            (fits, format!("is a whole number from {least} to {most}"))
        }
        _ if schema["enum"].is_null() => (value.is_string(), "is a text".to_owned()),
        _ => {
            let names: Vec<&str> = words("enum").collect();
            (value.as_str().is_some_and(|name| names.contains(&name)), format!("is one of {}", names.join(", ")))
        }
    };
    if !fits {
        return Err(wrong(format!("{name} {takes}")));
    }
    if let Some(absent) = words("required").find(|field| value.get(field).is_none()) {
        return Err(wrong(format!("`{absent}` is needed")));
    }
    for entry in value.as_array().into_iter().flatten() {
        check(&format!("each entry of {name}"), entry, &schema["items"])?;
    }
    for (field, value) in value.as_object().into_iter().flatten() {
        let schema = schema["properties"].get(field).ok_or_else(|| wrong(format!("{name} takes no `{field}`")))?;
        check(&format!("`{field}`"), value, schema)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_not_fit_its_schema_is_told_which_argument_is_wrong() {
        for (tool, arguments, words) in [
            ("search", json!({"limit": 5_000}), "`limit` is a whole number from 1 to 50"),
            ("search", json!({"offset": 1_u64 << 32}), "`offset` is a whole number from 0 to 4294967295"),
            ("search", json!({"color": "red"}), "`search` takes no `color`"),
            ("search", json!({"filters": {"nonsense": "x"}}), "`filters` takes no `nonsense`"),
            ("search", json!({"filters": {"state": 7}}), "`state` is a text"),
            ("search", json!({"filters": "TX"}), "`filters` is an object"),
            ("search", json!({"exclude_owned": "yes"}), "`exclude_owned` is true or false"),
            ("search", json!({"corpus": "uk"}), "`corpus` is one of us, linkedin"),
            ("basket", json!({}), "`action` is needed"),
            ("basket", json!({"action": "check"}), "`action` is one of list, add, remove"),
            ("basket", json!({"action": "add", "ids": [0]}), "each entry of `ids` is a whole number from 1 to"),
            ("match", json!({"companies": vec!["x"; 11]}), "`companies` is a list of at most 10"),
            (
                "quote",
                json!({"ids": [1], "max_credits": 1_000_001}),
                "`max_credits` is a whole number from 1 to 1000000",
            ),
            ("nonsense", json!({}), "`nonsense` is not a tool of lode"),
        ] {
            let problem = read(tool, arguments.as_object().unwrap().clone()).unwrap_err();
            assert!(problem.exit() == Exit::Usage && problem.sentence.starts_with(words), "{}", problem.sentence);
        }
    }

    #[test]
    fn null_is_absent_and_what_fits_is_read() {
        let given = json!({"filters": {"state": "TX"}, "limit": 5, "offset": null, "source": "data"});
        let ToolInput::Search { source, limit, offset: None, filters, .. } =
            read("search", given.as_object().unwrap().clone()).unwrap()
        else {
            panic!("another tool")
        };
        assert_eq!((source, limit.map(|Number(rows)| rows)), (Some(Source::Data), Some(5)));
        assert_eq!(filters.unwrap().values, [(lode_core::Filter::State, "TX".to_owned())]);
    }
}
