//! The rows of a search answer, read straight into [`Row`]s: no tree of values in between, one set of columns for all rows
//! that carry the same fields in the same order.
//!
//! Every field is kept, in the service's order and spelling: numbers digit by digit, arrays and objects as their JSON text.

use std::sync::Arc;

use super::json::{JsonField, Name};
use super::*;

/// Columns of one row that are read. A row with more is not a row of contacts.
const MOST_COLUMNS: usize = 16_384;

/// Reads a page of either service.
pub fn read_search(call: &SearchCall, head: &Head, body: &[u8]) -> Result<Page, Failure> {
    let source = call.query.side.source;
    let read = json::lenient(body, |text| match source {
        Source::Workspace => workspace::open(text, |data| {
            let [total, limit, offset, took_ms, rows] =
                json::fields(data, ["total", "limit", "offset", "took_ms", "rows"])?;
            page(call, [total, limit, offset, took_ms].map(json::field), rows)
        }),
        Source::Data => {
            let [rows, pagination, took_ms] = json::fields(text, ["data", "pagination", "took_ms"])?;
            let pagination = json::field(pagination);
            let [total, limit, offset] =
                ["total", "limit", "offset"].map(|name| pagination.get(name).cloned().unwrap_or_default());
            page(call, [total, limit, offset, json::field(took_ms)], rows)
        }
    });
    read.map_err(|error| failed(source, head, body, &json::sentence(&error)))
}

/// Reads a JSON array of rows. Something other than an object that stands where a row should keeps its place, or every later row
/// would be counted at another.
fn read(source: Source, array: &str) -> serde_json::Result<Vec<Row>> {
    let mut scratch = Scratch::new(source);
    for row in serde_json::from_str::<Vec<&RawValue>>(array)? {
        if json::is_object(row.get()) {
            scratch.read(row.get())?;
        } else {
            scratch.rows.push(None, false, &Arc::new(ColumnNames::new::<&str>([])), []);
        }
    }
    Ok(scratch.rows.finish())
}

/// Reads one JSON object as a row.
pub fn read_one(source: Source, object: &str) -> serde_json::Result<Row> {
    let mut scratch = Scratch::new(source);
    scratch.read(object)?;
    Ok(scratch.rows.finish().pop().expect("an object is a row"))
}

/// A page as the answer describes it; what it leaves out is as requested. A stride of nothing would never end, so a
/// `limit` is at least one. A total that the rows themselves disprove, a negative one and none at all count as no total: rows
/// are shown whatever is written beside them.
fn page(call: &SearchCall, said: [Value; 4], rows: JsonField<'_>) -> serde_json::Result<Page> {
    let rows = rows.ok_or_else(|| serde_json::Error::custom("it has no rows"))?;
    let rows = read(call.query.side.source, rows.get())?;
    let [total, limit, offset, took_ms] = &said;
    let counted = json::count(total);
    if counted.is_none() && rows.is_empty() && call.offset == 0 {
        return Err(serde_json::Error::custom("it has no total"));
    }
    let applied = json::count(limit).filter(|limit| *limit > 0);
    let offset = json::count(offset).unwrap_or(call.offset);
    let reached = offset.saturating_add(rows.len() as u64);
    let is_negative = json::signed(total).is_some_and(|total| total < 0);
    let total = counted.filter(|total| !is_negative && (rows.is_empty() || *total >= reached));
    Ok(Page {
        total: total.unwrap_or(reached.saturating_add(u64::from(!rows.is_empty()))),
        uncounted: total.is_none(),
        limit: applied.unwrap_or(call.limit).max(1),
        offset,
        took_ms: json::count(took_ms),
        rows,
    })
}

/// What one row after the other is gathered in, so that a page costs few allocations.
struct Scratch {
    source: Source,
    rows: Rows,
    /// The columns of the row before, which those of this one usually are as well.
    columns: Arc<ColumnNames>,
    /// The columns of this row, once they differ from those of the row before.
    names: Vec<String>,
    text: String,
    ends: Vec<(CellKind, usize)>,
}

impl Scratch {
    fn new(source: Source) -> Scratch {
        let columns = Arc::new(ColumnNames::new::<&str>([]));
        let rows = Rows::new(Arc::clone(&columns));
        Scratch { source, rows, columns, names: Vec::new(), text: String::new(), ends: Vec::new() }
    }

    fn read(&mut self, object: &str) -> serde_json::Result<()> {
        serde_json::Deserializer::from_str(object).deserialize_map(self)
    }

    /// Begins the columns of this row with the first `count` of the row before.
    fn keep_names(&mut self, count: usize) {
        self.names.clear();
        self.names.extend(self.columns.names()[..count].iter().map(ToString::to_string));
    }
}

