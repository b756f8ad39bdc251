//! Contacts that a search showed as owned, where the store cannot write.

use lode_core::SeenOwned;
use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::purse::{Origin, Purse};
use lode_core::time::Now;
use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::effect::{Effect, Ticket};
use lode_engine::flow::desk::{Arrival, Desk};
use lode_engine::flow::ledger::Ledger;
use lode_engine::flow::retry::RetryPolicy;

use common::flow_simulation::profile;

struct Books {
    desk: Desk,
    ledger: Ledger,
    fx: Vec<Effect>,
}

impl Books {
    fn of(org: &str) -> Books {
        let ledger = Ledger::new(WindowId("w0".to_owned()));
        let mut books = Books { desk: Desk::new(&profile("w0"), RetryPolicy::Window, 1), ledger, fx: Vec::new() };
        books.begin(org);
        books
    }

    fn begin(&mut self, org: &str) {
        let purse = Purse::of_org(Origin::of("https://service.example"), org);
        self.ledger.begin(purse, &mut self.desk.at(Now::default(), &mut self.fx));
    }

    /// Answers the oldest call that is like this.
    fn answer(&mut self, is_it: fn(&StoreCall) -> bool, answer: Result<StoreReply, StoreFailure>) {
        let asked = |effect: &Effect| matches!(effect, Effect::Store(_, call) if is_it(call));
        let at = self.fx.iter().position(asked).expect("it was asked");
        let Effect::Store(ticket, _) = self.fx.remove(at) else { panic!() };
        self.handle(ticket, answer);
    }

    fn handle(&mut self, ticket: Ticket, answer: Result<StoreReply, StoreFailure>) {
        let arrival = Arrival::Stored(ticket, answer);
        self.ledger.handle(&arrival, &mut self.desk.at(Now::default(), &mut self.fx));
    }

    /// How often the store was asked to write such contacts, since this was last counted.
    fn written(&mut self) -> usize {
        self.fx.iter().filter(|effect| matches!(effect, Effect::Store(_, call) if writes(call))).count()
    }
}

fn reads(call: &StoreCall) -> bool {
    matches!(call, StoreCall::Owned { .. })
}

fn writes(call: &StoreCall) -> bool {
    matches!(call, StoreCall::Own { .. })
}

/// A search shows a contact as owned, and the disk is full.
fn unwritten() -> Books {
    let mut books = Books::of("org_1");
    books.answer(reads, Ok(StoreReply::Owned(Vec::new())));
    let seen = SeenOwned { id: RowId(7), contact: Contact::default(), search: None, row: String::new() };
    books.ledger.see(Corpus::Us, vec![seen], &mut books.desk.at(Now::default(), &mut books.fx));
    books.answer(writes, Err(StoreFailure::Full));
    books
}

#[test]
fn what_could_not_be_written_stays_owned_and_is_written_later() {
    let mut books = unwritten();
    // The books are read again, and do not have it.
    books.answer(reads, Ok(StoreReply::Owned(Vec::new())));
    assert!(books.ledger.owned_ids(Corpus::Us).contains(&RowId(7)), "what was seen is not forgotten");
    assert_eq!(books.ledger.unwritten().collect::<Vec<_>>(), [(Corpus::Us, RowId(7))]);
    assert_eq!(books.written(), 0, "a full disk is not tried without end");

    books.ledger.write_seen(&mut books.desk.at(Now::default(), &mut books.fx));
    books.answer(writes, Ok(StoreReply::Done(())));
    assert_eq!(books.ledger.unwritten().count(), 0);
}

#[test]
fn what_could_not_be_written_stays_with_its_purse() {
    let mut books = unwritten();
    books.begin("org_2");
    assert_eq!((books.ledger.unwritten().count(), books.written()), (0, 0));
    assert!(books.ledger.owned_ids(Corpus::Us).is_empty());
}

#[test]
fn a_ledger_is_reading_until_each_answer_is_here() {
    let mut books = Books::of("org_1");
    assert!(books.ledger.is_reading() && books.ledger.is_reading_owned() && books.ledger.is_reading_spent());
    books.answer(reads, Ok(StoreReply::Owned(Vec::new())));
    assert!(books.ledger.is_reading() && !books.ledger.is_reading_owned());
    books.answer(|call| matches!(call, StoreCall::Spent { .. }), Err(StoreFailure::Full));
    assert!(!books.ledger.is_reading() && !books.ledger.is_reading_spent());
}
