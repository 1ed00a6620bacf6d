//! Programs that are killed at any time: the next start leaves nothing of them on the device.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::phone_bench::{PhoneBench, options};
use wattle_phone::Event;
use wattle_testdata::requires;

/// Kills in a normal run of the tests; `WATTLE_KILLS=200` for more.
const KILLS: u32 = 6;
/// The run that is killed: everything that it changes is changed.
const RECORD: [&str; 9] = [
    "record",
    "--duration",
    "0.6",
    "--brightness",
    "77",
    "--no-animations",
    "--poll",
    "100",
    "--quiet",
];

fn kills() -> u32 {
    let given = std::env::var("WATTLE_KILLS").ok();
    given.map_or(KILLS, |given| given.parse().expect("WATTLE_KILLS is a number"))
}

/// Numbers from 0 to 1 that look random and are the same each time (`splitmix64`).
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Another address of a phone: a port that leads to the phone's own.
struct OtherAddress(SocketAddr);

impl OtherAddress {
    fn new(phone: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(phone) = TcpStream::connect(phone) else { continue };
                for (from, to) in [(&client, &phone), (&phone, &client)] {
                    let (from, to) = (from.try_clone(), to.try_clone());
                    let (Ok(from), Ok(to)) = (from, to) else { continue };
                    std::thread::spawn(move || carry(from, to));
                }
            }
        });
        Self(address)
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

fn kill(mut child: Child) {
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
}

/// Files below a folder of the phone that nobody but Wattle makes there.
fn files(bench: &PhoneBench, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(bench.phone.host_path(folder)).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.map(|name| format!("{folder}/{name}")).collect()
}

#[track_caller]
fn check_nothing_is_left(bench: &PhoneBench, when: &str) {
    bench.assert_restored(when);
    let left: Vec<String> = ["/data/local/tmp", "/data/misc/perfetto-traces"]
        .iter()
        .flat_map(|folder| files(bench, folder))
        .collect();
    assert!(left.is_empty(), "{when}: {left:?}");
}

/// Kills runs at random times, and looks at the phone after the next start: that of `restore`, or another run.
fn kill_again_and_again(seed: u64, change_address: bool) {
    let bench = PhoneBench::new(options());
    let address = bench.phone.address();
    kill_on(&bench, address, seed, change_address);
}

fn kill_on(bench: &PhoneBench, own: SocketAddr, seed: u64, change_address: bool) {
    let began = Instant::now();
    let whole = bench.run(RECORD.iter().chain(&["--out", "whole"]));
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let length = began.elapsed();
    check_nothing_is_left(bench, "a whole run");
    let mut moments = Moments(seed);
    let mut address = own;
    let mut other = None;
    for number in 0..kills() {
        let folder = format!("killed-{number}");
        let mut command = bench.command(RECORD.iter().chain(&["--out", &folder]));
        command.env("ANDROID_SERIAL", address.to_string());
        let moment = length.mul_f64(moments.next());
        let child = command.spawn().expect("the program runs");
        std::thread::sleep(moment);
        kill(child);
        if change_address {
            let is_own = address == own;
            let new = if is_own { other.insert(OtherAddress::new(own)).0 } else { own };
            bench.reconnect(&address.to_string(), &new.to_string());
            address = new;
        }
        let when = format!("kill {number} after {moment:?} of {length:?}, seed {seed}");
        // Most devices are next seen by another run, some by whoever cleans up.
        let next: Vec<&str> = match number % 3 {
            0 => RECORD.into_iter().chain(["--out", "next"]).collect(),
            _ => vec!["devices", "--restore"],
        };
        let next = bench.command(next).env("ANDROID_SERIAL", address.to_string()).output();
        let next = next.expect("the program runs");
        let said = String::from_utf8_lossy(&next.stderr);
        assert_eq!(next.status.code(), Some(0), "{when}: {said}");
        check_nothing_is_left(bench, &when);
        let _ = std::fs::remove_dir_all(bench.path("next"));
        let journals = std::fs::read_dir(bench.path("wattle/devices")).expect("a folder");
        let open: Vec<_> = journals
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".restore"))
            .collect();
        assert!(open.is_empty(), "{when}: {open:?}");
        println!("nothing left: {when}");
    }
}

#[requires(program = "adb")]
#[test]
fn a_killed_run_leaves_nothing_after_the_next_start() {
    kill_again_and_again(1, false);
}

#[requires(program = "adb")]
#[test]
fn a_killed_run_leaves_nothing_when_the_phone_comes_back_under_another_address() {
    kill_again_and_again(2, true);
}

/// Waits until something is so.
#[track_caller]
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[requires(program = "adb")]
#[test]
fn a_second_run_says_who_has_the_device_or_waits() {
    let bench = PhoneBench::new(options());
    let first = bench.start(["record", "--duration", "8", "--out", "first"]);
    let has_begun = || bench.phone.events().contains(&Event::RecordingStarted);
    wait_for("the first run has begun", has_begun);
    let second = bench.run(["record", "--duration", "0.1", "--out", "second"]);
    assert_eq!(second.code, Some(4), "{}", second.stderr);
    let holder = format!("is in use by process {} on ", first.id());
    for words in [holder.as_str(), "(wattle record), since ", "--wait"] {
        assert!(second.stderr.contains(words), "no {words:?} in {}", second.stderr);
    }
    assert!(!bench.path("second").exists(), "nothing was recorded");
    // Another user of the machine, whose folder knows nothing of the first, learns it from the device.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let mut third = bench.command(["record", "--duration", "0.1", "--out", "third"]);
    third.env("XDG_DATA_HOME", elsewhere.path());
    let third = third.output().expect("the program runs");
    let said = String::from_utf8_lossy(&third.stderr);
    assert_eq!(third.status.code(), Some(4), "{said}");
    assert!(said.contains(&holder), "{said}");
    let waits = bench.run(["record", "--duration", "0.1", "--out", "second", "--wait=60"]);
    assert_eq!(waits.code, Some(0), "{}", waits.stderr);
    assert!(waits.stderr.contains("waiting for"), "{}", waits.stderr);
    let first = first.wait_with_output().expect("it ends");
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    check_nothing_is_left(&bench, "two runs");
}

