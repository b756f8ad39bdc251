//! The columns of the grid: which are shown, in which order, how wide; and how they share the room there is.

use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::filter::Filter;
use crate::domain::row::{Known, Row};
use crate::ui::widgets::text;

/// Columns of the terminal before the first cell: cursor, state, new, a blank.
pub const SIGNS: u16 = 4;

/// The key of the column that shows the score: no field of a service has this name.
pub const SCORE: &str = "lode.score";

/// A column by what it shows: the name is put together of several fields, all others are one field of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// As in the remembered place: `name`, or a field of the service.
    pub key: Box<str>,
    pub shown: bool,
    /// Set by the person; otherwise shared out.
    pub width: Option<u16>,
    known: Option<Known>,
}

/// The narrowest and widest a column gets by itself, and how long it stays when the room falls (higher stays longer).
struct Measure {
    least: u16,
    most: u16,
    stays: u8,
}

impl Column {
    pub fn new(key: &str, shown: bool) -> Column {
        Column { key: key.into(), shown, width: None, known: Known::of(key) }
    }

    pub fn wide(self, width: Option<u16>) -> Column {
        Column { width, ..self }
    }

    pub fn is_name(&self) -> bool {
        &*self.key == "name"
    }

    /// Put together here, by the rules of `score.toml`.
    pub fn is_score(&self) -> bool {
        &*self.key == SCORE
    }

    pub fn head(&self) -> &str {
        match &*self.key {
            SCORE => "Score",
            "name" => "Name",
            "title" => "Title",
            "title_level" => "Level",
            "company_name" => "Company",
            "city" => "City",
            "county" => "County",
            "state" => "St",
            "zip" => "Zip",
            "industry" => "Industry",
            "industry_group" => "Group",
            "email_address" | "email" => "Email",
            "phone" => "Phone",
            "email_domain_type" => "Type",
            "email_status" => "Status",
            "verification" => "Check",
            "linkedin_url" => "Link",
            "company_website" => "Website",
            "sic_code" => "SIC",
            "naics_code" => "NAICS",
            "revenue" => "Revenue",
            "employees" => "Staff",
            "address" => "Address",
            other => other,
        }
    }

    fn measure(&self) -> Measure {
        let (least, most, stays) = match &*self.key {
            "name" => (12, 26, 255),
            SCORE => (5, 5, 235),
            "email_address" | "email" => (14, 48, 240),
            "phone" => (10, 16, 230),
            "state" => (2, 2, 220),
            "title" => (12, 44, 210),
            "company_name" => (12, 40, 200),
            "title_level" => (8, 9, 130),
            "city" => (10, 18, 100),
            "industry" => (12, 28, 90),
            "email_status" => (8, 14, 70),
            "email_domain_type" => (6, 9, 60),
            "zip" => (5, 7, 50),
            _ => (8, 24, 40),
        };
        Measure { least, most, stays }
    }

    /// What the table of starting widths gives it where there are so many columns of the screen.
    fn start(&self, room: u16) -> u16 {
        let place = match &*self.key {
            "name" => 0,
            "title" => 1,
            "company_name" => 2,
            "state" => 3,
            "email_address" | "email" => 4,
            "phone" => 5,
            _ => return self.measure().least,
        };
        let after = STARTS.iter().position(|(known, _)| *known >= room).unwrap_or(STARTS.len() - 1);
        let ((low, narrow), (high, wide)) = (STARTS[after.saturating_sub(1)], STARTS[after]);
        let (narrow, wide) = (narrow[place], wide[place]);
        if room >= high || room <= low {
            return if room >= high { wide } else { narrow };
        }
        narrow + (wide - narrow) * (room - low) / (high - low)
    }

    /// Email and phone are what the person came for: they give way last.
    fn is_wanted(&self) -> bool {
        matches!(&*self.key, "email_address" | "email" | "phone")
    }

    /// The filter that this column's values can be set as, where the side documents it.
    pub fn filter(&self, side: Side) -> Option<Filter> {
        let name = match &*self.key {
            "name" if side.source == Source::Data && side.corpus == Corpus::Us => "contact_name",
            "email" => "email_address",
            other => other,
        };
        Filter::named(name).filter(|filter| Filter::of(side).contains(filter))
    }

