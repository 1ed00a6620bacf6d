//! Small files made with the builder.

use wattle_dex::*;

/// The static method `LT;->m` with a body, beside a few classes and members to name.
pub fn method(signature: &str, build: impl FnOnce(&mut Names<'_>, &mut CodeBuilder)) -> Vec<u8> {
    member(35, "m", signature, true, build)
}

/// The names that faulty code needs.
pub struct Names<'p> {
    pub pool: &'p mut Pool<'static>,
}

impl Names<'_> {
    pub fn ty(&mut self, descriptor: &str) -> TypeId {
        self.pool.ty(descriptor)
    }

    pub fn call(&mut self, class: &str, name: &str, signature: &str) -> MethodId {
        self.pool.method(class, name, signature).unwrap()
    }
}

/// Registers for locals in every sample; arguments follow them.
pub const LOCALS: u16 = 8;

pub fn member(
    version: u16,
    name: &str,
    signature: &str,
    is_static: bool,
    build: impl FnOnce(&mut Names<'_>, &mut CodeBuilder),
) -> Vec<u8> {
    let mut file = DexFile::new(version);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let base = Class::new(pool.ty("LBase;"), Some(object), AccessFlags::PUBLIC);
    let derived = Class::new(pool.ty("LDerived;"), Some(base.ty), AccessFlags::PUBLIC);
    let other = Class::new(pool.ty("LOther;"), Some(object), AccessFlags::PUBLIC);
    let mut class = Class::new(pool.ty("LT;"), Some(object), AccessFlags::PUBLIC);
    for (field, ty) in [("i", "I"), ("j", "J"), ("o", "LBase;")] {
        let id = pool.field("LT;", field, ty);
        class.instance_fields.push(Field { id, access: AccessFlags::PUBLIC, value: None });
    }
    let proto = pool.proto(signature).unwrap();
    let words = pool.argument_words(proto).unwrap() as u16 + u16::from(!is_static);
    let id = pool.method("LT;", name, signature).unwrap();
    let mut code = CodeBuilder::new(LOCALS + words, words);
    code.line(10);
    build(&mut Names { pool }, &mut code);
    let body = Body::Code(Box::new(code.finish().unwrap()));
    let mut access = AccessFlags::PUBLIC;
    if is_static {
        access = access | AccessFlags::STATIC;
    }
    if name == "<init>" {
        access = access | AccessFlags::CONSTRUCTOR;
    }
    class.direct_methods.push(Method { id, access, body });
    if !is_static && name != "<init>" {
        class.virtual_methods.append(&mut class.direct_methods);
    }
    for class in [base, derived, other, class] {
        file.add_class(class);
    }
    file.write().unwrap()
}

/// Offset of the only method's code item.
pub fn code_offset(bytes: &[u8]) -> usize {
    let dex = Dex::parse(bytes).unwrap();
    let offsets = dex.class_defs().filter_map(|(index, _)| {
        dex.class(index).unwrap().methods().find_map(|method| match method.body {
            Body::Source(at) => Some(at as usize),
            _ => None,
        })
    });
    offsets.last().unwrap()
}

/// The rules that a file breaks.
pub fn broken_rules(bytes: &[u8]) -> Vec<&'static str> {
    match Dex::parse(bytes) {
        Ok(dex) => Verifier::new(&dex).all(1).defects.iter().map(|defect| defect.rule).collect(),
        Err(_) => vec!["unreadable"],
    }
}

/// A class of a version with a bit of everything.
pub fn rich(version: u16) -> DexFile<'static> {
    let mut file = DexFile::new(version);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("Lrich/A;"), Some(object), AccessFlags::PUBLIC);
    class.source_file = Some(pool.string("A.java"));
    class.interfaces = vec![pool.ty("Ljava/lang/Runnable;"), pool.ty("Ljava/io/Closeable;")];
    let values = [
        ("a", "Z", Some(Value::Boolean(true))),
        ("b", "J", Some(Value::Long(-1 << 40))),
        ("c", "D", Some(Value::Double(1.5_f64.to_bits()))),
        ("d", "I", None),
        ("e", "F", Some(Value::Float(f32::NAN.to_bits() | 1))),
        (
            "f",
            "Ljava/lang/String;",
            Some(Value::String(pool.string("gr\u{fc}\u{df}e \u{1f600}\0"))),
        ),
        ("g", "B", None),
    ];
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    for (name, ty, value) in values {
        class.static_fields.push(Field { id: pool.field("Lrich/A;", name, ty), access, value });
    }
    let deprecated = Annotation {
        visibility: 1,
        annotation: EncodedAnnotation {
            ty: pool.ty("Ljava/lang/Deprecated;"),
            elements: vec![
                (
                    pool.string("since"),
                    Value::Array(vec![Value::Int(7), Value::Null, Value::Char(0xffff)]),
                ),
                (pool.string("by"), Value::Type(object)),
            ],
        },
    };
    let id = pool.method("Lrich/A;", "run", "(IJ)V").unwrap();
    class.annotations.class.push(deprecated.clone());
    class.annotations.fields.push((class.static_fields[0].id, vec![deprecated.clone()]));
    class.annotations.methods.push((id, vec![deprecated.clone()]));
    class.annotations.parameters.push((id, vec![vec![], vec![deprecated]]));
    let mut code = CodeBuilder::new(6, 4);
    code.line(7).debug(DebugEvent::PrologueEnd).line(90).return_void();
    class.virtual_methods.push(Method {
        id,
        access: AccessFlags::PUBLIC,
        body: Body::Code(Box::new(code.finish().unwrap())),
    });
    let id = pool.method("Lrich/A;", "nothing", "()V").unwrap();
    class.virtual_methods.push(Method {
        id,
        access: AccessFlags::PUBLIC | AccessFlags::NATIVE,
        body: Body::None,
    });
    if version >= 38 {
        class.direct_methods.push(call_sites(pool));
    }
    file.add_class(class);
    file
}

/// A method with `invoke-custom`, `invoke-polymorphic`, `const-method-handle`, `const-method-type`.
fn call_sites(pool: &mut Pool<'static>) -> Method {
    let bootstrap = pool.method("Lrich/B;", "link", "(Ljava/lang/Object;)V").unwrap();
    let handle = pool.method_handle(MethodHandle { kind: 4, member: bootstrap.0 });
    let proto = pool.proto("(I)I").unwrap();
    let name = pool.string("call");
    let site = pool.call_site(vec![
        Value::MethodHandle(handle),
        Value::String(name),
        Value::MethodType(proto),
        Value::Int(3),
    ]);
    let exact = pool
        .method(
            "Ljava/lang/invoke/MethodHandle;",
            "invokeExact",
            "([Ljava/lang/Object;)Ljava/lang/Object;",
        )
        .unwrap();
    let mut code = CodeBuilder::new(3, 0);
    code.const_int(0, 5).invoke_custom(site, &[0]).plain(Opcode::MOVE_RESULT, &[0]);
    code.op(Opcode::CONST_METHOD_HANDLE, &[1], Operand::MethodHandle(handle));
    code.op(Opcode::CONST_METHOD_TYPE, &[2], Operand::Proto(proto));
    code.op(Opcode::INVOKE_POLYMORPHIC, &[1, 0], Operand::Polymorphic(exact, proto));
    code.plain(Opcode::MOVE_RESULT, &[0]).return_void();
    let id = pool.method("Lrich/A;", "sites", "()V").unwrap();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    Method { id, access, body: Body::Code(Box::new(code.finish().unwrap())) }
}
