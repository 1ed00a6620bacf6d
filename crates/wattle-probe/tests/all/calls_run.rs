//! A program with probes around its calls, run on the real Android runtime: the same output, the same lines of
//! stack traces, the right events in the right order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{MovedMethods, Style, arguments, executables, leaks, receiver};
use wattle_dex::{AccessFlags, Body, Class, Code, CodeBuilder, Dex, DexFile, Method, Verifier};
use wattle_probe::{
    ApiPatterns, CallProbes, CallRefusal, CallSite, FrameworkCall, FrameworkCalls, Probe,
    ProbeArgument, ProbeEvent, ProbeOperand, Runtime, Sink, probe_calls,
};
use wattle_testdata::requires;

/// The runtime's folder.
fn runtime() -> PathBuf {
    wattle_testdata::variable("WATTLE_ART")
}

#[track_caller]
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The program as an executable; its largest method gets more than 256 variables.
fn program(runtime: &Path, folder: &Path) -> Vec<u8> {
    let variables = || 0..300;
    let declarations: Vec<_> = variables().map(|it| format!("int v{it} = seed + {it};")).collect();
    let sum: Vec<_> = variables().map(|it| format!("v{it} + ")).collect();
    let main = include_str!("calls_program/Main.java")
        .replace("//DECLARATIONS", &declarations.concat())
        .replace("/*SUM*/", &sum.concat());
    std::fs::write(folder.join("Main.java"), main).unwrap();
    let probe = include_str!("calls_program/wattle/probe/Probe.java");
    std::fs::write(folder.join("Probe.java"), probe).unwrap();
    let classes = folder.join("classes");
    std::fs::create_dir(&classes).unwrap();
    let (_, problems) = run(Command::new("javac")
        .args(["-nowarn", "-g", "-source", "8", "-target", "8", "-d"])
        .arg(&classes)
        .args([folder.join("Main.java"), folder.join("Probe.java")]));
    assert!(!problems.contains("error:"), "{problems}");
    let dex = folder.join("original.dex");
    let (_, problems) = run(Command::new("java")
        .arg("-cp")
        .arg(runtime.join("x/usr/share/java/com.android.dx.jar"))
        .args(["com.android.dx.command.Main", "--dex", "--min-sdk-version=26"])
        .arg(format!("--output={}", dex.display()))
        .arg(&classes));
    std::fs::read(&dex).unwrap_or_else(|_| panic!("{problems}"))
}

/// The calls that get probes.
fn patterns() -> ApiPatterns {
    let classes = [
        "java.lang.Integer",
        "java.lang.Long",
        "java.lang.Double",
        "java.util.ArrayList",
        "java.util.Collections",
    ];
    ApiPatterns::new(&classes, &[])
}

/// The program with probes, and what was left out.
fn rewrite(bytes: &[u8], patterns: &ApiPatterns, style: Style) -> (Vec<u8>, Vec<CallRefusal>) {
    rewrite_by(bytes, patterns, style, false)
}

/// The same; `moved`: every call is asked for a number that could be one of bytes.
fn rewrite_by(
    bytes: &[u8],
    patterns: &ApiPatterns,
    style: Style,
    moved: bool,
) -> (Vec<u8>, Vec<CallRefusal>) {
    let files = [Dex::parse(bytes).unwrap()];
    let calls = FrameworkCalls::new(&files, patterns).unwrap();
    let [dex] = &files;
    let mut file = DexFile::edit(dex);
    let common = style.probes(file.pool_mut());
    let mut names: BTreeMap<FrameworkCall, CallProbes> = BTreeMap::new();
    for (_, class) in dex.class_defs() {
        let class = class.unwrap();
        for member in dex.class_data(&class).unwrap().into_iter().flatten() {
            let Some(method) = member.unwrap().method().filter(|it| it.code_off != 0) else {
                continue;
            };
            let code = dex.code(method.code_off).unwrap();
            for call in calls.in_item(0, class.class, &code) {
                let text = file.pool_mut().string(&calls.name(call));
                let named = |probe: Option<Probe>| {
                    probe.map(|probe| match probe.operand {
                        ProbeOperand::Text(_) => {
                            Probe { operand: ProbeOperand::Text(text), ..probe }
                        }
                        _ => probe,
                    })
                };
                let methods = moved.then(|| MovedMethods::known_to(file.pool_mut()));
                let moved = methods.and_then(|methods| methods.by(&calls.signature(call)));
                let (call_probe, back) = (named(common.call), named(common.back));
                let probes = CallProbes { call: call_probe, back, moved, ..common };
                names.insert(call, probes);
            }
        }
    }
    let left_out = std::sync::Mutex::new(Vec::new());
    let verifier = Verifier::new(dex);
    let written = file
        .write_with(&|site| {
            let caller = dex.class_def(site.class)?.class;
            if dex.descriptor(caller)?.bytes() == Runtime::DESCRIPTOR.as_bytes()
                || leaks(&verifier, site)?
            {
                return Ok(None);
            }
            let mut code = Code::decode_with_lines(dex, &site.code)?;
            let sites: Vec<_> = calls
                .in_code(0, caller, &code)
                .map(|(node, call)| CallSite { node, probes: names[&call] })
                .collect();
            let inserted = probe_calls(&mut code, &sites, receiver(site))?;
            left_out.lock().unwrap().extend(inserted.left_out.iter().map(|(_, reason)| *reason));
            if inserted.needs_registers > 0 {
                code.grow_frame(inserted.needs_registers, &arguments(dex, site)?)?;
            }
            Ok(Some(code))
        })
        .unwrap();
    let again = Dex::parse(&written).unwrap();
    assert_eq!(Verifier::new(&again).all(1).defects, []);
    (written, left_out.into_inner().unwrap())
}

