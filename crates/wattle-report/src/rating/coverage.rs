//! Whether enough of an app ran for a comparison.

use super::{RatedCoverage, RatingWarning, RatingWarningCode};

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
