//! A service that answers from a plan, with rows as a test wants them.

use std::sync::Arc;

use lode_core::Account;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId, Source};
use lode_core::credits::Credits;
use lode_core::money::Caps;
use lode_core::row::{CellKind, ColumnNames, Row};
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal, StoreFailure};
use lode_engine::effect::files::{FileCall, FileFailure, FileReply};
use lode_engine::effect::profile::Profile;
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::effect::unlock::UnlockBody;
use lode_engine::effect::{Answer, CallId};
use lode_sandbox::variants::{Element, Habit, Variant};
use lode_ui::msg::Msg;

use super::Around;
use super::rest::{self, Files};
use crate::profile::{SANDBOX, service};

/// What the service says to the next requests.
#[derive(Clone, Debug, Default)]
pub enum Plan {
    #[default]
    Answer,
    /// Keeps the answers until `release`.
    Hold,
    Fail(Failure),
}

pub type TestScreen = super::TestScreen<Planned>;

pub struct Planned {
    pub plan: Plan,
    /// The plan holds for the balance at Enter too.
    pub at_enter: bool,
    pub total: u64,
    /// Unlock calls that went out.
    pub spent: Vec<UnlockBody>,
    /// The state folder cannot be written to.
    pub read_only: bool,
    /// Unlock calls are answered; else one that goes out is a failure of the test.
    pub may_spend: bool,
    pub credits: i64,
    /// How an unlock is answered: the call, and the balance before it.
    pub unlock: Unlocking,
    pub scopes: Vec<String>,
    /// The user's files and the rest of the Data API, where a test has a use for them.
    pub files: Option<Files>,
    /// The largest page of a service that refuses more.
    pub largest: Option<u64>,
    /// A search by several filters has a total that cannot be.
    pub uncounted: bool,
    /// The rows of the service, by index from 0.
    pub row: fn(u64, &SearchCall) -> Row,
}

pub fn profile() -> Profile {
    let service = |key| Some(service(SANDBOX, key, Some(120), 8));
    let caps = Caps { session: Some(Credits(200)), ..Caps::default() };
    let whole = crate::profile::profile("acme", service("0123456789abcdef"), service("fedcba9876543210"));
    Profile { live: true, caps, ..whole }
}

impl Around for Planned {
    fn send(screen: &mut TestScreen, _: CallId, call: &Call) -> Option<Result<Reply, Failure>> {
        if let Call::Unlock(unlock) = call {
            assert!(screen.may_spend, "nothing here may spend");
            screen.spent.push(unlock.clone());
        }
        // A plan does not contain the balance at Enter, only what happens to the unlock.
        let at_enter = screen.model.session.unlock().job().is_some_and(|job| job.id.is_none());
        match &screen.plan {
            _ if at_enter && *call == Call::Me && !screen.at_enter => Some(Ok(screen.reply(call))),
            Plan::Hold => None,
            Plan::Answer => {
                let most = screen.largest.unwrap_or(u64::MAX);
                let too_large = matches!(call, Call::Search(search) if search.limit > most);
                let words = "the page is too large".to_owned();
                let refused = Failure::Refused { status: 422, why: Refusal::Request, words };
                Some(if too_large { Err(refused) } else { Ok(screen.reply(call)) })
            }
            Plan::Fail(failure) => Some(Err(failure.clone())),
        }
    }

    fn file(screen: &mut TestScreen, call: FileCall) -> Option<Result<FileReply, FileFailure>> {
        let plan = screen.plan.clone();
        let files = screen.files.as_mut()?;
        match plan {
            Plan::Answer => Some(files.perform(call)),
            Plan::Hold => None,
            Plan::Fail(failure) => Some(Err(FileFailure { words: failure.words().to_owned() })),
        }
    }

    /// Pulled rows and the like are the flows' own tests; here the real store answers everything.
    fn store(screen: &mut TestScreen, call: StoreCall) -> Result<StoreReply, StoreFailure> {
        assert!(screen.may_spend || !matches!(call, StoreCall::Intend(_)), "nothing here may spend");
        if screen.read_only && writes(&call) {
            return Err(StoreFailure::ReadOnly);
        }
        screen.store.perform(call, screen.now)
    }
}

impl TestScreen {
    pub fn new(width: u16, height: u16) -> TestScreen {
        TestScreen::with(width, height, profile())
    }

    pub fn with(width: u16, height: u16, profile: Profile) -> TestScreen {
        let planned = Planned {
            plan: Plan::Answer,
            at_enter: false,
            total: 4_870,
            spent: Vec::new(),
            read_only: false,
            may_spend: false,
            credits: 1_204,
            unlock: unlocked,
            scopes: vec!["search".to_owned(), "unlock".to_owned()],
            files: None,
            largest: None,
            uncounted: false,
            row: person,
        };
        TestScreen::around(planned, &profile, (width, height))
    }

    /// Opens the profile and lets everything come to rest.
    pub fn open(&mut self) -> &mut TestScreen {
        self.handle(Msg::Opened(Ok(Box::new(profile()))));
        self.settle()
    }

