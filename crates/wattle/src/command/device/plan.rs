//! Flags to plans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use wattle_device::keeper::KeeperOptions;
use wattle_device::prepare::{Compilation, Condition, Level};
use wattle_device::scenario::{
    HostProgram, InstrumentScenario, Launch, Manual, Monkey, Scenario, ShellScript, StartMode,
    TestFilter, TestPackage,
};
use wattle_device::session::{Build, RunOrder, SessionPlan};
use wattle_device::source::{
    CounterOptions, MeterFile, OwnConfig, SourceChoice, SourceName, SourcePlan,
    perfetto_config_text,
};

use super::connection::Connection;
use super::failure::failure;
use crate::bounded_file;
use crate::cli::{
    Compiled, MethodTrace, Order, PreparationFlags, ScenarioFlags, SeriesFlags, SourceFlags, Start,
};
use crate::exit::Failure;

/// The default duration of a recording, in seconds.
const USUAL_LENGTH: f64 = 10.0;
/// Time between two samples of the runtime's method trace.
const SAMPLING: Duration = Duration::from_millis(1);
/// Number of runs from which on the first one of each build only warms up.
const WARMED_UP_FROM: u32 = 5;
/// Folders that are tried for a recording that was not named.
const MOST_FOLDERS: u32 = 100_000;

/// The scenario.
pub fn scenario(
    flags: &ScenarioFlags,
    package: Option<&str>,
    tests: Option<TestPackage>,
) -> Result<Scenario, Failure> {
    let usage = |text: &str| Failure::Usage(anyhow!("{text}"));
    let app = || package.map(str::to_owned).ok_or_else(|| usage("expected the package of an app"));
    let asked_for_tests = !flags.test.is_empty() || !flags.test_argument.is_empty();
    let other = flags.monkey.is_some()
        || flags.script.is_some()
        || flags.manual
        || flags.duration.is_some()
        || !flags.host.is_empty();
    if asked_for_tests && tests.is_none() {
        return Err(usage(
            "--test and --test-argument need tests: name them with --test-apk or --instrumentation",
        ));
    }
    if asked_for_tests && other {
        return Err(usage("--test: cannot be combined with another scenario"));
    }
    let starts = flags.start != Start::Cold || flags.activity.is_some();
    if starts && (package.is_none() || tests.is_some() && !other) {
        return Err(usage(
            "--start and --activity start an app: name its package, and no tests unless --duration is given",
        ));
    }
    if let Some(tests) = tests.filter(|_| !other) {
        return Ok(Scenario::Instrument(InstrumentScenario {
            tests,
            filter: TestFilter::parse(&flags.test.join(";")).map_err(failure)?,
            arguments: arguments(&flags.test_argument)?,
        }));
    }
    if let Some(events) = flags.monkey {
        return Ok(Scenario::Monkey(Monkey {
            package: app()?,
            seed: flags.seed.unwrap_or(1),
            events,
            throttle: Duration::from_millis(u64::from(flags.throttle.unwrap_or(100))),
            extra: Vec::new(),
        }));
    }
    if let Some(file) = &flags.script {
        if !file.is_file() {
            return Err(Failure::Input(anyhow!(
                "--script {}: expected a shell script",
                file.display()
            )));
        }
        return Ok(Scenario::Shell(ShellScript { file: file.clone(), arguments: Vec::new() }));
    }
    if let Some((program, arguments)) = flags.host.split_first() {
        return Ok(Scenario::Host(HostProgram {
            program: PathBuf::from(program),
            arguments: arguments.to_vec(),
            environment: Vec::new(),
        }));
    }
    if flags.manual {
        return Ok(Scenario::Manual(Manual::until_enter()));
    }
    let length = seconds("--duration", flags.duration.unwrap_or(USUAL_LENGTH))?;
    Ok(match package {
        Some(package) => Scenario::Launch(Launch {
            package: package.to_owned(),
            activity: flags.activity.clone(),
            mode: match flags.start {
                Start::Cold => StartMode::Cold,
                Start::Warm => StartMode::Warm,
                Start::Hot => StartMode::Hot,
            },
            length,
        }),
        None => Scenario::Nothing(length),
    })
}

fn arguments(given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| {
        let (key, value) = text
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| Failure::Usage(anyhow!("--test-argument {text}: expected KEY=VALUE")))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    given.iter().map(pair).collect()
}

/// The sources to record.
pub fn sources(flags: &SourceFlags) -> Result<SourcePlan, Failure> {
    let set = |names: &[SourceName]| names.iter().copied().collect::<BTreeSet<_>>();
    let mut plan = SourcePlan::default();
    let mut with = set(&flags.with);
    if let Some(how) = flags.method_trace {
        with.insert(SourceName::ArtTrace);
        plan.art_trace.sampling = (how == MethodTrace::Sampled).then_some(SAMPLING);
    }
    plan.choice = if !flags.source.is_empty() {
        let mut only = set(&flags.source);
        only.extend(with);
        SourceChoice::Only(only)
    } else if !flags.without.is_empty() {
        if let Some(both) = flags.without.iter().find(|name| with.contains(name)) {
            return Err(Failure::Usage(anyhow!("--without {both}: another flag requests it")));
        }
        SourceChoice::Without(set(&flags.without))
    } else if with.is_empty() {
        SourceChoice::Auto
    } else {
        SourceChoice::With(with)
    };
    if let Some(period) = flags.poll {
        let period = Duration::from_millis(u64::from(period));
        plan.counters = CounterOptions::every(period).map_err(failure)?;
    }
    if let Some(path) = &flags.meter {
        if !path.is_file() {
            return Err(Failure::Input(anyhow!("{}: expected a meter's file", path.display())));
        }
        plan.meter = Some(MeterFile { path: path.clone(), clock: flags.meter_clock.clone() });
    }
    plan.perfetto.interrupts = flags.interrupts;
    plan.perfetto.hardware_counters = flags.hardware_counters;
    plan.perfetto.frames = !flags.no_frames;
    if let Some(path) = &flags.perfetto_config {
        let bytes = bounded_file::bytes(path, bounded_file::MOST).map_err(Failure::Input)?;
        if bytes.is_empty() {
            let text = "expected a configuration of Perfetto, found an empty file";
            return Err(Failure::Input(anyhow!("{}: {text}", path.display())));
        }
        plan.perfetto.own = Some(OwnConfig::new(bytes));
    }
    Ok(plan)
}

