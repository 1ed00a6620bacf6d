//! Recordings with impossible structure: depth, counts, names, numbers and times, written for each format by hand.

use super::crafted_packages;
use super::hostile_file::{HostileFile, Reader};
use super::proto_writer::{bytes, claimed, number, packet, varint};
use super::zip_writer::{ZipEntry, zip};

/// Depth of what is nested deeply: enough to end a stack of 8 MB.
pub(super) const DEPTH: usize = 200_000;

/// All of them, with those of packages and descriptions.
pub fn crafted() -> Vec<HostileFile> {
    let parts = [
        perfetto(),
        kernel_texts(),
        trace_dat(),
        method_traces(),
        sampled_stacks(),
        logs(),
        statistics(),
        meters(),
        crafted_packages::crafted(),
    ];
    parts.concat()
}

pub(super) fn files(reader: Reader, named: Vec<(&str, Vec<u8>)>) -> Vec<HostileFile> {
    named.into_iter().map(|(name, content)| HostileFile::new(name, reader, content)).collect()
}

fn text(lines: &[String]) -> Vec<u8> {
    lines.concat().into_bytes()
}

pub(super) fn nested(open: &str, close: &str) -> Vec<u8> {
    [open.repeat(DEPTH), close.repeat(DEPTH)].concat().into_bytes()
}

fn perfetto() -> Vec<HostileFile> {
    let mut message = Vec::new();
    for _ in 0..2000 {
        message = bytes(11, &message);
    }
    let switch = |time: u64, cpu: u64, previous: u64, next: u64| {
        let event =
            [bytes(1, b"a"), number(2, previous), number(4, 1), bytes(5, b"b"), number(6, next)];
        let event = [number(1, time), number(2, previous), bytes(4, &event.concat())].concat();
        packet(&[bytes(1, &[number(1, cpu), bytes(2, &event)].concat())])
    };
    let snapshot = |clock: u64, time: u64| bytes(1, &[number(1, clock), number(2, time)].concat());
    let snapshots = |pairs: &[(u64, u64)]| {
        let clocks: Vec<u8> =
            pairs.iter().flat_map(|(clock, time)| snapshot(*clock, *time)).collect();
        packet(&[bytes(6, &clocks)])
    };
    let slice = |time: u64, kind: u64| {
        packet(&[
            number(8, time),
            number(10, 1),
            bytes(11, &[number(9, kind), number(11, 7), bytes(23, b"f")].concat()),
        ])
    };
    let opened: Vec<u8> = (0..300_000).flat_map(|nth| slice(nth, 1)).collect();
    let tree: Vec<u8> = (1..100_000_u64)
        .flat_map(|pid| {
            bytes(1, &[number(1, pid), number(2, pid % 99_999 + 1), bytes(3, b"p")].concat())
        })
        .collect();
    let tracks: Vec<u8> = (1..20_000_u64)
        .flat_map(|id| {
            packet(&[bytes(
                60,
                &[number(1, id), number(5, id % 19_999 + 1), bytes(2, b"t")].concat(),
            )])
        })
        .collect();
    let cpus: Vec<u8> = (0..64).flat_map(|nth| switch(1000, 1 << nth, 1, 2)).collect();
    let frequencies: Vec<u8> = (0..60_u64)
        .flat_map(|nth| {
            let event = [
                number(1, 1 << nth),
                number(2, 0),
                bytes(13, &[number(1, u64::MAX - nth), number(2, nth)].concat()),
            ];
            packet(&[bytes(1, &[number(1, nth), bytes(2, &event.concat())].concat())])
        })
        .collect();
    let rails: Vec<u8> = (0..1000_u64)
        .flat_map(|nth| {
            let value = [number(1, nth), number(2, nth), number(3, u64::MAX / (nth + 1))].concat();
            packet(&[number(8, nth << 50), bytes(40, &bytes(2, &value))])
        })
        .collect();
    let compact = {
        let packed = |field: u64, values: &[u64]| {
            bytes(field, &values.iter().flat_map(|it| varint(*it)).collect::<Vec<_>>())
        };
        let sched = [
            packed(1, &[u64::MAX; 50]),
            packed(2, &[1; 100_000]),
            packed(3, &[u64::MAX; 3]),
            packed(4, &[0]),
        ];
        packet(&[bytes(1, &[number(1, 0), bytes(4, &sched.concat())].concat())])
    };
    files(
        Reader::Trace,
        vec![
            ("length-of-4-gb.perfetto-trace", claimed(1, u64::from(u32::MAX), &[0; 10])),
            ("length-of-2-63.perfetto-trace", claimed(1, 1 << 63, &[0; 10])),
            ("length-of-2-64.perfetto-trace", claimed(1, u64::MAX, &[0; 10])),
            ("overlong-number.perfetto-trace", [&[0x0a][..], &[0xff; 40]].concat()),
            ("deep-message.perfetto-trace", packet(&[number(8, 1), message])),
            ("opened-slices.perfetto-trace", opened),
            ("process-cycle.perfetto-trace", packet(&[number(8, 1), bytes(2, &tree)])),
            ("track-cycle.perfetto-trace", tracks),
            ("huge-cpus.perfetto-trace", cpus),
            ("huge-frequencies.perfetto-trace", frequencies),
            ("rail-leaps.perfetto-trace", rails),
            ("compact-switches.perfetto-trace", compact),
            (
                "time-of-2-64.perfetto-trace",
                [switch(u64::MAX, 0, 1, 2), switch(0, 0, 2, 1), switch(1 << 63, 0, 1, 2)].concat(),
            ),
            (
                "times-of-centuries.perfetto-trace",
                [switch(1, 0, 1, 2), switch(i64::MAX as u64, 0, 2, 1)].concat(),
            ),
            (
                "contradicting-clocks.perfetto-trace",
                [
                    snapshots(&[(6, 1), (1, u64::MAX), (3, 1 << 63)]),
                    switch(5, 0, 1, 2),
                    snapshots(&[(6, 2), (1, 0), (3, 1)]),
                    switch(9, 0, 2, 1),
                ]
                .concat(),
            ),
            ("only-packed-of-nothing.perfetto-trace", packet(&[bytes(50, &[])]).repeat(50_000)),
            (
                "million-empty-packets.perfetto-trace",
                [packet(&[number(8, 1)]), packet(&[]).repeat(1_000_000)].concat(),
            ),
        ],
    )
}

