//! Methods of every shape that the rewriter treats in its own way, each in a class of its own.

use wattle_dex::{
    AccessFlags, Body, Class, CodeBuilder, DexFile, Label, Method, MethodId, Opcode, Pool, TypeId,
};

const OBJECT: &str = "Ljava/lang/Object;";
const HELPER: &str = "Lsample/Helper;";
const STATIC: AccessFlags = AccessFlags::STATIC;

/// The methods that the bodies call.
struct Names {
    nothing: MethodId,
    number: MethodId,
    pair: MethodId,
    object: MethodId,
    take: MethodId,
    take_pair: MethodId,
    init: MethodId,
    exception: TypeId,
    error: TypeId,
}

/// A file with the sample classes, and their names as Java writes them.
pub(super) fn file() -> (Vec<u8>, Vec<String>) {
    let mut samples = Samples { file: DexFile::new(35), classes: Vec::new() };
    samples.helper();
    let names = samples.names();
    frames(&mut samples, &names);
    results(&mut samples, &names);
    control(&mut samples, &names);
    handlers(&mut samples, &names);
    (samples.file.write().unwrap(), samples.classes)
}

struct Samples {
    file: DexFile<'static>,
    classes: Vec<String>,
}

impl Samples {
    fn names(&mut self) -> Names {
        let pool = self.file.pool_mut();
        let mut helper = |name, signature| pool.method(HELPER, name, signature).unwrap();
        Names {
            nothing: helper("nothing", "()V"),
            number: helper("number", "()I"),
            pair: helper("pair", "()J"),
            object: helper("object", "()Ljava/lang/Object;"),
            take: helper("take", "(Ljava/lang/Object;)V"),
            take_pair: helper("takePair", "(J)V"),
            init: pool.method(OBJECT, "<init>", "()V").unwrap(),
            exception: pool.ty("Ljava/lang/RuntimeException;"),
            error: pool.ty("Ljava/lang/Error;"),
        }
    }

    /// A class whose methods do nothing, natively, so that they are no samples.
    fn helper(&mut self) {
        let pool = self.file.pool_mut();
        let mut class = Class::new(pool.ty(HELPER), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
        for (name, signature) in [
            ("nothing", "()V"),
            ("number", "()I"),
            ("pair", "()J"),
            ("object", "()Ljava/lang/Object;"),
            ("take", "(Ljava/lang/Object;)V"),
            ("takePair", "(J)V"),
        ] {
            let id = pool.method(HELPER, name, signature).unwrap();
            let access = AccessFlags::PUBLIC | STATIC | AccessFlags::NATIVE;
            class.direct_methods.push(Method { id, access, body: Body::None });
        }
        self.file.add_class(class);
    }

    /// A class with one method. `locals` registers stand in front of the arguments.
    fn add(
        &mut self,
        name: &str,
        (method, signature, access): (&str, &str, AccessFlags),
        locals: u16,
        build: impl FnOnce(&mut Pool<'static>, &mut CodeBuilder),
    ) {
        let pool = self.file.pool_mut();
        let descriptor = format!("Lsample/{name};");
        let mut class =
            Class::new(pool.ty(&descriptor), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
        class.source_file = Some(pool.string("Sample.java"));
        let id = pool.method(&descriptor, method, signature).unwrap();
        let proto = pool.proto(signature).unwrap();
        let this = u16::from(!access.contains(STATIC));
        let words = pool.argument_words(proto).unwrap() as u16 + this;
        let mut code = CodeBuilder::new(locals + words, words);
        code.line(10);
        build(pool, &mut code);
        let body = Body::Code(Box::new(code.finish().unwrap()));
        let is_direct = access.contains(STATIC) || method == "<init>";
        let method = Method { id, access: access | AccessFlags::PUBLIC, body };
        if is_direct {
            class.direct_methods.push(method);
        } else {
            class.virtual_methods.push(method);
        }
        self.classes.push(format!("sample.{name}"));
        self.file.add_class(class);
    }

    fn stat(
        &mut self,
        name: &str,
        signature: &str,
        locals: u16,
        build: impl FnOnce(&mut CodeBuilder),
    ) {
        self.add(name, ("run", signature, STATIC), locals, |_, code| build(code));
    }
}

/// Frames with and without room, of every size class, with arguments of every kind.
fn frames(samples: &mut Samples, names: &Names) {
    let none = AccessFlags(0);
    samples.stat("NoFrame", "()V", 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[]).return_void();
    });
    samples.stat("NoLocals", "(Ljava/lang/Object;)Ljava/lang/Object;", 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[0]).plain(Opcode::RETURN_OBJECT, &[0]);
    });
    samples.stat("NoLocalsWide", "(JD)J", 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take_pair, &[0, 1])
            .plain(Opcode::DOUBLE_TO_LONG, &[2, 2])
            .plain(Opcode::ADD_LONG_2ADDR, &[0, 2])
            .plain(Opcode::RETURN_WIDE, &[0]);
    });
    samples.add("Mixed", ("run", "(JLjava/lang/Object;ID)I", none), 0, |_, code| {
        // this, a long, an object, an int, a double: all are read.
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[0])
            .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[1, 2])
            .invoke(Opcode::INVOKE_STATIC, names.take, &[3])
            .plain(Opcode::DOUBLE_TO_INT, &[5, 5])
            .plain(Opcode::ADD_INT_2ADDR, &[4, 5])
            .plain(Opcode::RETURN, &[4]);
    });
    samples.stat("Swapped", "(ILjava/lang/Object;I)I", 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[1])
            .plain(Opcode::ADD_INT_2ADDR, &[0, 2])
            .plain(Opcode::RETURN, &[0]);
    });
    samples.add("This", ("run", "(I)V", none), 2, |_, code| {
        code.literal(Opcode::ADD_INT_LIT8, &[0, 3], 1)
            .invoke(Opcode::INVOKE_STATIC, names.take, &[2])
            .return_void();
    });
    samples.stat("Sixteen", "(JJJJJJJLjava/lang/Object;I)I", 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[14])
            .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[12, 13])
            .plain(Opcode::RETURN, &[15]);
    });
    samples.stat("PastSixteen", "(Ljava/lang/Object;J)J", 20, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[20])
            .move_wide(0, 21)
            .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[21, 22])
            .plain(Opcode::RETURN_WIDE, &[0]);
    });
    samples.stat("Past256", "(Ljava/lang/Object;J)J", 300, |code| {
        code.move_object(4, 300)
            .move_wide(0, 301)
            .invoke(Opcode::INVOKE_STATIC, names.take, &[4])
            .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[301, 302])
            .plain(Opcode::RETURN_WIDE, &[0]);
    });
    let many = format!("({}Ljava/lang/Object;)Ljava/lang/Object;", "J".repeat(127));
    samples.stat("ManyArguments", &many, 0, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[254])
            .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[252, 253])
            .plain(Opcode::RETURN_OBJECT, &[254]);
    });
    samples.add(
        "Constructor",
        ("<init>", "(Ljava/lang/Object;J)V", AccessFlags::CONSTRUCTOR),
        0,
        |_, code| {
            code.invoke(Opcode::INVOKE_DIRECT, names.init, &[0])
                .invoke(Opcode::INVOKE_STATIC, names.take, &[1])
                .invoke(Opcode::INVOKE_STATIC, names.take_pair, &[2, 3])
                .return_void();
        },
    );
    samples.add("RoomyConstructor", ("<init>", "(I)V", AccessFlags::CONSTRUCTOR), 2, |_, code| {
        code.literal(Opcode::MUL_INT_LIT8, &[0, 3], 3)
            .invoke(Opcode::INVOKE_DIRECT, names.init, &[2])
            .invoke(Opcode::INVOKE_STATIC, names.take, &[2])
            .return_void();
    });
}

