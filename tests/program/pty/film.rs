//! The moving picture of the README: a search, an unlock, an export, as the real program draws them in a terminal.
//!
//! `cargo test --test program film -- --ignored` records it again, and its last frame as a still.

use std::fmt::Write;
use std::path::PathBuf;

use common::cells::{self, DARK, Drawn};
use common::terminal::{Terminal, lode};

const COLUMNS: u16 = 120;
const ROWS: u16 = 32;

fn hex(color: vt100::Color, or: &str) -> String {
    match color {
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        vt100::Color::Idx(n) => DARK.indexed(n),
        vt100::Color::Default => or.to_owned(),
    }
}

/// One line of the screen as SVG.
fn line(screen: &vt100::Screen, y: u16) -> String {
    let drawn = |cell: &vt100::Cell| {
        let (ink, paper) = (hex(cell.fgcolor(), DARK.ink), hex(cell.bgcolor(), DARK.paper));
        let (ink, paper) = if cell.inverse() { (paper, ink) } else { (ink, paper) };
        let symbol = match cell.contents() {
            "" if !cell.is_wide_continuation() => " ",
            symbol => symbol,
        };
        Drawn { symbol: symbol.to_owned(), ink, paper, bold: cell.bold(), dim: cell.dim(), line: cell.underline() }
    };
    let cells: Vec<Drawn> = (0..COLUMNS).filter_map(|x| screen.cell(y, x)).map(drawn).collect();
    cells::row(&cells, y, DARK.paper)
}

/// What is shown for a while.
struct Frame {
    lines: Vec<String>,
    /// The keys that led here.
    keys: &'static str,
    milliseconds: u32,
}

struct Film {
    frames: Vec<Frame>,
}

impl Film {
    fn shoot(&mut self, terminal: &Terminal, keys: &'static str, milliseconds: u32) {
        terminal.look(|screen| {
            let lines = (0..ROWS).map(|y| line(screen, y)).collect();
            self.frames.push(Frame { lines, keys, milliseconds });
        });
    }

    /// Every part is written once for as long as it stays as it is. What the last frame does not have is hidden, so that a viewer
    /// without animation shows that frame alone.
    fn svg(&self, title: &str) -> String {
        let mut body = String::new();
        for y in 0..usize::from(ROWS) {
            self.part(&mut body, |frame| frame.lines[y].clone());
        }
        self.part(&mut body, |frame| caption(frame.keys));
        cells::picture(title, COLUMNS, ROWS + STRIP, DARK.paper, &body)
    }

    fn part(&self, body: &mut String, of: impl Fn(&Frame) -> String) {
        let total: u32 = self.frames.iter().map(|frame| frame.milliseconds).sum();
        let (mut from, mut at) = (0, 0);
        for (place, frame) in self.frames.iter().enumerate() {
            at += frame.milliseconds;
            let part = of(frame);
            if self.frames.get(place + 1).is_some_and(|next| of(next) == part) {
                continue;
            }
            let key = |moment: u32| f64::from(moment) / f64::from(total);
            let shown = match (from, at == total) {
                (0, true) => None,
                (0, false) => Some(format!("values='visible;hidden' keyTimes='0;{:.4}'", key(at))),
                (_, true) => Some(format!("values='hidden;visible' keyTimes='0;{:.4}'", key(from))),
                _ => Some(format!("values='hidden;visible;hidden' keyTimes='0;{:.4};{:.4}'", key(from), key(at))),
            };
            let animate = shown.map_or(String::new(), |shown| {
                let seconds = f64::from(total) / 1000.0;
                format!(
                    "<animate attributeName='visibility' calcMode='discrete' dur='{seconds}s' repeatCount='indefinite' {shown}/>"
                )
            });
            let hidden = if at == total { "" } else { " visibility='hidden'" };
            if !part.is_empty() {
                writeln!(body, "<g{hidden}>{part}{animate}</g>").unwrap();
            }
            from = at;
        }
    }
}

/// Lines below the screen, for the keys that are pressed.
const STRIP: u16 = 2;

/// The keys as caps, at the right end of the strip.
fn caption(keys: &str) -> String {
    let mut right = cells::MARGIN + f32::from(COLUMNS) * cells::CELL.0;
    let top = cells::MARGIN + f32::from(ROWS) * cells::CELL.1 + 8.0;
    let mut caps = String::new();
    for key in keys.split_whitespace().rev() {
        let wide = key.chars().count() as f32 * cells::CELL.0 + 16.0;
        right -= wide;
        let (middle, base) = (right + wide / 2.0, top + 16.0);
        write!(
            caps,
            "<rect x='{right:.1}' y='{top}' width='{wide:.1}' height='23' rx='5' fill='#263041' stroke='#5b6578'/>\
             <text x='{middle:.1}' y='{base}' text-anchor='middle' fill='#d5dae4'>{key}</text>"
        )
        .unwrap();
        right -= 6.0;
    }
    caps
}

