//! What a match will take, and how far it is.

use std::time::Duration;

use crate::flow::matching::Plan;
use lode_core::time::{Mono, Now};

use super::{Job, Reader};

impl Job {
    pub fn plan(&self) -> Plan {
        let (fields, least, most) = match &self.reader {
            Reader::Asking(asking) => {
                ("company_website, then company_name", self.ahead(), asking.most(&self.wanted.accounts))
            }
            Reader::Walking { .. } => {
                ("company_name and the domain of the email, compared here", self.ahead(), self.ahead())
            }
        };
        Plan {
            fields,
            requests: (least, most.max(least)),
            reused: self.reused,
            time: self.pace.time_for(most.max(least)),
        }
    }

    /// Requests still to make, at least.
    fn ahead(&self) -> u64 {
        match &self.reader {
            Reader::Asking(asking) => asking.ahead(&self.wanted.accounts),
            Reader::Walking { walk, .. } => walk.ahead(),
        }
    }

    /// When it was told to go.
    pub fn began(&self) -> Option<Mono> {
        self.began
    }

    /// Requests answered, those in all, and the time left.
    pub fn progress(&self, now: Now) -> (u64, u64, Duration) {
        let done = self.made + self.reused;
        let ahead = self.ahead();
        let passed = self.began.map_or(Duration::ZERO, |began| now.mono.since(began));
        let measured = if self.made == 0 { Duration::ZERO } else { passed.mul_f64(ahead as f64 / self.made as f64) };
        (done, done + ahead, measured.max(self.pace.time_for(ahead)))
    }
}
