//! Counters that were read at a period (`counters.txt`): blocks between the device's clock before and after, each the raw text of
//! the kernel's files.
//!
//! A value is taken to be of the middle between both clocks. Counters that begin anew (an interface that was reloaded, a CPU
//! that was plugged in again) go on from where they were, and it is counted.

mod bare;
mod counter_series;
mod counter_value;
mod cpu_times;
mod diskstats;
mod net_dev;
mod uid_traffic;

use std::collections::BTreeMap;
use std::io::Read;

use wattle_import::{
    Artifact, Clock, ClockFacts, Format, Head, ImportError, Importer, ReadOrder, Reading,
    ReadingSource, Recognition, Session,
};
use wattle_recording::ArtifactKind;
use wattle_timeline::{ArtifactQuality, Note, Severity, TimelineBuilder};
use wattle_units::BootNanos;

pub use counter_series::AllSeries;
pub use counter_value::Value;
use wattle_import::text::{Lines, SECOND};

/// First bytes of a file.
const SIGNATURE: &[u8] = b"wattle-counters ";
/// Counters that were read at a period.
pub const COUNTERS: &dyn Importer = &Counters;

const FORMAT: Format = Format {
    name: "counters",
    title: "polled counters",
    family: "polled counters",
    short: None,
    order: ReadOrder::Counters,
    kinds: &[ArtifactKind::Counters],
    is_accessory: false,
};

struct Counters;

impl Importer for Counters {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        head.bytes.starts_with(SIGNATURE).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let quality =
            read(artifact.name, artifact.source, &mut session.builder, &mut session.clocks);
        session.add_artifact(quality);
        Ok(())
    }
}

/// Files of the kernel's own counters.
pub const PROC_FILE: &dyn Importer = &ProcFile;

const PROC_FORMAT: Format = Format {
    name: "proc",
    title: "counters of the kernel (/proc, time_in_state)",
    family: "polled counters",
    short: None,
    order: ReadOrder::Counters,
    kinds: &[],
    is_accessory: false,
};

struct ProcFile;

impl Importer for ProcFile {
    fn format(&self) -> &'static Format {
        &PROC_FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        (head.is_text() && bare::looks_like_proc_file(head.bytes)).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let around = session.around();
        let Artifact { name, source, .. } = artifact;
        let quality = bare::read(name, source, around, &mut session.builder, &session.clocks);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The origin of the clocks' readings, in reports.
const SOURCE: ReadingSource =
    ReadingSource { rank: 3, text: "/proc/uptime and date of the counters" };

/// The longest line that is read.
const LONGEST: usize = 1 << 20;
/// Lines of one file within a sample.
const MAX_LINES: usize = 1 << 17;
/// Files that could not be read, and unknown ones, that are named.
const MAX_NAMED: usize = 64;
/// `/proc/uptime` has hundredths of a second and cuts off.
const UPTIME_STEP: i64 = SECOND / 100;

/// The device's clocks at one end of a sample.
#[derive(Clone, Copy, Debug)]
struct Instant {
    boot: i64,
    real: Option<i64>,
}

/// `12345.67 1795305600.123456789` or `12345.67 -`; nanoseconds.
fn instant(text: &str) -> Option<Instant> {
    let mut words = text.split_whitespace();
    let boot = decimal(words.next()?)?;
    Some(Instant { boot, real: words.next().and_then(decimal) })
}

fn decimal(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || !is_digits(seconds) || !is_digits(fraction) {
        return None;
    }
    let nanos = format!("{fraction:0<9}").get(..9)?.parse::<i64>().ok()?;
    seconds.parse::<i64>().ok()?.checked_mul(SECOND)?.checked_add(nanos)
}

#[derive(Default)]
struct Counts {
    samples: u64,
    incomplete: u64,
    stray: u64,
    out_of_order: u64,
    widest: i64,
    last: Option<i64>,
    files: BTreeMap<String, u64>,
    unread: BTreeMap<String, u64>,
    missing: BTreeMap<String, String>,
    period_ms: Option<u64>,
    has_qtaguid: bool,
    both_kinds: u64,
    cut: u64,
}

struct Reader<'a> {
    builder: &'a mut TimelineBuilder,
    clocks: &'a mut ClockFacts,
    counts: Counts,
    series: AllSeries,
    begun: Option<Instant>,
    file: Option<(String, Vec<String>)>,
    values: Vec<Value>,
}

