//! `--fields` and `--csv`: the JSON lines of any command, cut to some fields or written as a table of commas.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use lode_core::plain_cell;

use super::{Format, Head, OutputTable};

/// Rows that are held in memory at most, to find the columns of a CSV or the best of a search.
pub const MOST_HELD: usize = 50_000;

/// How the lines of a command are printed, where that was chosen.
#[derive(Debug)]
pub struct Pick {
    fields: Vec<String>,
    form: Form,
    /// The person named the fields.
    named: bool,
    /// Rows of a CSV that wait until it is known which columns there are. None once that is known.
    held: Option<Vec<Map<String, Value>>>,
    /// Every field that a row had.
    seen: Seen,
    /// The head of the CSV is printed.
    headed: bool,
}

#[derive(Debug)]
enum Form {
    Json,
    Csv,
    Table(OutputTable),
}

/// Lines for the output, and for the error stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Picked {
    pub out: Vec<String>,
    pub aside: Vec<String>,
    pub warning: Option<String>,
}

impl Pick {
    /// None where neither flag was given. `columns` are those of a command whose lines are printed as they come, because what they
    /// say was paid for; without them a CSV waits for the last row, so that each field has a column.
    pub fn new(fields: &[String], csv: bool, format: Format, columns: Vec<String>) -> Option<Pick> {
        let form = match format {
            _ if csv => Form::Csv,
            _ if fields.is_empty() => return None,
            _ => {
                let heads = fields.iter().map(|field| Head::text(Cow::Owned(field.clone()), 1, 60));
                format.table(heads).map_or(Form::Json, Form::Table)
            }
        };
        let named = !fields.is_empty();
        let fields = if named { fields.to_vec() } else { columns };
        let held = fields.is_empty().then(Vec::new);
        Some(Pick { fields, form, named, held, seen: Seen::default(), headed: false })
    }

    pub fn lines(&mut self, lines: &[String]) -> Picked {
        let mut picked = Picked::default();
        let mut rows: Vec<Map<String, Value>> = Vec::new();
        for line in lines {
            let Ok(Value::Object(row)) = serde_json::from_str::<Value>(line) else {
                picked.out.push(line.clone());
                continue;
            };
            // The summary at the end is not a row of the table.
            if row.len() == 1 && row.values().all(Value::is_object) {
                let place = if matches!(self.form, Form::Csv) { &mut picked.aside } else { &mut picked.out };
                place.push(line.clone());
                continue;
            }
            self.seen.row(&row);
            rows.push(row);
        }
        match &mut self.held {
            Some(held) => {
                held.append(&mut rows);
                if held.len() >= MOST_HELD {
                    self.release(&mut picked);
                }
            }
            None => self.print(&rows, &mut picked),
        }
        picked
    }

    /// The rows that waited for the end, and what is to be said of the fields.
    pub fn end(&mut self) -> Picked {
        let mut picked = Picked::default();
        self.release(&mut picked);
        picked.warning = if self.named {
            let unknown: Vec<&str> =
                self.fields.iter().map(|field| &**field).filter(|field| !self.seen.has(field)).collect();
            let names: Vec<&str> = self.seen.fields.iter().map(|field| field.name.as_str()).collect();
            (!unknown.is_empty() && !names.is_empty())
                .then(|| format!("no field {}; there are {}", unknown.join(", "), names.join(", ")))
        } else {
            let late: Vec<_> = self.seen.columns().into_iter().filter(|column| !self.fields.contains(column)).collect();
            (!late.is_empty()).then(|| {
                format!("these fields came after the head was printed and are not in the CSV: {}", late.join(", "))
            })
        };
        picked
    }

    /// The columns are those of all rows so far. From here on rows are printed as they come.
    fn release(&mut self, picked: &mut Picked) {
        if let Some(held) = self.held.take_if(|held| !held.is_empty()) {
            self.fields = self.seen.columns();
            self.print(&held, picked);
        }
    }

    fn print(&mut self, rows: &[Map<String, Value>], picked: &mut Picked) {
        if rows.is_empty() {
            return;
        }
        let value = |row, field| find(row, field).cloned().unwrap_or_default();
        let rows = rows.iter().map(|row| self.fields.iter().map(|field| value(row, field)).collect::<Vec<_>>());
        match &mut self.form {
            Form::Json => {
                let line = |row: Vec<Value>| Value::Object(self.fields.iter().cloned().zip(row).collect()).to_string();
                picked.out.extend(rows.map(line));
            }
            Form::Csv => {
                if !std::mem::replace(&mut self.headed, true) {
                    picked.out.push(record(self.fields.iter().cloned()));
                }
                picked.out.extend(rows.map(|row| record(row.iter().map(cell))));
            }
            Form::Table(table) => {
                let rows: Vec<Vec<String>> = rows.map(|row| row.iter().map(cell).collect()).collect();
                picked.out.splice(0..0, table.lines(&rows));
            }
        }
    }
}

