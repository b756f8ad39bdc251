//! A share as a bar of blocks.

use crate::ui::theme::Role;

use super::canvas::Canvas;

/// How many blocks of so many columns a share is: at least one if it is not nothing, not all of them if it is not all.
pub fn blocks(columns: u16, part: u64, whole: u64) -> u16 {
    if whole == 0 || columns == 0 {
        return 0;
    }
    let exact = u128::from(part) * u128::from(columns) / u128::from(whole);
    let least = u16::from(part > 0);
    let most = columns - u16::from(part < whole && columns > 1);
    (exact.min(u128::from(columns)) as u16).clamp(least.min(most), most)
}

/// `███░░░░░`
pub fn bar(canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16, part: u64, whole: u64) {
    if whole == 0 || columns == 0 {
        return;
    }
    let filled = blocks(columns, part, whole);
    canvas.put(x, y, filled, &"█".repeat(usize::from(filled)), Role::Bar);
    canvas.put(x + filled, y, columns - filled, &"░".repeat(usize::from(columns - filled)), Role::Dim);
}
