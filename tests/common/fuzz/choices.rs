//! Choices made by the bytes of an input: where they end, everything is the first choice.

pub struct Choices<'a> {
    rest: &'a [u8],
}

impl<'a> Choices<'a> {
    pub fn of(bytes: &'a [u8]) -> Choices<'a> {
        Choices { rest: bytes }
    }

    pub fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }

    /// The next bytes up to a line end, as text.
    pub fn line(&mut self) -> String {
        let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
        let line = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        line
    }

    pub fn rest(self) -> &'a [u8] {
        self.rest
    }
}
