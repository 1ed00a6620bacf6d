//! Several forms of one dump in a recording: each thing is told once, in the recording's clock and time.

use std::path::{Path, PathBuf};

use wattle_ingest::{read_all_bytes, read_paths};
use wattle_timeline::{Quantity, StateKind, Timeline};
use wattle_units::BootNanos;

use super::proto::{START_MS, statistics};
use super::{check, note, state};

const SECOND: i64 = 1_000_000_000;
/// The statistics began when the device had been up for 900 s; it was recorded from 1000 to 1020 s.
const BOOT: i64 = 1000 * SECOND;
const REAL: i64 = START_MS as i64 * 1_000_000 + 100 * SECOND;

/// The same as the protobuf says, an hour east of Greenwich; wakelocks by kind of charge are in the text only.
const TEXT: &str = "Battery History (0% used, 412 used of 4096KB, 14 strings using 1024):\n                    0 (15) RESET:TIME: \
     2021-12-13-11-32-20\n                    0 (2) 095 status=discharging health=good plug=none temp=250 volt=4100 charge=3000 \
     +running +screen\n            +50s000ms (2) 094 -screen\n          +1m45s000ms (2) 094 +screen\n          +1m50s000ms (2) 093 \
     -screen +camera\n         +10m00s000ms (2) 090 -camera\n\nStatistics since last charge:\n  Time on battery: 1m 40s 0ms (100%) \
     realtime, 1m 30s 0ms (90%) uptime\n  Total run time: 1m 40s 0ms realtime, 1m 40s 0ms uptime\n  Start clock time: \
     2021-12-13-11-32-20\n  Screen on: 40s 0ms (40%) 1x\n\n  Estimated power use (mAh):\n    Capacity: 4000, Computed drain: 110, \
     actual drain: 100-140\n    Screen: 55.5\n    Uid u0a45: 12.5 ( cpu=7.5 wifi=5.00 )\n\n  u0a45:\n    Total cpu time: u=700ms \
     s=300ms \n\n";

/// As above, with the check-in's better clock.
const CHECKIN: &str = "9,0,i,vers,35,196,RP1A,RP1A\n9,h,0:RESET:TIME:1639391540000\n9,h,0,Bl=95,Bs=d,Bp=n,Bv=4100,+r,+S\n9,h,50000,\
     Bl=94,-S\n9,h,55000,+S\n9,h,5000,Bl=93,-S,+ca\n9,h,490000,Bl=90,-ca\n9,0,l,bt,0,101000,91000,101000,96000,1639391540000,0,0,\
     4000,0,0,0\n9,10045,l,cpu,705,305,0\n9,10045,l,vid,30,1\n";

