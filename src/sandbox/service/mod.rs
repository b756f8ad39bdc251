//! Both services without a socket: a request and the time go in, an answer comes out.
//!
//! Time is an argument, so a simulation can call this with a clock of its own; the HTTP server (`sandbox::server`) only
//! wraps it. One file per resource; `control` is what the control address may do and no key can. Answers that take long
//! (a scan of a whole corpus) run outside the lock and can be called off.

mod control;
mod data;
mod reception;
mod request;
mod unlock;
mod workspace;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::corpus::{CorpusKind, Person, SandboxCorpus};
use crate::faults::{Endpoint, Fault, FaultRule, Faults, Flood, hostile};
use crate::json::ok;
use crate::rate::{Gate, RateLimit};
use crate::records::{JournalEvent, Key, PerCorpus, Records, data_key, org_id, workspace_key};
use crate::scan::{Engine, ScanQuery};
use crate::variants::{Habit, Habits, Variant};

pub use request::{Body, Delivery, JSON, Received, RequestLog, ServiceAnswer, ServiceRequest};

use data::Export;
use reception::Ticket;
use request::{Answered, Params, Refusal};
use unlock::UnlockOrder;

/// What a service is founded with.
#[derive(Clone, Debug, Default)]
pub struct ServiceSetup {
    pub us_rows: u64,
    pub linkedin_rows: u64,
    /// Credits of the workspace that exists from the start.
    pub credits: i64,
    /// Random seed.
    pub seed: u64,
    /// Keys and workspace ids follow from it: another number is another service.
    pub identity: u64,
    pub allowance: RateLimit,
    pub variant: Variant,
    /// Largest page of the workspace search, where it should not be the variant's.
    pub max_page: Option<u64>,
    pub faults: Vec<FaultRule>,
    /// Threads of one scan.
    pub threads: usize,
}

/// Called while a request is at work: how long it has been, and whether the client still waits for it.
pub struct RequestWatch<'a> {
    pub elapsed_ms: &'a dyn Fn() -> u64,
    pub canceled: &'a dyn Fn() -> bool,
}

/// Name of the workspace key and of the Data API user that exist from the start.
pub const DEFAULT_KEY: &str = "default";
pub const DEFAULT_USER: &str = "analyst";
const DEFAULT_ORG: &str = "Sandbox Inc";
/// Who spends and unlocks without a key.
const OTHER_MEMBER: &str = "another member";

/// Where events are written before they take effect.
pub(crate) type Journal = Box<dyn FnMut(&JournalEvent) + Send>;

pub struct Service {
    pub setup: ServiceSetup,
    workspace: PerCorpus<Arc<Engine>>,
    /// Other rows than the workspace's: nothing says that ids agree between the two services.
    data: PerCorpus<Arc<Engine>>,
    state: Mutex<ServiceState>,
}

/// What changes while a service runs. The control address and tests read and set its public fields.
#[derive(Default)]
pub struct ServiceState {
    records: Records,
    pub variant: Variant,
    pub max_page: Option<u64>,
    pub allowance: RateLimit,
    gates: HashMap<String, Gate>,
    pub faults: Faults,
    pub log: RequestLog,
    /// Unlocks that take effect after their line broke, each with when that is.
    pub late: Vec<(u64, UnlockOrder)>,
    /// Contacts of the last page each workspace was shown: what other members and the Do-Not-Sell list go for.
    shown: HashMap<String, (CorpusKind, Vec<u64>)>,
    /// Pages that came in an order which is not always the same.
    wavered: u64,
    /// Where a redirect to another origin leads.
    pub(crate) other_origin: String,
    /// What was sent there.
    pub heard_elsewhere: Vec<String>,
    journal: Option<Journal>,
}

impl ServiceState {
    fn new(setup: &ServiceSetup) -> ServiceState {
        ServiceState {
            variant: setup.variant,
            max_page: setup.max_page,
            allowance: setup.allowance,
            faults: Faults::new(setup.seed, setup.faults.clone()),
            other_origin: "http://127.0.0.1:9/".into(),
            ..ServiceState::default()
        }
    }

    /// Whether the next page has neighbors in each other's place: about every third does, without a rhythm.
    fn wavers(&mut self) -> bool {
        self.wavered += 1;
        (self.wavered.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(3)
    }

    /// Another member spends, at most what there is. Returns how much that was.
    pub fn member_spends(&mut self, org: &str, credits: i64, now_ms: u64) -> i64 {
        let credits = credits.min(self.records.balance(org));
        if credits > 0 {
            self.record(JournalEvent::Spent { at_ms: now_ms, org: org.into(), by: OTHER_MEMBER.into(), credits });
        }
        credits
    }

    fn record(&mut self, event: JournalEvent) {
        // Written down first: a sandbox that is killed in between has at least promised nothing it forgets.
        if let Some(journal) = &mut self.journal {
            journal(&event);
        }
        self.records.apply(event);
    }
}

impl Service {
    pub fn new(setup: ServiceSetup) -> Service {
        Service::resumed(setup, Vec::new(), None)
    }

    /// A service that continues from the events of an earlier one. New events go to `journal` before they take effect.
    pub fn resumed(setup: ServiceSetup, events: Vec<JournalEvent>, journal: Option<Journal>) -> Service {
        let engines = |seed| {
            let engine = |kind, rows| Arc::new(Engine::new(SandboxCorpus::new(kind, seed, rows), setup.threads));
            let us = engine(CorpusKind::Us, setup.us_rows);
            PerCorpus { us, linkedin: engine(CorpusKind::Linkedin, setup.linkedin_rows) }
        };
        let (workspace, data) = (engines(setup.seed), engines(setup.seed ^ 0xda7a));
        let state = Mutex::new(ServiceState { journal, ..ServiceState::new(&setup) });
        let service = Service { setup, workspace, data, state };
        let founding = events.is_empty();
        events.into_iter().for_each(|event| service.state().records.apply(event));
        if founding {
            service.found(service.setup.identity);
        }
        service
    }

    fn found(&self, identity: u64) {
        self.state().record(JournalEvent::Founded { identity });
        let org = self.found_org(DEFAULT_ORG, self.setup.credits, 0);
        self.make_key(&org, DEFAULT_KEY, &["search", "unlock"]);
        self.make_user(DEFAULT_USER);
    }

    /// What keys and workspace ids follow from: of the service that was founded first, if this one continues from its events.
    fn identity(&self) -> u64 {
        self.state().records.identity
    }

    /// The workspace key that exists from the start.
    pub fn workspace_key(&self) -> String {
        workspace_key(self.identity(), DEFAULT_KEY)
    }

    /// The Data API key that exists from the start.
    pub fn data_key(&self) -> String {
        data_key(self.identity(), DEFAULT_USER)
    }

    /// Id of the workspace that exists from the start.
    pub fn org(&self) -> String {
        org_id(self.identity(), DEFAULT_ORG)
    }

    /// Whether answering may mean a scan of a whole corpus.
    pub fn may_take_long(request: &ServiceRequest) -> bool {
        matches!(reception::route(request).1, Endpoint::Search | Endpoint::DataSearch | Endpoint::Counts)
    }

    pub fn state(&self) -> MutexGuard<'_, ServiceState> {
        // A panic while the lock was held is a bug that has been reported already; the next request may still be served.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