    /// The value of one field; the name is drawn piece by piece by the grid.
    pub fn value<'a>(&self, row: &'a Row) -> &'a str {
        match self.known {
            Some(known) => row.known(known),
            None => row.named(&self.key).unwrap_or(""),
        }
    }

    /// The whole text of the cell.
    pub fn text(&self, row: &Row) -> String {
        let mut text = String::new();
        self.push(row, &mut text);
        text
    }

    /// The whole text of the cell, added to the end of another.
    pub fn push(&self, row: &Row, text: &mut String) {
        if self.is_name() { row.push_name(text) } else { text.push_str(self.value(row)) }
    }
}

/// The columns a side begins with.
pub fn defaults(side: Side) -> Vec<Column> {
    let email =
        if side.corpus == Corpus::Linkedin && side.source == Source::Workspace { "email" } else { "email_address" };
    let mut columns = vec![Column::new("name", true)];
    columns.extend(["title", "company_name", "state", email, "phone"].map(|key| Column::new(key, true)));
    let mut more = vec!["city", "industry", "email_domain_type", "email_status"];
    if side.corpus == Corpus::Linkedin {
        more.extend(["title_level", "linkedin_url"]);
    } else {
        more.push("naics_code");
    }
    if side.source == Source::Data {
        more.extend(["county", "zip", "address", "company_website", "sic_code"]);
        if side.corpus == Corpus::Linkedin {
            more.extend(["industry_group", "revenue", "employees"]);
        }
    }
    columns.extend(more.into_iter().map(|key| Column::new(key, false)));
    columns
}

/// A column that is drawn: its place among all columns, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub column: usize,
    pub x: u16,
    pub width: u16,
}

/// Starting widths of name, title, company, state, email and phone, by the room there is for all of them.
pub const STARTS: [(u16, [u16; 6]); 4] = [
    (74, [14, 15, 13, 2, 15, 10]),
    (88, [16, 18, 16, 2, 21, 10]),
    (128, [20, 27, 24, 2, 31, 14]),
    (160, [24, 36, 32, 2, 42, 14]),
];

/// From this room on there are two blanks between columns.
const AIRY: u16 = 108;

/// How wide the loaded values of a column are: nearly all of them, and the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub usual: u16,
    pub most: u16,
}

/// Rows that are measured.
const MEASURED: usize = 120;

/// Measures the columns that are shown. A few long values do not widen a column, but a paid address does.
pub fn needs<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Row>) -> Vec<Option<Need>> {
    let rows: Vec<&Row> = rows.take(MEASURED).collect();
    let measure = |column: &Column| {
        let (mut paid, mut text) = (0, String::new());
        let mut widths: Vec<usize> = Vec::with_capacity(rows.len());
        for row in &rows {
            text.clear();
            column.push(row, &mut text);
            let wide = text::width(&text);
            if row.unlocked() && column.is_wanted() {
                paid = paid.max(wide);
            }
            widths.extend(Some(wide).filter(|wide| *wide > 0));
        }
        widths.sort_unstable();
        let usual = *widths.get(widths.len() * 9 / 10)?;
        let cells = |wide: usize| u16::try_from(wide).unwrap_or(u16::MAX).min(column.measure().most);
        Some(Need { usual: cells(usual.max(paid)), most: cells(*widths.last()?) })
    };
    columns.iter().map(|column| if column.shown { measure(column) } else { None }).collect()
}

