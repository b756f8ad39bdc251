//! What the two documents leave open, decided in four ways. A client that only works with one of them has guessed.
//!
//! Everything that the documents *do* say is the same in all variants and does not live here. A variant is a row of plain
//! values (`Habits`): the services look a habit up and never ask which variant they are.

use serde_json::{Map, Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::corpus::CorpusKind;
use crate::scan::ScanCounts;

/// The four readings: `a` is the mildest, `b` refuses most, `c` speaks in strings. `d` is what a client meets that has only ever
/// seen one service: it refuses a page of more than 20 rows, does not say what is wrong with a key or its scope, sends its rows
/// in an order that is not the same each time, and exports without regard to the keyword. It never answers one search, does not count
/// where several filters are set, and some contacts are withdrawn as soon as they are bought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_variant)]
pub enum Variant {
    #[default]
    A,
    B,
    C,
    D,
}

/// How an element of `already_unlocked` or `missing` is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    Integer,
    NumericString,
    /// `{"id": 7}`, for `missing` with a `reason`.
    IdObject,
    /// The whole unlocked contact, and `{"id": 7}` with a `reason` for `missing`.
    Contact,
}

/// What a second occurrence of an id inside one unlock call means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Twice {
    Merged,
    AlreadyUnlocked,
    Refused,
}

/// What `/api/saved` does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saves {
    /// Keeps what is posted, deletes by `id` in the query. A DELETE without an id it recognises removes everything.
    Trusting,
    /// Answers 200 to every POST and keeps nothing.
    Forgetful,
    /// Keeps what is posted, deletes by `id` in the query or the body and refuses a DELETE without one.
    Careful,
    /// Keeps what is posted in a shape of its own, deletes by `id` in the body and refuses a DELETE without one.
    Reshaping,
}

/// How the export writes its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportFormat {
    /// Column heads as people write them instead of field names, and in another order.
    pub spoken_heads: bool,
    pub bom: bool,
    pub crlf: bool,
    /// Every cell in quotes, needed or not.
    pub quote_all: bool,
    /// Some street addresses go over two lines inside their quotes.
    pub two_line_cells: bool,
}

#[derive(Debug)]
pub struct Habits {
    pub max_page: u64,
    pub default_page: u64,
    /// A larger page than that is refused; else it is cut.
    pub refuses_large_search: bool,
    /// Rows of the Workspace search come one way or the other: two neighbors may stand in each other's place.
    pub wavers: bool,
    /// A search by this filter and value alone never gets an answer.
    pub never_answers: Option<(&'static str, &'static str)>,
    /// A search by two filters or more has a total that cannot be.
    pub senseless_totals: bool,
    /// Of the contacts that are bought, one in this many is withdrawn at once: searches and unlocks no longer return it.
    pub withdraws: Option<u64>,
    /// `corpus` missing on a search or counts: refused, or taken as `us`.
    pub corpus_required: bool,
    /// Parameters that the documents do not name: refused, or passed over.
    pub strict_parameters: bool,
    pub bad_key: u16,
    pub no_scope: u16,
    /// Refusals of a key or for want of a scope do not say that they are.
    pub unexplained: bool,
    pub invalid: u16,
    /// An unlock with an empty balance: `Some(status)` is an error, `None` a 200 with `stopped_for_credits`.
    pub out_of_credits: Option<u16>,
    /// Of `already_unlocked` and `missing`.
    pub element: Element,
    /// After running out of credits the ids that were not reached are listed under `missing` as well.
    pub rest_in_missing: bool,
    /// After running out of credits the remaining ids are still looked at: owned and absent ones are reported.
    pub looks_on: bool,
    /// Refunds are booked after the whole batch, so that the balance may run out earlier.
    pub refunds_last: bool,
    /// `credits_charged` counts after refunds.
    pub charged_net: bool,
    /// With `verify: false` the verification of a contact is null, not `unknown`.
    pub null_when_unverified: bool,
    pub twice: Twice,
    /// Rows carry further columns of the corpus and fields no document names.
    pub more_columns: bool,
    /// Body of `/api/counts`.
    pub totals: fn(CorpusKind, &ScanCounts) -> Value,
    pub saves: Saves,
    /// Body of a Data API error other than the wrong key, by its status and words.
    pub complaint: fn(u16, &str) -> Value,
    /// Data API rows come masked.
    pub data_masked: bool,
    /// Data API `limit` over 100: refused, or cut to 100.
    pub refuses_large_pages: bool,
    pub export_needs_filter: bool,
    /// The export reads filters alone, as its document lists them.
    pub export_ignores_keyword: bool,
    pub sheet: ExportFormat,
}

