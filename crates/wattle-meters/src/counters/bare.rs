//! Files of `/proc` and `/sys` on their own: one dump, or several behind each other, with or without times between them.
//!
//! | what | known by |
//! |---|---|
//! | `/proc/net/dev` | `Inter-|` |
//! | `/proc/stat` | `cpu ` with numbers |
//! | `/proc/diskstats` | two numbers, a name, figures |
//! | `uid_time_in_state` | `uid:` with clocks |
//! | `/proc/<pid>/task/<tid>/time_in_state` | `cpu0`, then clocks and ticks |
//! | `cpufreq/stats/time_in_state` | clocks and ticks |
//!
//! `==> PATH <==` (`tail`, `head`) or `PATH:` before a dump says what it is of; else the file's own name says which CPU or thread.

use std::collections::BTreeMap;
use std::io::Read;

use wattle_timeline::{ArtifactQuality, Note, Severity, TimelineBuilder};
use wattle_units::BootNanos;

use super::counter_value::{Value, number};
use super::{AllSeries, PROC_FORMAT, cpu_times, decimal, diskstats, net_dev, parse_file};
use wattle_import::text::{Lines, SECOND, Years, resolve_stamp, take_stamp};
use wattle_import::{Clock, ClockFacts};

/// The longest line that is read.
const LONGEST: usize = 1 << 20;
/// Lines of one dump.
const MAX_LINES: usize = 1 << 17;
/// Times above this are since 1970: nobody runs a phone for thirty years. Nanoseconds.
const EPOCH_FROM: i64 = 1_000_000_000 * SECOND;
/// Nanoseconds of a tick.
const TICK: i64 = SECOND / 100;

/// Kind of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NetDev,
    Stat,
    Diskstats,
    UidTimes,
    ThreadTimes,
    CpuTimes,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::NetDev => "/proc/net/dev",
            Self::Stat => "/proc/stat",
            Self::Diskstats => "/proc/diskstats",
            Self::UidTimes => "uid_time_in_state",
            Self::ThreadTimes => "time_in_state of a thread",
            Self::CpuTimes => "time_in_state",
        }
    }

    /// By the first lines of a dump.
    fn from_lines(lines: &[&str]) -> Option<Self> {
        let first = *lines.first()?;
        let words: Vec<&str> = first.split_whitespace().collect();
        let are_numbers = |words: &[&str]| words.iter().all(|word| number(word).is_some());
        if first.trim_start().starts_with("Inter-|") {
            return Some(Self::NetDev);
        }
        match words.as_slice() {
            ["uid:", clocks @ ..] if !clocks.is_empty() && are_numbers(clocks) => {
                Some(Self::UidTimes)
            }
            ["cpu", times @ ..] if times.len() >= 4 && are_numbers(times) => Some(Self::Stat),
            [cpu] if is_cpu(cpu) && lines.get(1).is_some_and(|line| clock(line).is_some()) => {
                Some(Self::ThreadTimes)
            }
            [major, minor, name, figures @ ..]
                if matches!(figures.len(), 4 | 11..=20)
                    && number(name).is_none()
                    && are_numbers(&[major, minor])
                    && are_numbers(figures) =>
            {
                Some(Self::Diskstats)
            }
            [_, _] if lines.len() >= 2 && lines.iter().take(8).all(|l| clock(l).is_some()) => {
                Some(Self::CpuTimes)
            }
            _ => None,
        }
    }
}

fn is_cpu(word: &str) -> bool {
    word.strip_prefix("cpu").is_some_and(|cpu| cpu.parse::<u32>().is_ok())
}

/// A clock in kilohertz and its ticks: clocks of phones lie between 10 MHz and 10 GHz.
fn clock(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let (kilohertz, ticks) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let is_clock = (10_000..10_000_000).contains(&kilohertz) && words.next().is_none();
    is_clock.then_some((kilohertz, ticks))
}

/// When a dump was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stamp {
    /// Since boot.
    Boot(i64),
    /// Since 1970, or a date.
    Wall(i64),
}

