//! The values and pure functions of `lode_core`.

mod cells;
mod choose;
mod codes;
mod credits;
mod crm;
mod exclude;
mod export;
mod export_preset;
mod export_records;
mod filter;
mod firm;
mod ids;
mod keyboard;
mod link;
mod money;
mod needle;
mod purse;
mod query;
mod rank;
mod row;
mod scrub;
mod shell_line;
mod suppress;
mod text;
