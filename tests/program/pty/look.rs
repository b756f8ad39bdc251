//! What the terminal says of its background, and how few keys it takes.

use common::terminal::{DEMO, Terminal, lode};

const LIGHT: &str = "\x1b]11;rgb:fafa/f7f7/f0f0\x1b\\";
/// Texts of the two themes, as `assets/themes` has them.
const LIGHT_TEXT: vt100::Color = vt100::Color::Idx(235);
const DARK_TEXT: vt100::Color = vt100::Color::Idx(254);

fn has(screen: &vt100::Screen, color: vt100::Color) -> bool {
    let (rows, columns) = screen.size();
    let mut cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    cells.any(|(row, column)| {
        screen.cell(row, column).is_some_and(|cell| cell.has_contents() && cell.fgcolor() == color)
    })
}

#[test]
fn the_theme_follows_the_background_and_the_answer_types_nothing() {
    let home = common::folder();
    let mut command = lode(home.path(), &[]);
    command.env("COLORTERM", "truecolor");
    let mut terminal = Terminal::keeping(command, 100, 30);
    terminal.wait_for("Try the demo");
    terminal.wait_written(b"\x1b]11;?");
    terminal.send(LIGHT);
    terminal.wait_until("the light theme", |screen| has(screen, LIGHT_TEXT));
    // The system turned dark, and light again.
    terminal.send("\x1b[?997;1n");
    terminal.wait_until("the dark theme", |screen| has(screen, DARK_TEXT));
    terminal.send("\x1b[?997;2n");
    terminal.wait_until("the light theme", |screen| has(screen, LIGHT_TEXT));
    assert!(terminal.screen().contains("Try the demo"), "nothing of it was a key:\n{}", terminal.screen());
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
    terminal.is_restored();

    // The next first frame knows it, without an answer.
    let mut command = lode(home.path(), &[]);
    command.env("COLORTERM", "truecolor");
    let mut terminal = Terminal::start(command, 100, 30);
    terminal.wait_until("the light theme", |screen| has(screen, LIGHT_TEXT));
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
}

/// The usual case over SSH: 256 colors, and nothing says that there are more.
#[test]
fn with_256_colors_the_theme_follows_too_and_nothing_is_a_block_of_the_sixteen() {
    let home = common::folder();
    let mut terminal = Terminal::keeping(lode(home.path(), &DEMO), 120, 36);
    terminal.wait_written(b"\x1b]11;?");
    terminal.send("\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\");
    terminal.wait_for("page 1/");
    terminal.wait_until("the dark theme and nothing else", |screen| {
        let mut cells = (0..36).flat_map(|row| (0..120).map(move |column| screen.cell(row, column).unwrap()));
        let is_of_theme = |color| !matches!(color, vt100::Color::Idx(0..16) | vt100::Color::Rgb(..));
        // A blank shows nothing of a letter's color.
        let is_blank = |cell: &vt100::Cell| cell.contents().trim().is_empty();
        let is_dark = |cell: &vt100::Cell| is_blank(cell) || is_of_theme(cell.fgcolor());
        has(screen, DARK_TEXT) && cells.all(|cell| is_dark(cell) && is_of_theme(cell.bgcolor()))
    });
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

/// A theme of one's own is taken over when it is saved, and what is wrong in it is said with its line.
#[cfg(target_os = "linux")]
#[test]
fn a_saved_theme_is_taken_over() {
    let home = common::folder();
    let themes = home.path().join("config/themes");
    std::fs::create_dir_all(&themes).unwrap();
    let save = |accent: &str| {
        let text = format!("background = ['#101010']\n[roles]\ntext = '#010203'\naccent = '{accent}'\n");
        std::fs::write(themes.join("mine.toml"), text).unwrap();
    };
    save("#0a0b0c");
    let mut command = lode(home.path(), &["--theme", "mine"]);
    command.env("COLORTERM", "truecolor");
    let mut terminal = Terminal::start(command, 120, 36);
    terminal.wait_until("the theme", |screen| has(screen, vt100::Color::Rgb(10, 11, 12)));
    save("#141516");
    terminal.wait_until("the saved theme", |screen| has(screen, vt100::Color::Rgb(20, 21, 22)));
    save("pinkish");
    terminal.wait_for("mine.toml, line 4: role `accent`: `pinkish` is not a color or a style");
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
}

/// Something moves unless the settings or a terminal without colors say otherwise.
#[test]
fn motion_is_off_by_its_setting_and_without_colors() {
    for (setting, no_color, said) in [("", "", "full"), ("motion = \"none\"\n", "", "none"), ("", "1", "none")] {
        let home = common::folder();
        let config = home.path().join("config/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(&config, setting).unwrap();
        let mut command = lode(home.path(), &DEMO);
        command.env("NO_COLOR", no_color);
        let mut terminal = Terminal::start(command, 120, 36);
        terminal.wait_for("page 1/");
        terminal.send(":settings\r");
        let words = |screen: &vt100::Screen| {
            let text = screen.contents();
            text.lines().any(|line| line.contains(" motion ") && line.contains(said))
        };
        terminal.wait_until(&format!("motion {said}"), words);
        terminal.send("\x1bq");
        assert!(terminal.wait_exit().success());
    }
}

/// Sends keys one by one and counts them.
fn press(terminal: &mut Terminal, keys: &[&str]) -> usize {
    keys.iter().for_each(|key| terminal.send(key));
    keys.len()
}

#[test]
fn a_search_takes_seventeen_keys_a_recall_two_an_unlock_three() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    // The first unlock: the review, the number, Enter.
    terminal.send("U");
    assert_eq!(terminal.pay(), "1");
    terminal.wait_for("Unlocked · ");
    terminal.wait_for("open in Owned");
    terminal.send("\x1b");
    terminal.wait_gone("open in Owned");

    let mut keys = press(&mut terminal, &["/", "n", "u", "r", "s", "e", "\r"]);
    terminal.wait_for("title nurse");
    keys += press(&mut terminal, &["f", "s", "t", "x", "\r"]);
    terminal.wait_for("state TX");
    keys += press(&mut terminal, &["f", "i", "h", "o", "\r"]);
    terminal.wait_for("industry ho");
    assert_eq!(keys, 17);

    terminal.send("F");
    terminal.wait_gone("industry: ho");
    terminal.send("r");
    terminal.wait_for("Recall a search");
    terminal.send("\r");
    terminal.wait_gone("Recall a search");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}
