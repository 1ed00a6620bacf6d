//! Calls that move known numbers of bytes, probed and executed in a real Android runtime: the timeline has each call's bytes
//! at its call path, whichever sink the probes wrote to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::art::ArtHost;
use crate::build;
use crate::corpus::tools;
use wattle_testdata::requires;
use wattle_timeline::{SliceOrigin, SliceScope, Timeline};

/// Caller and call: the bytes of each call, in order.
type Moved = BTreeMap<(String, String), Vec<u32>>;

/// Returns the expected transfers of `Moving.java`, from its text.
fn expected() -> Moved {
    let file = ("java.io.FileInputStream", "java.io.FileOutputStream");
    let whole: u32 = 5 * (1 + 100 + 30);
    let pieces = [vec![64; 10], vec![whole - 640, 0]].concat();
    let bytes = [vec![1; 7], vec![0]].concat();
    let all = [
        ("writes", format!("{}.write", file.1), [1, 100, 30].repeat(5)),
        ("readsToTheEnd", "java.io.InputStream.read".into(), pieces),
        ("readsBytes", format!("{}.write", file.1), vec![1; 7]),
        ("readsBytes", "java.io.BufferedInputStream.read".into(), bytes),
        ("ignores", "java.io.RandomAccessFile.read".into(), vec![1, 7, 600, whole - 608, 0]),
        ("channels", "java.nio.channels.FileChannel.transferTo".into(), vec![600, whole - 600]),
        ("channels", "java.nio.channels.FileChannel.read".into(), vec![40]),
        ("channels", "java.nio.channels.FileChannel.write".into(), vec![40]),
        ("caught", "java.io.InputStream.read".into(), vec![33, 0]),
        ("locked", "java.io.InputStream.read".into(), vec![50, 20]),
        // `read(byte[])` of the framework's class calls `read(byte[], int, int)` of the app's, which asks for half.
        ("halves", "java.io.FilterInputStream.read".into(), vec![22]),
        ("Halving.read", "java.io.FilterInputStream.read".into(), vec![15, 22]),
        ("data", "java.io.DataOutputStream.writeInt".into(), vec![4]),
        ("data", "java.io.DataOutputStream.writeLong".into(), vec![8]),
        ("data", "java.io.DataOutputStream.writeByte".into(), vec![1]),
        ("data", "java.io.DataOutputStream.write".into(), vec![12]),
        ("data", "java.io.DataInputStream.readInt".into(), vec![4]),
        ("data", "java.io.DataInputStream.readLong".into(), vec![8]),
        ("data", "java.io.DataInputStream.readFully".into(), vec![9, 3, 0]),
        ("crowded", "java.nio.channels.FileChannel.transferTo".into(), vec![9]),
        ("crowded", format!("{}.read", file.0), vec![21]),
        ("crowded", format!("{}.write", file.1), vec![1]),
        ("datagrams", "java.net.DatagramSocket.send".into(), vec![77]),
        ("datagrams", "java.net.DatagramSocket.receive".into(), vec![77]),
    ];
    let name = |caller: &str| match caller {
        "Halving.read" => "moved.Moving$Halving.read".to_owned(),
        caller => format!("moved.Moving.{caller}"),
    };
    all.into_iter().map(|(caller, call, moved)| ((name(caller), call), moved)).collect()
}

/// Of a timeline: every call that `expected` has, and every one that moved anything.
fn found(timeline: &Timeline, expected: &Moved) -> Moved {
    let mut found = Moved::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(_) = track.scope else { continue };
        let mut open: Vec<String> = Vec::new();
        for slice in timeline.code.slices.of(track) {
            // Overloads have their descriptors behind their names.
            let name = timeline.names.get(slice.name).split('(').next().unwrap().to_owned();
            assert!(!name.starts_with("wattle.bytes"), "{name} is no call");
            open.truncate(slice.depth.into());
            let key = (open.last().cloned().unwrap_or_default(), name.clone());
            open.push(name);
            if expected.contains_key(&key) || slice.bytes > 0 {
                assert_eq!(slice.origin, SliceOrigin::ProbedCall, "{key:?}");
                found.entry(key).or_default().push(slice.bytes);
            }
        }
    }
    found
}

fn instrument(dex: &Path, sink: &str, folder: &Path) -> Vec<PathBuf> {
    let output = folder.join("out.dex");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
    command.arg("instrument").arg(dex).arg("-o").arg(&output).args(["--all", "--quiet"]);
    command.args(["--mode", "both", "--sink", sink, "--short-methods", "probe"]);
    let ran = command.current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    vec![output, folder.join("out-runtime.dex")]
}

/// The printed sections as a kernel's trace, a microsecond apart.
fn trace(lines: &str) -> Vec<u8> {
    let events: Vec<Vec<u8>> = lines
        .lines()
        .zip(1_u64..)
        .map(|(line, at)| {
            let mut words = line.splitn(3, ' ');
            let (kind, thread) = (words.next().unwrap(), words.next().unwrap());
            let tid = 100 + thread.parse::<u64>().unwrap();
            let text = match words.next() {
                Some(label) => format!("{kind}|101|{label}\n"),
                None => format!("{kind}|101\n"),
            };
            build::print(at * 1000, tid, &text)
        })
        .collect();
    build::bundle(0, &events)
}

/// The bytes of every call, with probes that write to a sink.
#[track_caller]
fn check(art: &ArtHost, program: &Path, folder: &Path, sink: &str) {
    let place = folder.join(sink);
    let (records, files) = (place.join("records"), place.join("files"));
    std::fs::create_dir_all(&records).unwrap();
    std::fs::create_dir_all(&files).unwrap();
    let code = instrument(program, sink, &place);
    let sections = place.join("sections.txt");
    let options = [
        format!("-Dwattle.dir={}", records.display()),
        format!("-Dmoved.folder={}", files.display()),
        format!("-Dwattle.trace={}", sections.display()),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let ran = art.run::<&str>(&code, "moved.Moving", &[], &options);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{sink}: {said}");
    // What the program itself says: the same as without probes.
    let plain = art.run::<&str>(&[program.to_owned()], "moved.Moving", &[], &options);
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&plain.stdout),
        "{sink}"
    );
    let path = match sink {
        "file" => {
            let files = std::fs::read_dir(&records).unwrap();
            let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
            let [file] = files.as_slice() else { panic!("{files:?}") };
            file.clone()
        }
        "logcat" => {
            std::fs::write(records.join("log.txt"), &ran.stderr).unwrap();
            records.join("log.txt")
        }
        _ => {
            let lines = std::fs::read_to_string(&sections).unwrap();
            std::fs::write(records.join("trace.pftrace"), trace(&lines)).unwrap();
            records.join("trace.pftrace")
        }
    };
    let timeline = wattle_ingest::read_paths(&[path, place.join("out.probes.jsonl")]).unwrap();
    let expected = expected();
    let found = found(&timeline, &expected);
    for (key, expected) in &expected {
        assert_eq!(found.get(key), Some(expected), "{sink}: {key:?}");
    }
    assert_eq!(found.len(), expected.len(), "{sink}: {found:?}");
    let columns = &timeline.code.slices;
    assert_eq!(columns.bytes.len(), columns.len(), "{sink}: one a slice");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn bytes_of_calls_in_a_real_runtime() {
    let art = ArtHost::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moved-on-art");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("moving.dex");
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus/java/moved/Moving.java");
    tools::java(&[source], &folder.join("java"), &program);
    for sink in ["file", "logcat", "trace"] {
        check(&art, &program, &folder, sink);
    }
}
