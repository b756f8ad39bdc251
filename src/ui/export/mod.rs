//! The export wizard: what may be exported where, the form, the file's name, and the result of a job.

use std::{path::PathBuf, time::Duration};

use crate::model::{Model, Named, PendingRequest, RequestAddress};
use crate::scene::prelude::*;
use crate::{screens::jobs::sentence, update::announce, update::leave_when_done};
use lode_core::export::preset::BUILT_IN;
use lode_engine::flow::export::{ExportStage, From, JobId, bytes};
use lode_engine::{flow::desk::Owner, flow::limiter::Priority};

/// Offers what there is to export on this screen, and in the basket.
pub(crate) fn offer(model: &mut Model, fx: &mut Vec<Effect>) {
    let mut subjects = model.shown().exports(model.scene_ref());
    let staged = model.session.side(model.search.side).basket.len() as u64;
    if staged > 0 {
        subjects.push((ExportSubject::Basket, format!("basket ({})", counted(staged, "row"))));
    }
    if subjects.is_empty() {
        return model.say("Nothing to export here. Search first, or add rows to the basket.");
    }
    if let [(only, _)] = subjects.as_slice() {
        ask_form(model, only, fx);
    } else {
        let items = subjects.iter().map(|(what, words)| PickerItem::new(words, "", Intent::ExportOf(what.clone())));
        model.nav.dialogs.push(Dialog::Picker(Picker::new("Export", items.collect()).with_rule("Export what?")));
    }
    // How many rows come without the keyword is asked meanwhile, for free.
    let has_keyword = !model.session.side(model.search.side).window.query().values(Filter::Query).is_empty();
    let without = subjects.into_iter().find_map(|(subject, _)| match subject {
        ExportSubject::Whole(query) if has_keyword && query.values(Filter::Query).is_empty() => Some(query),
        _ => None,
    });
    model.requests.drop(&PendingRequest::Without);
    if let Some(query) = without {
        let search = SearchCall { query: *query, offset: 0, limit: 1, mark_pulled: false };
        let call = model.session.desk.at(model.now, fx).ask(Owner::Caller, Call::Search(search), Priority::Person);
        model.requests.add(RequestAddress::Call(call), PendingRequest::Without);
    }
}

/// How many rows come without the keyword: it stands in the list that was opened meanwhile; any other list stays as it is.
pub(crate) fn counted_without(model: &mut Model, query: Query, page: &Page) {
    let Some(Dialog::Picker(picker)) = model.nav.dialogs.last_mut() else { return };
    let wanted = Intent::ExportOf(ExportSubject::Whole(Box::new(query)));
    let mut items = picker.items.clone();
    if let Some(item) = items.iter_mut().find(|item| item.pick == wanted && !page.uncounted) {
        item.left = format!("{} ({})", item.left, counted(page.total, "row"));
        picker.replace(items);
    }
}

/// The forms; those that the person made are looked up meanwhile.
pub(crate) fn ask_form(model: &mut Model, what: &ExportSubject, fx: &mut Vec<Effect>) {
    if matches!(what, ExportSubject::Whole(query) if query.not.values(ExclusionKind::List).next().is_some()) {
        return model.say("An export of all results cannot leave out suppression lists. Export the rows read.");
    }
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Export as", form_items(what, &[])).with_rule("File format")));
    model.ask_file(PendingRequest::Forms, FileCall::ListForms, fx);
}

/// The person's own forms were looked up: they stand in the list that was opened meanwhile; any other list stays as it is.
pub(crate) fn more_forms(model: &mut Model, own: &[String]) {
    let Some(Dialog::Picker(picker)) = model.nav.dialogs.last_mut() else { return };
    let first = picker.items.first().map(|item| item.pick.clone());
    if let (Some(Intent::Export(what, _)), false) = (first, own.is_empty()) {
        picker.replace(form_items(&what, own));
    }
}

/// The name is asked last; an empty one is made from the corpus and the moment. `name` is what was typed before.
pub(crate) fn ask_name(model: &mut Model, what: ExportSubject, form: Form, name: &str) {
    let mut words = "File name; leave empty to create one in the current folder.".to_owned();
    if let ExportSubject::Whole(query) | ExportSubject::Pages(query) = &what {
        words = format!("{}\n{words}", query.words());
        if query.speed() == Speed::Slow {
            words.push_str(" Location or email type alone scans the whole corpus, which is slow.");
        }
    }
    let prompt = FormDialog::prompt("Export to", words, Intent::ExportTo(what, form), Field::new(name));
    model.nav.dialogs.push(Dialog::Ask(prompt));
}

