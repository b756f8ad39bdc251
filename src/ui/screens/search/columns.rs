//! The columns of the grid: which are shown, in which order, how wide; and how they share the room there is.

use super::*;

/// Columns of the terminal before the first cell: cursor, state, new, a blank.
pub const SIGNS: u16 = 4;

/// Columns after the last cell: a blank, how the email was verified.
pub const DOT: u16 = 2;

/// The key of the column that shows the score: no field of a service has this name.
pub const SCORE: &str = "lode.score";

/// A column by what it shows: the name is put together of several fields, all others are one field of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct GridColumn {
    /// As in the remembered place: `name`, or a field of the service.
    pub key: Box<str>,
    pub shown: bool,
    /// Set by the person; otherwise shared out.
    pub width: Option<u16>,
    pub known: Option<Known>,
    /// None for a field that is not in the table: its name stands over it.
    head: Option<&'static str>,
    measure: Measure,
}

/// The narrowest and widest a column gets by itself, and how long it stays when the room falls (higher stays longer).
type Measure = (u16, u16, u8);

/// A column of short values gets no narrower than this.
const NARROWEST: u16 = 8;

const OTHER: Measure = (8, 24, 40);

/// What stands over each column, and its measure.
const HEADS: [(&str, &str, Measure); 24] = [
    ("name", "Name", (16, 26, 255)),
    ("email_address", "Email", EMAIL),
    ("email", "Email", EMAIL),
    (SCORE, "Score", (5, 5, 190)),
    ("phone", "Phone", (10, 16, 180)),
    ("state", "St", (2, 2, 220)),
    ("title", "Title", (18, 44, 210)),
    ("company_name", "Company", (16, 40, 200)),
    ("title_level", "Level", (8, 9, 130)),
    ("city", "City", (10, 18, 100)),
    ("industry", "Industry", (12, 28, 90)),
    ("email_status", "Status", (8, 14, 70)),
    ("email_domain_type", "Type", (6, 9, 60)),
    ("zip", "Zip", (5, 7, 50)),
    ("county", "County", OTHER),
    ("industry_group", "Group", OTHER),
    ("verification", "Check", OTHER),
    ("linkedin_url", "Link", OTHER),
    ("company_website", "Website", OTHER),
    ("sic_code", "SIC", OTHER),
    ("naics_code", "NAICS", OTHER),
    ("revenue", "Revenue", OTHER),
    ("employees", "Staff", OTHER),
    ("address", "Address", OTHER),
];

const EMAIL: Measure = (15, 48, 240);

/// Under the list of columns.
pub const RULE: &str = "<columns.toggle> show  <columns.later> <columns.earlier> move  <columns.reset> reset";

/// The lines of the list of columns, those that are shown marked.
pub fn items(columns: &[GridColumn]) -> Vec<PickerItem> {
    let item = |(at, column): (usize, &GridColumn)| {
        let width = column.width.map_or(String::new(), |width| format!("{width} wide"));
        PickerItem::new(column.head(), width, Intent::Place(at)).marked(column.shown)
    };
    columns.iter().enumerate().map(item).collect()
}

impl GridColumn {
    pub fn new(key: &str, shown: bool) -> GridColumn {
        let known = HEADS.iter().find(|(known, ..)| *known == key);
        let (head, measure) = known.map_or((None, OTHER), |(_, head, measure)| (Some(*head), *measure));
        GridColumn { key: key.into(), shown, width: None, known: Known::of(key), head, measure }
    }

    pub fn wide(self, width: Option<u16>) -> GridColumn {
        GridColumn { width, ..self }
    }

    pub fn is_name(&self) -> bool {
        &*self.key == "name"
    }

    /// Put together here, by the rules of `score.toml`.
    pub fn is_score(&self) -> bool {
        &*self.key == SCORE
    }

    pub fn head(&self) -> &str {
        self.head.unwrap_or(&self.key)
    }

    /// Its width by the table of starting widths, on a screen with `room` columns.
    fn start(&self, room: u16) -> u16 {
        let key = if self.is_email() { "email_address" } else { &self.key };
        let Some(place) = STARTED.iter().position(|known| *known == key) else { return self.measure.0 };
        let after = STARTS.iter().position(|(known, _)| *known >= room).unwrap_or(STARTS.len() - 1);
        let ((low, narrow), (high, wide)) = (STARTS[after.saturating_sub(1)], STARTS[after]);
        let (narrow, wide) = (narrow[place], wide[place]);
        if room >= high || room <= low {
            return if room >= high { wide } else { narrow };
        }
        narrow + (wide - narrow) * (room - low) / (high - low)
    }

