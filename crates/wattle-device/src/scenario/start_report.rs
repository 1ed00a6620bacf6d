//! The output of `am start -W`.

use std::time::Duration;

use crate::scenario::StartMode;

/// Beginnings of lines with which `am start` says no. It does so with status 0 before Android 10.
const REFUSALS: [&str; 5] = ["Error", "java.", "Exception", "Status: timeout", "** "];

/// The words of `am start -W` about a start (`ActivityManagerShellCommand.runStartActivity`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StartReport {
    /// `LaunchState`, from Android 10 on.
    pub state: Option<StartMode>,
    /// `TotalTime`: from the start to the first frame.
    pub total: Option<Duration>,
    /// The line with which it refused.
    pub refusal: Option<String>,
}

impl StartReport {
    /// Reads both streams.
    pub fn parse(said: &str) -> Self {
        let field = |name: &str| {
            said.lines()
                .find_map(|line| Some(line.trim().strip_prefix(name)?.strip_prefix(':')?.trim()))
        };
        // At the beginning of a line: names of activities may hold the same words.
        let is_bad = |line: &&str| REFUSALS.iter().any(|word| line.trim_start().starts_with(word));
        Self {
            state: field("LaunchState").and_then(StartMode::from_launch_state),
            total: field("TotalTime").and_then(|text| text.parse().ok()).map(Duration::from_millis),
            refusal: said.lines().find(is_bad).map(|line| line.trim().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, expected: (Option<StartMode>, Option<u64>, Option<&str>)) {
        let found = StartReport::parse(said);
        let millis = found.total.map(|total| total.as_millis() as u64);
        assert_eq!((found.state, millis, found.refusal.as_deref()), expected, "{said}");
    }

    #[test]
    fn starts_say_how_they_went() {
        let start = "Starting: Intent { cmp=com.example/.ErrorActivity }\nStatus: ok\n";
        check(
            &format!(
                "{start}LaunchState: WARM\nActivity: com.example/.ErrorActivity\nTotalTime: 212\nWaitTime: 215\nComplete\n"
            ),
            (Some(StartMode::Warm), Some(212), None),
        );
        check(&format!("{start}LaunchState: UNKNOWN (0)\nTotalTime: 0\n"), (None, Some(0), None));
        // Android 9 knows no states.
        check(&format!("{start}TotalTime: 430\n"), (None, Some(430), None));
        check(
            "Error type 3\nError: Activity class does not exist.\n",
            (None, None, Some("Error type 3")),
        );
        check(
            "Status: timeout\nLaunchState: COLD\n",
            (Some(StartMode::Cold), None, Some("Status: timeout")),
        );
    }
}
