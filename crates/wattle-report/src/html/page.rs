//! Putting the page together.

use super::packed_data::Packed;
use crate::Report;
use crate::model::device_title;

/// All of a page but its sections: head, style, header, footer, data, scripts.
const FRAME: &str = include_str!("../../assets/page.html");
const REPORT: &str = include_str!("../../assets/report.html");
const COMPARISON: &str = include_str!("../../assets/comparison.html");
const DIAGNOSIS: &str = include_str!("../../assets/diagnosis.html");
/// Of the page of a diagnosis, and of a report that has one.
const DIAGNOSIS_SECTIONS: &str = include_str!("../../assets/diagnosis-sections.html");
const STYLE: &str = include_str!("../../assets/report.css");

/// Frame, style and main parts of the page application: a report, and a comparison of two.
const APP: &str = include_str!("../../assets/app/frame.html");
const REPORT_MAIN: &str = include_str!("../../assets/app/report-main.html");
const COMPARE_MAIN: &str = include_str!("../../assets/app/compare/compare-main.html");
const COMPARE_STYLE: &str = include_str!("../../assets/app/compare/compare.css");
const HISTORY_MAIN: &str = include_str!("../../assets/app/history/history-main.html");
const HISTORY_STYLE: &str = include_str!("../../assets/app/history/history.css");
const APP_STYLE: &str = include_str!("../../assets/app/app.css");
const FONT: &str = include_str!("../../assets/app/font.css");

/// Of a report, in order: later files use names of earlier ones.
const SCRIPTS: [&str; 42] = [
    include_str!("../../assets/app/source.js"),
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/model.js"),
    include_str!("../../assets/app/intervals.js"),
    include_str!("../../assets/app/query.js"),
    include_str!("../../assets/app/address.js"),
    include_str!("../../assets/app/view.js"),
    include_str!("../../assets/app/verdict.js"),
    include_str!("../../assets/app/marked.js"),
    include_str!("../../assets/app/overview-chart.js"),
    include_str!("../../assets/app/components.js"),
    include_str!("../../assets/app/consumers.js"),
    include_str!("../../assets/app/findings.js"),
    include_str!("../../assets/app/flame-graph.js"),
    include_str!("../../assets/app/call-tree.js"),
    include_str!("../../assets/app/track-data.js"),
    include_str!("../../assets/app/track-paint.js"),
    include_str!("../../assets/app/track-lanes.js"),
    include_str!("../../assets/app/track-pointer.js"),
    include_str!("../../assets/app/tracks.js"),
    include_str!("../../assets/human.js"),
    include_str!("../../assets/rating.js"),
    include_str!("../../assets/overview.js"),
    include_str!("../../assets/time-view.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/described.js"),
    include_str!("../../assets/runtime-tax.js"),
    include_str!("../../assets/methods.js"),
    include_str!("../../assets/sunburst.js"),
    include_str!("../../assets/suspects.js"),
    include_str!("../../assets/diagnosis-chart.js"),
    include_str!("../../assets/diagnosis.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/tables-panel.js"),
    include_str!("../../assets/app/keys.js"),
    include_str!("../../assets/app/main.js"),
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

/// Of a comparison of two runs.
const COMPARE_SCRIPTS: [&str; 16] = [
    include_str!("../../assets/app/source.js"),
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/compare/compare-model.js"),
    include_str!("../../assets/app/compare/compare-state.js"),
    include_str!("../../assets/app/compare/change-verdict.js"),
    include_str!("../../assets/app/compare/what-changed.js"),
    include_str!("../../assets/app/compare/change-tables.js"),
    include_str!("../../assets/app/compare/delta-flame.js"),
    include_str!("../../assets/app/compare/compare-main.js"),
];

/// Of a history.
const HISTORY_SCRIPTS: [&str; 17] = [
    include_str!("../../assets/app/source.js"),
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/history/history-model.js"),
    include_str!("../../assets/app/history/history-state.js"),
    include_str!("../../assets/app/history/standing.js"),
    include_str!("../../assets/app/history/series-cards.js"),
    include_str!("../../assets/app/history/level-chart.js"),
    include_str!("../../assets/app/history/parts-chart.js"),
    include_str!("../../assets/app/history/commit-table.js"),
    include_str!("../../assets/app/history/change-list.js"),
    include_str!("../../assets/app/history/history-main.js"),
];

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

/// The parts in which pages differ.
struct Page<'a> {
    frame: &'static str,
    styles: &'static [&'static str],
    title: &'a str,
    /// Id and name of the place to which readers without a pointer skip.
    target: [&'static str; 2],
    /// Id and name of the sections to which the header links; empty where scripts list them.
    links: &'static [[&'static str; 2]],
    /// Of the page application: all between its bar and its end.
    main: &'static str,
    sections: &'static str,
    /// Sections of a diagnosis among them.
    diagnosis: &'static str,
    scripts: &'a [&'static str],
    data: &'a Packed,
}

