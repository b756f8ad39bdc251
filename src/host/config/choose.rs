//! `[choose] per_company = 2, among = 5000`: whom to buy of those that match.

use toml_edit::TableLike;

use super::reader::{Read, Reader};

pub(super) fn read(reader: &Reader<'_>, table: &dyn TableLike) -> Read<(Option<u32>, Option<u64>)> {
    let (mut per_company, mut among) = (None, None);
    for (key, item) in reader.entries(table) {
        match key.get() {
            "per_company" => per_company = Some(reader.number(key, item, 1, 1_000)? as u32),
            "among" => among = Some(reader.number(key, item, 1, 50_000)?.unsigned_abs()),
            _ => return reader.unknown(key, "per_company, among"),
        }
    }
    Ok((per_company, among))
}
