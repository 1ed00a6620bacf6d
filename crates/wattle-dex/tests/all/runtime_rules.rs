//! Rules that the runtime has beside those of the format: what it refuses is a defect here, too. `cargo xtask verdicts` finds such.

use wattle_dex::*;

use crate::support::sample;

const PUBLIC: AccessFlags = AccessFlags::PUBLIC;

/// The flags of a class, a static field and a method with code, and their names.
#[derive(Clone, Copy)]
struct Made {
    version: u16,
    class: AccessFlags,
    field: (&'static str, AccessFlags),
    method: (&'static str, AccessFlags),
    is_direct: bool,
}

/// Sound.
const PLAIN: Made = Made {
    version: 35,
    class: PUBLIC,
    field: ("f", AccessFlags(0x9)),
    method: ("m", PUBLIC),
    is_direct: false,
};

fn made(made: Made) -> Vec<u8> {
    let mut file = DexFile::new(made.version);
    let pool = file.pool_mut();
    let (ty, object) = (pool.ty("LA;"), pool.ty("Ljava/lang/Object;"));
    let mut class = Class::new(ty, Some(object), made.class);
    let (name, access) = made.field;
    let id = pool.field("LA;", name, "I");
    class.static_fields.push(Field { id, access, value: None });
    let (name, access) = made.method;
    let id = pool.method("LA;", name, "()V").unwrap();
    let is_static = access.contains(AccessFlags::STATIC);
    let mut code = CodeBuilder::new(1, u16::from(!is_static));
    if name == "<init>" {
        let constructor = pool.method("Ljava/lang/Object;", "<init>", "()V").unwrap();
        code.invoke(Opcode::INVOKE_DIRECT, constructor, &[0]);
    }
    code.return_void();
    let body = Body::Code(Box::new(code.finish().unwrap()));
    let methods =
        if made.is_direct { &mut class.direct_methods } else { &mut class.virtual_methods };
    methods.push(Method { id, access, body });
    file.add_class(class);
    file.write().unwrap()
}

#[track_caller]
fn check(which: Made, expected: &[&str]) {
    assert_eq!(sample::broken_rules(&made(which)), expected);
}

#[test]
fn classes_have_flags_that_can_be() {
    check(PLAIN, &[]);
    check(Made { class: AccessFlags(0x411), ..PLAIN }, &["access"]);
    check(Made { class: AccessFlags(0x10001), ..PLAIN }, &["access"]);
}

#[test]
fn fields_have_flags_that_can_be() {
    let field = |access| Made { field: ("f", AccessFlags(access)), ..PLAIN };
    check(field(0x1), &["access"]);
    check(field(0xb), &["access"]);
    check(field(0x59), &["access"]);
    check(field(0x10009), &["access"]);
    // Constants of interfaces: since version 037 nothing else.
    let of_interface = |version, access| Made {
        version,
        class: AccessFlags(0x601),
        ..Made { method: ("m", AccessFlags(0x1)), ..field(access) }
    };
    check(of_interface(37, 0x19), &[]);
    check(of_interface(37, 0x9), &["access"]);
    check(of_interface(35, 0x9), &[]);
}

#[test]
fn methods_have_flags_that_can_be() {
    let method =
        |name, access, is_direct| Made { method: (name, AccessFlags(access)), is_direct, ..PLAIN };
    check(method("<init>", 0x10001, true), &[]);
    check(method("<init>", 0x1, true), &[]);
    check(method("<init>", 0x10021, true), &["access"]);
    check(method("<init>", 0x10001, false), &["method-group"]);
    check(method("m", 0x10001, false), &["access"]);
    check(method("m", 0x3, true), &["access"]);
    check(method("m", 0x80001, false), &["access"]);
    check(method("<other>", 0x1, false), &["access"]);
    check(method("m", 0x2, false), &["method-group"]);
    check(method("m", 0x401, false), &["method-code"]);
    let of_interface = |version, access| Made {
        version,
        class: AccessFlags(0x601),
        ..Made { field: ("f", AccessFlags(0x19)), ..method("m", access, false) }
    };
    check(of_interface(37, 0x0), &["access"]);
    check(of_interface(35, 0x0), &[]);
}

#[test]
fn members_have_names() {
    check(Made { field: ("a.b", PLAIN.field.1), ..PLAIN }, &["name"]);
    check(Made { method: ("", PUBLIC), ..PLAIN }, &["name"]);
    check(Made { method: ("日本", PUBLIC), ..PLAIN }, &[]);
}

/// A byte that aligns, a length of nothing, and the area of data.
#[test]
fn bytes_between_items_and_areas_are_the_runtime_s() {
    let bytes = made(PLAIN);
    let dex = Dex::parse(&bytes).unwrap();
    let map = dex.header().map_off as usize;
    // The map is aligned behind items that are not.
    let gap = (1..4).map(|back| map - back).find(|at| bytes[*at] == 0).unwrap();
    for (at, value, rule) in [(gap, 7, "padding"), (48, 4, "area"), (108, 1, "area")] {
        let mut changed = bytes.clone();
        changed[at] = value;
        seal(&mut changed);
        let found = sample::broken_rules(&changed);
        assert!(found.contains(&rule), "{at:#x}: {found:?}");
    }
}
