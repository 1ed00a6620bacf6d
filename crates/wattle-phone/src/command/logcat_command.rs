//! `logcat` and `log`.

use std::io::{self, Write as _};
use std::time::Duration;

use chrono::{Datelike as _, NaiveDate};

use super::logcat_format::print;
use super::logcat_options::{From, LogcatOptions, parse};
use crate::device_log::{BUFFERS, Entry, Line, Writer};
use crate::local_calendar::local_date;
use crate::tool::Call;

pub(super) fn logcat(call: &mut Call) -> io::Result<u8> {
    let options = match parse(&call.arguments, call.core.options.api) {
        Ok(options) => options,
        Err(words) => return call.fail(words),
    };
    if options.clear {
        call.core.log.clear(&options.buffers);
        return Ok(0);
    }
    if let Some(size) = options.resize {
        if !call.core.log.resize(&options.buffers, size) {
            return call.fail("failed to set buffer size");
        }
        return Ok(0);
    }
    if options.size {
        let sizes: String =
            options.buffers.iter().map(|buffer| describe_size(call, *buffer)).collect();
        return call.out(sizes).map(|()| 0);
    }
    follow(call, &options)
}

fn describe_size(call: &Call, buffer: usize) -> String {
    let (size, used) = call.core.log.size(buffer);
    let unit = |bytes: u64| match bytes {
        ..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    };
    let name = BUFFERS.get(buffer).copied().unwrap_or_default();
    format!(
        "{name}: ring buffer is {} ({} consumed), max entry is 5120 B, max payload is 4068 B\n",
        unit(size),
        unit(used)
    )
}

fn follow(call: &mut Call, options: &LogcatOptions) -> io::Result<u8> {
    let mut file = match &options.file {
        None => None,
        Some(path) => match call.core.files.rooted().create(path, 0o644) {
            Ok(file) => Some(file),
            Err(error) => return call.fail(format!("Couldn't open output file: {error}")),
        },
    };
    let (first, mut next) = call.core.log.since(0, &options.buffers);
    let mut left = options.most.unwrap_or(u64::MAX);
    let first = beginning(call, first, options);
    let mut divided = None;
    let mut batch = first;
    let boot = call.core.boot_number();
    loop {
        let mut text = String::new();
        for entry in batch.iter().filter(|entry| options.passes(entry)) {
            if left == 0 {
                break;
            }
            left -= 1;
            if divided.is_none() || (options.dividers && divided != Some(entry.buffer)) {
                let word = if divided.is_none() { "beginning of" } else { "switch to" };
                let name = BUFFERS.get(entry.buffer).copied().unwrap_or_default();
                text += &format!("--------- {word} {name}\n");
                divided = Some(entry.buffer);
            }
            text += &print(entry, &options.format, call.core.clock.zone_offset());
        }
        match &mut file {
            Some(file) => file.write_all(text.as_bytes())?,
            None => call.out(text)?,
        }
        if options.dump || left == 0 {
            return Ok(0);
        }
        if !call.is_there(Duration::from_millis(1)) || call.core.boot_number() != boot {
            return Ok(0);
        }
        (batch, next) = call.core.log.wait(next, &options.buffers, Duration::from_millis(50));
    }
}

fn beginning(call: &Call, mut entries: Vec<Entry>, options: &LogcatOptions) -> Vec<Entry> {
    match &options.from {
        From::Beginning => {}
        From::Last(count) => {
            let skipped = entries.len().saturating_sub(*count);
            entries.drain(..skipped);
        }
        From::Time(text) => {
            let zone = if options.format.utc { 0 } else { call.core.clock.zone_offset() };
            if let Some(since) = parse_time(text, call.core.clock.wall(), zone) {
                entries.retain(|entry| entry.wall >= since);
            }
        }
    }
    entries
}

/// `MM-DD hh:mm:ss.mmm`, `YYYY-MM-DD hh:mm:ss.mmm` or `sssss.mmm`, in Unix nanoseconds.
fn parse_time(text: &str, now: i64, zone_offset: i32) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    if let Ok(seconds) = whole.trim().parse::<i64>() {
        return seconds.checked_mul(1_000_000_000)?.checked_add(fraction);
    }
    let numbers: Vec<i64> =
        whole.split(['-', ' ', ':']).filter_map(|part| part.parse().ok()).collect();
    let (year, rest) = match numbers.as_slice() {
        [year, rest @ ..] if rest.len() == 5 => (*year, rest),
        rest => (i64::from(local_date(now, zone_offset).year()), rest),
    };
    let [month, day, hour, minute, second] = *rest else { return None };
    let (year, month) = (i32::try_from(year).ok()?, u32::try_from(month).ok()?);
    let days = i64::from(NaiveDate::from_ymd_opt(year, month, 1)?.to_epoch_days()) + day - 1;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - i64::from(zone_offset);
    seconds.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// `log -p I -t tag words`.
pub(super) fn log(call: &Call) -> u8 {
    let (mut level, mut tag, mut message) = ('I', "log".to_owned(), Vec::new());
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => {
                let first = words.next().and_then(|word| word.chars().next());
                level = first.map_or('I', |first| first.to_ascii_uppercase());
            }
            "-t" => tag = words.next().cloned().unwrap_or_default(),
            _ => message.push(word.clone()),
        }
    }
    let writer = Writer { boot: call.core.clock.boot(), uid: 2000, pid: call.pid, tid: call.pid };
    let line = Line { level, tag: &tag, message: &message.join(" ") };
    call.core.log.write(&call.core.clock, "main", writer, line);
    0
}
