//! The one list of the dialogs: menus, questions, values, commands, themes, profiles, columns.
//!
//! A short list takes letters: each line shows the one that takes it, and `j` `k` move. A longer one is filtered by what is typed, as a
//! short one is after `/`. Matching ignores case and forgives one wrong letter. Lines that can be marked are taken together. What was
//! picked is a value; what it leads to is decided by the router.

use super::*;

#[derive(Clone, Debug, PartialEq)]
pub struct PickerItem {
    pub left: String,
    pub right: String,
    /// Matched too, not shown.
    pub hidden: String,
    /// The name of a command. Typed in full it selects this line, as an alias does.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// The letter that takes it in a short list, if no line before has it.
    pub letter: Option<char>,
    /// Whether it is marked; none where it cannot be.
    pub mark: Option<bool>,
    pub pick: Intent,
}

impl PickerItem {
    pub fn new(left: impl Into<String>, right: impl Into<String>, pick: Intent) -> PickerItem {
        let (left, right, hidden) = (left.into(), right.into(), String::new());
        PickerItem { left, right, hidden, name: "", aliases: &[], letter: None, mark: None, pick }
    }

    pub fn letter(self, letter: char) -> PickerItem {
        PickerItem { letter: Some(letter), ..self }
    }

    pub fn marked(self, mark: bool) -> PickerItem {
        PickerItem { mark: Some(mark), ..self }
    }
}

/// What is done by words that are typed instead of a line, and how that is said.
type TypedCommand = fn(&str) -> Option<(String, Intent)>;

#[derive(Clone, Debug, Default)]
pub struct Picker {
    pub title: String,
    /// One sentence under the field: how the value is matched.
    pub rule: String,
    pub input: Field,
    pub items: Vec<PickerItem>,
    /// What is typed filters, however short the list is.
    pub filters: bool,
    /// Takes what is typed as the value where no line matches better.
    pub free: Option<Filter>,
    typed: Option<TypedCommand>,
    /// It opens beside the row under the cursor.
    at_row: bool,
    /// The places of the items that match what is typed, the best first.
    pub matches: Vec<u32>,
    /// Which of the matches the cursor stands on.
    pub at: usize,
    /// The cursor was moved by hand.
    touched: bool,
    /// A mark was changed: Enter takes what is marked.
    changed: bool,
}

/// The most lines of a list that takes letters.
const SHORT: usize = 10;

/// Letters that move or leave.
const MOVES: [char; 3] = ['j', 'k', 'q'];

/// A letter for each item: the one that it wants, else one of its words, else any.
fn letters(items: &[PickerItem]) -> Vec<char> {
    let mut letters: Vec<Option<char>> = items.iter().map(|item| item.letter).collect();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.letter.is_none()) {
        let own = item.left.chars().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase());
        letters[at] = own.chain('a'..='z').find(|one| !MOVES.contains(one) && !letters.contains(&Some(*one)));
    }
    letters.into_iter().flatten().collect()
}

impl Picker {
    pub fn new(title: impl Into<String>, items: Vec<PickerItem>) -> Picker {
        let mut picker = Picker { title: title.into(), items, ..Picker::default() };
        picker.refresh();
        picker
    }

    pub fn with_rule(self, rule: impl Into<String>) -> Picker {
        Picker { rule: rule.into(), ..self }
    }

    pub fn free(self, filter: Filter) -> Picker {
        Picker { free: Some(filter), ..self }
    }

    /// A list to find something in: it is filtered from the first letter on.
    pub fn finding(self) -> Picker {
        Picker { filters: true, ..self }
    }

    pub fn beside_row(self) -> Picker {
        Picker { at_row: true, ..self }
    }

    pub fn taking(self, typed: TypedCommand) -> Picker {
        Picker { typed: Some(typed), filters: true, ..self }
    }

    /// Its lines are commands.
    pub fn is_palette(&self) -> bool {
        self.typed.is_some()
    }

    /// What the words mean that are typed instead of a line, if they mean something.
    fn meant(&self) -> Option<(String, Intent)> {
        self.typed?(self.input.trimmed())
    }

    fn takes_letters(&self) -> bool {
        !self.filters && self.items.len() <= SHORT
    }

    pub fn chain(&self) -> Chain {
        if self.takes_letters() { chain::ASK } else { chain::TEXT }
    }

