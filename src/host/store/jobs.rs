//! Jobs of all windows and commands that share the folder, and the answers of matches, so that an interrupted run
//! continues.

use rusqlite::{Connection, params};

use lode_core::{Now, Wall};
use lode_engine::effect::{JobElsewhere, JobNote, JobStage, MatchStep, StoreFailure};

use super::sql::{Column, Columns, Sql, count, record};
use super::trouble::Outcome;
use super::work::Work;

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// A job that was last heard of longer ago goes.
const JOB_KEPT_MS: i64 = DAY_MS;
/// An unfinished match is dropped after this long.
const MATCH_KEPT_MS: i64 = 30 * DAY_MS;

const STAGES: [(JobStage, &str); 4] = [
    (JobStage::Running, "running"),
    (JobStage::Done, "done"),
    (JobStage::Stopped, "stopped"),
    (JobStage::Failed, "failed"),
];

impl Column for JobStage {
    fn take(row: &mut Columns<'_>) -> Outcome<JobStage> {
        let stage: String = row.next()?;
        let known = STAGES.iter().find(|(_, name)| *name == stage);
        Ok(known.ok_or_else(|| StoreFailure::Corrupt(format!("no job is {stage}")))?.0)
    }
}

record! {
    JobNote { kind, number, profile, what, done, of, stage, words }
    MatchStep { step, at, answer }
}

pub(super) fn note(on: &Work<'_>, job: &JobNote) -> Outcome<()> {
    on.run("DELETE FROM job WHERE at < ?1", [on.now.wall.0.saturating_sub(JOB_KEPT_MS)])?;
    let JobNote { profile, kind, what, words, .. } = job;
    let (number, done, of) = (count(job.number), count(job.done), job.of.map(count));
    let stage = STAGES.iter().find(|(stage, _)| *stage == job.stage).map(|(_, name)| *name);
    on.run(
        "INSERT OR REPLACE INTO job (window, kind, number, profile, what, done, \"of\", stage, words, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![on.window.0, kind, number, profile, what, done, of, stage, words, on.now.wall.0],
    )
}

/// Those that run, and those that were heard of since, the newest first.
pub(super) fn read(on: &Work<'_>, since: Wall) -> Outcome<Vec<JobElsewhere>> {
    let notes = on.list(
        "SELECT window, at, kind, number, profile, what, done, \"of\", stage, words FROM job
         WHERE window <> ?1 AND (at >= ?2 OR stage = 'running') ORDER BY at DESC",
        params![on.window.0, since.0],
    )?;
    let jobs = notes.into_iter().map(|(window, at, note)| {
        let lives = on.windows.lives(&window);
        JobElsewhere { window, note, at, lives }
    });
    Ok(jobs.filter(|job| job.lives || job.at >= since).collect())
}

pub(super) fn keep_step(db: &Connection, purse: i64, (job, step): (&str, &str), answer: &str, now: Now) -> Outcome<()> {
    let insert = "INSERT OR REPLACE INTO match_step (purse, job, step, at, answer) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.run(insert, params![purse, job, step, now.wall.0, answer])
}

/// In the order in which they were answered.
pub(super) fn steps(db: &Connection, purse: i64, job: &str) -> Outcome<Vec<MatchStep>> {
    let select = "SELECT step, at, answer FROM match_step WHERE purse = ?1 AND job = ?2 ORDER BY at, step";
    db.list(select, params![purse, job])
}

/// The match is done; what is old goes with it.
pub(super) fn drop_steps(db: &Connection, purse: i64, job: &str, now: Now) -> Outcome<()> {
    let old = now.wall.0.saturating_sub(MATCH_KEPT_MS);
    db.run("DELETE FROM match_step WHERE purse = ?1 AND job = ?2 OR at < ?3", params![purse, job, old])
}
