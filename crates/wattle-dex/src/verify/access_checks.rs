//! Flags of classes, fields and methods: what may stand together, as the runtime has checked it since Android 7 (AOSP
//! `libdexfile/dex/dex_file_verifier.cc`).

use super::defect::Defect;
use crate::{AccessFlags, Dex, FieldItem, MethodItem, Mutf8, Result, Section};

/// The bits that Java's own flags have.
const JAVA: u32 = 0xffff;

/// The version since which interfaces may have code, and rules are kept that files before it break.
const STRICT_VERSION: u16 = 37;

/// The rule of nearly all of them.
const ACCESS: &str = "access";

/// A rule that is broken and its requirement, if one is.
type Broken = Option<(&'static str, &'static str)>;

/// The flags of a member's class, and the place of its members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub access: AccessFlags,
    pub place: (Section, u32),
}

impl Owner {
    fn is_interface(self) -> bool {
        self.access.contains(AccessFlags::INTERFACE)
    }
}

/// The defect of a class whose flags cannot be.
pub(crate) fn class(access: AccessFlags, place: (Section, u32)) -> Option<Defect> {
    let expected = if access.0 & !JAVA != 0 {
        "flags of classes, 0xffff at most"
    } else if access.contains(AccessFlags::ABSTRACT | AccessFlags::FINAL) {
        "not abstract and final"
    } else {
        return None;
    };
    Some(defect((ACCESS, expected), place, access, ""))
}

/// The defect of a field whose flags cannot stand together.
pub(crate) fn field(
    dex: &Dex<'_>,
    owner: Owner,
    field: FieldItem,
    is_static: bool,
) -> Result<Option<Defect>> {
    const CONSTANT: u32 = AccessFlags::PUBLIC.0 | AccessFlags::STATIC.0 | AccessFlags::FINAL.0;
    const OF_FIELDS: u32 = CONSTANT
        | AccessFlags::PRIVATE.0
        | AccessFlags::PROTECTED.0
        | AccessFlags::VOLATILE.0
        | AccessFlags::TRANSIENT.0
        | AccessFlags::SYNTHETIC.0
        | AccessFlags::ENUM.0;
    let access = field.access;
    let has = |flags: AccessFlags| access.contains(flags);
    let is_strict = dex.header().version >= STRICT_VERSION;
    let expected = if access.0 & !JAVA != 0 {
        "flags of fields, 0xffff at most"
    } else if has(AccessFlags::STATIC) != is_static {
        "static fields among the static ones, others among those of instances"
    } else if !has_one_visibility(access) {
        "one of public, protected and private"
    } else if owner.is_interface() {
        let is_constant = access.0 & CONSTANT == CONSTANT;
        let others = access.0 & OF_FIELDS & !(CONSTANT | AccessFlags::SYNTHETIC.0);
        if is_strict && !(is_constant && others == 0) {
            "public, static and final in an interface, and nothing else but synthetic"
        } else {
            return Ok(None);
        }
    } else if has(AccessFlags::VOLATILE) && has(AccessFlags::FINAL) {
        "not volatile and final"
    } else {
        return Ok(None);
    };
    let name = dex.string(dex.field(field.field)?.name)?;
    Ok(Some(defect((ACCESS, expected), owner.place, access, &name.to_string())))
}

/// The defect of a method, among direct or virtual ones, whose flags cannot stand together.
pub(crate) fn method(
    dex: &Dex<'_>,
    owner: Owner,
    method: MethodItem,
    is_direct: bool,
) -> Result<Option<Defect>> {
    let name = dex.string(dex.method(method.method)?.name)?;
    let is_strict = dex.header().version >= STRICT_VERSION;
    let rules = [
        of_name(name, method.access, is_strict),
        of_group(name, method.access, is_direct),
        of_interface(owner, method, is_strict),
        of_code(name, method, is_strict),
    ];
    let Some(broken) = rules.into_iter().flatten().next() else { return Ok(None) };
    let name = dex.method_name(method.method)?;
    Ok(Some(defect(broken, owner.place, method.access, &name)))
}

