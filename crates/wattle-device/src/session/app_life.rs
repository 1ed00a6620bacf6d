//! The life of the app during a scenario: whether it crashed, stopped responding, was stopped or uninstalled.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use wattle_recording::Outcome;

use crate::questions::Questions;
use crate::scenario::Scenario;
use crate::{Device, DeviceError, quote};

const LIMIT: Duration = Duration::from_secs(30);
/// Longest log that is searched.
const MOST_BYTES: u64 = 4 << 30;
/// Longest line that is looked at.
const MOST_LINE: u64 = 16 << 10;

/// The state of an app at the end of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AppState {
    is_running: Option<bool>,
    is_installed: Option<bool>,
}

/// An end that the app should not have had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) outcome: Outcome,
    pub(super) message: String,
}

impl AppState {
    /// Asks the device, when the scenario has just ended.
    pub(super) fn read(device: &dyn Device, package: &str) -> Result<Self, DeviceError> {
        let name = quote(package);
        let answers = Questions::new()
            // Processes of the app with other names have its name before a colon.
            .ask("running", format!("pidof {name} || ps -A | grep -F -e {name}"))
            .ask("installed", format!("pm path {name}"))
            .ask("service", "pm list packages -s")
            .put(device, LIMIT)?;
        let is_installed = match answers.text("installed") {
            Ok(text) => Some(text.contains("package:")),
            // No answer of a package manager that answers other questions is its no.
            Err(_) => {
                answers.text("service").is_ok_and(|all| all.contains("package:")).then_some(false)
            }
        };
        let is_running = match answers.text("running") {
            Ok(text) => Some(!text.trim().is_empty()),
            Err(reason) if reason.contains("exit status 1:") => Some(false),
            Err(_) => None,
        };
        Ok(Self { is_running, is_installed })
    }

    /// Judges the app's end, by its state and by the recorded log.
    pub(super) fn fate(
        &self,
        package: &str,
        scenario: &Scenario,
        log: &LogFindings,
    ) -> Option<Fate> {
        let fate = |outcome, message: String| Some(Fate { outcome, message });
        if let Some(what) = &log.crash {
            return fate(
                Outcome::Crashed,
                format!("{package} crashed during the scenario: {what}"),
            );
        }
        if let Some(what) = &log.not_responding {
            let text = format!("{package} stopped responding (ANR) during the scenario: {what}");
            return fate(Outcome::Crashed, text);
        }
        if self.is_installed == Some(false) {
            let text = format!("{package} was uninstalled during the scenario");
            return fate(Outcome::Failed, text);
        }
        // Scripts and people may end an app on purpose; an activity that is left alone goes on.
        if !matches!(scenario, Scenario::Launch(_)) {
            return None;
        }
        if self.is_running == Some(false) {
            let why = log.stopped.as_ref().map_or_else(
                || "it ended by itself, or the system killed it".to_owned(),
                |line| format!("it was stopped: {line}"),
            );
            let text = format!("{package} did not run any more at the end of the scenario: {why}");
            return fate(Outcome::Failed, text);
        }
        log.stopped.as_ref().and_then(|line| {
            fate(Outcome::Failed, format!("{package} was stopped during the scenario: {line}"))
        })
    }
}

/// The signs of an app's end in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LogFindings {
    crash: Option<String>,
    not_responding: Option<String>,
    stopped: Option<String>,
}

impl LogFindings {
    /// Searches a log. Lines before `since` (Unix seconds) are not of this scenario.
    pub(super) fn in_file(path: &Path, package: &str, since: Option<i64>) -> Self {
        let mut found = Self::default();
        let Ok(file) = File::open(path) else { return found };
        let mut reader = BufReader::new(file.take(MOST_BYTES));
        let mut line = Vec::new();
        loop {
            line.clear();
            match (&mut reader).take(MOST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return found,
                Ok(_) => found.look_at(&String::from_utf8_lossy(&line), package, since),
            }
        }
    }

    fn look_at(&mut self, line: &str, package: &str, since: Option<i64>) {
        let line = line.trim_end();
        let names = |text: &str| {
            text.strip_prefix(package).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
            })
        };
        let after = |mark: &str| {
            let (before, rest) = line.split_once(mark)?;
            (names(rest) && is_since(line, since)).then_some((before, rest))
        };
        let keep = |into: &mut Option<String>, text: &str| {
            into.get_or_insert_with(|| crate::shell::shorten(text));
        };
        // `AndroidRuntime: Process: com.foo, PID: 123`, below `FATAL EXCEPTION: main`.
        if let Some((before, rest)) = after("Process: ")
            && before.contains("AndroidRuntime")
        {
            keep(&mut self.crash, &format!("uncaught exception, process {rest}"));
        } else if let Some((_, rest)) = after(">>> ")
            && rest.contains("<<<")
        {
            keep(&mut self.crash, "a signal in native code (tombstone)");
        } else if let Some((before, rest)) = after("ANR in ")
            && before.contains("ActivityManager")
        {
            keep(&mut self.not_responding, rest);
        } else if let Some((before, rest)) = after("Force stopping ")
            && before.contains("ActivityManager")
        {
            keep(&mut self.stopped, &format!("force-stopped, {rest}"));
        }
    }
}

