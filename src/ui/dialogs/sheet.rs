//! The keys of a place as a sheet: columns by purpose, the sentence of the marked line below. Typing filters.

use super::*;

#[derive(Clone, Debug)]
pub struct HelpSheet {
    pub picker: Picker,
    /// Of each line of the picker.
    purposes: Vec<Group>,
}

/// What stands in a line of a column.
enum Entry<'a> {
    Gap,
    Heading(Group),
    /// A match, with its place among them.
    Match(usize, &'a PickerItem),
}

/// How the lines are divided into columns.
#[derive(Clone, Copy)]
struct Flow {
    /// Of a column, in lines.
    height: usize,
    /// Groups have a gap between them.
    airy: bool,
    /// A group is not divided, unless it is longer than a column.
    together: bool,
}

/// How to see the commands that cannot work now too.
const ALL: &str = "<text.leave>, then <everywhere.commands> lists all commands.";

/// A column is at least so wide.
const NARROWEST: u16 = 26;

/// Keys that go to the column beside.
const LEFT: TextCommand = TextCommand::Edit(InputRequest::GoToPrevChar);
const RIGHT: TextCommand = TextCommand::Edit(InputRequest::GoToNextChar);

impl HelpSheet {
    pub fn new(mut lines: Vec<(Group, PickerItem)>) -> HelpSheet {
        lines.sort_by_key(|(purpose, _)| *purpose);
        let (purposes, items) = lines.into_iter().unzip();
        HelpSheet { picker: Picker::new("Keys here", items).finding(), purposes }
    }

    pub fn update(&mut self, text: TextCommand, over: Rect) -> DialogResult {
        let (fit, ..) = extent(over);
        let step = match text {
            LEFT | RIGHT if fit > 1 => self.even(over).height,
            _ => return self.picker.update(text),
        };
        let (at, last) = (self.picker.at, self.picker.shown().saturating_sub(1));
        self.picker.at = if text == LEFT { at.saturating_sub(step) } else { (at + step).min(last) };
        DialogResult::Stay
    }

    fn is_filtered(&self) -> bool {
        !self.picker.input.trimmed().is_empty()
    }

    /// How many lines a column has, and whether groups have a gap between them: as few lines as show every title whole, else as
    /// few as the columns that fit need. What is filtered fills one column after the other.
    fn even(&self, over: Rect) -> Flow {
        let (fit, width, most) = extent(over);
        let low = Flow { height: most, airy: false, together: false };
        if self.is_filtered() {
            return low;
        }
        let fits = |flow, whole: bool| {
            let columns = self.flowed(flow);
            let wide: u16 = columns.iter().map(|column| need(column).1).sum();
            columns.len() <= fit && (!whole || wide <= width.saturating_sub(2))
        };
        let least = self.picker.shown().div_ceil(fit).max(1);
        let tried = [(true, true, true), (false, true, true), (true, true, false), (false, true, false)];
        let tried = tried.into_iter().chain([(true, false, true), (false, false, true), (false, false, false)]);
        let mut found = tried.filter_map(|(airy, together, whole)| {
            (least..=most).map(|height| Flow { height, airy, together }).find(|flow| fits(*flow, whole))
        });
        found.next().unwrap_or(low)
    }

    /// The columns, each with what stands in it. What is filtered has no headings: the best match comes first.
    fn flowed(&self, Flow { height, airy, together }: Flow) -> Vec<Vec<Entry<'_>>> {
        let (mut columns, mut column) = (Vec::new(), Vec::new());
        let group = |of: Group| {
            let purposes = self.picker.matches.iter().filter_map(|item| self.purposes.get(*item as usize));
            purposes.filter(|purpose| **purpose == of).count().min(height.saturating_sub(1))
        };
        let mut before = None;
        for (place, item) in self.picker.matches.iter().enumerate() {
            let purpose = self.purposes.get(*item as usize).copied().filter(|_| !self.is_filtered());
            let mut heading = purpose.filter(|purpose| before != Some(*purpose));
            before = purpose;
            // A heading stands in the column of its first line, or of all of them, and again over those of another column.
            let gap = heading.is_some() && !column.is_empty() && airy;
            let lines = heading.map_or(1, |of| 1 + if together { group(of) } else { 1 });
            if column.len() + lines + usize::from(gap) > height {
                columns.push(std::mem::take(&mut column));
                heading = purpose.filter(|_| height > 1);
            }
            column.extend((gap && !column.is_empty()).then_some(Entry::Gap));
            column.extend(heading.map(Entry::Heading));
            column.push(Entry::Match(place, &self.picker.items[*item as usize]));
        }
        columns.push(column);
        columns
    }
}

/// How many columns there is room for, how wide the sheet is, how many lines a column has at most.
fn extent(over: Rect) -> (usize, u16, usize) {
    let width = over.width.saturating_sub(2).min(4 * 40);
    let columns = ((width.saturating_sub(2)) / (NARROWEST + 1)).clamp(1, 4);
    (usize::from(columns), width, usize::from(over.height.saturating_sub(5 + below(over))).max(1))
}

/// The lines for `ALL`: none on a low screen.
fn below(over: Rect) -> u16 {
    u16::from(over.height >= 12)
}

