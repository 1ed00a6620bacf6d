//! Putting the page together.

use super::app_sources::DIAGNOSIS_SECTIONS;
use super::packed_data::Packed;
use super::template::{fill, text};

/// All of a page but its sections: head, style, header, footer, data, scripts.
const FRAME: &str = include_str!("../../assets/page.html");
const COMPARISON: &str = include_str!("../../assets/comparison.html");
const DIAGNOSIS: &str = include_str!("../../assets/diagnosis.html");
const STYLE: &str = include_str!("../../assets/report.css");

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
    title: &'a str,
    /// Id and name of the place to which readers without a pointer skip.
    target: [&'static str; 2],
    /// Id and name of the sections to which the header links.
    links: &'static [[&'static str; 2]],
    sections: &'static str,
    /// Sections of a diagnosis among them.
    diagnosis: &'static str,
    scripts: &'a [&'static str],
    data: &'a Packed,
}

/// The page of a comparison.
pub fn comparison(data: &str) -> String {
    Page {
        title: "Wattle · Suspicious methods",
        target: ["suspects", "figures"],
        links: &[["suspects", "Suspicious methods"], ["recordings", "Recordings"]],
        sections: COMPARISON,
        diagnosis: "",
        scripts: &COMPARISON_SCRIPTS,
        data: &Packed::plain(data),
    }
    .write()
}

/// The page of a diagnosis.
pub fn diagnosis(data: &str) -> String {
    Page {
        title: "Wattle · What spends power",
        target: ["findings", "findings"],
        links: &[],
        sections: DIAGNOSIS,
        diagnosis: DIAGNOSIS_SECTIONS,
        scripts: &DIAGNOSIS_SCRIPTS,
        data: &Packed::plain(data),
    }
    .write()
}

impl Page<'_> {
    fn write(&self) -> String {
        let mut page = String::with_capacity(self.data.text.len() + 100_000);
        fill(FRAME, &mut page, &mut |marker, to| match marker {
            "title" => to.push_str(&text(self.title)),
            "style" => to.push_str(STYLE),
            "target" => to.push_str(self.target[0]),
            "target-name" => to.push_str(self.target[1]),
            "links" => {
                for [id, name] in self.links {
                    for part in ["<a href=\"#", id, "\">", name, "</a>"] {
                        to.push_str(part);
                    }
                }
            }
            "sections" => fill(self.sections, to, &mut |marker, to| {
                if marker == "diagnosis" {
                    to.push_str(self.diagnosis);
                }
            }),
            "data" => to.push_str(&self.data.text),
            "script" => {
                to.push_str("\"use strict\";\n");
                for script in self.scripts {
                    to.push_str(script);
                }
            }
            _ => {}
        });
        page
    }
}

#[cfg(test)]
mod tests {
    use super::super::app_sources::{
        COMPARE_SCRIPTS, FILE_SOURCE, HISTORY_SCRIPTS, REPORT_SCRIPTS, SERVER_SOURCE,
    };
    use super::*;

    #[test]
    fn no_script_ends_its_own_element() {
        for script in REPORT_SCRIPTS
            .into_iter()
            .chain(COMPARISON_SCRIPTS)
            .chain(COMPARE_SCRIPTS)
            .chain(HISTORY_SCRIPTS)
            .chain(DIAGNOSIS_SCRIPTS)
            .chain([FILE_SOURCE, SERVER_SOURCE])
        {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
    }
}
