//! The Gradle plugin, built and used by the Gradle of Debian.

use std::path::Path;
use std::process::Command;

use wattle_testdata::requires;

/// A program that says which arguments it got; without a package it fails as `wattle run` does without a device.
const ECHO: &str = "#!/bin/sh\nprintf 'got'; printf ' [%s]' \"$@\"; printf '\\n'\ncase \"$2\" in *broken*) echo 'wattle: no device is attached' >&2; exit 4;; esac\n";

/// The built plugin, on the class path of all modules.
const BUILD: &str = "buildscript { dependencies { classpath files(System.getenv('PLUGIN')) } }
subprojects {
    apply plugin: 'wattle.energy'
    wattle { program = System.getenv('ECHO') }
    // What Android's plugin has for the variants.
    task assembleDebug { doLast { println \"built ${project.name}\" } }
    task assembleDebugAndroidTest { doLast { println \"built tests of ${project.name}\" } }
}
project(':flavored') { wattle { variant = 'freeRelease' } }
project(':stated') { wattle { apk = 'other.apk'; withTests = false; keep = false; commit = 'abc123'; device = 'S1'; arguments = ['--duration=2'] } }
project(':real') { wattle { program = System.getenv('WATTLE'); apk = System.getenv('APK'); keep = true; arguments = ['--simulate', '--duration=2', '--quiet', '--out=recorded'] } }
";

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Runs Gradle without a network and without a daemon that stays; how it ended, and what it printed.
fn gradle(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (bool, String) {
    let output = Command::new("gradle")
        .args(["--offline", "--no-daemon", "--console=plain", "--gradle-user-home"])
        .arg(folder.join(".gradle-home"))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .expect("Gradle runs");
    let text = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    (output.status.success(), text.concat())
}

#[requires(data, program = "gradle", program = "adb")]
#[test]
fn gradle_hands_packages_to_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let plugin = folder.path().join("plugin");
    copy_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/gradle"), &plugin);
    let (is_built, text) = gradle(&plugin, &["-q", "jar"], &[]);
    assert!(is_built, "{text}");
    let jar = plugin.join("build/libs/wattle-gradle-0.1.0.jar");

    let project = folder.path().join("project");
    let write = |name: &str, text: &str| {
        let file = project.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("written");
    };
    write("build.gradle", BUILD);
    let modules = ["plain", "flavored", "several", "missing", "stated", "broken", "real"];
    write("settings.gradle", &format!("include '{}'", modules.join("', '")));
    write("plain/src/androidTest/T.kt", "");
    write("plain/build/outputs/apk/debug/plain-debug.apk", "");
    write("plain/build/outputs/apk/androidTest/debug/plain-debug-androidTest.apk", "");
    write("plain/build/outputs/mapping/debug/mapping.txt", "");
    write("flavored/build/outputs/apk/free/release/app-free-release.apk", "");
    write("flavored/build/outputs/apk/paid/release/app-paid-release.apk", "");
    write("flavored/build/outputs/mapping/freeRelease/mapping.txt", "");
    write("several/build/outputs/apk/debug/app-arm64-v8a-debug.apk", "");
    write("several/build/outputs/apk/debug/app-x86_64-debug.apk", "");
    write("missing/build/outputs/apk/androidTest/debug/tests.apk", "");
    write("broken/build/outputs/apk/debug/broken.apk", "");
    write("stated/other.apk", "");
    write("real/.keep", "");
    write("echo", ECHO);
    let echo = project.join("echo");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&echo, executable).expect("an executable file");
    let history = folder.path().join("history");
    let apk = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let text = |path: &Path| path.to_str().expect("a path").to_owned();
    let (plugin, echo, apk, store) = (text(&jar), text(&echo), text(&apk), text(&history));
    let variables = [
        ("PLUGIN", plugin.as_str()),
        ("ECHO", &echo),
        ("APK", &apk),
        ("WATTLE", env!("CARGO_BIN_EXE_wattle")),
        ("WATTLE_STORE", &store),
    ];
    let arguments = [
        "--continue",
        "wattleRun",
        "-Pwattle.tests=a.T#x,y;a.U",
        "-Pwattle.arguments=--battery --seed=1",
    ];
    let (_, output) = gradle(&project, &arguments[..2], &variables);
    let has = |part: &str| assert!(output.contains(part), "{part}\n{output}");
    let root = text(&project.canonicalize().expect("a folder"));
    has(&format!(
        "got [run] [{root}/plain/build/outputs/apk/debug/plain-debug.apk] \
         [--test-apk={root}/plain/build/outputs/apk/androidTest/debug/plain-debug-androidTest.apk] \
         [--mapping={root}/plain/build/outputs/mapping/debug/mapping.txt] [--keep]"
    ));
    has("built plain");
    has("built tests of plain");
    has(&format!(
        "got [run] [{root}/flavored/build/outputs/apk/free/release/app-free-release.apk] \
         [--mapping={root}/flavored/build/outputs/mapping/freeRelease/mapping.txt] [--keep]"
    ));
    has(&format!(
        "got [run] [{root}/stated/other.apk] [--serial=S1] [--commit=abc123] [--duration=2]"
    ));
    assert!(!output.contains("built stated") && !output.contains("built tests of flavored"));
    has("has 2 packages (app-arm64-v8a-debug.apk, app-x86_64-debug.apk); set wattle { apk = … }");
    has("no package of the variant debug was built; build it, or set wattle { apk = … }");
    has("wattle: no device is attached");
    has("wattle run ended with exit code 4: the device or the environment failed");

    // The real program and a simulated phone: the run is in the history.
    let mut runs = Command::new(env!("CARGO_BIN_EXE_wattle"));
    let runs = runs.args(["runs", "--json", "-", "--store", &store]).output().expect("it runs");
    let runs: serde_json::Value = serde_json::from_slice(&runs.stdout).expect("JSON");
    assert_eq!(runs["runs"][0]["app"], "a2dp.Vol", "{runs:#}\n{output}");
    assert_eq!(runs["runs"][0]["outcome"], "passed", "{runs:#}");

    // What is given on the command line goes before the build script.
    let (is_done, output) =
        gradle(&project, &[&[":plain:wattleRun"], &arguments[2..]].concat(), &variables);
    assert!(is_done, "{output}");
    assert!(output.contains("[--test=a.T#x,y] [--test=a.U]"), "{output}");
    assert!(output.contains("[--keep] [--battery] [--seed=1]"), "{output}");
}
