//! A value that lode does not write, in every column of the ledger: calls fail, and none of them panics.

use super::interrupted::{after, at, day};
use super::*;

fn columns(path: &Path) -> Vec<(String, String)> {
    let all = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, 2";
    Connection::open(path).unwrap().list(all, []).ok().unwrap()
}

/// Writes a value into a column of all rows, whatever the file allows. Returns whether there are any.
fn damage(path: &Path, table: &str, column: &str, value: &str) -> bool {
    let db = Connection::open(path).unwrap();
    for trigger in db.list::<String>("SELECT name FROM sqlite_schema WHERE type = 'trigger'", []).ok().unwrap() {
        db.execute_batch(&format!("DROP TRIGGER \"{trigger}\"")).unwrap();
    }
    db.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
    db.execute(&format!("UPDATE OR IGNORE {table} SET \"{column}\" = {value}"), []).is_ok_and(|rows| rows > 0)
}

/// Makes the calls of a day once more: whether each of them fails. Without any damage some come too late.
fn repeated(dir: &Path) -> Vec<bool> {
    let mut store = Store::open(dir, WindowId("first".to_owned()));
    let fails = |call| match store.perform(call, at(900)) {
        Err(StoreFailure::Corrupt(_) | StoreFailure::Lost(_) | StoreFailure::Other(_)) => true,
        Err(other) => panic!("{other:?}"),
        Ok(_) => false,
    };
    day().into_iter().map(fails).collect()
}

#[test]
fn a_value_that_lode_does_not_write_fails_a_call_and_never_the_program() {
    let dir = after(usize::MAX);
    let path = dir.path().join(LEDGER_FILE);
    let ledger = fs::read(&path).unwrap();
    let usual = repeated(dir.path());
    let (mut damaged, mut noticed) = (0, 0);
    for (table, column) in columns(&path) {
        for value in ["x'ff'", "'no such word'"] {
            fs::write(&path, &ledger).unwrap();
            if damage(&path, &table, &column, value) {
                damaged += 1;
                let is_noticed = repeated(dir.path()).iter().zip(&usual).any(|(fails, usually)| fails > usually);
                noticed += u32::from(is_noticed);
            }
        }
    }
    // The rest is text that may be anything, or nothing reads it on such a day.
    assert!(damaged > 300 && noticed > 100, "{noticed} of {damaged}");
}
