//! The merged table: the rows with the keys that the person uses. Resolving, footer, help and palette read this one.
//!
//! A binding of the config replaces all keys of its command. Where two commands of one chain would then share a key, both
//! start with their defaults and the clash is told by name; nothing is dropped in silence.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use lode_engine::effect::{OwnCommand, RowsGiven, UserBinding};

use super::chord::{BadChord, Chord, read_sequence, sequence_text};
use super::command::{self, Command, KeyRow, a_row_to_send, row};
use super::situation::{Context, chain};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindingProblem {
    #[error("unknown section [keys.{0}]")]
    NoContext(String),
    #[error("[keys.{context}] has no command `{name}`; run `lode` and type `:help` to list them")]
    NoCommand { context: String, name: String },
    #[error("[keys.{context}] {name}: {bad}")]
    BadKey { context: String, name: String, bad: BadChord },
    #[error("[keys.{context}] {name} has a fixed key")]
    Fixed { context: String, name: String },
    #[error("[commands.{context}] {name}: {why}")]
    Own { context: String, name: String, why: String },
    #[error("key {key} is bound to both `{one}` and `{two}`: both keep their defaults")]
    Clash { key: String, one: String, two: String },
}

#[derive(Clone, Debug)]
pub struct Binding {
    pub row: &'static KeyRow,
    pub keys: Vec<Vec<Chord>>,
}

impl Binding {
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
}

/// What a chord after the pending ones comes to.
#[derive(Clone, Copy, Debug)]
pub enum Resolved {
    Command(&'static KeyRow),
    /// The beginning of a longer sequence.
    Prefix,
    Nothing,
}

/// What the footer may say of a command that has a key.
#[derive(Clone, Debug)]
pub struct Hint {
    pub row: &'static KeyRow,
    pub rank: u8,
    pub key: String,
    pub word: &'static str,
}

#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: Vec<Binding>,
    /// By the first chord of their keys: a key is looked for among the few that begin with it.
    starts: HashMap<Chord, Vec<usize>>,
    /// What each context has, by its place among all.
    contexts: Vec<Here>,
    own: Vec<OwnCommand>,
}

/// What one context has: its bindings, and those of them that the footer may say.
#[derive(Clone, Debug, Default)]
struct Here {
    bindings: Vec<usize>,
    hints: Vec<Hint>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::of_bindings(command::rows().map(|row| Binding { row, keys: default_keys(row) }).collect())
    }
}

fn default_keys(row: &KeyRow) -> Vec<Vec<Chord>> {
    row.keys.iter().map(|keys| read_sequence(keys).expect("a test reads every key of the table")).collect()
}

impl Keymap {
    fn of_bindings(bindings: Vec<Binding>) -> Keymap {
        let mut starts: HashMap<Chord, Vec<usize>> = HashMap::new();
        let mut contexts = vec![Here::default(); Context::ALL.len()];
        for (at, binding) in bindings.iter().enumerate() {
            let here = &mut contexts[binding.row.context as usize];
            here.bindings.push(at);
            for start in binding.keys.iter().filter_map(|keys| keys.first()) {
                let bindings = starts.entry(*start).or_default();
                if bindings.last() != Some(&at) {
                    bindings.push(at);
                }
            }
            // A sequence like `y e` stands for its menu.
            let key = binding.keys.first().and_then(|keys| keys.first());
            if let (Some((rank, word)), Some(key)) = (binding.row.footer, key) {
                here.hints.push(Hint { row: binding.row, rank, key: key.to_string(), word });
            }
        }
        Keymap { bindings, starts, contexts, own: Vec::new() }
    }

    /// The defaults with the person's own bindings, and what was wrong with those, by line.
    pub fn merged(user: &[UserBinding]) -> (Keymap, Vec<(usize, BindingProblem)>) {
        let mut map = Keymap::default();
        let mut problems = Vec::new();
        if user.is_empty() {
            // The defaults do not clash, and this runs before the first frame.
            return (map, problems);
        }
        for binding in user {
            if let Err(problem) = map.bind(binding) {
                problems.push((binding.line, problem));
            }
        }
        // Falling back can only bring defaults nearer, so this ends: the defaults themselves do not clash.
        while let Some((one, two, key)) = map.clash() {
            let (first, second) = (map.bindings[one].row, map.bindings[two].row);
            let (first_name, second_name) = (full_name(first), full_name(second));
            let binds =
                |user: &&UserBinding| [&first_name, &second_name].contains(&&format!("{}.{}", user.context, user.name));
            let line = user.iter().filter(binds).map(|user| user.line).max().unwrap_or(1);
            problems.push((line, BindingProblem::Clash { key, one: first_name, two: second_name }));
            map.bindings[one].keys = default_keys(first);
            map.bindings[two].keys = default_keys(second);
            let still = map.bindings[one].keys.iter().any(|a| map.bindings[two].keys.iter().any(|b| overlap(a, b)));
            if still {
                break;
            }
        }
        (Keymap::of_bindings(map.bindings), problems)
    }

