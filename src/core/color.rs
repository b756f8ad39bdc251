//! How well one color can be read on another, by the WCAG, and which of the fixed palette is nearest to another one.

use std::sync::LazyLock;

/// What text needs to be read.
pub const READABLE: f64 = 4.5;

/// What is enough for a mask, a separator or an empty value.
pub const FAINT: f64 = 3.0;

/// How bright a color looks, from 0 to 1.
pub fn luminance(rgb: [u8; 3]) -> f64 {
    let [r, g, b] = linear(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// As light adds up.
fn linear(rgb: [u8; 3]) -> [f64; 3] {
    rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.039_28 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// From 1, which cannot be seen, to 21.
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// What a number of the fixed palette shows, from 16 on; those before are the terminal's own.
pub fn indexed(number: u8) -> Option<[u8; 3]> {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match number {
        ..16 => None,
        16..232 => {
            let cube = usize::from(number - 16);
            Some([STEPS[cube / 36], STEPS[cube / 6 % 6], STEPS[cube % 6]])
        }
        gray => Some([8 + (gray - 232) * 10; 3]),
    }
}

type Known = (u8, [u8; 3], [f64; 3]);

static PALETTE: LazyLock<Vec<Known>> =
    LazyLock::new(|| (16..=255).filter_map(|number| indexed(number).map(|rgb| (number, rgb, lab(rgb)))).collect());

/// The number of the fixed palette that looks most like a color, of those that will do.
pub fn nearest(rgb: [u8; 3], will_do: impl Fn([u8; 3]) -> bool) -> Option<u8> {
    let wanted = lab(rgb);
    let far = |known: &&Known| known.2.iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let known = PALETTE.iter().filter(|known| will_do(known.1));
    known.min_by(|one, other| far(one).total_cmp(&far(other))).map(|known| known.0)
}

/// In CIE Lab, where equal distances look equally different.
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = linear(rgb);
    let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
    let [x, y, z] = [x, y, z].map(|part| if part > 0.008_856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}
