//! The probe map as a file.

use std::borrow::Cow;

use proptest::prelude::*;
use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, DexFile, Method, Opcode};
use wattle_probe::{
    ApiPatterns, CodeFile, InlinedFrame, Instrumented, MapHeader, MapId, Mapping, Mode, Options,
    ProbeMap, ProbePoint, ProbedCall, ProbedClass, ProbedInvocation, ProbedMethod, Sink,
    instrument,
};

/// Two classes, one with a name outside of ASCII.
fn program(line: u32) -> Vec<u8> {
    let mut file = DexFile::new(35);
    let gc = file.pool_mut().method("Ljava/lang/System;", "gc", "()V").unwrap();
    for (class, methods) in [("app/Main", ["one", "two"]), ("app/Größe", ["drei", "vier"])] {
        let pool = file.pool_mut();
        let descriptor = format!("L{class};");
        let object = pool.ty("Ljava/lang/Object;");
        let mut it = Class::new(pool.ty(&descriptor), Some(object), AccessFlags::PUBLIC);
        it.source_file = Some(pool.string("Main.java"));
        for name in methods {
            let id = pool.method(&descriptor, name, "()V").unwrap();
            let mut code = CodeBuilder::new(0, 0);
            code.line(line).invoke(Opcode::INVOKE_STATIC, gc, &[]).return_void();
            let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
            let body = Body::Code(Box::new(code.finish().unwrap()));
            it.direct_methods.push(Method { id, access, body });
        }
        file.add_class(it);
    }
    file.write().unwrap()
}

fn probe(bytes: &[u8], options: &Options) -> Instrumented {
    let file = CodeFile { name: "classes.dex".to_owned(), bytes: Cow::Borrowed(bytes) };
    instrument(&[file], options).unwrap()
}

#[test]
fn the_file_has_a_header_and_a_line_a_class() {
    let mut options = Options::default();
    options.package = Some("app".to_owned());
    let code = probe(&program(7), &options);
    let text = String::from_utf8(code.map.clone()).unwrap();
    assert!(text.ends_with('\n'));
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = &lines[0];
    assert_eq!(header["wattle_probe_map"], 1);
    assert_eq!(header["package"], "app");
    assert_eq!(header["mode"], "methods");
    assert_eq!(header["sink"], "trace");
    assert_eq!(header["probes"], 4);
    // The signature is that of the header, bytes 12 to 32.
    let bytes = program(7);
    let hex = bytes[12..32].iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    assert_eq!(header["code"], serde_json::json!([hex]));
    assert_eq!(lines.len(), 3);
    for line in &lines[1..] {
        assert_eq!(line["source"], "Main.java");
        assert_eq!(line.get("packaged"), None);
        for method in line["methods"].as_array().unwrap() {
            assert_eq!(method["descriptor"], "()V");
            assert_eq!(method["line"], 7);
        }
    }
    let mut classes: Vec<_> = lines[1..].iter().map(|it| it["class"].as_str().unwrap()).collect();
    classes.sort_unstable();
    assert_eq!(classes, ["app.Größe", "app.Main"]);
}

/// The number 0 is the runtime's own, with every sink.
#[test]
fn numbers_go_from_1_without_a_gap() {
    for sink in [Sink::Trace, Sink::File, Sink::Logcat, Sink::Navitas, Sink::Orka] {
        for mode in [Mode::Methods, Mode::Apis, Mode::Both] {
            let mut options = Options::default();
            options.sink = sink;
            options.mode = mode;
            options.apis = ApiPatterns::new(&["java.lang.System"], &[]);
            let code = probe(&program(7), &options);
            let map = ProbeMap::parse(&code.map).unwrap();
            let mut numbers: Vec<u32> = map.points().map(|(number, _)| number).collect();
            numbers.sort_unstable();
            let count = if mode == Mode::Both { 8 } else { 4 };
            assert!(numbers.iter().copied().eq(1..=count), "{sink:?} {mode:?}: {numbers:?}");
            assert_eq!(map.header.probes, count);
        }
    }
}

