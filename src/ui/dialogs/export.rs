//! What is written into which form: one list, found by typing.

use crate::effect::files::Form;

use super::picker::{Item, Pick, Picker};
use super::subject::Subject;

const FORMS: [(&str, &str); 5] = [
    ("contacts", "CSV for people: formulas harmless, phones and ZIPs exact"),
    ("hubspot", "columns of HubSpot"),
    ("salesforce", "columns of Salesforce"),
    ("jsonl", "one JSON object a line"),
    ("raw", "as it came"),
];

fn form(name: &str) -> Form {
    match name {
        "raw" => Form::Raw,
        "contacts" => Form::Contacts,
        "jsonl" => Form::JsonLines,
        other => Form::Preset(other.to_owned()),
    }
}

#[must_use]
pub fn form_name(form: &Form) -> &str {
    match form {
        Form::Raw => "raw",
        Form::Contacts => "contacts",
        Form::JsonLines => "jsonl",
        Form::Preset(name) => name,
    }
}

/// `subjects` with their words; each in every form.
#[must_use]
pub fn picker(subjects: &[(Subject, String)]) -> Picker {
    let items = subjects.iter().flat_map(|(what, words)| {
        FORMS.iter().map(move |(name, means)| {
            Item::new(format!("{words} · {name}"), *means, Pick::Export(what.clone(), form(name)))
        })
    });
    Picker::new("EXPORT", items.collect()).with_rule("What and in which form; type to find. Nothing is spent.")
}

/// Adds the forms that a person made to each thing of a list of exports; any other list stays as it is.
pub fn add_forms(picker: &mut Picker, names: &[String]) {
    let mut items = Vec::with_capacity(picker.items.len());
    for item in &picker.items {
        if let Pick::Export(what, Form::JsonLines) = &item.pick {
            let words = item.left.trim_end_matches("jsonl");
            items.extend(names.iter().map(|name| {
                let pick = Pick::Export(what.clone(), Form::Preset(name.clone()));
                Item::new(format!("{words}{name}"), "columns of your own", pick)
            }));
        }
        items.push(item.clone());
    }
    if items.len() > picker.items.len() {
        picker.replace(items);
    }
}
