//! Android's own rules, by the published expectations of AOSP's unit tests (`services/tests/powerstatstests/src/com/
//! android/server/power/stats/*PowerCalculatorTest.java`, Apache-2.0): their inputs as totals, their results in mAh within
//! their own precision of 0.00001. Each case names file and test. Where a test feeds raw counters of a controller, the
//! times of each app are what Android divides them into first, which the test states as durations.

use wattle_power::{ComponentCharge, Figure, Figures, Measure, PowerProfile, component_charges};
use wattle_timeline::{Quantity, Timeline, TimelineBuilder, Uid, Usage, Window};
use wattle_units::{BootNanos, Provenance};

/// Android's test uses this precision throughout.
const PRECISION: f64 = 0.000_01;

const APP: u32 = 10_042;
const APP2: u32 = 10_101;
const ROOT: u32 = 0;
const WIFI_UID: u32 = 1010;
const BLUETOOTH_UID: u32 = 1002;
const DEVICE: Option<u32> = None;

/// Quantity, uid, tag and amount.
type Total = (Quantity, Option<u32>, Option<&'static str>, f64);

/// Whose charge.
#[derive(Clone, Copy, Debug)]
enum Of {
    /// One app's.
    App(u32),
    /// All apps' together.
    Apps,
    /// The device's: everything.
    Device,
}

fn figures(of: &[(&str, &[f64])]) -> Figures {
    let mut figures = Figures::default();
    for (name, values) in of {
        let unit = if name.ends_with(".voltage") { Measure::Volts } else { Measure::Milliamperes };
        figures.insert(
            *name,
            Figure {
                values: values.to_vec(),
                unit,
                source: String::new(),
                provenance: Provenance::Modelled,
                error: None,
            },
        );
    }
    figures
}

/// One stretch of time after the other, each with its totals.
fn timeline(stretches: &[&[Total]]) -> Timeline {
    let mut builder = TimelineBuilder::default();
    for (index, totals) in (0_i64..).zip(stretches) {
        let hour = 3_600_000_000_000;
        let window = Window::new(BootNanos::new(index * hour), BootNanos::new((index + 1) * hour));
        for (quantity, uid, tag, value) in *totals {
            let tag = tag.map(|tag| builder.names.intern(tag));
            let usage =
                Usage { quantity: *quantity, uid: uid.map(Uid), tag, window, value: *value };
            builder.system().usage(usage);
        }
    }
    builder.finish()
}

#[track_caller]
fn check(
    test: &str,
    rule: &str,
    figures: &Figures,
    stretches: &[&[Total]],
    expected: &[(Of, f64)],
) {
    let charges = component_charges(&timeline(stretches), figures);
    let of_rule: Vec<&ComponentCharge> = charges.iter().filter(|c| c.rule == rule).collect();
    for (of, expected) in expected {
        let is_of = |charge: &&&ComponentCharge| match of {
            Of::App(uid) => charge.uid == Some(Uid(*uid)),
            Of::Apps => charge.uid.is_some(),
            Of::Device => true,
        };
        let found: f64 =
            of_rule.iter().filter(is_of).map(|charge| charge.charge.milliampere_hours()).sum();
        assert!(
            (found - expected).abs() < PRECISION,
            "{test}: {rule} of {of:?} is {found} mAh, not {expected}"
        );
    }
}

/// Microcoulombs as mAh.
fn microcoulombs(value: f64) -> f64 {
    value / 3_600_000.0
}

fn wifi() -> Figures {
    figures(&[
        ("wifi.controller.idle", &[360.0]),
        ("wifi.controller.rx", &[480.0]),
        ("wifi.controller.tx", &[720.0]),
        ("wifi.on", &[360.0]),
        ("wifi.scan", &[480.0]),
        ("wifi.batchedscan", &[720.0]),
        ("wifi.active", &[1080.0]),
    ])
}

/// `WifiPowerCalculatorTest`.
#[test]
fn wifi_by_its_controller() {
    use Quantity::{MeasuredCharge, WifiIdle, WifiReceive, WifiTransmit};
    let device: [Total; 3] = [
        (WifiTransmit(0), DEVICE, None, 1.0),
        (WifiReceive, DEVICE, None, 2.0),
        (WifiIdle, DEVICE, None, 4.0),
    ];
    let scanned: [Total; 4] = [
        (WifiReceive, Some(APP), None, 1.473),
        (WifiTransmit(0), Some(APP), None, 1.0),
        (WifiReceive, Some(WIFI_UID), None, 0.526),
        (WifiTransmit(0), Some(WIFI_UID), None, 0.0),
    ];
    let model: Vec<Total> = device.into_iter().chain(scanned).collect();
    check(
        "testPowerControllerBasedModel_nonMeasured",
        "wifi",
        &wifi(),
        &[&model],
        &[(Of::App(APP), 0.3964), (Of::Device, 0.866_666)],
    );
    let first: Vec<Total> = device
        .into_iter()
        .chain([
            (WifiReceive, Some(APP), None, 0.947),
            (WifiTransmit(0), Some(APP), None, 0.476),
            (WifiReceive, Some(WIFI_UID), None, 1.052),
            (WifiTransmit(0), Some(WIFI_UID), None, 0.523),
        ])
        .collect();
    let second: [Total; 5] = [
        (WifiTransmit(0), DEVICE, None, 5.0),
        (WifiReceive, DEVICE, None, 6.0),
        (WifiIdle, DEVICE, None, 8.0),
        (WifiReceive, Some(APP), None, 6.0),
        (WifiTransmit(0), Some(APP), None, 5.0),
    ];
    check(
        "testPowerControllerBasedModel_powerProfile_byProcessState",
        "wifi",
        &wifi(),
        &[&first, &second],
        &[(Of::App(APP), 2.021_466_6)],
    );
    let measured = |totals: &[Total], charge: f64| -> Vec<Total> {
        let consumer = (MeasuredCharge, DEVICE, Some("wifi"), microcoulombs(charge));
        totals.iter().copied().chain([consumer]).collect()
    };
    let (first, second) = (measured(&first, 1_000_000.0), measured(&second, 5_000_000.0));
    check(
        "testPowerControllerBasedModel_measured",
        "wifi",
        &wifi(),
        &[&first],
        &[
            (Of::App(APP), 0.221_466_6 / (0.221_466_6 + 0.645_200) * microcoulombs(1_000_000.0)),
            (Of::Device, 0.277_777),
        ],
    );
    check(
        "testPowerControllerBasedModel_measured_byProcessState",
        "wifi",
        &wifi(),
        &[&first, &second],
        &[(Of::App(APP), 1.032_521_1)],
    );
}

/// `WifiPowerCalculatorTest`.
#[test]
fn wifi_by_packets_and_timers() {
    use Quantity::{MeasuredCharge, WifiReceivedPackets, WifiRunning, WifiScan, WifiSentPackets};
    let mut totals: Vec<Total> = vec![
        (WifiReceivedPackets, Some(APP), None, 100.0),
        (WifiSentPackets, Some(APP), None, 20.0),
        (WifiScan, Some(APP), None, 1.0),
        (WifiRunning, Some(APP), None, 1.0),
        (WifiReceivedPackets, Some(WIFI_UID), None, 111.0),
        (WifiSentPackets, Some(WIFI_UID), None, 22.0),
        (WifiRunning, Some(WIFI_UID), None, 2.222),
    ];
    let expected = [(Of::App(APP), 0.823_157_3), (Of::App(WIFI_UID), 0.875_921_6)];
    check("testTimerBasedModel_nonMeasured", "wifi", &wifi(), &[&totals], &expected);
    totals.push((MeasuredCharge, DEVICE, Some("wifi"), microcoulombs(1_000_000.0)));
    let share = 0.823_157_3 / (0.823_157_3 + 0.875_921_6) * microcoulombs(1_000_000.0);
    check("testTimerBasedModel_measured", "wifi", &wifi(), &[&totals], &[(Of::App(APP), share)]);
}

/// `BluetoothPowerCalculatorTest`.
#[test]
fn bluetooth() {
    use Quantity::{
        BluetoothCharge, BluetoothIdle, BluetoothReceive, BluetoothTransmit, MeasuredCharge,
    };
    let figures = figures(&[
        ("bluetooth.controller.idle", &[10.0]),
        ("bluetooth.controller.rx", &[50.0]),
        ("bluetooth.controller.tx", &[100.0]),
    ]);
    let device: [Total; 3] = [
        (BluetoothTransmit, DEVICE, None, 7.0),
        (BluetoothReceive, DEVICE, None, 5.0),
        (BluetoothIdle, DEVICE, None, 0.0),
    ];
    let with = |more: &[Total]| -> Vec<Total> { device.iter().chain(more).copied().collect() };
    let scanned = with(&[
        (BluetoothReceive, Some(BLUETOOTH_UID), None, 1.0),
        (BluetoothTransmit, Some(BLUETOOTH_UID), None, 2.0),
        (BluetoothReceive, Some(APP), None, 4.0),
        (BluetoothTransmit, Some(APP), None, 5.0),
    ]);
    check(
        "testTimerBasedModel",
        "bluetooth",
        &figures,
        &[&scanned],
        &[
            (Of::App(BLUETOOTH_UID), 0.069_44),
            (Of::App(APP), 0.194_44),
            (Of::Device, 0.263_88),
            (Of::Apps, 0.263_88),
        ],
    );
    let by_bytes: [Total; 4] = [
        (BluetoothReceive, Some(BLUETOOTH_UID), None, 1.250),
        (BluetoothTransmit, Some(BLUETOOTH_UID), None, 2.333),
        (BluetoothReceive, Some(APP), None, 3.750),
        (BluetoothTransmit, Some(APP), None, 4.666),
    ];
    let modelled = with(&by_bytes);
    let apps = [(Of::App(BLUETOOTH_UID), 0.082_16), (Of::App(APP), 0.181_69)];
    let of_device = |device, all| [apps[0], apps[1], (Of::Device, device), (Of::Apps, all)];
    check(
        "testIgnoreMeasuredEnergyBasedModel",
        "bluetooth",
        &figures,
        &[&modelled],
        &of_device(0.263_88, 0.263_86),
    );
    // 4,000,000 µJ at the controller's 3.7 V.
    let reported = (BluetoothCharge, DEVICE, None, microcoulombs(4_000_000.0 / 3.7));
    let reported = [&modelled[..], &[reported]].concat();
    check(
        "testReportedEnergyBasedModel",
        "bluetooth",
        &figures,
        &[&reported],
        &of_device(0.300_30, 0.263_86),
    );
    let consumer = (MeasuredCharge, DEVICE, Some("bluetooth"), microcoulombs(1_200_000.0));
    let measured = [&modelled[..], &[consumer]].concat();
    check(
        "testMeasuredEnergyBasedModel",
        "bluetooth",
        &figures,
        &[&measured],
        &[(Of::App(BLUETOOTH_UID), 0.103_78), (Of::App(APP), 0.229_50), (Of::Device, 0.333_33)],
    );
    let stretch = |tx, rx, idle, of_app: [f64; 2]| -> Vec<Total> {
        vec![
            (BluetoothTransmit, DEVICE, None, tx),
            (BluetoothReceive, DEVICE, None, rx),
            (BluetoothIdle, DEVICE, None, idle),
            (BluetoothReceive, Some(APP), None, of_app[0]),
            (BluetoothTransmit, Some(APP), None, of_app[1]),
        ]
    };
    let mut first = stretch(1.0, 2.0, 3.0, [1.5, 0.666]);
    let mut second = stretch(4.0, 4.0, 4.0, [2.0, 2.0]);
    check(
        "testTimerBasedModel_byProcessState",
        "bluetooth",
        &figures,
        &[&first, &second],
        &[(Of::App(APP), 0.122_666_6)],
    );
    first.push((MeasuredCharge, DEVICE, Some("bluetooth"), microcoulombs(1_000_000.0)));
    second.push((MeasuredCharge, DEVICE, Some("bluetooth"), microcoulombs(5_000_000.0)));
    check(
        "testMeasuredEnergyBasedModel_byProcessState",
        "bluetooth",
        &figures,
        &[&first, &second],
        &[(Of::App(APP), 0.822_056_1)],
    );
}

/// The currents of AOSP's `power_profile_test_modem_calculator.xml` and `…_multiactive.xml`.
fn modem() -> Figures {
    let text = r#"<device name="Android"><modem><sleep>70</sleep><idle>360</idle>
        <active rat="DEFAULT"><receive>1440</receive>
            <transmit level="0">720</transmit><transmit level="1">1080</transmit>
            <transmit level="2">1440</transmit><transmit level="3">1800</transmit>
            <transmit level="4">2160</transmit></active>
        <active rat="LTE"><receive>2000</receive>
            <transmit level="0">800</transmit><transmit level="1">1200</transmit>
            <transmit level="2">1600</transmit><transmit level="3">2000</transmit>
            <transmit level="4">2400</transmit></active>
        <active rat="NR" nrFrequency="DEFAULT"><receive>2222</receive>
            <transmit level="0">999</transmit><transmit level="1">1333</transmit>
            <transmit level="2">1888</transmit><transmit level="3">2222</transmit>
            <transmit level="4">2666</transmit></active>
        <active rat="NR" nrFrequency="HIGH"><receive>2727</receive>
            <transmit level="0">1818</transmit><transmit level="1">2727</transmit>
            <transmit level="2">3636</transmit><transmit level="3">4545</transmit>
            <transmit level="4">5454</transmit></active>
        <active rat="NR" nrFrequency="MMWAVE"><receive>3456</receive>
            <transmit level="0">2345</transmit><transmit level="1">3456</transmit>
            <transmit level="2">4567</transmit><transmit level="3">5678</transmit>
            <transmit level="4">6789</transmit></active>
        </modem></device>"#;
    PowerProfile::parse("modem", text).unwrap().figures()
}

/// The currents of AOSP's `power_profile_test_legacy_modem.xml`: the same by the older names.
fn legacy_modem() -> Figures {
    figures(&[
        ("modem.controller.sleep", &[70.0]),
        ("modem.controller.idle", &[360.0]),
        ("modem.controller.rx", &[1440.0]),
        ("modem.controller.tx", &[720.0, 1080.0, 1440.0, 1800.0, 2160.0]),
    ])
}

/// Receiving and five levels of transmitting, in ms, of one technology.
fn modem_times(tag: Option<&'static str>, rx: f64, tx: [f64; 5]) -> Vec<Total> {
    let mut totals = vec![(Quantity::CellReceive, DEVICE, tag, rx / 1e3)];
    for (level, milliseconds) in (0_u8..).zip(tx) {
        totals.push((Quantity::CellTransmit(level), DEVICE, tag, milliseconds / 1e3));
    }
    totals
}

fn six_technologies() -> Vec<Total> {
    let tags = [None, Some("lte"), Some("nr.low"), Some("nr.mid"), Some("nr.high")];
    let tags = tags.into_iter().chain([Some("nr.mmwave")]);
    let times = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    tags.zip(times)
        .flat_map(|(tag, t)| modem_times(tag, t + 5.0, [t, t + 1.0, t + 2.0, t + 3.0, t + 4.0]))
        .collect()
}

const INACTIVE: [Total; 2] =
    [(Quantity::CellSleep, DEVICE, None, 2.0), (Quantity::CellIdle, DEVICE, None, 3.0)];

/// `MobileRadioPowerCalculatorTest`.
#[test]
fn mobile_radio() {
    use Quantity::{CellActive, CellReceivedPackets, CellSentPackets, MeasuredCharge};
    // Three quarters of the packets, so of the time, are the first app's.
    let shared: [Total; 3] = [
        (CellActive, DEVICE, None, 2.0),
        (CellActive, Some(APP), None, 1.5),
        (CellActive, Some(APP2), None, 0.5),
    ];
    let one = modem_times(None, 600.0, [100.0, 200.0, 300.0, 400.0, 500.0]);
    let counters = [&one[..], &INACTIVE, &shared].concat();
    let expected =
        [(Of::Device, 1.278_88), (Of::Apps, 0.94), (Of::App(APP), 0.705), (Of::App(APP2), 0.235)];
    check("testCounterBasedModel", "mobile radio", &modem(), &[&counters], &expected);
    let test = "testCounterBasedModel_legacyPowerProfile";
    check(test, "mobile radio", &legacy_modem(), &[&counters], &expected);
    let many = [&six_technologies()[..], &INACTIVE, &shared].concat();
    check(
        "testCounterBasedModel_multipleDefinedRat",
        "mobile radio",
        &modem(),
        &[&many],
        &[
            (Of::Device, 1.438_26),
            (Of::Apps, 1.099_38),
            (Of::App(APP), 0.824_53),
            (Of::App(APP2), 0.274_84),
        ],
    );
    let timers: [Total; 2] = [(CellActive, DEVICE, None, 4.0), (CellActive, Some(APP), None, 4.0)];
    check(
        "testTimerBasedModel_byProcessState",
        "mobile radio",
        &legacy_modem(),
        &[&timers],
        &[(Of::App(APP), 1.6)],
    );
    let measured: [Total; 6] = [
        (MeasuredCharge, DEVICE, Some("mobile-radio"), 2.5),
        (MeasuredCharge, DEVICE, Some("phone"), 0.277_78),
        (CellReceivedPackets, Some(APP), None, 150.0),
        (CellSentPackets, Some(APP), None, 10.0),
        (CellReceivedPackets, Some(APP2), None, 50.0),
        (CellSentPackets, Some(APP2), None, 30.0),
    ];
    let many = [&six_technologies()[..], &INACTIVE, &measured].concat();
    let test = "testMeasuredEnergyBasedModel_modemActivityInfoRxTxModel";
    let expected = [
        (Of::Device, 2.5),
        (Of::Apps, 1.910_94),
        (Of::App(APP), 1.275_74),
        (Of::App(APP2), 0.635_20),
    ];
    check(test, "mobile radio", &modem(), &[&many], &expected);
    check(test, "phone", &modem(), &[&many], &[(Of::Device, 0.277_78)]);
    let one = [&one[..], &INACTIVE, &measured[..4]].concat();
    check(
        "testMeasuredEnergyBasedModel_modemActivityInfoRxTxModel_legacyPowerProfile",
        "mobile radio",
        &legacy_modem(),
        &[&one],
        &[(Of::Device, 2.5), (Of::App(APP), 1.837_54)],
    );
}

/// `ScreenPowerCalculatorTest`. Minutes of brightness by class.
#[test]
fn screen() {
    use Quantity::{Foreground, MeasuredCharge, ProcessState, Screen, ScreenClass};
    let figures = figures(&[
        ("screen.on.display0", &[36.0]),
        ("screen.full.display0", &[48.0]),
        ("screen.on.display1", &[60.0]),
        ("screen.full.display1", &[100.0]),
    ]);
    let minutes = |value: f64| value * 60.0;
    let front = |uid, value| (Foreground, Some(uid), None, minutes(value));
    let first: Vec<Total> = vec![
        (Screen, DEVICE, None, minutes(80.0)),
        (ScreenClass(4), DEVICE, None, minutes(5.0)),
        (ScreenClass(1), DEVICE, None, minutes(5.0)),
        (ScreenClass(3), DEVICE, None, minutes(70.0)),
        front(APP, 20.0),
        front(APP2, 60.0),
    ];
    let expected =
        [(Of::App(APP), 23.0), (Of::App(APP2), 69.0), (Of::Device, 92.0), (Of::Apps, 92.0)];
    check("testPowerProfileBasedModel", "screen", &figures, &[&first], &expected);
    // An activity that never ended: the lesser of its time and of the process's in the state *top*
    // (`PowerCalculator.getProcessForegroundTimeMs`).
    let top = |uid, value| (ProcessState(0), Some(uid), None, minutes(value));
    let mut endless = first.clone();
    endless.extend([front(APP, 1400.0), top(APP, 20.0), top(APP2, 70.0), top(ROOT, 5.0)]);
    check("an activity without an end", "screen", &figures, &[&endless], &expected);
    let second = Some("display1");
    let both: Vec<Total> = vec![
        (Screen, DEVICE, Some("display0"), minutes(80.0)),
        (ScreenClass(4), DEVICE, Some("display0"), minutes(5.0)),
        (ScreenClass(1), DEVICE, Some("display0"), minutes(5.0)),
        (ScreenClass(3), DEVICE, Some("display0"), minutes(70.0)),
        (Screen, DEVICE, second, minutes(30.0)),
        (ScreenClass(0), DEVICE, second, minutes(6.0)),
        (ScreenClass(4), DEVICE, second, minutes(12.0)),
        (ScreenClass(1), DEVICE, second, minutes(12.0)),
        front(APP, 20.0),
        front(APP2, 90.0),
    ];
    check(
        "testPowerProfileBasedModel_multiDisplay",
        "screen",
        &figures,
        &[&both],
        &[
            (Of::Device, 147.0),
            (Of::App(APP), 26.727_27),
            (Of::App(APP2), 120.272_727),
            (Of::Apps, 147.0),
        ],
    );
    let measured = |charge| (MeasuredCharge, DEVICE, Some("screen-on"), microcoulombs(charge));
    check(
        "testMeasuredEnergyBasedModel",
        "screen",
        &figures,
        &[
            &[measured(200_000_000.0), front(APP, 15.0)],
            &[measured(300_000_000.0), front(APP, 5.0), front(APP2, 40.0)],
            &[measured(100_000_000.0), front(APP2, 20.0)],
        ],
        &[
            (Of::App(APP), 64.814_81),
            (Of::App(APP2), 101.851_85),
            (Of::Device, 166.666_66),
            (Of::Apps, 166.666_66),
        ],
    );
    check(
        "testMeasuredEnergyBasedModel_multiDisplay",
        "screen",
        &figures,
        &[
            &[measured(600_000_000.0), front(APP, 20.0), front(APP2, 60.0)],
            &[measured(800_000_000.0), front(APP2, 30.0)],
        ],
        &[
            (Of::Device, 388.888_88),
            (Of::App(APP), 41.666_66),
            (Of::App(APP2), 347.222_22),
            (Of::Apps, 388.888_88),
        ],
    );
    // The ten-minute rule of `ScreenPowerCalculator.MIN_ACTIVE_TIME_FOR_SMEARING`, by hand: 36 mA for 9 minutes.
    let short: [Total; 2] = [(Screen, DEVICE, None, minutes(9.0)), front(APP, 9.0)];
    let expected = [(Of::Apps, 0.0), (Of::Device, 36.0 * 9.0 / 60.0)];
    check("ten minutes", "screen", &figures, &[&short], &expected);
}

/// `AmbientDisplayPowerCalculatorTest`.
#[test]
fn ambient_display() {
    use Quantity::{MeasuredCharge, ScreenDoze};
    let figures = figures(&[("ambient.on.display0", &[10.0]), ("ambient.on.display1", &[20.0])]);
    let rule = "ambient display";
    let one: [Total; 1] = [(ScreenDoze, DEVICE, None, 90.0 * 60.0)];
    check("testPowerProfileBasedModel", rule, &figures, &[&one], &[(Of::Device, 15.0)]);
    let two: [Total; 2] = [
        (ScreenDoze, DEVICE, Some("display0"), 90.0 * 60.0),
        (ScreenDoze, DEVICE, Some("display1"), 60.0 * 60.0),
    ];
    let test = "testPowerProfileBasedModel_multiDisplay";
    check(test, rule, &figures, &[&two], &[(Of::Device, 35.0)]);
    let measured = |charge| (MeasuredCharge, DEVICE, Some("screen-doze"), microcoulombs(charge));
    let one = [one[0], measured(100_000_000.0)];
    check("testMeasuredEnergyBasedModel", rule, &figures, &[&one], &[(Of::Device, 27.777_778)]);
    let all = 100_000_000.0 + 40_000_000.0 + 70_000_000.0 + 90_000_000.0;
    let two = [two[0], two[1], measured(all)];
    let test = "testMeasuredEnergyBasedModel_multiDisplay";
    check(test, rule, &figures, &[&two], &[(Of::Device, 83.333_33)]);
}

/// `GnssPowerCalculatorTest`.
#[test]
fn gnss() {
    use Quantity::{Gnss, GnssSignal, MeasuredCharge};
    let by_time =
        figures(&[("gps.on", &[360.0]), ("gps.signalqualitybased", &[720.0, 1440.0, 1800.0])]);
    let one: [Total; 1] = [(Gnss, Some(APP), None, 1.0)];
    let expected = [(Of::App(APP), 0.1), (Of::Device, 0.1), (Of::Apps, 0.1)];
    check("testTimerBasedModel", "gnss", &by_time, &[&one], &expected);
    let two: [Total; 3] = [
        one[0],
        (Gnss, Some(APP2), None, 2.0),
        (MeasuredCharge, DEVICE, Some("gnss"), microcoulombs(30_000_000.0)),
    ];
    check(
        "testMeasuredEnergyBasedModel",
        "gnss",
        &by_time,
        &[&two],
        &[(Of::App(APP), 2.777_77), (Of::App(APP2), 5.555_55), (Of::Device, 8.333_333)],
    );
    // `GnssPowerCalculator.getAverageGnssPower`, by hand: (720 · 1 s + 1440 · 3 s) / 4 s for 2 s.
    let by_quality = figures(&[("gps.signalqualitybased", &[720.0, 1440.0])]);
    let times: [Total; 3] = [
        (GnssSignal(0), DEVICE, None, 1.0),
        (GnssSignal(1), DEVICE, None, 3.0),
        (Gnss, Some(APP), None, 2.0),
    ];
    check("by quality", "gnss", &by_quality, &[&times], &[(Of::Device, 1260.0 * 2.0 / 3600.0)]);
}

/// `CameraPowerCalculatorTest`, `FlashlightPowerCalculatorTest`, `AudioPowerCalculatorTest`,
/// `VideoPowerCalculatorTest`.
#[test]
fn what_draws_one_current() {
    use Quantity::{Audio, Camera, Flashlight, MeasuredCharge, Video};
    let figures = figures(&[
        ("camera.avg", &[360.0]),
        ("camera.flashlight", &[360.0]),
        ("audio", &[360.0]),
        ("video", &[360.0]),
    ]);
    let first: [Total; 2] = [(Camera, Some(APP), None, 1.0), (Camera, DEVICE, None, 1.0)];
    let second: [Total; 2] = [(Camera, Some(APP2), None, 2.0), (Camera, DEVICE, None, 2.0)];
    check(
        "CameraPowerCalculatorTest.testTimerBasedModel",
        "camera",
        &figures,
        &[&first, &second],
        &[(Of::App(APP), 0.1), (Of::App(APP2), 0.2), (Of::Device, 0.3), (Of::Apps, 0.3)],
    );
    let measured = |charge| (MeasuredCharge, DEVICE, Some("camera"), microcoulombs(charge));
    check(
        "CameraPowerCalculatorTest.testEnergyConsumptionBasedModel",
        "camera",
        &figures,
        &[
            &[first[0], first[1], measured(720_000.0)],
            &[second[0], second[1], measured(1_080_000.0)],
        ],
        &[(Of::App(APP), 0.2), (Of::App(APP2), 0.3), (Of::Device, 0.5), (Of::Apps, 0.5)],
    );
    for (test, rule, quantity) in [
        ("FlashlightPowerCalculatorTest", "flashlight", Flashlight),
        ("AudioPowerCalculatorTest", "audio", Audio),
        ("VideoPowerCalculatorTest", "video", Video),
    ] {
        let totals: [Total; 1] = [(quantity, Some(APP), None, 1.0)];
        let expected = [(Of::App(APP), 0.1), (Of::Device, 0.1), (Of::Apps, 0.1)];
        check(test, rule, &figures, &[&totals], &expected);
    }
}

/// `SensorPowerCalculatorTest`.
#[test]
fn sensors() {
    let figures = figures(&[("sensor.1", &[360.0]), ("sensor.2", &[720.0])]);
    let totals: [Total; 2] =
        [(Quantity::Sensor(1), Some(APP), None, 1.0), (Quantity::Sensor(2), Some(APP), None, 2.0)];
    let expected = [(Of::App(APP), 0.5), (Of::Device, 0.5)];
    check("testTimerBasedModel", "sensors", &figures, &[&totals], &expected);
}

/// `MemoryPowerCalculatorTest`.
#[test]
fn memory() {
    let figures = figures(&[("memory.bandwidths", &[360.0, 720.0, 1080.0])]);
    let totals: [Total; 2] =
        [(Quantity::MemoryAt(0), DEVICE, None, 1.0), (Quantity::MemoryAt(2), DEVICE, None, 2.0)];
    check("testTimerBasedModel", "memory", &figures, &[&totals], &[(Of::Device, 0.7)]);
}

/// `WakelockPowerCalculatorTest` and `IdlePowerCalculatorTest`.
#[test]
fn awake_and_asleep() {
    use Quantity::{OnBattery, OnBatteryAwake, Wakelock};
    let awake = figures(&[("cpu.idle", &[360.0])]);
    let totals: [Total; 3] = [
        (Wakelock, Some(APP), Some("awake"), 1.0),
        (OnBattery, DEVICE, None, 10.0),
        (OnBatteryAwake, DEVICE, None, 6.0),
    ];
    check(
        "WakelockPowerCalculatorTest.testTimerBasedModel",
        "wakelock",
        &awake,
        &[&totals],
        &[(Of::App(APP), 0.1), (Of::Apps, 0.1), (Of::Device, 0.6)],
    );
    let held: [Total; 1] = [(Wakelock, Some(ROOT), None, 1.0)];
    check("held alone", "wakelock", &awake, &[&held], &[(Of::App(ROOT), 0.1)]);
    let figures = figures(&[("cpu.idle", &[720.0]), ("cpu.suspend", &[360.0])]);
    let totals: [Total; 3] = [
        (OnBattery, DEVICE, None, 3.0),
        (OnBatteryAwake, DEVICE, None, 2.0),
        (Quantity::Screen, DEVICE, None, 2.0),
    ];
    check(
        "IdlePowerCalculatorTest.testTimerBasedModel",
        "idle",
        &figures,
        &[&totals],
        &[(Of::Device, 0.7), (Of::Apps, 0.0)],
    );
}

/// `CpuPowerCalculatorTest`.
#[test]
fn cpu() {
    use Quantity::{CpuActive, CpuAt, CpuCluster, MeasuredCharge};
    let figures = figures(&[
        ("cpu.active", &[720.0]),
        ("cpu.cluster_power.cluster0", &[360.0]),
        ("cpu.cluster_power.cluster1", &[480.0]),
        ("cpu.core_power.cluster0", &[300.0, 400.0]),
        ("cpu.core_power.cluster1", &[500.0, 600.0]),
    ]);
    let app = |uid, active, clusters: [f64; 2], steps: [f64; 4]| -> Vec<Total> {
        let at = |cluster, step| CpuAt { cluster, step };
        let quantities = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)];
        let mut totals: Vec<Total> = vec![
            (CpuActive, Some(uid), None, active),
            (CpuCluster(0), Some(uid), None, clusters[0]),
            (CpuCluster(1), Some(uid), None, clusters[1]),
        ];
        totals.extend(quantities.into_iter().zip(steps).map(|(q, s)| (q, Some(uid), None, s)));
        totals
    };
    let mut totals = app(APP, 1.111, [1.111, 2.222], [1.1, 0.011, 2.2, 0.022]);
    totals.extend(app(APP2, 3.333, [3.333, 4.444], [3.3, 0.033, 4.4, 0.044]));
    check(
        "testTimerBasedModel",
        "cpu",
        &figures,
        &[&totals],
        &[
            (Of::App(APP), 1.031_677),
            (Of::App(APP2), 2.489_544),
            (Of::Device, 3.521_22),
            (Of::Apps, 3.521_22),
        ],
    );
    // By process state in the test; both states of an app together here.
    let mut totals = app(APP, 2.222, [0.0; 2], [5.0, 6.0, 7.0, 8.0].map(|s| s - 1e-3));
    totals.retain(|(quantity, ..)| !matches!(quantity, CpuCluster(_)));
    let steps: f64 = [5.0_f64, 6.0, 7.0, 8.0]
        .iter()
        .zip([300.0, 400.0, 500.0, 600.0])
        .map(|(s, ma)| (s - 1e-3) * ma)
        .sum();
    let expected = (720.0 * 2.222 + steps) / 3600.0;
    check("by hand", "cpu", &figures, &[&totals], &[(Of::App(APP), expected)]);
    // Android has divided the measured charge by its clusters already.
    let measured: [Total; 3] = [
        (MeasuredCharge, DEVICE, Some("cpu"), microcoulombs(13_577_531.0 + 24_688_642.0)),
        (MeasuredCharge, Some(APP), Some("cpu"), 3.188_77),
        (MeasuredCharge, Some(APP2), Some("cpu"), 7.440_72),
    ];
    check(
        "testMeasuredEnergyBasedModel",
        "cpu",
        &figures,
        &[&measured],
        &[(Of::App(APP), 3.188_77), (Of::App(APP2), 7.440_72), (Of::Device, 10.629_49)],
    );
}

/// `CustomEnergyConsumerPowerCalculatorTest`.
#[test]
fn custom_consumers() {
    use Quantity::MeasuredCharge;
    for (name, all, of_app, expected) in [
        ("CUSTOM_COMPONENT1", 100_000_000.0, 30_000_000.0, [8.333_333, 27.777_77]),
        ("CUSTOM_COMPONENT2", 200_000_000.0, 120_000_000.0, [33.333_33, 55.555_55]),
    ] {
        let totals: [Total; 2] = [
            (MeasuredCharge, DEVICE, Some(name), microcoulombs(all)),
            (MeasuredCharge, Some(APP), Some(name), microcoulombs(of_app)),
        ];
        check(
            "testMeasuredEnergyCopiedIntoBatteryConsumers",
            "custom",
            &Figures::default(),
            &[&totals],
            &[(Of::App(APP), expected[0]), (Of::Device, expected[1])],
        );
    }
}
