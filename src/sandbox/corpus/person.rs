//! One row of a corpus in full: every column that either service may show, before any masking.
//!
//! Which columns a service shows under which name, and what it masks, is not decided here.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Text of a column: nearly always a word of a dictionary, which costs nothing to hand out.
pub type ColumnText = Cow<'static, str>;

/// What a check of the email address will find when the contact is unlocked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
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
    pub first_name: ColumnText,
    pub last_name: ColumnText,
    pub title: ColumnText,
    /// C-Level, VP, Director, Manager or Other; follows from the title.
    pub title_level: ColumnText,
    pub company_name: ColumnText,
    /// A bare domain, the same that company email addresses end in.
    pub company_website: ColumnText,
    pub industry: ColumnText,
    pub industry_group: ColumnText,
    pub revenue: ColumnText,
    pub employees: ColumnText,
    pub address: ColumnText,
    pub city: ColumnText,
    pub county: ColumnText,
    /// Two letters.
    pub state: ColumnText,
    /// Five digits, leading zeros kept.
    pub zip: ColumnText,
    /// Ten digits.
    pub phone: ColumnText,
    pub email: ColumnText,
    /// corporate, edu, personal or gov.
    pub email_domain_type: ColumnText,
    /// cross_verified, valid, catch_all, unknown, invalid, disposable or bounced.
    pub email_status: ColumnText,
    pub naics_code: ColumnText,
    pub sic_code: ColumnText,
    pub linkedin_url: ColumnText,
    pub verification: CheckOutcome,
    /// The earlier row that this one repeats, if it is a duplicate.
    pub original: Option<u64>,
}

impl Person {
    pub fn contact_name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}
