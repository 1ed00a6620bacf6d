//! A simulated phone of the test's own, and the real program run on it through the real adb.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;
use wattle_apk::{GeneratedKey, SigningKey};
use wattle_phone::{MadePackage, Namespace, Phone, PhoneOptions};

use crate::support::Run;

/// A phone, an adb server that holds it alone, and a home for the program.
pub struct PhoneBench {
    pub phone: Phone,
    serial: String,
    pub home: tempfile::TempDir,
    before: State,
}

/// The state of a phone that has to be as it was.
#[derive(Clone, Debug, PartialEq)]
struct State {
    settings: Vec<BTreeMap<String, String>>,
    is_faked: bool,
    log_buffers: Vec<u64>,
    recorders: Vec<(u32, String)>,
    stays_on: bool,
}

impl State {
    fn from_phone(phone: &Phone) -> Self {
        let namespaces = [Namespace::System, Namespace::Secure, Namespace::Global];
        Self {
            settings: namespaces.map(|namespace| phone.settings(namespace)).to_vec(),
            is_faked: phone.battery().faked.stopped,
            log_buffers: ["main", "system", "crash"].map(|name| phone.log_buffer(name)).to_vec(),
            recorders: phone.recorders(),
            stays_on: phone.stays_on(),
        }
    }
}

/// Options with the program's own tool as the phone's shell.
pub fn options() -> PhoneOptions {
    let mut options = PhoneOptions::default();
    options.tool = vec![env!("CARGO_BIN_EXE_wattle").into(), "phone-tool".into()];
    options
}

impl PhoneBench {
    /// A phone that the program adb is connected to.
    #[track_caller]
    pub fn new(options: PhoneOptions) -> Self {
        let mut bench = Self::unconnected(options, "");
        bench.serial = bench.phone.serial();
        bench.connect();
        bench
    }

    /// A phone that will be at this address.
    pub fn unconnected(options: PhoneOptions, serial: &str) -> Self {
        let phone = Phone::start(options).expect("a phone");
        let home = tempfile::tempdir().expect("a folder");
        let before = State::from_phone(&phone);
        Self { phone, serial: serial.to_owned(), home, before }
    }

    /// Connects adb to it, once it is there.
    #[track_caller]
    pub fn connect(&self) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let connected = self.run(["devices", "--connect", &self.serial, "--short", "--quiet"]);
            if connected.code == Some(0) {
                return;
            }
            assert!(std::time::Instant::now() < end, "{}", connected.stderr);
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }

    /// Connects adb to the phone at another address.
    #[track_caller]
    pub fn reconnect(&self, old: &str, new: &str) {
        let adb = |words: [&str; 2]| {
            let output = self.adb().args(words).output();
            String::from_utf8_lossy(&output.expect("adb runs").stdout).into_owned()
        };
        adb(["disconnect", old]);
        let said = adb(["connect", new]);
        assert!(said.contains("connected to"), "{said}");
        let ready = self.adb().args(["-s", new, "wait-for-device"]).status();
        assert!(ready.expect("adb runs").success());
    }

    /// Ends the adb server.
    pub fn kill_server(&self) {
        let _ = self.adb().arg("kill-server").output();
    }

    /// The program on this phone, in its home.
    pub fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env("XDG_DATA_HOME", self.home.path())
            .env("ADB_SERVER_SOCKET", self.server())
            .env("ANDROID_SERIAL", &self.serial)
            .env("ADB_VENDOR_KEYS", self.phone.adb_key())
            // A phone at port 5555 is no emulator.
            .env("ADB_LOCAL_TRANSPORT_MAX_PORT", "5553")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
        command
    }

    /// adb with the bench's server.
    fn adb(&self) -> Command {
        let mut adb = Command::new("adb");
        adb.env("ADB_SERVER_SOCKET", self.server())
            .env("ADB_VENDOR_KEYS", self.phone.adb_key())
            .env("ADB_LOCAL_TRANSPORT_MAX_PORT", "5553");
        adb
    }

    /// The socket of the adb server, which ends with the phone: its own, so that nobody else loses a device.
    pub fn server(&self) -> String {
        format!("localfilesystem:{}", self.phone.adb_socket().display())
    }

    /// Runs it to its end.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        let output = self.command(arguments).output().expect("the program runs");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Starts it.
    pub fn start<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program runs")
    }

    /// The phone is as it was before the first run.
    #[track_caller]
    pub fn assert_restored(&self, after: &str) {
        // The phone notices the end of a program a moment after whoever waited for it.
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while State::from_phone(&self.phone) != self.before && std::time::Instant::now() < patience
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(State::from_phone(&self.phone), self.before, "after {after}");
    }

    /// A file of the home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Returns a recording's description of itself, checked against its published form.
    #[track_caller]
    pub fn recording(&self, folder: &str) -> Value {
        let path = self.path(folder).join("recording.json");
        let text = std::fs::read_to_string(&path).expect("a recording");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let schema =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/recording-1.schema.json");
        let schema: Value =
            serde_json::from_str(&std::fs::read_to_string(schema).expect("a schema"))
                .expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let wrong: Vec<String> =
            validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        value
    }

    /// Writes a package of tests for an app.
    pub fn tests_of(&self, target: &str, entries: Vec<(String, Vec<u8>)>) -> PathBuf {
        let mut package = MadePackage::tests_of(target);
        package.entries = entries;
        self.package("tests.apk", &package)
    }

    /// Writes a package.
    pub fn package(&self, name: &str, package: &MadePackage) -> PathBuf {
        let key =
            SigningKey::generate(GeneratedKey::EcP256, "Test", SystemTime::now()).expect("a key");
        let path = self.path(name);
        std::fs::write(&path, package.build(&key).expect("a package")).expect("written");
        path
    }
}

impl Drop for PhoneBench {
    fn drop(&mut self) {
        // Its own server: nobody else loses a device.
        self.kill_server();
    }
}
