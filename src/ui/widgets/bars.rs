//! A share as a thin bar, to half a cell.

/// How many of `all` steps a share fills: at least one if it is not nothing, not all of them if it is not all.
fn steps(all: u16, part: u64, whole: u64) -> u16 {
    if whole == 0 || all == 0 {
        return 0;
    }
    let exact = u128::from(part) * u128::from(all) / u128::from(whole);
    u16::try_from(exact).unwrap_or(u16::MAX).clamp(u16::from(part > 0), all - u16::from(part < whole))
}

/// `━━━╸`, without what is missing.
pub fn filled(columns: u16, part: u64, whole: u64) -> String {
    let halves = steps(columns.saturating_mul(2), part, whole);
    "━".repeat(usize::from(halves / 2)) + if halves % 2 == 1 { "╸" } else { "" }
}

/// `━━━╸` and `────`: what is there and what is missing.
pub fn thin(columns: u16, part: u64, whole: u64) -> (String, String) {
    let filled = filled(columns, part, whole);
    let missing = usize::from(columns).saturating_sub(filled.chars().count());
    (filled, "─".repeat(missing))
}

/// Cells of each part of a whole line: at least one for what is not nothing.
pub fn parted(columns: u16, parts: &[u64]) -> Vec<u16> {
    let whole = parts.iter().sum();
    let mut cells: Vec<u16> = parts.iter().map(|part| steps(columns, *part, whole)).collect();
    let used: u16 = cells.iter().sum();
    if let Some(largest) = cells.iter_mut().max() {
        *largest = (*largest + columns).saturating_sub(used);
    }
    cells
}

/// `12%`, never 0 for something and never 100 for less than all.
pub fn percent(part: u64, whole: u64) -> u8 {
    steps(100, part, whole) as u8
}

/// `━━━╸──── 12%`
pub fn with_percent(columns: u16, part: u64, whole: u64) -> String {
    let (filled, missing) = thin(columns, part, whole);
    format!("{filled}{missing} {:>3}%", percent(part, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_to_half_a_cell() {
        assert_eq!(filled(10, 0, 100), "");
        assert_eq!(filled(10, 1, 1_000_000), "╸");
        assert_eq!(filled(10, 25, 100), "━━╸");
        assert_eq!(filled(2, 99, 100), "━╸");
        assert_eq!(filled(2, 100, 100), "━━");
        assert_eq!(
            (parted(10, &[2, 1, 0]), parted(10, &[98, 1, 1]), parted(0, &[1])),
            (vec![7, 3, 0], vec![8, 1, 1], vec![0])
        );
        assert_eq!(thin(4, 3, 8), ("━╸".to_owned(), "──".to_owned()));
        assert_eq!(with_percent(4, 1, 2), "━━──  50%");
        assert_eq!(with_percent(0, 1, 2), "  50%");
        assert_eq!((percent(1, 1000), percent(999, 1000), percent(0, 9), percent(9, 9)), (1, 99, 0, 100));
    }
}
