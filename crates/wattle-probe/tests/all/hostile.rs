//! Files that no compiler writes.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use wattle_dex::{
    AccessFlags, Body, Class, ClassIndex, CodeBuilder, Dex, DexError, DexFile, Method, MethodId,
    Opcode, Section, TypeId, Verifier, seal,
};
use wattle_probe::{
    ApiPatterns, CallRefusal, CodeFile, FrameworkCalls, Instrumented, Mode, Options, ProbeError,
    ShortMethods, Sink, SkipReason, instrument,
};
use wattle_testdata::requires;

const OBJECT: &str = "Ljava/lang/Object;";

/// A class of static methods.
fn class_of(
    descriptor: &str,
    methods: impl IntoIterator<Item = (String, String, CodeBuilder)>,
) -> Vec<u8> {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let mut class = Class::new(pool.ty(descriptor), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
    for (name, signature, code) in methods {
        let id = file.pool_mut().method(descriptor, &name, &signature).unwrap();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        class.direct_methods.push(Method { id, access, body });
    }
    file.add_class(class);
    file.write().unwrap()
}

fn probe(bytes: &[u8], change: impl FnOnce(&mut Options)) -> Instrumented {
    let mut options = Options::default();
    options.short_methods = ShortMethods::Probe;
    options.scope.all = true;
    change(&mut options);
    let file = CodeFile { name: "it".into(), bytes: Cow::Borrowed(bytes) };
    instrument(&[file], &options).unwrap()
}

/// Methods that return a register that nothing was put into.
#[test]
fn many_refused_methods_take_no_longer_each() {
    let methods = (0..60_000).map(|number| {
        let mut code = CodeBuilder::new(2, 0);
        code.plain(Opcode::RETURN_OBJECT, &[1]);
        (format!("m{number}"), format!("(){OBJECT}"), code)
    });
    let bytes = class_of("Lbad/Code;", methods);
    let start = Instant::now();
    let done = probe(&bytes, |_| ());
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    assert_eq!(done.counts.skipped.get(&SkipReason::Unverifiable), Some(&60_000));
    assert_eq!(done.counts.methods_probed, 0);
}

/// With its number in the register the code would verify, and return what it never had.
#[test]
fn a_probe_does_not_make_broken_code_run() {
    let straight = |code: &mut CodeBuilder| {
        code.plain(Opcode::RETURN, &[0]);
    };
    let behind_a_branch = |code: &mut CodeBuilder| {
        let end = code.label();
        code.branch(Opcode::IF_EQZ, &[1], end).const_int(0, 7).place(end);
        code.plain(Opcode::RETURN, &[0]);
    };
    let sound = |code: &mut CodeBuilder| {
        let (other, end) = (code.label(), code.label());
        code.branch(Opcode::IF_EQZ, &[1], other).const_int(0, 7).goto(end);
        code.place(other).const_int(0, 8).place(end).plain(Opcode::RETURN, &[0]);
    };
    let bodies: [&dyn Fn(&mut CodeBuilder); 3] = [&straight, &behind_a_branch, &sound];
    for (body, is_sound) in bodies.into_iter().zip([false, false, true]) {
        let mut code = CodeBuilder::new(2, 1);
        body(&mut code);
        let bytes = class_of("Lbad/Code;", [("run".to_owned(), "(I)I".to_owned(), code)]);
        let done = probe(&bytes, |options| options.sink = Sink::File);
        assert_eq!(done.counts.methods_probed, u64::from(is_sound));
        let reason = done.counts.skipped.get(&SkipReason::Unverifiable);
        assert_eq!(reason, (!is_sound).then_some(&1));
    }
}

/// Each call takes two try ranges, of which a method has 65,535.
#[test]
fn calls_that_are_left_out_are_counted() {
    const CALLS: u64 = 16_001;
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let gc = pool.method("Ljava/lang/System;", "gc", "()V").unwrap();
    let mut class = Class::new(pool.ty("Lapp/Main;"), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
    for (name, calls) in [("few", 3), ("many", CALLS)] {
        let id = file.pool_mut().method("Lapp/Main;", name, "()V").unwrap();
        let mut code = CodeBuilder::new(1, 0);
        for _ in 0..calls {
            code.invoke(Opcode::INVOKE_STATIC, gc, &[]);
        }
        code.return_void();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        class.direct_methods.push(Method { id, access, body });
    }
    file.add_class(class);
    let bytes = file.write().unwrap();
    for (mode, probed, refused) in [(Mode::Apis, 1, Some(&1)), (Mode::Both, 2, None)] {
        let done = probe(&bytes, |options| {
            options.mode = mode;
            options.apis = ApiPatterns::new(&["java.lang.System"], &[]);
        });
        let counts = &done.counts;
        assert_eq!(counts.api_call_sites, 3, "{mode:?}");
        assert_eq!(counts.methods_probed, probed, "{mode:?}");
        assert_eq!(counts.calls_left_out.get(&CallRefusal::TooMany), Some(&CALLS), "{mode:?}");
        assert_eq!(counts.skipped.get(&SkipReason::CallsRefused), refused, "{mode:?}");
        assert_eq!(counts.skipped.get(&SkipReason::NoCalls), None, "{mode:?}");
        assert_eq!(done.left_out.len(), usize::from(refused.is_some()), "{mode:?}");
    }
}

/// A call passes at most 255 words; names of thousands of types are not for people.
#[test]
fn methods_that_no_call_can_reach() {
    let long = format!("Lbad/{};", "C".repeat(60_000));
    for (parameter, count, words, is_sound) in [
        ("I", 255, 255, true),
        ("I", 256, 256, false),
        ("J", 127, 254, true),
        ("J", 128, 256, false),
        (long.as_str(), 300, 300, false),
    ] {
        let mut code = CodeBuilder::new(words + 1, words);
        code.return_void();
        let signature = format!("({})V", parameter.repeat(count));
        let bytes = class_of(&long, [("run".to_owned(), signature, code)]);
        for mode in [Mode::Methods, Mode::Both] {
            let done = probe(&bytes, |options| options.mode = mode);
            let at = format!("{count} of {} bytes", parameter.len());
            assert_eq!(done.counts.methods_probed, u64::from(is_sound), "{at}");
            let reasons: Vec<_> = done.left_out.iter().map(|it| it.reason).collect();
            let expected = if is_sound { vec![] } else { vec![SkipReason::Unverifiable] };
            assert_eq!(reasons, expected, "{at}");
            for it in &done.left_out {
                assert_eq!(it.method.chars().count(), 1001, "{at}");
                assert!(it.method.starts_with("Lbad/CCC") && it.method.ends_with(")V"), "{at}");
            }
        }
    }
}

/// Sixty thousand classes with one list of sixty thousand interfaces would be fourteen gigabytes.
#[test]
fn interfaces_that_everybody_shares_are_not_copied() {
    const COUNT: u32 = 60_000;
    let mut file = DexFile::new(35);
    for number in 0..COUNT {
        let pool = file.pool_mut();
        let descriptor = format!("Lshared/C{number:05};");
        let mut class =
            Class::new(pool.ty(&descriptor), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
        if number < 500 {
            pool.method(&descriptor, "run", "()V").unwrap();
        }
        if number == 0 {
            class.interfaces =
                (0..COUNT).map(|it| pool.ty(&format!("Lother/I{:05};", it % 5000))).collect();
        }
        file.add_class(class);
    }
    let mut bytes = file.write().unwrap();
    // `class_defs_off` of the header; `interfaces_off` of a `class_def_item` of 32 bytes.
    let table = u32::from_le_bytes(bytes[100..104].try_into().unwrap()) as usize;
    let shared: [u8; 4] = bytes[table + 12..table + 16].try_into().unwrap();
    for class in bytes[table..].chunks_exact_mut(32).take(COUNT as usize) {
        class[12..16].copy_from_slice(&shared);
    }
    seal(&mut bytes);
    let dex = Dex::parse(&bytes).unwrap();
    let start = Instant::now();
    let files = [dex];
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["other.**"], &[])).unwrap();
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    let [dex] = &files;
    for method in (0..dex.count(Section::METHOD_IDS)).map(MethodId) {
        let lands = calls.landing(0, TypeId(0), Opcode::INVOKE_VIRTUAL, method).unwrap();
        assert_eq!(calls.class(lands), "other.I00000");
    }
}

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
#[requires(data)]
#[test]
fn broken_files_give_errors() {
    let source = wattle_testdata::bytes("dex/smali-accessorTest.dex");
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
