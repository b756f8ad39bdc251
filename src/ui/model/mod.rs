//! The state of the whole program: the session, a state for each screen, and unfinished input.

pub mod facts;
pub mod place;
mod receipts;
pub mod screens;
pub mod tour;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::{borrow::Cow, collections::BTreeSet, mem::discriminant, path::PathBuf, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use self::tour::Tour;
use crate::layout;
use crate::messages::Messages;
use crate::motion::{Motion, Observed};
use crate::scene::prelude::*;
use crate::screens::search::columns::{self, GridColumn};
use crate::screens::{basket, counts, jobs, matching, owned, saved, search};
use crate::theme::{Theme, Themes};
use crate::{
    keys::chord::Chord, keys::keymap::Keymap, keys::situation::Situation, scene::Nav, screens::search::state::State,
};
use lode_engine::flow::desk::{Arrival, Owner, Waits};
use lode_engine::flow::unlock::{HeldContact, ReviewChoice};
use lode_engine::{flow::retry::RetryPolicy, flow::search::window::Status, flow::session::UnlockSubject};

/// An export into a file that a person named.
pub type Named = (ExportSubject, Form, PathBuf);

/// A review to open, and why if what was accepted before is another by now.
pub type ReviewDue = (UnlockSubject, ReviewChoice, Option<String>);

/// What the shell has to do besides the effects: things of the terminal itself.
#[derive(Debug, Default)]
pub struct HostActions {
    pub suspend: bool,
    pub repaint: bool,
    /// The mouse is to be captured, or handed back.
    pub mouse: Option<bool>,
    /// About profiles and keys.
    pub profile_calls: Vec<ProfileCall>,
    /// What the jobs of other profiles want done, each by the hands it was opened with.
    pub behind: Vec<(WindowId, Vec<Effect>)>,
    /// Profiles that were left and of which nothing runs any more.
    pub let_go: Vec<WindowId>,
}

#[derive(Debug, Default)]
pub struct Model {
    pub session: Session,
    /// Other profiles whose jobs go on.
    pub behind: Vec<Session>,
    /// False until the profile is known whole: until then nothing is requested.
    pub opened: bool,
    /// There is no key, and the first run is not finished.
    pub keyless: bool,
    pub now: Now,
    pub size: (u16, u16),
    pub focused: bool,
    pub nav: Nav,
    pub keymap: Arc<Keymap>,
    /// Chords of a sequence that is not complete.
    pub pending: Vec<Chord>,
    /// Digits typed before a command.
    pub count: Option<u64>,
    pub theme: Theme,
    pub themes: Themes,
    /// Since the shown frame, only the cursor of the results has moved, or a letter was typed into the open field of a filter. Everything
    /// that does not depend on these is unchanged.
    pub only_moved: bool,
    pub motion: Motion,
    pub messages: Messages,
    /// When Ctrl-c was pressed with nothing to stop.
    pub leaving: Option<Mono>,
    pub mouse: bool,
    pub requests: PendingRequests,
    /// What the shell is to do once this message is handled.
    pub shelled: HostActions,
    /// The place as it was last written, so that the same is not written twice.
    pub placed: String,
    /// What of it is compared after every message.
    pub placed_mark: u64,
    pub placed_cursors: [u64; 4],
    /// When a moved cursor is written.
    pub place_due: Option<Mono>,
    /// Where the settings are, with the separator at its end.
    pub config_folder: String,
    /// Where the log is, as the shell said.
    pub log: Option<String>,
    /// Minutes east of Greenwich, for the hours on the screen.
    pub offset_minutes: i32,
    /// A review to open again.
    pub review_due: Option<ReviewDue>,
    /// Batches with an unknown result that the recovery panel was opened for.
    pub batches_seen: BTreeSet<BatchId>,
    /// The tour of the demo; elsewhere it is over before it began.
    pub tour: Tour,
    /// Leave when the order under way has stopped.
    pub leave_after: bool,
    pub search: search::state::State,
    pub basket: basket::State,
    pub owned: owned::State,
    pub saved: saved::State,
    pub counts: counts::State,
    pub jobs: jobs::State,
    pub matching: matching::State,
}

impl Model {
    /// Before the first frame. Of the profile its name, LIVE or SANDBOX and what the environment sets are known; the services follow
    /// with [`Msg::Opened`](super::msg::Msg).
    pub fn new(profile: Profile, keymap: Keymap, theme: Theme, now: Now) -> Model {
        Model {
            session: Session::at_rest(profile, RetryPolicy::Window, 0),
            now,
            focused: true,
            keymap: keymap.into(),
            theme,
            mouse: true,
            tour: Tour::OVER,
            search: search::state::State::new(Side::default()),
            ..Model::default()
        }
    }

