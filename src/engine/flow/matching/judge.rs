//! Judges the rows found for one account. A row belongs to an account if its name or domain fits, compared here whatever
//! the service was asked; between two companies that fit, a person decides.

use strum::IntoStaticStr;

use super::accounts::AccountLine;
use super::*;

pub use lode_core::firm::CompanyCandidate;

/// Candidates that are named for one account.
const CANDIDATES: usize = 10;

/// What became of one line of the list.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum MatchResult {
    /// `rows`: as many contacts as are wanted of an account.
    Matched { company: String, domain: Option<String>, rows: Vec<Row> },
    /// Never picked from: a person decides.
    Ambiguous { candidates: Vec<CompanyCandidate>, why: &'static str },
    /// No company fits.
    None,
}

/// How a contact of a match agrees with its account: one without an employer's domain, such as with a private email, by the company
/// alone.
pub fn matched_by(account: &AccountLine, row: &Row) -> &'static str {
    let domains = account.domain.as_ref().zip(domain_of(row));
    if domains.is_some_and(|(wanted, domain)| is_same(wanted, &domain)) { "domain" } else { "company" }
}

impl MatchResult {
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The contacts of a match.
    pub fn rows(&self) -> &[Row] {
        if let MatchResult::Matched { rows, .. } = self { rows } else { &[] }
    }
}

fn is_same(one: &str, other: &str) -> bool {
    firm::comparable(one) == firm::comparable(other)
}

/// The domain that tells a row's employer: its website, else the domain of its email unless that is a mail provider's.
pub fn domain_of(row: &Row) -> Option<String> {
    let website = firm::domain(row.known(Known::Website));
    let mail = || {
        let is_personal = row.known(Known::EmailDomainType).eq_ignore_ascii_case("personal");
        let domain = row.email_domain().filter(|_| !is_personal).and_then(firm::domain);
        domain.filter(|domain| !firm::is_mail_host(domain))
    };
    website.or_else(mail)
}

/// The rows seen for one account, by firm.
#[derive(Clone, Debug, Default)]
pub struct CompaniesSeen {
    firms: BTreeMap<(String, Option<String>), Firm>,
    seen: BTreeSet<RowId>,
    /// Name, company and email: a service may have one person under several ids.
    people: BTreeSet<[String; 3]>,
}

#[derive(Clone, Debug)]
struct Firm {
    company: String,
    rows: Vec<Row>,
    contacts: u64,
}

impl CompaniesSeen {
    /// One more row; at most `per` of a firm are kept.
    pub fn add(&mut self, row: &Row, per: usize) {
        let is_seen = row.id().is_some_and(|id| !self.seen.insert(id));
        if is_seen || choose::person(row).is_some_and(|person| !self.people.insert(person)) {
            return;
        }
        let company = row.known(Known::Company);
        let new = || Firm { company: company.to_owned(), rows: Vec::new(), contacts: 0 };
        let firm = self.firms.entry((firm::normal(company), domain_of(row))).or_insert_with(new);
        firm.contacts += 1;
        if firm.rows.len() < per {
            firm.rows.push(row.clone());
        }
    }

    /// Whether a company of the account's very name was seen, whatever its domain.
    pub fn has_name(&self, account: &AccountLine) -> bool {
        self.firms.keys().any(|(name, _)| Similarity::of(&account.normal, name) == Similarity::Same)
    }

