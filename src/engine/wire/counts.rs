//! Totals of the whole corpus, in whatever shape they come (D1): maps from code to number, arrays of objects, arrays of
//! pairs, one flat list with a kind, any of these under `data` or a word like it.
//!
//! A shape is recognised by what it holds, not by its exact names: a group is of states when its name or its codes say so.
//! Nothing becomes a code because it stands where codes stand: an entry that cannot be read is left out, and an answer of
//! which nothing can be read is an error. What is said of the other corpus is left out as well.

use super::json as loose;
use super::*;

// No document shows which names the response of `GET /api/counts` uses (D1 of the reading notes). Delete a name once real responses were
// seen and none uses it.

/// The total of the corpus.
const TOTAL: &[&str] = &["total", "total_rows", "total_count", "grand_total", "rows"];
/// The number of an entry, the surest first: `value` and `total` are often something else beside a `count`.
const NUMBER: &[&str] = &[
    "count", "cnt", "doc_count", "row_count", "num_rows", "n", "num", "records", "rows", "contacts", "total", "value",
];
/// The name beside a code.
const NAME: &[&str] =
    &["name", "label", "title", "description", "sic_name", "state_name", "sic_description", "industry"];
const STATE_CODE: &[&str] = &["state_code", "state", "abbreviation", "abbr"];
const SIC_CODE: &[&str] = &["sic_code", "sic", "siccode"];
/// The code of an entry whose group does not say of what it is.
const BARE_CODE: &[&str] = &["code", "key", "bucket", "id"];
/// The code of an entry whose group says of what it is. An id is often only the number of the line.
const CODE_IN_GROUP: &[&str] = &["code", "key", "bucket", "value", "name", "label", "id"];
/// Words that stand beside codes and are not codes.
const NO_CODE: &[&str] = &["items", "list", "data", "limit", "offset", "page", "updated", "updated_at", "generated_at"];
/// Where an entry of a flat list says whether it counts states or industries.
const KIND: &[&str] = &["kind", "type", "group", "facet", "dimension", "field"];
/// The corpus, in small letters.
const US: &[&str] = &["us", "us_business", "us business", "us-business"];
const LINKEDIN: &[&str] = &["linkedin"];

pub fn read(corpus: Corpus, head: &Head, body: &[u8]) -> Result<Counts, Failure> {
    let failed = |what: &str| failed(Source::Data, head, body, what);
    let value = loose::value(body).map_err(|error| failed(&loose::sentence(&error)))?;
    let mut reading = Reading { corpus, counts: Counts::default(), empty_group: false, unread: false };
    reading.gather(&value, None, 0);
    // Nothing to count is an answer only where the groups are there and empty.
    if reading.counts.counts.is_empty() && (reading.unread || !reading.empty_group) {
        return Err(failed("it holds no counts"));
    }
    Ok(reading.counts)
}

struct Reading {
    corpus: Corpus,
    counts: Counts,
    /// A group of a known kind came with nothing in it.
    empty_group: bool,
    /// Something stood where counts stand and could not be read.
    unread: bool,
}

impl Reading {
    fn gather(&mut self, value: &Value, kind: Option<CountKind>, depth: usize) {
        let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
        self.empty_group |= kind.is_some() && empty;
        match value {
            _ if depth > 5 => self.unread = true,
            Value::Array(entries) => entries.iter().for_each(|entry| self.entry(entry, kind, depth)),
            Value::Object(fields) if self.is_foreign(fields) => self.unread = true,
            Value::Object(fields) => fields.iter().for_each(|(name, inner)| self.field(name, inner, kind, depth)),
            _ => {}
        }
    }

    /// One entry of a list. Where it is none, only the groups in it are looked at: its own fields are no codes.
    fn entry(&mut self, entry: &Value, kind: Option<CountKind>, depth: usize) {
        match entry {
            Value::Array(pair) => match pair_of(pair, kind) {
                Some(count) => self.counts.counts.push(count),
                None => self.unread = true,
            },
            Value::Object(fields) if self.is_foreign(fields) => {}
            Value::Object(fields) => {
                if let Some(count) = self.object_of(fields, kind) {
                    self.counts.counts.push(count);
                    return;
                }
                let mut groups = fields.iter().filter(|(_, inner)| inner.is_array() || inner.is_object()).peekable();
                self.unread |= groups.peek().is_none();
                let kind = kind_named(&first_words(fields, KIND)).or(kind);
                for (name, inner) in groups {
                    self.field(name, inner, kind, depth + 1);
                }
            }
            _ => self.unread = true,
        }
    }