fn kernel_texts() -> Vec<HostileFile> {
    let line = |time: &str, event: &str| format!("  a-1  [000] d..3 {time}: {event}\n");
    let switch = "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120";
    let head = "# tracer: nop\n#\n".to_owned();
    let times = [
        "99999999999999.999999",
        "-5.000001",
        "0.000000",
        "1e9",
        "nan",
        "18446744073.709551615",
        "1.0000000000000000001",
    ];
    let odd_times: Vec<_> = times.iter().map(|time| line(time, switch)).collect();
    let begins: Vec<_> =
        (0..100_000).map(|nth| line(&format!("1.{nth:06}"), "tracing_mark_write: B|1|f")).collect();
    let cpu = |nth: u64| format!("  a-1  [{nth}] d..3 1.000001: {switch}\n");
    let cpus: Vec<_> = (0..20).map(|nth| cpu(10_u64.pow(nth.min(19)))).collect();
    let numbers = "sched_switch: prev_comm=a prev_pid=-2147483648 prev_prio=-1 prev_state=S ==> next_comm=b next_pid=99999999999 next_prio=x";
    let frequencies = ["18446744073709551615", "-1", "0", "4294967295"]
        .map(|state| line("2.000001", &format!("cpu_frequency: state={state} cpu_id=4294967295")));
    files(
        Reader::Trace,
        vec![
            ("odd-times.ftrace.txt", text(&[vec![head.clone()], odd_times].concat())),
            ("opened.ftrace.txt", text(&[vec![head.clone()], begins].concat())),
            ("cpus.ftrace.txt", text(&[vec![head.clone()], cpus].concat())),
            ("numbers.ftrace.txt", text(&[head.clone(), line("1.0", numbers), line("2.0", numbers)])),
            ("frequencies.ftrace.txt", text(&[vec![head.clone()], frequencies.to_vec()].concat())),
            ("long-line.ftrace.txt", text(&[head.clone(), line("1.000001", &format!("tracing_mark_write: B|1|{}", "x".repeat(20 << 20)))])),
            ("no-body.systrace.html", b"<!DOCTYPE html><script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n".to_vec()),
            ("packed.atrace.txt", [b"TRACE:\n\x78\x9c".as_slice(), &[0xff; 5000]].concat()),
        ],
    )
}

