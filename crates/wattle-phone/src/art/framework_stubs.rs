//! Framework classes as the simulated phone has them. They stand before those of the runtime's folder, whose methods
//! throw.

use wattle_dex::{AccessFlags, Assembly, ClassAssembly, DexError, DexFile, Opcode};

use super::event_class::{EVENTS, PROPERTY_UID, STATIC};

const OBJECT: &str = "Ljava/lang/Object;";
const PUT: &str = "Lwattle/phone/Events;->put(Ljava/lang/String;Ljava/lang/String;)V";
const ESCAPED: &str = "Lwattle/phone/Events;->escaped(Ljava/lang/String;)Ljava/lang/String;";
const CONCAT: &str = "Ljava/lang/String;->concat(Ljava/lang/String;)Ljava/lang/String;";
const POLICY: &str = "Landroid/os/StrictMode$ThreadPolicy;";

pub(super) fn add(file: &mut DexFile<'static>) -> Result<(), DexError> {
    trace(file)?;
    log(file)?;
    process(file)?;
    system_clock(file)?;
    strict_mode(file)
}

/// `android.os.Trace`. A label of more than 127 characters throws, as on a phone.
fn trace(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Landroid/os/Trace;", OBJECT);
    class.method("beginSection(Ljava/lang/String;)V", STATIC, (2, 1), |a| {
        let label = a.argument(0);
        let short = a.label();
        a.virt("Ljava/lang/String;->length()I", &[label])
            .result(0)
            .int(1, 127)
            .branch(Opcode::IF_LE, &[0, 1], short)
            .text(1, "sectionName is too long")
            .create(0, "Ljava/lang/IllegalArgumentException;-><init>(Ljava/lang/String;)V", &[1])
            .op(Opcode::THROW, &[0])
            .place(short)
            .stat(ESCAPED, &[label])
            .result(label)
            .text(0, "B")
            .stat(PUT, &[0, label])
            .end();
    })?;
    class.method("endSection()V", STATIC, (2, 0), |a| {
        a.text(0, "E").text(1, "").stat(PUT, &[0, 1]).end();
    })?;
    class.method("isEnabled()Z", STATIC, (1, 0), |a| {
        a.int(0, 1).op(Opcode::RETURN, &[0]);
    })?;
    for asynchronous in ["beginAsyncSection", "endAsyncSection"] {
        class.method(&format!("{asynchronous}(Ljava/lang/String;I)V"), STATIC, (0, 2), |a| {
            a.end();
        })?;
    }
    class.method("setCounter(Ljava/lang/String;J)V", STATIC, (0, 3), |a| {
        a.end();
    })?;
    class.finish();
    Ok(())
}

/// The methods of `android.util.Log` and their priorities.
const LOGS: [(&str, &str); 6] =
    [("v", "2\t"), ("d", "3\t"), ("i", "4\t"), ("w", "5\t"), ("e", "6\t"), ("wtf", "7\t")];
const TRACE_OF: &str =
    "Landroid/util/Log;->getStackTraceString(Ljava/lang/Throwable;)Ljava/lang/String;";
const WRITE: &str =
    "Landroid/util/Log;->write(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I";

fn log(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Landroid/util/Log;", OBJECT);
    for (name, priority) in LOGS {
        let plain = format!("{name}(Ljava/lang/String;Ljava/lang/String;)I");
        class.method(&plain, STATIC, (1, 2), |a| {
            let (tag, message) = (a.argument(0), a.argument(1));
            a.text(0, priority).stat(WRITE, &[0, tag, message]).result(0);
            a.op(Opcode::RETURN, &[0]);
        })?;
        let thrown = format!("{name}(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;)I");
        class.method(&thrown, STATIC, (2, 3), |a| {
            let (tag, message, exception) = (a.argument(0), a.argument(1), a.argument(2));
            let known = a.label();
            a.branch(Opcode::IF_NEZ, &[message], known)
                .text(message, "null")
                .place(known)
                .text(0, "\n")
                .virt(CONCAT, &[message, 0])
                .result(message)
                .stat(TRACE_OF, &[exception])
                .result(0)
                .virt(CONCAT, &[message, 0])
                .result(message)
                .text(0, priority)
                .stat(WRITE, &[0, tag, message])
                .result(0)
                .op(Opcode::RETURN, &[0]);
        })?;
    }
    for name in ["w", "wtf"] {
        let priority = if name == "w" { "5\t" } else { "7\t" };
        let only = format!("{name}(Ljava/lang/String;Ljava/lang/Throwable;)I");
        class.method(&only, STATIC, (2, 2), |a| {
            let (tag, exception) = (a.argument(0), a.argument(1));
            a.stat(TRACE_OF, &[exception])
                .result(1)
                .text(0, priority)
                .stat(WRITE, &[0, tag, 1])
                .result(0)
                .op(Opcode::RETURN, &[0]);
        })?;
    }
    class.method("println(ILjava/lang/String;Ljava/lang/String;)I", STATIC, (2, 3), |a| {
        let (priority, tag, message) = (a.argument(0), a.argument(1), a.argument(2));
        a.stat("Ljava/lang/String;->valueOf(I)Ljava/lang/String;", &[priority])
            .result(0)
            .text(1, "\t")
            .virt(CONCAT, &[0, 1])
            .result(0)
            .stat(WRITE, &[0, tag, message])
            .result(0)
            .op(Opcode::RETURN, &[0]);
    })?;
    class.method("isLoggable(Ljava/lang/String;I)Z", STATIC, (1, 2), |a| {
        a.int(0, 1).op(Opcode::RETURN, &[0]);
    })?;
    class.method(
        "getStackTraceString(Ljava/lang/Throwable;)Ljava/lang/String;",
        STATIC,
        (2, 1),
        stack_trace,
    )?;
    class.method(
        "write(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I",
        STATIC,
        (2, 3),
        write_log,
    )?;
    class.finish();
    Ok(())
}

