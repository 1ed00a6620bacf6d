//! The class that writes down what happens in the runtime: a line for each event, with tabs between its parts.

use wattle_dex::{AccessFlags, Assembly, ClassAssembly, DexError, DexFile, Opcode};

pub(super) const EVENTS: &str = "Lwattle/phone/Events;";
/// A public static method.
pub(super) const STATIC: AccessFlags = AccessFlags(AccessFlags::PUBLIC.0 | AccessFlags::STATIC.0);

/// System properties that say where events go, what the process is called, and what is added to the host's monotonic
/// clock to get the phone's boot time.
pub(super) const PROPERTY_FILE: &str = "wattle.events";
pub(super) const PROPERTY_PID: &str = "wattle.pid";
pub(super) const PROPERTY_BOOT: &str = "wattle.boot";
pub(super) const PROPERTY_UID: &str = "wattle.uid";

/// Characters that are kept before they are written.
const KEPT: i32 = 8192;
/// The longest time in nanoseconds that they are kept while events come.
const KEPT_FOR: i64 = 20_000_000;

const TEXT: &str = "Lwattle/phone/Events;->text:Ljava/lang/StringBuilder;";
const OUT: &str = "Lwattle/phone/Events;->out:Ljava/io/FileOutputStream;";
const BOOT: &str = "Lwattle/phone/Events;->boot:J";
const PID: &str = "Lwattle/phone/Events;->pid:I";
const THREADS: &str = "Lwattle/phone/Events;->threads:Ljava/util/HashSet;";
/// Set when the process ends: whoever writes then has nobody after him who would write what was kept.
const DIRECT: &str = "Lwattle/phone/Events;->direct:Z";
const WRITTEN: &str = "Lwattle/phone/Events;->written:J";
const APPEND: &str =
    "Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;";
const PROPERTY: &str = "Ljava/lang/System;->getProperty(Ljava/lang/String;)Ljava/lang/String;";
const CURRENT: &str = "Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;";
const NUMBER: &str = "Ljava/lang/Thread;->getId()J";
const REPLACE: &str = "Ljava/lang/String;->replace(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Ljava/lang/String;";

pub(super) fn add(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, EVENTS, "Ljava/lang/Object;");
    for field in [
        "text:Ljava/lang/StringBuilder;",
        "out:Ljava/io/FileOutputStream;",
        "boot:J",
        "pid:I",
        "threads:Ljava/util/HashSet;",
        "written:J",
        "direct:Z",
    ] {
        class.field(field, STATIC);
    }
    class.method("<clinit>()V", AccessFlags::STATIC, (4, 0), initialiser)?;
    class.method("now()J", STATIC, (4, 0), now)?;
    class.method("tid()I", STATIC, (3, 0), tid)?;
    class.method("pid()I", STATIC, (1, 0), |a| {
        a.get(&[0], PID).op(Opcode::RETURN, &[0]);
    })?;
    class.method("escaped(Ljava/lang/String;)Ljava/lang/String;", STATIC, (3, 1), escaped)?;
    class.method("put(Ljava/lang/String;Ljava/lang/String;)V", STATIC, (8, 2), put)?;
    class.method("line(Ljava/lang/String;JLjava/lang/String;)V", STATIC, (4, 4), line)?;
    class.method("flush()V", STATIC, (4, 0), flush)?;
    class.method("write()V", STATIC, (4, 0), write)?;
    class.method("finish()V", STATIC, (1, 0), |a| {
        a.int(0, 1).put(&[0], DIRECT).stat("Lwattle/phone/Events;->flush()V", &[]).end();
    })?;
    class.finish();
    Ok(())
}

fn initialiser(a: &mut Assembly<'_>) {
    a.create(0, "Ljava/lang/StringBuilder;-><init>()V", &[])
        .put(&[0], TEXT)
        .create(0, "Ljava/util/HashSet;-><init>()V", &[])
        .put(&[0], THREADS)
        .text(0, PROPERTY_BOOT)
        .stat(PROPERTY, &[0])
        .result(0)
        .stat("Ljava/lang/Long;->parseLong(Ljava/lang/String;)J", &[0])
        .result(0)
        .put(&[0], BOOT)
        .text(0, PROPERTY_PID)
        .stat(PROPERTY, &[0])
        .result(0)
        .stat("Ljava/lang/Integer;->parseInt(Ljava/lang/String;)I", &[0])
        .result(0)
        .put(&[0], PID)
        .text(1, PROPERTY_FILE)
        .stat(PROPERTY, &[1])
        .result(1)
        .int(2, 1)
        .create(0, "Ljava/io/FileOutputStream;-><init>(Ljava/lang/String;Z)V", &[1, 2])
        .put(&[0], OUT)
        .end();
}

/// Boot time: the runtime's `nanoTime` is the host's monotonic clock.
fn now(a: &mut Assembly<'_>) {
    a.stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(0)
        .get(&[2], BOOT)
        .op(Opcode::ADD_LONG, &[0, 0, 2])
        .op(Opcode::RETURN_WIDE, &[0]);
}

/// The main thread, whose own number is 1, has the process's.
fn tid(a: &mut Assembly<'_>) {
    a.stat(CURRENT, &[])
        .result(0)
        .virt(NUMBER, &[0])
        .result(0)
        .op(Opcode::LONG_TO_INT, &[0, 0])
        .get(&[1], PID)
        .op(Opcode::ADD_INT, &[0, 0, 1])
        .literal(Opcode::ADD_INT_LIT16, &[0, 0], -1)
        .op(Opcode::RETURN, &[0]);
}

