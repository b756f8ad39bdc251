//! Text and numbers that strangers write into a row: what must never reach a terminal, a log or a formula.

use serde_json::{Map, Value, json};

use super::Dice;

/// Stands for a lone surrogate until the answer is bytes: no Rust string can hold one, a JSON text can.
const SURROGATE_MARK: char = '\u{e000}';

/// Replaces some fields of a row. The same row is hostile in the same way each time.
pub fn poison(row: &mut Map<String, Value>, id: u64) {
    let mut dice = Dice::new(id);
    let fields: Vec<String> =
        row.keys().filter(|field| !["id", "unlocked"].contains(&field.as_str())).cloned().collect();
    for _ in 0..3 {
        let field = &fields[dice.below(fields.len() as u64) as usize];
        row.insert(field.clone(), value(&mut dice));
    }
    match dice.below(6) {
        0 => drop(row.insert("\u{1b}[2Jfield".into(), json!({"deep": {"deeper": [[[["\u{7}"]]]]}}))),
        1 => drop(row.insert("id".into(), json!(id.to_string()))),
        2 => drop(row.insert("score".into(), json!(-1e308))),
        3 => drop(row.insert("also_id".into(), json!(9_007_199_254_740_993u64 + id % 2))),
        _ => {}
    }
}

fn value(dice: &mut Dice) -> Value {
    let texts: &[&str] = &[
        "\u{1b}[31mred\u{1b}[0m \u{1b}[2J\u{1b}[H",
        "\u{1b}]0;owned title\u{7}",
        "\u{1b}]8;;https://elsewhere.example/\u{7}link\u{1b}]8;;\u{7}",
        "\u{1b}]52;c;cm0gLXJmIH4=\u{7}",
        "\u{1b}P+q544e\u{1b}\\",
        "\u{9b}31mC1\u{9d}0;x\u{9c}",
        "nul\0nul",
        "two\nlines\r\nand\ttabs\u{b}\u{c}",
        "\u{202e}elpmaxe.live@nimda\u{202c}",
        "\u{2066}isolated\u{2069}\u{200f}\u{061c}",
        "zero\u{200b}width\u{feff}joined\u{200d}",
        "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈",
        "株式会社サンドボックス",
        "شركة الصندوق",
        "=HYPERLINK(\"https://elsewhere.example\",\"click\")",
        "+1-512-555-0133",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(A1:A9)",
        "\tleading tab",
        "\rleading return",
        "comma, \"quote\" and 'apostrophe'; | \\",
        "../../../../etc/passwd",
        "\u{e000}lone surrogate",
        "<script>alert(1)</script>",
        "%s%n%x {} {0} ${HOME} $(id) `id`",
        "\u{7f}\u{80}\u{85}\u{2028}\u{2029}",
    ];
    match dice.below(texts.len() as u64 + 7) {
        0 => Value::Null,
        1 => json!("e\u{301}\u{301}\u{302}\u{303}".repeat(60)),
        2 => json!("W".repeat(10_000)),
        3 => json!(9_223_372_036_854_775_807i64),
        4 => json!(-0.5),
        5 => json!(["a", "list", {"where": "a string belongs"}]),
        6 => json!(true),
        other => json!(texts[other as usize - 7]),
    }
}

/// Writes the lone surrogates into the bytes of an answer.
pub fn with_surrogates(text: String) -> Vec<u8> {
    text.replace(SURROGATE_MARK, "\\ud800").into_bytes()
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
    fn a_lone_surrogate_is_written_as_an_escape() {
        assert_eq!(with_surrogates(json!({"a": "\u{e000}b"}).to_string()), br#"{"a":"\ud800b"}"#);
    }
}
