//! Alignments of clocks, in words.

use wattle_timeline::ClockAlignment;
use wattle_units::{Nanos, Si};

use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::cells::Seconds;

impl Page<'_> {
    pub(super) fn alignments(&self, to: &mut String) {
        for alignment in &self.report.trust.quality.quality.alignments {
            self.line_indented(to, Dim, &words(alignment));
        }
    }
}

fn words(alignment: &ClockAlignment) -> String {
    let ClockAlignment { artifact, clock, by, offset_ns, drift_ppb, residual_ns, readings } =
        alignment;
    // As it stands: an offset of hours with three digits would say nothing.
    let offset = *offset_ns as f64 / 1e9;
    let drift = drift_ppb
        .map(|drift| format!(", drift {}", Si { value: drift as f64 * 1e-9, unit: "s/s" }));
    let residual = residual_ns.map_or_else(
        || "how far that may be off is not known".to_owned(),
        |residual| format!("off by at most {}", Seconds(Nanos::new(residual))),
    );
    format!(
        "{artifact}: clock {clock} aligned by {by} ({readings} reading{}), offset {offset:+.6} s{}, {residual}",
        if *readings == 1 { "" } else { "s" },
        drift.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alignment_in_a_sentence() {
        let mut alignment = ClockAlignment {
            artifact: "logcat.txt".into(),
            clock: "realtime".into(),
            by: "/proc/uptime and date".into(),
            offset_ns: -1_700_000_000_123_456_789,
            drift_ppb: Some(-2500),
            residual_ns: Some(5_000_000),
            readings: 2,
        };
        assert_eq!(
            words(&alignment),
            "logcat.txt: clock realtime aligned by /proc/uptime and date (2 readings), offset -1700000000.123457 s, \
             drift -2.50 µs/s, off by at most 5.00 ms"
        );
        alignment.drift_ppb = None;
        alignment.residual_ns = None;
        alignment.readings = 1;
        assert_eq!(
            words(&alignment),
            "logcat.txt: clock realtime aligned by /proc/uptime and date (1 reading), offset -1700000000.123457 s, how \
             far that may be off is not known"
        );
    }
}
