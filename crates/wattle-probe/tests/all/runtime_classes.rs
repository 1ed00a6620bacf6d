//! The runtime's classes as files: what they offer, and that every checker at hand accepts them.

use std::process::Command;

use crate::art::ArtHost;
use wattle_dex::{AccessFlags, ClassIndex, Dex, Section, Verifier};
use wattle_probe::{MapId, ProbeEvent, Runtime, Sink};
use wattle_testdata::requires;

const SINKS: [Sink; 5] = [Sink::Trace, Sink::Logcat, Sink::File, Sink::Navitas, Sink::Orka];

fn runtime(sink: Sink) -> Runtime {
    Runtime {
        sink,
        map: MapId::from_bytes(b"some map"),
        package: Some("com.example.app".to_owned()),
        calibration: true,
    }
}

/// The names of a file's classes as Java writes them.
fn class_names(dex: &Dex<'_>) -> Vec<String> {
    (0..dex.count(Section::CLASS_DEFS))
        .map(|index| {
            let class = dex.class_def(ClassIndex(index)).unwrap().class;
            let descriptor = dex.descriptor(class).unwrap().to_string();
            descriptor.trim_matches(['L', ';']).replace('/', ".")
        })
        .collect()
}

#[test]
fn every_event_with_an_argument_has_its_method() {
    for sink in SINKS {
        let bytes = runtime(sink).write(35).unwrap();
        let dex = Dex::parse(&bytes).unwrap();
        assert!(class_names(&dex).iter().all(|name| name.starts_with("wattle.probe.")));
        let probe = (0..dex.count(Section::CLASS_DEFS))
            .map(|index| dex.class(ClassIndex(index)).unwrap())
            .find(|class| dex.descriptor(class.ty).unwrap().to_string() == Runtime::DESCRIPTOR)
            .unwrap();
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        let found: Vec<_> = probe
            .direct_methods
            .iter()
            .filter(|method| method.access == access)
            .map(|method| dex.method_name(method.id).unwrap())
            .collect();
        for event in ProbeEvent::ALL {
            let name =
                |signature: &str| format!("{}->{}{signature}", Runtime::DESCRIPTOR, event.method());
            if let Some(argument) = sink.argument(event) {
                let name = name(argument.signature());
                assert!(found.contains(&name), "{sink:?}: no {name}");
            } else {
                let name = name("(");
                assert!(!found.iter().any(|it| it.starts_with(&name)), "{sink:?}: {name}");
            }
        }
    }
}

#[test]
fn the_verifier_finds_nothing() {
    for sink in SINKS {
        for version in [35, 37, 38, 39, 40, 41] {
            let bytes = runtime(sink).write(version).unwrap();
            let dex = Dex::parse(&bytes).unwrap();
            assert_eq!(dex.header().version, version);
            let verification = Verifier::new(&dex).all(1);
            assert!(
                verification.defects.is_empty(),
                "{sink:?} {version}: {:#?}",
                verification.defects
            );
            assert!(verification.methods >= 5 && verification.signature_fits, "{sink:?} {version}");
        }
    }
}

#[requires(program = "dexdump")]
#[test]
fn dexdump_accepts_all() {
    let folder = tempfile::tempdir().unwrap();
    for sink in SINKS {
        // Of the versions that Android 11's dexdump knows.
        for version in [35, 37, 38, 39, 40] {
            let path = folder.path().join("runtime.dex");
            std::fs::write(&path, runtime(sink).write(version).unwrap()).unwrap();
            let output = Command::new("dexdump").arg("-d").arg(&path).output().unwrap();
            assert!(output.status.success(), "{sink:?} {version}: {output:?}");
        }
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn the_android_runtime_accepts_all() {
    let art = ArtHost::new();
    let folder = tempfile::tempdir().unwrap();
    for sink in SINKS {
        for version in [35, 37, 38, 39, 40] {
            let path = folder.path().join("runtime.dex");
            let bytes = runtime(sink).write(version).unwrap();
            std::fs::write(&path, &bytes).unwrap();
            let classes = class_names(&Dex::parse(&bytes).unwrap());
            let said = art.verify(&[path], &classes);
            let clean = format!("verified={} access=0 soft=0 hard=0 loadfail=0\n", classes.len());
            assert_eq!(said, clean, "{sink:?} {version}");
        }
    }
}
