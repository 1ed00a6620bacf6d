//! The script that reads counters, run by the shells of this machine on a folder that stands for a phone.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wattle_testdata::requires;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/source/counters.sh");

/// A phone of two cores whose shell may not read `diskstats`.
fn phone(root: &Path) {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    write("proc/uptime", "1234.08 4936.00\n");
    write("proc/net/dev", "Inter-|   Receive\n wlan0: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n");
    write("proc/stat", "cpu  1 2 3 4\ncpu0 1 2 3 4\n");
    write("proc/uid_time_in_state", "uid: 300000 600000\n10123: 5 7\n");
    write("proc/77/task/77/time_in_state", "cpu0\n300000 5\n");
    write("proc/77/task/78/time_in_state", "cpu0\n300000 6\n");
    for cpu in 0..2 {
        let file = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/stats/time_in_state");
        write(&file, &format!("300000 {cpu}\n600000 9\n"));
    }
    write("bin/pidof", "#!/bin/sh\n[ \"$1\" = com.foo ] && echo 77\n");
    write("bin/dumpsys", "#!/bin/sh\n[ \"$*\" = 'netstats detail' ] && echo 'uid stats:'\n");
    for tool in ["pidof", "dumpsys"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(root.join("bin").join(tool), mode).expect("set");
    }
}

/// Lets a shell run the script until it has written some samples; `None`, said loudly, where there is no such shell.
fn poll(shell: &str, period: u32, most: u32, end_it: bool) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    phone(root);
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").expect("a path"));
    let (out, go) = (root.join("out"), root.join("go"));
    std::fs::write(&go, "go\n").expect("written");
    let mut child = Command::new(shell)
        .arg(SCRIPT)
        .args([root.join("proc"), root.join("sys"), out.clone(), go.clone()])
        .args([period.to_string(), most.to_string(), "com.foo".to_owned()])
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{shell}: {error}"));
    let began = Instant::now();
    let text = || std::fs::read_to_string(&out).unwrap_or_default();
    if end_it {
        while text().matches("\n> ").count() < 3 {
            assert!(began.elapsed() < Duration::from_mins(1), "{}", text());
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::remove_file(&go).expect("removed");
    }
    let ended = child.wait().expect("an end");
    assert!(ended.success(), "{ended}");
    let text = text();
    assert!(text.contains(&format!("\n# pid {}\n", child.id())), "{text}");
    assert!(!go.exists(), "nothing is left");
    text
}

/// The samples, each with its paths and the lines of each.
fn samples(text: &str) -> Vec<Vec<(String, Vec<String>)>> {
    let mut samples: Vec<Vec<(String, Vec<String>)>> = Vec::new();
    let mut open = false;
    for line in text.lines().skip(3) {
        if let Some(clock) = line.strip_prefix("@ ") {
            assert!(!open, "{text}");
            check_clock(clock);
            open = true;
            samples.push(Vec::new());
        } else if let Some(clock) = line.strip_prefix("> ") {
            assert!(open, "{text}");
            check_clock(clock);
            open = false;
        } else if let Some(path) = line.strip_prefix("< ") {
            samples.last_mut().expect("a sample").push((path.to_owned(), Vec::new()));
        } else if !line.starts_with("? ") {
            let file = samples.last_mut().and_then(|sample| sample.last_mut());
            file.unwrap_or_else(|| panic!("{line:?} belongs to no file")).1.push(line.to_owned());
        }
    }
    assert!(!open, "the last sample is whole");
    samples
}

#[track_caller]
fn check_clock(clock: &str) {
    let (boot, epoch) = clock.split_once(' ').expect("two clocks");
    assert_eq!(boot, "1234.08");
    let known = epoch.parse::<f64>().is_ok_and(|seconds| seconds > 1.7e9);
    assert!(epoch == "-" || known, "{epoch}");
}

#[track_caller]
fn check(shell: &str) {
    let text = poll(shell, 100, 60, true);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("wattle-counters 1", "# period 100"));
    let samples = samples(&text);
    assert!(samples.len() >= 3);
    let first = &samples[0];
    let lines = |path: &str| {
        let file = first.iter().find(|(name, _)| name == path);
        file.unwrap_or_else(|| panic!("no {path} in {text}")).1.clone()
    };
    assert_eq!(lines("/proc/stat"), ["cpu  1 2 3 4", "cpu0 1 2 3 4"]);
    assert_eq!(lines("/proc/net/dev")[1], " wlan0: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0");
    let frequencies = "/sys/devices/system/cpu/cpu1/cpufreq/stats/time_in_state";
    assert_eq!(lines(frequencies), ["300000 1", "600000 9"]);
    assert_eq!(lines("/proc/77/task/78/time_in_state"), ["cpu0", "300000 6"]);
    assert_eq!(lines("/proc/uid_time_in_state"), ["uid: 300000 600000", "10123: 5 7"]);
    assert_eq!(lines("!netstats"), ["uid stats:"]);
    // What is long is read at the beginning and at the end.
    let long = |sample: &Vec<(String, Vec<String>)>| {
        sample.iter().any(|(path, _)| path == "/proc/uid_time_in_state")
    };
    let with: Vec<bool> = samples.iter().map(long).collect();
    assert!(with[0] && with[with.len() - 1] && !with[1], "{with:?}");
    // Once, however often it is tried.
    assert_eq!(text.matches("? /proc/diskstats is not there\n").count(), 1, "{text}");
}

#[requires(program = "mksh")]
#[test]
fn the_shell_of_android_polls() {
    check("mksh");
}

#[test]
fn any_other_shell_polls() {
    check("sh");
}

#[requires(program = "strace", program = "mksh")]
#[test]
fn android_s_shell_makes_no_process_for_a_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let counted = folder.path().join("forks");
    phone(folder.path());
    let root = folder.path();
    // A clock that goes: with one that stands the script finds no way of waiting but `sleep`.
    std::fs::remove_file(root.join("proc/uptime")).expect("removed");
    std::os::unix::fs::symlink("/proc/uptime", root.join("proc/uptime")).expect("linked");
    std::fs::write(root.join("go"), "go\n").expect("written");
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut child = Command::new("strace")
        .args(["-e", "trace=fork,vfork,clone,clone3", "-o"])
        .arg(&counted)
        .args(["mksh", SCRIPT])
        .args([root.join("proc"), root.join("sys"), root.join("out"), root.join("go")])
        .args(["100", "60", "com.foo"])
        .env("PATH", path)
        .stdin(Stdio::null())
        .spawn()
        .expect("strace");
    let samples = || {
        let text = std::fs::read_to_string(root.join("out")).unwrap_or_default();
        text.matches("\n> ").count()
    };
    let forks = || std::fs::read_to_string(&counted).unwrap_or_default().lines().count();
    let began = Instant::now();
    while samples() < 1 {
        assert!(began.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = forks();
    let from = samples();
    while samples() < from + 6 {
        assert!(began.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    }
    let after = forks();
    std::fs::remove_file(root.join("go")).expect("removed");
    child.wait().expect("an end");
    assert!(before > 0, "strace counts");
    assert_eq!(before, after);
}
