//! What was searched, with the ids each page showed, so that a free look knows which search to repeat for an id; what saved
//! searches had last time; where the person was; the largest pages of services; jobs of all windows and commands that share the
//! folder; and the answers of matches, so that an interrupted run continues.

use super::purses::{hand_over, rename_earlier};
use super::*;

record! {
    PastSearch { canonical, total, at }
    ShownIn { canonical, offset }
    Snapshot { total, at, read, ids }
    JobNote { kind, number, profile, what, done, of, stage, words }
    MatchStep { step, at, answer }
}

/// Pages kept, over all purses: about fifteen megabytes. The oldest go first.
const PAGES: i64 = 50_000;

pub(super) fn searched(
    db: &Connection,
    purse: i64,
    canonical: &str,
    (total, offset): (u64, u64),
    shown: &[RowId],
    listed: bool,
    now: Now,
) -> Outcome<()> {
    let (source, corpus) = side_codes(Query::from_canonical(canonical).map(|query| query.side).unwrap_or_default());
    let insert = "INSERT INTO search (purse, canonical, source, corpus, total, at, turn)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN ?7 THEN (SELECT coalesce(max(turn), 0) + 1 FROM search) ELSE 0 END)
         ON CONFLICT (purse, canonical) DO UPDATE SET total = excluded.total,
            at = CASE WHEN ?7 THEN excluded.at ELSE at END, turn = max(turn, excluded.turn)
         RETURNING id";
    let search: i64 = db.value(insert, params![purse, canonical, source, corpus, count(total), now.wall.0, listed])?;
    if !shown.is_empty() {
        let packed = ids::pack(shown.iter().copied());
        let insert = "INSERT OR REPLACE INTO shown (search, start, ids) VALUES (?1, ?2, ?3)";
        db.run(insert, params![search, count(offset), &packed[..]])?;
        db.run("DELETE FROM shown WHERE seq <= ?1", [db.last_insert_rowid() - PAGES])?;
    }
    Ok(())
}

/// Newest first, without the legs of others (turn 0); a search that several of the purses know is there once.
pub(super) fn recent(db: &Connection, purses: &[i64], most: u32) -> Outcome<Vec<PastSearch>> {
    let select = "SELECT canonical, total, at, max(turn) AS last FROM search
         WHERE purse IN (SELECT value FROM json_each(?1)) AND turn > 0
         GROUP BY canonical ORDER BY last DESC LIMIT ?2";
    db.list(select, params![json(purses), most])
}

/// Reads every page of the side, newest search first: a few milliseconds for thousands of pages, and seldom asked.
pub(super) fn shown(db: &Connection, purses: &[i64], side: Side, of: &[RowId]) -> Outcome<Vec<(RowId, Vec<ShownIn>)>> {
    let (source, corpus) = side_codes(side);
    let mut found: BTreeMap<RowId, Vec<ShownIn>> = of.iter().map(|id| (*id, Vec::new())).collect();
    let select = "SELECT s.canonical, p.start, p.ids FROM search s JOIN shown p ON p.search = s.id
         WHERE s.purse IN (SELECT value FROM json_each(?1)) AND s.source = ?2 AND s.corpus = ?3 ORDER BY s.turn DESC, s.id DESC, p.seq DESC";
    db.read(select, params![json(purses), source, corpus], |row| {
        let page: ShownIn = row.next()?;
        for id in ids::unpack(row.blob()?).unwrap_or_default() {
            // The newest page of each search: pages come newest first within their search.
            if let Some(searches) = found.get_mut(&id)
                && searches.last().is_none_or(|last| last.canonical != page.canonical)
            {
                searches.push(page.clone());
            }
        }
        Ok(())
    })?;
    Ok(of.iter().map(|id| (*id, found.get(id).cloned().unwrap_or_default())).collect())
}

/// Which saved search of which profile, with the query that ran.
pub(super) type SavedRun<'a> = (&'a str, &'a str, &'a str);

pub(super) fn keep_snapshot(db: &Connection, purse: i64, run: SavedRun<'_>, snapshot: &Snapshot) -> Outcome<()> {
    let ((profile, name, query), Snapshot { total, at, read, ids }) = (run, snapshot);
    let insert = "INSERT OR REPLACE INTO snapshot (profile, name, purse, query, total, at, read, ids)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    db.run(insert, params![profile, name, purse, query, count(*total), at.0, count(*read), &ids[..]])
}

