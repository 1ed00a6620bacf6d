//! A simulated phone behind Debian's adb, with an adb server of its own.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::SystemTime;

use tempfile::TempDir;
use wattle_apk::{GeneratedKey, SigningKey};
use wattle_phone::{MadePackage, Phone, PhoneOptions};

/// Options with the tool that was built for tests.
pub fn options() -> PhoneOptions {
    let mut options = PhoneOptions::default();
    options.tool = vec![env!("CARGO_BIN_EXE_wattle-phone-tool").into()];
    options
}

/// An adb server that only this test uses.
#[derive(Debug)]
pub struct Adb {
    home: TempDir,
    key: Option<PathBuf>,
    pub serial: String,
}

/// A phone and an adb that is connected to it.
pub fn connected(options: PhoneOptions) -> (Phone, Adb) {
    let phone = Phone::start(options).expect("a phone");
    let adb = Adb::start(&phone);
    (phone, adb)
}

impl Adb {
    /// Starts a server and connects it to a phone.
    pub fn start(phone: &Phone) -> Self {
        let mut adb = Self::unconnected(&phone.serial());
        adb.key = Some(phone.adb_key());
        adb.connect();
        adb
    }

    /// A server that is started when it is needed.
    pub fn unconnected(serial: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        Self { home, key: None, serial: serial.to_owned() }
    }

    /// Connects, again if need be.
    pub fn connect(&self) {
        let mut last = String::new();
        for _ in 0..50 {
            let output = self.plain(&["connect", &self.serial]);
            last = text(&output.stdout) + &text(&output.stderr);
            if last.contains("connected to") && !last.contains("failed") {
                let state = self.plain(&["-s", &self.serial, "get-state"]);
                if text(&state.stdout).trim() == "device" {
                    return;
                }
                self.plain(&["disconnect", &self.serial]);
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("adb does not connect to {}: {last}", self.serial);
    }

    /// adb with words, not for a certain device.
    pub fn plain(&self, words: &[&str]) -> Output {
        self.command().args(words).stdin(Stdio::null()).output().expect("adb runs")
    }

    /// adb for the phone.
    pub fn run(&self, words: &[&str]) -> Output {
        self.command()
            .arg("-s")
            .arg(&self.serial)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .expect("adb")
    }

    /// Standard output of a command of the phone's shell, which must end well.
    #[track_caller]
    pub fn shell(&self, command: &str) -> String {
        let output = self.run(&["shell", command]);
        assert!(
            output.status.success(),
            "{command}: {} {} {}",
            output.status,
            text(&output.stdout),
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// A command with this adb's environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new("adb");
        command
            .env(
                "ADB_SERVER_SOCKET",
                format!("localfilesystem:{}", self.home.path().join("adb").display()),
            )
            .env("HOME", self.home.path())
            .env("ADB_LOCAL_TRANSPORT_MAX_PORT", "5553")
            .env_remove("ANDROID_SERIAL")
            .env_remove("ADB_VENDOR_KEYS")
            .envs(self.key.iter().map(|key| ("ADB_VENDOR_KEYS", key)));
        command
    }

    /// A folder for the test's files.
    pub fn folder(&self) -> &Path {
        self.home.path()
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        self.plain(&["kill-server"]);
    }
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The key of most packages here.
pub fn key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| new_key("tests"))
}

/// A key that signs for somebody else.
pub fn new_key(name: &str) -> SigningKey {
    SigningKey::generate(GeneratedKey::EcP256, name, SystemTime::now()).expect("a key")
}

/// Writes a package to a file.
pub fn write(folder: &Path, file: &str, package: &MadePackage, key: &SigningKey) -> PathBuf {
    let path = folder.join(file);
    std::fs::write(&path, package.build(key).expect("a package")).expect("written");
    path
}

/// An app with one probed method, `com.example.news.Feed.load`, and its tests.
pub fn probed_packages(folder: &Path, sink: &str) -> Vec<PathBuf> {
    let map = format!(
        "{{\"wattle_probe_map\":1,\"package\":\"com.example.news\",\"mode\":\"both\",\"sink\":\"{sink}\",\"code\":[],\"probes\":2}}\n\
         {{\"class\":\"com.example.news.Feed\",\"methods\":[{{\"id\":1,\"name\":\"load\",\"descriptor\":\"()V\",\"calls\":\
         [{{\"id\":2,\"class\":\"java.net.Socket\",\"name\":\"connect\",\"descriptor\":\"()V\",\"line\":7}}]}}]}}\n"
    );
    let mut app = MadePackage::new("com.example.news");
    app.entries.push(("assets/wattle/probes.jsonl".to_owned(), map.into_bytes()));
    let tests = MadePackage::tests_of("com.example.news");
    vec![write(folder, "app.apk", &app, key()), write(folder, "tests.apk", &tests, key())]
}
