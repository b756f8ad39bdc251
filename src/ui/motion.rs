//! What moves on the screen, and until when: rows that changed, the count of the credits, the sign of waiting, and the card of a
//! cursor that keeps moving.
//!
//! Time comes in with each update. What is drawn of it is one value, so a frame can tell whether anything moved, and one deadline
//! wakes the program for the next frame. At rest it has no deadline.

use std::time::Duration;

use crate::{keys::command::Screen, signs::Sign};
use lode_core::{ContactKey, Credits, Mono, Side};

/// How long a row that changed is highlighted, and how long the credits count.
const CHANGE: Duration = Duration::from_millis(300);
/// A shorter wait shows nothing.
const PATIENCE: Duration = Duration::from_millis(150);
/// Between two frames of the count: less than 30 a second.
const FRAME: Duration = Duration::from_millis(34);
/// One step of the spinner, in milliseconds.
const STEP: u64 = 100;
/// The rows come first, and the card when the cursor rests: it is read at rest, and most of what a moved cursor changes is the card. A
/// cursor that moves again sooner is on its way; a key that is held down repeats faster.
const REST: Duration = Duration::from_millis(45);
/// A cursor that goes farther than this turns pages.
const NEAR: u64 = 9;
/// The card follows a cursor that goes from row to row this often, and the spinner turns this often then.
const CARD: Duration = Duration::from_millis(250);
/// This soon after a key neither the spinner nor progress has a frame of its own: it would delay the next key.
pub const CALM: Duration = Duration::from_millis(60);
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The rows of the search.
    Rows,
    /// The rest of the screen, or a dialog.
    Screen,
    Jobs,
}

const WAITS: usize = Wait::Jobs as usize + 1;

/// The rows of a list around the cursor with their states, and how many the list has; 0 where a row that appears has not changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowStates {
    pub total: usize,
    pub rows: Vec<(ContactKey, Option<Sign>)>,
}

/// The facts that motion follows.
pub struct Observed {
    /// Where the rows are shown: a row of another place has not changed.
    pub place: (Screen, Side),
    /// `None` where no row can have changed.
    pub rows: Option<RowStates>,
    pub credits: Option<Credits>,
    /// The header shows the true balance: money is being decided on.
    pub is_exact: bool,
    /// By [`Wait`].
    pub waits: [bool; WAITS],
    /// The row under the cursor of Search, and whether the person did something else than move it.
    pub cursor: u64,
    pub acts: bool,
}

/// What a frame shows of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionFrame {
    /// Rows that just changed.
    pub rows: Vec<ContactKey>,
    /// The balance on its way to a new value.
    pub credits: Option<Credits>,
    /// The row whose card is shown while that of the cursor waits.
    pub card: Option<u64>,
    /// Which waits are shown, and the spinner; without motion all are, at once.
    waits: Option<([bool; WAITS], &'static str)>,
}

impl MotionFrame {
    /// Whether a wait is long enough to be shown.
    pub fn shows(&self, wait: Wait) -> bool {
        self.waits.is_none_or(|(shown, _)| shown[wait as usize])
    }

