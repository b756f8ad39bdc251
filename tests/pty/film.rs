//! The moving picture of the README: a search, an unlock, an export, as the real program draws them in a terminal.
//!
//! `cargo test --test pty film -- --ignored` makes it anew, and its last frame as a still.

use std::fmt::Write;
use std::path::PathBuf;

use crate::terminal::{Terminal, lode};

const COLUMNS: u16 = 110;
const ROWS: u16 = 30;
const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 12.0;
const PAPER: &str = "#10141c";
const INK: &str = "#dfe4ee";

#[derive(Clone, PartialEq)]
struct Look {
    ink: String,
    paper: String,
    bold: bool,
    line: bool,
}

fn hex(color: vt100::Color, or: &str) -> String {
    match color {
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        vt100::Color::Idx(117) => "#87d7ff".to_owned(),
        vt100::Color::Idx(n @ 232..) => format!("#{0:02x}{0:02x}{0:02x}", 8 + (n - 232) * 10),
        _ => or.to_owned(),
    }
}

fn look(cell: &vt100::Cell) -> Look {
    let (ink, paper) = (hex(cell.fgcolor(), INK), hex(cell.bgcolor(), PAPER));
    let (ink, paper) = if cell.inverse() { (paper, ink) } else { (ink, paper) };
    Look { ink, paper, bold: cell.bold(), line: cell.underline() }
}

/// One line of the screen as SVG, in runs of one look.
fn line(screen: &vt100::Screen, y: u16) -> String {
    let mut out = String::new();
    let cells: Vec<&vt100::Cell> = (0..COLUMNS).filter_map(|x| screen.cell(y, x)).collect();
    let mut x = 0;
    while x < cells.len() {
        let (start, style) = (x, look(cells[x]));
        let mut run = String::new();
        while x < cells.len() && look(cells[x]) == style {
            run.push_str(if cells[x].has_contents() { cells[x].contents() } else { " " });
            x += 1;
        }
        let (left, top) = (MARGIN + start as f32 * CELL.0, MARGIN + f32::from(y) * CELL.1);
        let wide = (x - start) as f32 * CELL.0;
        if style.paper != PAPER {
            let (height, paper) = (CELL.1, &style.paper);
            write!(out, "<rect x='{left:.1}' y='{top:.0}' width='{wide:.1}' height='{height:.0}' fill='{paper}'/>")
                .unwrap();
        }
        if run.trim().is_empty() {
            continue;
        }
        let run = run.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let weight = if style.bold { " font-weight='bold'" } else { "" };
        let under = if style.line { " text-decoration='underline'" } else { "" };
        let (ink, base) = (&style.ink, top + 13.5);
        write!(
            out,
            "<text x='{left:.1}' y='{base:.1}' textLength='{wide:.1}' fill='{ink}'{weight}{under}>{run}</text>"
        )
        .unwrap();
    }
    out
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
        let (width, height) = (f32::from(COLUMNS) * CELL.0 + 2.0 * MARGIN, f32::from(ROWS) * CELL.1 + 2.0 * MARGIN);
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0} {height:.0}' role='img' xml:space='preserve' \
             font-family=\"'DejaVu Sans Mono','Menlo','Consolas',monospace\" font-size='14'>\n<title>{title}</title>\n\
             <rect width='100%' height='100%' rx='8' fill='{PAPER}'/>\n{body}</svg>\n"
        )
    }
}

fn keep(name: &str, svg: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "assets", "screens", name].iter().collect();
    assert!(svg.len() <= 1 << 20, "{name} has {} bytes", svg.len());
    std::fs::write(path, svg).unwrap();
}

#[test]
#[ignore = "makes the moving picture of the README: cargo test --test pty film -- --ignored"]
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
    // The tour belongs to whoever tries it.
    terminal.send(":tour\r");
    terminal.wait_gone("TOUR ");
    terminal.send("0");
    film.shoot(&terminal, 1_500);
    terminal.send("/");
    terminal.wait_for("matches within the field");
    film.shoot(&terminal, 500);
    for typed in ["n", "nu", "nur", "nurs", "nurse"] {
        terminal.send(&typed[typed.len() - 1..]);
        terminal.wait_until("the letter", |screen| screen.contents().contains(typed));
        film.shoot(&terminal, 140);
    }
    terminal.send("\r");
    terminal.wait_for("title~nurse");
    terminal.wait_gone("Searching");
    terminal.wait_for("owned 0");
    film.shoot(&terminal, 1_600);
    for count in 1..=3 {
        terminal.send(" ");
        terminal.wait_for(&format!("Basket {count}"));
        film.shoot(&terminal, 450);
    }
    terminal.send("U");
    terminal.wait_for("Type the number");
    terminal.wait_for("most it can cost");
    film.shoot(&terminal, 1_800);
    terminal.press_until("3", |screen| screen.contains("[3"));
    film.shoot(&terminal, 700);
    terminal.press_until("\r", |screen| !screen.contains("review before you spend"));
    terminal.wait_for("export these");
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
