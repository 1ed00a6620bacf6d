//! References between the files of one program.

use std::collections::BTreeMap;

use wattle_dex::*;
use wattle_testdata::requires;

use crate::support;

const PUBLIC: AccessFlags = AccessFlags::PUBLIC;
const OBJECT: &str = "Ljava/lang/Object;";

/// A class with empty methods `name signature`, static ones marked by a star.
fn class(file: &mut DexFile<'static>, name: &str, superclass: &str, methods: &[(&str, &str)]) {
    let pool = file.pool_mut();
    let mut class = Class::new(pool.ty(name), Some(pool.ty(superclass)), PUBLIC);
    for (method, signature) in methods {
        let is_static = method.starts_with('*');
        let id = pool.method(name, method.trim_start_matches('*'), signature).unwrap();
        let proto = pool.proto(signature).unwrap();
        let words = pool.argument_words(proto).unwrap() as u16 + u16::from(!is_static);
        let mut code = CodeBuilder::new(words, words);
        code.return_void();
        let access = if is_static { PUBLIC | AccessFlags::STATIC } else { PUBLIC };
        let method = Method { id, access, body: Body::Code(Box::new(code.finish().unwrap())) };
        let group = if is_static { &mut class.direct_methods } else { &mut class.virtual_methods };
        group.push(method);
    }
    file.add_class(class);
}

/// A class `LCaller;` with one method.
fn caller(file: &mut DexFile<'static>, build: impl FnOnce(&mut Pool<'static>, &mut CodeBuilder)) {
    let pool = file.pool_mut();
    let mut class = Class::new(pool.ty("LCaller;"), Some(pool.ty(OBJECT)), PUBLIC);
    let id = pool.method("LCaller;", "go", "(LDerived;)V").unwrap();
    let mut code = CodeBuilder::new(2, 1);
    build(pool, &mut code);
    code.return_void();
    class.direct_methods.push(Method {
        id,
        access: PUBLIC | AccessFlags::STATIC,
        body: Body::Code(Box::new(code.finish().unwrap())),
    });
    file.add_class(class);
}

/// The rules broken by a caller, together with a file that has `Base`, `Derived`, `Outside`, and a probe.
#[track_caller]
fn check(build: impl FnOnce(&mut Pool<'static>, &mut CodeBuilder), expected: &[&str]) {
    let mut library = DexFile::new(35);
    class(&mut library, "LBase;", OBJECT, &[("run", "(I)V"), ("*make", "()V")]);
    class(&mut library, "LDerived;", "LBase;", &[("own", "()V")]);
    class(&mut library, "LOutside;", "Landroid/app/Activity;", &[]);
    class(&mut library, "Landroid/os/Stub;", OBJECT, &[]);
    class(&mut library, "Lwattle/probe/Probe;", OBJECT, &[("*enter", "(I)V")]);
    let mut first = DexFile::new(35);
    caller(&mut first, build);
    let (first, library) = (first.write().unwrap(), library.write().unwrap());
    let files = [Dex::parse(&first).unwrap(), Dex::parse(&library).unwrap()];
    for threads in [1, 3] {
        let broken = Linkage::new(&files).broken(&|class| class.starts_with(b"Lwattle/"), threads);
        let found: Vec<String> = broken
            .iter()
            .map(|link| {
                assert_eq!(link.file, 0);
                assert_eq!(link.defect.method.as_deref(), Some("LCaller;->go(LDerived;)V"));
                format!("{} {}", link.defect.rule, link.defect.expected)
            })
            .collect();
        assert_eq!(found, expected);
    }
}

fn call(
    opcode: Opcode,
    class: &'static str,
    name: &'static str,
    signature: &'static str,
) -> impl FnOnce(&mut Pool<'static>, &mut CodeBuilder) {
    move |pool, code| {
        let method = pool.method(class, name, signature).unwrap();
        let proto = pool.proto(signature).unwrap();
        let words = pool.argument_words(proto).unwrap() as usize;
        let is_static = opcode == Opcode::INVOKE_STATIC;
        let registers: Vec<u16> = std::iter::repeat_n(1, usize::from(!is_static))
            .chain(std::iter::repeat_n(0, words))
            .collect();
        code.const_int(0, 1).invoke(opcode, method, &registers);
    }
}

#[test]
fn what_is_there_is_found() {
    check(call(Opcode::INVOKE_STATIC, "Lwattle/probe/Probe;", "enter", "(I)V"), &[]);
    check(call(Opcode::INVOKE_STATIC, "LBase;", "make", "()V"), &[]);
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "own", "()V"), &[]);
    // Inherited, from the file and from the platform.
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "run", "(I)V"), &[]);
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "notify", "()V"), &[]);
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "wait", "(J)V"), &[]);
}

