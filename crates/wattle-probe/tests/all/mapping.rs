//! A shrunk app with its `mapping.txt`: names, sources and lines are those that its authors wrote.

use std::borrow::Cow;

use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, Dex, DexFile, Method, Opcode, Section};
use wattle_probe::{
    ApiPatterns, ClassPattern, CodeFile, Instrumented, Mapping, Mode, Options, ProbeMap, Sink,
    instrument,
};

/// In the form of R8's `mapping.txt`: what was inlined comes first of a range of lines, comments hold JSON.
const MAPPING: &str = r#"# compiler: R8
# compiler_version: 8.2.42
# min_api: 24
# common_typos_disable
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
# pg_map_id: 5f1c2d3
com.example.shop.Basket -> a.a:
# {"id":"sourceFile","fileName":"Basket.kt"}
    java.util.List items -> a
    1:4:void <init>():10:10 -> <init>
    1:3:void add(com.example.shop.Item,int):20:22 -> a
    4:4:int com.example.shop.Prices.round(double):77:77 -> a
    4:4:void add(com.example.shop.Item,int):23:23 -> a
    5:9:int total(com.example.shop.Item[]):40:44 -> a
    10:10:boolean com.example.shop.Rules.isFree(long):5:5 -> b
    10:10:void checkOut(long):60 -> b
    11:11:void checkOut(long):62:62 -> b
    12:12:void log(java.lang.String):90:90 -> c
    # {"id":"com.android.tools.r8.residualsignature","signature":"(Ljava/lang/Object;)V"}
    13:13:java.lang.String describe():99:99 -> toString
com.example.shop.Basket$$ExternalSyntheticLambda0 -> a.b:
# {"id":"sourceFile","fileName":"R8$$SyntheticClass"}
# {"id":"com.android.tools.r8.synthesized"}
    void com.example.shop.Basket.lambda$add$0() -> run
    1:1:void run():0:0 -> run
      # {"id":"com.android.tools.r8.synthesized"}
com.example.shop.Item -> a.c:
# {"id":"sourceFile","fileName":"Item.java"}
    1:1:long price():7:7 -> a
org.library.Tool -> b.a:
# {"id":"sourceFile","fileName":"Tool.java"}
    1:1:void work():3:3 -> a
"#;

/// A method as it is in the package, and what the map must say of it.
struct Expected {
    class: &'static str,
    method: &'static str,
    signature: &'static str,
    /// The first line in the package.
    line: u32,
    original: (&'static str, &'static str, &'static str, Option<u32>),
}

const EXPECTED: &[Expected] = &[
    Expected {
        class: "a/a",
        method: "a",
        signature: "(La/c;I)V",
        line: 1,
        original: ("com.example.shop.Basket", "add", "Basket.kt", Some(20)),
    },
    // The same name with another signature is another method.
    Expected {
        class: "a/a",
        method: "a",
        signature: "([La/c;)I",
        line: 6,
        original: ("com.example.shop.Basket", "total", "Basket.kt", Some(41)),
    },
    // Its first line is what was inlined; the method itself comes last of the range.
    Expected {
        class: "a/a",
        method: "b",
        signature: "(J)V",
        line: 10,
        original: ("com.example.shop.Basket", "checkOut", "Basket.kt", Some(60)),
    },
    // Its signature was changed: its lines tell.
    Expected {
        class: "a/a",
        method: "c",
        signature: "(Ljava/lang/Object;)V",
        line: 12,
        original: ("com.example.shop.Basket", "log", "Basket.kt", Some(90)),
    },
    Expected {
        class: "a/a",
        method: "toString",
        signature: "()Ljava/lang/String;",
        line: 13,
        original: ("com.example.shop.Basket", "describe", "Basket.kt", Some(99)),
    },
    Expected {
        class: "a/c",
        method: "a",
        signature: "()J",
        line: 1,
        original: ("com.example.shop.Item", "price", "Item.java", Some(7)),
    },
    // A class that the mapping does not know keeps its names and its lines.
    Expected {
        class: "c/Kept",
        method: "go",
        signature: "()V",
        line: 31,
        original: ("c.Kept", "go", "SourceFile", Some(31)),
    },
];

fn program() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let gc = file.pool_mut().method("Ljava/lang/System;", "gc", "()V").unwrap();
    let library = Expected {
        class: "b/a",
        method: "a",
        signature: "()V",
        line: 1,
        original: ("org.library.Tool", "work", "Tool.java", Some(3)),
    };
    let all: Vec<&Expected> = EXPECTED.iter().chain([&library]).collect();
    for methods in all.chunk_by(|one, other| one.class == other.class) {
        let pool = file.pool_mut();
        let descriptor = format!("L{};", methods[0].class);
        let object = pool.ty("Ljava/lang/Object;");
        let mut class = Class::new(pool.ty(&descriptor), Some(object), AccessFlags::PUBLIC);
        class.source_file = Some(pool.string("SourceFile"));
        for it in methods {
            let id = pool.method(&descriptor, it.method, it.signature).unwrap();
            let proto = pool.proto(it.signature).unwrap();
            let words = pool.argument_words(proto).unwrap() as u16;
            let mut code = CodeBuilder::new(words + 2, words);
            code.line(it.line).invoke(Opcode::INVOKE_STATIC, gc, &[]);
            match it.signature.rsplit(')').next().unwrap() {
                "V" => code.return_void(),
                "J" => code.const_wide(0, 0).plain(Opcode::RETURN_WIDE, &[0]),
                "I" => code.const_int(0, 0).plain(Opcode::RETURN, &[0]),
                _ => code.const_int(0, 0).plain(Opcode::RETURN_OBJECT, &[0]),
            };
            let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
            let body = Body::Code(Box::new(code.finish().unwrap()));
            class.direct_methods.push(Method { id, access, body });
        }
        file.add_class(class);
    }
    file.write().unwrap()
}

