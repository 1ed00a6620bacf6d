//! A model that learnt from power rails, for people.

use std::fmt::Write as _;

use wattle_calibrate::{RailUpdate, UpdatedNumber};
use wattle_power::RailCorrection;
use wattle_report::clean;

/// The numbers of all rails.
pub(super) fn text(text: &mut String, found: &RailUpdate) {
    let recordings = found.rails.iter().map(|rail| rail.recordings).max().unwrap_or(0);
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{}, by power rails of {recordings} recording{}: measured over curve, and what curves lack; ± one standard deviation of a\n\
         further recording of this device\n",
        clean(&found.model.name),
        if recordings == 1 { "" } else { "s" }
    );
    let _ = writeln!(
        text,
        "{:<24} {:<9} {:>7} {:>14} {:>14} {:>14} {:>17} {:>17}",
        "rail", "policies", "periods", "executing", "idle", "shared", "always", "executing, more"
    );
    for rail in &found.rails {
        let policies: Vec<String> = rail.policies.iter().map(u32::to_string).collect();
        let _ = write!(
            text,
            "{:<24} {:<9} {:>7}",
            clean(&rail.rail),
            policies.join(", "),
            rail.periods
        );
        for (place, UpdatedNumber { value, deviation, .. }) in rail.numbers.iter().enumerate() {
            let _ = if RailCorrection::is_power(place) {
                write!(text, " {:>17}", format!("{value:.1} ± {deviation:.1} mW"))
            } else {
                write!(text, " {:>14}", format!("{value:.2} ± {deviation:.2}"))
            };
        }
        let _ = writeln!(text);
    }
}
