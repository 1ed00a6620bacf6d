//! Coverage of a rated app, and whether it is enough for a comparison.

use wattle_table::{Column, describe};

use super::{RatingWarning, RatingWarningCode};

/// Coverage of the probed code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedCoverage {
    /// Methods with probes.
    pub methods: u64,
    /// Those that ran.
    pub executed: u64,
    /// Their part, 0 to 1.
    pub share: f64,
}

describe!(
    RatedCoverage,
    "rated_coverage",
    "how much of the probed code ran",
    [
        Column::count("methods", "methods with probes", |row: &RatedCoverage| row.methods),
        Column::count("executed", "those that ran", |row: &RatedCoverage| row.executed),
        Column::number("share", "their part, 0 to 1", |row: &RatedCoverage| row.share)
            .between(0.0, 1.0),
    ]
);

/// Returns the warning about the coverage, if any. A scenario that does little looks frugal.
pub(super) fn warning(coverage: Option<RatedCoverage>, least: f64) -> Option<RatingWarning> {
    let Some(RatedCoverage { share, .. }) = coverage else {
        return Some(RatingWarning {
            code: RatingWarningCode::CoverageUnknown,
            text: "how much of the app ran is not known, and what does little looks frugal: record it with probes"
                .to_owned(),
        });
    };
    (share < least).then(|| RatingWarning {
        code: RatingWarningCode::LowCoverage,
        text: format!(
            "only {:.0} % of the probed methods ran, at least {:.0} % are asked for: not comparable",
            (share * 100.0).floor(),
            least * 100.0
        ),
    })
}
