//! What an export holds: its head, which tells a CSV of contacts from what else a service or a proxy may send under that name;
//! whether it keeps to its keyword; and the records that exclusions leave out. Suppression lists are not asked: a stream has no
//! store.

use super::*;

/// What a record is looked at for, and where it stands.
#[derive(Default)]
pub(super) struct Leave {
    sieve: ExclusionFilter,
    columns: Vec<(Known, usize)>,
    pub excluded: u64,
}

impl Leave {
    pub(super) fn new(not: &Exclusions) -> Leave {
        Leave { sieve: ExclusionFilter::new(not, &[]), columns: Vec::new(), excluded: 0 }
    }

    /// Nothing is left out.
    pub(super) fn is_empty(&self) -> bool {
        self.sieve.is_empty()
    }

    /// The head of the file. A column that an exclusion needs has to be there: else nothing would be left out by it.
    pub(super) fn head<S: AsRef<str>>(&mut self, names: &[S]) -> io::Result<()> {
        let known = |(at, name): (usize, &S)| Some((Known::of(name.as_ref())?, at));
        self.columns.extend(names.iter().enumerate().filter_map(known));
        let has = |known: Known| self.columns.iter().any(|(there, _)| *there == known);
        let lacks = self.sieve.of.iter().find(|(kind, _)| match kind {
            ExclusionKind::Title => !has(Known::Title),
            ExclusionKind::Word | ExclusionKind::Company => !has(Known::Company),
            ExclusionKind::Domain => !has(Known::Email) && !has(Known::Website),
            ExclusionKind::List => true,
        });
        let Some((kind, value)) = lacks else { return Ok(()) };
        let words = format!("the export has no column for `{}`, so {value} cannot be left out", kind.label());
        Err(io::Error::new(io::ErrorKind::InvalidData, words))
    }

    /// Whether the record stays in.
    pub(super) fn takes<S: AsRef<str>>(&mut self, texts: &[S]) -> bool {
        if self.sieve.is_empty() {
            return true;
        }
        let text = |known: Known| {
            let column = self.columns.iter().find(|(there, _)| *there == known);
            column.and_then(|(_, at)| texts.get(*at)).map_or("", AsRef::as_ref)
        };
        let [title, company, email, website] = [Known::Title, Known::Company, Known::Email, Known::Website].map(text);
        let traits = Traits { title, company, email, website, ..Traits::default() };
        let stays = self.sieve.names(&traits).is_none();
        self.excluded += u64::from(!stays);
        stays
    }
}

/// The longest beginning that is searched for a head.
pub(super) const LONGEST_HEAD: usize = 1 << 20;

/// Whether these bytes begin with a head. Fails with what they are instead.
pub(super) fn check_head(bytes: &[u8]) -> Result<(), &'static str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match bytes.trim_ascii_start().first() {
        None => return Err("nothing"),
        Some(b'<') => return Err("a web page"),
        Some(b'{' | b'[') => return Err("JSON"),
        Some(_) => {}
    }
    let mut first = csv::ByteRecord::new();
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(bytes);
    let read = reader.read_byte_record(&mut first).is_ok();
    let cells: Vec<_> = first.iter().map(String::from_utf8_lossy).collect();
    if read && is_head(&cells) { Ok(()) } else { Err("text without a known column") }
}

/// How many rows are looked at, and of how many bytes at most.
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
        let (words, seen) = (std::mem::take(&mut self.words), std::mem::take(&mut self.seen));
        if check_head(&seen).is_err() {
            // It has no rows to look at.
            return Ok(());
        }
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(seen.as_slice());
        let rows: Vec<csv::ByteRecord> = reader.byte_records().flatten().take(ROWS).collect();
        let has_word = |row: &csv::ByteRecord| {
            let text = String::from_utf8_lossy(row.as_slice()).to_lowercase();
            words.iter().any(|word| text.contains(word))
        };
        // A service may find more than the very word; one that ignores it sends a few rows with it by chance.
        let keeps_to_it = rows.iter().filter(|row| has_word(row)).count() * 2 >= rows.len();
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
    use lode_core::contact::{Corpus, Side, Source};

    use super::*;

    #[test]
    fn a_record_is_left_out_and_a_column_that_is_missing_is_said() {
        let mut not = Exclusions::default();
        not.add(ExclusionKind::Title, "intern").unwrap();
        let mut leave = Leave::new(&not);
        leave.head(&["id", "title", "company_name"]).unwrap();
        assert!(
            leave.takes(&["1", "Nurse", "Elm"]) && !leave.takes(&["2", "Summer Intern", "Elm"]) && leave.takes(&["3"])
        );
        assert_eq!(leave.excluded, 1);
        let missing = Leave::new(&not).head(&["id", "company_name"]).unwrap_err();
        assert_eq!(missing.to_string(), "the export has no column for `word in title`, so intern cannot be left out");
        not.clear();
        assert!(Leave::new(&not).head(&["id"]).is_ok());
    }

    #[test]
    fn a_head_names_a_column_of_a_contact() {
        let heads: [&[u8]; 8] = [
            b"id\n1\n",
            b"\xef\xbb\xbf\"Record ID\",\"x\"\r\n",
            b"a,b,E-mail Address\n",
            b"name;company\n",
            b"x\tphone",
            b"\n\ntitle,level\n",
            b"\"na\nme\",zip\n",
            b"city",
        ];
        for head in heads {
            assert_eq!(check_head(head), Ok(()), "{}", String::from_utf8_lossy(head));
        }
        for (text, is) in [
            ("", "nothing"),
            (" \n", "nothing"),
            ("{\"email\":\"x\"}", "JSON"),
            ("\u{feff}[\"id\",\"email\"]", "JSON"),
            (" <html>\nemail,phone", "a web page"),
            ("Internal error\nemail,phone\n", "text without a known column"),
            ("color,size\n", "text without a known column"),
        ] {
            assert_eq!(check_head(text.as_bytes()), Err(is), "{text}");
        }
    }

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