    /// A typed letter. None where it means nothing.
    pub fn letter(&mut self, letter: char) -> Option<DialogResult> {
        if !self.takes_letters() {
            self.typed(letter.encode_utf8(&mut [0; 4]));
        } else if letter == '/' {
            self.filters = true;
        } else {
            let at = letters(&self.items).iter().position(|known| *known == letter)?;
            if self.changed {
                self.at = at;
                return Some(self.update(TextCommand::Mark));
            }
            return Some(self.choose(at));
        }
        Some(DialogResult::Stay)
    }

    pub fn standing_at(mut self, at: usize) -> Picker {
        self.at = at.min(self.items.len().saturating_sub(1));
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

    pub(super) fn item(&self, at: usize) -> Option<&PickerItem> {
        self.matches.get(at).and_then(|index| self.items.get(*index as usize))
    }

    /// The place of the line under the cursor among the items. None where no line matches.
    pub fn place(&self) -> Option<usize> {
        self.matches.get(self.at).map(|at| *at as usize)
    }

    /// Puts the cursor on an item, if it is shown.
    pub fn stand_on(&mut self, place: usize) {
        self.at = self.matches.iter().position(|at| *at as usize == place).unwrap_or(self.at);
    }

    /// The theme under the cursor, in the list of themes.
    pub fn theme(&self) -> Option<&str> {
        if let Intent::Theme(name) = &self.item(self.at)?.pick { Some(name) } else { None }
    }

    pub fn typed(&mut self, words: &str) {
        self.filters = true;
        self.input.typed(words);
        self.refresh();
    }

    /// Other lines under the same field; where the cursor was moved by hand it stays.
    pub fn replace(&mut self, items: Vec<PickerItem>) {
        let touched = self.touched;
        let marked = self.item(self.at).filter(|_| touched).map(|item| item.pick.clone());
        self.items = items;
        self.refresh();
        let is_marked = |at: &usize| self.item(*at).map(|item| &item.pick) == marked.as_ref();
        if let Some(at) = (0..self.shown()).find(is_marked) {
            (self.at, self.touched) = (at, touched);
        }
    }

    fn refresh(&mut self) {
        (self.at, self.touched) = (0, false);
        let wanted = self.input.trimmed();
        let found = || Some(matching(&self.items, wanted)).filter(|found| !found.is_empty());
        // Letters typed with another keyboard layout find the line too.
        let english = || english_text(wanted).map(|english| matching(&self.items, &english));
        self.matches = match wanted {
            _ if self.meant().is_some() => Vec::new(),
            "" => (0..self.items.len() as u32).collect(),
            _ => found().or_else(english).unwrap_or_default(),
        };
    }

    pub fn update(&mut self, command: TextCommand) -> DialogResult {
        match command {
            TextCommand::Next | TextCommand::Previous => {
                let next = if self.at + 1 >= self.shown() { 0 } else { self.at + 1 };
                let previous = self.at.checked_sub(1).unwrap_or(self.shown().saturating_sub(1));
                (self.at, self.touched) = (if command == TextCommand::Next { next } else { previous }, true);
            }
            TextCommand::Mark => {
                let item = self.place().and_then(|at| self.items.get_mut(at));
                if let Some(mark) = item.and_then(|item| item.mark.as_mut()) {
                    (*mark, self.changed) = (!*mark, true);
                }
            }
            TextCommand::Leave => return DialogResult::Close,
            TextCommand::Submit => return self.submit(),
            TextCommand::Complete => {
                if let Some(item) = self.item(self.at) {
                    self.input = Field::new(if let Intent::Value(_, value) = &item.pick { value } else { &item.left });
                    self.refresh();
                }
            }
            other => {
                if self.input.edit(other) {
                    self.refresh();
                }
            }
        }
        DialogResult::Stay
    }

    /// What is marked, where that is taken together.
    fn marked(&self) -> Option<Intent> {
        let value = |item: &PickerItem| match &item.pick {
            Intent::Value(_, value) | Intent::ExcludeList(value) if item.mark == Some(true) => Some(value.clone()),
            _ => None,
        };
        let marked = self.items.iter().filter_map(value).collect();
        match self.items.last()?.pick {
            Intent::Value(filter, _) => Some(Intent::Values(filter, marked)),
            Intent::ExcludeList(_) => Some(Intent::ExcludeLists(marked)),
            _ => None,
        }
    }

    fn submit(&self) -> DialogResult {
        if let (true, Some(all)) = (self.changed, self.marked()) {
            return DialogResult::Do(all, None);
        }
        let typed = self.input.trimmed();
        if let (false, Some((_, pick))) = (self.touched, self.meant()) {
            return DialogResult::Do(pick, None);
        }
        if let Some(filter) = self.free.filter(|_| !typed.is_empty() && !self.touched) {
            // A code or value typed whole is meant as typed, even where a longer line matches it.
            let is_typed =
                |item: &&PickerItem| matches!(&item.pick, Intent::Value(_, v) if v.eq_ignore_ascii_case(typed));
            let meant = self.items.iter().find(is_typed).or_else(|| self.item(0).filter(|_| self.is_meant(typed)));
            let as_typed = || Intent::Value(filter, typed.to_owned());
            return DialogResult::Do(meant.map_or_else(as_typed, |item| item.pick.clone()), None);
        }
        self.item(self.at).map_or(DialogResult::Stay, |item| DialogResult::Do(item.pick.clone(), None))
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
        self.input.render(field, buf, cx);
    }

    /// A click on a line stands on it; on the line under the cursor it takes it.
    pub fn click(&mut self, at: usize) -> DialogResult {
        let was_there = std::mem::replace(&mut self.at, at) == at;
        self.touched = true;
        if was_there { self.submit() } else { DialogResult::Stay }
    }

    /// The wheel moves without going round.
    pub fn wheel(&mut self, list: List) {
        let before = self.at;
        self.at = table::moved(before, list, None, self.shown(), table::STEPS);
        self.touched |= self.at != before;
    }

    /// Takes a line.
    pub fn choose(&mut self, at: usize) -> DialogResult {
        self.at = at;
        self.touched = true;
        self.submit()
    }

    /// `State · 3 of 52`: what is marked, else what matches, of all.
    fn heading(&self) -> String {
        let marks = || self.items.iter().filter_map(|item| item.mark);
        let (marked, markable) = (marks().filter(|mark| *mark).count(), marks().count());
        let all = if markable > 0 { markable } else { self.items.len() };
        match (marked, self.input.trimmed()) {
            (0, "") if self.takes_letters() => self.title.clone(),
            (0, "") => format!("{} · {all}", self.title),
            (0, _) => format!("{} · {} of {all}", self.title, self.shown()),
            _ => format!("{} · {marked} of {all}", self.title),
        }
    }

    /// As wide as its longest line, within bounds: it stays so while it is filtered.
    fn width(&self) -> u16 {
        let widths = self.items.iter().map(|item| text::width(&item.left) + text::width(&item.right) + 12);
        (widths.max().unwrap_or(0).max(text::width(&self.rule) + 4) as u16).clamp(if self.at_row { 24 } else { 48 }, 88)
    }

    /// How many lines [`Picker::draw`] takes.
    pub(crate) fn height(&self) -> usize {
        self.items.len() + usize::from(!self.takes_letters())
    }

    /// Draws the field, where what is typed filters, and the lines.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let used = u16::from(!self.takes_letters()).min(area.height);
        if used > 0 {
            self.draw_field(buf, cx, area);
        }
        self.draw_lines(Rect { y: area.y + used, height: area.height - used, ..area }, buf, cx);
    }

