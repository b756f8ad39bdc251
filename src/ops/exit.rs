//! How a command ends, as a number.

/// The exit codes of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Done, also when nothing matched.
    Done = 0,
    Failed = 1,
    Usage = 2,
    /// Stopped by a cap or a ceiling.
    Capped = 3,
    /// The key is missing or refused.
    Key = 4,
    /// The key lacks the scope.
    Scope = 5,
    /// Credits ran out, part done.
    Credits = 6,
    /// The rate limit, gave up.
    Rate = 7,
    /// Network or service.
    Network = 8,
    /// The outcome of an unlock is unknown.
    Unknown = 9,
    Interrupted = 130,
}

impl Exit {
    pub const ALL: [Exit; 11] = {
        use Exit::*;
        [Done, Failed, Usage, Capped, Key, Scope, Credits, Rate, Network, Unknown, Interrupted]
    };

    /// What it means, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Exit::Done => "done, also when nothing matched",
            Exit::Failed => "failed",
            Exit::Usage => "wrong usage",
            Exit::Capped => "stopped before spending by a limit or a list",
            Exit::Key => "key missing or refused",
            Exit::Scope => "key lacks the scope",
            Exit::Credits => "credits ran out, part done",
            Exit::Rate => "rate limit, gave up",
            Exit::Network => "network or service",
            Exit::Unknown => "outcome unknown: run `lode recover`",
            Exit::Interrupted => "interrupted",
        }
    }

    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit of a code that a flow worked out.
    pub fn of(code: u8) -> Exit {
        Exit::ALL.into_iter().find(|exit| exit.code() == code).unwrap_or(Exit::Failed)
    }
}
