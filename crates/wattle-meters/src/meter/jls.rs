//! `.jls`, version 2: the binary files of Joulescope (`jls/format.h` of Jetperch).
//!
//! A file is a row of chunks: definitions of signals, their samples in blocks, pairs of a sample's number and the time of
//! day, summaries and indices. The chunks are read in the order in which they stand; nothing that points elsewhere is followed.

use std::collections::BTreeMap;

use wattle_timeline::Severity;

use super::draft::Draft;
use super::meter_series::{MeterClock, Series};
use crate::limits::MAX_METER_SAMPLES;
use wattle_import::text::SECOND;
use wattle_wire::ByteOrder;

const LITTLE: ByteOrder = ByteOrder::LITTLE;

/// First bytes of a file.
pub(crate) const SIGNATURE: &[u8] = b"jlsfmt\r\n \n \x1a  \xb2\x1c";
const FILE_HEADER: usize = 32;
const CHUNK_HEADER: usize = 32;
/// Size of the header before the samples of a block.
const BLOCK_HEADER: usize = 16;
/// Fixed numbers of a signal's definition; behind them are zeros, then its name and unit.
const SIGNAL_NUMBERS: usize = 36;
/// Tags of chunks.
const SIGNAL: u8 = 0x02;
const SAMPLES: u8 = 0x22;
const UTC: u8 = 0x3a;
const END: u8 = 0xff;
/// Types of samples: floats of 32 and 64 bits.
const F32: u32 = 0x2004;
const F64: u32 = 0x4004;
/// Times are counted from 2018-01-01, in parts of a second of 2⁻³⁰.
const FROM_2018: i64 = 1_514_764_800;
const FRACTION: i128 = 1 << 30;
/// Samples a second that are kept: a CPU does nothing that is seen in a shorter time.
const KEPT_RATE: u32 = 10_000;

#[derive(Debug, Default)]
struct Signal {
    name: String,
    unit: String,
    rate: u32,
    kind: u32,
    /// Number of the first sample.
    first: i64,
    samples: Vec<f32>,
    /// Sample numbers and nanoseconds since 1970.
    utc: Vec<(i64, i64)>,
    gaps: u64,
}

/// Reads one.
///
/// # Errors
/// If it has neither power nor a current with its voltage.
pub(crate) fn read(bytes: &[u8]) -> Result<Draft, String> {
    let mut draft = Draft::new("meter-jls");
    draft.quality.bytes = bytes.len() as u64;
    let mut signals: BTreeMap<u16, Signal> = BTreeMap::new();
    let mut at = FILE_HEADER;
    let mut is_ended = false;
    let mut room = MAX_METER_SAMPLES;
    while let Some(header) = bytes.get(at..at.saturating_add(CHUNK_HEADER)) {
        let tag = header.get(16).copied().unwrap_or_default();
        let id = LITTLE.half(header, 18).unwrap_or_default();
        let length = LITTLE.word(header, 20).unwrap_or_default() as usize;
        let Some(payload) = bytes.get(at + CHUNK_HEADER..at + CHUNK_HEADER + length) else {
            break;
        };
        draft.quality.records += 1;
        match tag {
            SIGNAL => {
                if let Some(signal) = definition(payload) {
                    signals.insert(id, signal);
                }
            }
            SAMPLES => {
                if let Some(signal) = signals.get_mut(&id) {
                    signal.block(payload, &mut room);
                }
            }
            UTC => {
                if let Some(signal) = signals.get_mut(&id) {
                    signal.utc.extend(utc(payload));
                }
            }
            END => {
                is_ended = true;
                break;
            }
            _ => {}
        }
        // A payload is followed by zeros and a checksum, up to a multiple of eight.
        let padded = if length == 0 { 0 } else { (length + 4).next_multiple_of(8) };
        at += CHUNK_HEADER + padded;
    }
    let cut = u64::from(!is_ended);
    draft.note(Severity::Warning, "meter-cut", cut, "was not closed, or ends early");
    let text = "has more samples than are kept: the rest was not read";
    draft.note(Severity::Error, "meter-limit", u64::from(room == 0), text);
    combine(signals, &mut draft)?;
    draft.finish()?;
    Ok(draft)
}

fn definition(payload: &[u8]) -> Option<Signal> {
    let texts = payload.get(SIGNAL_NUMBERS..)?;
    let texts = texts.get(texts.iter().position(|byte| *byte != 0)?..)?;
    // Each ends with 0 and 0x1f.
    let mut texts = texts.split(|byte| *byte == 0).map(|text| {
        String::from_utf8_lossy(text.strip_prefix(b"\x1f").unwrap_or(text)).into_owned()
    });
    Some(Signal {
        name: texts.next()?,
        unit: texts.next().unwrap_or_default(),
        kind: LITTLE.word(payload, 4)? & 0xffff,
        rate: LITTLE.word(payload, 8)?,
        ..Signal::default()
    })
}

fn utc(payload: &[u8]) -> Option<(i64, i64)> {
    let (sample, time) = (
        LITTLE.long(payload, 0).map(u64::cast_signed)?,
        i128::from(LITTLE.long(payload, 16).map(u64::cast_signed)?),
    );
    let nanos = i128::from(FROM_2018) * i128::from(SECOND) + time * i128::from(SECOND) / FRACTION;
    Some((sample, i64::try_from(nanos).ok()?))
}

