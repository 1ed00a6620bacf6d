//! The class that calls tests or `main`, and the one that sees what nobody catches.

use wattle_dex::{AccessFlags, Assembly, ClassAssembly, DexError, DexFile, Opcode};

use super::event_class::STATIC;

/// The class to start the runtime with.
pub(super) const MAIN: &str = "wattle.phone.Runner";
/// The first argument: what the others are.
pub(super) const MODE_MAIN: &str = "main";
pub(super) const MODE_TESTS: &str = "tests";

const RUNNER: &str = "Lwattle/phone/Runner;";
const CRASH: &str = "Lwattle/phone/Crash;";
const OBJECT: &str = "Ljava/lang/Object;";
const PUT: &str = "Lwattle/phone/Events;->put(Ljava/lang/String;Ljava/lang/String;)V";
const FLUSH: &str = "Lwattle/phone/Events;->flush()V";
const ESCAPED: &str = "Lwattle/phone/Events;->escaped(Ljava/lang/String;)Ljava/lang/String;";
const CONCAT: &str = "Ljava/lang/String;->concat(Ljava/lang/String;)Ljava/lang/String;";
const FOR_NAME: &str = "Lwattle/phone/Runner;->named(Ljava/lang/String;)Ljava/lang/Class;";
const SPLIT: &str = "Ljava/lang/String;->split(Ljava/lang/String;)[Ljava/lang/String;";
const DECLARED: &str = "Ljava/lang/Class;->getDeclaredMethod(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;";
const ACCESSIBLE: &str = "Ljava/lang/reflect/AccessibleObject;->setAccessible(Z)V";
const INVOKE: &str =
    "Ljava/lang/reflect/Method;->invoke(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
const CURRENT: &str = "Ljava/lang/Thread;->currentThread()Ljava/lang/Thread;";
const ERROR_TEXT: &str = "Lwattle/phone/Crash;->told(Ljava/lang/Throwable;)Ljava/lang/String;";

pub(super) fn add(file: &mut DexFile<'static>) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, RUNNER, OBJECT);
    class.method("main([Ljava/lang/String;)V", STATIC, (5, 1), main)?;
    class.method("program([Ljava/lang/String;)V", STATIC, (5, 1), program)?;
    class.method("test(Ljava/lang/String;)V", STATIC, (12, 1), test)?;
    class.method("create(Ljava/lang/String;)Ljava/lang/Object;", STATIC, (3, 1), create)?;
    class.method("named(Ljava/lang/String;)Ljava/lang/Class;", STATIC, (2, 1), named)?;
    class.method("call(Ljava/lang/Object;Ljava/lang/String;)V", STATIC, (5, 2), call)?;
    class.method("cause(Ljava/lang/Throwable;)Ljava/lang/Throwable;", STATIC, (2, 1), cause)?;
    class.finish();
    let mut class = ClassAssembly::new(file, CRASH, OBJECT);
    class.implements("Ljava/lang/Thread$UncaughtExceptionHandler;");
    class.method("<init>()V", AccessFlags::PUBLIC, (0, 1), |a| {
        let this = a.argument(0);
        a.call(Opcode::INVOKE_DIRECT, "Ljava/lang/Object;-><init>()V", &[this]).end();
    })?;
    class.method(
        "uncaughtException(Ljava/lang/Thread;Ljava/lang/Throwable;)V",
        AccessFlags::PUBLIC,
        (2, 3),
        crash,
    )?;
    class.method("told(Ljava/lang/Throwable;)Ljava/lang/String;", STATIC, (3, 1), error_text)?;
    class.finish();
    Ok(())
}

