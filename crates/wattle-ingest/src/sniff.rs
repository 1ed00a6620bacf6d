//! What a file is, by its first bytes.

use std::fmt;

use wattle_wire::{Fields, Value};

use crate::folded::{self, FoldedLooks};
use crate::ftrace_text::{self, FtraceForm};
use crate::{
    art_trace, batterystats, counters, etl, logcat, meter, navitas, perf_data, perf_script,
    perfetto, probes, simpleperf_report, trace_dat,
};

/// Bytes that are looked at.
pub(crate) const HEAD: usize = 4096;

/// What a file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Looks {
    /// A Perfetto trace: read.
    Perfetto,
    /// gzip: read.
    Gzip,
    /// A ZIP archive: read, if a trace is inside.
    Zip,
    /// A log, or a bug report that holds some: read.
    Logcat,
    /// Records of probes: read.
    Probes,
    /// The meaning of probes: read, beside a recording.
    ProbeMap,
    /// Counters that were read at a period: read.
    Counters,
    /// The kernel's trace as text (ftrace, systrace, `trace-cmd report`): read.
    Ftrace,
    /// The same as atrace packs it: read.
    Atrace,
    /// A page that systrace wrote, with the kernel's trace inside: read.
    Systrace,
    /// Logs of the Navitas framework: read.
    Navitas,
    /// Samples of a power meter: read.
    Meter,
    /// A file of the kernel's own counters: read.
    ProcFile,
    /// Android's battery statistics for people: read.
    Batterystats,
    /// The same as check-in lines: read.
    BatterystatsCheckin,
    /// The same in protobuf: read.
    BatterystatsProto,
    /// A file of trace-cmd: read.
    TraceDat,
    /// Text of `perf script`: read.
    PerfScript,
    /// Collapsed stacks: read.
    Folded,
    /// A report of simpleperf, in protobuf or as text: read.
    SimpleperfReport,
    /// A method trace of the Android runtime: read.
    ArtTrace,
    /// A file of `perf record` or simpleperf: read.
    PerfData,
    /// An event trace log of Windows: read.
    Etl,
    /// Nothing in it.
    Empty,
    /// Something that is not read; the text says what.
    Other(&'static str),
    /// Nothing that is known.
    Unknown,
}

impl Looks {
    /// Whether there is a reader for it as it is.
    pub(crate) fn is_read(self) -> bool {
        self.order().is_some() && !matches!(self, Self::Zip | Self::Gzip)
    }

    /// How the kernel's trace lies in it, if it is one as text.
    pub(crate) fn ftrace_form(self) -> Option<FtraceForm> {
        match self {
            Self::Ftrace => Some(FtraceForm::Text),
            Self::Atrace => Some(FtraceForm::Packed),
            Self::Systrace => Some(FtraceForm::Page),
            _ => None,
        }
    }

    /// When it is read among the artifacts of a recording; `None` if it is not.
    pub(crate) fn order(self) -> Option<u8> {
        match self {
            Self::ProbeMap => Some(0),
            Self::Zip
            | Self::Gzip
            | Self::Perfetto
            | Self::Ftrace
            | Self::Atrace
            | Self::Systrace
            | Self::TraceDat
            | Self::PerfData
            | Self::Etl => Some(1),
            Self::Probes | Self::ArtTrace => Some(2),
            Self::Counters | Self::ProcFile => Some(3),
            Self::Logcat
            | Self::Navitas
            | Self::PerfScript
            | Self::Folded
            | Self::SimpleperfReport => Some(4),
            Self::Meter
            | Self::Batterystats
            | Self::BatterystatsCheckin
            | Self::BatterystatsProto => Some(5),
            Self::Empty | Self::Other(_) | Self::Unknown => None,
        }
    }
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Perfetto => "a Perfetto trace",
            Self::Gzip => "gzip",
            Self::Zip => "a ZIP archive",
            Self::Logcat => "a log (logcat)",
            Self::Probes => "records of probes",
            Self::ProbeMap => "a probe map, which says nothing without a recording",
            Self::Counters => "polled counters",
            Self::Meter => "samples of a power meter",
            Self::Ftrace => "ftrace text (systrace)",
            Self::Atrace => "systrace output, packed by atrace",
            Self::Systrace => "a systrace HTML page",
            Self::Navitas => "a log of Navitas",
            Self::ProcFile => "counters of the kernel (/proc, time_in_state)",
            Self::Batterystats => "battery statistics (dumpsys batterystats)",
            Self::BatterystatsCheckin => "battery statistics in check-in lines",
            Self::BatterystatsProto => "battery statistics in protobuf",
            Self::TraceDat => "a file of trace-cmd (trace.dat)",
            Self::PerfScript => "text of perf script",
            Self::Folded => "collapsed stacks",
            Self::SimpleperfReport => "a report of simpleperf",
            Self::ArtTrace => "a method trace of the Android runtime",
            Self::PerfData => "a perf.data file (perf, simpleperf)",
            Self::Etl => "a Windows event trace (ETL)",
            Self::Empty => "an empty file",
            Self::Other(what) => what,
            Self::Unknown => "no format that is known here",
        })
    }
}

