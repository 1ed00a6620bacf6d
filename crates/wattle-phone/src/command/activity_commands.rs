//! `am` and `monkey`.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::instrument_command;
use crate::Event;
use crate::app::{AppProcess, Performer, launch_steps};
use crate::core::Core;
use crate::state::InstalledPackage;
use crate::tool::Call;
use crate::workload::Step;

pub(super) fn am(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    match words.as_slice() {
        ["instrument", ..] => instrument_command::instrument(call),
        ["start" | "start-activity", ..] => start(call),
        ["force-stop" | "kill", rest @ ..] => {
            if let Some(name) = rest.last().map(|name| (*name).to_owned()) {
                call.core.end_package(&name);
            }
            Ok(0)
        }
        ["get-current-user"] => call.out("0\n").map(|()| 0),
        ["broadcast", rest @ ..] => {
            let result = broadcast_result(&call.core, rest);
            call.out(format!("Broadcasting: Intent {{  }}\nBroadcast completed: result={result}\n"))
                .map(|()| 0)
        }
        ["kill-all" | "wait-for-broadcast-idle" | "set-debug-app" | "clear-debug-app", ..] => Ok(0),
        ["profile", rest @ ..] => {
            let rest: Vec<String> = rest.iter().map(|word| (*word).to_owned()).collect();
            super::profile::profile(call, &rest)
        }
        [word, ..] => {
            let text = format!("Unknown command: {word}");
            call.fail(text).map(|_| 255)
        }
        [] => call.fail("Activity manager (activity) commands").map(|_| 255),
    }
}

fn start(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    let after = |flag: &str| {
        words.iter().skip_while(|word| **word != flag).nth(1).map(|word| (*word).to_owned())
    };
    let waits = words.contains(&"-W");
    let stops = words.contains(&"-S");
    let clears = words.contains(&"--activity-clear-task");
    let last = words.last().map(|word| (*word).to_owned()).unwrap_or_default();
    let component = after("-n").unwrap_or(last);
    let name = component.split('/').next().unwrap_or_default().to_owned();
    let package = call.core.state().packages.by_name.get(&name).cloned();
    call.out(format!("Starting: Intent {{ cmp={component} }}\n"))?;
    let Some(package) = package.filter(|package| package.has_activity(&component)) else {
        return call
            .fail(format!("Error type 3\nError: Activity class {{{component}}} does not exist."));
    };
    let core = Arc::clone(&call.core);
    if stops {
        core.end_package(&name);
    }
    let begin = core.clock.boot();
    core.happened(Event::ScenarioStarted);
    let cold = launch(&core, &package, &component);
    if waits {
        std::thread::sleep(Duration::from_millis(if cold { 180 } else { 20 }));
        let total = (core.clock.boot() - begin).value() / 1_000_000;
        let state = match (cold, clears) {
            (true, _) => "COLD",
            (false, true) => "WARM",
            (false, false) => "HOT",
        };
        call.out(format!(
            "Status: ok\nLaunchState: {state}\nActivity: {component}\nTotalTime: {total}\nWaitTime: {}\nComplete\n",
            total + 4
        ))?;
    }
    Ok(0)
}

/// The result of a broadcast: that of an app's profile installer (`ProfileInstaller.RESULT_INSTALL_SUCCESS`) where the app has a
/// profile, and nobody's otherwise.
fn broadcast_result(core: &Core, words: &[&str]) -> u8 {
    const INSTALL: &str = "androidx.profileinstaller.action.INSTALL_PROFILE";
    let receiver = words.last().copied().unwrap_or_default();
    let name = receiver.split('/').next().unwrap_or_default();
    let is_asked = words.contains(&INSTALL) && receiver.contains("ProfileInstallReceiver");
    let has_profile = |package: &InstalledPackage| {
        package.host_files.first().is_some_and(|file| has_entry(file, PROFILE))
    };
    let state = core.state();
    u8::from(is_asked && state.packages.by_name.get(name).is_some_and(has_profile))
}

/// The baseline profile in an APK.
const PROFILE: &str = "assets/dexopt/baseline.prof";

fn has_entry(file: &Path, entry: &str) -> bool {
    let Ok(bytes) = std::fs::read(file) else { return false };
    wattle_apk::Apk::open(&bytes).is_ok_and(|apk| apk.read(entry).is_ok())
}

