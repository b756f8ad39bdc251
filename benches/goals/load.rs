//! Goal 2: a row move while pages arrive at every step, while an export runs at full speed, while 12,000 contacts are unlocked, and
//! while the largest window is put in order. An echo program alternates with lode, under the same load.

use std::path::Path;
use std::time::Duration;

use super::said::{Goals, ms, part, spread};
use super::{Options, SIZE};
use common::bench::echo;
use common::bench::programs::{DOWN, ENTER, PATIENCE, READY, TestServices, UP};
use common::bench::terminal::{Start, Terminal};
use common::rng::Rng;

/// No frame takes longer, in milliseconds.
const FRAME: f64 = 8.0;
const NO_ANSWER: Duration = Duration::from_secs(2);
/// What the sandbox takes for one unlock: 120 of them are under way for 12 seconds.
const SLOW: [&str; 4] = ["--credits", "100000", "--fault", "latency@unlock=100"];
/// Rows of the largest window.
const LARGEST: usize = 100_000;

#[derive(Default)]
struct Pressed {
    took: Vec<Duration>,
    /// What the thread that reads the keys computed for one, and how long it waited for a core.
    computed: Vec<Duration>,
    waited: Vec<Duration>,
    missing: usize,
}

/// What is pressed around each key and not measured.
#[derive(Default)]
struct Around {
    /// Until the cursor is on the first line, or for so long.
    before: Option<(&'static [u8], Duration)>,
    after: &'static [u8],
    /// Keys are pressed only as long as this is on the screen.
    during: &'static str,
}

/// lode and the echo program beside it.
struct Pair {
    lode: Terminal,
    echo: Terminal,
    rng: Rng,
}

pub fn measure(folder: &Path, options: &Options, goals: &mut Goals) {
    let services = TestServices::with(&folder.join("load"), &SLOW);
    let mut quiet = None;
    type Begin = fn(&mut Terminal) -> bool;
    // Its page is on the way while the next key is answered.
    let next_page = Around { before: Some((b"]", NO_ANSWER)), ..Around::default() };
    let order = Around { before: Some((b"o", Duration::from_millis(1))), after: b"gg", ..Around::default() };
    let exporting = || Around { during: "Exporting", ..Around::default() };
    let loads: [(&str, Begin, Around); 6] = [
        ("quiet", |_| true, Around::default()),
        ("pages arriving", |_| true, next_page),
        ("a raw export", |lode| export(lode, "raw"), exporting()),
        ("a contacts export", |lode| export(lode, "contacts"), exporting()),
        ("an unlock of 12,000", unlock, Around::default()),
        ("100,000 rows put in order", fill, order),
    ];
    let wanted = |name: &str| name == "quiet" || name.contains(&options.load);
    for (name, begin, around) in loads.into_iter().filter(|(name, ..)| wanted(name)) {
        let Some(mut pair) = Pair::start(&services, name) else {
            goals.trouble(&format!("{name}: lode was not ready"));
            continue;
        };
        if !begin(&mut pair.lode) {
            goals.trouble(&format!("{name} did not begin:\n{}", pair.lode.screen()));
            continue;
        }
        let [own, echo] = pair.press(options.keys, &around);
        goals.tell(&format!("{name:<26}lode  {}, {} keys", spread(&own.took), own.took.len()));
        goals.tell(&format!("{:<26}echo  {}", "", spread(&echo.took)));
        goals.tell(&format!("{:<26}computed  {}", "", spread(&own.computed)));
        goals.tell(&format!("{:<26}no core   {}", "", spread(&own.waited)));
        let mut worst: Vec<_> = own.took.iter().zip(own.computed.iter().zip(&own.waited)).collect();
        worst.sort_unstable();
        for (took, (computed, waited)) in worst.iter().rev().take(3) {
            goals.tell(&format!(
                "{:<26}took {:.2}, computed {:.2}, no core {:.2}",
                "",
                ms(**took),
                ms(**computed),
                ms(**waited)
            ));
        }
        if own.missing > 0 {
            goals.trouble(&format!("{name}: {} keys were not answered", own.missing));
        }
        let longest = part(&own.computed, 100);
        goals.most(&format!("{name}: the longest frame"), longest, FRAME, "ms of processor time");
        let Some((half, most)) = quiet else {
            quiet = part(&own.took, 50).zip(part(&own.took, 99));
            continue;
        };
        goals.most(&format!("{name}: p50"), part(&own.took, 50), half * 1.5, "ms");
        let beside = part(&echo.took, 99).unwrap_or(0.0);
        goals.most(&format!("{name}: p99"), part(&own.took, 99), most + beside + 1.0, "ms");
    }
}

impl Pair {
    fn start(services: &TestServices, home: &str) -> Option<Pair> {
        let home = home.replace([' ', ','], "-");
        let echo: Start = services.start(std::env::current_exe().ok()?, &[echo::NAME], "echo");
        let mut echo_terminal = Terminal::start(&echo, SIZE).ok()?;
        let mut lode = Terminal::start(&services.lode(&home, Some(1_000_000)), SIZE).ok()?;
        let ready = echo_terminal.shows(echo::READY, PATIENCE) && lode.shows(READY, PATIENCE);
        let _ = lode.listen(Duration::from_millis(500));
        ready.then_some(Pair { lode, echo: echo_terminal, rng: Rng::new(1) })
    }

