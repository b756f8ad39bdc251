//! What the two documents leave open, decided in four ways. A client that only works with one of them has guessed.
//!
//! Everything that the documents *do* say is the same in all variants and does not live here. A variant is a row of plain
//! values (`Habits`): the services look a habit up and never ask which variant they are.

use serde_json::{Map, Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::corpus::CorpusKind;
use crate::scan::ScanCounts;
use Habit::*;

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

/// A habit that some variants have and others do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Habit {
    /// A larger page than `max_page` is refused; else it is cut.
    RefusesLargeSearch,
    /// Rows of the Workspace search come in an unstable order: two neighbors may be swapped.
    Wavers,
    /// A search by two filters or more has a total that cannot be.
    SenselessTotals,
    /// `corpus` missing on a search or counts: refused, or taken as `us`.
    CorpusRequired,
    /// Parameters that the documents do not name: refused, or passed over.
    StrictParameters,
    /// Refusals of a key or for want of a scope do not say that they are.
    Unexplained,
    /// After running out of credits the ids that were not reached are listed under `missing` as well.
    RestInMissing,
    /// After running out of credits the remaining ids are still looked at: owned and absent ones are reported.
    LooksOn,
    /// Refunds are booked at the end of the batch, so that the balance may run out earlier.
    RefundsLast,
    /// `credits_charged` counts after refunds.
    ChargedNet,
    /// With `verify: false` the verification of a contact is null, not `unknown`.
    NullWhenUnverified,
    /// Rows carry further columns of the corpus and fields no document names.
    MoreColumns,
    /// Data API rows come masked.
    DataMasked,
    /// Data API `limit` over 100: refused, or cut to 100.
    RefusesLargePages,
    ExportNeedsFilter,
    /// The export reads filters alone, as its document lists them.
    ExportIgnoresKeyword,
    /// The export has column heads as people write them instead of field names.
    SpokenHeads,
    /// The export begins with a byte order mark.
    Bom,
    Crlf,
    /// Every cell of the export in quotes, needed or not.
    QuoteAll,
    /// Some street addresses of the export go over two lines inside their quotes.
    TwoLineCells,
}

#[derive(Debug)]
pub struct Habits {
    pub does: &'static [Habit],
    pub max_page: u64,
    pub default_page: u64,
    /// A search by this filter and value alone never gets an answer.
    pub never_answers: Option<(&'static str, &'static str)>,
    /// Of the contacts that are bought, one in this many is withdrawn at once: searches and unlocks no longer return it.
    pub withdraws: Option<u64>,
    pub bad_key: u16,
    pub no_scope: u16,
    pub invalid: u16,
    /// An unlock with an empty balance: `Some(status)` is an error, `None` a 200 with `stopped_for_credits`.
    pub out_of_credits: Option<u16>,
    /// Of `already_unlocked` and `missing`.
    pub element: Element,
    pub twice: Twice,
    /// Body of `/api/counts`.
    pub totals: fn(CorpusKind, &ScanCounts) -> Value,
    pub saves: Saves,
    /// Body of a Data API error other than the wrong key, by its status and words.
    pub complaint: fn(u16, &str) -> Value,
}

impl Habits {
    pub fn has(&self, habit: Habit) -> bool {
        self.does.contains(&habit)
    }
}

/// Code, name and rows.
type Totals = [(String, String, u64)];

fn map(totals: &Totals) -> Map<String, Value> {
    totals.iter().map(|(code, _, rows)| (code.clone(), json!(rows))).collect()
}

fn array(totals: &Totals, code_is: &str) -> Vec<Value> {
    totals.iter().map(|(code, name, rows)| json!({code_is: code, "name": name, "count": rows})).collect()
}

const A: Habits = Habits {
    does: &[LooksOn, RefusesLargePages],
    max_page: 100,
    default_page: 25,
    never_answers: None,
    withdraws: None,
    bad_key: 401,
    no_scope: 403,
    invalid: 400,
    out_of_credits: None,
    element: Element::Integer,
    twice: Twice::AlreadyUnlocked,
    totals: |corpus, counts| {
        let (states, sic) = (map(&counts.states), map(&counts.sic));
        json!({"corpus": corpus, "total": counts.total, "states": states, "sic": sic})
    },
    saves: Saves::Trusting,
    complaint: |_, words| json!({"message": words}),
};

static B: Habits = Habits {
    does: &[
        CorpusRequired, RestInMissing, LooksOn, RefundsLast, NullWhenUnverified, DataMasked, ExportNeedsFilter,
        SpokenHeads, QuoteAll,
    ],
    max_page: 25,
    bad_key: 403,
    invalid: 422,
    out_of_credits: Some(402),
    element: Element::Contact,
    twice: Twice::Merged,
    totals: |_, counts| {
        let (states, sic) = (map(&counts.states), map(&counts.sic));
        json!({"data": {"total": counts.total, "by_state": states, "by_sic_code": sic}, "cached": true})
    },
    saves: Saves::Forgetful,
    complaint: |status, words| json!({"error": {"code": status, "message": words}}),
    ..A
};

static C: Habits = Habits {
    does: &[ChargedNet, NullWhenUnverified, MoreColumns, Bom, Crlf, TwoLineCells],
    max_page: 50,
    default_page: 10,
    no_scope: 401,
    element: Element::NumericString,
    twice: Twice::Refused,
    totals: |_, counts| json!({"states": array(&counts.states, "state"), "sic_codes": array(&counts.sic, "sic_code")}),
    saves: Saves::Careful,
    complaint: |status, words| json!({"statusCode": status, "message": [words], "error": "Bad Request"}),
    ..A
};

static D: Habits = Habits {
    does: &[
        RefusesLargeSearch, Wavers, SenselessTotals, CorpusRequired, StrictParameters, Unexplained, RestInMissing,
        RefundsLast, ChargedNet, MoreColumns, RefusesLargePages, ExportIgnoresKeyword, QuoteAll, TwoLineCells,
    ],
    max_page: 20,
    default_page: 20,
    never_answers: Some(("industry", "government")),
    withdraws: Some(17),
    bad_key: 400,
    no_scope: 400,
    invalid: 422,
    out_of_credits: Some(400),
    element: Element::IdObject,
    twice: Twice::Merged,
    totals: |_, counts| {
        let (states, sic) = (array(&counts.states, "code"), array(&counts.sic, "code"));
        json!({"data": {"state": states, "sic": sic}, "meta": {"total": counts.total}})
    },
    saves: Saves::Reshaping,
    complaint: |_, words| json!({"detail": words}),
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
