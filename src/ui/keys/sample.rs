//! A command of the person's own as it stands in `config.toml`, and how it works: for the page of the keys and for the palette.

/// One such command.
pub const EXAMPLE: &str = "\
[commands.results]
push = { run = [\"crm\", \"push\"], key = \"K\", rows = \"selection\" }
";

pub const WORDS: [&str; 5] = [
    "`[commands.results]`, `[commands.basket]` and `[commands.owned]` each hold the commands of that screen.",
    "`run` is a program and its arguments as a list of words. No shell reads them, so nothing in a row can run anything.",
    "The rows go to its standard input as JSON lines: `rows = \"selection\"` (the marked range, else the row under the cursor) or \
     `\"all\"`.",
    "It runs as a job: Jobs shows its output and its exit code, and can run it again with the same rows.",
    "`key` may be left out: every command is in the palette by its name.",
];