/// `main(mode, …)`: runs, and ends the process as a program that is done does: with its shutdown hooks.
fn main(a: &mut Assembly<'_>) {
    let arguments = a.argument(0);
    let (tests, next, done) = (a.label(), a.label(), a.label());
    a.create(0, &format!("{CRASH}-><init>()V"), &[])
        .stat(
            "Ljava/lang/Thread;->setDefaultUncaughtExceptionHandler(Ljava/lang/Thread$UncaughtExceptionHandler;)V",
            &[0],
        )
        .text(0, "R")
        .text(1, "")
        .stat(PUT, &[0, 1])
        .int(0, 0)
        .op(Opcode::AGET_OBJECT, &[0, arguments, 0])
        .text(1, MODE_MAIN)
        .virt("Ljava/lang/String;->equals(Ljava/lang/Object;)Z", &[0, 1])
        .result(0)
        .branch(Opcode::IF_EQZ, &[0], tests)
        .stat(&format!("{RUNNER}->program([Ljava/lang/String;)V"), &[arguments])
        .goto(done)
        .place(tests)
        .int(2, 1)
        .op(Opcode::ARRAY_LENGTH, &[3, arguments])
        .place(next)
        .branch(Opcode::IF_GE, &[2, 3], done)
        .op(Opcode::AGET_OBJECT, &[0, arguments, 2])
        .stat(&format!("{RUNNER}->test(Ljava/lang/String;)V"), &[0])
        .literal(Opcode::ADD_INT_LIT8, &[2, 2], 1)
        .goto(next)
        .place(done)
        .text(0, "Q")
        .text(1, "")
        .stat(PUT, &[0, 1])
        .stat("Lwattle/phone/Events;->finish()V", &[])
        .int(0, 0)
        .stat("Ljava/lang/System;->exit(I)V", &[0])
        .end();
}

/// `program(mode, class, …)`: calls the class's `main` with the rest.
fn program(a: &mut Assembly<'_>) {
    let arguments = a.argument(0);
    let handler = a.label();
    let start = a.here();
    a.int(0, 1)
        .op(Opcode::AGET_OBJECT, &[0, arguments, 0])
        .stat(FOR_NAME, &[0])
        .result(0)
        .int(1, 1)
        .typed(Opcode::NEW_ARRAY, &[1, 1], "[Ljava/lang/Class;")
        .typed(Opcode::CONST_CLASS, &[2], "[Ljava/lang/String;")
        .int(3, 0)
        .op(Opcode::APUT_OBJECT, &[2, 1, 3])
        .text(2, "main")
        .virt(DECLARED, &[0, 2, 1])
        .result(0)
        .int(1, 1)
        .virt(ACCESSIBLE, &[0, 1])
        .int(1, 2)
        .op(Opcode::ARRAY_LENGTH, &[2, arguments])
        .stat(
            "Ljava/util/Arrays;->copyOfRange([Ljava/lang/Object;II)[Ljava/lang/Object;",
            &[arguments, 1, 2],
        )
        .result(1)
        .int(2, 1)
        .typed(Opcode::NEW_ARRAY, &[2, 2], "[Ljava/lang/Object;")
        .op(Opcode::APUT_OBJECT, &[1, 2, 3])
        .int(1, 0)
        .virt(INVOKE, &[0, 1, 2]);
    let end = a.here();
    a.end()
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[0])
        .stat(&format!("{RUNNER}->cause(Ljava/lang/Throwable;)Ljava/lang/Throwable;"), &[0])
        .result(0)
        .stat(CURRENT, &[])
        .result(1)
        .create(2, &format!("{CRASH}-><init>()V"), &[])
        .virt(
            &format!("{CRASH}->uncaughtException(Ljava/lang/Thread;Ljava/lang/Throwable;)V"),
            &[2, 1, 0],
        )
        .end()
        .guard(start, end, handler);
}

