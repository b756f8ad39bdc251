//! Unlock requests in flight: sent, and their answer neither on the disk nor given up. Every way out of the program waits for
//! them, for a bounded time, because an answer that is dropped is a contact that was paid for.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

/// How long an orderly exit waits for the answer of an unlock that was sent.
pub const PATIENCE: Duration = Duration::from_secs(8);

static IN_FLIGHT: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

static FALLING: AtomicBool = AtomicBool::new(false);

/// A panic ends the program from here on: nothing more is sent. True for the first one.
pub fn fall() -> bool {
    !FALLING.swap(true, Ordering::SeqCst)
}

/// Whether the end has begun: the terminal is given back and must not be drawn on.
pub fn is_falling() -> bool {
    FALLING.load(Ordering::SeqCst)
}

/// One request in flight, for as long as it lives.
pub struct Flight(watch::Sender<usize>);

impl Flight {
    pub fn begin() -> Flight {
        Flight::counted(&IN_FLIGHT)
    }

    /// One of another kind, counted by its owner.
    pub fn counted(count: &watch::Sender<usize>) -> Flight {
        count.send_modify(|count| *count += 1);
        Flight(count.clone())
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

pub fn any() -> bool {
    *IN_FLIGHT.borrow() > 0
}

/// Resolves once no request is in flight.
pub async fn landed() {
    // The sender is never dropped.
    let _ = IN_FLIGHT.subscribe().wait_for(|count| *count == 0).await;
}
