//! Email addresses: their type, their status in a search, and the result of a check.
//!
//! The weights are chosen so that about 6 % of checks end in a refund and about 4 % cannot complete.

use super::lists::Dictionary;
use super::person::CheckOutcome;
use super::work::Employer;

/// Hosts of personal addresses, by three bits of the detail.
pub(crate) const HOSTS: [&str; 8] = [
    "mailbox.example", "inbox.example", "postbox.example", "homemail.example", "quickmail.example", "webpost.example",
    "everymail.example", "mymail.example",
];

/// Where disposable addresses live.
pub(crate) const DISPOSABLE_HOST: &str = "dropmail.example";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    /// corporate, edu, personal or gov.
    pub(crate) domain_type: &'static str,
    pub(crate) status: &'static str,
    pub(crate) verification: CheckOutcome,
}

impl Address {
    pub(crate) fn personal(&self) -> bool {
        self.domain_type == "personal"
    }

    pub(crate) fn disposable(&self) -> bool {
        self.status == "disposable"
    }
}

/// Status, its share among company addresses, among personal ones, and per thousand checks: valid, invalid, disposable, unknown.
const STATUSES: [(&str, f64, f64, [f64; 4]); 7] = [
    ("cross_verified", 42.0, 36.0, [987.0, 4.0, 0.0, 9.0]),
    ("valid", 33.5, 38.0, [963.0, 15.0, 0.0, 22.0]),
    ("catch_all", 13.0, 0.0, [845.0, 45.0, 0.0, 110.0]),
    ("unknown", 7.5, 12.0, [760.0, 95.0, 5.0, 140.0]),
    ("invalid", 2.5, 4.0, [150.0, 800.0, 0.0, 50.0]),
    ("disposable", 0.0, 5.0, [40.0, 10.0, 900.0, 50.0]),
    ("bounced", 1.5, 5.0, [250.0, 680.0, 0.0, 70.0]),
];

const CHECKS: [CheckOutcome; 4] =
    [CheckOutcome::Valid, CheckOutcome::Invalid, CheckOutcome::Disposable, CheckOutcome::Unknown];

/// The addresses that the people of each kind of employer have.
pub(super) fn read() -> [Dictionary<Address>; 3] {
    Employer::ALL.map(|employer| {
        let (own, personal) = match employer {
            Employer::Business => ("corporate", 13.0),
            Employer::Edu => ("edu", 10.0),
            Employer::Gov => ("gov", 8.0),
        };
        let (mut addresses, mut weights) = (Vec::new(), Vec::new());
        for (domain_type, share) in [(own, 100.0 - personal), ("personal", personal)] {
            for (status, company_share, personal_share, checks) in STATUSES {
                let of_type = if domain_type == "personal" { personal_share } else { company_share };
                for (verification, per_thousand) in CHECKS.into_iter().zip(checks) {
                    addresses.push(Address { domain_type, status, verification });
                    weights.push(share * of_type * per_thousand);
                }
            }
        }
        Dictionary::weighted(addresses, &weights)
    })
}

/// The host of a personal address.
pub(crate) fn host_of(detail: u16) -> &'static str {
    HOSTS[usize::from(detail >> 5) & 7]
}

/// The two digits behind the name in a personal address.
pub(crate) fn digits_of(detail: u16) -> u16 {
    detail % 100
}

/// Whether first and last name of a personal address are parted by a dot.
pub(crate) fn dotted(detail: u16) -> bool {
    detail >> 13 < 5
}

/// The last two digits of a phone number, all of which are 555-01xx.
pub(crate) fn line_of(detail: u16) -> u16 {
    ((u32::from(detail >> 4) * 100) >> 12) as u16
}
