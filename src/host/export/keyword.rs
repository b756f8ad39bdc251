//! Whether an export keeps to its keyword. The document lists only filters for it: a service that ignores the keyword would send
//! the whole corpus. The first rows tell.

use lode_core::{Filter, Query};
use lode_engine::effect::{Failure, Unclear};

use super::head;

/// So many rows are looked at, of no more than so many bytes.
const ROWS: usize = 20;
const MOST: usize = 256 << 10;

pub(super) struct Keyword {
    /// In lower case; empty once it is settled.
    words: Vec<String>,
    seen: Vec<u8>,
}

impl Keyword {
    pub(super) fn of(query: &Query) -> Keyword {
        let text = query.value(Filter::Query).unwrap_or_default().to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned);
        Keyword { words: words.collect(), seen: Vec::new() }
    }

    /// Looks at what came; `last` where nothing more does. Fails where most of the first rows have no word of it.
    pub(super) fn look(&mut self, bytes: &[u8], last: bool) -> Result<(), Failure> {
        if self.words.is_empty() {
            return Ok(());
        }
        self.seen.extend_from_slice(bytes);
        let enough = last || self.seen.len() >= MOST || self.seen.iter().filter(|byte| **byte == b'\n').count() > ROWS;
        if !enough {
            return Ok(());
        }
        if head::check(&self.seen).is_err() {
            // It has no rows to look at.
            (self.words, self.seen) = (Vec::new(), Vec::new());
            return Ok(());
        }
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(self.seen.as_slice());
        let rows: Vec<csv::ByteRecord> = reader.byte_records().flatten().take(ROWS).collect();
        let has_word = |row: &csv::ByteRecord| {
            let text = String::from_utf8_lossy(row.as_slice()).to_lowercase();
            self.words.iter().any(|word| text.contains(word))
        };
        // A service may find more than the very word; one that ignores it sends a few rows with it by chance.
        let keeps_to_it = rows.iter().filter(|row| has_word(row)).count() * 2 >= rows.len();
        (self.words, self.seen) = (Vec::new(), Vec::new());
        if keeps_to_it {
            return Ok(());
        }
        let words = "the service ignores the keyword in exports: most of the first rows do not have it. Export every page of the search \
                     instead: `lode export --paged` in a shell";
        Err(Failure::Unclear { why: Unclear::Unreadable, words: words.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::{Corpus, Side, Source};

    fn keyword(text: &str) -> Keyword {
        let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
        query.set(Filter::Query, text).unwrap();
        Keyword::of(&query)
    }

    #[test]
    fn the_first_rows_tell_whether_the_keyword_is_heard() {
        let rows = b"id,title\n1,Nurse Manager\n2,Clerk\n";
        assert!(keyword("nurse").look(rows, true).is_ok());
        assert!(keyword("surgeon").look(rows, true).is_err());
        assert!(keyword("nurse").look(&[rows, &b"3,Cook\n"[..]].concat(), true).is_err(), "one of three is chance");
        assert!(keyword("surgeon").look(b"id,title\n", true).is_ok(), "nothing matched, and nothing came");
        let mut late = keyword("surgeon");
        assert!(late.look(&rows[..12], false).is_ok());
        assert!(late.look(&rows[12..], true).is_err());
        assert!(keyword("").look(rows, true).is_ok());
    }
}
