//! The sink of binary files: see `docs/probe-formats.md` for every byte.

use wattle_dex::{DexError, DexFile, Opcode};

use super::Runtime;
use super::byte_buffer::{AT, DATA};
use super::host::HOST;
use super::member_access::STATIC;
use super::ring::{CODES, LOCAL, RECORDS, THREAD, TIMES};
use wattle_dex::{Assembly, ClassAssembly};

const FILE: &str = "Lwattle/probe/Output;->file:Ljava/io/RandomAccessFile;";
/// Bytes of the file that are whole.
const GOOD: &str = "Lwattle/probe/Output;->good:J";
/// Whether there may be more in the file than that.
const TORN: &str = "Lwattle/probe/Output;->torn:Z";
/// When the clocks were last read.
const CLOCK: &str = "Lwattle/probe/Output;->clock:J";
const NAME: &str = "Lwattle/probe/Buffer;->name:Ljava/lang/String;";
const LABEL: &str = "Lwattle/probe/Buffer;->label:[B";
const APPEND: &str =
    "Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;";
const GET_BYTES: &str = "Ljava/lang/String;->getBytes(Ljava/lang/String;)[B";
const PROPERTY: &str = "Ljava/lang/System;->getProperty(Ljava/lang/String;)Ljava/lang/String;";

const MAGIC: &[u8; 8] = b"WTLPROBE";
const VERSION: i32 = 1;
/// Bytes before a block's content.
const BLOCK_HEAD: i32 = 12;
/// At most so many bytes of a name.
const NAME_LIMIT: i32 = 255;
/// Nanoseconds between two readings of the clocks.
pub(super) const CLOCK_PERIOD: i64 = 1_000_000_000;

/// The class that writes.
pub(super) fn add(file: &mut DexFile<'static>, runtime: &Runtime) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Output;", "Ljava/lang/Object;");
    class.field("file:Ljava/io/RandomAccessFile;", STATIC);
    class.field("good:J", STATIC);
    class.field("torn:Z", STATIC);
    class.field("clock:J", STATIC);
    class.method("write(Lwattle/probe/Buffer;III)V", STATIC, (10, 4), write)?;
    class.method("open()V", STATIC, (3, 0), |a| open(a, runtime))?;
    class.method("opened(Ljava/lang/String;Ljava/lang/String;)Z", STATIC, (3, 2), opened)?;
    class.method("header()V", STATIC, (4, 0), |a| header(a, runtime))?;
    class.method("clocks()V", STATIC, (6, 0), clocks)?;
    class.method("block(I)V", STATIC, (6, 1), block)?;
    class.method("flush()V", STATIC, (6, 0), flush)?;
    class.finish();
    Ok(())
}

/// Writes the records from one position to another as a block.
fn write(a: &mut Assembly<'_>) {
    let buffer = a.argument(0);
    let (from, to, lost) = (a.argument(1), a.argument(2), a.argument(3));
    let (one, wide, last, times, codes, at) = (0, 1, 3, 5, 6, 7);
    let clock = 8;
    let (ready, fresh, same, next, done) = (a.label(), a.label(), a.label(), a.label(), a.label());
    a.get(&[wide], GOOD)
        .long(last, 0)
        .op(Opcode::CMP_LONG, &[one, wide, last])
        .branch(Opcode::IF_NEZ, &[one], ready)
        .stat("Lwattle/probe/Output;->open()V", &[])
        .place(ready)
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(wide)
        .get(&[last], CLOCK)
        .op(Opcode::SUB_LONG_2ADDR, &[wide, last])
        .long(clock, CLOCK_PERIOD)
        .op(Opcode::CMP_LONG, &[one, wide, clock])
        .branch(Opcode::IF_LTZ, &[one], fresh)
        .int(one, BLOCK_HEAD)
        .put(&[one], AT)
        .stat("Lwattle/probe/Output;->clocks()V", &[])
        .int(one, i32::from_le_bytes(*b"CLCK"))
        .stat("Lwattle/probe/Output;->block(I)V", &[one])
        .place(fresh)
        .int(one, BLOCK_HEAD)
        .put(&[one], AT)
        .get(&[one, buffer], "Lwattle/probe/Buffer;->tid:I")
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[one])
        .get(&[one, buffer], "Lwattle/probe/Buffer;->serial:I")
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[one])
        .get(&[one, buffer], "Lwattle/probe/Buffer;->sequence:I")
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[one])
        .op(Opcode::SUB_INT, &[one, to, from])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[one])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[lost])
        .get(&[times, buffer], TIMES)
        .get(&[codes, buffer], CODES)
        .literal(Opcode::AND_INT_LIT16, &[at, from], RECORDS - 1)
        .op(Opcode::AGET_WIDE, &[last, times, at])
        .stat("Lwattle/probe/Bytes;->i64(J)V", &[last, last + 1])
        // The name's bytes are made again only where the thread has a new name.
        .get(&[one, buffer], THREAD)
        .virt("Ljava/lang/Thread;->getName()Ljava/lang/String;", &[one])
        .result(one)
        .get(&[at, buffer], NAME)
        .branch(Opcode::IF_EQ, &[at, one], same)
        .text(at, "UTF-8")
        .virt(GET_BYTES, &[one, at])
        .result(at)
        .put(&[at, buffer], LABEL)
        .put(&[one, buffer], NAME)
        .place(same)
        .get(&[one, buffer], LABEL)
        .int(at, NAME_LIMIT)
        .stat("Lwattle/probe/Bytes;->named([BI)V", &[one, at])
        .place(next)
        .branch(Opcode::IF_EQ, &[from, to], done)
        .literal(Opcode::AND_INT_LIT16, &[at, from], RECORDS - 1)
        .op(Opcode::AGET, &[one, codes, at])
        .op(Opcode::INT_TO_LONG, &[wide, one])
        .long(clock, 0xffff_ffff)
        .op(Opcode::AND_LONG_2ADDR, &[wide, clock])
        .stat("Lwattle/probe/Bytes;->varint(J)V", &[wide, wide + 1])
        .op(Opcode::AGET_WIDE, &[wide, times, at])
        .op(Opcode::SUB_LONG, &[last, wide, last])
        .stat("Lwattle/probe/Bytes;->varint(J)V", &[last, last + 1])
        .op(Opcode::MOVE_WIDE, &[last, wide])
        .literal(Opcode::ADD_INT_LIT8, &[from, from], 1)
        .goto(next)
        .place(done)
        .int(one, i32::from_le_bytes(*b"EVTS"))
        .stat("Lwattle/probe/Output;->block(I)V", &[one])
        .end();
}

