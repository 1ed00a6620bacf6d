//! The file format `wattle-api-costs/1`. See `docs/api-costs.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use wattle_units::{Joules, Provenance};

use super::{API_COSTS_FORMAT, ApiRow, ApiSignature, ApiTable};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "read as the head's, and no unknown key")]
    format: String,
    name: String,
    #[serde(default)]
    source: String,
    provenance: Provenance,
    error: f64,
    #[serde(default)]
    error_source: String,
    #[serde(default)]
    remarks: Vec<String>,
    costs: BTreeMap<String, Cost>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected joules a call, or { joules = …, error = …, calls = … }")]
enum Cost {
    Joules(f64),
    Row(Row),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    joules: f64,
    error: Option<f64>,
    calls: Option<u64>,
}

/// Reads the format that a file declares.
pub(super) fn format(text: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let head: Head = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(head.format)
}

/// Says what is wrong.
pub(super) fn parse(text: &str) -> Result<ApiTable, String> {
    // First of all: what is no table of costs is not judged as one.
    let format = format(text)?;
    if format != API_COSTS_FORMAT {
        return Err(format!("expected format = {API_COSTS_FORMAT:?}, found {format:?}"));
    }
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut rows = Vec::with_capacity(file.costs.len());
    for (signature, cost) in file.costs {
        let Some(signature) = ApiSignature::parse(&signature) else {
            return Err(format!(
                "expected a method such as \"android.app.Activity.findViewById(int)\", found {signature:?}"
            ));
        };
        let row = match cost {
            Cost::Joules(joules) => Row { joules, error: None, calls: None },
            Cost::Row(row) => row,
        };
        let joules = Joules::new(row.joules);
        rows.push(ApiRow { signature, joules, error: row.error, calls: row.calls });
    }
    let error = (file.error, file.error_source.as_str());
    let mut table =
        ApiTable::new(&file.name, &file.source, file.provenance, error, rows).map_err(|error| {
            match error {
                crate::PowerError::ApiCosts { reason, .. } => reason,
                other => other.to_string(),
            }
        })?;
    table.remarks = file.remarks;
    Ok(table)
}

/// The text of a file.
pub(super) fn write(table: &ApiTable) -> String {
    let mut text = String::new();
    let mut key = |key: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{key} = {value}");
        }
    };
    key("format", &quoted(API_COSTS_FORMAT));
    key("name", &quoted(&table.name));
    if !table.source.is_empty() {
        key("source", &quoted(&table.source));
    }
    key("provenance", &quoted(&table.provenance.to_string()));
    key("error", &number(table.error));
    if !table.error_source.is_empty() {
        key("error_source", &quoted(&table.error_source));
    }
    if !table.remarks.is_empty() {
        let remarks: Vec<String> = table.remarks.iter().map(|remark| quoted(remark)).collect();
        key("remarks", &format!("[{}]", remarks.join(", ")));
    }
    text.push_str("\n# Joules a call.\n[costs]\n");
    for row in table.rows() {
        let signature = quoted(&row.signature.to_string());
        let joules = number(row.joules.value());
        let error = row.error.map(|error| format!(", error = {}", number(error)));
        let calls = row.calls.map(|calls| format!(", calls = {calls}"));
        let _ = match (error, calls) {
            (None, None) => writeln!(text, "{signature} = {joules}"),
            (error, calls) => writeln!(
                text,
                "{signature} = {{ joules = {joules}{}{} }}",
                error.unwrap_or_default(),
                calls.unwrap_or_default()
            ),
        };
    }
    text
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A float of TOML.
fn number(value: f64) -> String {
    toml::Value::Float(value).to_string()
}
