//! Which calls get probes, in every real package, is what an independent disassembly says: call for call, with their lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::disassembly::code::{ABSTRACT, Disassembly, Method, NATIVE};
use crate::disassembly::hierarchy::{dotted, is_wanted};
use crate::support::{list, number, wattle};
use serde_json::Value;
use wattle_testdata::requires;

/// A call as the probe map tells it: class, name with descriptor, line.
type Called = (String, String, Option<u64>);

/// The calls of methods, in their order.
#[derive(Default)]
struct Calls {
    by_caller: BTreeMap<String, Vec<Called>>,
    /// A method that several files have counts as often.
    methods: u64,
}

impl Through {
    fn add(&mut self, code: &Disassembly, framework: &Disassembly) {
        for method in &code.methods {
            for call in method.calls.iter().filter(|it| code.classes.contains_key(&it.class)) {
                let Some(class) = code.landing(method, call) else { continue };
                self.all += 1;
                let name = call.name.clone() + &call.descriptor;
                if !framework.classes.contains_key(&class) {
                    continue;
                }
                if framework.has(&class, &name) {
                    self.known += 1;
                } else {
                    *self.unknown.entry(format!("{class}->{name}")).or_default() += 1;
                }
            }
        }
    }
}

impl Calls {
    fn add(&mut self, caller: String, calls: impl IntoIterator<Item = Called>) {
        self.by_caller.entry(caller).or_default().extend(calls);
        self.methods += 1;
    }

    fn count(&self) -> u64 {
        self.by_caller.values().map(|calls| calls.len() as u64).sum()
    }
}

/// The calls into the wanted part of the framework, by the disassembly alone.
fn expected(code: &Disassembly) -> Calls {
    let mut all = Calls::default();
    for method in &code.methods {
        let calls: Vec<Called> = method
            .calls
            .iter()
            .filter_map(|call| {
                let class = dotted(&code.landing(method, call)?);
                let name = call.name.clone() + &call.descriptor;
                is_wanted(&class).then(|| (class, name, call.line.map(u64::from)))
            })
            .collect();
        if !calls.is_empty() {
            all.add(method.full_name(), calls);
        }
    }
    all
}

/// The calls with probes, by the probe map's documented keys.
fn found(map: &str) -> Calls {
    let mut all = Calls::default();
    for line in map.lines().skip(1) {
        let class: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value, key: &str| value[key].as_str().expect(key).to_owned();
        let name = format!("L{};", text(&class, "class").replace('.', "/"));
        for method in list(&class, "/methods") {
            let caller = format!("{name}->{}{}", text(method, "name"), text(method, "descriptor"));
            let calls = list(method, "/calls").iter().map(|call| {
                let method = text(call, "name") + &text(call, "descriptor");
                (text(call, "class"), method, call["line"].as_u64())
            });
            all.add(caller, calls);
        }
    }
    all
}

/// Runs the command and returns its summary and its probe map; `None` if it refuses the packages.
fn instrument(paths: &[PathBuf]) -> Option<(Value, String)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out/");
    std::fs::create_dir(&out).unwrap();
    let out = out.to_str().unwrap().to_owned();
    let mut arguments = vec!["instrument"];
    arguments.extend(paths.iter().map(|path| path.to_str().unwrap()));
    arguments.extend(["--mode", "apis", "--all", "--sink", "file", "--unsigned"]);
    arguments.extend(["--output", &out, "--json", "-"]);
    let run = wattle(arguments);
    if run.code == Some(3) {
        return None;
    }
    let summary = run.json();
    let map = std::fs::read_to_string(summary["map"]["file"].as_str().unwrap()).unwrap();
    Some((summary, map))
}

/// Whether the reason for which a call got no probes holds, as far as the disassembly shows it.
fn is_explained(reason: &str, method: &Method) -> bool {
    match reason {
        "monitor" | "monitor-leak" => method.has_monitors,
        // Sixteen registers are within reach of all instructions; with fewer there is always one more.
        "registers" | "frame-full" => method.registers > 16,
        "too-many" => method.calls.len() > 16_000,
        _ => false,
    }
}

#[derive(Default)]
struct Totals {
    packages: u64,
    methods: u64,
    calls: u64,
    lines: u64,
    left_out: u64,
    through: Through,
}

/// Calls through classes of the app, `this.startActivity(…)` in an activity.
#[derive(Default)]
struct Through {
    all: u64,
    /// Of those into what the framework of Android 6 has by that name, the ones that it has.
    known: u64,
    /// The others: what is newer, and what is hidden.
    unknown: BTreeMap<String, u64>,
}