/// Results of every kind.
fn results(samples: &mut Samples, names: &Names) {
    for (name, ty) in [
        ("ReturnsBoolean", "Z"),
        ("ReturnsByte", "B"),
        ("ReturnsShort", "S"),
        ("ReturnsChar", "C"),
        ("ReturnsInt", "I"),
        ("ReturnsFloat", "F"),
    ] {
        samples.stat(name, &format!("(Ljava/lang/Object;){ty}"), 2, |code| {
            code.invoke(Opcode::INVOKE_STATIC, names.take, &[2])
                .const_int(0, 1)
                .plain(Opcode::RETURN, &[0]);
        });
    }
    for (name, ty) in [("ReturnsLong", "J"), ("ReturnsDouble", "D")] {
        samples.stat(name, &format!("(Ljava/lang/Object;){ty}"), 2, |code| {
            code.invoke(Opcode::INVOKE_STATIC, names.take, &[2])
                .const_wide(0, 1 << 40)
                .plain(Opcode::RETURN_WIDE, &[0]);
        });
    }
    samples.stat("ReturnsObject", "()Ljava/lang/Object;", 1, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.object, &[])
            .plain(Opcode::MOVE_RESULT_OBJECT, &[0])
            .plain(Opcode::RETURN_OBJECT, &[0]);
    });
    samples.stat("ReturnsCalled", "(J)J", 3, |code| {
        code.invoke(Opcode::INVOKE_STATIC, names.pair, &[])
            .plain(Opcode::MOVE_RESULT_WIDE, &[0])
            .plain(Opcode::ADD_LONG_2ADDR, &[0, 3])
            .plain(Opcode::RETURN_WIDE, &[0]);
    });
    samples.add("ReturnsArray", ("run", "(I)[I", STATIC), 1, |pool, code| {
        let array = pool.ty("[I");
        code.with_type(Opcode::NEW_ARRAY, &[0, 1], array);
        code.fill_array(0, 4, vec![1, 0, 0, 0]).plain(Opcode::RETURN_OBJECT, &[0]);
    });
}

