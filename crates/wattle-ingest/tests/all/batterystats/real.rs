//! Real dumps. What is expected was counted in the files by regular expressions, apart from this reader.

use wattle_ingest::{read_bytes, read_paths};
use wattle_timeline::{Quantity, StateKind, Timeline, Uid, WakeCause};
use wattle_units::BootNanos;

use super::{at_level, check, note, state, stretch, sum};
use wattle_testdata::requires;

const MI9: &str = "batterystats/emanafa-batstat_mi9.log";
const SAVING: &str = "batterystats/emanafa-energy_saving.log";
const EMULATOR: &str = "batterystats/navitas-batterystats-1.txt";
const NEXUS_ONE: &str = "bugreport/chkbugreport-deadlock.txt";

fn read(name: &str) -> Timeline {
    read_paths(&[wattle_testdata::path(name)]).unwrap()
}

/// Milliseconds at level 1 (`+x` to `-x`), and how often. What goes and comes within a millisecond is one stretch, and what comes
/// and goes within one is none.
#[track_caller]
fn check_states(timeline: &Timeline, last_ms: i64, expected: &[(StateKind, i64, usize)]) {
    let from =
        timeline.system.states.iter().filter_map(|track| track.level.first()).map(|(time, _)| time);
    let window = stretch(from.min().unwrap(), last_ms);
    for (kind, ms, times) in expected {
        let track = state(timeline, *kind, None, None).unwrap();
        assert_eq!(at_level(track, 1, window), (*ms, *times), "{kind:?}");
    }
}

#[requires(data)]
#[test]
fn history_of_a_day() {
    let timeline = read(MI9);
    let quality = &timeline.quality.artifacts[0];
    assert_eq!((quality.format.as_str(), quality.records), ("batterystats", 44_827));
    assert_eq!(quality.events["history"], 37_068);
    check_states(
        &timeline,
        95_337_169,
        &[
            (StateKind::Screen, 20_961_742, 163),
            (StateKind::CpuRunning, 32_459_289, 3711),
            (StateKind::Gnss, 6_753_376, 58),
            (StateKind::Camera, 865_315, 25),
            (StateKind::Video, 4_862_866, 285),
            (StateKind::Audio, 1_886_279, 312),
            (StateKind::CellRadio, 35_242_332, 1466),
            (StateKind::WifiRadio, 3_576_882, 53),
            (StateKind::WifiScan, 1_691_432, 939),
            (StateKind::Charging, 2_656_322, 2),
        ],
    );
    let held = state(&timeline, StateKind::Wakelock, None, None).unwrap();
    let window = stretch(held.level.first().unwrap().0, 95_337_169);
    assert_eq!(at_level(held, 1, window), (27_895_477, 7442));
    let brightness = state(&timeline, StateKind::ScreenClass, None, None).unwrap();
    let classes = [78_527_288, 2_686_944, 1_285_518, 744_353, 12_093_066];
    for (class, ms) in (0..).zip(classes) {
        assert_eq!(at_level(brightness, class, window).0, ms, "class {class}");
    }
    let samples = &timeline.energy.batteries[0].samples;
    assert_eq!(samples.len(), 1567);
    let last = samples.last().unwrap();
    assert_eq!(
        (last.capacity_percent, last.voltage, last.charge),
        (Some(68.0), Some(4_143_000), Some(2_541_000))
    );
    let temperature = timeline
        .system
        .counters
        .iter()
        .find(|track| timeline.names.get(track.name) == "battery.temperature");
    assert_eq!(temperature.unwrap().value.last(), Some(&39.0));
    // Six of the seven times of the wall clock come some milliseconds before entries that are older, once two of them.
    assert_eq!(note(&timeline, "batterystats-order"), 7);
    assert_eq!(
        note(&timeline, "batterystats-unknown") + note(&timeline, "batterystats-unparsed"),
        0
    );
    assert_eq!(note(&timeline, "batterystats-clock-set"), 0);
    // 2020-07-26 08:36:24, somewhere in that second.
    let first = timeline.window.start.value();
    assert!((1_595_752_584..1_595_752_585).contains(&(first / 1_000_000_000)), "{first}");
}

