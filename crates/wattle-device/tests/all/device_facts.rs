//! Facts that devices of several versions report. The answers are worded as the services of each version word them
//! (AOSP: `BatteryService`, `ThermalManagerService`, `DisplayInfo`, `PowerManagerService`, the power stats HAL of Pixel
//! phones), with made-up values.

use std::collections::BTreeMap;

use crate::support::{Fault, Kind, Phone, ScriptedDevice};
use wattle_device::facts::device_facts;
use wattle_device::package::InstalledApp;
use wattle_recording::{BatteryFacts, DeviceFacts, PolicyFacts, ProductFacts, ScreenFacts};
use wattle_testdata::requires;

/// A device that says this, command by command; of anything else it says that it is not there.
fn device(answers: &[(&str, &str)]) -> ScriptedDevice {
    let mut phone = Phone::default();
    for silent in ["dumpsys", "settings", "wm", "getprop", "su -c"] {
        phone.containing.push((silent.to_owned(), (127, format!("sh: {silent}: not found\n"))));
    }
    for (part, answer) in answers {
        let status = u8::from(answer.contains("Permission denied"));
        phone.containing.insert(0, ((*part).to_owned(), (status, (*answer).to_owned())));
    }
    ScriptedDevice::new(phone)
}

#[track_caller]
fn check(answers: &[(&str, &str)], expected: &DeviceFacts, missing: &[(&str, &str)]) {
    let mut found = device_facts(&device(answers)).expect("facts");
    let said = std::mem::take(&mut found.missing);
    let expected = DeviceFacts { serial: "R58N12ABCDE".into(), ..expected.clone() };
    assert_eq!(found, expected);
    let names: Vec<&str> = said.keys().map(String::as_str).collect();
    assert_eq!(names, missing.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{said:?}");
    for (name, part) in missing {
        assert!(said[*name].contains(part), "{name}: {}", said[*name]);
    }
}

fn policy(policy: u32, cpus: &[u32], frequencies_khz: &[u64], governor: &str) -> PolicyFacts {
    PolicyFacts {
        policy,
        cpus: cpus.into(),
        frequencies_khz: frequencies_khz.into(),
        governor: Some(governor.into()),
    }
}

#[test]
fn a_phone_of_android_14_with_power_rails() {
    let cpu = "/sys/devices/system/cpu";
    let policies = format!(
        "< {cpu}/cpufreq/policy0/related_cpus\n0 1 2 3 \n< {cpu}/cpufreq/policy4/related_cpus\n4 5\n\
         < {cpu}/cpufreq/policy6/related_cpus\n6 7\n\
         < {cpu}/cpu0/cpufreq/related_cpus\n0 1 2 3\n< {cpu}/cpu1/cpufreq/related_cpus\n0 1 2 3\n\
         < {cpu}/cpufreq/policy0/scaling_governor\nsched_pixel\n< {cpu}/cpufreq/policy4/scaling_governor\nsched_pixel\n\
         < {cpu}/cpufreq/policy6/scaling_governor\nsched_pixel\n\
         < {cpu}/cpufreq/policy0/scaling_available_frequencies\n300000 574000 1803000 \n\
         < {cpu}/cpufreq/policy4/scaling_available_frequencies\n\
         < {cpu}/cpufreq/policy4/stats/time_in_state\n400000 12\n2253000 8\n\
         < {cpu}/cpufreq/policy6/scaling_available_frequencies\n2802000 500000\n"
    );
    check(
        &[
            (
                "getprop",
                "[ro.build.fingerprint]: [google/oriole/oriole:14/UQ1A/1:user/release-keys]\n\
                 [ro.build.version.release]: [14]\n[ro.build.version.sdk]: [34]\n[ro.product.board]: [oriole]\n\
                 [some.text]: [two\nlines]\n[ro.product.cpu.abi]: [arm64-v8a]\n[ro.product.device]: [oriole]\n\
                 [ro.product.manufacturer]: [Google]\n[ro.product.model]: [Pixel 6]\n[ro.soc.model]: [GS101]\n\
                 [ro.board.platform]: [gs101]\n[ro.boot.qemu]: []\n",
            ),
            ("id -u", "2000\n"),
            ("command -v su", "Permission denied"),
            ("uname", "5.10.157-android13-4-00001 aarch64\n"),
            ("cpu/possible", "0-7\n"),
            ("cpu/present", "0-7\n"),
            ("scaling_governor", policies.as_str()),
            (
                "thermal_zone",
                "< /sys/class/thermal/thermal_zone0/type\nBIG\n< /sys/class/thermal/thermal_zone0/temp\n99000\n",
            ),
            (
                "dumpsys battery",
                "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  Wireless powered: false\n  \
                 Dock powered: false\n  Max charging current: 500000\n  Max charging voltage: 5000000\n  Charge counter: \
                 3284000\n  status: 2\n  health: 2\n  present: true\n  level: 71\n  scale: 100\n  voltage: 4123\n  \
                 temperature: 284\n  technology: Li-ion\n",
            ),
            (
                "thermalservice",
                "IsStatusOverride: false\nThermalEventListeners:\n\tcallbacks: 1\nThermal Status: 0\nCached temperatures:\n\
                 \tTemperature{mValue=55.0, mType=0, mName=BIG, mStatus=0}\nHAL Ready: true\nHAL connection:\n\
                 \tThermalHAL AIDL 1  connected: yes\nCurrent temperatures from HAL:\n\
                 \tTemperature{mValue=31.25, mType=0, mName=BIG, mStatus=0}\n\
                 \tTemperature{mValue=29.001, mType=3, mName=VIRTUAL-SKIN, mStatus=0}\n\
                 \tTemperature{mValue=4.1, mType=6, mName=vbat, mStatus=0}\nCurrent cooling devices from HAL:\n\
                 \tCoolingDevice{mValue=0, mType=2, mName=cpu}\n",
            ),
            (
                "IPowerStats/default",
                "\n============= PowerStats HAL 2.0 state residencies ==============\n  Entity  State  Total time  \
                 Total entries\n  AoC  ON  17 ms  3  4 ms\n========== End of PowerStats HAL 2.0 state residencies \
                 ==========\n\n============= PowerStats HAL 2.0 energy consumers ==============\n  DISPLAY  1.00 mWs\n\
                 ========== End of PowerStats HAL 2.0 energy consumers ==========\n\n\
                 ============= PowerStats HAL 2.0 energy meter ==============\n  Channel   Cumulative Energy\n  \
                 [S4M_VDD_CPUCL0]:CPU(LITTLE)        123456.78 mWs\n  [S2M_VDD_CPUCL2]:CPU(BIG)   9.00 mWs\n\
                 ========== End of PowerStats HAL 2.0 energy meter ==========\n",
            ),
            ("wm size", "Physical size: 1080x2400\n"),
            (
                "dumpsys display",
                "DISPLAY MANAGER (dumpsys display)\n  mOnlyCore=false\nLogical Displays: size=1\n  Display 0:\n    \
                 mBaseDisplayInfo=DisplayInfo{\"Built-in Screen\", displayId 0, FLAG_SECURE, real 1080 x 2400, largest app \
                 1080 x 2400, smallest app 1080 x 2400, appVsyncOff 6233333, presDeadline 11500000, mode 2, defaultMode 1, \
                 modes [{id=1, width=1080, height=2400, fps=60.000004, alternativeRefreshRates=[90.0]}, {id=2, width=1080, \
                 height=2400, fps=90.0, alternativeRefreshRates=[60.000004]}], hdrCapabilities x}\n",
            ),
            (
                "dumpsys power",
                "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness=Awake\n  mStayOn=false\n",
            ),
            ("screen_brightness", "102\n"),
            ("screen_brightness_mode", "1\n"),
        ],
        &DeviceFacts {
            product: ProductFacts {
                manufacturer: Some("Google".into()),
                model: Some("Pixel 6".into()),
                codename: Some("oriole".into()),
                board: Some("oriole".into()),
                soc: Some("GS101".into()),
            },
            fingerprint: Some("google/oriole/oriole:14/UQ1A/1:user/release-keys".into()),
            android: Some("14".into()),
            sdk: Some(34),
            abi: Some("arm64-v8a".into()),
            kernel: Some("5.10.157-android13-4-00001 aarch64".into()),
            cpus: (0..8).collect(),
            policies: vec![
                policy(0, &[0, 1, 2, 3], &[300_000, 574_000, 1_803_000], "sched_pixel"),
                policy(4, &[4, 5], &[400_000, 2_253_000], "sched_pixel"),
                policy(6, &[6, 7], &[500_000, 2_802_000], "sched_pixel"),
            ],
            battery: Some(BatteryFacts {
                level: Some(71.0),
                voltage: Some(4.123),
                temperature: Some(28.4),
                status: Some("charging".into()),
                plugged: vec!["usb".into()],
                charge_uah: Some(3_284_000),
            }),
            rails: vec!["S2M_VDD_CPUCL2".into(), "S4M_VDD_CPUCL0".into()],
            screen: Some(ScreenFacts {
                width: Some(1080),
                height: Some(2400),
                on: Some(true),
                brightness: Some(102),
                automatic: Some(true),
                refresh_hz: Some(90),
            }),
            temperatures: BTreeMap::from([("BIG".into(), 31.25), ("VIRTUAL-SKIN".into(), 29.001)]),
            ..DeviceFacts::default()
        },
        &[("root", "no su")],
    );
}

#[test]
fn a_rooted_phone_of_android_7_with_cores_off() {
    let cpu = "/sys/devices/system/cpu";
    let policies = format!(
        "< {cpu}/cpu0/cpufreq/related_cpus\n0 1 2 3\n< {cpu}/cpu0/cpufreq/scaling_governor\ninteractive\n\
         < {cpu}/cpu0/cpufreq/scaling_available_frequencies\n384000 1440000\n\
         < {cpu}/cpu1/cpufreq/related_cpus\n0 1 2 3\n< {cpu}/cpu1/cpufreq/scaling_governor\ninteractive\n\
         < {cpu}/cpu1/cpufreq/scaling_available_frequencies\n384000 1440000\n"
    );
    check(
        &[
            (
                "getprop",
                "[ro.build.version.release]: [7.0]\n[ro.build.version.sdk]: [24]\n[ro.board.platform]: [msm8992]\n",
            ),
            ("id -u", "2000\n"),
            ("command -v su", "/system/xbin/su\n"),
            ("su -c", "0\n"),
            ("uname", "3.10.73-g760e8c1 aarch64\n"),
            ("cpu/possible", "0-5\n"),
            ("scaling_governor", policies.as_str()),
            (
                "thermal_zone",
                "< /sys/class/thermal/thermal_zone0/type\ntsens_tz_sensor0\n< /sys/class/thermal/thermal_zone0/temp\n41\n\
                 < /sys/class/thermal/thermal_zone1/type\nbattery\n< /sys/class/thermal/thermal_zone1/temp\n312\n\
                 < /sys/class/thermal/thermal_zone2/type\nbattery\n< /sys/class/thermal/thermal_zone2/temp\n31250\n\
                 < /sys/class/thermal/thermal_zone3/type\nunplugged\n< /sys/class/thermal/thermal_zone3/temp\n-274000\n\
                 < /sys/class/thermal/thermal_zone4/temp\n",
            ),
            (
                "dumpsys battery",
                // Android 4 and some vendors of 7 write no blank behind `voltage:`.
                "Current Battery Service state:\n  AC powered: false\n  USB powered: false\n  Wireless powered: false\n  \
                 status: 3\n  health: 2\n  present: true\n  level: 40\n  scale: 50\n  voltage:3874\n  temperature: 252\n",
            ),
            ("thermalservice", "Can't find service: thermalservice\n"),
            (
                "IPowerStats/default",
                "Can't find service: android.hardware.power.stats.IPowerStats/default\n",
            ),
            ("wm size", "Physical size: 1440x2560\nOverride size: 1080x1920\n"),
            (
                "dumpsys display",
                "    mBaseDisplayInfo=DisplayInfo{\"Built-in Screen\", uniqueId \"local:0\", app 1080 x 1920, real 1080 x \
                 1920, largest app 1080 x 1920, mode 1, defaultMode 1, modes [{id=1, width=1080, height=1920, \
                 fps=59.951}], colorTransformId 1, rotation 0}\n",
            ),
            ("dumpsys power", "Power Manager State:\n  mWakefulness=Dozing\n"),
            ("screen_brightness", "null\n"),
            ("screen_brightness_mode", "0\n"),
        ],
        &DeviceFacts {
            product: ProductFacts { soc: Some("msm8992".into()), ..ProductFacts::default() },
            android: Some("7.0".into()),
            sdk: Some(24),
            kernel: Some("3.10.73-g760e8c1 aarch64".into()),
            root: true,
            cpus: (0..6).collect(),
            policies: vec![policy(0, &[0, 1, 2, 3], &[384_000, 1_440_000], "interactive")],
            battery: Some(BatteryFacts {
                level: Some(80.0),
                voltage: Some(3.874),
                temperature: Some(25.2),
                status: Some("discharging".into()),
                plugged: Vec::new(),
                charge_uah: None,
            }),
            screen: Some(ScreenFacts {
                width: Some(1080),
                height: Some(1920),
                on: Some(false),
                brightness: None,
                automatic: Some(false),
                refresh_hz: Some(60),
            }),
            temperatures: BTreeMap::from([
                ("tsens_tz_sensor0".into(), 41.0),
                ("battery".into(), 31.2),
                ("battery (thermal_zone2)".into(), 31.25),
            ]),
            ..DeviceFacts::default()
        },
        &[
            ("policies", "2 of 6"),
            ("rails", "Can't find service"),
            ("screen brightness", "not in its answer"),
        ],
    );
}

#[test]
fn rails_of_older_services_and_of_the_kernel() {
    let hal = "============= PowerStats HAL 1.0 rail energy data ==============\n          Subsys                 Rail      \
               Cumulative Energy\n            CPU       PP900_CPU_BIG          123.45 mWs\n          Modem       \
               VSYS_PWR_MODEM     0.00 mWs\n========== End of PowerStats HAL 1.0 rail energy data ==========\n";
    let kernel = "< /sys/bus/iio/devices/iio:device0/enabled_rails\nCH0[S10M_VDD_TPU]:TPU\nCH1[VSYS_PWR_MODEM]:Modem\n\
                  < /sys/bus/iio/devices/iio:device1/enabled_rails\nPP900_CPU_BIG:cpu\n";
    for (answers, rails) in [
        (&[("lshal", hal)][..], &["PP900_CPU_BIG", "VSYS_PWR_MODEM"][..]),
        (&[("enabled_rails", kernel)], &["PP900_CPU_BIG", "S10M_VDD_TPU", "VSYS_PWR_MODEM"]),
        (&[("enabled_rails", "< /sys/x/enabled_rails\n")], &[]),
        (&[("IPowerStats/default", "= energy meter =\n 1 mWs\n nothing\n x y mWs\n")], &[]),
    ] {
        assert_eq!(device_facts(&device(answers)).expect("facts").rails, rails, "{answers:?}");
    }
}

#[test]
fn a_device_that_says_nothing_has_nothing_but_reasons() {
    check(
        &[],
        &DeviceFacts::default(),
        &[
            ("battery", "not found"),
            ("cpus", "exit status"),
            ("kernel", "not found"),
            ("policies", "exit status"),
            ("properties", "not found"),
            ("rails", "not found"),
            ("root", "no su"),
            ("screen brightness", "not found"),
            ("screen refresh", "not found"),
            ("screen size", "not found"),
            ("screen state", "not found"),
            ("temperatures", "not found"),
        ],
    );
}

#[test]
fn a_service_that_hangs_hides_only_itself() {
    // The second round trip, which asks all services at once, does not end; then each is asked by itself.
    let device = device(&[("wm size", "Physical size: 720x1280\n")])
        .with_fault(Fault { at: 1, kind: Kind::DoneButTimedOut });
    let facts = device_facts(&device).expect("facts");
    assert_eq!(facts.screen.and_then(|screen| screen.width), Some(720));
    assert!(device.calls().len() > 10, "{:?}", device.calls());
    // The one that hangs says so.
    let device = self::device(&[]).with_fault(Fault { at: 0, kind: Kind::DoneButTimedOut });
    assert!(device_facts(&device).is_ok());
}

/// Sections of a real report of a phone of 2011.
#[requires(data)]
#[test]
fn services_of_a_real_phone() {
    let report = wattle_testdata::bytes("bugreport/chkbugreport-deadlock.txt");
    let report = String::from_utf8_lossy(&report);
    // Lines end as old adb made them, with a carriage return.
    let section = |service: &str| {
        let (_, rest) =
            report.split_once(&format!("DUMP OF SERVICE {service}:\r\n")).expect("the service");
        rest.split("-------").next().expect("its text").to_owned()
    };
    let (battery, power) = (section("battery"), section("power"));
    let facts = device_facts(&device(&[("dumpsys battery", &battery), ("dumpsys power", &power)]));
    let facts = facts.expect("facts");
    assert_eq!(
        facts.battery,
        Some(BatteryFacts {
            level: Some(80.0),
            voltage: Some(3.874),
            temperature: Some(25.2),
            status: Some("charging".into()),
            plugged: vec!["usb".into()],
            charge_uah: None,
        })
    );
    // Its power manager knows no wakefulness yet.
    assert!(facts.missing["screen state"].contains("not in its answer"));

    let mut phone = Phone::default();
    let package = section("package");
    phone.fixed.insert("dumpsys package com.android.phone".into(), (0, package.clone()));
    let apps = package.matches("\r\n  Package [").count();
    assert!(apps > 50, "{apps} apps");
    let names =
        package.lines().filter_map(|line| line.strip_prefix("  Package [")?.split(']').next());
    for name in names {
        phone.fixed.insert(format!("dumpsys package {name}"), (0, package.clone()));
        phone.fixed.insert(format!("pm path {name}"), (0, "package:/data/app/x.apk\n".into()));
        let found = InstalledApp::find(&ScriptedDevice::new(phone.clone()), name);
        let app = found.expect("an answer").expect("the app");
        // Android 2 has one user, and knows no users.
        assert!(app.app_id.is_some_and(|id| (1000..20_000).contains(&id)), "{app:?}");
        assert!(app.version_code.is_some(), "{app:?}");
    }
}

#[test]
fn a_device_that_goes_away_is_an_error() {
    for at in 0..2 {
        let device = device(&[]).with_fault(Fault { at, kind: Kind::Gone(1) });
        assert!(device_facts(&device).is_err());
    }
}
