//! Companies by name and domain: the normal form in which two spellings are one, and how alike two names are.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Forms of a company that say nothing about which company it is. They count only at the end of a name.
static LEGAL: LazyLock<HashSet<&str>> = LazyLock::new(|| lode_assets::LEGAL_FORMS.lines().collect());

/// Mail providers: an address there says nothing about an employer.
static MAIL_HOSTS: LazyLock<HashSet<&str>> = LazyLock::new(|| lode_assets::MAIL_HOSTS.lines().collect());

/// The words of a name in lower case, with a blank between two; `&` is `and`, dots and apostrophes part nothing: `L.L.C.` is one
/// word.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    let end_word = |words: &mut String| {
        if !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
    };
    for c in name.chars() {
        match c {
            '.' | '\'' | '’' | '`' => {}
            '&' => {
                end_word(&mut words);
                words.push_str("and ");
            }
            c if c.is_alphanumeric() => words.push(c),
            _ => end_word(&mut words),
        }
    }
    words.trim_end().to_lowercase()
}

/// How many words at the end are the legal form. A name is never the legal form alone.
fn legal(words: &str) -> usize {
    let forms = words.rsplit(' ').take_while(|word| LEGAL.contains(word)).count();
    forms.min(words.split(' ').count().saturating_sub(1))
}

/// The name in its normal form: `The Lakeside Regional, Inc.` and `lakeside regional` have the same. Empty where nothing is left.
pub fn normal(name: &str) -> String {
    let mut words = words(name);
    for _ in 0..legal(&words) {
        words.truncate(words.rfind(' ').unwrap_or(0));
    }
    match words.strip_prefix("the ") {
        Some(rest) => rest.to_owned(),
        None => words,
    }
}

/// The name to ask a service for: as it is written, without its legal form.
pub fn without_legal_form(name: &str) -> String {
    let mut rest = name.trim();
    for _ in 0..legal(&words(name)) {
        let cut = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        let start = cut.rfind(|c: char| c.is_whitespace() || c == ',').map_or(0, |at| at + 1);
        rest = cut[..start].trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '('));
    }
    rest.to_owned()
}

/// How alike two names in normal form are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Similarity {
    Other,
    /// One begins with all words of the other.
    Part,
    /// A letter is added, left out, changed, or two are swapped.
    Near,
    Same,
}

impl Similarity {
    pub fn of(one: &str, other: &str) -> Similarity {
        if one.is_empty() || other.is_empty() {
            Similarity::Other
        } else if one == other || one.replace(' ', "") == other.replace(' ', "") {
            Similarity::Same
        } else if !spellings(one).is_disjoint(&spellings(other)) {
            Similarity::Near
        } else if begins(one, other) || begins(other, one) {
            Similarity::Part
        } else {
            Similarity::Other
        }
    }
}

fn begins(longer: &str, shorter: &str) -> bool {
    shorter.len() >= 4 && longer.strip_prefix(shorter).is_some_and(|rest| rest.starts_with(' '))
}

/// The name without blanks, and without each of its letters: names that are near each other share one of them. Short names have
/// only themselves.
pub fn spellings(normal: &str) -> BTreeSet<String> {
    let letters: Vec<char> = normal.chars().filter(|c| *c != ' ').collect();
    let mut all = BTreeSet::from([letters.iter().collect::<String>()]);
    if letters.len() >= 5 {
        let without = |out| letters.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, c)| c).collect::<String>();
        all.extend((0..letters.len()).map(without));
    }
    all
}

/// The domain that an address of a website, an email or a plain domain names, without `www.`.
pub fn domain(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.len() <= 63 && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let last = labels.last().copied().unwrap_or_default();
    let is_domain = labels.len() > 1 && labels.iter().all(is_label) && last.chars().any(char::is_alphabetic);
    (is_domain && host.len() <= 253).then(|| host.to_owned())
}

/// The ASCII spelling of a domain, in which `bücher.example` and `xn--bcher-kva.example` are one. `None` without a valid one:
/// such a domain cannot be compared with others.
pub fn ascii(domain: &str) -> Option<String> {
    if is_international(domain) { idna::domain_to_ascii(domain).ok() } else { Some(domain.to_ascii_lowercase()) }
}

/// Whether a domain has letters outside of ASCII, in either spelling.
pub fn is_international(domain: &str) -> bool {
    !domain.is_ascii()
        || domain.split('.').any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

/// The ASCII spelling of a domain, or the domain itself without one.
pub fn comparable(domain: &str) -> String {
    ascii(domain).unwrap_or_else(|| domain.to_owned())
}

/// Whether the domain belongs to a mail provider and so to no company.
pub fn is_mail_host(domain: &str) -> bool {
    MAIL_HOSTS.contains(domain)
}

/// The company of a contact: the domain of its email where that is a company's, else the normalized name. A domain has a dot
/// and a normalized name has none, so the two are never taken for each other.
pub fn key(email: &str, email_type: &str, company: &str) -> Option<String> {
    let at = email.rsplit_once('@').filter(|_| !email_type.eq_ignore_ascii_case("personal"));
    let domain = at.and_then(|(_, host)| domain(host)).filter(|domain| !is_mail_host(domain));
    domain.map(|domain| comparable(&domain)).or_else(|| Some(normal(company)).filter(|name| !name.is_empty()))
}

// A company that an account of a list may mean.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "CandidateShape")]
pub struct CompanyCandidate {
    pub company: String,
    pub domain: Option<String>,
    /// Contacts that were seen of it.
    pub contacts: u64,
    pub why: &'static str,
}

impl CompanyCandidate {
    /// `Quail Run (quail.example)`
    pub fn title(&self) -> String {
        let company = &self.company;
        self.domain.as_ref().map_or_else(|| company.clone(), |domain| format!("{company} ({domain})"))
    }
}
