//! The clipboard of the person's own terminal, also over SSH: OSC 52. Terminals do not answer, so success cannot be confirmed.

/// What terminals take at most.
const LONGEST: usize = 74_000;

/// None where the text is longer than terminals take.
pub fn copy(text: &str) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut out = b"\x1b]52;c;".to_vec();
    encode(text.as_bytes(), &mut out);
    out.push(7);
    Some(out)
}

fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let group = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for place in 0..4 {
            if place > chunk.len() {
                out.push(b'=');
            } else {
                out.push(LETTERS[(group >> (18 - 6 * place) & 63) as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_base64() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar•", "Zm9vYmFy4oCi")]
        {
            let bytes = copy(plain).unwrap();
            assert_eq!(String::from_utf8(bytes).unwrap(), format!("\x1b]52;c;{coded}\x07"));
        }
        assert!(copy(&"x".repeat(100_000)).is_none());
    }
}
