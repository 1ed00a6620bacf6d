//! Faults that can be injected.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rsa::pkcs8::DecodePrivateKey as _;

use crate::support::{connected, options, probed_packages, text};
use wattle_phone::{Event, Fault, Namespace, Phone, PhoneOptions, Step, TestSpec};
use wattle_testdata::requires;

/// A phone with an app whose test takes half a second.
fn with_app() -> (PhoneOptions, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options();
    options.packages = probed_packages(folder.path(), "logcat");
    let steps =
        || vec![Step::call("com.example.news.Feed.load", vec![Step::busy(5), Step::sleep(500)])];
    options.tests = vec![
        TestSpec::new("com.example.news.FeedTest", "a").with_steps(steps()),
        TestSpec::new("com.example.news.FeedTest", "b").with_steps(steps()),
    ];
    (options, folder)
}

const INSTRUMENT: &str =
    "am instrument -w -r com.example.news.test/androidx.test.runner.AndroidJUnitRunner";

#[requires(program = "adb")]
#[test]
fn a_link_that_breaks_ends_the_command_and_can_be_mended() {
    let (options, _folder) = with_app();
    let (phone, adb) = connected(options);
    phone.inject(Fault::DisconnectAt {
        event: Event::TestStarted,
        delay: Duration::from_millis(100),
        away: None,
    });
    let output = adb.run(&["shell", INSTRUMENT]);
    // adb 29 gives the status 0 when the device goes away.
    assert!(!text(&output.stdout).contains("INSTRUMENTATION_CODE"));
    phone.reconnect();
    adb.connect();
    assert_eq!(adb.shell("echo back"), "back\n");
}

#[requires(program = "adb")]
#[test]
fn a_link_breaks_after_so_many_bytes() {
    let (phone, adb) = connected(options());
    let file = adb.folder().join("file");
    std::fs::write(&file, vec![7; 4 << 20]).expect("written");
    phone.inject(Fault::DisconnectAfter { bytes: 1 << 20, away: Some(Duration::from_millis(300)) });
    let before = phone.carried_bytes();
    let output = adb.run(&["push", &file.to_string_lossy(), "/data/local/tmp/f"]);
    assert!(!output.status.success());
    assert_eq!(phone.carried_bytes() - before, 1 << 20);
    adb.connect();
    assert_eq!(adb.shell("echo back"), "back\n");
}

#[requires(program = "adb")]
#[test]
fn a_slow_link_is_slow_and_whole() {
    let (phone, adb) = connected(options());
    let (file, back) = (adb.folder().join("file"), adb.folder().join("back"));
    let content: Vec<u8> = (0..300_000_u32).map(|index| (index >> 3) as u8).collect();
    std::fs::write(&file, &content).expect("written");
    phone.inject(Fault::SlowLink { bytes_per_second: 1_000_000 });
    let begin = Instant::now();
    assert!(adb.run(&["push", &file.to_string_lossy(), "/data/local/tmp/f"]).status.success());
    assert!(begin.elapsed() >= Duration::from_millis(300), "{:?}", begin.elapsed());
    assert!(adb.run(&["pull", "/data/local/tmp/f", &back.to_string_lossy()]).status.success());
    assert_eq!(std::fs::read(back).expect("pulled"), content);
}

#[requires(program = "adb")]
#[test]
fn full_storage_refuses_files_and_redirections() {
    let (phone, adb) = connected(options());
    let file = adb.folder().join("file");
    std::fs::write(&file, vec![7; 100_000]).expect("written");
    phone.inject(Fault::FullStorage { free_bytes: 50_000 });
    let push = || adb.run(&["push", &file.to_string_lossy(), "/data/local/tmp/f"]);
    let output = push();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(!output.status.success() && said.contains("No space left on device"), "{said}");
    assert!(!phone.host_path("/data/local/tmp/f").exists());
    phone.inject(Fault::FullStorage { free_bytes: 0 });
    let output = adb.run(&["shell", "echo x > /data/local/tmp/g"]);
    // In what words is the shell's own matter.
    assert!(!output.status.success(), "{output:?}");
    assert!(!phone.host_path("/data/local/tmp/g").exists());
    let df = adb.shell("df /data");
    assert!(
        df.lines().nth(1).is_some_and(|line| line.split_whitespace().nth(3) == Some("0")),
        "{df}"
    );
    phone.repair();
    assert!(push().status.success());
}

