//! Resident memory of lode beside a separate sandbox: with 10,000 rows held, at the largest window, and beyond it.

use std::fmt::Write;
use std::time::Duration;

use super::SIZE;
use super::programs::{PATIENCE, World};
use super::terminal::Terminal;

/// Rows of one page of the service.
const PAGE: usize = 100;

pub fn large_windows(world: &World) -> String {
    let mut out = String::from("\nmemory of lode beside a separate sandbox, kilobytes resident\n");
    let start = world.lode("large", Some(1_000_000));
    let Ok(mut lode) = Terminal::start(&start, SIZE) else { return out };
    if !lode.shows("match · page", PATIENCE) {
        let _ = writeln!(out, "not ready:\n{}", lode.screen());
        return out;
    }
    let mut line = |what: &str, lode: &Terminal| {
        let _ = writeln!(out, "{what:<44}{:>9}", lode.resident());
    };
    line("at the start", &lode);
    let mut page = 1;
    let mut read = |rows: usize, lode: &mut Terminal| {
        while page < rows / PAGE {
            page += 1;
            let _ = lode.types(&[b"]"], Duration::ZERO);
            let wanted = format!("page {} of", grouped(page));
            let is_here = |screen: &str| screen.contains(&wanted) && !screen.contains("···");
            if !is_here(&lode.screen()) && lode.until(is_here, PATIENCE).is_none() {
                return;
            }
        }
        let _ = lode.listen(Duration::from_millis(500));
    };
    read(10_000, &mut lode);
    line("10,000 rows held", &lode);
    let _ = lode.types(&[b"A", b"50000", b"\r"], Duration::from_millis(300));
    if !lode.shows("Basket(50,000)", PATIENCE * 4) {
        line("the basket did not fill", &lode);
    }
    line("10,000 rows held, 50,000 in the basket", &lode);
    read(100_000, &mut lode);
    line("100,000 rows held, 50,000 in the basket", &lode);
    for more in [20_000, 60_000, 150_000, 300_000, 900_000] {
        read(100_000 + more, &mut lode);
        line(&format!("the same after {} more were read", grouped(more)), &lode);
    }
    lode.leave(b"q");
    out
}

fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
