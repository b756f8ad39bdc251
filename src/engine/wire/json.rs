//! Reading JSON that may not be quite JSON, and values that may not be quite what was promised: a byte order mark, bytes
//! that are not UTF-8, half surrogate pairs, numbers written as strings, null where a value was expected.
//!
//! What a field means is not known here.

use super::*;

/// The body as text: a byte order mark is dropped, bytes that are not UTF-8 become replacement characters.
pub fn text(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body))
}

/// Reads the body with `read`; where it does not parse and holds half surrogate pairs, once more with those replaced.
pub fn lenient<T>(body: &[u8], read: impl Fn(&str) -> serde_json::Result<T>) -> serde_json::Result<T> {
    let text = text(body);
    read(&text).or_else(|error| mend_surrogates(&text).map_or(Err(error), |mended| read(&mended)))
}

pub fn value(body: &[u8]) -> serde_json::Result<Value> {
    lenient(body, loosely)
}

/// JSON of which a part may have no reading, such as a number past all bounds: that part is null and spoils nothing beside it.
/// Anything but JSON is an error.
pub fn loosely(text: &str) -> serde_json::Result<Value> {
    let in_parts = || serde_json::from_str::<&RawValue>(text).map(|raw| part_by_part(raw.get(), 0));
    serde_json::from_str(text).or_else(|error| in_parts().map_err(|_| error))
}

/// Deeper levels are not searched.
const DEEPEST: usize = 16;

fn part_by_part(raw: &str, depth: usize) -> Value {
    if let Ok(value) = serde_json::from_str(raw) {
        return value;
    }
    let inner = |part: &RawValue| part_by_part(part.get(), depth + 1);
    match raw.as_bytes().first() {
        _ if depth == DEEPEST => Value::Null,
        Some(b'"') => raw_string(raw).map_or(Value::Null, |text| Value::String(text.into_owned())),
        Some(b'[') => {
            let parts: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
            parts.into_iter().map(inner).collect()
        }
        Some(b'{') => {
            let mended = mend_surrogates(raw);
            let parts: BTreeMap<String, &RawValue> =
                serde_json::from_str(mended.as_deref().unwrap_or(raw)).unwrap_or_default();
            parts.into_iter().map(|(name, part)| (name, inner(part))).collect()
        }
        _ => Value::Null,
    }
}

/// The text with every escaped half of a surrogate pair replaced by U+FFFD; none if there is none.
pub fn mend_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(step) = memchr::memchr(b'\\', &bytes[at..]) {
        at += step;
        let Some(unit) = escaped_unit(bytes, at) else {
            // Any other escape: two bytes that belong together, so that `\\u` is not taken for `\u`.
            at = (at + 2).min(bytes.len());
            continue;
        };
        let pair = (0xd800..0xdc00).contains(&unit)
            && escaped_unit(bytes, at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low));
        if !pair && (0xd800..0xe000).contains(&unit) {
            out.extend([&text[copied..at], "\\ufffd"]);
            copied = at + 6;
        }
        at += if pair { 12 } else { 6 };
    }
    (copied > 0).then(|| out + &text[copied..])
}

fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The decoded, not yet scrubbed text of a raw JSON string; none if it is not a string.
pub fn raw_string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let decoded = lenient(raw.as_bytes(), |text| serde_json::from_str::<String>(text));
    Some(Cow::Owned(decoded.unwrap_or_else(|_| inner.to_owned())))
}

/// A number as it is spelled, also in a string.
fn spelled(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// A whole number, also written as a string or as `12.0`. Numbers past the ends of `i128` have no reading.
pub fn integer(value: &Value) -> Option<i128> {
    let text = spelled(value)?;
    let float = || text.parse().ok().filter(|float: &f64| float.is_finite() && float.fract() == 0.0);
    text.parse().ok().or_else(|| float().map(|float| float as i128))
}

/// A count that cannot be negative: absurd ones are held at the ends of `u64`.
pub fn count(value: &Value) -> Option<u64> {
    integer(value).map(|whole| whole.clamp(0, i128::from(u64::MAX)) as u64)
}

pub fn signed(value: &Value) -> Option<i64> {
    integer(value).map(|whole| whole.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
}

/// The whole part of an amount of credits: a fraction is rounded down, because it buys nothing.
pub fn credits(value: &Value) -> Option<i64> {
    let fraction = || spelled(value)?.parse().ok().filter(|amount: &f64| amount.is_finite());
    signed(value).or_else(|| fraction().map(|amount| amount.floor() as i64))
}

/// Yes or no, also as `"true"`, `1` or `"1"`.
pub fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" | "" => Some(false),
            _ => None,
        },
        Value::Number(number) => number.as_i64().map(|number| number != 0),
        _ => None,
    }
}