/// Branches, loops, switches.
fn control(samples: &mut Samples, names: &Names) {
    samples.stat("LoopToStart", "(I)V", 1, |code| {
        let start = code.here();
        code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[])
            .literal(Opcode::ADD_INT_LIT8, &[1, 1], -1)
            .branch(Opcode::IF_GTZ, &[1], start)
            .return_void();
    });
    samples.stat("TwoReturns", "(ILjava/lang/Object;)Ljava/lang/Object;", 0, |code| {
        let other = code.label();
        code.branch(Opcode::IF_EQZ, &[0], other)
            .invoke(Opcode::INVOKE_STATIC, names.take, &[1])
            .plain(Opcode::RETURN_OBJECT, &[1])
            .place(other)
            .const_int(1, 0)
            .plain(Opcode::RETURN_OBJECT, &[1]);
    });
    for (name, values) in [("PackedSwitch", [5, 6, 7]), ("SparseSwitch", [-9, 100, 70_000])] {
        samples.stat(name, "(I)I", 1, |code| {
            let labels: Vec<Label> = values.iter().map(|_| code.label()).collect();
            code.switch(1, values.into_iter().zip(labels.iter().copied()).collect());
            code.const_int(0, -1).plain(Opcode::RETURN, &[0]);
            for (label, value) in labels.into_iter().zip(values) {
                code.place(label)
                    .line(20)
                    .const_int(0, value)
                    .invoke(Opcode::INVOKE_STATIC, names.number, &[])
                    .plain(Opcode::MOVE_RESULT, &[0])
                    .plain(Opcode::RETURN, &[0]);
            }
        });
    }
    samples.stat("LongBranch", "(I)I", 2, |code| {
        let (far, near) = (code.label(), code.label());
        code.branch(Opcode::IF_EQZ, &[2], far).goto(near).place(near);
        for value in 0..17_000 {
            code.const_int(0, 1000 + (value & 0xff));
        }
        code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[])
            .place(far)
            .const_int(1, 1)
            .plain(Opcode::RETURN, &[1]);
    });
}

/// Handlers and monitors.
fn handlers(samples: &mut Samples, names: &Names) {
    samples.stat("Catches", "(Ljava/lang/Object;)I", 2, |code| {
        let (start, end) = (code.here(), code.label());
        let (typed, all) = (code.label(), code.label());
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[2])
            .const_int(0, 1)
            .plain(Opcode::RETURN, &[0])
            .place(end)
            .place(typed)
            .plain(Opcode::MOVE_EXCEPTION, &[0])
            .invoke(Opcode::INVOKE_STATIC, names.take, &[0])
            .const_int(0, 2)
            .plain(Opcode::RETURN, &[0])
            .place(all)
            .plain(Opcode::MOVE_EXCEPTION, &[1])
            .invoke(Opcode::INVOKE_STATIC, names.take, &[1])
            .plain(Opcode::THROW, &[1]);
        code.try_block(start, end, vec![(names.exception, typed)], Some(all));
    });
    samples.stat("Nested", "(Ljava/lang/Object;)V", 1, |code| {
        let outer = code.here();
        code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[]);
        let inner = code.here();
        code.invoke(Opcode::INVOKE_STATIC, names.take, &[1]);
        let inner_end = code.here();
        code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[]);
        let end = code.here();
        code.return_void();
        let first = code.here();
        code.plain(Opcode::MOVE_EXCEPTION, &[0]).return_void();
        let second = code.here();
        code.plain(Opcode::MOVE_EXCEPTION, &[0])
            .invoke(Opcode::INVOKE_STATIC, names.nothing, &[])
            .return_void();
        code.try_block(inner, inner_end, vec![(names.exception, first)], None);
        code.try_block(outer, end, vec![(names.error, second)], None);
    });
    samples.stat("AlwaysThrows", "(Ljava/lang/RuntimeException;)V", 0, |code| {
        code.plain(Opcode::THROW, &[0]);
    });
    for (name, returns_inside) in [("Synchronized", false), ("SynchronizedReturn", true)] {
        samples.stat(name, "(Ljava/lang/Object;)Ljava/lang/Object;", 2, |code| {
            let (handler, handler_end) = (code.label(), code.label());
            code.invoke(Opcode::INVOKE_STATIC, names.nothing, &[])
                .plain(Opcode::MONITOR_ENTER, &[2]);
            let start = code.here();
            code.invoke(Opcode::INVOKE_STATIC, names.object, &[])
                .plain(Opcode::MOVE_RESULT_OBJECT, &[0])
                .plain(Opcode::MONITOR_EXIT, &[2]);
            let end = code.here();
            if !returns_inside {
                code.invoke(Opcode::INVOKE_STATIC, names.take, &[0]);
            }
            code.plain(Opcode::RETURN_OBJECT, &[0]);
            // The handler's own monitor-exit is covered by the handler itself, as compilers do.
            code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[1]);
            code.plain(Opcode::MONITOR_EXIT, &[2]).place(handler_end);
            code.plain(Opcode::THROW, &[1]);
            code.try_block(start, end, Vec::new(), Some(handler));
            code.try_block(handler, handler_end, Vec::new(), Some(handler));
        });
    }
}