/// Files of trace-cmd, version 6, whose tables claim more than there is.
fn trace_dat() -> Vec<HostileFile> {
    let head = |version: &str, page: u32| {
        [b"\x17\x08\x44tracing".as_slice(), version.as_bytes(), &[0, 0, 8], &page.to_le_bytes()]
            .concat()
    };
    let header = |name: &str, size: u64, body: &[u8]| {
        [name.as_bytes(), &[0], &size.to_le_bytes(), body].concat()
    };
    let page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";
    let pages =
        [header("header_page", page.len() as u64, page.as_bytes()), header("header_event", 0, b"")]
            .concat();
    let ends = |counts: [u32; 5]| counts.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let mut list = Vec::new();
    for version in ["6", "7"] {
        for size in [0, 256, 4096, u32::MAX] {
            list.push(("page", [head(version, size), pages.clone(), ends([0; 5])].concat()));
        }
        for at in 0..5 {
            let mut counts = [0; 5];
            counts[at] = u32::MAX;
            list.push((
                "count",
                [head(version, 4096), pages.clone(), ends(counts), vec![0; 4096]].concat(),
            ));
        }
        list.push((
            "header",
            [head(version, 4096), header("header_page", u64::MAX, b"x")].concat(),
        ));
    }
    let numbered = list.into_iter().enumerate();
    numbered
        .map(|(nth, (name, file))| {
            HostileFile::new(format!("{name}-{nth}.trace.dat"), Reader::Trace, file)
        })
        .collect()
}

fn method_traces() -> Vec<HostileFile> {
    let keys = |version: u32, options: &str, threads: &str, methods: &str| {
        format!("*version\n{version}\ndata-file-overflow=false\nclock=dual\n{options}*threads\n{threads}*methods\n{methods}*end\n").into_bytes()
    };
    let records = |count: u32, action: fn(u32) -> u32, time: fn(u32) -> u32| {
        let mut data =
            [b"SLOW".as_slice(), &[3, 0, 32, 0], &1_u64.to_le_bytes(), &[14, 0], &[0; 14]].concat();
        for nth in 0..count {
            data.extend(1_u16.to_le_bytes());
            data.extend(action(nth).to_le_bytes());
            data.extend(time(nth).to_le_bytes());
            data.extend(time(nth).to_le_bytes());
        }
        data
    };
    let plain = || keys(3, "", "1\tmain\n", "0x4\ta.B\tf\t()V\tB.java\t1\n");
    let cycle = "0x4\ta\tf\t()V\n".repeat(100_000);
    let streaming = |kind: u8, size: u16| {
        [
            b"SLOW".as_slice(),
            &[0xf3, 0, 32, 0],
            &0_u64.to_le_bytes(),
            &[14, 0],
            &[0; 14],
            &[0, 0, kind],
            &size.to_le_bytes(),
            b"x",
        ]
        .concat()
    };
    let packets = |block: &[u8]| {
        // Version 5 in packets: the header, then a block.
        [b"SLOW".as_slice(), &[5, 0], &0_u64.to_le_bytes(), &[0; 32], block].concat()
    };
    files(
        Reader::Trace,
        vec![
            ("entries.trace", [plain(), records(400_000, |_| 4, |nth| nth)].concat()),
            ("exits.trace", [plain(), records(100_000, |_| 5, |nth| nth)].concat()),
            ("backwards.trace", [plain(), records(1000, |nth| 4 + nth % 2, |nth| u32::MAX - nth)].concat()),
            ("leaps.trace", [plain(), records(1000, |nth| 4 + nth % 2, |nth| if nth % 3 == 0 { u32::MAX } else { nth })].concat()),
            ("unknown-methods.trace", [plain(), records(100_000, |nth| nth << 2, |nth| nth)].concat()),
            ("same-methods.trace", [keys(3, "", "1\tmain\n", &cycle), records(10, |_| 4, |nth| nth)].concat()),
            ("version.trace", [keys(u32::MAX, "", "", ""), records(1, |_| 4, |nth| nth)].concat()),
            ("options.trace", [keys(3, "elapsed-time-usec=-1\nnum-method-calls=99999999999999999999\nclock-call-overhead-nsec=18446744073709551615\npid=-7\n", "", ""), records(9, |_| 4, |nth| nth)].concat()),
            ("long-thread.trace", [keys(3, "", &format!("1\t{}\n", "n".repeat(3 << 20)), ""), records(9, |_| 4, |nth| nth)].concat()),
            ("no-end.trace", b"*version\n3\nclock=dual\n*threads\n1\tmain\n".to_vec()),
            ("stream-method.trace", streaming(1, u16::MAX)),
            ("stream-thread.trace", streaming(2, u16::MAX)),
            ("stream-summary.trace", streaming(3, u16::MAX)),
            ("packets-block.trace", packets(&[&[0][..], &[0xff; 40]].concat())),
            ("packets-entries.trace", packets(&[&[2][..], &[0xff; 4], &[0; 9000]].concat())),
        ],
    )
}