fn keep(name: &str, svg: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "assets", "screens", name].iter().collect();
    assert!(svg.len() <= 1 << 20, "{name} has {} bytes", svg.len());
    std::fs::write(path, svg).unwrap();
}

#[test]
#[ignore = "makes the moving picture of the README: cargo test --test program film -- --ignored"]
fn film() {
    let home = PathBuf::from("/tmp/leads");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(home.join("config")).unwrap();
    // Each picture is taken at rest.
    std::fs::write(home.join("config/config.toml"), "motion = \"none\"\n").unwrap();
    let mut command = lode(&home, &["demo", "--theme", "dark"]);
    command.env("COLORTERM", "truecolor");
    let mut terminal = Terminal::start(command, COLUMNS, ROWS);
    let mut film = Film { frames: Vec::new() };
    terminal.wait_for("1 of 80,000,000");
    // The tour is for the person at the keys.
    terminal.send(":tour\r");
    terminal.wait_gone("Tour ");
    film.shoot(&terminal, "", 1_200);
    terminal.send("G");
    terminal.wait_for("80,000,000 of 80,000,000");
    terminal.wait_gone("░");
    film.shoot(&terminal, "G", 1_600);
    terminal.send("/");
    terminal.wait_for("contains");
    film.shoot(&terminal, "/", 400);
    for typed in ["n", "nu", "nur", "nurs", "nurse"] {
        terminal.send(&typed[typed.len() - 1..]);
        terminal.wait_until("the letter", |screen| screen.contents().contains(typed));
        film.shoot(&terminal, &"nurse"[typed.len() - 1..typed.len()], 110);
    }
    terminal.send("\r");
    terminal.wait_for("1 of 2,418,658");
    film.shoot(&terminal, "Enter", 1_000);
    terminal.send("f");
    terminal.wait_for("Filter by");
    film.shoot(&terminal, "f", 500);
    terminal.send("s");
    terminal.wait_for("Space marks several");
    film.shoot(&terminal, "s", 400);
    for (typed, code, keys) in [("tex", "■ TX", "t e x Space"), ("okl", "■ OK", "o k l Space")] {
        terminal.send(typed);
        terminal.wait_for(&format!("/ {typed}"));
        terminal.send(" ");
        terminal.wait_for(code);
        film.shoot(&terminal, keys, 700);
        terminal.send("\x7f\x7f\x7f");
        terminal.wait_gone(&format!("/ {typed}"));
    }
    terminal.send("\r");
    terminal.wait_for("1 of 241,682");
    film.shoot(&terminal, "Enter", 1_300);
    for count in 1..=3 {
        terminal.send(" ");
        terminal.wait_for(&format!("Basket {count}"));
        film.shoot(&terminal, "Space", 350);
    }
    terminal.send("U");
    terminal.wait_for("Type 3 to unlock");
    film.shoot(&terminal, "U", 1_800);
    terminal.press_until("3", |screen| screen.contains("▏ 3") || screen.contains("▏3"));
    film.shoot(&terminal, "3", 600);
    terminal.press_until("\r", |screen| !screen.contains("Type 3"));
    terminal.wait_for("3 unlocked");
    terminal.wait_for("spent 3");
    film.shoot(&terminal, "Enter", 2_300);
    terminal.send("ye");
    terminal.wait_for("Copied");
    film.shoot(&terminal, "y e", 900);
    terminal.send("e");
    terminal.wait_for("Exported · ");
    film.shoot(&terminal, "e", 1_700);
    terminal.send("\x1b\x1b");
    terminal.send("gc");
    terminal.wait_for("v next view");
    film.shoot(&terminal, "g c", 2_000);
    terminal.send("q");
    terminal.wait_for("of 241,682");
    film.shoot(&terminal, "q", 2_600);
    terminal.send("q");
    terminal.wait_exit();
    let _ = std::fs::remove_dir_all(&home);
    let last = film.frames.len() - 1;
    let still = Film { frames: vec![Frame { keys: "", ..film.frames.remove(last) }] };
    film.frames.push(Frame { keys: "", lines: still.frames[0].lines.clone(), milliseconds: 2_600 });
    keep("film.svg", &film.svg("lode: 80 million rows, a search, an unlock, an export, a map"));
    keep("film-still.svg", &still.svg("lode: three contacts unlocked"));
}
