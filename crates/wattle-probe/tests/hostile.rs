//! Files that no compiler writes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use std::borrow::Cow;

use wattle_dex::{
    AccessFlags, Body, Class, ClassIndex, CodeBuilder, Dex, DexError, DexFile, Method, Opcode,
    Verifier, seal,
};
use wattle_probe::{CodeFile, Mode, Options, ProbeError, ShortMethods, Sink, instrument};

/// A class of `methods` small methods and one of 60,000 instructions.
fn one_large_method(methods: u32) -> Vec<u8> {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let mut class = Class::new(
        pool.ty("Lshared/Code;"),
        Some(pool.ty("Ljava/lang/Object;")),
        AccessFlags::PUBLIC,
    );
    for number in 0..=methods {
        let id = file.pool_mut().method("Lshared/Code;", &format!("m{number:05}"), "()V").unwrap();
        let mut code = CodeBuilder::new(1, 0);
        for _ in 0..if number == 0 { 60_000 } else { 1 } {
            code.plain(Opcode::NOP, &[]);
        }
        code.return_void();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        class.direct_methods.push(Method { id, access, body });
    }
    file.add_class(class);
    file.write().unwrap()
}

/// Reads a number of the class's data and moves on.
fn uleb(bytes: &[u8], at: &mut usize) -> u32 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Gives all methods of the first class the code of its first.
fn share_code(bytes: &mut [u8]) {
    let data = Dex::parse(bytes).unwrap().class_def(ClassIndex(0)).unwrap().class_data_off;
    let mut at = data as usize;
    let methods: u32 = (0..4).map(|_| uleb(bytes, &mut at)).sum();
    let mut first = None;
    for _ in 0..methods {
        uleb(bytes, &mut at);
        uleb(bytes, &mut at);
        let start = at;
        let own = uleb(bytes, &mut at);
        let shared = *first.get_or_insert(own);
        for (index, byte) in bytes[start..at].iter_mut().enumerate() {
            let more = if start + index + 1 < at { 0x80 } else { 0 };
            *byte = (shared >> (7 * index) & 0x7f) as u8 | more;
        }
    }
    seal(bytes);
}

/// Ten thousand methods with one body of 60,000 instructions would be a gigabyte of code to read, and more to write.
#[test]
fn code_that_everybody_shares_is_refused() {
    let mut bytes = one_large_method(10_000);
    let mut options = Options::default();
    options.short_methods = ShortMethods::Probe;
    let file = |bytes: &[u8]| CodeFile { name: "it".into(), bytes: Cow::Owned(bytes.to_vec()) };
    let sound = instrument(&[file(&bytes)], &options).unwrap();
    assert_eq!(sound.counts.methods_probed, 10_001);
    share_code(&mut bytes);
    let error = instrument(&[file(&bytes)], &options).unwrap_err();
    assert!(matches!(&error, ProbeError::Dex { source: DexError::TooMany { .. }, .. }), "{error}");
}

/// Whatever bytes are wrong, there is a result or an error, and a result is sound where its source was.
#[test]
fn broken_files_give_errors() {
    let Some(source) = wattle_testdata::read("dex/smali-accessorTest.dex") else { return };
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let (mut results, mut errors) = (0, 0);
    for round in 0..400 {
        let mut bytes = source.clone();
        for _ in 0..=next(3) {
            // Behind the header's checksums, which are put right below.
            let at = 32 + next(bytes.len() - 32);
            bytes[at] = [next(256) as u8, bytes[at] ^ 1 << next(8), 0, 0xff][next(4)];
        }
        if round % 7 == 0 {
            bytes.truncate(112 + next(bytes.len() - 112));
        }
        seal(&mut bytes);
        let mut options = Options::default();
        options.mode = [Mode::Methods, Mode::Apis, Mode::Both][next(3)];
        options.sink = [Sink::Trace, Sink::File, Sink::Orka][next(3)];
        options.short_methods = ShortMethods::Probe;
        options.scope.all = true;
        let clean = |bytes: &[u8]| {
            Dex::parse(bytes).is_ok_and(|dex| Verifier::new(&dex).all(1).defects.is_empty())
        };
        let file = CodeFile { name: "it".into(), bytes: Cow::Borrowed(bytes.as_slice()) };
        match instrument(&[file], &options) {
            Ok(done) => {
                results += 1;
                let sound = done.files.iter().all(|file| clean(&file.bytes));
                assert!(sound || !clean(&bytes), "round {round}: unsound from sound");
            }
            Err(_) => errors += 1,
        }
    }
    assert!(results > 50 && errors > 50, "{results} results, {errors} errors");
}
