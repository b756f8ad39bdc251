//! The merged table: the rows with the keys that the person uses. Resolving, footer, help and palette read this one.
//!
//! A binding of the config replaces all keys of its command. Where two commands of one chain would then share a key, both
//! start with their defaults and the clash is told by name; nothing is dropped in silence.

use std::{borrow::Cow, cmp::Reverse};

use lode_engine::effect::{OwnCommand, RowsGiven, UserBinding};

use super::chord::{Chord, read_sequence, sequence_text};
use super::command::{self, A_ROW_TO_SEND, Command, KeyRow};
use super::situation::{Chain, Context, chain};

/// The number of a line of the settings, and the sentence about it.
type BindingProblem = (usize, String);

#[derive(Clone, Debug)]
pub struct Binding {
    pub row: &'static KeyRow,
    pub keys: Vec<Vec<Chord>>,
}

impl Binding {
    fn default_of(row: &'static KeyRow) -> Binding {
        let read = |keys: &&str| read_sequence(keys).expect("a test reads every key of the table");
        Binding { row, keys: row.keys.iter().map(read).collect() }
    }

    /// The first chord of the first of its keys, as the footer says it: a sequence like `y e` stands for its menu.
    pub fn hint(&self) -> String {
        self.keys.first().and_then(|keys| keys.first()).map_or_else(String::new, Chord::to_string)
    }

    /// As the help shows it: `g s  F2`.
    pub fn keys_text(&self) -> String {
        if self.keys.len() == 10 {
            return "digits".to_owned();
        }
        self.keys.iter().map(|keys| sequence_text(keys)).collect::<Vec<_>>().join("  ")
    }

    pub fn first_key(&self) -> Option<String> {
        self.keys.first().map(|keys| sequence_text(keys))
    }

    /// The first of its keys that is one of another binding too, or begins the same sequence, where one chain has both.
    fn shared_key(&self, other: &Binding) -> Option<&[Chord]> {
        if !chain::EVERY.iter().any(|chain| [self, other].iter().all(|one| chain.contains(&one.row.context))) {
            return None;
        }
        let overlap = |one: &[Chord], two: &[Chord]| one.starts_with(two) || two.starts_with(one);
        self.keys.iter().find(|keys| other.keys.iter().any(|others| overlap(keys, others))).map(Vec::as_slice)
    }

    fn full_name(&self) -> String {
        format!("{}.{}", self.row.context.name(), self.row.name)
    }
}

/// What a chord after the pending ones comes to.
#[derive(Clone, Copy, Debug)]
pub enum Resolved {
    Command(&'static KeyRow),
    /// The beginning of a longer sequence.
    Prefix,
    Nothing,
}

/// A key of a binding, by its first chord.
#[derive(Clone, Debug)]
struct FirstChord {
    chord: Chord,
    context: Context,
    /// The place of the binding, and of the key in it.
    binding: u16,
    key: u16,
}

#[derive(Clone, Debug, Default)]
pub struct Keymap {
    /// By their contexts, and in each as the table has them.
    pub bindings: Vec<Binding>,
    /// Of all keys, in the same order: a key press reads these, and follows only the binding that it finds.
    first_chords: Vec<FirstChord>,
    pub own: Vec<OwnCommand>,
}

impl Keymap {
    /// The keys of the table, all as they are there.
    pub fn standard() -> Keymap {
        Keymap::new(command::rows().map(Binding::default_of).collect(), Vec::new())
    }

    fn new(mut bindings: Vec<Binding>, own: Vec<OwnCommand>) -> Keymap {
        bindings.sort_by_key(|binding| binding.row.context);
        let mut map = Keymap { bindings, own, ..Keymap::default() };
        map.note_first_chords();
        map
    }

    fn note_first_chords(&mut self) {
        let bindings = (0..).zip(&self.bindings);
        let keys = bindings
            .flat_map(|(at, binding)| (0..).zip(&binding.keys).map(move |(key, keys)| (at, binding, key, keys)));
        let first = |(binding, of, key, keys): (u16, &Binding, u16, &Vec<Chord>)| {
            Some(FirstChord { chord: *keys.first()?, context: of.row.context, binding, key })
        };
        self.first_chords = keys.filter_map(first).collect();
    }

