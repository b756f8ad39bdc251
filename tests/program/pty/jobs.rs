//! Jobs keep their profile: they go on while another one is looked at.

use common::gate::Gate;
use common::terminal::{Terminal, lode};
use common::test_app::TestApp;

/// Opens the profile at this place of the list in this window.
pub fn use_profile(terminal: &mut Terminal, name: &str, from: &str, keys: &str) {
    terminal.send("P");
    terminal.wait_for(&format!("▌ {}  {from} [SANDBOX]  this window", &from[..1]));
    terminal.send(&format!("{keys}\r"));
    terminal.wait_for(&format!("Profile {name}"));
    terminal.send("\r");
    terminal.wait_for(&format!("{name} ● sandbox"));
    terminal.wait_for("page 1/");
}

#[test]
fn an_unlock_goes_on_while_another_profile_is_looked_at() {
    let mut app = TestApp::new();
    let before = app.balance();
    let gate = Gate::before(&app.sandbox.workspace_url);
    app.workspace_url = format!("http://127.0.0.1:{}/api/v1", gate.port);
    let folder = app.path("config");
    std::fs::create_dir_all(&folder).unwrap();
    // One key at one address: a key that answers at two is refused, for its credits are somewhere.
    let (port, key) = (gate.port, &app.workspace_key);
    let table = |name: &str| {
        let url = format!("http://127.0.0.1:{port}/api/v1");
        format!("[profiles.{name}.workspace]\nurl = \"{url}\"\nkey = {{ command = \"echo {key}\" }}\n")
    };
    let text = format!("{}{}", table("east"), table("west"));
    std::fs::write(folder.join("config.toml"), text).unwrap();
    let mut terminal = Terminal::start(lode(&app.path(""), &[]), 160, 48);
    terminal.wait_for("east ● sandbox");
    terminal.wait_for("page 1/");
    terminal.send(&" ".repeat(30));
    terminal.wait_for("Basket 30");
    terminal.send("U");
    assert_eq!(terminal.pay(), "30");
    terminal.wait_for("Unlocking ");

    use_profile(&mut terminal, "west", "east", "j");
    terminal.wait_for("JOB of east: unlock  0 of 30");
    terminal.wait_for_jobs(1);
    // One key at one address: two profiles of one workspace share its basket.
    terminal.wait_for("Basket 30");
    terminal.send("\x1b[18~");
    terminal.wait_for("east: corpus us");
    terminal.send("\r");
    terminal.wait_for("It is a job of east and keeps running.");
    // A name or a key of it cannot become another one under its hands.
    terminal.send("P");
    terminal.wait_for("▌ w  west [SANDBOX]  this window");
    terminal.send("k\r");
    terminal.wait_for("Profile east");
    terminal.send("k");
    terminal.wait_for("▌ e  remove it");
    terminal.send("\r");
    terminal.wait_for("▌ c  cancel");
    terminal.send("j\r");
    terminal.wait_for("A job of east is running");
    for page in ["rename it", "add a profile with a Workspace key"] {
        terminal.send("\x1b");
        terminal.wait_for(page);
    }
    terminal.send("\x1b");
    terminal.wait_gone("Profiles");
    terminal.send("gs");
    terminal.wait_for("page 1/");

    use_profile(&mut terminal, "east", "west", "k");
    terminal.wait_for("Unlocking ");
    use_profile(&mut terminal, "west", "east", "j");
    terminal.wait_for("JOB of east: unlock  0 of 30");
    terminal.send("q");
    terminal.wait_for("An unlock is running.");
    terminal.send("\x1b");
    terminal.wait_gone("An unlock is running.");
    gate.open();
    terminal.wait_for("east: 30 unlocked");
    terminal.wait_gone("JOB of east");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    app.agrees(before, "a job in the back");
    assert_eq!(app.owned().len(), 30);
}
