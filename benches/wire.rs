//! How fast answers become rows and streams become files: `cargo bench --bench wire`.

use divan::counter::BytesCount;
use lode_core::CellKind;
use lode_core::contact::{Corpus, Side, Source};
use lode_core::export::records::CsvRecords;
use lode_core::export::{ExportWriter, Layout};
use lode_core::query::Query;
use lode_core::scrub::scrub;
use lode_engine::effect::call::{Call, SearchCall};
use lode_engine::wire::{self, Head};

fn main() {
    divan::main();
}

fn body(source: Source) -> Vec<u8> {
    let row = |id: u64| {
        format!(
            r#"{{"id":{id},"company_name":"Quail Run Hospital","first_name":"Tom","last_name":"Beckett","title":"Director of Nursing","city":"Houston","state":"TX","industry":"hospital & health care","email_address":"t•••@quailrun.example","phone":"916•••55","email_domain_type":"corporate","email_status":"valid","unlocked":false,"verification":null,"naics_code":"622110"}}"#
        )
    };
    let rows: Vec<String> = (1..=100).map(row).collect();
    let rows = rows.join(",");
    match source {
        Source::Workspace => format!(
            r#"{{"ok":true,"data":{{"corpus":"us","total":4870,"limit":100,"offset":0,"took_ms":3,"rows":[{rows}]}}}}"#
        ),
        Source::Data => {
            format!(r#"{{"data":[{rows}],"pagination":{{"total":4870,"limit":100,"offset":0}},"took_ms":3}}"#)
        }
    }
    .into_bytes()
}

#[divan::bench(args = [Source::Workspace, Source::Data])]
fn page_of_100_rows(bencher: divan::Bencher, source: Source) {
    let body = body(source);
    let query = Query::new(Side { source, corpus: Corpus::Us });
    let call = Call::Search(SearchCall { query, offset: 0, limit: 100, mark_pulled: false });
    bencher.counter(BytesCount::of_slice(&body)).bench(|| wire::read(&call, &Head::of(200), divan::black_box(&body)));
}

#[divan::bench(args = ["Director of Nursing", "t•••@quailrun.example", "nur\u{1b}[31mse"])]
fn scrub_a_cell(bencher: divan::Bencher, cell: &str) {
    bencher.bench(|| scrub(divan::black_box(cell)).len());
}

fn csv(quoted: bool) -> Vec<u8> {
    let line = if quoted {
        "\"1\",\"Tom\",\"Beckett\",\"Director of Nursing\",\"Quail Run\nHospital\",\"01234\",\"5125550133\"\n"
    } else {
        "1,Tom,Beckett,Director of Nursing,Quail Run Hospital,tom@quailrun.example,01234,5125550133\n"
    };
    line.repeat((4 << 20) / line.len()).into_bytes()
}

#[divan::bench(args = [false, true])]
fn count_records(bencher: divan::Bencher, quoted: bool) {
    let text = csv(quoted);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| {
        let mut records = CsvRecords::default();
        records.feed(divan::black_box(&text));
        records.count()
    });
}

#[divan::bench]
fn contacts_line(bencher: divan::Bencher) {
    let cells =
        ["1", "Tom", "Beckett", "Director of Nursing", "Quail Run Hospital", "tom@quailrun.example", "5125550133"];
    let mut sheet = ExportWriter::new(
        Layout::Contacts,
        ["id", "first_name", "last_name", "title", "company_name", "email", "phone"],
    );
    let mut out = Vec::with_capacity(256);
    bencher.bench_local(|| {
        out.clear();
        sheet.row(&cells.map(|text| (CellKind::Text, text)), &mut out);
        out.len()
    });
}
