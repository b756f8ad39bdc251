//! The newest release. Only `lode doctor --online` asks for it: without a key, and lode never does so by itself.

use super::*;

/// The version of the release that HOME/releases/latest leads to. The error is a sentence.
pub async fn newest_release(home: &str) -> Result<[u64; 3], String> {
    let address = ServiceAddress::new(home, SecretString::default())?;
    let words = |failure: Failure| failure.words().to_owned();
    let client = Clients::default().of(&address).map_err(words)?;
    let asked = client.head(address.url("/releases/latest", &[])).timeout(Duration::from_secs(10));
    let answer = asked.send().await.map_err(|error| words(in_sending(&error, &address)))?;
    let leads_to = answer.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
    let version = leads_to.rsplit_once("/v").and_then(|(_, version)| numbers(version));
    version.ok_or_else(|| format!("{} does not name its newest release", address.host()))
}

/// The three numbers of a version.
pub fn numbers(version: &str) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = version.split('.').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}