    /// What they come to. `whole`: everything that the service has was read.
    pub fn judge(&self, account: &AccountLine, per: usize, whole: bool) -> MatchResult {
        let against = |(key, firm)| {
            let (name, domain): &(String, Option<String>) = key;
            let domains = account.domain.as_ref().zip(domain.as_ref());
            let same_domain = domains.map(|(wanted, domain)| is_same(wanted, domain));
            let of_name = Similarity::of(&account.normal, name);
            Compared { name, domain: domain.as_ref(), firm, same_domain, of_name }
        };
        let all: Vec<Compared<'_>> = self.firms.iter().map(against).collect();
        let has_same_name = |one: &Compared<'_>| one.of_name == Similarity::Same;
        let has_same_domain = |one: &Compared<'_>| one.same_domain == Some(true);
        let fits = |one: &&Compared<'_>| match one.same_domain {
            Some(true) => account.normal.is_empty() || one.of_name != Similarity::Other,
            Some(false) => false,
            None => has_same_name(one),
        };
        let mut fitting: Vec<&Compared<'_>> = all.iter().filter(fits).collect();
        // Where the very name is there, a name that is only like it is another firm's.
        if fitting.iter().any(|one| has_same_name(one)) {
            fitting.retain(|one| has_same_name(one));
        }
        // A namesake elsewhere: whose a row without a domain is, is not known.
        if all.iter().any(|one| one.same_domain == Some(false) && has_same_name(one)) {
            fitting.retain(|one| has_same_domain(one));
        }
        let names: BTreeSet<String> = fitting.iter().map(|one| one.name.replace(' ', "")).collect();
        let domains: BTreeSet<&String> = fitting.iter().filter_map(|one| one.domain).collect();
        let spellings: BTreeSet<String> = domains.iter().map(|domain| firm::comparable(domain)).collect();
        if names.len() > 1 || spellings.len() > 1 {
            return ambiguous(&fitting, "several companies fit", |_| "fits");
        }
        let by_domain = fitting.iter().any(|one| has_same_domain(one));
        match fitting.first() {
            Some(first) if by_domain || whole => MatchResult::Matched {
                company: first.firm.company.clone(),
                domain: domains.first().map(|domain| (*domain).clone()),
                // Those whose domain is known come first.
                rows: fitting.iter().rev().flat_map(|one| &one.firm.rows).take(per).cloned().collect(),
            },
            Some(_) => ambiguous(&fitting, "not all rows of this name were read", |_| "same name"),
            None => {
                let is_like = |one: &&Compared<'_>| has_same_domain(one) || one.of_name != Similarity::Other;
                let alike: Vec<&Compared<'_>> = all.iter().filter(is_like).collect();
                ambiguous(&alike, "no company fits in name and domain", |one| match (one.same_domain, one.of_name) {
                    (Some(true), _) => "same domain, other name",
                    (_, Similarity::Same) => "same name, other domain",
                    (_, Similarity::Near) => "name nearly the same",
                    _ => "name is a part of the other",
                })
            }
        }
    }
}

/// A firm against an account.
struct Compared<'f> {
    name: &'f str,
    domain: Option<&'f String>,
    firm: &'f Firm,
    /// Whether it has the domain of the account; `None` where one of the two is not known.
    same_domain: Option<bool>,
    of_name: Similarity,
}

fn ambiguous(firms: &[&Compared<'_>], why: &'static str, each: impl Fn(&Compared<'_>) -> &'static str) -> MatchResult {
    let candidate = |one: &&Compared<'_>| CompanyCandidate {
        company: one.firm.company.clone(),
        domain: one.domain.cloned(),
        contacts: one.firm.contacts,
        why: each(one),
    };
    let mut candidates: Vec<CompanyCandidate> = firms.iter().map(candidate).collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.contacts));
    candidates.truncate(CANDIDATES);
    if candidates.is_empty() { MatchResult::None } else { MatchResult::Ambiguous { candidates, why } }
}

