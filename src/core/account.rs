//! The account behind a Workspace key, as `/me` reports it.

use super::credits::Credits;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub org_id: String,
    pub org_name: String,
    pub plan: String,
    pub key_name: String,
    pub key_prefix: String,
    pub scopes: Vec<String>,
    pub credits: Option<Credits>,
}

impl Account {
    pub fn may_search(&self) -> bool {
        self.scopes.iter().any(|scope| scope == "search")
    }

    pub fn may_unlock(&self) -> bool {
        self.scopes.iter().any(|scope| scope == "unlock")
    }
}