#[requires(program = "adb")]
#[test]
fn a_crash_in_a_test_is_reported_and_the_process_gone() {
    let (options, _folder) = with_app();
    let (phone, adb) = connected(options);
    phone.inject(Fault::CrashTest { number: 1 });
    let output = adb.shell(INSTRUMENT);
    assert!(
        output.contains("INSTRUMENTATION_RESULT: shortMsg=java.lang.IllegalStateException"),
        "{output}"
    );
    assert!(output.ends_with("INSTRUMENTATION_CODE: 0\n"), "{output}");
    assert!(phone.processes_of("com.example.news").is_empty());
}

#[requires(program = "adb")]
#[test]
fn lost_log_lines_are_counted() {
    let (phone, adb) = connected(options());
    phone.inject(Fault::LoseLogLines { fraction: 0.2 });
    adb.shell("i=0; while [ $i -lt 100 ]; do log -t many line $i; i=$((i + 1)); done");
    let read = adb
        .shell("logcat -d -s many:V -v raw")
        .lines()
        .filter(|line| line.starts_with("line "))
        .count();
    let lost = phone.lost_log_lines().get("many").copied().unwrap_or_default() as usize;
    assert_eq!(read + lost, 100);
    assert!((5..40).contains(&lost), "{lost}");
}

#[requires(program = "adb")]
#[test]
fn a_log_buffer_that_is_too_small_overwrites() {
    let (phone, adb) = connected(options());
    assert_eq!(
        adb.shell("logcat -b main -G 64K; logcat -b main -g"),
        "main: ring buffer is 64 KiB (0 B consumed), max entry is 5120 B, max payload is 4068 B\n"
    );
    let long = "x".repeat(3900);
    adb.shell(&format!(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do log -t big $i {long}; done"
    ));
    let lines = adb.shell("logcat -d -s big:V -v raw");
    let first = lines.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a line");
    let kept = lines.lines().count() - 1;
    assert_eq!(kept + phone.overwritten_log_lines() as usize, 20);
    assert!((13..=17).contains(&kept) && first == (21 - kept).to_string(), "{kept} from {first}");
    let refused = adb.run(&["shell", "logcat -G 1K"]);
    assert!(!refused.status.success());
}

#[requires(program = "adb")]
#[test]
fn a_reboot_ends_everything_and_undoes_what_was_faked() {
    let (options, _folder) = with_app();
    let (phone, adb) = connected(options);
    adb.shell("dumpsys battery unplug; settings put global low_power 1; log -t before x");
    assert!(phone.battery().is_faked());
    phone.inject(Fault::RebootAt { event: Event::TestStarted, delay: Duration::from_millis(50) });
    let id = adb.shell("cat /proc/sys/kernel/random/boot_id");
    let output = adb.run(&["shell", INSTRUMENT]);
    assert!(!text(&output.stdout).contains("INSTRUMENTATION_CODE"));
    std::thread::sleep(Duration::from_secs(2));
    adb.connect();
    assert!(!phone.battery().is_faked());
    assert_eq!(phone.setting(Namespace::Global, "low_power").as_deref(), Some("1"));
    assert!(phone.processes_of("com.example.news").is_empty());
    assert!(!adb.shell("logcat -d -v raw").contains('x'));
    let uptime: f64 = adb
        .shell("cat /proc/uptime")
        .split('.')
        .next()
        .expect("seconds")
        .parse()
        .expect("a number");
    assert!(uptime < 60.0, "{uptime}");
    assert_ne!(adb.shell("cat /proc/sys/kernel/random/boot_id"), id);
}

#[requires(program = "adb")]
#[test]
fn states_of_the_phone_can_be_bad() {
    let (phone, adb) = connected(options());
    phone.inject(Fault::Charging);
    phone.inject(Fault::Hot { celsius: 47.5 });
    phone.inject(Fault::LowBattery { percent: 7 });
    phone.inject(Fault::PowerSave);
    phone.inject(Fault::RefuseRecording);
    let battery = adb.shell("dumpsys battery");
    for line in ["USB powered: true", "status: 2", "level: 7", "temperature: 475"] {
        assert!(battery.contains(line), "{line}: {battery}");
    }
    assert_eq!(adb.shell("settings get global low_power"), "1\n");
    assert!(adb.shell("dumpsys thermalservice").contains("Thermal Status: 3"));
    assert_eq!(adb.shell("cat /sys/class/thermal/thermal_zone0/temp"), "57500\n");
    let refused = adb.run(&["shell", "perfetto -t 1s -o /data/misc/perfetto-traces/t sched"]);
    assert!(!refused.status.success());
    adb.shell("dumpsys battery unplug");
    assert!(adb.shell("dumpsys battery").contains("USB powered: false"));
    adb.shell("dumpsys battery reset");
    assert!(adb.shell("dumpsys battery").contains("USB powered: true"));
}

