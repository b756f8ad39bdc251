//! Every command on keyboards that are not English: what a terminal sends for the key, read by the real reader and resolved by
//! the real key table, with and without the kitty protocol.
#![allow(clippy::disallowed_methods)] // Measures time.

use std::time::Instant;

use crossterm::event::{Event, KeyCode};
use lode_host::terminal::input::{Input, Parser};
use lode_ui::keys::chord::{Chord, read_sequence};
use lode_ui::keys::command::{self as table, Always, Command};
use lode_ui::keys::keymap::{Keymap, Resolved};
use lode_ui::keys::situation::{Context, chain};

/// A keyboard: what its keys type at the places of an English one, plain and with Shift.
struct Layout {
    name: &'static str,
    plain: &'static str,
    shifted: &'static str,
    /// What is typed with AltGr or on keys of its own.
    others: &'static str,
}

const ENGLISH: (&str, &str) =
    ("1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./", "!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?");

const LAYOUTS: [Layout; 6] = [
    Layout {
        name: "Russian",
        plain: "1234567890-=йцукенгшщзхъфывапролджэячсмитьбю.",
        shifted: "!\"№;%:?*()_+ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,",
        others: "/\\",
    },
    Layout {
        name: "Ukrainian",
        plain: "1234567890-=йцукенгшщзхїфівапролджєячсмитьбю.",
        shifted: "!\"№;%:?*()_+ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ,",
        others: "/\\",
    },
    Layout {
        name: "Greek",
        plain: "1234567890-=;ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,./",
        shifted: "!@#$%^&*()_+:ΣΕΡΤΥΘΙΟΠ{}ΑΣΔΦΓΗΞΚΛ¨\"ΖΧΨΩΒΝΜ<>?",
        others: "",
    },
    Layout {
        name: "Hebrew",
        plain: "1234567890-=/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ.",
        shifted: "!@#$%^&*)(_+QWERTYUIOP}{ASDFGHJKL:\"ZXCVBNM><?",
        others: "",
    },
    Layout {
        name: "German",
        plain: "1234567890ß´qwertzuiopü+asdfghjklöäyxcvbnm,.-",
        shifted: "!\"§$%&/()=?`QWERTZUIOPÜ*ASDFGHJKLÖÄYXCVBNM;:_",
        others: "[]{}<>|@\\",
    },
    Layout {
        name: "French",
        plain: "&é\"'(-è_çà)=azertyuiop^$qsdfghjklmùwxcvbn,;:!",
        shifted: "1234567890°+AZERTYUIOP¨£QSDFGHJKLM%WXCVBN?./§",
        others: "[]{}<>|@\\#",
    },
];

impl Layout {
    /// What a key types, with the English key at its place.
    fn keys(&self) -> impl Iterator<Item = (char, Option<char>)> + '_ {
        let row = |own: &'static str, english: &'static str| {
            assert_eq!(own.chars().count(), english.chars().count(), "{own}");
            own.chars().zip(english.chars().map(Some))
        };
        let others = self.others.chars().map(|own| (own, None));
        row(self.plain, ENGLISH.0).chain(row(self.shifted, ENGLISH.1)).chain(others)
    }
}

fn heard(bytes: &[u8]) -> Vec<Chord> {
    let mut parser = Parser::default();
    let mut out = Vec::new();
    parser.take(bytes, Instant::now(), &mut out);
    parser.paused(Instant::now() + std::time::Duration::from_secs(1), &mut out);
    let chord = |input| match input {
        Input::Event(Event::Key(event)) | Input::Placed(event, _) => event.into(),
        other => panic!("{other:?}"),
    };
    out.into_iter().map(chord).collect()
}

fn command(map: &Keymap, contexts: &'static [Context], typed: &[Chord]) -> Option<Command> {
    let mut pending = Vec::new();
    for chord in typed {
        let chord = map.meant(contexts, &pending, *chord, chord.english());
        match map.resolve(contexts, &pending, chord) {
            Resolved::Command(row) => return Some(row.command),
            Resolved::Prefix => pending.push(chord),
            Resolved::Nothing => return None,
        }
    }
    None
}

/// How a terminal tells of a plain key: the letter itself, and as the kitty protocol has it where it reports every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Letter,
    Kitty,
    KittyAlternate,
}

impl Told {
    const ALL: [Told; 3] = [Told::Letter, Told::Kitty, Told::KittyAlternate];

    fn bytes(self, layout: &Layout, typed: char) -> Vec<u8> {
        let keys = || layout.plain.chars().zip(layout.shifted.chars()).zip(ENGLISH.0.chars());
        let key = keys().find(|((plain, shifted), _)| [*plain, *shifted].contains(&typed));
        let (Some(((plain, shifted), base)), false) = (key, self == Told::Letter) else {
            return typed.to_string().into_bytes();
        };
        let (plain, upper, base) = (u32::from(plain), u32::from(shifted), u32::from(base));
        match (self == Told::KittyAlternate, shifted == typed && shifted != layout_plain(layout, typed)) {
            (true, true) => format!("\x1b[{plain}:{upper}:{base};2u"),
            (true, false) => format!("\x1b[{plain}::{base}u"),
            // Without alternate keys Shift is told only with the key's own letter: the text says what it typed.
            (false, true) => format!("\x1b[{plain}:{upper};2u"),
            (false, false) => format!("\x1b[{plain}u"),
        }
        .into_bytes()
    }
}

