//! Numbers in sequences, digit by digit: a frame has a hundred of them, and none needs what formatting can do.

/// How many digits a number has.
fn digits(number: u16) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

pub(super) fn append(out: &mut Vec<u8>, number: u16) {
    let mut rest = number;
    let mut place = 10u16.pow(digits(number) as u32 - 1);
    while place > 0 {
        out.push(b'0' + (rest / place) as u8);
        rest %= place;
        place /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_written_as_it_is_read() {
        for number in 0..=u16::MAX {
            let mut out = Vec::new();
            append(&mut out, number);
            assert_eq!((out.as_slice(), out.len()), (number.to_string().as_bytes(), digits(number)));
        }
    }
}
