//! The cost of a pair of probes on the test runtime, which interprets: run with `--nocapture` to see the figures.
//!
//! Nothing is held against them: they are figures of the machine they are made on.

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

use crate::art::ArtHost;
use crate::runtime_program::{Lines, Program};
use crate::runtime_reader::{read_file, read_log};
use wattle_dex::{AccessFlags, Opcode};
use wattle_probe::{
    ClassPattern, CodeFile, MapId, Options, ProbeArgument, ProbeEvent, Runtime, ShortMethods, Sink,
    instrument,
};
use wattle_testdata::requires;

/// Times that each loop is run; the fastest counts.
const REPEATS: i32 = 7;

/// Prints, for each repeat, the nanoseconds of a loop of empty calls, of a loop of pairs of probes, and of a thousand
/// pairs, which fit into a buffer, so that nothing is drained.
fn program(sink: Sink) -> Vec<u8> {
    let mut program = Program::new();
    program.class("LMain;", &[], |class| {
        class.method("nothing(I)V", (0, 1), nothing);
        class.method("empty(I)V", (1, 1), |lines| {
            loop_of(lines, |lines| {
                lines.stat("LMain;->nothing(I)V", &[0]);
            });
        });
        let text = sink.argument(ProbeEvent::Enter) == Some(ProbeArgument::Text);
        class.method("pair(I)V", (2, 1), |lines| {
            lines.text(1, "com.example.Main.method #1k2@9f86d081");
            let register = u16::from(text);
            loop_of(lines, |lines| {
                lines.probe(sink, ProbeEvent::Enter, register);
                lines.probe(sink, ProbeEvent::Exit, register);
            });
        });
        class.method("main([Ljava/lang/String;)V", (4, 1), |lines| {
            for _ in 0..REPEATS {
                for method in ["empty", "pair"] {
                    lines.number(0, 4, 0);
                    timed(lines, method);
                }
                // Into a buffer that the timer has just emptied.
                lines.code.const_wide(2, 400);
                lines.stat("Ljava/lang/Thread;->sleep(J)V", &[2, 3]).int(0, 1_000);
                timed(lines, "pair");
            }
            lines.int(0, 0).stat("Ljava/lang/System;->exit(I)V", &[0]).end();
        });
    });
    program.bytes()
}

fn nothing(lines: &mut Lines<'_>) {
    lines.end();
}

/// Repeats a body as often as the argument says, with the count in v0.
fn loop_of(lines: &mut Lines<'_>, body: impl FnOnce(&mut Lines<'_>)) {
    let count = lines.code.argument(0);
    let (next, done) = (lines.code.label(), lines.code.label());
    lines.int(0, 0).place(next).branch(Opcode::IF_GE, &[0, count], done);
    body(lines);
    lines.literal(Opcode::ADD_INT_LIT8, &[0, 0], 1).goto(next).place(done).end();
}

/// Calls a method with v0 and prints how long it took.
fn timed(lines: &mut Lines<'_>, method: &str) {
    lines
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .op(Opcode::MOVE_RESULT_WIDE, &[2])
        .stat(&format!("LMain;->{method}(I)V"), &[0])
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .op(Opcode::MOVE_RESULT_WIDE, &[0])
        .op(Opcode::SUB_LONG_2ADDR, &[0, 2])
        .field(Opcode::SGET_OBJECT, &[2], "Ljava/lang/System;->out:Ljava/io/PrintStream;")
        .virt("Ljava/io/PrintStream;->println(J)V", &[2, 0, 1]);
}