/// The key under a letter without Shift, where it is one.
fn layout_plain(layout: &Layout, typed: char) -> char {
    layout.plain.chars().find(|plain| *plain == typed).unwrap_or('\0')
}

/// The plain keys of a sequence as this keyboard types them; none where a key of it cannot be typed so.
fn typed_on(layout: &Layout, keys: &str, told: Told) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for chord in read_sequence(keys).unwrap() {
        let wanted = chord.letter()?;
        // By what is printed on the key where the script has it, else by its place.
        let direct = layout.keys().find(|(own, _)| *own == wanted || wanted == ' ').map(|_| wanted);
        let placed =
            layout.keys().find(|(own, english)| *english == Some(wanted) && !own.is_ascii()).map(|(own, _)| own);
        bytes.extend(told.bytes(layout, direct.or(placed)?));
    }
    Some(bytes)
}

#[test]
fn every_plain_command_has_a_key_on_every_keyboard() {
    let map = Keymap::standard();
    for layout in &LAYOUTS {
        for row in table::rows().filter(|row| row.keys.iter().any(|keys| is_plain(keys))) {
            let contexts =
                chain::EVERY.iter().find(|contexts| contexts[0] == row.context || contexts.contains(&row.context));
            let contexts = *contexts.unwrap();
            if contexts[0] == Context::Text {
                continue;
            }
            // Keys without a letter (F2, PgDn) are the same everywhere.
            let named = row.keys.iter().any(|keys| read_sequence(keys).unwrap().iter().all(is_named));
            // On a Greek keyboard no key types what `q` is there; its Ctrl chord has a test of its own.
            let ctrl = row.keys.iter().any(|keys| keys.starts_with("Ctrl-"));
            for told in Told::ALL {
                let reached = row
                    .keys
                    .iter()
                    .filter_map(|keys| typed_on(layout, keys, told))
                    .any(|bytes| command(&map, contexts, &heard(&bytes)) == Some(row.command));
                assert!(
                    reached || named || ctrl,
                    "{}, {told:?}: {} ({:?}) has no key",
                    layout.name,
                    row.title,
                    row.keys
                );
            }
        }
    }
}

fn is_plain(keys: &str) -> bool {
    read_sequence(keys).unwrap().iter().all(|chord| chord.letter().is_some())
}

fn is_named(chord: &Chord) -> bool {
    !matches!(chord.code, KeyCode::Char(_))
}

/// What terminals send for Ctrl and a key: the old byte where they know it, and three longer forms.
fn sent_for_ctrl(layout: &Layout, letter: char) -> Vec<(&'static str, Vec<u8>)> {
    let latin = layout.keys().any(|(own, _)| own == letter);
    let own = if latin { letter } else { layout.keys().find(|(_, english)| *english == Some(letter)).unwrap().0 };
    let base = layout.keys().find(|(one, _)| *one == own).and_then(|(_, english)| english).unwrap();
    let (own, base) = (u32::from(own), u32::from(base));
    vec![
        // The group of Latin letters is looked at, as VTE, kitty and most others do.
        ("a byte", vec![letter as u8 & 0x1f]),
        ("kitty with the key's own letter", format!("\x1b[{own};5u").into_bytes()),
        ("kitty with alternate keys", format!("\x1b[{own}::{base};5u").into_bytes()),
        ("kitty with all parts", format!("\x1b[{own}:{own}:{base};5:1u").into_bytes()),
        ("modifyOtherKeys", format!("\x1b[27;5;{own}~").into_bytes()),
    ]
}

#[test]
fn every_ctrl_chord_works_on_every_keyboard_with_and_without_the_kitty_protocol() {
    let map = Keymap::standard();
    for layout in &LAYOUTS {
        for row in table::rows() {
            let contexts = *chain::EVERY.iter().find(|contexts| contexts.contains(&row.context)).unwrap();
            for keys in row.keys.iter().filter(|keys| keys.starts_with("Ctrl-")) {
                let chord = read_sequence(keys).unwrap()[0];
                let KeyCode::Char(letter @ 'a'..='z') = chord.code else { continue };
                for (how, bytes) in sent_for_ctrl(layout, letter) {
                    let chords = heard(&bytes);
                    assert_eq!(chords, [chord], "{}: {keys} as {how}", layout.name);
                    assert_eq!(command(&map, contexts, &chords), Some(row.command), "{}: {keys} as {how}", layout.name);
                }
            }
        }
    }
}

/// Money on its way is stopped from wherever one is: also out of a field, on every keyboard.
#[test]
fn stopping_never_depends_on_the_keyboard() {
    let map = Keymap::standard();
    let stop = Some(Command::Always(Always::Interrupt));
    for layout in &LAYOUTS {
        for contexts in chain::EVERY {
            for (how, bytes) in sent_for_ctrl(layout, 'c') {
                assert_eq!(command(&map, contexts, &heard(&bytes)), stop, "{}: {how} in {contexts:?}", layout.name);
            }
        }
    }
}

/// What is typed into a field stays what was typed.
#[test]
fn text_is_never_translated() {
    let map = Keymap::standard();
    for letter in ['с', 'ψ', 'ב', 'ü'] {
        assert_eq!(
            map.meant(chain::TEXT, &[], Chord::char(letter), Chord::char(letter).english()),
            Chord::char(letter)
        );
    }
}