/// A file that is there is not replaced without asking.
pub(crate) fn named(model: &mut Model, what: ExportSubject, form: Form, name: &str, fx: &mut Vec<Effect>) {
    let Some(path) = Some(name.trim()).filter(|name| !name.is_empty()).map(PathBuf::from) else {
        return begin(model, what, form, None, fx);
    };
    let call = FileCall::Exists(path.clone());
    model.ask_file(PendingRequest::Exists(Box::new((what, form, path))), call, fx);
}

/// Whether the file is there is known.
pub(crate) fn looked(model: &mut Model, export: Named, result: Result<FileReply, FileFailure>, fx: &mut Vec<Effect>) {
    let (what, form, path) = export;
    let Ok(FileReply::Exists(Some(there))) = result else {
        return begin(model, what, form, Some((path, false)), fx);
    };
    // Without a yes the name can be changed.
    ask_name(model, what.clone(), form.clone(), &path.to_string_lossy());
    let words = format!("{} already exists.", there.display());
    let deeds = vec![("Replace it", Intent::ReplaceFile(Box::new((what, form, path))))];
    model.nav.dialogs.push(Dialog::Ask(FormDialog::ask("Replace a file", words, "Cancel", deeds)));
}

/// It is to be replaced; its name was asked below the question.
pub(crate) fn replace(model: &mut Model, (what, form, path): Named, fx: &mut Vec<Effect>) {
    model.nav.dialogs.pop_if(|dialog| matches!(dialog, Dialog::Ask(form) if form.list().is_none()));
    begin(model, what, form, Some((path, true)), fx);
}

/// A file, and whether it may be replaced.
type FileChoice = (PathBuf, bool);

/// Without a file a free name is made.
fn begin(model: &mut Model, what: ExportSubject, form: Form, to: Option<FileChoice>, fx: &mut Vec<Effect>) {
    let side = model.search.side;
    let state = model.session.side(side);
    let words_of = |query: &Query| format!("{} {}", query.side, query.words());
    let kept = |row: &Row| state.excluded(row).is_none();
    let (words, from) = match what {
        ExportSubject::Whole(query) => (words_of(&query), From::Stream(query)),
        ExportSubject::Pages(query) => (words_of(&query), From::Pages(query)),
        ExportSubject::Loaded => {
            let rows = state.window.loaded().map(|(_, row)| row).filter(|row| kept(row));
            (format!("rows read of {side}"), From::Rows(rows.cloned().collect()))
        }
        ExportSubject::Range => {
            let rows = model.search.selection(model.scene_ref()).into_iter().filter(kept);
            (format!("{side} range"), From::Rows(rows.collect()))
        }
        ExportSubject::Basket => (format!("{side} basket"), From::Rows(in_basket(model))),
        ExportSubject::Owned => ("owned contacts".to_owned(), From::Rows(owned(model))),
    };
    run(model, format!("{words} · {}", form.as_ref()), from, form, to, fx);
}

/// Rows that are here, into a file of the folder lode was started in.
pub(crate) fn rows(model: &mut Model, what: String, rows: Vec<Row>, fx: &mut Vec<Effect>) {
    run(model, what, From::Rows(rows), Form::Contacts, None, fx);
}

fn run(model: &mut Model, what: String, from: From, form: Form, to: Option<FileChoice>, fx: &mut Vec<Effect>) {
    if matches!(&from, From::Rows(rows) if rows.is_empty()) {
        return model.say("Nothing to export here.");
    }
    if !matches!(from, From::Rows(_)) {
        model.say("Exporting in the background. Nothing spent.  <everywhere.jobs> jobs");
    }
    let (path, replace) = to.unzip();
    let target = ExportTarget { path, form, keep_incomplete: false, replace: replace == Some(true) };
    model.session.exports.begin(what, from, target, &mut model.session.desk.at(model.now, fx));
}

/// The rows of the basket of the side that is shown.
pub(crate) fn in_basket(model: &Model) -> Vec<Row> {
    model.session.side(model.search.side).basket.rows().iter().map(|entry| entry.row.clone()).collect()
}

/// Every owned contact.
pub(crate) fn owned(model: &Model) -> Vec<Row> {
    owned_rows(&Vec::from_iter(model.session.ledger.owned().cloned()))
}

/// An export that took no longer is waited for.
const QUICK: Duration = Duration::from_secs(5);

/// Shows the results of the jobs that ended.
pub(crate) fn ended(model: &mut Model, fx: &mut Vec<Effect>) {
    let mut done = None;
    for id in model.session.exports.ended() {
        let Some(job) = model.session.exports.job(id) else { continue };
        let (words, bad) = sentence(job);
        if let ExportStage::Whole(exported) = &job.stage {
            fx.push(Effect::Copy(exported.path.display().to_string()));
            // A quick export shows its result; one that took long does not interrupt other work.
            let quick = job.ended.is_some_and(|ended| ended.since(job.began) < QUICK);
            done = quick.then(|| finished(exported, &job.from, model.search.masked));
        }
        announce(model, words, bad, fx);
    }
    // Never while the user types or is asked something: there the status line has to do.
    let asked_from = matches!(model.nav.dialogs.last(), None | Some(Dialog::Summary(_)));
    let free = asked_from && model.search.edit.is_none() && model.pending.is_empty();
    if let Some(reader) = done.filter(|_| free && !model.leave_after) {
        model.nav.dialogs.push(Dialog::Reader(reader));
    }
    leave_when_done(model, fx);
}