/// Accounts by domain and name, so that a corpus is read once whatever the length of the list. Values are places in the list.
#[derive(Clone, Debug, Default)]
pub struct Index(HashMap<(&'static str, String), Vec<usize>>);

/// The keys of a company: its domain, and the first word and the spellings of its normal name.
fn keys(name: &str, domain: Option<&str>) -> impl Iterator<Item = (&'static str, String)> {
    let domain = domain.map(|domain| ("domain", firm::comparable(domain)));
    let name = Some(name).filter(|name| !name.is_empty());
    let word = name.and_then(|name| name.split(' ').next()).map(|word| ("word", word.to_owned()));
    let spellings = name.into_iter().flat_map(firm::spellings).map(|spelling| ("spelling", spelling));
    domain.into_iter().chain(word).chain(spellings)
}

impl Index {
    pub fn of(accounts: &[AccountLine]) -> Index {
        let mut index = Index::default();
        for (at, account) in accounts.iter().enumerate() {
            for key in keys(&account.normal, account.domain.as_deref()) {
                index.0.entry(key).or_default().push(at);
            }
        }
        index
    }

    /// Adds each row to what was seen of the accounts that it is of, or is like.
    pub fn sort(&self, rows: &[Row], firms: &mut [CompaniesSeen], per: usize) {
        for row in rows {
            self.accounts(row).into_iter().for_each(|at| firms[at].add(row, per));
        }
    }

    /// The accounts that a row is of, or is like.
    pub fn accounts(&self, row: &Row) -> BTreeSet<usize> {
        let (name, domain) = (firm::normal(row.known(Known::Company)), domain_of(row));
        keys(&name, domain.as_deref()).filter_map(|key| self.0.get(&key)).flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lode_core::row::{CellKind, ColumnNames};

    fn row(id: i64, company: &str, email: &str) -> Row {
        let columns = Arc::new(ColumnNames::new(["company_name", "email"]));
        Row::new(Some(RowId(id)), false, columns, [(CellKind::Text, company), (CellKind::Text, email)])
    }

    fn account(company: &str, domain: Option<&str>) -> AccountLine {
        let (company, domain) = (company.to_owned(), domain.map(str::to_owned));
        AccountLine::new(2, Vec::new(), company, domain)
    }

    fn judge(account: &AccountLine, rows: &[(&str, &str)]) -> MatchResult {
        let mut firms = CompaniesSeen::default();
        for (id, (company, email)) in (1..).zip(rows) {
            firms.add(&row(id, company, email), 5);
        }
        firms.judge(account, 5, true)
    }

    #[test]
    fn only_one_firm_that_agrees_in_name_and_domain_is_a_match() {
        let lakeside = ("Lakeside Regional, Inc.", "d•••@lakeside.example");
        let private = ("Lakeside Regional", "d•••@gmail.com");
        let other = ("Lakeside Regional", "x•••@elsewhere.example");
        let hospital = ("Lakeside Regional Hospital", "x•••@hospital.example");
        let named = || account("LAKESIDE REGIONAL LLC", None);
        let both = || account("Lakeside Regional", Some("lakeside.example"));
        for (account, rows, expected) in [
            (named(), vec![lakeside, private, hospital], "matched"),
            (both(), vec![lakeside, private, other, hospital], "matched"),
            (account("", Some("lakeside.example")), vec![lakeside, lakeside], "matched"),
            // A slip in the name, with the right domain beside it.
            (account("Lakesid Regional", Some("lakeside.example")), vec![lakeside], "matched"),
            (named(), vec![lakeside, other], "ambiguous"),
            (account("Lakesid Regional", None), vec![lakeside], "ambiguous"),
            (account("Lakeside", None), vec![lakeside], "ambiguous"),
            (account("Lakeside Regional", Some("lakesid.example")), vec![lakeside], "ambiguous"),
            (account("Lakeside Regional", Some("lakesid.example")), vec![private, lakeside], "ambiguous"),
            (account("Quail Run", Some("lakeside.example")), vec![lakeside], "ambiguous"),
            (
                account("", Some("lakeside.example")),
                vec![lakeside, ("Quail Run", "q•••@lakeside.example")],
                "ambiguous",
            ),
            (account("Quail Run", None), vec![lakeside, hospital], "none"),
            (named(), vec![], "none"),
        ] {
            let verdict = judge(&account, &rows);
            assert_eq!(verdict.name(), expected, "{account:?} {verdict:?}");
        }
        for (rows, expected) in [(vec![private, lakeside], vec![2, 1]), (vec![private, lakeside, other], vec![2])] {
            let MatchResult::Matched { rows, domain, .. } = judge(&both(), &rows) else { panic!() };
            assert_eq!((matched_by(&both(), &rows[0]), domain.as_deref()), ("domain", Some("lakeside.example")));
            assert_eq!(rows.iter().map(|row| row.id().unwrap().0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_name_that_was_not_read_to_the_end_does_not_match() {
        let mut firms = CompaniesSeen::default();
        firms.add(&row(1, "Apex", "a@apex.example"), 5);
        assert_eq!(firms.judge(&account("Apex", None), 5, false).name(), "ambiguous");
        assert_eq!(firms.judge(&account("Apex", Some("apex.example")), 5, false).name(), "matched");
    }
}