fn of_name(name: Mutf8<'_>, access: AccessFlags, is_strict: bool) -> Broken {
    let has = |flags: AccessFlags| access.contains(flags);
    let known = JAVA | AccessFlags::CONSTRUCTOR.0 | AccessFlags::DECLARED_SYNCHRONIZED.0;
    let expected = if access.0 & !known != 0 {
        "flags of methods"
    } else if !has_one_visibility(access) {
        "one of public, protected and private"
    } else if name.bytes().first() == Some(&b'<') && !is_constructor(name) {
        "no name in angle brackets but <init> and <clinit>"
    } else if has(AccessFlags::CONSTRUCTOR) && !is_constructor(name) {
        "constructors by the name <init> or <clinit>"
    } else if is_strict
        && is_constructor(name)
        && has(AccessFlags::STATIC) != (name.bytes() == b"<clinit>")
    {
        "<clinit> static, <init> not"
    } else {
        return None;
    };
    Some((ACCESS, expected))
}

fn of_group(name: Mutf8<'_>, access: AccessFlags, is_direct: bool) -> Broken {
    let should = access.contains(AccessFlags::STATIC)
        || access.contains(AccessFlags::PRIVATE)
        || is_constructor(name);
    let expected =
        "static and private methods and constructors as direct, others as virtual methods";
    (should != is_direct).then_some(("method-group", expected))
}

fn of_interface(owner: Owner, method: MethodItem, is_strict: bool) -> Broken {
    if !owner.is_interface() || !is_strict {
        return None;
    }
    let has = |flags: AccessFlags| method.access.contains(flags);
    if !(has(AccessFlags::PUBLIC) || has(AccessFlags::STATIC) || has(AccessFlags::PRIVATE)) {
        return Some((ACCESS, "public, private or static in an interface"));
    }
    let is_declared = has(AccessFlags::PUBLIC) && has(AccessFlags::ABSTRACT);
    (method.code_off == 0 && !is_declared)
        .then_some((ACCESS, "public and abstract without code in an interface"))
}

fn of_code(name: Mutf8<'_>, method: MethodItem, is_strict: bool) -> Broken {
    /// The flags that an abstract method may not have.
    const NOT_ABSTRACT: u32 = AccessFlags::PRIVATE.0
        | AccessFlags::STATIC.0
        | AccessFlags::FINAL.0
        | AccessFlags::NATIVE.0
        | AccessFlags::STRICT.0
        | AccessFlags::SYNCHRONIZED.0;
    /// The flags that a constructor of objects may have, of those that methods have.
    const OF_INIT: u32 = AccessFlags::PUBLIC.0
        | AccessFlags::PRIVATE.0
        | AccessFlags::PROTECTED.0
        | AccessFlags::STRICT.0
        | AccessFlags::VARARGS.0
        | AccessFlags::SYNTHETIC.0;
    const OF_METHODS: u32 =
        OF_INIT | NOT_ABSTRACT | AccessFlags::BRIDGE.0 | AccessFlags::ABSTRACT.0;
    let has = |flags: AccessFlags| method.access.contains(flags);
    let without_code = has(AccessFlags::ABSTRACT) || has(AccessFlags::NATIVE);
    if without_code != (method.code_off == 0) {
        return Some(("method-code", "code only where it is neither abstract nor native"));
    }
    let expected = if method.code_off == 0 {
        if is_strict && is_constructor(name) {
            "constructors with code"
        } else if has(AccessFlags::ABSTRACT) && method.access.0 & NOT_ABSTRACT != 0 {
            "abstract methods that are not private, static, final, native, strict or synchronized"
        } else {
            return None;
        }
    } else if name.bytes() == b"<init>" && method.access.0 & OF_METHODS & !OF_INIT != 0 {
        "constructors of objects that are not static, final, synchronized or bridges"
    } else {
        return None;
    };
    Some((ACCESS, expected))
}

fn is_constructor(name: Mutf8<'_>) -> bool {
    matches!(name.bytes(), b"<init>" | b"<clinit>")
}

fn has_one_visibility(access: AccessFlags) -> bool {
    let all = AccessFlags::PUBLIC.0 | AccessFlags::PRIVATE.0 | AccessFlags::PROTECTED.0;
    (access.0 & all).count_ones() <= 1
}

fn defect(
    (rule, expected): (&'static str, &'static str),
    place: (Section, u32),
    access: AccessFlags,
    name: &str,
) -> Defect {
    let found = format!("{:#x} {name}", access.0);
    Defect::new(rule, place, expected, found.trim_end())
}