/// The output of one run of the program.
#[derive(Debug, PartialEq)]
struct Shown {
    output: String,
    /// Without the events.
    errors: String,
    /// Per scenario.
    events: Vec<(String, String)>,
}

fn show(runtime: &Path, folder: &Path, name: &str, bytes: &[u8]) -> Shown {
    let dex = folder.join(name);
    std::fs::write(&dex, bytes).unwrap();
    let (output, errors) = run(Command::new(runtime.join("art")).arg("-cp").arg(&dex).arg("Main"));
    let mut events: Vec<(String, String)> = Vec::new();
    for line in errors.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            events.push((name.into(), String::new()));
        } else if let (Some(event), Some((_, list))) = (line.strip_prefix('@'), events.last_mut()) {
            list.push_str(if list.is_empty() { "" } else { " " });
            list.push_str(event);
        }
    }
    let errors =
        errors.lines().filter(|line| !line.starts_with('@')).collect::<Vec<_>>().join("\n");
    Shown { output, errors, events }
}

/// Per scenario the events as the source asks for them: `+` call, `-` back, `!` fail.
const EVENTS: &[(&str, &str)] = &[
    ("loop", "+parseInt - +parseInt - +parseInt -"),
    ("branch", "+parseInt - +bitCount - +reverse -"),
    ("caught", "+parseInt - +parseInt !"),
    ("uncaught", "+parseInt !"),
    ("last", "+parseInt - +parseInt !"),
    ("kept", "+parseInt - +toHexString - +parseInt !"),
    (
        "nested",
        "+parseInt - +parseInt - +bitCount - +parseInt - +parseInt ! +bitCount - +parseInt !",
    ),
    ("locked", "+parseInt - +parseInt - +bitCount -"),
    ("locked and thrown", "+parseInt !"),
    ("locked and caught", "+parseInt ! +bitCount - +parseInt - +bitCount -"),
    ("wide", "+parseLong - +parseDouble - +rotateLeft - +doubleToLongBits -"),
    ("crowded", "+parseLong -"),
    ("huge", "+parseInt - +parseInt !"),
    // `super(size)`, `super.add`, and a call by way of the subclass.
    ("made", "+<init> - +add - +ensureCapacity -"),
    ("not made", "+<init> !"),
    ("sorted", "+<init> - +valueOf - +valueOf - +sort +intValue - +intValue - +compare - -"),
    ("thrown", "+valueOf - +nCopies - +<init> - +sort +parseInt ! !"),
    ("several", "+parseInt - +parseInt !"),
    ("switch", "+parseInt - +parseInt - +parseInt - +bitCount - +bitCount -"),
    ("depth", "+bitCount - +bitCount - +parseInt -"),
    ("end", "+parseInt !"),
];

