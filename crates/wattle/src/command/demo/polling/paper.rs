//! The table of the paper.

use serde::Serialize;

/// The figures of Hitani et al., section 5, at a period: five accesses to a web page, three seconds apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Paper {
    /// Total error of both runs, 0 to 1 of what was counted.
    pub total_error: [f64; 2],
    /// Allocation error: variance over calls, in bytes squared.
    pub allocation_variance: f64,
}

/// `None` for the periods that the paper has no row for.
pub fn at(period_ms: u32) -> Option<Paper> {
    let (total_error, allocation_variance) = match period_ms {
        500 => ([0.0351, 0.0366], 2_099_537.0),
        1000 => ([0.0366, 0.0225], 2_322_013.0),
        2000 => ([0.0065, 0.0153], 3_530_099.0),
        3000 => ([0.0069, 0.0043], 3_948_501.0),
        _ => return None,
    };
    Some(Paper { total_error, allocation_variance })
}

/// The run time at 100 ms relative to that at 1000 ms, about, on the phone of the paper (section 5.2).
pub const RUN_TIME_AT_100_MS: f64 = 2.5;
