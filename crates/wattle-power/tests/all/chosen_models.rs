//! The models that are chosen for real recordings, and for generated ones of every rung of the ladder.

use wattle_power::{PowerOptions, estimate};
use wattle_testdata::requires;

#[requires(data)]
#[test]
fn print() {
    let root = wattle_testdata::root().unwrap();
    for folder in ["perfdata", "perf_script", "perfetto", "perfetto/pairs", "perfetto/rails", "perfetto/emanafa", "perfetto/diff_tests", "systrace", "systrace/petra-systrace_example", "etl", "bugreport", "batterystats", "navitas_logs", "logcat", "art_trace"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
        files.sort();
        for path in files {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            if [".json", ".csv", ".md", ".expected", ".sql"].iter().any(|end| name.ends_with(end)) { continue; }
            let Ok(timeline) = wattle_ingest::read_paths(&[path]) else { println!("{name}: unreadable"); continue };
            let found = estimate(&timeline, &PowerOptions::default()).unwrap();
            let d = &timeline.device;
            println!("{name}: {:?} {:?} | cpus {} named {} inferred {} | {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                found.model.as_ref().map(|m| (m.name.clone(), m.chosen.clone(), m.provenance, m.rung())),
                found.notes.iter().filter(|n| n.code == "no-device-model" || n.code == "rails-of-emulator").map(|n| n.text.clone()).collect::<Vec<_>>(),
                timeline.cpus.len(), d.cpus.len(), timeline.is_schedule_inferred(), d.fingerprint, d.model, d.codename, d.soc, d.board, d.system, d.architecture, d.kernel);
        }
    }
}