    /// The defaults with the person's own bindings, and what was wrong with those, by line.
    pub fn merged(user: &[UserBinding]) -> (Keymap, Vec<BindingProblem>) {
        let mut map = Keymap::standard();
        if user.is_empty() {
            // The defaults do not clash, and this runs before the first frame.
            return (map, Vec::new());
        }
        let bound = user.iter().map(|binding| (binding.line, map.bind(binding)));
        let mut problems: Vec<_> = bound.filter_map(|(line, bound)| Some((line, bound.err()?))).collect();
        // Falling back can only bring defaults nearer, so this ends: the defaults themselves do not clash.
        while let Some((one, two, key)) = map.clash() {
            let names = [one, two].map(|at| map.bindings[at].full_name());
            let binds = |user: &&UserBinding| names.contains(&format!("{}.{}", user.context, user.name));
            let line = user.iter().filter(binds).map(|user| user.line).max().unwrap_or(1);
            for at in [one, two] {
                map.bindings[at] = Binding::default_of(map.bindings[at].row);
            }
            let [one, two] = names;
            problems.push((line, format!("key {key} is bound to both `{one}` and `{two}`: both keep their defaults")));
        }
        map.note_first_chords();
        (map, problems)
    }

    /// The same with the person's own commands, and what was wrong with those. A key that means something already stays what it is:
    /// the command is in the palette then.
    pub fn with_own(self, commands: &[OwnCommand]) -> (Keymap, Vec<BindingProblem>) {
        let mut problems = Vec::new();
        let mut bindings = self.bindings;
        let mut accepted: Vec<OwnCommand> = Vec::new();
        for command in commands {
            let problem = |why: &str| (command.line, format!("[commands.{}] {}: {why}", command.context, command.name));
            let Some(row) = own_row(command, accepted.len()) else {
                problems.push(problem("commands are for results, basket and owned"));
                continue;
            };
            let read = command.key.iter().map(|key| read_sequence(key)).collect::<Result<_, _>>();
            let keys = read.inspect_err(|bad| problems.push(problem(bad))).unwrap_or_default();
            let mut binding = Binding { row, keys };
            if let Some(taken) = bindings.iter().find(|taken| binding.shared_key(taken).is_some()) {
                let key = command.key.clone().unwrap_or_default();
                problems.push(problem(&format!("key {key} is `{}` already; the palette runs it", taken.full_name())));
                binding.keys.clear();
            }
            bindings.push(binding);
            accepted.push(command.clone());
        }
        (Keymap::new(bindings, accepted), problems)
    }

    fn bind(&mut self, binding: &UserBinding) -> Result<(), String> {
        let UserBinding { context, name, .. } = binding;
        let mut here = self.bindings.iter_mut().filter(|binding| binding.row.context.name() == context).peekable();
        if here.peek().is_none() {
            return Err(format!("unknown section [keys.{context}]"));
        }
        let Some(found) = here.find(|binding| binding.row.name == *name) else {
            return Err(format!("[keys.{context}] has no command `{name}`; run `lode` and type `:help` to list them"));
        };
        if found.row.fixed {
            return Err(format!("[keys.{context}] {name} has a fixed key"));
        }
        let read: Result<Vec<Vec<Chord>>, String> = binding.keys.iter().map(|keys| read_sequence(keys)).collect();
        found.keys = read.map_err(|bad| format!("[keys.{context}] {name}: {bad}"))?;
        Ok(())
    }

    /// The first two different commands of one chain that share a key, or where one's key begins the other's sequence.
    fn clash(&self) -> Option<(usize, usize, String)> {
        let all = self.bindings.iter().enumerate();
        all.clone().find_map(|(one, first)| {
            all.clone()
                .skip(one + 1)
                .filter(|(_, second)| first.row.command != second.row.command)
                .find_map(|(two, second)| first.shared_key(second).map(|keys| (one, two, sequence_text(keys))))
        })
    }

    /// Bindings of a chain, the narrowest context first.
    pub fn of(&self, contexts: Chain) -> impl Iterator<Item = &Binding> {
        contexts.iter().flat_map(|context| {
            let from = self.bindings.partition_point(|binding| binding.row.context < *context);
            self.bindings[from..].iter().take_while(|binding| binding.row.context == *context)
        })
    }

    /// What the footer may say in a chain, in the order of rank: what has a key and a word there.
    pub fn hints(&self, contexts: Chain) -> Vec<&Binding> {
        let mut hints: Vec<&Binding> = Vec::new();
        for binding in self.of(contexts).filter(|binding| !binding.keys.is_empty() && binding.row.footer.is_some()) {
            // The narrower context has the better word.
            if hints.iter().all(|named| named.row.command != binding.row.command) {
                hints.push(binding);
            }
        }
        hints.sort_by_key(|binding| Reverse(binding.row.footer.map(|(rank, _)| rank)));
        hints
    }

