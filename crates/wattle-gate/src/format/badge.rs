//! A badge.

use wattle_units::Si;

use crate::{CheckVerdict, GateReport, Subject};

/// Width of a letter and of the room beside a text, in pixels: those of the system's sans-serif at 11 pixels, about.
const LETTER: usize = 7;
const ROOM: usize = 10;

/// The check as an SVG badge: the app's energy where a rule is about it, and the verdict by colour and word.
pub fn badge(report: &GateReport) -> String {
    let app = report.rows.iter().find(|row| row.rule.subject == Subject::App);
    let energy = app
        .and_then(|row| row.measured)
        .map(|it| Si { value: it.energy.joules, unit: "J" }.to_string());
    let verdict = report.verdict();
    let text = match energy {
        Some(energy) => format!("{energy}, {}", verdict.name()),
        None => verdict.name().to_owned(),
    };
    let colour = match verdict {
        CheckVerdict::Passed => "#2f7d32",
        CheckVerdict::Failed => "#b3261e",
        _ => "#8a6100",
    };
    let label = "energy";
    let width = |text: &str| text.chars().count() * LETTER + ROOM;
    let (left, right) = (width(label), width(&text));
    let all = left + right;
    let (middle_left, middle_right) = (left / 2, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{label}: {text}\">\
         <title>{label}: {text}</title>\
         <rect width=\"{all}\" height=\"20\" rx=\"3\" fill=\"{colour}\"/>\
         <path d=\"M3 0h{inner}v20h-{inner}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3\" fill=\"#444\"/>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"{middle_left}\" y=\"14\">{label}</text><text x=\"{middle_right}\" y=\"14\">{text}</text></g></svg>\n",
        inner = left - 3
    )
}
