//! Lines of the log as text, as `logprint.cpp` of AOSP prints them.

use super::logcat_options::{LineFormat, Verb};
use crate::device_log::Entry;
use crate::local_calendar::{local_date, zone_digits};

/// The text of an entry: a line for each of its message's.
pub(super) fn print(entry: &Entry, format: &LineFormat, zone_offset: i32) -> String {
    let Entry { pid, tid, level, tag, .. } = entry;
    let time = time(entry, format, if format.utc { 0 } else { zone_offset });
    let uid = if format.uid { uid(entry.uid) } else { String::new() };
    let (prefix, suffix) = match format.verb {
        Verb::Tag => (format!("{level}/{tag:<8}: "), String::new()),
        Verb::Process => (format!("{level}({uid}{pid:>5}) "), format!("  ({tag})")),
        Verb::Thread => (format!("{level}({uid}{pid:>5}:{tid:>5}) "), String::new()),
        Verb::Raw => (String::new(), String::new()),
        Verb::Time => (format!("{time} {level}/{tag:<8}({uid}{pid:>5}): "), String::new()),
        Verb::Brief => (format!("{level}/{tag:<8}({uid}{pid:>5}): "), String::new()),
        Verb::Threadtime => {
            let uid = uid.replace(':', " ");
            (format!("{time} {uid}{pid:>5} {tid:>5} {level} {tag:<8}: "), String::new())
        }
        Verb::Long => {
            let message = entry.message.trim_end_matches('\n');
            return format!("[ {time} {uid}{pid:>5}:{tid:>5} {level}/{tag:<8} ]\n{message}\n\n");
        }
    };
    let mut text = String::new();
    for line in entry.message.trim_end_matches('\n').split('\n') {
        text.push_str(&prefix);
        text.push_str(line);
        text.push_str(&suffix);
        text.push('\n');
    }
    text
}

/// Names that are short enough are printed, numbers else.
fn uid(uid: u32) -> String {
    match uid {
        0 => " root:".to_owned(),
        2000 => "shell:".to_owned(),
        _ => format!("{uid:>5}:"),
    }
}

fn time(entry: &Entry, format: &LineFormat, zone_offset: i32) -> String {
    let nanos = if format.monotonic { entry.monotonic } else { entry.wall };
    let fraction = format!("{:09}", nanos.rem_euclid(1_000_000_000));
    let fraction = fraction.get(..format.digits).unwrap_or_default();
    let seconds = nanos.div_euclid(1_000_000_000);
    if format.monotonic {
        return format!("{seconds:>6}.{fraction}");
    }
    if format.epoch {
        return format!("{seconds:>19}.{fraction}");
    }
    let date = local_date(nanos, zone_offset);
    let date = date.format(if format.year { "%Y-%m-%d %T" } else { "%m-%d %T" });
    let zone = if format.zone { format!(" {}", zone_digits(zone_offset)) } else { String::new() };
    format!("{date}.{fraction}{zone}")
}

#[cfg(test)]
mod tests {
    use super::super::logcat_options;
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: &str) {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let options = logcat_options::parse(&words, 34).expect("options");
        let entry = Entry {
            number: 0,
            buffer: 0,
            wall: 1_741_000_000_123_456_789,
            monotonic: 123_456_000_000,
            uid: 10_123,
            pid: 812,
            tid: 813,
            level: 'I',
            tag: "orka".to_owned(),
            message: "one\ntwo\n".to_owned(),
        };
        assert_eq!(print(&entry, &options.format, 19_800), expected, "{arguments}");
    }

    /// By the format strings of `logprint.cpp`.
    #[test]
    fn lines_have_the_forms_of_liblog() {
        check(
            "-v threadtime",
            "03-03 16:36:40.123   812   813 I orka    : one\n03-03 16:36:40.123   812   813 I orka    : two\n",
        );
        let head = "2025-03-03 11:06:40.123456 +0000 10123   812   813 I orka    : ";
        let lines = format!("{head}one\n{head}two\n");
        check("-v threadtime -v year -v usec -v UTC -v uid", &lines);
        check("-v brief", "I/orka    (  812): one\nI/orka    (  812): two\n");
        check("-v tag,uid", "I/orka    : one\nI/orka    : two\n");
        check("-v long -v monotonic", "[    123.456   812:  813 I/orka     ]\none\ntwo\n\n");
        check(
            "-v time -v epoch",
            "         1741000000.123 I/orka    (  812): one\n         1741000000.123 I/orka    (  812): two\n",
        );
        check("-v process", "I(  812) one  (orka)\nI(  812) two  (orka)\n");
        check("-v raw", "one\ntwo\n");
    }
}
