//! Web addresses in rows. Decides what may be done with each kind, in one place.

/// Whether it is an address of the web: http or https, named as such.
pub fn is_web(text: &str) -> bool {
    ["https://", "http://"].into_iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme))
}

/// No terminal is asked to keep more than this.
const LONGEST: usize = 2_000;

/// Whether a terminal may be told of it: plain letters only, of which none can end the telling.
pub fn is_tellable(text: &str) -> bool {
    is_web(text) && text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_and_only_plain_ones_are_told() {
        assert!(is_tellable("https://quailrun.example/team?a=1&b=2#c") && is_tellable("http://quailrun.example"));
        let long = format!("https://{}", "x".repeat(LONGEST));
        for other in ["", "https://", "file:///etc/passwd", "javascript:alert(1)", "quailrun.example", &long] {
            assert!(!is_tellable(other), "{other}");
        }
        for broken in
            ["https://x.example/\u{1b}\\", "https://x.example/\u{9c}", "https://x.example/a b", "https://é.example"]
        {
            assert!(is_web(broken) && !is_tellable(broken), "{broken:?}");
        }
    }
}
