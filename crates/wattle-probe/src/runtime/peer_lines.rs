//! The sinks that write lines as Navitas and Orka did.

use wattle_dex::{DexError, Opcode};

use super::host::HOST;
use super::member_access::STATIC;
use crate::{ProbeEvent, Sink};
use wattle_dex::{Assembly, ClassAssembly};

const ON: &str = "Lwattle/probe/Probe;->on:Z";
const CPUS: &str = "Lwattle/probe/Probe;->cpus:I";
const APPEND: &str =
    "Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;";
const APPEND_INT: &str = "Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;";
const NEW_BUILDER: &str = "Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V";
const TO_STRING: &str = "Ljava/lang/StringBuilder;->toString()Ljava/lang/String;";
const CPU_FOLDER: &str = "/sys/devices/system/cpu/cpu";

/// Orka's texts arrive complete.
pub(super) fn add_orka(class: &mut ClassAssembly<'_>) -> Result<(), DexError> {
    class.field("on:Z", STATIC);
    class.method("<clinit>()V", STATIC, (1, 0), |a| {
        a.attempt(0, switch_on);
        a.end();
    })?;
    add_events(class, Sink::Orka)?;
    class.method("line(Ljava/lang/String;)V", STATIC, (1, 1), |a| {
        let text = a.argument(0);
        a.text(0, "orka")
            .stat("Landroid/util/Log;->i(Ljava/lang/String;Ljava/lang/String;)I", &[0, text]);
        a.end();
    })
}

/// Navitas's texts get the time in each frequency of each CPU appended.
pub(super) fn add_navitas(class: &mut ClassAssembly<'_>) -> Result<(), DexError> {
    class.field("on:Z", STATIC);
    class.field("cpus:I", STATIC);
    class.method("<clinit>()V", STATIC, (4, 0), |a| {
        a.attempt(0, |a| {
            a.stat(&format!("{HOST}->prepare()V"), &[]);
            relaxed(a, 3, 0, count_cpus);
            switch_on(a);
        });
        a.end();
    })?;
    add_events(class, Sink::Navitas)?;
    class.method("line(Ljava/lang/String;)V", STATIC, (5, 1), line)?;
    class.method("times(I)Ljava/lang/String;", STATIC, (5, 1), times)
}

/// Android's log is asked for once; without it nothing is ever done.
fn switch_on(a: &mut Assembly<'_>) {
    a.text(0, "android.util.Log")
        .stat("Ljava/lang/Class;->forName(Ljava/lang/String;)Ljava/lang/Class;", &[0])
        .int(0, 1)
        .put(&[0], ON);
}

fn add_events(class: &mut ClassAssembly<'_>, sink: Sink) -> Result<(), DexError> {
    for event in ProbeEvent::ALL {
        let Some(argument) = sink.argument(event) else { continue };
        let name = format!("{}{}", event.method(), argument.signature());
        class.method(&name, STATIC, (1, 1), |a| {
            let (text, off) = (a.argument(0), a.label());
            a.get(&[0], ON)
                .branch(Opcode::IF_EQZ, &[0], off)
                .stat("Lwattle/probe/Probe;->line(Ljava/lang/String;)V", &[text])
                .place(off)
                .end();
        })?;
    }
    Ok(())
}

/// Does something that reads files, which must not count as the app's reading.
fn relaxed(
    a: &mut Assembly<'_>,
    policy: u16,
    exception: u16,
    body: impl FnOnce(&mut Assembly<'_>),
) {
    a.stat(&format!("{HOST}->relax()Ljava/lang/Object;"), &[]).result(policy);
    a.attempt(exception, body);
    a.stat(&format!("{HOST}->restore(Ljava/lang/Object;)V"), &[policy]);
}

fn count_cpus(a: &mut Assembly<'_>) {
    let (next, done) = (a.label(), a.label());
    a.int(0, 0)
        .place(next)
        .put(&[0], CPUS)
        .text(1, CPU_FOLDER)
        .create(2, NEW_BUILDER, &[1])
        .virt(APPEND_INT, &[2, 0])
        .virt(TO_STRING, &[2])
        .result(1)
        .create(2, "Ljava/io/File;-><init>(Ljava/lang/String;)V", &[1])
        .virt("Ljava/io/File;->isDirectory()Z", &[2])
        .result(1)
        .branch(Opcode::IF_EQZ, &[1], done)
        .literal(Opcode::ADD_INT_LIT8, &[0, 0], 1)
        .goto(next)
        .place(done);
}

/// `text TimeInStates cpu0 <kHz> <ticks> … ; cpu1 … ;  EndOfData 0`.
fn line(a: &mut Assembly<'_>) {
    let text = a.argument(0);
    let (builder, cpu, word, exception, policy) = (0, 1, 2, 3, 4);
    a.attempt(exception, |a| {
        relaxed(a, policy, exception, |a| {
            let (next, done) = (a.label(), a.label());
            a.create(builder, NEW_BUILDER, &[text])
                .text(word, " TimeInStates ")
                .virt(APPEND, &[builder, word])
                .int(cpu, 0)
                .place(next)
                .get(&[word], CPUS)
                .branch(Opcode::IF_GE, &[cpu, word], done)
                .text(word, "cpu")
                .virt(APPEND, &[builder, word])
                .virt(APPEND_INT, &[builder, cpu])
                .text(word, " ")
                .virt(APPEND, &[builder, word])
                .stat("Lwattle/probe/Probe;->times(I)Ljava/lang/String;", &[cpu])
                .result(word)
                .virt(APPEND, &[builder, word])
                .text(word, "; ")
                .virt(APPEND, &[builder, word])
                .literal(Opcode::ADD_INT_LIT8, &[cpu, cpu], 1)
                .goto(next)
                .place(done)
                .text(word, " EndOfData 0")
                .virt(APPEND, &[builder, word])
                .virt(TO_STRING, &[builder])
                .result(builder)
                .text(word, "TEST")
                .stat(
                    "Landroid/util/Log;->d(Ljava/lang/String;Ljava/lang/String;)I",
                    &[word, builder],
                );
        });
    });
    a.end();
}

/// The content of a CPU's `time_in_state` on one line; nothing where there is none.
fn times(a: &mut Assembly<'_>) {
    let cpu = a.argument(0);
    let (result, buffer, stream, length, zero) = (0, 1, 2, 3, 4);
    a.text(result, "").attempt(zero, |a| {
        a.text(length, CPU_FOLDER)
            .create(stream, NEW_BUILDER, &[length])
            .virt(APPEND_INT, &[stream, cpu])
            .text(length, "/cpufreq/stats/time_in_state")
            .virt(APPEND, &[stream, length])
            .virt(TO_STRING, &[stream])
            .result(buffer)
            .create(stream, "Ljava/io/FileInputStream;-><init>(Ljava/lang/String;)V", &[buffer])
            .int(length, 4096)
            .typed(Opcode::NEW_ARRAY, &[buffer, length], "[B")
            .virt("Ljava/io/FileInputStream;->read([B)I", &[stream, buffer])
            .result(length)
            .virt("Ljava/io/FileInputStream;->close()V", &[stream])
            .int(zero, 0)
            .create(stream, "Ljava/lang/String;-><init>([BIII)V", &[buffer, zero, zero, length])
            .int(buffer, 10)
            .int(length, 32)
            .virt("Ljava/lang/String;->replace(CC)Ljava/lang/String;", &[stream, buffer, length])
            .result(result);
    });
    a.op(Opcode::RETURN_OBJECT, &[result]);
}