/// The events that a style prints.
fn expected(style: Style) -> Vec<(String, String)> {
    let mut open = Vec::new();
    let events = |list: &'static str, open: &mut Vec<&'static str>| {
        let mut shown = Vec::new();
        for event in list.split(' ') {
            let argument = |argument: ProbeArgument, name: &str| match argument {
                ProbeArgument::None => String::new(),
                ProbeArgument::Id => "70000".into(),
                ProbeArgument::Text => name.to_owned(),
            };
            if let Some(name) = event.strip_prefix('+') {
                open.push(name);
                shown.extend(style.call.map(|it| format!("+{}", argument(it, name))));
                continue;
            }
            let name = open.pop().unwrap();
            if event == "!" {
                shown.extend(style.fail.then(|| "!".to_owned()));
            } else {
                shown.extend(style.back.map(|it| format!("-{}", argument(it, name))));
            }
        }
        shown.join(" ")
    };
    EVENTS.iter().map(|&(name, list)| (name.to_owned(), events(list, &mut open))).collect()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn the_program_behaves_as_before() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let bytes = program(&runtime, folder.path());
    let before = show(&runtime, folder.path(), "before.dex", &bytes);
    assert!(before.output.contains("depth locks falsefalse"), "{before:?}");
    assert!(before.errors.contains("uncaught"), "{before:?}");
    let (text, id) = (Some(ProbeArgument::Text), Some(ProbeArgument::Id));
    let styles = [
        Style::from_sink(Sink::Trace),
        Style::from_sink(Sink::Orka),
        Style { call: id, back: text, fail: true },
        Style { call: text, back: None, fail: false },
        Style { call: None, back: None, fail: true },
    ];
    for style in styles {
        let (written, left_out) = rewrite(&bytes, &patterns(), style);
        assert_eq!(left_out, [], "{style:?}");
        let after = show(&runtime, folder.path(), "after.dex", &written);
        assert_eq!(after.output, before.output, "{style:?}");
        assert_eq!(after.errors, before.errors, "{style:?}");
        for (found, expected) in after.events.iter().zip(expected(style)) {
            assert_eq!(*found, expected, "{style:?}");
        }
        assert_eq!(after.events.len(), EVENTS.len());
    }
}

/// A sink's own words for an event are all that its probes need: no sink hands anything over for `fail`.
#[test]
fn no_sink_has_an_operand_for_fail() {
    for sink in [Sink::Trace, Sink::Logcat, Sink::File, Sink::Navitas, Sink::Orka] {
        let argument = sink.argument(ProbeEvent::Fail);
        assert!(matches!(argument, None | Some(ProbeArgument::None)), "{sink:?}");
    }
}

/// The messages of the runtime's verifier about each class that it does not find clean.
fn verify(runtime: &Path, folder: &Path, bytes: &[u8]) -> (Vec<String>, String) {
    let dex = Dex::parse(bytes).unwrap();
    let names: Vec<String> = dex
        .class_defs()
        .map(|(_, class)| {
            let name = dex.descriptor_str(class.unwrap().class).unwrap();
            name[1..name.len() - 1].replace('/', ".")
        })
        .collect();
    let (file, list) = (folder.join("verified.dex"), folder.join("classes.txt"));
    std::fs::write(&file, bytes).unwrap();
    std::fs::write(&list, names.join("\n") + "\n").unwrap();
    let (output, _) =
        run(Command::new(runtime.join("art")).arg("-cp").arg(&file).arg("--verify").arg(&list));
    let summary = output.lines().last().unwrap_or_default().to_owned();
    let mut unclean: Vec<String> = output
        .lines()
        .filter(|line| ["HARD", "SOFT", "ACCESS", "LOADFAIL"].iter().any(|it| line.starts_with(it)))
        .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
        .collect();
    unclean.sort();
    (unclean, summary)
}

#[requires(data, env = "WATTLE_ART")]
#[test]
fn the_runtime_verifies_a_real_app() {
    let runtime = runtime();
    let path = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let bytes = executables(&path).remove(0);
    let folder = tempfile::tempdir().unwrap();
    let (before, summary) = verify(&runtime, folder.path(), &bytes);
    assert!(summary.starts_with("verified="), "{summary}");
    let text = Some(ProbeArgument::Text);
    let all = ApiPatterns::new(&["**"], &[]);
    let everything = Style { call: text, back: text, fail: true };
    for (style, moved) in [
        (Style::from_sink(Sink::Trace), false),
        (everything, false),
        (Style::from_sink(Sink::Trace), true),
    ] {
        let (written, left_out) = rewrite_by(&bytes, &all, style, moved);
        assert_eq!(left_out, []);
        let (after, summary) = verify(&runtime, folder.path(), &with_probe(&written));
        let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
        assert!(new.is_empty(), "{summary}: {new:?}");
        println!("{style:?}, {moved}: {summary}");
    }
}

/// A file with the class that the probes call; its methods do nothing.
fn with_probe(bytes: &[u8]) -> Vec<u8> {
    let dex = Dex::parse(bytes).unwrap();
    let mut file = DexFile::edit(&dex);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty(Runtime::DESCRIPTOR), Some(object), AccessFlags::PUBLIC);
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    for (name, signature) in [
        ("call", "(Ljava/lang/String;)V"),
        ("back", "()V"),
        ("back", "(Ljava/lang/String;)V"),
        ("fail", "()V"),
        ("moved", "(I)V"),
        ("moved", "(J)V"),
        ("moved", "([B)V"),
    ] {
        let words = match signature {
            "()V" => 0,
            "(J)V" => 2,
            _ => 1,
        };
        let mut code = CodeBuilder::new(words, words);
        code.return_void();
        let id = pool.method(Runtime::DESCRIPTOR, name, signature).unwrap();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        class.direct_methods.push(Method { id, access, body });
    }
    file.add_class(class);
    file.write().unwrap()
}
