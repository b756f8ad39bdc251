//! The test programs that cargo built.

use std::path::PathBuf;

use serde_json::Value;

/// The names and paths of test programs, from the output of `cargo test --no-run --message-format=json`.
pub fn test_programs(messages: &str) -> Vec<(String, PathBuf)> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = messages.filter(|message| message["profile"]["test"] == true);
    tests
        .filter_map(|test| {
            Some((test["target"]["name"].as_str()?.to_owned(), PathBuf::from(test["executable"].as_str()?)))
        })
        .collect()
}
