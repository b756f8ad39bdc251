//! Whether everything in a ledger adds up, in sentences, and what else is in its folder. Nothing is made, converted or repaired
//! by looking.

use super::mark::{LEDGER_FILE, Mark};
use super::open::{SLOTS, is_nothing, known_version, look_at};
use super::*;

/// One sentence about a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFinding {
    pub adds_up: bool,
    pub words: String,
    /// What to do, where something can be done.
    pub hint: Option<String>,
}

impl LedgerFinding {
    pub fn good(words: String) -> LedgerFinding {
        LedgerFinding { adds_up: true, words, hint: None }
    }

    pub fn bad(words: String) -> LedgerFinding {
        LedgerFinding { adds_up: false, words, hint: None }
    }

    pub fn hinting(self, hint: &str) -> LedgerFinding {
        LedgerFinding { hint: Some(hint.to_owned()), ..self }
    }
}

/// What must be zero: what is counted, what is wrong with it, and how it is counted.
const NONE_OF: [(&str, &str, &str); 6] = [
    (
        "contact",
        "sent, with neither a result nor a hold",
        "SELECT count(*) FROM asked a WHERE NOT EXISTS (SELECT 1 FROM outcome o WHERE o.batch = a.batch AND o.id = a.id)
         AND NOT EXISTS (SELECT 1 FROM open_contact c WHERE c.batch = a.batch AND c.id = a.id)",
    ),
    (
        "contact",
        "on hold although there is a result",
        "SELECT count(*) FROM outcome o JOIN open_contact c ON c.batch = o.batch AND c.id = o.id",
    ),
    (
        "entry",
        "a result or a hold of a contact that its batch did not request",
        "SELECT (SELECT count(*) FROM outcome o WHERE NOT EXISTS (SELECT 1 FROM asked a WHERE a.batch = o.batch AND a.id = o.id))
              + (SELECT count(*) FROM open_contact c WHERE NOT EXISTS (SELECT 1 FROM asked a WHERE a.batch = c.batch AND a.id = c.id))",
    ),
    (
        "batch",
        "of no order, or never sent",
        "SELECT (SELECT count(*) FROM batch b WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = b.order_id))
              + (SELECT count(*) FROM batch b WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.batch = b.id))",
    ),
    (
        "result",
        "recorded under another order than its batch",
        "SELECT count(*) FROM outcome o JOIN batch b ON b.id = o.batch WHERE b.order_id <> o.order_id",
    ),
    (
        "order",
        "charged more than was allowed",
        "SELECT count(*) FROM orders r WHERE r.ceiling < (SELECT count(*) FROM outcome o WHERE o.order_id = r.id
         AND o.outcome IN ('unlocked', 'refunded'))
         AND NOT EXISTS (SELECT 1 FROM attempt t JOIN batch b ON b.id = t.batch WHERE b.order_id = r.id AND t.number > 1)",
    ),
];

/// Looks through the ledger of a folder.
pub fn check(dir: &Path) -> Result<Vec<LedgerFinding>, StoreFailure> {
    let answers = Answers::beside_ledger(dir);
    let path = dir.join(LEDGER_FILE);
    let lost = |trouble| {
        let words = match StoreFailure::from(trouble) {
            StoreFailure::Lost(words) => words,
            failure => failure.to_string(),
        };
        LedgerFinding::bad(format!("{}.", capital(&words))).hinting(RESTORE)
    };
    if is_nothing(&path) {
        let nothing = LedgerFinding::good(format!("No ledger in {} yet.", dir.display()));
        return Ok(vec![mark::expect_nothing(dir, &answers).map_or_else(lost, |()| nothing)]);
    }
    let db = look_at(&path)?;
    let sound = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).unwrap_or_else(|why| why.to_string());
    if sound != "ok" {
        let words = format!("{} is damaged: {sound}", path.display());
        return Ok(vec![LedgerFinding::bad(words).hinting(RESTORE)]);
    }
    known_version(&db)?;
    let mark = Mark::of(&db)?;
    let mut found = vec![LedgerFinding::good(format!("{} is sound.", path.display()))];
    let expected = LedgerFinding::good("It is the expected ledger and has every batch.".to_owned());
    found.push(mark::expect(dir, mark, &answers).map_or_else(lost, |()| expected));
    sums(&db, &mut found)?;
    kept(&db, &answers, &mut found)?;
    Ok(found)
}

fn count(db: &Connection, sql: &str) -> Outcome<usize> {
    Ok(db.value::<i64>(sql, [])?.unsigned_abs() as usize)
}

