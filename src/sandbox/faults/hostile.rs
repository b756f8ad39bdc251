//! Text and numbers that others write into rows, contacts and sheets: what must never reach a terminal, a log or a formula. And
//! bodies without a sensible end: a text of any length, or a gzip stream that unpacks to one. Both begin like an answer, so that a
//! reader is tempted to wait for the rest.

use serde_json::{Map, Value, json};

use super::{DrawnFaults, Fault, Rng};

/// Stands for a lone surrogate until the answer is bytes: no Rust string can hold one, a JSON text can.
const SURROGATE_MARK: char = '\u{e000}';
/// Stands for a number that no type here can hold.
const ABSURD_MARK: &str = "\u{e001}";

/// What belongs into no cell.
const TEXTS: &[&str] = &[
    "\u{1b}[31mred\u{1b}[0m \u{1b}[2J\u{1b}[H",
    "\u{1b}]0;owned title\u{7}",
    "\u{1b}]8;;https://elsewhere.example/\u{7}link\u{1b}]8;;\u{7}",
    "\u{1b}]52;c;cm0gLXJmIH4=\u{7}",
    "\u{1b}]9;buy now\u{1b}\\",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{1b}_Ga=T,f=100;AAAA\u{1b}\\",
    "\u{1b}[6n\u{1b}[c\u{1b}Z\u{5}",
    "\u{1b}c\u{1b}[?1049l\u{e}\u{1b}(0lqk",
    "\u{9b}31mC1\u{9d}0;x\u{9c}\u{90}q\u{9c}",
    "nul\0nul",
    "two\nlines\r\nand\ttabs\u{b}\u{c}",
    "\u{202e}elpmaxe.live@nimda\u{202c}",
    "\u{2066}isolated\u{2069}\u{200f}\u{061c}",
    "zero\u{200b}width\u{feff}joined\u{200d}",
    "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈",
    "株式会社サンドボックス",
    "شركة الصندوق",
    "Z\u{351}\u{36b}\u{343}a\u{34f}\u{321}l\u{334}g\u{322}o\u{361}",
    "=HYPERLINK(\"https://elsewhere.example\",\"click\")",
    "+1-512-555-0133",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1:A9)",
    "\tleading tab",
    "\rleading return",
    "\u{ff1d}1+1",
    "comma, \"quote\" and 'apostrophe'; | \\",
    "../../../../etc/passwd",
    "\u{e000}lone surrogate",
    "<script>alert(1)</script>",
    "%s%n%x {} {0} ${HOME} $(id) `id`",
    "\u{7f}\u{80}\u{85}\u{2028}\u{2029}",
    "-9223372036854775809",
];

/// Ids at the ends of what numbers hold.
const ODD_IDS: &str = r#"[9007199254740991, 9007199254740992, 9007199254740993, 9223372036854775806, 9223372036854775807,
    9223372036854775808, 18446744073709551615, -9223372036854775808, -1, 0, 1e3, 7.5, null, "9007199254740993", "", true, [1]]"#;

/// Totals that a result can hardly have.
const ODD_TOTALS: &str = r#"[0, 1, 80000000, -5, "12", 1e30, 18446744073709551615, 99999999999999999999999, null, []]"#;

/// One of a list in JSON.
fn one_of(list: &str, roll: u64) -> Value {
    let list: Vec<Value> = serde_json::from_str(list).expect("a list in JSON");
    list[(roll % list.len() as u64) as usize].clone()
}

/// What a search draws for its rows, done to this one.
pub fn befall(row: &mut Map<String, Value>, id: u64, drawn: &DrawnFaults) {
    if drawn.has(Fault::Hostile) {
        poison(row, id);
    }
    if drawn.has(Fault::OddIds)
        && let Some(odd) = odd_id(id)
    {
        row.insert("id".into(), odd);
    }
    if drawn.has(Fault::StringIds) {
        row.insert("id".into(), json!(id.to_string()));
    }
}

/// Replaces some fields of a row. The same row is hostile in the same way each time.
fn poison(row: &mut Map<String, Value>, id: u64) {
    let mut rng = Rng::new(id);
    let fields: Vec<_> = row.keys().filter(|field| !["id", "unlocked"].contains(&field.as_str())).cloned().collect();
    if rng.below(16) == 0 {
        fields.iter().for_each(|field| drop(row.insert(field.clone(), Value::Null)));
    }
    for _ in 0..3 {
        let field = &fields[rng.below(fields.len() as u64) as usize];
        row.insert(field.clone(), value(&mut rng));
    }
    match rng.below(6) {
        0 => drop(row.insert("\u{1b}[2Jfield".into(), json!({"deep": {"deeper": [[[["\u{7}"]]]]}}))),
        1 => drop(row.insert("id".into(), json!(id.to_string()))),
        2 => drop(row.insert("score".into(), json!(-1e308))),
        3 => drop(row.insert("also_id".into(), json!(9_007_199_254_740_993u64 + id % 2))),
        _ => {}
    }
}

fn value(rng: &mut Rng) -> Value {
    match rng.below(TEXTS.len() as u64 + 8) {
        0 => Value::Null,
        1 => json!("e\u{301}\u{301}\u{302}\u{303}".repeat(60)),
        2 => json!("W".repeat(10_000)),
        3 => json!(9_223_372_036_854_775_807i64),
        4 => json!(-0.5),
        5 => json!(["a", "list", {"where": "a string belongs"}]),
        6 => json!(true),
        7 => json!(ABSURD_MARK),
        other => json!(TEXTS[other as usize - 8]),
    }
}