    /// Begins to work: the profile is known. What was on the screen of another profile is gone with it.
    pub fn open(&mut self, profile: Profile, now: Now, fx: &mut Vec<Effect>) {
        self.keyless = profile.workspace.is_none() && profile.data.is_none();
        let mut seed = [0_u8; 8];
        for (at, byte) in profile.window.0.bytes().enumerate() {
            seed[at % 8] = seed[at % 8].wrapping_mul(31).wrapping_add(byte);
        }
        let seed = u64::from_le_bytes(seed) ^ now.mono.0;
        self.enter(Session::start(profile, RetryPolicy::Window, seed, now, fx), fx);
    }

    /// Asks the store for something of the screen's own.
    pub fn ask_store(&mut self, request: PendingRequest, call: StoreCall, fx: &mut Vec<Effect>) {
        self.requests.add(RequestAddress::Work(self.session.desk.store(Owner::Caller, call, fx)), request);
    }

    /// Asks for a file of the screen's own.
    pub fn ask_file(&mut self, request: PendingRequest, call: FileCall, fx: &mut Vec<Effect>) {
        self.requests.add(RequestAddress::Work(self.session.desk.at(self.now, fx).file(Owner::Caller, call)), request);
    }

    /// Looks at a profile again whose job went on meanwhile.
    pub fn come_back(&mut self, window: &WindowId, fx: &mut Vec<Effect>) {
        let Some(at) = self.behind.iter().position(|session| session.profile().window == *window) else { return };
        self.keyless = false;
        let session = self.behind.remove(at);
        self.enter(session, fx);
    }

    /// Another profile is looked at. A job of the one before keeps its own.
    fn enter(&mut self, session: Session, fx: &mut Vec<Effect>) {
        let side = place::begins_on(session.profile());
        let before = std::mem::replace(&mut self.session, session);
        if self.opened && before.is_working() {
            self.behind.push(before);
        }
        self.opened = true;
        self.motion = self.motion.at_rest();
        (self.search, self.tour) = (search::state::State::new(side), Tour::OVER);
        (self.basket, self.owned, self.saved, self.counts, self.jobs, self.matching) = Default::default();
        (self.nav, self.requests, self.placed, self.leaving) = Default::default();
        (self.review_due, self.batches_seen) = Default::default();
        self.ask_store(PendingRequest::Place, StoreCall::PlaceOf { profile: self.session.profile().name.clone() }, fx);
        // The names for the recall; the service's list is read when it is shown.
        self.session.saved_searches.load(&mut self.session.desk.at(self.now, fx));
    }

    /// A theme that the person chose: from here on the terminal is not followed any more.
    pub fn pick_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.themes.before = None;
        self.themes.follows = false;
        self.themes.picked = true;
    }

    /// The one that is kept: not one that is only tried.
    pub fn kept_theme(&self) -> &Theme {
        self.themes.before.as_ref().unwrap_or(&self.theme)
    }

    /// Says one sentence on the message line.
    pub fn say(&mut self, words: impl Into<String>) {
        self.say_while(Holds::Time, words);
    }

