//! The program that records many events from many threads, and what it must have recorded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use wattle_dex::{AccessFlags, Opcode};
use wattle_probe::{ProbeEvent, Sink};

use super::runtime_program::{Lines, Program};

/// An event with its number.
pub type Event = (ProbeEvent, u32);

/// A class `Main` whose `main` takes: the number of threads, the rounds of each and of the main thread itself,
/// whether each thread is waited for before the next one starts (1) or not (0), whether to leave by `System.exit` (1)
/// or to go on for ever (0), and how often to run into the end of the stack before all that. Its static initialiser holds the process's first probe and waits for a
/// thread that has probes of its own.
pub fn driver(sink: Sink) -> Vec<u8> {
    let mut program = Program::new();
    program.class("LMain;", &["Ljava/lang/Runnable;"], |class| {
        class.field("number", "I", AccessFlags::PUBLIC);
        class.field("rounds", "I", AccessFlags::PUBLIC);
        class.method("<init>(II)V", (0, 3), |lines| {
            lines
                .call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0])
                .field(Opcode::IPUT, &[1, 0], "LMain;->number:I")
                .field(Opcode::IPUT, &[2, 0], "LMain;->rounds:I")
                .end();
        });
        class.method("run()V", (2, 1), |lines| {
            lines
                .field(Opcode::IGET, &[0, 2], "LMain;->number:I")
                .field(Opcode::IGET, &[1, 2], "LMain;->rounds:I")
                .stat("LMain;->work(II)V", &[0, 1])
                .end();
        });
        class.method("<clinit>()V", (3, 0), |lines| {
            lines
                .int(0, EARLY)
                .probe(sink, ProbeEvent::Enter, 0)
                .create(1, "LEarly;-><init>()V", &[])
                .create(2, "Ljava/lang/Thread;-><init>(Ljava/lang/Runnable;)V", &[1])
                .virt("Ljava/lang/Thread;->start()V", &[2])
                .virt("Ljava/lang/Thread;->join()V", &[2])
                .probe(sink, ProbeEvent::Exit, 0)
                .end();
        });
        // enter, nest(4), call + back or fail, exit or unwind.
        class.method("work(II)V", (4, 2), |lines| {
            let (base, rounds, at, id, scratch) = (4, 5, 0, 1, 2);
            let (next, odd, back, out, done) = (
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
            );
            lines
                .literal(Opcode::MUL_INT_LIT16, &[base, base], 1000)
                .literal(Opcode::ADD_INT_LIT8, &[base, base], 1)
                .int(at, 0)
                .place(next)
                .branch(Opcode::IF_GE, &[at, rounds], done)
                .literal(Opcode::REM_INT_LIT8, &[id, at], 100)
                .op(Opcode::ADD_INT_2ADDR, &[id, base])
                .probe(sink, ProbeEvent::Enter, id)
                .int(scratch, 4)
                .stat("LMain;->nest(I)V", &[scratch])
                .literal(Opcode::MUL_INT_LIT8, &[scratch, id], 3)
                .probe(sink, ProbeEvent::Call, scratch)
                .literal(Opcode::REM_INT_LIT8, &[scratch, at], 5)
                .branch(Opcode::IF_NEZ, &[scratch], back)
                .probe(sink, ProbeEvent::Fail, id)
                .goto(out)
                .place(back)
                .probe(sink, ProbeEvent::Back, id)
                .place(out)
                .literal(Opcode::REM_INT_LIT8, &[scratch, at], 7)
                .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
                .branch(Opcode::IF_EQZ, &[scratch], odd)
                .probe(sink, ProbeEvent::Exit, id)
                .goto(next)
                .place(odd)
                .probe(sink, ProbeEvent::Unwind, id)
                .goto(next)
                .place(done)
                .end();
        });
        class.method("nest(I)V", (1, 1), |lines| {
            let leaf = lines.code.label();
            lines
                .probe(sink, ProbeEvent::Enter, 1)
                .literal(Opcode::ADD_INT_LIT8, &[0, 1], -1)
                .branch(Opcode::IF_EQZ, &[0], leaf)
                .stat("LMain;->nest(I)V", &[0])
                .place(leaf)
                .probe(sink, ProbeEvent::Exit, 1)
                .end();
        });
        // Without end: the stack's end is where it ends.
        class.method("dive()V", (1, 0), |lines| {
            lines
                .int(0, DEEP as i32)
                .probe(sink, ProbeEvent::Enter, 0)
                .stat("LMain;->dive()V", &[])
                .end();
        });
        class.method("main([Ljava/lang/String;)V", (10, 1), |lines| {
            let array = 10;
            let (threads, rounds, wait, exit, list, at, thread, name, zero) =
                (0, 1, 2, 3, 4, 5, 6, 7, 8);
            let (next, started, joins, join, joined, forever) = (
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
            );
            let (again, start, end, caught, ready) = (
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
                lines.code.label(),
            );
            lines
                .number(at, array, 4)
                .place(again)
                .branch(Opcode::IF_EQZ, &[at], ready)
                .literal(Opcode::ADD_INT_LIT8, &[at, at], -1)
                .place(start)
                .stat("LMain;->dive()V", &[])
                .place(end)
                .goto(again)
                .place(caught)
                .op(Opcode::MOVE_EXCEPTION, &[thread])
                .typed(Opcode::CHECK_CAST, &[thread], "Ljava/lang/StackOverflowError;")
                .goto(again)
                .place(ready);
            lines.code.try_block(start, end, Vec::new(), Some(caught));
            lines
                .number(threads, array, 0)
                .number(rounds, array, 1)
                .number(wait, array, 2)
                .number(exit, array, 3)
                .typed(Opcode::NEW_ARRAY, &[list, threads], "[Ljava/lang/Thread;")
                .int(at, 0)
                .place(next)
                .branch(Opcode::IF_GE, &[at, threads], joins)
                .literal(Opcode::ADD_INT_LIT8, &[zero, at], 1)
                .create(name, "LMain;-><init>(II)V", &[zero, rounds])
                .create(thread, "Ljava/lang/Thread;-><init>(Ljava/lang/Runnable;)V", &[name])
                .op(Opcode::APUT_OBJECT, &[thread, list, at])
                .stat("Ljava/lang/Integer;->toString(I)Ljava/lang/String;", &[zero])
                .op(Opcode::MOVE_RESULT_OBJECT, &[name])
                .virt("Ljava/lang/Thread;->setName(Ljava/lang/String;)V", &[thread, name])
                .virt("Ljava/lang/Thread;->start()V", &[thread])
                .branch(Opcode::IF_EQZ, &[wait], started)
                .virt("Ljava/lang/Thread;->join()V", &[thread])
                .place(started)
                .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
                .goto(next)
                .place(joins)
                .int(zero, 0)
                .place(forever)
                .stat("LMain;->work(II)V", &[zero, rounds])
                .branch(Opcode::IF_EQZ, &[exit], forever)
                .int(at, 0)
                .place(join)
                .branch(Opcode::IF_GE, &[at, threads], joined)
                .op(Opcode::AGET_OBJECT, &[thread, list, at])
                .virt("Ljava/lang/Thread;->join()V", &[thread])
                .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
                .goto(join)
                .place(joined)
                .stat("Ljava/lang/System;->exit(I)V", &[zero])
                .end();
        });
    });
    program.class("LEarly;", &["Ljava/lang/Runnable;"], |class| {
        class.method("<init>()V", (0, 1), |lines| {
            lines.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0]).end();
        });
        class.method("run()V", (1, 1), |lines| {
            lines
                .text(0, "early")
                .stat("Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;", &[])
                .op(Opcode::MOVE_RESULT_OBJECT, &[1])
                .virt("Ljava/lang/Thread;->setName(Ljava/lang/String;)V", &[1, 0])
                .int(0, EARLY + 1)
                .probe(sink, ProbeEvent::Enter, 0)
                .probe(sink, ProbeEvent::Exit, 0)
                .end();
        });
    });
    program.bytes()
}

