//! This client, Debian's own adb server and the simulated phone, and tests whose program is also the phone's.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use wattle_device::Cancel;
use wattle_device::adb::{AdbDevice, AdbOptions, AdbServer, Environment, ServerAddress};
use wattle_phone::{Phone, PhoneOptions};

/// Longer than anything here takes.
pub const LIMIT: Duration = Duration::from_secs(30);

/// A test and its name.
pub type Test = (&'static str, fn());

/// Runs the phone's own commands for its shell, else the tests whose names contain the first argument.
pub fn run(tests: &[Test]) -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    if first.as_ref().is_some_and(|word| word == "phone-tool") {
        return ExitCode::from(wattle_phone::tool_main(arguments));
    }
    let wanted = first.filter(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let wanted = wanted.map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let is_required = std::env::var_os("WATTLE_REQUIRE_PROGRAMS").is_some();
    let runs = is_required || has_adb();
    let mut failed = false;
    for (name, test) in tests.iter().filter(|(name, _)| name.contains(&wanted)) {
        if !runs {
            println!("test {name} ... ignored, requires the program adb on PATH");
            continue;
        }
        let is_good = std::panic::catch_unwind(test).is_ok();
        failed |= !is_good;
        println!("test {name} ... {}", if is_good { "ok" } else { "FAILED" });
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn has_adb() -> bool {
    Command::new("adb").arg("version").output().is_ok_and(|output| output.status.success())
}

/// A phone, and an adb server of this test alone that this client starts.
pub struct Bench {
    pub phone: Phone,
    server: AdbServer,
    port: u16,
    pub home: tempfile::TempDir,
}

impl Bench {
    pub fn new(options: PhoneOptions) -> Self {
        let phone = Phone::start(options).expect("a phone");
        let home = tempfile::tempdir().expect("a folder");
        // An adb that leaves the user's keys and log alone.
        let adb = home.path().join("adb");
        let script = format!("#!/bin/sh\nHOME='{}' exec adb \"$@\"\n", home.path().display());
        let key = ("ADB_VENDOR_KEYS".to_owned(), phone.adb_key().into());
        std::fs::write(&adb, script).expect("a script");
        std::fs::set_permissions(&adb, std::fs::Permissions::from_mode(0o755)).expect("it may run");
        let port = wattle_testdata::server_port();
        let mut options = AdbOptions::default();
        options.adb = Some(adb);
        options.variables = [key].into();
        options.address = Some(ServerAddress::new("127.0.0.1", port));
        let server = AdbServer::find(&options, &Environment::of_process(), &Cancel::new())
            .expect("an adb server is started");
        let bench = Self { phone, server, port, home };
        bench.connect();
        bench
    }

    pub fn connect(&self) {
        let serial = self.phone.serial();
        let end = Instant::now() + LIMIT;
        while let Err(error) = self.server.connect(&serial) {
            assert!(Instant::now() < end, "{error}");
            std::thread::sleep(Duration::from_millis(50));
        }
        self.server.wait_for_device(Some(&serial), LIMIT).expect("it is ready");
    }

    pub fn device(&self) -> AdbDevice {
        self.server.device(&self.phone.serial()).expect("it is there")
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = Command::new(self.home.path().join("adb"))
            .args(["-P", &self.port.to_string(), "kill-server"])
            .output();
    }
}
