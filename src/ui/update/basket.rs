//! The Basket screen: what its commands do. Taking out and emptying can be undone; nothing here spends.

use crate::domain::contact::Side;
use crate::domain::credits::grouped;
use crate::domain::row::{Known, Row};
use crate::domain::shell_line;
use crate::effect::Effect;
use crate::keys::command::{Basket, Copy};
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::reader::{Part, Reader};
use crate::ui::model::Model;
use crate::ui::screens::search::copy;
use crate::ui::screens::search::state::Step;
use crate::ui::theme::Role;

use super::{exporting, say, spending, suppression, with_scene};

pub(super) fn command(model: &mut Model, command: Basket, fx: &mut Vec<Effect>) {
    let side = model.search.side;
    match command {
        Basket::Unstage => unstage(model, side, fx),
        Basket::Unlock => spending::unlock(model, fx),
        Basket::Empty => {
            with_scene(model, fx, |search, scene| search.empty_basket(side, scene));
            model.basket.at = 0;
        }
        Basket::Suppressions => suppression::open(model),
        Basket::Open => {
            if let Some(row) = row(model) {
                let reader = reader(row);
                model.nav.dialogs.push(Dialog::Reader(reader));
            }
        }
        Basket::Export => exporting::offer(model, fx),
        Basket::Copy(what) => {
            if let Some(row) = row(model).cloned() {
                copy_row(model, what, &row, fx);
            }
        }
    }
}

fn row(model: &Model) -> Option<&Row> {
    model.basket.entry(&model.session, model.search.side).map(|entry| entry.row())
}

fn unstage(model: &mut Model, side: Side, fx: &mut Vec<Effect>) {
    let Some(entry) = model.basket.entry(&model.session, side) else { return };
    let (id, name) = (entry.id(), entry.row().name());
    let (state, desk) = model.session.side_mut(side);
    state.basket.unstage(&[id], &mut desk.at(model.now, fx));
    let left = state.basket.len();
    model.basket.at = model.basket.at.min(left.saturating_sub(1));
    model.search.undo.push(Step::Basket(side));
    model.search.redo.clear();
    let name = if name.is_empty() { id.to_string() } else { name };
    say(model, format!("Took {name} out of the basket ({}). Nothing spent.  u undoes", grouped(left as u64)), false);
}

fn reader(row: &Row) -> Reader {
    let mut parts = vec![Part::Words(row.name(), Role::Strong), Part::Gap];
    parts.extend(row.fields().map(|(name, _, value)| Part::pair(name, if value.is_empty() { "–" } else { value })));
    parts.push(Part::Gap);
    parts.push(Part::Words("As the search showed it when it was staged.".to_owned(), Role::Dim));
    Reader::new("STAGED CONTACT", parts)
}

/// What `y` copies of a row that stands in a list of its own.
pub(super) fn copy_row(model: &mut Model, what: Copy, row: &Row, fx: &mut Vec<Effect>) {
    let (text, name) = match what {
        Copy::Email => (row.email().to_owned(), "the e-mail"),
        Copy::Phone => (row.known(Known::Phone).to_owned(), "the phone"),
        Copy::Name => (row.name(), "the name"),
        Copy::Row => {
            let values: Vec<&str> = row.fields().map(|(_, _, value)| value).collect();
            (values.join("\t"), "the row")
        }
        Copy::Json => (copy::json(row), "the row as JSON"),
        Copy::Link => (copy::link(row).unwrap_or_default().to_owned(), "the link"),
        Copy::CommandLine => (shell_line::search(&model.search.seat().wish), "the shell command"),
    };
    if text.is_empty() {
        say(model, "There is nothing to copy in this field.", false);
        return;
    }
    fx.push(Effect::Copy(text));
    say(model, format!("Handed {name} to the terminal's clipboard."), false);
}
