//! The line between a window and the service, with all that can go wrong on it.

use lode::domain::contact::RowId;
use lode::effect::call::{Call, Reply};
use lode::effect::failure::{Failure, Unclear};
use lode::effect::{Answer, CallId};
use lode::sandbox::books::lines::What;
use lode::sandbox::service::{DEFAULT_KEY, Watch};

use crate::network::{self, Fate};

use super::{Happening, Sender, World};

impl World {
    pub(super) fn send(&mut self, slot: usize, id: CallId, call: Call) {
        let storm = if self.settling { 0 } else { self.storm };
        let fate = network::fate(&call, storm, self.slow, &mut self.dice);
        let Some(window) = self.windows[slot].as_mut() else { return };
        let mut batch = None;
        if let Call::Unlock(unlock) = &call {
            batch = window.session().unlock.at_work();
            let flying = window.in_flight.len();
            let verdict = self.referee.leaves(batch, unlock, flying);
            if let Some(batch) = batch {
                window.in_flight.insert(id, batch);
            }
            self.judge(verdict);
            let everywhere = self.windows.iter().flatten().flat_map(|window| window.in_flight.values());
            if everywhere.filter(|flying| Some(**flying) == batch).count() > 1 {
                self.judge(Err(format!("{batch:?} left one window while it was in flight from another")));
            }
        }
        let Some(window) = self.windows[slot].as_ref() else { return };
        let generation = window.generation;
        let from = Sender { slot, generation, id, batch };
        let unlock = matches!(call, Call::Unlock(_));
        let arrive = |call: &Call, down, garbled| Happening::Arrive {
            from: from.clone(),
            call: call.clone(),
            down,
            garbled,
            stray: false,
        };
        let strays = |call: &Call| Happening::Arrive {
            from: from.clone(),
            call: call.clone(),
            down: None,
            garbled: None,
            stray: true,
        };
        let fails =
            |failure: Failure| Happening::Replied { slot, generation, call: id, result: Box::new(Err(failure)) };
        let mut mark = |what: &'static str| {
            if unlock {
                self.referee.marks.hit(what);
            }
        };
        match fate {
            Fate::Fine { up, down } => self.later(up, arrive(&call, Some(down), None)),
            Fate::Twice { up, down } => {
                mark("delivered twice");
                self.later(up, arrive(&call, Some(down), None));
                // A copy of a call that was answered could still buy what its answer called out of credits, and nobody on this side
                // of the line could know: that is left to the service.
                if self.service.balance(&self.org, self.now) > 1_000 {
                    self.later(up, strays(&call));
                }
            }
            Fate::Lost { broke } => {
                mark("request lost before arriving");
                self.later(broke, fails(network::broken(Unclear::Line)));
            }
            Fate::Deaf { up, broke, part, copy } => {
                mark(match (part, copy) {
                    (Some(_), _) => "applied in part and lost",
                    (None, Some(_)) => "copy arrived after its line broke",
                    (None, None) => "answer lost after charging",
                });
                let applied = part.map_or(call.clone(), |part| network::part_of(&call, part));
                self.later(up, arrive(&applied, None, None));
                if let Some(after) = copy {
                    self.later(broke + after, strays(&call));
                }
                self.later(broke, fails(network::broken(Unclear::Line)));
            }
            Fate::Late { broke, after } => {
                mark("request arrived after its line broke");
                self.later(broke, fails(network::broken(Unclear::Deadline)));
                self.later(broke + after, strays(&call));
            }
            Fate::Instead { at, status, retry_after } => {
                mark(if status == 429 { "429" } else { "5xx before applying" });
                let result = Box::new(network::instead(&call, status, retry_after));
                self.later(at, Happening::Replied { slot, generation, call: id, result });
            }
            Fate::Garbled { up, down, status, cut } => {
                mark(if status == 200 { "2xx that cannot be read" } else { "5xx after applying" });
                self.later(up, arrive(&call, Some(down), Some((status, cut))));
            }
            Fate::Unsent { at } => {
                mark("never left");
                self.later(at, fails(Failure::Unsent { words: "no route".to_owned() }));
            }
        }
    }

    pub(super) fn arrive(&mut self, from: &Sender, call: &Call, down: Option<u64>, garbled: Option<(u16, bool)>) {
        let request = network::request(call, &self.key);
        let answer = self.service.handle(&request, self.now, &Watch::CALM);
        if answer.status == 429 && self.strayed.is_none_or(|at| at + 61_000 < self.now) {
            self.judge(Err(format!("the service had to refuse by its limit at {}", self.now)));
        }
        self.read_books(from);
        if from.batch.is_some() && self.trouble > 0 && !self.settling && self.dice.per_mille(40) {
            // The worst moment: what was bought is on its way here, and there is no room for it.
            self.referee.marks.hit("the disk was full for a while");
            self.full_until = self.now + self.dice.between(15_000, 90_000);
        }
        let Some(down) = down else { return };
        let result = match garbled {
            None => network::read(call, &answer),
            Some((200, true)) => {
                let mut cut = answer.clone();
                let mut body = answer.bytes().unwrap_or_default();
                body.truncate(body.len() / 2);
                cut.body = lode::sandbox::service::answer::Body::Bytes(body);
                network::read(call, &cut)
            }
            Some((status, _)) => network::instead(call, status, None),
        };
        let (slot, generation, call) = (from.slot, from.generation, from.id);
        self.later(down, Happening::Replied { slot, generation, call, result: Box::new(result) });
    }

    /// What the service has written into its books since we last looked, and on whose account.
    pub(super) fn read_books(&mut self, from: &Sender) {
        let from_line = self.books_read;
        let lines = self.service.read(self.now, |books| books.lines()[from_line..].to_vec());
        self.books_read += lines.len();
        let refunds: Vec<u64> =
            lines.iter().filter(|line| line.what == What::Refund).filter_map(|line| line.contact).collect();
        for line in lines.iter().filter(|line| line.what == What::Charge && line.by == DEFAULT_KEY) {
            let (Some(batch), Some(contact)) = (from.batch, line.contact) else {
                self.judge(Err("a charge that no order asked for".to_owned()));
                continue;
            };
            let refunded = refunds.contains(&contact);
            let id = RowId(contact as i64);
            let verdict = self.referee.charged(batch, id, refunded, self.now);
            self.judge(verdict);
        }
    }

    pub(super) fn reply(&mut self, slot: usize, generation: u64, call: CallId, result: Result<Reply, Failure>) {
        let Some(window) = self.living(slot, generation) else { return };
        if window.cancelled.contains(&call) {
            return;
        }
        if let Some(batch) = window.in_flight.remove(&call)
            && let Ok(Reply::Unlock { body, .. }) = &result
        {
            let again = self.referee.batches.get(&batch).is_some_and(|batch| batch.sendings > 1);
            self.referee.delivered(generation, batch, body);
            if again {
                self.referee.marks.hit("the identical batch was answered");
            }
        }
        self.hear(slot, Answer::Replied(call, result));
    }
}
