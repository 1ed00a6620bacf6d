//! Every call of the framework in every method of every real file gets probes, and the verifier finds nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::support::{
    MovedMethods, Style, arguments, executables, leaking_methods, leaks, real_apps, receiver,
};
use wattle_dex::{
    AccessFlags, ArgumentKind, Code, CodeBuilder, Dex, DexError, DexFile, MethodId, Node, Opcode,
    Section, TryBlock, Verifier,
};
use wattle_probe::{
    ApiPatterns, CallProbes, CallRefusal, CallSite, FrameworkCalls, ProbeArgument, Runtime, Sink,
    probe_calls,
};
use wattle_testdata::requires;

/// The outcome for the calls of all apps.
#[derive(Debug, Default)]
struct Totals {
    sites: u64,
    probed: u64,
    grown: u64,
    leaking: u64,
    left_out: BTreeMap<CallRefusal, u64>,
    methods: u64,
    files: u64,
    full: u64,
    defects: Vec<String>,
}

/// All files with probes of a style around every call that leaves the app.
#[track_caller]
fn check(style: Style) -> Totals {
    let mut totals = Totals::default();
    for (name, files) in real_apps() {
        let files: Vec<Dex<'_>> = files.iter().filter_map(|it| Dex::parse(it).ok()).collect();
        let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
        for (index, dex) in files.iter().enumerate() {
            totals.add_file(&format!("{name} {index}"), &calls, index, dex, style);
        }
    }
    let shown: Vec<_> = totals.defects.iter().take(20).map(String::as_str).collect();
    assert!(shown.is_empty(), "{} defects:\n{}", totals.defects.len(), shown.join("\n"));
    assert_eq!(
        totals.sites,
        totals.probed + totals.leaking + totals.left_out.values().sum::<u64>(),
        "{totals:?}"
    );
    totals
}

