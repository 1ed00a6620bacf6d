//! The runtime's own pairs: how many, by whom, when.

use std::collections::BTreeMap;
use std::process::Output;

use crate::art::{ArtHost, calibrated};
use crate::runtime_program::{Lines, Program, script};
use crate::runtime_reader::{Reading, read_file, read_log};
use wattle_dex::{AccessFlags, Opcode};
use wattle_probe::ProbeEvent::{self, Call, Enter, Exit, Unwind};
use wattle_probe::{MapId, ProbeArgument, Runtime, Sink};
use wattle_testdata::requires;

/// The sinks that time their probes.
const SINKS: [Sink; 3] = [Sink::Trace, Sink::File, Sink::Logcat];

/// The output of one run.
struct Ran {
    output: Output,
    file: Option<Vec<u8>>,
}

impl Ran {
    fn printed(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The output of the sinks of records.
    fn reading(&self) -> Reading {
        self.file.as_ref().map_or_else(|| read_log(&self.printed()), |bytes| read_file(bytes))
    }
}

#[track_caller]
fn run(art: &ArtHost, sink: Sink, program: &[u8], calibration: bool) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime { sink, map: MapId::from_bytes(b"map"), package: None, calibration };
    let runtime = runtime.write(35).unwrap();
    let class_path = [("main.dex", program), ("probe.dex", &runtime)].map(|(name, bytes)| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    });
    let made = folder.path().join("made");
    let option = format!("-Dwattle.dir={}", made.display());
    let output = art.run::<&str>(&class_path, "Main", &[], &[&option]);
    assert!(output.status.success(), "{output:?}");
    let file = std::fs::read_dir(made).ok().map(|mut files| {
        let bytes = std::fs::read(files.next().unwrap().unwrap().path()).unwrap();
        assert!(files.next().is_none());
        bytes
    });
    Ran { output, file }
}

/// A probe with a number, as each sink takes it; v0 is used.
fn probe<'l, 'f>(
    lines: &'l mut Lines<'f>,
    sink: Sink,
    event: ProbeEvent,
    id: i32,
) -> &'l mut Lines<'f> {
    match sink.argument(event).unwrap() {
        ProbeArgument::None => lines,
        ProbeArgument::Id => lines.int(0, id),
        ProbeArgument::Text => lines.text(0, &format!("some.Class.method #{id}@0badcafe")),
    }
    .probe(sink, event, 0)
}

/// Threads that have their first probe at the same time.
const RACERS: i32 = 6;
/// Calls of each.
const CALLS: i32 = 5;

/// Starts threads that wait for a word and then all enter and leave a method some times.
fn race(sink: Sink) -> Vec<u8> {
    let go = "LMain;->go:Z";
    let mut program = Program::new();
    program.class("LMain;", &["Ljava/lang/Runnable;"], |class| {
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC | AccessFlags::VOLATILE;
        class.field("go", "Z", access);
        class.method("<init>()V", (0, 1), |lines| {
            lines.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0]).end();
        });
        class.method("run()V", (1, 1), |lines| {
            let wait = lines.code.here();
            lines.field(Opcode::SGET_BOOLEAN, &[0], go).branch(Opcode::IF_EQZ, &[0], wait);
            for _ in 0..CALLS {
                probe(lines, sink, Enter, 7);
                probe(lines, sink, Exit, 7);
            }
            lines.end();
        });
        class.method("main([Ljava/lang/String;)V", (5, 1), |lines| {
            let (list, at, thread, main) = (0, 1, 2, 3);
            let (next, started, join) =
                (lines.code.label(), lines.code.label(), lines.code.label());
            let done = lines.code.label();
            lines
                .int(4, RACERS)
                .typed(Opcode::NEW_ARRAY, &[list, 4], "[Ljava/lang/Thread;")
                .int(at, 0)
                .place(next)
                .branch(Opcode::IF_GE, &[at, 4], started)
                .create(main, "LMain;-><init>()V", &[])
                .create(thread, "Ljava/lang/Thread;-><init>(Ljava/lang/Runnable;)V", &[main])
                .op(Opcode::APUT_OBJECT, &[thread, list, at])
                .virt("Ljava/lang/Thread;->start()V", &[thread])
                .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
                .goto(next)
                .place(started)
                .int(at, 1)
                .field(Opcode::SPUT_BOOLEAN, &[at], go)
                .int(at, 0)
                .place(join)
                .branch(Opcode::IF_GE, &[at, 4], done)
                .op(Opcode::AGET_OBJECT, &[thread, list, at])
                .virt("Ljava/lang/Thread;->join()V", &[thread])
                .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
                .goto(join)
                .place(done)
                .int(0, 0)
                .stat("Ljava/lang/System;->exit(I)V", &[0])
                .end();
        });
    });
    program.bytes()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn of_threads_that_begin_together_one_makes_the_pairs() {
    let art = ArtHost::new();
    let mut chosen = BTreeMap::<String, u32>::new();
    for sink in SINKS {
        let program = race(sink);
        for _ in 0..12 {
            let ran = run(&art, sink, &program, true);
            let pair = [(Enter, 7), (Exit, 7)];
            if sink == Sink::Trace {
                let printed = ran.printed();
                let apart = calibrated::apart(&printed);
                *chosen.entry(apart.pairs.unwrap().0.to_owned()).or_default() += 1;
                let mut threads = BTreeMap::<&str, Vec<&str>>::new();
                for line in &apart.rest {
                    threads.entry(line.split(' ').nth(1).unwrap()).or_default().push(&line[..1]);
                }
                assert_eq!(threads.len(), RACERS as usize);
                assert!(threads.values().all(|it| *it == ["B", "E"].repeat(CALLS as usize)));
            } else {
                let reading = ran.reading();
                let thread = reading.calibrated();
                *chosen.entry(thread.tid.to_string()).or_default() += 1;
                assert_eq!(reading.threads.len(), RACERS as usize);
                for thread in reading.threads.values() {
                    assert_eq!(thread.events, pair.repeat(CALLS as usize));
                    assert_eq!(thread.lost, 0);
                }
            }
        }
    }
    assert!(chosen.len() > 1, "never another thread: {chosen:?}");
}

