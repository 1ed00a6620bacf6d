//! The measured commands and their inputs, one row each.

use std::path::Path;

use super::bench_inputs::Input;

/// One command on one input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workload {
    pub name: &'static str,
    pub input: Input,
    /// The arguments; `IN` is the input, `OUT` the beginning of a path that may be written.
    pub command: &'static str,
}

impl Workload {
    /// The arguments with both paths in their places.
    pub fn arguments(&self, input: &Path, folder: &Path) -> Vec<String> {
        let out = folder.join("out");
        let replace = |word: &str| {
            word.replace("IN", &input.to_string_lossy()).replace("OUT", &out.to_string_lossy())
        };
        self.command.split(' ').map(replace).collect()
    }
}

const fn workload(name: &'static str, input: Input, command: &'static str) -> Workload {
    Workload { name, input, command }
}

const REPORT: &str = "report IN";
const PIXEL: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
const PIXEL_10: Input = Input::Repeated(PIXEL, 10);
const PIXEL_100: Input = Input::Repeated(PIXEL, 100);
const METHODS: Input = Input::Generated("methods", ".trace", 1);

/// The commands that commits are compared by: every kind of input, every view.
pub const AGAINST: &[Workload] = &[
    workload("scheduler x100, terminal", PIXEL_100, REPORT),
    workload("scheduler x10, terminal", PIXEL_10, REPORT),
    workload("scheduler x10, JSON", PIXEL_10, "report IN --json OUT.json"),
    workload("scheduler x10, HTML", PIXEL_10, "report IN --html OUT.html"),
    workload("scheduler x10, export pprof", PIXEL_10, "export IN -o OUT.pb.gz"),
    workload("scheduler x10, export parquet", PIXEL_10, "export IN -f parquet -o OUT.parquet"),
    workload("scheduler x10, diagnose", PIXEL_10, "diagnose IN"),
    workload("simulated phone", Input::Generated("scheduler", ".perfetto-trace", 2), REPORT),
    workload("rails", Input::Generated("rails", ".perfetto-trace", 2), REPORT),
    workload(
        "rails, real",
        Input::Real("perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace"),
        REPORT,
    ),
    workload("ftrace text", Input::Generated("ftrace", ".txt", 2), REPORT),
    workload("systrace, real", Input::Real("systrace/petra-systrace_example"), REPORT),
    workload("method trace", METHODS, REPORT),
    workload("method trace, JSON", METHODS, "report IN --json OUT.json"),
    workload("method trace, real", Input::Real("art_trace/perflib-streaming.trace"), REPORT),
    workload("perf.data", Input::Generated("perf-data", ".data", 2), REPORT),
    workload(
        "perf.data of simpleperf, real",
        Input::Real("perfdata/simpleperf-has_embedded_native_libs_apk_perf.data"),
        REPORT,
    ),
    workload("perf script", Input::Generated("perf-script", ".txt", 2), REPORT),
    workload("collapsed stacks", Input::Generated("folded", ".folded", 2), REPORT),
    workload("simpleperf report", Input::Generated("simpleperf", ".trace", 2), REPORT),
    workload(
        "simpleperf report, real",
        Input::Real("perfdata/firefox-simpleperf-task-clock.trace.gz"),
        REPORT,
    ),
    workload("Windows log", Input::Generated("windows", ".etl", 1), REPORT),
    workload("Windows log, diagnose", Input::Generated("windows", ".etl", 1), "diagnose IN"),
    workload("Windows log, real", Input::Real("etl/perfview-net.4.5.x86-2016.etl.zip"), REPORT),
    workload("logcat", Input::Generated("logcat", ".txt", 2), REPORT),
    workload("logcat, real", Input::Real("logcat/ms-AndroidLogcatWSA.log"), REPORT),
    workload("batterystats", Input::Generated("batterystats", ".txt", 2), REPORT),
    workload("batterystats, real", Input::Real("batterystats/emanafa-batstat_mi9.log"), REPORT),
    workload("bug report", Input::Generated("bugreport", ".txt", 2), REPORT),
    workload("bug report, real", Input::Real("bugreport/chkbugreport-deadlock.txt"), REPORT),
    workload(
        "package, instrument",
        Input::Real("apk/droidbotApp.apk"),
        "instrument IN --all -q -o OUT.apk",
    ),
    workload("package, verify", Input::Real("apk/droidbotApp.apk"), "verify IN -q"),
    workload(
        "DEX, instrument",
        Input::Generated("dex", ".dex", 2),
        "instrument IN --all -q -o OUT.dex",
    ),
    workload("DEX, verify", Input::Generated("dex", ".dex", 2), "verify IN -q"),
];

/// The readers and stages that must be linear: inputs that are written here, so that their sizes can be chosen. The scale is the
/// smaller one.
pub const SCALING: &[Workload] = &[
    workload("scheduler, terminal", Input::Generated("scheduler", ".perfetto-trace", 2), REPORT),
    workload(
        "scheduler, JSON",
        Input::Generated("scheduler", ".perfetto-trace", 2),
        "report IN --json OUT.json",
    ),
    workload(
        "scheduler, HTML",
        Input::Generated("scheduler", ".perfetto-trace", 2),
        "report IN --html OUT.html",
    ),
    workload(
        "scheduler, export",
        Input::Generated("scheduler", ".perfetto-trace", 2),
        "export IN -o OUT.pb.gz",
    ),
    workload(
        "scheduler, diagnose",
        Input::Generated("scheduler", ".perfetto-trace", 1),
        "diagnose IN",
    ),
    workload("rails", Input::Generated("rails", ".perfetto-trace", 2), REPORT),
    workload("ftrace text", Input::Generated("ftrace", ".txt", 4), REPORT),
    workload("method trace", METHODS, REPORT),
    workload("perf.data", Input::Generated("perf-data", ".data", 4), REPORT),
    workload("perf script", Input::Generated("perf-script", ".txt", 2), REPORT),
    workload("collapsed stacks", Input::Generated("folded", ".folded", 2), REPORT),
    workload("simpleperf report", Input::Generated("simpleperf", ".trace", 4), REPORT),
    workload("Windows log", Input::Generated("windows", ".etl", 1), REPORT),
    workload("Windows log, diagnose", Input::Generated("windows", ".etl", 1), "diagnose IN"),
    workload("logcat", Input::Generated("logcat", ".txt", 2), REPORT),
    workload("batterystats", Input::Generated("batterystats", ".txt", 2), REPORT),
    workload("bug report", Input::Generated("bugreport", ".txt", 2), REPORT),
    workload("DEX, verify", Input::Generated("dex", ".dex", 1), "verify IN -q"),
    workload(
        "DEX, instrument",
        Input::Generated("dex", ".dex", 1),
        "instrument IN --all -q -o OUT.dex",
    ),
];

#[cfg(test)]
mod tests {
    use super::{AGAINST, Input, SCALING};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn workloads_are_named_once_and_have_their_input() {
        for list in [AGAINST, SCALING] {
            let names: BTreeSet<&str> = list.iter().map(|workload| workload.name).collect();
            assert_eq!(names.len(), list.len());
            assert!(list.iter().all(|it| it.command.split(' ').any(|word| word == "IN")));
        }
        assert!(SCALING.iter().all(|it| matches!(it.input, Input::Generated(..))));
        let arguments = SCALING[1].arguments(Path::new("/a/b.trace"), Path::new("/c"));
        assert_eq!(arguments, ["report", "/a/b.trace", "--json", "/c/out.json"]);
    }
}
