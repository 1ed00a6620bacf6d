//! Recordings of the runtime class in a real Android runtime, read into call slices, are compared with the output of
//! the readers made from the formats' page.

use std::path::{Path, PathBuf};

use crate::art::ArtHost;
use crate::corpus::command::{Asked, instrument};
use crate::corpus::probe_map::{ProbeMap, ProbePoint};
use crate::corpus::tools;
use crate::runtime_reader::{Reading, read_file, read_log};
use wattle_probe::ProbeEvent;
use wattle_testdata::requires;
use wattle_timeline::{SliceOrigin, SliceScope, Timeline};

/// A slice: tid, depth, begin, end, origin, name.
type Slice = (u32, usize, i64, Option<i64>, SliceOrigin, String);

/// The slices that records mean, by a stack for each thread.
fn expected(reading: &Reading, map: &ProbeMap) -> Vec<Slice> {
    let mut all = Vec::new();
    for thread in reading.threads.values() {
        let tid = u32::try_from(thread.tid).unwrap();
        let mut open = Vec::new();
        for ((event, id), time) in thread.events.iter().zip(&thread.times) {
            if !matches!(event, ProbeEvent::Enter | ProbeEvent::Call) {
                let begun: usize = open.pop().expect("an end without a beginning");
                let slice: &mut Slice = &mut all[begun];
                slice.3 = Some(*time);
                continue;
            }
            let (origin, name) = match &map.points.get(id) {
                None => panic!("{id} is not in the map"),
                Some(ProbePoint::Method(method)) => {
                    (SliceOrigin::ProbedMethod, format!("{}.{}", method.class, method.name))
                }
                Some(ProbePoint::Call { api, .. }) => {
                    let name = api.method.split('(').next().unwrap();
                    (SliceOrigin::ProbedCall, format!("{}.{name}", api.class))
                }
            };
            open.push(all.len());
            all.push((tid, open.len() - 1, *time, None, origin, name));
        }
    }
    all.sort();
    all
}

fn found(timeline: &Timeline) -> Vec<Slice> {
    let mut all = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let tid = timeline.tasks.threads[thread.index()].tid.0;
        for slice in timeline.code.slices.of(track) {
            let end = (!slice.is_unfinished()).then(|| slice.end.value());
            // Overloads have their descriptors behind their names.
            let name = timeline.names.get(slice.name).split('(').next().unwrap().to_owned();
            let depth = usize::from(slice.depth);
            all.push((tid, depth, slice.start.value(), end, slice.origin, name));
        }
    }
    all.sort();
    all
}

/// Whether the recorder made it: emptying full buffers and timing the probes are told apart by the independent reader.
fn is_recorders(slice: &Slice) -> bool {
    slice.4 == SliceOrigin::Recorder
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus/java").join(folder);
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn records_of_a_real_runtime() {
    let art = ArtHost::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ingest-on-art");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (program, ending) = (folder.join("java.dex"), folder.join("ending.dex"));
    tools::java(&sources("corpus"), &folder.join("java"), &program);
    tools::java(&sources("ending"), &folder.join("ending"), &ending);
    for sink in ["file", "logcat"] {
        let place = folder.join(sink);
        let made = instrument(&program, Asked { mode: "both", sink, short: true }, &place);
        let records = place.join("records");
        std::fs::create_dir_all(&records).unwrap();
        let mut class_path = made.code.clone();
        class_path.extend([made.runtime.clone(), ending.clone()]);
        let option = format!("-Dwattle.dir={}", records.display());
        let ran = art.run(&class_path, "ending.Ending", &["corpus.Threads"], &[&option]);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let (path, reading) = if sink == "file" {
            let files = std::fs::read_dir(&records).unwrap();
            let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
            let [file] = files.as_slice() else { panic!("{files:?}") };
            (file.clone(), read_file(&std::fs::read(file).unwrap()))
        } else {
            let path = records.join("log.txt");
            std::fs::write(&path, &ran.stderr).unwrap();
            (path, read_log(&String::from_utf8_lossy(&ran.stderr)))
        };
        let map = place.join("out.probes.jsonl");
        let timeline = wattle_ingest::read_paths(&[path, map]).unwrap();
        let expected = expected(&reading, &made.map);
        let (own, found): (Vec<_>, Vec<_>) = found(&timeline).into_iter().partition(is_recorders);
        let timed = own.iter().filter(|slice| slice.5 == "wattle.calibration").count();
        assert_eq!(timed, 256, "{sink}: pairs of the process's first thread");
        assert!(expected.len() > 100, "{sink}: {} slices", expected.len());
        assert_eq!(found.len(), expected.len(), "{sink}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{sink}");
        }
        let lost: u64 = timeline.quality.artifacts.iter().map(|it| it.lost_events).sum();
        assert_eq!(lost, 0, "{sink}");
    }
}
