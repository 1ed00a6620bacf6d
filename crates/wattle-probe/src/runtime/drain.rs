//! Emptying buffers: by their owners when full, by a timer, and at exit.

use wattle_dex::{AccessFlags, DexError, DexFile, Opcode};

use super::byte_buffer::{CAPACITY, DATA};
use super::host::HOST;
use super::member_access::STATIC;
use super::ring::{
    BUFFER, CODES, HEAD, LOCAL, LOCK, LOST, NEXT, SERIALS, TAIL, THREAD, TIMES, WAITING,
};
use wattle_dex::{Assembly, ClassAssembly};

/// The buffers that rounds look after.
const KNOWN: &str = "Lwattle/probe/Drain;->known:Lwattle/probe/Buffer;";
const STARTED: &str = "Lwattle/probe/Drain;->started:Ljava/util/concurrent/atomic/AtomicBoolean;";
/// Buffers that were found with something in them.
const WRITTEN: &str = "Lwattle/probe/Drain;->written:I";
const HOOK: &str = "Lwattle/probe/Flusher;->hook:Z";
const DROPPED: &str = "Lwattle/probe/Buffer;->dropped:I";
const TOLD: &str = "Lwattle/probe/Buffer;->told:I";
const SEQUENCE: &str = "Lwattle/probe/Buffer;->sequence:I";

/// Milliseconds between two rounds.
const PERIOD: i64 = 250;
/// The same where nothing has happened for a while.
const LONGEST_PERIOD: i64 = 2_000;

/// The static initialiser of the probes' class. `needed` is a class without which nothing is done.
pub(super) fn initialise(a: &mut Assembly<'_>, needed: Option<&str>) {
    a.attempt(0, |a| {
        if let Some(needed) = needed {
            a.text(0, needed)
                .stat("Ljava/lang/Class;->forName(Ljava/lang/String;)Ljava/lang/Class;", &[0]);
        }
        a.stat(&format!("{HOST}->prepare()V"), &[])
            .int(0, CAPACITY)
            .typed(Opcode::NEW_ARRAY, &[0, 0], "[B")
            .put(&[0], DATA);
        for (field, constructor) in [
            (LOCK, "Ljava/lang/Object;-><init>()V"),
            (WAITING, "Ljava/util/concurrent/atomic/AtomicReference;-><init>()V"),
            (SERIALS, "Ljava/util/concurrent/atomic/AtomicInteger;-><init>()V"),
            (STARTED, "Ljava/util/concurrent/atomic/AtomicBoolean;-><init>()V"),
            // The last: from here on records are taken.
            (LOCAL, "Ljava/lang/ThreadLocal;-><init>()V"),
        ] {
            a.create(0, constructor, &[]).put(&[0], field);
        }
    });
    a.end();
}

/// The classes that empty buffers.
pub(super) fn add(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Drain;", "Ljava/lang/Object;");
    for field in [LOCK, WAITING, SERIALS, KNOWN, STARTED, WRITTEN] {
        class.field(field.split_once("->").map_or("", |(_, member)| member), STATIC);
    }
    class.method("one(Lwattle/probe/Buffer;)V", STATIC, (2, 1), one)?;
    class.method("round()V", STATIC, (2, 0), |a| {
        locked(a, 0, 1, |a| {
            a.stat("Lwattle/probe/Drain;->walk()V", &[]);
        });
        a.end();
    })?;
    class.method("oneLocked(Lwattle/probe/Buffer;)V", STATIC, (2, 1), |a| {
        let buffer = a.argument(0);
        locked(a, 0, 1, |a| {
            a.stat("Lwattle/probe/Drain;->empty(Lwattle/probe/Buffer;)V", &[buffer]);
        });
        a.end();
    })?;
    class.method("walk()V", STATIC, (5, 0), walk)?;
    class.method("empty(Lwattle/probe/Buffer;)V", STATIC, (4, 1), empty)?;
    class.finish();

    let mut class = ClassAssembly::new(file, "Lwattle/probe/Flusher;", "Ljava/lang/Thread;");
    class.field("hook:Z", AccessFlags::PUBLIC);
    class.method("<init>(Z)V", AccessFlags::PUBLIC, (1, 2), |a| {
        let (this, hook) = (a.argument(0), a.argument(1));
        let constructor = "Ljava/lang/Thread;-><init>(Ljava/lang/String;)V";
        a.text(0, "wattle-probes").call(Opcode::INVOKE_DIRECT, constructor, &[this, 0]);
        a.put(&[hook, this], HOOK).end();
    })?;
    class.method("begin()V", STATIC, (3, 0), begin)?;
    class.method("run()V", AccessFlags::PUBLIC, (6, 1), run)?;
    class.finish();
    Ok(())
}

