//! Ids and rows that come in: from the arguments, or from a pipe with one id a line or the JSON lines of `lode search`.
//!
//! A row brings more than its id: what is known of it narrows a free look later, and tells which corpus and service it is
//! from. A row of the wrong one is refused here, because its id would mean another contact.

use super::*;
use lode_core::{CellKind, ColumnNames, StagedFields};
use lode_engine::wire::{json as loose, rows};

/// Where a list of the person's comes from.
#[derive(Debug)]
pub enum Csv {
    File(PathBuf),
    Pipe(String),
}

impl Csv {
    pub fn named(file: Option<&str>, pipe: Option<&str>) -> Csv {
        match file.filter(|file| *file != "-") {
            Some(file) => Csv::File(PathBuf::from(file)),
            None => Csv::Pipe(pipe.unwrap_or_default().to_owned()),
        }
    }

    /// The text of the list.
    pub async fn text(self, console: &Console) -> Result<String, CommandProblem> {
        match self {
            Csv::Pipe(text) => Ok(text),
            Csv::File(path) => match console.file(FileCall::ReadList(path)).await {
                Ok(FileReply::Text(text)) => Ok(text),
                Ok(other) => unreachable!("a list is read as text: {other:?}"),
                Err(failure) => {
                    let hint = "a list is a CSV or .xlsx file of at most 64 MB";
                    Err(CommandProblem::new(Exit::Usage, failure.words, hint))
                }
            },
        }
    }