/// The fields of all rows, in the order in which they first appear.
#[derive(Debug, Default)]
struct Seen {
    fields: Vec<Field>,
    places: HashMap<String, usize>,
}

#[derive(Debug)]
struct Field {
    name: String,
    /// A row has a value here that is not an object.
    plain: bool,
    /// The fields of the objects that rows have here.
    inner: Vec<String>,
}

impl Seen {
    fn row(&mut self, row: &Map<String, Value>) {
        for (name, value) in row {
            let at = self.places.get(name).copied().unwrap_or_else(|| {
                self.places.insert(name.clone(), self.fields.len());
                self.fields.push(Field { name: name.clone(), plain: false, inner: Vec::new() });
                self.fields.len() - 1
            });
            let field = &mut self.fields[at];
            match value {
                Value::Object(object) if !object.is_empty() => {
                    let new: Vec<&String> = object.keys().filter(|name| !field.inner.contains(name)).collect();
                    field.inner.extend(new.into_iter().cloned());
                }
                Value::Null => {}
                _ => field.plain = true,
            }
        }
    }

    /// In a CSV an object becomes a column for each of its fields.
    fn columns(&self) -> Vec<String> {
        let of = |field: &Field| {
            let own = (field.plain || field.inner.is_empty()).then(|| field.name.clone());
            own.into_iter().chain(field.inner.iter().map(|inner| format!("{}.{inner}", field.name))).collect::<Vec<_>>()
        };
        self.fields.iter().flat_map(of).collect()
    }

    /// Whether a row had this field; of a path only its first two names are looked at.
    fn has(&self, field: &str) -> bool {
        self.places.contains_key(field)
            || field.split_once('.').is_some_and(|(first, rest)| {
                let inner = self.places.get(first).map(|at| &self.fields[*at].inner);
                let rest = rest.split('.').next().unwrap_or(rest);
                inner.is_some_and(|inner| inner.iter().any(|name| name == rest))
            })
    }
}

/// A field by its name, or by a path with dots.
fn find<'a>(row: &'a Map<String, Value>, field: &str) -> Option<&'a Value> {
    row.get(field).or_else(|| {
        let (first, rest) = field.split_once('.')?;
        find(row.get(first)?.as_object()?, rest)
    })
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
        let mut pick = Pick::new(&fields, csv, format, Vec::new()).unwrap();
        let (mut first, last) = (pick.lines(&lines), pick.end());
        first.out.extend(last.out);
        Picked { warning: last.warning, ..first }
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
        assert_eq!(picked.warning.unwrap(), "no field nmae; there are id, name, org, tags");
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
    fn a_csv_has_the_columns_of_all_rows_that_fit_in_memory() {
        let mut pick = Pick::new(&[], true, Format::Json, Vec::new()).unwrap();
        let row = |id: usize, more: &str| vec![format!(r#"{{"id":{id}{more}}}"#)];
        for id in 1..MOST_HELD {
            assert_eq!(pick.lines(&row(id, "")), Picked::default());
        }
        let first = pick.lines(&row(MOST_HELD, r#","a":{"b":1}"#)).out;
        assert_eq!((first.len(), &*first[0], &*first[MOST_HELD]), (MOST_HELD + 1, "id,a.b", "50000,1"));
        // From here on the head is fixed.
        assert_eq!(pick.lines(&row(7, r#","c":2"#)).out, ["7,"]);
        let end = pick.end();
        assert!(end.out.is_empty() && end.warning.unwrap().ends_with("are not in the CSV: c"));
    }

    #[test]
    fn columns_that_are_known_are_printed_with_the_first_row() {
        let columns = vec!["id".to_owned(), "late".to_owned()];
        let mut pick = Pick::new(&[], true, Format::Json, columns).unwrap();
        assert_eq!(pick.lines(&[r#"{"id":7}"#.to_owned()]).out, ["id,late", "7,"]);
        assert_eq!(pick.end(), Picked::default());
    }

    #[test]
    fn a_table_has_the_fields_as_columns() {
        let picked = pick(&["id", "name"], false, Format::Table { width: 40, bold: false }, &ROWS);
        assert_eq!(picked.out, ["id  name", "7   Dana, W.", "8"]);
    }
}