/// Does something with the lock, and lets go of it whatever is thrown.
fn locked(a: &mut Assembly<'_>, lock: u16, exception: u16, body: impl FnOnce(&mut Assembly<'_>)) {
    a.get(&[lock], LOCK).op(Opcode::MONITOR_ENTER, &[lock]);
    a.attempt(exception, body).op(Opcode::MONITOR_EXIT, &[lock]);
}

/// Empties the buffer of the calling thread, or all buffers where none is given, on a thread of the app.
fn one(a: &mut Assembly<'_>) {
    let buffer = a.argument(0);
    let (policy, other) = (0, 1);
    a.int(policy, 0).attempt(other, |a| {
        a.stat(&format!("{HOST}->relax()Ljava/lang/Object;"), &[]).result(policy);
    });
    a.attempt(other, |a| {
        let (all, done) = (a.label(), a.label());
        a.branch(Opcode::IF_EQZ, &[buffer], all)
            .stat("Lwattle/probe/Drain;->oneLocked(Lwattle/probe/Buffer;)V", &[buffer])
            .goto(done)
            .place(all)
            .stat("Lwattle/probe/Drain;->round()V", &[])
            .place(done);
    });
    a.attempt(other, |a| {
        a.stat(&format!("{HOST}->restore(Ljava/lang/Object;)V"), &[policy]);
    });
    a.end();
}

/// Takes the waiting buffers in and empties all; those of threads that had ended before are then forgotten.
fn walk(a: &mut Assembly<'_>) {
    let (buffer, next, before, alive) = (0, 1, 2, 3);
    a.attempt(4, |a| {
        let (take, each, forget, inner, on, done) = (
            a.label(),
            a.label(),
            a.label(),
            a.label(),
            a.label(),
            a.label(),
        );
        a.get(&[buffer], WAITING)
            .int(next, 0)
            .virt(
                "Ljava/util/concurrent/atomic/AtomicReference;->getAndSet(Ljava/lang/Object;)Ljava/lang/Object;",
                &[buffer, next],
            )
            .result(buffer)
            .typed(Opcode::CHECK_CAST, &[buffer], BUFFER)
            .place(take)
            .branch(Opcode::IF_EQZ, &[buffer], each)
            .get(&[next, buffer], NEXT)
            .get(&[before], KNOWN)
            .put(&[before, buffer], NEXT)
            .put(&[buffer], KNOWN)
            .op(Opcode::MOVE_OBJECT, &[buffer, next])
            .goto(take)
            .place(each)
            .int(before, 0)
            .get(&[buffer], KNOWN)
            .place(on)
            .branch(Opcode::IF_EQZ, &[buffer], done)
            .get(&[next, buffer], NEXT)
            // Asked first: what a thread wrote before its end is then seen.
            .get(&[alive, buffer], THREAD)
            .virt("Ljava/lang/Thread;->isAlive()Z", &[alive])
            .result(alive)
            .stat("Lwattle/probe/Drain;->empty(Lwattle/probe/Buffer;)V", &[buffer])
            .branch(Opcode::IF_EQZ, &[alive], forget)
            .op(Opcode::MOVE_OBJECT, &[before, buffer])
            .op(Opcode::MOVE_OBJECT, &[buffer, next])
            .goto(on)
            // An app that keeps its ended threads keeps their locals: Android never clears them.
            .place(forget)
            .int(alive, 0)
            .put(&[alive, buffer], TIMES)
            .put(&[alive, buffer], CODES)
            .put(&[alive, buffer], THREAD)
            .branch(Opcode::IF_NEZ, &[before], inner)
            .put(&[next], KNOWN)
            .op(Opcode::MOVE_OBJECT, &[buffer, next])
            .goto(on)
            .place(inner)
            .put(&[next, before], NEXT)
            .op(Opcode::MOVE_OBJECT, &[buffer, next])
            .goto(on)
            .place(done);
    });
    a.end();
}

