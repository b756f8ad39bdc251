//! The lines of `lode doctor`: each has a grade, and a hint if something is wrong.

use crate::ops::output::{FindingLine, Grade};
use lode_core::Source;
use lode_engine::effect::{Failure, Refusal};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub lines: Vec<FindingLine>,
}

impl Report {
    fn say(&mut self, grade: Grade, topic: &'static str, words: impl Into<String>, hint: Option<String>) {
        self.lines.push(FindingLine { grade, topic, words: words.into(), hint });
    }

    pub(super) fn fine(&mut self, topic: &'static str, words: impl Into<String>) {
        self.say(Grade::Fine, topic, words, None);
    }

    /// Worth knowing; needs no fix.
    pub(super) fn note(&mut self, topic: &'static str, words: impl Into<String>) {
        self.say(Grade::Note, topic, words, None);
    }

    pub(super) fn bad(&mut self, topic: &'static str, words: impl Into<String>, hint: impl Into<String>) {
        self.say(Grade::Bad, topic, words, Some(hint.into()));
    }

    /// The worst of all lines.
    pub fn grade(&self) -> Grade {
        self.lines.iter().map(|line| line.grade).max().unwrap_or(Grade::Fine)
    }

    /// What a service said when it was asked: the words of a good answer, or why there is none.
    pub fn service(&mut self, source: Source, answered: Result<&str, &Failure>) {
        let topic = topic(source);
        match answered {
            Ok(words) => self.fine(topic, format!("reached: {words}")),
            Err(failure) => {
                let hint = match failure {
                    Failure::Refused { why: Refusal::Key, .. } => {
                        "run `lode` and type `:profiles` to store a new key; keys are made in the web application"
                    }
                    Failure::Refused { why: Refusal::Scope, .. } => {
                        "a key with that scope is made in the web application; run `lode` and type `:profiles` to store it"
                    }
                    Failure::Refused { why: Refusal::Address, .. } => "`lode info` shows the address in use",
                    Failure::Later { .. } => "`lode doctor` again, later",
                    _ => "`lode info` shows the address in use; `lode doctor` tries again",
                };
                let how = match failure {
                    Failure::Refused { why: Refusal::Redirect, .. } => "not reached",
                    Failure::Refused { .. } => "refused",
                    Failure::Later { .. } => "busy",
                    _ => "not reached",
                };
                self.bad(topic, format!("{how}: {}", failure.words()), hint);
            }
        }
    }
}

pub(super) fn topic(source: Source) -> &'static str {
    match source {
        Source::Workspace => "workspace",
        Source::Data => "data",
    }
}
