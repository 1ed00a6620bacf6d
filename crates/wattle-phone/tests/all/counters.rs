//! Totals, battery and rails: they follow from what happens, and begin anew when they are told to.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{Adb, connected, key, options, write};
use wattle_dex::{AccessFlags, ClassAssembly, DexFile};
use wattle_phone::{LaunchSpec, MadePackage, Phone, PhoneOptions, Step};
use wattle_testdata::requires;

const PACKAGE: &str = "com.example.counted";

fn with_app() -> (PhoneOptions, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options();
    options.packages = vec![write(folder.path(), "app.apk", &MadePackage::new(PACKAGE), key())];
    let steps = vec![
        Step::busy(120),
        Step::Network { rx: 500_000, tx: 20_000 },
        Step::busy(60),
        Step::sleep(100),
    ];
    options.launches = vec![LaunchSpec::new(PACKAGE, None, steps)];
    (options, folder)
}

/// Runs the app once, and gives its lines of the statistics: their kinds with their numbers.
fn statistics(adb: &Adb, phone: &Phone) -> BTreeMap<String, Vec<u64>> {
    let uid = phone.package(PACKAGE).expect("it is installed").uid;
    adb.shell("dumpsys batterystats --reset");
    adb.shell(&format!("am start -n {PACKAGE}/.MainActivity"));
    std::thread::sleep(Duration::from_millis(700));
    adb.shell(&format!("am force-stop {PACKAGE}"));
    let text = adb.shell("dumpsys batterystats -c");
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(',').collect();
        if let ["9", its, "l", kind, numbers @ ..] = words.as_slice()
            && *its == uid.to_string()
            && *kind != "pr"
        {
            found.insert(
                (*kind).to_owned(),
                numbers.iter().filter_map(|number| number.parse().ok()).collect(),
            );
        }
    }
    found
}

#[requires(program = "adb")]
#[test]
fn equal_runs_have_equal_statistics() {
    let (options, _folder) = with_app();
    let (phone, adb) = connected(options);
    let (first, second) = (statistics(&adb, &phone), statistics(&adb, &phone));
    let third = statistics(&adb, &phone);
    assert!(first["nt"].iter().sum::<u64>() > 520_000, "{first:?}");
    assert_eq!(first["nt"], second["nt"]);
    assert_eq!(first["nt"], third["nt"]);
    // What the app goes on with until it is ended takes a little, and the shorter or longer.
    let cpu = |of: &BTreeMap<String, Vec<u64>>| of["cpu"].iter().sum::<u64>();
    for other in [&second, &third] {
        assert!(cpu(&first).abs_diff(cpu(other)) <= 20, "{first:?} {other:?}");
    }
    // Without a run in between there is nothing to count.
    adb.shell("dumpsys batterystats --reset");
    let uid = phone.package(PACKAGE).expect("it is installed").uid;
    let idle = adb.shell("dumpsys batterystats -c");
    assert!(!idle.contains(&format!("9,{uid},l,nt,")), "{idle}");
}

/// Counters of the rails in millijoules, and the battery's charge in microampere-hours.
fn energy(adb: &Adb) -> (Vec<f64>, i64, i64) {
    let text = adb.shell("dumpsys android.hardware.power.stats.IPowerStats/default");
    let rails = text.lines().filter_map(|line| line.trim().strip_suffix(" mWs"));
    let rails =
        rails.filter_map(|line| line.split_whitespace().next_back()?.parse().ok()).collect();
    let charge = |text: &str| -> i64 { text.trim().parse().expect("a number") };
    let dumped = adb.shell("dumpsys battery");
    let dumped = dumped.lines().find_map(|line| line.trim().strip_prefix("Charge counter: "));
    let shown = adb.shell("cat /sys/class/power_supply/battery/charge_counter");
    (rails, charge(dumped.expect("a charge")), charge(&shown))
}

