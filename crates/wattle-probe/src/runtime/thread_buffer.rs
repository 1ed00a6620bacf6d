//! The buffer of each thread, and the methods that the app calls.
//!
//! A buffer is a ring with one writer, its thread, and one reader at a time, who holds the drain's lock. The writer
//! publishes a record by moving `head`, the reader gives room back by moving `tail`; both are volatile and only ever
//! count up. `limit` is where the writer must look at `tail` again.

use wattle_dex::{AccessFlags, DexError, DexFile, Opcode};

use super::calibration;
use super::member_access::STATIC;
use super::ring::{
    BUFFER, CODES, HEAD, LOCAL, LOCK, LOST, NEXT, RECORDS, SERIALS, TAIL, THREAD, TIMES, WAITING,
};
use crate::{ProbeArgument, ProbeEvent, Sink};
use wattle_dex::{Assembly, ClassAssembly};

const LIMIT: &str = "Lwattle/probe/Buffer;->limit:I";
/// Threads that begin between two rounds at most, a power of two.
const THREADS_A_ROUND: i32 = 64;
const NANO_TIME: &str = "Ljava/lang/System;->nanoTime()J";

/// The number of a record's kind; a buffer's owner adds 6 and 7 around a drain of its own.
pub(super) const fn kind(event: ProbeEvent) -> i32 {
    match event {
        ProbeEvent::Enter => 0,
        ProbeEvent::Exit => 1,
        ProbeEvent::Unwind => 2,
        ProbeEvent::Call => 3,
        ProbeEvent::Back => 4,
        ProbeEvent::Fail => 5,
    }
}
/// The largest id, where it is a number of bytes.
const MOST_BYTES: i32 = (1 << 28) - 1;
const DRAIN: i32 = 6;
const DRAINED: i32 = 7;

/// The probes' methods, and the one that they share.
pub(super) fn add_events(class: &mut ClassAssembly<'_>, sink: Sink) -> Result<(), DexError> {
    class.field("local:Ljava/lang/ThreadLocal;", STATIC);
    for event in ProbeEvent::ALL {
        let Some(argument) = sink.argument(event) else { continue };
        let name = format!("{}{}", event.method(), argument.signature());
        let with_id = argument == ProbeArgument::Id;
        class.method(&name, STATIC, (1, u16::from(with_id)), |a| {
            if with_id {
                let id = a.argument(0);
                a.literal(Opcode::SHL_INT_LIT8, &[0, id], 3);
                if kind(event) != 0 {
                    a.literal(Opcode::OR_INT_LIT8, &[0, 0], kind(event));
                }
            } else {
                a.int(0, kind(event));
            }
            a.stat("Lwattle/probe/Probe;->record(I)V", &[0]).end();
        })?;
    }
    class.method("moved(I)V", STATIC, (1, 1), moved)?;
    super::moved_bytes::add(class)?;
    class.method("record(I)V", STATIC, (6, 1), record)
}

/// The return of a call that moved so many bytes: what is less than nothing is nothing, what is too much for an id is the
/// largest one.
fn moved(a: &mut Assembly<'_>) {
    let bytes = a.argument(0);
    let (some, fits) = (a.label(), a.label());
    a.branch(Opcode::IF_GEZ, &[bytes], some)
        .int(bytes, 0)
        .place(some)
        .int(0, MOST_BYTES)
        .branch(Opcode::IF_LE, &[bytes, 0], fits)
        .op(Opcode::MOVE, &[bytes, 0])
        .place(fits)
        .literal(Opcode::SHL_INT_LIT8, &[0, bytes], 3)
        .literal(Opcode::OR_INT_LIT8, &[0, 0], kind(ProbeEvent::Back))
        .stat("Lwattle/probe/Probe;->record(I)V", &[0])
        .end();
}

