//! Types for money: limits, and the outcome of each contact.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use strum::{EnumString, IntoStaticStr};

use super::contact::{RowId, Verification};
use super::credits::{Credits, counted, grouped};
use super::firm;
use super::row::{Known, Row};

/// One confirmed order: the number on a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderId(pub i64);

/// One unlock call of an order, under which its ids stay together for ever (money rule 3, *same batch, same ids*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(pub i64);

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Bounds on gross spending (*bounded*). None: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    pub call: Option<Credits>,
    pub session: Option<Credits>,
    /// Over a rolling 24 hours.
    pub day: Option<Credits>,
}

/// What became of one contact of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// Charged and kept.
    Unlocked,
    /// Charged and returned: invalid or disposable. Still owned.
    Refunded,
    /// Owned before; nothing charged.
    Already,
    /// The service did not find it; nothing charged.
    Missing,
    /// Not unlocked: credits or a ceiling ran out before it. Nothing charged; it stays in the basket.
    Locked,
    /// No answer says what happened.
    Unknown,
    /// Unknown, and no call returns the contact any more (Do Not Sell): it can never be resolved by reading.
    Unreachable,
}

impl Outcome {
    /// As in the JSON lines of `lode unlock`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the contact is owned after this.
    pub fn is_owned(self) -> bool {
        matches!(self, Outcome::Unlocked | Outcome::Refunded | Outcome::Already)
    }

    /// What it cost before refunds, which is what caps count.
    pub fn gross(self) -> Credits {
        Credits(i64::from(matches!(self, Outcome::Unlocked | Outcome::Refunded)))
    }
}

/// What is known of a masked row and narrows a free look for it (M4); kept in the basket and with every batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clue {
    pub title: String,
    pub title_level: String,
    pub state: String,
    pub industry: String,
    pub email_domain_type: String,
    /// The canonical form of the search that showed it, where one did.
    pub search: Option<String>,
}

/// Our own count of the results of an order or a session (M7). The service's figures stand beside it, never in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub asked: u64,
    /// Gross: entries of `unlocked`, refunded ones among them.
    pub charged: u64,
    pub refunded: u64,
    /// Of the charged: verified as valid.
    pub valid: u64,
    /// Of the charged: the check could not complete; kept, no refund.
    pub unverified: u64,
    pub already: u64,
    pub missing: u64,
    pub locked: u64,
    pub unknown: u64,
    pub unreachable: u64,
}

impl Tally {
    pub fn net(&self) -> u64 {
        self.charged.saturating_sub(self.refunded)
    }

    /// `71 unlocked · 66 credits (71 charged, 5 refunded) · 62 verified, 4 not verified · balance 1,138`, the same on the screen
    /// and in a shell.
    pub fn sentence(&self, balance: Option<Credits>) -> String {
        let count = |(count, name): (u64, &str)| (count > 0).then(|| format!("{} {name}", grouped(count)));
        let [charged, refunded] = [self.charged, self.refunded].map(grouped);
        let net = counted(self.net(), "credit");
        let net = if self.refunded > 0 { format!("{net} ({charged} charged, {refunded} refunded)") } else { net };
        let mut parts = vec![format!("{charged} unlocked"), net];
        if self.valid > 0 && self.valid == self.net() {
            parts.push("verified".to_owned());
        } else {
            let checks = [(self.valid, "verified"), (self.unverified, "not verified")].into_iter().filter_map(count);
            parts.extend(Some(checks.collect::<Vec<_>>().join(", ")).filter(|checks| !checks.is_empty()));
        }
        let others = [
            (self.already, "already owned"),
            (self.missing, "not found"),
            (self.locked, "not unlocked"),
            (self.unknown, "RESULT UNKNOWN"),
            (self.unreachable, "UNREACHABLE"),
        ];
        parts.extend(others.into_iter().filter_map(count));
        if let Some(balance) = balance {
            parts.push(format!("balance {balance}"));
        }
        parts.join(" · ")
    }

    /// Counts a contact with what the service said of its address.
    pub fn count_verified(&mut self, outcome: Outcome, verification: Option<&Verification>) {
        self.count(outcome);
        if outcome.gross() > Credits::ZERO {
            match verification {
                Some(Verification::Valid) => self.valid += 1,
                Some(Verification::Unknown) => self.unverified += 1,
                _ => {}
            }
        }
    }

    pub fn count(&mut self, outcome: Outcome) {
        self.asked += 1;
        self.charged += u64::from(outcome.gross() > Credits::ZERO);
        match outcome {
            Outcome::Unlocked => {}
            Outcome::Refunded => self.refunded += 1,
            Outcome::Already => self.already += 1,
            Outcome::Missing => self.missing += 1,
            Outcome::Locked => self.locked += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::Unreachable => self.unreachable += 1,
        }
    }
}

/// A row staged in the basket: its identity is kept by the basket, this is what the review and a free look need. Small where
/// only the id is known, and cheap to copy: a review of a million ids keeps several lists of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    pub id: RowId,
    /// The search showed it as owned.
    pub owned: bool,
    /// `None` where only the id is known.
    about: Option<Arc<StagedFields>>,
}

/// What a search showed of a staged row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StagedFields {
    /// Masked or whole, as the search showed it.
    pub email: String,
    pub phone: String,
    pub name: String,
    pub company: String,
    pub email_status: String,
    pub clue: Clue,
    /// The whole row as JSON, for export.
    pub row: String,
}

impl StagedFields {
    /// What a row says, without the row itself and the search that showed it.
    pub fn of(row: &Row) -> StagedFields {
        use Known::*;
        let known = |column| row.known(column).to_owned();
        let [email, phone, company, email_status] = [Email, Phone, Company, EmailStatus].map(known);
        let [title, title_level, state] = [Title, TitleLevel, State].map(known);
        let [industry, email_domain_type] = [Industry, EmailDomainType].map(known);
        let clue = Clue { title, title_level, state, industry, email_domain_type, search: None };
        StagedFields { email, phone, name: row.name(), company, email_status, clue, row: String::new() }
    }
}

impl Staged {
    pub fn new(id: RowId, owned: bool, about: StagedFields) -> Staged {
        let about = (about != StagedFields::default()).then(|| Arc::new(about));
        Staged { id, owned, about }
    }

    /// A row of which only the id is known.
    pub fn by_id(id: RowId) -> Staged {
        Staged { id, owned: false, about: None }
    }

    /// The same row, as it is to be bought: whether it is owned was decided.
    pub fn to_buy(&self) -> Staged {
        Staged { owned: false, ..self.clone() }
    }
}

/// The person as a search showed them, in small letters, with the company in its normal form; two ids of one person are duplicates.
/// `None` where too little is shown to tell.
pub fn person(name: &str, company: &str, email: &str) -> Option<[String; 3]> {
    let known = !name.is_empty() && !email.is_empty();
    known.then(|| [name.to_lowercase(), firm::normal(company), email.to_lowercase()])
}

/// What is known of it reads like its own fields.
impl Deref for Staged {
    type Target = StagedFields;

    fn deref(&self) -> &StagedFields {
        static NOTHING: LazyLock<StagedFields> = LazyLock::new(StagedFields::default);
        self.about.as_deref().unwrap_or(&NOTHING)
    }
}