/// The configuration of Perfetto as text, where it is asked for: its limit of time is that of the scenario.
pub fn shown_config(
    flags: &SourceFlags,
    scenario: &ScenarioFlags,
    package: Option<&str>,
    sources: &SourcePlan,
) -> Result<Option<String>, Failure> {
    let Some(sdk) = flags.show_config else { return Ok(None) };
    let apps: Vec<&str> = package.into_iter().collect();
    let limit = seconds("--timeout", scenario.timeout)?;
    Ok(Some(perfetto_config_text(&sources.perfetto, &apps, sdk, limit)))
}

/// The options of the device's keeper.
pub fn keeper(
    flags: &PreparationFlags,
    series: &SeriesFlags,
    connection: &Connection,
    package: Option<&str>,
) -> Result<KeeperOptions, Failure> {
    let mut options = KeeperOptions::new(connection.journals()?);
    let wanted = &mut options.preparation;
    wanted.fake_unplug = !flags.keep_plug_state;
    wanted.wake_screen = !flags.leave_screen;
    wanted.keep_screen_on = !flags.leave_screen;
    wanted.still_animations = flags.no_animations;
    wanted.brightness = flags.brightness.and_then(|level| u8::try_from(level).ok());
    wanted.fixed_performance = flags.fixed_performance;
    wanted.halt_charging = flags.battery;
    if flags.clear_data {
        let package = package.ok_or_else(|| {
            Failure::Usage(anyhow!("--clear-data: expected the package of an app"))
        })?;
        wanted.clear_data_of.push(package.to_owned());
    }
    options.limits.least_charge = f64::from(flags.min_charge);
    if flags.force {
        for condition in Condition::ALL {
            if options.limits.level(condition) == Level::Refuse {
                options.limits.levels.insert(condition, Level::Warn);
            }
        }
    }
    if flags.battery {
        // A cable that does not charge is no reason to warn.
        options.limits.levels.insert(Condition::Charging, Level::Ignore);
    }
    options.compilation = flags.compilation.map(|part| match part {
        Compiled::None => Compilation::None,
        Compiled::Baseline => Compilation::Baseline,
        Compiled::Full => Compilation::Full,
    });
    if options.compilation.is_some() && package.is_none() {
        return Err(Failure::Usage(anyhow!("--compilation: expected the package of an app")));
    }
    options.cool_down.to_celsius = series.cool_to;
    options.replace = flags.replace;
    options.restore_app = flags.restore_app;
    options.grant = true;
    options.console.clone_from(&connection.console);
    Ok(options)
}

/// The session.
pub fn session(
    folder: PathBuf,
    builds: Vec<Build>,
    series: &SeriesFlags,
    scenario: &ScenarioFlags,
    sources: SourcePlan,
) -> Result<SessionPlan, Failure> {
    let mut builds = builds.into_iter();
    let first = builds.next().context("nothing to run").map_err(Failure::Usage)?;
    let tool = format!("wattle {}", env!("CARGO_PKG_VERSION"));
    let mut plan = SessionPlan::new(folder, tool, first);
    plan.builds.extend(builds);
    plan.repeat = series.repeat;
    let usual = u32::from(series.repeat >= WARMED_UP_FROM);
    plan.warm_up = series.warm_up.unwrap_or(usual);
    plan.order = match series.order {
        Order::Mirrored => RunOrder::Mirrored,
        Order::Alternating => RunOrder::Alternating,
        Order::Random => RunOrder::Random(series.order_seed),
    };
    plan.cool_down = seconds("--cool-down", series.cool_down)?;
    plan.resume = series.resume;
    plan.keep_going = series.keep_going;
    plan.sources = sources;
    plan.scenario_limit = seconds("--timeout", scenario.timeout)?;
    Ok(plan)
}

fn seconds(flag: &str, value: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(value)
        .map_err(|_| Failure::Usage(anyhow!("{flag} {value}: expected seconds, 0 or more")))
}

/// The folder that was named, else the first of `NAME-1`, `NAME-2` … that is not there.
pub fn folder(named: Option<&Path>, name: &str) -> PathBuf {
    if let Some(named) = named {
        return named.to_owned();
    }
    let free = (1..MOST_FOLDERS).map(|number| PathBuf::from(format!("{name}-{number}")));
    let mut free = free.filter(|path| !path.exists());
    free.next().unwrap_or_else(|| PathBuf::from(name))
}
