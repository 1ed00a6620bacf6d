//! `profilingOutput/<test>.txt`: lines of the sampler on the host, then the device's log.
//!
//! | line | |
//! |---|---|
//! | `Bluetooth: 0.0078 ( cpu=0.0041 bt=0.0036 ) … Wifi: 0.0040 ( … ) … 0.5 05-27 22:32:06.542` | residual charges, the sampler's period in seconds, the host's time |
//! | `Wifi: 0.0982 ( cpu=0.0171 wifi=0.0811 )` | the same in the oldest form: one a test, without a time |
//! | `87 gpu 0.0 05-27 22:32:06.542` | utilisation of the GPU |
//! | `0.0 11-17 00:11:53.728` | the sampler got nothing: what it got instead stands before it |
//! | `05-27 22:18:13.213 13263 13263 D TEST    : Entry x.y.z TimeInStates cpu0 … ; … EndOfData 0` | a call begins (`Exit`: ends), in any format of logcat |

use std::io::Read;

use wattle_timeline::TimelineBuilder;

use super::readings::Readings;
use super::test_log::{CallRecord, Lost, Radio, Residual, Room, TestLog};
use crate::logcat::parse_line;
use crate::probes::{TextCall, parse_text_call};
use wattle_import::text::{Lines, Stamp, Years, resolve_stamp, take_stamp};

/// The longest line that is read.
const LONGEST: usize = 1 << 16;

/// Parses the end of a sampler's line: its period in seconds, and the host's date and time.
fn trailer<'a>(words: &[&'a str]) -> Option<(&'a str, Stamp)> {
    let [.., period, date, time] = words else { return None };
    decimal(period)?;
    let stamp = take_stamp(&mut format!("{date} {time} ").as_bytes())?;
    // Columns of a meter are no dates.
    matches!(stamp, Stamp::Date { .. }).then_some((period, stamp))
}

/// A number, with a decimal comma in some countries.
pub(super) fn decimal(word: &str) -> Option<f64> {
    let number: f64 = match word.parse() {
        Ok(number) => number,
        Err(_) => word.replace(',', ".").parse().ok()?,
    };
    number.is_finite().then_some(number)
}

