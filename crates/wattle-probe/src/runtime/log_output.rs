//! The sink of log lines: see `docs/probe-formats.md` for their words.

use wattle_dex::{DexError, DexFile, Opcode};

use super::Runtime;
use super::byte_buffer::{AT, DATA};
use super::file_output::CLOCK_PERIOD;
use super::host::HOST;
use super::member_access::STATIC;
use super::ring::{CODES, RECORDS, THREAD, TIMES};
use wattle_dex::{Assembly, ClassAssembly};

const SEQUENCE: &str = "Lwattle/probe/Output;->sequence:I";
const CLOCK: &str = "Lwattle/probe/Output;->clock:J";
const NAME: &str = "Lwattle/probe/Buffer;->name:Ljava/lang/String;";
const BYTE: &str = "Lwattle/probe/Bytes;->u8(I)V";
const NUMBER: &str = "Lwattle/probe/Bytes;->number(JI)V";
const TEXT: &str = "Lwattle/probe/Bytes;->text(Ljava/lang/String;I)V";

/// The letters of the kinds of records, in the order of their numbers.
const LETTERS: &str = "EXUCBFDR";
/// A record is begun only before this column: the longest takes 22 more, and a line has 3,900.
const LAST_COLUMN: i32 = 3_870;
/// At most so many characters of a name.
const NAME_LIMIT: i32 = 255;

/// The class that writes.
pub(super) fn add(file: &mut DexFile<'static>, runtime: &Runtime) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Output;", "Ljava/lang/Object;");
    class.field("sequence:I", STATIC);
    class.field("clock:J", STATIC);
    class.method("write(Lwattle/probe/Buffer;III)V", STATIC, (12, 4), write)?;
    class.method("line(I)V", STATIC, (4, 1), |a| line(a, runtime))?;
    class.method("header()V", STATIC, (3, 0), |a| header(a, runtime))?;
    class.method("clocks()V", STATIC, (6, 0), clocks)?;
    class.method("thread(Lwattle/probe/Buffer;Ljava/lang/String;)V", STATIC, (3, 2), thread)?;
    class.method("owner(Lwattle/probe/Buffer;)V", STATIC, (3, 1), owner)?;
    class.method("number(J)V", STATIC, (1, 2), |a| {
        let value = a.argument(0);
        a.int(0, 10).stat(NUMBER, &[value, value + 1, 0]).int(0, 32).stat(BYTE, &[0]).end();
    })?;
    class.method("flush()V", STATIC, (5, 0), flush)?;
    class.finish();
    Ok(())
}

/// Writes the records from one position to another, in as many lines as it takes.
fn write(a: &mut Assembly<'_>) {
    let buffer = a.argument(0);
    let (from, to, lost) = (a.argument(1), a.argument(2), a.argument(3));
    let (one, base, wide, times, codes, at, last, other) = (0, 1, 2, 4, 5, 6, 7, 9);
    let (ready, clocks, fresh, same, next, record, no_id, full) =
        (a.label(), a.label(), a.label(), a.label(), a.label(), a.label(), a.label(), a.label());
    a.get(&[one], SEQUENCE)
        .branch(Opcode::IF_NEZ, &[one], ready)
        .stat("Lwattle/probe/Output;->header()V", &[])
        .place(ready)
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(wide)
        .get(&[last], CLOCK)
        .op(Opcode::SUB_LONG_2ADDR, &[wide, last])
        .long(last, CLOCK_PERIOD)
        .op(Opcode::CMP_LONG, &[one, wide, last])
        .branch(Opcode::IF_LTZ, &[one], fresh)
        .place(clocks)
        .int(one, i32::from(b'C'))
        .stat("Lwattle/probe/Output;->line(I)V", &[one])
        .stat("Lwattle/probe/Output;->clocks()V", &[])
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .place(fresh)
        .get(&[one, buffer], THREAD)
        .virt("Ljava/lang/Thread;->getName()Ljava/lang/String;", &[one])
        .result(one)
        .get(&[at, buffer], NAME)
        .branch(Opcode::IF_EQ, &[at, one], same)
        .stat(
            "Lwattle/probe/Output;->thread(Lwattle/probe/Buffer;Ljava/lang/String;)V",
            &[buffer, one],
        )
        .place(same)
        .int(base, 36)
        .get(&[times, buffer], TIMES)
        .get(&[codes, buffer], CODES)
        .place(next)
        .int(one, i32::from(b'E'))
        .stat("Lwattle/probe/Output;->line(I)V", &[one])
        .stat("Lwattle/probe/Output;->owner(Lwattle/probe/Buffer;)V", &[buffer])
        .op(Opcode::INT_TO_LONG, &[wide, lost])
        .stat("Lwattle/probe/Output;->number(J)V", &[wide, wide + 1])
        .literal(Opcode::AND_INT_LIT16, &[at, from], RECORDS - 1)
        .op(Opcode::AGET_WIDE, &[last, times, at])
        .stat("Lwattle/probe/Output;->number(J)V", &[last, last + 1])
        .place(record)
        .branch(Opcode::IF_EQ, &[from, to], full)
        .get(&[one], AT)
        .int(other, LAST_COLUMN)
        .branch(Opcode::IF_GE, &[one, other], full)
        .literal(Opcode::AND_INT_LIT16, &[at, from], RECORDS - 1)
        .op(Opcode::AGET, &[one, codes, at])
        .literal(Opcode::AND_INT_LIT8, &[other, one], 7)
        .text(10, LETTERS)
        .virt("Ljava/lang/String;->charAt(I)C", &[10, other])
        .result(other)
        .stat(BYTE, &[other])
        .literal(Opcode::USHR_INT_LIT8, &[one, one], 3)
        .branch(Opcode::IF_EQZ, &[one], no_id)
        .op(Opcode::INT_TO_LONG, &[wide, one])
        .stat(NUMBER, &[wide, wide + 1, base])
        .place(no_id)
        .int(one, i32::from(b'.'))
        .stat(BYTE, &[one])
        .op(Opcode::AGET_WIDE, &[wide, times, at])
        .op(Opcode::SUB_LONG, &[last, wide, last])
        .stat(NUMBER, &[last, last + 1, base])
        .op(Opcode::MOVE_WIDE, &[last, wide])
        .literal(Opcode::ADD_INT_LIT8, &[from, from], 1)
        .goto(record)
        .place(full)
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .branch(Opcode::IF_NE, &[from, to], next)
        .end();
}

