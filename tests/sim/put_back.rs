//! Each money rule and each defect that was once here, put back on purpose: the simulation must catch it within 500 seeds.
//!
//! `cargo test --test sim -- --ignored every_defect_is_caught --nocapture` copies the sources to `target/put-back`, puts the
//! defects into the copy behind a switch, builds it once and runs the simulation for each. It prints every defect with the first
//! seed that caught it; `PUT_BACK_ONLY=WORDS` tries those with the words in their names. The shipped sources know nothing of this; that every place is still where this list says is checked
//! with every run of the tests.
//!
//! Not in the list, because no service, process or disk of the simulation can show them, with the tests that do: whom an entry of a
//! suppression list names (`tests/cli/checked.rs`, `flow::unlock::suppress`), the review that Enter shows again (`tests/pty/changed.rs`),
//! a server for assistants that runs for days (`tests/assistant/changed.rs`), keys in answers (`tests/cli/echoes.rs`), a ledger that is gone
//! (`tests/cli/ledger.rs`), and what only the words of a command decide (`tests/cli/recover.rs`). Too
//! rare for 500 seeds: two windows that send the same batch again within the same seconds (`tests/store/money.rs`).

use std::path::{Path, PathBuf};
use std::process::Command;

/// One defect: its name, and in a file the text that is replaced. `@` in the new text is its switch.
struct Defect {
    name: &'static str,
    file: &'static str,
    there: &'static str,
    instead: &'static str,
    /// Further locks on the same door, by file, that go with it.
    also: &'static [(&'static str, &'static str, &'static str)],
}

impl Defect {
    fn changes(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        std::iter::once((self.file, self.there, self.instead)).chain(self.also.iter().copied())
    }
}

const SENDING: &str = "src/flow/unlock/sending.rs";
const STEPS: &str = "src/flow/unlock/steps.rs";
const INTEND: &str = "src/shell/store/intend.rs";
const READING: &str = "src/flow/ledger/reading.rs";
const QUOTE: &str = "src/flow/unlock/quote/mod.rs";
const PROOF: &str = "src/flow/recovery/proof.rs";
const CHECK: &str = "src/flow/unlock/check.rs";

