//! Stacks that `perf` copies while the test runs: their callers against those that `perf script` finds itself.

use crate::support::{Bench, note, tool};
use wattle_symbols::{Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{FrameKind, Timeline};

/// Without frame pointers, with a stack that grows while it runs, and with callers in the library of C.
const PROGRAM: &str = "\
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static int spin(int x) {
    volatile int y = x;
    for (int i = 0; i < 400; i++) y = y * 3 + i;
    return y;
}
__attribute__((noinline)) static int compare(const void *one, const void *other) {
    return spin(*(const int *)one) - spin(*(const int *)other) + 0 * *(const int *)one;
}
__attribute__((noinline)) static int deep(int depth, int x) {
    char *room = alloca(16 + depth * 8);
    memset(room, x, 16 + depth * 8);
    if (depth == 0) return spin(x) + room[3];
    return deep(depth - 1, x + room[1]) * 2 + room[2];
}
__attribute__((noinline)) static int sorted(int seed) {
    int numbers[64];
    for (int i = 0; i < 64; i++) numbers[i] = (i * 7919 + seed) % 64;
    qsort(numbers, 64, sizeof *numbers, compare);
    return numbers[seed % 64] + 1;
}
static void *work(void *argument) {
    long sum = 0;
    for (int i = 0; i < 800; i++) sum += sorted(i) + deep(i % 24, i);
    return (void *)sum;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    long sum = (long)work(NULL);
    pthread_join(thread, NULL);
    return sum == 42;
}
";

/// A frame as its file and function; functions of other files than the program are left aside, because the two may find other
/// symbols there.
type Stack = Vec<(String, String)>;

fn shown(file: &str, function: &str, program: &str) -> (String, String) {
    let function = if file == program { function } else { "" };
    (file.to_owned(), function.to_owned())
}

/// The program's part of each stack by `perf script`, in order of time, the innermost first.
fn of_perf(data: &str, program: &str) -> Vec<Stack> {
    let text = tool("perf", &["script", "-i", data, "-F", "ip,sym,dso", "--no-inline"]);
    let frame = |line: &str| {
        let (before, file) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
        let function = before.split_ascii_whitespace().nth(1)?;
        (file != "[unknown]" && !file.starts_with("[kernel"))
            .then(|| shown(file, function, program))
    };
    let stacks = text.split("\n\n").filter(|sample| !sample.trim().is_empty());
    stacks.map(|sample| sample.lines().filter_map(frame).collect()).collect()
}

fn of_timeline(timeline: &Timeline, program: &str) -> Vec<Stack> {
    let samples = &timeline.code.samples;
    let stack = |site| {
        let frames = samples.stack(site);
        let frames = frames.filter(|it| it.kind != FrameKind::Kernel && !it.inlined);
        let name = |id: Option<_>| id.map_or("?", |id| timeline.names.get(id));
        frames.map(|it| shown(name(it.mapping), name(it.function), program)).collect()
    };
    samples.samples.iter().map(|sample| stack(sample.site)).collect()
}

#[requires(program = "gcc", program = "perf")]
#[test]
fn callers_are_those_of_perf_script() {
    let bench = Bench::new();
    let flags =
        ["-O2", "-g", "-fomit-frame-pointer", "-fno-inline", "-pthread", "-Wl,--build-id=sha1"];
    let program = bench.compile("gcc", PROGRAM, &flags, "copied");
    let (program, data) = (program.to_str().unwrap(), bench.text("perf.data"));
    let event = ["record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "dwarf,16384"];
    tool("perf", &[&event[..], &["-o", &data, program]].concat());
    let expected = of_perf(&data, program);
    let mut timeline = wattle_ingest::read_paths(&[data.into()]).unwrap();
    let done = symbolise(&mut timeline, &Sources::default());
    let found = of_timeline(&timeline, program);
    assert_eq!(found.len(), expected.len());
    let (mut equal, mut all) = (0, 0);
    let mut first_difference = None;
    for (found, expected) in found.iter().zip(&expected) {
        all += expected.len().max(found.len());
        equal += found.iter().zip(expected).filter(|(one, other)| one == other).count();
        if found != expected && first_difference.is_none() {
            first_difference = Some((found, expected));
        }
    }
    assert!(all > 1000, "{all} frames are too few");
    assert!(
        equal * 100 >= all * 98,
        "{equal} of {all} frames are equal; first difference: {first_difference:#?}"
    );
    assert!(done.unwound.complete > 100, "{:?}", done.unwound);
    // A stack that went through all of it: through a function of the library, and out at the thread's first one.
    let has = |stack: &Stack, name: &str| stack.iter().any(|(_, function)| function == name);
    let through_library = found.iter().filter(|it| has(it, "compare") && has(it, "main")).count();
    assert!(through_library > 10, "{through_library} stacks");
}

#[requires(program = "gcc", program = "perf")]
#[test]
fn stacks_without_files_stay_cut_off_and_say_so() {
    let bench = Bench::new();
    let program = bench.compile("gcc", PROGRAM, &["-O2", "-g", "-pthread"], "gone");
    let (path, data) = (program.to_str().unwrap(), bench.text("perf.data"));
    let event = ["record", "-q", "-e", "cpu-clock:u", "--call-graph", "dwarf"];
    tool("perf", &[&event[..], &["-o", &data, path]].concat());
    let moved = bench.path("kept");
    std::fs::create_dir(&moved).unwrap();
    std::fs::rename(&program, moved.join("gone")).unwrap();
    let read = || wattle_ingest::read_paths(&[data.clone().into()]).unwrap();
    let mut timeline = read();
    let done = symbolise(&mut timeline, &Sources::default());
    assert!(done.unwound.truncated > 10, "{:?}", done.unwound);
    let text = note(&timeline, "stacks-truncated").unwrap();
    assert!(text.contains(path) && text.contains("--symbols"), "{text}");
    // With the file from elsewhere they are whole.
    let mut timeline = read();
    let sources = Sources::open(&[moved], &[], None).unwrap();
    let with = symbolise(&mut timeline, &sources);
    assert!(with.unwound.complete > done.unwound.complete + 10, "{:?}", with.unwound);
    let is_whole = |stack: &Stack| stack.iter().any(|(_, function)| function == "work");
    assert!(of_timeline(&timeline, path).iter().filter(|it| is_whole(it)).count() > 10);
}
