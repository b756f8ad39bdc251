use lode_core::cells::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

#[test]
fn the_cells_of_an_area_are_those_inside_the_buffer() {
    let mut buf = Buffer::empty(Rect::new(2, 1, 4, 3));
    for (area, count) in [
        (Rect::new(2, 1, 4, 3), 12),
        (Rect::new(3, 2, 1, 2), 2),
        (Rect::new(0, 0, 4, 2), 2),
        (Rect::new(5, 3, 9, 9), 1),
        (Rect::new(9, 9, 3, 3), 0),
        (Rect::new(9, 2, 3, 1), 0),
        (Rect::ZERO, 0),
    ] {
        rows_mut(&mut buf, area).flatten().for_each(|cell| cell.modifier.toggle(Modifier::BOLD));
        let bold = buf.content.iter().filter(|cell| cell.modifier.contains(Modifier::BOLD)).count();
        assert_eq!(bold, count, "{area}");
        buf.reset();
    }
}
