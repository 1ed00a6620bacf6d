//! Which methods with probes call each other, by the code alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, DexFile, Method, Opcode};
use wattle_probe::{CodeFile, Mapping, Mode, Options, ProbeMap, ShortMethods, instrument};

const PUBLIC: AccessFlags = AccessFlags::PUBLIC;
const STATIC: AccessFlags = AccessFlags(0x9);
const ABSTRACT: AccessFlags = AccessFlags(0x401);
const INTERFACE: AccessFlags = AccessFlags(0x601);

/// Name, flags, and of each call the line, what it is and what it names.
type Definition = (&'static str, AccessFlags, &'static [(u32, Opcode, &'static str)]);

/// File, class, flags, superclass, interfaces, methods.
type ClassDefinition = (
    usize,
    &'static str,
    AccessFlags,
    &'static str,
    &'static [&'static str],
    &'static [Definition],
);

const OBJECT: &str = "java/lang/Object";
const VIRTUAL: Opcode = Opcode::INVOKE_VIRTUAL;

const APP: &[ClassDefinition] = &[
    (
        0,
        "a/Main",
        PUBLIC,
        OBJECT,
        &[],
        &[(
            "run",
            PUBLIC,
            &[
                (10, VIRTUAL, "a/Base.work"),
                (11, VIRTUAL, "a/Child.work"),
                (12, Opcode::INVOKE_STATIC, "a/Base.helper"),
                // What a class inherits is its superclass's.
                (13, Opcode::INVOKE_STATIC, "b/Grand.helper"),
                (14, Opcode::INVOKE_INTERFACE, "a/Shows.show"),
                (15, VIRTUAL, "a/Base.work"),
                // No line of a source, and the framework's.
                (0, VIRTUAL, "a/Base.work"),
                (16, VIRTUAL, "java/lang/Object.work"),
                (17, VIRTUAL, "a/Base.missing"),
                (18, Opcode::INVOKE_INTERFACE, "a/Shows.offer"),
            ],
        )],
    ),
    (0, "a/Base", PUBLIC, OBJECT, &[], &[("work", PUBLIC, &[]), ("helper", STATIC, &[])]),
    (
        0,
        "a/Child",
        PUBLIC,
        "a/Base",
        &[],
        &[("work", PUBLIC, &[(30, Opcode::INVOKE_SUPER, "a/Base.work")])],
    ),
    // The superclass is in the other file.
    (1, "b/Grand", PUBLIC, "a/Child", &[], &[("work", PUBLIC, &[(40, VIRTUAL, "b/Grand.work")])]),
    (0, "a/Shows", INTERFACE, OBJECT, &[], &[("show", ABSTRACT, &[]), ("offer", PUBLIC, &[])]),
    (1, "b/Screen", PUBLIC, OBJECT, &["a/Shows"], &[("show", PUBLIC, &[])]),
    // Each is the other's superclass.
    (0, "c/One", PUBLIC, "c/Two", &[], &[("turn", PUBLIC, &[(50, VIRTUAL, "c/Two.turn")])]),
    (1, "c/Two", PUBLIC, "c/One", &[], &[]),
];

fn file(number: usize) -> Vec<u8> {
    let mut file = DexFile::new(35);
    for (_, class, access, superclass, interfaces, methods) in
        APP.iter().filter(|(file, ..)| *file == number)
    {
        let pool = file.pool_mut();
        let ty = |name: &str| format!("L{name};");
        let mut it = Class::new(pool.ty(&ty(class)), Some(pool.ty(&ty(superclass))), *access);
        it.interfaces = interfaces.iter().map(|name| pool.ty(&ty(name))).collect();
        for (name, access, calls) in *methods {
            let id = pool.method(&ty(class), name, "()V").unwrap();
            let body = if *access == ABSTRACT {
                Body::None
            } else {
                let is_static = *access == STATIC;
                let mut code = CodeBuilder::new(2, u16::from(!is_static));
                let this = code.argument(0);
                code.const_int(0, 0);
                for (line, opcode, named) in *calls {
                    let (class, name) = named.rsplit_once('.').unwrap();
                    let named = pool.method(&ty(class), name, "()V").unwrap();
                    let receiver: &[u16] = match *opcode {
                        Opcode::INVOKE_STATIC => &[],
                        Opcode::INVOKE_SUPER => &[this],
                        // Nobody, who is of every class.
                        _ => &[0],
                    };
                    code.line(*line).invoke(*opcode, named, receiver);
                }
                code.return_void();
                Body::Code(Box::new(code.finish().unwrap()))
            };
            let method = Method { id, access: *access, body };
            if *access == STATIC {
                it.direct_methods.push(method);
            } else {
                it.virtual_methods.push(method);
            }
        }
        file.add_class(it);
    }
    file.write().unwrap()
}

/// By calling method: what it calls, from which lines.
type Found = BTreeMap<String, Vec<(String, Vec<u32>)>>;

fn invocations(mut options: Options) -> Found {
    options.short_methods = ShortMethods::Probe;
    let files = [file(0), file(1)];
    let named = |(nth, bytes): (usize, &Vec<u8>)| CodeFile {
        name: format!("classes{nth}.dex"),
        bytes: Cow::Owned(bytes.clone()),
    };
    let files: Vec<_> = files.iter().enumerate().map(named).collect();
    let code = instrument(&files, &options).unwrap();
    let map = ProbeMap::parse(&code.map).unwrap();
    let mut names = BTreeMap::new();
    for class in &map.classes {
        for method in &class.methods {
            names.insert(method.id, format!("{}.{}", class.class, method.name));
        }
    }
    let mut found = Found::new();
    for method in map.classes.iter().flat_map(|class| &class.methods) {
        let calls = method.invokes.iter();
        let calls = calls.map(|it| (names[&Some(it.id)].clone(), it.lines.clone()));
        let mut calls: Vec<_> = calls.collect();
        calls.sort();
        if !calls.is_empty() {
            found.insert(names[&method.id].clone(), calls);
        }
    }
    found
}

#[track_caller]
fn check(found: &Found, caller: &str, expected: &[(&str, &[u32])]) {
    let calls = found.get(caller).map(Vec::as_slice).unwrap_or_default();
    let calls: Vec<_> =
        calls.iter().map(|(name, lines)| (name.as_str(), lines.as_slice())).collect();
    assert_eq!(calls, expected, "{caller}");
}

#[test]
fn what_a_call_may_reach() {
    let found = invocations(Options::default());
    check(
        &found,
        "a.Main.run",
        &[
            ("a.Base.helper", &[12, 13]),
            ("a.Base.work", &[10, 15]),
            ("a.Child.work", &[10, 11, 15]),
            ("a.Shows.offer", &[18]),
            ("b.Grand.work", &[10, 11, 15]),
            ("b.Screen.show", &[14]),
        ],
    );
    // A call of the superclass's method is that and no other.
    check(&found, "a.Child.work", &[("a.Base.work", &[30])]);
    check(&found, "b.Grand.work", &[("b.Grand.work", &[40])]);
    check(&found, "c.One.turn", &[("c.One.turn", &[50])]);
    assert_eq!(found.len(), 4);
}

#[test]
fn lines_are_those_of_the_source() {
    let mut options = Options::default();
    let mapping = "com.x.Main -> a.Main:\n    10:10:void start():70:70 -> run\n    11:15:void start():71:75 -> run\n";
    options.mapping = Mapping::parse(mapping.as_bytes());
    let found = invocations(options);
    let (_, lines) = &found["com.x.Main.start"][1];
    assert_eq!(lines, &[70, 75]);
}

/// If only calls have probes, methods have no numbers to be named by.
#[test]
fn only_methods_with_probes() {
    let mut options = Options::default();
    options.mode = Mode::Apis;
    assert_eq!(invocations(options), Found::new());
    let mut options = Options::default();
    options.mode = Mode::Both;
    assert_eq!(invocations(options), invocations(Options::default()));
}
