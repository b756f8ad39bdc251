//! A row that a search printed comes back in through a pipe as the same id, or is refused in clean words.

use common::fuzz::{is_clean, wire};
use lode::ops::input;
use lode_core::contact::{RowId, Side};

pub fn search(input: &[u8]) {
    wire::search_and(input, check);
}

fn check(line: &str, side: Side, id: Option<RowId>) {
    match input::read(&[], Some(line), side, true) {
        Ok(given) => assert_eq!(given.first().map(|one| one.id), id, "{line}"),
        Err(problem) => assert!(problem.lines().iter().all(|line| is_clean(line)), "{problem:?}"),
    }
}