/// The packages of one app.
fn check(name: &str, paths: &[PathBuf], framework: &Disassembly, totals: &mut Totals) {
    let mut code = Disassembly::default();
    let is_code = paths.iter().all(|path| code.add(path));
    let Some((summary, map)) = instrument(paths) else {
        assert!(!is_code, "{name}: refused, and the disassembler reads it");
        return said(&format!("{name}: refused, as the disassembler does"));
    };
    assert!(is_code, "{name}: the disassembler refuses it");
    let (expected, found) = (expected(&code), found(&map));
    assert_eq!(number(&summary, "/api_call_sites"), found.count() as f64, "{name}: summary");

    // What the summary leaves out it leaves out with a name or a number, and none of it may be missing here.
    let methods: BTreeMap<String, &Method> =
        code.methods.iter().map(|method| (method.full_name(), method)).collect();
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    for left_out in list(&summary, "/left_out") {
        let (method, reason) = (&left_out["method"], &left_out["reason"]);
        let method = method.as_str().unwrap().to_owned();
        refused.insert(method, reason.as_str().unwrap().to_owned());
    }
    let reasons: Vec<&str> =
        summary["calls_left_out"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut left_out_calls = 0;
    for (caller, expected) in &expected.by_caller {
        let found = found.by_caller.get(caller).map_or(&[][..], Vec::as_slice);
        if found == expected {
            continue;
        }
        let method = methods[caller];
        if let Some(reason) = refused.get(caller) {
            assert!(found.is_empty() && is_explained(reason, method), "{name}: {caller} {reason}");
            totals.left_out += expected.len() as u64;
            continue;
        }
        let kept = missing(found, expected);
        let Some(missing) = kept.filter(|_| reasons.iter().any(|it| is_explained(it, method)))
        else {
            panic!("{name}: {caller}\n  expected {expected:#?}\n  found {found:#?}");
        };
        left_out_calls += missing;
    }
    let said_to_be: f64 =
        reasons.iter().map(|it| number(&summary["calls_left_out"], &format!("/{it}"))).sum();
    assert_eq!(left_out_calls as f64, said_to_be, "{name}: calls left out");
    let is_known = |caller: &String| expected.by_caller.contains_key(caller);
    let invented: BTreeSet<_> = found.by_caller.keys().filter(|it| !is_known(it)).collect();
    assert!(invented.is_empty(), "{name}: {invented:?}");

    // Methods: with code, without, and without such a call.
    let with_code = code.methods.iter().filter(|it| it.has_code).count();
    assert_eq!(number(&summary, "/methods_with_code"), with_code as f64, "{name}");
    let skipped = |reason: &str| summary["skipped"][reason].as_u64().unwrap_or(0);
    let of =
        |flag: u32| code.methods.iter().filter(move |it| !it.has_code && it.access & flag != 0);
    assert_eq!(skipped("native"), of(NATIVE).count() as u64, "{name}: native");
    assert_eq!(skipped("abstract"), of(ABSTRACT).count() as u64, "{name}: abstract");
    let without = with_code as u64 - expected.methods;
    assert_eq!(skipped("no-calls"), without, "{name}: without calls");
    assert_eq!(number(&summary, "/methods_probed"), found.methods as f64, "{name}: methods");

    totals.packages += 1;
    totals.methods += found.methods;
    totals.calls += found.count();
    totals.lines += found.by_caller.values().flatten().filter(|it| it.2.is_some()).count() as u64;
    totals.left_out += left_out_calls;
    totals.through.add(&code, framework);
}

/// Counts the missing calls, provided that the others are there in their order.
fn missing(found: &[Called], expected: &[Called]) -> Option<u64> {
    let mut rest = expected.iter();
    let all = found.iter().all(|call| rest.any(|it| it == call));
    all.then(|| (expected.len() - found.len()) as u64)
}

fn said(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// Each package of a folder, below it too.
fn packages(folder: &Path, all: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries {
        if path.is_dir() {
            packages(&path, all);
        } else if path.extension().is_some_and(|it| it == "apk") {
            all.push(path);
        }
    }
}

/// The runtime's own classes and the framework's of Android 6.
fn framework() -> Disassembly {
    let root = wattle_testdata::variable("WATTLE_ART");
    let mut framework = Disassembly::default();
    for jar in ["core.jar", "stub.jar"] {
        assert!(framework.add(&root.join(jar)), "the disassembler refuses {jar}");
    }
    framework
}

#[requires(data, env = "WATTLE_ART", program = "dexdump")]
#[test]
fn of_every_package_as_disassembled() {
    let folder = wattle_testdata::path("apk");
    let mut all = Vec::new();
    packages(&folder, &mut all);
    assert_eq!(all.len(), 24, "packages below {}", folder.display());
    all.sort();
    // Packages of one app stand together; a split alone is no app.
    let (splits, alone): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|path| path.parent().is_some_and(|it| it.ends_with("splits")));
    let mut apps: Vec<Vec<PathBuf>> = alone.into_iter().map(|path| vec![path]).collect();
    apps.extend((!splits.is_empty()).then_some(splits));
    let (framework, mut totals) = (framework(), Totals::default());
    for paths in &apps {
        let name = paths[0].file_name().unwrap().to_string_lossy().into_owned();
        check(&name, paths, &framework, &mut totals);
    }
    let Totals { packages, methods, calls, lines, left_out, through } = totals;
    let unknown: u64 = through.unknown.values().sum();
    said(&format!(
        "{packages} packages: {calls} calls in {methods} methods, {lines} with a line; {left_out} left out; \
         {} through classes of the app, of which Android 6 has {} and not {unknown}",
        through.all, through.known
    ));
    assert!(calls > 1_000 && through.all > 100 && lines > 1_000, "{calls} {} {lines}", through.all);
    // Were calls said to land where they do not, the framework would not know them.
    assert!(unknown * 200 <= through.known, "{:#?}", through.unknown);
}
