//! Lines of all versions for people, as AOSP's sources, its tests and published dumps write them.

use wattle_ingest::read_bytes;
use wattle_timeline::{Quantity, StateKind, Timeline};

use super::{changes, check, note};

fn read(text: &str) -> Timeline {
    read_bytes("batterystats.txt", text.as_bytes()).unwrap()
}

fn power(lines: &str) -> Timeline {
    read(&format!(
        "Statistics since last charge:\n  Total run time: 10s realtime, 5s uptime\n\n  Estimated power use (mAh):\n{lines}\n"
    ))
}

/// Expectations of AOSP's `BatteryUsageStatsTest.testDump` of Android 12 and 13.
#[test]
fn charges_by_component() {
    let timeline = power(
        "    Capacity: 4000, Computed drain: 30000, actual drain: 1000-2000\n    Global\n      cpu: 20100 apps: 10100 \
         duration: 20s 300ms\n      cpu(fg): 2333 apps: 1333 duration: 3s 332ms\n      FOO: 20200 apps: 10200 duration: 20s \
         400ms\n    UID 271: 1200 fg: 1777 bg: 1888 fgs: 1999 cached: 123 ( screen=300 cpu=400 (600ms) cpu:fg=1777 (7s 771ms) \
         cpu:bg=1888 (8s 881ms) FOO=500 ) \n    User 42: 30.0 ( cpu=10.0 (30ms) FOO=20.0 ) \n",
    );
    check(
        &timeline,
        &[
            (Quantity::BatteryCapacity, None, None, Some(4000.0)),
            (Quantity::EstimatedCharge, None, Some("total"), Some(30_000.0)),
            (Quantity::BatteryCharge, None, Some("drain-min"), Some(1000.0)),
            (Quantity::BatteryCharge, None, Some("drain-max"), Some(2000.0)),
            (Quantity::EstimatedCharge, None, Some("cpu"), Some(20_100.0)),
            (Quantity::EstimatedCharge, None, Some("FOO"), Some(20_200.0)),
            (Quantity::EstimatedCharge, Some(271), Some("uid"), Some(1200.0)),
            (Quantity::EstimatedCharge, Some(271), Some("screen"), Some(300.0)),
            (Quantity::EstimatedCharge, Some(271), Some("cpu"), Some(400.0)),
            (Quantity::EstimatedCharge, Some(271), Some("FOO"), Some(500.0)),
            (Quantity::EstimatedCharge, None, Some("user"), Some(30.0)),
        ],
    );
    assert_eq!(timeline.system.usage.len(), 11);
}

/// Android 15: parts below the uid, and the same charge again by screen and plug.
#[test]
fn charges_by_screen_and_plug_are_the_same_again() {
    let timeline = power(
        "    Capacity: 3595, Rated: 3595, Typical: 3700, Computed drain: 132, actual drain: 132\n    Global\n      screen: 39.1 \
         apps: 39.1\n      cpu: 81.9 apps: 81.7 duration: 20m 53s 909ms\n      (on battery, screen on)\n      screen: 39.1 \
         apps: 39.1\n      (on battery, screen off/doze)\n      cpu: 29.6 apps: 29.4 duration: 3m 46s 128ms\n    UID 1000: 27.8 \
         bg: 27.8\n        cpu=27.4 cpu:bg=27.4 bluetooth=0.317 bluetooth:bg=0.317 \n        (on battery, screen on) cpu=18.9 \
         cpu:bg=18.9 \n    UID u10a12: 0.0000490 bg: 0.0000490\n        cpu=0.0000490 cpu:bg=0.0000490 \n",
    );
    check(
        &timeline,
        &[
            (Quantity::EstimatedCharge, None, Some("screen"), Some(39.1)),
            (Quantity::EstimatedCharge, None, Some("cpu"), Some(81.9)),
            (Quantity::EstimatedCharge, Some(1000), Some("uid"), Some(27.8)),
            (Quantity::EstimatedCharge, Some(1000), Some("cpu"), Some(27.4)),
            (Quantity::EstimatedCharge, Some(1000), Some("bluetooth"), Some(0.317)),
            (Quantity::EstimatedCharge, Some(1_010_012), Some("cpu"), Some(0.000_049)),
            (Quantity::BatteryCharge, None, Some("drain-max"), Some(132.0)),
        ],
    );
    assert_eq!(note(&timeline, "batterystats-unparsed"), 0);
}

