//! The same faults before the verifier of a real Android runtime.

use std::collections::HashSet;
use std::fmt::Write as _;

use wattle_dex::Dex;
use wattle_testdata::requires;

use super::mutation_run::Sound;
use super::mutation_samples;
use super::tests::{SINKS, faults};
use crate::{MapId, Runtime};

#[path = "../../../tests/all/art/mod.rs"]
mod art;

use art::ArtHost;

/// Faults that the runtime never sees: it looks at line programs when a stack trace is printed.
const UNSEEN: [&str; 2] = ["line program past the file", "line program of another signature"];

/// The names of the classes that are not clean; all of them where the file cannot be loaded.
fn not_clean(report: &str, classes: &[String]) -> HashSet<String> {
    let refused = format!("loadfail={}", classes.len());
    if report.trim_end().ends_with(&refused) {
        return classes.iter().cloned().collect();
    }
    let named = |class: &&String| {
        report.lines().any(|line| line.split_whitespace().any(|word| word == class.as_str()))
    };
    classes.iter().filter(named).cloned().collect()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn a_real_runtime_finds_the_same_faults() {
    let art = ArtHost::new();
    let folder = tempfile::tempdir().unwrap();
    let (bytes, classes) = mutation_samples::file();
    let dex = Dex::parse(&bytes).unwrap();
    let (mut table, mut missed) = (String::new(), Vec::new());
    for sink in SINKS {
        let runtime =
            Runtime { sink, map: MapId::from_bytes(b""), package: None, calibration: true };
        let runtime_file = folder.path().join(format!("runtime-{}.dex", sink.name()));
        std::fs::write(&runtime_file, runtime.write(35).unwrap()).unwrap();
        let verify = |name: &str, bytes: &[u8]| {
            let file = folder.path().join(name);
            std::fs::write(&file, bytes).unwrap();
            art.verify(&[file, runtime_file.clone()], &classes)
        };
        let sound = Sound::new(&dex, sink);
        let clean = verify("sound.dex", sound.bytes());
        let expected = format!("verified={} access=0 soft=0 hard=0 loadfail=0\n", classes.len());
        assert_eq!(clean, expected, "{sink:?}");
        for fault in faults().filter(|fault| !UNSEEN.contains(&fault.name)) {
            let outcome = sound.plant(fault);
            let Some(bytes) = outcome.bytes.filter(|_| outcome.fatal > 0) else { continue };
            let report = verify("fault.dex", &bytes);
            let found = not_clean(&report, &classes);
            let passed: Vec<_> = outcome.classes.difference(&found).collect();
            let _ = writeln!(
                table,
                "{:44} {:8} planted {:3}, Wattle {:3}, runtime {:3}: {}",
                fault.name,
                sink.name(),
                outcome.fatal,
                outcome.found,
                outcome.classes.len() - passed.len(),
                report.lines().last().unwrap_or_default()
            );
            if !passed.is_empty() {
                missed.push(format!("{}, {}: {passed:?}", fault.name, sink.name()));
            }
        }
    }
    println!("{table}");
    assert!(missed.is_empty(), "the runtime accepts:\n{missed:#?}\n{table}");
}