#[requires(program = "adb")]
#[test]
fn a_full_disk_leaves_the_trace_on_the_device_until_the_run_is_resumed() {
    let bench = PhoneBench::new(options());
    let record = ["record", "--duration", "3", "--without", "counters", "--out", "rec"];
    // No file may become larger than 24 KiB, which is an error and no signal.
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 48; exec \"$@\"", "sh"]);
    let whole = bench.command(record);
    limited.arg(whole.get_program()).args(record).current_dir(bench.home.path());
    limited.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let full = limited.output().expect("a shell");
    let said = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(4), "{said}");
    assert!(said.contains("stays on the device"), "{said}");
    bench.assert_restored("a full disk");
    let kept = files(&bench, "/data/misc/perfetto-traces");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(bench.recording("rec")["on_device"][0]["path"], kept[0].as_str());
    // Another run leaves it alone.
    let other = bench.run(["record", "--duration", "0.1", "--out", "other"]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    assert_eq!(files(&bench, "/data/misc/perfetto-traces"), kept);
    let resumed = bench.run(record.iter().chain(&["--resume"]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    check_nothing_is_left(&bench, "the run was resumed");
    let recording = bench.recording("rec");
    assert!(recording.get("interrupted").is_none(), "{recording}");
    assert!(bench.path("rec/trace.perfetto-trace").metadata().expect("a trace").len() > 24 << 10);
    let report = bench.run(["report", "rec"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
}

#[requires(program = "adb")]
#[test]
fn a_run_survives_the_end_of_its_adb_server() {
    let bench = PhoneBench::new(options());
    let run = bench.start(["record", "--duration", "6", "--out", "rec"]);
    let has_begun = || bench.phone.events().contains(&Event::RecordingStarted);
    wait_for("the run has begun", has_begun);
    std::thread::sleep(Duration::from_secs(2));
    bench.kill_server();
    let output = run.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    check_nothing_is_left(&bench, "the end of the server");
    let trace = bench.path("rec/trace.perfetto-trace");
    assert!(trace.metadata().expect("a trace").len() > 0);
}

#[requires(program = "adb")]
#[test]
#[ignore = "the guard waits for two minutes"]
fn recorders_die_with_the_program_that_started_them() {
    let bench = PhoneBench::new(options());
    let run = bench.start(["record", "--duration", "500", "--out", "rec"]);
    let has_begun = || bench.phone.events().contains(&Event::RecordingStarted);
    wait_for("the run has begun", has_begun);
    std::thread::sleep(Duration::from_secs(2));
    kill(run);
    let end = Instant::now() + Duration::from_mins(3);
    while !bench.phone.recorders().is_empty() {
        let left = bench.phone.recorders();
        assert!(Instant::now() < end, "{left:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The real daemon in front of the phone, in a network of its own.
struct Adbd(Child);

impl Drop for Adbd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn adbd_script(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../wattle-phone/tests/adbd").join(name)
}

#[requires(env = "WATTLE_ADBD", program = "adb", program = "unshare")]
#[test]
fn a_killed_run_leaves_nothing_behind_the_real_adbd() {
    if std::env::var_os("WATTLE_BESIDE_ADBD").is_some() {
        behind_adbd();
    } else {
        run_again_beside_adbd();
    }
}

/// Runs the calling test again in a network and with folders of its own, where it must pass.
#[track_caller]
fn run_again_beside_adbd() {
    let test = std::thread::current().name().expect("a test has a name").to_owned();
    let output = std::process::Command::new(adbd_script("beside.sh"))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &test, "--nocapture", "--include-ignored"])
        .output()
        .expect("the script runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complaint) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{complaint}");
}

fn behind_adbd() {
    const ADBD: &str = "127.0.0.1:5555";
    let bench = PhoneBench::unconnected(options(), ADBD);
    // The phone's own `kill` knows its processes and no groups of them, as the shell's own does.
    let script = std::fs::read_to_string(adbd_script("adbd.sh")).expect("a script");
    let theirs = "kill() { /system/bin/kill";
    assert!(script.contains(theirs), "{script}");
    let both = r#"kill() { command kill \"\$@\" 2>/dev/null || /system/bin/kill"#;
    std::fs::write(bench.path("adbd.sh"), script.replace(theirs, both)).expect("written");
    let adbd = std::process::Command::new("sh")
        .arg(bench.path("adbd.sh"))
        .arg(wattle_testdata::variable("WATTLE_ADBD"))
        .arg(bench.phone.host_path("/"))
        .env_clear()
        .envs(bench.phone.adbd_environment())
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("WATTLE_BESIDE_ADBD", "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::inherit())
        .spawn();
    let _adbd = Adbd(adbd.expect("adbd"));
    bench.connect();
    kill_on(&bench, ADBD.parse().expect("an address"), 3, true);
}