fn probe(sink: Sink, change: impl FnOnce(&mut Options)) -> Instrumented {
    let mut options = Options::default();
    options.sink = sink;
    options.mapping = Mapping::parse(MAPPING.as_bytes());
    assert!(options.mapping.is_some());
    change(&mut options);
    let file = CodeFile { name: "classes.dex".to_owned(), bytes: Cow::Owned(program()) };
    instrument(&[file], &options).unwrap()
}

#[test]
fn the_map_has_what_was_written() {
    let code = probe(Sink::Trace, |options| options.scope.all = true);
    let map = ProbeMap::parse(&code.map).unwrap();
    for it in EXPECTED {
        let packaged = it.class.replace('/', ".");
        let class = map
            .classes
            .iter()
            .find(|class| class.packaged.as_deref().unwrap_or(&class.class) == packaged)
            .unwrap();
        let method = class
            .methods
            .iter()
            .find(|method| {
                method.packaged.as_deref().unwrap_or(&method.name) == it.method
                    && method.descriptor == it.signature
            })
            .unwrap();
        let found = (
            class.class.as_ref(),
            method.name.as_ref(),
            class.source.as_deref().unwrap_or_default(),
            method.line,
        );
        assert_eq!(found, it.original);
        assert_eq!(class.packaged.is_some(), class.class != packaged, "only where it differs");
        assert_eq!(method.packaged.is_some(), method.name != it.method, "only where it differs");
    }
}

/// All strings of the file with probes.
fn strings(code: &Instrumented) -> Vec<String> {
    let dex = Dex::parse(&code.files[0].bytes).unwrap();
    let ids = (0..dex.count(Section::STRING_IDS)).map(wattle_dex::StringId);
    ids.map(|id| dex.string(id).unwrap().to_str().into_owned()).collect()
}

#[test]
fn labels_have_what_was_written() {
    for (sink, before, after) in
        [(Sink::Trace, "", " #"), (Sink::Navitas, "Entry ", ""), (Sink::Navitas, "Exit ", "")]
    {
        let code = probe(sink, |options| options.scope.all = true);
        let strings = strings(&code);
        for it in EXPECTED {
            let label = format!("{before}{}.{}{after}", it.original.0, it.original.1);
            let found = strings.iter().any(|text| text.starts_with(&label));
            assert!(found, "{label} in {strings:?}");
        }
    }
}

#[test]
fn lines_of_calls_are_those_of_the_source() {
    let code = probe(Sink::Orka, |options| {
        options.scope.all = true;
        options.mode = Mode::Apis;
        options.apis = ApiPatterns::new(&["java.lang.System"], &[]);
    });
    let strings = strings(&code);
    for it in EXPECTED {
        let label = format!("    API call l{} java/lang/System/gc", it.original.3.unwrap());
        assert!(strings.contains(&label), "{label:?} in {strings:?}");
    }
}

#[test]
fn patterns_are_about_what_was_written() {
    let probed = |pattern: &str| {
        let code = probe(Sink::Trace, |options| {
            options.scope.include = vec![ClassPattern::new(pattern)];
        });
        let map = ProbeMap::parse(&code.map).unwrap();
        let mut classes: Vec<_> = map.classes.iter().map(|it| it.class.to_string()).collect();
        classes.sort();
        classes
    };
    assert_eq!(probed("com.example.**"), ["com.example.shop.Basket", "com.example.shop.Item"]);
    assert_eq!(probed("com.example.shop.Item"), ["com.example.shop.Item"]);
    assert_eq!(probed("org.library.*"), ["org.library.Tool"]);
    assert_eq!(probed("a.**"), [""; 0], "names in the package match nothing");
    assert_eq!(probed("c.Kept"), ["c.Kept"]);
}

#[test]
fn line_ends_do_not_matter() {
    let text = MAPPING.replace('\n', "\r\n");
    let code = probe(Sink::Trace, |options| {
        options.scope.all = true;
        options.mapping = Mapping::parse(text.as_bytes());
    });
    let expected = probe(Sink::Trace, |options| options.scope.all = true);
    assert_eq!(code.map, expected.map);
}