/// As Android starts an app: its `Application` is made by reflection, and its initialiser, its constructor and
/// `onCreate` have the first probes, the last of which ends by an exception.
fn application(sink: Sink) -> Vec<u8> {
    let mut program = Program::new();
    program.class_of("LApp;", "Landroid/app/Application;", |class| {
        class.method("<clinit>()V", (1, 0), |lines| {
            probe(lines, sink, Enter, 1);
            probe(lines, sink, Exit, 1).end();
        });
        class.method("<init>()V", (1, 1), |lines| {
            probe(lines, sink, Enter, 2);
            lines.call(Opcode::INVOKE_DIRECT, "Landroid/app/Application;-><init>()V", &[1]);
            probe(lines, sink, Exit, 2).end();
        });
        class.method("run()V", (1, 1), |lines| {
            probe(lines, sink, Enter, 3);
            probe(lines, sink, Unwind, 3);
            lines.create(0, "Ljava/lang/RuntimeException;-><init>()V", &[]).op(Opcode::THROW, &[0]);
        });
    });
    program.class("LMain;", &[], |class| {
        class.method("main([Ljava/lang/String;)V", (1, 1), |lines| {
            let (start, end, caught) = (lines.code.label(), lines.code.label(), lines.code.label());
            lines
                .text(0, "App")
                .stat("Ljava/lang/Class;->forName(Ljava/lang/String;)Ljava/lang/Class;", &[0])
                .op(Opcode::MOVE_RESULT_OBJECT, &[0])
                .virt("Ljava/lang/Class;->newInstance()Ljava/lang/Object;", &[0])
                .op(Opcode::MOVE_RESULT_OBJECT, &[0])
                .typed(Opcode::CHECK_CAST, &[0], "LApp;")
                .place(start)
                .virt("LApp;->run()V", &[0])
                .place(end)
                .op(Opcode::RETURN_VOID, &[])
                .place(caught)
                .op(Opcode::MOVE_EXCEPTION, &[0])
                .int(0, 0)
                .stat("Ljava/lang/System;->exit(I)V", &[0])
                .end();
            lines.code.try_block(start, end, Vec::new(), Some(caught));
        });
    });
    program.bytes()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn the_first_probes_may_be_those_of_the_application() {
    let art = ArtHost::new();
    let mut framework = Program::new();
    framework.class("Landroid/app/Application;", &[], |class| {
        class.method("<init>()V", (0, 1), |lines| {
            lines.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0]).end();
        });
    });
    let art = art.with_framework(&framework.bytes());
    for sink in SINKS {
        let ran = run(&art, sink, &application(sink), true);
        if sink == Sink::Trace {
            let printed = ran.printed();
            let apart = calibrated::apart(&printed);
            assert_eq!(apart.pairs.unwrap().0, "1");
            let labels: Vec<_> =
                apart.rest.iter().map(|line| line.split([' ', '@']).nth(3).unwrap_or("")).collect();
            assert_eq!(labels, ["#1", "", "#2", "", "#3", ""]);
        } else {
            let reading = ran.reading();
            let events = [(Enter, 1), (Exit, 1), (Enter, 2), (Exit, 2), (Enter, 3), (Unwind, 3)];
            assert_eq!(reading.calibrated().events, events);
        }
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn without_it_nothing_has_the_number_0() {
    let art = ArtHost::new();
    for sink in SINKS {
        let ran = run(&art, sink, &race(sink), false);
        if sink == Sink::Trace {
            let printed = ran.printed();
            assert!(!printed.contains(" #0@"), "{printed}");
            assert_eq!(printed.lines().count() as i32, 2 * RACERS * CALLS);
        } else {
            let reading = ran.reading();
            assert!(reading.threads.values().all(|thread| thread.pairs.is_empty()));
            let events: usize = reading.threads.values().map(|thread| thread.events.len()).sum();
            assert_eq!(events as i32, 2 * RACERS * CALLS);
        }
    }
}

/// `android.os.Trace` that records as long as it is told to, and can be asked where `asks`.
fn switched_trace(asks: bool) -> Vec<u8> {
    let enabled = "Landroid/os/Trace;->enabled:Z";
    let print = |lines: &mut Lines<'_>, label: Option<u16>| {
        let off = lines.code.label();
        lines.field(Opcode::SGET_BOOLEAN, &[0], enabled).branch(Opcode::IF_EQZ, &[0], off);
        lines.field(Opcode::SGET_OBJECT, &[0], "Ljava/lang/System;->err:Ljava/io/PrintStream;");
        let label = label.unwrap_or_else(|| {
            lines.text(1, "E");
            1
        });
        lines.virt("Ljava/io/PrintStream;->println(Ljava/lang/String;)V", &[0, label]);
        lines.place(off).end();
    };
    let mut program = Program::new();
    program.class("Landroid/os/Trace;", &[], |class| {
        class.field("enabled", "Z", AccessFlags::PUBLIC | AccessFlags::STATIC);
        if asks {
            class.method("isEnabled()Z", (1, 0), |lines| {
                lines.field(Opcode::SGET_BOOLEAN, &[0], enabled).op(Opcode::RETURN, &[0]);
            });
        }
        class.method("beginSection(Ljava/lang/String;)V", (1, 1), |lines| print(lines, Some(1)));
        class.method("endSection()V", (2, 0), |lines| print(lines, None));
    });
    program.bytes()
}

