//! The way from an inconclusive comparison to a verdict.

/// Numbers of further runs that are asked for: larger ones are round, since none is known that well.
pub(crate) const ASKED_RUNS: [u32; 22] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, MOST_RUNS];

/// Further runs beyond this number are not asked for.
const MOST_RUNS: u32 = 200;

/// The way to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// There is a verdict.
    Settled,
    /// About so many further runs of each build, added to those that there are, give a verdict in three of four cases.
    MoreRuns(u32),
    /// More than 200 further runs of each build would be needed: the difference is too close to the threshold, or too small for the scatter.
    TooClose,
    /// The error of the device model stands in the way, which no run reduces.
    ModelError,
    /// One run of each build: their scatter is unknown.
    ScatterUnknown,
    /// Too many of the compared figures would differ as much as this one by chance.
    ManyComparisons,
}

impl Outlook {
    /// The words of all outlooks that are not settled, in files.
    pub const NAMES: &'static [&'static str] =
        &["more-runs", "close-to-threshold", "model-error", "one-run-each", "many-comparisons"];

    /// The word in files; `None` where there is a verdict.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Settled => None,
            Self::MoreRuns(_) => Some("more-runs"),
            Self::TooClose => Some("close-to-threshold"),
            Self::ModelError => Some("model-error"),
            Self::ScatterUnknown => Some("one-run-each"),
            Self::ManyComparisons => Some("many-comparisons"),
        }
    }

    /// Further runs of each build that would settle it; `None` where there is a verdict, and where no number of runs is known to.
    pub const fn runs_needed(self) -> Option<u32> {
        match self {
            Self::MoreRuns(count) => Some(count),
            _ => None,
        }
    }

    /// A clause for after "inconclusive: "; `None` where there is a verdict.
    pub fn sentence(self) -> Option<String> {
        Some(match self {
            Self::Settled => return None,
            Self::MoreRuns(1) => "about 1 more run of each build would settle it".to_owned(),
            Self::MoreRuns(count) => {
                format!("about {count} more runs of each build would settle it")
            }
            Self::TooClose => {
                format!("more than {MOST_RUNS} further runs of each build would be needed")
            }
            Self::ModelError => {
                "the error of the device model is too large, and no number of runs reduces it"
                    .to_owned()
            }
            Self::ScatterUnknown => {
                "one run of each build does not show how far runs lie apart".to_owned()
            }
            Self::ManyComparisons => {
                "among so many figures, some differ as much by chance".to_owned()
            }
        })
    }
}
