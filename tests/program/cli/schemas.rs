//! Every line of JSON has a schema in `docs/schemas`, made from the types. `UPDATE_SCHEMAS=1 cargo test --test program cli schemas` writes
//! them again.

use std::path::PathBuf;

use lode::ops::output::*;
use lode::ops::spec::SpecLine;
use lode_core::Count;
use lode_sandbox::corpus::CheckOutcome;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use self::lines::*;
use common::test_app::{Ran, TestApp, words};

/// Lines that the program makes without a type of their own.
#[expect(dead_code, reason = "only their schemas are made")]
mod lines {
    use std::collections::BTreeMap;

    use lode::ops::output::{QuoteShape, ScoreShape};
    use lode::ops::problem::ErrorShape;
    use schemars::JsonSchema;
    use serde_json::Value;

    /// A response of `lode unlock` or `lode recover` that could be neither stored nor read.
    #[derive(JsonSchema)]
    pub struct UnstoredLine {
        pub unstored: UnstoredShape,
    }

    #[derive(JsonSchema)]
    pub struct UnstoredShape {
        /// The body of the response, without control characters.
        pub response: String,
    }

    /// The quote of `lode unlock --dry-run`.
    #[derive(JsonSchema)]
    pub struct QuoteLine {
        pub quote: QuoteShape,
    }

    /// A failure: the last line on the error stream.
    #[derive(JsonSchema)]
    pub struct ErrorLine {
        pub error: ErrorShape,
    }

    /// A note on the error stream. It changes no exit code.
    #[derive(JsonSchema)]
    pub struct WarningLine {
        pub warning: WarningShape,
    }

    #[derive(JsonSchema)]
    pub struct WarningShape {
        pub message: String,
    }

    /// The facts of `lode info`, by name.
    #[derive(JsonSchema)]
    pub struct InfoLine {
        pub version: String,
        pub state: String,
        #[serde(flatten)]
        pub more: BTreeMap<String, String>,
    }

    /// One entry of `lode suppress show`. Its kind decides which other fields it has.
    #[derive(JsonSchema)]
    pub struct SuppressEntryLine {
        #[schemars(extend("enum" = ["email", "domain", "phone", "person", "contact"]))]
        pub kind: String,
        #[serde(flatten)]
        pub fields: BTreeMap<String, Value>,
    }

    /// The line of `lode sandbox`: addresses and keys.
    #[derive(JsonSchema)]
    pub struct SandboxLine {
        pub workspace_url: String,
        pub workspace_key: String,
        pub data_url: String,
        pub data_key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub control_url: Option<String>,
    }

    /// One row of `lode search` or `lode saved run`: its fields as the service sent them.
    #[derive(JsonSchema)]
    pub struct RowLine {
        pub id: Option<i64>,
        /// Only where `score.toml` has rules.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub lode: Option<ScoreShape>,
        #[serde(flatten)]
        pub fields: BTreeMap<String, Value>,
    }
}

/// The schema of a line under its name.
fn of<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    (name, schema)
}

/// The same of the last line of a command, with the title of its schema and what it is.
fn summary<T: JsonSchema>(name: &'static str, title: &str, about: &str) -> (&'static str, Schema) {
    let (name, mut schema) = of::<SummaryOf<T>>(name);
    schema.insert("title".to_owned(), title.into());
    schema.insert("description".to_owned(), about.into());
    (name, schema)
}

/// Every line of output by the name of its schema.
pub fn line_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        of::<ErrorLine>("error"),
        of::<WarningLine>("warning"),
        of::<RowLine>("row"),
        of::<UnlockLine>("unlock"),
        of::<UnstoredLine>("unstored"),
        summary::<SummaryShape>("summary", "SummaryLine", "The last line of `lode unlock` and `lode recover`."),
        of::<QuoteLine>("quote"),
        of::<OwnedLine>("owned"),
        of::<ReceiptLine>("receipt"),
        of::<BasketLine>("basket"),
        of::<Count>("count"),
        of::<MeLine>("me"),
        of::<SavedLine>("saved"),
        of::<ExportLine>("export"),
        of::<FindingLine>("finding"),
        of::<InfoLine>("info"),
        of::<SuppressListLine>("suppress_list"),
        of::<SuppressEntryLine>("suppress_entry"),
        of::<SuppressCheckLine>("suppress_check"),
        of::<MatchLine>("match"),
        summary::<MatchSummaryShape>("match_summary", "MatchSummaryLine", "The last line of `lode match`."),
        summary::<MatchPlanShape>("match_plan", "MatchPlanLine", "The last line of `lode match --dry-run --summary`."),
        summary::<SearchSummaryShape>(
            "search_summary",
            "SearchSummaryLine",
            "The last line of `lode search --summary`.",
        ),
        summary::<SavedSummaryShape>(
            "saved_summary",
            "SavedSummaryLine",
            "The last line of `lode saved run --summary`.",
        ),
        summary::<SuppressSummaryShape>(
            "suppress_summary",
            "SuppressSummaryLine",
            "The last line of `lode suppress add --summary` and `lode suppress rm --summary`.",
        ),
        summary::<LedgerSummaryShape>(
            "ledger_summary",
            "LedgerSummaryLine",
            "What `lode ledger backup` or `lode ledger restore` did.",
        ),
        of::<SandboxLine>("sandbox"),
        of::<SpecLine>("spec"),
    ]
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "docs", "schemas"].iter().collect()
}

#[test]
fn the_files_are_what_the_types_say() {
    let folder = folder();
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    if update {
        std::fs::create_dir_all(&folder).unwrap();
    }
    let mut names = Vec::new();
    for (name, schema) in line_schemas() {
        let path = folder.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{name} has another schema now: UPDATE_SCHEMAS=1 writes it");
        names.push(format!("{name}.json"));
    }
    for file in std::fs::read_dir(&folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name), "{name} is the schema of no line");
    }
}