/// Starts the app with its launcher's work, unless it runs. It stays until it is ended.
fn launch(core: &Arc<Core>, package: &InstalledPackage, component: &str) -> bool {
    let running = core.journal.running();
    if running.iter().any(|process| process.package.as_ref() == Some(&package.name)) {
        return false;
    }
    let process = AppProcess::start(core, package, &format!("top-activity {{{component}}}"));
    let planned = core.options.launches.iter().filter(|spec| spec.package == package.name);
    let planned = planned
        .filter(|spec| spec.version_code.is_none_or(|code| code == package.version_code))
        .max_by_key(|spec| spec.version_code)
        .map(|spec| spec.steps.clone());
    let seed = core.options.seed;
    // Without a thread the app does nothing, which a trace shows.
    let _ = std::thread::Builder::new().name("phone-app".into()).spawn(move || {
        let mut main = Performer::main(&process);
        let steps = planned
            .unwrap_or_else(|| launch_steps(&process.package.name, process.map.as_deref(), seed));
        let boot = process.core.boot_number();
        if !main.run(&steps) {
            return;
        }
        while process.is_running() && process.core.boot_number() == boot {
            main.catch_up();
            main.run(&[Step::busy(1), Step::sleep(200)]);
            if let Some(mut probes) = process.probes() {
                probes.drain(process.core.clock.boot());
            }
        }
    });
    true
}

pub(super) fn monkey(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    let after = |flag: &str| {
        words.iter().skip_while(|word| **word != flag).nth(1).map(|word| (*word).to_owned())
    };
    let name = after("-p").unwrap_or_default();
    let seed: u64 = after("-s").and_then(|seed| seed.parse().ok()).unwrap_or(1_700_000_000);
    let throttle: u64 = after("--throttle").and_then(|ms| ms.parse().ok()).unwrap_or(0);
    let count: u64 = words.last().and_then(|count| count.parse().ok()).unwrap_or(0);
    let verbose = words.contains(&"-v") || words.contains(&"-v-v");
    let package = call.core.state().packages.by_name.get(&name).cloned();
    let arguments: String =
        call.arguments.iter().map(|word| format!("  bash arg: {word}\n")).collect();
    call.out(arguments)?;
    let Some(package) = package.filter(|package| package.launcher.is_some()) else {
        return call.fail("** No activities found to run, monkey aborted.").map(|_| 252);
    };
    let core = Arc::clone(&call.core);
    if verbose {
        call.out(format!(
            ":Monkey: seed={seed} count={count}\n:AllowPackage: {name}\n:IncludeCategory: \
             android.intent.category.LAUNCHER\n:IncludeCategory: android.intent.category.MONKEY\n"
        ))?;
    }
    let component = format!("{name}/{}", package.launcher.clone().unwrap_or_default());
    core.happened(Event::ScenarioStarted);
    launch(&core, &package, &component);
    if verbose {
        call.out(format!(
            ":Switch: #Intent;action=android.intent.action.MAIN;category=android.intent.category.LAUNCHER;component=\
             {component};end\n"
        ))?;
    }
    let crash = core.faults().crash_test.is_some();
    let boot = core.boot_number();
    for event in 0..count {
        if crash && event * 2 >= count {
            core.end_package(&name);
            call.fail(format!(
                "// CRASH: {name} (pid 0)\n// Short Msg: java.lang.IllegalStateException\n// Long Msg: \
                 java.lang.IllegalStateException: simulated crash\n** Monkey aborted due to error."
            ))?;
            call.out(format!("Events injected: {event}\n"))?;
            core.happened(Event::ScenarioEnded);
            return Ok(1);
        }
        if verbose {
            let kind = ["Touch (ACTION_DOWN)", "Touch (ACTION_UP)", "Trackball (ACTION_MOVE)"];
            let place =
                (seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(event) >> 33) as usize;
            let kind = kind.get(place % kind.len()).copied().unwrap_or_default();
            call.out(format!(":Sending {kind}: 0:({}.0,{}.0)\n", place % 1080, place % 2400))?;
        }
        if !core.pause(Duration::from_millis(throttle.max(1)), boot) {
            return Ok(1);
        }
    }
    core.happened(Event::ScenarioEnded);
    call.out(format!(
        "Events injected: {count}\n:Sending rotation degree=0, persist=false\n:Dropped: keys=0 pointers=0 trackballs=0 \
         flips=0 rotations=0\n## Network stats: elapsed time={}ms (0ms mobile, 0ms wifi, 0ms not connected)\n// Monkey \
         finished\n",
        count * throttle.max(1)
    ))
    .map(|()| 0)
}
