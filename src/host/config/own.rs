//! `[commands.results] push = { run = ["crm", "push"], key = "K", rows = "selection" }`: the person's own commands.

use toml_edit::{Item, Key, TableLike, Value};

use lode_core::scrub;
use lode_engine::effect::{OwnCommand, RowsGiven};

use super::reader::{Read, Reader};

pub(super) fn read(reader: &Reader<'_>, table: &dyn TableLike, commands: &mut Vec<OwnCommand>) -> Read<()> {
    for (context, item) in reader.entries(table) {
        if !["results", "basket", "owned"].contains(&context.get()) {
            return reader.unknown(context, "results, basket, owned");
        }
        for (name, item) in reader.entries(reader.table(context, item)?) {
            commands.push(command(reader, context, name, item)?);
        }
    }
    Ok(())
}

fn command(reader: &Reader<'_>, context: &Key, name: &Key, item: &Item) -> Read<OwnCommand> {
    let clean = |text: &str| scrub(text).into_owned();
    let mut own = OwnCommand {
        context: context.get().to_owned(),
        name: clean(name.get()),
        run: Vec::new(),
        key: None,
        rows: RowsGiven::Selection,
        line: reader.line(name.span()),
    };
    for (key, item) in reader.entries(reader.table(name, item)?) {
        match key.get() {
            "run" => own.run = words(reader, item)?,
            "key" => own.key = Some(reader.name(key, item)?),
            "rows" => {
                own.rows = match item.as_str() {
                    Some("selection") => RowsGiven::Selection,
                    Some("all") => RowsGiven::All,
                    _ => return Err(reader.wrong(item.span(), "`rows` is \"selection\" or \"all\"")),
                }
            }
            _ => return reader.unknown(key, "run, key, rows"),
        }
    }
    if own.run.is_empty() {
        let words = format!("`{}` needs `run`, a list of words: [\"crm\", \"push\"]", own.name);
        return Err(reader.wrong(item.span(), words));
    }
    Ok(own)
}

/// A list of words, the program first. One text would have to be taken apart by a shell.
fn words(reader: &Reader<'_>, item: &Item) -> Read<Vec<String>> {
    let list = match item.as_value() {
        Some(Value::Array(list)) => list.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => None,
    };
    let list = list.filter(|words: &Vec<String>| words.first().is_some_and(|program| !program.trim().is_empty()));
    list.ok_or_else(|| reader.wrong(item.span(), "`run` is a list of words, the program first: [\"crm\", \"push\"]"))
}
