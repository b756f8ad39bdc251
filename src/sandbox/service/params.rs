//! The parameters of a query string: decoded once, then asked for by name.

/// Pairs in their order. A parameter without a value counts as absent, the last of several wins.
#[derive(Debug, Default)]
pub(super) struct Params {
    pairs: Vec<(String, String)>,
}

impl Params {
    pub(super) fn read(query: &str) -> Result<Params, String> {
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push((percent_decoded(name)?, percent_decoded(value)?));
        }
        Ok(Params { pairs })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let last = self.pairs.iter().rev().find(|(known, _)| known == name);
        last.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| name.as_str())
    }

    /// `1` sets a switch; `0` and absence leave it off.
    pub(super) fn switch(&self, name: &str) -> Result<bool, String> {
        Ok(self.choice(name, &["0", "1"])?.is_some_and(|value| value == "1"))
    }

    pub(super) fn choice(&self, name: &str, of: &[&str]) -> Result<Option<&str>, String> {
        match self.get(name) {
            Some(value) if !of.contains(&value) => {
                Err(format!("{name} must be one of {}, got {}", of.join(", "), quoted(value)))
            }
            other => Ok(other),
        }
    }

    pub(super) fn whole(&self, name: &str, least: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.parse::<u64>() {
            Ok(number) if number >= least => Ok(Some(number)),
            _ => Err(format!("{name} must be a whole number of at least {least}, got {}", quoted(value))),
        }
    }

    /// Comma-separated values, any of which may match.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let value = self.get(name).unwrap_or_default();
        value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }
}

/// What a stranger sent, short enough for an error text.
pub(super) fn quoted(value: &str) -> String {
    let mut short: String = value.chars().take(40).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// At most so many bytes, whole characters only.
pub(super) fn clipped(text: &str, bytes: usize) -> String {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].to_owned()
}

pub(super) fn percent_decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let pair = [rest.next(), rest.next()];
                let digit = |at: Option<u8>| at.and_then(|digit| (digit as char).to_digit(16));
                match (digit(pair[0]), digit(pair[1])) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    _ => return Err(format!("{} is not percent-encoded", quoted(text))),
                }
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", quoted(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_the_last_wins() {
        let params = Params::read("title=a%20b+c&title=d%2Ce&empty=&flag").unwrap();
        assert_eq!(params.get("title"), Some("d,e"));
        assert_eq!(params.get("empty"), None);
        assert_eq!(params.list("title"), ["d", "e"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        assert!(Params::read("title=%zz").unwrap_err().contains("percent"));
        assert!(Params::read("title=%ff").unwrap_err().contains("UTF-8"));
        let params = Params::read("limit=-5&offset=x&dedup=2").unwrap();
        assert_eq!(params.whole("limit", 1).unwrap_err(), "limit must be a whole number of at least 1, got \"-5\"");
        assert!(params.whole("offset", 0).is_err());
        assert!(params.switch("dedup").is_err());
    }
}