/// Shares out `room` columns of the screen. What does not fit is left out, the least lasting first; the cursor's column stays.
pub fn share(columns: &[Column], needs: &[Option<Need>], room: u16, cursor: usize) -> Vec<Placed> {
    let mut shown: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].shown).collect();
    let least = |at: usize| columns[at].width.unwrap_or_else(|| columns[at].measure().least);
    let sum = |widths: &mut dyn Iterator<Item = u16>, gap: u16| -> u32 {
        widths.map(|width| u32::from(width) + u32::from(gap)).sum::<u32>().saturating_sub(u32::from(gap))
    };
    while shown.len() > 1 && sum(&mut shown.iter().map(|at| least(*at)), 1) > u32::from(room) {
        let goes = shown
            .iter()
            .enumerate()
            .filter(|(_, at)| **at != cursor)
            .min_by_key(|(_, at)| columns[**at].measure().stays);
        match goes.map(|(place, _)| place) {
            Some(place) => shown.remove(place),
            None => break,
        };
    }
    let airy = room >= AIRY && sum(&mut shown.iter().map(|at| least(*at)), 2) <= u32::from(room);
    let gap = if airy { 2 } else { 1 };
    let need = |at: usize| needs.get(at).copied().flatten();
    let mut widths: Vec<u16> = shown
        .iter()
        .map(|at| {
            let column = &columns[*at];
            let start = column.start(room).min(need(*at).map_or(u16::MAX, |need| need.usual));
            column.width.unwrap_or(start.max(column.measure().least)).min(room)
        })
        .collect();
    let mut over = sum(&mut widths.iter().copied(), gap).saturating_sub(u32::from(room));
    while over > 0 {
        let slack = |place: usize| widths[place].saturating_sub(least(shown[place]));
        let giving = (0..shown.len()).filter(|place| slack(*place) > 0);
        let Some(gives) = giving.max_by_key(|place| (!columns[shown[*place]].is_wanted(), slack(*place))) else {
            break;
        };
        widths[gives] -= 1;
        over -= 1;
    }
    let mut left = u32::from(room).saturating_sub(sum(&mut widths.iter().copied(), gap));
    let usual = |at: usize| need(at).map_or_else(|| columns[at].measure().most, |need| need.usual);
    let most = |at: usize| need(at).map_or(0, |need| need.most);
    let grows = |wanted: bool, aim: &dyn Fn(usize) -> u16, widths: &mut [u16], left: &mut u32| {
        let mut gave = true;
        while *left > 0 && std::mem::take(&mut gave) {
            for (place, at) in shown.iter().enumerate() {
                let column = &columns[*at];
                let grows = column.width.is_none() && (!wanted || column.is_wanted()) && widths[place] < aim(*at);
                if grows && *left > 0 {
                    widths[place] += 1;
                    *left -= 1;
                    gave = true;
                }
            }
        }
    };
    // Email and phone first, then what nearly all values need, then the longest.
    grows(true, &|at| need(at).map_or(0, |need| need.usual), &mut widths, &mut left);
    grows(false, &usual, &mut widths, &mut left);
    grows(false, &most, &mut widths, &mut left);
    let mut x = 0;
    let mut placed = Vec::with_capacity(shown.len());
    for (place, at) in shown.iter().enumerate() {
        placed.push(Placed { column: *at, x, width: widths[place] });
        x += widths[place] + gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(room: u16) -> Vec<String> {
        let columns = defaults(Side::default());
        share(&columns, &[], room, 0).iter().map(|placed| columns[placed.column].key.to_string()).collect()
    }

    #[test]
    fn as_the_room_falls_email_and_phone_stay() {
        assert_eq!(keys(74), ["name", "title", "company_name", "state", "email_address", "phone"]);
        assert_eq!(keys(60), ["name", "title", "state", "email_address", "phone"]);
        assert_eq!(keys(45), ["name", "state", "email_address", "phone"]);
        assert_eq!(keys(38), ["name", "email_address", "phone"]);
        assert_eq!(keys(34), ["name", "email_address"]);
        assert_eq!(keys(3), ["name"]);
    }

    #[test]
    fn columns_begin_with_the_widths_of_the_table() {
        let columns = defaults(Side::default());
        for (room, widths) in STARTS {
            let placed = share(&columns, &[], room, 0);
            assert_eq!(placed.iter().map(|placed| placed.width).collect::<Vec<_>>(), widths, "{room}");
            let last = placed.last().unwrap();
            assert_eq!(last.x + last.width, room, "no cell of {room} is lost");
        }
    }

    #[test]
    fn what_short_values_do_not_need_goes_to_email_first() {
        let columns = defaults(Side::default());
        let need = |usual, most| Some(Need { usual, most });
        let needs = [need(12, 14), need(30, 44), need(12, 12), need(2, 2), need(28, 40), need(8, 8)];
        let widths: Vec<u16> = share(&columns, &needs, 88, 0).iter().map(|placed| placed.width).collect();
        assert_eq!(widths, [12, 19, 12, 2, 28, 10]);
    }

    #[test]
    fn nothing_is_placed_outside() {
        let columns = defaults(Side::default());
        for room in 0..200 {
            for cursor in 0..columns.len() {
                for need in [None, Some(Need { usual: 30, most: 60 }), Some(Need { usual: 1, most: 3 })] {
                    for placed in share(&columns, &vec![need; columns.len()], room, cursor) {
                        assert!(placed.x + placed.width <= room, "{room}: {placed:?}");
                    }
                }
            }
        }
    }
}
