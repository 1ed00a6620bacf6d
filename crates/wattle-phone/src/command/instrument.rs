//! `am instrument`, as `Instrument.java` of AOSP and the AndroidX test runner report.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::Event;
use crate::app::{AppProcess, Performer, test_steps};
use crate::state::InstalledPackage;
use crate::tool::Call;
use crate::workload::{TestOutcome, TestSpec};

/// Statuses of a test (`AndroidJUnitRunner`, `InstrumentationResultPrinter`).
const STARTED: i32 = 1;
const PASSED: i32 = 0;
const FAILED: i32 = -2;
const IGNORED: i32 = -3;
const ASSUMED: i32 = -4;

#[derive(Clone, Debug, Default)]
struct Arguments {
    raw: bool,
    wait: bool,
    component: String,
    classes: Vec<String>,
    not_classes: Vec<String>,
    package: Option<String>,
    only_listed: bool,
}

/// Runs the tests that were asked for.
pub(super) fn instrument(call: &mut Call) -> io::Result<u8> {
    let arguments = parse(&call.arguments);
    let found = find(call, &arguments.component);
    let Some((_, target)) = found else {
        let component = arguments.component.clone();
        call.out(format!(
            "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{component}}}\n\
             INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
        ))?;
        return call
            .fail(format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {component}"));
    };
    let core = Arc::clone(&call.core);
    let tests: Vec<TestSpec> =
        tests(call, &target).into_iter().filter(|test| is_wanted(test, &arguments)).collect();
    core.happened(Event::ScenarioStarted);
    // What ran of the app before is ended.
    super::activity::end_package(&core, &target.name);
    let process =
        AppProcess::start(&core, &target, &format!("instrumentation {{{}}}", arguments.component));
    let mut report = Report { call, raw: arguments.raw, gone: !arguments.wait, lines: Vec::new() };
    let mut performer = Performer::main(&process);
    performer.run(&[crate::Step::busy(60), crate::Step::Storage { read: 900_000, write: 0 }]);
    let begin = core.clock.boot();
    let mut failures = 0;
    for (number, test) in tests.iter().enumerate() {
        report.test(test, number + 1, tests.len(), STARTED, None);
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
                return report.crashed(exception);
            }
            if !alive {
                return report.crashed("Process ended from outside");
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
        report.test(test, number + 1, tests.len(), status, stack);
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

fn parse(words: &[String]) -> Arguments {
    let mut arguments = Arguments::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-r" => arguments.raw = true,
            "-w" => arguments.wait = true,
            "-m" | "--no-window-animation" | "--no-hidden-api-checks" | "--no-isolated-storage" => {
            }
            "--user" | "--abi" | "-p" => drop(words.next()),
            "-e" => {
                let (key, value) = (words.next(), words.next().cloned().unwrap_or_default());
                let list = || value.split(',').map(str::to_owned).collect();
                match key.map(String::as_str) {
                    Some("class") => arguments.classes = list(),
                    Some("notClass") => arguments.not_classes = list(),
                    Some("package") => arguments.package = Some(value),
                    Some("log") => arguments.only_listed = value == "true",
                    _ => {}
                }
            }
            _ => word.clone_into(&mut arguments.component),
        }
    }
    arguments
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

/// The tests of a package.
fn tests(call: &Call, target: &InstalledPackage) -> Vec<TestSpec> {
    if !call.core.options.tests.is_empty() {
        return call.core.options.tests.clone();
    }
    let class = format!("{}.ExampleTest", target.name);
    ["opens", "searches", "saves"].iter().map(|method| TestSpec::new(&class, method)).collect()
}

fn is_wanted(test: &TestSpec, arguments: &Arguments) -> bool {
    let whole = format!("{}#{}", test.class, test.method);
    let is_of = |wanted: &String| *wanted == test.class || *wanted == whole;
    let package = arguments.package.as_ref();
    (arguments.classes.is_empty() || arguments.classes.iter().any(is_of))
        && !arguments.not_classes.iter().any(is_of)
        && package.is_none_or(|package| test.class.starts_with(&format!("{package}.")))
}

struct Report<'a> {
    call: &'a mut Call,
    raw: bool,
    /// Nobody listens (any more): the tests go on.
    gone: bool,
    /// What the summary shows.
    lines: Vec<String>,
}

impl Report<'_> {
    fn say(&mut self, text: &str) {
        if !self.gone {
            self.gone = self.call.out(text).is_err();
        }
    }

    fn test(
        &mut self,
        test: &TestSpec,
        number: usize,
        all: usize,
        status: i32,
        stack: Option<&str>,
    ) {
        let TestSpec { class, method, .. } = test;
        if !self.raw {
            if status == FAILED {
                self.lines
                    .push(format!("Error in {method}({class}):\n{}", stack.unwrap_or_default()));
            }
            return;
        }
        let stack = match (status, stack) {
            (_, None) => String::new(),
            (_, Some(stack)) => format!("INSTRUMENTATION_STATUS: stack={stack}\n"),
        };
        let stream = match status {
            STARTED if number == 1 => format!("\n{class}:"),
            PASSED => ".".to_owned(),
            _ => String::new(),
        };
        self.say(&format!(
            "INSTRUMENTATION_STATUS: class={class}\nINSTRUMENTATION_STATUS: current={number}\nINSTRUMENTATION_STATUS: \
             id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests={all}\n{stack}INSTRUMENTATION_STATUS: \
             stream={stream}\nINSTRUMENTATION_STATUS: test={method}\nINSTRUMENTATION_STATUS_CODE: {status}\n"
        ));
    }

    fn crashed(mut self, exception: &str) -> io::Result<u8> {
        // The activity manager needs a moment to see that the process is gone.
        std::thread::sleep(Duration::from_millis(20));
        let short = exception.split(':').next().unwrap_or_default().to_owned();
        let text = if self.raw {
            format!(
                "INSTRUMENTATION_RESULT: longMsg={exception}\nINSTRUMENTATION_RESULT: shortMsg={short}\n\
                 INSTRUMENTATION_CODE: 0\n"
            )
        } else {
            format!("INSTRUMENTATION_RESULT: shortMsg={short}\nINSTRUMENTATION_CODE: 0\n")
        };
        self.say(&text);
        self.call.core.happened(Event::ScenarioEnded);
        Ok(0)
    }

    fn finished(&mut self, tests: usize, failures: usize, seconds: f64) {
        let noun = if tests == 1 { "test" } else { "tests" };
        let verdict = if failures == 0 {
            format!("OK ({tests} {noun})")
        } else {
            format!("FAILURES!!!\nTests run: {tests},  Failures: {failures}")
        };
        let details: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let text = if self.raw {
            format!(
                "INSTRUMENTATION_RESULT: stream=\n\nTime: {seconds:.3}\n\n{verdict}\n\n\nINSTRUMENTATION_CODE: -1\n"
            )
        } else {
            format!("{details}\nTime: {seconds:.3}\n\n{verdict}\n\n\n")
        };
        self.say(&text);
    }
}
