//! A terminal whose tab stops can be set. `vt100` has one every eight columns alone.

pub struct TabbedTerminal {
    parser: vt100::Parser,
    stops: Vec<u16>,
}

/// A tab, a stop at the column of the cursor, and no stops any more.
const SEQUENCES: [&[u8]; 3] = [b"\t", b"\x1bH", b"\x1b[3g"];

impl TabbedTerminal {
    pub fn new(rows: u16, columns: u16) -> TabbedTerminal {
        let mut terminal = TabbedTerminal { parser: vt100::Parser::new(rows, columns, 0), stops: Vec::new() };
        terminal.reset_stops();
        terminal
    }

    /// As after a resize in tmux.
    pub fn reset_stops(&mut self) {
        let (_, columns) = self.screen().size();
        self.stops = (8..columns).step_by(8).collect();
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// What it answers when it is asked for the cursor: the row and the column, counted from one.
    pub fn cursor(&self) -> (u16, u16) {
        let (row, column) = self.screen().cursor_position();
        (row + 1, column + 1)
    }

    pub fn process(&mut self, mut bytes: &[u8]) {
        let next = |bytes: &[u8]| {
            let of = |at: usize| SEQUENCES.into_iter().find(|sequence| bytes[at..].starts_with(sequence));
            (0..bytes.len()).find_map(|at| Some((at, of(at)?)))
        };
        while let Some((at, sequence)) = next(bytes) {
            self.parser.process(&bytes[..at]);
            bytes = &bytes[at + sequence.len()..];
            let ((row, column), (_, columns)) = (self.screen().cursor_position(), self.screen().size());
            match sequence {
                b"\t" => {
                    let passed = self.stops.iter().copied().filter(|stop| *stop > column);
                    let to = passed.min().unwrap_or(columns - 1);
                    self.parser.process(format!("\x1b[{};{}H", row + 1, to + 1).as_bytes());
                }
                b"\x1bH" => self.stops.push(column),
                _ => self.stops.clear(),
            }
        }
        self.parser.process(bytes);
    }
}
