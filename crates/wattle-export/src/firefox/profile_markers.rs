//! `markers` of threads, and their schemas: tests and findings.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use wattle_ledger::Ledger;
use wattle_timeline::Window;

use super::profile_threads::since_start;
use super::shared::Shared;
use crate::Mark;

/// `MarkerPhase` of an interval.
const INTERVAL: u32 = 1;
/// Names of the schemas, which are the types of markers' data.
const TEST: &str = "Test";
const FINDING: &str = "Finding";

/// The markers of a thread, a column each.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Markers {
    data: Vec<Value>,
    name: Vec<usize>,
    start_time: Vec<f64>,
    end_time: Vec<f64>,
    phase: Vec<u32>,
    category: Vec<u32>,
    length: usize,
}

impl Markers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn push(&mut self, ledger: &Ledger, window: Window, name: usize, data: Value) {
        self.data.push(data);
        self.name.push(name);
        self.start_time.push(since_start(ledger, window.start));
        self.end_time.push(since_start(ledger, window.end));
        self.phase.push(INTERVAL);
        self.category.push(0);
        self.length += 1;
    }
}

/// `markerSchema`: how the front end shows them.
pub fn schemas() -> Value {
    let shown = ["marker-chart", "marker-table", "timeline-overview"];
    let text = |key: &str, label: &str| json!({ "key": key, "label": label, "format": "string" });
    json!([
        {
            "name": TEST,
            "display": shown,
            "tooltipLabel": "{marker.data.name}",
            "tableLabel": "{marker.data.name}",
            "chartLabel": "{marker.data.name}",
            "fields": [text("name", "Test"), text("joules", "Energy in joules")],
        },
        {
            "name": FINDING,
            "display": shown,
            "tooltipLabel": "{marker.data.title}",
            "tableLabel": "{marker.data.title}",
            "chartLabel": "{marker.data.rule}",
            "fields": [
                text("title", "Finding"),
                text("rule", "Rule"),
                text("severity", "Severity"),
                text("evidence", "Evidence"),
                text("joules", "Potential saving in joules, up to"),
                text("remedy", "Fix"),
            ],
        },
    ])
}

/// A marker for each test.
pub fn tests(ledger: &Ledger, markers: &mut Markers, shared: &mut Shared) {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for booking in &ledger.test_runs.bookings {
        *sums.entry(booking.test).or_default() += booking.joules.value();
    }
    for (index, test) in (0..).zip(&ledger.test_runs.tests) {
        let joules = sums.get(&index).map_or("unknown".to_owned(), ToString::to_string);
        let data = json!({ "type": TEST, "name": test.name, "joules": joules });
        markers.push(ledger, test.window, shared.string(TEST), data);
    }
}

/// A marker for a finding where it was seen.
pub fn finding(ledger: &Ledger, mark: &Mark, markers: &mut Markers, shared: &mut Shared) {
    let mut data = json!({
        "type": FINDING,
        "title": mark.title,
        "rule": mark.rule,
        "severity": mark.severity,
        "evidence": mark.evidence,
        "remedy": mark.remedy,
    });
    if let (Some(joules), Value::Object(data)) = (mark.joules, &mut data) {
        data.insert("joules".to_owned(), Value::String(joules.to_string()));
    }
    let window = mark.window.intersect(ledger.recording.window);
    markers.push(ledger, window, shared.string(&mark.rule), data);
}
