//! A window of the real binary on a test app, and what a hand does in it.

use portable_pty::CommandBuilder;

use common::terminal::Terminal;
use common::test_app::TestApp;

/// The command of a window, with whatever stands before it.
pub fn command(app: &TestApp, before: &[&str]) -> CommandBuilder {
    let program = app.command(&[]);
    let binary = program.get_program().to_str().unwrap();
    let mut words = before.to_vec();
    words.push(binary);
    let mut command = CommandBuilder::new(words[0]);
    command.args(&words[1..]);
    command.env_clear();
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env("PATH", "/usr/bin:/bin");
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.cwd(app.path("."));
    command
}

/// Waits until the borders of every pane stand one below the other: from each upper corner a line goes down to the lower one. A
/// frame may be looked at while half of it has come; what is crooked once all of it is there stays so.
#[track_caller]
pub fn straight(terminal: &Terminal) {
    terminal.wait_until("straight borders", |screen| crooked(screen).is_none());
}

/// A place where a border is broken.
fn crooked(screen: &vt100::Screen) -> Option<(u16, u16)> {
    let (rows, columns) = screen.size();
    let at = |row: u16, column: u16| screen.cell(row, column).map_or("", |cell| cell.contents());
    let mut corners = 0;
    for (upper, lower) in [("╭", "╰"), ("╮", "╯")] {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            if at(row, column) != upper {
                continue;
            }
            corners += 1;
            for below in row + 1..=rows {
                match at(below, column) {
                    "│" | "├" | "┤" => {}
                    corner if corner == lower => break,
                    // A pane behind another one goes on below it.
                    "╭" | "╮" | "╰" | "╯" | "─" => break,
                    // So does one beside a dialog that is nearly as wide as the screen.
                    "" | " "
                        if (1..3)
                            .any(|by| at(below, column + by) == "╭" || at(below, column.wrapping_sub(by)) == "╮") =>
                    {
                        break;
                    }
                    _ => return Some((below, column)),
                }
            }
        }
    }
    (corners < 2).then_some((0, 0))
}
