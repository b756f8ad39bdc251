//! Whether everything in a ledger adds up, in sentences. Nothing is changed by looking.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use lode_core::{agree, contacts, counted, grouped};
use lode_engine::effect::{RESTORE, StoreFailure};

use super::answers::Answers;
use super::mark::{self, BOOKS, Mark};
use super::open::{is_nothing, look_at};
use super::schema::{self, Shape};
use super::trouble::Outcome;

/// One sentence about a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFinding {
    pub adds_up: bool,
    pub words: String,
    /// What to do, where something can be done.
    pub hint: Option<String>,
}

impl LedgerFinding {
    fn good(words: String) -> LedgerFinding {
        LedgerFinding { adds_up: true, words, hint: None }
    }

    fn bad(words: String) -> LedgerFinding {
        LedgerFinding { adds_up: false, words, hint: None }
    }

    fn hinting(self, hint: &str) -> LedgerFinding {
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
        "a result or a hold of a contact that its batch never asked for",
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
    Ok(of_folder(dir)?)
}

fn of_folder(dir: &Path) -> Outcome<Vec<LedgerFinding>> {
    let answers = Answers::Folder(dir.join("answers"));
    let path = dir.join(BOOKS);
    let lost = |trouble| {
        let words = match StoreFailure::from(trouble) {
            StoreFailure::Lost(words) => words,
            failure => failure.to_string(),
        };
        LedgerFinding::bad(capital(&words)).hinting(RESTORE)
    };
    if is_nothing(&path) {
        return Ok(vec![match mark::expect_nothing(dir, &answers) {
            Ok(()) => LedgerFinding::good(format!("There is no ledger in {} yet.", dir.display())),
            Err(trouble) => lost(trouble),
        }]);
    }
    let books = look_at(&path)?;
    let sound: String = match books.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)) {
        Ok(sound) => sound,
        Err(error) => error.to_string(),
    };
    if sound != "ok" {
        let words = format!("{} is damaged: {sound}", path.display());
        return Ok(vec![LedgerFinding::bad(words).hinting(RESTORE)]);
    }
    let version = schema::version(&books)?;
    if version > Shape::current().version() {
        return Err(StoreFailure::Newer.into());
    }
    let mark = Mark::of(&books)?;
    let mut found = vec![LedgerFinding::good(format!("{} is sound.", path.display()))];
    found.push(match mark::expect(dir, mark, &answers) {
        Ok(()) => LedgerFinding::good("It is the expected ledger and has every batch.".to_owned()),
        Err(trouble) => lost(trouble),
    });
    sums(&books, &mut found)?;
    kept(&books, &answers, &mut found)?;
    Ok(found)
}

fn count(books: &Connection, sql: &str) -> Outcome<usize> {
    Ok(books.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs() as usize)
}

fn sums(books: &Connection, found: &mut Vec<LedgerFinding>) -> Outcome<()> {
    let before = found.iter().filter(|found| !found.adds_up).count();
    for (one, words, sql) in NONE_OF {
        let many = count(books, sql)?;
        if many > 0 {
            found.push(LedgerFinding::bad(format!("{}: {words}.", counted(many as u64, one))));
        }
    }
    if found.iter().filter(|found| !found.adds_up).count() == before {
        let asked = count(books, "SELECT count(*) FROM asked")?;
        let batches = count(books, "SELECT count(*) FROM batch")?;
        let batches = counted(batches as u64, "batch");
        let words = format!("{} in {batches}: each has one result, or is on hold.", contacts(asked));
        found.push(LedgerFinding::good(words));
    }
    let charged = count(books, "SELECT count(*) FROM outcome WHERE outcome IN ('unlocked', 'refunded')")?;
    let refunded = count(books, "SELECT count(*) FROM outcome WHERE outcome = 'refunded'")?;
    found.push(LedgerFinding::good(format!(
        "{} charged, {} refunded, net {}.",
        grouped(charged as u64),
        grouped(refunded as u64),
        grouped((charged - refunded) as u64)
    )));
    let bought = "SELECT count(*) FROM outcome o WHERE o.outcome IN ('unlocked', 'refunded') AND NOT EXISTS
                  (SELECT 1 FROM owned w WHERE w.purse = o.purse AND w.corpus = o.corpus AND w.id = o.id)";
    let forgotten = count(books, bought)?;
    if forgotten > 0 {
        found.push(LedgerFinding::good(format!(
            "{} that you bought {} no longer kept here: you removed them.",
            contacts(forgotten),
            agree(forgotten, "is", "are")
        )));
    }
    let open = count(books, "SELECT count(*) FROM open_contact")?;
    if open > 0 {
        let words = format!("{} {} on hold: the result is unknown.", contacts(open), agree(open, "is", "are"));
        found.push(LedgerFinding::good(words).hinting("`lode recover` checks them for free"));
    }
    Ok(())
}

/// Answers that wait in files.
fn kept(books: &Connection, answers: &Answers, found: &mut Vec<LedgerFinding>) -> Outcome<()> {
    let mut waiting = 0;
    for batch in answers.batches()? {
        let whole = answers.of(batch)?.len();
        let known = books.query_row("SELECT 1 FROM batch WHERE id = ?1", [batch.0], |_| Ok(())).optional()?;
        if whole > 0 && known.is_none() {
            found.push(LedgerFinding::good(format!(
                "A response to batch {} is saved, but the batch is not in this ledger.",
                batch.0
            )));
        } else {
            waiting += whole;
        }
    }
    if waiting > 0 {
        let words = format!(
            "{} {} saved but not applied yet.",
            counted(waiting as u64, "response"),
            agree(waiting, "is", "are")
        );
        found.push(
            LedgerFinding::good(words).hinting("run `lode owned` or `lode recover` to apply what they can (free)"),
        );
    }
    Ok(())
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}
