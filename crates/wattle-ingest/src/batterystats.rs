//! Android's battery statistics: `dumpsys batterystats` as text, check-in lines or protobuf, alone or inside a bug report.
//!
//! Facts of all formats: the writers in AOSP's `frameworks/base` (`core/java/android/os/BatteryStats.java`,
//! `BatteryUsageStats.java`, `core/proto/android/os/batterystats.proto`), from Android 2.3 to 16.
//!
//! Readers put what they find into [`Findings`], in the clock of the dump. Only when all artifacts of a recording were read
//! is it known how that clock goes and which of several dumps of the same statistics says what best: [`tell`] then fills the
//! timeline.
//!
//! # Quirks
//!
//! - Times of the history count from its first entry, and the wall clock is written now and then, to a second, in the
//!   device's zone; since Android 15 each line has the local time instead, without a year.
//! - The first line after a reset or a start names only the bits that are set: what it does not name is off.
//! - `+wake_lock=` names the first holder of a stretch, `-wake_lock` ends it, whoever held it last.
//! - Numbers are in the language of the device: decimal commas.
//! - Lines since the last unplugging (Android up to 5) are of another stretch and are passed over.

mod amount;
mod bug_report;
mod checkin;
mod choice;
mod controller;
mod findings;
mod global_text;
mod history;
mod history_checkin;
mod history_clock;
mod history_text;
mod power_text;
mod proto;
mod proto_uid;
mod proto_usage;
mod read;
mod state_word;
mod tell;
mod text;
mod uid_text;
mod user_id;

pub(crate) use bug_report::{BugReport, Watched, looks_like_bug_report};
pub(crate) use findings::Findings;
pub(crate) use read::{looks_like_checkin, looks_like_proto, looks_like_text};
pub(crate) use read::{read_checkin, read_proto, read_text};
pub(crate) use tell::{Among, tell};
