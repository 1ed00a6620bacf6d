//! Answers of the phone's programs.

use crate::support::{Adb, connected, options, probed_packages, text};
use wattle_apk::Apk;
use wattle_testdata::requires;

/// Standard output has all of these.
#[track_caller]
fn check(adb: &Adb, command: &str, expected: &[&str]) {
    let found = adb.shell(command);
    for part in expected {
        assert!(found.contains(part), "{command}: no {part:?} in {found}");
    }
}

#[requires(program = "adb")]
#[test]
fn services_answer_as_androids_do() {
    let mut options = options();
    let folder = tempfile::tempdir().expect("a folder");
    options.packages = probed_packages(folder.path(), "trace");
    let (phone, adb) = connected(options);
    let cases: [(&str, &[&str]); 29] = [
        (
            "dumpsys battery",
            &["  level: 84\n", "  voltage: 4050\n", "  temperature: 273\n", "AC powered: false"],
        ),
        (
            "dumpsys battery set level 50; dumpsys battery; dumpsys battery reset",
            &["UPDATES STOPPED", "level: 50"],
        ),
        ("dumpsys power", &["mWakefulness=Awake", "mFullEnabled=false"]),
        (
            "input keyevent KEYCODE_SLEEP; dumpsys power; input keyevent 224",
            &["mWakefulness=Asleep"],
        ),
        (
            "dumpsys display",
            &["mBaseDisplayInfo=DisplayInfo{", "real 1080 x 2400", "fps=60.000004"],
        ),
        (
            "dumpsys thermalservice",
            &["Thermal Status: 0", "Temperature{mValue=30.3, mType=3, mName=VIRTUAL-SKIN"],
        ),
        (
            "dumpsys android.hardware.power.stats.IPowerStats/default",
            &["[S2M_VDD_CPUCL2]:CPU(BIG)", "mWs"],
        ),
        (
            "dumpsys batterystats --reset; dumpsys batterystats",
            &["Battery stats and history reset", "Time on battery:"],
        ),
        (
            "dumpsys batterystats -c",
            &["9,0,i,vers,36,", "9,0,i,uid,10201,com.example.news", "9,0,l,bt,0,"],
        ),
        ("dumpsys batterystats --enable full-wake-history", &["Enabled: full-wake-history"]),
        (
            "settings put system x 1; settings get system x; settings delete system x; settings get system x",
            &["1\nDeleted 1 rows\nnull\n"],
        ),
        (
            "svc power stayon true; settings get global stay_on_while_plugged_in; svc power stayon false",
            &["15\n"],
        ),
        (
            "wm size; wm size 720x1280; wm size; wm size reset",
            &["Physical size: 1080x2400", "Override size: 720x1280"],
        ),
        ("pm list packages", &["package:android\n", "package:com.example.news\n"]),
        (
            "pm list instrumentation",
            &[
                "com.example.news.test/androidx.test.runner.AndroidJUnitRunner (target=com.example.news)",
            ],
        ),
        (
            "cmd package resolve-activity --brief com.example.news",
            &["com.example.news/com.example.news.MainActivity"],
        ),
        (
            "am start -W -n com.example.news/.MainActivity",
            &["Status: ok", "LaunchState: COLD", "TotalTime: "],
        ),
        (
            "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER com.example.news",
            &["1 activities found:", "\n    com.example.news/com.example.news.MainActivity\n"],
        ),
        (
            "am start -W --activity-clear-task -n com.example.news/.MainActivity",
            &["LaunchState: WARM"],
        ),
        ("am start -W -n com.example.news/.MainActivity", &["LaunchState: HOT"]),
        (
            "cmd package compile -f -m speed com.example.news; dumpsys package com.example.news; cmd package compile --reset com.example.news",
            &["Success\n", "[status=speed]"],
        ),
        (
            "am broadcast -a androidx.profileinstaller.action.INSTALL_PROFILE com.example.news/androidx.profileinstaller.ProfileInstallReceiver",
            &["result=0"],
        ),
        ("pidof com.example.news; ps -A -o PID,NAME", &["com.example.news\n", "system_server"]),
        (
            "monkey -p com.example.news -s 7 --throttle 2 -v 5",
            &["seed=7 count=5", "Events injected: 5\n", "// Monkey finished"],
        ),
        (
            "logcat -d -b system -s ActivityManager:I -v raw",
            &["Start proc", ":com.example.news/u0_a201"],
        ),
        (
            "cat /sys/devices/system/cpu/cpufreq/policy4/related_cpus /sys/devices/system/cpu/possible",
            &["4 5\n0-7\n"],
        ),
        ("cat /sys/class/power_supply/battery/capacity", &["84\n"]),
        ("uname -r -m", &["6.1.99-android14-11-simulated aarch64"]),
        ("f=/proc/uptime; read up rest < $f; echo \"up ${up%%.*}\"", &["up 93"]),
    ];
    for (command, expected) in cases {
        check(&adb, command, expected);
    }
    let folder = phone.host_path("/");
    adb.shell("am force-stop com.example.news");
    assert!(phone.processes_of("com.example.news").is_empty());
    assert!(!phone.battery().is_faked() && phone.is_awake() && !phone.stays_on());
    adb.shell("am start -n com.example.news/.MainActivity");
    drop(adb);
    drop(phone);
    assert!(!folder.exists(), "a phone leaves nothing behind");
}

#[requires(program = "adb")]
#[test]
fn the_frameworks_package_holds_the_power_profile() {
    let (_phone, adb) = connected(options());
    let path = adb.shell("pm path android");
    let path = path.trim().strip_prefix("package:").expect("a path");
    let file = adb.folder().join("framework.apk");
    assert!(adb.run(&["pull", path, &file.to_string_lossy()]).status.success());
    let bytes = std::fs::read(file).expect("pulled");
    let profile =
        Apk::open(&bytes).expect("a package").read("res/xml/power_profile.xml").expect("it");
    let shown = format!("{:?}", wattle_apk::BinaryXml::parse(&profile).expect("binary XML"));
    assert!(
        shown.contains("cpu.core_power.cluster2") && shown.contains("battery.capacity"),
        "{shown}"
    );
}

#[requires(program = "adb")]
#[test]
fn older_androids_have_less() {
    for (api, features, perfetto) in
        [(24, "shell_v2,cmd", false), (28, "shell_v2,cmd,stat_v2,fixed_push_mkdir", true)]
    {
        let mut options = options();
        options.api = api;
        let (_phone, adb) = connected(options);
        let found = text(&adb.run(&["features"]).stdout);
        for feature in features.split(',') {
            assert!(found.lines().any(|line| line == feature), "{api}: {feature} in {found}");
        }
        assert!(!found.contains("ls_v2"), "{api}: {found}");
        assert_eq!(adb.run(&["shell", "command -v perfetto"]).status.success(), perfetto, "{api}");
        assert!(!adb.run(&["shell", "command -v simpleperf"]).status.success());
        let thermal = adb.run(&["shell", "dumpsys thermalservice"]);
        assert!(text(&thermal.stderr).contains("Can't find service"), "{api}");
        if perfetto {
            let path = "/data/misc/perfetto-traces/t";
            let off = adb.run(&["shell", &format!("perfetto -t 1s -o {path} sched")]);
            assert!(!off.status.success(), "the service is off");
            adb.shell(&format!(
                "setprop persist.traced.enable 1; perfetto -t 100ms -o {path} sched"
            ));
            assert!(
                !adb.run(&["shell", &format!("perfetto -D -t 1s -o {path} sched")])
                    .status
                    .success()
            );
        }
    }
}