/// Opens the process's file in the first folder that can be written, and writes its header; without a folder nothing is
/// recorded any more.
fn open(a: &mut Assembly<'_>, runtime: &Runtime) {
    let (name, folder, scratch) = (0, 1, 2);
    let done = a.label();
    let builder = "Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V";
    a.get(&[name], FILE)
        .branch(Opcode::IF_NEZ, &[name], done)
        .text(folder, "wattle-")
        .create(name, builder, &[folder])
        .stat(&format!("{HOST}->pid()I"), &[])
        .result(folder)
        .virt("Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;", &[name, folder])
        .text(folder, "-")
        .virt(APPEND, &[name, folder])
        .stat("Ljava/lang/System;->currentTimeMillis()J", &[])
        .result(folder)
        .virt(
            "Ljava/lang/StringBuilder;->append(J)Ljava/lang/StringBuilder;",
            &[name, folder, scratch],
        )
        .text(folder, ".probes")
        .virt(APPEND, &[name, folder])
        .virt("Ljava/lang/StringBuilder;->toString()Ljava/lang/String;", &[name])
        .result(name);
    let mut candidates = vec![(true, "wattle.dir".to_owned())];
    if let Some(package) = &runtime.package {
        candidates.push((false, format!("/data/data/{package}/files")));
        candidates.push((false, format!("/data/user/0/{package}/files")));
    }
    candidates.push((true, "java.io.tmpdir".to_owned()));
    for (property, candidate) in candidates {
        a.text(folder, &candidate);
        if property {
            a.stat(PROPERTY, &[folder]).result(folder);
        }
        a.stat(
            "Lwattle/probe/Output;->opened(Ljava/lang/String;Ljava/lang/String;)Z",
            &[folder, name],
        )
        .result(scratch)
        .branch(Opcode::IF_NEZ, &[scratch], done);
    }
    a.int(scratch, 0)
        .put(&[scratch], LOCAL)
        .create(name, "Ljava/lang/IllegalStateException;-><init>()V", &[])
        .op(Opcode::THROW, &[name])
        .place(done)
        .stat("Lwattle/probe/Output;->header()V", &[])
        .end();
}

/// Whether a file of a name could be opened in a folder, which is made where it is missing.
fn opened(a: &mut Assembly<'_>) {
    let (folder, name) = (a.argument(0), a.argument(1));
    let no = a.label();
    let (start, end, handler) = (a.label(), a.label(), a.label());
    a.branch(Opcode::IF_EQZ, &[folder], no)
        .place(start)
        .create(0, "Ljava/io/File;-><init>(Ljava/lang/String;)V", &[folder])
        .virt("Ljava/io/File;->mkdirs()Z", &[0])
        .create(1, "Ljava/io/File;-><init>(Ljava/io/File;Ljava/lang/String;)V", &[0, name])
        .text(0, "rw")
        .create(2, "Ljava/io/RandomAccessFile;-><init>(Ljava/io/File;Ljava/lang/String;)V", &[1, 0])
        .put(&[2], FILE)
        .int(0, 1)
        .op(Opcode::RETURN, &[0])
        .place(end)
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[0])
        .place(no)
        .int(0, 0)
        .op(Opcode::RETURN, &[0])
        // An error, such as that the stack ends, says nothing of the folder and goes on: the next drain tries again.
        .guard_from("Ljava/lang/Exception;", start, end, handler);
}