    /// The same, for as long as it holds.
    pub fn say_while(&mut self, holds: Holds, words: impl Into<String>) {
        self.messages.say(words, false, holds, self.now);
    }

    /// The same, of what was not done.
    pub fn alert(&mut self, words: impl Into<String>) {
        self.messages.say(words, true, Holds::Time, self.now);
    }

    /// The same, of a failure: kept for `g e`.
    pub fn fail(&mut self, words: impl Into<String>) {
        self.messages.fail(words, &self.session.desk, self.now);
    }

    /// The result of something, which went wrong if `bad`.
    pub fn report(&mut self, words: impl Into<String>, bad: bool) {
        if bad { self.fail(words) } else { self.say(words) }
    }

    pub fn area(&self) -> Rect {
        Rect::new(0, 0, self.size.0, self.size.1)
    }

    /// Whether a line says what is under way or waited for.
    pub fn has_job(&self) -> bool {
        facts::waiting(self).is_some()
            || self.session.side(self.search.side).gathering().is_some()
            || self.session.side(self.search.side).reading().is_some()
            || self.session.unlock().is_running()
            || self.session.exports.running() > 0
            || self.session.matching.is_running()
            || self.behind.iter().any(|session| jobs::running_in(session) > 0)
            || !self.session.recovery.is_clear()
    }

    pub fn shell(&self) -> Option<layout::Shell> {
        let (tour, notice) = (self.tour.step().is_some(), self.messages.shown().is_some());
        layout::shell(self.area(), layout::OptionalLines { job: self.has_job(), tour, notice })
    }

    /// The first run has the whole screen.
    pub fn is_welcome(&self) -> bool {
        matches!(self.nav.dialogs.first(), Some(Dialog::Profiles(profiles)) if profiles.is_welcome())
    }

    /// Where dialogs stand: everything between the header and the last line. The first run leaves the lines of the status free.
    pub fn over(&self) -> Rect {
        let (area, body) = (self.area(), self.shell().map_or(Rect::ZERO, |shell| shell.body));
        match self.is_welcome() {
            true => Rect { height: body.bottom(), ..area },
            false => Rect { y: body.y, height: area.height.saturating_sub(1 + body.y), ..area },
        }
    }

    /// When something on the screen changes or has to be done by itself: the earliest of all that is waited for.
    pub fn next_deadline(&self) -> Option<Mono> {
        self.frame_deadline().into_iter().chain(self.motion.card_deadline()).chain(self.place_due).min()
    }

    /// Whether all that is due at this time is the card of the cursor, or the place to be kept.
    pub fn keeps_frame_at(&self, at: Mono) -> bool {
        self.frame_deadline().is_none_or(|deadline| deadline > at)
    }

    /// When something is due that may show anywhere.
    fn frame_deadline(&self) -> Option<Mono> {
        let notice = self.messages.notice.as_ref().map(|notice| notice.until);
        let clock = facts::clock(self);
        let flash = self.messages.flash.as_ref().map(|flash| flash.until);
        let sorting = self.search.is_sorting().then_some(self.now.mono);
        let own = [notice, flash, self.leaving, clock, sorting, self.motion.deadline_but_card()];
        own.into_iter().flatten().chain(self.sessions().filter_map(Session::deadline).min()).min()
    }

    /// Of every profile.
    fn sessions(&self) -> impl Iterator<Item = &Session> {
        std::iter::once(&self.session).chain(&self.behind)
    }

    /// Money is on its way, of whichever profile.
    pub fn is_unlocking(&self) -> bool {
        self.sessions().any(|session| session.unlock().is_running())
    }

    /// Does something with each of the other profiles, and keeps what it wants done for its own hands.
    pub fn each_behind(&mut self, mut act: impl FnMut(&mut Session, &mut Vec<Effect>)) {
        for session in &mut self.behind {
            let mut wanted = Vec::new();
            act(session, &mut wanted);
            if !wanted.is_empty() {
                self.shelled.behind.push((session.profile().window.clone(), wanted));
            }
        }
    }