fn sums(db: &Connection, found: &mut Vec<LedgerFinding>) -> Outcome<()> {
    let before = found.len();
    for (one, words, sql) in NONE_OF {
        let many = count(db, sql)?;
        if many > 0 {
            found.push(LedgerFinding::bad(format!("{}: {words}.", counted(many as u64, one))));
        }
    }
    if found.len() == before {
        let asked = count(db, "SELECT count(*) FROM asked")?;
        let batches = counted(count(db, "SELECT count(*) FROM batch")? as u64, "batch");
        let words = format!("{} in {batches}: each has one result, or is on hold.", contacts(asked));
        found.push(LedgerFinding::good(words));
    }
    let charged = count(db, "SELECT count(*) FROM outcome WHERE outcome IN ('unlocked', 'refunded')")?;
    let refunded = count(db, "SELECT count(*) FROM outcome WHERE outcome = 'refunded'")?;
    let [charged, refunded, net] = [charged, refunded, charged - refunded].map(|credits| grouped(credits as u64));
    found.push(LedgerFinding::good(format!("{charged} charged, {refunded} refunded, net {net}.")));
    let bought = "SELECT count(*) FROM outcome o WHERE o.outcome IN ('unlocked', 'refunded') AND NOT EXISTS
                  (SELECT 1 FROM owned w WHERE w.purse = o.purse AND w.corpus = o.corpus AND w.id = o.id)";
    let forgotten = count(db, bought)?;
    if forgotten > 0 {
        let (gone, are) = (contacts(forgotten), agree(forgotten, "is", "are"));
        found.push(LedgerFinding::good(format!("{gone} that you bought {are} no longer kept here: you removed them.")));
    }
    let open = count(db, "SELECT count(*) FROM open_contact")?;
    if open > 0 {
        let words = format!("{} {} on hold: the result is unknown.", contacts(open), agree(open, "is", "are"));
        found.push(LedgerFinding::good(words).hinting("`lode recover` checks them for free"));
    }
    Ok(())
}

/// Answers that wait in files.
fn kept(db: &Connection, answers: &Answers, found: &mut Vec<LedgerFinding>) -> Outcome<()> {
    let mut waiting = 0;
    for batch in answers.batches()? {
        let whole = answers.of(batch)?.len();
        if whole > 0 && !db.exists("SELECT 1 FROM batch WHERE id = ?1", [batch.0])? {
            let words = format!("A response to batch {} is saved, but the batch is not in this ledger.", batch.0);
            found.push(LedgerFinding::good(words));
        } else {
            waiting += whole;
        }
    }
    if waiting > 0 {
        let responses = counted(waiting as u64, "response");
        let words = format!("{responses} {} saved but not applied yet.", agree(waiting, "is", "are"));
        let hint = "run `lode owned` or `lode recover` to apply what they can (free)";
        found.push(LedgerFinding::good(words).hinting(hint));
    }
    Ok(())
}

/// What is in a state folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// None where there is no state file yet.
    pub ledger: Option<LedgerState>,
    /// Windows that run now.
    pub windows: usize,
    /// Copies of older state files that were made before a migration.
    pub backups: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerState {
    pub version: i64,
    pub bytes: u64,
    /// Contacts in unlock calls whose outcome is open.
    pub open: u64,
    /// How far the last booking lies ahead of the wall clock, in milliseconds: a clock that was set back.
    pub ahead_ms: i64,
}

/// Looks at a state folder from outside, for `lode doctor`. A file that is damaged is told, not touched.
pub fn inspect(dir: &Path, now_wall: i64) -> Result<Inspection, StoreFailure> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_backup = |name: &String| name.ends_with(".sqlite3") && name != LEDGER_FILE && name != SLOTS;
    let mut backups: Vec<String> = names.filter(is_backup).collect();
    backups.sort();
    let path = dir.join(LEDGER_FILE);
    let about = fs::metadata(&path).ok();
    let ledger = about.map(|about| inspect_ledger(&path, about.len(), now_wall)).transpose()?;
    Ok(Inspection { ledger, windows: windows::living(&dir.join("windows")), backups })
}

fn inspect_ledger(path: &Path, bytes: u64, now_wall: i64) -> Outcome<LedgerState> {
    let db = look_at(path)?;
    let version = known_version(&db)?;
    open::expect_sound(&db, "quick_check")?;
    if version == 0 {
        return Ok(LedgerState { bytes, ..LedgerState::default() });
    }
    let open = count(&db, "SELECT count(*) FROM open_contact")? as u64;
    let booked: Option<i64> = db.value("SELECT max(booked) FROM outcome", [])?;
    let ahead_ms = booked.map_or(0, |booked| booked.saturating_sub(now_wall).max(0));
    Ok(LedgerState { version, bytes, open, ahead_ms })
}
