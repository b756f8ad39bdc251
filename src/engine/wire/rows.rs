//! The rows of a search answer, read straight into [`Row`]s: no tree of values in between, one set of columns for all rows
//! that carry the same fields in the same order.
//!
//! Every field is kept, in the service's order and spelling: numbers digit by digit, arrays and objects as their JSON text.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::effect::SearchCall;
use lode_core::{CellKind, ColumnNames, Page, Row, RowId, Rows, Source, scrub};

use super::json;

/// Columns of one row that are read. A row with more is not a row of contacts.
const MOST_COLUMNS: usize = 16_384;

/// Reads a JSON array of rows.
pub fn read(source: Source, array: &str) -> Result<Vec<Row>, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(array);
    let mut scratch = Scratch::new(source);
    Array { scratch: &mut scratch }.deserialize(&mut from)?;
    from.end()?;
    Ok(scratch.rows.finish())
}

/// A page as the answer describes it; what it leaves out is as requested. A stride of nothing would never end, so a
/// `limit` is at least one. A total that the rows themselves disprove, a negative one and none at all count as no total: rows
/// are shown whatever is written beside them.
pub fn page(
    call: &SearchCall,
    total: &Value,
    limit: &Value,
    offset: &Value,
    took_ms: &Value,
    rows: Vec<Row>,
) -> Result<Page, serde_json::Error> {
    use serde::de::Error;
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

/// Reads one JSON object as a row.
pub fn read_one(source: Source, object: &str) -> Result<Row, serde_json::Error> {
    let mut scratch = Scratch::new(source);
    OneRow { scratch: &mut scratch }.deserialize(&mut serde_json::Deserializer::from_str(object))?;
    Ok(scratch.rows.finish().pop().expect("whatever stood there became a row"))
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

    fn take_row(&mut self, id: Option<RowId>, unlocked: bool, differs: bool) {
        if differs {
            self.columns = Arc::new(ColumnNames::new(&self.names));
        }
        let mut start = 0;
        let text = &self.text;
        let values = self.ends.iter().map(|(kind, end)| {
            let value = &text[start..*end];
            start = *end;
            (*kind, value)
        });
        self.rows.push(id, unlocked, &self.columns, values);
    }

    /// Something other than an object stands where a row should: it keeps its place, or every later row would be counted at
    /// another.
    fn take_placeholder(&mut self) {
        self.rows.push(None, false, &Arc::new(ColumnNames::new::<&str>([])), []);
    }
}

struct Array<'s> {
    scratch: &'s mut Scratch,
}

impl<'de> DeserializeSeed<'de> for Array<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Array<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        while from.next_element_seed(OneRow { scratch: self.scratch })?.is_some() {}
        Ok(())
    }
}

struct OneRow<'s> {
    scratch: &'s mut Scratch,
}

impl<'de> DeserializeSeed<'de> for OneRow<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneRow<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let scratch = self.scratch;
        scratch.text.clear();
        scratch.ends.clear();
        let (mut id, mut unlocked, mut differs) = (None, false, false);
        while let Some(Name(name)) = from.next_key()? {
            let name = scrub(&name);
            let raw: &RawValue = from.next_value()?;
            let raw = raw.get();
            let at = scratch.ends.len();
            if at == MOST_COLUMNS {
                continue;
            }
            if !differs && scratch.columns.names().get(at).is_none_or(|known| **known != *name) {
                differs = true;
                scratch.names.clear();
                scratch.names.extend(scratch.columns.names()[..at].iter().map(ToString::to_string));
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
                match json::mend_surrogates(raw) {
                    Some(mended) => scratch.text.push_str(&scrub(&mended)),
                    None => scratch.text.push_str(&scrub(raw)),
                }
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
            scratch.names.clear();
            scratch.names.extend(scratch.columns.names()[..scratch.ends.len()].iter().map(ToString::to_string));
        }
        scratch.take_row(id, unlocked, differs);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        while from.next_element::<IgnoredAny>()?.is_some() {}
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.scratch.take_placeholder();
        Ok(())
    }
}

/// A key, borrowed where it needs no decoding.
struct Name<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Name<'de>, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Name<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a column name")
            }
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }
            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        from.deserialize_str(Names)
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