/// Sections begun by an event before, while, after and again while they are recorded.
fn switching(event: ProbeEvent) -> Vec<u8> {
    let mut program = Program::new();
    program.class("LMain;", &[], |class| {
        class.method("main([Ljava/lang/String;)V", (1, 1), |lines| {
            for (enabled, label) in [(0, "a"), (0, "b"), (1, "c"), (1, "d"), (0, "e"), (1, "f")] {
                lines
                    .int(0, enabled)
                    .field(Opcode::SPUT_BOOLEAN, &[0], "Landroid/os/Trace;->enabled:Z")
                    .text(0, label)
                    .probe(Sink::Trace, event, 0)
                    .probe(Sink::Trace, Exit, 0);
            }
            lines.end();
        });
    });
    program.bytes()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn sections_are_timed_when_somebody_begins_to_record() {
    let art = ArtHost::new();
    let art = art.with_only(&switched_trace(true));
    let label = format!("wattle.calibration #0@{}\nE\n", MapId::from_bytes(b"map").short());
    for event in [Enter, Call] {
        let ran = run(&art, Sink::Trace, &switching(event), true);
        assert_eq!(ran.printed(), label.repeat(256) + "c\nE\nd\nE\nf\nE\n");
        let ran = run(&art, Sink::Trace, &switching(event), false);
        assert_eq!(ran.printed(), "c\nE\nd\nE\nf\nE\n");
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn what_older_versions_lack_is_no_hindrance() {
    let art = ArtHost::new();
    // They cannot say whether sections are recorded: the pairs come at once, and nobody sees them.
    let art = art.with_only(&switched_trace(false));
    let ran = run(&art, Sink::Trace, &switching(Enter), true);
    assert_eq!(ran.printed(), "c\nE\nd\nE\nf\nE\n");
}

#[requires(env = "WATTLE_ART")]
#[test]
fn lines_of_other_tools_have_no_pairs() {
    let art = ArtHost::new();
    let ran = run(&art, Sink::Orka, &script(Sink::Orka, &[(Enter, "entering A/b")]), true);
    assert_eq!(ran.printed(), "I/orka: entering A/b\n");
    let ran = run(&art, Sink::Navitas, &script(Sink::Navitas, &[(Enter, "Entry A.b")]), true);
    assert!(ran.printed().starts_with("D/TEST: Entry A.b "), "{}", ran.printed());
    assert_eq!(ran.printed().lines().count(), 1);
}