const LISTENER: &str = "Landroid/util/Log;->listener:Ljava/lang/Runnable;";

/// `android.util.Log` that calls a program back for each line before it prints it.
pub fn talkative_log() -> Vec<u8> {
    let append = "Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;";
    let mut program = Program::new();
    program.class("Landroid/util/Log;", &[], |class| {
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        class.field("listener", "Ljava/lang/Runnable;", access);
        class.method("i(Ljava/lang/String;Ljava/lang/String;)I", (2, 2), |lines| {
            let quiet = lines.code.label();
            lines
                .field(Opcode::SGET_OBJECT, &[0], LISTENER)
                .branch(Opcode::IF_EQZ, &[0], quiet)
                .call(Opcode::INVOKE_INTERFACE, "Ljava/lang/Runnable;->run()V", &[0])
                .place(quiet)
                .text(0, "I/wattle: ")
                .create(1, "Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V", &[0])
                .virt(append, &[1, 3])
                .virt("Ljava/lang/StringBuilder;->toString()Ljava/lang/String;", &[1])
                .op(Opcode::MOVE_RESULT_OBJECT, &[1])
                .field(Opcode::SGET_OBJECT, &[0], "Ljava/lang/System;->err:Ljava/io/PrintStream;")
                .virt("Ljava/io/PrintStream;->println(Ljava/lang/String;)V", &[0, 1])
                .int(0, 0)
                .op(Opcode::RETURN, &[0]);
        });
    });
    program.bytes()
}