    pub fn resolve(&self, contexts: Chain, pending: &[Chord], chord: Chord) -> Resolved {
        let (mut prefix, first) = (false, *pending.first().unwrap_or(&chord));
        for context in contexts {
            let from = self.first_chords.partition_point(|key| key.context < *context);
            let keys = self.first_chords[from..].iter().take_while(|key| key.context == *context);
            for key in keys.filter(|key| key.chord == first) {
                let binding = &self.bindings[usize::from(key.binding)];
                match binding.keys[usize::from(key.key)].strip_prefix(pending) {
                    Some([only]) if *only == chord => return Resolved::Command(binding.row),
                    Some([next, _, ..]) if *next == chord => prefix = true,
                    _ => {}
                }
            }
        }
        if prefix { Resolved::Prefix } else { Resolved::Nothing }
    }

    /// The chord that is meant: the key of an English keyboard at the same place, where the letter itself, from another
    /// script, means nothing. In a text field a letter is a letter.
    ///
    /// `english` is that key, as the terminal says it or as the letter tells.
    pub fn meant(&self, contexts: Chain, pending: &[Chord], chord: Chord, english: Option<Chord>) -> Chord {
        let text = contexts.first() == Some(&Context::Text);
        let nothing = || matches!(self.resolve(contexts, pending, chord), Resolved::Nothing);
        english.filter(|_| !text && nothing()).unwrap_or(chord)
    }

    /// What may follow the pending chords: the little menu that opens after `g` or `y`.
    pub fn following(&self, contexts: Chain, pending: &[Chord]) -> impl Iterator<Item = (Chord, &'static KeyRow)> {
        self.of(contexts).flat_map(move |binding| {
            let keys = binding.keys.iter().filter(|keys| keys.len() > pending.len() && keys.starts_with(pending));
            keys.map(|keys| (keys[pending.len()], binding.row))
        })
    }

    /// The binding of a command in a chain.
    pub fn binding(&self, contexts: Chain, command: Command) -> Option<&Binding> {
        self.of(contexts).find(|binding| binding.row.command == command)
    }

    /// The key to press for a command in a chain.
    pub fn key_of(&self, contexts: Chain, command: Command) -> Option<String> {
        self.binding(contexts, command)?.first_key()
    }

    /// A sentence with its keys: `<everywhere.undo>` becomes the key that is bound to it, or `:undo` where it has none. What
    /// names no binding stays as it is.
    pub fn spelled<'a>(&self, sentence: &'a str) -> Cow<'a, str> {
        // Nearly all that is drawn names no key.
        if memchr::memchr(b'<', sentence.as_bytes()).is_none() {
            return Cow::Borrowed(sentence);
        }
        Cow::Owned(self.pieces(sentence).into_iter().map(|(words, _)| words).collect())
    }

    /// The same in pieces, each with whether it is a key.
    pub fn pieces(&self, sentence: &str) -> Vec<(String, bool)> {
        let (mut pieces, mut rest) = (Vec::new(), sentence);
        while let Some((before, after)) = rest.split_once('<') {
            let named = after.split_once('>').and_then(|(name, behind)| Some(((self.key_named(name)?, true), behind)));
            let (key, behind) = named.unwrap_or_else(|| (("<".to_owned(), false), after));
            pieces.extend([(before.to_owned(), false), key]);
            rest = behind;
        }
        pieces.push((rest.to_owned(), false));
        pieces
    }

    /// The key of `context.name`; `None` where there is no such binding.
    fn key_named(&self, full: &str) -> Option<String> {
        let (context, name) = full.split_once('.')?;
        let is_it = |one: &&Binding| one.row.name == name && one.row.context.name() == context;
        Some(self.bindings.iter().find(is_it)?.first_key().unwrap_or_else(|| format!(":{name}")))
    }
}

/// Where a command can be given; none where rows are never shown.
pub fn own_place(command: &OwnCommand) -> Option<Context> {
    [Context::Results, Context::Basket, Context::Owned].into_iter().find(|place| place.name() == command.context)
}

/// Its row of the table. Settings are read seldom, so a row lives as long as the program.
fn own_row(command: &OwnCommand, at: usize) -> Option<&'static KeyRow> {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let which = match command.rows {
        RowsGiven::Selection => "the selected rows",
        RowsGiven::All => "all rows",
    };
    let (name, title) = (leaked(command.name.clone()), leaked(format!("Run {}", command.name)));
    let help = leaked(format!("Sends {which} to `{}`. Nothing is spent.", command.run.join(" ")));
    let row = KeyRow::new(own_place(command)?, Command::Own(at), &[], [name, title, help]);
    Some(Box::leak(Box::new(row.when(&[A_ROW_TO_SEND]).fixed())))
}