#[requires(data)]
#[test]
fn what_woke_the_device() {
    let counts = |timeline: &Timeline| {
        let of = |cause| timeline.suspend.wakes.iter().filter(|wake| wake.cause == cause).count();
        [WakeCause::Reason, WakeCause::App, WakeCause::Screen].map(of)
    };
    // `grep -o 'wake_reason=' | wc -l` and so on.
    let timeline = read(MI9);
    assert_eq!(counts(&timeline), [6671, 1479, 139]);
    let first = timeline.suspend.wakes.iter().find(|wake| wake.cause == WakeCause::Reason);
    let text = first.and_then(|wake| wake.text).map(|text| timeline.names.get(text));
    let expected = "Abort:Wakeup IRQ detected during suspend: 90 WLAN_CE_2";
    assert_eq!((text, first.and_then(|wake| wake.uid)), (Some(expected), None));
    let facebook =
        timeline.suspend.wakes.iter().filter(|wake| wake.uid == Some(Uid(10_166))).count();
    assert_eq!(facebook, 51);
    assert!(timeline.suspend.wakes.is_sorted_by_key(|wake| wake.time));
    assert_eq!(counts(&read(EMULATOR))[1], 203);
}

#[requires(data)]
#[test]
fn totals_of_a_day() {
    let timeline = read(MI9);
    let of_uid = Some(10_166);
    check(
        &timeline,
        &[
            (Quantity::OnBattery, None, None, Some(90_625.215)),
            (Quantity::OnBatteryAwake, None, None, Some(29_718.461)),
            (Quantity::ScreenOff, None, None, Some(73_702.370)),
            (Quantity::ScreenOffAwake, None, None, Some(12_795.627)),
            (Quantity::Screen, None, None, Some(16_922.845)),
            (Quantity::ScreenClass(0), None, None, Some(4309.771)),
            (Quantity::ScreenClass(4), None, None, Some(8000.278)),
            (Quantity::Wakelock, None, None, Some(6975.424)),
            (Quantity::CellActive, None, None, Some(28_679.447)),
            (Quantity::CellTransmit(0), None, None, Some(1613.562)),
            (Quantity::CellTransmit(4), None, None, Some(266.847)),
            (Quantity::CellSignal(0), None, None, Some(10_554.463)),
            (Quantity::CellSignal(4), None, None, Some(47_022.611)),
            (Quantity::CellReceivedBytes, None, None, Some(725.79 * 1_048_576.0)),
            (Quantity::CellReceivedPackets, None, None, Some(517_716.0)),
            (Quantity::WifiScan, None, None, Some(952.349)),
            (Quantity::WifiIdle, None, None, Some(2101.627)),
            (Quantity::WifiReceive, None, None, Some(188.783)),
            (Quantity::WifiTransmit(0), None, None, Some(21.383)),
            (Quantity::GnssSignal(0), None, None, Some(0.979)),
            (Quantity::GnssSignal(1), None, None, Some(6673.661)),
            (Quantity::BatteryCharge, None, None, Some(3966.0)),
            (Quantity::BatteryCapacity, None, None, Some(4030.0)),
            (Quantity::EstimatedCharge, None, Some("total"), Some(4576.0)),
            (Quantity::EstimatedCharge, None, Some("scrn"), Some(1169.0)),
            (Quantity::EstimatedCharge, None, Some("over"), Some(546.0)),
            (Quantity::EstimatedCharge, of_uid, Some("uid"), Some(533.0)),
            (Quantity::EstimatedCharge, of_uid, Some("cpu"), Some(63.1)),
            (Quantity::EstimatedCharge, of_uid, Some("wifi"), Some(312.0)),
            (Quantity::EstimatedCharge, of_uid, Some("screen-smeared"), Some(188.0)),
            // `Uid -5`: tethering.
            (Quantity::EstimatedCharge, Some(4_294_967_291), Some("radio"), Some(7.88)),
            (Quantity::CellActive, Some(10_041), None, Some(3629.764)),
            (Quantity::CellActiveCount, Some(10_041), None, Some(553.0)),
            (Quantity::CpuAt { cluster: 0, step: 1 }, Some(0), None, Some(1032.630)),
            (Quantity::CpuAt { cluster: 1, step: 12 }, Some(0), None, Some(38.350)),
            (Quantity::CpuAt { cluster: 1, step: 0 }, Some(0), None, None),
        ],
    );
    // 41146907 ms in the 106 lines `Total cpu time:`; 304 partial wakelocks; 20 lines `Foreground activities:`.
    let close = |quantity, expected: f64| {
        let found = sum(&timeline, quantity);
        assert!((found - expected).abs() < 1e-6 * expected, "{quantity:?}: {found}");
    };
    close(Quantity::Cpu, 41_146.907);
    close(Quantity::Wakelock, 6975.418);
    close(Quantity::Foreground, 104_844.288);
    // What the device received, all of it by some uid.
    close(Quantity::CellReceivedPackets, 517_716.0);
    let at_clocks: f64 = timeline
        .system
        .usage
        .iter()
        .filter(|usage| matches!(usage.quantity, Quantity::CpuAt { .. }))
        .map(|usage| usage.value)
        .sum();
    assert!((at_clocks - 36_798.560).abs() < 1e-6, "{at_clocks}");
    let jobs: f64 = timeline
        .system
        .usage
        .iter()
        .filter(|it| it.quantity == Quantity::Job)
        .map(|it| it.value)
        .sum();
    assert!((jobs - 848.411).abs() < 1e-6, "{jobs}");
    let counted =
        timeline.system.usage.iter().filter(|usage| usage.quantity == Quantity::WakelockCount);
    assert_eq!(counted.count(), 304);
    // `Total run time: 1d 2h 28m 57s 446ms`.
    assert_eq!(timeline.system.usage[0].window.duration().value(), 95_337_446 * 1_000_000);
    assert_eq!(timeline.tasks.packages.len(), 86);
}

