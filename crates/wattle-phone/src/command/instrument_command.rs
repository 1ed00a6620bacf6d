//! `am instrument`, as `Instrument.java` of AOSP and the AndroidX test runner report.

use std::io;
use std::sync::Arc;

use super::executed;
use super::instrument_arguments::Arguments;
use super::test_report::{ASSUMED, FAILED, IGNORED, PASSED, Report, STARTED, TestPosition};
use crate::Event;
use crate::app::{AppProcess, Performer, test_steps};
use crate::art::{ArtError, test_methods};
use crate::core::Core;
use crate::state::InstalledPackage;
use crate::tool::Call;
use crate::workload::{TestOutcome, TestSpec};

/// The reason that stands with each test whose code is not executed.
const NOT_EXECUTED: &str = "not executed: this simulated phone runs no code of packages (--execute does, with an Android runtime)";

/// Runs the tests that were asked for.
pub(super) fn instrument(call: &mut Call) -> io::Result<u8> {
    let arguments = Arguments::parse(&call.arguments);
    let found = find(call, &arguments.component);
    let Some((tests_of, target)) = found else {
        let component = arguments.component.clone();
        call.out(format!(
            "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{component}}}\n\
             INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
        ))?;
        return call
            .fail(format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {component}"));
    };
    let core = Arc::clone(&call.core);
    if core.runtime.is_some() {
        return executed::run(call, &arguments, &tests_of, &target);
    }
    let tests = match tests(&core, &tests_of, &target) {
        Ok(tests) => tests,
        Err(error) => {
            return call
                .fail(format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {error}"));
        }
    };
    let tests: Vec<TestSpec> =
        tests.into_iter().filter(|test| arguments.wants(&test.class, &test.method)).collect();
    core.happened(Event::ScenarioStarted);
    // What ran of the app before is ended.
    core.end_package(&target.name);
    let process =
        AppProcess::start(&core, &target, &format!("instrumentation {{{}}}", arguments.component));
    let mut report = Report::new(call, &arguments);
    let mut performer = Performer::main(&process);
    performer.run(&[crate::Step::busy(60), crate::Step::Storage { read: 900_000, write: 0 }]);
    let begin = core.clock.boot();
    let mut failures = 0;
    for (number, test) in tests.iter().enumerate() {
        let (class, method) = (test.class.as_str(), test.method.as_str());
        let position = TestPosition { class, method, number: number + 1, all: tests.len() };
        report.test(position, STARTED, None);
        core.happened(Event::TestStarted);
        let crash = core.faults().crash_test == Some(number);
        let outcome = if crash {
            TestOutcome::Crashes("java.lang.IllegalStateException: simulated crash".to_owned())
        } else {
            test.outcome.clone()
        };
        let runs = !arguments.only_listed && !matches!(outcome, TestOutcome::Ignored);
        if runs {
            performer.catch_up();
            let steps = if test.steps.is_empty() {
                let map = process.map.as_deref();
                test_steps(&test.class, &test.method, map, core.options.seed)
            } else {
                test.steps.clone()
            };
            let half = if matches!(outcome, TestOutcome::Crashes(_)) {
                steps.len().div_ceil(2)
            } else {
                steps.len()
            };
            let alive = performer.run(steps.get(..half).unwrap_or_default());
            if let TestOutcome::Crashes(exception) = &outcome {
                process.crash(exception, &format!("{}.{}", test.class, test.method));
                report.crashed(exception);
                return Ok(0);
            }
            if !alive {
                report.crashed("Process ended from outside");
                return Ok(0);
            }
        }
        let (status, stack) = match &outcome {
            _ if arguments.only_listed => (PASSED, None),
            TestOutcome::Passes | TestOutcome::Crashes(_) => (PASSED, None),
            TestOutcome::Fails(stack) => (FAILED, Some(stack.as_str())),
            TestOutcome::Ignored => (IGNORED, None),
            TestOutcome::Assumes(words) => (ASSUMED, Some(words.as_str())),
        };
        failures += usize::from(status == FAILED);
        report.test(position, status, stack);
    }
    let seconds = (core.clock.boot() - begin).value() as f64 * 1e-9;
    // The runner looks after its files before it ends, and the probes' last records are written.
    performer.catch_up();
    performer.run(&[crate::Step::busy(15), crate::Step::sleep(280)]);
    process.end();
    report.finished(tests.len(), failures, seconds);
    core.happened(Event::ScenarioEnded);
    Ok(0)
}

/// The package of the tests and the one that they test.
fn find(call: &Call, component: &str) -> Option<(InstalledPackage, InstalledPackage)> {
    let (package, class) = component.split_once('/')?;
    let state = call.core.state();
    let tests = state.packages.by_name.get(package)?;
    let class = if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() };
    let (_, target) = tests.instrumentations.iter().find(|(name, _)| *name == class)?;
    let target = state.packages.by_name.get(target)?;
    Some((tests.clone(), target.clone()))
}

/// The tests that are reported: those that the phone was given, with the outcomes that they were given; else those that the
/// package's code declares, none of which is executed here, and each says so.
fn tests(
    core: &Core,
    tests_of: &InstalledPackage,
    target: &InstalledPackage,
) -> Result<Vec<TestSpec>, ArtError> {
    if !core.options.tests.is_empty() {
        return Ok(core.options.tests.clone());
    }
    let others: Vec<_> =
        if tests_of.name == target.name { Vec::new() } else { target.host_files.clone() };
    let mut found = Vec::new();
    for file in &tests_of.host_files {
        let beside = tests_of.host_files.iter().filter(|other| *other != file);
        let all: Vec<_> = others.iter().chain(beside).cloned().collect();
        for test in test_methods(file, &all)? {
            let outcome = if test.ignored {
                TestOutcome::Ignored
            } else {
                TestOutcome::Assumes(NOT_EXECUTED.to_owned())
            };
            found.push(TestSpec::new(&test.class, &test.method).with_outcome(outcome));
        }
    }
    Ok(found)
}