    /// Email and phone are what the person came for: they give way last.
    pub fn is_wanted(&self) -> bool {
        self.is_email() || self.is_phone()
    }

    pub fn is_email(&self) -> bool {
        self.known == Some(Known::Email)
    }

    pub fn is_phone(&self) -> bool {
        self.known == Some(Known::Phone)
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
        self.known.map_or_else(|| row.named(&self.key).unwrap_or(""), |known| row.known(known))
    }

    /// The same for a row with an index of its fields.
    pub fn value_in<'a>(&self, fields: &Fields<'a>) -> &'a str {
        self.known.map_or_else(|| fields.named(&self.key).unwrap_or(""), |known| fields.known(known))
    }

    /// The whole text of the cell.
    pub fn text(&self, row: &Row) -> String {
        if self.is_name() { row.name() } else { self.value(row).to_owned() }
    }

    /// The whole text of the cell, added to the end of another.
    pub fn push(&self, row: &Row, text: &mut String) {
        if self.is_name() { row.push_name(text) } else { text.push_str(self.value(row)) }
    }
}

/// The columns a side begins with.
pub fn defaults(side: Side) -> Vec<GridColumn> {
    let is_linkedin = side.corpus == Corpus::Linkedin;
    let email = if is_linkedin && side.source == Source::Workspace { "email" } else { "email_address" };
    let shown = ["name", "title", "company_name", "state", email, "phone"];
    let mut more = vec!["city", "industry", "email_domain_type", "email_status"];
    more.extend(if is_linkedin { &["title_level", "linkedin_url"][..] } else { &["naics_code"] });
    if side.source == Source::Data {
        more.extend(["county", "zip", "address", "company_website", "sic_code"]);
        more.extend(["industry_group", "revenue", "employees"].iter().filter(|_| is_linkedin));
    }
    let more = more.into_iter().map(|key| GridColumn::new(key, false));
    shown.into_iter().map(|key| GridColumn::new(key, true)).chain(more).collect()
}

const STARTED: [&str; 6] = ["name", "title", "company_name", "state", "email_address", "phone"];

/// Starting widths of these columns, by the room there is for all of them.
pub const STARTS: [(u16, [u16; 6]); 4] = [
    (82, [16, 18, 16, 2, 15, 10]),
    (88, [16, 18, 16, 2, 21, 10]),
    (128, [20, 27, 24, 2, 31, 14]),
    (160, [24, 36, 32, 2, 42, 14]),
];

/// Room that the name leaves for the cursor's column, however wide it was made: a title, which needs most, and a blank.
const BESIDE: u16 = 19;

/// From this room on there are two blanks between columns.
const AIRY: u16 = 108;

/// Enough of a masked email: its domain repeats the company.
const MASKED: u16 = 20;

/// Measures the columns that are shown. A few long values do not widen a column, but a name and a paid address do.
pub fn needs<'a>(columns: &[GridColumn], rows: impl Iterator<Item = &'a Row>) -> Vec<Option<Need>> {
    let rows: Vec<&Row> = rows.take(MEASURED).collect();
    let measure = |column: &GridColumn| {
        let (mut paid, mut text) = (0u16, String::new());
        let mut widths: Vec<usize> = Vec::with_capacity(rows.len());
        for row in &rows {
            text.clear();
            column.push(row, &mut text);
            let wide = text::width(&text);
            if row.unlocked() && column.is_wanted() {
                paid = paid.max(u16::try_from(wide).unwrap_or(u16::MAX));
            }
            widths.extend(Some(wide).filter(|wide| *wide > 0));
        }
        let Need { usual, most } = Need::of(widths, column.measure.1)?;
        let usual = match column {
            _ if column.is_name() => most,
            _ if column.is_email() => usual.min(MASKED),
            _ => usual,
        };
        // What was paid for is one of the values, so the longest is at least as long.
        Some(Need { usual: usual.max(paid.min(most)), most })
    };
    columns.iter().map(|column| if column.shown { measure(column) } else { None }).collect()
}