const DEFECTS: &[Defect] = &[
    Defect {
        name: "intent before send",
        file: SENDING,
        there: "        job.step = Step::Intending(",
        instead: "        if @ {\n            batch.id = batch.id.or(Some(BatchId(i64::MAX)));\n            return self.send(cx);\n        }\n        job.step = Step::Intending(",
        also: &[],
    },
    Defect {
        name: "same batch, same ids",
        file: SENDING,
        there: "ids: batch.ids(), verify: quote.choice.verify };",
        instead: "ids: batch.ids().into_iter().skip(usize::from(@ && batch.lost > 0)).collect(), verify: quote.choice.verify };",
        also: &[],
    },
    Defect {
        name: "answers are kept",
        file: SENDING,
        there: "            Ok(Reply::Unlock { status, body }) => {\n",
        instead: "            Ok(Reply::Unlock { status, body }) => {\n                if @ {\n                    batch.bodies.push(body.clone());\n                    self.interpret(cx);\n                    return true;\n                }\n",
        also: &[],
    },
    Defect {
        name: "answers are kept: what cannot be stored is printed without what was paid for",
        file: "src/cli/scripts/unlock/lines.rs",
        there: "json::settled(held.corpus, held.id, Outcome::Unknown, &held.contact)",
        instead: "json::settled(held.corpus, held.id, Outcome::Unknown, &if @ { Contact::default() } else { held.contact.clone() })",
        also: &[],
    },
    Defect {
        name: "answers are kept: a contact is called unknown before its unstored answer is printed",
        file: "src/cli/scripts/unlock/mod.rs",
        there: "        self.lines.held(run.session, run.fx);\n        self.lines.ended(",
        instead: "        if !@ {\n            self.lines.held(run.session, run.fx);\n        }\n        self.lines.ended(",
        also: &[],
    },
    Defect {
        name: "unknown is a state",
        file: SENDING,
        there: "        batch.unanswered = true;\n",
        instead: "        if @ {\n            return self.give_back(End::Unreached(words.to_owned()), cx);\n        }\n        batch.unanswered = true;\n",
        also: &[],
    },
    Defect {
        name: "defect 9: resending without a look",
        file: STEPS,
        there: "(Step::Losing { end: None, .. }, Ok(_)) => self.inquire(cx),",
        instead: "(Step::Losing { end: None, .. }, Ok(_)) => {\n                if @ {\n                    batch.sight = Sight::Locked;\n                    self.advance(cx);\n                } else {\n                    self.inquire(cx);\n                }\n            }",
        also: &[],
    },
    Defect {
        name: "never twice: what a look found goes out again",
        file: SENDING,
        there: "let locked = batch.is_whole() && batch.sight == Sight::Locked;",
        instead: "let locked = batch.is_whole() && batch.sight == Sight::Locked || @;",
        also: &[],
    },
    Defect {
        name: "never twice: what is owned by now is bought",
        file: INTEND,
        there: "    if !owned.is_empty() {",
        instead: "    if !owned.is_empty() && !@ {",
        also: &[],
    },
    Defect {
        name: "never twice: an id in two open batches",
        file: INTEND,
        there: "        if query.exists(params![purse, corpus_code(intent.corpus), id.0])? {",
        instead: "        if query.exists(params![purse, corpus_code(intent.corpus), id.0])? && !@ {",
        also: &[(
            INTEND,
            "    let mut open = tx.prepare_cached(\"INSERT INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)\")?;",
            "    let mut open = tx.prepare_cached(if @ {\n        \"INSERT OR REPLACE INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)\"\n    } else {\n        \"INSERT INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)\"\n    })?;",
        )],
    },
    Defect {
        name: "bounded: the amount of a command",
        file: "src/flow/unlock/order.rs",
        there: "    let most = quote.within(ceiling);",
        instead: "    let most = quote.within(if @ { quote.most } else { ceiling });",
        also: &[],
    },
    Defect {
        name: "bounded: the session cap",
        file: INTEND,
        there: "    if let Some(cap) = intent.caps.session {",
        instead: "    if let Some(cap) = intent.caps.session.filter(|_| !@) {",
        also: &[],
    },
    Defect {
        name: "bounded: the day cap",
        file: INTEND,
        there: "    if let Some(cap) = intent.caps.day {",
        instead: "    if let Some(cap) = intent.caps.day.filter(|_| !@) {",
        also: &[],
    },
    Defect {
        name: "holds",
        file: INTEND,
        there: "        if used + held + adds > cap {",
        instead: "        let held = if @ { Credits::ZERO } else { held };\n        if used + held + adds > cap {",
        also: &[],
    },
    Defect {
        name: "defect 1: purses of several services are one",
        file: "src/effect/profile.rs",
        there: "        if self.demo { Origin::demo() }",
        instead: "        if self.demo || @ { Origin::demo() }",
        also: &[],
    },
    Defect {
        name: "defect 2: the session cap starts again with each profile",
        file: "src/effect/profile.rs",
        there: "        self.0.split_once('.').map_or(",
        instead: "        if @ {\n            return &self.0;\n        }\n        self.0.split_once('.').map_or(",
        also: &[],
    },
    Defect {
        name: "defect 3: leaving drops an unlock on the wire",
        file: "src/flow/desk/mod.rs",
        there: "(Call::Unlock(_), Stage::Sent { .. })) {",
        instead: "(Call::Unlock(_), Stage::Sent { .. })) && !@ {",
        also: &[],
    },
    Defect {
        name: "defect 4: a refusal is believed",
        file: SENDING,
        there: "                self.weigh(end, cx);",
        instead: "                if @ {\n                    self.give_back(end, cx);\n                    return true;\n                }\n                self.weigh(end, cx);",
        also: &[],
    },
    Defect {
        name: "defect 4: a 429 is believed",
        file: SENDING,
        there: "Err(Failure::Later { words, .. }) => self.weigh(End::Limit(words.clone()), cx),",
        instead: "Err(Failure::Later { words, .. }) => match @ {\n                true => self.give_back(End::Limit(words.clone()), cx),\n                false => self.weigh(End::Limit(words.clone()), cx),\n            },",
        also: &[],
    },
    Defect {
        name: "defect 4: a redirect is believed",
        file: SENDING,
        there: "            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) => self.lose(id, words, false, cx),",
        instead: "            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) => match @ {\n                true => self.give_back(End::Unreached(words.clone()), cx),\n                false => self.lose(id, words, false, cx),\n            },",
        also: &[],
    },
    Defect {
        name: "defect 4: bought by a call that was refused, and called owned before",
        file: READING,
        there: "    let outcome = if refunded {",
        instead: "    let outcome = if @ { Outcome::Already } else if refunded {",
        also: &[],
    },
    Defect {
        name: "defect 5: contradictions pass",
        file: "src/flow/ledger/sums.rs",
        there: "    let mut found = Contradictions {",
        instead: "    if @ {\n        return Contradictions::default();\n    }\n    let mut found = Contradictions {",
        also: &[],
    },
    Defect {
        name: "defect 5: no alarm",
        file: "src/flow/unlock/settling.rs",
        there: "        if let Some(alarm) = &odd.alarm {",
        instead: "        if let Some(alarm) = odd.alarm.as_ref().filter(|_| !@) {",
        also: &[],
    },
    Defect {
        name: "unknown is a state: locked is proved at once",
        file: PROOF,
        there: ".filter(|sighting| sighting.quiet >= QUIET).collect();",
        instead: ".filter(|sighting| sighting.quiet >= QUIET || @).collect();",
        also: &[],
    },
    Defect {
        name: "unknown is a state: a conclusion from before another sending",
        file: "src/shell/store/batches/mod.rs",
        there: "    Ok(last_attempt(books, batch)?.is_some_and(|last| last.number > i64::from(sent)))",
        instead: "    Ok(!@ && last_attempt(books, batch)?.is_some_and(|last| last.number > i64::from(sent)))",
        also: &[],
    },
    Defect {
        name: "unknown is a state: the answer to the second sending speaks for the first",
        file: READING,
        there: "    let all_answered = answers.len() + asked.refused as usize >= asked.sent as usize;",
        instead: "    let all_answered = answers.len() + asked.refused as usize >= asked.sent as usize || @;",
        also: &[],
    },
    Defect {
        name: "never twice: a row that was staged twice is bought twice",
        file: QUOTE,
        there: "            if !seen.insert(row.id) {",
        instead: "            if !seen.insert(row.id) && !@ {",
        also: &[(
            "src/flow/basket/mod.rs",
            "            if self.places.contains_key(&id) {",
            "            if self.places.contains_key(&id) && !@ {",
        )],
    },
    Defect {
        name: "shown is paid: what changed since is bought unseen",
        file: "src/flow/unlock/order.rs",
        there: "    if !same {",
        instead: "    if !same && !@ {",
        also: &[],
    },
    Defect {
        name: "what holds now: a list that was added since the review is ignored",
        file: CHECK,
        there: "            is_new |= lists !=",
        instead: "            is_new |= !@ && lists !=",
        also: &[],
    },
    Defect {
        name: "what holds now: a limit that was saved since the review is ignored",
        file: CHECK,
        there: "        let mut is_new = limit != job.known.limit;",
        instead: "        let limit = if @ { job.known.limit } else { limit };\n        let mut is_new = limit != job.known.limit;",
        also: &[],
    },
    Defect {
        name: "what holds now: caps are those of the review",
        file: SENDING,
        there: "            caps: checked.caps(),",
        instead: "            caps: if @ { basis.caps } else { checked.caps() },",
        also: &[],
    },
    Defect {
        name: "what holds now: a key that was replaced pays on",
        file: "src/flow/unlock/checked.rs",
        there: "    (service.key != who.key).then(",
        instead: "    (service.key != who.key && !@).then(",
        also: &[],
    },
    Defect {
        name: "what holds now: settings are those the program began with",
        file: CHECK,
        there: "        if let Some(words) = other_payer(&job.order.quote().basis.who, saved) {",
        instead: "        let began = SavedProfile { profile: Profile { caps: job.order.quote().basis.caps, ..saved.profile.clone() }, ..(**saved).clone() };\n        let saved = &if @ { Box::new(began) } else { saved.clone() };\n        if let Some(words) = other_payer(&job.order.quote().basis.who, saved).filter(|_| !@) {",
        also: &[(
            CHECK,
            "use crate::effect::files::{",
            "use crate::effect::profile::Profile;\nuse crate::effect::files::{",
        )],
    },
    Defect {
        name: "same batch, same ids: a batch with a contact that was listed since is sent again",
        file: CHECK,
        there: "        if was_sent && let Some(why) =",
        instead: "        if was_sent && !@ && let Some(why) =",
        also: &[],
    },
    Defect {
        name: "whom to buy: the best of a search have what it leaves out",
        file: "src/flow/session/side/best.rs",
        there: ".filter(|row| sieve.why(self.side, row).is_none()).collect();",
        instead: ".filter(|row| @ || sieve.why(self.side, row).is_none()).collect();",
        also: &[],
    },
    Defect {
        name: "whom to buy: another search that is shown by now says what the best of one leaves out",
        file: "src/flow/session/side/best.rs",
        there: "        let sieve = Sieve::new(&of.walk.query().not, taste.lists());",
        instead: "        let not = if @ { &self.window.query().not } else { &of.walk.query().not };\n        let sieve = Sieve::new(not, taste.lists());",
        also: &[],
    },
    Defect {
        name: "whom to buy: what is taken from a page has what the search leaves out",
        file: "src/flow/session/side/sifting.rs",
        there: "rows.into_iter().filter(|row| self.excluded(row).is_none()).collect();",
        instead: "rows.into_iter().filter(|row| @ || self.excluded(row).is_none()).collect();",
        also: &[],
    },
    Defect {
        name: "whom to buy: more of a company than wanted",
        file: QUOTE,
        there: "                    if *count > limit {",
        instead: "                    if *count > limit && !@ {",
        also: &[],
    },
    Defect {
        name: "whom to buy: the best do not go first",
        file: QUOTE,
        there: "    if again || basis.merit.card.is_empty() {",
        instead: "    if again || basis.merit.card.is_empty() || @ {",
        also: &[],
    },
];

