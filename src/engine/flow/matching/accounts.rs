//! Accounts from a CSV: which of its columns name the company and its domain, and what each line asks for.

use super::*;
use lode_core::crm::{self, Column};

/// More lines than this are days of requests.
const MOST: usize = 100_000;

/// A list of accounts as it was read, with every column it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accounts {
    pub heads: Vec<String>,
    pub lines: Vec<AccountLine>,
    /// The names of the columns that are matched by.
    pub by: Vec<String>,
    /// Tells this text from every other one.
    pub digest: String,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountLine {
    /// As an editor counts them; the head is line 1.
    pub line: usize,
    pub cells: Vec<String>,
    /// As it is written; empty where the line has none.
    pub company: String,
    pub normal: String,
    pub domain: Option<String>,
    /// How the company's name may be written, without its legal form; empty if it has none.
    pub names: Vec<String>,
    /// A word of the name that finds the company under other spellings.
    pub word: Option<String>,
}

impl Accounts {
    /// Fails with the reason why the text is not a list of accounts.
    pub fn read(text: &str) -> Result<Accounts, String> {
        let text = text.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            return Err("it is empty".to_owned());
        }
        let mut records = crm::records(text).map_err(|line| {
            format!("line {line} opens a quotation mark that is not closed: what follows it cannot be read")
        })?;
        let clean = |cell: &str| scrub(cell).trim().to_owned();
        let (line, first) = records.next().ok_or("it is empty")?;
        let mut heads: Vec<String> = first.iter().map(clean).collect();
        // A single column of domains needs no head.
        let has_no_head = heads.len() == 1 && firm::domain(&heads[0]).is_some();
        if has_no_head {
            heads = vec!["domain".to_owned()];
        }
        let columns: Vec<Option<Column>> = heads.iter().map(|head| column(head)).collect();
        if columns.iter().all(Option::is_none) {
            let named = crm::named(&heads);
            let needs = "a list of accounts needs a company or a domain";
            return Err(format!("it has no usable column: its columns are {named}; {needs}"));
        }
        let mut lines = Vec::new();
        for (line, record) in has_no_head.then_some((line, first)).into_iter().chain(records) {
            if lines.len() == MOST {
                return Err(format!("it has more lines than the limit of {MOST}; split it"));
            }
            let mut cells: Vec<String> = record.iter().map(clean).collect();
            cells.resize(heads.len(), String::new());
            let of = |wanted: Column| {
                let named = cells.iter().zip(&columns).filter(move |(_, column)| **column == Some(wanted));
                named.map(|(cell, _)| cell.as_str()).filter(|cell| !cell.is_empty())
            };
            let company = of(Column::Company).next().unwrap_or_default().to_owned();
            let email = || of(Column::Email).filter_map(firm::domain).find(|host| !firm::is_mail_host(host));
            let domain = of(Column::Domain).find_map(firm::domain).or_else(email);
            lines.push(AccountLine::new(line, cells, company, domain));
        }
        if !lines.iter().any(|line| line.is_usable()) {
            return Err("it names no company: no line has a company name or a domain".to_owned());
        }
        let by = heads.iter().zip(&columns).filter(|(_, column)| column.is_some());
        let by = by.map(|(head, _)| head.clone()).collect();
        Ok(Accounts { heads, lines, by, digest: digest(text) })
    }
}

impl AccountLine {
    pub fn new(line: usize, cells: Vec<String>, company: String, domain: Option<String>) -> AccountLine {
        let normal = firm::normal(&company);
        let names = if normal.is_empty() { Vec::new() } else { names(&company) };
        AccountLine { line, cells, normal, company, domain, word: word(&names), names }
    }

    /// The company as it is written, else the domain.
    pub fn title(&self) -> &str {
        if self.company.is_empty() { self.domain.as_deref().unwrap_or_default() } else { &self.company }
    }

    /// Whether there is anything to ask for.
    pub fn is_usable(&self) -> bool {
        self.domain.is_some() || !self.normal.is_empty()
    }
}

/// The columns that name an account.
fn column(head: &str) -> Option<Column> {
    match Column::of(head) {
        Some(column @ (Column::Company | Column::Domain | Column::Email)) => Some(column),
        // In a list of accounts a plain name is the company's.
        Some(Column::Name) if !head.to_lowercase().contains("contact") => Some(Column::Company),
        _ => None,
    }
}

