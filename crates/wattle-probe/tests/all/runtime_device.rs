//! Framework classes as a device has them, for what the runtime asks of a device.

use wattle_dex::Opcode;

use super::runtime_program::Program;

pub const PID: i64 = 4_711;
/// Added to a thread's number in the process.
pub const FIRST_TID: i64 = 7_000;
pub const BOOT: i64 = 98_765_432_109_876;
/// The lines printed when a thread's rules for the disk are lifted, and when they are back.
pub const RELAXED: &str = "disk allowed";
pub const RESTORED: &str = "disk as before";

pub fn device() -> Vec<u8> {
    let mut program = Program::new();
    program.class("Landroid/os/Process;", &[], |class| {
        class.method("myPid()I", (1, 0), |lines| {
            lines.int(0, PID as i32).op(Opcode::RETURN, &[0]);
        });
        class.method("myTid()I", (2, 0), |lines| {
            lines
                .stat("Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;", &[])
                .op(Opcode::MOVE_RESULT_OBJECT, &[0])
                .virt("Ljava/lang/Thread;->getId()J", &[0])
                .op(Opcode::MOVE_RESULT_WIDE, &[0])
                .op(Opcode::LONG_TO_INT, &[0, 0])
                .literal(Opcode::ADD_INT_LIT16, &[0, 0], FIRST_TID as i32)
                .op(Opcode::RETURN, &[0]);
        });
    });
    program.class("Landroid/os/SystemClock;", &[], |class| {
        class.method("elapsedRealtimeNanos()J", (2, 0), |lines| {
            lines.code.const_wide(0, BOOT);
            lines.op(Opcode::RETURN_WIDE, &[0]);
        });
    });
    let policy = "Landroid/os/StrictMode$ThreadPolicy;";
    program.class(policy, &[], |class| {
        class.method("<init>()V", (0, 1), |lines| {
            lines.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[0]).end();
        });
    });
    program.class("Landroid/os/StrictMode;", &[], |class| {
        for (name, said) in [("getThreadPolicy", None), ("allowThreadDiskWrites", Some(RELAXED))] {
            class.method(&format!("{name}(){policy}"), (2, 0), |lines| {
                if let Some(said) = said {
                    print(lines, said);
                }
                lines
                    .create(0, &format!("{policy}-><init>()V"), &[])
                    .op(Opcode::RETURN_OBJECT, &[0]);
            });
        }
        class.method(&format!("setThreadPolicy({policy})V"), (2, 1), |lines| {
            print(lines, RESTORED);
            lines.end();
        });
    });
    program.bytes()
}

fn print(lines: &mut super::runtime_program::Lines<'_>, text: &str) {
    lines
        .field(Opcode::SGET_OBJECT, &[0], "Ljava/lang/System;->err:Ljava/io/PrintStream;")
        .text(1, text)
        .virt("Ljava/io/PrintStream;->println(Ljava/lang/String;)V", &[0, 1]);
}