/// One from before queries or purses were kept with them is believed.
pub(super) fn snapshot(db: &Connection, purse: i64, run: SavedRun<'_>) -> Outcome<Option<Snapshot>> {
    let (profile, name, query) = run;
    let select = "SELECT total, at, read, ids FROM snapshot
         WHERE profile = ?1 AND name = ?2 AND query IN (?3, '') AND purse IN (?4, 0) ORDER BY purse = 0, query = '' LIMIT 1";
    db.find(select, params![profile, name, query, purse])
}

/// What stood under the new name belonged to a search that is not there any more.
pub(super) fn move_snapshot(db: &Connection, profile: &str, from: &str, to: &str) -> Outcome<()> {
    if from != to {
        forget_snapshot(db, profile, to)?;
        db.run("UPDATE snapshot SET name = ?3 WHERE profile = ?1 AND name = ?2", [profile, from, to])?;
    }
    Ok(())
}

pub(super) fn forget_snapshot(db: &Connection, profile: &str, name: &str) -> Outcome<()> {
    db.run("DELETE FROM snapshot WHERE profile = ?1 AND name = ?2", [profile, name])
}

pub(super) fn keep_place(db: &Connection, profile: &str, text: &str) -> Outcome<()> {
    db.run("INSERT OR REPLACE INTO place (profile, text) VALUES (?1, ?2)", [profile, text])
}

pub(super) fn place(db: &Connection, profile: &str) -> Outcome<Option<String>> {
    db.find("SELECT text FROM place WHERE profile = ?1", [profile])
}

/// Gives everything that is kept by a profile's name to its new one. Where that has something already, both are kept.
pub(super) fn rename_profile(db: &Connection, from: &str, to: &str) -> Outcome<()> {
    for table in ["snapshot", "place"] {
        hand_over(db, table, "profile", &from, &to)?;
    }
    rename_earlier(db, from, to)
}

pub(super) fn learn(db: &Connection, source: Source, origin: &Origin, rows: u64) -> Outcome<()> {
    let insert = "INSERT OR REPLACE INTO page_size (origin, source, rows) VALUES (?1, ?2, ?3)";
    db.run(insert, params![origin.as_str(), source.code(), count(rows)])
}

pub(super) fn page_sizes(db: &Connection, services: &[(Source, Origin)]) -> Outcome<Vec<(Source, u64)>> {
    let mut sizes = Vec::new();
    for (source, origin) in services {
        let select = "SELECT rows FROM page_size WHERE origin = ?1 AND source = ?2";
        let rows = db.find(select, params![origin.as_str(), source.code()])?;
        sizes.extend(rows.map(|rows| (*source, rows)));
    }
    Ok(sizes)
}

/// A job that was last heard of longer ago goes.
const JOB_KEPT_MS: i64 = spent::DAY_MS;
/// An unfinished match is dropped after this long.
const MATCH_KEPT_MS: i64 = 30 * spent::DAY_MS;

pub(super) fn note_job(on: &Work<'_>, job: &JobNote) -> Outcome<()> {
    on.run("DELETE FROM job WHERE at < ?1", [on.now.wall.0.saturating_sub(JOB_KEPT_MS)])?;
    let JobNote { profile, kind, what, words, .. } = job;
    let (number, done, of) = (count(job.number), count(job.done), job.of.map(count));
    let stage: &str = job.stage.into();
    let insert = "INSERT OR REPLACE INTO job (window, kind, number, profile, what, done, \"of\", stage, words, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    on.run(insert, params![on.window.0, kind, number, profile, what, done, of, stage, words, on.now.wall.0])
}

/// Those that run, and those that were heard of since, the newest first.
pub(super) fn jobs(on: &Work<'_>, since: Wall) -> Outcome<Vec<JobElsewhere>> {
    let select = "SELECT window, at, kind, number, profile, what, done, \"of\", stage, words FROM job
         WHERE window <> ?1 AND (at >= ?2 OR stage = 'running') ORDER BY at DESC";
    let notes = on.list(select, params![on.window.0, since.0])?;
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
