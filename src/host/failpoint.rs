//! Failpoints: debug builds can be told to fail at one place, so that every way out of a failure can be tested.
//!
//! `LODE_BREAK` names the place. Those that are passed all the time break once SIGUSR1 came. Release builds read no such variable
//! and listen to no such signal.

use std::sync::OnceLock;

/// Whether this is a debug build.
pub const ENABLED: bool = cfg!(debug_assertions);

static ARMED: OnceLock<String> = OnceLock::new();

fn wanted() -> Option<String> {
    if ENABLED { std::env::var("LODE_BREAK").ok() } else { None }
}

/// From now on the place that the variable names breaks. Its name, if it names one of those that are passed all the time.
pub fn arm() -> Option<&'static str> {
    let place = wanted().filter(|place| ["update", "view", "task", "store"].contains(&&**place))?;
    Some(ARMED.get_or_init(|| place))
}

/// Fails here if this place is armed: `update`, where the model changes on the loop's own thread; `view`, where a frame is drawn;
/// `task`, on the network's thread, while the loop goes on drawing; `store`, on the thread of the store.
pub fn passing(place: &str) {
    assert!(ARMED.get().is_none_or(|armed| armed != place), "broken on purpose, in {place}");
}

/// Dies at once where `LODE_BREAK` names this place, as by a power cut: nothing is put in order any more.
pub fn dying(place: &str) {
    if lacks(place) {
        std::process::abort();
    }
}

/// Fails like an assertion of the caller, if `LODE_BREAK` names this place.
#[track_caller]
pub fn asserting(place: &str) {
    assert!(!lacks(place), "broken on purpose, at {place}");
}

/// Whether `LODE_BREAK` takes this away, as a system does that never had it.
pub fn lacks(what: &str) -> bool {
    wanted().is_some_and(|wanted| wanted == what)
}
