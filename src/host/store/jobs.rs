//! Jobs of all windows and commands of the folder. Each writes its own; the others read them.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, params};

use lode_core::{Now, Wall};
use lode_engine::effect::{JobElsewhere, JobNote, JobStage, StoreReply, WindowId};

use super::codes::count;
use super::trouble::Outcome;
use super::windows::Windows;

/// What was last heard of longer ago goes: a day.
const KEPT_MS: i64 = 24 * 3_600 * 1_000;

pub(super) fn note(books: &Connection, window: &WindowId, job: &JobNote, now: Now) -> Outcome<StoreReply> {
    books.prepare_cached("DELETE FROM job WHERE at < ?1")?.execute([now.wall.0.saturating_sub(KEPT_MS)])?;
    books
        .prepare_cached(
            "INSERT OR REPLACE INTO job (window, kind, number, profile, what, done, \"of\", stage, words, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            window.0,
            job.kind,
            count(job.number),
            job.profile,
            job.what,
            count(job.done),
            job.of.map(count),
            name(job.stage),
            job.words,
            now.wall.0
        ])?;
    Ok(StoreReply::Done)
}

/// Those that run, and those that were heard of since, the newest first.
pub(super) fn read(books: &Connection, mine: &WindowId, windows: &Windows, since: Wall) -> Outcome<StoreReply> {
    let mut query = books.prepare_cached(
        "SELECT window, kind, number, profile, what, done, \"of\", stage, words, at FROM job
         WHERE window <> ?1 AND (at >= ?2 OR stage = 'running') ORDER BY at DESC",
    )?;
    let rows = query.query_map(params![mine.0, since.0], |row| {
        let note = JobNote {
            kind: row.get(1)?,
            number: row.get::<_, i64>(2)?.unsigned_abs(),
            profile: row.get(3)?,
            what: row.get(4)?,
            done: row.get::<_, i64>(5)?.unsigned_abs(),
            of: row.get::<_, Option<i64>>(6)?.map(i64::unsigned_abs),
            stage: row.get::<_, ReadStage>(7)?.0,
            words: row.get(8)?,
        };
        Ok(JobElsewhere { window: WindowId(row.get(0)?), note, at: Wall(row.get(9)?), lives: false })
    })?;
    let mut jobs = rows.collect::<Result<Vec<JobElsewhere>, _>>()?;
    for job in &mut jobs {
        job.lives = windows.lives(&job.window);
    }
    jobs.retain(|job| job.lives || job.at >= since);
    Ok(StoreReply::Jobs(jobs))
}

fn name(stage: JobStage) -> &'static str {
    match stage {
        JobStage::Running => "running",
        JobStage::Done => "done",
        JobStage::Stopped => "stopped",
        JobStage::Failed => "failed",
    }
}

struct ReadStage(JobStage);

impl FromSql for ReadStage {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadStage> {
        match value.as_str()? {
            "running" => Ok(ReadStage(JobStage::Running)),
            "done" => Ok(ReadStage(JobStage::Done)),
            "stopped" => Ok(ReadStage(JobStage::Stopped)),
            "failed" => Ok(ReadStage(JobStage::Failed)),
            other => Err(FromSqlError::Other(format!("no job is {other}").into())),
        }
    }
}