fn record(a: &mut Assembly<'_>) {
    let code = a.argument(0);
    let (buffer, head, array, time, at) = (0, 1, 2, 3, 5);
    let (open, go, full, room, off) = (a.label(), a.label(), a.label(), a.label(), a.label());
    a.get(&[buffer], LOCAL)
        .branch(Opcode::IF_EQZ, &[buffer], off)
        .virt("Ljava/lang/ThreadLocal;->get()Ljava/lang/Object;", &[buffer])
        .result(buffer)
        .typed(Opcode::CHECK_CAST, &[buffer], BUFFER)
        .branch(Opcode::IF_EQZ, &[buffer], open)
        .place(go)
        .get(&[head, buffer], HEAD)
        .get(&[at, buffer], LIMIT)
        .branch(Opcode::IF_EQ, &[head, at], full)
        .place(room)
        .literal(Opcode::AND_INT_LIT16, &[at, head], RECORDS - 1)
        .get(&[array, buffer], CODES)
        .op(Opcode::APUT, &[code, array, at])
        .get(&[array, buffer], TIMES)
        .stat(NANO_TIME, &[])
        .result(time)
        .op(Opcode::APUT_WIDE, &[time, array, at])
        .literal(Opcode::ADD_INT_LIT8, &[head, head], 1)
        .put(&[head, buffer], HEAD)
        .place(off)
        .end()
        .place(open)
        .stat("Lwattle/probe/Buffer;->open()Lwattle/probe/Buffer;", &[])
        .result(buffer)
        .branch(Opcode::IF_EQZ, &[buffer], off)
        .goto(go)
        .place(full)
        .virt("Lwattle/probe/Buffer;->makeRoom()Z", &[buffer])
        .result(at)
        .branch(Opcode::IF_EQZ, &[at], off)
        .get(&[head, buffer], HEAD)
        .goto(room);
}

/// The class of a thread's buffer.
pub(super) fn add(file: &mut DexFile<'static>, calibrated: bool) -> Result<(), DexError> {
    let own = AccessFlags::PUBLIC;
    let shared = own | AccessFlags::VOLATILE;
    let mut class = ClassAssembly::new(file, BUFFER, "Ljava/lang/Object;");
    for (field, access) in [
        ("times:[J", own),
        ("codes:[I", own),
        ("head:I", shared),
        ("tail:I", shared),
        ("limit:I", own),
        ("lost:I", shared),
        // What only the reader uses.
        ("dropped:I", own),
        ("told:I", own),
        ("sequence:I", own),
        ("name:Ljava/lang/String;", own),
        ("label:[B", own),
        ("next:Lwattle/probe/Buffer;", own),
        ("thread:Ljava/lang/Thread;", own),
        ("tid:I", own),
        ("serial:I", own),
    ] {
        class.field(field, access);
    }
    class.method("<init>()V", AccessFlags::PUBLIC, (2, 1), initialise)?;
    class.method("open()Lwattle/probe/Buffer;", STATIC, (3, 0), |a| open(a, calibrated))?;
    class.method("makeRoom()Z", AccessFlags::PUBLIC, (4, 1), make_room)?;
    class.method("mark(IJ)V", AccessFlags::PUBLIC, (3, 4), mark)?;
    class.finish();
    Ok(())
}

fn initialise(a: &mut Assembly<'_>) {
    let this = a.argument(0);
    a.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[this])
        .int(0, RECORDS)
        .put(&[0, this], LIMIT)
        .typed(Opcode::NEW_ARRAY, &[1, 0], "[J")
        .put(&[1, this], TIMES)
        .typed(Opcode::NEW_ARRAY, &[1, 0], "[I")
        .put(&[1, this], CODES)
        .stat("Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;", &[])
        .result(0)
        .put(&[0, this], THREAD)
        .stat("Lwattle/probe/Host;->tid()I", &[])
        .result(0)
        .put(&[0, this], "Lwattle/probe/Buffer;->tid:I")
        .get(&[0], SERIALS)
        .virt("Ljava/util/concurrent/atomic/AtomicInteger;->getAndIncrement()I", &[0])
        .result(0)
        .put(&[0, this], "Lwattle/probe/Buffer;->serial:I")
        .end();
}

