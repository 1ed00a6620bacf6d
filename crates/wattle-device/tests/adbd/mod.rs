//! A phone made of the real adbd, in a network of its own.

use std::io::Write as _;
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

/// The phone, if this process is beside one. Else the calling test is run again by this very program beside a new phone,
/// must pass there, and is over here.
///
/// Skipped, and said so, without an adbd; that is an error with `WATTLE_REQUIRE_ADBD=1`.
#[track_caller]
pub fn phone() -> Option<Phone> {
    if std::env::var_os("WATTLE_PHONE").is_some() {
        return Some(Phone::start());
    }
    let test = std::thread::current().name().expect("a test has a name").to_owned();
    let root = adbd_root();
    let adbd = root.as_deref().map(|root| root.join("usr/lib/android-sdk/platform-tools/adbd"));
    let missing = match &adbd {
        None => Some("no HOME and no WATTLE_ADBD".to_owned()),
        Some(path) if !path.is_file() => Some(format!("no {}; set WATTLE_ADBD", path.display())),
        Some(_) if !has_adb() => Some("no adb in PATH".to_owned()),
        Some(_) if !has_namespaces() => Some("no network namespaces for this user".to_owned()),
        Some(_) => None,
    };
    if let Some(missing) = missing {
        let required = std::env::var_os("WATTLE_REQUIRE_ADBD").is_some_and(|value| value == "1");
        assert!(!required, "{missing}, and WATTLE_REQUIRE_ADBD=1");
        // Written past `eprintln!`, which the test harness captures.
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {missing}");
        return None;
    }
    let output = Command::new(script())
        .arg(root.expect("it has an adbd"))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &test, "--nocapture"])
        .output()
        .expect("the script runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{test} beside a real adbd:\n{said}\n{complaint}"
    );
    None
}

/// The unpacked Debian package adbd with its own C library: what `WATTLE_ADBD` names, else where `.ci/run` puts it.
fn adbd_root() -> Option<PathBuf> {
    match std::env::var_os("WATTLE_ADBD") {
        Some(root) => Some(PathBuf::from(root)),
        None => Some(Path::new(&std::env::var_os("HOME")?).join(".cache/wattle/adbd")),
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adbd/phone.sh")
}

fn has_namespaces() -> bool {
    Command::new(script()).output().is_ok_and(|output| output.status.success())
}

fn has_adb() -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("adb").is_file()))
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

    /// What the package manager was asked.
    pub fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.folder.join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }
}