/// Begins a line: its letter, the format's version, the map, the line's number.
fn line(a: &mut Assembly<'_>, runtime: &Runtime) {
    let letter = a.argument(0);
    a.int(0, 0)
        .put(&[0], AT)
        .stat(BYTE, &[letter])
        .text(0, &format!("1 {} ", runtime.map.short()))
        .int(1, NAME_LIMIT)
        .stat(TEXT, &[0, 1])
        .get(&[0], SEQUENCE)
        .literal(Opcode::ADD_INT_LIT8, &[1, 0], 1)
        .put(&[1], SEQUENCE)
        .op(Opcode::INT_TO_LONG, &[2, 0])
        .stat("Lwattle/probe/Output;->number(J)V", &[2, 3])
        .end();
}

fn header(a: &mut Assembly<'_>, runtime: &Runtime) {
    a.int(0, i32::from(b'H'))
        .stat("Lwattle/probe/Output;->line(I)V", &[0])
        .text(0, &format!("{} ", runtime.map))
        .int(1, NAME_LIMIT)
        .stat(TEXT, &[0, 1])
        .stat(&format!("{HOST}->pid()I"), &[])
        .result(0)
        .op(Opcode::INT_TO_LONG, &[1, 0])
        .stat("Lwattle/probe/Output;->number(J)V", &[1, 2])
        .stat("Lwattle/probe/Output;->clocks()V", &[])
        .stat(&format!("{HOST}->processName()Ljava/lang/String;"), &[])
        .result(0)
        .int(1, NAME_LIMIT)
        .stat(TEXT, &[0, 1])
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .end();
}

/// The clocks: `nanoTime`, wall milliseconds, boot nanoseconds or -1, `nanoTime` again.
fn clocks(a: &mut Assembly<'_>) {
    let write = "Lwattle/probe/Output;->number(J)V";
    a.stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(0)
        .put(&[0], CLOCK)
        .stat("Ljava/lang/System;->currentTimeMillis()J", &[])
        .result(2)
        .stat(&format!("{HOST}->bootNanos()J"), &[])
        .result(4)
        .stat(write, &[0, 1])
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(0)
        .stat(write, &[2, 3])
        .stat(write, &[4, 5])
        .stat(write, &[0, 1])
        .end();
}

/// The line of a thread's name, when it is new.
fn thread(a: &mut Assembly<'_>) {
    let (buffer, name) = (a.argument(0), a.argument(1));
    a.int(0, i32::from(b'T'))
        .stat("Lwattle/probe/Output;->line(I)V", &[0])
        .stat("Lwattle/probe/Output;->owner(Lwattle/probe/Buffer;)V", &[buffer])
        .int(0, NAME_LIMIT)
        .stat(TEXT, &[name, 0])
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .put(&[name, buffer], NAME)
        .end();
}

/// The thread's number in the kernel and its number in the process.
fn owner(a: &mut Assembly<'_>) {
    let buffer = a.argument(0);
    for field in ["tid", "serial"] {
        a.get(&[0, buffer], &format!("Lwattle/probe/Buffer;->{field}:I"))
            .op(Opcode::INT_TO_LONG, &[1, 0])
            .stat("Lwattle/probe/Output;->number(J)V", &[1, 2]);
    }
    a.end();
}

/// Hands the line to the log. The constructor takes the bytes as they are, without looking for a character set.
fn flush(a: &mut Assembly<'_>) {
    a.get(&[1], DATA)
        .int(2, 0)
        .int(3, 0)
        .get(&[4], AT)
        .create(0, "Ljava/lang/String;-><init>([BIII)V", &[1, 2, 3, 4])
        .text(1, "wattle")
        .stat("Landroid/util/Log;->i(Ljava/lang/String;Ljava/lang/String;)I", &[1, 0])
        .end();
}
