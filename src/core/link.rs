//! Addresses in rows. Decides what may be done with each kind, in one place.

use strum::Display;

use crate::firm;
use crate::row::{Known, Row};

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

/// What opens with another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display)]
pub enum LeadKind {
    Website,
    Profile,
    #[strum(to_string = "Email")]
    Mail,
    Phone,
}

/// Where a row leads outside of lode. Rows come from strangers: only http(s), mailto and tel are made of what they say, and what could
/// end or extend an address is percent-encoded. A masked value leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    pub kind: LeadKind,
    /// As the row has it.
    pub text: String,
    address: String,
    /// What the template of an email can name, in the order of [`FIELDS`].
    fields: [String; FIELDS.len()],
}

/// The names that a template can have in braces.
pub const FIELDS: [&str; 6] = ["name", "first_name", "title", "company", "city", "state"];

/// Subject and body of an email to a contact, with `{name}` and the like in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailTemplate {
    pub subject: String,
    pub body: String,
}

/// Where a row leads: what the row says, and the address made of it.
fn addresses(row: &Row) -> impl Iterator<Item = (LeadKind, &str, String)> {
    let [website, profile, phone] = [Known::Website, Known::Linkedin, Known::Phone].map(|column| row.known(column));
    let found = [
        (LeadKind::Website, website),
        (LeadKind::Profile, profile),
        (LeadKind::Mail, row.email()),
        (LeadKind::Phone, phone),
    ];
    let address = |kind, text: &str| match kind {
        LeadKind::Website | LeadKind::Profile => web(text),
        LeadKind::Mail => mail(text),
        LeadKind::Phone => tel(text),
    };
    let filled = found.into_iter().filter(|(_, text)| !text.is_empty());
    filled.filter_map(move |(kind, text)| Some((kind, text, address(kind, text)?)))
}

/// The kinds of leads that a row has, without their texts: asked at every key.
pub fn kinds(row: &Row) -> impl Iterator<Item = LeadKind> {
    addresses(row).map(|(kind, ..)| kind)
}

/// The leads of a row, in the order of a list.
pub fn leads(row: &Row) -> Vec<Lead> {
    let lead = |(kind, text, address): (LeadKind, &str, String)| {
        let (name, known) = (row.name(), |column| row.known(column).to_owned());
        let first = Some(known(Known::FirstName)).filter(|first| !first.is_empty());
        let first = first.unwrap_or_else(|| name.split(' ').next().unwrap_or_default().to_owned());
        let fields = [name, first, known(Known::Title), known(Known::Company), known(Known::City), known(Known::State)];
        Lead { kind, text: text.to_owned(), address, fields: fields.map(|field| one_line(&field)) }
    };
    addresses(row).map(lead).collect()
}

impl Lead {
    /// The address to open. It begins with its scheme and has only ASCII letters, digits and signs of an address.
    pub fn address(&self, template: &MailTemplate) -> String {
        let (subject, body) = (one_line(&self.filled(&template.subject)), self.filled(&template.body));
        let body = body.replace("\r\n", "\n").replace('\n', "\r\n");
        let parts = [("subject", subject), ("body", body)].into_iter().filter(|(_, text)| !text.is_empty());
        let parts: Vec<String> = parts.map(|(name, text)| format!("{name}={}", encoded(&text, ""))).collect();
        if self.kind != LeadKind::Mail || parts.is_empty() {
            return self.address.clone();
        }
        format!("{}?{}", self.address, parts.join("&"))
    }

    /// A template with the fields of the row. What a row says is not looked at again.
    fn filled(&self, template: &str) -> String {
        let mut parts = template.split('{');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let field = part.split_once('}').and_then(|(name, rest)| Some((field(name)?, rest)));
            match field {
                Some((at, rest)) => filled.extend([self.fields[at].as_str(), rest]),
                None => filled.extend(["{", part]),
            }
        }
        filled
    }
}

fn field(name: &str) -> Option<usize> {
    FIELDS.iter().position(|known| *known == name)
}

/// The first name in braces that is not a field.
pub fn unknown_field(template: &str) -> Option<&str> {
    let named = template.split('{').skip(1).filter_map(|part| part.split_once('}'));
    named.map(|(name, _)| name).find(|name| field(name).is_none())
}

/// Line breaks would begin another header of an email.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn is_masked(text: &str) -> bool {
    text.contains(['•', '*'])
}

/// Everything but letters, digits, `-._~` and what is kept is written as bytes.
fn encoded(text: &str, keeps: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() || keeps.as_bytes().contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// An address of the web, or a plain domain with what may follow it.
fn web(text: &str) -> Option<String> {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
    let scheme = ["https", "http"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known))?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_there = !is_masked(text) && !host.contains('@') && firm::domain(host).is_some();
    is_there.then(|| format!("{scheme}://{}", encoded(rest, "/:?#@&=+,;%")))
}

fn mail(text: &str) -> Option<String> {
    let (name, domain) = text.trim().split_once('@').filter(|(name, _)| !name.is_empty() && !is_masked(text))?;
    let is_domain = firm::domain(domain).is_some() && !domain.contains(['@', '/', ':', '?', '#']);
    is_domain.then(|| format!("mailto:{}@{}", encoded(name, ""), encoded(domain, "")))
}

fn tel(text: &str) -> Option<String> {
    let text = text.trim().split(['x', 'X', 'e', 'E']).next().unwrap_or_default();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b" ()-.+/".contains(&byte));
    let digits = || text.chars().filter(char::is_ascii_digit);
    let plus = if text.starts_with('+') { "+" } else { "" };
    (is_plain && (5..=15).contains(&digits().count())).then(|| format!("tel:{plus}{}", digits().collect::<String>()))
}