/// Whether a line is of this time or later; a line without year and UTC counts.
fn is_since(line: &str, since: Option<i64>) -> bool {
    match (since, unix_seconds(line)) {
        (Some(since), Some(at)) => at >= since,
        _ => true,
    }
}

/// `2026-11-22 05:00:00.000000 …`, in UTC as the recorder asks for.
fn unix_seconds(line: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    let (date, time) = (words.next()?, words.next()?);
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let mut parts = time.splitn(3, ':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let second: i64 = parts.next()?.split('.').next()?.parse().ok()?;
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    // Howard Hinnant's `days_from_civil`.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wattle_recording::Outcome;

    use super::{AppState, LogFindings, unix_seconds};
    use crate::scenario::{Launch, Scenario, StartMode};

    const SINCE: i64 = 1_795_323_600;

    fn launch() -> Scenario {
        Scenario::Launch(Launch {
            package: "com.foo".into(),
            activity: None,
            mode: StartMode::Cold,
            length: Duration::ZERO,
        })
    }

    #[track_caller]
    fn check(
        log: &str,
        state: (bool, bool),
        scenario: &Scenario,
        expected: Option<(Outcome, &str)>,
    ) {
        let mut found = LogFindings::default();
        for line in log.lines() {
            found.look_at(line, "com.foo", Some(SINCE));
        }
        let state = AppState { is_running: Some(state.0), is_installed: Some(state.1) };
        let fate = state.fate("com.foo", scenario, &found);
        match (&fate, expected) {
            (None, None) => {}
            (Some(fate), Some((outcome, word))) => {
                assert_eq!(fate.outcome, outcome, "{fate:?}");
                assert!(fate.message.contains(word), "{fate:?}");
            }
            _ => panic!("{fate:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn times_of_logs_are_read() {
        let at = |line: &str| unix_seconds(line);
        assert_eq!(at("2026-11-22 05:00:00.000000 +0000 1000 1 1 I x: y"), Some(SINCE));
        assert_eq!(at("11-22 05:00:00.000  1 1 I x: y"), None);
        assert_eq!(at("--------- beginning of main"), None);
    }

    #[test]
    fn every_end_of_an_app_is_noticed() {
        let alone = launch();
        let other = Scenario::Nothing(Duration::ZERO);
        check("", (true, true), &alone, None);
        let crash = "2026-11-22 05:00:09.1 u0 12 12 E AndroidRuntime: Process: com.foo, PID: 12";
        check(crash, (true, true), &alone, Some((Outcome::Crashed, "PID: 12")));
        check(crash, (true, true), &other, Some((Outcome::Crashed, "crashed")));
        // Of another app, and of an earlier run.
        check(&crash.replace("com.foo", "com.foobar"), (true, true), &alone, None);
        check(&crash.replace("com.foo", "com.foo.bar"), (true, true), &alone, None);
        check(&crash.replace("05:00:09", "04:59:59"), (true, true), &alone, None);
        let native =
            "2026-11-22 05:00:09.1 0 1 1 F DEBUG   : pid: 9, tid: 9, name: x  >>> com.foo <<<";
        check(native, (false, true), &alone, Some((Outcome::Crashed, "native")));
        let anr =
            "2026-11-22 05:00:09.1 1000 1 1 E ActivityManager: ANR in com.foo (com.foo/.Main)";
        check(anr, (true, true), &alone, Some((Outcome::Crashed, "ANR")));
        check("", (false, false), &other, Some((Outcome::Failed, "uninstalled")));
        check("", (false, true), &alone, Some((Outcome::Failed, "did not run any more")));
        check("", (false, true), &other, None);
        let stop = "2026-11-22 05:00:09.1 1000 1 1 I ActivityManager: Force stopping com.foo appid=10123 user=0: from pid 9";
        check(stop, (false, true), &alone, Some((Outcome::Failed, "force-stopped")));
        check(stop, (true, true), &alone, Some((Outcome::Failed, "was stopped")));
        check(stop, (true, true), &other, None);
        let before = stop.replace("05:00:09", "04:59:58");
        check(&before, (true, true), &alone, None);
    }
}