/// A line that holds nothing but a time: `1700000000.25`, `12345.67 4321.09` (`/proc/uptime`), a date; words like `time:` and signs
/// like `#` or `@` before it are passed over.
fn stamp(line: &str, years: &mut Years) -> Option<Stamp> {
    let is_sign = |c: char| c.is_whitespace() || "#@=-[]:<>".contains(c);
    let mut text = line.trim_matches(is_sign);
    for word in ["timestamp", "time", "uptime", "date"] {
        let rest = text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        if rest.is_some() {
            text = text.get(word.len()..).unwrap_or_default().trim_start_matches(is_sign);
            break;
        }
    }
    let dated = text.replace('T', " ").replace(',', ".");
    let dated = dated.trim_end_matches('Z');
    let with_fraction = if dated.contains('.') { dated.to_owned() } else { format!("{dated}.000") };
    if dated.contains(':')
        && let Some(stamp) = take_stamp(&mut format!("{with_fraction} ").as_bytes())
    {
        return Some(Stamp::Wall(resolve_stamp(stamp, years)));
    }
    let words: Vec<&str> = dated.split_whitespace().collect();
    match words.as_slice() {
        [one] => {
            let nanos = match decimal(one) {
                Some(nanos) if nanos < i64::MAX => nanos,
                // Whole milliseconds are told by their size; as seconds they may be too many for nanoseconds.
                _ => one.parse::<i64>().ok().filter(|ms| *ms >= 0)?.checked_mul(SECOND / 1000)?,
            };
            if nanos >= EPOCH_FROM {
                return Some(Stamp::Wall(nanos));
            }
            one.contains('.').then_some(Stamp::Boot(nanos))
        }
        [up, idle] if up.contains('.') && idle.contains('.') => {
            decimal(idle)?;
            Some(Stamp::Boot(decimal(up)?))
        }
        _ => None,
    }
}

/// The path in `==> PATH <==` or `PATH:`.
fn header(line: &str) -> Option<&str> {
    let line = line.trim();
    let path = line
        .strip_prefix("==>")
        .and_then(|rest| rest.strip_suffix("<=="))
        .or_else(|| line.strip_suffix(':'))?
        .trim();
    (path.starts_with('/') && !path.contains(' ')).then_some(path)
}

/// Whether a text is of one of these files by its first bytes.
pub(crate) fn looks_like_proc_file(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut years = Years::default();
    let mut all: Vec<&str> = text.lines().map(str::trim_end).collect();
    if all.len() > 1 && !text.ends_with('\n') {
        // It may be cut.
        all.pop();
    }
    let mut has_path = false;
    let lines: Vec<&str> = all
        .into_iter()
        .skip_while(|line| {
            let path = header(line);
            has_path |= path.is_some();
            line.trim().is_empty() || path.is_some() || stamp(line, &mut years).is_some()
        })
        .take(8)
        .take_while(|line| !line.trim().is_empty() && header(line).is_none())
        .collect();
    Kind::from_lines(&lines).is_some()
}

/// One dump.
#[derive(Debug, Default)]
struct Dump {
    path: Option<String>,
    stamp: Option<Stamp>,
    lines: Vec<String>,
}

struct Reader<'a> {
    name: &'a str,
    builder: &'a mut TimelineBuilder,
    clocks: &'a ClockFacts,
    series: AllSeries,
    dump: Dump,
    kinds: BTreeMap<&'static str, u64>,
    dumps: u64,
    unread: u64,
    unnamed: u64,
    untimed: u64,
    by_counters: u64,
    /// By what a dump is of, the time that its counters last told, and what they told before they began anew. Nanoseconds.
    own_times: BTreeMap<Option<String>, (i64, i64)>,
}

/// Reads one file.
pub(crate) fn read(
    name: &str,
    input: impl Read,
    around: Option<i64>,
    builder: &mut TimelineBuilder,
    clocks: &ClockFacts,
) -> ArtifactQuality {
    let mut lines = Lines::new(input, LONGEST);
    let mut years = Years::near(around);
    let mut reader = Reader {
        name,
        builder,
        clocks,
        series: AllSeries::default(),
        dump: Dump::default(),
        kinds: BTreeMap::new(),
        dumps: 0,
        unread: 0,
        unnamed: 0,
        untimed: 0,
        by_counters: 0,
        own_times: BTreeMap::new(),
    };
    while let Some(line) = lines.next_line() {
        let text = String::from_utf8_lossy(line.bytes);
        reader.line(text.trim_start_matches('\u{feff}'), &mut years);
    }
    reader.end_of_dump();
    let mut quality = ArtifactQuality {
        bytes: lines.offset(),
        records: reader.dumps,
        ..PROC_FORMAT.quality(name)
    };
    if let Some(failure) = lines.failure {
        let text =
            format!("the input ends with an error ({failure}); what is before that was read");
        quality.notes.push(Note::new(Severity::Error, "damaged", text));
    }
    reader.finish(&mut quality);
    quality
}

