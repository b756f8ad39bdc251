//! The records in a file: one line of JSON per event, appended before the event takes effect.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::records::Event;

type Writer = Box<dyn FnMut(&Event) + Send>;

/// The events of earlier runs, and where those of this one go.
pub(super) fn open(path: &Path) -> io::Result<(Vec<Event>, Option<Writer>)> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    // A line without its end was being written when the last run was killed: its request was never answered.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut events = Vec::new();
    for (at, line) in text[..whole].lines().enumerate() {
        let event = serde_json::from_str(line).map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} line {}: {error}", path.display(), at + 1))
        })?;
        events.push(event);
    }
    let mut file = File::options().create(true).append(true).open(path)?;
    if whole < text.len() {
        // Not every system cuts a file that is open for appending.
        File::options().write(true).open(path)?.set_len(whole as u64)?;
    }
    let writer: Writer = Box::new(move |event| append(&mut file, event));
    Ok((events, Some(writer)))
}

fn append(file: &mut File, event: &Event) {
    let mut line = serde_json::to_vec(event).expect("an event is plain data");
    line.push(b'\n');
    // A sandbox whose disk is full goes on in memory: it is a place to try things, not a bank.
    drop(file.write_all(&line));
}
