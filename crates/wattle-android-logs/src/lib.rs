//! Importers of Android logs.
//!
//! | module | reads |
//! |---|---|
//! | `logcat` | logs, in every format of `logcat -v`, text or binary |
//! | `probes` | records of probes in the app's code, and the probe map that gives them meaning |
//! | `logs` | what lines of logs say: tests, calls, records of probes; and bug reports |
//! | `navitas` | logs of the Navitas framework |
//! | `batterystats` | `dumpsys batterystats` as text, check-in lines or protobuf |

mod batterystats;
pub mod limits;
mod logcat;
mod logs;
mod navitas;
mod probes;

pub use batterystats::{BATTERYSTATS, BATTERYSTATS_CHECKIN, BATTERYSTATS_PROTO};
pub use logcat::{LogClock, LogEntry, LogTime, LogcatOptions, LogcatSummary, read_logcat};
pub use logs::{BINARY_LOG, BUG_REPORT, LOG};
pub use navitas::NAVITAS;
pub use probes::{PROBE_MAP, PROBES, read_probe_map};