#[requires(program = "adb")]
#[test]
fn rails_and_battery_follow_what_is_drawn() {
    let (options, _folder) = with_app();
    let volts = options.battery.volts;
    let (phone, adb) = connected(options);
    let mut readings = vec![energy(&adb)];
    for _ in 0..2 {
        adb.shell(&format!("am start -n {PACKAGE}/.MainActivity"));
        adb.shell("setprop persist.traced.enable 1; perfetto -t 1200ms -o /data/misc/perfetto-traces/t sched");
        adb.shell(&format!("am force-stop {PACKAGE}; sleep 1.1"));
        readings.push(energy(&adb));
    }
    for pair in readings.windows(2) {
        let [(before, charge, _), (after, left, shown)] = pair else { continue };
        assert!(!before.is_empty() && before.len() == after.len());
        let grown: f64 = before.iter().zip(after).map(|(before, after)| after - before).sum();
        assert!(before.iter().zip(after).all(|(before, after)| after >= before), "{readings:?}");
        let drawn = (charge - left) as f64 * 3.6e-3 * volts * 1000.0;
        // The display, the radios and the losses are on no rail.
        assert!(grown > 0.0 && grown < drawn, "{grown} mJ of rails, {drawn} mJ of the battery");
        assert!(left - shown <= 200, "{left} {shown}");
    }
    // Traces go on where the dumps are: each recording's truth fits between the readings around it.
    let truths = phone.truths();
    assert_eq!(truths.len(), 2);
    let (first, last) = (&readings[0], &readings[2]);
    let recorded: f64 = truths
        .iter()
        .flat_map(|truth| &truth.truth.rails)
        .map(|rail| rail.joules.value() * 1000.0)
        .sum();
    let all: f64 = first.0.iter().zip(&last.0).map(|(before, after)| after - before).sum();
    assert!(recorded > 0.0 && recorded < all, "{recorded} mJ recorded of {all} mJ");
}

#[requires(program = "adb")]
#[test]
fn tests_without_a_runtime_are_not_executed_and_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tests = MadePackage::tests_of(PACKAGE);
    tests.entries = vec![("classes.dex".to_owned(), test_classes())];
    let mut options = options();
    options.packages = vec![
        write(folder.path(), "app.apk", &MadePackage::new(PACKAGE), key()),
        write(folder.path(), "tests.apk", &tests, key()),
    ];
    let (_phone, adb) = connected(options);
    let runner = format!("{PACKAGE}.test/androidx.test.runner.AndroidJUnitRunner");
    let output = adb.shell(&format!("am instrument -w -r {runner}"));
    let found: Vec<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("INSTRUMENTATION_STATUS: test="))
        .collect();
    assert_eq!(found, ["testOne", "testOne", "testTwo", "testTwo"], "{output}");
    assert_eq!(output.matches("stack=not executed: ").count(), 2, "{output}");
    assert_eq!(output.matches("INSTRUMENTATION_STATUS_CODE: -4").count(), 2, "{output}");
    assert!(!output.contains("INSTRUMENTATION_STATUS_CODE: 0"), "{output}");
    // What is asked for and not there is not invented.
    let none = adb.shell(&format!("am instrument -w -r -e class com.example.None {runner}"));
    assert!(!none.contains("INSTRUMENTATION_STATUS: test="), "{none}");
}

/// A class with two tests of JUnit 3 and a method that is none.
fn test_classes() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let mut class =
        ClassAssembly::new(&mut file, "Lcom/example/counted/CountedTest;", "Ljava/lang/Object;");
    let made = AccessFlags(AccessFlags::PUBLIC.0 | AccessFlags::CONSTRUCTOR.0);
    for (name, access) in [
        ("<init>()V", made),
        ("testOne()V", AccessFlags::PUBLIC),
        ("testTwo()V", AccessFlags::PUBLIC),
        ("helper()V", AccessFlags::PUBLIC),
    ] {
        class
            .method(name, access, (1, 1), |code| {
                code.end();
            })
            .expect("a method");
    }
    class.finish();
    file.write().expect("a file")
}
