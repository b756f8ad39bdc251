//! Cells of a terminal as SVG: runs of letters as text, frames and bars as shapes, so that no border has a gap whatever font or
//! program shows the picture.

use std::fmt::Write;

pub const CELL: (f32, f32) = (8.4, 18.0);
pub const MARGIN: f32 = 12.0;

/// The colors of a terminal: paper, ink, and its own sixteen.
pub struct Palette {
    pub paper: &'static str,
    pub ink: &'static str,
    pub sixteen: [&'static str; 16],
}

pub const DARK: Palette = Palette {
    paper: "#10141c",
    ink: "#d5dae4",
    sixteen: [
        "#1c2230", "#e06c75", "#8cc570", "#d9b063", "#61a5e8", "#b98ae0", "#4fb8c4", "#b8c0cf", "#7f899c", "#f08a92",
        "#a5d98c", "#ecc880", "#85bdf5", "#cfa6f0", "#74d0da", "#ffffff",
    ],
};

pub const LIGHT: Palette = Palette {
    paper: "#fdfbf5",
    ink: "#23272e",
    sixteen: [
        "#23272e", "#b3261e", "#2e7d32", "#8a5a00", "#1a5fb4", "#8037a8", "#00727a", "#d5d2c8", "#6b6f76", "#d33c32",
        "#43a047", "#b07a10", "#3584e4", "#9c59c9", "#1593a0", "#ffffff",
    ],
};

impl Palette {
    /// A color of the palette of 256.
    pub fn indexed(&self, n: u8) -> String {
        match n {
            0..16 => self.sixteen[usize::from(n)].to_owned(),
            16..232 => {
                let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let n = n - 16;
                format!("#{:02x}{:02x}{:02x}", step(n / 36), step(n / 6 % 6), step(n % 6))
            }
            232.. => format!("#{0:02x}{0:02x}{0:02x}", 8 + (n - 232) * 10),
        }
    }
}

/// One cell; the right half of a wide letter has no symbol.
#[derive(Clone, PartialEq)]
pub struct Drawn {
    pub symbol: String,
    pub ink: String,
    pub paper: String,
    pub bold: bool,
    pub dim: bool,
    pub line: bool,
}

impl Drawn {
    fn looks_like(&self, other: &Drawn) -> bool {
        (&self.ink, &self.paper, self.bold, self.dim, self.line)
            == (&other.ink, &other.paper, other.bold, other.dim, other.line)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The lines of a border in one cell, from its left upper corner.
fn border(symbol: &str, left: f32, top: f32) -> Option<String> {
    let (x, y) = (left + CELL.0 / 2.0, top + CELL.1 / 2.0);
    let (right, bottom) = (left + CELL.0, top + CELL.1);
    Some(match symbol {
        "─" => format!("M{left:.1} {y}H{right:.1}"),
        "│" => format!("M{x:.1} {top}V{bottom}"),
        "├" => format!("M{x:.1} {top}V{bottom}M{x:.1} {y}H{right:.1}"),
        "┤" => format!("M{x:.1} {top}V{bottom}M{x:.1} {y}H{left:.1}"),
        "╭" => format!("M{x:.1} {bottom}V{:.1}Q{x:.1} {y} {right:.1} {y}", y + 4.2),
        "╮" => format!("M{x:.1} {bottom}V{:.1}Q{x:.1} {y} {left:.1} {y}", y + 4.2),
        "╰" => format!("M{x:.1} {top}V{:.1}Q{x:.1} {y} {right:.1} {y}", y - 4.2),
        "╯" => format!("M{x:.1} {top}V{:.1}Q{x:.1} {y} {left:.1} {y}", y - 4.2),
        _ => return None,
    })
}

/// How many eighths of a cell a bar fills, and how many points are free above and below it.
fn eighths(symbol: &str) -> Option<(f32, f32)> {
    match symbol {
        "━" => Some((8.0, 7.5)),
        "╸" => Some((4.0, 7.5)),
        "▌" => Some((4.0, 0.0)),
        _ => "▏▎▍▌▋▊▉█".chars().position(|bar| symbol.starts_with(bar)).map(|at| (at as f32 + 1.0, 2.0)),
    }
}

/// One row of a screen.
pub fn row(cells: &[Drawn], y: u16, paper: &str) -> String {
    let mut out = String::new();
    let top = MARGIN + f32::from(y) * CELL.1;
    let left_of = |x: usize| MARGIN + x as f32 * CELL.0;
    let mut x = 0;
    while x < cells.len() {
        let (start, look) = (x, &cells[x]);
        while x < cells.len() && cells[x].looks_like(look) {
            x += 1;
        }
        let run = &cells[start..x];
        if look.paper != paper {
            let (left, wide) = (left_of(start), run.len() as f32 * CELL.0);
            let (height, fill) = (CELL.1, &look.paper);
            write!(out, "<rect x='{left:.1}' y='{top}' width='{wide:.1}' height='{height}' fill='{fill}'/>").unwrap();
        }
        let faint = if look.dim { " opacity='.65'" } else { "" };
        let mut lines = String::new();
        for (at, cell) in run.iter().enumerate() {
            let left = left_of(start + at);
            // Full cells of a bar are one shape.
            let is_full =
                |at: usize| run.get(at).is_some_and(|next| next.symbol == cell.symbol && "█━".contains(&*next.symbol));
            if is_full(at) && at > 0 && is_full(at - 1) {
                continue;
            }
            let full = (at..).take_while(|at| is_full(*at)).count().max(1) as f32;
            if let Some(part) = border(&cell.symbol, left, top) {
                lines.push_str(&part);
            } else if let Some((eighths, free)) = eighths(&cell.symbol) {
                let (wide, height, fill) = (CELL.0 * full * eighths / 8.0, CELL.1 - 2.0 * free, &look.ink);
                let y = top + free;
                write!(out, "<rect x='{left:.1}' y='{y}' width='{wide:.1}' height='{height}' fill='{fill}'/>").unwrap();
            }
        }
        if !lines.is_empty() {
            write!(out, "<path d='{lines}' fill='none' stroke='{}'{faint}/>", look.ink).unwrap();
        }
        // Text between shapes and wide gaps, each piece at its own place.
        let is_shape = |cell: &Drawn| border(&cell.symbol, 0.0, 0.0).is_some() || eighths(&cell.symbol).is_some();
        let mut at = 0;
        while at < run.len() {
            if is_shape(&run[at]) || run[at].symbol == " " {
                at += 1;
                continue;
            }
            let begin = at;
            while at < run.len() && !is_shape(&run[at]) && !run[at..].iter().take(2).all(|cell| cell.symbol == " ") {
                at += 1;
            }
            let letters: String = run[begin..at].iter().map(|cell| cell.symbol.as_str()).collect();
            let wide = (at - begin) as f32 * CELL.0;
            let weight = if look.bold { " font-weight='bold'" } else { "" };
            let under = if look.line { " text-decoration='underline'" } else { "" };
            let (left, base, ink) = (left_of(start + begin), top + 13.5, &look.ink);
            write!(
                out,
                "<text x='{left:.1}' y='{base}' textLength='{wide:.1}' fill='{ink}'{weight}{faint}{under}>{}</text>",
                escaped(&letters)
            )
            .unwrap();
        }
    }
    out
}

/// A whole picture of `width` by `height` cells around its rows.
pub fn picture(title: &str, columns: u16, rows: u16, paper: &str, body: &str) -> String {
    let (width, height) = (f32::from(columns) * CELL.0 + 2.0 * MARGIN, f32::from(rows) * CELL.1 + 2.0 * MARGIN);
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0} {height:.0}' role='img' xml:space='preserve' \
         font-family=\"'DejaVu Sans Mono','Menlo','Consolas',monospace\" font-size='14'>\n<title>{}</title>\n\
         <rect width='100%' height='100%' rx='8' fill='{paper}'/>\n{body}</svg>\n",
        escaped(title)
    )
}
