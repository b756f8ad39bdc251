//! What was found, as tables, and which of lode's own limits it keeps.

use std::fmt::Write;
use std::time::Duration;

use super::measure::{Found, HELD, Presses, Starts};
use common::bench::programs::{DEEDS, ECHO, LODE, MOVE, PAGE, SCROLL};

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The time below which this part of the presses stayed.
fn part(times: &[Duration], percent: usize) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().checked_sub(1)?);
    Some(ms(times[at]))
}

fn median(times: &[Duration]) -> Option<f64> {
    part(times, 50)
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
}

fn mean(presses: &Presses, of: f64) -> f64 {
    of / presses.keys.max(1) as f64
}

pub fn tables(found: &Found) -> String {
    let mut out = machine();
    for deed in DEEDS {
        let _ = writeln!(
            out,
            "\n{deed:<22}{:>7}{:>10}{:>10}{:>9}{:>12}{:>10}{:>9}",
            "keys", "p50 ms", "p95 ms", "× echo", "bytes/key", "CPU ms", "missing"
        );
        let floor = found.presses.get(&(deed, ECHO)).and_then(|presses| median(&presses.last));
        for name in &found.names {
            let Some(presses) = found.presses.get(&(deed, *name)) else { continue };
            let (half, most) = (median(&presses.last), part(&presses.last, 95));
            let ratio = half.zip(floor).map(|(half, floor)| half / floor);
            let _ = writeln!(
                out,
                "  {name:<20}{:>7}{:>10}{:>10}{:>9}{:>12.0}{:>10.3}{:>9}",
                presses.keys,
                shown(half, 3),
                shown(most, 3),
                shown(ratio, 1),
                mean(presses, (presses.bytes + presses.late) as f64),
                mean(presses, ms(presses.cpu)),
                presses.unanswered
            );
        }
    }
    let _ = writeln!(out, "\n{:<22}{:>14}{:>12}", format!("{HELD} at once"), "lag ms", "bytes");
    for ((flood, name), all) in &found.floods {
        let (lag, bytes) = held(all);
        let _ = writeln!(out, "  {:<20}{:>14}{bytes:>12}", format!("{flood}, {name}"), shown(lag, 2));
    }
    let _ = writeln!(out, "\n{:<22}{:>14}{:>14}{:>14}", "start ms (median)", "first byte", "first frame", "ready");
    for name in &found.names {
        let Some(Starts { byte, frame, ready }) = found.starts.get(name) else { continue };
        let [byte, frame, ready] = [byte, frame, ready].map(|times| shown(median(times), 2));
        let _ = writeln!(out, "  {name:<20}{byte:>14}{frame:>14}{ready:>14}");
    }
    let _ = writeln!(
        out,
        "\n{:<22}{:>9}{:>12}{:>10}{:>16}{:>16}",
        "idle", "bytes", "CPU ms", "switches", "KB at start", "KB at end"
    );
    for name in &found.names {
        let (start, end) = found.resident.get(name).copied().unwrap_or_default();
        let idle = found.idle.get(name).copied().unwrap_or_default();
        let _ = writeln!(
            out,
            "  {name:<20}{:>9}{:>12.3}{:>10}{start:>16}{end:>16}",
            idle.bytes,
            ms(idle.cpu),
            idle.switches
        );
    }
    for trouble in &found.troubles {
        let _ = writeln!(out, "\n! {trouble}");
    }
    out
}

/// What a key may cost at 160×48: bytes each, and time beside the echo program.
const LIMITS: [(&str, f64); 3] = [(MOVE, 700.0), (SCROLL, 1_200.0), (PAGE, 6_000.0)];

/// Milliseconds above the echo program that the median key may take.
const BESIDE_ECHO: f64 = 0.3;

/// Each limit of lode, as `holds` or `BROKEN`.
pub fn limits(found: &Found) -> String {
    let mut out = "\nlimits\n".to_owned();
    let mut line = |name: String, is: f64, limit: f64, unit: &str| {
        let word = if is <= limit { "holds" } else { "BROKEN" };
        let _ = writeln!(out, "  {word:<8}{name:<44}{is:>10.2} of {limit:>10.2} {unit}");
    };
    for (deed, most) in LIMITS {
        let Some(lode) = found.presses.get(&(deed, LODE)) else { continue };
        line(format!("{deed}, bytes a key"), mean(lode, (lode.bytes + lode.late) as f64), most, "bytes");
        let echo = found.presses.get(&(deed, ECHO)).and_then(|echo| median(&echo.last));
        if let Some((echo, lode)) = echo.zip(median(&lode.last)) {
            line(format!("{deed}, median, echo + {BESIDE_ECHO} ms"), lode, echo + BESIDE_ECHO, "ms");
        }
    }
    out
}

fn held(all: &[(Duration, usize)]) -> (Option<f64>, usize) {
    let lags: Vec<Duration> = all.iter().map(|(lag, _)| *lag).collect();
    (median(&lags), all.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0))
}

fn machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!("160×48, {cores} cores, load {load}\n")
}