#[requires(data)]
#[test]
fn history_without_a_summary() {
    let timeline = read(SAVING);
    assert_eq!(timeline.quality.artifacts[0].events["history"], 360);
    check_states(
        &timeline,
        218_406,
        &[
            (StateKind::Screen, 138_989, 4),
            (StateKind::CpuRunning, 176_060, 4),
            (StateKind::Wakelock, 175_022, 7),
            (StateKind::Charging, 127_040, 1),
            (StateKind::WifiScan, 8136, 2),
        ],
    );
    assert_eq!(timeline.energy.batteries[0].samples.len(), 16);
    assert!(timeline.system.usage.is_empty());
    // `+wake_lock=1001:"*telephony-radio*"` at 45.875, 45.880 and 45.909 s, 1 m 30.339 s; `-wake_lock` after each.
    let radio = state(&timeline, StateKind::Wakelock, Some(1001), Some("*telephony-radio*"));
    let levels = || radio.unwrap().level.iter().map(|(_, level)| level);
    assert!(levels().filter(|level| *level == 1).count() >= 3);
    let plugged = state(&timeline, StateKind::Plugged, None, None).unwrap();
    let values: Vec<_> = plugged.level.values().to_vec();
    assert_eq!(values, [0, 2, 1]);
}

#[requires(data)]
#[test]
fn clock_of_an_emulator_that_slept() {
    let timeline = read(EMULATOR);
    assert_eq!(timeline.quality.artifacts[0].events["history"], 1962);
    check_states(
        &timeline,
        52_353_254,
        &[
            (StateKind::Screen, 52_349_910, 1),
            (StateKind::Gnss, 66_945, 24),
            (StateKind::Audio, 223_773, 140),
            (StateKind::CellRadio, 4_147_581, 315),
        ],
    );
    // Of eleven times of the wall clock, eight are more than two seconds from where the one before leads to.
    assert_eq!(note(&timeline, "batterystats-clock-set"), 8);
    check(
        &timeline,
        &[
            (Quantity::BatteryCapacity, None, None, Some(1000.0)),
            (Quantity::BatteryCapacity, None, Some("estimated"), Some(10.0)),
            (Quantity::EstimatedCharge, Some(1000), Some("sensor"), Some(43.4)),
            (Quantity::EstimatedCharge, None, Some("idle"), Some(1.45)),
            (Quantity::CellActive, Some(0), None, Some(2130.933)),
            (Quantity::CellReceive, Some(0), None, Some(2.677)),
            (Quantity::CellTransmit(1), Some(0), None, Some(0.384)),
            (Quantity::CellSleep, None, None, Some(361.0)),
            (Quantity::Cpu, Some(0), None, Some(149.690)),
        ],
    );
    let cpu = sum(&timeline, Quantity::Cpu);
    assert!((cpu - 5949.410).abs() < 1e-6, "{cpu}");
    assert_eq!(timeline.tasks.packages.len(), 34);
}

