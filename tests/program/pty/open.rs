//! What a row leads to is opened by another program: one argument, no shell, no zombie, whatever the row says.

use std::os::unix::fs::PermissionsExt;

use crate::pty::money::lode_in;
use common::terminal::Terminal;
use common::test_app::TestApp;

/// Notes how many arguments it got, and the arguments.
const OPENER: &str = "#!/bin/sh\nprintf '%s %s\\n' \"$#\" \"$*\" >> \"$HOME/opened\"\n";

/// A window on the Data API, whose rows are not masked, with an opener of these names in its path.
fn window(app: &TestApp, openers: &[&str], environment: &[(&str, &str)]) -> Terminal {
    std::fs::create_dir_all(app.path("bin")).unwrap();
    for name in openers {
        let path = app.path("bin").join(name);
        std::fs::write(&path, OPENER).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = lode_in(app);
    command.env("PATH", app.path("bin"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "BROWSER"] {
        command.env_remove(name);
    }
    for (name, value) in environment {
        command.env(name, value);
    }
    let mut terminal = Terminal::keeping(command, 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("W/nurse\r");
    terminal.wait_for("Data · US");
    terminal.wait_for("page 1/");
    terminal
}

/// What the opener was given, once it was started that often.
fn opened(app: &TestApp, calls: usize) -> Vec<String> {
    loop {
        let text = std::fs::read_to_string(app.path("opened")).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        if lines.len() >= calls {
            return lines;
        }
        std::thread::yield_now();
    }
}

/// Whether a child of this process has ended and was not waited for.
fn has_zombie(terminal: &Terminal) -> bool {
    let parent = terminal.pid().as_raw_nonzero().to_string();
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.first() == Some(&"Z") && fields.get(1) == Some(&parent.as_str())
    })
}

fn leave(mut terminal: Terminal) {
    terminal.send("q");
    terminal.wait_exit();
    terminal.is_restored();
}

#[test]
fn website_and_email_open_with_one_argument() {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/mail.toml"), "subject = \"Hi {first_name}\"\nbody = \"One\\nTwo\"\n").unwrap();
    let mut terminal = window(&app, &["xdg-open", "firefox"], &[("DISPLAY", ":9"), ("BROWSER", "firefox -new %s")]);
    terminal.send("gxe");
    let first = &opened(&app, 1)[0];
    assert!(first.starts_with("1 mailto:") && first.contains("?subject=Hi%20"), "{first}");
    assert!(first.ends_with("&body=One%0D%0ATwo"), "{first}");
    // The browser of the environment is for the web.
    terminal.send("gxw");
    let second = &opened(&app, 2)[1];
    assert!(second.starts_with("2 -new https://"), "{second}");
    while has_zombie(&terminal) {
        std::thread::yield_now();
    }
    // A template with a mistake opens nothing.
    std::fs::write(app.path("config/mail.toml"), "subject = \"{nmae}\"\n").unwrap();
    terminal.send("gxe");
    terminal.wait_for("unknown field `nmae`");
    leave(terminal);
}

#[test]
fn without_a_browser_the_address_is_copied() {
    for environment in [&[("SSH_CONNECTION", "1"), ("DISPLAY", ":9"), ("BROWSER", "firefox")][..], &[]] {
        let app = TestApp::new();
        let mut terminal = window(&app, &["xdg-open", "firefox"], environment);
        terminal.send("gxw");
        terminal.wait_for("No browser here. Copied https://");
        terminal.wait_written(b"\x1b]52;c;aHR0cHM6Ly");
        leave(terminal);
        assert!(!app.path("opened").exists());
    }
}

#[test]
fn hostile_rows_open_nothing_but_plain_addresses() {
    let app = TestApp::new();
    app.fault("hostile");
    let mut terminal = window(&app, &["xdg-open"], &[("DISPLAY", ":9")]);
    for _ in 0..40 {
        // Takes the first line of a list. Where there is none, it opens the contact, which Esc closes.
        for keys in ["gx", "\r", "\x1b", "j"] {
            terminal.send(keys);
            terminal.wait_read();
        }
    }
    for line in opened(&app, 20) {
        let address = line.strip_prefix("1 ").unwrap_or_else(|| panic!("{line}"));
        assert!(["https://", "http://", "mailto:", "tel:"].iter().any(|scheme| address.starts_with(scheme)), "{line}");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:?#@&=+,;%".contains(c);
        assert!(address.chars().all(plain), "{line}");
    }
    leave(terminal);
}