/// A class `Main` that enters the method 2 so many times whenever the log calls it back, enters and leaves the method
/// 1 as often, and exits.
pub fn nosy(sink: Sink, times: i32) -> Vec<u8> {
    let repeated = |lines: &mut Lines<'_>, events: &[ProbeEvent], id: i32| {
        let (next, done) = (lines.code.label(), lines.code.label());
        lines.int(0, id).int(1, times).place(next).branch(Opcode::IF_EQZ, &[1], done);
        for &event in events {
            lines.probe(sink, event, 0);
        }
        lines.literal(Opcode::ADD_INT_LIT8, &[1, 1], -1).goto(next).place(done);
    };
    let mut program = Program::new();
    program.class("LMain;", &["Ljava/lang/Runnable;"], |class| {
        class.method("<init>()V", (0, 1), |lines| {
            lines.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0]).end();
        });
        class.method("run()V", (2, 1), |lines| {
            repeated(lines, &[ProbeEvent::Enter], 2);
            lines.end();
        });
        class.method("main([Ljava/lang/String;)V", (2, 1), |lines| {
            lines.create(1, "LMain;-><init>()V", &[]).field(Opcode::SPUT_OBJECT, &[1], LISTENER);
            repeated(lines, &[ProbeEvent::Enter, ProbeEvent::Exit], 1);
            lines.int(0, 0).stat("Ljava/lang/System;->exit(I)V", &[0]).end();
        });
    });
    program.bytes()
}

/// The number of the method that calls itself until the stack ends.
pub const DEEP: u32 = 9_999_999;

const EARLY: i32 = 123_456;

/// The records of the thread of the static initialiser.
pub fn early_events() -> Vec<Event> {
    let id = EARLY as u32 + 1;
    vec![(ProbeEvent::Enter, id), (ProbeEvent::Exit, id)]
}

/// The records of the main thread.
pub fn main_events(rounds: u32) -> Vec<Event> {
    let id = EARLY as u32;
    let mut events = vec![(ProbeEvent::Enter, id), (ProbeEvent::Exit, id)];
    events.extend(worker_events(0, rounds));
    events
}

/// The records of a thread of a number.
pub fn worker_events(number: u32, rounds: u32) -> Vec<Event> {
    use ProbeEvent::{Back, Call, Enter, Exit, Fail, Unwind};
    let mut events = Vec::new();
    for at in 0..rounds {
        // From 1: the number 0 is the runtime's own.
        let id = number * 1000 + 1 + at % 100;
        events.push((Enter, id));
        events.extend([4, 3, 2, 1].map(|depth| (Enter, depth)));
        events.extend([1, 2, 3, 4].map(|depth| (Exit, depth)));
        events.push((Call, id * 3));
        events.push((if at % 5 == 0 { Fail } else { Back }, 0));
        events.push((if at % 7 == 0 { Unwind } else { Exit }, id));
    }
    events
}
