use lode_core::export::records::*;
use proptest::prelude::*;

fn count(text: &str) -> u64 {
    let mut records = CsvRecords::default();
    records.feed(text.as_bytes());
    records.count()
}

#[test]
fn line_ends_inside_quotes_end_no_record() {
    for (text, records) in [
        ("", 0),
        ("a,b\n1,2\n", 2),
        ("a,b\r\n1,2\r\n", 2),
        ("a,b\n1,2", 2),
        ("a\n\n\n1\n\n", 2),
        ("a\n\"x\ny\"\n", 2),
        ("a\n\"x\"\"\ny\"\n", 2),
        ("a\n\"\"\n\"\"\"\n\"\n", 3),
        ("a\n5\" pipe\n6\" pipe\n", 3),
        ("\u{feff}\"a\nb\",c\n1,2\n", 2),
        ("a,b\n1,\"x\n", 2),
    ] {
        assert_eq!(count(text), records, "{text:?}");
    }
}

proptest! {
    #[test]
    fn agrees_with_a_reader_that_takes_the_csv_apart(
        cells in proptest::collection::vec(proptest::collection::vec("[a\",\r\n é;]{0,6}", 1..4), 1..20),
        cut in 1usize..9,
    ) {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in &cells {
            writer.write_record(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(&text[..]);
        let expected = reader.byte_records().count() as u64;
        let mut records = CsvRecords::default();
        for piece in text.chunks(cut) {
            records.feed(piece);
        }
        prop_assert_eq!(records.count(), expected);
    }
}
