//! The keyboard's end of the line, read by the loop itself: from a key to the work for it no thread has to wake another.

use tokio::time::timeout_at;

use super::*;
use crate::system::{Came, terminal::Reading};

/// Reads between two frames: what comes faster than this is drawn in between.
const READS: usize = 16;
/// A person's keys are a few bytes. Where so few came there are no more, as a rule, and nothing is lost where there are.
const FEW: usize = 64;

pub struct Keys {
    /// None where lines are read instead.
    line: Option<Reading>,
    parser: Parser,
    heard: Vec<Input>,
    /// What was read last.
    buffer: Box<[u8; 4096]>,
}

impl Keys {
    pub fn listen() -> io::Result<Keys> {
        Ok(Keys { line: Some(Reading::open()?), ..Keys::deaf() })
    }

    /// Hears nothing: where lines are read instead.
    pub fn deaf() -> Keys {
        Keys { line: None, parser: Parser::default(), heard: Vec::new(), buffer: Box::new([0; 4096]) }
    }

    /// Until something was heard: false once the terminal is gone.
    pub async fn wait(&mut self) -> bool {
        while self.heard.is_empty() {
            let Some(line) = &mut self.line else { return std::future::pending().await };
            let readable = match self.parser.escape_ends() {
                Some(end) => timeout_at(end.into(), line.readable()).await,
                None => Ok(line.readable().await),
            };
            match readable {
                Ok(Ok(())) if self.read() => {}
                Ok(_) => return false,
                Err(_) => self.read_at_last(),
            }
        }
        true
    }

    /// The wait for the rest of an Escape sequence is over. The rest may be here all the same, if the loop was busy.
    fn read_at_last(&mut self) {
        let Some(line) = &self.line else { return };
        match line.read_now(&mut *self.buffer) {
            Ok(read @ 1..) => self.parser.take(&self.buffer[..read], Instant::now(), &mut self.heard),
            // The end of the terminal is heard where it is waited for.
            _ => self.parser.paused(Instant::now(), &mut self.heard),
        }
    }

    /// Everything that is here, without waiting.
    pub fn heard(&mut self) -> Vec<Input> {
        if self.heard.is_empty() {
            self.read();
        }
        std::mem::take(&mut self.heard)
    }

    /// That there is nothing more is found out when the next is waited for: the answer to a key need not wait for it. False where
    /// the terminal is gone.
    fn read(&mut self) -> bool {
        for _ in 0..READS {
            let Some(line) = &mut self.line else { return true };
            match line.try_read(&mut *self.buffer) {
                Ok(Came::Bytes(read @ 1..)) => {
                    self.parser.take(&self.buffer[..read], Instant::now(), &mut self.heard);
                    if read < FEW && self.parser.is_whole() {
                        break;
                    }
                }
                Ok(Came::Events(events)) => {
                    events.into_iter().for_each(|event| self.parser.take_event(event, &mut self.heard));
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Came::Bytes(_)) | Err(_) => return !self.heard.is_empty(),
            }
        }
        true
    }
}
