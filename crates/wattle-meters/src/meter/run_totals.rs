//! Totals of whole runs: Android Runner's plugin for Monsoon's meter (`energy_joules,duration_ms,error_flag`), which keeps no samples.

use std::io::Read;

use wattle_timeline::Severity;

use super::draft::Draft;
use super::meter_series::Series;
use super::number::{bare, decimal, nanos};
use super::table_cells::cells;
use wattle_import::text::Lines;

/// Rows that are read.
const MOST: usize = 1 << 16;

/// Whether a line heads such a table.
pub(crate) fn are_heads(cells: &[String]) -> bool {
    column(cells, "energy_joules").is_some() && column(cells, "duration_ms").is_some()
}

fn column(cells: &[String], name: &str) -> Option<usize> {
    cells.iter().position(|cell| bare(cell) == name)
}

/// Each run is a channel of its own: its mean power from 0 to its end.
///
/// # Errors
/// If no run was measured.
pub(crate) fn read<R: Read>(
    lines: &mut Lines<R>,
    heads: &[String],
    delimiter: char,
) -> Result<Draft, String> {
    let mut draft = Draft::new("meter-runs");
    draft.are_runs = true;
    let (mut failed, mut bad) = (0, 0);
    while let Some(line) = lines.next_line() {
        if line.bytes.is_empty() {
            continue;
        }
        if draft.series.len() >= MOST {
            draft.note(Severity::Error, "meter-limit", 1, "more runs than are read");
            break;
        }
        let row = cells(&String::from_utf8_lossy(line.bytes), delimiter);
        let cell = |name: &str| row.get(column(heads, name)?).map(|cell| bare(cell));
        let joules = cell("energy_joules").and_then(decimal);
        let length = cell("duration_ms").and_then(|text| nanos(text, 1_000_000));
        draft.quality.records += 1;
        let (Some(joules), Some(length @ 1..)) = (joules, length) else {
            bad += 1;
            continue;
        };
        if cell("error_flag").is_some_and(|flag| flag.eq_ignore_ascii_case("true")) {
            failed += 1;
            continue;
        }
        let number = draft.quality.records;
        let subject = cell("subject").unwrap_or("run");
        let mut series = Series::new(&format!("{subject} #{number}"), "monsoon");
        series.time = vec![0, length];
        series.power = vec![joules / (length as f64 / 1e9); 2];
        draft.series.push(series);
    }
    draft.quality.bytes = lines.offset();
    draft.note(
        Severity::Warning,
        "meter-failed",
        failed,
        "runs that the meter's program says failed: not used",
    );
    draft.note(
        Severity::Warning,
        "meter-rows",
        bad,
        "rows without an energy and a length: not used",
    );
    let runs = draft.series.len() as u64;
    let text = "totals of whole runs, without samples: a run counts as its mean power";
    draft.note(Severity::Info, "meter-runs", runs, text);
    draft.finish()?;
    // One entry a run says nothing that the note does not.
    draft.quality.events.clear();
    draft.quality.events.insert("run".to_owned(), runs);
    Ok(draft)
}
