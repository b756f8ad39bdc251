//! One movement of credits between two accounts, as it is read on the control address.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::corpus::Kind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Account {
    /// Where credits come from: negative by as much as was ever granted.
    Issued,
    /// What a workspace can spend.
    Credits(String),
    /// What was spent and not returned.
    Sales,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::Issued => f.write_str("issued"),
            Account::Credits(org) => write!(f, "credits:{org}"),
            Account::Sales => f.write_str("sales"),
        }
    }
}

impl Serialize for Account {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Grant,
    Withdrawal,
    /// One contact newly unlocked.
    Charge,
    /// One contact whose verification found it invalid or disposable.
    Refund,
    /// Spent elsewhere: another member, the web application.
    Spend,
}

#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// 0 until it is posted.
    pub n: u64,
    pub at_ms: u64,
    pub from: Account,
    pub to: Account,
    pub amount: i64,
    pub what: What,
    pub org: String,
    /// Name of the key or member.
    pub by: String,
    /// Number of the request in the log; 0 where no request moved it.
    pub call: u64,
    pub corpus: Option<Kind>,
    pub contact: Option<u64>,
}

impl Line {
    /// One credit, moved by the service itself.
    pub(super) fn of(org: &str) -> Line {
        Line {
            n: 0,
            at_ms: 0,
            from: Account::Issued,
            to: Account::Sales,
            amount: 1,
            what: What::Grant,
            org: org.to_owned(),
            by: "service".to_owned(),
            call: 0,
            corpus: None,
            contact: None,
        }
    }
}
