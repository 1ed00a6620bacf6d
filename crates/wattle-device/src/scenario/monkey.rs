//! Android's random exerciser.

use std::time::Duration;

use wattle_recording::Outcome;

use crate::quote;
use crate::scenario::{ScenarioEnd, ScenarioRun};
use crate::shell::follow;

/// The number of bytes of one line that are parsed.
const MAX_LINE: usize = 4096;

/// `monkey`: events at random, the same ones for the same seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monkey {
    /// The app that gets the events.
    pub package: String,
    /// The seed.
    pub seed: u64,
    /// The number of events.
    pub events: u32,
    /// Pause between them.
    pub throttle: Duration,
    /// More options (`--pct-syskeys 0`), in order.
    pub extra: Vec<String>,
}

impl Monkey {
    /// The command for the device's shell.
    pub fn command(&self) -> String {
        let mut command = format!("monkey -p {} -s {}", quote(&self.package), self.seed);
        if !self.throttle.is_zero() {
            command.extend([" --throttle ", &self.throttle.as_millis().to_string()]);
        }
        for word in &self.extra {
            command.push(' ');
            command.push_str(&quote(word));
        }
        // Once -v: without it nothing is said of the end.
        command.extend([" -v ", &self.events.to_string()]);
        command
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        let mut found = MonkeyOutput::default();
        let output = &mut *run.output;
        let followed = follow(run.device, &self.command(), run.limit, &mut |piece, is_error| {
            output.add(piece)?;
            found.push(piece, is_error);
            Ok(())
        });
        found.push(b"\n", false);
        found.push(b"\n", true);
        match followed {
            Ok(status) => found.judge(status, self.events),
            Err(error) => ScenarioEnd::broken(error),
        }
    }
}

/// The state of a monkey run by its output. The wording is that of AOSP's `Monkey.java`.
#[derive(Debug, Default)]
struct MonkeyOutput {
    lines: [Vec<u8>; 2],
    injected: Option<u32>,
    finished: bool,
    crash: Option<String>,
    not_responding: Option<String>,
    trouble: Option<String>,
}

impl MonkeyOutput {
    fn push(&mut self, piece: &[u8], is_error: bool) {
        for byte in piece {
            let Some(line) = self.lines.get_mut(usize::from(is_error)) else { return };
            if *byte != b'\n' {
                if line.len() < MAX_LINE {
                    line.push(*byte);
                }
                continue;
            }
            let line = std::mem::take(line);
            self.line(String::from_utf8_lossy(&line).trim());
        }
    }

    fn line(&mut self, line: &str) {
        let first = |into: &mut Option<String>, what: &str| {
            into.get_or_insert_with(|| what.to_owned());
        };
        if let Some(who) = line.strip_prefix("// CRASH: ") {
            first(&mut self.crash, who);
        } else if let Some(who) = line.strip_prefix("// NOT RESPONDING: ") {
            first(&mut self.not_responding, who);
        } else if line.starts_with("** New native crash") {
            first(&mut self.crash, "a native process");
        } else if let Some(count) = line.strip_prefix("Events injected: ") {
            self.injected = count.trim().parse().ok();
        } else if line == "// Monkey finished" {
            self.finished = true;
        } else if line.starts_with("** ") || line.starts_with("Error") {
            first(&mut self.trouble, line);
        }
    }

    fn judge(self, status: Option<u8>, wanted: u32) -> ScenarioEnd {
        let count = self.injected.map_or_else(|| "no".to_owned(), |count| count.to_string());
        let after = format!("{count} of {wanted} events were injected");
        if let Some(who) = self.crash {
            return ScenarioEnd::because(Outcome::Crashed, format!("{who} crashed; {after}"));
        }
        if let Some(who) = self.not_responding {
            let what = format!("{who} did not respond (ANR); {after}");
            return ScenarioEnd::because(Outcome::Crashed, what);
        }
        if let Some(what) = self.trouble {
            return ScenarioEnd::because(Outcome::Failed, format!("monkey says {what:?}; {after}"));
        }
        if status.is_some_and(|status| status != 0) {
            let status = status.unwrap_or_default();
            let what = format!("monkey ended with status {status}; {after}");
            return ScenarioEnd::because(Outcome::Failed, what);
        }
        match self.injected {
            // The activity that it begins with is an event, too, and one more or less is no fault (`mCount - 1`).
            Some(count) if self.finished && count + 1 >= wanted => {
                ScenarioEnd::from_outcome(Outcome::Passed)
            }
            _ => ScenarioEnd::because(Outcome::Failed, format!("monkey did not finish; {after}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, status: u8, outcome: Outcome, part: &str) {
        let mut found = MonkeyOutput::default();
        // However the text is cut.
        for piece in text.as_bytes().chunks(7) {
            found.push(piece, false);
        }
        let end = found.judge(Some(status), 500);
        assert_eq!(end.outcome, outcome, "{end:?}");
        assert!(end.message.clone().unwrap_or_default().contains(part), "{end:?}");
    }

    #[test]
    fn the_end_of_a_monkey_is_checked() {
        check("Events injected: 500\n// Monkey finished\n", 0, Outcome::Passed, "");
        check("Events injected: 499\n// Monkey finished\n", 0, Outcome::Passed, "");
        check("Events injected: 100\n// Monkey finished\n", 0, Outcome::Failed, "100 of 500");
        check(
            "// CRASH: com.foo (pid 7)\n** Monkey aborted due to error.\nEvents injected: 42\n",
            42,
            Outcome::Crashed,
            "com.foo (pid 7) crashed; 42 of 500",
        );
        check(
            "// NOT RESPONDING: com.foo (pid 7)\nEvents injected: 3\n",
            3,
            Outcome::Crashed,
            "did not respond",
        );
        check(
            "** No activities found to run, monkey aborted.\n",
            252,
            Outcome::Failed,
            "No activities found",
        );
        check("", 0, Outcome::Failed, "no of 500");
        check("", 137, Outcome::Failed, "status 137");
    }

    #[test]
    fn the_command_holds_seed_and_throttle() {
        let monkey = Monkey {
            package: "com.foo".into(),
            seed: 7,
            events: 20,
            throttle: Duration::from_millis(50),
            extra: vec!["--pct-syskeys".into(), "0".into()],
        };
        let expected = "monkey -p com.foo -s 7 --throttle 50 --pct-syskeys 0 -v 20";
        assert_eq!(monkey.command(), expected);
    }
}
