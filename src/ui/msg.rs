//! All that can happen to the program. Closed: a feature adds a command or an answer, not a message.

use crate::keys::chord::Chord;
use lode_engine::effect::{Answer, Profile, ProfileReply, WindowId};
use lode_engine::flow::session::ChangedElsewhere;

#[derive(Debug, PartialEq)]
pub enum Msg {
    Key(Chord),
    /// A sign, and the letter that an English keyboard has at its place.
    Placed(Chord, char),
    /// Text, whatever it contains: it types and never runs anything.
    Paste(String),
    Mouse(Mouse),
    /// A line of the list that is open was taken by its place.
    Chosen(usize),
    /// Width and height of the terminal.
    Resized(u16, u16),
    Focused(bool),
    /// The terminal said which color its background has.
    Background([u8; 3]),
    Answered(Answer),
    /// The same for a profile that was left while a job of it runs.
    AnsweredBehind(WindowId, Answer),
    /// The profile of that window is looked at again: its job ran on.
    Returned(WindowId),
    /// The profile is known whole: addresses and the hashes of the keys. Or one sentence why it is not.
    Opened(Result<Box<Profile>, String>),
    /// A request about profiles and keys.
    Managed(ProfileReply),
    /// Another window or command wrote something that this window shows.
    Elsewhere(ChangedElsewhere),
    /// The earliest deadline of the model has come.
    Deadline,
    /// Back from a suspension: waiting began again.
    Resumed,
    /// A frame that shows the model as it is was written and flushed.
    Painted,
    /// The program is about to end: unlocks stop after the request in flight.
    Ending,
    /// Something the shell has to say, and whether it is bad: a bad line of the config, the mouse was handed over.
    Message(String, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub x: u16,
    pub y: u16,
    pub what: MouseWhat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseWhat {
    Press,
    /// The second press on the same place within half a second.
    Double,
    /// The right button.
    Menu,
    Drag,
    Release,
    WheelUp,
    WheelDown,
}
