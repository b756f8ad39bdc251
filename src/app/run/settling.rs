//! When freed memory is given back to the system: after much was read, as soon as nothing has happened for a moment.

use std::time::Duration;

use tokio::time::Instant;

use lode_engine::effect::Answer;
use lode_host::system::processes;
use lode_ui::msg::Msg;

/// How long nothing must happen.
const MOMENT: Duration = Duration::from_millis(500);
/// The number of answers after which there is something to give back.
const MANY: u32 = 200;

#[derive(Default)]
pub(super) struct Settling {
    /// Answers since memory was given back.
    answers: u32,
    due: Option<Instant>,
}

impl Settling {
    /// Counts answers. Returns false for what is not activity: a number that changes with time, or a frame that was shown.
    pub(super) fn handle(&mut self, msg: &Msg) -> bool {
        self.answers += match msg {
            // Perhaps a large file was made, and much memory freed.
            Msg::Answered(Answer::Filed(..)) => MANY,
            Msg::Answered(_) => 1,
            _ => 0,
        };
        !matches!(msg, Msg::Deadline | Msg::Painted)
    }

    /// Something happened: the moment in which nothing does begins again.
    pub(super) fn stir(&mut self) {
        self.due = (self.answers >= MANY).then(|| Instant::now() + MOMENT);
    }

    /// Waits until nothing has happened for a moment.
    pub(super) async fn quiet(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    pub(super) fn settle(&mut self) {
        processes::give_back_freed();
        *self = Settling::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_engine::effect::{FileReply, Ticket};

    /// An export of several searches is one answer, and frees what it held of millions of rows.
    #[test]
    fn the_end_of_a_file_gives_memory_back() {
        let mut settling = Settling::default();
        settling.handle(&Msg::Answered(Answer::Filed(Ticket(1), Ok(FileReply::Done))));
        settling.stir();
        assert!(settling.due.is_some());
    }

    #[test]
    fn a_number_that_changes_with_time_does_not_delay_it() {
        let happens = |msg| Settling::default().handle(&msg);
        assert!(happens(Msg::Focused(true)));
        assert!(!happens(Msg::Deadline));
        assert!(!happens(Msg::Painted));
    }
}
