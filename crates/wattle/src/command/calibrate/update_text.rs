//! A model that learnt from power rails, for people.

use std::fmt::Write as _;

use wattle_calibrate::{RailUpdate, UpdatedNumber, UpdatedRail};
use wattle_power::RailCorrection;
use wattle_report::clean;

use crate::command::line::counted;

/// The numbers of all rails, before and after.
pub(super) fn text(text: &mut String, found: &RailUpdate) {
    let recordings = found.rails.iter().map(|rail| rail.recordings).max().unwrap_or(0);
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{}: power curves corrected by power rails of {}\n\n\
         × curve  measured power divided by the power of the model's curve: 1 is no correction\n\
         mW       power that the curves do not contain: 0 is no correction\n\
         ±        one standard deviation, for a further recording of this device",
        clean(&found.model.name),
        counted(recordings as u64, "recording", "recordings")
    );
    for rail in &found.rails {
        table(text, rail);
    }
    if !found.changed {
        text.push_str("\nnothing new: the model already has what these recordings say\n");
    }
}

/// The numbers of one rail.
fn table(text: &mut String, rail: &UpdatedRail) {
    let policies: Vec<String> = rail.policies.iter().map(u32::to_string).collect();
    let _ = writeln!(
        text,
        "\nrail {} (CPU {} {}): {}, {} between samples",
        clean(&rail.rail),
        if policies.len() == 1 { "policy" } else { "policies" },
        policies.join(", "),
        counted(rail.recordings as u64, "recording", "recordings"),
        counted(rail.periods, "period", "periods")
    );
    let _ = writeln!(
        text,
        "  {:<32} {:<8} {:>10} {:>10} {:>10}",
        "quantity", "unit", "before", "after", "±"
    );
    let numbers = rail.numbers.iter().zip(RailCorrection::TITLES).enumerate();
    for (place, (UpdatedNumber { before, value, deviation, .. }, title)) in numbers {
        let digits = if RailCorrection::is_power(place) { 1 } else { 2 };
        let unit = RailCorrection::unit(place);
        let _ = writeln!(
            text,
            "  {title:<32} {unit:<8} {before:>10.digits$} {value:>10.digits$} {deviation:>10.digits$}"
        );
    }
}