impl Totals {
    /// Writes a file with probes of a style and adds up what became of its calls.
    fn add_file(
        &mut self,
        name: &str,
        calls: &FrameworkCalls<'_>,
        index: usize,
        dex: &Dex<'_>,
        style: Style,
    ) {
        let mut file = DexFile::edit(dex);
        let probes = style.probes(file.pool_mut());
        let around = (style == AROUND)
            .then(|| file.pool_mut().method(Runtime::DESCRIPTOR, "exit", "()V").unwrap());
        let moved = (style == MOVED).then(|| MovedMethods::known_to(file.pool_mut()));
        let verifier = Verifier::new(dex);
        let count = || AtomicU64::new(0);
        let (sites, probed, grown, leaking) = (count(), count(), count(), count());
        let left_out = Mutex::new(BTreeMap::new());
        let written = file.write_with(&|site| {
            let caller = dex.class_def(site.class)?.class;
            let in_item = calls.in_item(index, caller, &site.code).count() as u64;
            sites.fetch_add(in_item, Relaxed);
            if in_item == 0 {
                return Ok(None);
            }
            if leaks(&verifier, site)? {
                leaking.fetch_add(in_item, Relaxed);
                return Ok(None);
            }
            let mut code = Code::decode_with_lines(dex, &site.code)?;
            let chosen: Vec<_> = calls
                .in_code(index, caller, &code)
                .map(|(node, call)| {
                    let moved = moved.and_then(|methods| methods.by(&calls.signature(call)));
                    CallSite { node, probes: CallProbes { moved, ..probes } }
                })
                .collect();
            let inserted = probe_calls(&mut code, &chosen, receiver(site))?;
            probed.fetch_add(inserted.probed as u64, Relaxed);
            for (_, reason) in inserted.left_out {
                *left_out.lock().unwrap().entry(reason).or_insert(0) += 1;
            }
            let kinds = arguments(dex, site)?;
            if inserted.needs_registers > 0 {
                grown.fetch_add(1, Relaxed);
            }
            if inserted.needs_registers > 0 && around.is_none() {
                code.grow_frame(inserted.needs_registers, &kinds)?;
            }
            if around.is_some_and(|probe| !wrap(&mut code, &kinds, probe).is_ok_and(|fits| fits)) {
                return Ok(None);
            }
            Ok(Some(code))
        });
        let written = match written {
            Ok(written) => written,
            // The only thing that may be in the way.
            Err(DexError::TooMany { pool: Section::METHOD_IDS, .. }) => {
                self.full += 1;
                return;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        let again = Dex::parse(&written).unwrap();
        let verification = Verifier::new(&again).all(2);
        assert_eq!(leaking_methods(&again), leaking_methods(dex), "{name}: monitors");
        self.sites += sites.into_inner();
        self.probed += probed.into_inner();
        self.grown += grown.into_inner();
        self.leaking += leaking.into_inner();
        for (reason, count) in left_out.into_inner().unwrap() {
            *self.left_out.entry(reason).or_default() += count;
        }
        self.methods += verification.methods;
        self.files += 1;
        self.defects.extend(verification.defects.iter().map(|defect| format!("{name}: {defect}")));
    }
}

/// Probes of calls, and probes of methods around them.
const AROUND: Style =
    Style { call: Some(ProbeArgument::Id), back: Some(ProbeArgument::None), fail: true };

/// A call of `probe` at the start and at every end of a body, exceptions included. The register that the probes
/// of calls may use is the first that the frame gains. False where the new registers are out of reach.
fn wrap(code: &mut Code, kinds: &[ArgumentKind], probe: MethodId) -> Result<bool, DexError> {
    let new = code.grow_frame(2, kinds)?;
    let mut call = CodeBuilder::new(0, 0);
    call.invoke(Opcode::INVOKE_STATIC, probe, &[]);
    let call = call.finish()?.nodes;
    let (start, end, handler) = (code.new_label(), code.new_label(), code.new_label());
    let mut entry = call.clone();
    entry.push(Node::Label(start));
    let mut insertions = vec![(kinds.len(), entry)];
    for (index, node) in code.nodes.iter().enumerate() {
        if matches!(node, Node::Instruction(it) if it.opcode.is_return()) {
            insertions.push((index, call.clone()));
        }
    }
    code.insert_outside_tries(insertions)?;
    let mut rest = CodeBuilder::new(0, 0);
    rest.plain(Opcode::MOVE_EXCEPTION, &[new.first + 1]);
    rest.invoke(Opcode::INVOKE_STATIC, probe, &[]).plain(Opcode::THROW, &[new.first + 1]);
    code.nodes.extend([Node::Label(end), Node::Label(handler)]);
    code.nodes.extend(rest.finish()?.nodes);
    code.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
    Ok(new.fit_8_bits())
}

#[requires(data)]
#[test]
fn with_probes_of_methods_around() {
    let totals = check(AROUND);
    println!("{totals:?}");
    is_nearly_all(&totals);
}

/// Every call is asked for a number of bytes that its signature could have, whether or not anybody takes its result.
#[requires(data)]
#[test]
fn bytes_everywhere() {
    is_nearly_all(&check(MOVED));
}

const MOVED: Style =
    Style { call: Some(ProbeArgument::Id), back: Some(ProbeArgument::Id), fail: true };

fn is_nearly_all(totals: &Totals) {
    assert!(totals.probed * 1000 >= totals.sites * 998, "{totals:?}");
}

#[requires(data)]
#[test]
fn orka() {
    is_nearly_all(&check(Style::from_sink(Sink::Orka)));
}

#[requires(data)]
#[test]
fn operands_everywhere() {
    let (text, id) = (Some(ProbeArgument::Text), Some(ProbeArgument::Id));
    is_nearly_all(&check(Style { call: id, back: text, fail: true }));
}

/// The owners of all calls as the tables name them, and where they are said to land.
#[requires(data)]
#[test]
fn landings_agree_with_the_tables() {
    let (mut outside, mut through, mut inside) = (0_u64, 0_u64, 0_u64);
    for (name, bytes) in real_apps() {
        let files: Vec<Dex<'_>> = bytes.iter().filter_map(|it| Dex::parse(it).ok()).collect();
        // Compilers put synthetic classes in that stand in for those of newer frameworks.
        let (mut defined, mut synthetic) = (HashSet::new(), HashSet::new());
        for dex in &files {
            for (_, class) in dex.class_defs() {
                let class = class.unwrap();
                let name = dex.descriptor_str(class.class).unwrap().into_owned();
                if class.access.contains(AccessFlags::SYNTHETIC) {
                    synthetic.insert(name.clone());
                }
                defined.insert(name);
            }
        }
        let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
        for (index, dex) in files.iter().enumerate() {
            let mut cases = HashSet::new();
            for (_, class) in dex.class_defs() {
                let class = class.unwrap();
                for member in dex.class_data(&class).unwrap().into_iter().flatten() {
                    let Some(method) = member.unwrap().method().filter(|it| it.code_off != 0)
                    else {
                        continue;
                    };
                    for it in dex.code(method.code_off).unwrap().instructions() {
                        let (_, it) = it.unwrap();
                        if matches!(it.opcode.0, 0x6e..=0x72 | 0x74..=0x78) {
                            cases.insert((class.class, it.opcode, it.index));
                        }
                    }
                }
            }
            for (caller, opcode, method) in cases {
                let owner = dex.method(MethodId(method)).unwrap().class;
                let owner = dex.descriptor_str(owner).unwrap();
                let landing = calls.landing(index, caller, opcode, MethodId(method));
                let class = landing.map(|landing| calls.class(landing));
                let named = || {
                    if owner.starts_with('[') {
                        "java.lang.Object".to_owned()
                    } else {
                        owner[1..owner.len() - 1].replace('/', ".")
                    }
                };
                let is_super = matches!(opcode, Opcode::INVOKE_SUPER | Opcode::INVOKE_SUPER_RANGE);
                if !defined.contains(owner.as_ref()) {
                    let excluded = named() == "android.os.Trace";
                    assert!(
                        is_super && class.is_none() || excluded || class == Some(named()),
                        "{name}: {owner} {class:?}"
                    );
                    outside += 1;
                } else if let Some(class) = class {
                    let landing = format!("L{};", class.replace('.', "/"));
                    assert!(
                        !defined.contains(&landing) || synthetic.contains(&landing),
                        "{landing}"
                    );
                    through += 1;
                } else {
                    inside += 1;
                }
            }
        }
    }
    println!("{outside} named outside, {through} through the app's classes, {inside} inside");
    assert!(through > 0 && outside > 0);
}

/// The calls that another tool sees: `dexdump -d` of the Android project.
#[requires(data, program = "dexdump")]
#[test]
fn counts_agree_with_dexdump() {
    let path = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let bytes = executables(&path).remove(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("classes.dex");
    std::fs::write(&file, &bytes).unwrap();
    let output = std::process::Command::new("dexdump").arg("-d").arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let defined: HashSet<&str> = text
        .lines()
        .filter_map(|line| line.split_once("Class descriptor")?.1.split('\'').nth(1))
        .collect();
    let owners = text.lines().filter_map(|line| {
        let (_, call) = line.split_once('|')?.1.split_once(": invoke-")?;
        let (_, method) = call.split_once("}, ")?;
        Some(method.split_once('.')?.0)
    });
    let outside =
        owners.filter(|owner| !defined.contains(owner) && *owner != "Landroid/os/Trace;").count();
    let dex = Dex::parse(&bytes).unwrap();
    let files = [dex];
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
    let [dex] = &files;
    let mut found = 0;
    for (_, class) in dex.class_defs() {
        let class = class.unwrap();
        for member in dex.class_data(&class).unwrap().into_iter().flatten() {
            let Some(method) = member.unwrap().method().filter(|it| it.code_off != 0) else {
                continue;
            };
            for it in dex.code(method.code_off).unwrap().instructions() {
                let (_, it) = it.unwrap();
                let landing = calls.landing(0, class.class, it.opcode, MethodId(it.index));
                let is_named = landing.is_some_and(|landing| {
                    let owner = dex.method(MethodId(it.index)).unwrap().class;
                    let owner = dex.descriptor_str(owner).unwrap().replace('/', ".");
                    owner.starts_with('[') || owner == format!("L{};", calls.class(landing))
                });
                found += usize::from(is_named);
            }
        }
    }
    assert_eq!(found, outside);
}