/// Code, name and rows.
type Totals = [(String, String, u64)];

fn map(totals: &Totals) -> Map<String, Value> {
    totals.iter().map(|(code, _, rows)| (code.clone(), json!(rows))).collect()
}

fn array(totals: &Totals, code_is: &str) -> Vec<Value> {
    totals.iter().map(|(code, name, rows)| json!({code_is: code, "name": name, "count": rows})).collect()
}

const PLAIN: ExportFormat =
    ExportFormat { spoken_heads: false, bom: false, crlf: false, quote_all: false, two_line_cells: false };

const A: Habits = Habits {
    max_page: 100,
    default_page: 25,
    refuses_large_search: false,
    wavers: false,
    never_answers: None,
    senseless_totals: false,
    withdraws: None,
    corpus_required: false,
    strict_parameters: false,
    bad_key: 401,
    no_scope: 403,
    unexplained: false,
    invalid: 400,
    out_of_credits: None,
    element: Element::Integer,
    rest_in_missing: false,
    looks_on: true,
    refunds_last: false,
    charged_net: false,
    null_when_unverified: false,
    twice: Twice::AlreadyUnlocked,
    more_columns: false,
    totals: |corpus, counts| {
        let (states, sic) = (map(&counts.states), map(&counts.sic));
        json!({"corpus": corpus, "total": counts.total, "states": states, "sic": sic})
    },
    saves: Saves::Trusting,
    complaint: |_, words| json!({"message": words}),
    data_masked: false,
    refuses_large_pages: true,
    export_needs_filter: false,
    export_ignores_keyword: false,
    sheet: PLAIN,
};

static B: Habits = Habits {
    max_page: 25,
    corpus_required: true,
    bad_key: 403,
    invalid: 422,
    out_of_credits: Some(402),
    element: Element::Contact,
    rest_in_missing: true,
    refunds_last: true,
    null_when_unverified: true,
    twice: Twice::Merged,
    totals: |_, counts| {
        let (states, sic) = (map(&counts.states), map(&counts.sic));
        json!({"data": {"total": counts.total, "by_state": states, "by_sic_code": sic}, "cached": true})
    },
    saves: Saves::Forgetful,
    complaint: |status, words| json!({"error": {"code": status, "message": words}}),
    data_masked: true,
    refuses_large_pages: false,
    export_needs_filter: true,
    sheet: ExportFormat { spoken_heads: true, quote_all: true, ..PLAIN },
    ..A
};

static C: Habits = Habits {
    max_page: 50,
    default_page: 10,
    no_scope: 401,
    element: Element::NumericString,
    looks_on: false,
    charged_net: true,
    null_when_unverified: true,
    twice: Twice::Refused,
    more_columns: true,
    totals: |_, counts| json!({"states": array(&counts.states, "state"), "sic_codes": array(&counts.sic, "sic_code")}),
    saves: Saves::Careful,
    complaint: |status, words| json!({"statusCode": status, "message": [words], "error": "Bad Request"}),
    refuses_large_pages: false,
    sheet: ExportFormat { bom: true, crlf: true, two_line_cells: true, ..PLAIN },
    ..A
};

static D: Habits = Habits {
    max_page: 20,
    default_page: 20,
    refuses_large_search: true,
    wavers: true,
    never_answers: Some(("industry", "government")),
    senseless_totals: true,
    withdraws: Some(17),
    corpus_required: true,
    strict_parameters: true,
    bad_key: 400,
    no_scope: 400,
    unexplained: true,
    invalid: 422,
    out_of_credits: Some(400),
    element: Element::IdObject,
    rest_in_missing: true,
    looks_on: false,
    refunds_last: true,
    charged_net: true,
    twice: Twice::Merged,
    more_columns: true,
    totals: |_, counts| {
        let (states, sic) = (array(&counts.states, "code"), array(&counts.sic, "code"));
        json!({"data": {"state": states, "sic": sic}, "meta": {"total": counts.total}})
    },
    saves: Saves::Reshaping,
    complaint: |_, words| json!({"detail": words}),
    export_ignores_keyword: true,
    sheet: ExportFormat { quote_all: true, two_line_cells: true, ..PLAIN },
    ..A
};

impl Variant {
    pub const ALL: [Variant; 4] = [Variant::A, Variant::B, Variant::C, Variant::D];

    pub fn habits(self) -> &'static Habits {
        [&A, &B, &C, &D][self as usize]
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn no_variant(name: &str) -> String {
    format!("no variant is called {name:?}: a, b, c or d")
}