impl Signal {
    fn is_of(&self, name: &str, unit: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) && self.unit == unit && self.rate > 0
    }

    /// Takes in a block of samples, as far as there is room. What lies between blocks is not known.
    fn block(&mut self, payload: &[u8], room: &mut usize) -> Option<()> {
        let first = LITTLE.long(payload, 0).map(u64::cast_signed)?;
        let count = LITTLE.word(payload, 8)? as usize;
        let data = payload.get(BLOCK_HEADER..)?;
        if self.samples.is_empty() {
            self.first = first;
        }
        let expected = self.first.checked_add(i64::try_from(self.samples.len()).ok()?)?;
        let gap = usize::try_from(first.checked_sub(expected)?).ok()?;
        if gap > 0 {
            self.gaps += 1;
            let filled = gap.min(*room);
            self.samples.resize(self.samples.len() + filled, f32::NAN);
            *room -= filled;
        }
        let before = self.samples.len();
        match self.kind {
            F32 => {
                let values = data
                    .chunks_exact(4)
                    .filter_map(|it| Some(f32::from_le_bytes(it.try_into().ok()?)));
                self.samples.extend(values.take(count.min(*room)));
            }
            F64 => {
                let values = data
                    .chunks_exact(8)
                    .filter_map(|it| Some(f64::from_le_bytes(it.try_into().ok()?) as f32));
                self.samples.extend(values.take(count.min(*room)));
            }
            _ => {}
        }
        *room -= self.samples.len() - before;
        Some(())
    }

    /// Nanoseconds of a sample's number: since 1970 where the file tells it.
    fn time(&self) -> impl Fn(i64) -> i64 {
        let rate = i128::from(self.rate.max(1));
        let line = match (self.utc.first(), self.utc.last()) {
            (Some(first), Some(last)) if last.0 > first.0 => {
                let of = |value: i64, from: i64| i128::from(value) - i128::from(from);
                Some((*first, of(last.1, first.1), of(last.0, first.0)))
            }
            (Some(first), _) => Some((*first, i128::from(SECOND), rate)),
            _ => None,
        };
        let (from, nanos, samples) = line.unwrap_or(((0, 0), i128::from(SECOND), rate));
        move |sample| {
            let after = i128::from(sample) - i128::from(from.0);
            let nanos = after.saturating_mul(nanos) / samples;
            i64::try_from(i128::from(from.1).saturating_add(nanos)).unwrap_or(from.1)
        }
    }

    fn at(&self, sample: i64) -> f64 {
        let index = sample.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.samples.get(index)).map_or(f64::NAN, |value| f64::from(*value))
    }
}

/// Power as the file has it, or current times voltage.
fn combine(signals: BTreeMap<u16, Signal>, draft: &mut Draft) -> Result<(), String> {
    let names: Vec<_> = signals.values().map(|it| format!("{} [{}]", it.name, it.unit)).collect();
    let mut power = None;
    let mut current = None;
    let mut voltage = None;
    for signal in signals.into_values() {
        let slot = match () {
            () if signal.is_of("power", "W") => &mut power,
            () if signal.is_of("current", "A") => &mut current,
            () if signal.is_of("voltage", "V") => &mut voltage,
            () => {
                if signal.rate > 0 {
                    draft.quality.unread.insert(signal.name, 1);
                }
                continue;
            }
        };
        if signal.samples.is_empty() {
            continue;
        }
        slot.get_or_insert(signal);
    }
    let (main, other) = match (power, current, voltage) {
        (Some(power), ..) => (power, None),
        (None, Some(current), Some(voltage)) if current.rate == voltage.rate => {
            (current, Some(voltage))
        }
        (None, Some(current), Some(voltage)) => {
            return Err(format!(
                "expected current and voltage of one rate, found {} and {} a second",
                current.rate, voltage.rate
            ));
        }
        _ => {
            return Err(format!(
                "expected samples of power [W], or of current [A] and voltage [V], found the signals {}",
                names.join(", ")
            ));
        }
    };
    let gaps = main.gaps + other.as_ref().map_or(0, |other| other.gaps);
    draft.note(Severity::Warning, "meter-gap", gaps, "gaps between blocks of samples");
    draft.clock = if main.utc.is_empty() { MeterClock::Own } else { MeterClock::Unix };
    let mut series = Series::new(&main.name, "joulescope");
    let times = main.time();
    let together = main.rate.div_ceil(KEPT_RATE).max(1) as usize;
    for from in (0..main.samples.len()).step_by(together) {
        let to = (from + together).min(main.samples.len());
        let values = (from..to).map(|index| {
            let sample = main.first.saturating_add(index as i64);
            main.at(sample) * other.as_ref().map_or(1.0, |other| other.at(sample))
        });
        let known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        series.time.push(times(main.first.saturating_add(from as i64)));
        // Without any it is 0 / 0: not a number, as it should be.
        series.power.push(known.iter().sum::<f64>() / known.len() as f64);
    }
    if together > 1 {
        let text = "samples: the mean of so many was taken, to 10 000 a second";
        draft.note(Severity::Info, "meter-decimated", together as u64, text);
    }
    draft.series.push(series);
    Ok(())
}
