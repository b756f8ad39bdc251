//! Breaking on purpose: debug builds can be told to panic at one place, so that every way out of a panic can be tested.
//!
//! `LODE_BREAK` names the place, SIGUSR1 says when: the next code to pass it fails. Release builds read no such variable and
//! listen to no such signal.

/// Where a panic can happen, each on another way to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanicPlace {
    /// While the model changes, on the loop's own thread.
    Update,
    /// While a frame is drawn.
    View,
    /// In a task of the network's thread, while the loop goes on drawing.
    Task,
    /// On the thread of the store.
    Store,
}

#[cfg(not(debug_assertions))]
pub fn passing(_: PanicPlace) {}

#[cfg(not(debug_assertions))]
pub fn dying(_: &str) {}

#[cfg(not(debug_assertions))]
pub fn asserting(_: &str) {}

#[cfg(not(debug_assertions))]
pub fn lacks(_: &str) -> bool {
    false
}

#[cfg(debug_assertions)]
pub use listening::{arm, asserting, dying, lacks, passing};

#[cfg(debug_assertions)]
mod listening {
    use std::sync::OnceLock;

    use super::PanicPlace;

    static ARMED: OnceLock<PanicPlace> = OnceLock::new();

    const NAMES: [(&str, PanicPlace); 4] = [
        ("update", PanicPlace::Update),
        ("view", PanicPlace::View),
        ("task", PanicPlace::Task),
        ("store", PanicPlace::Store),
    ];

    /// From now on the place that the variable names breaks. Its name, where it names one.
    pub fn arm() -> Option<&'static str> {
        let wanted = std::env::var("LODE_BREAK").ok()?;
        let (name, place) = NAMES.iter().find(|(name, _)| *name == wanted)?;
        ARMED.get_or_init(|| *place);
        Some(name)
    }

    /// Dies at once where `LODE_BREAK` names this place, as by a power cut: nothing is put in order any more.
    pub fn dying(place: &str) {
        if std::env::var("LODE_BREAK").is_ok_and(|wanted| wanted == place) {
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
        std::env::var("LODE_BREAK").is_ok_and(|wanted| wanted == what)
    }

    pub fn passing(place: PanicPlace) {
        assert!(ARMED.get() != Some(&place), "broken on purpose, in {place:?}");
    }
}
