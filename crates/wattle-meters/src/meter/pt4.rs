//! `.pt4`: the binary files of Monsoon's PowerTool, hardware revision 3 and later.
//!
//! A head of 272 bytes, a status packet up to byte 1024, then samples: a current for each channel of the capture mask, then the
//! main voltage, 16 bits each. Facts after pt4utils (Brown University) and SmartDiet (Aalto University).
//!
//! # Quirks
//! - The lowest bit of a current tells its unit: microamperes, or 250 of them.
//! - The lowest two bits of a voltage are markers of the user.
//! - A lost sample is the current 0x7001 or the voltage 0xffff.
//! - The date is that of .NET: 100 ns since the year 1, its kind in the upper two bits.

use wattle_timeline::Severity;

use super::draft::Draft;
use super::meter_series::{MeterClock, Series};
use crate::limits::MAX_METER_SAMPLES;
use wattle_import::text::SECOND;
use wattle_wire::ByteOrder;

const LITTLE: ByteOrder = ByteOrder::LITTLE;

/// Offsets of the status packet and of the samples.
const STATUS: usize = 272;
const SAMPLES: usize = 1024;
/// Offset of the hardware's revision in the status packet.
const REVISION: usize = 44;
const LOST_CURRENT: u16 = 0x7001;
const LOST_VOLTAGE: u16 = 0xffff;
/// Channels of the capture mask, in the order of a sample.
const CHANNELS: [(u16, &str); 3] = [(0x1000, "main"), (0x2000, "usb"), (0x4000, "aux")];
/// Samples a second where the head says nothing believable.
const RATE: u32 = 5_000;
/// 100 ns from the year 1 to 1970.
const TICKS_TO_1970: i64 = 621_355_968_000_000_000;

/// Whether a file is one.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    LITTLE.half(head, 144) == Some(STATUS as u16)
        && LITTLE.half(head, 148) == Some(SAMPLES as u16)
        && LITTLE.word(head, 0).is_some_and(|size| (200..=STATUS as u32).contains(&size))
}

/// Reads one.
///
/// # Errors
/// If it is not of a kind that is known, or has no samples.
pub(crate) fn read(bytes: &[u8]) -> Result<Draft, String> {
    let mut draft = Draft::new("meter-pt4");
    draft.quality.bytes = bytes.len() as u64;
    let revision =
        bytes.get(STATUS + REVISION).copied().ok_or("expected 1024 bytes of head, found less")?;
    if revision < 3 {
        return Err(format!("expected hardware revision 3 or later, found {revision}"));
    }
    let mask = LITTLE.half(bytes, 158).unwrap_or_default();
    let recorded: Vec<_> = CHANNELS.iter().filter(|(bit, _)| mask & bit != 0).collect();
    let Some((_, name)) = recorded.first() else {
        return Err(format!("expected a capture of main, USB or aux, found the mask {mask:#x}"));
    };
    let rate = LITTLE.word(bytes, 68).filter(|rate| (100..=100_000).contains(rate));
    let step = SECOND / i64::from(rate.unwrap_or(RATE));
    let (start, clock) = date(LITTLE.long(bytes, 28).map(u64::cast_signed).unwrap_or_default());
    draft.clock = clock;
    let size = (recorded.len() + 1) * 2;
    let samples = bytes.get(SAMPLES..).unwrap_or_default();
    let mut series = Series::new(name, "monsoon");
    for (index, sample) in samples.chunks_exact(size).take(MAX_METER_SAMPLES).enumerate() {
        let current = LITTLE.half(sample, 0).unwrap_or(LOST_CURRENT);
        let voltage = LITTLE.half(sample, size - 2).unwrap_or(LOST_VOLTAGE);
        series.time.push(start.saturating_add(index as i64 * step));
        series.power.push(power(current, voltage));
    }
    draft.quality.records = series.time.len() as u64;
    for (_, name) in recorded.iter().skip(1) {
        draft.quality.unread.insert((*name).to_owned(), 1);
    }
    let text = "the head's sample rate is not believed: 5 kHz";
    draft.note(Severity::Warning, "meter-rate", u64::from(rate.is_none()), text);
    let cut = u64::from(!samples.len().is_multiple_of(size));
    draft.note(Severity::Warning, "meter-cut", cut, "ends in the middle of a sample");
    let more = samples.len() / size > MAX_METER_SAMPLES;
    let text = "has more samples than are kept: the rest was not read";
    draft.note(Severity::Error, "meter-limit", u64::from(more), text);
    draft.series.push(series);
    draft.finish()?;
    Ok(draft)
}