#[test]
fn what_nobody_can_tell_is_not_held_against_a_file() {
    check(call(Opcode::INVOKE_STATIC, "LElsewhere;", "run", "()V"), &[]);
    check(call(Opcode::INVOKE_VIRTUAL, "LOutside;", "onCreate", "()V"), &[]);
    // The platform's own class counts, not the copy of a part of it.
    check(call(Opcode::INVOKE_STATIC, "Landroid/os/Stub;", "real", "()V"), &[]);
}

#[test]
fn what_is_missing_is_named() {
    let missing = ["missing-method the method LDerived;->gone()V"];
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "gone", "()V"), &missing);
    // One with another signature is another one; `Object` has no such `wait`.
    let missing = ["missing-method the method LDerived;->run()V"];
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "run", "()V"), &missing);
    let missing = ["missing-method the method LDerived;->wait(I)V"];
    check(call(Opcode::INVOKE_VIRTUAL, "LDerived;", "wait", "(I)V"), &missing);
    // Constructors are not inherited.
    let missing = ["missing-method the method LDerived;-><init>()V"];
    check(call(Opcode::INVOKE_DIRECT, "LDerived;", "<init>", "()V"), &missing);
    let missing = ["missing-method the method Lwattle/probe/Probe;->leave(I)V"];
    check(call(Opcode::INVOKE_STATIC, "Lwattle/probe/Probe;", "leave", "(I)V"), &missing);
    let missing = ["missing-method the method Lwattle/probe/Other;->enter(I)V"];
    check(call(Opcode::INVOKE_STATIC, "Lwattle/probe/Other;", "enter", "(I)V"), &missing);
    check(
        |pool, code| {
            let ty = pool.ty("[Lwattle/probe/Other;");
            code.op(Opcode::CONST_CLASS, &[0], Operand::Type(ty));
        },
        &["missing-class the class [Lwattle/probe/Other;"],
    );
    check(
        |pool, code| {
            let field = pool.field("LBase;", "gone", "I");
            code.op(Opcode::SGET, &[0], Operand::Field(field));
        },
        &["missing-field the field LBase;->gone:I"],
    );
}

#[test]
fn static_calls_reach_static_methods_only() {
    let wrong = ["call-kind a call with an object of LBase;->run(I)V"];
    check(call(Opcode::INVOKE_STATIC, "LBase;", "run", "(I)V"), &wrong);
    let wrong = ["call-kind invoke-static of LBase;->make()V"];
    check(call(Opcode::INVOKE_VIRTUAL, "LBase;", "make", "()V"), &wrong);
}

/// The one call of all real packages that leads nowhere: `dexdump` lists the call in this file, and no method
/// `isAtLeastV` of `BuildCompat` in any of its nine.
const NOWHERE: [&str; 1] = [
    "appium-settings-debug-9dex.apk Lcom/google/android/gms/common/util/PlatformVersion;->isAtLeastV()Z \
     missing-method the method Landroidx/core/os/BuildCompat;->isAtLeastV()Z",
];

#[requires(data)]
#[test]
fn real_programs_are_complete() {
    let mut programs: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for (name, bytes) in support::real_files() {
        let program = name.split('!').next().unwrap().to_owned();
        programs.entry(program).or_default().push(bytes);
    }
    let (mut found, mut seen) = (Vec::new(), false);
    for (name, files) in programs {
        seen |= name.starts_with("appium-settings");
        let files: Vec<Dex<'_>> = files.iter().map(|bytes| Dex::parse(bytes).unwrap()).collect();
        found.extend(Linkage::new(&files).broken(&|_| false, 2).into_iter().map(|link| {
            let Defect { rule, method, expected, .. } = link.defect;
            format!("{name} {} {rule} {expected}", method.unwrap())
        }));
    }
    assert_eq!(found, if seen { &NOWHERE[..] } else { &[] });
}
