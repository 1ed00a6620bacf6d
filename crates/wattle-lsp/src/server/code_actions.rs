//! Actions for findings and methods.

use serde_json::{Value, json};

use super::document_state::DocumentState;
use crate::energy::GroupEnergies;

/// Actions for a range of lines: of its findings, and of the method whose declaration begins there.
pub(super) fn actions(
    state: &DocumentState,
    (group, shown): (&GroupEnergies, usize),
    diagnostics: &[Value],
    lines: std::ops::RangeInclusive<u32>,
) -> Vec<Value> {
    let run = group.newest();
    let action = |title: String, command: &str, argument: Value, diagnostic: Option<&Value>| {
        let mut action = json!({
            "title": title,
            "command": { "title": title, "command": command, "arguments": [argument] },
        });
        if let Some(diagnostic) = diagnostic {
            action["kind"] = "quickfix".into();
            action["diagnostics"] = json!([diagnostic]);
        }
        action
    };
    let mut actions = Vec::new();
    for diagnostic in diagnostics.iter().filter(|it| it["source"] == "wattle") {
        let Some(rule) = diagnostic["code"].as_str() else { continue };
        let explain = format!("Explain {rule}: what it looks for, how to fix it");
        actions.push(action(explain, "wattle.explain", json!({ "rule": rule }), Some(diagnostic)));
    }
    let annotated = state.annotated(shown);
    for placed in &annotated.methods {
        let Some(method) = state.versions().now.all.get(placed.method) else { continue };
        if !lines.contains(&method.line) {
            continue;
        }
        let name = group.methods.name(placed.row);
        if let Some(run) = run {
            let title = format!("Open the page of run:{run} at {}", method.name);
            actions.push(action(
                title,
                "wattle.openPage",
                json!({ "run": run, "method": name }),
                None,
            ));
        }
        if let (Some(run), Some(before)) = (run, group.runs.before.first()) {
            let title = format!("Compare run:{run} with run:{before}");
            let arguments = json!({ "arguments": [format!("run:{before}"), format!("run:{run}")] });
            actions.push(action(title, "wattle.compare", arguments, None));
        }
    }
    actions
}
