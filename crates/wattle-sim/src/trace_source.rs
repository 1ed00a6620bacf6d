//! Sources of a trace that can be taken out of it.

use wattle_wire::{Fields, Writer};

use crate::SimError;

/// A source of a Perfetto trace whose packets are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceSource {
    /// Samples and descriptors of power rails (`TracePacket.power_rails` 40).
    PowerRails,
    /// Hardware counters (`TracePacket.perf_sample` 66).
    PerfSamples,
}

impl TraceSource {
    const fn field(self) -> u32 {
        match self {
            Self::PowerRails => 40,
            Self::PerfSamples => 66,
        }
    }

    /// The trace without the packets of this source: what the same phone would have recorded, had it not been asked for.
    ///
    /// # Errors
    ///
    /// When the bytes are not a Perfetto trace.
    pub fn removed_from(self, trace: &[u8]) -> Result<Vec<u8>, SimError> {
        let mut kept = Writer::new();
        for packet in Fields::new(trace) {
            let packet = packet.map_err(unreadable)?;
            let bytes = packet.value.bytes();
            let mut is_kept = true;
            for field in Fields::new(bytes) {
                is_kept &= field.map_err(unreadable)?.number != self.field();
            }
            if is_kept {
                kept.bytes(packet.number, bytes);
            }
        }
        Ok(kept.as_bytes().to_vec())
    }
}

fn unreadable(error: impl std::fmt::Display) -> SimError {
    SimError::Trace(error.to_string())
}
