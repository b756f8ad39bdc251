//! The schemas of `docs/schemas`, made from the shapes.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::output::{MatchLine, MatchSummaryLine, RowLine, *};
use super::problem::{ErrorLine, WarningLine};
use super::spec::SpecLine;

/// The fields of a line, in its order.
pub fn fields<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let fields = schema.get("properties").and_then(|properties| properties.as_object());
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// Every line by the name of its schema.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    fn of<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
        let generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut schema = generator.into_root_schema_for::<T>();
        schema.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        (name, schema)
    }
    vec![
        of::<ErrorLine>("error"),
        of::<WarningLine>("warning"),
        of::<RowLine>("row"),
        of::<UnlockLine>("unlock"),
        of::<UnstoredLine>("unstored"),
        of::<SummaryLine>("summary"),
        of::<QuoteLine>("quote"),
        of::<OwnedLine>("owned"),
        of::<ReceiptLine>("receipt"),
        of::<BasketLine>("basket"),
        of::<CountLine>("count"),
        of::<MeLine>("me"),
        of::<SavedLine>("saved"),
        of::<ExportLine>("export"),
        of::<FindingLine>("finding"),
        of::<InfoLine>("info"),
        of::<SuppressListLine>("suppress_list"),
        of::<SuppressEntryLine>("suppress_entry"),
        of::<SuppressCheckLine>("suppress_check"),
        of::<MatchLine>("match"),
        of::<MatchSummaryLine>("match_summary"),
        of::<MatchPlanLine>("match_plan"),
        of::<SearchSummaryLine>("search_summary"),
        of::<SavedSummaryLine>("saved_summary"),
        of::<SuppressSummaryLine>("suppress_summary"),
        of::<LedgerSummaryLine>("ledger_summary"),
        of::<SandboxLine>("sandbox"),
        of::<SpecLine>("spec"),
    ]
}
