//! Keys: made once, shown once, kept only as a hash.

use ring::digest::{SHA256, digest};

/// Every key of the workspace API begins with this.
pub const LIVE_PREFIX: &str = "lk_live_";
/// How many leading characters `key.prefix` shows.
const SHOWN: usize = LIVE_PREFIX.len() + 4;

pub fn hash(secret: &str) -> String {
    digest(&SHA256, secret.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn shown(secret: &str) -> String {
    secret.chars().take(SHOWN).collect()
}

/// A workspace key that follows from `identity` and `name`: the same sandbox has the same keys after a restart.
pub fn workspace(identity: u64, name: &str) -> String {
    format!("{LIVE_PREFIX}{}", secret_characters(identity, "workspace", name))
}

pub fn data(identity: u64, name: &str) -> String {
    format!("dk_{}", secret_characters(identity, "data", name))
}

pub fn org_id(identity: u64, name: &str) -> String {
    format!("org_{}", secret_characters(identity, "org", name)[..10].to_lowercase())
}

fn secret_characters(identity: u64, service: &str, name: &str) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let bytes = digest(&SHA256, format!("{identity}/{service}/{name}").as_bytes());
    bytes.as_ref().iter().map(|byte| LETTERS[usize::from(*byte) % LETTERS.len()] as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_begins_with_the_live_prefix_and_shows_its_leading_characters_only() {
        let key = workspace(1, "default");
        assert!(key.starts_with("lk_live_") && key.len() == 40);
        assert!(key.starts_with(&shown(&key)) && shown(&key).len() == 12);
        assert_eq!(key, workspace(1, "default"));
        assert_ne!(key, workspace(2, "default"));
        assert!(!hash(&key).contains(&key[8..]));
    }
}
