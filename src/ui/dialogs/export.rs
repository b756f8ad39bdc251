//! What is written into which form: one list, found by typing.

use crate::domain::export::preset::{BUILT_IN, Preset};
use crate::effect::files::Form;

use super::picker::{Item, Pick, Picker};
use super::subject::Subject;

/// The forms with what they mean: the column maps of `assets/presets`, then `own`, which the person made.
fn forms(own: &[String]) -> impl Iterator<Item = (Form, String)> {
    let people = [
        (Form::Contacts, "CSV for people, formulas harmless".to_owned()),
        (Form::Xlsx, "Excel workbook, every cell as text".to_owned()),
    ];
    let machines = [(Form::JsonLines, "one JSON object a line".to_owned()), (Form::Raw, "as it came".to_owned())];
    let maps = BUILT_IN.iter().map(|(name, text)| {
        let title = Preset::read(text).map(|preset| preset.title).unwrap_or_default();
        (Form::Preset((*name).to_owned()), format!("columns of {title}"))
    });
    let own = own.iter().map(|name| (Form::Preset(name.clone()), "columns of your own".to_owned()));
    people.into_iter().chain(maps).chain(own).chain(machines)
}

pub fn form_name(form: &Form) -> &str {
    match form {
        Form::Raw => "raw",
        Form::Contacts => "contacts",
        Form::JsonLines => "jsonl",
        Form::Xlsx => "xlsx",
        Form::Preset(name) => name,
    }
}

pub fn picker(subjects: &[(Subject, String)]) -> Picker {
    let rule = "What and in which form; type to find. Nothing is spent.";
    Picker::new("EXPORT", items(subjects, &[])).with_rule(rule)
}

/// `subjects` with their words, each in every form.
fn items(subjects: &[(Subject, String)], own: &[String]) -> Vec<Item> {
    let items = subjects.iter().flat_map(|(what, words)| {
        forms(own).map(move |(form, means)| {
            Item::new(format!("{} · {words}", form_name(&form)), means, Pick::Export(what.clone(), form))
        })
    });
    items.collect()
}

/// Adds the forms that a person made to a list of exports; any other list stays as it is.
pub fn add_forms(picker: &mut Picker, subjects: &[(Subject, String)], own: &[String]) {
    if picker.items.first().is_some_and(|item| matches!(item.pick, Pick::Export(..))) && !own.is_empty() {
        picker.replace(items(subjects, own));
    }
}