fn sampled_stacks() -> Vec<HostileFile> {
    let frames = "\t    7f0000001000 f (/lib/x.so)\n";
    let sample = |time: &str, count: usize| {
        format!("a 1/1 [000] {time}: 250000 cpu-clock:\n{}\n", frames.repeat(count))
    };
    let perf_header = |attributes: u64, data: u64, size: u64| {
        let mut file = b"PERFILE2".to_vec();
        for word in [104, 144, 104, attributes, 248, data, 0, 0, u64::MAX, u64::MAX, 0, 0] {
            file.extend(u64::to_le_bytes(word));
        }
        file.resize(104, 0xff);
        file.resize(248, 0);
        file.extend(vec![9, 0, 0, 0, 2, 0, size as u8, (size >> 8) as u8]);
        file.resize(4096, 1);
        file
    };
    let proto = |record: Vec<u8>| {
        let length = (record.len() as u32).to_le_bytes();
        [b"SIMPLEPERF\x01\0".as_slice(), &length, &record, &[0; 4]].concat()
    };
    files(
        Reader::Trace,
        vec![
            ("deep.perf-script.txt", sample("1.000001", DEPTH).into_bytes()),
            (
                "times.perf-script.txt",
                text(&["-1.5", "nan", "99999999999999999999.1", "0.0"].map(|time| sample(time, 2))),
            ),
            ("deep.folded", format!("{} 1\n", "f;".repeat(DEPTH)).into_bytes()),
            (
                "numbers.folded",
                b"a;b 18446744073709551616\na;b -1\na;b nan\n;;; 1\na 1e400\n".to_vec(),
            ),
            (
                "wide.folded",
                (0..100_000).flat_map(|nth| format!("a;b{nth} 1\n").into_bytes()).collect(),
            ),
            ("attributes.perf.data", perf_header(u64::MAX, 100, 64)),
            ("data.perf.data", perf_header(144, u64::MAX, 64)),
            ("empty-records.perf.data", perf_header(144, 3000, 0)),
            ("long-record.perf.data", perf_header(144, 3000, 65_535)),
            ("other-order.perf.data", [b"2ELIFREP".as_slice(), &[0xff; 400]].concat()),
            (
                "pipe.perf.data",
                [b"PERFILE2".as_slice(), &16_u64.to_le_bytes(), &[0xff; 4000]].concat(),
            ),
            (
                "record-of-4-gb.simpleperf",
                [b"SIMPLEPERF\x01\0".as_slice(), &[0xff; 4], &[0; 30]].concat(),
            ),
            (
                "deep.simpleperf",
                proto(bytes(
                    1,
                    &(0..DEPTH as u64)
                        .flat_map(|nth| bytes(3, &[number(1, nth), number(2, u64::MAX)].concat()))
                        .collect::<Vec<_>>(),
                )),
            ),
        ],
    )
}

fn logs() -> Vec<HostileFile> {
    let line = |date: &str, message: &str| format!("{date}  1000  1000 I wattle: {message}\n");
    let dates = [
        "13-45 99:99:99.999",
        "02-30 24:60:60.000",
        "00-00 00:00:00.000",
        "07-01 12:00:00.000000001",
        "99999999999.999",
    ];
    let begins: Vec<_> =
        (0..100_000).map(|nth| line("07-01 12:00:00.000", &format!("> {nth} {nth}"))).collect();
    let tests: Vec<_> = (0..20_000)
        .map(|nth| format!("07-01 12:00:00.000  1  1 I TestRunner: started: t{nth}(a.B)\n"))
        .collect();
    files(
        Reader::Trace,
        vec![
            ("dates.logcat.txt", text(&dates.map(|date| line(date, "a")))),
            ("begins.logcat.txt", text(&begins)),
            ("tests.logcat.txt", text(&tests)),
            ("long-line.logcat.txt", text(&[line("07-01 12:00:00.000", "a"), line("07-01 12:00:00.000", &"x".repeat(20 << 20))])),
            ("backwards.logcat.txt", text(&(0..2000).rev().map(|nth| line(&format!("07-01 12:{:02}:{:02}.000", nth / 60 % 60, nth % 60), "a")).collect::<Vec<_>>())),
            ("entry.logcat.bin", [&[0xff, 0xff, 28, 0][..], &[0xff; 4000]].concat()),
            ("deep.navitas.json", nested("[", "]")),
            ("deep-objects.navitas.json", nested("{\"a\":", "}")),
            ("runs.benchmarkData.json", b"{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"metrics\":{\"x\":{\"runs\":[1e999,-1,null]}}}]}".to_vec()),
        ],
    )
}

