//! The text around the table of a demo: what the simulated app did, what was found, what to try next.

use std::fmt::Write as _;
use std::path::Path;

use wattle_diagnose::Diagnosis;
use wattle_sim::Simulated;
use wattle_sim::scenario::WASTES;

/// Findings that are listed at most.
const FINDINGS: usize = 6;

/// The defects that were injected and the findings.
pub fn text(simulated: &Simulated, found: &Diagnosis, is_fixed: bool) -> String {
    let truth = &simulated.truth;
    let duration = (truth.end - truth.start).seconds();
    let mut text = format!(
        "A simulated phone lay in a pocket for {duration:.0} s, with com.example.news in the background.\n"
    );
    if is_fixed {
        text.push_str("The defects of the app are fixed (--fixed).\n");
    } else {
        text.push_str("Injected defects:\n");
        for waste in WASTES {
            // Writing to a String does not fail.
            let _ = writeln!(text, "  {waste}");
        }
    }
    let size = simulated.trace.len() as f64 / 1e6;
    let _ = writeln!(text, "\nFindings in its Perfetto trace ({size:.1} MB):");
    if found.findings.is_empty() {
        text.push_str("  none\n");
    }
    for finding in found.findings.iter().take(FINDINGS) {
        let saving = finding.at_stake.as_ref().map_or_else(String::new, |saving| {
            format!("; potential saving up to {}", saving.joules)
        });
        let _ = writeln!(text, "  {}: {}{saving}", finding.severity.name(), finding.title);
    }
    if !is_fixed {
        text.push_str(
            "  No rule looks for costly methods: the decoder is the method with most energy in the table below.\n",
        );
    }
    text.push_str(
        "\nEnergy that the simulator spent, beside the estimate. Of the phone, Wattle knows a device model of its kind, with\n\
         the error that calibration left.\n\n",
    );
    text
}

/// The page and the next steps.
pub fn next(page: Option<&Path>) -> String {
    let mut text = String::new();
    if let Some(page) = page {
        let _ = writeln!(text, "Page: {} (open it in a browser)", page.display());
    }
    text.push_str(
        "Next: wattle demo --fixed shows the app without its defects; wattle FILE reports on a recording of your own.\n",
    );
    text
}