    pub fn reply(&self, call: &Call) -> Reply {
        match call {
            Call::Me => Reply::Me(Account {
                org_id: "org_1".to_owned(),
                org_name: "Acme Inc".to_owned(),
                plan: "team".to_owned(),
                key_name: "desk".to_owned(),
                key_prefix: "lk_live_ak7f".to_owned(),
                scopes: self.scopes.clone(),
                credits: Some(Credits(self.credits)),
            }),
            Call::Search(search) => {
                let total = if search.query.hide_owned { self.total - self.total / 16 } else { self.total };
                let last = search.offset.saturating_add(search.limit).min(total);
                let uncounted = self.uncounted && search.query.filters().count() > 1;
                Reply::Page(Page {
                    total: if uncounted { 0 } else { total },
                    uncounted,
                    limit: search.limit,
                    offset: search.offset,
                    took_ms: Some(212),
                    rows: (search.offset..last).map(|index| (self.row)(index, search)).collect(),
                })
            }
            Call::Unlock(unlock) => Reply::Unlock { status: 200, body: (self.unlock)(unlock, self.credits).into() },
            other if self.files.is_some() => rest::reply(other),
            other => panic!("the screen asked for {other:?}"),
        }
    }

    /// Hands over a kept answer.
    pub fn release(&mut self, at: usize) {
        let (id, call) = self.held.remove(at);
        let reply = self.reply(&call.record());
        self.handle(Msg::Answered(Answer::of(id, call, Ok(reply))));
    }
}

/// Every fifth comes back as invalid, every ninth could not be checked.
fn unlocked(call: &UnlockBody, credits: i64) -> String {
    let contacts: Vec<String> = call
        .ids
        .iter()
        .map(|id| {
            let word = match id.0 {
                id if id % 5 == 0 => "invalid",
                id if id % 9 == 0 => "unknown",
                _ => "valid",
            };
            format!(
                r#"{{"id":{id},"email":"person{id}@clinic.example","phone":"5125550142","contact_name":"Person {id}","company_name":"Clinic","title":"Nurse","verification":"{word}","refunded":{}}}"#,
                word == "invalid"
            )
        })
        .collect();
    let refunded = call.ids.iter().filter(|id| id.0 % 5 == 0).count();
    format!(
        r#"{{"ok":true,"data":{{"unlocked":[{}],"already_unlocked":[],"missing":[],"credits_charged":{},"credits_refunded":{refunded},"balance":{},"stopped_for_credits":false}}}}"#,
        contacts.join(","),
        call.ids.len(),
        credits - (call.ids.len() - refunded) as i64
    )
}

const FIRST: [&str; 8] = ["Dana", "Priya", "Elena", "Tom", "Ruth", "Samir", "Lucía", "Wei"];
const LAST: [&str; 7] = ["Whitfield", "Raman", "Sorokina", "Beckett", "Abara", "Haddad", "O'Neil"];
const TITLES: [&str; 5] =
    ["Director of Nursing", "Director, Nursing", "Nurse Manager", "Chief Nursing Officer", "Charge Nurse"];
const COMPANIES: [&str; 6] =
    ["Lakeside Regional", "St. Brendan Clinic", "Harbor Point Medical", "Quail Run Hospital", "Meridian Health", "Elm"];

fn columns(corpus: Corpus) -> Arc<ColumnNames> {
    let email = if corpus == Corpus::Us { "email_address" } else { "email" };
    Arc::new(ColumnNames::new([
        "id", "company_name", "first_name", "last_name", "title", "city", "state", "industry", email, "phone",
        "email_domain_type", "email_status", "unlocked", "verification", "naics_code",
    ]))
}

fn pick<'a>(list: &[&'a str], index: u64) -> &'a str {
    list[(index % list.len() as u64) as usize]
}

pub fn made(index: u64, search: &SearchCall, first: &str, last: &str, title: &str, company: &str) -> Row {
    let id = index as i64 + 1;
    let owned = index % 16 == 3 && search.query.side.source == Source::Workspace;
    let letter = first.chars().next().unwrap_or('x').to_lowercase().to_string();
    let domain = format!("{}.example", company.to_lowercase().replace([' ', '.'], ""));
    let email = if owned { format!("{letter}.person@{domain}") } else { format!("{letter}•••@{domain}") };
    let phone = if owned { "5125550142".to_owned() } else { "512•••42".to_owned() };
    let status = pick(&["valid", "catch_all", "bounced", "valid"], index);
    let (owned_text, number) = (owned.to_string(), id.to_string());
    let verification = if owned && index % 32 == 3 { "invalid" } else { "valid" };
    Row::new(
        Some(RowId(id)),
        owned,
        columns(search.query.side.corpus),
        [
            (CellKind::Json, number.as_str()),
            (CellKind::Text, company),
            (CellKind::Text, first),
            (CellKind::Text, last),
            (CellKind::Text, title),
            (CellKind::Text, "Austin"),
            (CellKind::Text, "TX"),
            (CellKind::Text, "Hospital & Health Care"),
            (CellKind::Text, email.as_str()),
            (CellKind::Text, phone.as_str()),
            (CellKind::Text, "corporate"),
            (CellKind::Text, status),
            (CellKind::Json, owned_text.as_str()),
            (if owned { CellKind::Text } else { CellKind::Null }, if owned { verification } else { "" }),
            (CellKind::Text, "622110"),
        ],
    )
}

