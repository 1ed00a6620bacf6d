//! The sink of `android.os.Trace` sections.

use wattle_dex::{DexError, DexFile, Opcode};

use super::member_access::STATIC;
use super::{calibration, moved_bytes};
use crate::{ProbeEvent, Runtime};
use wattle_dex::{Assembly, ClassAssembly};

/// Whether `beginSection` is there: the class was hidden, without it, before it became public in API 18.
const ON: &str = "Lwattle/probe/Probe;->on:Z";
/// Whether sections are begun without asking, because the probes have been timed.
const TIMED: &str = "Lwattle/probe/Probe;->timed:Z";
/// Whether Android can be asked if sections are recorded: since API 29.
const ASKS: &str = "Lwattle/probe/Opening;->asks:Z";
/// Which thread times.
const CHOSEN: &str = "Lwattle/probe/Opening;->chosen:Ljava/util/concurrent/atomic/AtomicBoolean;";
const PREPARE: &str = "Lwattle/probe/Opening;->prepare()V";
const FIRST: &str = "Lwattle/probe/Opening;->first(Ljava/lang/String;)V";
const BEGIN: &str = "Landroid/os/Trace;->beginSection(Ljava/lang/String;)V";
const END: &str = "Landroid/os/Trace;->endSection()V";
const BYTES: &str = "Lwattle/probe/Moved;->section(I)V";
/// The same as [`ASKS`], which is only there where probes are timed.
const BYTES_ASKS: &str = "Lwattle/probe/Moved;->asks:Z";
const IS_ENABLED: &str = "Landroid/os/Trace;->isEnabled()Z";

/// The methods stay small, without a handler, so that the runtime's compiler puts them into their callers.
///
/// In a runtime that times its probes, a section's begin looks at another flag than its end does, which is set by the first
/// section that is recorded; until then the begin takes a way round, at whose end is the same section. So timing costs
/// no probe a look of its own, and a thread that still sees the flag as it was only goes that way once more.
pub(super) fn add(class: &mut ClassAssembly<'_>, calibrated: bool) -> Result<(), DexError> {
    class.field("on:Z", STATIC);
    if calibrated {
        class.field("timed:Z", STATIC);
    }
    class.method("<clinit>()V", STATIC, (5, 0), |a| initialise(a, calibrated))?;
    for event in ProbeEvent::ALL {
        let begins = matches!(event, ProbeEvent::Enter | ProbeEvent::Call);
        let (signature, ins) = if begins { ("(Ljava/lang/String;)V", 1) } else { ("()V", 0) };
        let name = format!("{}{signature}", event.method());
        class.method(&name, STATIC, (1, ins), |a: &mut Assembly<'_>| {
            let off = a.label();
            let flag = if begins && calibrated { TIMED } else { ON };
            a.get(&[0], flag).branch(Opcode::IF_EQZ, &[0], off);
            if begins {
                let label = a.argument(0);
                a.stat(BEGIN, &[label]);
                if calibrated {
                    a.end().place(off).stat(FIRST, &[label]).end();
                    return;
                }
            } else {
                a.stat(END, &[]);
            }
            a.place(off).end();
        })?;
    }
    class.method("moved(I)V", STATIC, (1, 1), |a| {
        let bytes = a.argument(0);
        let (none, off) = (a.label(), a.label());
        a.get(&[0], ON)
            .branch(Opcode::IF_EQZ, &[0], off)
            .branch(Opcode::IF_LEZ, &[bytes], none)
            .stat(BYTES, &[bytes])
            .place(none)
            .stat(END, &[])
            .place(off)
            .end();
    })?;
    moved_bytes::add(class)
}

