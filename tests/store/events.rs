//! Compares the events that crossterm and lode read from the same bytes. A table lists the differences and their reasons.

use std::io::{BufRead, BufReader, Write};
use std::time::Instant;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use crossterm::terminal::enable_raw_mode;
use lode_host::terminal::input::{Input, Parser};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Marks the end of a case. No case has this key.
const END: &str = "\x1b[57383u";
const LAST: KeyCode = KeyCode::F(20);

/// What a terminal sends, one thing after the other.
fn cases() -> Vec<String> {
    let mut cases: Vec<String> =
        (1..=0x7f_u8).filter(|byte| *byte != 0x1b).map(|byte| (byte as char).to_string()).collect();
    cases.extend(["é", "ß", "山", "👍", "Ä"].map(str::to_owned));
    cases.extend(('a'..='z').chain('0'..='9').map(|letter| format!("\x1b{letter}")));
    cases.extend(["\x1b\x7f", "\x1b\r", "\x1bé", "\x1b ", "\x1bX"].map(str::to_owned));
    for letter in "ABCDHFPQRS".chars() {
        cases.push(format!("\x1bO{letter}"));
        cases.extend((2..=8).map(|held| format!("\x1b[1;{held}{letter}")));
    }
    cases.extend("ABCDHFZ".chars().map(|letter| format!("\x1b[{letter}")));
    for number in [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24] {
        cases.push(format!("\x1b[{number}~"));
        cases.extend([2, 3, 5].map(|held| format!("\x1b[{number};{held}~")));
    }
    // The kitty protocol: letters, named keys, repeats and releases.
    for key in [97, 122, 13, 9, 27, 127, 32, 233] {
        cases.push(format!("\x1b[{key}u"));
        cases.extend([2, 3, 5, 6].map(|held| format!("\x1b[{key};{held}u")));
        cases.extend(["1:1", "1:2", "1:3"].map(|kind| format!("\x1b[{key};{kind}u")));
    }
    for button in [0, 1, 2, 32, 35, 64, 65, 4, 16] {
        cases.extend(["M", "m"].map(|end| format!("\x1b[<{button};12;7{end}")));
    }
    cases.extend(
        ["\x1b[I", "\x1b[O", "\x1b[200~two words\x1b[201~", "\x1b[200~\x1b[201~", "\x1b[200~a\x1b[Ab\x1b[201~"]
            .map(str::to_owned),
    );
    cases
}

/// Where lode differs, and why. Everything else is equal.
fn as_lode_has_it(event: Event) -> Vec<Event> {
    match event {
        // A release does nothing.
        Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) => Vec::new(),
        Event::Key(mut key) => {
            // A key that is held down is pressed again.
            key.kind = KeyEventKind::Press;
            // `A` is one key in every protocol: the letter shows that Shift is held.
            if let KeyCode::Char(c) = key.code
                && key.modifiers.contains(KeyModifiers::SHIFT)
                && !key.modifiers.contains(KeyModifiers::CONTROL)
            {
                key.code = KeyCode::Char(c.to_uppercase().next().unwrap());
            }
            // Alt is the Escape key first, as in vi.
            let alt = key.modifiers.contains(KeyModifiers::ALT);
            key.modifiers &= KeyModifiers::CONTROL;
            let escape = alt.then_some(Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
            escape.into_iter().chain([Event::Key(key)]).collect()
        }
        // Only what a screen uses is passed on: moves without a button would wake the program for nothing.
        Event::Mouse(MouseEvent {
            kind:
                MouseEventKind::Moved
                | MouseEventKind::Up(MouseButton::Right | MouseButton::Middle)
                | MouseEventKind::Down(MouseButton::Middle),
            ..
        }) => Vec::new(),
        Event::Mouse(mouse) => vec![Event::Mouse(MouseEvent { modifiers: KeyModifiers::NONE, ..mouse })],
        // Pasted text keeps no escape sequences.
        Event::Paste(text) => vec![Event::Paste(text.replace("\x1b[A", ""))],
        event => vec![event],
    }
}

fn in_words(events: &[Event]) -> String {
    events.iter().map(|event| format!("{event:?}")).collect::<Vec<_>>().join(" + ")
}

fn read_by_lode(bytes: &str) -> String {
    let mut read = Vec::new();
    Parser::default().take(bytes.as_bytes(), Instant::now(), &mut read);
    let events = read.into_iter().filter_map(|input| match input {
        Input::Event(event) => Some(event),
        Input::Placed(key, _) => Some(Event::Key(key)),
        Input::Reply(_) => None,
    });
    in_words(&events.collect::<Vec<_>>())
}

/// Prints the events that crossterm reads, in a separate process with its own terminal.
#[test]
#[ignore = "a part of the test below"]
fn crossterm_reads() {
    enable_raw_mode().unwrap();
    println!("\r\nready\r");
    for _ in cases() {
        let mut events = Vec::new();
        loop {
            match crossterm::event::read().unwrap() {
                Event::Key(key) if key.code == LAST => break,
                event => events.extend(as_lode_has_it(event)),
            }
        }
        println!("read {}\r", in_words(&events));
    }
}

#[test]
fn events_are_those_that_crossterm_reads() {
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "events::crossterm_reads", "--ignored", "--nocapture"]);
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut keys = pty.master.take_writer().unwrap();
    let mut lines = BufReader::new(pty.master.try_clone_reader().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("ready")), "the other process reads");
    let mut different = Vec::new();
    for case in cases() {
        keys.write_all(format!("{case}{END}").as_bytes()).unwrap();
        let line = lines.find(|line| line.starts_with("read ")).expect("every case is answered");
        let (crossterm, lode) = (line["read ".len()..].trim().to_owned(), read_by_lode(&case));
        if crossterm != lode {
            different.push(format!("{case:?}\n  lode      {lode}\n  crossterm {crossterm}"));
        }
    }
    child.wait().unwrap();
    assert!(different.is_empty(), "{}", different.join("\n"));
}