/// `test(name \t class \t first method after the test \t expected exception or nothing \t class#method …)`.
fn test(a: &mut Assembly<'_>) {
    let spec = a.argument(0);
    let (parts, object, failure, at, count, after, scratch, other, expected, name) =
        (0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    let cause_of = format!("{RUNNER}->cause(Ljava/lang/Throwable;)Ljava/lang/Throwable;");
    a.text(parts, "\t")
        .virt(SPLIT, &[spec, parts])
        .result(parts)
        .int(scratch, 0)
        .op(Opcode::AGET_OBJECT, &[name, parts, scratch])
        .text(scratch, "S")
        .stat(PUT, &[scratch, name])
        .stat(FLUSH, &[])
        .int(failure, 0)
        .int(object, 0)
        .int(scratch, 2)
        .op(Opcode::AGET_OBJECT, &[scratch, parts, scratch])
        .stat("Ljava/lang/Integer;->parseInt(Ljava/lang/String;)I", &[scratch])
        .result(after)
        .int(scratch, 3)
        .op(Opcode::AGET_OBJECT, &[expected, parts, scratch])
        .int(at, 4)
        .op(Opcode::ARRAY_LENGTH, &[count, parts]);
    // A class that cannot be made fails its test and has nothing to be called.
    let (start, end, handler, made) = (a.here(), a.label(), a.label(), a.label());
    a.int(scratch, 1)
        .op(Opcode::AGET_OBJECT, &[scratch, parts, scratch])
        .stat(&format!("{RUNNER}->create(Ljava/lang/String;)Ljava/lang/Object;"), &[scratch])
        .result(object)
        .place(end)
        .goto(made)
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[failure])
        .stat(&cause_of, &[failure])
        .result(failure)
        .op(Opcode::MOVE, &[at, count])
        .place(made)
        .guard(start, end, handler);
    let (next, done, run, step) = (a.label(), a.label(), a.label(), a.label());
    a.place(next)
        .branch(Opcode::IF_GE, &[at, count], done)
        .branch(Opcode::IF_EQZ, &[failure], run)
        .branch(Opcode::IF_LT, &[at, after], step)
        .place(run);
    let (start, end, handler, kept) = (a.here(), a.label(), a.label(), a.label());
    a.op(Opcode::AGET_OBJECT, &[scratch, parts, at])
        .stat(&format!("{RUNNER}->call(Ljava/lang/Object;Ljava/lang/String;)V"), &[object, scratch])
        .place(end);
    // The test itself is the last before those after it; it may have to throw.
    a.literal(Opcode::ADD_INT_LIT8, &[scratch, at], 1)
        .branch(Opcode::IF_NE, &[scratch, after], step)
        .virt("Ljava/lang/String;->length()I", &[expected])
        .result(scratch)
        .branch(Opcode::IF_EQZ, &[scratch], step)
        .text(scratch, "expected an exception: ")
        .virt(CONCAT, &[scratch, expected])
        .result(scratch)
        .create(failure, "Ljava/lang/AssertionError;-><init>(Ljava/lang/Object;)V", &[scratch])
        .goto(step)
        .place(handler)
        .op(Opcode::MOVE_EXCEPTION, &[other])
        .stat(&cause_of, &[other])
        .result(other)
        .literal(Opcode::ADD_INT_LIT8, &[scratch, at], 1)
        .branch(Opcode::IF_NE, &[scratch, after], kept)
        .virt("Ljava/lang/String;->length()I", &[expected])
        .result(scratch)
        .branch(Opcode::IF_EQZ, &[scratch], kept)
        .stat(FOR_NAME, &[expected])
        .result(scratch)
        .virt("Ljava/lang/Class;->isInstance(Ljava/lang/Object;)Z", &[scratch, other])
        .result(scratch)
        .branch(Opcode::IF_NEZ, &[scratch], step)
        .place(kept)
        .branch(Opcode::IF_NEZ, &[failure], step)
        .op(Opcode::MOVE_OBJECT, &[failure, other])
        .place(step)
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .goto(next)
        .guard(start, end, handler)
        .place(done);
    let failed = a.label();
    a.branch(Opcode::IF_NEZ, &[failure], failed)
        .text(scratch, "P")
        .stat(PUT, &[scratch, name])
        .stat(FLUSH, &[])
        .end()
        .place(failed)
        .stat(ERROR_TEXT, &[failure])
        .result(scratch)
        .text(other, "\t")
        .virt(CONCAT, &[name, other])
        .result(name)
        .virt(CONCAT, &[name, scratch])
        .result(name)
        .text(scratch, "F")
        .stat(PUT, &[scratch, name])
        .stat(FLUSH, &[])
        .end();
}

/// A class of the packages: this one is the framework's and does not see them by itself.
fn named(a: &mut Assembly<'_>) {
    let name = a.argument(0);
    a.stat("Ljava/lang/ClassLoader;->getSystemClassLoader()Ljava/lang/ClassLoader;", &[])
        .result(0)
        .int(1, 1)
        .stat(
            "Ljava/lang/Class;->forName(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
            &[name, 1, 0],
        )
        .result(0)
        .op(Opcode::RETURN_OBJECT, &[0]);
}

