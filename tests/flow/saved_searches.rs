//! The shelf of saved searches against services that treat their list badly: driven through the desk, answer by answer,
//! without a socket. What the sandbox's variants do is tested through the shell commands.

use std::collections::VecDeque;

use common::profile::{profile, service};
use lode_core::contact::Side;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::saved::{Home, RemoteSaved, SavedSearch};
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::files::{FileCall, FileReply, SavedCall};
use lode_engine::effect::store::{Gauge, SlotId, StoreCall, StoreReply};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::desk::Desk;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::saved::{Refused, SavedChange, SavedEvent, SavedSearches};

/// A service's list, and what a DELETE does to it.
struct Fixture {
    list: Vec<RemoteSaved>,
    next_id: u32,
    /// A DELETE takes everything, whatever it names.
    wipes: bool,
    /// A POST is answered with success and forgotten.
    forgets: bool,
    refuses: bool,
    /// Entries change with every reading: when they were last used, say.
    restless: bool,
    files: Vec<SavedSearch>,
    hidden: Vec<String>,
    sent: Vec<Call>,
}

impl Fixture {
    fn new(names: &[&str]) -> Fixture {
        let mut fixture = Fixture {
            list: Vec::new(),
            next_id: 0,
            wipes: false,
            forgets: false,
            refuses: false,
            restless: false,
            files: Vec::new(),
            hidden: Vec::new(),
            sent: Vec::new(),
        };
        names.iter().for_each(|name| fixture.keep((*name).to_owned(), None, (*name).to_owned()));
        fixture
    }

    fn keep(&mut self, name: String, query: Option<Query>, raw: String) {
        self.next_id += 1;
        self.list.push(RemoteSaved { id: Some(self.next_id.to_string()), name, query, raw });
    }

    fn names(&self) -> Vec<&str> {
        self.list.iter().map(|entry| entry.name.as_str()).collect()
    }

    fn reply(&mut self, call: &Call) -> Result<Reply, Failure> {
        self.sent.push(call.clone());
        if self.refuses && !matches!(call, Call::SavedList) {
            return Err(Failure::Refused { status: 405, why: Refusal::Request, words: "read only".to_owned() });
        }
        match call {
            Call::SavedList if self.restless => {
                let used = self.sent.len();
                self.list.iter_mut().for_each(|entry| entry.raw = format!("{} used {used}", entry.name));
                return Ok(Reply::Saved(self.list.clone()));
            }
            Call::SavedList => return Ok(Reply::Saved(self.list.clone())),
            Call::SavedAdd { name, query } if !self.forgets => {
                self.keep(name.clone(), Some(query.clone()), name.clone());
            }
            Call::SavedRestore { raw } => self.keep(raw.clone(), None, raw.clone()),
            Call::SavedRemove { .. } if self.wipes => self.list.clear(),
            Call::SavedRemove { id } => self.list.retain(|entry| entry.id.as_ref() != Some(id)),
            _ => {}
        }
        Ok(Reply::SavedWritten)
    }

    fn file(&mut self, call: SavedCall) -> FileReply {
        match call {
            SavedCall::List => {
                return FileReply::Saved {
                    saved: self.files.clone(),
                    unreadable: Vec::new(),
                    hidden: self.hidden.clone(),
                    views: Default::default(),
                };
            }
            SavedCall::Add(saved) if self.files.iter().any(|known| known.name == saved.name) => {
                return FileReply::Taken;
            }
            SavedCall::Add(saved) => self.files.push(saved),
            SavedCall::Note(saved) => {
                if let Some(known) = self.files.iter_mut().find(|known| known.name == saved.name) {
                    *known = saved;
                }
            }
            SavedCall::Rename { from, to } => {
                self.files.retain(|known| known.name != from);
                self.files.push(to);
            }
            SavedCall::Remove { name } => self.files.retain(|known| known.name != name),
            SavedCall::Hide { key } => self.hidden.push(key),
            SavedCall::KeepView { .. } => {}
        }
        FileReply::Done
    }
}

struct Bench {
    fixture: Fixture,
    saved_searches: SavedSearches,
    desk: Desk,
    told: Vec<SavedEvent>,
}

