//! A suppression list as people keep it: a CSV of e-mails and domains, with or without heads, in whatever column they are.
//!
//! A cell counts where the whole of it is an address, a domain or a link; everything else (names, notes, heads) is passed over,
//! and so is a masked address: it could be anybody's.

use crate::effect::store::SuppressEntry;
use lode_core::credits::grouped;
use lode_core::scrub::scrub;

/// `3 emails, 1 domain`.
pub fn contents(entries: &[SuppressEntry]) -> String {
    const KINDS: [(&str, &str); 5] = [
        ("email", "emails"),
        ("domain", "domains"),
        ("phone", "phones"),
        ("person", "people"),
        ("contact", "contacts"),
    ];
    let mut counts = [0u64; KINDS.len()];
    for entry in entries {
        counts[match entry {
            SuppressEntry::Email { .. } => 0,
            SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_) => 1,
            SuppressEntry::Phone { .. } => 2,
            SuppressEntry::Person { .. } => 3,
            SuppressEntry::Contact(..) => 4,
        }] += 1;
    }
    let named = counts.into_iter().zip(KINDS).filter(|(count, _)| *count > 0);
    let words = named.map(|(count, (one, many))| format!("{} {}", grouped(count), if count == 1 { one } else { many }));
    words.collect::<Vec<_>>().join(", ")
}

/// What the text of a file names, each once, in its order.
pub fn read(text: &str) -> Vec<SuppressEntry> {
    let mut seen = std::collections::BTreeSet::new();
    let cells = text.trim_start_matches('\u{feff}').split(['\n', '\r', ',', ';', '\t']);
    cells.filter_map(entry).filter(|entry| seen.insert(entry.clone())).collect()
}

pub(super) fn entry(cell: &str) -> Option<SuppressEntry> {
    // A byte order mark, invisible in the file, would keep a name from ever being found.
    let cell = scrub(cell);
    let cell = cell.trim().trim_matches('"').trim().to_lowercase();
    // Programs that make links of links write it twice.
    let bare = cell.trim_start_matches("mailto:");
    if let Some((local, domain)) = bare.rsplit_once('@') {
        return match local {
            "" => is_domain(domain).then(|| SuppressEntry::Domain(domain.to_owned())),
            local if is_local(local) && is_domain(domain) => Some(SuppressEntry::email(bare)),
            _ => None,
        };
    }
    let linked = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
    let host = linked.map_or(bare, |link| link.split(['/', '?', '#']).next().unwrap_or(""));
    let host = host.strip_prefix("www.").unwrap_or(host);
    is_domain(host).then(|| SuppressEntry::Domain(host.to_owned()))
}

fn is_local(local: &str) -> bool {
    !local.is_empty()
        && !local.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '@' | '<' | '>' | '"' | '•'))
}

pub(super) fn is_domain(domain: &str) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    let fits = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    let last = labels.last().copied().unwrap_or("");
    labels.len() >= 2
        && labels.iter().all(fits)
        && last.chars().count() >= 2
        && (last.starts_with("xn--") || last.chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_domains_are_found_in_any_column() {
        let text = "\u{feff}Name,E-mail,Site\r\n\"Dana, W.\",\"Dana@Lakeside.example\",https://www.quailrun.example/about\n\
                    ,@harbor.example;elm.example\nTom,not an address,3.5\nDana@lakeside.example\n";
        let email = |text: &str| SuppressEntry::email(text);
        let domain = |text: &str| SuppressEntry::Domain(text.to_owned());
        assert_eq!(
            read(text),
            [
                email("dana@lakeside.example"),
                domain("quailrun.example"),
                domain("harbor.example"),
                domain("elm.example")
            ]
        );
    }

    #[test]
    fn a_link_of_a_link_names_whom_it_leads_to() {
        assert_eq!(
            read("mailto:Dana@lakeside.example;mailto:mailto:tom@lakeside.example"),
            ["dana@lakeside.example", "tom@lakeside.example"].map(SuppressEntry::email)
        );
    }

    #[test]
    fn invisible_marks_hide_no_entry() {
        let domain = SuppressEntry::Domain("harbor.example".to_owned());
        assert_eq!(
            read("\u{200b}dana@lakeside.example\n\u{202e}harbor.example"),
            [SuppressEntry::email("dana@lakeside.example"), domain]
        );
    }

    #[test]
    fn what_is_neither_names_no_contact() {
        assert_eq!(read("Name,Phone\nTom Beckett,512 555 0142\n-,1.2.3.4,a@b,x@,@,.,..,d•••@lakeside.example\n"), []);
    }
}
