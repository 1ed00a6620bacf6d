//! The test runtime itself: what it prints of sections.

use crate::art::ArtHost;
use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, DexFile, Method, Opcode};
use wattle_testdata::requires;

/// A class `Main` whose `main` opens a section with its first argument as label, and closes it.
fn program() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let begin = pool.method("Landroid/os/Trace;", "beginSection", "(Ljava/lang/String;)V").unwrap();
    let end = pool.method("Landroid/os/Trace;", "endSection", "()V").unwrap();
    let id = pool.method("LMain;", "main", "([Ljava/lang/String;)V").unwrap();
    let mut code = CodeBuilder::new(2, 1);
    code.const_int(0, 0)
        .plain(Opcode::AGET_OBJECT, &[0, 1, 0])
        .invoke(Opcode::INVOKE_STATIC, begin, &[0])
        .invoke(Opcode::INVOKE_STATIC, end, &[])
        .return_void();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("LMain;"), Some(object), AccessFlags::PUBLIC);
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    class.direct_methods.push(Method {
        id,
        access,
        body: Body::Code(Box::new(code.finish().unwrap())),
    });
    file.add_class(class);
    file.write().unwrap()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn sections_are_printed_or_written() {
    let art = ArtHost::new();
    let folder = tempfile::tempdir().unwrap();
    let dex = folder.path().join("main.dex");
    std::fs::write(&dex, program()).unwrap();
    let class_path = [dex];

    let output = art.run(&class_path, "Main", &["some label"], &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "B 1 some label\nE 1\n");

    let file = folder.path().join("sections");
    let option = format!("-Dwattle.trace={}", file.display());
    let output = art.run(&class_path, "Main", &["x".repeat(127)], &[&option]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"");
    let long = "x".repeat(127);
    assert_eq!(std::fs::read_to_string(file).unwrap(), format!("B 1 {long}\nE 1\n"));

    let output = art.run(&class_path, "Main", &["x".repeat(128)], &[]);
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("IllegalArgumentException"), "{error}");

    assert_eq!(
        art.verify(&class_path, &["Main"]),
        "verified=1 access=0 soft=0 hard=0 loadfail=0\n"
    );
}
