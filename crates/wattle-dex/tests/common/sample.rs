//! Small files made with the builder.

use wattle_dex::*;

/// The static method `LT;->m` with a body, beside a few classes and members to name.
pub fn method(signature: &str, build: impl FnOnce(&mut Names, &mut CodeBuilder)) -> Vec<u8> {
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
    build: impl FnOnce(&mut Names, &mut CodeBuilder),
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
