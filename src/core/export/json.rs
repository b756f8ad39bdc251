//! Rows as JSON objects, field by field as the service sent them: numbers digit by digit, the order kept.

use super::Cell;
use crate::row::{CellKind, Row};

/// One object without a line end.
pub fn push_row(row: &Row, out: &mut Vec<u8>) {
    push_object(row.fields().map(|(name, kind, text)| (name, Cell { kind, text })), out);
}

/// The same as text.
pub fn row_text(row: &Row) -> String {
    let mut line = Vec::with_capacity(320);
    push_row(row, &mut line);
    String::from_utf8(line).unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

pub fn push_object<'a>(fields: impl Iterator<Item = (&'a str, Cell<'a>)>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, cell)) in fields.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_text(name, out);
        out.push(b':');
        match cell.kind {
            CellKind::Text => push_text(cell.text, out),
            CellKind::Json => out.extend_from_slice(cell.text.as_bytes()),
            CellKind::Null => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::ColumnNames;
    use std::sync::Arc;

    #[test]
    fn a_row_is_written_as_it_came() {
        let columns = Arc::new(ColumnNames::new(["id", "na\"me", "note", "tags"]));
        let values = [
            (CellKind::Json, "9007199254740993"),
            (CellKind::Text, "a\\b\u{1}\"é"),
            (CellKind::Null, ""),
            (CellKind::Json, "[1.50]"),
        ];
        let row = Row::new(None, false, columns, values);
        let mut out = Vec::new();
        push_row(&row, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, r#"{"id":9007199254740993,"na\"me":"a\\b\u0001\"é","note":null,"tags":[1.50]}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