pub fn person(index: u64, search: &SearchCall) -> Row {
    made(index, search, pick(&FIRST, index), pick(&LAST, index), pick(&TITLES, index), pick(&COMPANIES, index))
}

/// Letters that are wide, joined, stacked, from the right, and endless.
pub fn odd_person(index: u64, search: &SearchCall) -> Row {
    let endless = "x".repeat(10_000);
    let stack = format!("Z{}oe", "\u{301}".repeat(60));
    let first =
        ["山田太郎", "👩‍👩‍👧‍👦👍🏽", "e\u{301}milie", "مرحبا", "한국어이름", stack.as_str(), "\u{200b}Ann", endless.as_str()];
    let title = ["看護部長および病院管理者", "Nurse 🏥🏥🏥🏥🏥🏥🏥🏥🏥", endless.as_str(), "مديرة التمريض", "ﬁﬂ œuvre"];
    made(index, search, first[(index % 8) as usize], "・", title[(index % 5) as usize], pick(&COMPANIES, index))
}

/// The row as the service shows it once the contact is owned.
pub fn owned(row: Row) -> Row {
    let values: Vec<(String, CellKind, String)> = row
        .fields()
        .map(|(name, kind, value)| match name {
            "email" | "email_address" => (name.to_owned(), kind, value.replace("•••", ".person")),
            "phone" => (name.to_owned(), kind, "5125550142".to_owned()),
            "unlocked" => (name.to_owned(), kind, "true".to_owned()),
            "verification" => (name.to_owned(), CellKind::Text, "valid".to_owned()),
            _ => (name.to_owned(), kind, value.to_owned()),
        })
        .collect();
    let columns = Arc::new(ColumnNames::new(values.iter().map(|(name, ..)| name.as_str())));
    Row::new(row.id(), true, columns, values.iter().map(|(_, kind, value)| (*kind, value.as_str())))
}

/// What a folder that cannot be written to refuses. Slots of the limiter are then counted in memory.
fn writes(call: &StoreCall) -> bool {
    matches!(
        call,
        StoreCall::KeepAccount { .. }
            | StoreCall::Searched { .. }
            | StoreCall::Place { .. }
            | StoreCall::Stage { .. }
            | StoreCall::Unstage { .. }
            | StoreCall::Intend(_)
    )
}

/// How an unlock is answered: the call, and the balance before it.
pub type Unlocking = fn(&UnlockBody, i64) -> String;

/// The answer of [`every_outcome`] as each reading of the documents writes it.
pub const EVERY_OUTCOME: [(Variant, Unlocking); 4] = [
    (Variant::A, |call, _| every_outcome_in(Variant::A, call)),
    (Variant::B, |call, _| every_outcome_in(Variant::B, call)),
    (Variant::C, |call, _| every_outcome_in(Variant::C, call)),
    (Variant::D, |call, _| every_outcome_in(Variant::D, call)),
];

/// The first is bought, the second was owned, the third is not found, the fourth comes back; then the balance is empty.
pub fn every_outcome(call: &UnlockBody, _credits: i64) -> String {
    every_outcome_in(Variant::A, call)
}

fn every_outcome_in(variant: Variant, call: &UnlockBody) -> String {
    let habits = variant.habits();
    let contact = |id: i64, word: &str, refunded: bool| {
        format!(
            r#"{{"id":{id},"email":"person{id}@clinic.example","phone":"5125550142","contact_name":"Person {id}","company_name":"Clinic","title":"Nurse","verification":"{word}","refunded":{refunded}}}"#
        )
    };
    let id = |at: usize| call.ids.get(at).map_or(-1, |id| id.0);
    let element = |shape: Element, id: i64| match shape {
        Element::Integer => id.to_string(),
        Element::NumericString => format!("\"{id}\""),
        Element::IdObject => format!(r#"{{"id":{id}}}"#),
        Element::Contact => contact(id, "valid", false),
    };
    let reached = if habits.has(Habit::RestInMissing) { call.ids.len() } else { 3 };
    // A contact that is missing has nothing to show but its id.
    let shape = if habits.element == Element::Contact { Element::IdObject } else { habits.element };
    let missing: Vec<String> = (2..reached).filter(|at| *at != 3).map(|at| element(shape, id(at))).collect();
    format!(
        r#"{{"ok":true,"data":{{"unlocked":[{},{}],"already_unlocked":[{}],"missing":[{}],"credits_charged":{},"credits_refunded":1,"balance":0,"stopped_for_credits":true}}}}"#,
        contact(id(0), "unknown", false),
        contact(id(3), "disposable", true),
        element(habits.element, id(1)),
        missing.join(","),
        if habits.has(Habit::ChargedNet) { 1 } else { 2 },
    )
}