/// Formats with a signature at a fixed place.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftyp", "an MP4 or HEIF file"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x7fELF", "an ELF executable or library"),
    (0, b"dex\n", "a DEX file (Android bytecode)"),
    (0, b"cdex", "a compact DEX file (Android bytecode)"),
    (0, b"vdex", "a VDEX file (Android bytecode)"),
    (0, b"oat\n", "an OAT file (Android machine code)"),
    (0, b"PERFFILE", "a perf.data file of Linux before 2.6.33"),
    (0, b"JAVA PROFILE", "a Java heap dump (HPROF)"),
    (0, b"SQLite format 3\0", "a SQLite database"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (0, b"\xfd7zXZ\0", "XZ data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"\xca\xfe\xba\xbe", "a Java class file"),
    (0, b"\x03\x00\x08\x00", "Android binary XML"),
    (0, b"MZ", "a Windows executable"),
    (0, b"\xd3tagfmt", "a Joulescope file of version 1 (export it as version 2 or as CSV)"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
];

/// Says what a file is from its first [`HEAD`] bytes.
pub(crate) fn sniff(head: &[u8]) -> Looks {
    if head.is_empty() {
        return Looks::Empty;
    }
    if head.starts_with(b"\x1f\x8b") {
        return Looks::Gzip;
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Looks::Zip;
    }
    if head.starts_with(probes::SIGNATURE) {
        return Looks::Probes;
    }
    if head.starts_with(counters::SIGNATURE) {
        return Looks::Counters;
    }
    if head.starts_with(trace_dat::SIGNATURE) {
        return Looks::TraceDat;
    }
    if head.starts_with(simpleperf_report::SIGNATURE) {
        return Looks::SimpleperfReport;
    }
    if art_trace::SIGNATURES.iter().any(|signature| head.starts_with(signature)) {
        return Looks::ArtTrace;
    }
    if perf_data::SIGNATURES.iter().any(|signature| head.starts_with(signature)) {
        return Looks::PerfData;
    }
    if ftrace_text::looks_packed(head) {
        return Looks::Atrace;
    }
    let has = |(at, bytes, _): &&(usize, &[u8], &str)| {
        head.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
    };
    if let Some((_, _, what)) = SIGNATURES.iter().find(has) {
        return Looks::Other(what);
    }
    if etl::looks_like(head) {
        return Looks::Etl;
    }
    if batterystats::looks_like_proto(head) {
        return Looks::BatterystatsProto;
    }
    if is_perfetto(head) {
        return Looks::Perfetto;
    }
    if perf_script::looks_like(head) {
        return Looks::PerfScript;
    }
    if ftrace_text::looks_like_events(head) {
        return Looks::Ftrace;
    }
    match text(head) {
        Some(SYSTRACE) => Looks::Systrace,
        Some("text") | None if batterystats::looks_like_bug_report(head) => Looks::Logcat,
        // Names of wakelocks and networks may hold any byte.
        Some("text") | None if batterystats::looks_like_checkin(head) => Looks::BatterystatsCheckin,
        Some("text") | None if batterystats::looks_like_text(head) => Looks::Batterystats,
        Some("JSON") if is_probe_map(head) => Looks::ProbeMap,
        Some("JSON" | "text") if navitas::looks_like_navitas(head) => Looks::Navitas,
        Some("text") if counters::looks_like_proc_file(head) => Looks::ProcFile,
        Some("text") if logcat::looks_like_log(head) => Looks::Logcat,
        Some("text") if simpleperf_report::looks_like_text(head) => Looks::SimpleperfReport,
        Some("text") if folded::looks_like(head).is_some() => match folded::looks_like(head) {
            Some(FoldedLooks::Differential) => Looks::Other(folded::DIFFERENTIAL),
            _ => Looks::Folded,
        },
        Some("text") | None if meter::looks_like(head) => Looks::Meter,
        Some(what) => Looks::Other(what),
        None if logcat::looks_binary(head) || logcat::looks_like_log(head) => Looks::Logcat,
        None => Looks::Unknown,
    }
}

/// The first line is an object with the map's version.
fn is_probe_map(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    memchr::memmem::find(line, probes::MAP_SIGNATURE).is_some()
}

/// A trace is a message whose fields are packets (field 1). The head may end inside one.
fn is_perfetto(head: &[u8]) -> bool {
    const PACKET: u32 = 1;
    const PACKET_TAG: u8 = 0x0a;
    // Text can begin with an empty line, which is the same byte. Packets hold control bytes.
    let is_ascii_text = head.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e));
    if head.first() != Some(&PACKET_TAG) || (is_ascii_text && head.len() > 1) {
        return false;
    }
    match Fields::new(head).next() {
        Some(Ok(field)) => match field.value {
            Value::Len(packet) => {
                field.number == PACKET && perfetto::starts_a_packet(packet, false)
            }
            _ => false,
        },
        // The first packet is longer than the head, or all there is of it.
        Some(Err(_)) => {
            let mut position = 1;
            let length = wattle_wire::read_varint(head, &mut position);
            let rest = head.get(position..).unwrap_or_default();
            length.is_ok_and(|length| length > rest.len() as u64)
                && perfetto::starts_a_packet(rest, true)
        }
        None => false,
    }
}