impl Reader<'_> {
    fn line(&mut self, line: &str, years: &mut Years) {
        if let Some(path) = header(line) {
            self.end_of_dump();
            self.dump.path = Some(path.to_owned());
        } else if let Some(stamp) = stamp(line, years) {
            self.end_of_dump();
            self.dump.path = None;
            self.dump.stamp = Some(stamp);
        } else if line.trim().is_empty() {
            self.end_of_dump();
        } else {
            if self.begins_anew(line) {
                self.end_of_dump();
            }
            if self.dump.lines.len() < MAX_LINES {
                self.dump.lines.push(line.to_owned());
            } else {
                self.unread += 1;
            }
        }
    }

    /// Whether the line is the first of the dump once more.
    fn begins_anew(&self, line: &str) -> bool {
        let key = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            match words.as_slice() {
                // Interfaces and devices are told by their names, clocks and CPUs by the first word.
                [major, minor, name] if number(major).is_some() && number(name).is_none() => {
                    format!("{major} {minor} {name}")
                }
                [first, ..] => (*first).to_owned(),
                [] => String::new(),
            }
        };
        self.dump.lines.first().is_some_and(|first| key(first) == key(line))
    }

    fn end_of_dump(&mut self) {
        let lines = std::mem::take(&mut self.dump.lines);
        if lines.is_empty() {
            return;
        }
        let texts: Vec<&str> = lines.iter().take(8).map(String::as_str).collect();
        let by_path = self.dump.path.as_deref().and_then(|path| parse_file(path, &lines));
        let kind = Kind::from_lines(&texts);
        let values = match (by_path, kind) {
            (Some(values), _) => values,
            (None, Some(kind)) => self.values(kind, &lines),
            (None, None) => {
                self.unread += lines.len() as u64;
                return;
            }
        };
        let kind = kind.map_or("other", Kind::name);
        *self.kinds.entry(kind).or_default() += 1;
        let time = self.time(&lines);
        self.dumps += 1;
        for value in values {
            self.series.push(time, value, self.builder);
        }
    }

    fn values(&mut self, kind: Kind, lines: &[String]) -> Vec<Value> {
        match kind {
            Kind::NetDev => net_dev::parse(lines),
            Kind::Stat => cpu_times::stat(lines),
            Kind::Diskstats => diskstats::parse(lines),
            Kind::UidTimes => cpu_times::of_uids(lines),
            Kind::CpuTimes => {
                let cpu = number_behind(self.name, &["cpu", "policy"]);
                self.unnamed += u64::from(cpu.is_none());
                cpu_times::of_cpu(cpu.unwrap_or(0), lines)
            }
            Kind::ThreadTimes => {
                let tid = number_behind(self.name, &["tid", "task", "thread"]);
                self.unnamed += u64::from(tid.is_none());
                let values = cpu_times::of_thread(tid.unwrap_or(0), lines);
                if tid.is_some() {
                    return values;
                }
                let nobodys = values.into_iter();
                nobodys.map(|it| Value::global(format!("thread.{}", it.name), it.amount)).collect()
            }
        }
    }

    fn time(&mut self, lines: &[String]) -> BootNanos {
        match self.dump.stamp {
            Some(Stamp::Boot(nanos)) => BootNanos::new(nanos),
            Some(Stamp::Wall(nanos)) => {
                let fit = self.clocks.fit(Clock::Real);
                BootNanos::new(fit.map_or(nanos, |fit| fit.to_boot(nanos)))
            }
            None => {
                let counted = own_clock(lines).map(|nanos| self.own_time(nanos));
                self.by_counters += u64::from(counted.is_some());
                self.untimed += u64::from(counted.is_none());
                let second = i64::try_from(self.untimed).unwrap_or(i64::MAX);
                BootNanos::new(counted.unwrap_or_else(|| second.saturating_mul(SECOND)))
            }
        }
    }

    /// The time that a dump's own counters tell. Where they began anew (a CPU went and came), time goes on from where it was.
    fn own_time(&mut self, nanos: i64) -> i64 {
        let (last, before) = self.own_times.entry(self.dump.path.clone()).or_default();
        if nanos < *last {
            *before = before.saturating_add(*last);
        }
        *last = nanos;
        before.saturating_add(nanos)
    }

    fn finish(self, quality: &mut ArtifactQuality) {
        quality.events.insert("counter".to_owned(), self.series.len() as u64);
        for (kind, count) in self.kinds {
            quality.events.insert(kind.to_owned(), count);
        }
        if self.unread > 0 {
            quality.unread.insert("lines".to_owned(), self.unread);
        }
        let mut note = |severity, code, count: u64, text: &str| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        note(
            Severity::Warning,
            "proc-unread",
            self.unread,
            "lines that are of no file that is known: not used",
        );
        note(
            Severity::Warning,
            "proc-unnamed",
            self.unnamed,
            "nothing says of which CPU or thread a time_in_state is (a name with cpu4, policy4, tid1234, or `==> PATH <==` before it \
             would): it is taken to be of CPU 0, or of a thread that is not known",
        );
        note(
            Severity::Info,
            "proc-own-clock",
            self.by_counters,
            "dumps without a time: what they count of wall time, in 10 ms, is their time",
        );
        note(
            Severity::Warning,
            "proc-no-time",
            self.untimed,
            "dumps without a time: their order is kept, one a second is assumed",
        );
        note(
            Severity::Info,
            "counters-reset",
            self.series.resets,
            "counters that began anew (an interface or a CPU went and came): they go on from where they were",
        );
        note(
            Severity::Warning,
            "counters-limit",
            self.series.refused,
            "values of more counters than are kept: not used",
        );
    }
}

