//! Goal 4: resident memory of lode beside a separate sandbox: at the start, with rows held, with a basket, and after far more rows.

use std::path::Path;
use std::time::Duration;

use super::SIZE;
use super::said::Goals;
use common::bench::programs::{PATIENCE, READY, TestServices};
use common::bench::terminal::Terminal;

/// Rows of one page of the service.
const PAGE: usize = 100;
/// What a window may grow by while it reads ten times what it holds, in megabytes: nothing but the allocator's own.
const FLAT: f64 = 2.0;

/// So long nothing is done before it is measured: what was read and forgotten is given back when nothing happens.
const QUIET: Duration = Duration::from_secs(1);

/// Where ten searches of nurses find more than 100,000 rows of a sandbox of ten million.
const STATES: [&str; 10] = ["CA", "TX", "FL", "NY", "PA", "IL", "OH", "GA", "NC", "MI"];

pub fn measure(folder: &Path, goals: &mut Goals) {
    one_search(folder, goals);
    ten_legs(folder, goals);
}

/// A search with ten legs holds no more than one, whatever it took to read them.
fn ten_legs(folder: &Path, goals: &mut Goals) {
    let services = TestServices::with(&folder.join("legs"), &["--us-rows", "10000000"]);
    let start = services.lode("legs", Some(1_000_000));
    let saved = std::process::Command::new(&start.program)
        .args(["saved", "add", "ten", "--title", "nurse"])
        .args(STATES.iter().flat_map(|state| ["--state", state]))
        .env_clear()
        .envs(start.environment.iter().map(|(name, value)| (name, value)))
        .output();
    let Ok(mut lode) = Terminal::start(&start, SIZE) else { return goals.trouble("lode did not start") };
    let is_ready = lode.shows(READY, PATIENCE);
    let _ = lode.types(&[b"r", b"t", b"e", b"n", b"\r"], Duration::from_millis(300));
    if !is_ready || !saved.is_ok_and(|saved| saved.status.success()) || !lode.shows("CA OR TX", PATIENCE) {
        println!("{}", lode.screen());
        return goals.trouble("the ten legs were not opened");
    }
    // Pages are counted for each leg, rows over all of them.
    let mut row = 0;
    while row < 100_000 {
        let _ = lode.write(b"]");
        let is_on = |screen: &str| number_behind(screen, " row ") > row && !screen.contains("···  ");
        let Some(_) = lode.until(is_on, PATIENCE) else { break };
        row = number_behind(&lode.screen(), " row ");
    }
    if row < 100_000 {
        goals.trouble(&format!("row {row} was the last that came"));
    }
    let _ = lode.listen(QUIET);
    goals.most("100,000 rows of ten legs", held(&lode), 45.0, "MB");
    lode.leave(b"q");
}

fn held(lode: &Terminal) -> Option<f64> {
    Some(lode.resident() as f64 / 1024.0)
}

fn one_search(folder: &Path, goals: &mut Goals) {
    let services = TestServices::new(&folder.join("memory"));
    let start = services.lode("large", Some(1_000_000));
    let ready = || {
        let mut lode = Terminal::start(&start, SIZE).ok()?;
        lode.shows(READY, PATIENCE).then_some(lode)
    };
    let Some(mut lode) = ready() else { return goals.trouble("lode was not ready") };
    let _ = lode.listen(QUIET);
    goals.most("at the start", held(&lode), 12.0, "MB");
    let [own, file] = lode.kinds().map(|kilobytes| kilobytes as f64 / 1024.0);
    goals.tell(&format!(
        "of that its own {own:.2} MB, pages of the program's file {file:.2} MB: `cargo bench --profile dist` measures a smaller one"
    ));
    let mut page = read(1, 10_000, &mut lode);
    goals.most("10,000 rows", held(&lode), 16.0, "MB");
    let _ = lode.types(&[b"A", b"50000", b"\r"], Duration::from_millis(300));
    if !lode.shows("Basket 50,000", PATIENCE * 4) {
        goals.trouble("the basket did not fill");
    }
    page = read(page, 100_000, &mut lode);
    goals.most("100,000 rows, 50,000 in the basket", held(&lode), 45.0, "MB");
    let [own, file] = lode.kinds().map(|kilobytes| kilobytes as f64 / 1024.0);
    goals.tell(&format!("of that its own {own:.2} MB, pages of the program's file {file:.2} MB"));
    let before = held(&lode).unwrap_or(0.0);
    page = read(page, 1_100_000, &mut lode);
    if page != 1_100_000 / PAGE {
        goals.trouble(&format!("page {page} was the last that came"));
    }
    let grown = held(&lode).map(|after| after - before);
    goals.most("grown after 1,000,000 more rows", grown, FLAT, "MB");
    lode.leave(b"q");
    // The basket comes from the store now.
    let Some(mut lode) = ready() else { return goals.trouble("lode was not ready again") };
    if !lode.shows("Basket 50,000", PATIENCE) {
        goals.trouble("the basket did not come back");
    }
    // A place is kept from before.
    let page = number_behind(&lode.screen(), READY);
    read(page, page * PAGE + 100_000, &mut lode);
    goals.most("started again, 100,000 rows, 50,000 in the basket", held(&lode), 45.0, "MB");
    lode.leave(b"q");
}

/// Walks on from a page until the one that the row stands on is here.
fn read(mut page: usize, row: usize, lode: &mut Terminal) -> usize {
    while page < row / PAGE {
        let wanted = format!(" page {}/", grouped(page + 1));
        let is_here = |screen: &str| screen.contains(&wanted) && !screen.contains("···  ");
        let _ = lode.write(b"]");
        if !is_here(&lode.screen()) && lode.until(is_here, PATIENCE).is_none() {
            break;
        }
        page += 1;
    }
    let _ = lode.listen(QUIET);
    page
}

/// The number that follows these words on the screen.
fn number_behind(screen: &str, words: &str) -> usize {
    let behind = screen.split_once(words).map_or("", |(_, behind)| behind);
    let digits = behind.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap_or(1)
}

fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
