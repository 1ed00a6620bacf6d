//! Files are what they are recognised as.

use super::*;

const DIFFERENTIAL: &str = "a differential of collapsed stacks (two counts a line, difffolded.pl): the difference of two recordings has no \
     energy of its own; give the collapsed stacks of one, or compare two ledgers";

#[track_caller]
fn check(head: &[u8], expected: &str) {
    let found = recognise(head);
    assert_eq!(found.title(), expected);
}

#[test]
fn formats_are_told_apart() {
    check(b"", "an empty file");
    check(b"\x1f\x8b\x08", "gzip");
    check(b"PK\x03\x04", "a ZIP archive");
    check(b"\xff\xd8\xff\xe0", "a JPEG image");
    check(b"dex\n035\0", "a DEX file (Android bytecode)");
    check(b"  {\"traceEvents\":[]}", "a trace in Chrome's JSON format");
    check(b"# tracer: nop\n#\n", "ftrace text (systrace)");
    check(b"9,0,i,vers,36,", "battery statistics in check-in lines");
    check(b"9,hsp,0,1000,\"x\"\n", "battery statistics in check-in lines");
    check(b"9,0,apples\n", "text");
    check(b"Battery History (1% used):\n", "battery statistics (dumpsys batterystats)");
    check(b"\nStatistics since last charge:\n", "battery statistics (dumpsys batterystats)");
    check(&[0x0a, 9, 8, 36, 0x10, 0xd6, 1, 0x1a, 2, b'a', b'b'], "battery statistics in protobuf");
    check(b"hello", "text");
    check(b"\x17\x08\x44tracing6\0", "a file of trace-cmd (trace.dat)");
    check(b"PERFILE2h\0\0\0", "a perf.data file (perf, simpleperf)");
    check(b"2ELIFREP\0\0\0", "a perf.data file (perf, simpleperf)");
    check(b"cpus=8\n a-1 [004] ....   316.196720: 0: B|77|x\n", "ftrace text (systrace)");
    check(b"capturing trace... done\nTRACE:\nx\x9c", "systrace output, packed by atrace");
    check(b"TRACE:\r\r\nx\x9c", "systrace output, packed by atrace");
    check(b"<!DOCTYPE html>\n<title>Android System Trace</title>", "a systrace HTML page");
    check(b"WTLPROBE\x01\0", "records of probes");
    check(b"SLOW\xf3\0", "a method trace of the Android runtime");
    check(b"*version\n3\n", "a method trace of the Android runtime");
    check(b"wattle-counters 1\n", "polled counters");
    check(
        b"{\"wattle_probe_map\":1,\"package\":\"a\"}\n",
        "a probe map, which says nothing without a recording",
    );
    check(b"--------- beginning of main\n", "a log (logcat)");
    check(b"12-13 10:32:20.030    20    20 I auditd  : type=2000\n", "a log (logcat)");
    check(b"I/auditd  (   20): type=2000\nI/auditd  (   20): more\n", "a log (logcat)");
    check(b"I/foo: one line that looks like it\nand others\nthat do not\n", "text");
    check(b"=====\n== dumpstate: 1980-01-06 01:03:38\n=====\n", "a log (logcat)");
    check(&[0, 1, 2, 3, 4, 5, 6], "no format that is known here");
}

#[test]
fn a_trace_is_a_row_of_packets() {
    check(&[0x0a, 2, 0x40, 1], "a Perfetto trace");
    check(&[0x0a, 0], "a Perfetto trace");
    // Longer than what is there.
    check(&[0x0a, 0x80, 0x80, 0x04, 0x40, 1], "a Perfetto trace");
    // Text that begins with a line feed.
    check(b"\nhello world, this is text", "text");
    check(&[0x0a, 2, 0x07, 0x00], "no format that is known here");
    // Field 3 of a packet is a number; in a resource of an app bundle it is the name of an element.
    check(&[0x0a, 6, 0x1a, 4, 0x80, 1, 2, 3], "no format that is known here");
    // Field 2 of a packet is a message, and this is none.
    check(&[0x0a, 7, 0x12, 5, 0x30, 0x2e, 0x33, 0x2e, 0x32], "no format that is known here");
}

#[test]
fn stacks_are_told_from_what_looks_like_them() {
    check(b"# ========\n# captured on: Sun Oct 25\n", "text of perf script");
    check(b"a 1 [000] 1.000000: cycles: \n\tffff main (/a)\n", "text of perf script");
    check(b"a-1  2 [000] 1.000000: 250 cpu-clock:u: ffff main (/a)\n", "text of perf script");
    check(b"a 1 [000] 1.000000: sched:sched_switch: prev_comm=a\n", "text of perf script");
    check(b"a-1 [000] d..2 1.000000: sched_switch: prev_comm=a\n", "ftrace text (systrace)");
    check(b"a-1 (    1) [000] .... 1.000000: 0: B|77|x: 5 y\n", "ftrace text (systrace)");
    check(b"main;f;g 12\nmain;f 3\n", "collapsed stacks");
    check(b"main;f;g 12 13\nmain;f 3 0\n", DIFFERENTIAL);
    check(b"time;current 1\n0.1;2.5 3\n", "samples of a power meter");
    check(b"one word 12\nand another 13\n", "text");
    check(b"SIMPLEPERF\x01\0", "a report of simpleperf");
    check(b"meta_info:\n  trace_offcpu: false\n", "a report of simpleperf");
}

/// Formats are told apart in messages, and each kind of a recording's artifacts has one importer at most.
#[test]
fn formats_are_distinct() {
    let mut titles = std::collections::BTreeMap::new();
    let mut kinds = Vec::new();
    for format in importers().map(Importer::format) {
        let known = titles.entry(format.title).or_insert(format.name);
        assert_eq!(*known, format.name, "{}", format.title);
        for kind in format.kinds {
            assert!(!kinds.contains(kind), "{kind:?} has two importers");
            kinds.push(*kind);
        }
    }
    assert_eq!(
        readable(),
        "a trace (trace-cmd, ETL, Perfetto, ftrace, systrace), sampled stacks (perf.data, simpleperf, perf script, \
         collapsed), a method trace, probe records, polled counters, battery statistics, a log, power meter samples"
    );
}

/// The files under a folder.
fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Of all real files only those of stacks are taken for stacks.
#[wattle_testdata::requires(data)]
#[test]
fn real_files_are_what_they_were() {
    use std::io::Read;
    let root = wattle_testdata::path("perf_script");
    let mut all = Vec::new();
    files(root.parent().unwrap_or(&root), &mut all);
    let mut found = std::collections::BTreeMap::new();
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
        let title = recognise(&head).title();
        let stacks =
            ["text of perf script", "collapsed stacks", "a report of simpleperf", DIFFERENTIAL];
        if stacks.contains(&title) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            found.insert(name.unwrap_or_default(), title);
        }
    }
    let expected = [
        ("firefox-simpleperf-task-clock.trace.gz", "a report of simpleperf"),
        ("flamegraph-perf-java-stacks-01-collapsed-all.txt", "collapsed stacks"),
        ("flamegraph-perf-java-stacks-01.txt", "text of perf script"),
        ("ms-perf.data.txt", "text of perf script"),
        ("simpleperf-perf.data.perfscript.txt", "text of perf script"),
        ("simpleperf-perf_g_fp.data.perfscript.txt", "text of perf script"),
        ("speedscope-forks.txt", "text of perf script"),
        ("speedscope-simple-with-header.txt", "text of perf script"),
    ];
    let expected = expected.map(|(name, title)| (name.to_owned(), title));
    assert_eq!(found, std::collections::BTreeMap::from(expected));
}