/// A new object of a class by its constructor without arguments, which need not be public.
fn create(a: &mut Assembly<'_>) {
    let name = a.argument(0);
    a.stat(FOR_NAME, &[name])
        .result(0)
        .int(1, 0)
        .typed(Opcode::NEW_ARRAY, &[2, 1], "[Ljava/lang/Class;")
        .virt(
            "Ljava/lang/Class;->getDeclaredConstructor([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;",
            &[0, 2],
        )
        .result(0)
        .int(2, 1)
        .virt(ACCESSIBLE, &[0, 2])
        .typed(Opcode::NEW_ARRAY, &[2, 1], "[Ljava/lang/Object;")
        .virt(
            "Ljava/lang/reflect/Constructor;->newInstance([Ljava/lang/Object;)Ljava/lang/Object;",
            &[0, 2],
        )
        .result(0)
        .op(Opcode::RETURN_OBJECT, &[0]);
}

/// `call(object, class#method)`: a method without arguments, of any visibility.
fn call(a: &mut Assembly<'_>) {
    let (object, what) = (a.argument(0), a.argument(1));
    a.text(0, "#")
        .virt(SPLIT, &[what, 0])
        .result(0)
        .int(1, 0)
        .op(Opcode::AGET_OBJECT, &[2, 0, 1])
        .stat(FOR_NAME, &[2])
        .result(2)
        .typed(Opcode::NEW_ARRAY, &[3, 1], "[Ljava/lang/Class;")
        .int(4, 1)
        .op(Opcode::AGET_OBJECT, &[0, 0, 4])
        .virt(DECLARED, &[2, 0, 3])
        .result(0)
        .virt(ACCESSIBLE, &[0, 4])
        .typed(Opcode::NEW_ARRAY, &[3, 1], "[Ljava/lang/Object;")
        .virt(INVOKE, &[0, object, 3])
        .end();
}

/// Unwraps the exception of a called method from that of the reflective call.
fn cause(a: &mut Assembly<'_>) {
    let thrown = a.argument(0);
    let own = a.label();
    a.typed(Opcode::INSTANCE_OF, &[0, thrown], "Ljava/lang/reflect/InvocationTargetException;")
        .branch(Opcode::IF_EQZ, &[0], own)
        .virt("Ljava/lang/Throwable;->getCause()Ljava/lang/Throwable;", &[thrown])
        .result(1)
        .branch(Opcode::IF_EQZ, &[1], own)
        .op(Opcode::RETURN_OBJECT, &[1])
        .place(own)
        .op(Opcode::RETURN_OBJECT, &[thrown]);
}

/// As on a phone, whoever leaves an exception uncaught ends the process.
fn crash(a: &mut Assembly<'_>) {
    let thrown = a.argument(2);
    a.stat(ERROR_TEXT, &[thrown])
        .result(0)
        .text(1, "X")
        .stat(PUT, &[1, 0])
        .stat(FLUSH, &[])
        .stat("Ljava/lang/Runtime;->getRuntime()Ljava/lang/Runtime;", &[])
        .result(0)
        .int(1, 1)
        .virt("Ljava/lang/Runtime;->halt(I)V", &[0, 1])
        .end();
}

/// `class \t message \t stack trace`.
fn error_text(a: &mut Assembly<'_>) {
    let thrown = a.argument(0);
    a.virt("Ljava/lang/Object;->getClass()Ljava/lang/Class;", &[thrown])
        .result(0)
        .virt("Ljava/lang/Class;->getName()Ljava/lang/String;", &[0])
        .result(0)
        .text(1, "\t")
        .virt(CONCAT, &[0, 1])
        .result(0)
        .virt("Ljava/lang/Throwable;->getMessage()Ljava/lang/String;", &[thrown])
        .result(2)
        .stat(ESCAPED, &[2])
        .result(2)
        .virt(CONCAT, &[0, 2])
        .result(0)
        .virt(CONCAT, &[0, 1])
        .result(0)
        .stat(
            "Landroid/util/Log;->getStackTraceString(Ljava/lang/Throwable;)Ljava/lang/String;",
            &[thrown],
        )
        .result(2)
        .stat(ESCAPED, &[2])
        .result(2)
        .virt(CONCAT, &[0, 2])
        .result(0)
        .op(Opcode::RETURN_OBJECT, &[0]);
}
