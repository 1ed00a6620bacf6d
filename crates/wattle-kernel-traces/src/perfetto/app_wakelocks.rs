//! Wakelocks that apps take and release (`AppWakelockBundle`, data source `android.app_wakelocks`).

use wattle_timeline::{NameId, Severity, StateKind, Uid};
use wattle_units::{BootNanos, Nanos};
use wattle_wire::Fields;

use super::Reader;
use crate::perfetto_packets::Envelope;

/// `AppWakelockBundle` (`frameworks_base_trace_packet.proto`).
mod bundle {
    pub const INTERN_ID: u32 = 1;
    pub const ENCODED_TS: u32 = 2;
}

/// `AppWakelockInfo` (`frameworks_base_interned_data.proto`).
mod info {
    pub const IID: u32 = 1;
    pub const TAG: u32 = 2;
    pub const OWNER_UID: u32 = 5;
    pub const WORK_UID: u32 = 6;
}

/// A lock: on whose behalf it is held, and its tag.
pub(super) type AppWakelock = (Uid, NameId);

impl Reader<'_> {
    pub(super) fn interned_wakelock(&mut self, writer: u32, bytes: &[u8]) {
        let (mut iid, mut tag, mut owner, mut work) = (0, &[][..], 0, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                info::IID => iid = field.value.uint(),
                info::TAG => tag = field.value.bytes(),
                info::OWNER_UID => owner = field.value.uint() as u32,
                info::WORK_UID => work = Some(field.value.uint() as u32),
                _ => {}
            }
        }
        let tag = self.builder.names.intern_bytes(tag);
        let lock = (Uid(work.unwrap_or(owner)), tag);
        self.intern_in(writer, |sequence| &mut sequence.wakelocks, iid, lock);
    }

    pub(super) fn app_wakelocks(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        let repeated = |number| {
            let fields = Fields::new(bytes).map_while(Result::ok);
            fields.filter(move |field| field.number == number).flat_map(|f| f.value.varints())
        };
        for (iid, encoded) in repeated(bundle::INTERN_ID).zip(repeated(bundle::ENCODED_TS)) {
            let known = self.sequences.get(&envelope.writer);
            let Some((uid, tag)) = known.and_then(|s| s.wakelocks.get(&iid)).copied() else {
                self.counts.lose(1);
                self.counts.note(
                    Severity::Warning,
                    "no-interned-data",
                    Some(envelope.offset),
                    || "wakelocks refer to a description that was lost: not used".to_owned(),
                );
                continue;
            };
            // Time since that of the packet, and whether the lock was taken.
            let at = time + Nanos::new((encoded >> 1).cast_signed());
            self.hold(at, (StateKind::Wakelock, uid, tag), encoded & 1 != 0);
        }
    }
}
