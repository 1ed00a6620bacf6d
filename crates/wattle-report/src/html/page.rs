//! Putting the page together.

use crate::Report;

/// The beginning of all pages, up to their body.
const HEAD: &str = include_str!("../../assets/head.html");
const REPORT: &str = include_str!("../../assets/report.html");
const COMPARISON: &str = include_str!("../../assets/comparison.html");
const DIAGNOSIS: &str = include_str!("../../assets/diagnosis.html");
/// Of the page of a diagnosis, and of a report that has one.
const DIAGNOSIS_SECTIONS: &str = include_str!("../../assets/diagnosis-sections.html");
const DIFF: &str = include_str!("../../assets/diff.html");
const STYLE: &str = include_str!("../../assets/report.css");

/// Of a report, in order: later files use names of earlier ones.
const SCRIPTS: [&str; 19] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/model.js"),
    include_str!("../../assets/human.js"),
    include_str!("../../assets/rating.js"),
    include_str!("../../assets/overview.js"),
    include_str!("../../assets/time-view.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/flame.js"),
    include_str!("../../assets/energy-flame.js"),
    include_str!("../../assets/calltree.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/described.js"),
    include_str!("../../assets/runtime-tax.js"),
    include_str!("../../assets/methods.js"),
    include_str!("../../assets/sunburst.js"),
    include_str!("../../assets/suspects.js"),
    include_str!("../../assets/main.js"),
];

/// Of a comparison.
const COMPARISON_SCRIPTS: [&str; 7] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/comparison.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/sunburst.js"),
    include_str!("../../assets/suspects.js"),
    include_str!("../../assets/comparison-main.js"),
];

/// Of a difference.
const DIFF_SCRIPTS: [&str; 8] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/diff-model.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/flame.js"),
    include_str!("../../assets/diff.js"),
    include_str!("../../assets/diff-main.js"),
];

/// Additional scripts of a report with a diagnosis, before its last script.
const DIAGNOSIS_PARTS: [&str; 2] =
    [include_str!("../../assets/diagnosis-chart.js"), include_str!("../../assets/diagnosis.js")];

/// Of a diagnosis by itself.
const DIAGNOSIS_SCRIPTS: [&str; 8] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/time-view.js"),
    include_str!("../../assets/diagnosis-page.js"),
    include_str!("../../assets/diagnosis-chart.js"),
    include_str!("../../assets/diagnosis.js"),
    include_str!("../../assets/diagnosis-main.js"),
];

/// The page of a report with its title, style, scripts and data.
pub fn report(report: &Report, data: &str, has_diagnosis: bool) -> String {
    let mut scripts = SCRIPTS.to_vec();
    if has_diagnosis {
        let last = scripts.len() - 1;
        scripts.splice(last..last, DIAGNOSIS_PARTS);
    }
    let sections = if has_diagnosis { DIAGNOSIS_SECTIONS } else { "" };
    fill(REPORT, sections, &scripts, &title(report), data)
}

/// The page of a comparison.
pub fn comparison(data: &str) -> String {
    fill(COMPARISON, "", &COMPARISON_SCRIPTS, "Wattle · Suspicious methods", data)
}

/// The page of a difference.
pub fn diff(data: &str) -> String {
    fill(DIFF, "", &DIFF_SCRIPTS, "Wattle · Difference of two runs", data)
}

/// The page of a diagnosis.
pub fn diagnosis(data: &str) -> String {
    fill(
        DIAGNOSIS,
        DIAGNOSIS_SECTIONS,
        &DIAGNOSIS_SCRIPTS,
        "Wattle · What spends power at idle",
        data,
    )
}

fn fill(body: &str, sections: &str, scripts: &[&str], title: &str, data: &str) -> String {
    let mut page = String::with_capacity(data.len() + 100_000);
    // One pass over the templates: what is put in is never searched for markers.
    for template in [HEAD, body] {
        let (before, parts) = template.split_once("{{").unwrap_or((template, ""));
        page.push_str(before);
        for part in parts.split("{{") {
            let (marker, rest) = part.split_once("}}").unwrap_or((part, ""));
            match marker {
                "title" => page.push_str(&text(title)),
                "diagnosis" => page.push_str(sections),
                "style" => page.push_str(STYLE),
                "data" => page.push_str(&inside_script(data)),
                "script" => {
                    page.push_str("\"use strict\";\n");
                    for script in scripts {
                        page.push_str(script);
                    }
                }
                _ => {}
            }
            page.push_str(rest);
        }
    }
    page
}

fn title(report: &Report) -> String {
    let device = report.recording.device.model.as_deref().or(report.recording.device.device_name());
    let energy = report.energy.total.joules().map(|joules| joules.to_string());
    let parts = [Some("Wattle"), device, energy.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Text between tags.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON inside a `script` element: nothing in it may look like a tag or a comment, and the line separators
/// that JSON allows but old JavaScript does not are written as escapes. All of these occur only
/// within JSON strings, where the escape means the same.
fn inside_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_looks_like_markup() {
        let json = serde_json::to_string("</script><!--\u{2028}&").unwrap();
        let safe = inside_script(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        let back: String = serde_json::from_str(&safe).unwrap();
        assert_eq!(back, "</script><!--\u{2028}&");
    }

    #[test]
    fn no_script_ends_its_own_element() {
        for script in SCRIPTS
            .into_iter()
            .chain(COMPARISON_SCRIPTS)
            .chain(DIFF_SCRIPTS)
            .chain(DIAGNOSIS_SCRIPTS)
        {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
    }
}
