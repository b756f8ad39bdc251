//! The facts of a contact that scores and exclusions use, borrowed from a row, a staged contact or a record.

use super::firm;
use super::money::Staged;
use super::row::{Known, Row};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits<'a> {
    pub title: &'a str,
    pub level: &'a str,
    pub company: &'a str,
    pub industry: &'a str,
    pub state: &'a str,
    pub email: &'a str,
    pub email_type: &'a str,
    pub email_status: &'a str,
    pub website: &'a str,
}

impl<'a> Traits<'a> {
    pub fn of(row: &'a Row) -> Traits<'a> {
        Traits {
            title: row.known(Known::Title),
            level: row.known(Known::TitleLevel),
            company: row.known(Known::Company),
            industry: row.known(Known::Industry),
            state: row.known(Known::State),
            email: row.email(),
            email_type: row.known(Known::EmailDomainType),
            email_status: row.known(Known::EmailStatus),
            website: row.known(Known::Website),
        }
    }

    pub fn staged(staged: &'a Staged) -> Traits<'a> {
        Traits {
            title: &staged.clue.title,
            level: &staged.clue.title_level,
            company: &staged.company,
            industry: &staged.clue.industry,
            state: &staged.clue.state,
            email: &staged.email,
            email_type: &staged.clue.email_domain_type,
            email_status: &staged.email_status,
            website: "",
        }
    }

    /// The company that it counts for: the domain of a company's email, else the normalized name. `None` where neither is known.
    pub fn firm(&self) -> Option<String> {
        firm::key(self.email, self.email_type, self.company)
    }
}
