//! Method bodies and classes with everything they name written as text.

use crate::{
    AccessFlags, Body, Class, CodeBuilder, DexError, DexFile, Field, Label, Method, Opcode, Pool,
};

/// A method body in the making. Methods are named as `Lclass;->name(params)return`, fields as `Lclass;->name:type`.
///
/// Malformed names are remembered and come out as the error of
/// [`ClassAssembly::method`], so that a body reads as a list of instructions.
pub struct Assembly<'p> {
    pool: &'p mut Pool<'static>,
    code: CodeBuilder,
    defect: Option<DexError>,
    returned: u8,
}

impl<'p> Assembly<'p> {
    fn new(pool: &'p mut Pool<'static>, registers: u16, ins: u16) -> Self {
        Self { pool, code: CodeBuilder::new(registers, ins), defect: None, returned: b'V' }
    }

    fn finish(self) -> Result<Body, DexError> {
        match self.defect {
            Some(defect) => Err(defect),
            None => Ok(Body::Code(Box::new(self.code.finish()?))),
        }
    }

    /// The register of an argument word.
    pub fn argument(&self, word: u16) -> u16 {
        self.code.argument(word)
    }

    /// A label to be placed.
    pub fn label(&mut self) -> Label {
        self.code.label()
    }

    /// Places a label.
    pub fn place(&mut self, label: Label) -> &mut Self {
        self.code.place(label);
        self
    }

    /// A label placed here.
    pub fn here(&mut self) -> Label {
        self.code.here()
    }

    /// An instruction of registers alone.
    pub fn op(&mut self, opcode: Opcode, registers: &[u16]) -> &mut Self {
        self.code.plain(opcode, registers);
        self
    }

    /// An instruction with a literal.
    pub fn literal(&mut self, opcode: Opcode, registers: &[u16], value: i32) -> &mut Self {
        self.code.literal(opcode, registers, value);
        self
    }

    /// A branch.
    pub fn branch(&mut self, opcode: Opcode, registers: &[u16], to: Label) -> &mut Self {
        self.code.branch(opcode, registers, to);
        self
    }

    /// A jump.
    pub fn goto(&mut self, to: Label) -> &mut Self {
        self.code.goto(to);
        self
    }

    /// Loads an `int`, `boolean` or `null`.
    pub fn int(&mut self, register: u16, value: i32) -> &mut Self {
        self.code.const_int(register, value);
        self
    }

    /// Loads a `long`.
    pub fn long(&mut self, register: u16, value: i64) -> &mut Self {
        self.code.const_wide(register, value);
        self
    }

    /// Loads a string.
    pub fn text(&mut self, register: u16, text: &str) -> &mut Self {
        let string = self.pool.string(text);
        self.code.const_string(register, string);
        self
    }

    /// An instruction that names a type.
    pub fn typed(&mut self, opcode: Opcode, registers: &[u16], ty: &str) -> &mut Self {
        let ty = self.pool.ty(ty);
        self.code.with_type(opcode, registers, ty);
        self
    }

    /// A call of a static method.
    pub fn stat(&mut self, method: &str, arguments: &[u16]) -> &mut Self {
        self.call(Opcode::INVOKE_STATIC, method, arguments)
    }

    /// A call of a virtual method.
    pub fn virt(&mut self, method: &str, arguments: &[u16]) -> &mut Self {
        self.call(Opcode::INVOKE_VIRTUAL, method, arguments)
    }

    /// A new object.
    pub fn create(&mut self, register: u16, constructor: &str, arguments: &[u16]) -> &mut Self {
        let (class, _) = split(constructor);
        self.typed(Opcode::NEW_INSTANCE, &[register], class);
        let mut all = vec![register];
        all.extend_from_slice(arguments);
        self.call(Opcode::INVOKE_DIRECT, constructor, &all)
    }

    /// A call of any kind.
    pub fn call(&mut self, kind: Opcode, method: &str, arguments: &[u16]) -> &mut Self {
        let (class, member) = split(method);
        let (name, signature) = member.split_at(member.find('(').unwrap_or(member.len()));
        self.returned =
            signature.rsplit(')').next().and_then(|ty| ty.bytes().next()).unwrap_or(b'V');
        match self.pool.method(class, name, signature) {
            Ok(id) => {
                self.code.invoke(kind, id, arguments);
            }
            Err(defect) => {
                self.defect.get_or_insert(defect);
            }
        }
        self
    }

    /// Takes the result of the call before.
    pub fn result(&mut self, register: u16) -> &mut Self {
        let opcode = match self.returned {
            b'J' | b'D' => Opcode::MOVE_RESULT_WIDE,
            b'L' | b'[' => Opcode::MOVE_RESULT_OBJECT,
            _ => Opcode::MOVE_RESULT,
        };
        self.op(opcode, &[register])
    }

    /// Reads a static field (one register) or one of an object (two, the object last).
    pub fn get(&mut self, registers: &[u16], field: &str) -> &mut Self {
        self.field(registers, field, Opcode::SGET, Opcode::IGET)
    }

