//! An answered request as text: what is kept of it, so that a run that was cut off goes on where it was.
//!
//! The first line says where the page stood; each line after it is a row. A row that no account needs is only its id.

use serde_json::{Value, json};

use crate::wire::rows::read_one;
use lode_core::contact::Source;
use lode_core::export::json::push_row;
use lode_core::page::Page;
use lode_core::row::Row;

/// `needed` decides which rows are kept whole.
pub(super) fn write(limit: u64, page: &Page, needed: impl Fn(&Row) -> bool) -> String {
    let head = json!({
        "asked": limit, "total": page.total, "limit": page.limit, "offset": page.offset, "uncounted": page.uncounted,
    });
    let mut text = head.to_string().into_bytes();
    for row in &page.rows {
        text.push(b'\n');
        match row.id().filter(|_| !needed(row)) {
            Some(id) => text.extend_from_slice(format!("{{\"id\":{id}}}").as_bytes()),
            None => push_row(row, &mut text),
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The limit that was asked for, and the page. `None` where the text is not what [`write`] makes.
pub(super) fn read(source: Source, text: &str) -> Option<(u64, Page)> {
    let mut lines = text.split('\n');
    let head: Value = serde_json::from_str(lines.next()?).ok()?;
    let number = |name: &str| head[name].as_u64();
    let rows = lines.map(|line| read_one(source, line).ok()).collect::<Option<Vec<Row>>>()?;
    let (total, limit, offset) = (number("total")?, number("limit")?, number("offset")?);
    let page = Page { total, limit, offset, uncounted: head["uncounted"].as_bool()?, took_ms: None, rows };
    Some((number("asked")?, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_comes_back_as_it_was() {
        let rows = [r#"{"id":7,"company_name":"Ünï \"x\"\nInc","score":1.50,"unlocked":false}"#, r#"{"id":8}"#];
        let rows: Vec<Row> = rows.iter().map(|row| read_one(Source::Data, row).unwrap()).collect();
        let page = Page { total: 9, limit: 100, offset: 2, rows, ..Page::default() };
        assert_eq!(read(Source::Data, &write(100, &page, |_| true)), Some((100, page.clone())));
        let (_, short) = read(Source::Data, &write(100, &page, |_| false)).unwrap();
        assert_eq!(short.rows.iter().map(|row| row.id().unwrap().0).collect::<Vec<_>>(), [7, 8]);
        assert_eq!(short.rows[0].fields().count(), 1);
        assert_eq!(read(Source::Data, "nothing"), None);
    }
}
