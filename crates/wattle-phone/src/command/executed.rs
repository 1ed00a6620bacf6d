//! Tests whose code is executed on the Android runtime of this machine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use wattle_sim::replay::ReplayProcess;

use super::instrument_arguments::Arguments;
use super::test_report::{FAILED, IGNORED, PASSED, Report, STARTED, TestPosition};
use crate::Event;
use crate::art::{
    ArtEntry, ArtError, ArtEvent, ArtEventKind, ArtJob, ArtProcess, LogPriority, TestMethod,
    test_methods,
};
use crate::core::Core;
use crate::device_log::{Line, Writer};
use crate::state::InstalledPackage;
use crate::tool::Call;

/// Threads of one process that get numbers of their own.
const MOST_THREADS: u32 = 4096;
/// After so long a run is killed.
const MOST_TIME: Duration = Duration::from_mins(10);
/// Pause between two checks of an execution.
const LOOK: Duration = Duration::from_millis(10);

/// A process that runs in the runtime, with what the phone knows of it.
struct Executed<'a> {
    core: &'a Arc<Core>,
    target: &'a InstalledPackage,
    pid: u32,
}

/// The result of the run.
enum End {
    Whole,
    Died(String),
}

/// Runs the tests of a package that were asked for.
pub(super) fn run(
    call: &mut Call,
    arguments: &Arguments,
    tests_of: &InstalledPackage,
    target: &InstalledPackage,
) -> io::Result<u8> {
    let core = Arc::clone(&call.core);
    core.happened(Event::ScenarioStarted);
    core.end_package(&target.name);
    let begin = core.clock.boot();
    let pid = core.journal.begin(begin, target.uid, &target.name, Some(&target.name));
    core.journal.reserve(MOST_THREADS);
    let executed = Executed { core: &core, target, pid };
    let started = executed.start(arguments, tests_of);
    let (tests, process) = match started {
        Ok(started) => started,
        Err(error) => {
            core.journal.end(core.clock.boot(), pid);
            return call
                .fail(format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {error}"));
        }
    };
    let mut report = Report::new(call, arguments);
    let (end, failures) = executed.follow(&tests, process, &mut report);
    match end {
        End::Died(reason) => report.crashed(&reason),
        End::Whole => {
            for (number, test) in tests.iter().enumerate().filter(|(_, test)| test.ignored) {
                for status in [STARTED, IGNORED] {
                    report.test(position(&tests, number, test), status, None);
                }
            }
            let seconds = (core.clock.boot() - begin).value() as f64 * 1e-9;
            report.finished(tests.len(), failures, seconds);
            core.happened(Event::ScenarioEnded);
        }
    }
    Ok(0)
}

impl Executed<'_> {
    fn start(
        &self,
        arguments: &Arguments,
        tests_of: &InstalledPackage,
    ) -> Result<(Vec<TestMethod>, ArtProcess), ArtError> {
        let mut packages = self.target.host_files.clone();
        if tests_of.name != self.target.name {
            packages.extend(tests_of.host_files.iter().cloned());
        }
        let mut tests = Vec::new();
        for file in &tests_of.host_files {
            let others: Vec<_> = packages.iter().filter(|other| *other != file).cloned().collect();
            tests.extend(test_methods(file, &others)?);
        }
        tests.retain(|test| arguments.wants(&test.class, &test.method));
        let run: Vec<TestMethod> =
            tests.iter().filter(|test| !test.ignored && !arguments.only_listed).cloned().collect();
        let home = self.core.files.on_host(&format!("/data/data/{}", self.target.name));
        let probes = home.join("files").to_string_lossy().into_owned();
        let mut job = ArtJob::new(packages, ArtEntry::Tests(run), self.pid, home);
        job.uid = self.target.uid;
        job.boot_ahead = self.core.clock.boot_ahead();
        job.properties = vec![("wattle.dir".to_owned(), probes)];
        job.timeout = MOST_TIME;
        let runtime = self.core.runtime.as_ref();
        let missing = || ArtError::Missing { folder: std::path::PathBuf::new() };
        Ok((tests, runtime.ok_or_else(missing)?.start(&job)?))
    }

    /// Follows the process to its end, and tells what its tests do.
    fn follow(
        &self,
        tests: &[TestMethod],
        mut process: ArtProcess,
        report: &mut Report<'_>,
    ) -> (End, usize) {
        let mut failures = 0;
        let mut begun = 0;
        let mut death = None;
        loop {
            let running = process.is_running().unwrap_or(false);
            let events = process.poll().map(<[ArtEvent]>::to_vec).unwrap_or_default();
            let mut is_told = false;
            for event in &events {
                match &event.kind {
                    ArtEventKind::TestBegin(name) => {
                        report_test(report, tests, name, STARTED, None);
                        self.core.happened(Event::TestStarted);
                        if self.core.faults().crash_test == Some(begun) {
                            death =
                                Some("java.lang.IllegalStateException: simulated crash".to_owned());
                        }
                        begun += 1;
                    }
                    ArtEventKind::TestPassed(name) => {
                        report_test(report, tests, name, PASSED, None);
                        is_told = true;
                    }
                    ArtEventKind::TestFailed { test, stack, .. } => {
                        failures += 1;
                        report_test(report, tests, test, FAILED, Some(stack));
                        is_told = true;
                    }
                    ArtEventKind::Log { priority, tag, message } => {
                        self.log(event, level(*priority), tag, message);
                    }
                    ArtEventKind::Crash { class, message, stack } => {
                        let text = format!(
                            "FATAL EXCEPTION: main\nProcess: {}\n{stack}",
                            self.target.name
                        );
                        self.log(event, 'E', "AndroidRuntime", &text);
                        death = Some(format!("{class}: {message}"));
                    }
                    _ => {}
                }
            }
            if death.is_none() && !self.core.journal.is_running(self.pid) {
                death = Some("Process ended from outside".to_owned());
            }
            if !running || death.is_some() {
                break;
            }
            // What has happened so far is what a recording that ends now holds.
            if is_told {
                self.take_over(process.replayed(&self.target.name));
            }
            std::thread::sleep(LOOK);
        }
        if death.is_some() {
            // One that has ended needs no killing.
            let _ = process.kill();
        }
        let run = process.wait();
        if let Ok(run) = &run {
            self.take_over(run.replayed(&self.target.name));
            if death.is_none() && !run.status.success() {
                death = Some(format!(
                    "Process crashed. {}",
                    run.output.lines().last().unwrap_or_default()
                ));
            }
        }
        self.core.journal.end(self.core.clock.boot(), self.pid);
        (death.map_or(End::Whole, End::Died), failures)
    }

    fn take_over(&self, mut process: ReplayProcess) {
        if !self.core.journal.is_running(self.pid) {
            return;
        }
        process.package = Some(self.target.name.clone());
        process.parent = 561;
        self.core.journal.replace(process);
    }

    fn log(&self, event: &ArtEvent, level: char, tag: &str, message: &str) {
        let writer =
            Writer { boot: event.at, uid: self.target.uid, pid: self.pid, tid: event.thread.0 };
        let buffer = if tag == "AndroidRuntime" { "crash" } else { "main" };
        self.core.log.write(&self.core.clock, buffer, writer, Line { level, tag, message });
    }
}

fn report_test(
    report: &mut Report<'_>,
    tests: &[TestMethod],
    name: &str,
    status: i32,
    stack: Option<&str>,
) {
    let number = tests.iter().position(|test| test.name() == name).unwrap_or_default();
    if let Some(test) = tests.get(number) {
        report.test(position(tests, number, test), status, stack);
    }
}

const fn level(priority: LogPriority) -> char {
    match priority {
        LogPriority::Verbose => 'V',
        LogPriority::Debug => 'D',
        LogPriority::Info => 'I',
        LogPriority::Warning => 'W',
        LogPriority::Error => 'E',
        LogPriority::Assert => 'F',
    }
}

fn position<'t>(tests: &[TestMethod], number: usize, test: &'t TestMethod) -> TestPosition<'t> {
    let (class, method) = (test.class.as_str(), test.method.as_str());
    TestPosition { class, method, number: number + 1, all: tests.len() }
}