#[test]
fn lines_of_a_uid() {
    let timeline = read(
        "Statistics since last charge:\n  Total run time: 1h 0m 0s 0ms realtime, 1h 0m 0s 0ms uptime\n  Start clock time: \
         2021-01-01-00-00-00\n  CPU freqs: 300000 600000 500000 900000\n\n  u0a7:\n    Mobile network: 1,50KB received, 2B sent \
         (packets 3 received, 4 sent)\n    Mobile radio active: 1m 2s 3ms (5,1%) 6x @ 12 mspp\n    Wi-Fi network: 10B received, \
         20B sent (packets 1 received, 2 sent)\n    Wifi Running: 5s 0ms (1%)\n    Full Wifi Lock: 0ms (0%)\n    Wifi Scan \
         (blamed): 1s 500ms (1%) 3x\n    Wifi Scan (actual): 2s 500ms (1%) 3x\n       WiFi Idle time:   4s 0ms (1%)\n       WiFi \
         Rx time:     3s 0ms (1%)\n       WiFi Tx time:     \n         less than 0dBm:  2s 0ms (1%)\n         0dBm to 8dBm:  1s 0ms \
         (1%)\n    Bluetooth network: 7B received, 8B sent\n    Bluetooth Scan (total blamed realtime): 2s 0ms  (2 times)\n    \
         Bluetooth Scan (total actual realtime): 3s 0ms  (2 times)\n    Wake lock job:a: b realtime: 7s 2ms partial (3 times) \
         max=4 actual=8000, 4s 0ms full (1 times) realtime\n    Wake lock *net*: 1s 0ms partial (1 times) realtime\n    TOTAL \
         wake: 4s 0ms full, 8s 2ms blamed partial realtime\n    Sync a/b: c: 2s 0ms realtime (1 times), 1s 0ms background (1 \
         times)\n    Job x/.Y: (not used)\n    Job x/.Z: 250ms realtime (2 times)\n    Job Completions x/.Z: canceled(1x)\n    \
         Flashlight: 1s 0ms realtime (1 times)\n    Camera: 2s 0ms realtime (1 times)\n    Video: 3s 0ms realtime (1 times)\n    \
         Audio: 4s 0ms realtime (1 times)\n    Sensor GPS: 9s 0ms realtime (1 times)\n    Sensor 5: 1s 0ms blamed realtime, 2s \
         0ms realtime (1 times)\n    Sensor 6: (not used)\n    Foreground activities: 6s 0ms realtime (1 times)\n    Top for: 5s \
         0ms \n    Fg Service for: 4s 0ms \n    Total running: 9s 0ms \n    Total cpu time: u=1s 0ms s=2s 0ms \n    Total cpu \
         time per freq: 10 0 30 40\n    Proc com.x:\n      CPU: 1s 0ms usr + 2s 0ms krn ; 0ms fg\n    Apk com.x:\n      Wakeup \
         alarm *walarm*:com.x/.A: 12 times\n  1000:\n    (nothing executed)\n\n",
    );
    let uid = Some(10_007);
    check(
        &timeline,
        &[
            (Quantity::CellReceivedBytes, uid, None, Some(1536.0)),
            (Quantity::CellSentPackets, uid, None, Some(4.0)),
            (Quantity::CellActive, uid, None, Some(62.003)),
            (Quantity::CellActiveCount, uid, None, Some(6.0)),
            (Quantity::WifiReceivedBytes, uid, None, Some(10.0)),
            (Quantity::WifiSentPackets, uid, None, Some(2.0)),
            (Quantity::WifiRunning, uid, None, Some(5.0)),
            (Quantity::WifiScan, uid, None, Some(1.5)),
            (Quantity::WifiIdle, uid, None, Some(4.0)),
            (Quantity::WifiReceive, uid, None, Some(3.0)),
            (Quantity::WifiTransmit(0), uid, None, Some(2.0)),
            (Quantity::WifiTransmit(1), uid, None, Some(1.0)),
            (Quantity::BluetoothSentBytes, uid, None, Some(8.0)),
            (Quantity::BluetoothScan, uid, None, Some(2.0)),
            (Quantity::Wakelock, uid, Some("job:a: b realtime"), Some(7.002)),
            (Quantity::WakelockCount, uid, Some("job:a: b realtime"), Some(3.0)),
            (Quantity::Wakelock, uid, None, Some(8.002)),
            (Quantity::Sync, uid, Some("a/b: c"), Some(2.0)),
            (Quantity::Job, uid, Some("x/.Z"), Some(0.25)),
            (Quantity::Job, uid, Some("x/.Y"), None),
            (Quantity::Flashlight, uid, None, Some(1.0)),
            (Quantity::Camera, uid, None, Some(2.0)),
            (Quantity::Video, uid, None, Some(3.0)),
            (Quantity::Audio, uid, None, Some(4.0)),
            (Quantity::Gnss, uid, None, Some(9.0)),
            (Quantity::Sensor(5), uid, None, Some(1.0)),
            (Quantity::Sensor(6), uid, None, None),
            (Quantity::Foreground, uid, None, Some(6.0)),
            (Quantity::ProcessState(0), uid, None, Some(5.0)),
            (Quantity::ProcessState(1), uid, None, Some(4.0)),
            (Quantity::Cpu, uid, None, Some(3.0)),
            (Quantity::CpuAt { cluster: 0, step: 0 }, uid, None, Some(0.01)),
            (Quantity::CpuAt { cluster: 1, step: 0 }, uid, None, Some(0.03)),
            (Quantity::CpuAt { cluster: 1, step: 1 }, uid, None, Some(0.04)),
            (Quantity::AlarmWakeups, uid, Some("*walarm*:com.x/.A"), Some(12.0)),
            (Quantity::Cpu, Some(1000), None, None),
        ],
    );
    assert_eq!(timeline.tasks.packages.len(), 1);
}

