//! The schemas of `docs/schemas`, made from the shapes.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::output::SCHEMA_VERSION;

/// The fields of a line, in its order.
pub fn fields<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let fields = schema.get("properties").and_then(|properties| properties.as_object());
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The schema of a line under its name.
pub fn of<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    (name, schema)
}
