//! The schema of `recording.json` is generated from the types that are read.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use serde_json::json;
use wattle_recording::Recording;
use wattle_schema::SchemaFile;

fn file() -> SchemaFile {
    SchemaFile::for_reading::<Recording>(
        "recording-1",
        "Wattle recording, version 1",
        "One run on one device: `recording.json` of a folder. See recording.md.",
    )
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    assert_eq!(file().check(&folder), Ok(()));
}

#[track_caller]
fn check(recording: &serde_json::Value, is_accepted: bool) {
    let validator = jsonschema::draft202012::new(file().schema()).expect("a schema");
    assert_eq!(validator.is_valid(recording), is_accepted, "schema: {recording}");
    let read = serde_json::from_value::<Recording>(recording.clone());
    assert_eq!(read.is_ok(), is_accepted, "reader: {recording}");
}

#[test]
fn schema_and_reader_accept_the_same() {
    check(&json!({ "artifacts": [] }), true);
    check(&json!({ "artifacts": ["a", { "file": "b", "kind": "perfetto" }] }), true);
    check(
        &json!({ "later": 1, "artifacts": [{ "file": "c", "kind": "of-a-later-version" }] }),
        true,
    );
    check(
        &json!({ "artifacts": [], "device": { "model": "Pixel 6", "cpus": [0, 1], "sdk": null } }),
        true,
    );
    check(&json!({ "artifacts": [], "scenario": null, "apps": [{ "package": "a" }] }), true);
    check(&json!({ "artifacts": 7 }), false);
    check(&json!({ "artifacts": [{ "kind": "perfetto" }] }), false);
    check(&json!({ "artifacts": [{ "file": "a", "bytes": -1 }] }), false);
    check(&json!({ "artifacts": [], "apps": [{ "uid": 1 }] }), false);
    check(&json!({ "artifacts": [], "iterations": [{ "number": 0 }] }), false);
    check(&json!({ "artifacts": [], "device": { "cpus": "all" } }), false);
}
