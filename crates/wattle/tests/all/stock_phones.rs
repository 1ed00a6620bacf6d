//! The whole loop on simulated phones that refuse what stock phones refuse: what they give, and what is left out and why.

use serde_json::Value;
use wattle_testdata::requires;

use crate::support::{list, wattle};

/// Records on a phone and checks what came home.
fn check(phone: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let simulate = format!("--simulate={phone}");
    let name = out.to_str().expect("UTF-8");
    let run = wattle(["record", &simulate, "--duration", "2", "--quiet", "-o", name]);
    // Also on Android 9, which lets no shell end the recording: it ends by itself.
    assert_eq!(run.code, Some(0), "{phone}: {}{}", run.stdout, run.stderr);
    let recording = std::fs::read_to_string(out.join("recording.json")).expect("a recording");
    let recording: Value = serde_json::from_str(&recording).expect("JSON");
    let notes = recording["notes"].to_string();
    let is_there = |file: &str| out.join(file).metadata().is_ok_and(|facts| facts.len() > 0);
    for file in [
        "batterystats.txt",
        "counters.txt",
        "logcat.txt",
        "power_profile.xml",
        "trace.perfetto-trace",
    ] {
        assert!(is_there(file), "{phone}: {file}: {notes}");
    }
    let counters = std::fs::read_to_string(out.join("counters.txt")).expect("counters");
    let cannot = |file: &str| counters.contains(&format!("? {file} cannot be read"));
    assert!(cannot("/proc/uid_time_in_state"), "{phone}");
    assert_eq!(cannot("/proc/diskstats"), !phone.ends_with("android-16"), "{phone}");
    assert!(counters.contains("< /proc/net/dev"), "{phone}");
    // Settings that a Xiaomi phone refuses are wishes: the run goes on, and says so.
    let refused = list(&recording, "/steps")
        .iter()
        .any(|step| step.to_string().contains("WRITE_SECURE_SETTINGS"));
    assert_eq!(refused, phone.starts_with("xiaomi"), "{phone}: {}", recording["steps"]);
}

#[requires(program = "adb")]
#[test]
fn every_vendor_and_every_version_is_recorded_as_far_as_it_allows() {
    let phones = [
        "pixel,android-9",
        "aosp,android-10",
        "aosp,android-11",
        "samsung,android-12",
        "xiaomi,android-13",
        "samsung,android-14",
        "pixel-8,android-15",
        "pixel-9,android-16",
    ];
    for half in phones.chunks(phones.len().div_ceil(2)) {
        std::thread::scope(|scope| {
            for phone in half {
                scope.spawn(move || check(phone));
            }
        });
    }
}