/// What a page for the kernel's trace is.
const SYSTRACE: &str = "a systrace HTML page";

/// What the head of such a page holds, one of them.
const PAGES: &[&[u8]] = &[
    b"trace-viewer",
    b"systrace",
    b"Android System Trace",
    b"tr-ui-",
    b"linuxPerfData",
    b"trace-data",
];

fn text(head: &[u8]) -> Option<&'static str> {
    let is_text = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    if !head.iter().all(is_text) {
        return None;
    }
    let trimmed = head.trim_ascii_start();
    let contains = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    Some(match trimmed.first()? {
        b'<' if PAGES.iter().any(|mark| contains(mark)) => SYSTRACE,
        b'<' if contains(b"<device") && contains(b"item name=") => "a power_profile.xml",
        b'<' if contains(b"<html")
            || contains(b"<!DOCTYPE html")
            || contains(b"<!doctype html") =>
        {
            "an HTML page"
        }
        b'<' => "XML",
        b'{' | b'[' if contains(b"traceEvents") || contains(b"\"ph\"") => {
            "a trace in Chrome's JSON format"
        }
        b'{' | b'[' if contains(b"\"total_elapsed_sec\"") && contains(b"\"cpus\"") => {
            "results of freqbench: power for each step of the clock, not of a recording"
        }
        b'{' | b'[' => "JSON",
        _ if contains(b"# tracer:") || contains(b"sched_switch:") => "ftrace text (systrace)",
        _ if contains(b"packet {") || contains(b"packet: {") => "a trace in protobuf text format",
        _ => "text",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], expected: Looks) {
        assert_eq!(sniff(head), expected);
    }

    #[test]
    fn formats_are_told_apart() {
        check(b"", Looks::Empty);
        check(b"\x1f\x8b\x08", Looks::Gzip);
        check(b"PK\x03\x04", Looks::Zip);
        check(b"\xff\xd8\xff\xe0", Looks::Other("a JPEG image"));
        check(b"dex\n035\0", Looks::Other("a DEX file (Android bytecode)"));
        check(b"  {\"traceEvents\":[]}", Looks::Other("a trace in Chrome's JSON format"));
        check(b"# tracer: nop\n#\n", Looks::Ftrace);
        check(b"9,0,i,vers,36,", Looks::BatterystatsCheckin);
        check(b"9,hsp,0,1000,\"x\"\n", Looks::BatterystatsCheckin);
        check(b"9,0,apples\n", Looks::Other("text"));
        check(b"Battery History (1% used):\n", Looks::Batterystats);
        check(b"\nStatistics since last charge:\n", Looks::Batterystats);
        check(&[0x0a, 9, 8, 36, 0x10, 0xd6, 1, 0x1a, 2, b'a', b'b'], Looks::BatterystatsProto);
        check(b"hello", Looks::Other("text"));
        check(b"\x17\x08\x44tracing6\0", Looks::TraceDat);
        check(b"PERFILE2h\0\0\0", Looks::PerfData);
        check(b"2ELIFREP\0\0\0", Looks::PerfData);
        check(b"cpus=8\n a-1 [004] ....   316.196720: 0: B|77|x\n", Looks::Ftrace);
        check(b"capturing trace... done\nTRACE:\nx\x9c", Looks::Atrace);
        check(b"TRACE:\r\r\nx\x9c", Looks::Atrace);
        check(b"<!DOCTYPE html>\n<title>Android System Trace</title>", Looks::Systrace);
        check(b"WTLPROBE\x01\0", Looks::Probes);
        check(b"SLOW\xf3\0", Looks::ArtTrace);
        check(b"*version\n3\n", Looks::ArtTrace);
        check(b"wattle-counters 1\n", Looks::Counters);
        check(b"{\"wattle_probe_map\":1,\"package\":\"a\"}\n", Looks::ProbeMap);
        check(b"--------- beginning of main\n", Looks::Logcat);
        check(b"12-13 10:32:20.030    20    20 I auditd  : type=2000\n", Looks::Logcat);
        check(b"I/auditd  (   20): type=2000\nI/auditd  (   20): more\n", Looks::Logcat);
        check(
            b"I/foo: one line that looks like it\nand others\nthat do not\n",
            Looks::Other("text"),
        );
        check(b"=====\n== dumpstate: 1980-01-06 01:03:38\n=====\n", Looks::Logcat);
        check(&[0, 1, 2, 3, 4, 5, 6], Looks::Unknown);
    }

    #[test]
    fn a_trace_is_a_row_of_packets() {
        check(&[0x0a, 2, 0x40, 1], Looks::Perfetto);
        check(&[0x0a, 0], Looks::Perfetto);
        // Longer than what is there.
        check(&[0x0a, 0x80, 0x80, 0x04, 0x40, 1], Looks::Perfetto);
        // Text that begins with a line feed.
        check(b"\nhello world, this is text", Looks::Other("text"));
        check(&[0x0a, 2, 0x07, 0x00], Looks::Unknown);
        // Field 3 of a packet is a number; in a resource of an app bundle it is the name of an element.
        check(&[0x0a, 6, 0x1a, 4, 0x80, 1, 2, 3], Looks::Unknown);
        // Field 2 of a packet is a message, and this is none.
        check(&[0x0a, 7, 0x12, 5, 0x30, 0x2e, 0x33, 0x2e, 0x32], Looks::Unknown);
    }

    #[test]
    fn stacks_are_told_from_what_looks_like_them() {
        check(b"# ========\n# captured on: Sun Oct 25\n", Looks::PerfScript);
        check(b"a 1 [000] 1.000000: cycles: \n\tffff main (/a)\n", Looks::PerfScript);
        check(b"a-1  2 [000] 1.000000: 250 cpu-clock:u: ffff main (/a)\n", Looks::PerfScript);
        check(b"a 1 [000] 1.000000: sched:sched_switch: prev_comm=a\n", Looks::PerfScript);
        check(b"a-1 [000] d..2 1.000000: sched_switch: prev_comm=a\n", Looks::Ftrace);
        check(b"a-1 (    1) [000] .... 1.000000: 0: B|77|x: 5 y\n", Looks::Ftrace);
        check(b"main;f;g 12\nmain;f 3\n", Looks::Folded);
        check(b"main;f;g 12 13\nmain;f 3 0\n", Looks::Other(folded::DIFFERENTIAL));
        check(b"time;current 1\n0.1;2.5 3\n", Looks::Meter);
        check(b"one word 12\nand another 13\n", Looks::Other("text"));
        check(b"SIMPLEPERF\x01\0", Looks::SimpleperfReport);
        check(b"meta_info:\n  trace_offcpu: false\n", Looks::SimpleperfReport);
    }

    /// The files under a folder, a bounded number of them.
    fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { files(&path, found) } else { found.push(path) }
        }
    }

    /// Of all real files only those of stacks are taken for stacks.
    #[test]
    fn real_files_are_what_they_were() {
        use std::io::Read;
        let Some(root) = wattle_testdata::find("perf_script") else { return };
        let mut all = Vec::new();
        files(root.parent().unwrap_or(&root), &mut all);
        let mut stacks = std::collections::BTreeMap::new();
        for path in all {
            let Ok(file) = std::fs::File::open(&path) else { continue };
            let mut head = Vec::new();
            let _ = file.take(HEAD as u64).read_to_end(&mut head);
            if head.starts_with(b"\x1f\x8b") {
                let Ok(file) = std::fs::File::open(&path) else { continue };
                head.clear();
                let unpacked = flate2::read::MultiGzDecoder::new(file);
                let _ = unpacked.take(HEAD as u64).read_to_end(&mut head);
            }
            let looks = sniff(&head);
            let is_stacks =
                matches!(looks, Looks::PerfScript | Looks::Folded | Looks::SimpleperfReport);
            if is_stacks || looks == Looks::Other(folded::DIFFERENTIAL) {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                stacks.insert(name.unwrap_or_default(), looks);
            }
        }
        let expected = [
            ("firefox-simpleperf-task-clock.trace.gz", Looks::SimpleperfReport),
            ("flamegraph-perf-java-stacks-01-collapsed-all.txt", Looks::Folded),
            ("flamegraph-perf-java-stacks-01.txt", Looks::PerfScript),
            ("ms-perf.data.txt", Looks::PerfScript),
            ("simpleperf-perf.data.perfscript.txt", Looks::PerfScript),
            ("simpleperf-perf_g_fp.data.perfscript.txt", Looks::PerfScript),
            ("speedscope-forks.txt", Looks::PerfScript),
            ("speedscope-simple-with-header.txt", Looks::PerfScript),
        ];
        let expected = expected.map(|(name, looks)| (name.to_owned(), looks));
        assert_eq!(stacks, std::collections::BTreeMap::from(expected));
    }
}