/// Since Android 15 (`[Format: 2]`): local times without a year; here over New Year.
#[test]
fn history_by_the_wall_clock() {
    let timeline = read(
        "Battery History [Format: 2] (102% used, 4208KB used of 4096KB, 151 strings using 7967):\n  12-31 23:59:59.838 TIME: \
         2026-12-31-23-59-59\n  12-31 23:59:59.838 093 status=discharging health=good plug=none temp=348 volt=4303 +running +wifi \
         device_idle=full\n  01-01 00:00:09.332 093\n  01-01 00:00:24.392 092 80400020 -running\n  01-01 00:00:25.000 092 +screen \
         +job=u0a5:\"a b\" current=-440\n",
    );
    assert_eq!(timeline.quality.artifacts[0].events["history"], 5);
    // 2026-12-31 23:59:59.838, `date -u -d … +%s`.
    assert_eq!(timeline.window.start.value() / 1_000_000, 1_798_761_599_838);
    assert_eq!(changes(&timeline, StateKind::CpuRunning, None, None), [(0, 1), (24_554, 0)]);
    assert_eq!(changes(&timeline, StateKind::Screen, None, None), [(0, 0), (25_162, 1)]);
    assert_eq!(changes(&timeline, StateKind::DeviceIdle, None, None), [(0, 2)]);
    assert_eq!(changes(&timeline, StateKind::Job, Some(10_005), Some("a b")), [(25_162, 1)]);
    let samples = &timeline.energy.batteries[0].samples;
    assert_eq!(samples.len(), 3);
    assert_eq!(samples[2].current, Some(-440_000));
}

