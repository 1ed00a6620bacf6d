//! The phone's programs behind the real device daemon.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support;
use crate::support::{Adb, options, text};
use wattle_phone::{MadePackage, Phone};
use wattle_testdata::requires;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adbd").join(name)
}

/// Runs a test in a network of its own: if this process has none, the calling test is run again by this very program in
/// one, and must pass there.
#[track_caller]
fn in_own_network(test: impl FnOnce()) {
    if std::env::var_os("WATTLE_BESIDE_ADBD").is_some() {
        test();
    } else {
        run_again();
    }
}

#[track_caller]
fn run_again() {
    let test = std::thread::current().name().expect("a test has a name").to_owned();
    let output = Command::new(script("beside.sh"))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &test, "--nocapture"])
        .output()
        .expect("the script runs");
    let (said, complaint) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{test}:\n{said}\n{complaint}");
}

struct Adbd(Child);

impl Drop for Adbd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[requires(env = "WATTLE_ADBD", program = "adb", program = "unshare")]
#[test]
fn the_phones_programs_work_behind_the_real_adbd() {
    in_own_network(programs_work);
}

fn programs_work() {
    let phone = Phone::start(options()).expect("a phone");
    // Before the phone's folders are mounted over the machine's.
    let adb = Adb::unconnected("127.0.0.1:5555");
    let adbd = Command::new(script("adbd.sh"))
        .arg(wattle_testdata::variable("WATTLE_ADBD"))
        .arg(phone.host_path("/"))
        .env_clear()
        .envs(phone.adbd_environment())
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("WATTLE_BESIDE_ADBD", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    let _adbd = Adbd(adbd.expect("adbd"));
    adb.connect();
    assert_eq!(adb.shell("getprop ro.build.version.sdk"), "34\n");
    adb.shell("dumpsys battery unplug; settings put global x y");
    assert!(phone.battery().is_faked());
    assert_eq!(
        adb.shell("settings get global x; echo z > /data/local/tmp/f; cat /data/local/tmp/f"),
        "y\nz\n"
    );
    assert!(phone.host_path("/data/local/tmp/f").exists());
    let uptime: f64 =
        adb.shell("cat /proc/uptime").split(' ').next().expect("uptime").parse().expect("seconds");
    assert!(uptime > 93_784.0, "{uptime} is the host's");
    let file =
        support::write(adb.folder(), "a.apk", &MadePackage::new("com.example.r"), support::key());
    let installed = adb.run(&["install", "--no-streaming", &file.to_string_lossy()]);
    assert!(installed.status.success(), "{}", text(&installed.stderr));
    assert_eq!(adb.shell("pm list packages -3"), "package:com.example.r\n");
    assert_eq!(adb.shell("run-as com.example.r pwd"), "/data/data/com.example.r\n");
    let pid = adb.shell("perfetto -d -t 100s -o /data/misc/perfetto-traces/t sched");
    let pid = pid.trim();
    adb.shell(&format!("kill -0 {pid} && kill -TERM {pid}"));
    while phone.truths().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let back = adb.folder().join("t");
    assert!(
        adb.run(&["pull", "/data/misc/perfetto-traces/t", &back.to_string_lossy()])
            .status
            .success()
    );
    assert_eq!(
        std::fs::read(back).ok(),
        std::fs::read(phone.host_path("/data/misc/perfetto-traces/t")).ok()
    );
}
