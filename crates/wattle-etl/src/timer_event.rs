//! Events of the manifest provider `Microsoft-Windows-Kernel-Power` about the clock: how fine it is, and which program asked for that.
//!
//! Source: the provider's manifest, as Windows 7 to 11 have it.

use super::event_record::EventRecord;
use super::names::KERNEL_POWER;
use super::payload::Payload;

/// An event about the clock's period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimerEvent {
    /// The process that asks for the period; `None` for that of the machine's clock.
    pub pid: Option<u32>,
    /// In units of 100 ns; 0 where the process asks for none any more.
    pub period: u32,
    /// Whether it is of a list of what is so, and not of a change.
    pub is_rundown: bool,
}

/// From here on a period is no request for a finer clock: 15 ms. The clock's own is 15.6 ms (10 ms on old machines).
const COARSE: u32 = 150_000;

impl TimerEvent {
    /// Whether an event is one of these.
    pub fn is_one(record: &EventRecord<'_>) -> bool {
        record.provider == KERNEL_POWER
            && match record.id {
                // Before version 1 it is of another kind of request.
                63 => record.version >= 1,
                95..=97 => true,
                _ => false,
            }
    }

    /// `None` if it is not whole.
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let field = Payload::new(record.payload, record.pointer_size);
        let period = field.u32(0)?;
        Some(match record.id {
            // `RequestedResolution` or `RequestedPeriod`, `Pid`.
            63 | 97 => Self {
                pid: Some(field.u32(4)?),
                period: if period < COARSE { period } else { 0 },
                is_rundown: record.id == 97,
            },
            // `NewResolution`; `CurrentPeriod`.
            _ => Self { pid: None, period, is_rundown: record.id == 96 },
        })
    }
}
