//! One list to find a thing in by typing: commands, help, filters, their values, past searches, themes.
//!
//! Matching ignores case and forgives one wrong letter. What was picked is a value; what it leads to is decided by the router.

use std::borrow::Cow;
use std::fmt;

use crate::dialogs::{DialogResult, Intent};
use crate::keys::command::TextCommand;
use crate::widgets::prelude::*;
use lode_core::{
    Filter, MatchKind, english_text,
    rank::{Rank, rank},
};

#[derive(Clone, Debug, PartialEq)]
pub struct PickerItem {
    pub left: String,
    pub right: String,
    /// Matched too, not shown.
    pub hidden: String,
    /// The name of a command. Typed in full it selects this line, as an alias does.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub pick: Intent,
}

impl PickerItem {
    pub fn new(left: impl Into<String>, right: impl Into<String>, pick: Intent) -> PickerItem {
        PickerItem { left: left.into(), right: right.into(), hidden: String::new(), name: "", aliases: &[], pick }
    }
}

#[derive(Clone, Default)]
pub struct Picker {
    pub title: String,
    /// One sentence under the field: how the value is matched.
    pub rule: String,
    pub input: Field,
    pub items: Vec<PickerItem>,
    /// A menu: a letter picks its line, until `/` turns it into a list to find in.
    pub letters: Option<Vec<char>>,
    /// Takes what is typed as the value where no line matches better.
    pub free: Option<Filter>,
    /// What a number stands for that is typed instead of a line.
    pub number: Option<fn(u64) -> Intent>,
    matches: Vec<u32>,
    pub marked: ListCursor,
    touched: bool,
}

impl fmt::Debug for Picker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picker({}, {} of {})", self.title, self.matches.len(), self.items.len())
    }
}

impl Picker {
    pub fn new(title: impl Into<String>, items: Vec<PickerItem>) -> Picker {
        let matches = (0..items.len() as u32).collect();
        Picker { title: title.into(), items, matches, ..Picker::default() }
    }

    pub fn with_rule(mut self, rule: impl Into<String>) -> Picker {
        self.rule = rule.into();
        self
    }

    pub fn free(mut self, filter: Filter) -> Picker {
        self.free = Some(filter);
        self
    }

    pub fn with_number(mut self, means: fn(u64) -> Intent) -> Picker {
        self.number = Some(means);
        self
    }

    /// The number that is typed instead of a line, where it means something.
    fn numbered(&self) -> Option<(u64, Intent)> {
        let number = self.input.trimmed().parse().ok()?;
        Some((number, self.number?(number)))
    }

    /// A menu of letters: one for each line.
    pub fn with_letters(mut self, letters: Vec<char>) -> Picker {
        self.letters = Some(letters);
        self
    }

    /// A typed letter while this is a menu. None where it is a list to find in, and the letter is text.
    pub fn letter(&mut self, letter: char) -> Option<DialogResult> {
        let letters = self.letters.as_ref()?;
        if letter == '/' {
            self.letters = None;
            return Some(DialogResult::Stay);
        }
        let found = letters.iter().position(|known| *known == letter)?;
        self.items.get(found).map(|item| DialogResult::Do(item.pick.clone()))
    }

    /// The places of the items that match what is typed, the best first.
    pub fn matching(&self) -> &[u32] {
        &self.matches
    }

    pub fn marked_at(mut self, at: usize) -> Picker {
        self.marked.at = at.min(self.items.len().saturating_sub(1));
        self
    }

    pub fn shown(&self) -> usize {
        self.matches.len()
    }

    /// The first lines that match, as a sentence each.
    pub fn offered(&self, most: usize) -> Vec<String> {
        let words = |item: &PickerItem| {
            if item.right.is_empty() { item.left.clone() } else { format!("{}, {}", item.left, item.right) }
        };
        (0..self.shown().min(most)).filter_map(|at| self.item(at)).map(words).collect()
    }

    fn item(&self, at: usize) -> Option<&PickerItem> {
        self.matches.get(at).and_then(|index| self.items.get(*index as usize))
    }

    /// The theme of the marked line, in the list of themes.
    pub fn theme(&self) -> Option<&str> {
        match self.item(self.marked.at).map(|item| &item.pick) {
            Some(Intent::Theme(name)) => Some(name),
            _ => None,
        }
    }

    pub fn typed(&mut self, words: &str) {
        self.input.typed(words);
        self.refresh();
    }

