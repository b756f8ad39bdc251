//! Jobs of other windows and of commands: they are seen here and managed where they run.

use std::path::Path;

use crate::scene::Scene;
use crate::theme::Role;
use lode_engine::effect::store::{JobElsewhere, JobStage};
use lode_engine::flow::session::Session;

use super::line::{Line, file_name, of};

pub(super) fn line(job: &JobElsewhere, session: &Session) -> Line {
    let note = &job.note;
    let what = match note.profile == session.profile().name {
        true => note.what.clone(),
        false => format!("{}: {}", note.profile, note.what),
    };
    let words = match note.stage {
        JobStage::Done if note.kind == "export" => file_name(Path::new(&note.words)),
        _ => note.words.clone(),
    };
    let with = |state: &str| if words.is_empty() { state.to_owned() } else { format!("{state}: {words}") };
    let (state, role) = match note.stage {
        JobStage::Running if job.lives => (with("in another window"), Role::Text),
        JobStage::Running => ("interrupted: its window closed".to_owned(), Role::Warning),
        JobStage::Done => (with("done in another window"), Role::Good),
        JobStage::Stopped => (with("stopped in another window"), Role::Dim),
        JobStage::Failed => (with("failed in another window"), Role::Danger),
    };
    let share = note.of.filter(|_| job.is_running()).map(|of| (note.done, of));
    let total = note.of.filter(|_| note.stage == JobStage::Running);
    Line { role, share, ..Line::of(&note.kind, what, of(note.done, total), state) }
}

pub(super) fn manage(at: usize, scene: &mut Scene<'_>) {
    let Some(job) = scene.session.jobs_elsewhere().get(at) else { return };
    let words = match job.is_running() {
        true => "Another window or command runs this job. Stop it there.",
        false => "This job ran in another window or command.",
    };
    scene.say(words);
}
