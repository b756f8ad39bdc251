//! The table of keys: no key means two things, every command can be reached, everything derives from the one table.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and measure time.

use std::collections::{BTreeSet, HashMap};

use lode_assets::help;
use lode_core::contact::Source;
use lode_engine::effect::profile::UserBinding;
use lode_ui::dialogs::Dialog;
use lode_ui::keys::chord::{Chord, read_sequence};
use lode_ui::keys::command::{self as table, App, Command};
use lode_ui::keys::keymap::{Keymap, Resolved};
use lode_ui::keys::situation::{Context, Situation, chain};
use lode_ui::messages::Holds;

use common::sandbox_engine;
use common::screen::planned::TestScreen;
use common::screen::rest::Files;
use common::screen::sandboxed;

fn user(context: &str, name: &str, keys: &[&str]) -> UserBinding {
    UserBinding {
        context: context.to_owned(),
        name: name.to_owned(),
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        line: 7,
    }
}

fn resolved(map: &Keymap, contexts: &'static [Context], keys: &str) -> Option<Command> {
    let chords = read_sequence(keys).unwrap();
    let (last, pending) = chords.split_last().unwrap();
    match map.resolve(contexts, pending, *last) {
        Resolved::Command(row) => Some(row.command),
        _ => None,
    }
}

#[test]
fn every_key_of_the_table_can_be_read_and_arrives() {
    for row in table::rows() {
        for keys in row.keys {
            // Reading refuses what terminals keep for themselves: Ctrl-s, Ctrl-h, F1 and the like.
            if let Err(bad) = read_sequence(keys) {
                panic!("{}: {bad}", row.title);
            }
            assert!(!keys.contains("Alt"), "{}", row.title);
        }
    }
}

#[test]
fn no_key_has_two_meanings_in_one_chain() {
    for contexts in chain::EVERY {
        let mut seen: HashMap<Vec<Chord>, (Command, &str)> = HashMap::new();
        for row in table::rows().filter(|row| contexts.contains(&row.context)) {
            for keys in row.keys {
                let chords = read_sequence(keys).unwrap();
                for (other, (command, title)) in &seen {
                    let shorter = chords.len().min(other.len());
                    let same = chords[..shorter] == other[..shorter];
                    assert!(
                        !same || *command == row.command,
                        "{keys} is `{}` and `{title}` in {contexts:?}",
                        row.title
                    );
                }
                seen.insert(chords, (row.command, row.title));
            }
        }
    }
}

#[test]
fn every_command_is_reached_by_a_key_or_the_palette() {
    let map = Keymap::standard();
    for row in table::rows() {
        let reached = chain::EVERY.iter().any(|contexts| {
            contexts.contains(&row.context)
                && (row.keys.is_empty()
                    || row.keys.iter().all(|keys| resolved(&map, contexts, keys) == Some(row.command)))
        });
        assert!(reached, "{} cannot be reached", row.title);
        // What has no key has to stand in the palette, which shows everything but moving and typing.
        let in_palette = !matches!(row.context, Context::List | Context::Text | Context::Always);
        assert!(in_palette || !row.keys.is_empty(), "{}", row.title);
    }
}

#[test]
fn names_are_unique_where_they_are_bound() {
    let mut seen = BTreeSet::new();
    for row in table::rows() {
        assert!(seen.insert((row.context, row.name)), "{} twice in {}", row.name, row.context.name());
        assert!(!row.title.is_empty() && !row.help.is_empty());
        assert!(row.title.starts_with(char::is_uppercase), "{}", row.title);
    }
}

#[test]
fn escape_and_help_are_everywhere_outside_a_text_field() {
    let map = Keymap::standard();
    for contexts in chain::EVERY {
        assert!(resolved(&map, contexts, "Esc").is_some(), "{contexts:?}");
        if !contexts.contains(&Context::Text) {
            assert_eq!(resolved(&map, contexts, "?"), Some(Command::App(App::Help)), "{contexts:?}");
        }
    }
}

/// A screen on which everything can be done.
fn everything() -> Situation {
    Situation {
        enter: "run",
        chain: chain::RESULTS,
        source: Source::Workspace,
        may_unlock: None,
        has_workspace: true,
        has_data: true,
        has_row: true,
        row_runs: false,
        has_bought: true,
        can_pay: true,
        row_has_id: true,
        row_owned: false,
        leads: [true; 3],
        has_results: true,
        staged: 1,
        can_undo: true,
        can_redo: true,
        has_error: true,
        has_request: true,
        has_link: true,
        demo: true,
        dialog_open: false,
        contact_open: false,
        has_suggestions: true,
        has_marks: true,
        has_risky: true,
        has_duplicates: true,
        has_choice: true,
        has_suppressed: true,
        can_finish: true,
    }
}