    /// A field of a map: a code with its number, a group of counts, or something about them.
    fn field(&mut self, name: &str, inner: &Value, kind: Option<CountKind>, depth: usize) {
        if let Some(corpus) = corpus_named(name).filter(|_| !inner.is_number()) {
            if corpus == self.corpus {
                self.gather(inner, kind, depth + 1);
            }
            return;
        }
        if TOTAL.contains(&name) && !inner.is_array() {
            let total = inner.as_object().and_then(|all| self.by_corpus(all)).unwrap_or(inner);
            if let Some(count) = loose::count(total).filter(|_| kind.is_none()) {
                self.counts.total.get_or_insert(count);
            }
            return;
        }
        let code = kind.map_or_else(|| kind_of_code(name), |kind| is_code(kind, name).then_some(kind));
        match (inner, code) {
            // `{"TX": {"count": 1, "name": "Texas"}}`
            (Value::Object(entry), Some(kind)) => match self.number(entry, &[]) {
                Some(count) => self.counts.counts.extend(count_of(kind, name, &first_words(entry, NAME), count)),
                // What is counted inside one code is not counted in the corpus.
                None if kind_of_code(name).is_some() => self.unread = true,
                None => self.gather(inner, kind_named(name).or(Some(kind)), depth + 1),
            },
            (Value::Object(_) | Value::Array(_), _) => self.gather(inner, kind_named(name).or(kind), depth + 1),
            (scalar, Some(kind)) => match loose::count(scalar) {
                Some(count) => self.counts.counts.extend(count_of(kind, name, "", count)),
                None => self.unread = true,
            },
            (scalar, None) => self.unread |= kind_named(name).is_some() && !scalar.is_null(),
        }
    }

    /// An object of a list as a count; none where it has no code or no number of its own.
    fn object_of(&self, fields: &Map<String, Value>, kind: Option<CountKind>) -> Option<Count> {
        let kind = kind_named(&first_words(fields, KIND)).or(kind);
        let each = |names: &'static [&'static str]| names.iter().map(|name| (*name, first_words(fields, &[name])));
        let words = |names| each(names).find(|(_, words)| !words.trim().is_empty());
        let any = |kind: CountKind| {
            each(CODE_IN_GROUP).find(|(name, words)| match *name {
                "code" | "key" | "bucket" => is_code(kind, words),
                _ => is_code(kind, words) && (kind == CountKind::State || kind_of_code(words) == Some(kind)),
            })
        };
        let (kind, (source, code)) = match (kind, words(STATE_CODE), words(SIC_CODE)) {
            (Some(CountKind::State), Some(state), _) | (None, Some(state), None) => (CountKind::State, state),
            (Some(CountKind::Sic), _, Some(sic)) | (None, None, Some(sic)) => (CountKind::Sic, sic),
            (Some(kind), _, _) => (kind, any(kind)?),
            // A number of rows in this state with this code is of neither.
            (None, Some(_), Some(_)) => return None,
            (None, None, None) => each(BARE_CODE).find_map(|found| kind_of_code(&found.1).map(|kind| (kind, found)))?,
        };
        let count = self.number(fields, &[source, "id"])?;
        let name = each(NAME).find(|(name, words)| *name != source && !words.is_empty());
        count_of(kind, &code, &name.unwrap_or_default().1, count)
    }

    /// The number of an entry: one of a known name, that of our corpus, or the only one there is besides those `taken`.
    fn number(&self, fields: &Map<String, Value>, taken: &[&str]) -> Option<u64> {
        let known = NUMBER.iter().filter(|name| !taken.contains(name)).filter_map(|name| fields.get(*name));
        let only = || {
            let is_free = |name: &str| !taken.contains(&name);
            let mut numbers = fields.iter().filter(|(name, value)| value.is_number() && is_free(name));
            let (name, only) = numbers.next().filter(|_| numbers.next().is_none())?;
            loose::count(only).filter(|_| corpus_named(name).is_none())
        };
        let of_corpus = || self.by_corpus(fields).and_then(loose::count);
        known.filter_map(loose::count).next().or_else(of_corpus).or_else(only)
    }

    fn by_corpus<'v>(&self, fields: &'v Map<String, Value>) -> Option<&'v Value> {
        fields.iter().find(|(name, _)| corpus_named(name) == Some(self.corpus)).map(|(_, value)| value)
    }

    /// It says that it is about another corpus.
    fn is_foreign(&self, fields: &Map<String, Value>) -> bool {
        let said = first_words(fields, &["corpus"]);
        !said.is_empty() && corpus_named(&said) != Some(self.corpus)
    }
}

