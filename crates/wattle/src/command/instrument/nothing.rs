//! Why nothing got a probe.

use wattle_probe::SkipReason;

use super::summary::Summary;
use crate::cli::{Instrument, Mode};

/// What to say where nothing got a probe.
pub fn note(instrument: &Instrument, summary: &Summary) -> Option<String> {
    (summary.methods_probed == 0)
        .then(|| format!("no method has a probe: {}", why(instrument, summary)))
}

fn why(instrument: &Instrument, summary: &Summary) -> String {
    let skipped = |wanted: SkipReason| {
        let found = summary.reasons.iter().find(|(reason, _)| *reason == wanted);
        found.map_or(0, |(_, count)| *count)
    };
    let with_code = summary.methods_with_code;
    if with_code == 0 {
        return "none has code".to_owned();
    }
    if skipped(SkipReason::OutOfScope) == with_code {
        let besides = if instrument.probing.exclude.is_empty() {
            ""
        } else {
            " beside what --exclude takes away"
        };
        return match instrument.probing.include.as_slice() {
            [] if instrument.probing.all => format!("there is no class with code{besides}"),
            [] => format!(
                "no class with code is the app's own{besides}; name some with --include, or take --all"
            ),
            patterns => {
                let patterns = patterns.join(", ");
                format!("no class with code matches --include {patterns}{besides}")
            }
        };
    }
    if instrument.probing.mode_or_methods() == Mode::Apis && skipped(SkipReason::NoCalls) > 0 {
        return match instrument.probing.api.as_slice() {
            [] => "no call into the framework is of the kinds that spend energy; name others with --api"
                .to_owned(),
            patterns => format!("no call matches --api {}", patterns.join(", ")),
        };
    }
    if skipped(SkipReason::Short) > 0 {
        return "those in scope are short; --short-methods probe takes them too".to_owned();
    }
    "those in scope cannot be touched".to_owned()
}