/// What leads to spending is not offered to a key that may not spend.
#[test]
fn commands_that_lead_to_spending_need_a_key_that_may_spend() {
    let broke = Situation { may_unlock: Some(false), ..everything() };
    let spending = ["Review and unlock", "Unlock this contact", "Finish the batch"];
    let rows: Vec<_> = table::rows().filter(|row| spending.contains(&row.title)).collect();
    assert_eq!(rows.len(), 4, "Results and Basket both have the review");
    for row in rows {
        assert!(row.enabled(&broke).is_err(), "{} is offered to a key that may not spend", row.title);
    }
}

#[test]
fn a_person_may_bind_other_keys() {
    let (map, problems) = Keymap::merged(&[user("results", "stage", &["Z"]), user("everywhere", "theme", &["g t"])]);
    assert_eq!(problems, []);
    assert!(matches!(resolved(&map, chain::RESULTS, "Z"), Some(Command::Results(_))));
    assert_eq!(resolved(&map, chain::RESULTS, "Space"), None, "the old key is free");
    assert_eq!(resolved(&map, chain::OWNED, "g t"), Some(Command::App(App::Themes)));
}

#[test]
fn a_clash_names_both_and_leaves_both_at_their_defaults() {
    let (map, problems) = Keymap::merged(&[user("results", "stage", &["j"]), user("results", "range", &["Z"])]);
    let [(7, words)] = &problems[..] else { panic!("{problems:?}") };
    let is_said =
        |words: &str| words.starts_with("key j is bound to both ") && words.ends_with(": both keep their defaults");
    assert!(is_said(words) && words.contains("`results.stage`") && words.contains("`lists.down`"), "{words}");
    let default = Keymap::standard();
    for keys in ["Space", "j"] {
        assert_eq!(resolved(&map, chain::RESULTS, keys), resolved(&default, chain::RESULTS, keys));
    }
    assert!(resolved(&map, chain::RESULTS, "Z").is_some(), "the others stay bound");
}

#[test]
fn a_key_that_begins_a_sequence_clashes_with_it() {
    let (_, problems) = Keymap::merged(&[user("results", "stage", &["g"])]);
    assert!(matches!(&problems[..], [(7, words)] if words.contains(" is bound to both ")), "{problems:?}");
}

#[test]
fn bad_lines_are_told_one_by_one_and_the_rest_holds() {
    let (map, problems) = Keymap::merged(&[
        user("result", "stage", &["Z"]),
        user("results", "stag", &["Z"]),
        user("results", "stage", &["Ctrl-s"]),
        user("money", "confirm", &["y"]),
        user("results", "range", &["Z"]),
    ]);
    let words = [
        "unknown section [keys.result]",
        "[keys.results] has no command `stag`; run `lode` and type `:help` to list them",
        "[keys.results] stage: `Ctrl-s` cannot be used: terminals use it to stop and start the output",
        "[keys.money] confirm has a fixed key",
    ];
    assert_eq!(problems, words.map(|words| (7, words.to_owned())));
    assert!(resolved(&map, chain::RESULTS, "Z").is_some());
}

/// The contexts in the order of the page of the keys, with their headings.
const HEADINGS: [(Context, &str); 18] = [
    (Context::Always, "Always"),
    (Context::App, "Everywhere"),
    (Context::List, "Lists"),
    (Context::Results, "Results"),
    (Context::Filters, "Filter pane"),
    (Context::Columns, "Columns"),
    (Context::Basket, "Basket"),
    (Context::Owned, "Owned"),
    (Context::Saved, "Saved"),
    (Context::Counts, "Counts"),
    (Context::Jobs, "Jobs"),
    (Context::Match, "Match"),
    (Context::Money, "Money"),
    (Context::Recovery, "Recovery"),
    (Context::Summary, "Summary of an unlock"),
    (Context::Ask, "Question"),
    (Context::Dialog, "Dialogs"),
    (Context::Text, "Text field"),
];

/// The table as the page of the keys has it.
fn markdown() -> String {
    let mut out = String::new();
    for (context, title) in HEADINGS {
        let here: Vec<_> = table::rows().filter(|row| row.context == context && !row.keys.is_empty()).collect();
        if here.is_empty() {
            continue;
        }
        out.push_str(&format!("\n**{}**\n\n| key | what it does |\n|---|---|\n", title));
        for row in here {
            let keys = if row.keys.len() == 10 {
                "digits".to_owned()
            } else {
                row.keys.iter().map(|keys| format!("`{}`", keys.replace('|', "\\|"))).collect::<Vec<_>>().join(" ")
            };
            out.push_str(&format!("| {keys} | {}. {} |\n", row.title, row.help.replace('|', "\\|")));
        }
    }
    out.push_str(&format!("\n**Commands of your own**\n\n```toml\n{}```\n\n", help::OWN_COMMAND));
    out.push_str(help::OWN_COMMANDS.trim_end());
    out.push_str("\n\n");
    out
}