/// Sections have no text at their end: how many bytes a call moved is the name of one that is nested right before it.
pub(super) fn add_bytes(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Moved;", "Ljava/lang/Object;");
    class.field("asks:Z", STATIC);
    class.method("<clinit>()V", STATIC, (1, 0), |a| {
        a.attempt(0, |a| {
            a.stat(IS_ENABLED, &[]).int(0, 1).put(&[0], BYTES_ASKS);
        });
        a.end();
    })?;
    class.method("section(I)V", STATIC, (2, 1), |a| {
        let bytes = a.argument(0);
        a.attempt(0, |a| {
            let (tell, done) = (a.label(), a.label());
            // No text is made for nobody.
            a.get(&[0], BYTES_ASKS)
                .branch(Opcode::IF_EQZ, &[0], tell)
                .stat(IS_ENABLED, &[])
                .result(0)
                .branch(Opcode::IF_EQZ, &[0], done)
                .place(tell)
                .text(1, Runtime::BYTES_SECTION)
                .create(0, "Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V", &[1])
                .virt("Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;", &[0, bytes])
                .virt("Ljava/lang/StringBuilder;->toString()Ljava/lang/String;", &[0])
                .result(0)
                .stat(BEGIN, &[0])
                .stat(END, &[])
                .place(done);
        });
        a.end();
    })?;
    class.finish();
    Ok(())
}

fn initialise(a: &mut Assembly<'_>, calibrated: bool) {
    a.attempt(0, |a| {
        if calibrated {
            a.stat(PREPARE, &[]);
        }
        a.text(0, "android.os.Trace")
            .stat("Ljava/lang/Class;->forName(Ljava/lang/String;)Ljava/lang/Class;", &[0])
            .result(0)
            .text(1, "beginSection")
            .int(2, 1)
            .typed(Opcode::NEW_ARRAY, &[2, 2], "[Ljava/lang/Class;")
            .int(3, 0)
            .typed(Opcode::CONST_CLASS, &[4], "Ljava/lang/String;")
            .op(Opcode::APUT_OBJECT, &[4, 2, 3])
            .virt(
                "Ljava/lang/Class;->getMethod(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;",
                &[0, 1, 2],
            )
            .int(0, 1)
            .put(&[0], ON);
    });
    a.end();
}

/// The way round, in a class of its own: its call of what older versions lack keeps nobody from compiling the probes.
pub(super) fn add_opening(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Opening;", "Ljava/lang/Object;");
    class.field("asks:Z", STATIC);
    class.field("chosen:Ljava/util/concurrent/atomic/AtomicBoolean;", STATIC);
    class.method("prepare()V", STATIC, (1, 0), |a| {
        a.create(0, "Ljava/util/concurrent/atomic/AtomicBoolean;-><init>()V", &[])
            .put(&[0], CHOSEN)
            .attempt(0, |a| {
                a.stat(IS_ENABLED, &[]).int(0, 1).put(&[0], ASKS);
            })
            .end();
    })?;
    class.method("first(Ljava/lang/String;)V", STATIC, (3, 1), first)?;
    class.finish();
    Ok(())
}

/// Begins a section as long as it is not known that one was recorded. Nothing is left out by asking first: it is what
/// `beginSection` asks itself.
fn first(a: &mut Assembly<'_>) {
    let label = a.argument(0);
    let (recorded, begin, done) = (a.label(), a.label(), a.label());
    a.get(&[0], ON)
        .branch(Opcode::IF_EQZ, &[0], done)
        .get(&[0], ASKS)
        .branch(Opcode::IF_EQZ, &[0], recorded)
        .stat(IS_ENABLED, &[])
        .result(0)
        .branch(Opcode::IF_EQZ, &[0], done)
        .place(recorded)
        .int(1, 0)
        .int(2, 1)
        // Before anything is timed, so that what is timed is the straight way.
        .put(&[2], TIMED)
        .get(&[0], CHOSEN)
        .virt("Ljava/util/concurrent/atomic/AtomicBoolean;->compareAndSet(ZZ)Z", &[0, 1, 2])
        .result(0)
        .branch(Opcode::IF_EQZ, &[0], begin);
    calibration::make(a);
    a.place(begin).stat(BEGIN, &[label]).place(done).end();
}