/// A scrubbed text of a scalar; none for null, arrays and objects.
pub fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(scrub(text).into_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The id of a row: a JSON integer or a string of one, in its plain form and within `i64`. Anything else is not an id: a number
/// that only looks like one (`7.0`, `007`) might name another row when sent back.
pub fn row_id(raw: &str) -> Option<i64> {
    let digits = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw);
    let plain = match digits.strip_prefix('-').unwrap_or(digits).as_bytes() {
        [b'0'] => !digits.starts_with('-'),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    plain.then(|| digits.parse().ok()).flatten()
}

/// What is wrong with JSON, in words without positions in a text that is not shown.
pub fn sentence(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Eof => "it ends in the middle".to_owned(),
        serde_json::error::Category::Syntax => "it is not JSON".to_owned(),
        _ => scrub_to(error.to_string().split(" at line ").next().unwrap_or_default(), 120),
    }
}

/// A field that may be missing, read loosely later.
pub type JsonField<'a> = Option<&'a RawValue>;

/// The loose reading of a field: missing is null. Half a surrogate pair or a number past all bounds, anywhere inside, is the
/// loss of that piece and of nothing else.
pub fn field(raw: JsonField<'_>) -> Value {
    raw.map_or(Value::Null, |raw| part_by_part(raw.get(), 0))
}

/// The named fields of an object; `None` where one is missing or null. Anything but an object is an error, and so is a field that is
/// there twice: which of the two counts cannot be known.
pub fn fields<'a, const N: usize>(text: &'a str, names: [&'static str; N]) -> serde_json::Result<[JsonField<'a>; N]> {
    if !is_object(text) {
        return Err(Error::custom("it is not an object"));
    }
    let mut from = serde_json::Deserializer::from_str(text);
    let found = from.deserialize_map(Named(names))?;
    from.end().map(|()| found)
}

struct Named<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Visitor<'de> for Named<N> {
    type Value = [JsonField<'de>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(Name(name)) = from.next_key()? {
            let Some(at) = self.0.iter().position(|wanted| *wanted == name) else {
                from.next_value::<IgnoredAny>()?;
                continue;
            };
            if found[at].replace(from.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(self.0[at]));
            }
        }
        Ok(found.map(Option::flatten))
    }
}

/// A key of an object, borrowed where it needs no decoding.
#[derive(Deserialize)]
pub(super) struct Name<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// Whether the text is a JSON object, without reading it.
pub fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn half_surrogates_are_mended_and_whole_pairs_kept() {
        let broken = r#"{"a":"x\ud800y","b":"\ud83d\ude00","c":"\\ud800","d":"\udc00"}"#;
        assert!(serde_json::from_str::<Value>(broken).is_err());
        let read = value(broken.as_bytes()).unwrap();
        assert_eq!(read, json!({"a": "x\u{fffd}y", "b": "😀", "c": "\\ud800", "d": "\u{fffd}"}));
        assert_eq!(mend_surrogates(r"\"), None);
        assert_eq!(mend_surrogates(r"\u12"), None);
    }

    #[test]
    fn one_piece_without_a_reading_spoils_only_itself() {
        let text = r#"{"a":[{"id":1,"n":"x\ud800y"},{"id":2,"n":1e999},{"id":3}],"b":true}"#;
        let wanted = json!({"a": [{"id": 1, "n": "x\u{fffd}y"}, {"id": 2, "n": null}, {"id": 3}], "b": true});
        assert_eq!(value(text.as_bytes()).unwrap(), wanted);
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        assert_eq!(field(Some(raw)), wanted);
        let deep = format!("{}1e999{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(value(deep.as_bytes()).is_ok(), "no depth breaks the stack");
        assert!(value(b"{\"a\":1e999").is_err(), "what is no JSON is none");
    }

    #[test]
    fn a_byte_order_mark_and_foreign_bytes_are_survived() {
        let read = value(b"\xef\xbb\xbf{\"name\":\"Caf\xe9\"}").unwrap();
        assert_eq!(read, json!({"name": "Caf\u{fffd}"}));
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        assert_eq!(count(&json!("80013442")), Some(80_013_442));
        assert_eq!(count(&json!(-3)), Some(0));
        assert_eq!(count(&json!(1e30)), Some(u64::MAX));
        assert_eq!(count(&json!(12.0)), Some(12));
        assert_eq!(count(&json!(null)), None);
        assert_eq!(count(&json!("many")), None);
        assert_eq!(signed(&json!("-5")), Some(-5));
        assert_eq!(truth(&json!("1")), Some(true));
        assert_eq!(truth(&json!(0)), Some(false));
    }

    #[test]
    fn ids_are_plain_integers_within_i64_or_none() {
        assert_eq!(row_id("9007199254740993"), Some(9_007_199_254_740_993));
        assert_eq!(row_id("\"42\""), Some(42));
        assert_eq!(row_id("-1"), Some(-1));
        assert_eq!(row_id("0"), Some(0));
        assert_eq!(row_id("9223372036854775807"), Some(i64::MAX));
        for odd in
            ["9223372036854775808", "7.0", "1e3", "\"007\"", "\" 7\"", "\"+7\"", "-0", "null", "\"\"", "true", "[7]"]
        {
            assert_eq!(row_id(odd), None, "{odd}");
        }
    }
}
