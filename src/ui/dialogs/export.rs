//! What is exported, and in which form: two short lists, one after the other.

use lode_core::credits::counted;
use lode_core::export::preset::{BUILT_IN, Preset};
use lode_engine::effect::files::Form;

use super::picker::{Item, Pick, Picker};
use super::subject::Subject;

/// The forms with what they mean: the column maps of `assets/presets`, then `own`, which the person made.
fn forms(own: &[String]) -> impl Iterator<Item = (Form, String)> {
    let people = [
        (Form::Contacts, "CSV, formulas escaped".to_owned()),
        (Form::Xlsx, "Excel workbook, every cell as text".to_owned()),
    ];
    let machines = [(Form::JsonLines, "one JSON object a line".to_owned()), (Form::Raw, "unchanged".to_owned())];
    let maps = BUILT_IN.iter().map(|(name, text)| {
        let title = Preset::read(text).map(|preset| preset.title).unwrap_or_default();
        (Form::Preset((*name).to_owned()), format!("columns of {title}"))
    });
    let own = own.iter().map(|name| (Form::Preset(name.clone()), "your own columns".to_owned()));
    people.into_iter().chain(maps).chain(own).chain(machines)
}

/// Asks what to export.
pub fn what(subjects: &[(Subject, String)]) -> Picker {
    let items = subjects.iter().map(|(what, words)| Item::new(words.clone(), "", Pick::ExportOf(what.clone())));
    Picker::new("Export", items.collect()).with_rule("What to export. Nothing is spent.")
}

/// Adds how many rows one of them has; any other list stays as it is.
pub fn add_count(picker: &mut Picker, what: &Subject, rows: u64) {
    let mut items = picker.items.clone();
    let found = items.iter_mut().find(|item| item.pick == Pick::ExportOf(what.clone()));
    if let Some(item) = found {
        item.left = format!("{} ({})", item.left, counted(rows, "row"));
        picker.replace(items);
    }
}

/// Asks in which form.
pub fn form(what: &Subject, own: &[String]) -> Picker {
    Picker::new("Export as", items(what, own)).with_rule("The form of the file.")
}

fn items(what: &Subject, own: &[String]) -> Vec<Item> {
    let item = |(form, means): (Form, String)| {
        let name = form.name().to_owned();
        Item::new(name, means, Pick::Export(what.clone(), form))
    };
    // What is copied unchanged cannot leave anything out.
    let left_out = matches!(what, Subject::Whole(query) if !query.not.is_empty());
    forms(own).filter(|(form, _)| !(left_out && *form == Form::Raw)).map(item).collect()
}

/// Adds the forms that a person made to a list of forms; any other list stays as it is.
pub fn add_forms(picker: &mut Picker, own: &[String]) {
    let first = picker.items.first().map(|item| item.pick.clone());
    if let (Some(Pick::Export(what, _)), false) = (first, own.is_empty()) {
        picker.replace(items(&what, own));
    }
}