fn corpus_named(name: &str) -> Option<Corpus> {
    let small = name.to_ascii_lowercase();
    // `US` may be a code of its own among states; a corpus is written small.
    if US.contains(&small.as_str()) && (small != "us" || name == "us") {
        return Some(Corpus::Us);
    }
    LINKEDIN.contains(&small.as_str()).then_some(Corpus::Linkedin)
}

/// What a group's name says about its codes: `states`, `by_state`, `per_sic`, `sic_codes` …
fn kind_named(name: &str) -> Option<CountKind> {
    let name = name.to_ascii_lowercase();
    let words = [("sic", CountKind::Sic), ("state", CountKind::State)];
    words.into_iter().find(|(word, _)| name.contains(word)).map(|(_, kind)| kind)
}

/// Whether this may be a code of a group that says of what it is. A state may come by its name.
fn is_code(kind: CountKind, code: &str) -> bool {
    let about = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(code));
    match kind {
        CountKind::State if code.len() == 2 => code.bytes().all(|byte| byte.is_ascii_alphabetic()),
        CountKind::State => {
            code.starts_with(|first: char| first.is_uppercase()) && !about(NUMBER) && !about(TOTAL) && !about(NO_CODE)
                || codes::states().any(|(_, name)| name.eq_ignore_ascii_case(code))
        }
        CountKind::Sic => code.starts_with(|first: char| first.is_ascii_digit()),
    }
}

fn kind_of_code(code: &str) -> Option<CountKind> {
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Some(CountKind::State);
    }
    let digits = (2..=8).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(CountKind::Sic)
}

/// `["TX", 12]` or `["8062", "Hospitals", 12]`
fn pair_of(pair: &[Value], kind: Option<CountKind>) -> Option<Count> {
    let [code, between @ .., count] = pair else { return None };
    let code = loose::words(code)?;
    let kind = kind.map_or_else(|| kind_of_code(&code), |kind| is_code(kind, code.trim()).then_some(kind))?;
    let name = between.first().and_then(loose::words).unwrap_or_default();
    count_of(kind, &code, &name, loose::count(count)?)
}

fn count_of(kind: CountKind, code: &str, name: &str, count: u64) -> Option<Count> {
    let code = scrub(code).trim().to_owned();
    (!code.is_empty()).then(|| Count { kind, code, name: name.trim().to_owned(), count })
}