    /// The same with the person's own commands, and what was wrong with those. A key that means something already stays what it is:
    /// the command is in the palette then.
    pub fn with_own(self, commands: &[OwnCommand]) -> (Keymap, Vec<(usize, BindingProblem)>) {
        let mut problems = Vec::new();
        let mut bindings = self.bindings;
        let mut accepted: Vec<OwnCommand> = Vec::new();
        for command in commands {
            let problem = |why: String| {
                let (context, name) = (command.context.clone(), command.name.clone());
                (command.line, BindingProblem::Own { context, name, why })
            };
            let Some(row) = own_row(command, accepted.len()) else {
                problems.push(problem("commands are for results, basket and owned".to_owned()));
                continue;
            };
            let mut keys = own_keys(command).unwrap_or_else(|bad| {
                problems.push(problem(bad.to_string()));
                Vec::new()
            });
            let chains = || chain::EVERY.iter().filter(|chain| chain.contains(&row.context));
            let taken = bindings.iter().find(|binding| {
                chains().any(|chain| chain.contains(&binding.row.context))
                    && binding.keys.iter().any(|known| keys.iter().any(|keys| overlap(known, keys)))
            });
            if let Some(taken) = taken {
                let key = command.key.clone().unwrap_or_default();
                problems.push(problem(format!("key {key} is `{}` already; the palette runs it", full_name(taken.row))));
                keys.clear();
            }
            bindings.push(Binding { row, keys });
            accepted.push(command.clone());
        }
        (Keymap { own: accepted, ..Keymap::of_bindings(bindings) }, problems)
    }

    pub fn own(&self, at: usize) -> Option<&OwnCommand> {
        self.own.get(at)
    }

    fn bind(&mut self, binding: &UserBinding) -> Result<(), BindingProblem> {
        let (context, name) = (binding.context.clone(), binding.name.clone());
        let Some(place) = Context::named(&context) else { return Err(BindingProblem::NoContext(context)) };
        let mut here = self.bindings.iter_mut().filter(|binding| binding.row.context == place);
        let Some(found) = here.find(|binding| binding.row.name == name) else {
            return Err(BindingProblem::NoCommand { context, name });
        };
        if found.row.fixed {
            return Err(BindingProblem::Fixed { context, name });
        }
        let read: Result<Vec<Vec<Chord>>, BadChord> = binding.keys.iter().map(|keys| read_sequence(keys)).collect();
        found.keys = read.map_err(|bad| BindingProblem::BadKey { context, name, bad })?;
        Ok(())
    }

    /// The first two different commands of one chain that share a key, or where one's key begins the other's sequence.
    fn clash(&self) -> Option<(usize, usize, String)> {
        for contexts in chain::EVERY {
            let here: Vec<usize> =
                (0..self.bindings.len()).filter(|at| contexts.contains(&self.bindings[*at].row.context)).collect();
            for (place, one) in here.iter().enumerate() {
                for two in &here[place + 1..] {
                    let (first, second) = (&self.bindings[*one], &self.bindings[*two]);
                    if first.row.command == second.row.command {
                        continue;
                    }
                    for keys in &first.keys {
                        if second.keys.iter().any(|other| overlap(keys, other)) {
                            return Some((*one, *two, sequence_text(keys)));
                        }
                    }
                }
            }
        }
        None
    }

    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Bindings of a chain, the narrowest context first.
    pub fn of(&self, contexts: &'static [Context]) -> impl Iterator<Item = &Binding> {
        let here = contexts.iter().flat_map(|context| &self.contexts[*context as usize].bindings);
        here.map(|at| &self.bindings[*at])
    }

    /// What the footer may say in a chain, in the order of rank.
    pub fn hints(&self, contexts: &'static [Context]) -> Vec<&Hint> {
        let here = contexts.iter().flat_map(|context| &self.contexts[*context as usize].hints);
        let mut hints: Vec<&Hint> = here.collect();
        hints.sort_by_key(|hint| Reverse(hint.rank));
        hints
    }

