//! A frame as an SVG picture, for the README and to be looked at.

use std::fmt::Write;
use std::path::PathBuf;

use lode_core::cells::is_tail;
use lode_ui::theme::{Background, Theme, Themes, names};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::cells::{self, DARK, Drawn, LIGHT, Palette};

fn hex(color: Color, palette: &Palette, or: &str) -> String {
    use Color::*;
    let named = [
        Black, Red, Green, Yellow, Blue, Magenta, Cyan, Gray, DarkGray, LightRed, LightGreen, LightYellow, LightBlue,
        LightMagenta, LightCyan, White,
    ];
    match color {
        Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Indexed(n) => palette.indexed(n),
        other => {
            let at = named.iter().position(|known| *known == other);
            at.map_or(or.to_owned(), |at| palette.sixteen[at].to_owned())
        }
    }
}

pub fn picture(frame: &Buffer, title: &str, palette: &Palette) -> String {
    let area = frame.area;
    let drawn = |x: u16, y: u16| {
        let cell = &frame[(x, y)];
        let has = |weight| cell.modifier.contains(weight);
        let (ink, paper) = (hex(cell.fg, palette, palette.ink), hex(cell.bg, palette, palette.paper));
        let (ink, paper) = if has(Modifier::REVERSED) { (paper, ink) } else { (ink, paper) };
        let is_tail = is_tail(lode_core::cells::row(frame, y), usize::from(x));
        let symbol = if is_tail { String::new() } else { cell.symbol().to_owned() };
        let (bold, dim, line) = (has(Modifier::BOLD), has(Modifier::DIM), has(Modifier::UNDERLINED));
        Drawn { symbol, ink, paper, bold, dim, line }
    };
    let row = |y| cells::row(&(0..area.width).map(|x| drawn(x, y)).collect::<Vec<_>>(), y, palette.paper) + "\n";
    let body: String = (0..area.height).map(row).collect();
    cells::picture(title, area.width, area.height, palette.paper, &body)
}

/// With `PICTURES=FOLDER` every scene is also drawn there at every size of the matrix in every theme, and in lode's own two with 256 colors,
/// to be looked at.
pub fn matrix(name: &str, drawn: impl Fn((u16, u16), &Theme) -> Buffer) {
    let Some(folder) = std::env::var_os("PICTURES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for (width, height) in [(200, 60), (160, 48), (120, 36), (100, 30), (80, 24), (40, 10)] {
        let fewer = Themes { fewer_colors: true, ..Themes::default() };
        let fewer = ["dark", "light"].map(|name| (fewer.named(name).unwrap(), "-256"));
        for (theme, tier) in names().map(|name| (Theme::named(name).unwrap(), "")).into_iter().chain(fewer) {
            let is_light = theme.papers.first().is_some_and(|paper| Background::of(*paper) == Background::Light);
            let palette = if is_light { &LIGHT } else { &DARK };
            let name = format!("{name}-{width}x{height}-{}{tier}", theme.name);
            let picture = picture(&drawn((width, height), &theme), &name, palette);
            std::fs::write(folder.join(name + ".svg"), picture).unwrap();
        }
    }
}

/// The blocks of a word mark as one shape without a background, for pages of any color.
pub fn mark(lines: &[String], title: &str, ink: &str) -> String {
    let (wide, high) = (10, 20);
    let mut path = String::new();
    for (y, line) in lines.iter().enumerate() {
        for (x, block) in line.chars().enumerate() {
            let (top, height) = match block {
                '█' => (0, high),
                '▀' => (0, high / 2),
                '▄' => (high / 2, high / 2),
                _ => continue,
            };
            write!(path, "M{} {}h{wide}v{height}h-{wide}z", x * wide, y * high + top).unwrap();
        }
    }
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) * wide;
    let height = lines.len() * high;
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' role='img' \
         shape-rendering='crispEdges'>\n<title>{title}</title>\n<path d='{path}' fill='{ink}'/>\n</svg>\n"
    )
}

/// Holds a picture of the README against the frame as it is drawn now.
pub fn keep(name: &str, frame: &Buffer, title: &str) {
    keep_drawn(name, picture(frame, title, &DARK));
}

/// Holds a picture of the README against what is drawn now.
pub fn keep_drawn(name: &str, picture: String) {
    let path = crate::root().join("assets/screens").join(format!("{name}.svg"));
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, picture).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "{name}.svg is not what lode shows now: UPDATE_SCREENS=1 draws it again");
}