fn statistics() -> Vec<HostileFile> {
    let head = "9,0,i,vers,35,195,A,B\n".to_owned();
    let huge = "9,10100,l,cpu,18446744073709551615,-1,0\n9,0,l,bt,0,99999999999999999999,-5,nan,1,2,3,4,5\n9,0,l,pwi,uid,1e308,1,0,0\n";
    let history: Vec<_> = (0..50_000)
        .map(|nth| format!("9,h,{nth}000:TIME:{nth},Bl={nth},Bv=0,Bt=-9999,+w={nth}\n"))
        .collect();
    let report = |line: &str| {
        format!(
            "Battery History (0% used):\n{line}\nStatistics since last charge:\n  Time on battery: 99999d 1h (1e99%)\n  Estimated power use (mAh):\n    Capacity: -1, Computed drain: nan, actual drain: inf\n    Uid u0a1: 1e400 ( cpu=-5 )\n"
        )
    };
    files(
        Reader::Trace,
        vec![
            ("huge.checkin.txt", text(&[head.clone(), huge.to_owned()])),
            ("history.checkin.txt", text(&[vec![head.clone()], history].concat())),
            ("commas.checkin.txt", text(&[head, format!("9,0,l,{}\n", ",".repeat(60_000))])),
            ("times.batterystats.txt", report("   +99999999999999d23h59m59s999ms (2) 100 volt=-1 current=99999999999999999999").into_bytes()),
            ("levels.batterystats.txt", report(&"   +1s000ms (1) 255 volt=0 temp=-400\n".repeat(10_000)).into_bytes()),
            ("bugreport.txt", [b"== dumpstate: 2026-99-99 99:99:99\n".as_slice(), &b"------ X (y) ------\n".repeat(50_000)].concat()),
            ("bugreport.zip", zip(&[ZipEntry::stored("version.txt", b"9.9"), ZipEntry::stored("main_entry.txt", b"../../etc/passwd"), ZipEntry::deflated("bugreport-x.txt", &b"== dumpstate: 2026-01-01 00:00:00\n".repeat(1000))])),
        ],
    )
}

fn meters() -> Vec<HostileFile> {
    let table = |rows: &[&str]| format!("time,power\n{}\n", rows.join("\n")).into_bytes();
    let rows: Vec<_> = (0..200_000).map(|nth| format!("{nth},1e300")).collect();
    let leaps = (0..1000)
        .map(|nth| if nth % 2 == 0 { format!("{nth}e15,1") } else { format!("{nth}e-15,-1") });
    let columns = format!("time{}\n1{}\n", ",power".repeat(50_000), ",1".repeat(50_000));
    let binary = |magic: &[u8], size: usize| [magic, &vec![0xff; size]].concat();
    files(
        Reader::Meter,
        vec![
            ("nan.meter.csv", table(&["0,nan", "1,nan", "nan,1", "inf,1"])),
            ("negative.meter.csv", table(&["-5,-1", "-4,-1e308", "-3,-1"])),
            ("huge.meter.csv", table(&rows.iter().map(String::as_str).collect::<Vec<_>>())),
            (
                "leaps.meter.csv",
                table(&leaps.collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>()),
            ),
            ("same-time.meter.csv", table(&["1,1"; 5000])),
            ("columns.meter.csv", columns.into_bytes()),
            (
                "long-cell.meter.csv",
                format!("time,power\n1,{}\n", "9".repeat(5 << 20)).into_bytes(),
            ),
            ("one-row.meter.csv", table(&["1,1"])),
            ("quotes.meter.csv", table(&["\"1,\"\"", "\"\"\"\"\"", "'1','2'"])),
            ("jls.meter.jls", binary(b"jlsfmt\r\n \n \x1a  \xb2\x1c", 4000)),
            ("pt4.meter.pt4", binary(&[0xd4, 0, 0, 0], 8000)),
            (
                "battor.meter.txt",
                b"# BattOr\n# voltage_range [0.0, nan]\n1e9 -5 nan\n0 0 0\n".to_vec(),
            ),
        ],
    )
}
