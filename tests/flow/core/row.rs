use std::sync::Arc;

use lode_core::contact::RowId;
use lode_core::row::*;

#[test]
fn values_come_back_as_they_went_in() {
    let columns = Arc::new(ColumnNames::new(["id", "first_name", "last_name", "note", "email_address", "score"]));
    let row = Row::new(
        Some(RowId(7)),
        false,
        columns,
        [
            (CellKind::Json, "7"),
            (CellKind::Text, "Dana"),
            (CellKind::Text, ""),
            (CellKind::Null, ""),
            (CellKind::Text, "d•••@lakeside.example"),
            (CellKind::Json, "1.50"),
        ],
    );
    assert_eq!(row.name(), "Dana");
    assert_eq!(row.email_domain(), Some("lakeside.example"));
    assert_eq!(row.named("score"), Some("1.50"));
    assert_eq!(row.named("nothing"), None);
    let fields = Fields::of(&row);
    for name in row.columns().names() {
        assert_eq!(fields.named(name), row.named(name), "{name}");
    }
    assert_eq!((fields.known(Known::Email), fields.known(Known::Title)), ("d•••@lakeside.example", ""));
    let kinds: Vec<CellKind> = row.fields().map(|(_, kind, _)| kind).collect();
    assert_eq!(kinds, [CellKind::Json, CellKind::Text, CellKind::Text, CellKind::Null, CellKind::Text, CellKind::Json]);
}

/// Rows of three kinds of columns, of any length, pushed and copied alternately.
#[test]
fn rows_read_as_they_were_written_however_they_were_packed() {
    let columns: Vec<Arc<ColumnNames>> = [vec![], vec!["one"], vec!["a", "b", "c", "d", "e"]]
        .into_iter()
        .map(|names| Arc::new(ColumnNames::new(names)))
        .collect();
    let mut rng = 11_u64;
    let mut roll = |below: usize| {
        rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (rng >> 33) as usize % below
    };
    let kinds = [CellKind::Text, CellKind::Json];
    let lengths = [0, 1, 20, 31, 32, 62, 63, 64, 255, 256, 300, 20_000, 70_000];
    let mut plain = Vec::new();
    let mut rows = Rows::new(Arc::clone(&columns[2]));
    for at in 0..1_200_i64 {
        let columns = &columns[if roll(80) == 0 { roll(3) } else { 2 }];
        let count = if roll(4) == 0 { roll(columns.names().len() + 1) } else { columns.names().len() };
        let values: Vec<(CellKind, String)> = (0..count)
            .map(|_| {
                let length = if roll(60) == 0 { lengths[roll(lengths.len())] } else { roll(30) };
                let text = "é1ab".chars().cycle().skip(roll(4)).take(length).collect();
                if roll(9) == 0 { (CellKind::Null, String::new()) } else { (kinds[roll(2)], text) }
            })
            .collect();
        let id = (roll(9) > 0).then_some(RowId(at));
        let borrowed = values.iter().map(|(kind, text)| (*kind, text.as_str()));
        let alone = Row::new(id, at % 2 == 0, Arc::clone(columns), borrowed.clone());
        rows.push(id, at % 2 == 0, columns, borrowed);
        plain.push((id, columns, values, alone));
    }
    let rows = rows.finish();
    let whole = Rows::copies(&rows, Some(&rows[0]));
    // Runs of any length, also those that are too short to be copied as they lie.
    let mut at = 0;
    let mut parts = Vec::new();
    while at < rows.len() {
        let end = rows.len().min(at + 1 + roll(90));
        parts.extend(Rows::copies(&rows[at..end], parts.last()));
        at = end;
    }
    let again = Rows::copies(&parts, None);
    let all = [&rows, &whole, &parts, &again];
    assert_eq!(all.map(Vec::len), [1_200; 4]);
    for (place, (id, columns, values, alone)) in plain.iter().enumerate() {
        for row in all.map(|rows| &rows[place]).into_iter().chain([alone]) {
            assert_eq!((row.id(), row.columns()), (*id, *columns));
            let read: Vec<(CellKind, String)> = row.fields().map(|(_, kind, text)| (kind, text.to_owned())).collect();
            assert_eq!(read, *values);
            for at in 0..6 {
                assert_eq!(row.at(at), values.get(at).map(|(kind, text)| (*kind, text.as_str())));
            }
            assert_eq!((row, row == alone), (alone, true));
        }
    }
    assert!(rows.windows(2).any(|two| two[0].shares_block(&two[1])), "rows that follow each other are neighbors");
    assert!(!rows[0].shares_block(&rows[1_199]), "a block is not endless");
    for rows in [&whole, &parts, &again] {
        let others = all.iter().filter(|other| !std::ptr::eq(**other, rows)).flat_map(|other| other.iter());
        assert!(!others.clone().any(|other| other.shares_block(&rows[600])), "a copy keeps no other block in memory");
    }
    assert!(rows.iter().any(|row| !row.common_text().is_empty()), "no row has anything in common with another");
}

#[test]
fn what_many_rows_have_in_common_is_written_once() {
    let columns = Arc::new(ColumnNames::new(["id", "industry", "note"]));
    let mut rows = Rows::new(Arc::clone(&columns));
    for at in 0..100 {
        let (id, note) = (at.to_string(), format!("note {at}"));
        let industry = if at == 7 { "Banking" } else { "Hospital & Health Care" };
        rows.push(
            None,
            false,
            &columns,
            [(CellKind::Json, &*id), (CellKind::Text, industry), (CellKind::Text, &*note)],
        );
    }
    let rows = rows.finish();
    assert_eq!(rows[0].common_text(), b"Hospital & Health Care");
    assert_eq!(rows[8].own_text(), b"8note 8");
    assert_eq!(rows[7].own_text(), b"7Bankingnote 7");
    assert_eq!(rows[8].named("industry"), Some("Hospital & Health Care"));
    let all = rows[8].common_values(|value| value.starts_with("Hosp"));
    assert_eq!([7, 8].map(|at| rows[at].has_common(all)), [false, true]);
}