    /// Writes a static field (one register) or one of an object (two, the object last).
    pub fn put(&mut self, registers: &[u16], field: &str) -> &mut Self {
        self.field(registers, field, Opcode::SPUT, Opcode::IPUT)
    }

    fn field(&mut self, registers: &[u16], field: &str, global: Opcode, own: Opcode) -> &mut Self {
        let (class, member) = split(field);
        let (name, ty) = member.split_once(':').unwrap_or((member, ""));
        // The forms follow each other: plain, -wide, -object, -boolean.
        let form = match ty.bytes().next() {
            Some(b'J' | b'D') => 1,
            Some(b'L' | b'[') => 2,
            Some(b'Z') => 3,
            _ => 0,
        };
        let Opcode(base) = if registers.len() == 1 { global } else { own };
        let id = self.pool.field(class, name, ty);
        self.code.field(Opcode(base + form), registers, id);
        self
    }

    /// Returns nothing.
    pub fn end(&mut self) -> &mut Self {
        self.code.return_void();
        self
    }

    /// Does something and goes on whatever it throws; the register is for the exception.
    pub fn attempt(&mut self, register: u16, body: impl FnOnce(&mut Self)) -> &mut Self {
        let (start, end, handler, after) = (self.here(), self.label(), self.label(), self.label());
        body(self);
        self.place(end).goto(after).place(handler);
        self.op(Opcode::MOVE_EXCEPTION, &[register]).place(after).guard(start, end, handler)
    }

    /// Goes to a handler when anything is thrown between two labels; inner blocks are given before outer ones.
    pub fn guard(&mut self, start: Label, end: Label, handler: Label) -> &mut Self {
        self.code.try_block(start, end, Vec::new(), Some(handler));
        self
    }

    /// The same for what is of a class.
    pub fn guard_from(
        &mut self,
        class: &str,
        start: Label,
        end: Label,
        handler: Label,
    ) -> &mut Self {
        let class = self.pool.ty(class);
        self.code.try_block(start, end, vec![(class, handler)], None);
        self
    }
}

/// The class and the member of a name.
fn split(name: &str) -> (&str, &str) {
    name.split_once("->").unwrap_or((name, ""))
}

/// A class in the making.
///
/// ```
/// use wattle_dex::{AccessFlags, ClassAssembly, DexFile, Opcode};
///
/// let mut file = DexFile::new(35);
/// let mut class = ClassAssembly::new(&mut file, "Lexample/Twice;", "Ljava/lang/Object;");
/// let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
/// class.method("of(I)I", access, (1, 1), |a| {
///     let number = a.argument(0);
///     a.op(Opcode::ADD_INT, &[0, number, number]).op(Opcode::RETURN, &[0]);
/// })?;
/// class.finish();
/// assert!(file.write()?.starts_with(b"dex\n035"));
/// # Ok::<(), wattle_dex::DexError>(())
/// ```
pub struct ClassAssembly<'f> {
    file: &'f mut DexFile<'static>,
    name: String,
    class: Class,
}

impl<'f> ClassAssembly<'f> {
    /// A public final class.
    pub fn new(file: &'f mut DexFile<'static>, name: &str, superclass: &str) -> Self {
        let pool = file.pool_mut();
        let (ty, superclass) = (pool.ty(name), pool.ty(superclass));
        let access = AccessFlags::PUBLIC | AccessFlags::FINAL;
        let class = Class::new(ty, Some(superclass), access);
        Self { file, name: name.to_owned(), class }
    }

    /// An interface that it implements.
    pub fn implements(&mut self, interface: &str) {
        let ty = self.file.pool_mut().ty(interface);
        self.class.interfaces.push(ty);
    }

    /// A field, named as `name:type`; static or not as its flags say.
    pub fn field(&mut self, name: &str, access: AccessFlags) {
        let (name, ty) = name.split_once(':').unwrap_or((name, ""));
        let id = self.file.pool_mut().field(&self.name, name, ty);
        let field = Field { id, access, value: None };
        if access.contains(AccessFlags::STATIC) {
            self.class.static_fields.push(field);
        } else {
            self.class.instance_fields.push(field);
        }
    }

    /// A method, named as `name(params)return`, with a frame of locals and argument words.
    pub fn method(
        &mut self,
        name: &str,
        access: AccessFlags,
        (locals, ins): (u16, u16),
        body: impl FnOnce(&mut Assembly<'_>),
    ) -> Result<(), DexError> {
        let pool = self.file.pool_mut();
        let mut assembly = Assembly::new(pool, locals + ins, ins);
        body(&mut assembly);
        let body = assembly.finish()?;
        let (plain, signature) = name.split_at(name.find('(').unwrap_or(name.len()));
        let id = self.file.pool_mut().method(&self.name, plain, signature)?;
        let constructor = plain.starts_with('<');
        let access = if constructor { access | AccessFlags::CONSTRUCTOR } else { access };
        let method = Method { id, access, body };
        if constructor || access.contains(AccessFlags::STATIC) {
            self.class.direct_methods.push(method);
        } else {
            self.class.virtual_methods.push(method);
        }
        Ok(())
    }

    /// Adds the class to its file.
    pub fn finish(self) {
        self.file.add_class(self.class);
    }
}
