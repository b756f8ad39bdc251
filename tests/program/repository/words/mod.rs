//! The words that a user can see: collected from the sources, the help of every command and the pages, never listed by hand.
#![allow(clippy::disallowed_methods)] // Reads the sources and runs the program.

mod literals;

use std::process::Command;

use literals::Literal;
use lode_core::credits::{Credits, agree, contacts, counted};
use lode_ui::keys::keymap::Keymap;

/// Everything that speaks to a user. The sandbox speaks as the services do.
const ROOMS: &[&str] = &["app", "ops", "core", "engine", "host", "ui"];

/// Sentences and phrases that have a better form now.
const RETIRED: &[&str] = &[
    "spent here",
    "spent so far",
    "matches within the field",
    "each within the field",
    "one of a fixed list",
    "most it can cost",
    "kept back",
    "the service says",
    "phones kept",
    "as it came",
    "is no address",
    "hide contacts we own",
    "contacts we own",
    "exactly; type to find",
    "any of these, each",
    "everything without",
    "proves invalid or disposable",
    "a poor buy",
    "also in this company",
    "is not read yet",
    "as the service sent it",
    "masked as it is",
    "number of credits you allow",
    "beyond the number typed",
    "read again before",
    "line lost",
    "after the call that is out",
    "without an answer",
    "until that is cleared up",
    "clears it up",
    "cleared up",
    "read anew",
    "asks anew",
    "nothing searched yet",
    "formulas harmless",
    "rows that are here",
    "no whole file",
    "so that all of them are new",
    "close the top layer",
    "the other way round",
    "has its sandbox alone",
    "its key. it is not shown",
    "nothing to lose",
    "rows and dice",
    "tell the address from",
    "say what to mend",
    "can be looked into",
    "is no filter",
    "under way",
    "takes it as typed",
    "goes on whatever",
    "none of them charged",
    "of ours",
    "we own",
    "looks for the cause",
    "handed the",
    "} calls (",
    "turns it off",
    "enter again",
    "asked: ",
    "look, free",
    "basket of {side} holds",
    "into the main field",
    "owned yet on",
    "has failed so far",
    "last change back",
    "data api, whole",
    "list was read",
    "hand the mouse",
    "has the profiles",
    "pasting is fine",
    "each side keeps",
    "place and basket",
    "embedded sandbox",
    "answer was lost",
    "clear up",
];

/// Words that no sentence for a user has.
const RETIRED_WORDS: &[&str] = &[
    "ours", "twin", "twins", "nobody", "whoever", "somebody", "everybody", "anybody", "anew", "mend", "mended",
    "e-mail", "e-mails", "colour", "colours",
];

fn sentences() -> Vec<Literal> {
    literals::of(ROOMS).into_iter().filter(|literal| is_sentence(&literal.words)).collect()
}

/// Two words at least.
fn is_sentence(words: &str) -> bool {
    words.split(' ').filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count() > 1
        && !["SELECT", "INSERT", "CREATE", "UPDATE ", "DELETE"].iter().any(|sql| words.contains(sql))
}

fn words_of(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty())
}

fn retired(sentence: &str) -> Option<&'static str> {
    let small = sentence.to_lowercase();
    let phrase = RETIRED.iter().find(|phrase| small.contains(**phrase));
    phrase.or_else(|| RETIRED_WORDS.iter().find(|word| words_of(&small).any(|one| one == **word))).copied()
}