/// Shares out `room` columns of the screen. What does not fit is left out, the least lasting first. Where the cursor is on one of those,
/// the grid scrolls: the columns nearest to the cursor are shown. The name and the cursor's column always stay.
pub fn share(columns: &[GridColumn], needs: &[Option<Need>], room: u16, cursor: usize) -> Vec<Placed> {
    // Columns that were widened leave room for the name.
    let name = columns.iter().find(|column| column.is_name() && column.shown);
    let name = name.map_or(0, |name| name.width.unwrap_or(name.measure.0).min(room.saturating_sub(BESIDE)) + 1);
    let request = |column: usize| {
        let (of, need) = (&columns[column], needs.get(column).copied().flatten());
        let (least, most, rank) = of.measure;
        // With room a phone is grouped.
        let least = if of.is_phone() && room >= AIRY { PHONE } else { least };
        let wanted = of.is_wanted();
        // A phone is written in another form than it is measured.
        let least = need.filter(|_| !wanted).map_or(least, |need| least.min(need.usual.max(NARROWEST)));
        let usual = need.map_or(most, |need| need.usual);
        // Email and phone first, then what nearly all values need, then the longest.
        let aims = [need.filter(|_| wanted).map_or(0, |need| need.usual), usual, need.map_or(0, |need| need.most)];
        let start = of.start(room).min(need.map_or(u16::MAX, |need| need.usual)).max(least);
        match of.width {
            Some(width) => {
                let width = width.min(room.saturating_sub(if of.is_name() { BESIDE } else { name }));
                ColumnRequest { column, least: width, start: width, aims: [0; 3], rank, wanted }
            }
            None => ColumnRequest { column, least, start: start.min(room), aims, rank, wanted },
        }
    };
    let all = || (0..columns.len()).filter(|at| columns[*at].shown).map(request);
    let near = |request: ColumnRequest| match columns[request.column].is_name() {
        true => request,
        false => ColumnRequest { rank: 254 - request.column.abs_diff(cursor).min(254) as u8, ..request },
    };
    let mut requests = share::fitting(all().collect(), room, 1, None);
    if requests.iter().all(|request| request.column != cursor) {
        requests = share::fitting(all().map(near).collect(), room, 1, Some(cursor));
    }
    let gap = if room >= AIRY && share::least(&requests, 2) <= u32::from(room) { 2 } else { 1 };
    let (widths, _) = share::widths(&requests, room, gap);
    share::placed(&requests, &widths, room, gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(room: u16) -> Vec<String> {
        let columns = defaults(Side::default());
        share(&columns, &[], room, 0).iter().map(|placed| columns[placed.column].key.to_string()).collect()
    }

    #[test]
    fn as_the_room_falls_the_phone_goes_first_and_the_email_stays() {
        assert_eq!(keys(82), ["name", "title", "company_name", "state", "email_address", "phone"]);
        assert_eq!(keys(81), ["name", "title", "company_name", "state", "email_address"]);
        assert_eq!(keys(60), ["name", "title", "state", "email_address"]);
        assert_eq!(keys(45), ["name", "state", "email_address"]);
        assert_eq!(keys(34), ["name", "email_address"]);
        assert_eq!(keys(3), ["name"]);
    }

    #[test]
    fn the_name_stays_while_the_grid_scrolls_sideways_and_however_wide_a_column_is() {
        let mut columns = defaults(Side { source: Source::Data, corpus: Corpus::Linkedin });
        columns.iter_mut().for_each(|column| column.shown = true);
        let placed = |columns: &[GridColumn], room, cursor| {
            share(columns, &[], room, cursor).iter().map(|placed| placed.column).collect::<Vec<_>>()
        };
        let usual = placed(&columns, 88, 0);
        for cursor in (0..columns.len()).filter(|cursor| !usual.contains(cursor)) {
            let shown = placed(&columns, 88, cursor);
            assert!(shown[0] == 0 && shown.len() > 4 && shown.contains(&cursor), "{cursor}: {shown:?}");
            assert!(shown[1..].is_sorted_by(|one, next| one + 1 == *next), "{cursor}: the nearest ones, {shown:?}");
        }
        for cursor in 1..columns.len() {
            for (wide, width) in [(0, 120), (cursor, 120), (cursor, 60), (0, 2)] {
                let mut columns = columns.clone();
                (columns[0].width, columns[wide].width) = (Some(30), Some(width));
                for room in HEADS[0].2.0 + BESIDE..130 {
                    let placed = share(&columns, &[], room, cursor);
                    assert_eq!(placed[0].column, 0, "{room} {cursor} {width}");
                    let here = placed.iter().find(|placed| placed.column == cursor).unwrap();
                    assert!(here.width > 0 && here.x + here.width <= room, "{room} {cursor} {width}: {placed:?}");
                }
            }
        }
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
