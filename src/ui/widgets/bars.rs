//! A share as a bar of blocks.

use crate::ui::theme::Role;

use super::canvas::Canvas;

/// `███░░░░░`: a share that is not nothing shows at least one block, one that is not all leaves at least one.
pub fn bar(canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16, part: u64, whole: u64) {
    if whole == 0 || columns == 0 {
        return;
    }
    let exact = u128::from(part) * u128::from(columns) / u128::from(whole);
    let least = u16::from(part > 0);
    let most = columns - u16::from(part < whole && columns > 1);
    let filled = (exact.min(u128::from(columns)) as u16).clamp(least.min(most), most);
    let blocks: String = std::iter::repeat_n('█', usize::from(filled))
        .chain(std::iter::repeat_n('░', usize::from(columns - filled)))
        .collect();
    canvas.put(x, y, columns, &blocks, Role::Bar);
}
