//! A frame as an SVG picture, for the README: the cells as the terminal would show them, in runs of one style.

use std::fmt::Write;
use std::path::PathBuf;

use lode::ui::widgets::cell::Look;
use lode::ui::widgets::frame::Frame;
use ratatui::style::{Color, Modifier};

const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 12.0;
const PAPER: &str = "#10141c";
const INK: &str = "#d5dae4";
/// The sixteen colours of a common dark palette: the pictures must not depend on anybody's terminal.
const SIXTEEN: [&str; 16] = [
    "#1c2230", "#e06c75", "#8cc570", "#d9b063", "#61a5e8", "#b98ae0", "#4fb8c4", "#b8c0cf", "#7f899c", "#f08a92",
    "#a5d98c", "#ecc880", "#85bdf5", "#cfa6f0", "#74d0da", "#ffffff",
];

fn hex(color: Color, or: &str) -> String {
    use Color::*;
    let at = match color {
        Rgb(r, g, b) => return format!("#{r:02x}{g:02x}{b:02x}"),
        Indexed(117) => return "#87d7ff".to_owned(),
        Indexed(n @ 232..) => return format!("#{0:02x}{0:02x}{0:02x}", 8 + (n - 232) * 10),
        Indexed(at) if at < 16 => usize::from(at),
        Black => 0,
        Red => 1,
        Green => 2,
        Yellow => 3,
        Blue => 4,
        Magenta => 5,
        Cyan => 6,
        Gray => 7,
        DarkGray => 8,
        LightRed => 9,
        LightGreen => 10,
        LightYellow => 11,
        LightBlue => 12,
        LightMagenta => 13,
        LightCyan => 14,
        White => 15,
        _ => return or.to_owned(),
    };
    SIXTEEN[at].to_owned()
}

fn colours(look: Look) -> (String, String) {
    let (ink, paper) = (hex(look.fg(), INK), hex(look.bg(), PAPER));
    if look.modifier().contains(Modifier::REVERSED) { (paper, ink) } else { (ink, paper) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub fn picture(frame: &Frame, title: &str) -> String {
    let area = frame.area;
    let (width, height) =
        (f32::from(area.width) * CELL.0 + 2.0 * MARGIN, f32::from(area.height) * CELL.1 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         font-family=\"'DejaVu Sans Mono','Menlo','Consolas',monospace\" font-size=\"14\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n",
        escaped(title)
    );
    for y in 0..area.height {
        let mut x = 0;
        while x < area.width {
            let at = |x| frame.at(x, y).unwrap();
            let style_of = |x| {
                let look = frame.cells[at(x)].look;
                (colours(look), look.modifier() - Modifier::REVERSED)
            };
            let style = style_of(x);
            let mut run = String::new();
            let start = x;
            while x < area.width {
                if style_of(x) != style {
                    break;
                }
                run.push_str(frame.symbol(at(x)));
                x += 1;
            }
            let ((ink, paper), modifier) = style;
            let (left, top) = (MARGIN + f32::from(start) * CELL.0, MARGIN + f32::from(y) * CELL.1);
            let length = f32::from(x - start) * CELL.0;
            if paper != PAPER {
                writeln!(
                    svg,
                    "<rect x=\"{left:.1}\" y=\"{top:.0}\" width=\"{length:.1}\" height=\"{:.0}\" fill=\"{paper}\"/>",
                    CELL.1
                )
                .unwrap();
            }
            if run.trim().is_empty() {
                continue;
            }
            let weight = if modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
            let faint = if modifier.contains(Modifier::DIM) { " opacity=\"0.65\"" } else { "" };
            let line = if modifier.contains(Modifier::UNDERLINED) { " text-decoration=\"underline\"" } else { "" };
            writeln!(
                svg,
                "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\" fill=\"{ink}\"{weight}{faint}{line}>{}</text>",
                top + 13.5,
                escaped(&run)
            )
            .unwrap();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Holds a picture of the README against the frame as it is drawn now.
pub fn keep(name: &str, frame: &Frame, title: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "assets", "screens", &format!("{name}.svg")].iter().collect();
    let picture = picture(frame, title);
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, picture).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "{name}.svg is not what lode shows now: UPDATE_SCREENS=1 draws it anew");
}
