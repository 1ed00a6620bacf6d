//! A writer of logs by liblog's format strings (`logprint.cpp`): every format with every modifier.

use std::fmt::Write as _;

/// A record as `logd` has it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Unix nanoseconds.
    pub real: i64,
    /// The same moment of `CLOCK_MONOTONIC`.
    pub monotonic: i64,
    /// A number, a short name, or nothing.
    pub uid: Option<&'static str>,
    pub pid: u32,
    pub tid: u32,
    pub priority: char,
    pub tag: &'static str,
    pub message: &'static str,
}

pub const FORMATS: [&str; 8] =
    ["brief", "process", "tag", "thread", "raw", "time", "threadtime", "long"];

/// Modifiers of `-v`.
#[expect(clippy::struct_excessive_bools, reason = "each is a modifier of its own")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Modifiers {
    pub year: bool,
    /// Minutes east of Greenwich, if the zone is written; the time is of that zone.
    pub zone: Option<i64>,
    pub epoch: bool,
    pub monotonic: bool,
    pub uid: bool,
    /// 3, 6 or 9 digits.
    pub digits: usize,
    pub color: bool,
    pub crlf: bool,
}

/// Year, month and day of a day since 1970, by counting.
fn civil(mut day: i64) -> (i64, usize, i64) {
    let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let mut year = 1970;
    while day >= 365 + i64::from(leap(year)) {
        day -= 365 + i64::from(leap(year));
        year += 1;
    }
    let mut months = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    months[1] += i64::from(leap(year));
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    (year, month + 1, day + 1)
}

fn stamp(record: &Record, modifiers: Modifiers) -> String {
    let nanos = if modifiers.monotonic { record.monotonic } else { record.real };
    let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let mut text = if modifiers.monotonic {
        format!("{seconds:6}")
    } else if modifiers.epoch {
        format!("{seconds:19}")
    } else {
        let local = seconds + modifiers.zone.unwrap_or(0) * 60;
        let (year, month, day) = civil(local / 86_400);
        let of_day = local % 86_400;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let year = if modifiers.year { format!("{year:04}-") } else { String::new() };
        format!("{year}{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    };
    let scale = 10_i64.pow(9 - modifiers.digits as u32);
    write!(text, ".{:0width$}", fraction / scale, width = modifiers.digits).unwrap();
    if let Some(zone) = modifiers.zone
        && !modifiers.epoch
        && !modifiers.monotonic
    {
        let sign = if zone < 0 { '-' } else { '+' };
        write!(text, " {sign}{:02}{:02}", zone.abs() / 60, zone.abs() % 60).unwrap();
    }
    text
}

/// One record in a format.
pub fn write(record: &Record, format: &str, modifiers: Modifiers) -> String {
    let (before, after) = if modifiers.color { ("\x1b[38;5;40m", "\x1b[0m") } else { ("", "") };
    let end = if modifiers.crlf { "\r\n" } else { "\n" };
    let time = stamp(record, modifiers);
    let Record { pid, tid, priority, tag, message, .. } = record;
    let uid = match (modifiers.uid, record.uid) {
        (false, _) => String::new(),
        (true, None) => "      ".to_owned(),
        (true, Some(uid)) => format!("{uid:>5}:"),
    };
    let mut text = String::new();
    if format == "long" {
        let header = format!("[ {time} {uid}{pid:5}:{tid:5} {priority}/{tag:<8} ]");
        let message = message.replace('\n', end);
        write!(text, "{before}{header}{end}{message}{after}{end}{end}").unwrap();
        return text;
    }
    for line in message.split('\n') {
        let (head, tail) = match format {
            "tag" => (format!("{priority}/{tag:<8}: "), String::new()),
            "process" => (format!("{priority}({uid}{pid:5}) "), format!("  ({tag})")),
            "thread" => (format!("{priority}({uid}{pid:5}:{tid:5}) "), String::new()),
            "raw" => (String::new(), String::new()),
            "time" => (format!("{time} {priority}/{tag:<8}({uid}{pid:5}): "), String::new()),
            "threadtime" => {
                let uid = uid.replace(':', " ");
                (format!("{time} {uid}{pid:5} {tid:5} {priority} {tag:<8}: "), String::new())
            }
            _ => (format!("{priority}/{tag:<8}({uid}{pid:5}): "), String::new()),
        };
        // The suffix of colours comes before that of the format.
        write!(text, "{before}{head}{line}{after}{tail}{end}").unwrap();
    }
    text
}

/// One record of `logcat -B`: `struct logger_entry`, by its version.
pub fn write_binary(record: &Record, version: u32, log: u32) -> Vec<u8> {
    let mut text = vec!["??VDIWEFS".find(record.priority).unwrap() as u8];
    text.extend(record.tag.as_bytes());
    text.push(0);
    text.extend(record.message.as_bytes());
    text.push(0);
    let header: u16 = [0, 24, 24, 28][version as usize - 1];
    let mut bytes = (text.len() as u16).to_le_bytes().to_vec();
    bytes.extend(header.to_le_bytes());
    let (seconds, nanos) = (record.real / 1_000_000_000, record.real % 1_000_000_000);
    for word in [record.pid, record.tid, seconds as u32, nanos as u32] {
        bytes.extend(word.to_le_bytes());
    }
    let uid = record.uid.and_then(|uid| uid.parse::<u32>().ok()).unwrap_or(0);
    match version {
        1 => {}
        2 => bytes.extend(uid.to_le_bytes()),
        3 => bytes.extend(log.to_le_bytes()),
        _ => {
            bytes.extend(log.to_le_bytes());
            bytes.extend(uid.to_le_bytes());
        }
    }
    bytes.extend(text);
    bytes
}