fn stack_trace(a: &mut Assembly<'_>) {
    let exception = a.argument(0);
    let some = a.label();
    a.branch(Opcode::IF_NEZ, &[exception], some)
        .text(0, "")
        .op(Opcode::RETURN_OBJECT, &[0])
        .place(some)
        .create(0, "Ljava/io/StringWriter;-><init>()V", &[])
        .create(1, "Ljava/io/PrintWriter;-><init>(Ljava/io/Writer;)V", &[0])
        .virt("Ljava/lang/Throwable;->printStackTrace(Ljava/io/PrintWriter;)V", &[exception, 1])
        .virt("Ljava/io/PrintWriter;->flush()V", &[1])
        .virt("Ljava/io/StringWriter;->toString()Ljava/lang/String;", &[0])
        .result(0)
        .op(Opcode::RETURN_OBJECT, &[0]);
}

/// `write(priority, tag, message)`: an event `L` of the three.
fn write_log(a: &mut Assembly<'_>) {
    let (priority, tag, message) = (a.argument(0), a.argument(1), a.argument(2));
    a.stat(ESCAPED, &[tag])
        .result(tag)
        .stat(ESCAPED, &[message])
        .result(message)
        .virt(CONCAT, &[priority, tag])
        .result(0)
        .text(1, "\t")
        .virt(CONCAT, &[0, 1])
        .result(0)
        .virt(CONCAT, &[0, message])
        .result(0)
        .text(1, "L")
        .stat(PUT, &[1, 0])
        .virt("Ljava/lang/String;->length()I", &[message])
        .result(0)
        .op(Opcode::RETURN, &[0]);
}

fn process(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Landroid/os/Process;", OBJECT);
    for (name, own) in [("myPid", "pid"), ("myTid", "tid")] {
        class.method(&format!("{name}()I"), STATIC, (1, 0), |a| {
            a.stat(&format!("{EVENTS}->{own}()I"), &[]).result(0).op(Opcode::RETURN, &[0]);
        })?;
    }
    class.method("myUid()I", STATIC, (1, 0), |a| {
        a.text(0, PROPERTY_UID)
            .stat("Ljava/lang/Integer;->getInteger(Ljava/lang/String;)Ljava/lang/Integer;", &[0])
            .result(0)
            .virt("Ljava/lang/Integer;->intValue()I", &[0])
            .result(0)
            .op(Opcode::RETURN, &[0]);
    })?;
    for priority in ["setThreadPriority(I)V", "setThreadPriority(II)V"] {
        let words = if priority.contains("II") { 2 } else { 1 };
        class.method(priority, STATIC, (0, words), |a| {
            a.end();
        })?;
    }
    // There is no other process that could be meant.
    class.method("killProcess(I)V", STATIC, (2, 1), |a| {
        a.text(0, "K")
            .text(1, "")
            .stat(PUT, &[0, 1])
            .stat("Lwattle/phone/Events;->flush()V", &[])
            .stat("Ljava/lang/Runtime;->getRuntime()Ljava/lang/Runtime;", &[])
            .result(0)
            .int(1, 137)
            .virt("Ljava/lang/Runtime;->halt(I)V", &[0, 1])
            .end();
    })?;
    class.finish();
    Ok(())
}

/// `android.os.SystemClock`: the phone's boot time. The phone does not sleep while code runs, so that its monotonic
/// clock goes as fast.
fn system_clock(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Landroid/os/SystemClock;", OBJECT);
    class.method("elapsedRealtimeNanos()J", STATIC, (2, 0), |a| {
        a.stat(&format!("{EVENTS}->now()J"), &[]).result(0).op(Opcode::RETURN_WIDE, &[0]);
    })?;
    for millis in ["elapsedRealtime()J", "uptimeMillis()J"] {
        class.method(millis, STATIC, (4, 0), |a| {
            a.stat(&format!("{EVENTS}->now()J"), &[])
                .result(0)
                .long(2, 1_000_000)
                .op(Opcode::DIV_LONG, &[0, 0, 2])
                .op(Opcode::RETURN_WIDE, &[0]);
        })?;
    }
    class.method("sleep(J)V", STATIC, (1, 2), |a| {
        let millis = a.argument(0);
        a.attempt(0, |a| {
            a.stat("Ljava/lang/Thread;->sleep(J)V", &[millis, millis + 1]);
        });
        a.end();
    })?;
    class.finish();
    Ok(())
}

/// `android.os.StrictMode` without rules.
fn strict_mode(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut policy = ClassAssembly::new(file, POLICY, OBJECT);
    policy.method("<init>()V", AccessFlags::PUBLIC, (0, 1), |a| {
        let this = a.argument(0);
        a.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[this]).end();
    })?;
    policy.finish();
    let mut class = ClassAssembly::new(file, "Landroid/os/StrictMode;", OBJECT);
    for name in ["getThreadPolicy", "allowThreadDiskWrites", "allowThreadDiskReads"] {
        class.method(&format!("{name}(){POLICY}"), STATIC, (1, 0), |a| {
            a.create(0, &format!("{POLICY}-><init>()V"), &[]).op(Opcode::RETURN_OBJECT, &[0]);
        })?;
    }
    class.method(&format!("setThreadPolicy({POLICY})V"), STATIC, (0, 1), |a| {
        a.end();
    })?;
    class.finish();
    Ok(())
}
