//! Files that people write and programs export: settings and keys, saved searches, suppression lists, CSV.

use std::cell::Cell as Shared;
use std::path::Path;

use lode_core::contact::{RowId, Side};
use lode_core::crm;
use lode_core::export::preset::Preset;
use lode_core::export::records::CsvRecords;
use lode_core::export::{Layout, is_formula, is_phone};
use lode_core::money::{Caps, Staged, StagedFields};
use lode_core::saved::SavedSearch;
use lode_core::suppress::{Lists, ShownFields, SuppressEntry, Suppression, SuppressionCheck};
use lode_engine::effect::profile::UserBinding;
use lode_host::config::edit::{self, ConfigChange};
use lode_host::config::file;
use lode_host::export::formed::FormFile;
use lode_host::saved::form;
use lode_ui::keys::chord::{read_sequence, sequence_text};
use lode_ui::keys::keymap::Keymap;
use serde_json::value::RawValue;

use super::choices::Choices;
use super::is_clean;

/// Settings with their bindings; presets, which are TOML of people as well.
pub fn config(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let path = Path::new("config.toml");
    if let Err(bad) = Preset::read(&text) {
        assert!(bad.0.starts_with("line ") || bad.0.contains("column"), "{bad}");
    }
    let config = match file::read(path, &text) {
        Ok(config) => config,
        Err(problem) => {
            assert!(is_clean(&problem.to_string()) && is_clean(&problem.hint), "{problem}");
            let place = problem.place.expect("a place in the file");
            assert!(place.line >= 1 && place.line <= text.matches('\n').count() + 1);
            return;
        }
    };
    for profile in &config.profiles {
        assert!(is_clean(&profile.name) && !profile.name.contains(['/', '\\']), "{:?}", profile.name);
        assert!(!profile.name.starts_with('.'), "{:?}", profile.name);
        let tuned = profile.workspace.iter().chain(&profile.data).any(|service| {
            let here = service.base.as_ref().is_some_and(|base| base.loopback);
            !here && (service.requests.is_some() || service.window_ms.is_some())
        });
        assert!(!tuned, "an allowance that the service has to decide");
    }
    bindings(&config);
    // A change leaves a file that can be read and says what was meant.
    let caps = Caps { session: Some(lode_core::credits::Credits(200)), ..Caps::default() };
    let mut changes = vec![
        ConfigChange::Caps { profile: "new".to_owned(), caps },
        ConfigChange::StartWith { profile: "new".to_owned() },
    ];
    if let Some(first) = config.profiles.iter().find(|profile| profile.name != "new") {
        changes.push(ConfigChange::Rename { from: first.name.clone(), to: "renamed".to_owned() });
    }
    if let Ok(after) = edit::applied(path, &text, &changes) {
        let read = file::read(path, &after).unwrap_or_else(|problem| panic!("{problem}: {after:?}"));
        assert_eq!(read.named("new").map(|profile| profile.caps), Some(caps));
        assert_eq!((read.profile.as_deref(), read.theme), (Some("new"), config.theme));
        // An added line moves the lines below it.
        let unplaced = |bindings: &[UserBinding]| -> Vec<UserBinding> {
            bindings.iter().map(|binding| UserBinding { line: 0, ..binding.clone() }).collect()
        };
        assert_eq!(unplaced(&read.bindings), unplaced(&config.bindings), "what was not changed stays");
        assert_eq!(read.log, config.log);
    }
}

fn bindings(config: &file::Config) {
    let (keymap, problems) = Keymap::merged(&config.bindings);
    for (_, problem) in &problems {
        assert!(is_clean(&problem.to_string()), "{problem}");
    }
    assert!(problems.len() <= config.bindings.len() * 2 + 1, "{problems:?}");
    for binding in &keymap.bindings {
        for keys in &binding.keys {
            let text = sequence_text(keys);
            assert_eq!(read_sequence(&text).as_ref(), Ok(keys), "{text:?}");
        }
    }
    // What is merged is whole: merging it again finds nothing new to complain about.
    assert_eq!(keymap.bindings.len(), Keymap::standard().bindings.len());
}