const NOW: Now = Now { wall: Wall(1_773_144_367_000), mono: Mono(1_000) };

impl Bench {
    /// Both lists are read.
    fn new(fixture: Fixture) -> Bench {
        let profile = profile("p", None, Some(service("https://data.example", "aa", None, 2)));
        let desk = Desk::new(&profile, RetryPolicy::Shell, 1);
        let mut bench = Bench { fixture, saved_searches: SavedSearches::new(&profile), desk, told: Vec::new() };
        let mut fx = Vec::new();
        bench.saved_searches.load(&mut bench.desk.at(NOW, &mut fx));
        bench.saved_searches.ask_service(&mut bench.desk.at(NOW, &mut fx));
        bench.settle(fx);
        bench
    }

    fn change(&mut self, change: SavedChange) {
        let mut fx = Vec::new();
        self.saved_searches.change(vec![change], &mut self.desk.at(NOW, &mut fx)).unwrap();
        self.settle(fx);
    }

    /// Carries everything out until nothing is wanted any more.
    fn settle(&mut self, fx: Vec<Effect>) {
        let mut todo = VecDeque::from(fx);
        while let Some(effect) = todo.pop_front() {
            let answer = self.answer(effect);
            self.handle(answer, &mut todo);
        }
        self.told.extend(self.saved_searches.take_events());
        assert!(!self.saved_searches.is_busy());
    }