    /// Draws it below the row, or above it where there is no room.
    fn draw_beside(&self, row: Rect, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let (width, height) = (self.width().min(over.width), (self.height() as u16 + 2).min(over.height));
        let above = row.y.saturating_sub(height).max(over.y);
        let y = if row.bottom() + height <= over.bottom() { row.bottom() } else { above };
        let area = Rect::new((row.x + 4).min(over.right() - width), y, width, height);
        cx.clear(buf, area);
        cx.target(area, Target::Dialog);
        self.draw(TitledPane::new(&self.heading(), true).draw(area, buf, cx), buf, cx);
    }

    fn draw_lines(&self, list: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        if self.matches.is_empty() && list.height > 0 {
            let words = match self.meant() {
                Some((words, _)) => format!("<text.submit> {words}"),
                None if self.free.is_some() => "<text.submit> use what you typed".to_owned(),
                None => "No matches.".to_owned(),
            };
            cx.put(buf, list.x + 2, list.y, list.width.saturating_sub(2), &words, Role::Dim);
            return;
        }
        let letters = if self.takes_letters() { letters(&self.items) } else { Vec::new() };
        let line = |at: usize| {
            let place = self.matches[at] as usize;
            let item = &self.items[place];
            let role = if matches!(item.pick, Intent::Refused(_)) { Role::Disabled } else { Role::Text };
            let letter = letters.get(place).copied();
            ListLine { letter, mark: item.mark, left: &item.left, right: &item.right, role }
        };
        LineList { count: self.shown(), marked: self.at, typed: self.input.trimmed(), line }.render(list, buf, cx);
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
        // The article of "Open the contact" is in half of the commands: it finds nothing by itself.
        let plain = |text: &str| if item.hidden.is_empty() { text.to_owned() } else { text.replace(" the ", " ") };
        let wanted = plain(wanted);
        let shown = [item.name, &plain(&item.left), &item.right];
        let shown = shown.into_iter().filter_map(|text| rank(text, &wanted)).min();
        // Of a text that is not shown only whole beginnings count, or lines would come up for no reason to be seen.
        let is_hidden = || rank(&plain(&item.hidden), &wanted).is_some_and(|rank| rank <= Rank::WordStart);
        let hidden = || is_hidden().then_some(Rank::Typo);
        let found = shown.map(|rank| (0, rank)).or_else(|| Some((1, hidden()?)));
        (called(item) < 2 || found.is_some()).then_some((called(item), found))
    };
    let mut found: Vec<_> = (0..).zip(items).filter_map(|(at, item)| Some((best(item)?, at))).collect();
    found.sort_unstable();
    // Where a line has the words themselves, one that only resembles them or has them in its sentence is left out.
    if found.first().is_some_and(|((_, best), _)| matches!(best, Some((0, rank)) if *rank <= Rank::Part)) {
        found.retain(|((_, found), _)| matches!(found, Some((0, rank)) if *rank <= Rank::Initials));
    }
    found.into_iter().map(|(_, at)| at).collect()
}

