//! The terminal: its modes, its events, and the bytes that turn one frame into the next.
//!
//! What is drawn is decided in `ui`; here it is only brought to the other side of the line, with as few bytes as we can.

pub mod capabilities;
pub mod colors;
pub mod input;
pub mod keys;
pub mod line;
pub mod modes;
pub mod motion;
pub mod notices;
pub mod painter;

use std::io::{self, IsTerminal};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use ratatui::style::{Color, Modifier};

use self::colors::{Depth, write_code};
use self::input::{Input, Parser, TerminalReply};
use self::line::{Aside, TerminalLine, last_words};
use self::{capabilities::Features, motion::number};
