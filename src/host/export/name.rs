//! The name of an export without a given one, and the layout behind the name of a form.

use super::*;

/// `lode-us-20261121-141503.csv` in the folder the shell was started in; `-2` and so on where that is taken.
pub fn path(target: &ExportTarget, what: &str, folders: &Folders, at: Wall) -> PathBuf {
    if let Some(path) = &target.path {
        return folders.named(path);
    }
    let moment = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default().to_zoned(jiff::tz::TimeZone::system());
    let stem = format!("lode-{what}-{}", moment.strftime("%Y%m%d-%H%M%S"));
    let ending = match target.form {
        Form::JsonLines => "jsonl",
        Form::Xlsx => "xlsx",
        Form::Raw | Form::Contacts | Form::Preset(_) => "csv",
    };
    let is_free = |path: &PathBuf| !path.exists() && !path.with_extension(format!("{ending}.part")).exists();
    free_name(&folders.here, &stem, ending, is_free)
}

/// The file that the target names and must not replace.
pub fn in_the_way(target: &ExportTarget, folders: &Folders) -> Option<PathBuf> {
    let path = folders.named(target.path.as_deref().filter(|_| !target.replace)?);
    path.is_file().then_some(path)
}

/// Refuses a target that is one of lode's own files.
pub fn refuse_own_target(target: &ExportTarget, folders: &Folders) -> Filed<()> {
    target.path.as_ref().map_or(Ok(()), |path| refuse_own(&folders.named(path), &folders.own))
}

/// Refuses a target that is one of lode's own files, or a file that must not be replaced.
pub(super) fn refuse(target: &ExportTarget, folders: &Folders) -> Filed<()> {
    refuse_own_target(target, folders)?;
    let Some(path) = in_the_way(target, folders) else { return Ok(()) };
    Err(FileFailure { words: format!("{} exists already and was not replaced", path.display()) })
}

/// A name of a preset says nothing of folders.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
}

/// The forms a person made, besides those that come with lode.
pub fn own_forms(folders: &Folders) -> Vec<String> {
    let entries = std::fs::read_dir(folders.config.join("presets")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| is_plain(name) && Preset::built_in(name).is_none()).collect();
    names.sort();
    names
}

/// What is written: lines of a text, or a workbook.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Lines(Layout),
    Workbook,
}

/// A preset is a file of the config folder first, then one that comes with lode.
pub fn shape(form: &Form, folders: &Folders) -> Filed<Shape> {
    Ok(Shape::Lines(match form {
        Form::Raw => Layout::Raw,
        Form::Contacts => Layout::Contacts,
        Form::JsonLines => Layout::JsonLines,
        Form::Xlsx => return Ok(Shape::Workbook),
        Form::Preset(name) => Layout::Mapped(preset(name, folders)?),
    }))
}

fn preset(name: &str, folders: &Folders) -> Filed<Preset> {
    let own = folders.config.join("presets").join(format!("{name}.toml"));
    let text = if is_plain(name) { if_there(std::fs::read_to_string(&own)) } else { Ok(None) };
    let failed = |words: String| FileFailure { words };
    let text = text.map_err(|error| failed(format!("{} cannot be read: {error}", own.display())))?;
    let Some(text) = text else {
        let known = Preset::built_in_names();
        let unknown = || failed(format!("unknown export format `{name}`; use raw, contacts, xlsx, jsonl, {known}"));
        return Preset::built_in(name).cloned().ok_or_else(unknown);
    };
    Preset::read(&text).map_err(|problem| failed(scrub(&format!("{name}: {problem}")).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(folder: &tempfile::TempDir) -> Folders {
        let path = folder.path().to_owned();
        Folders { here: path.clone(), config: path.clone(), state: path, own: Vec::new() }
    }

    #[test]
    fn a_name_is_made_from_the_moment_and_never_taken_twice() {
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(&folder);
        let target = ExportTarget { path: None, form: Form::Contacts, keep_incomplete: false, replace: false };
        let first = path(&target, "us", &folders, Wall(1_800_000_000_000));
        let name = first.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("lode-us-2027011") && name.ends_with(".csv"), "{name}");
        std::fs::write(&first, "").unwrap();
        let second = path(&target, "us", &folders, Wall(1_800_000_000_000));
        assert!(second.to_str().unwrap().ends_with("-2.csv"));
        let named = ExportTarget { path: Some("leads.csv".into()), ..target };
        assert_eq!(path(&named, "us", &folders, Wall(0)), folder.path().join("leads.csv"));
    }

    #[test]
    fn a_preset_of_ones_own_goes_before_the_one_that_comes_with_lode() {
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(&folder);
        let columns = |name: &str| preset(name, &folders).unwrap().columns.len();
        assert!(columns("hubspot") > 5);
        std::fs::create_dir(folder.path().join("presets")).unwrap();
        std::fs::write(folder.path().join("presets/hubspot.toml"), "[columns]\nMail = \"email\"\n").unwrap();
        std::fs::write(folder.path().join("presets/broken.toml"), "[columns]\nMail = \n").unwrap();
        assert_eq!(columns("hubspot"), 1);
        std::fs::write(folder.path().join("presets/notes.txt"), "").unwrap();
        assert_eq!(own_forms(&folders), ["broken"]);
        for (name, words) in [
            ("broken", "broken: the preset cannot be read"),
            ("nosuch", "unknown export format"),
            ("../x", "unknown export format"),
        ] {
            let failure = shape(&Form::Preset(name.to_owned()), &folders).unwrap_err();
            assert!(failure.words.contains(words), "{}", failure.words);
        }
    }
}
