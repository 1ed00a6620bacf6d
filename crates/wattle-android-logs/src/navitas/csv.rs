//! The form of 2019: `time,thread_id,enter/exit,method_name`, a line for each end of a call, without the CPUs' clocks.

use wattle_timeline::TimelineBuilder;

use super::test_log::{CallRecord, Lost, Room, TestLog};

/// The first line of a file.
const HEAD: &str = "time,thread_id,enter/exit,method_name";

/// Whether a text is of this form by its first line.
pub(super) fn is_csv(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let text: String =
        String::from_utf8_lossy(line).chars().filter(|c| !c.is_whitespace()).collect();
    text.trim_matches('"').replace("\",\"", ",").replace(';', ",").eq_ignore_ascii_case(HEAD)
}

/// Nanoseconds of a time whose unit is told by its size: nobody measured before 1973.
fn nanos(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches('"');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let value: i64 = whole.parse().ok().filter(|value| *value >= 0)?;
    let unit = match value {
        1_000_000_000..100_000_000_000 => 1_000_000_000,
        0..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    let digits = format!("{:0<9}", fraction.chars().take(9).collect::<String>());
    let part = digits.parse::<i64>().ok()?.saturating_mul(unit) / 1_000_000_000;
    value.checked_mul(unit)?.checked_add(part)
}

/// Reads a text.
pub(super) fn read(text: &str, log: &mut TestLog, lost: &mut Lost, builder: &mut TimelineBuilder) {
    let mut room = Room::default();
    let mut offset = 0_u64;
    for (number, line) in text.lines().enumerate() {
        let at = offset;
        offset += line.len() as u64 + 1;
        if number == 0 || line.trim().is_empty() {
            continue;
        }
        let delimiter = if line.contains(',') { ',' } else { ';' };
        // Names of methods may hold commas of their own.
        let mut fields = line.splitn(4, delimiter).map(|field| field.trim().trim_matches('"'));
        let record = (|| {
            let time = nanos(fields.next()?)?;
            let tid: u32 = fields.next()?.parse().ok()?;
            let word = fields.next()?.to_ascii_lowercase();
            let name = fields.next().filter(|name| !name.is_empty())?;
            let is_entry = match word.as_str() {
                "enter" | "entry" | "in" => true,
                "exit" | "leave" | "out" => false,
                _ => return None,
            };
            let name = builder.names.intern(&name.replace('/', "."));
            let owner = (tid != 0).then_some((tid, tid));
            Some(CallRecord { owner, time: Some(time), is_entry, name, readings: None })
        })();
        match record {
            Some(record) if room.take(None) => log.calls.push(record),
            Some(_) => lost.refused += 1,
            None => {
                lost.calls += 1;
                lost.first.get_or_insert(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_units() {
        for (text, expected) in [
            ("1500", 1_500_000_000),
            ("1571234567", 1_571_234_567_000_000_000),
            ("1571234567.25", 1_571_234_567_250_000_000),
            ("1571234567890", 1_571_234_567_890_000_000),
            ("1571234567890123", 1_571_234_567_890_123_000),
            ("1571234567890123456", 1_571_234_567_890_123_456),
        ] {
            assert_eq!(nanos(text), Some(expected), "{text}");
        }
        assert_eq!(nanos("-1"), None);
        assert_eq!(nanos("x"), None);
    }

    #[test]
    fn the_head_tells_it() {
        assert!(is_csv(b"time,thread_id,enter/exit,method_name\r\n1,2,enter,a"));
        assert!(is_csv(b"\xef\xbb\xbftime;thread_id;enter/exit;method_name\n"));
        assert!(!is_csv(b"time,power\n1,2\n"));
    }
}
