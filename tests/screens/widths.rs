//! Columns at every width: a wider terminal never shows fewer of them, and a phone is there at every width: in a column, or in the
//! card of the row under the cursor.

use std::time::Duration;

use lode_engine::effect::unlock::UnlockBody;
use lode_ui::msg::Msg;

use common::screen::planned::TestScreen;

/// Heads of the lists, without the screens' other words.
const HEADS: [&str; 12] =
    ["Name", "Title", "Company", " St ", "Email", "Phone", "Status", "Check", "Receipt", "Tags", "Since", "Filters"];

/// The columns that are shown, read from the line with the heads.
fn shown(screen: &mut TestScreen, width: u16) -> Vec<&'static str> {
    screen.handle(Msg::Resized(width, 36));
    let text = screen.text();
    let line = text.lines().find(|line| line.contains(" Name ")).unwrap_or_else(|| panic!("{width}:\n{text}"));
    // The pane of the filters has labels of the same names.
    let line = line.rsplit_once(" Name ").map_or(line, |(before, _)| &line[before.len()..]);
    HEADS.into_iter().filter(|head| line.contains(head)).collect()
}

#[test]
fn a_wider_terminal_never_shows_fewer_columns() {
    for (name, keys) in [("search", ""), ("basket", "j Space Space Space g b"), ("owned", "g o")] {
        let mut screen = TestScreen::new(160, 36);
        screen.open().key(keys).settle();
        let mut before: Vec<&str> = Vec::new();
        for width in 80..=300 {
            let now = shown(&mut screen, width);
            let has_card = screen.text().contains('☎');
            let is_lost = |head: &&&str| !(now.contains(*head) || has_card && **head == "Phone");
            let lost: Vec<_> = before.iter().filter(is_lost).collect();
            assert!(lost.is_empty(), "{name}: {width} columns lack {lost:?}:\n{}", screen.text());
            let has_phone = has_card || now.contains(&"Phone");
            assert!(width < 100 || has_phone, "{name}: no phone at {width}:\n{}", screen.text());
            before = now;
        }
    }
}

#[test]
fn what_the_basket_may_cost_is_never_cut() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("a PgDn PgDn PgDn PgDn a").settle();
    let staged = screen.model.session.side(screen.model.search.side).basket.len();
    assert!(staged > 100, "{staged} are staged");
    for width in 80..=200 {
        screen.handle(Msg::Resized(width, 48));
        for line in screen.text().lines().filter(|line| line.contains("up to ")) {
            assert!(line.contains(" cr"), "{width}: {line}");
        }
    }
    screen.says("up to ");
}

#[test]
fn what_was_paid_for_is_whole_where_others_can_go() {
    let mut screen = TestScreen::new(80, 24);
    screen.open().key("g o").settle();
    for width in [80, 100, 120, 160] {
        screen.handle(Msg::Resized(width, 24));
        let text = screen.text();
        let rows = text.lines().filter(|line| line.contains('@'));
        let cut: Vec<&str> = rows.filter(|line| !line.contains(".example ")).collect();
        assert!(cut.is_empty(), "{width}: {cut:#?}");
    }
}

const LONG: &str = "maria.fernanda.delacroix@regional-hospital-of-the-northern-valleys.example";

fn long_address(call: &UnlockBody, _credits: i64) -> String {
    let id = call.ids[0];
    format!(
        r#"{{"ok":true,"data":{{"unlocked":[{{"id":{id},"email":"{LONG}","phone":"5125550142","contact_name":"Maria","verification":"valid","refunded":false}}],"already_unlocked":[],"missing":[],"credits_charged":1,"credits_refunded":0,"balance":9,"stopped_for_credits":false}}}}"#
    )
}

#[test]
fn a_bought_address_is_whole_at_every_width() {
    for width in [40, 60, 80, 120] {
        let mut screen = TestScreen::new(width, 24);
        (screen.may_spend, screen.unlock) = (true, long_address);
        screen.open().key("U").wait(Duration::from_secs(1)).pay("1").settle();
        let text = screen.text();
        let parts = text.lines().flat_map(|line| line.split(['│', '╮', '╯']));
        let parts = parts.map(|part| part.trim().split("   ").next().unwrap_or_default());
        let address: String = parts.filter(|part| part.len() > 3 && LONG.contains(part)).collect();
        assert!(address.contains(LONG), "{width}:\n{text}");
    }
}