/// Replaces what an unlocked contact says of itself, never which one it is or what became of its credit.
pub fn poison_contact(contact: &mut Map<String, Value>, id: u64) {
    let mut rng = Rng::new(id);
    for field in ["email", "phone", "contact_name", "company_name", "title"] {
        if rng.below(2) == 0 {
            contact.insert(field.to_owned(), value(&mut rng));
        }
    }
}

/// What stands in a cell of a sheet instead of its text: none for most.
pub fn cell(id: u64, column: usize) -> Option<&'static str> {
    let mut rng = Rng::new(id.wrapping_mul(31).wrapping_add(column as u64));
    // A lone surrogate is nothing that UTF-8 could write.
    let text = TEXTS[rng.below(TEXTS.len() as u64) as usize];
    (rng.below(4) == 0 && !text.contains(SURROGATE_MARK)).then_some(text)
}

/// A name that another user chose.
pub fn name() -> String {
    TEXTS[..6].join(" Inc ")
}

/// An id that few programs hold, in place of one row's in a few.
fn odd_id(id: u64) -> Option<Value> {
    let mut rng = Rng::new(id);
    let odd = one_of(ODD_IDS, rng.roll());
    (rng.below(4) == 0).then_some(odd)
}

/// A total that few programs hold.
pub fn odd_total(roll: u64) -> Value {
    one_of(ODD_TOTALS, roll)
}

/// Writes what no value here can hold into the bytes of an answer: lone surrogates, numbers past all bounds.
pub fn with_marks(text: String) -> Vec<u8> {
    text.replace(SURROGATE_MARK, "\\ud800").replace(&format!("\"{ABSURD_MARK}\""), "-1e999").into_bytes()
}

/// The beginning of something that could be an answer, before `a` is repeated.
const HEAD: &[u8] = br#"{"ok":true,"data":{"rows":[],"note":""#;
const PIECE: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood {
    /// Length once unpacked; 0 never ends.
    pub bytes: u64,
    pub gzip: bool,
}

impl Flood {
    pub fn pieces(self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        if self.gzip { Box::new(gzip_pieces(self.bytes)) } else { Box::new(plain_pieces(self.bytes)) }
    }
}

fn plain_pieces(bytes: u64) -> impl Iterator<Item = Vec<u8>> {
    let mut left = if bytes == 0 { u64::MAX } else { bytes };
    let endless = std::iter::once(HEAD.to_vec()).chain(std::iter::repeat_with(|| vec![b'a'; PIECE]));
    endless.map_while(move |mut piece| {
        piece.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        left -= piece.len() as u64;
        (!piece.is_empty()).then_some(piece)
    })
}

/// One deflate block with the fixed code: the head as literals, then "the last byte, 258 times more", which takes 13 bits. Eight
/// of those are 13 whole bytes, so the stream repeats itself. It has no end marker and no checksum: a client that gets there
/// has read too much already.
fn gzip_pieces(bytes: u64) -> impl Iterator<Item = Vec<u8>> {
    const RUN: u64 = 258;
    // Huffman codes are packed from their most significant bit.
    let code = |code: u32, length: u32| (0..length).rev().map(move |at| (code >> at & 1) as u8);
    let head = HEAD.iter().chain(b"a").flat_map(move |byte| code(0x30 + u32::from(*byte), 8));
    let runs = 0..if bytes == 0 { u64::MAX } else { bytes / RUN };
    // The last block, with the fixed code.
    let mut bits = code(0b110, 3).chain(head).chain(runs.flat_map(move |_| code(0b1_1000_1010_0000, 13)));
    let mut whole = std::iter::from_fn(move || (0..8).try_fold(0, |byte, at| Some(byte | bits.next()? << at)));
    let deflated = std::iter::from_fn(move || {
        let piece: Vec<u8> = whole.by_ref().take(PIECE).collect();
        (!piece.is_empty()).then_some(piece)
    });
    std::iter::once(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]).chain(deflated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_poisoned_the_same_way_each_time() {
        let row = || {
            let mut row =
                Map::from_iter([("id".into(), json!(5)), ("title".into(), json!("x")), ("city".into(), json!("y"))]);
            poison(&mut row, 5);
            row
        };
        assert_eq!(row(), row());
    }

    #[test]
    fn what_no_value_can_hold_is_written_into_the_text() {
        let text = json!({"a": "\u{e000}b", "c": "\u{e001}"}).to_string();
        assert_eq!(with_marks(text), br#"{"a":"\ud800b","c":-1e999}"#);
    }

    #[test]
    fn every_odd_number_can_be_sent() {
        for (list, length) in [(ODD_IDS, 17), (ODD_TOTALS, 10)] {
            assert_eq!(serde_json::from_str::<Vec<Value>>(list).unwrap().len(), length, "{list}");
        }
        assert!((0..100).any(|id| odd_id(id).is_none()) && (0..100).any(|id| odd_id(id).is_some()));
    }

    #[test]
    fn a_plain_flood_is_as_long_as_asked_or_never_ends() {
        let length: usize = Flood { bytes: 200_000, gzip: false }.pieces().map(|piece| piece.len()).sum();
        assert_eq!(length, 200_000);
        assert_eq!(Flood { bytes: 0, gzip: false }.pieces().take(100).count(), 100);
    }

    #[test]
    fn a_bomb_is_small_on_the_wire() {
        let length: usize = Flood { bytes: 100_000_000, gzip: true }.pieces().map(|piece| piece.len()).sum();
        assert!(length < 700_000, "{length}");
    }
}
