//! When memory is given back: once the first rows are shown, and later whenever much was read, as soon as nothing has happened for
//! a moment.

use std::time::Duration;

use tokio::time::Instant;

use crate::shell::system::processes;
use crate::ui::msg::Msg;

/// So long must nothing happen. The page that is read ahead of the first comes sooner.
const MOMENT: Duration = Duration::from_millis(500);
/// After so many answers there is something to give back.
const MANY: u32 = 200;

#[derive(Default)]
pub(super) struct Settling {
    /// The memory that only the start needed is given back already.
    has_begun: bool,
    /// Answers since memory was given back.
    answers: u32,
    due: Option<Instant>,
}

impl Settling {
    /// Counts answers. Returns false for what is not activity: a number that changes with time, or a frame that was shown.
    pub(super) fn hear(&mut self, msg: &Msg) -> bool {
        self.answers += u32::from(matches!(msg, Msg::Answered(_)));
        !matches!(msg, Msg::Deadline | Msg::Painted)
    }

    /// Something happened: the moment in which nothing does begins again.
    pub(super) fn stir(&mut self, has_rows: impl FnOnce() -> bool) {
        let wants = if self.has_begun { self.answers >= MANY } else { has_rows() };
        self.due = wants.then(|| Instant::now() + MOMENT);
    }

    /// Waits until nothing has happened for a moment.
    pub(super) async fn quiet(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    pub(super) fn settle(&mut self) {
        if !self.has_begun {
            processes::give_back_code();
        }
        processes::give_back_freed();
        *self = Settling { has_begun: true, ..Settling::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_changes_with_time_does_not_delay_it() {
        let happens = |msg| Settling::default().hear(&msg);
        assert!(happens(Msg::Focused(true)));
        assert!(!happens(Msg::Deadline));
        assert!(!happens(Msg::Painted));
    }
}
