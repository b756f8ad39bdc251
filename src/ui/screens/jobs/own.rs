//! A command of the person's own among the jobs: how it stands, and what it printed.

use crate::dialogs::reader::Part;
use crate::theme::Role;
use lode_core::credits::grouped;
use lode_engine::flow::own::{Job, Stage};

pub(super) fn state(job: &Job) -> (String, Role) {
    match &job.stage {
        Stage::Running(_) => ("running".to_owned(), Role::Text),
        Stage::Ended(ran) => match ran.code {
            Some(0) => ("done".to_owned(), Role::Good),
            Some(code) => (format!("failed: exit code {code}"), Role::Danger),
            None => ("stopped".to_owned(), Role::Warning),
        },
        Stage::Failed(words) => (format!("failed: {words}"), Role::Danger),
    }
}

pub(super) fn parts(job: &Job) -> Vec<Part> {
    let mut parts = vec![
        Part::pair("runs", job.words.join(" ")),
        Part::pair("rows", grouped(job.rows)),
        Part::pair("state", state(job).0),
    ];
    if let Stage::Ended(ran) = &job.stage {
        for (title, text) in [("Output", &ran.out), ("Errors", &ran.err)] {
            if !text.is_empty() {
                parts.extend([Part::Gap, Part::Heading(title.to_owned())]);
                parts.extend(text.lines().map(Part::words));
            }
        }
        if ran.cut {
            parts.extend([Part::Gap, Part::Words("It printed more than is kept.".to_owned(), Role::Dim)]);
        }
    }
    parts
}