    /// Row moves, down and up again, or down alone where keys around each lead back to the first line.
    fn press(&mut self, keys: usize, around: &Around) -> [Pressed; 2] {
        let (mut own, mut echo) = (Pressed::default(), Pressed::default());
        let Some(first) = marked(&self.lode) else { return [own, echo] };
        for key in 0..keys {
            if !self.lode.screen().contains(around.during) {
                break;
            }
            let up = around.before.is_none() && key % 2 == 1;
            let (line, key) = if up { (first, UP) } else { (first + 1, DOWN) };
            if let Some((key, patience)) = &around.before {
                let _ = self.lode.press_until(key, |screen| is_marked(screen, first), *patience);
            }
            let (computed, waited) = self.lode.key_loop();
            match self.lode.press_until(key, |screen| is_marked(screen, line), NO_ANSWER) {
                Ok(Some(took)) => {
                    let after = self.lode.key_loop();
                    own.took.push(took);
                    own.computed.push(after.0.saturating_sub(computed));
                    own.waited.push(after.1.saturating_sub(waited));
                }
                _ => own.missing += 1,
            }
            let pause = self.pause();
            let _ = self.lode.listen(pause);
            if let Ok(Some(took)) = self.echo.press_until(key, |_| true, NO_ANSWER) {
                echo.took.push(took);
            }
            let pause = self.pause();
            let _ = self.lode.listen(pause);
            if !around.after.is_empty() {
                // What was begun comes to its end.
                let _ = self.lode.listen(pause * 10);
                let _ = self.lode.write(around.after);
                let _ = self.lode.listen(pause);
            }
        }
        [own, echo]
    }

    /// As far apart as keys of a person are, so that the memory of the program is as cold as it is then. Never in step with a timer
    /// of its own.
    fn pause(&mut self) -> Duration {
        Duration::from_micros(5_000 + self.rng.below(25_000))
    }
}

/// The sign of the row that the cursor is on.
const SIGN: &str = "▌";

fn marked(lode: &Terminal) -> Option<u16> {
    lode.look(|screen| (0..SIZE.1).find(|line| is_marked(screen, *line)))
}

/// Right behind the border of the list.
fn is_marked(screen: &vt100::Screen, line: u16) -> bool {
    (0..4).any(|column| screen.cell(line, column).is_some_and(|cell| cell.contents() == SIGN))
}

fn export(lode: &mut Terminal, form: &str) -> bool {
    let begun = say(lode, "W", "Data · US")
        && say(lode, "/", "⌕ Query")
        && say(lode, "manager\r", "query manager")
        && lode.shows(READY, PATIENCE)
        && say(lode, "e", "Export what?")
        && say(lode, "/all results\r", "Export as")
        && say(lode, &format!("/{form}\r"), "Export to")
        && say(lode, "leads.csv\r", "Exporting")
        && lode.shows("B/s", PATIENCE);
    begun && lode.listen(Duration::from_millis(500)).is_ok()
}

fn unlock(lode: &mut Terminal) -> bool {
    let gathered = say(lode, "A", "How many") && say(lode, "12000\r", "Basket 12,000");
    let _ = lode.listen(Duration::from_millis(500));
    if !gathered || !say(lode, "U", "to unlock   ▏") {
        return false;
    }
    for at in 0..5 {
        let typed = &"12000"[..=at];
        let begun = std::time::Instant::now();
        while !lode.screen().contains(&format!("▏ {typed}")) && begun.elapsed() < PATIENCE {
            let _ = lode.write(&typed.as_bytes()[at..]);
            let _ = lode.listen(Duration::from_millis(300));
        }
    }
    let _ = lode.write(ENTER);
    lode.until(|screen| !screen.contains("to unlock   ▏"), PATIENCE).is_some() && lode.shows("nlock", PATIENCE)
}

/// The largest window there is, every page of it read.
fn fill(lode: &mut Terminal) -> bool {
    for page in 2..=LARGEST / 100 {
        let number = page.to_string();
        let number = if page < 1_000 { number } else { format!("{},{:03}", page / 1_000, page % 1_000) };
        let wanted = format!("page {number}/");
        let is_here = |screen: &str| screen.contains(&wanted) && !screen.contains("···  ");
        let _ = lode.write(b"]");
        if !is_here(&lode.screen()) && lode.until(is_here, PATIENCE).is_none() {
            return false;
        }
    }
    say(lode, "gg", "─ 1 of ")
}

fn say(lode: &mut Terminal, keys: &str, answer: &str) -> bool {
    let _ = lode.write(keys.as_bytes());
    let said = lode.shows(answer, PATIENCE);
    let _ = lode.listen(Duration::from_millis(50));
    said
}