/// The results of the exports of another profile. Nothing of them can be tried again once it is let go.
pub(crate) fn ended_behind(session: &mut Session, fx: &mut Vec<Effect>) -> Vec<(String, bool)> {
    let jobs = session.exports.ended().into_iter().filter_map(|id| session.exports.job(id));
    jobs.map(|job| match &job.stage {
        ExportStage::Failed(failure) => (format!("The export failed: {}.", failure.reason()), true),
        stage => {
            if let ExportStage::Whole(exported) = stage {
                fx.push(Effect::Copy(exported.path.display().to_string()));
            }
            sentence(job)
        }
    })
    .collect()
}

/// The file that was asked for: where it is and how it begins, with the sign of each row that is known. Its lines hold emails, so none
/// is shown while mask mode is on.
fn finished(exported: &Exported, from: &From, masked: bool) -> Reader {
    let mut parts = vec![
        ReaderPart::Pair("file".to_owned(), exported.path.display().to_string(), Role::Strong),
        ReaderPart::pair("size", format!("{}, {}", bytes(exported.bytes), exported.lint.words())),
    ];
    if masked {
        parts.extend([ReaderPart::Gap, ReaderPart::words("Mask mode hides its first lines.")]);
    } else if !exported.head.is_empty() {
        parts.push(ReaderPart::Gap);
        let owned = |line: usize| match from {
            From::Rows(rows) => line.checked_sub(1).and_then(|at| rows.get(at)).is_some_and(|row| row.unlocked()),
            From::Stream(_) | From::Pages(_) => false,
        };
        parts.extend(exported.head.iter().enumerate().map(|(at, line)| {
            let (sign, role) = if owned(at) { (Sign::Owned.letter(), Role::Owned) } else { (" ", Role::Dim) };
            ReaderPart::Words(format!("{sign} {}", text::cut(line, 90)), role)
        }));
    }
    parts.extend([ReaderPart::Gap, ReaderPart::words("The path is copied. Nothing was spent.")]);
    Reader::new(format!("Exported · {}", counted(exported.rows, "row")), parts)
}

pub(crate) fn stop(model: &mut Model, job: JobId, keep: bool, fx: &mut Vec<Effect>) {
    if !model.session.exports.stop(job, keep, &mut model.session.desk.at(model.now, fx)) {
        model.say("Already finished.");
    }
    ended(model, fx);
}

/// Ends all streams, of whichever profile, and keeps what has come; leaves when their files are in order.
pub(crate) fn keep_and_quit(model: &mut Model, fx: &mut Vec<Effect>) {
    let now = model.now;
    model.leave_after = true;
    model.each_behind(|session, wanted| keep(session, now, wanted));
    keep(&mut model.session, now, fx);
    ended(model, fx);
}

fn keep(session: &mut Session, now: Now, fx: &mut Vec<Effect>) {
    let running: Vec<JobId> = session.exports.jobs().filter(|job| job.is_running()).map(|job| job.id).collect();
    for job in running {
        session.exports.stop(job, true, &mut session.desk.at(now, fx));
    }
}

/// The forms with what they mean, as lines: the column maps of `assets/presets.toml`, then `own`, which the person made.
fn form_items(what: &ExportSubject, own: &[String]) -> Vec<PickerItem> {
    let people = [
        (Form::Contacts, "CSV, formulas escaped".to_owned()),
        (Form::Xlsx, "Excel workbook, every cell as text".to_owned()),
    ];
    let machines = [(Form::JsonLines, "one JSON object a line".to_owned()), (Form::Raw, "unchanged".to_owned())];
    let maps = BUILT_IN.iter().map(|(name, map)| (Form::Preset(name.clone()), format!("columns of {}", map.title)));
    let own = own.iter().map(|name| (Form::Preset(name.clone()), "your own columns".to_owned()));
    let item = |(form, means): (Form, String)| {
        let name = form.as_ref().to_owned();
        PickerItem::new(name, means, Intent::Export(what.clone(), form))
    };
    // What is copied unchanged cannot leave anything out.
    let left_out = matches!(what, ExportSubject::Whole(query) if !query.not.is_empty());
    let forms = people.into_iter().chain(maps).chain(own).chain(machines);
    forms.filter(|(form, _)| !(left_out && *form == Form::Raw)).map(item).collect()
}
