//! Where the person was, as one text per profile, and back again: side, searches, places, columns, theme.
//!
//! A JSON object whose unknown members are ignored and whose missing ones are defaults, so that older and newer lodes can
//! read each other's.

use super::*;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    side: String,
    /// Which panes are wanted, per class of width.
    layout: Vec<String>,
    /// The theme that was picked by hand.
    picked_theme: Option<String>,
    typed: Vec<(String, String)>,
    grids: Vec<SeatPlace>,
    /// The steps of the tour that are done; the demo alone has one.
    tour_done: Tour,
    masked: bool,
    /// The limit per company where it is not the one of the configuration; 0 is none.
    per_company: Option<u32>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SeatPlace {
    query: String,
    cursor: u64,
    top: u64,
    column: usize,
    columns: Vec<ColumnPlace>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ColumnPlace {
    key: String,
    shown: bool,
    width: Option<u16>,
}

/// How long a moved cursor waits to be written: a held key does not write with each row.
const MOMENT: Duration = Duration::from_millis(200);
/// Values for suggestions that are worth keeping.
const TYPED_KEPT: usize = 60;

/// The present place as text.
pub fn written(model: &Model) -> String {
    let grids = Side::ALL.map(|side| {
        let grid = model.search.grid_of(side);
        let place =
            |column: &GridColumn| ColumnPlace { key: column.key.to_string(), shown: column.shown, width: column.width };
        SeatPlace {
            query: grid.draft.written(),
            cursor: grid.index(grid.cursor),
            top: if grid.order.is_some() { grid.index(grid.cursor) } else { grid.top },
            column: grid.column,
            columns: grid.columns.iter().map(place).collect(),
        }
    });
    let limit = model.session.choice_rules.per_company;
    let typed = model.search.typed.iter().take(TYPED_KEPT);
    let place = Place {
        side: format!("{}/{}", model.search.side.source, model.search.side.corpus),
        layout: model.search.panes.map(|panes| panes.to_string()).into(),
        picked_theme: model.themes.picked.then(|| model.kept_theme().name.clone()),
        typed: typed.map(|(filter, value)| (filter.name().to_owned(), value.clone())).collect(),
        grids: grids.into(),
        tour_done: model.tour,
        masked: model.search.masked,
        per_company: (limit != model.session.profile().choosing.per_company).then(|| limit.unwrap_or_default()),
    };
    serde_json::to_string(&place).unwrap_or_default()
}

/// All of the place but where the cursors stand, which change with every key, as a number.
fn mark(model: &Model) -> u64 {
    let (search, theme) = (&model.search, (model.themes.picked, &model.kept_theme().name));
    let limit = model.session.choice_rules.per_company;
    let mut hasher = DefaultHasher::new();
    (search.side, search.panes, theme, &search.typed, model.tour, search.masked, limit).hash(&mut hasher);
    for grid in Side::ALL.map(|side| search.grid_of(side)) {
        (&grid.draft, grid.column).hash(&mut hasher);
        grid.columns.iter().for_each(|column| (&column.key, column.shown, column.width).hash(&mut hasher));
    }
    hasher.finish()
}

/// Writes the place if it is another one than was written last. Where only a cursor moved, it is written a moment later, or
/// at once if `leaving`.
pub fn keep(model: &mut Model, leaving: bool, fx: &mut Vec<Effect>) {
    if !model.opened || model.requests.has(&PendingRequest::Place) {
        // The write before this one has not ended: try again later, never at once.
        model.place_due = model.place_due.map(|_| model.now.mono.after(MOMENT));
        return;
    }
    let (mark, cursors) = (mark(model), Side::ALL.map(|side| model.search.grid_of(side).cursor));
    if mark == model.placed_mark && !leaving {
        if cursors != model.placed_cursors && model.place_due.is_none() {
            model.place_due = Some(model.now.mono.after(MOMENT));
        }
        return;
    }
    model.placed_mark = mark;
    model.placed_cursors = cursors;
    model.place_due = None;
    let text = written(model);
    if text != model.placed {
        model.placed.clone_from(&text);
        let profile = model.session.profile().name.clone();
        model.session.desk.store(Owner::Memory, StoreCall::Place { profile, text }, fx);
    }
}

/// Goes where the person was; with nothing written, to the beginning. Searches at once where a key is there to do it.
///
/// The person may have been quicker than the store: what was changed since the first frame stays as it is.
pub fn restore(model: &mut Model, text: Option<&str>, now: Now, fx: &mut Vec<Effect>) {
    let place: Place = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let fresh = State::new(begins_on(model.session.profile()));
    if model.session.profile().demo {
        model.tour = place.tour_done;
    }
    if let Some(side) = Side::ALL.into_iter().find(|side| format!("{}/{}", side.source, side.corpus) == place.side)
        && model.session.has(side.source)
        && model.search.side == fresh.side
    {
        model.search.side = side;
    }
    model.search.masked |= place.masked;
    if let Some(limit) = place.per_company {
        model.session.choice_rules.per_company = Some(limit).filter(|limit| *limit > 0);
    }
    if model.search.panes == fresh.panes {
        for (here, name) in model.search.panes.iter_mut().zip(&place.layout) {
            *here = name.parse().unwrap_or_default();
        }
    }
    if let (Some(Ok(theme)), false) = (place.picked_theme.map(|name| model.themes.named(&name)), model.themes.stays) {
        model.pick_theme(theme);
    }
    let typed = place.typed.into_iter().filter_map(|(name, value)| Some((Filter::named(&name)?, value)));
    model.search.typed = typed.take(TYPED_KEPT).collect();
    for grid in place.grids {
        let Some(query) = Query::from_canonical(&grid.query) else { continue };
        let side = query.side;
        let begun = fresh.grid_of(side);
        let here = model.search.grid_of_mut(side);
        if here.columns.iter().filter(|column| !column.is_score()).eq(&begun.columns) {
            here.columns = restored_columns(side, &grid.columns);
            let is_shown = |at: &usize| here.columns.get(*at).is_some_and(|column| column.shown);
            here.column = Some(grid.column).filter(is_shown).unwrap_or(0);
        }
        if here.draft == begun.draft {
            here.draft = query;
            here.cursor = grid.cursor;
            here.top = grid.top;
        }
    }
    model.placed_mark = mark(model);
    let grid = model.search.grid();
    let window = &model.session.side(model.search.side).window;
    let searched = *window.status() != Status::Empty && *window.query() == grid.draft;
    // Many searches at once are asked about before they run.
    let many = grid.draft.leg_count() > ASKED_ABOVE;
    if model.session.has(model.search.side.source) && !searched && !many {
        model.session.search_at(grid.draft.clone(), grid.cursor, now, fx);
    }
}

/// The side on which a profile begins: the Workspace where it has one.
pub fn begins_on(profile: &Profile) -> Side {
    let data_alone = profile.workspace.is_none() && profile.data.is_some();
    Side { source: if data_alone { Source::Data } else { Source::Workspace }, ..Side::default() }
}

/// The remembered columns, then those that were not known when they were remembered.
fn restored_columns(side: Side, kept: &[ColumnPlace]) -> Vec<GridColumn> {
    let mut others = columns::defaults(side);
    if !kept.iter().any(|column| column.shown) {
        return others;
    }
    others.retain(|column| !kept.iter().any(|known| *known.key == *column.key));
    others.iter_mut().for_each(|column| column.shown = false);
    let kept = kept.iter().map(|kept| GridColumn::new(&kept.key, kept.shown).wide(kept.width));
    kept.chain(others).collect()
}