#[requires(data)]
#[test]
fn bug_report_of_android_2() {
    let timeline = read(NEXUS_ONE);
    let device = &timeline.device;
    assert_eq!(device.model.as_deref(), Some("Nexus One"));
    assert_eq!(device.codename.as_deref(), Some("passion"));
    assert_eq!(device.sdk, Some(10));
    assert!(device.kernel.as_deref().unwrap().starts_with("Linux version 2.6.37.6-cyanogenmod"));
    assert!(device.fingerprint.as_deref().unwrap().ends_with(":userdebug/test-keys"));
    // 72 `<package name=…>` with a uid; those of the statistics are among them.
    assert_eq!(timeline.tasks.packages.len(), 72);
    let bluetooth = timeline
        .tasks
        .packages
        .iter()
        .find(|it| timeline.names.get(it.name) == "com.android.bluetooth");
    assert_eq!(bluetooth.unwrap().uid.0, 10_003);
    let names: Vec<_> = timeline.quality.artifacts.iter().map(|it| it.format.as_str()).collect();
    assert_eq!(names, ["logcat", "batterystats"]);
    check(
        &timeline,
        &[
            (Quantity::OnBattery, None, None, Some(0.0)),
            (Quantity::Screen, None, None, Some(0.0)),
            (Quantity::Wifi, None, None, Some(0.0)),
            (Quantity::PhoneCall, None, None, Some(0.0)),
            (Quantity::Wakelock, None, None, Some(0.0)),
        ],
    );
    // `Total run time: 3m 15s 210ms`, not that since the last unplugging.
    assert_eq!(timeline.system.usage[0].window.duration().value(), 195_210_000_000);
    assert!(timeline.quality.artifacts[1].unread["Statistics since last unplugged"] > 100);
}

/// A report in an archive says the same.
#[requires(data)]
#[test]
fn bug_report_in_an_archive() {
    let report = wattle_testdata::bytes(NEXUS_ONE);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    std::io::Write::write_all(
        &mut {
            archive.start_file("bugreport-passion.txt", options).unwrap();
            &mut archive
        },
        &report,
    )
    .unwrap();
    let packed = archive.finish().unwrap().into_inner();
    let (plain, packed) =
        (read_bytes("a.txt", &report).unwrap(), read_bytes("a.zip", &packed).unwrap());
    assert_eq!(plain.system.usage.len(), packed.system.usage.len());
    assert_eq!(plain.device, packed.device);
    assert_eq!(plain.tasks.packages.len(), packed.tasks.packages.len());
    assert_eq!(plain.window, packed.window);
    let _: BootNanos = plain.window.start;
}
