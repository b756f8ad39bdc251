//! What changes between the review and Enter leads to a new review: nothing is bought that was not shown as it is.

use common::terminal::Terminal;
use common::test_app::TestApp;

use crate::pty::money::window;

/// A window with three contacts under review.
fn reviewing(app: &TestApp) -> Terminal {
    let mut terminal = window(app);
    terminal.wait_for("page 1/");
    terminal.send("   ");
    terminal.wait_for("Basket 3");
    terminal.send("U");
    terminal.wait_for("Maximum cost");
    terminal
}

/// Enter shows another review, and buys nothing.
fn reviews_again(app: &TestApp, mut terminal: Terminal, change: impl FnOnce()) -> Terminal {
    let before = app.owned();
    change();
    terminal.wait_for("to unlock   ▏");
    terminal.press_until("3", |screen| screen.contains("▏ 3"));
    terminal.press_until("\r", |screen| screen.contains("Review it again") || screen.contains(" unlocked"));
    terminal.wait_for("Review it again");
    terminal.wait_for("Maximum cost");
    assert_eq!(app.owned(), before, "{}", terminal.screen());
    terminal
}

/// Money rule 1, *shown is paid*.
#[test]
fn a_list_added_under_a_review_counts_at_enter() {
    let app = TestApp::new();
    let row = app.run(&["search", "--limit", "1", "--json"]).ended(0).lines()[0].clone();
    let terminal = reviewing(&app);
    let mut terminal = reviews_again(&app, terminal, || {
        let domain = row["email_address"].as_str().unwrap().rsplit_once('@').unwrap().1.to_owned();
        app.fed(&["suppress", "add", "dnc"], &domain).ended(0);
    });
    let owned = app.owned().len();
    let paid: usize = terminal.pay().parse().unwrap();
    terminal.wait_for(" unlocked · ");
    assert!(paid < 3 && app.owned().len() == owned + paid, "{paid}");
    assert!(!app.owned().contains(&row["id"].as_u64().unwrap()));
}

/// Money rule 1, *shown is paid*.
#[test]
fn the_balance_is_read_again_at_enter() {
    let app = TestApp::new();
    let terminal = reviewing(&app);
    let terminal = reviews_again(&app, terminal, || app.set_credits(1));
    terminal.wait_for("1 does not cover 3");
}

#[test]
fn a_cap_saved_under_a_review_counts_at_enter() {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "[profiles.work.caps]\n").unwrap();
    let terminal = reviewing(&app);
    let terminal = reviews_again(&app, terminal, || {
        std::fs::write(app.path("config/config.toml"), "[profiles.work.caps]\nday = 9\n").unwrap();
    });
    terminal.wait_for("Day limit");
}
