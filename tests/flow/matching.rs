//! A match of a thousand accounts in virtual time: nothing is picked silently, nothing answered is asked twice, and no minute has
//! more than 120 requests.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::filter::Filter;
use lode_core::purse::PurseRef;
use lode_core::query::Query;
use lode_core::row::{CellKind, ColumnNames, Known, Row};
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::matching::accounts::Accounts;
use lode_engine::flow::matching::judge::MatchResult;
use lode_engine::flow::matching::{MatchRequest, MatchStage};
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::Session;

use common::flow_simulation::{FlowSimulation, Machine};

const FIRMS: usize = 850;
const LISTED: usize = 1_000;

/// Names that are not near one another.
fn name(at: usize) -> String {
    let letters = |mut at: usize| -> String {
        let mut word = String::new();
        for _ in 0..3 {
            word.push(char::from(b"bdfgklmnprst"[at % 12]));
            word.push(char::from(b"aeiou"[at % 5]));
            at = at / 12 + 7;
        }
        word
    };
    format!("{}{} {} Works", letters(at), at, letters(at / 12))
}

fn domain(at: usize) -> String {
    format!("firm{at}.example")
}

/// Three contacts of every firm; the second firm of every fifty bears the name of the first.
fn corpus(source: Source) -> Vec<Row> {
    let columns =
        Arc::new(ColumnNames::new(["id", "company_name", "email", "email_domain_type", "title", "company_website"]));
    let mut rows = Vec::new();
    for firm in 0..FIRMS {
        for person in 0..3 {
            let id = (firm * 3 + person + 1).to_string();
            let company = format!("{}, Inc.", name(if firm % 50 == 1 { firm - 1 } else { firm }));
            let is_private = person == 2;
            let email =
                if is_private { "p•••@gmail.com".to_owned() } else { format!("p•••@{}", domain(firm)) };
            let website = if source == Source::Data { domain(firm) } else { String::new() };
            let kind = if is_private { "personal" } else { "corporate" };
            let values = [&*id, &*company, &*email, kind, "nurse", &*website].map(|text| (CellKind::Text, text));
            rows.push(Row::new(Some(RowId(id.parse().unwrap())), false, Arc::clone(&columns), values));
        }
    }
    rows
}

/// A corpus that knows where each company's rows are.
struct Service {
    rows: Vec<Row>,
    websites: BTreeMap<String, Vec<usize>>,
    names: BTreeMap<String, Vec<usize>>,
}

impl Service {
    fn new(source: Source) -> Service {
        let rows = corpus(source);
        let (mut websites, mut names) = (BTreeMap::<_, Vec<usize>>::new(), BTreeMap::<_, Vec<usize>>::new());
        for (at, row) in rows.iter().enumerate() {
            websites.entry(row.known(Known::Website).to_owned()).or_default().push(at);
            names.entry(row.known(Known::Company).to_lowercase()).or_default().push(at);
        }
        Service { rows, websites, names }
    }

    fn answer(&self, call: &Call) -> Reply {
        let Call::Search(call) = call else { panic!("{call:?}") };
        let (filter, values) = call.query.filters().next().unwrap();
        let fitting: Vec<usize> = match filter {
            Filter::CompanyWebsite => self.websites.get(&values[0]).cloned().unwrap_or_default(),
            // A keyword is compared with names as well.
            Filter::CompanyName | Filter::Query => {
                let wanted = values[0].to_lowercase();
                self.names
                    .iter()
                    .filter(|(name, _)| name.contains(&wanted))
                    .flat_map(|(_, rows)| rows.clone())
                    .collect()
            }
            // Everybody is one.
            Filter::Title => (0..self.rows.len()).collect(),
            other => panic!("{other:?}"),
        };
        let (offset, limit) = (call.offset as usize, call.limit as usize);
        let rows = fitting.iter().skip(offset).take(limit).map(|at| self.rows[*at].clone()).collect();
        Reply::Page(Page {
            total: fitting.len() as u64,
            limit: call.limit,
            offset: call.offset,
            rows,
            ..Page::default()
        })
    }
}

/// What each line is meant to be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    Is(usize),
    Misspelled,
    Absent,
    /// Its name belongs to two firms.
    Twice,
}

/// 850 firms by name, by domain or by both; 100 misspelled, 50 absent.
fn list() -> (String, Vec<Truth>) {
    let mut text = "Account Name;Website;Owner\r\n".to_owned();
    let mut truths = Vec::new();
    for at in 0..LISTED {
        let (company, website, truth) = match at {
            0..850 => {
                let twice = at % 50 < 2;
                let (company, website) = (name(if at % 50 == 1 { at - 1 } else { at }).to_uppercase(), domain(at));
                match at % 3 {
                    0 if twice => (company + " LLC", String::new(), Truth::Twice),
                    0 => (company + " LLC", String::new(), Truth::Is(at)),
                    1 => (String::new(), format!("https://www.{website}/"), Truth::Is(at)),
                    _ => (company, website, Truth::Is(at)),
                }
            }
            850..900 => (name(at - 700).replacen('a', "ä", 1) + "x", String::new(), Truth::Misspelled),
            900..950 => (name(at - 700), format!("x{}", domain(at - 700)), Truth::Misspelled),
            _ => (format!("Zzyzx {at} Mining"), format!("zzyzx{at}.example"), Truth::Absent),
        };
        text.push_str(&format!("\"{company}\";{website};owner {at}\r\n"));
        truths.push(truth);
    }
    (text, truths)
}

