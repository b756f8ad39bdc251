//! The first record of an export: it tells a CSV of contacts from what else a service or a proxy may send under that name.

use lode_core::export::preset::is_head;

/// The longest beginning that is searched for a head.
pub(super) const LONGEST: usize = 1 << 20;

/// Whether these bytes begin with a head. Fails with what they are instead.
pub(super) fn check(bytes: &[u8]) -> Result<(), &'static str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match bytes.trim_ascii_start().first() {
        None => return Err("nothing"),
        Some(b'<') => return Err("a web page"),
        Some(b'{' | b'[') => return Err("JSON"),
        Some(_) => {}
    }
    let mut first = csv::ByteRecord::new();
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(bytes);
    let read = reader.read_byte_record(&mut first).is_ok();
    let cells: Vec<_> = first.iter().map(String::from_utf8_lossy).collect();
    if read && is_head(&cells) { Ok(()) } else { Err("text without a known column") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_names_a_column_of_a_contact() {
        let heads: [&[u8]; 8] = [
            b"id\n1\n",
            b"\xef\xbb\xbf\"Record ID\",\"x\"\r\n",
            b"a,b,E-mail Address\n",
            b"name;company\n",
            b"x\tphone",
            b"\n\ntitle,level\n",
            b"\"na\nme\",zip\n",
            b"city",
        ];
        for head in heads {
            assert_eq!(check(head), Ok(()), "{}", String::from_utf8_lossy(head));
        }
        for (text, is) in [
            ("", "nothing"),
            (" \n", "nothing"),
            ("{\"email\":\"x\"}", "JSON"),
            ("\u{feff}[\"id\",\"email\"]", "JSON"),
            (" <html>\nemail,phone", "a web page"),
            ("Internal error\nemail,phone\n", "text without a known column"),
            ("color,size\n", "text without a known column"),
        ] {
            assert_eq!(check(text.as_bytes()), Err(is), "{text}");
        }
    }
}