    /// Other profiles of which nothing runs any more are let go.
    pub fn let_go(&mut self) {
        let done = self.behind.extract_if(.., |session| !session.is_working());
        self.shelled.let_go = done.map(|session| session.profile().window.clone()).collect();
    }

    /// An answer that was paid for is in memory only, of whichever profile.
    pub fn has_unsaved(&self) -> bool {
        self.sessions().any(|session| session.unlock().has_unsaved())
    }

    /// Contacts whose answer is in memory only, of every profile, and the text of answers that cannot be read as contacts.
    pub fn held(&self) -> (Vec<HeldContact>, Vec<String>) {
        let (held, unread): (Vec<_>, Vec<_>) = self.sessions().map(|session| session.unlock().held()).unzip();
        (held.concat(), unread.concat())
    }

    /// How much of the unlock, export or match under way is done, in percent; `None` where nothing is, or no one knows of how much.
    pub fn share(&self) -> Option<u8> {
        let session = &self.session;
        let (done, of) = if let Some(job) = session.unlock().job() {
            let (done, of) = job.contacts();
            (done as u64, of as u64)
        } else if let Some(job) = session.exports.jobs().find(|job| job.is_running()) {
            (job.progress.as_ref().map_or(0, |progress| progress.rows), job.total?)
        } else {
            let job = session.matching.job().filter(|_| session.matching.is_running())?;
            let (done, of, _) = job.progress(self.now);
            (done, of)
        };
        u8::try_from((done.min(of).saturating_mul(100)).checked_div(of)?).ok()
    }

    /// How many contacts are in a request whose result is not known yet.
    pub fn unresolved(&self) -> u64 {
        self.sessions().filter_map(|session| session.unlock().job()).map(|job| job.held().0.unsigned_abs()).sum()
    }

    /// Unlocks and exports that run, of whichever profile.
    pub fn running(&self) -> usize {
        self.sessions().map(jobs::running_in).sum()
    }
}

#[derive(Clone, Debug)]
pub enum PendingRequest {
    /// Where the person was.
    Place,
    /// Rows of an earlier version that wait to be assigned.
    Earlier,
    /// A file, to be kept as a suppression list of this name.
    List(String),
    /// How many rows an export has without the keyword.
    Without,
    /// The export forms that the person made.
    Forms,
    /// Another program opens where a row leads.
    Open,
    /// Whether the file of an export is there.
    Exists(Box<Named>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestAddress {
    Call(CallId),
    Work(Ticket),
}

/// Those that have no answer yet; of one kind only the latest.
#[derive(Clone, Debug, Default)]
pub struct PendingRequests(Vec<(RequestAddress, PendingRequest)>);

impl PendingRequests {
    pub fn add(&mut self, address: RequestAddress, request: PendingRequest) {
        self.drop(&request);
        self.0.push((address, request));
    }

    /// Its answer no longer matters.
    pub fn drop(&mut self, request: &PendingRequest) {
        self.0.retain(|(_, other)| discriminant(other) != discriminant(request));
    }

    pub fn has(&self, request: &PendingRequest) -> bool {
        self.0.iter().any(|(_, other)| discriminant(other) == discriminant(request))
    }

    /// What an answer is for.
    pub fn take(&mut self, heard: &Arrival) -> Option<PendingRequest> {
        let address = match heard {
            Arrival::Reply(id, ..) | Arrival::Unsent(id, ..) => RequestAddress::Call(*id),
            Arrival::Stored(ticket, _) | Arrival::Filed(ticket, _) => RequestAddress::Work(*ticket),
            Arrival::Progress(..) => return None,
        };
        let at = self.0.iter().position(|(to, _)| *to == address)?;
        Some(self.0.swap_remove(at).1)
    }
}