/// Resets, shutdowns and starts end what was on; what is wrong is counted.
#[test]
fn restarts_and_inconsistencies() {
    let timeline = read(
        "Battery History (3% used, 15KB used of 512KB, 63 strings using 6430):\n                    0 (20) RESET:TIME: \
         2019-08-06-20-21-46\n                    0 (1) 100 status=full plug=wireless +running +screen brightness=bright \
         top=u0a1:\"x\"\n             +1s000ms (2) 100 -job=u0a1:\"never begun\" +job=u0a1:\"b\"\n             +2s000ms (2) 100 \
         +job=u0a1:\"b\" glow=2 +levitation\n             +1s500ms (2) 100 -screen\n             +3s000ms (2) 100 SHUTDOWN?\n  \
         this is no line\n             +4s000ms SHUTDOWN\n             +9s000ms START\n             +9s000ms TIME: \
         2019-08-06-20-30-00\n             +9s500ms (2) 100 status=charging plug=ac +running +low_power phone_signal_strength=17\n",
    );
    assert_eq!(
        changes(&timeline, StateKind::CpuRunning, None, None),
        [(0, 1), (4000, 0), (9500, 1)]
    );
    assert_eq!(changes(&timeline, StateKind::Screen, None, None), [(0, 1), (2000, 0)]);
    assert_eq!(changes(&timeline, StateKind::TopApp, Some(10_001), Some("x")), [(0, 1), (4000, 0)]);
    assert_eq!(changes(&timeline, StateKind::Job, Some(10_001), Some("b")), [(1000, 1), (4000, 0)]);
    assert_eq!(changes(&timeline, StateKind::Job, Some(10_001), Some("never begun")), [(1000, 0)]);
    assert_eq!(changes(&timeline, StateKind::Plugged, None, None), [(0, 3), (9500, 1)]);
    assert_eq!(changes(&timeline, StateKind::Charging, None, None), [(0, 0), (9500, 1)]);
    assert_eq!(changes(&timeline, StateKind::PowerSave, None, None), [(0, 0), (9500, 1)]);
    for (code, count) in [
        ("batterystats-end-unmatched", 1),
        ("batterystats-begin-twice", 1),
        ("batterystats-order", 1),
        ("batterystats-unparsed", 2),
        ("batterystats-restart", 3),
        ("batterystats-clock-set", 1),
        // `glow=2`, `+levitation`.
        ("batterystats-unknown", 2),
    ] {
        assert_eq!(note(&timeline, code), count, "{code}: {:#?}", timeline.quality.artifacts);
    }
}

/// Android up to 4.3: times before the dump, and no wall clock.
#[test]
fn history_before_the_dump() {
    let timeline = read(
        "Battery History:\n         -1h00m00s000ms  100 20080002 status=discharging health=good plug=none temp=250 volt=4100 \
         +screen\n            -30m00s000ms  090 -screen signal_strength=great\n                    0  080\n",
    );
    assert_eq!(timeline.window.duration().value(), 3_600_000_000_000);
    assert_eq!(changes(&timeline, StateKind::Screen, None, None), [(0, 1), (1_800_000, 0)]);
    assert_eq!(changes(&timeline, StateKind::CellSignal, None, None), [(0, 0), (1_800_000, 4)]);
    assert_eq!(note(&timeline, "batterystats-own-time"), 1);
}

/// All holders (`--enable full-wake-history`): first holders say nothing more.
#[test]
fn all_wakelocks() {
    let text = |extra: &str| {
        read(&format!(
            "Battery History (0%):\n 0 (1) RESET:TIME: 2020-01-01-00-00-00\n 0 (2) 050 +running +wake_lock=u0a1:\"a\"\n{extra} \
             +3s000ms (2) 050 -wake_lock\n"
        ))
    };
    let first = text("");
    assert_eq!(changes(&first, StateKind::Wakelock, Some(10_001), Some("a")), [(0, 1), (3000, 0)]);
    assert_eq!(note(&first, "batterystats-first-holder"), 1);
    let all = text(" +1s000ms (2) 050 -wake_lock_in=u0a1:\"a\"\n");
    assert_eq!(changes(&all, StateKind::Wakelock, Some(10_001), Some("a")), [(1000, 0)]);
    assert_eq!(changes(&all, StateKind::Wakelock, None, None), [(0, 1), (3000, 0)]);
    assert_eq!(note(&all, "batterystats-first-holder"), 0);
}
