//! Coming to rest: nothing goes wrong any more, what is in doubt is cleared up, and the books are compared.

use lode::domain::credits::Credits;
use lode::domain::purse::{Origin, Purse};
use lode::effect::profile::WindowId;
use lode::effect::store::{StoreCall, StoreReply};

use crate::referee::Truth;
use crate::window::{ORIGIN, Window};

use super::{Happening, World, kind};

impl World {
    /// From now on nothing goes wrong any more, and what is in doubt is cleared up.
    pub(super) fn settle(&mut self) {
        self.settling = true;
        self.service.set_credits(&self.org, 1_000_000, self.now);
        self.books_read = self.service.read(self.now, |books| books.lines().len());
        for slot in 0..self.windows.len() {
            self.restart(slot);
        }
    }

    pub(super) fn is_at_rest(&self) -> bool {
        let flying = self.heap.values().any(|happening| matches!(happening, Happening::Arrive { .. }));
        !flying && self.windows.iter().all(|window| window.as_ref().is_some_and(Window::is_at_rest))
    }

    pub(super) fn rest(&mut self) {
        self.referee.marks.hit("clear at rest");
        let now = self.at();
        let purse = Purse::of_org(Origin::of(ORIGIN), &self.org);
        let owned = match self.keeper.perform(StoreCall::Owned { purse: purse.clone(), corpus: None }, now) {
            Ok(StoreReply::Owned(owned)) => owned,
            other => {
                self.broken = Some(format!("what we own cannot be read: {other:?}"));
                return;
            }
        };
        let spent = self.keeper.perform(StoreCall::Spent { purse, window: WindowId("keeper".to_owned()) }, now);
        if let Ok(StoreReply::Spent(spent)) = spent
            && spent.held != Credits::ZERO
        {
            self.broken = Some(format!("{} held at rest", spent.held));
        }
        let (service, org) = (&self.service, &self.org);
        let truth = Truth {
            address: &|corpus, id| {
                let person = service.person(kind(corpus), id.0 as u64);
                person.map(|person| (person.email.to_string(), person.phone.to_string())).unwrap_or_default()
            },
            suppressed: &|corpus, id| {
                service.read(self.now, |books| books.suppressed(kind(corpus)).contains(&(id.0 as u64)))
            },
            owned: &|corpus, id| {
                let owns = |books: &lode::sandbox::books::Books| {
                    books.org(org).is_some_and(|org| org.owned.of(kind(corpus)).contains_key(&(id.0 as u64)))
                };
                service.read(self.now, owns)
            },
        };
        let verdict = self.referee.at_rest(&owned, &truth);
        self.judge(verdict);
    }
}