/// What the signs of rows mean, in the lower border.
fn legend(buf: &mut Buffer, cx: &mut ViewContext, inside: Rect) {
    let (mut x, y) = (inside.x, inside.bottom());
    for sign in Sign::VARIANTS {
        let words = format!(" {} ", sign.word());
        let wide = text::width(&words) as u16 + 2;
        if x + wide > inside.right() {
            return;
        }
        cx.clear(buf, Rect { x, y, width: wide, height: 1 });
        x += cx.line(buf, x, y, wide, &[(" ", Role::Text), (sign.letter(), sign.role()), (&words, Role::Dim)]);
    }
}

impl StatefulWidget for &HelpSheet {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let (fit, width, _) = extent(over);
        let columns = self.flowed(self.even(over));
        let longest = columns.iter().map(Vec::len).max().unwrap_or(1);
        let title = format!("{} · {}", self.picker.title, self.picker.shown());
        let inside =
            TitledPane::new(&title, true).over(over, width, (longest as u16).saturating_add(5 + below(over)), buf, cx);
        if inside.height < 3 {
            return;
        }
        self.picker.draw_field(buf, cx, inside);
        legend(buf, cx, inside);
        let inside = Rect { height: inside.height - below(over), ..inside };
        if below(over) > 0 {
            cx.put(buf, inside.x + 1, inside.bottom(), inside.width.saturating_sub(1), ALL, Role::Dim);
        }
        let list = Rect { y: inside.y + 1, height: inside.height - 3, ..inside };
        let marked = self.picker.at;
        let is_marked = |entry: &Entry| matches!(entry, Entry::Match(at, _) if *at == marked);
        let holds = |column: &Vec<Entry>| column.iter().any(is_marked);
        let first = columns.iter().position(holds).unwrap_or(0) / fit * fit;
        let shown = &columns[first..(first + fit).min(columns.len())];
        let needs: Vec<(u16, u16)> = shown.iter().map(|column| need(column)).collect();
        let mut x = list.x;
        for ((column, (keys, _)), wide) in shown.iter().zip(&needs).zip(shares(&needs, list.width)) {
            for (y, entry) in (list.y..list.bottom()).zip(column) {
                let line = Rect { x, y, width: wide.saturating_sub(1), height: 1 };
                match entry {
                    Entry::Gap => {}
                    Entry::Heading(purpose) => {
                        cx.put(buf, x + 1, y, line.width.saturating_sub(1), &format!("{purpose:?}"), Role::Title);
                    }
                    Entry::Match(at, item) => {
                        draw_line(item, *at == marked, *keys, buf, cx, line);
                        cx.target(line, Target::Line(*at));
                    }
                }
            }
            x += wide;
        }
        if let Some(item) = self.picker.item(marked) {
            let sentence = if let Intent::Refused(reason) = item.pick { reason } else { &item.hidden };
            let pieces = [(item.right.as_str(), Role::Key), ("  ", Role::Text), (item.left.as_str(), Role::Strong)];
            cx.line(buf, inside.x + 1, inside.bottom() - 2, inside.width.saturating_sub(1), &pieces);
            cx.put(buf, inside.x + 1, inside.bottom() - 1, inside.width.saturating_sub(1), sentence, Role::Dim);
        } else {
            cx.put(buf, inside.x + 1, list.y, inside.width, "No matches.", Role::Dim);
        }
    }
}

/// What a column takes to show its lines whole: its keys, and all of it. Before the key is the mark, after it a gap and one after the
/// title.
fn need(column: &[Entry]) -> (u16, u16) {
    let lines = column.iter().filter_map(|entry| if let Entry::Match(_, item) = entry { Some(item) } else { None });
    let widths = lines.map(|item| (text::width(key(item)).min(9) as u16, text::width(&item.left) as u16));
    let (keys, titles): (Vec<u16>, Vec<u16>) = widths.unzip();
    let keys = keys.into_iter().max().unwrap_or(0);
    (keys, keys + titles.into_iter().max().unwrap_or(0) + 3)
}

/// Divides the width: each column gets what it needs; those that need more share the rest equally.
fn shares(needs: &[(u16, u16)], width: u16) -> Vec<u16> {
    let mut shares = vec![0; needs.len()];
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|at| needs[*at].1);
    let mut left = width;
    for (done, at) in order.into_iter().enumerate() {
        shares[at] = needs[at].1.min(left / (needs.len() - done) as u16);
        left -= shares[at];
    }
    let spare = left / needs.len().max(1) as u16;
    shares.iter().map(|share| share + spare).collect()
}

/// The first of its keys; the others stand in the sentence below.
fn key(item: &PickerItem) -> &str {
    item.right.split("  ").next().unwrap_or_default()
}

fn draw_line(item: &PickerItem, marked: bool, keys: u16, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let refused = matches!(item.pick, Intent::Refused(_));
    let (key_role, role) = if refused { (Role::Disabled, Role::Disabled) } else { (Role::Key, Role::Text) };
    cx.put(buf, line.x + 1, line.y, keys, key(item), key_role);
    cx.put(buf, line.x + keys + 2, line.y, line.width.saturating_sub(keys + 2), &item.left, role);
    if marked {
        cx.put(buf, line.x, line.y, 1, "▌", Role::Focus);
        cx.restyle(buf, line, Role::Row);
        cx.restyle(buf, Rect { x: line.x + keys + 2, width: line.width.saturating_sub(keys + 2), ..line }, Role::Cell);
    }
}