/// Writes what a buffer holds and gives its room back. What cannot be written is lost, and counted.
fn empty(a: &mut Assembly<'_>) {
    let buffer = a.argument(0);
    let (from, to, lost, other) = (0, 1, 2, 3);
    let (write, done) = (a.label(), a.label());
    a.get(&[from, buffer], TAIL)
        .get(&[to, buffer], HEAD)
        .get(&[lost, buffer], LOST)
        .get(&[other, buffer], DROPPED)
        .op(Opcode::ADD_INT_2ADDR, &[lost, other])
        .branch(Opcode::IF_NE, &[from, to], write)
        .get(&[other, buffer], TOLD)
        .branch(Opcode::IF_EQ, &[lost, other], done)
        .place(write)
        .get(&[other], WRITTEN)
        .literal(Opcode::ADD_INT_LIT8, &[other, other], 1)
        .put(&[other], WRITTEN)
        .attempt(other, |a| {
            a.stat(
                "Lwattle/probe/Output;->write(Lwattle/probe/Buffer;III)V",
                &[buffer, from, to, lost],
            )
            .put(&[lost, buffer], TOLD)
            .get(&[other, buffer], SEQUENCE)
            .literal(Opcode::ADD_INT_LIT8, &[other, other], 1)
            .put(&[other, buffer], SEQUENCE)
            .put(&[to, buffer], TAIL)
            .end();
        })
        .get(&[other, buffer], DROPPED)
        .op(Opcode::ADD_INT_2ADDR, &[other, to])
        .op(Opcode::SUB_INT_2ADDR, &[other, from])
        .put(&[other, buffer], DROPPED)
        .put(&[to, buffer], TAIL)
        .place(done)
        .end();
}

/// Starts the timer and asks to be called at exit, once. Nobody waits for the thread.
fn begin(a: &mut Assembly<'_>) {
    let none = a.label();
    a.get(&[0], STARTED)
        .int(1, 0)
        .int(2, 1)
        .virt("Ljava/util/concurrent/atomic/AtomicBoolean;->compareAndSet(ZZ)Z", &[0, 1, 2])
        .result(0)
        .branch(Opcode::IF_EQZ, &[0], none);
    a.attempt(0, |a| {
        a.create(0, "Lwattle/probe/Flusher;-><init>(Z)V", &[1])
            .virt("Ljava/lang/Thread;->setDaemon(Z)V", &[0, 2])
            .virt("Ljava/lang/Thread;->start()V", &[0]);
    });
    a.attempt(0, |a| {
        a.create(0, "Lwattle/probe/Flusher;-><init>(Z)V", &[2])
            .stat("Ljava/lang/Runtime;->getRuntime()Ljava/lang/Runtime;", &[])
            .result(1)
            .virt("Ljava/lang/Runtime;->addShutdownHook(Ljava/lang/Thread;)V", &[1, 0]);
    });
    a.place(none).end();
}

/// Rounds that find nothing come less and less often, so that the timer does not wake an idle device.
fn run(a: &mut Assembly<'_>) {
    let this = a.argument(0);
    let (exception, pause, before, limit) = (0, 1, 3, 4);
    let (again, timer, busy) = (a.label(), a.label(), a.label());
    a.get(&[exception, this], HOOK).branch(Opcode::IF_EQZ, &[exception], timer);
    a.stat("Lwattle/probe/Drain;->round()V", &[]).end();
    a.place(timer).long(pause, PERIOD).place(again);
    a.attempt(exception, |a| {
        a.stat("Ljava/lang/Thread;->sleep(J)V", &[pause, pause + 1]);
    });
    a.get(&[before], WRITTEN).attempt(exception, |a| {
        a.stat("Lwattle/probe/Drain;->round()V", &[]);
    });
    a.get(&[limit], WRITTEN)
        .branch(Opcode::IF_NE, &[before, limit], busy)
        .op(Opcode::ADD_LONG_2ADDR, &[pause, pause])
        .long(limit, LONGEST_PERIOD)
        .op(Opcode::CMP_LONG, &[exception, pause, limit])
        .branch(Opcode::IF_LEZ, &[exception], again)
        .op(Opcode::MOVE_WIDE, &[pause, limit])
        .goto(again)
        .place(busy)
        .long(pause, PERIOD)
        .goto(again);
}
