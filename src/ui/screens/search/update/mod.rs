//! What the commands of the Search screen do. The router calls these; each part of the screen has a file of its own.

mod arranging;
mod choosing;
mod draft;
pub mod filtering;
mod moving;
mod questions;
mod staging;

use crate::dialogs::Dialog;
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::keys::command::{Copy, Results};
use crate::scene::{Handoff, Holds, Scene};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::shell_line;

use super::edit::Edit;
use super::state::State;

impl State {
    pub fn results(&mut self, command: Results, scene: &mut Scene<'_>) {
        let side = self.side;
        match command {
            Results::MainField => {
                self.edit_filter(Filter::of(side)[0], false, scene);
                // A new search is the usual thing; Enter in the filter pane edits what is there.
                self.edit = self.edit.take().map(Edit::offering);
            }
            Results::PickFilter => scene.open(Dialog::Picker(self.filter_picker())),
            Results::ClearFilters => self.clear_filters(scene),
            Results::FilterByCell => self.filter_by_cell(scene),
            Results::ExcludeByCell => self.exclude_by_cell(scene),
            Results::Exclusions => scene.open(Dialog::Picker(self.exclusions())),
            Results::PerCompany => self.ask_per_company(scene),
            Results::HideOwned => {
                self.change(scene, |query| query.hide_owned = !query.hide_owned);
                let on = self.seat().draft.hide_owned;
                scene.say(if on { "Owned contacts are hidden." } else { "Owned contacts are shown." });
            }
            Results::HidePulled => {
                self.change(scene, |query| query.hide_pulled = !query.hide_pulled);
                let on = self.seat().draft.hide_pulled;
                scene.say(if on { "Pulled rows are hidden." } else { "Pulled rows are shown." });
            }
            Results::MarkPulled => self.ask_mark_pulled(scene),
            Results::Stage => self.stage(scene),
            Results::Range => {
                let seat = self.seat_mut();
                seat.anchor = if seat.anchor.is_some() { None } else { Some(seat.cursor) };
                if seat.anchor.is_some() {
                    scene.say_while(Holds::Range, "Range: move, then <results.stage> add it. <results.range> end.");
                } else {
                    scene.say("Range ended.");
                }
            }
            Results::StagePage => {
                let window = &scene.session.side(side).window;
                let page = window.page_around(self.seat().index(self.seat().cursor));
                self.stage_indices(page.collect(), scene);
            }
            Results::StageAll => self.ask_stage_all(scene),
            Results::EmptyBasket => self.empty_basket(side, scene),
            Results::Unlock => scene.hand(Handoff::Unlock),
            Results::Open => scene.open(Dialog::Contact { top: 0 }),
            Results::Columns => scene.open(Dialog::Columns { at: self.seat().column }),
            Results::Narrower | Results::Wider => self.widen(command == Results::Wider),
            Results::Order | Results::OrderBack => self.order(command == Results::OrderBack, scene),
            Results::Save => {
                let name = self.saved_name.clone().unwrap_or_else(|| suggested_name(&self.seat().draft));
                let words = format!("{}\nName of the saved search:", self.seat().draft.words());
                let prompt = Prompt::new("Save this search", words, Purpose::SaveSearch).offering(name);
                scene.open(Dialog::Prompt(prompt));
            }
            Results::Recall => scene.hand(Handoff::Recall),
            Results::FetchAgain => {
                scene.session.reread_account(scene.now, scene.fx);
                if self.seat().draft == *scene.session.side(side).window.query() {
                    self.seat_mut().unsort();
                    let (draft, at) = (self.seat().draft.clone(), self.seat().cursor);
                    scene.session.search_at(draft, at, scene.now, scene.fx);
                    scene.say_while(Holds::Fetching, "Refreshing…");
                } else {
                    self.run(scene);
                }
            }
            Results::Export => scene.hand(Handoff::Export),
            Results::Tag => self.ask_tag(scene),
            Results::Note => self.ask_note(scene),
            Results::Suppress => self.ask_suppress(scene),
            Results::Copy(what) => self.copy(what, scene),
        }
    }
}

impl State {
    pub fn copy(&mut self, what: Copy, scene: &mut Scene<'_>) {
        if what == Copy::CommandLine {
            let words = "the shell command.";
            return scene.copy_text(shell_line::search(&self.seat().draft), words);
        }
        if let Some(row) = self.seat().row(&scene.session.side(self.side).window).cloned() {
            let shown = self.seat().columns.iter().filter(|column| column.shown);
            let whole = shown.map(|column| column.text(&row)).collect::<Vec<_>>().join("\t");
            scene.copy(what, &row, whole);
        }
    }
}

/// A name for a search, from its own values.
fn suggested_name(query: &Query) -> String {
    let values: Vec<&str> = query.filters().flat_map(|(_, values)| values.iter().map(String::as_str)).collect();
    let name: String = values.join(" ").chars().take(60).collect();
    if name.is_empty() { query.side.corpus.name().to_owned() } else { name }
}