    /// Other lines under the same field; what was marked by hand stays marked.
    pub fn replace(&mut self, items: Vec<PickerItem>) {
        let touched = self.touched;
        let marked = self.item(self.marked.at).filter(|_| touched).map(|item| item.pick.clone());
        self.items = items;
        self.refresh();
        if let Some(at) = marked
            .and_then(|pick| (0..self.matches.len()).find(|at| self.item(*at).is_some_and(|item| item.pick == pick)))
        {
            self.marked.at = at;
            self.touched = touched;
        }
    }

    fn refresh(&mut self) {
        self.touched = false;
        self.marked = ListCursor::default();
        let wanted = self.input.trimmed();
        if wanted.is_empty() {
            self.matches = (0..self.items.len() as u32).collect();
            return;
        }
        self.matches = matching(&self.items, wanted);
        // Letters typed with another keyboard layout find the line too.
        if self.matches.is_empty()
            && let Some(english) = english_text(wanted)
        {
            self.matches = matching(&self.items, &english);
        }
    }

    pub fn update(&mut self, command: TextCommand) -> DialogResult {
        match command {
            TextCommand::Next => {
                self.marked.next(self.matches.len());
                self.touched = true;
            }
            TextCommand::Previous => {
                self.marked.previous(self.matches.len());
                self.touched = true;
            }
            TextCommand::Leave => return DialogResult::Close,
            TextCommand::Submit => return self.submit(),
            TextCommand::Complete => {
                if let Some(item) = self.item(self.marked.at) {
                    self.input = Field::new(match &item.pick {
                        Intent::Value(_, value) => value,
                        _ => &item.left,
                    });
                    self.refresh();
                }
            }
            other => {
                self.input.edit(other);
                if !matches!(
                    other,
                    TextCommand::Left
                        | TextCommand::Right
                        | TextCommand::WordLeft
                        | TextCommand::WordRight
                        | TextCommand::Home
                        | TextCommand::End
                ) {
                    self.refresh();
                }
            }
        }
        DialogResult::Stay
    }

    fn submit(&self) -> DialogResult {
        let typed = self.input.trimmed();
        if let (false, Some((_, pick))) = (self.touched, self.numbered()) {
            return DialogResult::Do(pick);
        }
        if let Some(filter) = self.free
            && !typed.is_empty()
            && !self.touched
        {
            // A code or value typed whole is meant as typed, even where a longer line matches it.
            let is_typed =
                |item: &&PickerItem| matches!(&item.pick, Intent::Value(_, v) if v.eq_ignore_ascii_case(typed));
            let meant = self.items.iter().find(is_typed).or_else(|| self.item(0).filter(|_| self.is_meant(typed)));
            return DialogResult::Do(match meant {
                Some(item) => item.pick.clone(),
                None => Intent::Value(filter, typed.to_owned()),
            });
        }
        self.item(self.marked.at).map_or(DialogResult::Stay, |item| DialogResult::Do(item.pick.clone()))
    }

    /// Whether what is typed looks for a line rather than being a value: letters that name a code, and anything where the
    /// values are a fixed list.
    fn is_meant(&self, typed: &str) -> bool {
        match self.free {
            Some(Filter::SicCode | Filter::NaicsCode | Filter::State) => typed.chars().any(char::is_alphabetic),
            Some(filter) => matches!(filter.matching(), MatchKind::OneOf(_)),
            None => false,
        }
    }

    /// Draws the field in the first line of an area.
    pub(super) fn draw_field(&self, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
        cx.put(buf, area.x, area.y, 2, "/ ", Role::Key);
        let field = Rect { x: area.x + 2, width: area.width.saturating_sub(2), height: 1, ..area };
        TextField::new(&self.input).render(field, buf, cx);
    }

    /// A click on a line.
    pub fn choose(&mut self, at: usize) -> DialogResult {
        self.marked.at = at;
        self.touched = true;
        self.submit()
    }
}

