//! A program that `perf` records while the test runs: names of its frames against those of `perf script`.

use std::collections::BTreeMap;

use crate::support::{Bench, tool};
use wattle_symbols::{Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{Frame, Timeline};

const PROGRAM: &str = "\
__attribute__((noinline)) int leaf(int x) {
    volatile int y = x;
    for (int i = 0; i < 200; i++) y = y * 3 + i;
    return y;
}
static inline __attribute__((always_inline)) int inner(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) int outer(int x) { return inner(x) * 2; }
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 300000; i++) sum += outer(i + argc);
    return sum == 42;
}
";

/// The number of samples of each stack of the program's own functions, the innermost first.
type Stacks = BTreeMap<Vec<String>, usize>;

/// By what `perf script` says.
fn of_perf(data: &str, program: &str) -> Stacks {
    let text = tool("perf", &["script", "-i", data, "-F", "ip,sym,dso", "--no-inline"]);
    let own = format!("({program})");
    let mut stacks = Stacks::new();
    for sample in text.split("\n\n") {
        let own = sample.lines().filter(|line| line.ends_with(&own));
        let names: Vec<String> = own
            .filter_map(|line| line.split_ascii_whitespace().nth(1))
            .map(str::to_owned)
            .collect();
        if !names.is_empty() {
            *stacks.entry(names).or_default() += 1;
        }
    }
    stacks
}

fn of_timeline(timeline: &Timeline, program: &str, has_inlined: bool) -> Stacks {
    let mapping = timeline.names.find(program);
    let is_own = |frame: &&Frame| frame.mapping == mapping && (has_inlined || !frame.inlined);
    let mut stacks = Stacks::new();
    for sample in &timeline.code.samples.samples {
        let own = timeline.code.samples.stack(sample.site).filter(is_own);
        let names: Vec<String> = own
            .map(|frame| frame.function.map_or("?", |name| timeline.names.get(name)).to_owned())
            .collect();
        if !names.is_empty() {
            *stacks.entry(names).or_default() += 1;
        }
    }
    stacks
}

#[requires(program = "gcc", program = "perf")]
#[test]
fn names_are_those_of_perf_script() {
    let bench = Bench::new();
    let flags = ["-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id=sha1"];
    let program = bench.compile("gcc", PROGRAM, &flags, "recorded");
    let (program, data) = (program.to_str().unwrap(), bench.text("perf.data"));
    let arguments = ["record", "-q", "-e", "cpu-clock:u", "-g", "-o", &data, program];
    tool("perf", &arguments);
    let expected = of_perf(&data, program);
    let mut timeline = wattle_ingest::read_paths(&[data.into()]).unwrap();
    // Nobody names a file: the recording does, with its build id.
    let done = symbolise(&mut timeline, &Sources::default());
    assert!(done.named() > 5 && done.inlined > 0, "{done:?}");
    assert_eq!(of_timeline(&timeline, program, false), expected);
    let whole = ["leaf", "inner", "outer", "main"].map(str::to_owned).to_vec();
    let plain = ["leaf", "outer", "main"].map(str::to_owned).to_vec();
    let with_inlined = of_timeline(&timeline, program, true);
    assert_eq!(with_inlined.get(&whole), expected.get(&plain), "{with_inlined:#?}");
    assert!(expected.get(&plain).is_some_and(|count| *count > 10), "{expected:#?}");
}
