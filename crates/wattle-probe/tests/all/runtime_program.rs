//! Programs that call the runtime class, assembled for a test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, DexFile, Field, Label, Method, Opcode};
use wattle_probe::{ProbeArgument, ProbeEvent, Runtime, Sink};

/// A body in the making; methods are named as `Lclass;->name(params)return`, fields as `Lclass;->name:type`.
pub struct Lines<'f> {
    file: &'f mut DexFile<'static>,
    pub code: CodeBuilder,
}

impl Lines<'_> {
    pub fn call(&mut self, kind: Opcode, method: &str, arguments: &[u16]) -> &mut Self {
        let (class, member) = method.split_once("->").unwrap();
        let (name, signature) = member.split_at(member.find('(').unwrap());
        let id = self.file.pool_mut().method(class, name, signature).unwrap();
        self.code.invoke(kind, id, arguments);
        self
    }

    pub fn stat(&mut self, method: &str, arguments: &[u16]) -> &mut Self {
        self.call(Opcode::INVOKE_STATIC, method, arguments)
    }

    pub fn virt(&mut self, method: &str, arguments: &[u16]) -> &mut Self {
        self.call(Opcode::INVOKE_VIRTUAL, method, arguments)
    }

    pub fn create(&mut self, register: u16, method: &str, arguments: &[u16]) -> &mut Self {
        self.typed(Opcode::NEW_INSTANCE, &[register], method.split_once("->").unwrap().0);
        let all: Vec<_> = [register].iter().chain(arguments).copied().collect();
        self.call(Opcode::INVOKE_DIRECT, method, &all)
    }

    pub fn typed(&mut self, opcode: Opcode, registers: &[u16], ty: &str) -> &mut Self {
        let ty = self.file.pool_mut().ty(ty);
        self.code.with_type(opcode, registers, ty);
        self
    }

    pub fn field(&mut self, opcode: Opcode, registers: &[u16], field: &str) -> &mut Self {
        let (class, member) = field.split_once("->").unwrap();
        let (name, ty) = member.split_once(':').unwrap();
        let id = self.file.pool_mut().field(class, name, ty);
        self.code.field(opcode, registers, id);
        self
    }

    pub fn text(&mut self, register: u16, text: &str) -> &mut Self {
        let string = self.file.pool_mut().string(text);
        self.code.const_string(register, string);
        self
    }

    pub fn op(&mut self, opcode: Opcode, registers: &[u16]) -> &mut Self {
        self.code.plain(opcode, registers);
        self
    }

    pub fn int(&mut self, register: u16, value: i32) -> &mut Self {
        self.code.const_int(register, value);
        self
    }

    pub fn literal(&mut self, opcode: Opcode, registers: &[u16], value: i32) -> &mut Self {
        self.code.literal(opcode, registers, value);
        self
    }

    pub fn branch(&mut self, opcode: Opcode, registers: &[u16], to: Label) -> &mut Self {
        self.code.branch(opcode, registers, to);
        self
    }

    pub fn place(&mut self, label: Label) -> &mut Self {
        self.code.place(label);
        self
    }

    pub fn goto(&mut self, label: Label) -> &mut Self {
        self.code.goto(label);
        self
    }

    pub fn end(&mut self) {
        self.code.return_void();
    }

    /// The call of a probe whose argument, where it has one, is in a register.
    pub fn probe(&mut self, sink: Sink, event: ProbeEvent, register: u16) -> &mut Self {
        let argument = sink.argument(event).unwrap();
        let method = format!("{}->{}{}", Runtime::DESCRIPTOR, event.method(), argument.signature());
        match argument {
            ProbeArgument::None => self.stat(&method, &[]),
            ProbeArgument::Id | ProbeArgument::Text => self.stat(&method, &[register]),
        }
    }

    /// Reads an `int` from `main`'s arguments.
    pub fn number(&mut self, register: u16, array: u16, index: i32) -> &mut Self {
        self.int(register, index)
            .op(Opcode::AGET_OBJECT, &[register, array, register])
            .stat("Ljava/lang/Integer;->parseInt(Ljava/lang/String;)I", &[register])
            .op(Opcode::MOVE_RESULT, &[register])
    }
}

/// A file of classes in the making.
pub struct Program {
    file: DexFile<'static>,
}

/// A class of it.
pub struct ClassOf<'f> {
    file: &'f mut DexFile<'static>,
    name: String,
    class: Class,
}

impl Program {
    pub fn new() -> Self {
        Self { file: DexFile::new(35) }
    }

    pub fn class(&mut self, name: &str, interfaces: &[&str], body: impl FnOnce(&mut ClassOf<'_>)) {
        let pool = self.file.pool_mut();
        let object = pool.ty("Ljava/lang/Object;");
        let mut class = Class::new(pool.ty(name), Some(object), AccessFlags::PUBLIC);
        class.interfaces = interfaces.iter().map(|name| pool.ty(name)).collect();
        let mut class = ClassOf { file: &mut self.file, name: name.to_owned(), class };
        body(&mut class);
        let class = class.class;
        self.file.add_class(class);
    }

    /// A class with a superclass.
    pub fn class_of(&mut self, name: &str, parent: &str, body: impl FnOnce(&mut ClassOf<'_>)) {
        let pool = self.file.pool_mut();
        let parent = pool.ty(parent);
        let class = Class::new(pool.ty(name), Some(parent), AccessFlags::PUBLIC);
        let mut class = ClassOf { file: &mut self.file, name: name.to_owned(), class };
        body(&mut class);
        let class = class.class;
        self.file.add_class(class);
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.file.write().unwrap()
    }
}

impl ClassOf<'_> {
    pub fn field(&mut self, name: &str, ty: &str, access: AccessFlags) {
        let id = self.file.pool_mut().field(&self.name, name, ty);
        let field = Field { id, access, value: None };
        if access.contains(AccessFlags::STATIC) {
            self.class.static_fields.push(field);
        } else {
            self.class.instance_fields.push(field);
        }
    }

    /// A method, static unless it is a constructor or called `run`.
    pub fn method(
        &mut self,
        name: &str,
        (locals, ins): (u16, u16),
        body: impl FnOnce(&mut Lines<'_>),
    ) {
        let code = CodeBuilder::new(locals + ins, ins);
        let mut lines = Lines { file: self.file, code };
        body(&mut lines);
        let body = Body::Code(Box::new(lines.code.finish().unwrap()));
        let (plain, signature) = name.split_at(name.find('(').unwrap());
        let id = self.file.pool_mut().method(&self.name, plain, signature).unwrap();
        let public = AccessFlags::PUBLIC;
        let access = match plain {
            "<init>" => public | AccessFlags::CONSTRUCTOR,
            "<clinit>" => AccessFlags::STATIC | AccessFlags::CONSTRUCTOR,
            "run" => public,
            _ => public | AccessFlags::STATIC,
        };
        let method = Method { id, access, body };
        if access == public {
            self.class.virtual_methods.push(method);
        } else {
            self.class.direct_methods.push(method);
        }
    }
}

/// A class `Main` whose `main` is a row of probes with texts.
pub fn script(sink: Sink, events: &[(ProbeEvent, &str)]) -> Vec<u8> {
    let mut program = Program::new();
    program.class("LMain;", &[], |class| {
        class.method("main([Ljava/lang/String;)V", (1, 1), |lines| {
            for &(event, text) in events {
                lines.text(0, text).probe(sink, event, 0);
            }
            lines.end();
        });
    });
    program.bytes()
}
