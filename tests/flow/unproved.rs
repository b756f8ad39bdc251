//! An unlock that was refused or not answered: every status, in the documented form or not, carried out or not, with every
//! balance and every look. What must come of each is worked out here a second time, from the rule.

use std::cell::RefCell;
use std::collections::BTreeSet;

use common::sandbox_engine::Said;
use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::Staged;
use lode_engine::effect::call::Call;
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::flow::session::{Event, UnlockSubject};
use lode_engine::flow::unlock::OrderSummary;
use lode_engine::flow::unlock::quote::ReviewChoice;
use lode_engine::wire::{self, Head};
use serde_json::{Value, json};

use crate::desktop::Desktop;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Body {
    Documented,
    Page,
    /// No answer at all.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Balance {
    AsBooked,
    ToppedUp,
    /// A colleague spends from it.
    Fell,
    Unread,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Index {
    Shows,
    Lags,
    /// No search returns the contacts any more.
    Gone,
    Fails,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    status: u16,
    body: Body,
    applied: bool,
    balance: Balance,
    index: Index,
}

const IDS: [i64; 3] = [1, 2, 3];

struct Service {
    case: Case,
    sendings: usize,
    balance: i64,
    owned: BTreeSet<i64>,
}

impl Service {
    fn said(&mut self, call: &Call) -> Said {
        let checking = self.sendings > 0;
        Said::Reply(match call {
            Call::Me if checking && self.case.balance == Balance::Unread => answer(call, 403, &no()),
            Call::Me => answer(call, 200, &json!({"ok": true, "data": self.me()})),
            Call::Search(_) if checking && self.case.index == Index::Fails => answer(call, 403, &no()),
            Call::Search(_) => answer(call, 200, &json!({"ok": true, "data": self.page()})),
            Call::Unlock(_) => self.unlock(call),
            _ => Err(Failure::OurBug { words: "not asked here".to_owned() }),
        })
    }

    fn me(&self) -> Value {
        json!({"org": {"id": "o", "name": "Acme"}, "key": {"prefix": "lk", "scopes": ["search", "unlock"]},
            "credits": self.balance})
    }

    fn page(&self) -> Value {
        let row = |id: i64| {
            let owned = self.owned.contains(&id) && self.case.index == Index::Shows;
            json!({"id": id, "title": "Nurse", "email_address": if owned { "a@b.example" } else { "a•••@b.example" },
                "phone": if owned { "9165550100" } else { "916•••00" }, "unlocked": owned,
                "verification": if owned { json!("valid") } else { Value::Null }})
        };
        let is_gone = |id: &i64| self.sendings > 0 && self.case.index == Index::Gone && IDS.contains(id);
        let rows: Vec<Value> = (1..=5).filter(|id| !is_gone(id)).map(row).collect();
        json!({"corpus": "us", "total": rows.len(), "limit": 100, "offset": 0, "rows": rows})
    }

    fn unlock(&mut self, call: &Call) -> Result<lode_engine::effect::call::Reply, Failure> {
        self.sendings += 1;
        if self.sendings > 1 || self.case.applied {
            let new: Vec<i64> = IDS.into_iter().filter(|id| self.owned.insert(*id)).collect();
            self.balance -= new.len() as i64;
            if self.sendings > 1 {
                let already: Vec<i64> = IDS.into_iter().filter(|id| !new.contains(id)).collect();
                let contact = |id: &i64| json!({"id": id, "email": "a@b.example", "phone": "9165550100", "verification": "valid"});
                let unlocked: Vec<Value> = new.iter().map(contact).collect();
                return answer(
                    call,
                    200,
                    &json!({"ok": true, "data": {"unlocked": unlocked, "already_unlocked": already,
                    "missing": [], "credits_charged": new.len(), "credits_refunded": 0, "balance": self.balance,
                    "stopped_for_credits": false}}),
                );
            }
        }
        self.balance += match self.case.balance {
            Balance::ToppedUp => 50,
            Balance::Fell => -1,
            Balance::AsBooked | Balance::Unread => 0,
        };
        match self.case.body {
            Body::Documented => answer(call, self.case.status, &no()),
            Body::Page => wire::read(call, &Head::of(self.case.status), b"<html>gateway</html>"),
            Body::Broken => Err(Failure::Unclear { why: Unclear::Line, words: "the line broke".to_owned() }),
        }
    }
}

fn no() -> Value {
    json!({"ok": false, "error": "Not now"})
}

fn answer(call: &Call, status: u16, body: &Value) -> Result<lode_engine::effect::call::Reply, Failure> {
    wire::read(call, &Head::of(status), body.to_string().as_bytes())
}

#[derive(Debug, PartialEq)]
enum Becomes {
    /// Counted as bought by this order, after this number of sendings.
    Bought(usize),
    Locked,
    Unknown(usize),
}

/// The rule: only the documented envelope refuses, and only if `/me` and a look agree; what a look shows owned is bought; what
/// was lost goes out again only after a look showed all of it locked.
fn expected(case: Case) -> Becomes {
    let refusal = case.body == Body::Documented && (400..500).contains(&case.status) && case.status != 408;
    let fell = case.applied && case.balance != Balance::ToppedUp || case.balance == Balance::Fell;
    let borne_out = !fell && case.balance != Balance::Unread;
    let retried = case.status == 429 || case.status == 408 || case.status >= 500 || case.body == Body::Broken;
    match case.index {
        Index::Fails | Index::Gone => Becomes::Unknown(1),
        Index::Shows if case.applied => Becomes::Bought(1),
        _ if refusal && !borne_out => Becomes::Unknown(1),
        _ if refusal && case.status != 429 => Becomes::Locked,
        _ if !retried => Becomes::Unknown(1),
        // Sent again: a service that had carried it out calls them owned, and the index still does not show that.
        _ if case.applied => Becomes::Unknown(2),
        _ => Becomes::Bought(2),
    }
}

fn plays(case: Case) -> (Becomes, OrderSummary) {
    let service = RefCell::new(Service { case, sendings: 0, balance: 100, owned: BTreeSet::new() });
    let mut desktop = Desktop::new(7, |call: &Call, _| service.borrow_mut().said(call));
    desktop.until_quiet();
    desktop.act(|session, now, fx| {
        let rows = IDS.map(|id| Staged::by_id(RowId(id))).to_vec();
        session.review(UnlockSubject::Rows(Corpus::Us, rows.into()), ReviewChoice::default(), now, fx);
    });
    desktop.until_quiet();
    let review = desktop.screen.events.iter().rev().find_map(|event| match event {
        Event::Review(Ok(quote)) => Some(quote.clone()),
        _ => None,
    });
    let quote = review.expect("a review");
    desktop.act(|session, now, fx| assert_eq!(session.accept(&quote, Credits(3), now, fx), Ok(())));
    desktop.until_quiet();
    let finished = desktop.screen.events.iter().find_map(|event| match event {
        Event::Finished(summary) => Some((**summary).clone()),
        _ => None,
    });
    let summary = finished.expect("it came to an end");
    let sendings = service.borrow().sendings;
    let tally = summary.tally;
    let becomes = match (tally.charged, tally.locked, tally.unknown) {
        (3, 0, 0) => Becomes::Bought(sendings),
        (0, 3, 0) => Becomes::Locked,
        (0, 0, 3) => Becomes::Unknown(sendings),
        _ => panic!("{case:?}: {summary:?}"),
    };
    (becomes, summary)
}

#[test]
fn every_refusal_and_every_silence_ends_as_the_rule_says() {
    let mut cases = 0;
    for status in [401, 404, 408, 422, 429, 502] {
        for body in [Body::Documented, Body::Page, Body::Broken] {
            // Without an answer there is no status.
            if body == Body::Broken && status != 401 {
                continue;
            }
            for applied in [false, true] {
                for balance in [Balance::AsBooked, Balance::ToppedUp, Balance::Fell, Balance::Unread] {
                    for index in [Index::Shows, Index::Lags, Index::Gone, Index::Fails] {
                        let case = Case { status, body, applied, balance, index };
                        let (becomes, summary) = plays(case);
                        assert_eq!(becomes, expected(case), "{case:?}: {summary:?}");
                        if matches!(becomes, Becomes::Unknown(_)) {
                            let why = summary.why_unknown().expect("UNKNOWN has its reason");
                            let refused = case.body == Body::Documented && [401, 404, 422].contains(&case.status);
                            let after = if case.applied { 96 } else { 99 };
                            if refused && case.balance == Balance::Fell {
                                let words = format!("the balance fell from 100 to {after}");
                                assert!(why.contains(&words), "{case:?}: {why}");
                            }
                        }
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, (6 * 2 + 1) * 2 * 4 * 4);
}