    /// What the fixture answers to an effect, which is done by then.
    fn answer(&mut self, effect: Effect) -> Answer {
        match effect {
            Effect::Send(id, call) => Answer::Replied(id, self.fixture.reply(&call.record())),
            Effect::File(ticket, FileCall::Saved(call)) => Answer::Filed(ticket, Ok(self.fixture.file(call))),
            Effect::Store(ticket, StoreCall::Reserve { .. }) => {
                Answer::Stored(ticket, Ok(StoreReply::Reserved { slot: SlotId(1), gauge: Gauge::default() }))
            }
            Effect::Store(ticket, _) => Answer::Stored(ticket, Ok(StoreReply::Done(()))),
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn handle(&mut self, answer: Answer, todo: &mut VecDeque<Effect>) {
        let mut fx = Vec::new();
        if let Some((_, heard)) = self.desk.handle(answer, NOW, &mut fx) {
            self.saved_searches.handle(&heard, &mut self.desk.at(NOW, &mut fx));
        }
        todo.extend(fx);
    }

    /// Where the search is said to be after the last change.
    fn home(&self) -> Option<Home> {
        self.told.iter().rev().find_map(|told| match told {
            SavedEvent::Done { home, .. } => Some(*home),
            _ => None,
        })
    }

    fn sentences(&self) -> String {
        let last = self.told.iter().rev().find_map(|told| match told {
            SavedEvent::Done { sentences, .. } => Some(sentences.join("; ")),
            _ => None,
        });
        last.unwrap_or_default()
    }

    fn listed(&self) -> Vec<(String, &'static str)> {
        self.saved_searches.entries().iter().map(|entry| (entry.name.clone(), entry.home.name())).collect()
    }
}

fn query(title: &str) -> Query {
    let mut query = Query::new(Side::default());
    query.set(Filter::Title, title).unwrap();
    query
}

fn add(name: &str) -> SavedChange {
    SavedChange::Add { name: name.to_owned(), query: query("nurse"), view: None }
}

fn remove(name: &str) -> SavedChange {
    SavedChange::Remove { name: name.to_owned() }
}

#[test]
fn what_vanishes_beside_the_named_one_is_put_back_and_said() {
    let mut bench = Bench::new(Fixture { wipes: true, ..Fixture::new(&["theirs", "also theirs"]) });
    bench.change(add("mine"));
    assert_eq!(bench.listed().len(), 3);
    bench.change(remove("mine"));
    let mut names = bench.fixture.names();
    names.sort_unstable();
    assert_eq!(names, ["also theirs", "theirs"]);
    assert!(bench.sentences().contains("also dropped 2 other saved searches; all were put back"));
    assert_eq!(bench.listed(), [("also theirs".to_owned(), "service"), ("theirs".to_owned(), "service")]);
}

#[test]
fn a_delete_always_names_an_id_that_the_list_has() {
    let mut bench = Bench::new(Fixture::new(&["theirs"]));
    // The file says that the service keeps it under 77, and the service has no such entry.
    let gone = SavedSearch { id: Some("77".to_owned()), ..SavedSearch::new("mine".to_owned(), query("x")) };
    bench.fixture.files.push(gone);
    let mut again = Bench::new(bench.fixture);
    again.change(remove("mine"));
    assert!(!again.fixture.sent.iter().any(|call| matches!(call, Call::SavedRemove { .. })));
    assert_eq!(again.fixture.names(), ["theirs"]);
    // An entry without an id is never deleted, only no longer listed.
    let mut nameless = Fixture::new(&["theirs"]);
    nameless.list[0].id = None;
    let mut bench = Bench::new(nameless);
    bench.change(remove("theirs"));
    assert!(!bench.fixture.sent.iter().any(|call| matches!(call, Call::SavedRemove { .. })));
    assert_eq!((bench.fixture.names().len(), bench.listed().len()), (1, 0));
    assert_eq!(Bench::new(bench.fixture).listed(), [], "also after a restart");
}

#[test]
fn success_that_keeps_nothing_and_refusals_are_told_apart() {
    let mut bench = Bench::new(Fixture { forgets: true, ..Fixture::new(&[]) });
    bench.change(add("mine"));
    assert!(bench.sentences().contains("accepted it but did not keep it"), "{}", bench.sentences());
    assert_eq!(bench.listed(), [("mine".to_owned(), "local")]);
    let mut bench = Bench::new(Fixture { refuses: true, ..Fixture::new(&["theirs"]) });
    bench.change(add("mine"));
    assert!(bench.sentences().contains("refused it (read only)"), "{}", bench.sentences());
    bench.change(remove("theirs"));
    assert!(bench.sentences().contains("the service kept its copy"), "{}", bench.sentences());
    assert_eq!(bench.listed(), [("mine".to_owned(), "local")]);
}

#[test]
fn a_new_name_is_kept_before_the_old_one_goes() {
    let mut bench = Bench::new(Fixture::new(&[]));
    bench.change(add("old"));
    assert_eq!(bench.listed(), [("old".to_owned(), "both")]);
    bench.change(SavedChange::Rename { old: "old".to_owned(), new: "new".to_owned() });
    assert_eq!(bench.fixture.names(), ["new"]);
    assert_eq!(bench.listed(), [("new".to_owned(), "both")]);
    let writes: Vec<&str> = bench
        .fixture
        .sent
        .iter()
        .filter_map(|call| match call {
            Call::SavedAdd { .. } => Some("add"),
            Call::SavedRemove { .. } => Some("remove"),
            _ => None,
        })
        .collect();
    assert_eq!(writes, ["add", "add", "remove"]);
    assert_eq!(bench.fixture.files[0].id.as_deref(), Some("2"));
}

#[test]
fn entries_that_only_changed_did_not_vanish() {
    let mut fixture = Fixture { restless: true, ..Fixture::new(&["unreadable", "theirs"]) };
    fixture.list[1].query = Some(query("x"));
    fixture.list.iter_mut().for_each(|entry| entry.id = None);
    let mut bench = Bench::new(fixture);
    bench.change(add("mine"));
    assert_eq!(bench.sentences(), "");
    assert!(!bench.fixture.sent.iter().any(|call| matches!(call, Call::SavedRestore { .. })));
    assert_eq!(bench.fixture.names(), ["unreadable", "theirs", "mine"]);
}

fn rename() -> SavedChange {
    SavedChange::Rename { old: "old".to_owned(), new: "new".to_owned() }
}

/// The notice that the folder changed can come before the answer that tells the change is done, and a listing can overtake it.
#[test]
fn a_rename_reaches_the_service_whatever_is_read_meanwhile() {
    // What is read again, and after how many answers to the change: a list that was asked for before it counts as well.
    for (files, service) in [(true, false), (false, true), (true, true)] {
        for at in 0..8 {
            let mut bench = Bench::new(Fixture::new(&["theirs"]));
            bench.change(add("old"));
            let mut fx = Vec::new();
            let mut early = Vec::new();
            if service {
                bench.saved_searches.ask_service(&mut bench.desk.at(NOW, &mut early));
            }
            bench.saved_searches.change(vec![rename()], &mut bench.desk.at(NOW, &mut fx)).unwrap();
            let mut todo = VecDeque::from(fx);
            let mut answered = 0;
            while let Some(effect) = todo.pop_front().or_else(|| early.pop()) {
                // It is done at the service before the client learns of it.
                let answer = bench.answer(effect);
                if answered == at {
                    let mut fx = Vec::new();
                    if files {
                        bench.saved_searches.load(&mut bench.desk.at(NOW, &mut fx));
                    }
                    if service {
                        bench.saved_searches.ask_service(&mut bench.desk.at(NOW, &mut fx));
                    }
                    let mut notice: VecDeque<Effect> = std::mem::take(&mut early).into_iter().chain(fx).collect();
                    while let Some(effect) = notice.pop_front() {
                        let answer = bench.answer(effect);
                        bench.handle(answer, &mut notice);
                    }
                }
                bench.handle(answer, &mut todo);
                answered += 1;
            }
            bench.settle(Vec::new());
            assert_eq!(bench.fixture.names(), ["theirs", "new"], "{files} {service} {at}");
            assert_eq!((bench.home(), bench.sentences().as_str()), (Some(Home::Both), ""), "{files} {service} {at}");
            assert_eq!(bench.listed()[0], ("new".to_owned(), "both"), "{files} {service} {at}");
        }
    }
}

/// A listing that was asked for before a change shows the files as they were.
#[test]
fn a_listing_from_before_a_change_is_not_believed_after_it() {
    let mut bench = Bench::new(Fixture::new(&[]));
    bench.change(add("old"));
    let mut fx = Vec::new();
    bench.saved_searches.load(&mut bench.desk.at(NOW, &mut fx));
    let early = bench.answer(fx.remove(0));
    bench.change(rename());
    let mut todo = VecDeque::new();
    bench.handle(early, &mut todo);
    bench.settle(todo.into());
    assert_eq!(bench.listed(), [("new".to_owned(), "both")]);
    assert_eq!(bench.fixture.names(), ["new"]);
}

#[test]
fn a_rename_that_the_service_does_not_take_is_not_said_to_be_there() {
    for (refuses, forgets, why) in [(true, false, " (read only)"), (false, true, "")] {
        let mut bench = Bench::new(Fixture::new(&[]));
        bench.change(add("old"));
        (bench.fixture.refuses, bench.fixture.forgets) = (refuses, forgets);
        bench.change(rename());
        assert_eq!(bench.home(), Some(Home::Local));
        assert_eq!(bench.sentences(), format!("renamed here; the service's copy keeps the name `old`{why}"));
        assert_eq!(bench.fixture.names(), ["old"]);
    }
}

#[test]
fn a_copy_without_an_id_is_not_listed_beside_its_new_name() {
    let mut bench = Bench::new(Fixture::new(&[]));
    bench.change(add("old"));
    bench.fixture.list[0].id = None;
    bench.fixture.files[0].id = None;
    let mut bench = Bench::new(bench.fixture);
    bench.change(rename());
    assert!(bench.sentences().contains("also kept the copy with the old name"), "{}", bench.sentences());
    assert_eq!(bench.listed(), [("new".to_owned(), "both")]);
}

#[test]
fn a_name_that_another_window_took_meanwhile_is_refused() {
    let mut bench = Bench::new(Fixture::new(&[]));
    bench.fixture.files.push(SavedSearch::new("mine".to_owned(), query("engineer")));
    bench.change(add("mine"));
    assert!(bench.told.contains(&SavedEvent::Refused(Refused::Taken("mine".to_owned()))), "{:?}", bench.told);
    assert!(bench.fixture.names().is_empty(), "nor is it sent to the service");
    assert_eq!(bench.fixture.files[0].query, query("engineer"));
    assert_eq!(bench.listed(), [("mine".to_owned(), "local")]);
}