/// Reads polled counters into the builder.
fn read(
    name: &str,
    input: impl Read,
    builder: &mut TimelineBuilder,
    clocks: &mut ClockFacts,
) -> ArtifactQuality {
    let mut lines = Lines::new(input, LONGEST);
    let mut reader = Reader {
        builder,
        clocks,
        counts: Counts::default(),
        series: AllSeries::default(),
        begun: None,
        file: None,
        values: Vec::new(),
    };
    let mut is_first = true;
    while let Some(line) = lines.next_line() {
        reader.counts.cut += u64::from(line.is_cut);
        let text = String::from_utf8_lossy(line.bytes);
        if !std::mem::take(&mut is_first) {
            reader.line(&text);
        }
    }
    reader.counts.incomplete += u64::from(reader.begun.is_some());
    let mut quality = ArtifactQuality {
        bytes: lines.offset(),
        records: reader.counts.samples,
        ..FORMAT.quality(name)
    };
    reader.counts.finish(&reader.series, &mut quality);
    if let Some(failure) = lines.failure {
        let text =
            format!("the input ends with an error ({failure}); what is before that was read");
        quality.notes.push(Note::new(Severity::Error, "damaged", text));
    }
    quality
}

impl Reader<'_> {
    fn line(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("@", clocks)) => {
                self.counts.incomplete += u64::from(self.begun.is_some());
                self.file = None;
                self.values.clear();
                self.begun = instant(clocks);
                self.counts.stray += u64::from(self.begun.is_none());
            }
            Some(("<", path)) => {
                self.end_of_file();
                self.file = Some((path.trim().to_owned(), Vec::new()));
            }
            Some((">", clocks)) => {
                self.end_of_file();
                self.end_of_sample(instant(clocks));
            }
            Some(("?", rest)) => {
                self.end_of_file();
                let (path, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                if self.counts.missing.len() < MAX_NAMED {
                    self.counts.missing.insert(path.to_owned(), reason.to_owned());
                }
            }
            Some(("#", rest)) if self.file.is_none() => self.header(rest),
            _ => match &mut self.file {
                Some((_, lines)) if lines.len() < MAX_LINES => lines.push(line.to_owned()),
                None if line.trim().is_empty() => {}
                _ => self.counts.stray += 1,
            },
        }
    }

    fn header(&mut self, text: &str) {
        match text.split_once(' ') {
            Some(("pid", pid)) => {
                if let Ok(pid) = pid.trim().parse() {
                    self.builder.tasks().recorder(pid);
                }
            }
            Some(("period", period)) => self.counts.period_ms = period.trim().parse().ok(),
            _ => {}
        }
    }

    fn end_of_file(&mut self) {
        let Some((path, lines)) = self.file.take() else { return };
        let is_qtaguid = path == "/proc/net/xt_qtaguid/stats";
        self.counts.has_qtaguid |= is_qtaguid && lines.len() > 1;
        // Both count the same bytes; the kernel's own are newer.
        if path == "!netstats" && self.counts.has_qtaguid {
            self.counts.both_kinds += 1;
            return;
        }
        let Some(values) = parse_file(&path, &lines) else {
            if self.counts.unread.len() < MAX_NAMED || self.counts.unread.contains_key(&path) {
                *self.counts.unread.entry(path).or_default() += 1;
            }
            return;
        };
        if self.counts.files.len() < MAX_NAMED || self.counts.files.contains_key(&path) {
            *self.counts.files.entry(path).or_default() += 1;
        }
        self.values.extend(values);
    }

    fn end_of_sample(&mut self, end: Option<Instant>) {
        let values = std::mem::take(&mut self.values);
        let (Some(begin), Some(end)) = (self.begun.take(), end) else {
            self.counts.incomplete += 1;
            return;
        };
        for instant in [begin, end] {
            if let Some(real) = instant.real {
                // One was read right after the other, by two programs: some milliseconds.
                let took = end.boot.saturating_sub(begin.boot).max(0).saturating_add(UPTIME_STEP);
                let from = instant.boot.saturating_sub(took);
                let boot = (from, instant.boot.saturating_add(UPTIME_STEP).saturating_add(took));
                self.clocks.add(Clock::Real, Reading::new((real, real), boot, SOURCE));
            }
        }
        let width = end.boot.saturating_sub(begin.boot);
        if width < 0 || self.counts.last.is_some_and(|last| begin.boot < last) {
            self.counts.out_of_order += 1;
            return;
        }
        self.counts.last = Some(begin.boot);
        let width = width.saturating_add(UPTIME_STEP);
        self.counts.widest = self.counts.widest.max(width);
        self.counts.samples += 1;
        let time = BootNanos::new(begin.boot.saturating_add(width / 2));
        for value in values {
            self.series.push(time, value, self.builder);
        }
    }
}