fn header(a: &mut Assembly<'_>, runtime: &Runtime) {
    a.int(0, 0).put(&[0], AT);
    let mut words = vec![];
    for chunk in MAGIC.chunks_exact(4) {
        words.push(word(chunk));
    }
    // The header's length follows below.
    words.push(VERSION);
    for word in words {
        a.int(0, word).stat("Lwattle/probe/Bytes;->u32(I)V", &[0]);
    }
    a.stat(&format!("{HOST}->pid()I"), &[]).result(0).stat("Lwattle/probe/Bytes;->u32(I)V", &[0]);
    for chunk in runtime.map.0.chunks_exact(4) {
        a.int(0, word(chunk)).stat("Lwattle/probe/Bytes;->u32(I)V", &[0]);
    }
    a.stat("Lwattle/probe/Output;->clocks()V", &[]);
    a.text(1, "UTF-8").int(2, NAME_LIMIT);
    a.stat(&format!("{HOST}->processName()Ljava/lang/String;"), &[])
        .result(0)
        .virt(GET_BYTES, &[0, 1])
        .result(0)
        .stat("Lwattle/probe/Bytes;->named([BI)V", &[0, 2])
        .text(0, runtime.package.as_deref().unwrap_or_default())
        .virt(GET_BYTES, &[0, 1])
        .result(0)
        .stat("Lwattle/probe/Bytes;->named([BI)V", &[0, 2])
        .get(&[0], AT)
        .int(1, 10)
        .put(&[1], AT)
        .stat("Lwattle/probe/Bytes;->u16(I)V", &[0])
        .put(&[0], AT)
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .end();
}

fn word(chunk: &[u8]) -> i32 {
    chunk.iter().rev().fold(0, |word, &byte| word << 8 | i32::from(byte))
}

/// The clocks: `nanoTime`, wall milliseconds, boot nanoseconds or -1, `nanoTime` again.
fn clocks(a: &mut Assembly<'_>) {
    a.stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(0)
        .put(&[0], CLOCK)
        .stat("Ljava/lang/System;->currentTimeMillis()J", &[])
        .result(2)
        .stat(&format!("{HOST}->bootNanos()J"), &[])
        .result(4)
        .stat("Lwattle/probe/Bytes;->i64(J)V", &[0, 1])
        .stat("Ljava/lang/System;->nanoTime()J", &[])
        .result(0)
        .stat("Lwattle/probe/Bytes;->i64(J)V", &[2, 3])
        .stat("Lwattle/probe/Bytes;->i64(J)V", &[4, 5])
        .stat("Lwattle/probe/Bytes;->i64(J)V", &[0, 1])
        .end();
}

/// Puts kind, length and checksum before the content that was put together, and writes all.
fn block(a: &mut Assembly<'_>) {
    let kind = a.argument(0);
    let (end, length, crc, zero, data) = (0, 1, 2, 3, 4);
    a.get(&[end], AT)
        .literal(Opcode::ADD_INT_LIT8, &[length, end], -BLOCK_HEAD)
        .create(crc, "Ljava/util/zip/CRC32;-><init>()V", &[])
        .get(&[data], DATA)
        .int(zero, BLOCK_HEAD)
        .virt("Ljava/util/zip/CRC32;->update([BII)V", &[crc, data, zero, length])
        .virt("Ljava/util/zip/CRC32;->getValue()J", &[crc])
        .result(2)
        .op(Opcode::LONG_TO_INT, &[2, 2])
        .int(zero, 0)
        .put(&[zero], AT)
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[kind])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[length])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[2])
        .put(&[end], AT)
        .stat("Lwattle/probe/Output;->flush()V", &[])
        .end();
}

/// Appends to the file. Where that failed before (a full disk, the end of a stack), what came of it is cut off first, so
/// that each block stands where a reader looks for it.
fn flush(a: &mut Assembly<'_>) {
    let (file, good, data, zero, length) = (0, 1, 3, 4, 5);
    let whole = a.label();
    a.get(&[file], FILE)
        .get(&[zero], TORN)
        .branch(Opcode::IF_EQZ, &[zero], whole)
        .get(&[good], GOOD)
        .virt("Ljava/io/RandomAccessFile;->setLength(J)V", &[file, good, good + 1])
        .virt("Ljava/io/RandomAccessFile;->seek(J)V", &[file, good, good + 1])
        .place(whole)
        .int(zero, 1)
        .put(&[zero], TORN)
        .get(&[data], DATA)
        .int(zero, 0)
        .get(&[length], AT)
        .virt("Ljava/io/RandomAccessFile;->write([BII)V", &[file, data, zero, length])
        .get(&[good], GOOD)
        .op(Opcode::INT_TO_LONG, &[3, length])
        .op(Opcode::ADD_LONG_2ADDR, &[good, 3])
        .put(&[good], GOOD)
        .int(zero, 0)
        .put(&[zero], TORN)
        .end();
}
