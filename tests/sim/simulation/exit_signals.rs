//! How a process ends: it dies at any step, or it is told to end and leaves in order, or its command is done.

use lode_engine::effect::store::StoreCall;

use crate::robot::Temper;
use crate::window::Window;

use common::rng::Key;

use super::{Happening, Simulation};

/// How long a process that was told to end waits for what is on the wire.
const PATIENCE: u64 = 8_000;

impl Simulation {
    /// The process of a slot dies, with all profiles that are open in it.
    pub(super) fn crash(&mut self, slot: usize) {
        let Some(run) = self.windows[slot].as_ref().map(|window| window.run) else { return };
        let mut rng = self.draws.next(Key::new("crash").number(run));
        for slot in self.of_run(run) {
            let Some(mut window) = self.windows[slot].take() else { continue };
            self.note_crash(&window);
            // What the store had not answered yet may have been done all the same: any part of it from the front.
            let mut rng = self.draws.next(window.key().text("crash"));
            self.drain(&mut window, || rng.per_mille(400));
            self.bury(window);
        }
        let latest = match self.temper {
            _ if self.settling => 101,
            Temper::Hasty => 5_000,
            _ => 90_000,
        };
        self.later(rng.between(100, latest), restart_of(slot), Happening::Restart { slot });
    }

    pub(super) fn note_crash(&mut self, window: &Window) {
        self.trace(|| format!("g{} crashes", window.generation));
        let marks = &mut self.referee.marks;
        if !window.queue.is_empty() {
            marks.hit("crash with work of the store under way");
        }
        let intended = window.session().unlock().at_work().is_some_and(|batch| {
            !self.referee.sendings.iter().any(|sent| sent.batch == batch) && self.referee.batches.contains_key(&batch)
        });
        if intended {
            marks.hit("crash between intent and sending");
        }
        if !window.in_flight.is_empty() {
            marks.hit("crash while in flight");
        }
        let pending = |what: fn(&StoreCall) -> bool| window.queue.iter().any(|(_, call)| what(call));
        if pending(|call| matches!(call, StoreCall::Settle(_) | StoreCall::KeepAnswer { .. })) {
            marks.hit("crash between answer and settlement");
        }
    }

    /// With a process its lines break: nothing of it arrives later than a call may be under way.
    pub(super) fn bury(&mut self, window: Window) {
        let (generation, now, latest) = (window.generation, self.now, self.latest);
        self.referee.crashed(generation, window.in_flight.values().copied(), now);
        drop(window);
        let mine = |happening: &Happening| matches!(happening, Happening::Arrive(under) if under.from.generation == generation);
        let late: Vec<(u64, Key, u64)> =
            self.heap.iter().filter(|((at, ..), h)| mine(h) && *at > now + latest).map(|(place, _)| *place).collect();
        for place in late {
            let mut happening = self.heap.remove(&place).expect("just seen");
            let (_, key, _) = place;
            if let Happening::Arrive(under) = &mut happening {
                under.stray = true;
            }
            let wait = self.draws.next(key.text("buried")).below(latest);
            self.later(wait, key, happening);
        }
    }

    /// SIGTERM, SIGHUP, `q` and yes, Ctrl-C: the process stops its unlocks after the call on the wire, and leaves when that is
    /// stored.
    pub(super) fn tell_to_end(&mut self, slot: usize) {
        let Some(window) = self.windows[slot].as_ref() else { return };
        if window.leaving.is_some() {
            return;
        }
        let (run, now) = (window.run, self.at());
        let working = self
            .of_run(run)
            .into_iter()
            .any(|slot| self.windows[slot].as_ref().is_some_and(|window| !window.in_flight.is_empty()));
        self.referee.marks.hit(if working { "an orderly exit with an unlock on the wire" } else { "an orderly exit" });
        for slot in self.of_run(run) {
            if let Some(window) = self.windows[slot].as_mut() {
                window.leaving = Some(self.now + PATIENCE);
            }
        }
        // A second signal ends it at once.
        let key = Key::new("leaves").number(run);
        let mut rng = self.draws.next(key);
        let wait = if rng.per_mille(150) { rng.below(PATIENCE) } else { PATIENCE };
        self.later(wait, key, Happening::Leave { run });
        for slot in self.of_run(run) {
            self.touch(slot, |window, fx| match window.script {
                Some(_) => window.interrupt(now, fx),
                None => {
                    window.session.stop_unlock(now, fx);
                    Vec::new()
                }
            });
        }
    }

    /// Leaves as soon as nothing that was paid for is on its way any more.
    pub(super) fn leave_when_done(&mut self, run: u64) {
        let all = self.of_run(run);
        if all.iter().any(|slot| self.windows[*slot].as_ref().is_some_and(Window::is_working)) {
            for slot in all {
                self.set_alarm(slot);
            }
            return;
        }
        self.end_process(run, true);
    }

    /// It was told a second time, or its patience is over.
    pub(super) fn leave_at_last(&mut self, run: u64) {
        let all = self.of_run(run);
        if all.is_empty() {
            return;
        }
        self.referee.marks.hit("an exit that could not wait for its answer");
        self.end_process(run, false);
    }

    /// What was under way in a window that is gone belongs to no window any more: each idle window looks for it.
    pub(super) fn look_once_more(&mut self) {
        for window in self.windows.iter_mut().flatten().filter(|_| self.settling) {
            window.robot.looks = 0;
        }
    }

    fn end_process(&mut self, run: u64, in_order: bool) {
        // A window at rest looks once more: what was on the wire here belongs to no window now.
        self.look_once_more();
        for slot in self.of_run(run) {
            let Some(mut window) = self.windows[slot].take() else { continue };
            if in_order && !window.in_flight.is_empty() {
                self.judge(Err("a process left in order while its unlock was on the wire".to_owned()));
            }
            self.trace(|| format!("g{} ends, in order: {in_order}", window.generation));
            self.drain(&mut window, || false);
            if in_order && self.trouble == 0 {
                let verdict = self.referee.left_in_order(window.generation);
                self.judge(verdict);
            }
            // What could not be stored was printed. What is on the wire arrives after its slots were given back.
            let mut rng = self.draws.next(window.key().text("ends"));
            self.bury(window);
            self.strayed = Some(self.now);
            if slot < self.slots {
                let wait = if self.settling { 100 } else { rng.between(100, 20_000) };
                self.later(wait, restart_of(slot), Happening::Restart { slot });
            }
        }
    }

    /// A script has come to its end: what it gave the store to do is done, and nothing it paid for is on the wire.
    pub(super) fn leave(&mut self, slot: usize) {
        let Some(window) = self.windows[slot].as_ref() else { return };
        self.referee.marks.hit("a script came to its end");
        let (run, flies) = (window.run, !window.in_flight.is_empty());
        let unsaved = window.session().unlock().has_unsaved();
        let verdict = self.referee.handed_over(window.generation, &window.printed);
        self.judge(verdict);
        if flies {
            self.judge(Err("a script left while its unlock was on the wire".to_owned()));
        }
        self.end_process(run, !unsaved);
    }
}

fn restart_of(slot: usize) -> Key {
    Key::new("restart").number(slot as u64)
}
