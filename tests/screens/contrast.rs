//! Whatever is drawn can be read: the contrast of every letter of every picture, in every theme, with every number of colors.
//!
//! What is measured is what reaches the terminal, pane over pane and role over role, so that a marked line, a notice or an
//! amount of money is measured where it stands. What a terminal's own sixteen colors look like and whether its paper is
//! dark or light only its owner knows: there letters have the owner's own ink, or a paper of their own.

use std::collections::HashSet;

use lode_host::terminal::colors::KNOWN;
use lode_ui::theme::{Role, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

/// What the WCAG asks of text.
const LEAST: f64 = 4.5;
/// What masks, separators and empty values have at least.
const FAINT: f64 = 3.0;

/// The color as it is shown; none for what only the terminal's owner knows.
fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(n @ 232..) => Some([8 + (n - 232) * 10; 3]),
        Color::Indexed(n @ 16..) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            Some([step(n / 36), step(n / 6 % 6), step(n % 6)])
        }
        other => KNOWN.iter().find(|(known, _)| *known == other).map(|(_, rgb)| *rgb),
    }
}

fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.039_28 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Lines and corners that frame things are no text.
fn is_frame(symbol: &str) -> bool {
    symbol.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c))
}

/// Measures every letter on the sheet. Returns how many pairs of colors there were.
pub fn is_readable(frame: &Buffer, theme: &Theme, name: &str) -> usize {
    let papers: Vec<Color> = theme.papers.iter().map(|[r, g, b]| Color::Rgb(*r, *g, *b)).collect();
    if papers.is_empty() {
        return is_readable_on_any_paper(frame, name);
    }
    let mut measured = HashSet::new();
    for (at, cell) in frame.content.iter().enumerate() {
        let (symbol, fg, bg) = (cell.symbol(), cell.fg, cell.bg);
        if symbol.trim().is_empty() || !measured.insert((fg, bg, cell.modifier, is_frame(symbol))) {
            continue;
        }
        let (x, y) = (at % usize::from(frame.area.width), at / usize::from(frame.area.width));
        assert!(
            !cell.modifier.contains(Modifier::DIM),
            "{name}: `{symbol}` at {x},{y} is dimmed by who knows how much"
        );
        for paper in &papers {
            let back = if bg == Color::Reset { *paper } else { bg };
            let (Some(ink), Some(paper)) = (rgb(fg), rgb(back)) else {
                panic!("{name}: `{symbol}` at {x},{y} is {fg} on {back}, which is not known")
            };
            let found = contrast(ink, paper);
            let is_faint = Some(fg) == theme.style(Role::Faint).fg;
            let least = match (is_frame(symbol), is_faint) {
                (true, _) => 1.2,
                (_, true) => FAINT,
                _ => LEAST,
            };
            assert!(found >= least, "{name}: `{symbol}` at {x},{y} is {fg} on {back}: {found:.2}");
        }
    }
    measured.len()
}

/// Whether every letter can be read on one background, in true color.
pub fn is_readable_on(frame: &Buffer, paper: [u8; 3], name: &str) {
    for cell in frame.content.iter().filter(|cell| cell.symbol().chars().any(char::is_alphanumeric)) {
        let Some(ink) = rgb(cell.fg) else { continue };
        let found = contrast(ink, rgb(cell.bg).unwrap_or(paper));
        assert!(found >= FAINT, "{name}: `{}` is {} on {}: {found:.2}", cell.symbol(), cell.fg, cell.bg);
    }
}

/// Letters in a color name their paper as well; frames, bars and marks may have a color by itself.
fn is_readable_on_any_paper(frame: &Buffer, name: &str) -> usize {
    let mut measured = HashSet::new();
    for (at, cell) in frame.content.iter().enumerate() {
        let (symbol, fg, bg) = (cell.symbol(), cell.fg, cell.bg);
        if !symbol.chars().any(char::is_alphanumeric) || !measured.insert((fg, bg)) {
            continue;
        }
        let (x, y) = (at % usize::from(frame.area.width), at / usize::from(frame.area.width));
        let found = match (rgb(fg), rgb(bg)) {
            (None, None) => continue,
            (Some(ink), Some(paper)) => contrast(ink, paper),
            _ => panic!("{name}: `{}` at {x},{y} is {} on {}: half of it is the owner's", symbol, fg, bg),
        };
        assert!(found >= LEAST, "{name}: `{}` at {x},{y} is {} on {}: {found:.2}", symbol, fg, bg);
    }
    measured.len()
}

#[test]
fn a_measure_that_measures() {
    assert!((contrast([0, 0, 0], [255, 255, 255]) - 21.0).abs() < 0.01);
    assert!((contrast([119, 119, 119], [255, 255, 255]) - 4.48).abs() < 0.01);
    assert_eq!(rgb(Color::Indexed(16 + 36 + 6 * 2 + 5)), Some([95, 135, 255]));
}