/// Framework classes that do nothing: what they do on a device cannot be measured here.
fn silent_framework() -> Vec<u8> {
    let mut program = Program::new();
    program.class("Landroid/os/Trace;", &[], |class| {
        class.method("beginSection(Ljava/lang/String;)V", (0, 1), nothing);
        class.method("endSection()V", (0, 0), nothing);
    });
    program.class("Landroid/util/Log;", &[], |class| {
        for level in ["i", "d"] {
            class.method(
                &format!("{level}(Ljava/lang/String;Ljava/lang/String;)I"),
                (1, 2),
                |lines| {
                    lines.int(0, 0).op(Opcode::RETURN, &[0]);
                },
            );
        }
    });
    program.bytes()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn pairs_of_probes() {
    let art = ArtHost::new();
    let art = art.with_only(&silent_framework());
    let folder = tempfile::tempdir().unwrap();
    println!("sink     empty call  pair  pair without drain   (ns)");
    for sink in [Sink::Trace, Sink::File, Sink::Logcat, Sink::Orka, Sink::Navitas] {
        let runtime =
            Runtime { sink, map: MapId::from_bytes(b"map"), package: None, calibration: true };
        let class_path = [("main.dex", program(sink)), ("probe.dex", runtime.write(35).unwrap())]
            .map(|(name, bytes)| {
                let path = folder.path().join(name);
                std::fs::write(&path, bytes).unwrap();
                path
            });
        // Navitas reads files for each event.
        let count: u32 = if sink == Sink::Navitas { 500 } else { 100_000 };
        let option = format!("-Dwattle.dir={}", folder.path().display());
        let output = art.run(&class_path, "Main", &[count.to_string()], &[&option]);
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let times: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(times.len(), 3 * REPEATS as usize);
        let best = |column: usize, count: u32| {
            let fastest = times.iter().skip(column).step_by(3).min().unwrap();
            *fastest as f64 / f64::from(count)
        };
        let (empty, pair, alone) = (best(0, count), best(1, count), best(2, 1_000));
        println!("{:8} {empty:10.0} {pair:5.0} {alone:19.0}", format!("{sink:?}"));
    }
}

/// `android.os.Trace` that keeps the time of each call, for `dump` to print those of the first 256 pairs.
fn timing_framework() -> Vec<u8> {
    let (times, at) = ("Landroid/os/Trace;->times:[J", "Landroid/os/Trace;->at:I");
    let keep = |lines: &mut Lines<'_>| {
        let full = lines.code.label();
        lines
            .field(Opcode::SGET_OBJECT, &[0], times)
            .field(Opcode::SGET, &[1], at)
            .stat("Ljava/lang/System;->nanoTime()J", &[])
            .op(Opcode::MOVE_RESULT_WIDE, &[2])
            .op(Opcode::APUT_WIDE, &[2, 0, 1])
            .literal(Opcode::ADD_INT_LIT8, &[1, 1], 1)
            .op(Opcode::ARRAY_LENGTH, &[2, 0])
            // The last place is written again and again.
            .branch(Opcode::IF_GE, &[1, 2], full)
            .field(Opcode::SPUT, &[1], at)
            .place(full)
            .end();
    };
    let mut program = Program::new();
    program.class("Landroid/os/Trace;", &[], |class| {
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        class.field("times", "[J", access);
        class.field("at", "I", access);
        class.method("<clinit>()V", (1, 0), |lines| {
            lines
                .int(0, 1_000)
                .typed(Opcode::NEW_ARRAY, &[0, 0], "[J")
                .field(Opcode::SPUT_OBJECT, &[0], times)
                .end();
        });
        class.method("isEnabled()Z", (1, 0), |lines| {
            lines.int(0, 1).op(Opcode::RETURN, &[0]);
        });
        class.method("beginSection(Ljava/lang/String;)V", (4, 1), keep);
        class.method("endSection()V", (4, 0), keep);
        class.method("dump()V", (6, 0), |lines| {
            let (next, done) = (lines.code.label(), lines.code.label());
            lines
                .field(Opcode::SGET_OBJECT, &[0], times)
                .field(Opcode::SGET_OBJECT, &[5], "Ljava/lang/System;->err:Ljava/io/PrintStream;")
                .int(1, 0)
                .int(4, 512)
                .place(next)
                .branch(Opcode::IF_GE, &[1, 4], done)
                .op(Opcode::AGET_WIDE, &[2, 0, 1])
                .virt("Ljava/io/PrintStream;->println(J)V", &[5, 2, 3])
                .literal(Opcode::ADD_INT_LIT8, &[1, 1], 1)
                .goto(next)
                .place(done)
                .end();
        });
    });
    program.bytes()
}

/// Times that each loop is run in a process.
const IN_APP: i32 = 3;
/// Calls of a probed method in one loop.
const PROBED: i32 = 100_000;
/// So many that their records fit into a buffer.
const UNDRAINED: i32 = 1_000;