/// A saved search: what is read, written and read again is the same.
pub fn saved(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let read = match form::read(&text) {
        Ok(read) => read,
        Err(why) => {
            assert!(is_clean(&why), "{why:?}");
            return;
        }
    };
    assert!(is_clean(&read.name) && !read.name.is_empty(), "{:?}", read.name);
    for (name, value) in read.query.params() {
        assert!(is_clean(&value), "{name}={value:?}");
    }
    let saved = SavedSearch::new(read.name.clone(), read.query.clone());
    assert_eq!(form::changed(&text, &saved), text, "what says the same is left alone");
    let fresh = form::changed("", &saved);
    let again = form::read(&fresh).unwrap_or_else(|why| panic!("{why}: {fresh:?}"));
    assert_eq!((&again.name, again.query.canonical()), (&read.name, read.query.canonical()), "{fresh:?}");
    // Renamed, the rest of the file stays and still reads.
    let renamed = SavedSearch { name: "another name".to_owned(), ..saved };
    let after = form::changed(&text, &renamed);
    let again = form::read(&after).unwrap_or_else(|why| panic!("{why}: {after:?}"));
    assert_eq!(again.name, "another name");
    assert_eq!(again.query.canonical(), read.query.canonical(), "{after:?}");
}

/// A list of people to leave alone: all who are named are left alone.
pub fn lists(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let entries = crm::read_cells(&text);
    let suppressions = [Suppression { list: "dnc.csv".to_owned(), entries: entries.clone() }];
    let lists = Lists::of(suppressions.to_vec().into());
    let named = |row: &Staged| matches!(lists.check(Side::default(), ShownFields::of(row)), SuppressionCheck::Named(_));
    let row =
        |email: &str| Staged::new(RowId(1), false, StagedFields { email: email.to_owned(), ..StagedFields::default() });
    for entry in &entries {
        match entry {
            SuppressEntry::Email { email, .. } => {
                assert!(is_clean(email), "{email:?}");
                assert!(
                    email.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'))
                );
                assert!(named(&row(email)), "{email:?}");
            }
            SuppressEntry::Domain(domain) => {
                assert!(is_clean(domain) && domain.contains('.'), "{domain:?}");
                for email in [format!("x•••@{domain}"), format!("a.b@mail.{domain}")] {
                    assert!(named(&row(&email)), "{email:?}");
                }
            }
            other => panic!("no cell names {other:?}"),
        }
    }
    let again: Vec<String> = entries
        .iter()
        .map(|entry| match entry {
            SuppressEntry::Email { email, .. } => email.clone(),
            SuppressEntry::Domain(domain) => format!("@{domain}"),
            _ => String::new(),
        })
        .collect();
    assert_eq!(crm::read_cells(&again.join("\n")), entries, "written again, it names the same");
}

/// A CSV of the service in every form.
pub fn export(input: &[u8]) {
    let mut choices = Choices::of(input);
    let cut = choices.below(17) + 1;
    let body = choices.rest();
    let (mut whole, mut pieces) = (CsvRecords::default(), CsvRecords::default());
    whole.feed(body);
    body.chunks(cut).for_each(|piece| pieces.feed(piece));
    assert_eq!(whole.count(), pieces.count(), "the pieces of a stream change nothing");

    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(without_mark(body));
    let records: Vec<csv::ByteRecord> = reader.byte_records().map(|record| record.expect("bytes")).collect();
    let hubspot = Preset::built_in("hubspot").expect("our own preset").clone();
    for layout in [Layout::Contacts, Layout::Mapped(hubspot), Layout::JsonLines] {
        let mut out = Vec::new();
        let rows = Shared::new(0);
        let file = FormFile::lines(&mut out, layout.clone());
        file.fill(Slow { rest: body, cut }, &Default::default(), |count| rows.set(count)).expect("nothing fails here");
        assert_eq!(rows.get(), (records.len() as u64).saturating_sub(1));
        let text = String::from_utf8(out).expect("text");
        assert!(text.lines().all(is_clean), "{text:?}");
        if layout == Layout::JsonLines {
            assert_eq!(text.lines().count() as u64, rows.get());
            for line in text.lines() {
                assert!(serde_json::from_str::<&RawValue>(line).is_ok(), "{line}");
            }
            continue;
        }
        let mut back = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
        let back: Vec<csv::StringRecord> = back.records().map(|record| record.expect("our own CSV")).collect();
        assert_eq!(back.len(), records.len(), "{text:?}");
        for cell in back.iter().flat_map(|record| record.iter()) {
            assert!(!is_formula(cell) || is_phone(cell), "a spreadsheet would run {cell:?}");
        }
    }
}

fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Gives a few bytes at a time, as a line does.
struct Slow<'a> {
    rest: &'a [u8],
    cut: usize,
}

impl std::io::Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let much = self.rest.len().min(self.cut).min(into.len());
        into[..much].copy_from_slice(&self.rest[..much]);
        self.rest = &self.rest[much..];
        Ok(much)
    }
}
