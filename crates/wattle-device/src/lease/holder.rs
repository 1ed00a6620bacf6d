//! Holders of leases.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::host_clock::unix_nanos;

/// The format of a lease.
pub(super) const VERSION: u32 = 1;
/// Longest lease that is parsed.
pub(super) const MAX_BYTES: usize = 16 << 10;
/// Longest command that is kept, in characters.
const LONGEST: usize = 300;

/// The process that holds a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    wattle_lease: u32,
    /// A number that no other lease has.
    pub(super) nonce: String,
    /// The name of its machine.
    pub host: String,
    /// The identifier of the data folder of its user on that machine.
    pub(super) host_id: String,
    /// Its process number.
    pub pid: u32,
    /// Its command line.
    pub command: String,
    /// When it took the device: its machine's wall clock, Unix nanoseconds.
    pub since_host_ns: i64,
    /// The device's boot.
    pub(super) boot: Option<String>,
}

impl Holder {
    /// This process.
    pub(super) fn this(host_id: &str, command: &str, boot: Option<&str>) -> Self {
        let now = unix_nanos();
        let pid = std::process::id();
        Self {
            wattle_lease: VERSION,
            nonce: format!("{host_id}-{pid}-{now}"),
            host: host_name(),
            host_id: host_id.to_owned(),
            pid,
            command: command.chars().filter(|c| !c.is_control()).take(LONGEST).collect(),
            since_host_ns: now,
            boot: boot.map(str::to_owned),
        }
    }

    /// The same holder after a restart of the device.
    pub(super) fn in_boot(self, boot: String) -> Self {
        Self { boot: Some(boot), ..self }
    }

    /// Parses a lease; `None` if the text is no lease.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let holder: Self = serde_json::from_str(text.trim()).ok()?;
        (holder.wattle_lease > 0 && !holder.nonce.is_empty()).then_some(holder)
    }

    /// One line of JSON.
    pub(super) fn to_line(&self) -> String {
        // A struct of texts and numbers is always JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)?;
        if !self.command.is_empty() {
            write!(f, " ({})", self.command)?;
        }
        let (since, ago) = moment(self.since_host_ns, unix_nanos());
        write!(f, ", since {since}{ago}")
    }
}

/// The moment as UTC, and how long ago it was where the clocks agree that it was.
fn moment(ns: i64, now: i64) -> (String, String) {
    let seconds = ns.div_euclid(1_000_000_000);
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, date) = civil(day);
    let at = format!(
        "{year:04}-{month:02}-{date:02} {:02}:{:02}:{:02} UTC",
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    let passed = now.checked_sub(ns).and_then(|passed| u64::try_from(passed).ok());
    let ago = passed.map_or_else(String::new, |passed| {
        let minutes = Duration::from_nanos(passed).as_secs() / 60;
        match minutes {
            0 => " (less than a minute ago)".to_owned(),
            1 => " (1 minute ago)".to_owned(),
            2..120 => format!(" ({minutes} minutes ago)"),
            _ => format!(" ({} hours ago)", minutes / 60),
        }
    });
    (at, ago)
}

/// Year, month and day of a day since 1970 (Howard Hinnant's `civil_from_days`).
const fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, date)
}

/// The name of this machine.
fn host_name() -> String {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname"));
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let name: String = name.trim().chars().filter(char::is_ascii_graphic).take(64).collect();
    if name.is_empty() { "an unnamed machine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{Holder, moment};

    #[test]
    fn moments_are_dates() {
        let second = 1_000_000_000;
        let check = |seconds: i64, now: i64, expected: (&str, &str)| {
            let found = moment(seconds * second, now * second);
            assert_eq!((found.0.as_str(), found.1.as_str()), expected);
        };
        check(0, 30, ("1970-01-01 00:00:00 UTC", " (less than a minute ago)"));
        check(951_782_400, 951_782_460, ("2000-02-29 00:00:00 UTC", " (1 minute ago)"));
        check(1_764_250_000, 1_764_250_000 + 7200, ("2025-11-27 13:26:40 UTC", " (2 hours ago)"));
        // A clock that was set back says nothing of how long ago it was.
        check(1_764_250_000, 1_764_240_000, ("2025-11-27 13:26:40 UTC", ""));
    }

    #[test]
    fn a_lease_is_read_back_and_other_text_is_none() {
        let holder = Holder::this("ab12", "wattle run 'x y.apk'", Some("boot-1"));
        assert_eq!(Holder::parse(&holder.to_line()), Some(holder));
        for text in ["", "{}", "[]", "{\"wattle_lease\":1}", "nonsense", &"[".repeat(20_000)] {
            assert_eq!(Holder::parse(text), None);
        }
    }
}
