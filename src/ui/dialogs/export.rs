//! What is written into which form: one list, found by typing.

use crate::domain::export::preset::{BUILT_IN, Preset};
use crate::effect::files::Form;

use super::picker::{Item, Pick, Picker};
use super::subject::Subject;

/// The forms with what they mean; the column maps in between come from `assets/presets`.
fn forms() -> impl Iterator<Item = (Form, String)> {
    let people = (Form::Contacts, "CSV for people, formulas harmless".to_owned());
    let machines = [(Form::JsonLines, "one JSON object a line".to_owned()), (Form::Raw, "as it came".to_owned())];
    let maps = BUILT_IN.iter().map(|(name, text)| {
        let title = Preset::read(text).map(|preset| preset.title).unwrap_or_default();
        (Form::Preset((*name).to_owned()), format!("columns of {title}"))
    });
    std::iter::once(people).chain(maps).chain(machines)
}

pub fn form_name(form: &Form) -> &str {
    match form {
        Form::Raw => "raw",
        Form::Contacts => "contacts",
        Form::JsonLines => "jsonl",
        Form::Preset(name) => name,
    }
}

/// `subjects` with their words; each in every form.
pub fn picker(subjects: &[(Subject, String)]) -> Picker {
    let items = subjects.iter().flat_map(|(what, words)| {
        forms().map(move |(form, means)| {
            Item::new(format!("{} · {words}", form_name(&form)), means, Pick::Export(what.clone(), form))
        })
    });
    Picker::new("EXPORT", items.collect()).with_rule("What and in which form; type to find. Nothing is spent.")
}

/// Adds the forms that a person made to each thing of a list of exports; any other list stays as it is.
pub fn add_forms(picker: &mut Picker, names: &[String]) {
    let mut items = Vec::with_capacity(picker.items.len());
    for item in &picker.items {
        if let Pick::Export(what, Form::JsonLines) = &item.pick {
            let words = item.left.trim_start_matches("jsonl");
            items.extend(names.iter().map(|name| {
                let pick = Pick::Export(what.clone(), Form::Preset(name.clone()));
                Item::new(format!("{name}{words}"), "columns of your own", pick)
            }));
        }
        items.push(item.clone());
    }
    if items.len() > picker.items.len() {
        picker.replace(items);
    }
}
