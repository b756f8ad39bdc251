//! How well one color can be read on another, by the WCAG.

/// What text needs to be read.
pub const READABLE: f64 = 4.5;

/// What is enough for a mask, a separator or an empty value.
pub const FAINT: f64 = 3.0;

/// How bright a color looks, from 0 to 1.
pub fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.039_28 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// From 1, which cannot be seen, to 21.
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