    /// The spinner of a wait; nothing while it is short, or without motion.
    pub fn spinner(&self, wait: Wait) -> &'static str {
        self.waits.filter(|_| self.shows(wait)).map_or("", |(_, spinner)| spinner)
    }

    /// The words of a wait after its spinner; nothing while it is short.
    pub fn waiting(&self, wait: Wait, words: &str) -> String {
        match self.spinner(wait) {
            _ if !self.shows(wait) => String::new(),
            "" => words.to_owned(),
            spinner => format!("{spinner} {words}"),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// Nothing can move here: lines instead of a screen, or no colors.
    is_still: bool,
    is_off: bool,
    pub frame: MotionFrame,
    /// Of the last update, and of the last that moved something.
    now: Mono,
    moved: Mono,
    place: (Screen, Side),
    states: RowStates,
    /// Until when.
    highlighted: Vec<(ContactKey, Mono)>,
    credits: Option<Credits>,
    /// The credits on their way from one value to the next, and since when.
    count: Option<(Credits, Credits, Mono)>,
    since: [Option<Mono>; WAITS],
    /// When the spinner turned last.
    turned: Mono,
    /// The row under the cursor and that of the card, and since when. A card that the cursor left is counted from then on.
    cursor: (u64, Mono),
    card: (u64, Mono),
}

impl Motion {
    pub fn new(is_still: bool, is_off: bool) -> Motion {
        let waits = (!is_still && !is_off).then_some(([false; WAITS], ""));
        Motion { is_still, is_off, frame: MotionFrame { waits, ..MotionFrame::default() }, ..Motion::default() }
    }

    /// The same settings at rest: something else is shown.
    pub fn at_rest(&self) -> Motion {
        Motion::new(self.is_still, self.is_off)
    }

    pub fn is_off(&self) -> bool {
        self.is_off || self.is_still
    }

    /// As the settings say from now on.
    pub fn turn_off(&mut self, is_off: bool) {
        if is_off != self.is_off {
            *self = Motion::new(self.is_still, is_off);
        }
    }

    /// Takes over what happened up to `now`. True where the frame shows something else.
    pub fn update(&mut self, observed: Observed, now: Mono) -> bool {
        if self.is_off() {
            return false;
        }
        self.now = now;
        self.highlighted.retain(|(_, until)| *until > now);
        if let Some(states) = &observed.rows
            && observed.place == self.place
        {
            self.highlight(states);
        }
        self.note(observed.place, observed.rows);
        self.count(observed.credits, observed.is_exact);
        for (since, is_waiting) in self.since.iter_mut().zip(observed.waits) {
            *since = is_waiting.then(|| since.unwrap_or(now));
        }
        let (is_on_its_way, steps) = (now.since(self.cursor.1) < REST, observed.cursor.abs_diff(self.cursor.0));
        if steps > 0 && self.card.0 == self.cursor.0 {
            self.card.1 = now;
        }
        let is_late = match is_on_its_way {
            true => (1..=NEAR).contains(&steps) && now.since(self.card.1) >= CARD,
            false => steps == 0,
        };
        self.cursor = if self.cursor.0 == observed.cursor { self.cursor } else { (observed.cursor, now) };
        if observed.acts || is_late {
            self.card = if self.card.0 == observed.cursor { self.card } else { (observed.cursor, now) };
        }
        let shown = self.since.map(|since| since.is_some_and(|since| now.since(since) >= PATIENCE));
        let is_turning = shown.contains(&true);
        let calm = self.cursor.1.after(CALM);
        let spinner = match self.frame.waits {
            _ if !is_turning => "",
            Some((_, spinner)) if !spinner.is_empty() && now < calm.min(self.turned.after(CARD)) => spinner,
            _ => SPINNER[(now.0 / STEP) as usize % SPINNER.len()],
        };
        self.turned = if spinner == self.frame.waits.map_or("", |(_, before)| before) { self.turned } else { now };
        let counted = |(from, to, since): (Credits, Credits, Mono)| {
            let part = (to - from).0.saturating_mul(now.since(since).as_millis() as i64);
            from + Credits(part / CHANGE.as_millis() as i64)
        };
        let frame = MotionFrame {
            rows: self.highlighted.iter().map(|(key, _)| *key).collect(),
            credits: self.count.map(counted),
            card: Some(self.card.0).filter(|row| *row != observed.cursor),
            waits: Some((shown, spinner)),
        };
        // A moved cursor draws its card anyway.
        self.frame.card = frame.card;
        let is_moved = frame != self.frame;
        if is_moved {
            (self.frame, self.moved) = (frame, now);
        }
        is_moved
    }

    /// Notes the rows of the shown frame; nothing moves by that.
    pub fn note(&mut self, place: (Screen, Side), states: Option<RowStates>) {
        if let Some(states) = states {
            (self.place, self.states) = (place, states);
        }
    }

    fn highlight(&mut self, states: &RowStates) {
        let is_longer = self.states.total > 0 && states.total > self.states.total;
        let until = self.now.after(CHANGE);
        for (key, sign) in &states.rows {
            let before = self.states.rows.iter().find(|(known, _)| known == key);
            let is_other = before.map_or(is_longer, |(_, before)| before != sign);
            if is_other && matches!(sign, Some(Sign::Basket | Sign::Owned | Sign::Suppressed | Sign::Refunded)) {
                self.highlighted.retain(|(known, _)| known != key);
                self.highlighted.push((*key, until));
            }
        }
    }

    fn count(&mut self, credits: Option<Credits>, is_exact: bool) {
        let now = self.now;
        let shown = self.frame.credits.or(self.credits);
        if let (Some(from), Some(to)) = (shown, credits)
            && self.credits != credits
        {
            self.count = Some((from, to, now));
        }
        self.credits = credits;
        self.count.take_if(|(.., since)| is_exact || credits.is_none() || now.since(*since) >= CHANGE);
    }

    /// When the next frame is due; `None` at rest.
    pub fn deadline(&self) -> Option<Mono> {
        self.deadline_but_card().into_iter().chain(self.card_deadline()).min()
    }

    /// When the card follows a cursor that rests.
    pub fn card_deadline(&self) -> Option<Mono> {
        self.frame.card.map(|_| self.cursor.1.after(REST).max(self.moved.after(FRAME)))
    }

    pub fn deadline_but_card(&self) -> Option<Mono> {
        let rows = self.highlighted.iter().map(|(_, until)| *until);
        let count = self.count.map(|_| self.now.after(FRAME));
        let waits = self.since.iter().flatten().map(|since| match since.after(PATIENCE) {
            shown if shown > self.now => shown,
            _ => Mono((self.now.0 / STEP + 1) * STEP).max(self.cursor.1.after(CALM)),
        });
        rows.chain(count).chain(waits).min().map(|at| at.max(self.moved.after(FRAME)))
    }
}
