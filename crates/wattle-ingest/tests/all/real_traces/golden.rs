//! Results of an independent reader for a trace (`golden/*.json`, made by `oracle/decode.py` from the raw packets with
//! Perfetto's own schema), and the comparison of a section of them.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A golden file as JSON.
pub fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("golden files are JSON")
}

/// Many rows as the oracle writes them: their number, a digest of all, and a few to check by eye.
pub fn table(rows: &[Value]) -> Value {
    json!({ "count": rows.len(), "digest": digest(rows) })
}

/// 64-bit FNV-1a over the rows as tab-separated lines.
fn digest(rows: &[Value]) -> String {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in lines(rows).bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{state:016x}")
}

fn lines(rows: &[Value]) -> String {
    let mut text = String::new();
    for row in rows {
        for (i, cell) in row.as_array().expect("rows are arrays").iter().enumerate() {
            let tab = if i == 0 { "" } else { "\t" };
            match cell {
                Value::Null => write!(text, "{tab}"),
                Value::String(cell) => write!(text, "{tab}{cell}"),
                other => write!(text, "{tab}{other}"),
            }
            .expect("a string can be written to");
        }
        text.push('\n');
    }
    text
}

/// Compares rows with the oracle's table. Where they differ, all rows go into a file, to be held
/// against `decode.py --full`.
#[track_caller]
pub fn check_table(golden: &Value, section: &str, rows: &[Value]) {
    let expected = &golden[section];
    let found = table(rows);
    if expected["digest"] == found["digest"] {
        assert_eq!(expected["count"], found["count"], "{section}");
        return;
    }
    let trace = golden["trace"].as_str().unwrap_or("?");
    let path =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{trace}.{section}.tsv"));
    std::fs::write(&path, lines(rows)).expect("the target directory can be written to");
    panic!(
        "{trace}: {section} differs: the oracle has {} rows such as {}, the timeline {} (all in {})",
        expected["count"],
        expected["some"],
        found["count"],
        path.display()
    );
}

/// Compares a section, leaf by leaf, and says which leaves differ.
#[track_caller]
pub fn check_section(golden: &Value, section: &str, found: &Value) {
    let mut differences = Vec::new();
    compare(section, &golden[section], found, &mut differences);
    let trace = golden["trace"].as_str().unwrap_or("?");
    assert!(
        differences.is_empty(),
        "{trace}: {} differences\n{}",
        differences.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}

fn compare(path: &str, expected: &Value, found: &Value, differences: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let (a, b) =
                    (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
                compare(&format!("{path}.{key}"), a, b, differences);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{i}]"), a, b, differences);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (a, b) if a == b => {}
        (a, b) => differences.push(format!("{path}: expected {a}, found {b}")),
    }
}