fn escaped(a: &mut Assembly<'_>) {
    let text = a.argument(0);
    let known = a.label();
    a.branch(Opcode::IF_NEZ, &[text], known).text(text, "null").place(known);
    for (plain, written) in [("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n")] {
        a.text(0, plain).text(1, written).virt(REPLACE, &[text, 0, 1]).result(text);
    }
    a.op(Opcode::RETURN_OBJECT, &[text]);
}

/// `put(kind, body)`: an event of the current thread, now; before a thread's first one who it is.
fn put(a: &mut Assembly<'_>) {
    let (kind, body) = (a.argument(0), a.argument(1));
    let (lock, time, thread, number, other, more) = (0, 1, 3, 4, 5, 6);
    let (known, kept) = (a.label(), a.label());
    a.get(&[lock], TEXT).op(Opcode::MONITOR_ENTER, &[lock]);
    let start = a.here();
    a.stat("Lwattle/phone/Events;->now()J", &[])
        .result(time)
        .stat(CURRENT, &[])
        .result(thread)
        .virt(NUMBER, &[thread])
        .result(number)
        .stat("Ljava/lang/Long;->valueOf(J)Ljava/lang/Long;", &[number, number + 1])
        .result(number)
        .get(&[other], THREADS)
        .virt("Ljava/util/HashSet;->add(Ljava/lang/Object;)Z", &[other, number])
        .result(number)
        .branch(Opcode::IF_EQZ, &[number], known)
        .virt("Ljava/lang/Thread;->getName()Ljava/lang/String;", &[thread])
        .result(number)
        .stat("Lwattle/phone/Events;->escaped(Ljava/lang/String;)Ljava/lang/String;", &[number])
        .result(number)
        .create(more, "Ljava/lang/StringBuilder;-><init>()V", &[])
        .stat("Landroid/system/Os;->gettid()I", &[])
        .result(other)
        .virt("Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;", &[more, other])
        .text(other, "\t")
        .virt(APPEND, &[more, other])
        .virt(APPEND, &[more, number])
        .virt("Ljava/lang/StringBuilder;->toString()Ljava/lang/String;", &[more])
        .result(more)
        .text(other, "T")
        .stat(
            "Lwattle/phone/Events;->line(Ljava/lang/String;JLjava/lang/String;)V",
            &[other, time, time + 1, more],
        )
        .place(known)
        .stat(
            "Lwattle/phone/Events;->line(Ljava/lang/String;JLjava/lang/String;)V",
            &[kind, time, time + 1, body],
        )
        .virt("Ljava/lang/StringBuilder;->length()I", &[lock])
        .result(number)
        .int(other, KEPT);
    let write = a.label();
    a.branch(Opcode::IF_GT, &[number, other], write)
        .get(&[number], DIRECT)
        .branch(Opcode::IF_NEZ, &[number], write)
        .get(&[number], WRITTEN)
        .op(Opcode::SUB_LONG, &[number, time, number])
        .long(more, KEPT_FOR)
        .op(Opcode::CMP_LONG, &[number, number, more])
        .branch(Opcode::IF_LTZ, &[number], kept)
        .place(write)
        .stat("Lwattle/phone/Events;->write()V", &[])
        .put(&[time], WRITTEN)
        .place(kept);
    let (end, handler) = (a.here(), a.label());
    a.op(Opcode::MONITOR_EXIT, &[lock])
        .end()
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[time])
        .op(Opcode::MONITOR_EXIT, &[lock])
        .op(Opcode::THROW, &[time])
        .guard(start, end, handler);
}

/// `line(kind, time, body)`: kind, time, the thread's time on CPUs, thread, body.
fn line(a: &mut Assembly<'_>) {
    let (kind, time, body) = (a.argument(0), a.argument(1), a.argument(3));
    let append_long = "Ljava/lang/StringBuilder;->append(J)Ljava/lang/StringBuilder;";
    let append_int = "Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;";
    a.get(&[0], TEXT)
        .text(1, "\t")
        .virt(APPEND, &[0, kind])
        .virt(APPEND, &[0, 1])
        .virt(append_long, &[0, time, time + 1])
        .virt(APPEND, &[0, 1])
        .stat("Ldalvik/system/VMDebug;->threadCpuTimeNanos()J", &[])
        .result(2)
        .virt(append_long, &[0, 2, 3])
        .virt(APPEND, &[0, 1])
        .stat("Lwattle/phone/Events;->tid()I", &[])
        .result(2)
        .virt(append_int, &[0, 2])
        .virt(APPEND, &[0, 1])
        .virt(APPEND, &[0, body])
        .text(1, "\n")
        .virt(APPEND, &[0, 1])
        .end();
}

fn flush(a: &mut Assembly<'_>) {
    a.get(&[0], TEXT).op(Opcode::MONITOR_ENTER, &[0]);
    let start = a.here();
    a.stat("Lwattle/phone/Events;->write()V", &[]);
    let (end, handler) = (a.here(), a.label());
    a.op(Opcode::MONITOR_EXIT, &[0])
        .end()
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[1])
        .op(Opcode::MONITOR_EXIT, &[0])
        .op(Opcode::THROW, &[1])
        .guard(start, end, handler);
}

/// Writes and forgets what was kept; the caller has the lock.
fn write(a: &mut Assembly<'_>) {
    a.get(&[0], TEXT)
        .virt("Ljava/lang/StringBuilder;->toString()Ljava/lang/String;", &[0])
        .result(1)
        .text(2, "UTF-8")
        .virt("Ljava/lang/String;->getBytes(Ljava/lang/String;)[B", &[1, 2])
        .result(1)
        .get(&[2], OUT)
        .virt("Ljava/io/FileOutputStream;->write([B)V", &[2, 1])
        .int(1, 0)
        .virt("Ljava/lang/StringBuilder;->setLength(I)V", &[0, 1])
        .end();
}