/// The current thread's new buffer, known to its thread and to the drain; `null` where there can be none.
///
/// So many threads can begin and end between two rounds of the timer that their buffers fill the heap: every so many
/// threads one of them does a round.
///
/// The first thread of all times the probes before it begins: its buffer is its own by then, so that they do not come
/// here again, and they fit into it. The timer begins after that, so that its start does not disturb them.
fn open(a: &mut Assembly<'_>, calibrated: bool) {
    let (buffer, waiting, first) = (0, 1, 2);
    let none = a.label();
    a.attempt(waiting, |a| {
        let (again, alone) = (a.label(), a.label());
        a.get(&[waiting], LOCK)
            .stat("Ljava/lang/Thread;->holdsLock(Ljava/lang/Object;)Z", &[waiting])
            .result(waiting)
            .branch(Opcode::IF_NEZ, &[waiting], none)
            .create(buffer, "Lwattle/probe/Buffer;-><init>()V", &[])
            .get(&[waiting], LOCAL)
            .branch(Opcode::IF_EQZ, &[waiting], none)
            .virt("Ljava/lang/ThreadLocal;->set(Ljava/lang/Object;)V", &[waiting, buffer])
            .get(&[waiting], WAITING)
            .place(again)
            .virt(
                "Ljava/util/concurrent/atomic/AtomicReference;->get()Ljava/lang/Object;",
                &[waiting],
            )
            .result(first)
            .typed(Opcode::CHECK_CAST, &[first], BUFFER)
            .put(&[first, buffer], NEXT)
            .virt(
                "Ljava/util/concurrent/atomic/AtomicReference;->compareAndSet(Ljava/lang/Object;Ljava/lang/Object;)Z",
                &[waiting, first, buffer],
            )
            .result(first)
            .branch(Opcode::IF_EQZ, &[first], again);
        if calibrated {
            let later = a.label();
            a.get(&[first, buffer], "Lwattle/probe/Buffer;->serial:I")
                .branch(Opcode::IF_NEZ, &[first], later);
            calibration::make(a);
            a.place(later);
        }
        a.stat("Lwattle/probe/Flusher;->begin()V", &[])
            .get(&[waiting, buffer], "Lwattle/probe/Buffer;->serial:I")
            .literal(Opcode::ADD_INT_LIT8, &[waiting, waiting], 1)
            .literal(Opcode::AND_INT_LIT8, &[waiting, waiting], THREADS_A_ROUND - 1)
            .branch(Opcode::IF_NEZ, &[waiting], alone)
            .int(waiting, 0)
            .stat("Lwattle/probe/Drain;->one(Lwattle/probe/Buffer;)V", &[waiting])
            .place(alone)
            .op(Opcode::RETURN_OBJECT, &[buffer]);
    });
    a.place(none).int(buffer, 0).op(Opcode::RETURN_OBJECT, &[buffer]);
}

/// Called by the owner at `limit`: whether there is room, which the owner makes itself if it must.
///
/// A thread that is here again while it drains (framework code that calls the app) loses the record.
fn make_room(a: &mut Assembly<'_>) {
    let this = a.argument(0);
    let (limit, other, time) = (0, 1, 2);
    let (taken, lost) = (a.label(), a.label());
    a.get(&[limit, this], TAIL)
        .literal(Opcode::ADD_INT_LIT16, &[limit, limit], RECORDS)
        .get(&[other, this], LIMIT)
        .put(&[limit, this], LIMIT)
        .branch(Opcode::IF_NE, &[limit, other], taken)
        .get(&[other], LOCK)
        .stat("Ljava/lang/Thread;->holdsLock(Ljava/lang/Object;)Z", &[other])
        .result(other)
        .branch(Opcode::IF_NEZ, &[other], lost)
        .stat(NANO_TIME, &[])
        .result(time)
        .stat("Lwattle/probe/Drain;->one(Lwattle/probe/Buffer;)V", &[this])
        .get(&[limit, this], TAIL)
        .literal(Opcode::ADD_INT_LIT16, &[limit, limit], RECORDS)
        .get(&[other, this], LIMIT)
        .branch(Opcode::IF_EQ, &[limit, other], lost)
        .put(&[limit, this], LIMIT)
        .int(limit, DRAIN)
        .virt("Lwattle/probe/Buffer;->mark(IJ)V", &[this, limit, time, time + 1])
        .stat(NANO_TIME, &[])
        .result(time)
        .int(limit, DRAINED)
        .virt("Lwattle/probe/Buffer;->mark(IJ)V", &[this, limit, time, time + 1])
        .place(taken)
        .int(limit, 1)
        .op(Opcode::RETURN, &[limit])
        .place(lost)
        .get(&[limit, this], LOST)
        .literal(Opcode::ADD_INT_LIT8, &[limit, limit], 1)
        .put(&[limit, this], LOST)
        .int(limit, 0)
        .op(Opcode::RETURN, &[limit]);
}

/// Adds a record of a given time; there is room.
fn mark(a: &mut Assembly<'_>) {
    let (this, code, time) = (a.argument(0), a.argument(1), a.argument(2));
    let (head, array, at) = (0, 1, 2);
    a.get(&[head, this], HEAD)
        .literal(Opcode::AND_INT_LIT16, &[at, head], RECORDS - 1)
        .get(&[array, this], CODES)
        .op(Opcode::APUT, &[code, array, at])
        .get(&[array, this], TIMES)
        .op(Opcode::APUT_WIDE, &[time, array, at])
        .literal(Opcode::ADD_INT_LIT8, &[head, head], 1)
        .put(&[head, this], HEAD)
        .end();
}
