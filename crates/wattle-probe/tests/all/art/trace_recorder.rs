//! `android.os.Trace` for the test runtime, whose own one throws.

use wattle_dex::{
    AccessFlags, Body, Class, CodeBuilder, DexFile, Field, Method, MethodId, Opcode, Pool,
};

const TRACE: &str = "Landroid/os/Trace;";
const BUILDER: &str = "Ljava/lang/StringBuilder;";
const STREAM: &str = "Ljava/io/PrintStream;";

/// A file with a class that prints sections.
pub fn dex() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let out = pool.field(TRACE, "out", STREAM);
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty(TRACE), Some(object), AccessFlags::PUBLIC);
    class.static_fields.push(Field { id: out, access: AccessFlags::STATIC, value: None });
    for (name, signature, code) in [
        ("<clinit>", "()V", initialiser(pool)),
        ("beginSection", "(Ljava/lang/String;)V", begin(pool)),
        ("endSection", "()V", end(pool)),
        ("isEnabled", "()Z", enabled()),
    ] {
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        let access = if name == "<clinit>" { access | AccessFlags::CONSTRUCTOR } else { access };
        let id = pool.method(TRACE, name, signature).unwrap();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        class.direct_methods.push(Method { id, access, body });
    }
    file.add_class(class);
    file.write().unwrap()
}

/// `out = property == null ? System.err : new PrintStream(new FileOutputStream(property, true))`.
fn initialiser(pool: &mut Pool<'_>) -> CodeBuilder {
    let mut code = CodeBuilder::new(5, 0);
    let err = code.label();
    let store = code.label();
    let file = "Ljava/io/FileOutputStream;";
    let get =
        pool.method("Ljava/lang/System;", "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    let open = pool.method(file, "<init>", "(Ljava/lang/String;Z)V");
    let wrap = pool.method(STREAM, "<init>", "(Ljava/io/OutputStream;)V");
    code.const_string(0, pool.string("wattle.trace"))
        .invoke(Opcode::INVOKE_STATIC, get.unwrap(), &[0])
        .plain(Opcode::MOVE_RESULT_OBJECT, &[0])
        .branch(Opcode::IF_EQZ, &[0], err)
        .with_type(Opcode::NEW_INSTANCE, &[1], pool.ty(file))
        .const_int(2, 1)
        .invoke(Opcode::INVOKE_DIRECT, open.unwrap(), &[1, 0, 2])
        .with_type(Opcode::NEW_INSTANCE, &[3], pool.ty(STREAM))
        .invoke(Opcode::INVOKE_DIRECT, wrap.unwrap(), &[3, 1])
        .goto(store)
        .place(err)
        .field(Opcode::SGET_OBJECT, &[3], pool.field("Ljava/lang/System;", "err", STREAM))
        .place(store)
        .field(Opcode::SPUT_OBJECT, &[3], pool.field(TRACE, "out", STREAM))
        .return_void();
    code
}

/// Sections are always recorded. Devices have the question since API 29.
fn enabled() -> CodeBuilder {
    let mut code = CodeBuilder::new(1, 0);
    code.const_int(0, 1).plain(Opcode::RETURN, &[0]);
    code
}

/// A label of more than 127 characters throws, as on a device.
fn begin(pool: &mut Pool<'_>) -> CodeBuilder {
    let mut code = CodeBuilder::new(6, 1);
    let label = code.argument(0);
    let short = code.label();
    let exception = "Ljava/lang/IllegalArgumentException;";
    let length = pool.method("Ljava/lang/String;", "length", "()I").unwrap();
    let new = pool.method(exception, "<init>", "(Ljava/lang/String;)V").unwrap();
    code.invoke(Opcode::INVOKE_VIRTUAL, length, &[label])
        .plain(Opcode::MOVE_RESULT, &[0])
        .const_int(1, 127)
        .branch(Opcode::IF_LE, &[0, 1], short)
        .with_type(Opcode::NEW_INSTANCE, &[0], pool.ty(exception))
        .invoke(Opcode::INVOKE_DIRECT, new, &[0, label])
        .plain(Opcode::THROW, &[0])
        .place(short);
    let append = line(&mut code, pool, "B ");
    code.const_string(1, pool.string(" ")).invoke(Opcode::INVOKE_VIRTUAL, append, &[0, 1]).invoke(
        Opcode::INVOKE_VIRTUAL,
        append,
        &[0, label],
    );
    print(&mut code, pool);
    code
}

fn end(pool: &mut Pool<'_>) -> CodeBuilder {
    let mut code = CodeBuilder::new(6, 0);
    line(&mut code, pool, "E ");
    print(&mut code, pool);
    code
}

/// `v0 = new StringBuilder(word).append(Thread.currentThread().getId())`, with v1 to v3 for itself.
fn line(code: &mut CodeBuilder, pool: &mut Pool<'_>, word: &str) -> MethodId {
    let thread = "Ljava/lang/Thread;";
    let new = pool.method(BUILDER, "<init>", "(Ljava/lang/String;)V").unwrap();
    let current = pool.method(thread, "currentThread", "()Ljava/lang/Thread;").unwrap();
    let id = pool.method(thread, "getId", "()J").unwrap();
    let number = pool.method(BUILDER, "append", "(J)Ljava/lang/StringBuilder;").unwrap();
    code.with_type(Opcode::NEW_INSTANCE, &[0], pool.ty(BUILDER))
        .const_string(1, pool.string(word))
        .invoke(Opcode::INVOKE_DIRECT, new, &[0, 1])
        .invoke(Opcode::INVOKE_STATIC, current, &[])
        .plain(Opcode::MOVE_RESULT_OBJECT, &[1])
        .invoke(Opcode::INVOKE_VIRTUAL, id, &[1])
        .plain(Opcode::MOVE_RESULT_WIDE, &[2])
        .invoke(Opcode::INVOKE_VIRTUAL, number, &[0, 2, 3]);
    let text = "(Ljava/lang/String;)Ljava/lang/StringBuilder;";
    pool.method(BUILDER, "append", text).unwrap()
}

/// `out.println(v0.toString()); return`.
fn print(code: &mut CodeBuilder, pool: &mut Pool<'_>) {
    let text = pool.method(BUILDER, "toString", "()Ljava/lang/String;").unwrap();
    let print = pool.method(STREAM, "println", "(Ljava/lang/String;)V").unwrap();
    code.invoke(Opcode::INVOKE_VIRTUAL, text, &[0])
        .plain(Opcode::MOVE_RESULT_OBJECT, &[0])
        .field(Opcode::SGET_OBJECT, &[1], pool.field(TRACE, "out", STREAM))
        .invoke(Opcode::INVOKE_VIRTUAL, print, &[1, 0])
        .return_void();
}
