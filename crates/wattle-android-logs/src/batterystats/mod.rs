//! Android's battery statistics: `dumpsys batterystats` as text, check-in lines or protobuf, alone or inside a bug report.
//!
//! Facts of all formats: the writers in AOSP's `frameworks/base` (`core/java/android/os/BatteryStats.java`,
//! `BatteryUsageStats.java`, `core/proto/android/os/batterystats.proto`), from Android 2.3 to 16.
//!
//! Readers put what they find into [`Findings`], in the clock of the dump. Only when all artifacts of a recording were read
//! is it known how that clock goes and which of several dumps of the same statistics says what best: [`battery_statistics`] then fills the
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
mod battery_statistics;
mod bug_report;
mod checkin;
mod choice;
mod controller;
mod dump_file;
mod dump_findings;
mod global_text;
mod history;
mod history_checkin;
mod history_clock;
mod history_text;
mod power_text;
mod proto;
mod proto_reader;
mod proto_uid;
mod proto_usage;
mod state_word;
mod text_dump;
mod uid_text;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_recording::ArtifactKind;

pub(crate) use bug_report::{BugReport, Watched, looks_like_bug_report};

/// Battery statistics for people.
pub const BATTERYSTATS: &dyn Importer = &Text;

const TEXT: Format = Format {
    name: "batterystats",
    title: "battery statistics (dumpsys batterystats)",
    family: "battery statistics",
    short: None,
    order: ReadOrder::Totals,
    kinds: &[ArtifactKind::BatterystatsText],
    is_accessory: false,
};

struct Text;

impl Importer for Text {
    fn format(&self) -> &'static Format {
        &TEXT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        (head.is_text_or_binary() && dump_file::looks_like_text(head.bytes)).into()
    }

    fn insists(&self, other: Recognition) -> bool {
        other == Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = dump_file::read_text(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The same as check-in lines.
pub const BATTERYSTATS_CHECKIN: &dyn Importer = &Checkin;

const CHECKIN: Format = Format {
    name: "batterystats-checkin",
    title: "battery statistics in check-in lines",
    family: "battery statistics",
    short: None,
    order: ReadOrder::Totals,
    kinds: &[ArtifactKind::BatterystatsCheckin],
    is_accessory: false,
};

struct Checkin;

impl Importer for Checkin {
    fn format(&self) -> &'static Format {
        &CHECKIN
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        // Names of wakelocks and networks may hold any byte.
        (head.is_text_or_binary() && dump_file::looks_like_checkin(head.bytes)).into()
    }

    fn insists(&self, other: Recognition) -> bool {
        other == Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = dump_file::read_checkin(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The same in protobuf.
pub const BATTERYSTATS_PROTO: &dyn Importer = &Proto;

const PROTO: Format = Format {
    name: "batterystats-proto",
    title: "battery statistics in protobuf",
    family: "battery statistics",
    short: None,
    order: ReadOrder::Totals,
    kinds: &[ArtifactKind::BatterystatsProto],
    is_accessory: false,
};

struct Proto;

impl Importer for Proto {
    fn format(&self) -> &'static Format {
        &PROTO
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        dump_file::looks_like_proto(head.bytes).into()
    }

    fn insists(&self, other: Recognition) -> bool {
        // A message of statistics may begin as a message of another format does: the recording knows better.
        matches!(other, Recognition::No | Recognition::Likely)
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let quality = dump_file::read_proto(artifact.name, artifact.source, session);
        session.add_artifact(quality);
        Ok(())
    }
}
