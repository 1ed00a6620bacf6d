//! Broken files: an error or an answer, never a panic, never a hang.

use std::time::{Duration, Instant};

use crate::support::{MovedMethods, Style};
use proptest::prelude::{ProptestConfig, any, proptest};
use wattle_dex::{
    AccessFlags, Class, ClassAssembly, Code, Dex, DexFile, Member, Mutf8, Opcode, Pool, Section,
};
use wattle_probe::{ApiPatterns, CallProbes, CallSite, FrameworkCalls, ProbeArgument, probe_calls};
use wattle_testdata::requires;

/// Finds all calls of a file and puts probes around them; what cannot be read is passed over.
fn visit(bytes: &[u8]) {
    let Ok(dex) = Dex::parse(bytes) else { return };
    let files = [dex];
    let Ok(calls) = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])) else { return };
    let [dex] = &files;
    let argument = Some(ProbeArgument::Id);
    let mut pool = Pool::default();
    let probes = Style { call: argument, back: argument, fail: true }.probes(&mut pool);
    let moved = MovedMethods::known_to(&mut pool);
    for class in dex.class_defs().filter_map(|(_, class)| class.ok()) {
        let members = dex.class_data(&class).ok().flatten();
        for method in members.into_iter().flatten().map_while(Result::ok).filter_map(Member::method)
        {
            let Ok(item) = dex.code(method.code_off) else { continue };
            let count = calls.in_item(0, class.class, &item).count();
            let Ok(mut code) = Code::decode_with_lines(dex, &item) else { continue };
            let sites: Vec<_> = calls
                .in_code(0, class.class, &code)
                .map(|(node, call)| {
                    let moved = moved.by(&calls.signature(call));
                    CallSite { node, probes: CallProbes { moved, ..probes } }
                })
                .collect();
            assert_eq!(sites.len(), count);
            if let Ok(done) = probe_calls(&mut code, &sites, None) {
                assert_eq!(done.probed + done.left_out.len(), count);
            }
        }
    }
}

/// A class with calls of the framework, inside and outside of a handler.
fn made() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let mut class = ClassAssembly::new(&mut file, "Lmade/Main;", "Ljava/lang/Object;");
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let method = class.method("run(J)V", access, (1, 2), |code| {
        let time = code.argument(0);
        code.stat("Ljava/lang/Thread;->sleep(J)V", &[time, time + 1]);
        code.attempt(0, |code| {
            code.stat("Ljava/lang/Thread;->sleep(J)V", &[time, time + 1]);
        });
        code.end();
    });
    method.unwrap();
    class.finish();
    file.write().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn changed_bytes_of_made_code(
        changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = made();
        let size = bytes.len();
        for &(at, value) in &changes {
            bytes[at as usize % size] = value;
        }
        visit(&bytes);
    }

    #[requires(data)]
    #[test]
    fn changed_bytes(changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..20)) {
        for name in ["dex/smali-accessorTest.dex", "dex/dex038.dex"] {
            let mut bytes = wattle_testdata::bytes(name);
            let size = bytes.len();
            for &(at, value) in &changes {
                bytes[at as usize % size] = value;
            }
            visit(&bytes);
        }
    }
}

/// A chain of superclasses and interfaces as long as the format allows, and a call from each.
#[test]
fn long_hierarchies() {
    let mut file = DexFile::new(35);
    let count = 20_000;
    for index in 0..count {
        let pool = file.pool_mut();
        let name = |index: u32| format!("Lc/C{index:05};");
        let superclass = pool.ty(&name(index + 1));
        let mut class = Class::new(pool.ty(&name(index)), Some(superclass), AccessFlags::PUBLIC);
        class.interfaces = vec![pool.ty(&name((index * 7 + 1) % count))];
        pool.method(&name(index), "m", "()V").unwrap();
        file.add_class(class);
    }
    let bytes = file.write().unwrap();
    let files = [Dex::parse(&bytes).unwrap()];
    let start = Instant::now();
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    // Near the end of the chain the search still arrives outside.
    let [dex] = &files;
    let last = dex.find_type(Mutf8::new(b"Lc/C19999;")).unwrap();
    let landing = (0..dex.count(Section::METHOD_IDS))
        .map(wattle_dex::MethodId)
        .filter(|&id| dex.method(id).unwrap().class == last)
        .find_map(|id| calls.landing(0, last, Opcode::INVOKE_VIRTUAL, id))
        .unwrap();
    assert_eq!(calls.class(landing), "c.C20000");
}
