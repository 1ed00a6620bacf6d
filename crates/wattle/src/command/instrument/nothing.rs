//! Why nothing got a probe.

use wattle_probe::SkipReason;

use super::summary::Summary;
use crate::cli::{Instrument, Mode};

/// Returns the note for a run in which nothing got a probe.
pub fn note(instrument: &Instrument, summary: &Summary) -> Option<String> {
    (summary.counts.methods_probed == 0)
        .then(|| format!("no method was instrumented: {}", why(instrument, summary)))
}

fn why(instrument: &Instrument, summary: &Summary) -> String {
    let skipped = |wanted: SkipReason| {
        let found = summary.counts.reasons.iter().find(|(reason, _)| *reason == wanted);
        found.map_or(0, |(_, count)| *count)
    };
    let with_code = summary.counts.methods_with_code;
    if with_code == 0 {
        return "no method has code".to_owned();
    }
    if skipped(SkipReason::OutOfScope) == with_code {
        let besides =
            if instrument.probing.exclude.is_empty() { "" } else { " after applying --exclude" };
        return match instrument.probing.include.as_slice() {
            [] if instrument.probing.all => format!("there is no class with code{besides}"),
            [] => format!(
                "no class with code is the app's own{besides}; choose classes with --include, or all with --all"
            ),
            patterns => {
                let patterns = patterns.join(", ");
                format!("no class with code matches --include {patterns}{besides}")
            }
        };
    }
    if instrument.probing.mode_or_methods() == Mode::Apis && skipped(SkipReason::NoCalls) > 0 {
        return match instrument.probing.api.as_slice() {
            [] => "no call into the framework belongs to the energy-relevant APIs; choose others with --api"
                .to_owned(),
            patterns => format!("no call matches --api {}", patterns.join(", ")),
        };
    }
    if skipped(SkipReason::Short) > 0 {
        return "all methods in scope are short; include them with --short-methods probe"
            .to_owned();
    }
    "the methods in scope cannot be instrumented".to_owned()
}
