//! Typing a filter's value: the field, and what it could become.
//!
//! Suggestions are values typed before and values seen in the rows that are here; nothing is asked of a service for them.

use std::sync::Arc;

use super::*;

#[derive(Clone, Debug)]
pub struct Edit {
    pub filter: Filter,
    pub becomes: Becomes,
    /// The words before the field.
    pub label: Arc<str>,
    pub input: Field,
    pub suggestions: Arc<[String]>,
    /// How many lines drop down: as many as there were suggestions since the first letter. A list that shrinks and grows with each
    /// letter is hard to read, and what it uncovers is drawn again.
    pub lines: usize,
    /// The marked suggestion; none while what is typed counts.
    pub marked: Option<usize>,
    /// The values that it could become: typed before first, then the commonest of the rows.
    known: Vec<String>,
    /// The same in small letters, a line each: each typed letter goes through one text instead of hundreds.
    small: String,
    /// How many of them were typed before.
    typed: usize,
}

/// What a value becomes of a filter that may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Becomes {
    /// All of it: of an industry, commas separate values.
    #[default]
    All,
    /// One more.
    Another,
    /// The one at this place.
    Instead(usize),
}

/// As many as fit under a field without hiding what one searches for.
const MOST: usize = 6;
/// So few letters of an industry are the beginning of one that is suggested: as words they would be in too many.
const SHORT: usize = 3;
/// Rows that are looked at for values when the field opens: enough to know the common ones.
const LOOKED_AT: usize = 3_000;
/// Different values that are kept of them: each typed letter goes through these.
const KNOWN: usize = 400;

impl Edit {
    pub fn new(filter: Filter, becomes: Becomes, value: String, typed: &[(Filter, String)], window: &Legs) -> Edit {
        let typed = typed.iter().filter(|(of, _)| *of == filter);
        let mut values: Vec<&str> = typed.map(|(_, value)| value.as_str()).collect();
        let past = values.len();
        if let Some(key) = column_of(filter) {
            let column = GridColumn::new(key, true);
            let mut seen: HashMap<&str, usize> = HashMap::new();
            for (_, row) in window.loaded().take(LOOKED_AT) {
                *seen.entry(column.value(row)).or_default() += 1;
            }
            let mut seen: Vec<(&str, usize)> = seen.into_iter().filter(|(value, _)| !values.contains(value)).collect();
            seen.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            values.extend(seen.into_iter().map(|(value, _)| value));
        }
        let known = values.into_iter().filter(|value| !value.is_empty()).take(KNOWN);
        // What a line break stands in could not be typed.
        let known: Vec<String> = known.filter(|value| !value.contains('\n')).map(str::to_owned).collect();
        let small = known.join("\n").to_lowercase();
        let sign = if becomes == Becomes::Another { "+" } else { "⌕" };
        let label = format!("{sign} {}", label(filter)).into();
        let (input, suggestions) = (Field::new(value), Arc::default());
        let mut edit =
            Edit { filter, becomes, label, input, suggestions, lines: 0, marked: None, known, small, typed: past };
        edit.refresh();
        edit
    }

    /// The value as it is, until the first letter takes its place.
    pub fn offering(self) -> Edit {
        Edit { input: Field::offering(self.input.value()), ..self }
    }

    /// What was typed is another text now.
    pub fn refresh(&mut self) {
        self.marked = None;
        let wanted = self.input.trimmed().to_lowercase();
        // Before a letter is typed only what was typed before is worth showing, and that stands in front.
        let most = if wanted.is_empty() { self.typed.min(MOST) } else { MOST };
        let finder = memchr::memmem::Finder::new(&wanted);
        let fits = |small: &str| finder.find(small.as_bytes()).is_some() && *small != *wanted;
        let known = self.known.iter().zip(self.small.split('\n'));
        self.suggestions = known.filter(|(_, small)| fits(small)).take(most).map(|(value, _)| value.clone()).collect();
        let count = self.suggestions.len();
        self.lines = if wanted.is_empty() { count } else { self.lines.max(count) };
        if self.filter == Filter::Industry && (1..=SHORT).contains(&wanted.chars().count()) {
            let begins = |value: &String| value.to_lowercase().split(' ').any(|word| word.starts_with(&wanted));
            self.marked = self.suggestions.iter().position(begins);
        }
    }

    /// A command of the field that does not end it.
    pub fn update(&mut self, command: TextCommand) {
        let count = self.suggestions.len();
        match command {
            TextCommand::Next => self.marked = self.marked.map_or(0, |at| at + 1).checked_rem(count),
            TextCommand::Previous => self.marked = self.marked.unwrap_or(count).checked_sub(1),
            TextCommand::Complete => {
                // The first where none is marked.
                if let Some(value) = self.suggestions.get(self.marked.unwrap_or(0)) {
                    self.input = Field::new(value.clone());
                }
                self.refresh();
            }
            other => {
                self.input.edit(other);
                self.refresh();
            }
        }
    }

    /// What Enter runs.
    pub fn value(&self) -> String {
        let marked = self.marked.and_then(|at| self.suggestions.get(at));
        marked.map_or(self.input.trimmed(), String::as_str).to_owned()
    }
}

/// The name of a filter at the beginning of a line.
pub(super) fn label(filter: Filter) -> String {
    let name = filter.label();
    let is_code = matches!(filter, Filter::SicCode | Filter::NaicsCode);
    if is_code { name.to_uppercase() } else { text::capital(name) }
}

/// The field of a row whose values a filter compares, where masking does not make it useless.
fn column_of(filter: Filter) -> Option<&'static str> {
    match filter {
        Filter::Query | Filter::EmailAddress | Filter::Phone => None,
        Filter::ContactName => Some("contact_name"),
        other => Some(other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::Side;

    #[test]
    fn suggestions_are_the_first_values_that_hold_what_was_typed_and_are_not_it() {
        let mut rng = 5_u64;
        let mut roll = |sides: u64| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) % sides
        };
        let letters = ['a', 'B', 'ä', ' ', 'İ'];
        for _ in 0..300 {
            let mut word = |most: u64| -> String { (0..roll(most)).map(|_| letters[roll(5) as usize]).collect() };
            let typed: Vec<(Filter, String)> = (0..20).map(|_| (Filter::Title, word(6))).collect();
            let wanted = word(4);
            let window = Legs::new(Side::default());
            let mut edit = Edit::new(Filter::Title, Becomes::All, String::new(), &typed, &window);
            edit.input.typed(&wanted);
            edit.refresh();
            let small = wanted.trim().to_lowercase();
            let values = typed.iter().map(|(_, value)| value).filter(|value| !value.is_empty());
            let fits = values.filter(|value| value.to_lowercase().contains(&small) && value.to_lowercase() != small);
            assert_eq!(*edit.suggestions, fits.take(MOST).cloned().collect::<Vec<_>>(), "{wanted:?} among {typed:?}");
        }
    }
}
