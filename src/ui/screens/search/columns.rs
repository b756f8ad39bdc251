//! The columns of the grid: which are shown, in which order, how wide; and how they share the room there is.

use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::filter::Filter;
use crate::domain::row::{Known, Row};

/// Columns of the terminal before the first cell: cursor, state, new, a blank.
pub const SIGNS: u16 = 4;

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

    pub fn head(&self) -> &str {
        match &*self.key {
            "name" => "NAME",
            "title" => "TITLE",
            "title_level" => "LEVEL",
            "company_name" => "COMPANY",
            "city" => "CITY",
            "county" => "COUNTY",
            "state" => "ST",
            "zip" => "ZIP",
            "industry" => "INDUSTRY",
            "industry_group" => "GROUP",
            "email_address" | "email" => "EMAIL",
            "phone" => "PHONE",
            "email_domain_type" => "TYPE",
            "email_status" => "STATUS",
            "verification" => "CHECK",
            "linkedin_url" => "LINK",
            "company_website" => "WEBSITE",
            "sic_code" => "SIC",
            "naics_code" => "NAICS",
            "revenue" => "REVENUE",
            "employees" => "STAFF",
            "address" => "ADDRESS",
            other => other,
        }
    }

    fn measure(&self) -> Measure {
        let (least, most, stays) = match &*self.key {
            "name" => (12, 26, 255),
            "title" => (14, 40, 200),
            "company_name" => (14, 36, 180),
            "email_address" | "email" => (14, 34, 160),
            "phone" => (10, 14, 140),
            "state" => (2, 2, 210),
            "city" => (10, 18, 100),
            "industry" => (12, 28, 90),
            "title_level" => (8, 9, 130),
            "email_domain_type" => (6, 9, 60),
            "email_status" => (8, 14, 70),
            "zip" => (5, 7, 50),
            _ => (8, 24, 40),
        };
        Measure { least, most, stays }
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

/// Shares out `room` columns of the screen. What does not fit is left out, the least lasting first; the cursor's column stays.
pub fn share(columns: &[Column], room: u16, cursor: usize) -> Vec<Placed> {
    let mut shown: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].shown).collect();
    let least = |at: usize| columns[at].width.unwrap_or_else(|| columns[at].measure().least);
    let sum =
        |shown: &[usize]| -> u32 { shown.iter().map(|at| u32::from(least(*at)) + 1).sum::<u32>().saturating_sub(1) };
    while shown.len() > 1 && sum(&shown) > u32::from(room) {
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
    let mut widths: Vec<u16> = shown.iter().map(|at| least(*at).min(room)).collect();
    let mut left =
        u32::from(room).saturating_sub(widths.iter().map(|w| u32::from(*w) + 1).sum::<u32>().saturating_sub(1));
    // Column by column, a character each: what is wider by nature simply takes longer to be satisfied.
    while left > 0 {
        let mut gave = false;
        for (place, at) in shown.iter().enumerate() {
            let grows = columns[*at].width.is_none() && widths[place] < columns[*at].measure().most;
            if grows && left > 0 {
                widths[place] += 1;
                left -= 1;
                gave = true;
            }
        }
        if !gave {
            break;
        }
    }
    let mut x = 0;
    let mut placed = Vec::with_capacity(shown.len());
    for (place, at) in shown.iter().enumerate() {
        placed.push(Placed { column: *at, x, width: widths[place] });
        x += widths[place] + 1;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(room: u16) -> Vec<String> {
        let columns = defaults(Side::default());
        share(&columns, room, 0).iter().map(|placed| columns[placed.column].key.to_string()).collect()
    }

    #[test]
    fn as_the_room_falls_columns_leave_in_their_order() {
        assert_eq!(keys(86), ["name", "title", "company_name", "state", "email_address", "phone"]);
        assert_eq!(keys(62), ["name", "title", "company_name", "state", "email_address"]);
        assert_eq!(keys(48), ["name", "title", "company_name", "state"]);
        assert_eq!(keys(32), ["name", "title", "state"]);
        assert_eq!(keys(20), ["name", "state"]);
        assert_eq!(keys(3), ["name"]);
    }

    #[test]
    fn nothing_is_placed_outside() {
        let columns = defaults(Side::default());
        for room in 0..200 {
            for cursor in 0..columns.len() {
                for placed in share(&columns, room, cursor) {
                    assert!(placed.x + placed.width <= room, "{room}: {placed:?}");
                }
            }
        }
    }
}
