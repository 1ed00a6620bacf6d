//! This client, Debian's own adb server and the real adbd.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::adbd::{Phone, SERIAL, beside_adbd};
use wattle_device::adb::{AdbDevice, AttachedDevice, DeviceState, Features, InstallCause};
use wattle_device::{
    Device, DeviceError, InstallOptions, ShellEvent, ShellOutput, ShellStream, quote,
};
use wattle_testdata::requires;

const LIMIT: Duration = Duration::from_secs(30);

/// Bytes that no compression or shift of a piece leaves alike (Knuth's multiplier).
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The device as it is, and as one of long ago that announces nothing.
fn old_and_new(phone: &Phone) -> [(AdbDevice, &'static str); 2] {
    let old = phone.device.with_features(Features::default());
    [(phone.device.clone(), "new"), (old, "old")]
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_server_is_started_and_knows_the_device() {
    beside_adbd(|phone| {
        assert!(phone.server.version() >= 39, "{}", phone.server.version());
        let devices = phone.server.devices().expect("a list");
        // Older servers also take a TCP port 5555 of this machine for an emulator.
        let device = devices.iter().find(|device| device.serial == SERIAL).expect("it is listed");
        assert_eq!(device.state, DeviceState::Device);
        assert!(device.transport.is_some(), "{device:?}");
        assert_eq!(phone.device.state().expect("a state"), DeviceState::Device);
        for feature in ["shell_v2", "cmd", "stat_v2", "ls_v2", "sendrecv_v2"] {
            assert!(
                phone.device.features().has(feature),
                "{feature}: {:?}",
                phone.device.features()
            );
        }
        // A second client finds the running server.
        let mut tracker = phone.server.track().expect("a tracker");
        let first = tracker.next(LIMIT).expect("a list").expect("at once");
        let lists =
            |devices: &[AttachedDevice]| devices.iter().any(|device| device.serial == SERIAL);
        assert!(lists(&first));
        assert_eq!(tracker.next(Duration::from_millis(100)).expect("still there"), None);
        phone.server.disconnect(SERIAL).expect("it goes");
        let end = Instant::now() + LIMIT;
        while lists(&tracker.next(LIMIT).expect("a list").expect("it changed")) {
            assert!(Instant::now() < end);
        }
        let gone = phone.device.shell("true", LIMIT);
        assert!(matches!(gone, Err(DeviceError::Disconnected { .. })), "{gone:?}");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn a_server_that_was_ended_is_started_again() {
    beside_adbd(|phone| {
        let killed = std::process::Command::new("adb").arg("kill-server").status().expect("adb");
        assert!(killed.success());
        // Which devices it finds by itself is its own affair; that of the network is to be connected again.
        phone.server.devices().expect("a list");
        phone.server.connect(SERIAL).expect("connected");
        let output = phone.device.shell("echo again", LIMIT).expect("it is there");
        assert_eq!(output.text(), "again\n");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn a_connection_that_cannot_be_made_says_why() {
    beside_adbd(|phone| {
        let refused = phone.server.connect("127.0.0.1:1");
        assert!(
            matches!(&refused, Err(DeviceError::Refused { said, .. }) if said.contains("127.0.0.1:1")),
            "{refused:?}"
        );
        let unknown = phone.server.device("no-such-phone");
        assert!(matches!(unknown, Err(DeviceError::Disconnected { .. })), "{unknown:?}");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn commands_give_outputs_and_status() {
    beside_adbd(|phone| {
        let run = |device: &AdbDevice, command: &str| device.shell(command, LIMIT).expect(command);
        for (device, kind) in old_and_new(&phone) {
            for (command, stdout, status) in [
                ("echo a; exit 3", "a\n", 3),
                ("printf 'no end'", "no end", 0),
                ("false", "", 1),
                ("exit 255", "", 255),
                (&format!("printf %s {}", quote("it's $HOME; `id`")), "it's $HOME; `id`", 0),
            ] {
                let output = run(&device, command);
                assert_eq!(output.text(), stdout, "{kind}: {command}");
                assert_eq!(output.status, Some(status), "{kind}: {command}");
            }
        }
        let both = run(&phone.device, "echo out; echo err >&2; exit 7");
        let expected =
            ShellOutput { stdout: b"out\n".to_vec(), stderr: b"err\n".to_vec(), status: Some(7) };
        assert_eq!(both, expected);
        let large = run(&phone.device, "head -c 5000000 /dev/zero");
        assert_eq!((large.stdout.len(), large.status), (5_000_000, Some(0)));
        // Bytes, not text: nothing is translated on the way.
        let bytes = run(&phone.device, r"printf '\000\r\n\377'");
        assert_eq!(bytes.stdout, b"\0\r\n\xff");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn commands_read_their_input() {
    beside_adbd(|phone| {
        let sent = noise(5_000_000);
        // Comes back while it is still being sent: whoever only writes would wait for ever.
        let output =
            phone.device.shell_with_input("cat", &mut sent.as_slice(), LIMIT).expect("cat");
        assert!(output.stdout == sent, "{} bytes came back", output.stdout.len());
        let start = phone.device.shell_with_input("head -c 10", &mut sent.as_slice(), LIMIT);
        // The command ends without wanting all of it. The daemon has one socket for input and output: where writing input fails before it
        // read what the command said, it closes both, and the ten bytes are lost.
        let start = start.expect("head").stdout;
        assert!(start.is_empty() || Some(&*start) == sent.get(..10), "{start:?}");
        let nothing = phone.device.shell_with_input("wc -c", &mut std::io::empty(), LIMIT);
        assert_eq!(nothing.expect("wc").text().trim(), "0");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn a_stream_goes_on_until_it_is_dropped() {
    beside_adbd(|phone| {
        for command in [
            "echo $$; read line; echo got $line; exec sleep 1000",
            // The program that a script is just running ends with the script.
            "sh -c 'echo $$; read line; echo got $line; exec sleep 1000'; true",
        ] {
            let mut stream = phone.device.stream(command).expect("a stream");
            let pid = next_line(&mut *stream);
            assert_eq!(stream.next(Duration::from_millis(50)).expect("still there"), None);
            stream.write(b"words\n").expect("it reads");
            assert_eq!(next_line(&mut *stream), "got words");
            let process = Path::new("/proc").join(&pid).join("cmdline");
            let runs = || std::fs::read(&process).is_ok_and(|line| !line.is_empty());
            // For a moment, between two programs, a process has no command line.
            let begun = Instant::now();
            while !runs() {
                assert!(begun.elapsed() < LIMIT, "{pid} of {command} does not run");
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(stream);
            let end = Instant::now() + LIMIT;
            while runs() {
                assert!(Instant::now() < end, "{pid} of {command} goes on");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let mut stream = phone.device.stream("cat; exit 4").expect("a stream");
        stream.write(b"x").expect("it reads");
        stream.close_input().expect("it is told");
        assert_eq!(stream.next(LIMIT).expect("output"), Some(ShellEvent::Stdout(b"x".to_vec())));
        for _ in 0..2 {
            assert_eq!(stream.next(LIMIT).expect("the end"), Some(ShellEvent::Exit(Some(4))));
        }
    });
}

fn next_line(stream: &mut dyn ShellStream) -> String {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        match stream.next(LIMIT).expect("goes on") {
            Some(ShellEvent::Stdout(bytes)) => line.extend(bytes),
            other => panic!("{other:?} after {line:?}"),
        }
    }
    String::from_utf8(line).expect("UTF-8").trim().to_owned()
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn a_long_command_is_cancelled_or_runs_out_of_time() {
    beside_adbd(|phone| {
        let short = phone.device.shell("sleep 1000", Duration::from_millis(200));
        assert!(matches!(short, Err(DeviceError::TimedOut { .. })), "{short:?}");
        let cancel = phone.cancel.clone();
        let waiting = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            cancel.cancel();
        });
        let stopped = phone.device.shell("sleep 1000", LIMIT);
        assert!(matches!(stopped, Err(DeviceError::Cancelled)), "{stopped:?}");
        waiting.join().expect("it cancelled");
        // What puts the device back has a request to stop of its own.
        let again = phone.device.with_cancel(wattle_device::Cancel::new());
        assert_eq!(again.shell("echo on", LIMIT).expect("goes on").text(), "on\n");
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn files_arrive_byte_for_byte() {
    beside_adbd(|phone| {
        for (device, kind) in old_and_new(&phone) {
            for length in [0, 1, 65_536, 65_537, 20_000_000] {
                let sent = noise(length);
                let path = phone.path(&format!("{kind}-{length}.bin"));
                let before = SystemTime::now() - Duration::from_secs(2);
                let count = device.push(&mut sent.as_slice(), &path, 0o640).expect("pushed");
                assert_eq!(count, length as u64);
                // The phone is this machine: its file is read past adb.
                let there = std::fs::read(&path).expect("the file");
                assert!(there == sent, "{kind}: {} of {length} bytes", there.len());
                let facts = std::fs::metadata(&path).expect("the file");
                assert_eq!(facts.permissions().mode() & 0o600, 0o600, "{kind}");
                assert!(facts.modified().expect("a time") >= before, "{kind}");
                let mut back = Vec::new();
                assert_eq!(device.pull(&path, &mut back).expect("pulled"), length as u64);
                assert!(back == sent, "{kind}: {} of {length} bytes came back", back.len());
            }
        }
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn files_that_cannot_be_moved_say_why() {
    beside_adbd(|phone| {
        for (device, kind) in old_and_new(&phone) {
            let missing = device.pull(&phone.path("missing"), &mut std::io::sink());
            assert!(
                matches!(&missing, Err(DeviceError::Refused { said, .. }) if said.contains("No such file")),
                "{kind}: {missing:?}"
            );
            // More than the sockets between hold, so that the refusal comes while the file is sent.
            let large = noise(30_000_000);
            let refused = device.push(&mut large.as_slice(), "/proc/wattle/file", 0o644);
            assert!(matches!(&refused, Err(DeviceError::Refused { .. })), "{kind}: {refused:?}");
            let long = "x".repeat(1100);
            let refused = device.push(&mut std::io::empty(), &long, 0o644);
            assert!(matches!(&refused, Err(DeviceError::TooLong { .. })), "{kind}: {refused:?}");
        }
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn folders_and_paths_are_what_they_are() {
    beside_adbd(|phone| {
        let folder = phone.folder.join("folder");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("a file"), b"12345").expect("a file");
        std::fs::create_dir(folder.join("inner")).expect("a folder");
        std::os::unix::fs::symlink(&folder, phone.folder.join("link")).expect("a link");
        for (device, kind) in old_and_new(&phone) {
            let files = device.list(&phone.path("folder")).expect("a list");
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            assert_eq!(names, ["a file", "inner"], "{kind}");
            for file in &files {
                let facts = std::fs::metadata(folder.join(&file.name)).expect("it is there");
                assert_eq!((file.mode, file.modified), (facts.mode(), facts.mtime()), "{kind}");
                assert_eq!(file.bytes, facts.len(), "{kind}");
                assert_eq!(file.is_folder(), facts.is_dir(), "{kind}");
                let path = format!("{}/{}", phone.path("folder"), file.name);
                assert_eq!(device.stat(&path).expect("facts").as_ref(), Some(file), "{kind}");
            }
            let link = device.stat(&phone.path("link")).expect("facts").expect("it is there");
            assert!(link.is_folder() && link.name == "link", "{kind}: {link:?}");
            assert_eq!(device.stat(&phone.path("nothing")).expect("an answer"), None, "{kind}");
            assert_eq!(device.list(&phone.path("nothing")).expect("an answer"), [], "{kind}");
        }
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn exec_gives_bare_bytes() {
    beside_adbd(|phone| {
        let mut bytes = Vec::new();
        let count = phone.device.exec("cat /proc/self/exe", &mut bytes, LIMIT).expect("it runs");
        assert_eq!(count, bytes.len() as u64);
        assert!(bytes == std::fs::read("/bin/cat").expect("cat"), "{count} bytes");
    });
}

/// A package of this machine; only its bytes matter here.
fn package(phone: &Phone, name: &str, length: usize) -> (PathBuf, Vec<u8>) {
    let (path, bytes) = (phone.folder.join(name), noise(length));
    std::fs::write(&path, &bytes).expect("a package");
    (path, bytes)
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn packages_reach_the_package_manager_whole() {
    beside_adbd(|phone| {
        let (base, base_bytes) = package(&phone, "base.apk", 3_000_001);
        let options = InstallOptions { grant: true, user: Some(10), ..InstallOptions::default() };
        phone.device.install(std::slice::from_ref(&base), &options).expect("installed");
        assert!(std::fs::read(phone.folder.join("installed")).expect("it came") == base_bytes);
        assert_eq!(phone.calls(), ["cmd package install -r -g --user 10 -S 3000001"]);

        let (split, split_bytes) = package(&phone, "split config.apk", 100_000);
        phone.device.install(&[base, split], &InstallOptions::default()).expect("installed");
        assert!(std::fs::read(phone.folder.join("session-0.apk")).expect("it came") == base_bytes);
        assert!(std::fs::read(phone.folder.join("session-1.apk")).expect("it came") == split_bytes);
        assert_eq!(
            phone.calls().get(1..).expect("more"),
            [
                "cmd package install-create -r -S 3100001",
                "cmd package install-write -S 3000001 42 0.apk -",
                "cmd package install-write -S 100000 42 1.apk -",
                "cmd package install-commit 42",
            ]
        );
        phone.device.uninstall("com.example.installed", None).expect("uninstalled");
        let unknown = phone.device.uninstall("com.example.other", Some(0));
        assert!(
            matches!(&unknown, Err(DeviceError::Refused { said, .. }) if said.contains("DELETE_FAILED")),
            "{unknown:?}"
        );
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn a_refused_package_has_a_cause() {
    beside_adbd(|phone| {
        // Large, so that the refusal comes before all of it is sent.
        let (base, _) = package(&phone, "base.apk", 30_000_000);
        std::fs::write(
        phone.folder.join("refusal"),
        "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location]\n",
    )
    .expect("a refusal");
        for packages in [vec![base.clone()], vec![base.clone(), base]] {
            match phone.device.install(&packages, &InstallOptions::default()) {
                Err(DeviceError::NotInstalled { refusal, .. }) => {
                    assert_eq!(refusal.cause, InstallCause::InsufficientStorage, "{refusal:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn ports_lead_to_the_other_side_until_they_are_dropped() {
    beside_adbd(|phone| {
        // The phone is this machine, so both directions end at the same kind of listener.
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let target = format!("tcp:{}", listener.local_addr().expect("a port").port());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let Ok(mut socket) = socket else { return };
                let mut word = [0; 4];
                if socket.read_exact(&mut word).is_ok() {
                    let _ = socket.write_all(&word.map(|byte| byte.to_ascii_uppercase()));
                }
            }
        });
        for forward in [
            phone.device.forward("tcp:0", &target).expect("forwarded"),
            phone.device.reverse("tcp:0", &target).expect("forwarded"),
        ] {
            let port = forward.port().expect("a port");
            let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
            socket.set_read_timeout(Some(LIMIT)).expect("a limit");
            socket.write_all(b"ping").expect("sent");
            let mut answer = [0; 4];
            socket.read_exact(&mut answer).expect("answered");
            assert_eq!(&answer, b"PING");
            drop(socket);
            drop(forward);
            assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "{port} still listens");
        }
        let refused = phone.device.forward("nonsense:1", &target);
        assert!(matches!(refused, Err(DeviceError::Refused { .. })), "{refused:?}");
    });
}

/// Whatever is under way, the loss of the device is told as what it is.
#[track_caller]
fn is_gone<T: std::fmt::Debug>(result: Result<T, DeviceError>) {
    match result {
        Err(DeviceError::Disconnected { serial, .. }) => assert_eq!(serial, SERIAL),
        other => panic!("{other:?}"),
    }
}

/// A file without end, whose reader ends the adbd after a while.
struct Killing<'a> {
    phone: &'a Phone,
    left: u32,
}

impl Read for Killing<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            self.phone.kill();
        }
        self.left = self.left.wrapping_sub(1);
        into.fill(7);
        Ok(into.len())
    }
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_loss_of_the_device_is_told_in_a_stream() {
    beside_adbd(|phone| {
        let mut stream = phone.device.stream("echo on; exec sleep 1000").expect("a stream");
        assert_eq!(next_line(&mut *stream), "on");
        phone.kill();
        is_gone(stream.next(LIMIT));
        is_gone(phone.device.shell("true", LIMIT));
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_loss_of_the_device_is_told_without_the_shell_protocol() {
    beside_adbd(|phone| {
        let old = phone.device.with_features(Features::default());
        let mut stream = old.stream("echo on; exec sleep 1000").expect("a stream");
        assert_eq!(next_line(&mut *stream), "on");
        phone.kill();
        is_gone(stream.next(LIMIT));
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_loss_of_the_device_is_told_while_a_file_is_sent() {
    beside_adbd(|phone| {
        let mut endless = Killing { phone: &phone, left: 20 };
        is_gone(phone.device.push(&mut endless, "/dev/null", 0o644));
    });
}

/// Sink of pulled bytes that ends the adbd after a while.
struct KillingSink<'a>(&'a Phone, u32);

impl Write for KillingSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.1 == 0 {
            self.0.kill();
        }
        self.1 = self.1.wrapping_sub(1);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_loss_of_the_device_is_told_while_a_file_is_fetched() {
    beside_adbd(|phone| {
        is_gone(phone.device.pull("/dev/zero", &mut KillingSink(&phone, 20)));
    });
}

#[requires(env = "WATTLE_ADBD", program = "adb")]
#[test]
fn the_loss_of_the_device_is_told_while_a_package_is_installed() {
    beside_adbd(|phone| {
        let (base, _) = package(&phone, "base.apk", 1_000);
        // A package manager that takes its time, which the phone does not have.
        std::fs::write(phone.folder.join("slow"), "").expect("a wish");
        let killer = std::thread::spawn({
            let pid = std::fs::read_to_string(phone.folder.join("adbd.pid")).expect("adbd.pid");
            let calls = phone.folder.join("calls");
            move || {
                while !calls.exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                std::process::Command::new("kill").args(["-9", pid.trim()]).status().expect("kill")
            }
        });
        is_gone(phone.device.install(&[base], &InstallOptions::default()));
        assert!(killer.join().expect("it killed").success());
    });
}