/// The page of a report with its title, style, scripts and data.
pub fn report(report: &Report, data: &Packed, has_diagnosis: bool) -> String {
    Page {
        frame: APP,
        styles: &[FONT, APP_STYLE],
        title: &title(report),
        target: ["total", "figures"],
        links: &[],
        main: REPORT_MAIN,
        sections: REPORT,
        diagnosis: if has_diagnosis { DIAGNOSIS_SECTIONS } else { "" },
        scripts: &SCRIPTS,
        data,
    }
    .write()
}

/// The page of a comparison.
pub fn comparison(data: &str) -> String {
    Page {
        frame: FRAME,
        styles: &[STYLE],
        title: "Wattle · Suspicious methods",
        target: ["suspects", "figures"],
        links: &[["suspects", "Suspicious methods"], ["recordings", "Recordings"]],
        main: "",
        sections: COMPARISON,
        diagnosis: "",
        scripts: &COMPARISON_SCRIPTS,
        data: &Packed::plain(data),
    }
    .write()
}

/// The page of a comparison of two runs.
pub fn diff(data: &str) -> String {
    Page {
        frame: APP,
        styles: &[FONT, APP_STYLE, COMPARE_STYLE],
        title: "Wattle · Comparison of two runs",
        target: ["verdict", "verdict"],
        links: &[],
        main: COMPARE_MAIN,
        sections: "",
        diagnosis: "",
        scripts: &COMPARE_SCRIPTS,
        data: &Packed::new(data),
    }
    .write()
}

/// The page of a history.
pub fn history(app: &str, data: &str) -> String {
    let title = match app {
        "" => "Wattle · Energy over versions".to_owned(),
        app => format!("Wattle · {app}: energy over versions"),
    };
    Page {
        frame: APP,
        styles: &[FONT, APP_STYLE, COMPARE_STYLE, HISTORY_STYLE],
        title: &title,
        target: ["standing", "verdict"],
        links: &[],
        main: HISTORY_MAIN,
        sections: "",
        diagnosis: "",
        scripts: &HISTORY_SCRIPTS,
        data: &Packed::new(data),
    }
    .write()
}

/// The page of a diagnosis.
pub fn diagnosis(data: &str) -> String {
    Page {
        frame: FRAME,
        styles: &[STYLE],
        title: "Wattle · What spends power at idle",
        target: ["findings", "findings"],
        links: &[],
        main: "",
        sections: DIAGNOSIS,
        diagnosis: DIAGNOSIS_SECTIONS,
        scripts: &DIAGNOSIS_SCRIPTS,
        data: &Packed::plain(data),
    }
    .write()
}

impl Page<'_> {
    fn write(&self) -> String {
        let mut text = String::with_capacity(self.data.text.len() + 100_000);
        self.fill(self.frame, &mut text);
        text
    }

    /// Fills a template in. Only templates are searched for markers, never what is put in.
    fn fill(&self, template: &str, to: &mut String) {
        let (before, parts) = template.split_once("{{").unwrap_or((template, ""));
        to.push_str(before);
        for part in parts.split("{{") {
            let (marker, rest) = part.split_once("}}").unwrap_or((part, ""));
            match marker {
                "title" => to.push_str(&text(self.title)),
                "style" => self.styles.iter().for_each(|style| to.push_str(style)),
                "target" => to.push_str(self.target[0]),
                "target-name" => to.push_str(self.target[1]),
                "links" => {
                    for [id, name] in self.links {
                        for part in ["<a href=\"#", id, "\">", name, "</a>"] {
                            to.push_str(part);
                        }
                    }
                }
                "main" => self.fill(self.main, to),
                "sections" => self.fill(self.sections, to),
                "diagnosis" => to.push_str(self.diagnosis),
                "data" => to.push_str(&self.data.text),
                "encoding" => to.push_str(self.data.encoding),
                "script" => {
                    to.push_str("\"use strict\";\n");
                    for script in self.scripts {
                        to.push_str(script);
                    }
                }
                _ => {}
            }
            to.push_str(rest);
        }
    }
}

fn title(report: &Report) -> String {
    let device = device_title(&report.recording.device);
    let energy = report.energy.total.joules().map(|joules| joules.to_string());
    let parts = [Some("Wattle"), device, energy.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Text between tags.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_ends_its_own_element() {
        for script in SCRIPTS
            .into_iter()
            .chain(COMPARISON_SCRIPTS)
            .chain(COMPARE_SCRIPTS)
            .chain(HISTORY_SCRIPTS)
            .chain(DIAGNOSIS_SCRIPTS)
        {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
    }
}
