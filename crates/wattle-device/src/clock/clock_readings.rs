//! Several readings in a row.

use std::time::Duration;

use wattle_recording::ClockPair;

use crate::clock::clock_reading::{COARSE, ClockReply, FINE, parse};
use crate::host_clock::unix_nanos;
use crate::{Device, DeviceError};

const LIMIT: Duration = Duration::from_secs(10);
/// `/proc/uptime` counts in hundredths of a second and cuts off.
const UPTIME_STEP_NS: i64 = 10_000_000;

/// Readings of the clocks of host and device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockReadings {
    /// The readings, oldest first. [`ClockPair::boot_step_ns`] also covers the time that reading the wall clock took.
    pub pairs: Vec<ClockPair>,
    /// Notes for the reader of the recording.
    pub notes: Vec<String>,
}

/// Reads the clocks so many times. The tightest reading counts; several make it likely that one is tight.
///
/// # Errors
/// If the device is gone, somebody asked to stop, or it does not tell the time.
pub fn read_clocks(device: &dyn Device, times: u32) -> Result<ClockReadings, DeviceError> {
    let mut readings = ClockReadings::default();
    let mut script = FINE;
    let mut wrong = None;
    let mut zone_unknown = false;
    let mut left = times.max(1);
    while left > 0 {
        let host_before_ns = unix_nanos();
        let output = device.shell(script, LIMIT)?;
        let host_after_ns = unix_nanos();
        match parse(&output.text()) {
            // The same number of answers is still to come, now in a way that takes up to a second each.
            ClockReply::SecondsOnly if script == FINE => {
                script = COARSE;
                readings.notes.push(
                    "the device's wall clock can be read in whole seconds only: it was read when a second began".into(),
                );
                continue;
            }
            ClockReply::SecondsOnly => wrong = Some("a time without a fraction".to_owned()),
            ClockReply::Other(line) => wrong = Some(line),
            ClockReply::Whole(reading) => {
                zone_unknown |= reading.zone_minutes.is_none();
                readings.pairs.push(ClockPair {
                    host_before_ns,
                    device_real_ns: reading.real_ns,
                    device_boot_ns: reading.boot_before_ns,
                    boot_step_ns: (reading.boot_after_ns - reading.boot_before_ns)
                        .saturating_add(UPTIME_STEP_NS),
                    host_after_ns,
                    zone_minutes: reading.zone_minutes.unwrap_or(0),
                });
            }
        }
        left -= 1;
    }
    if zone_unknown {
        readings.notes.push("the device does not tell its time zone; Greenwich is assumed".into());
    }
    match wrong {
        Some(found) if readings.pairs.is_empty() => Err(DeviceError::Unexpected {
            what: "reading the device's clocks".into(),
            expected: "uptime, wall clock, uptime and time zone".into(),
            found,
        }),
        Some(found) => {
            readings.notes.push(format!("a reading of the device's clocks was no time: {found}"));
            Ok(readings)
        }
        None => Ok(readings),
    }
}
