//! Resident memory of lode beside a separate sandbox: with 10,000 rows held, at the largest window, and beyond it.

use std::fmt::Write;
use std::time::Duration;

use super::SIZE;
use super::programs::{PATIENCE, World};
use super::terminal::{Start, Terminal};

/// Rows of one page of the service.
const PAGE: usize = 100;

pub fn large_windows(world: &World) -> String {
    let mut out = String::from("\nmemory of lode beside a separate sandbox, kilobytes resident\n");
    let start = world.lode("large", Some(1_000_000));
    let mut line = |what: &str, lode: &Terminal| {
        let _ = writeln!(out, "{what:<48}{:>9}", lode.resident());
    };
    let Some(mut lode) = ready(&start) else { return out };
    line("at the start", &lode);
    let mut page = read(1, 10_000, &mut lode);
    line("10,000 rows held", &lode);
    let _ = lode.types(&[b"A", b"50000", b"\r"], Duration::from_millis(300));
    if !lode.shows("Basket(50,000)", PATIENCE * 4) {
        line("the basket did not fill", &lode);
    }
    line("10,000 rows held, 50,000 in the basket", &lode);
    page = read(page, 100_000, &mut lode);
    line("100,000 rows held, 50,000 in the basket", &lode);
    for more in [20_000, 60_000, 150_000, 300_000] {
        page = read(page, 100_000 + more, &mut lode);
        line(&format!("the same after {} more were read", grouped(more)), &lode);
    }
    lode.leave(b"q");
    // The basket comes from the store now.
    let Some(mut lode) = ready(&start) else { return out };
    if !lode.shows("Basket(50,000)", PATIENCE) {
        line("the basket did not come back", &lode);
    }
    line("started again, 50,000 in the basket", &lode);
    let page = at(&lode.screen());
    read(page, page * PAGE + 100_000, &mut lode);
    line("started again, 100,000 rows held as well", &lode);
    lode.leave(b"q");
    out
}

fn ready(start: &Start) -> Option<Terminal> {
    let mut lode = Terminal::start(start, SIZE).ok()?;
    lode.shows("match · page", PATIENCE).then_some(lode)
}

/// Walks on from a page until the one that the row stands on is here.
fn read(mut page: usize, row: usize, lode: &mut Terminal) -> usize {
    while page < row / PAGE {
        page += 1;
        let _ = lode.types(&[b"]"], Duration::ZERO);
        let wanted = format!("page {} of", grouped(page));
        let is_here = |screen: &str| screen.contains(&wanted) && !screen.contains("···");
        if !is_here(&lode.screen()) && lode.until(is_here, PATIENCE).is_none() {
            break;
        }
    }
    let _ = lode.listen(Duration::from_millis(500));
    page
}

/// The page that is shown: a place is kept from before.
fn at(screen: &str) -> usize {
    let words = screen.split_once("match · page ").map_or("", |(_, behind)| behind);
    let number: String = words.chars().take_while(|c| *c != ' ').filter(char::is_ascii_digit).collect();
    number.parse().unwrap_or(1)
}

fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
