//! The schemas and the lists of keys in the documentation are made from the descriptions of the tables.

use std::path::Path;

use wattle_report::{reference, schemas};

/// A file of the documentation is what it would be if it were written now; `WATTLE_WRITE_DOCS=1` writes it.
fn check(name: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&file, expected).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap();
    assert!(
        found == expected,
        "{name} is out of date: WATTLE_WRITE_DOCS=1 cargo test -p wattle-report schema"
    );
}

#[test]
fn schemas_are_those_of_the_descriptions() {
    for (name, schema) in schemas() {
        let mut text = serde_json::to_string_pretty(&schema).unwrap();
        text.push('\n');
        check(&format!("schema/{name}.schema.json"), &text);
    }
}

#[test]
fn the_list_of_keys_is_that_of_the_descriptions() {
    check("report-keys.md", &reference());
}

#[test]
fn schemas_refuse_unknown_missing_and_wrong_keys() {
    let (_, schema) = schemas().into_iter().next().unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let options = wattle_report::ReportOptions::default();
    let report = crate::support::json(&crate::support::phone(), &options).unwrap();
    assert!(validator.is_valid(&report));
    let changed = |change: fn(&mut serde_json::Map<String, serde_json::Value>)| {
        let mut report = report.clone();
        change(report["processes"][0]["threads"][0].as_object_mut().unwrap());
        validator.is_valid(&report)
    };
    assert!(changed(|_| {}));
    assert!(!changed(|row| drop(row.insert("surprise".to_owned(), 1.into()))));
    assert!(!changed(|row| drop(row.remove("cpu_s"))));
    assert!(!changed(|row| drop(row.insert("tid".to_owned(), "1".into()))));
    assert!(!changed(|row| drop(row.insert("provenance".to_owned(), "guessed".into()))));
}
