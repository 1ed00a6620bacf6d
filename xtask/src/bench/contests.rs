//! Whole commands with what is wanted of them: a speed, or a multiple of another tool's.

use super::bench_inputs::Input;

/// Another tool that does the same work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// The program that must be there.
    pub program: &'static str,
    /// The line for a shell; `IN` is the input, `OUT` the beginning of a path that may be written.
    pub line: &'static str,
}

/// The goal of a command.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// At least so many times as fast as the peer.
    TimesPeer(f64),
    /// At least so many megabytes of the input in a CPU second.
    Megabytes(f64),
    /// At most so many milliseconds of CPU time.
    Milliseconds(f64),
    /// At most so many times the CPU time of the contest with this name.
    TimesOwn(&'static str, f64),
}

/// One command, its peer if there is one, and the goal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contest {
    pub name: &'static str,
    /// `None` for commands without an input.
    pub input: Option<Input>,
    /// The arguments; `IN` and `OUT` as in a peer's line.
    pub command: &'static str,
    pub peer: Option<Peer>,
    pub goal: Goal,
}

const fn against(
    name: &'static str,
    input: Input,
    command: &'static str,
    (peer, times): (Peer, f64),
) -> Contest {
    let goal = Goal::TimesPeer(times);
    Contest { name, input: Some(input), command, peer: Some(peer), goal }
}

const fn alone(name: &'static str, input: Input, command: &'static str, goal: Goal) -> Contest {
    Contest { name, input: Some(input), command, peer: None, goal }
}

const DMTRACEDUMP: Peer = Peer { program: "dmtracedump", line: "dmtracedump -o 'IN'" };
const PERF: Peer = Peer { program: "perf", line: "perf script -i 'IN'" };
/// Taking apart and putting together, which is what a rewriting by smali costs before anything is rewritten.
const APKTOOL: Peer = Peer {
    program: "apktool",
    line: "rm -rf 'OUT.dir' && apktool --quiet d -r -o 'OUT.dir' 'IN' && apktool --quiet b -o 'OUT.built.apk' 'OUT.dir'",
};
const TRACE_PROCESSOR: Peer = Peer {
    program: "trace_processor_shell",
    line: "echo 'SELECT 1;' > 'OUT.sql' && trace_processor_shell -q 'OUT.sql' 'IN'",
};

const REPORT: &str = "report IN";
const PIXEL: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
const PIXEL_10: Input = Input::Repeated(PIXEL, 10);
const PIXEL_100: Input = Input::Repeated(PIXEL, 100);
const METHODS: Input = Input::Generated("methods", ".trace", 1);
const DEX: Input = Input::Generated("dex", ".dex", 2);

/// All of them.
pub const CONTESTS: &[Contest] = &[
    Contest {
        name: "start",
        input: None,
        command: "--version",
        peer: None,
        goal: Goal::Milliseconds(5.0),
    },
    against("scheduler x100", PIXEL_100, REPORT, (TRACE_PROCESSOR, 5.0)),
    alone("scheduler x10", PIXEL_10, REPORT, Goal::Megabytes(150.0)),
    alone(
        "scheduler x10, JSON",
        PIXEL_10,
        "report IN --json OUT.json",
        Goal::TimesOwn("scheduler x10", 1.3),
    ),
    alone(
        "scheduler x10, HTML",
        PIXEL_10,
        "report IN --html OUT.html",
        Goal::TimesOwn("scheduler x10", 1.3),
    ),
    against("method trace", METHODS, REPORT, (DMTRACEDUMP, 5.0)),
    against(
        "method trace, real",
        Input::Real("art_trace/perflib-streaming.trace"),
        REPORT,
        (DMTRACEDUMP, 5.0),
    ),
    against("perf.data", Input::Generated("perf-data", ".data", 2), REPORT, (PERF, 5.0)),
    against(
        "perf.data of 170 kB, real",
        Input::Real("perfdata/LinuxTracepoints-perf.data"),
        REPORT,
        (PERF, 5.0),
    ),
    alone("Windows log", Input::Generated("windows", ".etl", 4), REPORT, Goal::Megabytes(300.0)),
    alone(
        "batterystats",
        Input::Generated("batterystats", ".txt", 4),
        REPORT,
        Goal::Megabytes(200.0),
    ),
    alone("logcat", Input::Generated("logcat", ".txt", 4), REPORT, Goal::Megabytes(200.0)),
    against(
        "package, instrument",
        Input::Real("apk/droidbotApp.apk"),
        "instrument IN -q -o OUT.apk",
        (APKTOOL, 200.0),
    ),
    against(
        "package, instrument --all",
        Input::Real("apk/droidbotApp.apk"),
        "instrument IN --all -q -o OUT.apk",
        (APKTOOL, 200.0),
    ),
    alone(
        "DEX, instrument",
        DEX,
        "instrument IN --short-methods probe -q -o OUT.dex",
        Goal::Megabytes(50.0),
    ),
    alone(
        "DEX, instrument --all",
        DEX,
        "instrument IN --all --short-methods probe -q -o OUT.dex",
        Goal::Megabytes(30.0),
    ),
    alone(
        "DEX, instrument --all --mode both",
        DEX,
        "instrument IN --all --mode both --short-methods probe -q -o OUT.dex",
        Goal::Megabytes(30.0),
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CONTESTS, Goal};

    #[test]
    fn contests_are_named_once_and_their_goals_can_be_judged() {
        let names: BTreeSet<&str> = CONTESTS.iter().map(|contest| contest.name).collect();
        assert_eq!(names.len(), CONTESTS.len());
        for contest in CONTESTS {
            match contest.goal {
                Goal::TimesPeer(_) => assert!(contest.peer.is_some(), "{}", contest.name),
                Goal::TimesOwn(other, _) => assert!(names.contains(other), "{}", contest.name),
                Goal::Megabytes(_) => assert!(contest.input.is_some(), "{}", contest.name),
                Goal::Milliseconds(_) => {}
            }
        }
    }
}