impl StatefulWidget for &Picker {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        // A theme is judged by the screen, so its list stands aside.
        let aside = if self.theme().is_some() { over.width.saturating_sub(48) } else { 0 };
        let over = Rect { x: over.x + aside, width: over.width - aside, ..over };
        if let Some(row) = cx.row.filter(|_| self.at_row) {
            return self.draw_beside(row, over, buf, cx);
        }
        let width = over.width.saturating_sub(4).clamp(20, self.width());
        let rule = u16::from(!self.rule.is_empty());
        let about = u16::from(self.is_palette());
        let height = (self.items.len() as u16).saturating_add(3 + rule + about).clamp(5, pane::tallest(over).max(5));
        let inside = TitledPane::new(&self.heading(), true).over(over, width, height, buf, cx);
        if inside.height == 0 {
            return;
        }
        if self.takes_letters() {
            let pieces = [("Press a letter   ", Role::Dim), ("/", Role::Key), (" filter", Role::Dim)];
            cx.line(buf, inside.x + 2, inside.y, inside.width.saturating_sub(2), &pieces);
        } else {
            self.draw_field(buf, cx, inside);
        }
        if rule > 0 && inside.height > 1 {
            cx.put(buf, inside.x + 2, inside.y + 1, inside.width.saturating_sub(2), &self.rule, Role::Dim);
        }
        let used = 1 + rule;
        let mut list = Rect { y: inside.y + used, height: inside.height.saturating_sub(used), ..inside };
        // Titles of commands are short: the last lines say what the one under the cursor does.
        if let Some(item) = self.item(self.at).filter(|_| self.is_palette() && list.height > 6) {
            list.height -= 3;
            let about = text::wrapped(&item.hidden, usize::from(list.width.saturating_sub(4)));
            for (line, y) in about.iter().take(2).zip(list.bottom() + 1..) {
                cx.put(buf, list.x + 2, y, list.width.saturating_sub(2), line, Role::Dim);
            }
        }
        self.draw_lines(list, buf, cx);
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
            DialogResult::Do(pick, _) => pick,
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