/// Prints, for each repeat, how long loops of calls take of a method without probes and of the same one with probes,
/// the latter also in so small a number that nothing is drained.
fn app(sink: Sink) -> Vec<u8> {
    let mut program = Program::new();
    for class in ["LWork;", "LPlain;"] {
        program.class(class, &[], |class| class.method("empty()V", (1, 0), nothing));
    }
    program.class("LMain;", &[], |class| {
        for (name, empty) in
            [("plain(I)V", "LPlain;->empty()V"), ("probed(I)V", "LWork;->empty()V")]
        {
            class.method(name, (1, 1), |lines| {
                loop_of(lines, |lines| {
                    lines.stat(empty, &[]);
                });
            });
        }
        class.method("main([Ljava/lang/String;)V", (4, 1), |lines| {
            for _ in 0..IN_APP {
                for method in ["plain", "probed"] {
                    lines.int(0, PROBED);
                    timed(lines, method);
                }
                lines.code.const_wide(2, 700);
                lines.stat("Ljava/lang/Thread;->sleep(J)V", &[2, 3]).int(0, UNDRAINED);
                timed(lines, "probed");
            }
            if sink == Sink::Trace {
                lines.stat("Landroid/os/Trace;->dump()V", &[]);
            }
            lines.int(0, 0).stat("Ljava/lang/System;->exit(I)V", &[0]).end();
        });
    });
    program.bytes()
}

/// A reader's view of the runtime's own pairs: the medians of the later half's distances of entries, and of the
/// time from entry to exit.
fn medians(pairs: &[(i64, i64)]) -> (i64, i64) {
    assert_eq!(pairs.len(), 256);
    let later = &pairs[128..];
    let median = |mut values: Vec<i64>| {
        values.sort_unstable();
        values[values.len() / 2]
    };
    let distances = later.windows(2).map(|it| it[1].0 - it[0].0).collect();
    (median(distances), median(later.iter().map(|(begin, end)| end - begin).collect()))
}

#[requires(env = "WATTLE_ART")]
#[test]
fn the_pairs_of_the_runtime_beside_a_rewritten_method() {
    let art = ArtHost::new();
    let art = art.with_only(&timing_framework());
    println!("sink     pair inside all 256 | plain  probed-plain: best median drained  (ns) ratio");
    // The runtime times once a process, and others use the machine: the middle one of some lines is meant.
    let sinks = [Sink::Trace, Sink::File, Sink::Logcat];
    for sink in sinks.into_iter().flat_map(|sink| [sink; 5]) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.sink = sink;
        options.short_methods = ShortMethods::Probe;
        options.scope.include = vec![ClassPattern::new("Work")];
        let file = CodeFile { name: "main.dex".to_owned(), bytes: app(sink).into() };
        let made = instrument(&[file], &options).unwrap();
        assert_eq!(made.counts.methods_probed, 1);
        let class_path = [("main.dex", &made.files[0].bytes), ("probe.dex", &made.runtime)].map(
            |(name, bytes)| {
                let path = folder.path().join(name);
                std::fs::write(&path, bytes).unwrap();
                path
            },
        );
        let records = folder.path().join("records");
        let option = format!("-Dwattle.dir={}", records.display());
        let output = art.run::<&str>(&class_path, "Main", &[], &[&option]);
        assert!(output.status.success(), "{sink:?}: {}", output.status);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let pairs = match sink {
            Sink::Trace => {
                let times: Vec<i64> = said.lines().map(|line| line.parse().unwrap()).collect();
                times.chunks(2).map(|pair| (pair[0], pair[1])).collect()
            }
            Sink::File => {
                let file = std::fs::read_dir(records).unwrap().next().unwrap().unwrap();
                read_file(&std::fs::read(file.path()).unwrap()).calibrated().pairs.clone()
            }
            _ => read_log(&said).calibrated().pairs.clone(),
        };
        let (pair, inside) = medians(&pairs);
        let whole = pairs[255].1 - pairs[0].0;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let times: Vec<f64> = printed.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(times.len(), 3 * IN_APP as usize);
        let sorted = |column: usize, count: i32| {
            let mut each: Vec<_> =
                times.iter().skip(column).step_by(3).map(|it| it / f64::from(count)).collect();
            each.sort_by(f64::total_cmp);
            each
        };
        let middle = IN_APP as usize / 2;
        let (plain, drained, alone) = (sorted(0, PROBED), sorted(1, PROBED), sorted(2, UNDRAINED));
        let cost = |probed: f64| probed - plain[middle];
        println!(
            "{:8} {pair:4} {inside:6} {whole:7} | {:5.0} {:18.0} {:6.0} {:7.0}       {:.2}",
            format!("{sink:?}"),
            plain[middle],
            cost(alone[0]),
            cost(alone[middle]),
            cost(drained[middle]),
            pair as f64 / cost(alone[middle]),
        );
    }
}
