//! What a pair of probes costs on the test runtime, which interprets: run with `--nocapture` to see the figures.
//!
//! Nothing is held against them: they are figures of the machine they are made on.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]
#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

mod art;
#[path = "art/runtime_program.rs"]
mod runtime_program;

use art::ArtHost;
use runtime_program::{Lines, Program};
use wattle_dex::Opcode;
use wattle_probe::{MapId, ProbeArgument, ProbeEvent, Runtime, Sink};

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

#[test]
fn pairs_of_probes() {
    let Some(art) = ArtHost::find() else { return };
    let art = art.with_only(&silent_framework());
    let folder = tempfile::tempdir().unwrap();
    println!("sink     empty call  pair  pair without drain   (ns)");
    for sink in [Sink::Trace, Sink::File, Sink::Logcat, Sink::Orka, Sink::Navitas] {
        let runtime = Runtime { sink, map: MapId::of(b"map"), package: None, calibration: true };
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
