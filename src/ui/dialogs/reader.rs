//! Lines that are only read: a contact in full, the receipts, the last request, the last error.

use super::*;

/// A pair of a label and its value, or plain words.
#[derive(Clone, Debug, PartialEq)]
pub enum ReaderPart {
    Pair(String, String, Role),
    Words(String, Role),
    /// Pieces one after the other: what does not fit begins on the next line, what is longer than a line is broken.
    Line(Vec<(String, Role)>),
    /// The same on two lines at least, the last piece on the second one: what follows stays where it is from contact to contact.
    TwoLines(Vec<(String, Role)>),
    /// What a key does, as a button across the width.
    Button(String, Command),
    Gap,
}

impl ReaderPart {
    pub fn pair(label: impl Into<String>, value: impl Into<String>) -> ReaderPart {
        ReaderPart::Pair(label.into(), value.into(), Role::Text)
    }

    pub fn heading(words: &str) -> ReaderPart {
        ReaderPart::Words(words.to_owned(), Role::Head)
    }

    pub fn words(words: impl Into<String>) -> ReaderPart {
        ReaderPart::Words(words.into(), Role::Text)
    }
}

/// Where the lines of a reader come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReaderSource {
    /// It has them.
    #[default]
    Own,
    /// What was spent, by month, session and order.
    Receipts,
    /// The row under the cursor; which one that is, the screen knows.
    Contact,
    /// The same with every field as it came.
    Raw,
}

impl ReaderSource {
    pub fn is_contact(self) -> bool {
        matches!(self, ReaderSource::Contact | ReaderSource::Raw)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Reader {
    pub source: ReaderSource,
    pub title: String,
    pub parts: Vec<ReaderPart>,
    /// The keys in its lower border.
    pub keys: String,
    pub top: usize,
}

impl Reader {
    pub fn new(title: impl Into<String>, parts: Vec<ReaderPart>) -> Reader {
        Reader { title: title.into(), parts, ..Reader::default() }
    }

    /// `over` is where dialogs stand: how far there is to go depends on how much of it can be seen.
    pub fn update(&mut self, list: List, count: u64, over: Rect, keys: &Keymap) {
        let (_, height, lines) = extent(&self.parts, over, keys);
        let seen = usize::from(height.saturating_sub(2)).max(1);
        let times = Some(count).filter(|_| matches!(list, List::Down | List::Up));
        let tops = lines.saturating_sub(seen) + 1;
        self.top = table::moved(self.top, list, times, tops, [seen.div_ceil(2), seen]);
    }
}

#[derive(Default)]
struct Line<'a> {
    pieces: Vec<(String, Role)>,
    /// The whole value that the last piece is a part of.
    value: &'a str,
    button: Option<Command>,
}

/// The lines of the parts at a width, with the keys that they name: label column first.
fn lines<'a>(parts: &'a [ReaderPart], columns: usize, keys: &Keymap) -> Vec<Line<'a>> {
    let single = |words: String, role| Line { pieces: vec![(words, role)], ..Line::default() };
    let labels = parts.iter().map(|part| if let ReaderPart::Pair(label, ..) = part { text::width(label) } else { 0 });
    let label = labels.max().unwrap_or(0).min(columns / 3);
    let mut out = Vec::new();
    for part in parts {
        match part {
            ReaderPart::Gap => out.push(single(String::new(), Role::Text)),
            ReaderPart::Words(words, role) => {
                out.extend(text::wrapped(&keys.spelled(words), columns).into_iter().map(|line| single(line, *role)));
            }
            ReaderPart::Line(pieces) | ReaderPart::TwoLines(pieces) => {
                let spelled = |(words, role): &(String, Role)| (keys.spelled(words).into_owned(), *role);
                let pieces: Vec<_> = pieces.iter().map(spelled).collect();
                let mut rows = flowed(&pieces, columns);
                if let (ReaderPart::TwoLines(_), [row]) = (part, rows.as_mut_slice())
                    && let Some((words, role)) = row.pop()
                {
                    rows.push(vec![(beginning(&words).to_owned(), role)]);
                }
                out.extend(rows.into_iter().map(|pieces| Line { pieces, ..Line::default() }));
            }
            ReaderPart::Button(words, command) => {
                let words = text::cut(&format!(" {} ", keys.spelled(words)), columns);
                out.push(Line { button: Some(*command), ..single(words, Role::Button) });
            }
            ReaderPart::Pair(name, value, role) => {
                let room = columns.saturating_sub(label + 2);
                let mut first = text::cut(name, label);
                first.extend(std::iter::repeat_n(' ', label - text::width(&first)));
                for right in text::wrapped(value, room).into_iter().take(200) {
                    let left = format!("{}  ", std::mem::replace(&mut first, " ".repeat(label)));
                    out.push(Line { pieces: vec![(left, Role::Dim), (right, *role)], value, button: None });
                }
            }
        }
    }
    out
}

/// Draws the parts into an area. Returns how many lines there are.
pub fn draw(parts: &[ReaderPart], top: usize, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) -> usize {
    let all = lines(parts, usize::from(area.width), &cx.keys);
    let top = top.min(all.len().saturating_sub(usize::from(area.height)));
    for (place, line) in all.iter().skip(top).take(usize::from(area.height)).enumerate() {
        let y = area.y + place as u16;
        if let Some(command) = line.button {
            let place = Rect { y, height: 1, ..area };
            cx.restyle(buf, place, Role::Button);
            cx.target(place, Target::Command(command));
        }
        let Some((last, others)) = line.pieces.split_last() else { continue };
        let x = area.x + cx.line(buf, area.x, y, area.width, others);
        let taken = cx.put(buf, x, y, area.right().saturating_sub(x), &last.0, last.1);
        cx.link(x, y, taken, line.value);
    }
    all.len()
}

/// Width and height of the box in this place, and how many lines go into it.
fn extent(parts: &[ReaderPart], over: Rect, keys: &Keymap) -> (u16, u16, usize) {
    let width = over.width.saturating_sub(4).clamp(20, 96);
    let count = lines(parts, usize::from(width.saturating_sub(4)), keys).len();
    let height = u16::try_from(count + 2).unwrap_or(u16::MAX).clamp(5, pane::tallest(over).max(5));
    (width, height.min(over.height), count)
}

impl StatefulWidget for &Reader {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let (width, height, _) = extent(&self.parts, over, &cx.keys);
        let keys = cx.keys.spelled(&self.keys).into_owned();
        let frame = TitledPane::new(&self.title, true).below("", &keys);
        let inside = frame.over(over, width, height, buf, cx);
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let all = draw(&self.parts, self.top, buf, cx, inside);
        if all > usize::from(inside.height) && inside.height > 0 {
            let last = (self.top + usize::from(inside.height)).min(all);
            let words = format!(" {last} of {all} ");
            let wide = (words.len() as u16).min(inside.width);
            // It lies on the frame without its style.
            cx.clear(buf, Rect::new(inside.x, inside.bottom(), wide, 1));
            cx.put(buf, inside.x, inside.bottom(), wide, &words, Role::Dim);
        }
    }
}