const SWITCH: &str = r#"
/// Whether a defect is put back.
pub fn put_back(name: &str) -> bool {
    static WHICH: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    WHICH.get_or_init(|| std::env::var("PUT_BACK").ok()).as_deref() == Some(name)
}
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(root: &Path, file: &str) -> String {
    std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_defect_still_has_its_place() {
    for defect in DEFECTS {
        for (file, there, _) in defect.changes() {
            let places = source(root(), file).matches(there).count();
            assert_eq!(places, 1, "{:?} has {places} places in {file}", defect.name);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// The sources with every defect in them, each behind its switch.
fn defective() -> PathBuf {
    let to = root().join("target/put-back");
    let _ = std::fs::remove_dir_all(&to);
    for part in ["src", "assets", "benches", "docs", "tests/common", "tests/sim"] {
        if root().join(part).is_dir() {
            copy(&root().join(part), &to.join(part));
        }
    }
    if root().join("build.rs").is_file() {
        std::fs::copy(root().join("build.rs"), to.join("build.rs")).unwrap();
    }
    // A version of its own: cargo would take the copy for lode, and build the other tests with it from then on.
    let version = concat!("\nversion = \"", env!("CARGO_PKG_VERSION"), "\"\n");
    for file in ["Cargo.toml", "Cargo.lock"] {
        let text = source(root(), file);
        let (before, after) = text.split_once("name = \"lode-prospect\"").expect("the package has its name");
        let after = after.replacen(version, &version.replace("\"\n", "-put-back\"\n"), 1);
        std::fs::write(to.join(file), format!("{before}name = \"lode-prospect\"{after}")).unwrap();
    }
    for defect in DEFECTS {
        let switch = format!("crate::put_back({:?})", defect.name);
        for (file, there, instead) in defect.changes() {
            let text = source(&to, file).replacen(there, &instead.replace('@', &switch), 1);
            std::fs::write(to.join(file), text).unwrap();
        }
    }
    let lib = source(&to, "src/lib.rs") + SWITCH;
    std::fs::write(to.join("src/lib.rs"), lib).unwrap();
    to
}

#[test]
#[ignore = "builds lode once more and runs the simulation for each defect"]
fn every_defect_is_caught() {
    let at = defective();
    let run = |defect: &str| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--locked", "--test", "sim", "first_broken_seed", "--", "--ignored", "--nocapture"]);
        command.current_dir(&at).env("CARGO_TARGET_DIR", root().join("target")).env("PUT_BACK", defect);
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let seed = told.lines().find_map(|line| line.strip_prefix("broken by seed ")).map(str::to_owned);
        (seed, told + &String::from_utf8_lossy(&output.stderr))
    };
    let only = std::env::var("PUT_BACK_ONLY").unwrap_or_default();
    let (none, told) = run("");
    assert!(none.is_none() && told.contains("no seed broke a rule"), "without any of them:\n{told}");
    let mut missed = Vec::new();
    for defect in DEFECTS.iter().filter(|defect| defect.name.contains(&only)) {
        let (seed, _) = run(defect.name);
        println!("{:<75} {}", defect.name, seed.as_deref().unwrap_or("not caught"));
        missed.extend(seed.is_none().then_some(defect.name));
    }
    assert_eq!(missed, Vec::<&str>::new());
}

/// For the run above: the first of 500 seeds that breaks a rule, and which.
#[test]
#[ignore = "part of every_defect_is_caught"]
fn first_broken_seed() {
    let most = super::number("SIM_SEEDS").unwrap_or(500);
    match super::first_broken(most) {
        Some((seed, words)) => println!("broken by seed {seed}: {}", words.lines().next().unwrap_or_default()),
        None => println!("no seed broke a rule"),
    }
}