impl<'de> Visitor<'de> for &mut Scratch {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let scratch = self;
        scratch.text.clear();
        scratch.ends.clear();
        let (mut id, mut unlocked, mut differs) = (None, false, false);
        while let Some(Name(name)) = from.next_key()? {
            let name = scrub(&name);
            let raw = from.next_value::<&RawValue>()?.get();
            let at = scratch.ends.len();
            if at == MOST_COLUMNS {
                continue;
            }
            if !differs && scratch.columns.names().get(at).is_none_or(|known| **known != *name) {
                differs = true;
                scratch.keep_names(at);
            }
            if differs {
                scratch.names.push(name.clone().into_owned());
            }
            let kind = if let Some(text) = json::raw_string(raw) {
                scratch.text.push_str(&scrub(&text));
                CellKind::Text
            } else if raw == "null" {
                CellKind::Null
            } else {
                // Inside arrays and objects as well: what is written again must be JSON for the strictest reader.
                let mended = json::mend_surrogates(raw);
                scratch.text.push_str(&scrub(mended.as_deref().unwrap_or(raw)));
                CellKind::Json
            };
            // What is kept is what counts: a row that is written and read again stays what it was.
            let kept = &scratch.text[scratch.ends.last().map_or(0, |(_, end)| *end)..];
            match &*name {
                "id" => id = id.or_else(|| json::row_id(kept).map(RowId)),
                // Only the Workspace knows ownership; a column of that name elsewhere is a column.
                "unlocked" if scratch.source == Source::Workspace => unlocked = matches!(kept, "true" | "1"),
                _ => {}
            }
            scratch.ends.push((kind, scratch.text.len()));
        }
        if !differs && scratch.ends.len() < scratch.columns.names().len() {
            differs = true;
            scratch.keep_names(scratch.ends.len());
        }
        if differs {
            scratch.columns = Arc::new(ColumnNames::new(&scratch.names));
        }
        let (mut start, text) = (0, &scratch.text);
        let values = scratch.ends.iter().map(|(kind, end)| (*kind, &text[std::mem::replace(&mut start, *end)..*end]));
        scratch.rows.push(id, unlocked, &scratch.columns, values);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::row::Known;

    fn rows(array: &str) -> Vec<Row> {
        read(Source::Workspace, array).unwrap()
    }

    #[test]
    fn rows_that_agree_share_their_columns() {
        let rows = rows(
            r#"[{"id":1,"title":"a"},{"id":2,"title":"b"},{"title":"c","id":3},{"title":"d","id":4},{"title":"e"},{"title":"f","id":6,"x":1}]"#,
        );
        assert!(Arc::ptr_eq(rows[0].columns(), rows[1].columns()));
        assert!(!Arc::ptr_eq(rows[1].columns(), rows[2].columns()));
        assert!(Arc::ptr_eq(rows[2].columns(), rows[3].columns()));
        let ids: Vec<_> = rows.iter().map(|row| row.id().map(|id| id.0)).collect();
        assert_eq!(ids, [Some(1), Some(2), Some(3), Some(4), None, Some(6)]);
        let titles: Vec<_> = rows.iter().map(|row| row.known(Known::Title)).collect();
        assert_eq!(titles, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(rows[4].fields().count(), 1);
        assert_eq!(rows[5].named("x"), Some("1"));
    }

    #[test]
    fn fields_are_kept_as_they_came() {
        let rows = rows(
            r#"[{"id":"77","zip":"01234","score":1.50,"big":123456789012345678901234567890,"tags":["a", {"b":null}],"note":null,"ok":true,"né":"e\u0301"}]"#,
        );
        let fields: Vec<_> = rows[0].fields().collect();
        assert_eq!(
            fields,
            [
                ("id", CellKind::Text, "77"),
                ("zip", CellKind::Text, "01234"),
                ("score", CellKind::Json, "1.50"),
                ("big", CellKind::Json, "123456789012345678901234567890"),
                ("tags", CellKind::Json, r#"["a", {"b":null}]"#),
                ("note", CellKind::Null, ""),
                ("ok", CellKind::Json, "true"),
                ("né", CellKind::Text, "e\u{301}"),
            ]
        );
        assert_eq!(rows[0].id(), Some(RowId(77)));
    }

    #[test]
    fn names_and_values_are_scrubbed() {
        let rows = rows(
            &r#"[{"id":1,"ti\u001btle":"Nur\u001b[2Jse\n\u202ex","nested":["a\u001b","OVERRIDE"]}]"#
                .replace("OVERRIDE", "\u{202e}"),
        );
        let fields: Vec<_> = rows[0].fields().skip(1).collect();
        assert_eq!(fields, [("title", CellKind::Text, "Nur[2Jse x"), ("nested", CellKind::Json, r#"["a\u001b",""]"#)]);
    }

    #[test]
    fn a_half_surrogate_spoils_only_its_own_character() {
        let rows = rows(r#"[{"id":1,"title":"Dir\ud800ector \"A\""}]"#);
        assert_eq!(rows[0].known(Known::Title), "Dir\u{fffd}ector \"A\"");
    }

    #[test]
    fn an_entry_other_than_a_row_keeps_its_place() {
        let rows = rows(r#"[null,7,"x",[1],true,1.5,-2,{"id":9}]"#);
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[7].id(), Some(RowId(9)));
        assert!(rows[..7].iter().all(|row| row.id().is_none() && row.fields().count() == 0));
    }

    #[test]
    fn only_the_workspace_says_what_is_owned() {
        let text = r#"[{"id":1,"unlocked":true}]"#;
        assert!(read(Source::Workspace, text).unwrap()[0].unlocked());
        assert!(!read(Source::Data, text).unwrap()[0].unlocked());
    }
}