#[test]
fn the_name_is_that_of_the_content() {
    let (one, other) = (program(7), program(8));
    let base = Options::default();
    let id = |bytes: &[u8], options: &Options| {
        let code = probe(bytes, options);
        assert_eq!(code.map_id, MapId::from_bytes(&code.map));
        code.map_id
    };
    let expected = id(&one, &base);
    assert_eq!(id(&one, &base), expected, "the same again");
    let mut threads = base.clone();
    threads.threads = 3;
    assert_eq!(id(&one, &threads), expected, "whatever the number of threads");
    let change = |change: &dyn Fn(&mut Options)| {
        let mut options = base.clone();
        change(&mut options);
        id(&one, &options)
    };
    let others = [
        id(&other, &base),
        change(&|it| it.sink = Sink::File),
        change(&|it| it.sink = Sink::Navitas),
        change(&|it| it.package = Some("app".to_owned())),
        change(&|it| it.scope.exclude = vec![wattle_probe::ClassPattern::new("app.Main")]),
    ];
    for (index, other) in others.iter().enumerate() {
        assert_ne!(*other, expected, "change {index}");
        assert!(!others[..index].contains(other), "change {index}");
    }
}

#[test]
fn the_short_name_is_the_beginning_of_the_sha_256() {
    // SHA-256 of nothing, as FIPS 180-4's test vectors have it.
    let id = MapId::from_bytes(b"");
    let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(id.to_string(), text);
    assert_eq!(id.short(), "e3b0c442");
}

const HEADER: &str =
    r#"{"wattle_probe_map":1,"mode":"methods","sink":"trace","code":["00"],"probes":1}"#;
const CLASS: &str = r#"{"class":"a.B","methods":[{"id":1,"name":"run","descriptor":"()V"}]}"#;

#[test]
fn unknown_keys_are_passed_over() {
    let header = HEADER.replace("\"mode\"", "\"later\":{\"x\":[1]},\"mode\"");
    let class = CLASS.replace("\"name\"", "\"later\":null,\"name\"");
    let text = format!("{header}\n{class}\n\n");
    let map = ProbeMap::parse(text.as_bytes()).unwrap();
    let plain = format!("{HEADER}\n{CLASS}");
    assert_eq!(map, ProbeMap::parse(plain.as_bytes()).unwrap());
}

#[track_caller]
fn check_refused(text: &str, parts: &[&str]) {
    let error = ProbeMap::parse(text.as_bytes()).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{part:?} in {error:?}");
    }
}

#[test]
fn damaged_maps_are_refused() {
    check_refused("", &["line 1"]);
    check_refused("{}", &["line 1", "wattle_probe_map"]);
    check_refused("no json", &["line 1"]);
    check_refused(&HEADER.replace(":1,", ":2,"), &["version 2", "expected 1"]);
    check_refused(&format!("{HEADER}\n{CLASS}\n{{\"class\":"), &["line 3"]);
    check_refused(&format!("{HEADER}\n{}", &CLASS[..20]), &["line 2"]);
    check_refused(&format!("{HEADER}\n{}", CLASS.replace(":1,", ":-1,")), &["line 2"]);
    check_refused(
        &format!("{HEADER}\n{}", CLASS.replace("\"class\"", "\"kind\"")),
        &["line 2", "class"],
    );
    assert!(ProbeMap::parse(b"\xff\xfe\n").is_err());
}

