//! `--fields` and `--csv`: the JSON lines of any command, cut to some fields or written as a table of commas.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::domain::export::plain_cell;

use super::Format;
use super::table::{Table, text};

/// How the lines of a command are printed, where that was chosen.
#[derive(Debug)]
pub struct Pick {
    fields: Vec<String>,
    form: Form,
    /// Fields were looked for already.
    begun: bool,
}

#[derive(Debug)]
enum Form {
    Json,
    Csv,
    Table { width: usize, bold: bool, table: Option<Table> },
}

/// Lines for the output, and for the error stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Picked {
    pub out: Vec<String>,
    pub aside: Vec<String>,
    pub warning: Option<String>,
}

impl Pick {
    /// None where neither flag was given.
    pub fn new(fields: &[String], csv: bool, format: Format) -> Option<Pick> {
        let form = match format {
            _ if csv => Form::Csv,
            _ if fields.is_empty() => return None,
            Format::Json => Form::Json,
            Format::Table { width, bold } => Form::Table { width, bold, table: None },
        };
        Some(Pick { fields: fields.to_vec(), form, begun: false })
    }

    pub fn lines(&mut self, lines: &[String]) -> Picked {
        let mut picked = Picked::default();
        let mut rows: Vec<Map<String, Value>> = Vec::new();
        for line in lines {
            let Ok(Value::Object(row)) = serde_json::from_str::<Value>(line) else {
                picked.out.push(line.clone());
                continue;
            };
            // The summary at the end is no row of the table.
            if row.len() == 1 && row.values().all(Value::is_object) {
                let place = if matches!(self.form, Form::Csv) { &mut picked.aside } else { &mut picked.out };
                place.push(line.clone());
                continue;
            }
            rows.push(row);
        }
        if !rows.is_empty() && !std::mem::replace(&mut self.begun, true) {
            picked.warning = self.begin(&rows);
            picked.out.extend(matches!(self.form, Form::Csv).then(|| record(self.fields.iter().cloned())));
        }
        let of = |row: &Map<String, Value>| {
            self.fields.iter().map(|field| (field.clone(), value(row, field))).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<(String, Value)>> = rows.iter().map(of).collect();
        match &mut self.form {
            Form::Json => {
                let line = |row: Vec<(String, Value)>| Value::Object(row.into_iter().collect()).to_string();
                picked.out.extend(rows.into_iter().map(line));
            }
            Form::Csv => {
                picked.out.extend(rows.into_iter().map(|row| record(row.iter().map(|(_, value)| cell(value)))))
            }
            Form::Table { width, bold, table } => {
                let cells = |row: Vec<(String, Value)>| row.iter().map(|(_, value)| cell(value)).collect();
                let mut rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
                let lines = match table {
                    Some(table) => table.lines(&rows),
                    None if rows.is_empty() => Vec::new(),
                    None => {
                        // The titles are known now: they stand in the place of the first row, below an empty head.
                        rows.insert(0, self.fields.clone());
                        let columns = self.fields.iter().map(|_| text("", 1, 60)).collect();
                        let mut lines = table.insert(Table::new(columns, *width, false)).lines(&rows);
                        lines.remove(0);
                        if *bold {
                            lines[0] = format!("\x1b[1m{}\x1b[0m", lines[0]);
                        }
                        lines
                    }
                };
                picked.out.splice(0..0, lines);
            }
        }
        picked
    }

    /// The first rows say which fields there are. In a CSV an object becomes a column for each of its fields.
    fn begin(&mut self, rows: &[Map<String, Value>]) -> Option<String> {
        let row = rows.first()?;
        if self.fields.is_empty() {
            for name in row.keys() {
                let inner = rows.iter().filter_map(|row| row.get(name)?.as_object()).flat_map(Map::keys);
                let columns: Vec<String> = inner.map(|inner| format!("{name}.{inner}")).collect();
                let mut seen = BTreeSet::new();
                let before = self.fields.len();
                self.fields.extend(columns.into_iter().filter(|column| seen.insert(column.clone())));
                if self.fields.len() == before {
                    self.fields.push(name.clone());
                }
            }
        }
        let unknown: Vec<&str> =
            self.fields.iter().map(String::as_str).filter(|field| find(row, field).is_none()).collect();
        let there: Vec<&str> = row.keys().map(String::as_str).collect();
        (!unknown.is_empty()).then(|| format!("no field {}; there are {}", unknown.join(", "), there.join(", ")))
    }
}

/// A field by its name, or by a path with dots.
fn find<'a>(row: &'a Map<String, Value>, field: &str) -> Option<&'a Value> {
    row.get(field).or_else(|| {
        let (first, rest) = field.split_once('.')?;
        find(row.get(first)?.as_object()?, rest)
    })
}

fn value(row: &Map<String, Value>, field: &str) -> Value {
    find(row, field).cloned().unwrap_or(Value::Null)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// One record of a CSV. What a spreadsheet would run as a formula is made harmless.
fn record(cells: impl Iterator<Item = String>) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let cells: Vec<String> = cells.map(|cell| plain_cell(&cell).into_owned()).collect();
    writer.write_record(&cells).expect("writing to memory does not fail");
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(fields: &[&str], csv: bool, format: Format, lines: &[&str]) -> Picked {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        Pick::new(&fields, csv, format).unwrap().lines(&lines)
    }

    const ROWS: [&str; 2] =
        [r#"{"id":7,"name":"Dana, W.","org":{"plan":"pro"}}"#, r#"{"id":8,"name":null,"tags":["a","b"]}"#];

    #[test]
    fn fields_stand_in_the_order_they_were_asked_for() {
        let picked = pick(&["name", "id", "org.plan"], false, Format::Json, &ROWS);
        assert_eq!(
            picked.out,
            [r#"{"name":"Dana, W.","id":7,"org.plan":"pro"}"#, r#"{"name":null,"id":8,"org.plan":null}"#]
        );
        assert_eq!(picked.warning, None);
        let picked = pick(&["nmae"], false, Format::Json, &ROWS);
        assert_eq!(picked.warning.unwrap(), "no field nmae; there are id, name, org");
    }

    #[test]
    fn a_csv_has_one_head_and_its_summary_goes_aside() {
        let lines = [ROWS[0], ROWS[1], r#"{"id":9,"name":"=1+1"}"#, r#"{"summary":{"asked":1}}"#];
        let picked = pick(&["id", "name"], true, Format::Json, &lines);
        assert_eq!(picked.out[..3], ["id,name", "7,\"Dana, W.\"", "8,"]);
        assert!(!picked.out[3].contains(",="), "{picked:?}");
        assert_eq!(picked.aside, [r#"{"summary":{"asked":1}}"#]);
    }

    #[test]
    fn a_table_has_the_fields_as_columns() {
        let picked = pick(&["id", "name"], false, Format::Table { width: 40, bold: false }, &ROWS);
        assert_eq!(picked.out, ["id  name", "7   Dana, W.", "8"]);
    }
}