fn folder(name: &str, files: &[(&str, &str, &[u8])], clocks: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("batterystats-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let pair = |at: i64| {
        format!(
            r#"{{"host_before_ns": {0}, "device_real_ns": {0}, "device_boot_ns": {1}, "boot_step_ns": 10000000,
                "host_after_ns": {0}, "zone_minutes": 60}}"#,
            REAL + at,
            BOOT + at
        )
    };
    let clocks = if clocks {
        format!(r#""clocks_start": [{}], "clocks_end": [{}],"#, pair(0), pair(20 * SECOND))
    } else {
        String::new()
    };
    let artifacts: Vec<_> = files
        .iter()
        .map(|(file, kind, bytes)| {
            std::fs::write(folder.join(file), bytes).unwrap();
            format!(r#"{{"file": "{file}", "kind": "{kind}"}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"wattle_recording": 1, "tool": "test", {clocks} "artifacts": [{}]}}"#,
        artifacts.join(",")
    );
    std::fs::write(folder.join("recording.json"), text).unwrap();
    folder
}

fn all(name: &str, clocks: bool) -> Timeline {
    let proto = statistics();
    let files = [
        ("batterystats.txt", "batterystats-text", TEXT.as_bytes()),
        ("batterystats.checkin.txt", "batterystats-checkin", CHECKIN.as_bytes()),
        ("batterystats.pb", "batterystats-proto", proto.as_slice()),
    ];
    read_paths(&[folder(name, &files, clocks)]).unwrap()
}

/// From the protobuf what it has; the rest from check-in lines, then from the text.
#[track_caller]
fn check_totals(timeline: &Timeline) {
    let uid = Some(10_045);
    check(
        timeline,
        &[
            (Quantity::OnBattery, None, None, Some(100.0)),
            (Quantity::Screen, None, None, Some(40.0)),
            (Quantity::Cpu, uid, None, Some(1.0)),
            (Quantity::Video, uid, None, Some(0.03)),
            (Quantity::EstimatedCharge, uid, Some("uid"), Some(12.5)),
            (Quantity::EstimatedCharge, uid, Some("cpu"), Some(7.5)),
            (Quantity::EstimatedCharge, None, Some("scrn"), Some(55.5)),
            (Quantity::BatteryCapacity, None, None, Some(4000.0)),
        ],
    );
    assert_eq!(note(timeline, "batterystats-sources"), 1);
}

#[test]
fn forms_of_one_dump() {
    let timeline = all("forms", true);
    check_totals(&timeline);
    let near = |time: BootNanos, expected: i64, slack: i64| {
        assert!((time.value() - expected).abs() <= slack, "{time:?}, {expected} expected");
    };
    // All within a second, which is what the text gives.
    for usage in &timeline.system.usage {
        near(usage.window.start, BOOT - 100 * SECOND, SECOND);
    }
    // The window is what was recorded, not what the statistics are of.
    assert!(timeline.window.start.value() >= BOOT - SECOND);
    assert!(timeline.window.end.value() <= BOOT + 21 * SECOND);
    let screen = state(&timeline, StateKind::Screen, None, None).unwrap();
    let levels: Vec<_> = screen.level.iter().map(|(_, level)| level).collect();
    assert_eq!(levels, [0, 1, 0]);
    // Off 50 s after the start, which holds at the recording's beginning; then 105 and 110 s after it, to a hundredth.
    near(screen.level.times()[0], BOOT, 20_000_000);
    near(screen.level.times()[1], BOOT + 5 * SECOND, 20_000_000);
    near(screen.level.times()[2], BOOT + 10 * SECOND, 20_000_000);
    // Its end is after the recording.
    let camera = state(&timeline, StateKind::Camera, None, None).unwrap();
    assert_eq!(camera.level.values(), [0, 1]);
    let alignment = &timeline.quality.alignments[0];
    assert!(alignment.residual_ns.unwrap() <= 12_000_000, "{alignment:?}");
    assert_eq!(timeline.energy.batteries[0].samples.len(), 1);
    let text = timeline.quality.notes.iter().find(|note| note.code == "batterystats-sources");
    let text = &text.unwrap().text;
    assert!(text.contains("the history from batterystats.checkin.txt"), "{text}");
}

/// Without clocks the dumps are on their own: local time, as logs have; the zone follows from the text and the others.
#[test]
fn forms_without_clocks() {
    let timeline = all("clockless", false);
    check_totals(&timeline);
    for usage in &timeline.system.usage {
        let start = usage.window.start.value();
        assert!((start - (REAL + 3500 * SECOND)).abs() <= SECOND, "{start}");
    }
    assert_eq!(note(&timeline, "batterystats-own-time"), 1);
    let camera = state(&timeline, StateKind::Camera, None, None).unwrap();
    assert_eq!(camera.level.values(), [0, 1, 0]);
}

/// The text alone, through the recording's zone.
#[test]
fn text_in_the_zone_of_the_recording() {
    let files = [("batterystats.txt", "batterystats-text", TEXT.as_bytes())];
    let timeline = read_paths(&[folder("text", &files, true)]).unwrap();
    let screen = state(&timeline, StateKind::Screen, None, None).unwrap();
    // To a second: the wall clock is written without milliseconds.
    let apart = screen.level.times()[1].value() - (BOOT + 5 * SECOND);
    assert!(apart.abs() <= SECOND, "{apart}");
    let alignment = &timeline.quality.alignments[0];
    assert!((450_000_000..600_000_000).contains(&alignment.residual_ns.unwrap()), "{alignment:?}");
    check(&timeline, &[(Quantity::EstimatedCharge, Some(10_045), Some("wifi"), Some(5.0))]);
}

/// Two dumps of the same statistics, one after the other: the later one counts.
#[test]
fn a_later_dump_replaces_an_earlier_one() {
    let later = TEXT
        .replace("Total run time: 1m 40s 0ms", "Total run time: 1m 50s 0ms")
        .replace("s=300ms", "s=800ms");
    for order in [[TEXT, &later], [&later, TEXT]] {
        let [one, two] = order;
        let timeline =
            read_all_bytes(&[("one.txt", one.as_bytes()), ("two.txt", two.as_bytes())]).unwrap();
        check(&timeline, &[(Quantity::Cpu, Some(10_045), None, Some(1.5))]);
    }
    // Another reset in between: both are told, each of its own stretch.
    let other = TEXT.replace("2021-12-13-11-32-20", "2021-12-13-11-42-20");
    let timeline =
        read_all_bytes(&[("one.txt", TEXT.as_bytes()), ("two.txt", other.as_bytes())]).unwrap();
    let cpu: Vec<_> =
        timeline.system.usage.iter().filter(|usage| usage.quantity == Quantity::Cpu).collect();
    assert_eq!(cpu.len(), 2);
    assert_eq!((cpu[1].window.start - cpu[0].window.start).value(), 600 * SECOND);
}

/// A report of today: the device, its packages, and the statistics twice.
#[test]
fn bug_report_with_both_forms() {
    let report = format!(
        "========================================================\n== dumpstate: 2021-12-13 11:40:00\n\
         ========================================================\n\nBuild fingerprint: 'google/redfin/redfin:12/A/1:user/r'\n\
         Kernel: Linux version 4.19\n------ SYSTEM LOG (logcat -v threadtime -v year -d *:v) ------\n2021-12-13 11:33:00.000  500  501 I \
         TestRunner: started: a(com.x.T)\n2021-12-13 11:33:01.000  500  501 I TestRunner: finished: a(com.x.T)\n------ SYSTEM \
         PROPERTIES (getprop) ------\n[ro.product.model]: [Pixel 5]\n[ro.build.version.sdk]: [31]\n------ CHECKIN BATTERYSTATS \
         (dumpsys -T 30000 batterystats -c) ------\n{CHECKIN}------ 0.123s was the duration of 'CHECKIN BATTERYSTATS' ------\n\
         -------------------------------------------------------------------------------\nDUMP OF SERVICE CRITICAL package:\n\
         Packages:\n  Package [com.y] (1a2b):\n    userId=10046\n    pkg=Package{{1}}\n--------- 0.1s was the duration of \
         dumpsys package\n-------------------------------------------------------------------------------\nDUMP OF SERVICE \
         batterystats:\n{TEXT}--------- 0.1s was the duration of dumpsys batterystats\n"
    );
    let timeline =
        read_all_bytes(&[("bugreport.txt", report.replace('\n', "\r\n").as_bytes())]).unwrap();
    assert_eq!(timeline.device.model.as_deref(), Some("Pixel 5"));
    assert_eq!(timeline.device.device_name(), Some("redfin"));
    assert_eq!(timeline.device.sdk, Some(31));
    assert_eq!(timeline.tasks.packages.len(), 1);
    check(
        &timeline,
        &[
            (Quantity::OnBattery, None, None, Some(101.0)),
            (Quantity::Cpu, Some(10_045), None, Some(1.01)),
            (Quantity::EstimatedCharge, Some(10_045), Some("cpu"), Some(7.5)),
        ],
    );
    // The log and the statistics are in one clock: the test begins 40 s after the statistics.
    let test = timeline.code.tests[0].window.start;
    let begin = timeline.system.usage[0].window.start;
    let apart = (test - begin).value() - 40 * SECOND;
    assert!(apart.abs() <= SECOND, "{apart}");
}

/// `dumpsys batterystats --usage`: the part about charges alone.
#[test]
fn usage_as_text() {
    let text = "  Estimated power use (mAh):\n    Capacity: 4000, Computed drain: 110, actual drain: 100\n    Global\n      screen: \
                55.5 apps: 0\n    UID u0a45: 12.5 ( cpu=7.5 )\n";
    let timeline = read_all_bytes(&[("usage.txt", text.as_bytes())]).unwrap();
    check(
        &timeline,
        &[
            (Quantity::EstimatedCharge, None, Some("screen"), Some(55.5)),
            (Quantity::EstimatedCharge, Some(10_045), Some("cpu"), Some(7.5)),
        ],
    );
}
