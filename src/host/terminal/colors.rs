//! Colors that the terminal can show, and the nearest ones for a theme that needs more.

use super::*;
use lode_core::{color, color::READABLE};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// NO_COLOR or a terminal without any: weight, underline and reversal stay.
    None,
    Sixteen,
    Palette,
    True,
}

impl Depth {
    /// From the variables that terminals set.
    pub fn of(no_color: bool, colorterm: &str, term: &str) -> Depth {
        if no_color || term == "dumb" {
            Depth::None
        } else if colorterm == "truecolor" || colorterm == "24bit" || term.ends_with("-direct") {
            Depth::True
        } else if term.contains("256color") || term.contains("kitty") || term.contains("alacritty") {
            Depth::Palette
        } else {
            Depth::Sixteen
        }
    }

    pub fn reduce(self, color: Color) -> Color {
        match (self, color) {
            (Depth::None, _) => Color::Reset,
            (Depth::Palette, Color::Rgb(..)) | (Depth::Sixteen, Color::Rgb(..) | Color::Indexed(16..)) => {
                self.nearest(color, |_| true).unwrap_or(color)
            }
            (_, color) => color,
        }
    }

    /// A color on another one. Where fewer colors would bring them too near, the ink gives way until it can be read again.
    pub fn pair(self, fore: Color, back: Color) -> (Color, Color) {
        let plain = (self.reduce(fore), self.reduce(back));
        let is_themed = |color| matches!(color, Color::Rgb(..) | Color::Indexed(16..));
        let is_fewer = matches!(self, Depth::Palette | Depth::Sixteen);
        if !is_fewer || !is_themed(fore) || !is_themed(back) || !reads(fore, back) || reads(plain.0, plain.1) {
            return plain;
        }
        (self.nearest(fore, |ink| reads(ink, plain.1)).unwrap_or(plain.0), plain.1)
    }

    /// The color of this depth that is nearest to another one, of those that will do.
    fn nearest(self, color: Color, will_do: impl Fn(Color) -> bool) -> Option<Color> {
        let wanted = rgb(color)?;
        if self == Depth::Palette {
            let number = |known: [u8; 3]| Color::Rgb(known[0], known[1], known[2]);
            return color::nearest(wanted, |known| will_do(number(known))).map(Color::Indexed);
        }
        let inks = KNOWN.iter().filter(|(ink, _)| will_do(*ink));
        inks.min_by_key(|(_, known)| distance(wanted, *known)).map(|(ink, _)| *ink)
    }

    /// What stays of the weight. Many terminals show bold letters of the first eight colors in the bright one of the same
    /// name: on light paper black becomes gray, and what should be strong is weaker than the rest. There it stays plain.
    pub fn weight(self, weight: Modifier, fore: Color, back: Color) -> Modifier {
        let bright = KNOWN[..8].iter().position(|(known, _)| *known == fore).map(|at| KNOWN[at + 8].0);
        let is_weaker = bright.is_some_and(|bright| contrast(bright, back) < contrast(fore, back));
        if self == Depth::Sixteen && is_weaker { weight - Modifier::BOLD } else { weight }
    }
}

fn reads(fore: Color, back: Color) -> bool {
    contrast(fore, back).is_none_or(|found| found >= READABLE)
}

/// None where only the terminal's owner knows.
fn contrast(fore: Color, back: Color) -> Option<f64> {
    Some(color::contrast(rgb(fore)?, rgb(back)?))
}

/// As it is probably shown; the sixteen are the terminal's own.
fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(number @ 16..) => color::indexed(number),
        other => KNOWN.iter().find(|(known, _)| *known == other).map(|(_, rgb)| *rgb),
    }
}

fn distance(one: [u8; 3], other: [u8; 3]) -> i32 {
    one.into_iter().zip(other).map(|(x, y)| (i32::from(x) - i32::from(y)).pow(2)).sum()
}