/// Whether a line is one that only Navitas writes.
pub(super) fn is_line(line: &str) -> bool {
    if line.contains(" TimeInStates ") {
        return true;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    // Any log line may end in a date; before one of the sampler stands nothing, or its values.
    let is_sample = matches!(words.first(), Some(&"Wifi:" | &"Bluetooth:"))
        || words.len() == 3
        || words.get(1) == Some(&"gpu");
    is_sample && trailer(&words).is_some()
}

/// Reads a file. What is said of its size: bytes, and whether the input failed.
pub(super) fn read(
    input: impl Read,
    log: &mut TestLog,
    lost: &mut Lost,
    around: Option<i64>,
    builder: &mut TimelineBuilder,
) -> (u64, Option<String>) {
    let mut lines = Lines::new(input, LONGEST);
    let mut room = Room::default();
    let mut years = Years::near(around);
    while let Some(line) = lines.next_line() {
        let text = line.text();
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with("---------") {
            continue;
        }
        if trimmed.contains(" TimeInStates") || parse_line(line.bytes).is_some() {
            lost.cut += u64::from(line.is_cut);
            match call(line.bytes, &mut years, builder) {
                Some(record) if room.take(record.readings.as_ref()) => {
                    let is_cut = record.readings.as_ref().is_some_and(|it| it.brightness.is_none());
                    lost.cut += u64::from(is_cut);
                    log.calls.push(record);
                }
                Some(_) => lost.refused += 1,
                None if trimmed.contains("TimeInStates") || trimmed.contains("TEST") => {
                    lost.calls += 1;
                    lost.first.get_or_insert(line.offset);
                }
                None => lost.others += 1,
            }
        } else if !sample(trimmed, &mut years, log, lost) {
            lost.error(trimmed);
        }
    }
    (lines.offset(), lines.failure.map(|failure| failure.to_string()))
}

fn call(line: &[u8], years: &mut Years, builder: &mut TimelineBuilder) -> Option<CallRecord> {
    let parsed = parse_line(line)?;
    let (call, states) = parse_text_call(parsed.tag?, parsed.message)?;
    let (is_entry, name) = match call {
        TextCall::Enter(name) => (true, name),
        TextCall::Exit(name) => (false, name),
        TextCall::Called(..) | TextCall::Invoking(..) | TextCall::Instead(_) => return None,
    };
    // Formats without threads: calls of a process are taken to be its main thread's.
    let owner = parsed.pid.map(|pid| (pid, parsed.tid.unwrap_or(pid)));
    Some(CallRecord {
        owner: owner.filter(|owner| *owner != (0, 0)),
        time: parsed.stamp.map(|stamp| resolve_stamp(stamp, years)),
        is_entry,
        name: builder.names.intern(&name.replace('/', ".")),
        readings: states.map(Readings::parse),
    })
}

/// Takes a line of the sampler in. False if it is none.
fn sample(line: &str, years: &mut Years, log: &mut TestLog, lost: &mut Lost) -> bool {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let Some((period, stamp)) = trailer(&words) else {
        // The oldest form has one figure a test, and no time.
        return residuals(&words, None, log);
    };
    let time = resolve_stamp(stamp, years);
    log.sampled_at(time);
    if let Some(period) = decimal(period).filter(|period| *period > 0.0) {
        log.rate(1.0 / period);
    }
    if let [value, "gpu", ..] = words.as_slice() {
        match decimal(value) {
            Some(value) => log.gpu.push((time, value)),
            None => lost.empty_samples += 1,
        }
        return true;
    }
    let is_there = residuals(&words, Some(time), log);
    lost.empty_samples += u64::from(!is_there);
    true
}

/// Takes the residuals of a line in. False if there is none.
fn residuals(words: &[&str], time: Option<i64>, log: &mut TestLog) -> bool {
    let mut is_there = false;
    for (word, radio) in [("Wifi:", Radio::Wifi), ("Bluetooth:", Radio::Bluetooth)] {
        let Some(at) = words.iter().position(|found| *found == word) else { continue };
        let Some(residual) = residual(radio, time, words.get(at + 1..).unwrap_or_default()) else {
            continue;
        };
        log.residuals.push(residual);
        is_there = true;
    }
    is_there
}

/// `0.00781 ( cpu=0.00419 bt=0.00362 ) …`.
fn residual(radio: Radio, time: Option<i64>, words: &[&str]) -> Option<Residual> {
    let common = decimal(words.first()?)?;
    let mut parts = std::collections::BTreeMap::new();
    if words.get(1) == Some(&"(") {
        for word in words.iter().skip(2).take_while(|word| **word != ")").take(64) {
            if let Some((name, value)) = word.split_once('=')
                && let Some(value) = decimal(value)
            {
                parts.insert(name.to_owned(), value);
            }
        }
    }
    Some(Residual { radio, time, common, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: bool) {
        assert_eq!(is_line(line), expected, "{line}");
    }

    #[test]
    fn lines_of_navitas_are_known() {
        check("D/TEST    ( 5365): Entry a.B.c TimeInStates cpu0 1 2 ; EndOfData 0", true);
        check("    0.0 11-17 00:11:53.728", true);
        check("    Wifi: 0.0189 ( cpu=0.0132 wifi=0.00572 )    0.5 05-27 22:32:06.542", true);
        check("    Bluetooth: 0,0189    0.5 05-27 22:32:06.542", true);
        check("87 gpu 0.0 05-27 22:32:06.542", true);
        check("/system/bin/sh: tr: not found", false);
        check("12-13 10:32:20.030    20    20 I auditd  : at 1.0 05-27 22:32:06.542", false);
        check("0.0 13-17 00:11:53.728", false);
        check("0.000000 327.222222 4113.000000", false);
    }
}
