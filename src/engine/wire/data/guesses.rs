//! The names that two readers guess, because no document shows these answers (D1 and D3 of the reading notes).
//!
//! Delete a name once real answers of the service were seen and none uses it. When one shape is known to be the only one, the
//! reader shrinks to it and its table goes.

/// What `GET /api/counts` may call its parts.
pub(super) struct CountNames {
    /// The total of the corpus.
    pub total: &'static [&'static str],
    /// The number of an entry, the surest first: `value` and `total` are often something else beside a `count`.
    pub number: &'static [&'static str],
    /// The name beside a code.
    pub name: &'static [&'static str],
    pub state_code: &'static [&'static str],
    pub sic_code: &'static [&'static str],
    /// The code of an entry whose group does not say of what it is.
    pub bare_code: &'static [&'static str],
    /// The code of an entry whose group says of what it is. An id is often only the number of the line.
    pub code_in_group: &'static [&'static str],
    /// Words that stand beside codes and are not codes.
    pub no_code: &'static [&'static str],
    /// Where an entry of a flat list says whether it counts states or industries.
    pub kind: &'static [&'static str],
    /// The corpus, in small letters.
    pub us: &'static [&'static str],
    pub linkedin: &'static [&'static str],
}

pub(super) const COUNTS: CountNames = CountNames {
    total: &["total", "total_rows", "total_count", "grand_total", "rows"],
    number: &[
        "count",
        "cnt",
        "doc_count",
        "row_count",
        "num_rows",
        "n",
        "num",
        "records",
        "rows",
        "contacts",
        "total",
        "value",
    ],
    name: &["name", "label", "title", "description", "sic_name", "state_name", "sic_description", "industry"],
    state_code: &["state_code", "state", "abbreviation", "abbr"],
    sic_code: &["sic_code", "sic", "siccode"],
    bare_code: &["code", "key", "bucket", "id"],
    code_in_group: &["code", "key", "bucket", "value", "name", "label", "id"],
    no_code: &["items", "list", "data", "limit", "offset", "page", "updated", "updated_at", "generated_at"],
    kind: &["kind", "type", "group", "facet", "dimension", "field"],
    us: &["us", "us_business", "us business", "us-business"],
    linkedin: &["linkedin"],
};

/// What `/api/saved` may call its parts.
pub(super) struct SavedNames {
    /// Where the list is, if the answer is not the list itself.
    pub list: &'static [&'static str],
    pub id: &'static [&'static str],
    pub name: &'static [&'static str],
    /// Says what an entry is, not what it searches. So does every name that ends in `_at`.
    pub about: &'static [&'static str],
    /// Holds the whole search.
    pub place: &'static [&'static str],
    /// Holds the filters, beside the source and corpus.
    pub filters: &'static [&'static str],
    /// The parts of a condition: `{"field": "state", "value": "TX"}`.
    pub field: &'static [&'static str],
    pub value: &'static [&'static str],
    pub operator: &'static [&'static str],
    pub equals: &'static [&'static str],
    pub contains: &'static [&'static str],
    pub any_of: &'static [&'static str],
}

pub(super) const SAVED: SavedNames = SavedNames {
    list: &["saved", "data", "searches", "saved_searches", "items", "results", "list", "rows"],
    id: &["id", "_id", "uuid", "saved_id", "search_id"],
    name: &["name", "title", "label"],
    about: &[
        "id",
        "_id",
        "uuid",
        "saved_id",
        "search_id",
        "user_id",
        "name",
        "label",
        "description",
        "user",
        "owner",
        "created",
        "updated",
        "modified",
        "last_run",
        "last_used",
        "run_count",
        "total",
        "count",
        "took_ms",
    ],
    place: &["filters", "params", "parameters", "search", "criteria", "query", "payload"],
    filters: &["filters", "params", "parameters"],
    field: &["field", "name", "key", "param"],
    value: &["value", "values"],
    operator: &["op", "operator", "comparison", "condition", "match"],
    equals: &["", "=", "==", "eq", "is", "equal", "equals"],
    contains: &["contains", "like", "match", "matches", "text"],
    any_of: &["in", "any", "any_of", "or"],
};