/// The lines that match what is typed, the best first: a command by its name, then by the text on the left, then by the rest.
fn matching(items: &[PickerItem], wanted: &str) -> Vec<u32> {
    let called = |item: &PickerItem| match () {
        () if item.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(wanted)) => 0,
        () if item.name.eq_ignore_ascii_case(wanted) => 1,
        () => 2,
    };
    let best = |item: &PickerItem| {
        let shown = [item.name, &item.left, &item.right].into_iter().filter_map(|text| rank(text, wanted)).min();
        // Of a text that is not shown only whole beginnings count, or lines would come up for no reason to be seen.
        let hidden = || rank(&item.hidden, wanted).is_some_and(|rank| rank <= Rank::WordStart).then_some(Rank::Typo);
        let found = shown.map(|rank| (0, rank)).or_else(|| Some((1, hidden()?)));
        (called(item) < 2 || found.is_some()).then_some((called(item), found))
    };
    let mut found: Vec<_> = (0..).zip(items).filter_map(|(at, item)| Some((best(item)?, at))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, at)| at).collect()
}

impl StatefulWidget for &Picker {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        // A theme is judged by the screen, so its list stands aside.
        let aside = if self.theme().is_some() { over.width.saturating_sub(48) } else { 0 };
        let over = Rect { x: over.x + aside, width: over.width - aside, ..over };
        let width = over.width.saturating_sub(4).clamp(20, 84);
        let rule = u16::from(!self.rule.is_empty());
        let wanted = (self.items.len() as u16).saturating_add(4 + rule);
        let height = wanted.clamp(6, pane::tallest(over).max(6));
        let title = format!("{} · {}", self.title, self.shown());
        let inside = pane::overlay(buf, cx, over, width, height, &title);
        if inside.height == 0 {
            return;
        }
        if self.letters.is_some() {
            let pieces = [("Press a letter   ", Role::Dim), ("/", Role::Key), (" filter", Role::Dim)];
            cx.line(buf, inside.x + 2, inside.y, inside.width.saturating_sub(2), &pieces);
        } else {
            self.draw_field(buf, cx, inside);
        }
        if rule > 0 && inside.height > 1 {
            cx.put(buf, inside.x + 2, inside.y + 1, inside.width.saturating_sub(2), &self.rule, Role::Dim);
        }
        let used = 1 + rule;
        let list = Rect { y: inside.y + used, height: inside.height.saturating_sub(used), ..inside };
        if self.matches.is_empty() {
            let words = match self.numbered() {
                Some((number, _)) => format!("<text.submit> go to row {}", grouped(number)),
                None if self.free.is_some() => "<text.submit> use what you typed".to_owned(),
                None => "No matches.".to_owned(),
            };
            cx.put(buf, list.x + 2, list.y, list.width.saturating_sub(2), &words, Role::Dim);
            return;
        }
        LineList::new(self.matches.len(), &self.marked, |at| {
            let item = &self.items[self.matches[at] as usize];
            let role = if matches!(item.pick, Intent::Refused(_)) { Role::Disabled } else { Role::Text };
            let letter = self.letters.as_ref().and_then(|letters| letters.get(self.matches[at] as usize));
            let left =
                letter.map_or(Cow::from(item.left.as_str()), |letter| Cow::from(format!("{letter}  {}", item.left)));
            ListLine::new(left, item.right.as_str()).role(role)
        })
        .render(list, buf, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> Picker {
        let items = ["TX Texas", "TN Tennessee", "CA California"]
            .map(|line| PickerItem::new(line, "", Intent::Value(Filter::State, line[..2].to_owned())));
        Picker::new("state", items.to_vec()).free(Filter::State)
    }

    fn picked(picker: &mut Picker) -> Intent {
        match picker.update(TextCommand::Submit) {
            DialogResult::Do(pick) => pick,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_name_picks_its_code_and_an_unknown_code_goes_as_typed() {
        let mut picker = states();
        picker.typed("texas");
        assert_eq!(picked(&mut picker), Intent::Value(Filter::State, "TX".to_owned()));
        let mut picker = states();
        picker.typed("tn");
        assert_eq!(picked(&mut picker), Intent::Value(Filter::State, "TN".to_owned()));
        let mut picker = states();
        picker.typed("77");
        assert_eq!(picked(&mut picker), Intent::Value(Filter::State, "77".to_owned()));
    }

    #[test]
    fn lines_go_round_and_the_best_match_comes_first() {
        let mut picker = states();
        picker.update(TextCommand::Previous);
        assert_eq!(picked(&mut picker), Intent::Value(Filter::State, "CA".to_owned()));
        picker.typed("tenn");
        assert_eq!(picker.shown(), 1);
        assert!(matches!(picker.update(TextCommand::Leave), DialogResult::Close));
    }
}
