//! A robot does what comes to its mind, in every variant and under every fault of the sandbox: the records must agree with
//! themselves and with every answer. No socket, virtual time.

use crate::asking::{Askable, Asking, Readable, Small};
use std::collections::{BTreeMap, BTreeSet};

use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::faults::Rng;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::records::{CreditAccount, CreditKind, CreditLine};
use lode_sandbox::service::{Delivery, RequestWatch, Service, ServiceAnswer, ServiceRequest, ServiceSetup};
use lode_sandbox::variants::{Habit, Variant};
use serde_json::json;

/// What an account holds, summed over the lines.
fn held(lines: &[CreditLine], account: &CreditAccount) -> i64 {
    let amount = |line: &CreditLine| match (&line.to == account, &line.from == account) {
        (true, false) => line.amount,
        (false, true) => -line.amount,
        _ => 0,
    };
    lines.iter().map(amount).sum()
}

struct Robot {
    service: Service,
    rng: Rng,
    now_ms: u64,
    unlocks_answered: u64,
    stopped: u64,
}

impl Robot {
    fn new(seed: u64) -> Robot {
        let rules =
            ["unlock-lost=0.1", "unlock-part=0.1", "unlock-late=0.1:2500", "members=0.2", "suppress=0.1", "502=0.05"];
        let setup = ServiceSetup {
            us_rows: 300,
            linkedin_rows: 200,
            credits: (seed % 40) as i64,
            seed,
            variant: Variant::ALL[seed as usize % 4],
            allowance: RateLimit { requests: 0, window_ms: 60_000 },
            faults: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
            ..ServiceSetup::small()
        };
        Robot { service: Service::new(setup), rng: Rng::new(seed), now_ms: 1_000, unlocks_answered: 0, stopped: 0 }
    }

    fn step(&mut self) {
        self.now_ms += self.rng.below(3_000);
        let (kind, corpus) =
            if self.rng.chance(0.7) { (CorpusKind::Us, "us") } else { (CorpusKind::Linkedin, "linkedin") };
        let org = self.service.org();
        match self.rng.below(10) {
            0..=5 => self.unlock(corpus),
            6 => drop(self.send(ServiceRequest::get(&format!("/api/v1/search?corpus={corpus}&exclude_unlocked=1")))),
            7 => drop(self.service.member_unlocks(&org, kind, &[self.rng.below(320)], self.now_ms)),
            8 => self.service.set_credits(&org, self.rng.below(60) as i64, self.now_ms),
            _ => self.service.suppress(kind, &[self.rng.below(300)]),
        }
    }

    fn send(&self, request: ServiceRequest) -> ServiceAnswer {
        self.service.answer(&request.bearer(&self.service.workspace_key()), self.now_ms)
    }

    fn unlock(&mut self, corpus: &str) {
        let many = 1 + self.rng.below(12);
        let ids: BTreeSet<u64> = (0..many).map(|_| 1 + self.rng.below(310)).collect();
        let verify = self.rng.chance(0.8);
        let answer =
            self.send(ServiceRequest::post("/api/v1/unlock", &json!({"corpus": corpus, "ids": ids, "verify": verify})));
        if answer.line != Delivery::Whole || answer.status != 200 {
            return;
        }
        self.unlocks_answered += 1;
        let data = &answer.value()["data"];
        let call = self.service.log().last().unwrap().n;
        let of_call = |what| {
            self.service.read(self.now_ms, |records| {
                records.lines().iter().filter(|line| line.call == call && line.what == what).count() as u64
            })
        };
        let (charged, refunded) = (of_call(CreditKind::Charge), of_call(CreditKind::Refund));
        assert_eq!(data["unlocked"].as_array().unwrap().len() as u64, charged);
        let net =
            if self.service.state().variant.habits().has(Habit::ChargedNet) { charged - refunded } else { charged };
        assert_eq!((&data["credits_charged"], &data["credits_refunded"]), (&json!(net), &json!(refunded)));
        assert_eq!(data["balance"], self.service.balance(&self.service.org(), self.now_ms));
        let settled = ["unlocked", "already_unlocked", "missing"].map(|field| data[field].as_array().unwrap().len());
        let all = settled.iter().sum::<usize>() == ids.len();
        let stopped = data["stopped_for_credits"] == true;
        assert!(all || stopped, "an id is accounted for unless the credits ran out: {data}");
        self.stopped += u64::from(stopped);
    }

    fn check(&self) {
        let org = self.service.org();
        self.service.read(self.now_ms, |records| {
            let of = records.org(&org).unwrap();
            assert!(of.balance >= 0);
            let credits = held(records.lines(), &CreditAccount::Credits(org.clone()));
            assert_eq!(of.balance, credits);
            assert_eq!(
                credits + held(records.lines(), &CreditAccount::Sales) + held(records.lines(), &CreditAccount::Issued),
                0
            );
            let mut charged: BTreeMap<(CorpusKind, u64), i64> = BTreeMap::new();
            let mut refunded: BTreeSet<(CorpusKind, u64)> = BTreeSet::new();
            for line in records.lines().iter().filter(|line| line.contact.is_some()) {
                let contact = (line.corpus.unwrap(), line.contact.unwrap());
                match line.what {
                    CreditKind::Charge => *charged.entry(contact).or_default() += line.amount,
                    _ => assert!(refunded.insert(contact), "refunded twice"),
                }
            }
            assert!(charged.values().all(|amount| *amount == 1), "charged twice");
            for kind in [CorpusKind::Us, CorpusKind::Linkedin] {
                let owned: Vec<u64> = of.owned.of(kind).keys().copied().collect();
                let paid: Vec<u64> = charged.keys().filter(|(corpus, _)| *corpus == kind).map(|(_, id)| *id).collect();
                assert_eq!(owned, paid, "what is owned was paid for, and the other way round");
                for (id, contact) in of.owned.of(kind) {
                    assert_eq!(contact.refunded, refunded.contains(&(kind, *id)));
                }
            }
        });
    }
}

#[test]
fn the_books_agree_with_themselves_and_with_every_answer() {
    let (mut answered, mut stopped, mut late) = (0, 0, 0);
    for seed in 0..120 {
        let mut robot = Robot::new(seed);
        for _ in 0..40 {
            robot.step();
            robot.check();
            late += robot.service.state().late.len();
        }
        answered += robot.unlocks_answered;
        stopped += robot.stopped;
    }
    assert!(answered > 1_000 && stopped > 50 && late > 50, "the robot met what it should: {answered} {stopped} {late}");
}

#[test]
fn the_same_seed_gives_the_same_books() {
    let lines = |seed| {
        let mut robot = Robot::new(seed);
        (0..60).for_each(|_| robot.step());
        robot.service.read(robot.now_ms, |records| serde_json::to_string(records.lines()).unwrap())
    };
    assert_eq!(lines(3), lines(3));
    assert_ne!(lines(3), lines(7));
}

#[test]
fn a_search_that_is_not_waited_for_is_called_off() {
    let service = Service::new(ServiceSetup { us_rows: 80_000_000, ..ServiceSetup::small() });
    let request =
        ServiceRequest::get("/api/v1/search?corpus=us&title=engineer&state=TX").bearer(&service.workspace_key());
    let gone = RequestWatch { elapsed_ms: &|| 0, canceled: &|| true };
    assert_eq!(service.handle(&request, 1_000, &gone).status, 503);
}