    pub fn title(&self) -> String {
        match self {
            Csv::File(path) => path.display().to_string(),
            Csv::Pipe(_) => "standard input".to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub id: RowId,
    /// The row, where a JSON line brought it. A million bare ids take little room.
    pub row: Option<Box<Row>>,
}

impl Given {
    /// As the basket and the review keep it. What only an id is known of stays empty.
    pub fn staged(&self) -> Staged {
        // Any program can write into a pipe that a contact is owned: the ledger and the service decide.
        Staged::new(self.id, false, self.about())
    }

    /// What its own line says of it.
    pub fn about(&self) -> StagedFields {
        self.row.as_deref().map_or_else(StagedFields::default, about)
    }
}

/// What a row says, as the basket and the review keep it.
pub fn about(row: &Row) -> StagedFields {
    StagedFields { row: json::row(row), ..StagedFields::of(row) }
}

/// Whether standard input is to be read: it was asked for by name, or there is nothing else.
pub fn wants_pipe(arguments: &[String]) -> bool {
    arguments.is_empty() || arguments.iter().any(|argument| argument == "-")
}

/// All that was given, each id once, in the order it came. An id and its row on another line are one. Where the corpus was
/// not `named`, each line has to say its own.
pub fn read(arguments: &[String], pipe: Option<&str>, side: Side, named: bool) -> Result<Vec<Given>, CommandProblem> {
    let mut places: HashMap<RowId, usize> = HashMap::new();
    let mut given: Vec<Given> = Vec::new();
    let mut nameless = BTreeSet::new();
    let mut take = |one: Given, says_corpus: bool| {
        let place = *places.entry(one.id).or_insert(given.len());
        if says_corpus {
            nameless.remove(&place);
        } else if place == given.len() {
            nameless.insert(place);
        }
        match given.get_mut(place) {
            Some(before) => before.row = before.row.take().or(one.row),
            None => given.push(one),
        }
    };
    for argument in arguments.iter().filter(|argument| *argument != "-") {
        let id = argument.parse().map_err(|_| wrong(format!("`{argument}` is not a row id")))?;
        take(Given { id: RowId(id), row: None }, named);
    }
    for (at, line) in pipe.unwrap_or_default().trim_start_matches('\u{feff}').lines().enumerate() {
        let read = read_line(line.trim(), side).map_err(|words| wrong(format!("line {}: {words}", at + 1)))?;
        if let Some((one, says_corpus)) = read {
            take(one, named || says_corpus);
        }
    }
    match nameless.first() {
        Some(first) => {
            let words = format!("the corpus of id {} is not known", given[*first].id);
            Err(CommandProblem::new(Exit::Usage, words, "add `--corpus us` or `--corpus linkedin`"))
        }
        None => Ok(given),
    }
}

/// The hint where no ids came, or none that can be read.
pub const GIVE_IDS: &str = "give ids, or pipe the JSON lines of `lode search --json`";

fn wrong(sentence: String) -> CommandProblem {
    CommandProblem::new(Exit::Usage, sentence, GIVE_IDS)
}

/// The id of a line with its row, and whether it says its corpus.
fn read_line(line: &str, side: Side) -> Result<Option<(Given, bool)>, String> {
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(id) = line.parse() {
        return Ok(Some((Given { id: RowId(id), row: None }, false)));
    }
    let Ok(Value::Object(object)) = loose::loosely(line) else { return Err("expected an id or a JSON row".to_owned()) };
    if object.contains_key("summary") && !object.contains_key("id") {
        return Ok(None);
    }
    // Read as a search reads it: an id that no page would give must not be bought from a pipe.
    let row = rows::read_one(side.source, line).ok();
    let id = row.as_ref().and_then(|row| row.id()).ok_or("the row has no readable id")?;
    fits(&object, side)?;
    let row = row.filter(|_| object.len() > 1).map(unscored).map(Box::new);
    Ok(Some((Given { id, row }, SAY_CORPUS.iter().any(|name| object.contains_key(*name)))))
}

/// The row as the service sent it: what lode added to the line is not kept.
fn unscored(row: Row) -> Row {
    if row.columns().position(ADDED).is_none() {
        return row;
    }
    let kept: Vec<(&str, CellKind, &str)> = row.fields().filter(|(name, ..)| *name != ADDED).collect();
    let columns = Arc::new(ColumnNames::new(kept.iter().map(|(name, ..)| *name)));
    Row::new(row.id(), row.unlocked(), columns, kept.iter().map(|(_, kind, text)| (*kind, *text)))
}

/// The field with which `lode search` says the score.
const ADDED: &str = "lode";

/// Columns that rows of one corpus alone have, or that name it.
const SAY_CORPUS: [&str; 5] = ["corpus", "email_address", "naics_code", "title_level", "linkedin_url"];

/// Refuses a row of another corpus or service, if its fields say so.
fn fits(object: &Map<String, Value>, side: Side) -> Result<(), String> {
    let has = |name: &str| object.contains_key(name);
    if let Some(source) = source_of(object).filter(|source| *source != side.source) {
        let (own, wanted) = (source.title(), side.source.title());
        if source == Source::Data && !has("source") {
            let words = "this row may be from the Data API, whose ids do not work with the Workspace API: it has no \
                         field `unlocked`. Keep that one in `--fields`";
            return Err(words.to_owned());
        }
        return Err(format!("this row is from the {own} API; its ids do not work with the {wanted} API"));
    }
    if let Some(named) = object.get("corpus").and_then(Value::as_str) {
        let words = || format!("this row is from corpus {named}, not {}; check --corpus", side.corpus);
        return if named == side.corpus.name() { Ok(()) } else { Err(words()) };
    }
    let other = match side.corpus {
        Corpus::Us => ["title_level", "linkedin_url"],
        Corpus::Linkedin if side.source == Source::Workspace => ["email_address", "naics_code"],
        Corpus::Linkedin => ["naics_code", "naics_code"],
    };
    if other.into_iter().any(has) {
        let corpus = Corpus::ALL.into_iter().find(|corpus| *corpus != side.corpus).unwrap_or_default();
        return Err(format!("this row is from corpus {corpus}, not {}; use --corpus {corpus}", side.corpus));
    }
    Ok(())
}

/// The service a line is from; nothing where it says no more than an id.
fn source_of(object: &Map<String, Value>) -> Option<Source> {
    if let Some(source) = object.get("source").and_then(Value::as_str).and_then(|named| named.parse().ok()) {
        return Some(source);
    }
    // A workspace row always says whether it is unlocked, and what came out of an unlock says what became of it or when. A
    // row of the Data API says none of these, whatever else stands in it.
    if ["unlocked", "outcome", "unlocked_at"].into_iter().any(|name| object.contains_key(name)) {
        return Some(Source::Workspace);
    }
    object.keys().any(|name| !["id", "corpus", "source"].contains(&name.as_str())).then_some(Source::Data)
}

/// A row of the basket as its search showed it; of one that was added by its id, the id.
pub fn row_of(side: Side, staged: &Staged) -> Row {
    rows::read_one(side.source, &staged.row).unwrap_or_else(|_| {
        let id = staged.id.to_string();
        Row::new(Some(staged.id), staged.owned, Arc::new(ColumnNames::new(["id"])), [(CellKind::Json, id.as_str())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Side = Side { source: Source::Workspace, corpus: Corpus::Us };
    const LINKEDIN: Side = Side { source: Source::Workspace, corpus: Corpus::Linkedin };

    fn read(arguments: &[String], pipe: Option<&str>, side: Side) -> Result<Vec<Given>, CommandProblem> {
        super::read(arguments, pipe, side, true)
    }

    fn ids(given: &[Given]) -> Vec<i64> {
        given.iter().map(|one| one.id.0).collect()
    }

    #[test]
    fn ids_come_from_arguments_and_from_a_pipe_each_once() {
        let arguments = ["7".to_owned(), "-".to_owned(), "8".to_owned()];
        let pipe = "9\n\n 7 \r\n{\"id\":10}\n{\"id\":\"11\"}\n{\"summary\":{\"asked\":1}}\n";
        assert_eq!(ids(&read(&arguments, Some(pipe), US).unwrap()), [7, 8, 9, 10, 11]);
        assert!(wants_pipe(&arguments) && wants_pipe(&[]) && !wants_pipe(&arguments[..1]));
    }

    #[test]
    fn an_id_and_its_row_are_one_whichever_comes_first() {
        let row = r#"{"id":7,"email_address":"d•••@x.example","unlocked":false}"#;
        for pipe in [format!("7\n{row}\n8"), format!("{row}\n7\n8")] {
            let given = read(&[], Some(&pipe), US).unwrap();
            assert_eq!(ids(&given), [7, 8]);
            assert_eq!(given[0].staged().email, "d•••@x.example");
            let problem = super::read(&[], Some(&pipe), US, false).unwrap_err();
            assert_eq!(problem.sentence, "the corpus of id 8 is not known");
        }
        assert!(super::read(&["7".to_owned()], Some(row), US, false).is_ok());
    }

    #[test]
    fn a_row_brings_what_is_known_of_it() {
        let line = r#"{"id":5,"title":"Nurse","state":"TX","email_address":"d•••@x.example","unlocked":true,"verification":null}"#;
        let given = read(&[], Some(line), US).unwrap();
        let row = given[0].row.as_ref().unwrap();
        assert!(row.unlocked());
        assert_eq!((row.known(Known::Title), row.email_domain()), ("Nurse", Some("x.example")));
    }

    /// Found by fuzzing: a pipe took ids that the pages of a search do not, and of two ids the other one.
    #[test]
    fn an_id_is_read_as_a_search_reads_it() {
        for line in [r#"{"id":"007","title":"x"}"#, r#"{"id":" 7"}"#, r#"{"id":7.0}"#, r#"{"id":"+7"}"#] {
            assert!(read(&[], Some(line), US).is_err(), "{line}");
        }
        assert_eq!(ids(&read(&[], Some(r#"{"id":5,"id":6}"#), US).unwrap()), [5]);
    }

    #[test]
    fn rows_of_another_corpus_or_service_are_refused() {
        let us = r#"{"id":5,"email_address":"d•••@x.example","naics_code":"1","unlocked":false}"#;
        let linkedin = r#"{"id":5,"email":"d•••@x.example","linkedin_url":"","unlocked":false}"#;
        let data = r#"{"id":5,"email_address":"d@x.example","company_name":"X"}"#;
        let owned = r#"{"id":5,"corpus":"linkedin","email":"d@x.example","unlocked_at":"2026-11-21T08:00:00Z"}"#;
        for (line, side) in [(us, LINKEDIN), (linkedin, US), (data, US), (owned, US)] {
            let problem = read(&[], Some(line), side).unwrap_err();
            assert_eq!(problem.exit(), Exit::Usage, "{line}");
            assert!(problem.sentence.starts_with("line 1: this row "), "{}", problem.sentence);
        }
        for (line, side) in [(us, US), (linkedin, LINKEDIN), (owned, LINKEDIN)] {
            assert_eq!(ids(&read(&[], Some(line), side).unwrap()), [5]);
        }
        assert!(read(&[], Some(data), Side { source: Source::Data, corpus: Corpus::Us }).is_ok());
        // As spreadsheet programs save a list.
        assert_eq!(ids(&read(&[], Some("\u{feff}5\n"), US).unwrap()), [5]);
    }

    /// Found in review: a line that named its corpus was believed to be of the Workspace, and its id was bought there.
    #[test]
    fn a_row_of_the_data_api_is_never_one_to_unlock() {
        const DATA: Side = Side { source: Source::Data, corpus: Corpus::Us };
        let staged = r#"{"id":7,"source":"data","corpus":"us","company_name":"X"}"#;
        let with_corpus = r#"{"id":7,"corpus":"us","company_name":"X","email_address":"d@x.example"}"#;
        let unusual = r#"{"id":7,"name":"Dana","phone":"5125550142"}"#;
        for line in [staged, with_corpus, unusual, r#"{"id":7,"source":"data"}"#] {
            let problem = read(&[], Some(line), US).unwrap_err();
            let words = ["line 1: this row is from the Data API", "line 1: this row may be from the Data API"];
            let is_said = words.iter().any(|words| problem.sentence.starts_with(words));
            assert!(is_said, "{}", problem.sentence);
            assert_eq!(ids(&read(&[], Some(line), DATA).unwrap()), [7], "{line}");
        }
        let settled = r#"{"id":7,"corpus":"us","outcome":"locked","email":null}"#;
        let kept = r#"{"id":7,"source":"workspace","corpus":"us","company_name":"X"}"#;
        for line in [settled, kept] {
            assert!(read(&[], Some(line), DATA).is_err(), "{line}");
            assert_eq!(ids(&read(&[], Some(line), US).unwrap()), [7], "{line}");
        }
        for line in [r#"{"id":7}"#, r#"{"id":7,"corpus":"us"}"#, r#"{"id":7,"source":"crawl","unlocked":false}"#] {
            assert_eq!(ids(&read(&[], Some(line), US).unwrap()), [7], "{line}");
        }
    }

    #[test]
    fn anything_else_is_wrong_usage_with_its_line() {
        assert_eq!(
            read(&[], Some("1\nNAME  TITLE\n"), US).unwrap_err().sentence,
            "line 2: expected an id or a JSON row"
        );
        assert_eq!(read(&["x".to_owned()], None, US).unwrap_err().exit(), Exit::Usage);
        assert!(read(&[], Some("{\"title\":\"x\"}"), US).is_err());
    }
}