fn first_words(fields: &Map<String, Value>, names: &[&str]) -> String {
    names.iter().find_map(|name| fields.get(*name)).and_then(loose::words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: CountKind, code: &str, name: &str, count: u64) -> Count {
        Count { kind, code: code.to_owned(), name: name.to_owned(), count }
    }

    #[test]
    fn every_plausible_shape_is_read() {
        use CountKind::{Sic, State};
        let plain = [count(State, "TX", "", 5), count(Sic, "8062", "", 3)];
        let named = [count(State, "TX", "Texas", 5), count(Sic, "8062", "Hospitals", 3)];
        for (body, expected) in [
            (r#"{"states":{"TX":5},"sic":{"8062":3},"total":9}"#, &plain),
            (r#"{"data":{"by_state":{"TX":"5"},"by_sic":{"8062":3}},"total":9}"#, &plain),
            (r#"{"total":9,"data":{"TX":5,"8062":3}}"#, &plain),
            (r#"{"total":9,"state_counts":[["TX",5]],"sic_counts":[["8062",3]]}"#, &plain),
            (r#"{"total":9,"state":[{"state":"TX","count":5}],"sic_code":[{"sic_code":8062,"count":3}]}"#, &plain),
            (r#"{"total":9,"states":[{"code":"TX","name":"Texas","count":5}],"sic":[["8062","Hospitals",3]]}"#, &named),
            (
                r#"{"ok":true,"data":{"total":9,"counts":[{"kind":"state","code":"TX","name":"Texas","count":5},{"kind":"sic","code":"8062","name":"Hospitals","count":3}]}}"#,
                &named,
            ),
            (
                r#"{"total":9,"states":{"TX":{"name":"Texas","count":5}},"sic":{"8062":{"description":"Hospitals","n":3}}}"#,
                &named,
            ),
            (
                r#"{"total":9,"data":[{"state":"TX","label":"Texas","total":5},{"sic":"8062","label":"Hospitals","total":3}]}"#,
                &named,
            ),
        ] {
            let counts = read(Corpus::Us, &Head::of(200), body.as_bytes()).unwrap();
            assert_eq!(counts.counts, expected, "{body}");
            assert_eq!(counts.total, Some(9), "{body}");
        }
        let bare =
            read(Corpus::Us, &Head::of(200), br#"[{"state":"TX","count":5},{"sic_code":"8062","count":3}]"#).unwrap();
        assert_eq!(bare.counts, plain);
        assert_eq!(bare.total, None);
    }

    #[test]
    fn no_field_of_an_entry_becomes_a_code() {
        use CountKind::{Sic, State};
        let texas = || count(State, "TX", "", 5);
        for (body, expected) in [
            (r#"{"states":[{"name":"TX","count":5}]}"#, vec![texas()]),
            (r#"{"states":[{"id":1,"label":"TX","value":5}]}"#, vec![texas()]),
            (r#"[{"state":"TX","c":5}]"#, vec![texas()]),
            (r#"{"sic":[{"sic_code":"8062","num_rows":4}]}"#, vec![count(Sic, "8062", "", 4)]),
            (r#"{"sic":[{"value":"8062","label":"Hospitals","records":4}]}"#, vec![count(Sic, "8062", "Hospitals", 4)]),
            (r#"{"states":{"count":51,"Page":1,"items":[{"code":"TX","count":5}]}}"#, vec![texas()]),
            (r#"{"states":[{"state":null,"count":7},{"state":"TX","count":5}]}"#, vec![texas()]),
            (r#"{"states":{"TX":{"count":5,"sic":{"8062":3}}}}"#, vec![texas()]),
            (r#"{"states":{"Texas":5},"sic":{"updated":3}}"#, vec![count(State, "Texas", "", 5)]),
            (r#"{"total":0,"states":[],"sic":{}}"#, vec![]),
        ] {
            let counts = read(Corpus::Us, &Head::of(200), body.as_bytes()).unwrap_or_else(|_| panic!("{body}"));
            assert_eq!(counts.counts, expected, "{body}");
        }
    }

    #[test]
    fn only_the_corpus_that_was_asked_is_counted() {
        let us = [count(CountKind::State, "TX", "", 5)];
        let linkedin = [count(CountKind::State, "TX", "", 6)];
        for body in [
            r#"{"us":{"states":{"TX":5}},"linkedin":{"states":{"TX":6}}}"#,
            r#"{"data":{"linkedin":{"total":9,"states":[["TX",6]]},"us":{"total":8,"states":[["TX",5]]}}}"#,
            r#"{"states":{"us":{"TX":5},"linkedin":{"TX":6}}}"#,
            r#"[{"corpus":"us","state":"TX","count":5},{"corpus":"linkedin","state":"TX","count":6}]"#,
            r#"[{"corpus":"linkedin","states":{"TX":6}},{"corpus":"us","states":{"TX":5}}]"#,
            r#"{"states":[{"state":"TX","us":5,"linkedin":6}]}"#,
            r#"{"states":{"TX":{"us":5,"linkedin":6}},"total":{"us":8,"linkedin":9}}"#,
        ] {
            assert_eq!(read(Corpus::Us, &Head::of(200), body.as_bytes()).unwrap().counts, us, "{body}");
            assert_eq!(read(Corpus::Linkedin, &Head::of(200), body.as_bytes()).unwrap().counts, linkedin, "{body}");
        }
        for body in [r#"{"corpus":"linkedin","states":{"TX":6}}"#, r#"{"linkedin":{"states":{"TX":6}}}"#] {
            assert!(read(Corpus::Us, &Head::of(200), body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn what_holds_no_counts_is_unreadable() {
        for body in [
            "",
            "[]",
            "{}",
            r#"{"states":"none"}"#,
            "<html>",
            r#"{"states":{"TX":5"#,
            "3",
            r#"{"total":9}"#,
            r#"{"state":null,"count":5}"#,
            r#"[{"state":null,"count":5}]"#,
            r#"{"total":9,"states":[{"a":1,"b":2}]}"#,
            r#"{"total":9,"states":{"list":["TX"],"numbers":[5]}}"#,
            r#"[{"state":"TX","sic":"8062","count":5}]"#,
        ] {
            assert!(read(Corpus::Us, &Head::of(200), body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn texts_are_scrubbed_and_absurd_numbers_held() {
        let body = r#"{"states":[{"state":"T\u001bX","name":"Te\u202exas","count":-4}]}"#;
        let counts = read(Corpus::Us, &Head::of(200), body.as_bytes()).unwrap();
        assert_eq!(counts.counts, [count(CountKind::State, "TX", "Texas", 0)]);
    }
}
