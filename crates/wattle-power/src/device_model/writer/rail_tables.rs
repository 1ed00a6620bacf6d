//! The tables `[[rail]]`.

use wattle_units::Watts;

use super::{Text, milliwatts, number, quoted, row};
use crate::device_model::rail_correction::{RAIL_NUMBERS, RailCorrection, RailNumber};

pub(super) fn write(text: &mut Text, rail: &RailCorrection) {
    text.line(
        "\n# Measured over curve, then mW that curves lack; each with its standard deviation from one recording to the next",
    );
    text.line("[[rail]]");
    text.key("name", quoted(&rail.rail));
    let policies: Vec<String> = rail.policies.iter().map(|policy| policy.0.to_string()).collect();
    text.key("policies", row(&policies));
    for (name, pair) in RailCorrection::NAMES.iter().zip(pairs(&rail.numbers)) {
        text.key(name, pair);
    }
    for recording in &rail.recordings {
        text.line("\n[[rail.recording]]");
        text.key("name", quoted(&recording.name));
        text.string("device", &recording.device);
        text.key("periods", recording.periods);
        text.key("expected", row(&pairs(&recording.expected)));
        text.key("found", row(&pairs(&recording.found)));
        text.key("correlations", row(&recording.correlations.map(number)));
    }
}

/// Numbers with their deviations, powers in milliwatts.
fn pairs(numbers: &[RailNumber; RAIL_NUMBERS]) -> Vec<String> {
    let pair = |(at, of): (usize, &RailNumber)| {
        let is_power = RailCorrection::is_power(at);
        let text =
            |value: f64| if is_power { milliwatts(Watts::new(value)) } else { number(value) };
        row(&[text(of.value), text(of.deviation)])
    };
    numbers.iter().enumerate().map(pair).collect()
}