struct Peer(Session);

impl Machine for Peer {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        self.0.handle(answer, now, fx);
        self.go(now, fx);
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.0.wake(now, fx);
        self.go(now, fx);
    }

    fn deadline(&self) -> Option<Mono> {
        self.0.deadline()
    }
}

impl Peer {
    fn go(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.0.matching.job().is_some_and(|job| job.stage == MatchStage::Ready) {
            self.0.matching.go(&mut self.0.desk.at(now, fx));
        }
    }
}

fn key(call: &Call) -> String {
    let Call::Search(call) = call else { panic!() };
    format!("{}@{}", call.query.canonical(), call.offset)
}

/// Runs the match, cut off by force after each of `cuts` requests. Answers the verdicts and when requests arrived.
fn run(source: Source, cuts: &[usize]) -> (Vec<MatchResult>, BTreeMap<String, usize>, Vec<u64>) {
    let side = Side { source, corpus: Corpus::Us };
    let mut query = Query::new(side);
    if source == Source::Workspace {
        query.set(Filter::Title, "nurse").unwrap();
    }
    let accounts = Arc::new(Accounts::read(&list().0).unwrap());
    let service = Service::new(source);
    let (asked, arrived) = (RefCell::new(BTreeMap::<String, usize>::new()), RefCell::new(Vec::new()));
    let mut profile = common::flow_simulation::profile("w0");
    let store = common::memory::store(profile.window.clone());
    let mut sim = FlowSimulation::new(7, vec![store], |call, now| {
        *asked.borrow_mut().entry(key(call)).or_default() += 1;
        arrived.borrow_mut().push(now);
        Said::Reply(Ok(service.answer(call)))
    });
    let mut cuts = cuts.to_vec();
    let verdicts = loop {
        let mut fx = Vec::new();
        let mut peer = Peer(Session::at_rest(profile.clone(), RetryPolicy::Shell, 7));
        let wanted = MatchRequest { accounts: Arc::clone(&accounts), query: query.clone(), per: 3 };
        let purse: PurseRef = profile.purse_of(source).unwrap();
        peer.0.matching.begin(wanted, purse, &mut peer.0.desk.at(sim.moment(), &mut fx));
        sim.perform(0, &mut fx);
        let until = cuts.pop();
        let is_cut = |arrived: &Vec<u64>| until.is_some_and(|until| arrived.len() >= until);
        while !is_cut(&arrived.borrow()) && sim.step(&mut [&mut peer], u64::MAX) {
            assert!(sim.events < 200_000, "it does not come to an end");
        }
        if is_cut(&arrived.borrow()) {
            // What was on its way is lost with the process.
            let seen = std::mem::take(&mut sim.in_flight);
            assert!(seen.len() <= 2);
            sim.forget();
            profile.window = WindowId(format!("w{}", cuts.len() + 1));
            sim.stores[0] = sim.stores[0].beside(profile.window.clone());
            continue;
        }
        let job = peer.0.matching.job().unwrap();
        assert_eq!(job.stage, MatchStage::Done);
        break (0..LISTED).map(|at| job.verdict(at)).collect();
    };
    drop(sim);
    (verdicts, asked.into_inner(), arrived.into_inner())
}

#[track_caller]
fn judged(verdicts: &[MatchResult]) {
    let (_, truths) = list();
    for (at, (verdict, truth)) in verdicts.iter().zip(&truths).enumerate() {
        match (truth, verdict) {
            (Truth::Is(firm), MatchResult::Matched { rows, .. }) => {
                assert!(!rows.is_empty(), "{at}");
                for row in rows {
                    assert_eq!((row.id().unwrap().0 as usize - 1) / 3, *firm, "{at}: {verdict:?}");
                }
            }
            (Truth::Misspelled, MatchResult::Ambiguous { .. } | MatchResult::None) => {}
            (Truth::Twice, MatchResult::Ambiguous { candidates, .. }) => assert!(candidates.len() > 1, "{verdict:?}"),
            (Truth::Absent, MatchResult::None) => {}
            _ => panic!("{at} is {truth:?}: {verdict:?}"),
        }
    }
}

fn paced(mut arrived: Vec<u64>) {
    arrived.sort_unstable();
    for (at, moment) in arrived.iter().enumerate() {
        let minute = arrived[at..].iter().take_while(|other| **other < moment + 60_000).count();
        assert!(minute <= 120, "{minute} requests in a minute");
    }
}

#[test]
fn a_thousand_accounts_at_both_services_and_nothing_is_picked_silently() {
    for source in [Source::Data, Source::Workspace] {
        let (verdicts, asked, arrived) = run(source, &[]);
        judged(&verdicts);
        assert!(asked.values().all(|times| *times == 1), "{source}: nothing is asked twice");
        paced(arrived);
    }
}

#[test]
fn after_a_kill_no_answered_request_is_asked_again() {
    for (source, cuts) in [(Source::Data, &[900, 300, 119][..]), (Source::Workspace, &[20, 7, 1])] {
        let (verdicts, asked, arrived) = run(source, cuts);
        judged(&verdicts);
        // At most the two that were on their way at each cut.
        let again: usize = asked.values().map(|times| times - 1).sum();
        assert!(again <= cuts.len() * 2, "{source}: {again} asked again");
        paced(arrived);
    }
}
