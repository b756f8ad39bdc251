//! Whose money it is, on a real terminal: what one run spent stays spent, and a basket stays with its service.

use lode_sandbox::service::ServiceSetup;

use crate::pty::jobs::use_profile;
use crate::pty::money::{lode_in, window};
use common::terminal::{Terminal, lode};
use common::test_app::TestApp;

#[test]
fn switching_the_profile_away_and_back_does_not_reset_the_session_cap() {
    let app = TestApp::new();
    let folder = app.path("config");
    std::fs::create_dir_all(&folder).unwrap();
    let table = |name: &str| {
        let (url, key) = (&app.sandbox.workspace_url, &app.workspace_key);
        format!(
            "[profiles.{name}]\ncaps = {{ session = 3 }}\n[profiles.{name}.workspace]\nurl = \"{url}\"\n\
             key = {{ command = \"echo {key}\" }}\n"
        )
    };
    std::fs::write(folder.join("config.toml"), table("east") + &table("west")).unwrap();
    let mut terminal = Terminal::start(lode(&app.path(""), &[]), 160, 48);
    terminal.wait_for("east ● sandbox");
    terminal.wait_for("page 1/");
    terminal.send("   ");
    terminal.wait_for("Basket 3");
    terminal.send("U");
    assert_eq!(terminal.pay(), "3");
    terminal.wait_for("3 unlocked");
    terminal.wait_for("spent 3 of 3");
    terminal.send("\x1b");
    terminal.wait_gone("open in Owned");
    use_profile(&mut terminal, "west", "east", "j");
    terminal.wait_for("spent 3 of 3");
    use_profile(&mut terminal, "east", "west", "k");
    terminal.wait_for("spent 3 of 3");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    // The next run is the next session.
    let mut terminal = Terminal::start(lode(&app.path(""), &[]), 160, 48);
    terminal.wait_for("spent 0 of 3");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn the_basket_of_another_service_is_neither_shown_nor_quoted() {
    let here = TestApp::new();
    let there = TestApp::with(ServiceSetup { seed: 4_711, ..TestApp::setup() });
    let mut terminal = window(&here);
    terminal.wait_for("page 1/");
    terminal.send("   ");
    terminal.wait_for("Basket 3");
    terminal.send("q");
    assert!(terminal.wait_exit().success());

    let mut command = lode_in(&here);
    command.env("LODE_WORKSPACE_URL", &there.sandbox.workspace_url);
    command.env("LODE_WORKSPACE_KEY", &there.workspace_key);
    let mut terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("\x1b[13~");
    terminal.wait_for("The basket is empty");
    // With nothing staged, U reviews the row of the search under the cursor, which is one of this service.
    terminal.send("gsU");
    assert_eq!(terminal.pay(), "1");
    terminal.wait_for("1 unlocked");
    terminal.send("\x1b");
    terminal.wait_gone("open in Owned");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    assert_eq!(here.owned().len(), 0);

    let mut terminal = window(&here);
    terminal.wait_for("Basket 3");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}