fn power(current: u16, voltage: u16) -> f64 {
    if current == LOST_CURRENT || voltage == LOST_VOLTAGE {
        return f64::NAN;
    }
    let units = if current & 1 == 0 { 1.0 } else { 250.0 };
    let amperes = f64::from((current & !1).cast_signed()) * units * 1e-6;
    let volts = f64::from(voltage & !3) * 125e-6;
    amperes * volts
}

/// Kinds: 0 in a zone that is not told, 1 UTC, 2 UTC that was local.
fn date(binary: i64) -> (i64, MeterClock) {
    let kind = binary.cast_unsigned() >> 62;
    let ticks = binary & 0x3fff_ffff_ffff_ffff;
    let since_1970 = ticks.checked_sub(TICKS_TO_1970).and_then(|ticks| ticks.checked_mul(100));
    match (since_1970.filter(|nanos| *nanos > 0), kind) {
        (None, _) => (0, MeterClock::Own),
        (Some(nanos), 0) => (nanos, MeterClock::Local),
        (Some(nanos), _) => (nanos, MeterClock::Unix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file after the description, at 5 kHz, of main and USB.
    fn file(samples: &[(u16, u16)]) -> Vec<u8> {
        let mut bytes = vec![0; SAMPLES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &212_u32.to_le_bytes());
        // 2021-12-13 00:00:00 UTC, 1639353600 seconds since 1970.
        let ticks = TICKS_TO_1970 + 1_639_353_600 * 10_000_000;
        put(28, &(ticks | 1 << 62).to_le_bytes());
        put(68, &5_000_u32.to_le_bytes());
        put(144, &272_u16.to_le_bytes());
        put(148, &1024_u16.to_le_bytes());
        put(158, &0x3000_u16.to_le_bytes());
        put(STATUS + REVISION, &[3]);
        for (current, voltage) in samples {
            bytes.extend(current.to_le_bytes());
            bytes.extend(7_u16.to_le_bytes());
            bytes.extend(voltage.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn samples_are_read_in_both_ranges() {
        // 20 mA fine; 400 × 250 µA = 100 mA coarse; both at 4 V with a marker; lost.
        let mut bytes = file(&[(20_000, 32_001), (401, 32_000), (LOST_CURRENT, 32_000)]);
        bytes.push(1);
        assert!(looks_like(&bytes));
        let draft = read(&bytes).unwrap();
        let series = &draft.series[0];
        let start = 1_639_353_600 * SECOND;
        assert_eq!(series.time, [start, start + 200_000, start + 400_000]);
        assert!((series.power[0] - 0.08).abs() < 1e-12, "{:?}", series.power);
        assert!((series.power[1] - 0.4).abs() < 1e-12, "{:?}", series.power);
        assert!(series.power[2].is_nan());
        assert_eq!(draft.clock, MeterClock::Unix);
        let codes: Vec<_> = draft.quality.notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(codes, ["meter-cut", "meter-lost"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        assert!(read(&file(&[])).unwrap_err().contains("found none"));
        assert!(read(&[0; 100]).unwrap_err().contains("1024 bytes"));
        let mut old = file(&[(2, 2)]);
        old[STATUS + REVISION] = 2;
        assert!(read(&old).unwrap_err().contains("found 2"));
        let mut none = file(&[(2, 2)]);
        none[159] = 0;
        assert!(read(&none).unwrap_err().contains("mask"));
        assert!(!looks_like(&[0; 10]));
    }
}
