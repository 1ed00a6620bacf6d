//! The schema of ledger files is generated from the types that are written.

use std::path::Path;

use wattle_ledger::Ledger;
use wattle_schema::SchemaFile;

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let file = SchemaFile::new::<Ledger>(
        "ledger-1",
        "Wattle ledger, version 1",
        "Every joule of every power track, attributed to exactly one account. See ledger-format.md.",
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    assert_eq!(file.check(&folder), Ok(()));
}

/// Whether the schema accepts a ledger of an earlier version after a change.
fn accepts(change: impl FnOnce(&mut serde_json::Value)) -> bool {
    let schema = include_str!("../../../../docs/schema/ledger-1.schema.json");
    let schema = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let mut ledger = serde_json::from_str(include_str!("ledger-1.json")).expect("JSON");
    change(&mut ledger);
    validator.is_valid(&ledger)
}

#[test]
fn keys_that_are_unknown_missing_null_or_of_another_type_are_refused() {
    assert!(accepts(|_| {}));
    assert!(accepts(|ledger| ledger["model"] = serde_json::Value::Null));
    assert!(accepts(|ledger| drop(ledger["battery"].as_object_mut().expect("it").remove("by"))));
    assert!(!accepts(|ledger| ledger["surprise"] = 1.into()));
    assert!(!accepts(|ledger| ledger["threads"][0]["surprise"] = 1.into()));
    assert!(!accepts(|ledger| drop(ledger.as_object_mut().expect("it").remove("rails"))));
    assert!(!accepts(|ledger| ledger["sampling"] = serde_json::Value::Null));
    assert!(!accepts(|ledger| ledger["threads"][0]["tid"] = "1".into()));
    assert!(!accepts(|ledger| ledger["threads"][0]["tid"] = (-1).into()));
    assert!(!accepts(|ledger| ledger["closure"][0]["error"] = 1e-8.into()));
    assert!(!accepts(|ledger| ledger["bookings"]["charge"][0] = "fuel".into()));
    assert!(!accepts(|ledger| ledger["accounts"][0]["kind"] = "nobody".into()));
}
