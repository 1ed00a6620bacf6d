//! Names that real recordings bring, and names of code that a virtual machine made while `perf` recorded it.

use crate::support::{Bench, tool};
use wattle_symbols::{Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::Timeline;

/// The names of all frames.
fn names(timeline: &Timeline) -> Vec<&str> {
    let frames = timeline.code.samples.frames.iter();
    frames.filter_map(|frame| Some(timeline.names.get(frame.function?))).collect()
}

fn is_mangled(name: &str) -> bool {
    ["_Z", "_R", "?"].iter().any(|start| name.starts_with(start)) && name.len() > 2
}

/// Reads a file with no symbols; the number of mangled names before and after.
#[track_caller]
fn mangled(file: &str) -> (usize, Vec<String>) {
    let path = wattle_testdata::path(file);
    let mut timeline = wattle_ingest::read_paths(&[path]).unwrap();
    let before = names(&timeline).iter().filter(|it| is_mangled(it)).count();
    let stacks = |timeline: &Timeline| -> Vec<usize> {
        let samples = &timeline.code.samples;
        samples.samples.iter().map(|it| samples.stack(it.site).count()).collect()
    };
    let depths = stacks(&timeline);
    symbolise(&mut timeline, &Sources::default());
    assert_eq!(stacks(&timeline), depths, "stacks keep their frames");
    (
        before,
        names(&timeline).iter().filter(|it| is_mangled(it)).map(|it| (*it).to_owned()).collect(),
    )
}

#[requires(data)]
#[test]
fn no_recorded_name_stays_mangled() {
    let files = [
        ("perfetto/ms_cpu_sampling.perfetto-trace", 100),
        ("perf_script/speedscope-forks.txt", 4),
        ("perf_script/speedscope-simple-with-header.txt", 4),
        ("perfdata/firefox-simpleperf-task-clock.trace.gz", 1),
    ];
    for (file, least) in files {
        let (before, after) = mangled(file);
        assert!(before >= least, "{file}: {before} mangled names");
        assert!(after.is_empty(), "{file}: {after:?}");
    }
}

const SCRIPT: &str = "\
function innerSum(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
function outerSum(n) { let s = 0; for (let i = 0; i < n; i++) s += innerSum(300) % 7; return s; }
const end = Date.now() + 1500;
let x = 0;
while (Date.now() < end) x += outerSum(1000);
";

#[requires(program = "node", program = "perf")]
#[test]
fn code_that_a_virtual_machine_made_is_named_by_its_dump() {
    let bench = Bench::new();
    std::fs::write(bench.path("script.js"), SCRIPT).unwrap();
    let data = bench.text("perf.data");
    // The dump comes to where the program runs.
    let script = format!(
        "cd '{}' && perf record -q -e cpu-clock:u -F 999 -g -o perf.data -- node --perf-prof script.js",
        bench.0.path().display()
    );
    tool("sh", &["-c", &script]);
    let mut timeline = wattle_ingest::read_paths(&[data.into()]).unwrap();
    let all = timeline.code.samples.samples.len();
    let sources = Sources::open(&[bench.0.path().to_owned()], &[], None).unwrap();
    symbolise(&mut timeline, &sources);
    let samples = &timeline.code.samples;
    let is_of_script = |site| {
        let first = samples.stack(site).next().and_then(|frame| frame.function);
        let name = first.map_or("", |name| timeline.names.get(name));
        name.contains("innerSum") || name.contains("outerSum")
    };
    let named = samples.samples.iter().filter(|sample| is_of_script(sample.site)).count();
    // The script does nothing else, apart from the start of the virtual machine.
    assert!(all > 40 && named * 2 > all, "{named} of {all} samples; {:?}", timeline.quality.notes);
}