    pub fn resolve(&self, contexts: &'static [Context], pending: &[Chord], chord: Chord) -> Resolved {
        let mut prefix = false;
        let start = pending.first().unwrap_or(&chord);
        let begin = self.starts.get(start).map_or(&[][..], Vec::as_slice);
        for context in contexts {
            let here = begin.iter().map(|at| &self.bindings[*at]);
            for binding in here.filter(|binding| binding.row.context == *context) {
                for keys in &binding.keys {
                    if keys.len() <= pending.len() || keys[..pending.len()] != *pending || keys[pending.len()] != chord
                    {
                        continue;
                    }
                    if keys.len() == pending.len() + 1 {
                        return Resolved::Command(binding.row);
                    }
                    prefix = true;
                }
            }
        }
        if prefix { Resolved::Prefix } else { Resolved::Nothing }
    }

    /// The chord that is meant: the key of an English keyboard at the same place, where the letter itself, from another
    /// script, means nothing. In a text field a letter is a letter.
    pub fn meant(&self, contexts: &'static [Context], pending: &[Chord], chord: Chord) -> Chord {
        self.meant_at(contexts, pending, chord, chord.english())
    }

    /// The same where the terminal has said which chord of an English keyboard is at the place.
    pub fn meant_at(
        &self,
        contexts: &'static [Context],
        pending: &[Chord],
        chord: Chord,
        english: Option<Chord>,
    ) -> Chord {
        let text = contexts.first() == Some(&Context::Text);
        let nothing = || matches!(self.resolve(contexts, pending, chord), Resolved::Nothing);
        english.filter(|_| !text && nothing()).unwrap_or(chord)
    }

    /// What may follow the pending chords: the little menu that opens after `g` or `y`.
    pub fn following<'a>(
        &'a self,
        contexts: &'static [Context],
        pending: &'a [Chord],
    ) -> impl Iterator<Item = (Chord, &'static KeyRow)> + 'a {
        self.of(contexts).flat_map(move |binding| {
            let keys = binding.keys.iter().filter(|keys| keys.len() > pending.len() && keys.starts_with(pending));
            keys.map(|keys| (keys[pending.len()], binding.row))
        })
    }

    /// The binding of a command in a chain.
    pub fn binding(&self, contexts: &'static [Context], command: Command) -> Option<&Binding> {
        self.of(contexts).find(|binding| binding.row.command == command)
    }

    /// All keys of a command in a chain.
    pub fn keys_of(&self, contexts: &'static [Context], command: Command) -> &[Vec<Chord>] {
        self.binding(contexts, command).map_or(&[], |binding| &binding.keys)
    }

    /// The key to press for a command in a chain.
    pub fn key_of(&self, contexts: &'static [Context], command: Command) -> Option<String> {
        self.binding(contexts, command)?.first_key()
    }
}

fn overlap(one: &[Chord], two: &[Chord]) -> bool {
    let shorter = one.len().min(two.len());
    one[..shorter] == two[..shorter]
}

fn full_name(row: &KeyRow) -> String {
    format!("{}.{}", row.context.name(), row.name)
}

impl Keymap {
    /// A sentence with its keys: `<everywhere.undo>` becomes the key that is bound to it, or `:undo` where it has none. What
    /// names no binding stays as it is.
    pub fn spelled<'a>(&self, sentence: &'a str) -> Cow<'a, str> {
        // Nearly all that is drawn names no key.
        if memchr::memchr(b'<', sentence.as_bytes()).is_none() {
            return Cow::Borrowed(sentence);
        }
        let mut spelled = String::new();
        let mut rest = sentence;
        while let Some((before, after)) = rest.split_once('<') {
            let named = after.split_once('>').and_then(|(name, behind)| Some((self.key_named(name)?, behind)));
            let (key, behind) = named.unwrap_or_else(|| ("<".to_owned(), after));
            spelled.push_str(before);
            spelled.push_str(&key);
            rest = behind;
        }
        spelled.push_str(rest);
        Cow::Owned(spelled)
    }

    /// The key of `context.name`; `None` where there is no such binding.
    fn key_named(&self, full: &str) -> Option<String> {
        let (context, name) = full.split_once('.')?;
        let mut bindings = self.bindings().iter();
        let found = bindings.find(|one| one.row.name == name && one.row.context.name() == context)?;
        Some(found.first_key().unwrap_or_else(|| format!(":{name}")))
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
    let row = row(own_place(command)?, Command::Own(at), name, &[], title, help).when(a_row_to_send).fixed();
    Some(Box::leak(Box::new(row)))
}

fn own_keys(command: &OwnCommand) -> Result<Vec<Vec<Chord>>, BadChord> {
    command.key.iter().map(|key| read_sequence(key)).collect()
}
