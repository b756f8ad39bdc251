//! What an export came to, as a line.

use super::output::{ExportLine, Format, json};
use lode_core::counted;
use lode_engine::effect::{Effect, Exported};

/// Where it is, how much it is, and what was done to its cells.
pub(super) fn report(exported: &Exported, format: Format, fx: &mut Vec<Effect>) {
    if exported.lint.no_ids {
        let words = "the export has no id column, so rows in more than one search are repeated";
        fx.push(Effect::Warn(words.to_owned()));
    }
    let path = exported.path.display().to_string();
    fx.push(Effect::Print(match format {
        Format::Json => json::line(&ExportLine {
            path,
            rows: exported.rows,
            bytes: exported.bytes,
            formulas: exported.lint.formulas,
            phones: exported.lint.phones,
            not_text: exported.lint.not_text,
            excluded: exported.lint.excluded,
        }),
        Format::Table { .. } => {
            format!(
                "{path}: {}, {}; {}",
                counted(exported.rows, "row"),
                counted(exported.bytes, "byte"),
                exported.lint.words()
            )
        }
    }));
}
