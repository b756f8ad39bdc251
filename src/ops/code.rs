//! The closed list of what can go wrong, as a program reads it: each code with its exit and whether the same command may run again.

use schemars::JsonSchema;
use serde::Serialize;

use super::exit::Exit;

/// Why a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The arguments or the input are wrong.
    Usage,
    /// The settings cannot be used.
    Settings,
    /// A file cannot be read or written.
    File,
    /// The store cannot do its work.
    Store,
    /// The service refused the request itself.
    Refused,
    /// Something named does not exist.
    NotFound,
    /// A check found something that needs attention.
    Unhealthy,
    /// This is a bug in lode.
    Bug,
    /// Any other failure.
    Failed,
    /// A ceiling or a cap was reached.
    Capped,
    /// Suppression lists cannot be checked for some contacts.
    Unchecked,
    /// A person has to accept this first.
    NotAccepted,
    /// The key is missing.
    NoKey,
    /// The service refused the key.
    KeyRefused,
    /// The key lacks the scope.
    Scope,
    /// Credits ran out.
    NoCredits,
    /// The rate limit: try again later.
    RateLimit,
    /// The service cannot be reached, or gives no usable answer.
    Unavailable,
    /// The address is wrong.
    Address,
    /// The result of an unlock is unknown.
    UnknownResult,
    /// The command was interrupted.
    Interrupted,
}

impl Code {
    pub const ALL: [Code; 21] = [
        Code::Usage,
        Code::Settings,
        Code::File,
        Code::Store,
        Code::Refused,
        Code::NotFound,
        Code::Unhealthy,
        Code::Bug,
        Code::Failed,
        Code::Capped,
        Code::Unchecked,
        Code::NotAccepted,
        Code::NoKey,
        Code::KeyRefused,
        Code::Scope,
        Code::NoCredits,
        Code::RateLimit,
        Code::Unavailable,
        Code::Address,
        Code::UnknownResult,
        Code::Interrupted,
    ];

    pub fn exit(self) -> Exit {
        use Code::*;
        match self {
            Usage | Settings => Exit::Usage,
            File | Store | Refused | NotFound | Unhealthy | Bug | Failed => Exit::Failed,
            Capped | Unchecked | NotAccepted => Exit::Capped,
            NoKey | KeyRefused => Exit::Key,
            Scope => Exit::Scope,
            NoCredits => Exit::Credits,
            RateLimit => Exit::Rate,
            Unavailable | Address => Exit::Network,
            UnknownResult => Exit::Unknown,
            Interrupted => Exit::Interrupted,
        }
    }

    /// The code of a failure of which no more than the exit is known.
    pub fn of(exit: Exit) -> Code {
        match exit {
            Exit::Usage => Code::Usage,
            Exit::Capped => Code::Capped,
            Exit::Key => Code::KeyRefused,
            Exit::Scope => Code::Scope,
            Exit::Credits => Code::NoCredits,
            Exit::Rate => Code::RateLimit,
            Exit::Network => Code::Unavailable,
            Exit::Unknown => Code::UnknownResult,
            Exit::Interrupted => Code::Interrupted,
            Exit::Done | Exit::Failed => Code::Failed,
        }
    }

    /// Whether the same command can succeed if it runs again, without paying twice for anything.
    pub fn is_safe_to_retry(self) -> bool {
        matches!(self, Code::RateLimit | Code::Unavailable | Code::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_but_0_has_a_code_that_leads_back_to_it() {
        for exit in Exit::ALL.into_iter().filter(|exit| *exit != Exit::Done) {
            assert_eq!(Code::of(exit).exit(), exit);
        }
        for code in Code::ALL {
            assert_ne!(code.exit(), Exit::Done, "{code:?}");
        }
    }
}
