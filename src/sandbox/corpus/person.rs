//! One row of a corpus in full: every column that either service may show, before any masking.
//!
//! Which columns a service shows under which name, and what it masks, is not decided here.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Text of a column: nearly always a word of a dictionary, which costs nothing to hand out.
pub type Text = Cow<'static, str>;

/// What a check of the email address will find when the contact is unlocked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verification {
    Valid,
    Invalid,
    Disposable,
    /// The check could not complete: the contact is kept and not refunded.
    Unknown,
}

/// A contact, unmasked. All people are invented; domains end in `.example`, phones are 555-01xx.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    pub id: u64,
    pub first_name: Text,
    pub last_name: Text,
    pub title: Text,
    /// C-Level, VP, Director, Manager or Other; follows from the title.
    pub title_level: Text,
    pub company_name: Text,
    /// A bare domain, the same that company email addresses end in.
    pub company_website: Text,
    pub industry: Text,
    pub industry_group: Text,
    pub revenue: Text,
    pub employees: Text,
    pub address: Text,
    pub city: Text,
    pub county: Text,
    /// Two letters.
    pub state: Text,
    /// Five digits, leading zeros kept.
    pub zip: Text,
    /// Ten digits.
    pub phone: Text,
    pub email: Text,
    /// corporate, edu, personal or gov.
    pub email_domain_type: Text,
    /// cross_verified, valid, catch_all, unknown, invalid, disposable or bounced.
    pub email_status: Text,
    pub naics_code: Text,
    pub sic_code: Text,
    pub linkedin_url: Text,
    pub verification: Verification,
    /// The earlier row that this one repeats, if it is a duplicate.
    pub original: Option<u64>,
}

impl Person {
    pub fn contact_name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}
