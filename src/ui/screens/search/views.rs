//! Named views of the grid: its columns in order with their widths, and what sorts it.

use super::*;

impl GridState {
    /// What a view of the grid as it is would hold.
    pub fn view(&self) -> GridView {
        let sorted = self.order.as_ref().filter(|order| !order.only_new).map(|order| (order.column, order.back));
        let sorted = self.sorting.as_ref().map(|sorting| (sorting.column, sorting.back)).or(sorted);
        let sort = sorted.and_then(|(column, back)| Some((self.columns.get(column)?.key.to_string(), back)));
        let shown = self.columns.iter().filter(|column| column.shown);
        let columns = shown.map(|column| (column.key.to_string(), column.width)).collect();
        GridView { columns, sort: self.sort_due.clone().or(sort) }
    }
}

/// The columns of a view on this side, then those that it does not show.
fn columns_of(view: &GridView, side: Side) -> Vec<GridColumn> {
    let mut others = columns::defaults(side);
    others.push(GridColumn::new(columns::SCORE, false));
    others.iter_mut().for_each(|column| column.shown = false);
    let mut shown = Vec::new();
    for (key, width) in &view.columns {
        // The email has another name on each side.
        let is_email = GridColumn::new(key, true).is_email();
        let is_meant = |column: &GridColumn| *column.key == **key || is_email && column.is_email();
        if let Some(at) = others.iter().position(is_meant) {
            shown.push(GridColumn::new(&others.remove(at).key, true).wide(width.map(|width| width.clamp(2, 120))));
        }
    }
    shown.extend(others);
    shown
}

impl State {
    /// The name of the view that the grid shows, if it has one.
    pub fn view_name(&self, session: &Session) -> Option<String> {
        let now = self.grid().view();
        session.saved_searches.views.iter().find(|(_, view)| **view == now).map(|(name, _)| name.clone())
    }

    /// Shows the grid as a view has it. The rows are sorted once as many are read as are being read.
    pub fn apply_view(&mut self, name: &str, scene: &mut Scene<'_>) {
        let Some(view) = scene.session.saved_searches.views.get(name).cloned() else {
            return scene.alert(format!("No view is named `{name}`."));
        };
        let columns = columns_of(&view, self.side);
        if !columns[0].shown {
            return scene.alert(format!("The view `{name}` has no column of {}.", self.side));
        }
        let grid = self.grid_mut();
        let on = grid.columns.get(grid.column).map(|column| column.key.clone());
        let place = |key: &str| columns.iter().position(|column| column.shown && &*column.key == key);
        grid.column = on.and_then(|key| place(&key)).unwrap_or(0);
        let is_sorted = grid.view().sort;
        grid.columns = columns;
        if is_sorted != view.sort
            && let Some((cursor, top)) = grid.unsort()
        {
            (grid.cursor, grid.top) = (cursor, top);
        } else if let (Some(order), Some((key, _))) = (&mut grid.order, &view.sort) {
            order.column = grid.columns.iter().position(|column| *column.key == **key).unwrap_or(0);
        }
        grid.sort_due = view.sort.filter(|sort| is_sorted.as_ref() != Some(sort));
        scene.say(format!("View: {name}"));
    }

    /// The views, and what can be done with them.
    pub fn pick_view(&self, scene: &mut Scene<'_>) {
        let views = &scene.session.saved_searches.views;
        let now = self.view_name(scene.session);
        let mut items: Vec<PickerItem> = views.iter().map(|(name, view)| line(name, view, now.as_ref())).collect();
        let removes = !items.is_empty();
        items.push(PickerItem::new("Save this view…", "", Intent::SaveView(None)));
        items.extend(removes.then(|| PickerItem::new("Delete a view…", "", Intent::DeleteView(None))));
        let rule = "<everywhere.commands> view NAME shows one, <everywhere.commands> view save NAME keeps this one.";
        scene.pick(Picker::new("Views", items).with_rule(rule));
    }

    /// Keeps the grid as it is under a name; without one, asks for it.
    pub fn save_view(&self, name: Option<&str>, scene: &mut Scene<'_>) {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        let Some(name) = name else {
            let words = "Columns in order, widths and sort. One of the same name is replaced.\nName of the view:";
            let known = self.view_name(scene.session).unwrap_or_default();
            return scene.prompt("Save this view", words, Intent::SaveView(None), Field::offering(known));
        };
        let replaced =
            if scene.session.saved_searches.views.contains_key(name) { " in place of the old one" } else { "" };
        let view = Some(self.grid().view());
        scene.session.saved_searches.keep_view(name, view, &mut scene.session.desk.at(scene.now, scene.fx));
        scene.say(format!("Saved view `{name}`{replaced}.  <results.views> views"));
    }

    /// Removes a view; without a name, asks which.
    pub fn delete_view(&self, name: Option<String>, scene: &mut Scene<'_>) {
        let views = &scene.session.saved_searches.views;
        let Some(name) = name else {
            let delete = |name: &String| Intent::DeleteView(Some(name.clone()));
            let items = views.iter().map(|(name, view)| PickerItem { pick: delete(name), ..line(name, view, None) });
            return scene.pick(Picker::new("Delete a view", items.collect()));
        };
        if !views.contains_key(&name) {
            return scene.alert(format!("No view is named `{name}`."));
        }
        scene.session.saved_searches.keep_view(&name, None, &mut scene.session.desk.at(scene.now, scene.fx));
        scene.say(format!("Deleted view `{name}`. The columns stay as they are."));
    }
}

/// `west        by title, Z to A · name, title, company, …`
fn line(name: &str, view: &GridView, now: Option<&String>) -> PickerItem {
    let head = |key: &str| GridColumn::new(key, true).head().to_lowercase();
    let heads: Vec<String> = view.columns.iter().map(|(key, _)| head(key)).collect();
    let way = |back: &bool| if *back { ", Z to A" } else { "" };
    let sort = view.sort.as_ref().map_or(String::new(), |(key, back)| format!("by {}{} · ", head(key), way(back)));
    let here = if now.is_some_and(|now| now == name) { "shown · " } else { "" };
    let words = text::cut(&format!("{here}{sort}{}", heads.join(", ")), 56);
    PickerItem::new(name, words, Intent::View(name.to_owned()))
}

/// The view that a saved search was saved with; the error is the name of one that is not there any more.
pub(super) fn view_of(search: &str, session: &Session) -> Option<Result<String, String>> {
    let saved_searches = &session.saved_searches;
    let view = saved_searches.named(search)?.view?;
    Some(if saved_searches.views.contains_key(&view) { Ok(view) } else { Err(view) })
}

/// What is typed as a command about views: `view save NAME`, `view delete NAME`. With what it does.
pub fn typed(words: &str) -> Option<(String, Intent)> {
    let rest = words.strip_prefix("view ")?.trim();
    let (what, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let named = name.as_ref().map_or("…".to_owned(), |name| format!("`{name}`"));
    match what {
        "save" => Some((format!("save this view as {named}"), Intent::SaveView(name))),
        "delete" => Some((format!("delete the view {named}"), Intent::DeleteView(name))),
        _ => None,
    }
}

/// The views as commands: `View west`.
pub fn commands(session: &Session) -> impl Iterator<Item = PickerItem> {
    let views = &session.saved_searches.views;
    views.iter().map(|(name, view)| PickerItem { left: format!("View {name}"), ..line(name, view, None) })
}