/// Parses the text of a file; `None` for a file that no reader knows.
fn parse_file(path: &str, lines: &[String]) -> Option<Vec<Value>> {
    const CPUS: &str = "/sys/devices/system/cpu/cpu";
    const POLICIES: &str = "/sys/devices/system/cpu/cpufreq/policy";
    Some(match path {
        "/proc/net/dev" => net_dev::parse(lines),
        "/proc/diskstats" => diskstats::parse(lines),
        "/proc/stat" => cpu_times::stat(lines),
        "/proc/uid_time_in_state" => cpu_times::of_uids(lines),
        "/proc/net/xt_qtaguid/stats" => uid_traffic::qtaguid(lines),
        "!netstats" => uid_traffic::netstats(lines),
        path => {
            let of_cpu = between(path, CPUS, "/cpufreq/stats/time_in_state");
            let of_policy = || between(path, POLICIES, "/stats/time_in_state");
            if let Some(cpu) = of_cpu.or_else(of_policy) {
                cpu_times::of_cpu(cpu, lines)
            } else {
                cpu_times::of_thread(thread_of(path)?, lines)
            }
        }
    })
}

/// The number between two parts of a path.
fn between(path: &str, before: &str, after: &str) -> Option<u32> {
    path.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// The thread of `/proc/<pid>/task/<tid>/time_in_state`.
fn thread_of(path: &str) -> Option<u32> {
    let (pid, rest) = path.strip_prefix("/proc/")?.split_once("/task/")?;
    pid.parse::<u32>().ok()?;
    rest.strip_suffix("/time_in_state")?.parse().ok()
}

impl Counts {
    fn finish(self, series: &AllSeries, quality: &mut ArtifactQuality) {
        quality.events.insert("sample".to_owned(), self.samples);
        quality.events.insert("counter".to_owned(), series.len() as u64);
        quality.events.extend(self.files);
        quality.unread = self.unread;
        let mut note = |severity, code, count: u64, text: String| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        if self.samples > 0 {
            let period = self.period_ms.map_or(String::new(), |ms| format!(", one every {ms} ms"));
            let half = self.widest / 2_000_000;
            let text = format!(
                "{} samples{period}; the time of a sample is known to {half} ms at worst",
                self.samples
            );
            note(Severity::Info, "counters-period", 1, text);
        }
        note(
            Severity::Info,
            "counters-reset",
            series.resets,
            "counters that began anew (an interface or a CPU went and came): they go on from where they were".to_owned(),
        );
        note(
            Severity::Info,
            "counters-forgotten",
            series.forgotten,
            "counters of netstats went down as old hours left it: what was counted in that time may be too little".to_owned(),
        );
        note(
            Severity::Warning,
            "counters-limit",
            series.refused,
            "values of more counters than are kept: not used".to_owned(),
        );
        note(
            Severity::Warning,
            "counters-order",
            self.out_of_order,
            "samples that are older than the one before (the device was started anew?): not used"
                .to_owned(),
        );
        note(
            Severity::Info,
            "counters-incomplete",
            self.incomplete,
            "samples without an end: not used".to_owned(),
        );
        note(
            Severity::Warning,
            "counters-stray",
            self.stray.saturating_add(self.cut),
            "lines that belong to no file of a sample, or are too long: not used".to_owned(),
        );
        note(
            Severity::Info,
            "counters-twice",
            self.both_kinds,
            "bytes of apps both from the kernel and from netstats: the kernel's were used"
                .to_owned(),
        );
        for (path, reason) in self.missing {
            note(
                Severity::Info,
                "counter-missing",
                1,
                format!("{path} was not to be had: {reason}"),
            );
        }
    }
}
