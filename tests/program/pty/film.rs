//! The moving picture of the README: a search, an unlock, an export, as the real program draws them in a terminal.
//!
//! `cargo test --test program film -- --ignored` records it again, and its last frame as a still.

use std::fmt::Write;
use std::path::PathBuf;

use common::cells::{self, DARK, Drawn};
use common::terminal::{Terminal, lode};

const COLUMNS: u16 = 110;
const ROWS: u16 = 30;
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

/// The lines of each frame, and how long it is shown, in milliseconds.
struct Film {
    frames: Vec<(Vec<String>, u32)>,
}

impl Film {
    fn shoot(&mut self, terminal: &Terminal, shown: u32) {
        terminal.look(|screen| {
            self.frames.push(((0..ROWS).map(|y| line(screen, y)).collect(), shown));
        });
    }

    /// Every line is written once for as long as it stays as it is.
    fn svg(&self, title: &str) -> String {
        let total: u32 = self.frames.iter().map(|(_, shown)| shown).sum();
        let mut body = String::new();
        for y in 0..usize::from(ROWS) {
            let (mut from, mut at) = (0, 0);
            for (place, (lines, shown)) in self.frames.iter().enumerate() {
                at += shown;
                let stays = self.frames.get(place + 1).is_some_and(|(next, _)| next[y] == lines[y]);
                if stays {
                    continue;
                }
                if !lines[y].is_empty() {
                    let key = |moment: u32| f64::from(moment) / f64::from(total);
                    let animate = match (from, at == total) {
                        (0, true) => String::new(),
                        (0, false) => format!("values='visible;hidden' keyTimes='0;{:.4}'", key(at)),
                        (_, true) => format!("values='hidden;visible' keyTimes='0;{:.4}'", key(from)),
                        _ => format!("values='hidden;visible;hidden' keyTimes='0;{:.4};{:.4}'", key(from), key(at)),
                    };
                    let seconds = f64::from(total) / 1000.0;
                    let animate = if animate.is_empty() {
                        animate
                    } else {
                        format!(
                            "<animate attributeName='visibility' calcMode='discrete' dur='{seconds}s' repeatCount='indefinite' {animate}/>"
                        )
                    };
                    writeln!(body, "<g>{}{animate}</g>", lines[y]).unwrap();
                }
                from = at;
            }
        }
        cells::picture(title, COLUMNS, ROWS, DARK.paper, &body)
    }
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
    std::fs::create_dir(&home).unwrap();
    let mut command =
        lode(&home, &["demo", "--us-rows", "400000", "--linkedin-rows", "100000", "--seed", "7", "--theme", "dark"]);
    command.env("COLORTERM", "truecolor");
    let mut terminal = Terminal::start(command, COLUMNS, ROWS);
    let mut film = Film { frames: Vec::new() };
    terminal.wait_for("page 1/");
    // The tour is for the person at the keys.
    terminal.send(":tour\r");
    terminal.wait_gone("TOUR ");
    terminal.send("0");
    film.shoot(&terminal, 1_500);
    terminal.send("/");
    terminal.wait_for("contains");
    film.shoot(&terminal, 500);
    for typed in ["n", "nu", "nur", "nurs", "nurse"] {
        terminal.send(&typed[typed.len() - 1..]);
        terminal.wait_until("the letter", |screen| screen.contents().contains(typed));
        film.shoot(&terminal, 140);
    }
    terminal.send("\r");
    terminal.wait_for("title nurse");
    terminal.wait_gone("Searching");
    terminal.wait_for("owned 0");
    film.shoot(&terminal, 1_600);
    for count in 1..=3 {
        terminal.send(" ");
        terminal.wait_for(&format!("Basket {count}"));
        film.shoot(&terminal, 450);
    }
    terminal.send("U");
    terminal.wait_for("Maximum cost");
    terminal.wait_for("to unlock   ▏");
    film.shoot(&terminal, 1_800);
    terminal.press_until("3", |screen| screen.contains("▏ 3"));
    film.shoot(&terminal, 700);
    terminal.press_until("\r", |screen| !screen.contains("Maximum cost"));
    terminal.wait_for("open in Owned");
    terminal.wait_for("3 unlocked · 3 credits · verified");
    terminal.wait_for("e export  Enter open");
    terminal.wait_for("1,201 credits");
    terminal.wait_for("spent 3");
    terminal.wait_for("owned 3 ·");
    film.shoot(&terminal, 2_600);
    let still = Film { frames: vec![(film.frames[film.frames.len() - 1].0.clone(), 1)] };
    terminal.send("e");
    terminal.wait_for("Exported · ");
    film.shoot(&terminal, 3_200);
    terminal.send("\x1b\x1bq");
    terminal.wait_exit();
    let _ = std::fs::remove_dir_all(&home);
    keep("film.svg", &film.svg("lode: a search, an unlock, an export"));
    keep("film-still.svg", &still.svg("lode: three contacts unlocked"));
}
