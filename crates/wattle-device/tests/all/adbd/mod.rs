//! A phone made of the real adbd, in a network of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use wattle_device::adb::{AdbDevice, AdbOptions, AdbServer, Environment};
use wattle_device::{Cancel, Device as _};

/// adb's name of it.
pub const SERIAL: &str = "127.0.0.1:5555";

/// The phone, and an adb server that this client started.
pub struct Phone {
    pub folder: PathBuf,
    pub server: AdbServer,
    pub device: AdbDevice,
    pub cancel: Cancel,
}

/// Runs a test on the phone beside this process. Where there is none, the calling test is run again by this very program
/// beside a new phone, and must pass there.
#[track_caller]
pub fn beside_adbd(test: impl FnOnce(Phone)) {
    if std::env::var_os("WATTLE_PHONE").is_some() {
        return test(Phone::start());
    }
    let name = std::thread::current().name().expect("a test has a name").to_owned();
    let root = wattle_testdata::variable("WATTLE_ADBD");
    assert!(has_namespaces(), "this user cannot make network namespaces");
    let output = Command::new(script())
        .arg(root)
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &name, "--nocapture"])
        .output()
        .expect("the script runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{name} beside a real adbd:\n{said}\n{complaint}"
    );
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/adbd/phone.sh")
}

fn has_namespaces() -> bool {
    Command::new(script()).output().is_ok_and(|output| output.status.success())
}

impl Phone {
    fn start() -> Self {
        let folder = PathBuf::from(std::env::var_os("WATTLE_PHONE").expect("a phone"));
        let cancel = Cancel::new();
        let environment = Environment::of_process();
        let server = AdbServer::find(&AdbOptions::default(), &environment, &cancel)
            .expect("an adb server is started");
        let end = Instant::now() + Duration::from_secs(20);
        while let Err(error) = server.connect(SERIAL) {
            assert!(Instant::now() < end, "{error}");
            std::thread::sleep(Duration::from_millis(100));
        }
        server.wait_for_device(Some(SERIAL), Duration::from_secs(20)).expect("it is ready");
        let device = server.device(SERIAL).expect("it is there");
        assert_eq!(device.serial(), SERIAL);
        Self { folder, server, device, cancel }
    }

    /// A path on the phone, which is this machine.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Ends the adbd at once.
    pub fn kill(&self) {
        let pid = std::fs::read_to_string(self.folder.join("adbd.pid")).expect("adbd.pid");
        let status = Command::new("kill").args(["-9", pid.trim()]).status().expect("kill");
        assert!(status.success());
    }

    /// Returns the calls made to the package manager.
    pub fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.folder.join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }
}