#[requires(program = "adb")]
#[test]
fn a_command_ends_when_its_stream_closes() {
    let (phone, adb) = connected(options());
    let mut stream = adb
        .command()
        .args(["-s", &adb.serial, "shell", "sh -c 'echo $$; sleep 61234 & sleep 61234'"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("adb");
    let mut first = [0; 16];
    let count = stream.stdout.as_mut().expect("stdout").read(&mut first).expect("a number");
    assert!(count > 0);
    awaited("two sleep", || running("61234") == 2);
    stream.kill().expect("killed");
    stream.wait().expect("ended");
    awaited("none sleeps", || running("61234") == 0);
    // What a command left running goes on, and ends with the phone.
    adb.shell("(setsid nohup sleep 61235 >/dev/null 2>&1 </dev/null) & sleep 0.2");
    awaited("one goes on", || running("61235") == 1);
    drop(adb);
    drop(phone);
    assert_eq!(running("61235"), 0);
}

/// Waits for something.
#[track_caller]
fn awaited(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes of this machine that sleep for so many seconds.
fn running(seconds: &str) -> usize {
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let wanted = format!("sleep\0{seconds}\0");
    let lines = all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| line.as_slice() == wanted.as_bytes()).count()
}

#[test]
fn strangers_get_nothing() {
    let phone = Phone::start(options()).expect("a phone");
    let hello = named(*b"CNXN", 0x0100_0001, 1 << 20, b"host::\0");
    let open = named(*b"OPEN", 7, 0, b"shell:echo reached\0");
    let signature = named(*b"AUTH", 2, 0, &[7; 256]);
    let public = named(*b"AUTH", 3, 0, b"QAAAAP9SlDw= nobody@nowhere\0");
    for said in [
        vec![&open],
        vec![&hello, &open],
        vec![&hello, &signature, &open],
        vec![&hello, &public, &open],
        vec![&hello, &signature, &public, &signature, &hello, &open],
        (0..80).flat_map(|_| [&hello, &signature]).chain([&open]).collect(),
    ] {
        let mut socket = TcpStream::connect(phone.address()).expect("connected");
        socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a limit");
        for part in said {
            // It may be closed already.
            let _ = socket.write_all(part);
        }
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        let text = text(&answer);
        assert!(!text.contains("CNXN") && !text.contains("OKAY"), "{text:?}");
        assert!(!text.contains("reached") && !text.contains("Simulated"), "{text:?}");
    }
    // An old signature is worth nothing.
    let (token, signature) = signed(&phone);
    let mut socket = TcpStream::connect(phone.address()).expect("connected");
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a limit");
    socket.write_all(&hello).expect("written");
    let other = packet(&mut socket);
    assert_ne!(other.1, token);
    socket.write_all(&named(*b"AUTH", 2, 0, &signature)).expect("written");
    assert_eq!(packet(&mut socket).0, *b"AUTH");
}

/// The next message: its type and its content.
fn packet(socket: &mut TcpStream) -> ([u8; 4], Vec<u8>) {
    let mut head = [0; 24];
    socket.read_exact(&mut head).expect("a head");
    let word = |at: usize| -> [u8; 4] { head[at..at + 4].try_into().expect("four bytes") };
    let mut content = vec![0; u32::from_le_bytes(word(12)) as usize];
    socket.read_exact(&mut content).expect("its content");
    (word(0), content)
}

/// A token of the phone and its signature by the key of this run.
fn signed(phone: &Phone) -> (Vec<u8>, Vec<u8>) {
    let mut socket = TcpStream::connect(phone.address()).expect("connected");
    socket.write_all(&named(*b"CNXN", 0x0100_0001, 1 << 20, b"host::\0")).expect("written");
    let (_, token) = packet(&mut socket);
    let signature = sign(phone, &token);
    (token, signature)
}

fn sign(phone: &Phone, token: &[u8]) -> Vec<u8> {
    let pem = std::fs::read_to_string(phone.adb_key()).expect("a key");
    let key = rsa::RsaPrivateKey::from_pkcs8_pem(&pem).expect("a key");
    key.sign(rsa::Pkcs1v15Sign::new::<sha1::Sha1>(), token).expect("a signature")
}

/// A connection of a host that has the key.
fn greeted(phone: &Phone) -> TcpStream {
    let mut socket = TcpStream::connect(phone.address()).expect("connected");
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    socket.write_all(&named(*b"CNXN", 0x0100_0001, 1 << 20, b"host::\0")).expect("written");
    let (kind, token) = packet(&mut socket);
    assert_eq!(kind, *b"AUTH");
    socket.write_all(&named(*b"AUTH", 2, 0, &sign(phone, &token))).expect("written");
    assert_eq!(packet(&mut socket).0, *b"CNXN");
    socket
}

/// A message with whatever is wanted in its head.
fn message(words: [u32; 6], payload: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend_from_slice(payload);
    bytes
}

fn named(name: [u8; 4], first: u32, second: u32, payload: &[u8]) -> Vec<u8> {
    let command = u32::from_le_bytes(name);
    message([command, first, second, payload.len() as u32, 0, !command], payload)
}

#[test]
fn hostile_hosts_do_no_harm() {
    let phone = Phone::start(options()).expect("a phone");
    let hello = named(*b"CNXN", 0x0100_0001, 1 << 20, b"host::\0");
    let open = |service: &[u8]| [hello.clone(), named(*b"OPEN", 7, 0, service)].concat();
    let cnxn = u32::from_le_bytes(*b"CNXN");
    let cases: Vec<Vec<u8>> = vec![
        Vec::new(),
        vec![0; 24],
        vec![0xff; 4096],
        message([cnxn, 0, 0, u32::MAX, 0, !cnxn], b""),
        message([cnxn, 0, 0, 10, 0, 1], b"0123456789"),
        hello[..20].to_vec(),
        named(*b"OPEN", 1, 0, b"shell:id\0"),
        [hello.clone(), hello.clone(), hello.clone()].concat(),
        open(b""),
        open(b"\xff\xfe:\0\0"),
        open(b"nonsense:\0"),
        open(&vec![b'x'; 100_000]),
        [open(b"shell,v2:cat\0"), named(*b"WRTE", 7, 1, &[0, 0xff, 0xff, 0xff, 0xff])].concat(),
        [
            open(b"shell:cat\0"),
            named(*b"WRTE", 7, 1, b"a"),
            named(*b"WRTE", 7, 1, b"b"),
            named(*b"WRTE", 7, 1, b"c"),
        ]
        .concat(),
        [open(b"sync:\0"), named(*b"WRTE", 7, 1, b"STAT\xff\xff\xff\xff")].concat(),
        [open(b"sync:\0"), named(*b"WRTE", 7, 1, b"SEND\x06\0\0\0/a,999DATA\xff\xff\xff\x7f")]
            .concat(),
        [open(b"sync:\0"), named(*b"WRTE", 7, 1, b"LIST\x12\0\0\0/../../../../../et")].concat(),
        [open(b"sync:\0"), named(*b"WRTE", 7, 1, b"ZZZZ\0\0\0\0")].concat(),
        [
            hello.clone(),
            named(*b"OKAY", 9, 9, b""),
            named(*b"CLSE", 9, 9, b""),
            named(*b"WRTE", 9, 9, b"x"),
        ]
        .concat(),
        [
            hello.clone(),
            named(*b"SYNC", 1, 1, b"x"),
            named(*b"AUTH", 1, 0, b"x"),
            named(*b"STLS", 1, 0, b""),
        ]
        .concat(),
        (0..700).fold(hello.clone(), |all, number| {
            [all, named(*b"OPEN", number + 1, 0, b"shell:cat\0")].concat()
        }),
    ];
    for bytes in &cases {
        let connect = || TcpStream::connect(phone.address()).expect("connected");
        // Of a stranger, and of a host that has the key.
        let behind = bytes.strip_prefix(hello.as_slice()).unwrap_or(bytes);
        for (mut socket, bytes) in [(connect(), bytes.as_slice()), (greeted(&phone), behind)] {
            socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a limit");
            // The phone may close at any byte.
            let _ = socket.write_all(bytes);
            let mut answer = [0; 4096];
            while socket.read(&mut answer).is_ok_and(|count| count > 0) {}
        }
        // It still answers.
        drop(greeted(&phone));
    }
}
