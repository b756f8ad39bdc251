//! A named view: how the grid of the results looks.

/// The columns of the grid in order, and what sorts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridView {
    /// Each with its width, if a person set one.
    pub columns: Vec<(String, Option<u16>)>,
    /// A column, and whether it sorts descending.
    pub sort: Option<(String, bool)>,
}

impl GridView {
    /// Reads what [`GridView::written`] returns. `None` without a column, or if a width is not a number.
    pub fn read(columns: &[String], sort: Option<&str>) -> Option<GridView> {
        let column = |text: &String| match text.split_once(':') {
            Some((key, width)) => Some((key.to_owned(), Some(width.trim().parse().ok()?))),
            None => Some((text.clone(), None)),
        };
        let columns: Vec<_> = columns.iter().map(column).collect::<Option<_>>()?;
        let sort = sort.map(|text| (text.trim_start_matches('-').to_owned(), text.starts_with('-')));
        (!columns.is_empty()).then_some(GridView { columns, sort })
    }

    /// `title:30` is a column with a width; `-title` sorts descending.
    pub fn written(&self) -> (Vec<String>, Option<String>) {
        let column = |(key, width): &(String, Option<u16>)| width.map_or(key.clone(), |width| format!("{key}:{width}"));
        let sort = self.sort.as_ref().map(|(key, back)| if *back { format!("-{key}") } else { key.clone() });
        (self.columns.iter().map(column).collect(), sort)
    }
}
