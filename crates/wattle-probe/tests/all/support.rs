//! Parts that the tests of calls share.

use std::path::{Path, PathBuf};

use wattle_apk::Apk;
use wattle_dex::{
    AccessFlags, ArgumentKind, Dex, DexError, MethodId, MethodItem, MethodSite, Opcode, Pool,
    Verifier,
};
use wattle_probe::{
    CallProbes, CallValue, Probe, ProbeArgument, ProbeEvent, ProbeOperand, Runtime, Sink,
};

/// Name and executables of each app and of each bare file that the test data holds.
pub fn real_apps() -> Vec<(String, Vec<Vec<u8>>)> {
    let mut apps = Vec::new();
    for path in listing(&wattle_testdata::path("dex"), &["dex"]) {
        apps.push((name(&path), vec![std::fs::read(&path).unwrap()]));
    }
    for folder in ["apk", "apk/splits"] {
        let folder = wattle_testdata::path(folder);
        for path in listing(&folder, &["apk"]) {
            let files = executables(&path);
            if !files.is_empty() {
                apps.push((name(&path), files));
            }
        }
    }
    assert_eq!(apps.len(), 26, "apps");
    apps
}

/// The executables of a package, in the order in which the runtime asks them.
pub fn executables(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let apk = Apk::open(&bytes).unwrap();
    let mut names: Vec<String> = apk.code_entries().map(|entry| entry.name().to_owned()).collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    // The file inside redex-test.apk is damaged.
    names.iter().filter_map(|name| apk.read(name).ok()).collect()
}

fn listing(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| extensions.iter().any(|it| path.extension().is_some_and(|ext| ext == *it)))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Which probes calls get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub call: Option<ProbeArgument>,
    pub back: Option<ProbeArgument>,
    pub fail: bool,
}

impl Style {
    pub fn from_sink(sink: Sink) -> Self {
        Self {
            call: sink.argument(ProbeEvent::Call),
            back: sink.argument(ProbeEvent::Back),
            fail: sink.argument(ProbeEvent::Fail).is_some(),
        }
    }

    pub fn probes(self, pool: &mut Pool<'_>) -> CallProbes {
        let text = pool.string("a call");
        let mut probe = |event: ProbeEvent, argument: Option<ProbeArgument>| {
            argument.map(|argument| Probe {
                method: pool
                    .method(Runtime::DESCRIPTOR, event.method(), argument.signature())
                    .unwrap(),
                operand: match argument {
                    ProbeArgument::None => ProbeOperand::None,
                    ProbeArgument::Id => ProbeOperand::Id(70_000),
                    ProbeArgument::Text => ProbeOperand::Text(text),
                },
            })
        };
        CallProbes {
            call: probe(ProbeEvent::Call, self.call),
            back: probe(ProbeEvent::Back, self.back),
            moved: None,
            fail: probe(ProbeEvent::Fail, self.fail.then_some(ProbeArgument::None))
                .map(|probe| probe.method),
        }
    }
}

/// Methods that are given a number of bytes: an `int`, a `long`, the array whose length it is.
#[derive(Clone, Copy, Debug)]
pub struct MovedMethods([MethodId; 3]);

impl MovedMethods {
    pub fn known_to(pool: &mut Pool<'_>) -> Self {
        Self(
            ["(I)V", "(J)V", "([B)V"]
                .map(|signature| pool.method(Runtime::DESCRIPTOR, "moved", signature).unwrap()),
        )
    }

    /// A probe that is given what of any call could be a number of bytes, by its signature.
    pub fn by(self, signature: &str) -> Option<Probe> {
        let Self([int, long, array]) = self;
        let (method, value) = match signature.rsplit(')').next() {
            Some("I") => (int, CallValue::Result(Opcode::MOVE_RESULT)),
            Some("J") => (long, CallValue::Result(Opcode::MOVE_RESULT_WIDE)),
            Some("[B") => (array, CallValue::Result(Opcode::MOVE_RESULT_OBJECT)),
            _ if signature.starts_with("(I") => (int, CallValue::Argument(0)),
            _ if signature.starts_with("([B") => (array, CallValue::Argument(0)),
            _ if signature.starts_with("(JI") => (int, CallValue::Argument(2)),
            _ => return None,
        };
        Some(Probe { method, operand: ProbeOperand::Value(value) })
    }
}

/// The kinds of a method's arguments.
pub fn arguments(dex: &Dex<'_>, site: &MethodSite<'_>) -> Result<Vec<ArgumentKind>, DexError> {
    let mut kinds = Vec::new();
    if !site.access.contains(AccessFlags::STATIC) {
        kinds.push(ArgumentKind::Reference);
    }
    for ty in dex.parameters(dex.method(site.method)?.proto)?.iter() {
        kinds.push(ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes()));
    }
    Ok(kinds)
}

/// Whether a monitor can be left held by an exception: such methods are not touched.
pub fn leaks(verifier: &Verifier<'_, '_>, site: &MethodSite<'_>) -> Result<bool, DexError> {
    let has_monitor = site
        .code
        .instructions()
        .any(|it| it.is_ok_and(|(_, it)| it.opcode == Opcode::MONITOR_ENTER));
    let item = MethodItem { method: site.method, access: site.access, code_off: site.code.offset };
    Ok(has_monitor && verifier.leaks_monitor(site.class, item)?)
}

/// The register of `this`.
pub fn receiver(site: &MethodSite<'_>) -> Option<u16> {
    (!site.access.contains(AccessFlags::STATIC)).then(|| site.code.registers - site.code.ins)
}

/// The number of methods that can leave a monitor held, according to the verifier.
pub fn leaking_methods(dex: &Dex<'_>) -> usize {
    let verifier = Verifier::new(dex);
    let mut leaking = 0;
    for (index, class) in dex.class_defs() {
        for member in dex.class_data(&class.unwrap()).unwrap().into_iter().flatten() {
            let Some(method) = member.unwrap().method().filter(|it| it.code_off != 0) else {
                continue;
            };
            let site = MethodSite {
                class: index,
                method: method.method,
                access: method.access,
                code: dex.code(method.code_off).unwrap(),
            };
            leaking += usize::from(leaks(&verifier, &site).unwrap());
        }
    }
    leaking
}
