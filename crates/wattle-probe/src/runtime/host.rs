//! Requests of the runtime to the device: process, thread, clocks, and leave to use the disk.

use wattle_dex::{DexError, DexFile, Opcode};

use super::member_access::STATIC;
use wattle_dex::{Assembly, ClassAssembly};

pub(super) const HOST: &str = "Lwattle/probe/Host;";

/// Classes that are not everywhere are tried once, in `prepare`, which the runtime's static initialiser calls.
/// No class but that of the probes has an initialiser of its own, so that no two threads can wait for each other's.
pub(super) fn add(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, HOST, "Ljava/lang/Object;");
    for flag in ["process:Z", "strict:Z", "boot:Z"] {
        class.field(flag, STATIC);
    }
    class.method("prepare()V", STATIC, (3, 0), prepare)?;
    class.method("tid()I", STATIC, (3, 0), |a| number_of_self(a, "myTid", "thread-self"))?;
    class.method("pid()I", STATIC, (3, 0), |a| number_of_self(a, "myPid", "self"))?;
    class.method("number(Ljava/lang/String;)I", STATIC, (7, 1), number)?;
    class.method("bootNanos()J", STATIC, (2, 0), boot_nanos)?;
    class.method("processName()Ljava/lang/String;", STATIC, (6, 0), process_name)?;
    class.method("relax()Ljava/lang/Object;", STATIC, (1, 0), relax)?;
    class.method("restore(Ljava/lang/Object;)V", STATIC, (0, 1), restore)?;
    class.finish();
    Ok(())
}

fn prepare(a: &mut Assembly<'_>) {
    for (method, flag) in [
        ("Landroid/os/Process;->myTid()I", "process"),
        (
            "Landroid/os/StrictMode;->getThreadPolicy()Landroid/os/StrictMode$ThreadPolicy;",
            "strict",
        ),
        ("Landroid/os/SystemClock;->elapsedRealtimeNanos()J", "boot"),
    ] {
        a.attempt(0, |a| {
            a.stat(method, &[]).int(0, 1).put(&[0], &format!("{HOST}->{flag}:Z"));
        });
    }
    a.end();
}

/// `Process`'s answer, else the first number of the kernel's own page, else the thread's number in the process.
fn number_of_self(a: &mut Assembly<'_>, method: &str, folder: &str) {
    let (other, done) = (a.label(), a.label());
    a.get(&[0], &format!("{HOST}->process:Z"))
        .branch(Opcode::IF_EQZ, &[0], other)
        .stat(&format!("Landroid/os/Process;->{method}()I"), &[])
        .result(0)
        .op(Opcode::RETURN, &[0])
        .place(other)
        .text(0, &format!("/proc/{folder}/stat"))
        .stat("Lwattle/probe/Host;->number(Ljava/lang/String;)I", &[0])
        .result(0)
        .branch(Opcode::IF_NEZ, &[0], done)
        .stat("Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;", &[])
        .result(0)
        .virt("Ljava/lang/Thread;->getId()J", &[0])
        .result(1)
        .op(Opcode::LONG_TO_INT, &[0, 1])
        .place(done)
        .op(Opcode::RETURN, &[0]);
}

/// The decimal number at the beginning of a file; 0 where there is none.
fn number(a: &mut Assembly<'_>) {
    let path = a.argument(0);
    let (buffer, value, stream, length, at, digit) = (0, 1, 2, 3, 4, 5);
    a.int(value, 0).attempt(6, |a| {
        let (next, done) = (a.label(), a.label());
        a.int(length, 16)
            .typed(Opcode::NEW_ARRAY, &[buffer, length], "[B")
            .create(stream, "Ljava/io/FileInputStream;-><init>(Ljava/lang/String;)V", &[path])
            .virt("Ljava/io/FileInputStream;->read([B)I", &[stream, buffer])
            .result(length)
            .virt("Ljava/io/FileInputStream;->close()V", &[stream])
            .int(at, 0)
            .place(next)
            .branch(Opcode::IF_GE, &[at, length], done)
            .op(Opcode::AGET_BYTE, &[digit, buffer, at])
            .literal(Opcode::ADD_INT_LIT8, &[digit, digit], -48)
            .branch(Opcode::IF_LTZ, &[digit], done)
            .int(6, 9)
            .branch(Opcode::IF_GT, &[digit, 6], done)
            .literal(Opcode::MUL_INT_LIT8, &[value, value], 10)
            .op(Opcode::ADD_INT_2ADDR, &[value, digit])
            .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
            .goto(next)
            .place(done);
    });
    a.op(Opcode::RETURN, &[value]);
}

fn boot_nanos(a: &mut Assembly<'_>) {
    let (none, done) = (a.label(), a.label());
    a.get(&[0], &format!("{HOST}->boot:Z"))
        .branch(Opcode::IF_EQZ, &[0], none)
        .stat("Landroid/os/SystemClock;->elapsedRealtimeNanos()J", &[])
        .result(0)
        .goto(done)
        .place(none)
        .long(0, -1)
        .place(done)
        .op(Opcode::RETURN_WIDE, &[0]);
}

/// The first word of the command line, which Android sets to the process's name.
fn process_name(a: &mut Assembly<'_>) {
    let (name, buffer, stream, length, at, byte) = (0, 1, 2, 3, 4, 5);
    a.text(name, "").attempt(5, |a| {
        let (next, done) = (a.label(), a.label());
        a.int(length, 256)
            .typed(Opcode::NEW_ARRAY, &[buffer, length], "[B")
            .text(at, "/proc/self/cmdline")
            .create(stream, "Ljava/io/FileInputStream;-><init>(Ljava/lang/String;)V", &[at])
            .virt("Ljava/io/FileInputStream;->read([B)I", &[stream, buffer])
            .result(length)
            .virt("Ljava/io/FileInputStream;->close()V", &[stream])
            .int(at, 0)
            .place(next)
            .branch(Opcode::IF_GE, &[at, length], done)
            .op(Opcode::AGET_BYTE, &[byte, buffer, at])
            .branch(Opcode::IF_EQZ, &[byte], done)
            .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
            .goto(next)
            .place(done)
            .text(stream, "UTF-8")
            .int(length, 0)
            .create(
                byte,
                "Ljava/lang/String;-><init>([BIILjava/lang/String;)V",
                &[buffer, length, at, stream],
            )
            .op(Opcode::MOVE_OBJECT, &[name, byte]);
    });
    a.op(Opcode::RETURN_OBJECT, &[name]);
}

/// Disk use on an app's thread must not become the app's violation of its own rules.
fn relax(a: &mut Assembly<'_>) {
    let none = a.label();
    a.get(&[0], &format!("{HOST}->strict:Z"))
        .branch(Opcode::IF_EQZ, &[0], none)
        .stat(
            "Landroid/os/StrictMode;->allowThreadDiskWrites()Landroid/os/StrictMode$ThreadPolicy;",
            &[],
        )
        .result(0)
        .op(Opcode::RETURN_OBJECT, &[0])
        .place(none)
        .int(0, 0)
        .op(Opcode::RETURN_OBJECT, &[0]);
}

fn restore(a: &mut Assembly<'_>) {
    let (policy, none) = (a.argument(0), a.label());
    let class = "Landroid/os/StrictMode$ThreadPolicy;";
    a.branch(Opcode::IF_EQZ, &[policy], none)
        .typed(Opcode::CHECK_CAST, &[policy], class)
        .stat(&format!("Landroid/os/StrictMode;->setThreadPolicy({class})V"), &[policy])
        .place(none)
        .end();
}