/// R8 put the call of `inner` in place of its call in `start`.
#[test]
fn what_a_shrinker_inlined_is_told() {
    let mut options = Options::default();
    options.mode = Mode::Both;
    options.apis = ApiPatterns::new(&["java.lang.System"], &[]);
    let mapping = "com.x.Main -> app.Main:\n    7:7:void com.x.Gone.inner(int):50:50 -> one\n    7:7:void start():12:12 -> one\n";
    options.mapping = Mapping::parse(mapping.as_bytes());
    let code = probe(&program(7), &options);
    let map = ProbeMap::parse(&code.map).unwrap();
    let method = map.classes.iter().flat_map(|class| &class.methods).find(|it| it.name == "start");
    let call = &method.unwrap().calls[0];
    let frame = InlinedFrame { class: "com.x.Gone".into(), name: "inner".into(), line: Some(50) };
    assert_eq!((call.line, call.inlined.as_slice()), (Some(12), [frame].as_slice()));
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z_$][a-zA-Z0-9_$.]{0,20}", "\\PC{0,12}", Just("\"\\\n\u{1f600}".to_owned())]
}

fn line() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), any::<u32>().prop_map(Some)]
}

fn frame() -> impl Strategy<Value = InlinedFrame<'static>> {
    (name(), name(), line()).prop_map(|(class, name, line)| InlinedFrame {
        class: class.into(),
        name: name.into(),
        line,
    })
}

fn call() -> impl Strategy<Value = ProbedCall<'static>> {
    let inlined = prop::collection::vec(frame(), 0..3);
    (any::<u32>(), name(), name(), name(), line(), inlined).prop_map(
        |(id, class, name, descriptor, line, inlined)| ProbedCall {
            id,
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            line,
            inlined,
        },
    )
}

fn invocation() -> impl Strategy<Value = ProbedInvocation> {
    (any::<u32>(), prop::collection::vec(any::<u32>(), 0..3))
        .prop_map(|(id, lines)| ProbedInvocation { id, lines })
}

fn method() -> impl Strategy<Value = ProbedMethod<'static>> {
    let calls = prop::collection::vec(call(), 0..3);
    let invokes = prop::collection::vec(invocation(), 0..3);
    (line(), name(), prop::option::of(name()), name(), line(), calls, invokes).prop_map(
        |(id, name, packaged, descriptor, line, calls, invokes)| ProbedMethod {
            id,
            name: name.into(),
            packaged: packaged.map(Into::into),
            descriptor: descriptor.into(),
            line,
            calls,
            invokes,
        },
    )
}

fn class() -> impl Strategy<Value = ProbedClass<'static>> {
    let methods = prop::collection::vec(method(), 0..4);
    (name(), prop::option::of(name()), prop::option::of(name()), methods).prop_map(
        |(class, packaged, source, methods)| ProbedClass {
            class: class.into(),
            packaged: packaged.map(Into::into),
            source: source.map(Into::into),
            methods,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        classes in prop::collection::vec(class(), 0..4),
        package in prop::option::of(name()),
        code in prop::collection::vec("[0-9a-f]{40}", 0..3),
        probes in any::<u32>(),
    ) {
        let header = MapHeader {
            wattle_probe_map: 1,
            package: package.map(Into::into),
            mode: "both".into(),
            sink: "file".into(),
            code: code.into_iter().map(Into::into).collect(),
            probes,
        };
        let mut text = serde_json::to_string(&header).unwrap();
        for class in &classes {
            text.push('\n');
            text.push_str(&serde_json::to_string(class).unwrap());
        }
        let map = ProbeMap::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(&map.header, &header);
        prop_assert_eq!(&map.classes, &classes);
        // Each number is told once, a method's before those of the calls in it.
        let mut expected = Vec::new();
        for method in classes.iter().flat_map(|class| &class.methods) {
            expected.extend(method.id.map(|id| (id, false)));
            expected.extend(method.calls.iter().map(|call| (call.id, true)));
        }
        let found: Vec<_> = map
            .points()
            .map(|(id, point)| (id, matches!(point, ProbePoint::Call(..))))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn nothing_that_is_read_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..160_usize) {
        let mut text = format!("{HEADER}\n{CLASS}").into_bytes();
        let at = at.min(text.len());
        text.splice(at..at, bytes);
        let _ = ProbeMap::parse(&text);
    }
}