/// `docs/keys.md` is made from the table and may not say anything else.
#[test]
fn the_page_of_keys_shows_them_as_they_are() {
    let path = common::root().join("docs/keys.md");
    let table = Keymap::standard().spelled(&markdown()).into_owned();
    let wanted = format!(
        "# Keys\n\nMade from `src/ui/keys/command.rs` with `UPDATE_README=1 cargo test --test screens keys`.\n{table}"
    );
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    assert!(std::fs::read_to_string(path).unwrap() == wanted, "run UPDATE_README=1 cargo test --test screens keys");
}

/// Single letters of the screens come from the key table too.
#[test]
fn keys_that_the_screens_show_follow_a_rebound_key() {
    let mut screen = TestScreen::new(200, 48);
    screen.open();
    let own = [
        user("everywhere", "corpus", &["Z c"]),
        user("results", "hide-ours", &["Z o"]),
        user("results", "exclusions", &["Z x"]),
        user("results", "per-company", &["Z l"]),
        user("results", "main-field", &["Z m"]),
        user("results", "recall", &["Z r"]),
        user("counts", "view", &["Z v"]),
        user("counts", "find", &["Z f"]),
    ];
    let (keymap, problems) = Keymap::merged(&own);
    assert_eq!(problems, []);
    screen.model.keymap = keymap.into();
    let text = screen.text();
    for key in ["Title Z m ", "Z c│", "Z o│", "Z x│", "Z l│"] {
        assert!(text.contains(key), "{key}: {text}");
    }
    let mut screen = sandboxed::TestScreen::sized(sandbox_engine::small(|_| {}), 120, 36, true);
    screen.model.keymap = Keymap::merged(&own).0.into();
    screen.key("g c").settle();
    screen.says("Z v next view   Z f find");
}

/// A sentence names a binding, not a key: rebound, it shows the new key; without a key, the command.
#[test]
fn sentences_follow_a_rebound_key() {
    let sentence = "Removed.  <everywhere.undo> undo, 1 < 2 > 0, <no.binding>";
    assert_eq!(Keymap::standard().spelled(sentence), "Removed.  u undo, 1 < 2 > 0, <no.binding>");
    let (map, problems) = Keymap::merged(&[user("everywhere", "undo", &["F12"])]);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(map.spelled("Removed.  <everywhere.undo> undo"), "Removed.  F12 undo");
    assert_eq!(Keymap::standard().spelled("<everywhere.unknown>"), ":unknown");
}

/// In each place the help lists exactly the keys that do something there and now, and how to see all.
#[test]
fn help_lists_the_keys_that_work_here_and_no_others() {
    type Place = (&'static str, fn(&mut TestScreen));
    let places: [Place; 6] = [
        ("results", |screen| _ = screen.open().settle()),
        ("an owned row", |screen| _ = screen.open().settle().key("4G")),
        ("no results", |screen| {
            screen.total = 0;
            screen.open().key("/").typed("zzz").key("Enter").settle();
        }),
        ("an empty basket", |screen| _ = screen.open().settle().key("g b")),
        ("a basket", |screen| _ = screen.open().settle().key("Space Space g b")),
        ("jobs", |screen| _ = screen.open().settle().key("g j")),
    ];
    let mut listed = BTreeSet::new();
    for (place, go) in places {
        let at = || {
            let mut screen = TestScreen::new(160, 48);
            screen.files = Some(Files::default());
            go(&mut screen);
            screen
        };
        let mut screen = at();
        screen.key("?").says("Esc, then : lists all commands.");
        let Some(Dialog::Help(sheet)) = screen.model.nav.top() else { panic!("{place}: no help") };
        let shown: Vec<(String, String)> =
            sheet.picker.items.iter().map(|item| (item.right.clone(), item.left.clone())).collect();
        for (keys, title) in &shown {
            let mut screen = at();
            screen.key(keys.split("  ").next().unwrap());
            let notice = screen.model.messages.shown();
            let is_refused = notice
                .is_some_and(|notice| matches!(notice.holds, Holds::Here(_)) && !notice.words.starts_with("Sorted "));
            assert!(
                !is_refused && !screen.text().contains("no such key"),
                "{place}: {keys} {title}\n{}",
                screen.text()
            );
        }
        listed.insert(shown);
    }
    assert_eq!(listed.len(), 6, "each place has its own keys");
}
