//! Files of BattOr, the meter of Chromium's tests: a head, then milliseconds, milliamperes and millivolts a line, and what was
//! written into the phone's trace at that moment in angle brackets (`<id>`).

use std::io::Read;

use wattle_timeline::Severity;

use super::draft::Draft;
use super::meter_series::{MeterMark, Series};
use super::number::{decimal, nanos};
use crate::limits::MAX_METER_SAMPLES;
use wattle_import::text::Lines;

/// First bytes of a file.
pub(crate) const SIGNATURE: &[u8] = b"# BattOr";
/// The longest line that is read.
const LONGEST: usize = 4096;
const MILLISECOND: i64 = 1_000_000;
/// Marks that are kept.
const MOST_MARKS: usize = 1 << 16;

/// Reads one.
///
/// # Errors
/// If it has no samples.
pub(crate) fn read(input: impl Read, told: &mut dyn FnMut(u64)) -> Result<Draft, String> {
    let mut lines = Lines::new(input, LONGEST);
    let mut draft = Draft::new("meter-battor");
    let mut series = Series::new("battery", "battor");
    let mut bad = 0;
    while let Some(line) = lines.next_line() {
        if line.bytes.is_empty() || line.bytes.first() == Some(&b'#') {
            continue;
        }
        if series.time.len() >= MAX_METER_SAMPLES {
            draft.note(
                Severity::Error,
                "meter-limit",
                1,
                "has more samples than are kept: the rest was not read",
            );
            break;
        }
        let text = String::from_utf8_lossy(line.bytes);
        match sample(&text) {
            Some((time, power, id)) => {
                draft.quality.records += 1;
                series.time.push(time);
                series.power.push(power);
                if let Some(id) = id.filter(|_| draft.marks.len() < MOST_MARKS) {
                    draft.marks.push(MeterMark { time, id: id.to_owned() });
                }
            }
            None => bad += 1,
        }
        if series.time.len().is_multiple_of(1 << 16) {
            told(lines.offset());
        }
    }
    draft.quality.bytes = lines.offset();
    let cut = u64::from(lines.failure.is_some());
    draft.note(Severity::Error, "meter-cut", cut, "broke off while it was read");
    draft.note(Severity::Warning, "meter-rows", bad, "lines that are no samples: not used");
    draft.series.push(series);
    draft.finish()?;
    if !draft.marks.is_empty() {
        draft.quality.events.insert("clock sync marks".to_owned(), draft.marks.len() as u64);
    }
    Ok(draft)
}

/// Nanoseconds, watts and the mark of a line.
fn sample(line: &str) -> Option<(i64, f64, Option<&str>)> {
    let mut words = line.split_whitespace();
    let time = nanos(words.next()?, MILLISECOND)?;
    let milliamperes = decimal(words.next()?)?;
    let millivolts = decimal(words.next()?)?;
    let id = match words.next() {
        Some(word) => Some(word.strip_prefix('<')?.strip_suffix('>')?),
        None => None,
    };
    Some((time, milliamperes * millivolts / 1e6, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_marks_are_read() {
        let text = "# BattOr\n# sample_rate 2000 Hz, gain 5.0x\n0.000000 100.0 4000.0\n\
                    0.500000 200.0 4000.0 <abc-1>\nhello\n1.000000 50 4000.0\n";
        let draft = read(text.as_bytes(), &mut |_| ()).unwrap();
        assert_eq!(draft.series[0].time, [0, 500_000, 1_000_000]);
        assert_eq!(draft.series[0].power, [0.4, 0.8, 0.2]);
        assert_eq!(draft.marks, [MeterMark { time: 500_000, id: "abc-1".to_owned() }]);
        assert_eq!(draft.quality.notes[0].code, "meter-rows");
        assert!(read(&b"# BattOr\n"[..], &mut |_| ()).is_err());
    }
}