/// The number behind one of the words in a name: 4 in `cpu4_time_in_state.txt`.
fn number_behind(name: &str, words: &[&str]) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    words.iter().find_map(|word| {
        name.split(word).skip(1).find_map(|rest| {
            let rest = rest.trim_start_matches(['-', '_', '.', '=']);
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
    })
}

/// Wall time by the counters themselves: a CPU's clocks, or its times of all kinds, add up to it.
fn own_clock(lines: &[String]) -> Option<i64> {
    let clocks: Option<u64> = lines
        .iter()
        .map(|line| clock(line).map(|(_, ticks)| ticks))
        .try_fold(0, |sum: u64, t| Some(sum.saturating_add(t?)));
    let ticks = clocks.filter(|_| lines.len() > 1).or_else(|| {
        let cpu = lines.iter().find(|line| line.split_whitespace().next().is_some_and(is_cpu))?;
        let times: Vec<u64> =
            cpu.split_whitespace().skip(1).take(8).map_while(|word| word.parse().ok()).collect();
        (times.len() >= 4).then(|| times.iter().fold(0_u64, |sum, time| sum.saturating_add(*time)))
    })?;
    i64::try_from(ticks).ok()?.checked_mul(TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<Stamp>) {
        assert_eq!(stamp(line, &mut Years::default()), expected, "{line}");
    }

    #[test]
    fn lines_that_are_times() {
        check("1700000000", Some(Stamp::Wall(1_700_000_000_000_000_000)));
        check("1700000000.25", Some(Stamp::Wall(1_700_000_000_250_000_000)));
        check("1700000000,25", Some(Stamp::Wall(1_700_000_000_250_000_000)));
        check("1700000000250", Some(Stamp::Wall(1_700_000_000_250_000_000)));
        check("# time: 1700000000", Some(Stamp::Wall(1_700_000_000_000_000_000)));
        check("2021-05-27 22:18:13", Some(Stamp::Wall(1_622_153_893_000_000_000)));
        check("2021-05-27T22:18:13.250Z", Some(Stamp::Wall(1_622_153_893_250_000_000)));
        check("12345.50 4321.09", Some(Stamp::Boot(12_345_500_000_000)));
        check("@ 12.5", Some(Stamp::Boot(12_500_000_000)));
        check("300000 1234", None);
        check("cpu0", None);
        check("12", None);
        check("cpu  1 2 3 4", None);
    }

    #[test]
    fn names_with_numbers() {
        let cpu = |name: &str| number_behind(name, &["cpu", "policy"]);
        assert_eq!(cpu("cpu4_time_in_state.txt"), Some(4));
        assert_eq!(cpu("policy-6.txt"), Some(6));
        assert_eq!(cpu("cpufreq-cpu12"), Some(12));
        assert_eq!(cpu("time_in_state"), None);
    }
}