/// Every line of the output fits one of these schemas, every line of the error stream is a warning or an error.
#[track_caller]
pub fn fits(ran: &Ran, names: &[&str]) {
    for line in ran.lines() {
        assert!(names.iter().any(|name| wrong(name, &line).is_none()), "{}: {:?}", line, wrong(names[0], &line));
    }
    for line in ran.said.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{ran:?}"));
        assert!(["warning", "error"].iter().any(|name| wrong(name, &line).is_none()), "{line}");
    }
    if ran.code != 0 {
        assert_eq!(ran.error()["exit"], ran.code, "{ran:?}");
    }
}

/// What is wrong with a value by a schema of the folder.
pub fn wrong(name: &str, value: &Value) -> Option<String> {
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap()).unwrap();
    check(&schema, &schema, value, name).err()
}

/// As much of JSON Schema as the schemas of lode use. Stricter in one thing: a field that no schema names is wrong.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fail = |why: &str| Err(format!("{at}: {why}: {value}"));
    if let Some(place) = schema["$ref"].as_str() {
        return check(root, root.pointer(&place[1..]).unwrap(), value, at);
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(options) = schema[choice].as_array() {
            let fits = options.iter().any(|option| check(root, option, value, at).is_ok());
            return if fits { Ok(()) } else { fail("fits no choice") };
        }
    }
    if let Some(only) = schema.get("const") {
        return if only == value { Ok(()) } else { fail("is another value") };
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return fail("is none of the listed values");
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_one = |wanted: &&str| *wanted == kind || (*wanted == "number" && kind == "integer");
    if !(kinds.is_empty() || kinds.iter().any(is_one)) {
        return fail("is of another type");
    }
    if schema["minimum"].as_f64().zip(value.as_f64()).is_some_and(|(least, value)| value < least) {
        return fail("is too small");
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for value in values {
            check(root, items, value, at)?;
        }
    }
    if let Some(fields) = value.as_object() {
        let empty = Map::new();
        let named = schema["properties"].as_object().unwrap_or(&empty);
        for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(required) {
                return fail(&format!("lacks {required}"));
            }
        }
        for (name, value) in fields {
            match (named.get(name), schema.get("additionalProperties")) {
                (Some(schema), _) => check(root, schema, value, &format!("{at}.{name}"))?,
                (None, Some(rest @ Value::Object(_))) => check(root, rest, value, &format!("{at}.{name}"))?,
                (None, Some(Value::Bool(true))) => {}
                (None, _) => return fail(&format!("has the field {name}, which no schema names")),
            }
        }
    }
    Ok(())
}

#[test]
fn a_wrong_line_is_found() {
    let line = serde_json::json!({"warning": {"message": "x"}});
    assert_eq!(wrong("warning", &line), None);
    for line in [
        serde_json::json!({"warning": {"message": 7}}),
        serde_json::json!({"warning": {"message": "x", "more": 1}}),
        serde_json::json!({"warning": {}}),
        serde_json::json!([]),
    ] {
        assert!(wrong("warning", &line).is_some(), "{line}");
    }
}

#[test]
fn what_is_printed_fits_its_schema() {
    let app = TestApp::new();
    let ids = words(&app.people(CheckOutcome::Valid, 3));
    let rows = app.run(&["search", "--limit", "3"]).ended(0);
    fits(&rows, &["row"]);
    fits(&app.run(&["search", "--source", "data", "--query", "nurse", "--limit", "3"]).ended(0), &["row"]);
    fits(&app.fed(&["basket", "add"], &rows.out).ended(0), &[]);
    fits(&app.run(&["basket", "list"]).ended(0), &["basket"]);
    let unlock = ["unlock", "--corpus", "us", "--max-credits", "3", &ids[0], &ids[1], &ids[2]];
    fits(&app.run(&[&unlock[..], &["--dry-run"]].concat()).ended(0), &["quote"]);
    fits(&app.run(&unlock).ended(0), &["unlock", "summary"]);
    fits(&app.run(&["owned"]).ended(0), &["owned"]);
    fits(&app.run(&["receipts"]).ended(0), &["receipt"]);
    fits(&app.run(&["recover"]).ended(0), &["unlock", "summary"]);
    fits(&app.run(&["counts"]).ended(0), &["count"]);
    fits(&app.run(&["me"]).ended(0), &["me"]);
    fits(&app.run(&["info"]).ended(0), &["info"]);
    fits(&app.run(&["ledger", "check"]).ended(0), &["finding"]);
    let doctor = app.run(&["doctor"]);
    fits(&doctor, &["finding"]);
    fits(&app.run(&["export", "--from", "owned", "-o", "owned.csv"]).ended(0), &["export"]);
    fits(&app.run(&["export", "--query", "nurse", "-o", "all.csv"]).ended(0), &["export"]);
    fits(&app.run(&["saved", "add", "nurses", "--title", "nurse"]).ended(0), &[]);
    fits(&app.run(&["saved", "list"]).ended(0), &["saved"]);
    fits(&app.run(&["saved", "show", "nurses"]).ended(0), &["saved"]);
    fits(&app.run(&["saved", "run", "nurses"]).ended(0), &["row"]);
    let list = "email,domain,phone,name,company\na@x.example,x.example,5125550142,Dana Whitfield,Acme\n";
    fits(&app.fed(&["suppress", "add", "crm"], list).ended(0), &[]);
    fits(&app.run(&["suppress", "list"]).ended(0), &["suppress_list"]);
    fits(&app.run(&["suppress", "show", "crm"]).ended(0), &["suppress_entry"]);
    fits(&app.run(&["suppress", "check"]).ended(0), &["suppress_check"]);
}
