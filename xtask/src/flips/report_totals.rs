//! The part of a report in which damage has to show.

use std::collections::BTreeMap;

use serde_json::Value;

/// A total that moves by more than this share must not do so silently.
pub const NOTICEABLE: f64 = 0.05;

/// Totals of a report, and what it says of the input's damage.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReportTotals {
    /// Joules and seconds by name; a total that is not known is missing.
    pub totals: BTreeMap<String, f64>,
    /// Warnings and errors by code, with their counts, and lost events.
    pub warnings: BTreeMap<String, f64>,
}

impl ReportTotals {
    /// Of the JSON that `wattle report --json` writes.
    pub fn new(report: &Value) -> Self {
        let mut totals = BTreeMap::new();
        for name in ["total_joules", "duration_s"] {
            totals.extend(report[name].as_f64().map(|value| (name.to_owned(), value)));
        }
        for (list, figure) in [
            ("components", "joules"),
            ("rails", "joules"),
            ("statements", "joules"),
            ("cpus", "busy_s"),
        ] {
            let rows = report[list].as_array().into_iter().flatten();
            let sum: f64 = rows.filter_map(|row| row[figure].as_f64()).sum();
            totals.insert(format!("{list}.{figure}"), sum);
        }
        let mut warnings = BTreeMap::new();
        let quality = &report["quality"];
        let files = quality["artifacts"].as_array().into_iter().flatten();
        let of_files = files.flat_map(|file| file["notes"].as_array().into_iter().flatten());
        for note in of_files.chain(quality["notes"].as_array().into_iter().flatten()) {
            if matches!(note["severity"].as_str(), Some("warning" | "error")) {
                let code = note["code"].as_str().unwrap_or_default().to_owned();
                *warnings.entry(code).or_insert(0.0) += note["count"].as_f64().unwrap_or(1.0);
            }
        }
        let lost = quality["lost_events"].as_f64().unwrap_or(0.0);
        warnings.insert("lost_events".to_owned(), lost);
        Self { totals, warnings }
    }

    /// The total that moved most, with its share, if one moved by more than [`NOTICEABLE`].
    pub fn moved(&self, damaged: &Self) -> Option<(String, f64)> {
        let names = self.totals.keys().chain(damaged.totals.keys());
        let shares = names.map(|name| {
            let [before, after] = [self, damaged].map(|it| it.totals.get(name).copied());
            let share = match (before, after) {
                (Some(before), Some(after)) if before == after => 0.0,
                (Some(before), Some(after)) => {
                    (after - before).abs() / before.abs().max(f64::MIN_POSITIVE)
                }
                _ => f64::INFINITY,
            };
            (name.clone(), share)
        });
        let most = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(most).filter(|(_, share)| *share > NOTICEABLE)
    }

    /// Whether the damaged file's report warns of anything that the undamaged one's does not.
    pub fn is_warned(&self, damaged: &Self) -> bool {
        let known = |code: &String| self.warnings.get(code).copied().unwrap_or(0.0);
        damaged.warnings.iter().any(|(code, count)| *count > known(code))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ReportTotals;

    #[test]
    fn totals_move_and_warnings_are_new() {
        let report = |joules: f64, note: &str, lost: u32| {
            let notes = json!([{"severity": note, "code": "damaged", "count": 2}]);
            ReportTotals::new(&json!({
                "total_joules": joules, "duration_s": 1.0, "components": [{"joules": joules}],
                "quality": {"artifacts": [{"notes": notes}], "notes": [], "lost_events": lost},
            }))
        };
        let whole = report(10.0, "info", 0);
        assert_eq!(whole.moved(&report(10.4, "info", 0)), None);
        let (name, share) = whole.moved(&report(11.0, "info", 0)).expect("it moved");
        assert_eq!(name, "total_joules");
        assert!((share - 0.1).abs() < 1e-9);
        assert!(whole.moved(&ReportTotals::default()).is_some());
        assert!(!whole.is_warned(&report(11.0, "info", 0)));
        assert!(whole.is_warned(&report(11.0, "warning", 0)));
        assert!(whole.is_warned(&report(11.0, "info", 1)));
        let warned = report(10.0, "error", 0);
        assert!(!warned.is_warned(&report(20.0, "error", 0)));
    }
}
