//! The ledger: contacts that a search showed as owned, what is known of each, and what an answer to an unlock proves.

use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::money::{BatchId, Outcome, person};
use lode_core::purse::{Origin, Purse};
use lode_core::time::Now;
use lode_core::{Owned, SeenOwned};
use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::effect::{Effect, Ticket};
use lode_engine::flow::desk::{Arrival, Desk};
use lode_engine::flow::ledger::Ledger;
use lode_engine::flow::ledger::reading::{SentBatch, read_answers};
use lode_engine::flow::retry::RetryPolicy;

use common::flow_simulation::{at, profile};
use serde_json::{Value, json};

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

    /// A search shows contact 7 as owned, in Texas.
    fn see(&mut self, corpus: Corpus) {
        let contact = Contact {
            email: "ruth@lakeside.example".to_owned(),
            contact_name: "Ruth Abara".to_owned(),
            company_name: "Lakeside".to_owned(),
            ..Contact::default()
        };
        let row = json!({"id": 7, "state": "TX", "unlocked": true}).to_string();
        self.see_one(corpus, SeenOwned { row, ..seen(contact) });
    }

    fn see_one(&mut self, corpus: Corpus, seen: SeenOwned) {
        self.ledger.see(corpus, vec![seen], &mut self.desk.at(at(1_000), &mut self.fx));
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

/// Contact 7, of which only this is known.
fn seen(contact: Contact) -> SeenOwned {
    SeenOwned { id: RowId(7), contact, search: None, row: String::new() }
}

/// A search shows a contact as owned, and the disk is full.
fn unwritten() -> Books {
    let mut books = Books::of("org_1");
    books.answer(reads, Ok(StoreReply::Owned(Vec::new())));
    books.see_one(Corpus::Us, seen(Contact::default()));
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
    books.ledger.see(Corpus::Us, Vec::new(), &mut books.desk.at(Now::default(), &mut books.fx));
    assert_eq!(books.written(), 0, "a full disk is not tried without end, nor with each page that shows nothing owned");

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
    assert!(books.ledger.is_reading() && !books.ledger.is_reading_owned() && books.ledger.is_reading_spent());
    books.answer(|call| matches!(call, StoreCall::Spent { .. }), Err(StoreFailure::Full));
    assert!(!books.ledger.is_reading() && !books.ledger.is_reading_spent());
}

/// A review waits for it, and a start of the program may have been too early for the disk.
#[test]
fn a_ledger_that_could_not_be_read_is_read_again_with_the_next_look_at_the_money() {
    let mut books = Books::of("org_1");
    let mut asks_again = |answer: Result<StoreReply, StoreFailure>| {
        books.answer(reads, answer);
        books.ledger.read_spent(&mut books.desk.at(Now::default(), &mut books.fx));
        books.ledger.is_reading_owned()
    };
    assert!(asks_again(Err(StoreFailure::Full)));
    assert!(!asks_again(Ok(StoreReply::Owned(Vec::new()))));
}

#[test]
fn a_contact_that_is_owned_from_now_on_is_found_in_every_way() {
    let mut books = Books::of("org_1");
    let ruth = person("Ruth Abara", "Lakeside", "r•••@lakeside.example").unwrap();
    let owned_in = |books: &Books, corpus| books.ledger.owned_in(corpus, "TX");
    // Both are counted once and kept until something changes.
    assert_eq!(owned_in(&books, Corpus::Linkedin), 0);
    assert!(!books.ledger.owned_people().holds(&ruth));
    let before = books.ledger.changes;
    books.see(Corpus::Linkedin);
    assert!(books.ledger.changes > before);
    assert_eq!((owned_in(&books, Corpus::Linkedin), owned_in(&books, Corpus::Us)), (1, 0));
    assert!(books.ledger.owned_people().holds(&ruth));
    let all = books.ledger.owned().map(|owned| (owned.corpus, owned.id)).collect::<Vec<_>>();
    assert_eq!(all, [(Corpus::Linkedin, RowId(7))]);
    let contact = books.ledger.contact(Corpus::Linkedin, RowId(7));
    assert_eq!((contact, contact.map(|owned| owned.unlocked_at)), (books.ledger.owned().next(), Some(at(1_000).wall)));
}

/// A count of the owned contacts of one workspace does not hold for the next.
#[test]
fn a_ledger_of_another_workspace_counts_as_changed() {
    let mut books = Books::of("org_1");
    books.see(Corpus::Us);
    let before = books.ledger.changes;
    books.begin("org_2");
    assert!(books.ledger.changes > before, "{} after {before}", books.ledger.changes);
}

#[test]
fn tags_and_a_note_are_shown_at_once_and_written() {
    let mut books = Books::of("org_1");
    books.see(Corpus::Us);
    let (west, call) = (vec!["west".to_owned()], "call in May".to_owned());
    let cx = &mut books.desk.at(Now::default(), &mut books.fx);
    books.ledger.tag(Corpus::Us, vec![RowId(7)], west.clone(), cx);
    books.ledger.note(Corpus::Us, RowId(7), call.clone(), cx);
    let ruth = books.ledger.contact(Corpus::Us, RowId(7)).unwrap();
    assert_eq!((&ruth.tags, &ruth.note), (&west, &call));
    books.answer(|call| matches!(call, StoreCall::Tag { tags, .. } if tags == &["west"]), Ok(StoreReply::Done(())));
    let notes = |call: &StoreCall| matches!(call, StoreCall::Note { note, .. } if note == "call in May");
    books.answer(notes, Ok(StoreReply::Done(())));
    // Another window took it off this computer.
    let cx = &mut books.desk.at(Now::default(), &mut books.fx);
    books.ledger.tag(Corpus::Us, vec![RowId(8)], west, cx);
    books.ledger.note(Corpus::Us, RowId(8), call, cx);
    assert_eq!(books.ledger.contact(Corpus::Us, RowId(8)), None);
}

#[test]
fn contacts_of_the_workspace_before_are_dropped_when_they_arrive_late() {
    let mut books = Books::of("org_1");
    let asked = |effect: &Effect| matches!(effect, Effect::Store(_, call) if reads(call));
    let Effect::Store(late, _) = books.fx.remove(books.fx.iter().position(asked).unwrap()) else { panic!() };
    books.begin("org_2");
    let contact = Owned { id: RowId(7), ..Owned::default() };
    books.handle(late, Ok(StoreReply::Owned(vec![contact.clone()])));
    assert_eq!(books.ledger.contact(Corpus::Us, RowId(7)), None);
    books.answer(reads, Ok(StoreReply::Owned(vec![contact])));
    assert!(books.ledger.contact(Corpus::Us, RowId(7)).is_some());
}

/// A row adds to it all that the service knows of the contact.
#[test]
fn an_owned_contact_is_written_again_until_its_address_and_its_row_are_here() {
    let mut books = Books::of("org_1");
    let email = || Contact { email: "ruth@lakeside.example".to_owned(), ..Contact::default() };
    for (seen, written) in [(seen(Contact::default()), 1), (seen(email()), 2), (seen(email()), 3)] {
        books.see_one(Corpus::Us, seen);
        assert_eq!(books.written(), written);
    }
    for _ in 0..2 {
        books.see(Corpus::Us);
        assert_eq!(books.written(), 4, "nothing is missing after that");
    }
}

#[test]
fn receipts_are_read_when_they_are_wanted() {
    let mut books = Books::of("org_1");
    books.ledger.read_receipts(&mut books.desk.at(Now::default(), &mut books.fx));
    assert_eq!(books.ledger.receipts, None);
    books.answer(|call| matches!(call, StoreCall::Receipts { .. }), Ok(StoreReply::Receipts(Vec::new())));
    assert_eq!(books.ledger.receipts, Some(Vec::new()));
}

#[test]
fn a_contact_that_is_taken_off_this_computer_leaves_at_once() {
    let mut books = Books::of("org_1");
    books.see(Corpus::Us);
    books.ledger.forget(Corpus::Us, vec![RowId(7)], &mut books.desk.at(Now::default(), &mut books.fx));
    assert_eq!(books.ledger.owned_count(), 0);
    books.answer(|call| matches!(call, StoreCall::Forget { ids, .. } if ids == &[RowId(7)]), Ok(StoreReply::Done(())));
}

/// The contacts of a batch with these ids that the answer to its last sending settles. Others of its sendings were refused.
fn settled(ids: &[i64], sendings: (u32, u32), verify: bool, data: &Value) -> Vec<(i64, Outcome)> {
    settled_when(ids, sendings, verify, false, data)
}

/// `past`: none of the sendings before can be applied any more.
fn settled_when(
    ids: &[i64],
    (sent, refused): (u32, u32),
    verify: bool,
    past: bool,
    data: &Value,
) -> Vec<(i64, Outcome)> {
    let body = json!({"ok": true, "data": data}).to_string();
    let ids: Vec<RowId> = ids.iter().copied().map(RowId).collect();
    let open = ids.iter().copied().collect();
    let (batch, corpus) = (BatchId(1), Corpus::Us);
    let sent = SentBatch { batch, corpus, ids: &ids, open: &open, sent, verify, past, refused };
    let contacts = read_answers(sent, [body.as_bytes()]).settlement.contacts;
    contacts.iter().map(|settled| (settled.id.0, settled.outcome)).collect()
}

/// The first of two sendings got no answer, so only what the other lists with everything that was paid for is settled.
#[test]
fn a_contact_that_may_have_been_bought_before_is_settled_only_with_all_that_was_paid_for() {
    let of = |verify: bool, contact: &Value| {
        let data = json!({"unlocked": [], "already_unlocked": [contact], "missing": [], "credits_charged": 0});
        settled(&[1], (2, 0), verify, &data)
    };
    let unchecked = json!({"id": 1, "email": "ruth@lakeside.example"});
    let checked = json!({"id": 1, "email": "ruth@lakeside.example", "verification": "valid"});
    let bare = json!({"id": 1, "verification": "valid"});
    let bought = [(1, Outcome::Unlocked)];
    for verify in [true, false] {
        assert_eq!((of(verify, &checked), of(verify, &bare)), (bought.to_vec(), vec![]), "the other has no address");
    }
    assert_eq!((of(true, &unchecked), of(false, &unchecked)), (vec![], bought.to_vec()));
}

/// The entry may be the contact that no list names: it is not called locked.
#[test]
fn an_entry_without_a_readable_id_leaves_the_contacts_open_that_no_list_names() {
    let of = |entry: Option<Value>| {
        let unlocked: Vec<Value> =
            [Some(json!({"id": 1, "email": "ruth@lakeside.example"})), entry].into_iter().flatten().collect();
        settled(&[1, 2], (1, 0), true, &json!({"unlocked": unlocked, "stopped_for_credits": true}))
    };
    assert_eq!(of(None), [(1, Outcome::Unlocked), (2, Outcome::Locked)]);
    assert_eq!(of(Some(json!({"id": null, "email": "tom@lakeside.example"}))), [(1, Outcome::Unlocked)]);
}

/// Where the credits ran out some services call missing what they never tried.
#[test]
fn a_contact_is_out_of_reach_only_where_the_last_answer_of_all_calls_it_missing() {
    for (missing, stopped, is_gone) in [(1, false, true), (2, false, false), (1, true, false)] {
        let data = json!({"unlocked": [], "already_unlocked": [], "missing": [missing], "credits_charged": 0,
            "stopped_for_credits": stopped});
        let expected = is_gone.then_some((1, Outcome::Unreachable));
        assert_eq!(settled_when(&[1], (2, 0), true, true, &data).first(), expected.as_ref(), "{data}");
    }
}

/// A sending that was refused was found locked afterwards: its answer is not waited for.
#[test]
fn a_contact_is_called_missing_only_where_each_sending_was_answered_or_refused() {
    let data = json!({"unlocked": [], "already_unlocked": [], "missing": [1], "credits_charged": 0});
    for (sent, refused, missing) in [(1, 0, true), (2, 0, false), (2, 1, true), (3, 1, false), (3, 2, true)] {
        let expected = missing.then_some((1, Outcome::Missing));
        let settled = settled(&[1], (sent, refused), true, &data);
        assert_eq!(settled.first(), expected.as_ref(), "{refused} of {sent} refused");
    }
}
