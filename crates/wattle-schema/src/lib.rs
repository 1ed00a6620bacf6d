//! JSON Schemas of the project's files, generated from the types that are written.
//!
//! `schemars` derives a schema from a type, its serde attributes and its doc comments. [`SchemaFile`] turns that into a file of
//! `docs/schema`: strict (unknown keys are refused, a key that is left out is never null) and without Rust's notation.

mod description;
mod schema_file;
mod strict;

pub use schema_file::SchemaFile;
