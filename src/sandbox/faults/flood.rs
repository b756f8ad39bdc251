//! Bodies without a sensible end: a text of any length, or a gzip stream that unpacks to one. Both begin like an answer, so
//! that a reader is tempted to wait for the rest.

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
    let mut bits = Bits::default();
    // The last block, with the fixed code.
    bits.push(0b110, 3);
    for byte in HEAD.iter().chain(b"a") {
        bits.push(0x30 + u32::from(*byte), 8);
    }
    let runs = if bytes == 0 { u64::MAX } else { bytes / RUN };
    let mut done = 0u64;
    let deflated = std::iter::from_fn(move || {
        while done < runs && bits.whole.len() < PIECE {
            bits.push(0b1_1000_1010_0000, 13);
            done += 1;
        }
        let piece = std::mem::take(&mut bits.whole);
        (!piece.is_empty()).then_some(piece)
    });
    std::iter::once(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]).chain(deflated)
}

#[derive(Default)]
struct Bits {
    whole: Vec<u8>,
    open: u32,
    count: u32,
}

impl Bits {
    /// Huffman codes are packed from their most significant bit.
    fn push(&mut self, code: u32, length: u32) {
        for at in (0..length).rev() {
            self.open |= (code >> at & 1) << self.count;
            self.count += 1;
            if self.count == 8 {
                self.whole.push(self.open as u8);
                (self.open, self.count) = (0, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
