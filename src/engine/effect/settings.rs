//! Settings of the keyboard as the file has them: names and texts that the key map has yet to read.

/// `[keys.results] stage = ["Space", "x"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserBinding {
    pub context: String,
    pub name: String,
    pub keys: Vec<String>,
    /// Its line in the file.
    pub line: usize,
}

/// `[commands.results] push = { run = ["crm", "push"], key = "K", rows = "selection" }`: a program that gets rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// `results`, `basket` or `owned`.
    pub context: String,
    pub name: String,
    /// The program and its arguments. No shell reads them.
    pub run: Vec<String>,
    pub key: Option<String>,
    pub rows: RowsGiven,
    /// Its line in the file.
    pub line: usize,
}

/// Which rows a command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsGiven {
    /// The marked range, else the row under the cursor.
    Selection,
    /// Every loaded row of the result, the whole basket, every owned contact.
    All,
}