#[test]
fn no_sentence_has_a_retired_word() {
    let wrong: Vec<String> = sentences()
        .iter()
        .filter_map(|one| Some(format!("{}:{}: `{}` in: {}", one.path, one.line, retired(&one.words)?, one.words)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names and comments too, in the tests and benchmarks as well.
#[test]
fn no_name_and_no_comment_has_a_retired_word() {
    const WORDS: &[&str] = &["ours", "twin", "twins", "nobody", "somebody", "whoever", "anew", "colour", "colours"];
    // A field of JSON, the columns and keys that carry its name, and a user of Unix.
    const MEANT: &[&str] =
        &["\"ours\"", "id, ours, email", "ours = excluded.ours", "hide-ours", "runs as nobody", "closed to nobody"];
    let mut wrong = Vec::new();
    for (path, text) in literals::texts(&["src", "tests", "benches"]) {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !MEANT.iter().any(|meant| line.contains(meant))) {
            let small = line.to_lowercase();
            let found = small.split(|c: char| !c.is_alphanumeric()).find(|word| WORDS.contains(word));
            wrong.extend(found.map(|word| format!("{path}:{}: `{word}` in: {}", at + 1, line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Phrases that a reader has to decode, in comments and in the names of functions and tests.
#[test]
fn no_comment_and_no_name_has_to_be_decoded() {
    const PHRASES: &[&str] = &["is no ", "came to", "as far as", "anybody", "nobody", "whoever", "so many", " anew"];
    const PLAIN: &[&str] = &["there is no ", "is no longer", "is no later", "is no better"];
    let mut wrong = Vec::new();
    for (path, text) in literals::texts(&["src", "tests", "benches", "assets", "fuzz/fuzz_targets"]) {
        for (at, line) in text.lines().enumerate() {
            let comment = line.split_once("//").map(|(_, comment)| comment.to_lowercase());
            let name = line
                .split_once("fn ")
                .and_then(|(_, rest)| rest.split_once('('))
                .map(|(name, _)| name.replace('_', " "));
            for words in comment.into_iter().chain(name) {
                let words = PLAIN.iter().fold(words, |words, plain| words.replace(plain, ""));
                let found = PHRASES.iter().find(|phrase| words.contains(**phrase));
                wrong.extend(found.map(|phrase| format!("{path}:{}: `{phrase}` in: {}", at + 1, line.trim())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_help_of_every_command_and_the_pages_have_no_retired_word() {
    let help = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lode")).args(words).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let top = help(&[]);
    let commands = |text: &str| -> Vec<String> {
        let listed = text.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = listed.lines().take_while(|line| line.starts_with("  "));
        lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    let documents = [
        ("README.md", include_str!("../../../../README.md")),
        ("SECURITY.md", include_str!("../../../../SECURITY.md")),
        ("CONTRIBUTING.md", include_str!("../../../../CONTRIBUTING.md")),
        ("CHANGELOG.md", include_str!("../../../../CHANGELOG.md")),
        ("docs/keys.md", include_str!("../../../../docs/keys.md")),
        ("docs/install.md", include_str!("../../../../docs/install.md")),
        ("docs/safety.md", include_str!("../../../../docs/safety.md")),
        ("docs/screen.md", include_str!("../../../../docs/screen.md")),
        ("docs/setup.md", include_str!("../../../../docs/setup.md")),
        ("docs/shell.md", include_str!("../../../../docs/shell.md")),
    ];
    let mut pages: Vec<(String, String)> =
        documents.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    pages.push(("lode".to_owned(), top.clone()));
    for command in commands(&top) {
        let page = help(&[&command]);
        for below in commands(&page).iter().filter(|below| *below != "help") {
            pages.push((format!("lode {command} {below}"), help(&[&command, below])));
        }
        pages.push((format!("lode {command}"), page));
    }
    assert!(pages.len() > 25, "{}", pages.len());
    for (name, text) in pages {
        let wrong: Vec<&str> = text.lines().filter(|line| retired(line).is_some()).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    }
}

const NAMED: &[&str] = &["Esc", "Enter", "Backspace", "PgDn", "PgUp", "Shift-Tab", "Ctrl-c", "Ctrl-f", "Ctrl-y"];

/// A key in a sentence: a key with a name, a function key, or a letter alone.
fn key_in(sentence: &str) -> Option<String> {
    let mut plain = String::new();
    let mut depth = 0;
    for letter in sentence.chars() {
        match letter {
            '{' | '<' | '`' if depth == 0 => depth = 1,
            '}' | '>' | '`' => {
                depth = 0;
                plain.push('0');
            }
            letter if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let words: Vec<&str> = plain.split(|c: char| c.is_whitespace() || ",.;:()".contains(c)).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let letter =
            word.len() == 1 && word.chars().all(|c| c.is_ascii_alphabetic()) && !["a", "A", "I"].contains(word);
        // `3 s`: a unit after a number.
        let unit = at > 0 && words[at - 1].ends_with(|c: char| c.is_ascii_digit());
        let function = word.strip_prefix('F').is_some_and(|rest| rest.parse::<u8>().is_ok());
        (NAMED.contains(word) || function || letter && !unit).then(|| (*word).to_owned())
    })
}

#[test]
fn no_sentence_of_the_screen_spells_a_key() {
    assert!(key_in("R fetches again").is_some() && key_in("waiting {} s, <lists.up> moves").is_none());
    let speaks = |one: &&Literal| one.path != "ui/keys/chord.rs" && one.path != "ui/widgets/map.rs";
    let wrong: Vec<String> = sentences()
        .iter()
        .filter(|one| one.path.starts_with("ui/"))
        .filter(speaks)
        .filter_map(|one| Some(format!("{}:{}: `{}` in: {}", one.path, one.line, key_in(&one.words)?, one.words)))
        .collect();
    assert!(wrong.is_empty(), "write <context.name>:\n{}", wrong.join("\n"));
}

#[test]
fn every_key_that_a_sentence_names_is_bound() {
    let keymap = Keymap::standard();
    let mut seen = 0;
    for one in literals::of(&["ui"]) {
        for piece in one.words.split('<').skip(1) {
            let Some((name, _)) = piece.split_once('>') else { continue };
            if name.contains('.') && name.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c == '-') {
                let spelled = keymap.spelled(&format!("<{name}>")).into_owned();
                assert!(!spelled.starts_with('<'), "{}:{}: no binding is called {name}", one.path, one.line);
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn counted_words_agree_with_their_number() {
    assert_eq!((counted(1, "credit"), counted(2, "credit")), ("1 credit".to_owned(), "2 credits".to_owned()));
    assert_eq!((counted(0, "row"), counted(1_204, "batch")), ("0 rows".to_owned(), "1,204 batches".to_owned()));
    assert_eq!((counted(2, "entry"), counted(2, "day")), ("2 entries".to_owned(), "2 days".to_owned()));
    assert_eq!((contacts(1), contacts(2)), ("1 contact".to_owned(), "2 contacts".to_owned()));
    assert_eq!((Credits(1).words(), Credits(-3).words()), ("1 credit".to_owned(), "-3 credits".to_owned()));
    assert_eq!((agree(1, "has", "have"), agree(2, "has", "have")), ("has", "have"));
}

/// A number in a sentence goes through `counted`, so that "1 credits" can never appear.
#[test]
fn no_sentence_counts_by_itself() {
    const COUNTED: &[&str] = &[
        "credits", "contacts", "rows", "requests", "batches", "ids", "searches", "exports", "lists", "calls", "lines",
        "orders", "bytes", "reports", "minutes", "characters",
    ];
    let counts = |words: &str| {
        words.split("} ").skip(1).any(|rest| {
            let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
            COUNTED.contains(&word.as_str())
        })
    };
    let wrong: Vec<String> = sentences()
        .iter()
        .filter(|one| counts(&one.words))
        .map(|one| format!("{}:{}: {}", one.path, one.line, one.words))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