/// The name of a company without its article and legal form: as it is written, without punctuation, and with `&` for `and` and
/// the reverse.
fn names(company: &str) -> Vec<String> {
    let name = firm::without_legal_form(company);
    let name = match name.split_once(char::is_whitespace) {
        Some((first, rest)) if first.eq_ignore_ascii_case("the") && !rest.trim().is_empty() => rest.trim().to_owned(),
        _ => name,
    };
    let parted = |c: char| if c.is_alphanumeric() || c == '&' { c } else { ' ' };
    let plain = name.chars().filter(|c| !matches!(c, '.' | '\'' | '’' | '`')).map(parted).collect::<String>();
    let plain = plain.replace('&', " & ");
    let with = |and: Option<&'static str>| {
        let is_and = |word: &str| word == "&" || word.eq_ignore_ascii_case("and");
        let words = plain.split_whitespace().map(|word| and.filter(|_| is_and(word)).unwrap_or(word));
        words.collect::<Vec<&str>>().join(" ")
    };
    let mut names = vec![name];
    for other in [with(None), with(Some("&")), with(Some("and"))] {
        if !other.is_empty() && !names.iter().any(|name| name.to_lowercase() == other.to_lowercase()) {
            names.push(other);
        }
    }
    names
}

/// The word by which a company is found however the punctuation and blanks of its name are written: the first longer one, without
/// an `s` that an apostrophe may precede.
fn word(names: &[String]) -> Option<String> {
    let is_common = |word: &&str| ["and", "for", "of", "the"].contains(&word.to_lowercase().as_str());
    let parts = || names.first().into_iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric()));
    let words = || parts().filter(|word| !is_common(word));
    let length = |word: &&str| word.chars().count();
    let word = words().find(|word| length(word) >= 4).or_else(|| words().max_by_key(length))?;
    let word = if length(&word) > 4 { word.trim_end_matches(['s', 'S']) } else { word };
    let is_new = names.iter().all(|name| name.to_lowercase() != word.to_lowercase());
    (is_new && length(&word) >= 3).then(|| word.to_owned())
}

/// FNV-1a over all bytes, and the length.
fn digest(text: &str) -> String {
    let hash = |seed: u64| text.bytes().fold(seed, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{:016x}{:016x}-{}", hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_with_any_delimiter_and_without_the_byte_order_mark() {
        for (heads, delimiter) in [
            ("Account Name,Website,Owner", ','),
            ("company;domain;rank", ';'),
            ("Name\tURL\tSegment", '\t'),
            ("Organization|Company Domain Name|x", '|'),
        ] {
            let text = format!("\u{feff}{heads}\r\n\"Lakeside, Inc.\"{delimiter}www.lakeside.example{delimiter}7\r\n");
            let accounts = Accounts::read(&text).unwrap();
            assert_eq!(accounts.heads.len(), 3, "{heads}");
            let account = &accounts.lines[0];
            assert_eq!((account.line, account.company.as_str()), (2, "Lakeside, Inc."), "{heads}");
            assert_eq!((account.normal.as_str(), account.domain.as_deref()), ("lakeside", Some("lakeside.example")));
            assert_eq!(account.cells[2], "7");
        }
    }

    #[test]
    fn a_bare_list_of_domains_and_addresses_of_people_are_accounts_too() {
        let bare = Accounts::read("lakeside.example\nquail.example\n").unwrap();
        assert_eq!(bare.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 2]);
        let people = Accounts::read("Email,Title\ndana@gmail.com,CEO\ntom@quail.example,CEO\n").unwrap();
        assert_eq!(people.lines[0].domain, None);
        assert_eq!(people.lines[1].domain.as_deref(), Some("quail.example"));
        assert_eq!(people.by, ["Email"]);
    }

    #[test]
    fn what_makes_no_list_says_why() {
        let why = |text: &str| Accounts::read(text).unwrap_err();
        assert_eq!(why("\u{feff}\r\n "), "it is empty");
        let needs = "a list of accounts needs a company or a domain";
        let columns = format!("it has no usable column: its columns are `Title`, `City`; {needs}");
        assert_eq!(why("Title,City\nCEO,Austin\n"), columns);
        let nothing = "it names no company: no line has a company name or a domain";
        assert_eq!(why("Company,Website\n,\n , -\n"), nothing);
    }
}