/// The usual shades of the sixteen, in the order of their numbers.
pub const KNOWN: [(Color, [u8; 3]); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [170, 0, 0]),
    (Color::Green, [0, 170, 0]),
    (Color::Yellow, [170, 130, 0]),
    (Color::Blue, [0, 0, 170]),
    (Color::Magenta, [170, 0, 170]),
    (Color::Cyan, [0, 170, 170]),
    (Color::Gray, [190, 190, 190]),
    (Color::DarkGray, [110, 110, 110]),
    (Color::LightRed, [255, 100, 100]),
    (Color::LightGreen, [100, 255, 100]),
    (Color::LightYellow, [255, 230, 100]),
    (Color::LightBlue, [110, 160, 255]),
    (Color::LightMagenta, [255, 130, 255]),
    (Color::LightCyan, [100, 255, 255]),
    (Color::White, [255, 255, 255]),
];

/// The parameters of SGR for a color, after a separator if one is needed.
pub fn write_code(out: &mut Vec<u8>, color: Color, background: bool) {
    let base = if background { 40 } else { 30 };
    let simple = |n: u16| if n < 8 { base + n } else { base + 60 + n - 8 };
    let code = match color {
        Color::Indexed(n) if n < 16 => simple(n.into()),
        Color::Indexed(n) => {
            number(out, base + 8);
            out.extend_from_slice(b";5;");
            return number(out, n.into());
        }
        Color::Rgb(r, g, b) => {
            number(out, base + 8);
            out.extend_from_slice(b";2");
            for part in [r, g, b] {
                out.push(b';');
                number(out, part.into());
            }
            return;
        }
        // By their place in the table; the color of the terminal itself is in none.
        named => KNOWN.iter().position(|(known, _)| *known == named).map_or(base + 9, |at| simple(at as u16)),
    };
    number(out, code);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_ui::theme::{Role, Theme, names};

    #[test]
    fn the_depth_is_read_from_what_terminals_say() {
        assert_eq!(Depth::of(true, "truecolor", "xterm-kitty"), Depth::None);
        assert_eq!(Depth::of(false, "truecolor", "xterm"), Depth::True);
        assert_eq!(Depth::of(false, "", "tmux-256color"), Depth::Palette);
        assert_eq!(Depth::of(false, "", "xterm"), Depth::Sixteen);
        assert_eq!(Depth::of(false, "", "dumb"), Depth::None);
    }

    #[test]
    fn fewer_colors_are_near_ones() {
        assert_eq!(Depth::Palette.reduce(Color::Rgb(255, 255, 255)), Color::Indexed(231));
        assert_eq!(Depth::Sixteen.reduce(Color::Rgb(250, 250, 250)), Color::White);
        assert_eq!(Depth::Sixteen.reduce(Color::Indexed(16)), Color::Black);
        assert_eq!(Depth::None.reduce(Color::Red), Color::Reset);
        assert_eq!(Depth::True.reduce(Color::Rgb(1, 2, 3)), Color::Rgb(1, 2, 3));
    }

    #[test]
    fn bold_never_makes_letters_weaker() {
        let weight = |depth: Depth, ink, paper| depth.weight(Modifier::BOLD, ink, paper);
        assert_eq!(weight(Depth::Sixteen, Color::Black, Color::White), Modifier::empty());
        assert_eq!(weight(Depth::Sixteen, Color::Gray, Color::Black), Modifier::BOLD);
        assert_eq!(weight(Depth::Sixteen, Color::Reset, Color::Reset), Modifier::BOLD);
        assert_eq!(weight(Depth::True, Color::Black, Color::White), Modifier::BOLD);
    }

    /// What each theme says about its own colors holds after they were made fewer.
    #[test]
    fn every_theme_can_be_read_with_fewer_colors() {
        for name in names() {
            let theme = Theme::named(name).unwrap();
            for (role, style) in theme.styles.iter().enumerate().filter(|(at, _)| *at != Role::Border as usize) {
                let (Some(fore), Some(back)) = (style.fg, style.bg) else { continue };
                for depth in [Depth::Palette, Depth::Sixteen, Depth::True] {
                    let (fore, back) = depth.pair(fore, back);
                    assert!(reads(fore, back), "{name}: role {role} is {fore} on {back} with {depth:?}");
                    let bright = KNOWN[..8].iter().position(|(known, _)| *known == fore).map(|at| KNOWN[at + 8].0);
                    if depth.weight(style.add_modifier, fore, back).contains(Modifier::BOLD) && depth == Depth::Sixteen
                    {
                        let shown = bright.unwrap_or(fore);
                        assert!(reads(shown, back), "{name}: role {role} is {shown} on {back} where bold is bright");
                    }
                }
            }
        }
    }
}
