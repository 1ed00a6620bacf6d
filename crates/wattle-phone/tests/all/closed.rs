//! The phone is closed: to other users of this machine, and to what runs in its shell.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Adb, connected, options, text};
use wattle_phone::{Phone, PhoneError};
use wattle_testdata::requires;

/// A secret of this machine that the phone's shell must not find.
struct Secret {
    folder: tempfile::TempDir,
}

const WORDS: &str = "not-of-the-phone";

impl Secret {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("file"), WORDS).expect("written");
        Self { folder }
    }

    fn path(&self) -> String {
        self.folder.path().join("file").to_string_lossy().into_owned()
    }

    /// Nothing was added, changed or removed.
    #[track_caller]
    fn assert_untouched(&self, after: &str) {
        let names: Vec<_> =
            std::fs::read_dir(self.folder.path()).expect("it is there").flatten().collect();
        assert_eq!(names.len(), 1, "{after}: {names:?}");
        assert_eq!(std::fs::read_to_string(self.path()).expect("it is there"), WORDS, "{after}");
    }
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[requires(program = "adb")]
#[test]
fn commands_do_not_see_this_machine() {
    let (phone, adb) = connected(options());
    let secret = Secret::new();
    let (path, folder) = (secret.path(), secret.folder.path().display().to_string());
    let here = std::env::current_dir().expect("a folder").display().to_string();
    let base = phone.host_path("/").display().to_string();
    let commands = [
        format!("cat {path}"),
        format!("cat /../../../../../..{path}"),
        format!("cd /data/local/tmp; cat ../../../../../../..{path}"),
        format!("ln -s {path} /data/local/tmp/link; cat /data/local/tmp/link"),
        format!("ln -s /../../../..{folder} /sdcard/folder; cat /sdcard/folder/file"),
        format!("ls -d {here} {folder} {base} /home /root /tmp /var /run /boot"),
        format!("p={path}; eval \"cat $p\"; sh -c \"cat $p\"; xargs cat < /dev/null; cp $p /sdcard/x"),
        "for i in 1 2 3 $$ $PPID self thread-self; do cat /proc/$i/environ /proc/$i/root/etc/passwd \
         /proc/$i/mountinfo /proc/$i/cmdline; ls /proc/$i/fd /proc/$i/cwd/; done"
            .to_owned(),
        format!("cat /proc/self/root{path} /proc/1/root{path} /dev/fd/3 /dev/mem /dev/vda /dev/sda"),
        "cat /etc/passwd /etc/shadow /proc/sys/kernel/hostname /proc/mounts /sys/class/net/*/address".to_owned(),
        format!("find / -xdev -name file -exec cat {{}} ; ; tar cf - {folder} | tar tf -"),
        "set; env".to_owned(),
    ];
    let home = std::env::var("HOME").unwrap_or_default();
    let user = std::env::var("PATH").unwrap_or_default();
    for command in &commands {
        let found = said(&adb.run(&["shell", command]));
        assert!(!found.contains(WORDS), "{command}: {found}");
        for line in found.lines().filter(|line| !line.contains("No such file")) {
            let leaks = [&here, &folder, &user].iter().any(|part| line.contains(part.as_str()));
            assert!(!leaks && !line.contains("root:x:"), "{command}: {line}");
            assert!(home.len() < 2 || !line.contains(&format!("={home}")), "{command}: {line}");
        }
        secret.assert_untouched(command);
    }
}

#[requires(program = "adb")]
#[test]
fn commands_do_not_reach_processes_or_networks_of_this_machine() {
    let (_phone, adb) = connected(options());
    let mut victim = Command::new("sleep").arg("600").spawn().expect("a process");
    let pid = victim.id();
    for command in [
        format!("kill -9 {pid}; /system/bin/kill -9 {pid}; command kill -9 {pid}"),
        "command kill -9 -1".to_owned(),
        format!("env kill -9 {pid}; timeout 0.1 sh -c 'kill -9 {pid}'"),
    ] {
        adb.run(&["shell", &command]);
        assert!(victim.try_wait().expect("asked").is_none(), "{command}");
    }
    assert_eq!(adb.shell("echo alive"), "alive\n");
    victim.kill().expect("killed");
    victim.wait().expect("ended");
}

/// Tries to trace the first process, to find the session's keyring, and to connect to a port of this machine.
const INTRUDER: &str = r#"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
    struct sockaddr_in to = {AF_INET, htons(atoi(words[1])), {htonl(INADDR_LOOPBACK)}, {0}};
    int reached = connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to) == 0;
    /* PTRACE_ATTACH; KEYCTL_GET_KEYRING_ID of KEY_SPEC_SESSION_KEYRING */
    long traced = syscall(SYS_ptrace, 16L, 1L, 0L, 0L), keys = syscall(SYS_keyctl, 0L, -3L, 0L);
    printf("%s, %s, keys %ld.\n", reached ? "reached" : "alone", traced == 0 ? "traced" : "untraced", keys);
    return 0;
}
"#;

/// A program that is brought along has no network, can not trace the phone's first process, and does not find the keys of whoever started
/// the phone.
#[requires(program = "adb", program = "cc")]
#[test]
fn a_program_reaches_neither_networks_nor_the_first_process_nor_keys() {
    let (phone, adb) = connected(options());
    let port = phone.address().port().to_string();
    let (source, program) = (adb.folder().join("intruder.c"), adb.folder().join("intruder"));
    std::fs::write(&source, INTRUDER).expect("written");
    let made = Command::new("cc").arg("-static").arg("-o").arg(&program).arg(&source).output();
    let made = made.expect("a compiler");
    assert!(made.status.success(), "{}", said(&made));
    let keys = |text: &str| {
        let (_, rest) = text.split_once("keys ")?;
        rest.split_once('.').map(|(number, _)| number.to_owned())
    };
    let outside = said(&Command::new(&program).arg(&port).output().expect("it runs"));
    assert!(outside.starts_with("reached, "), "{outside}");
    adb.run(&["push", &program.to_string_lossy(), "/data/local/tmp/intruder"]);
    let run = format!("chmod 755 /data/local/tmp/intruder; /data/local/tmp/intruder {port}");
    let inside = said(&adb.run(&["shell", &run]));
    assert!(inside.starts_with("alone, untraced, "), "{inside}");
    let (mine, its) = (keys(&outside).expect("a number"), keys(&inside).expect("a number"));
    assert!(its == "-1" || its != mine, "{its} {mine}");
    assert_eq!(adb.shell("echo alive"), "alive\n");
}

#[requires(program = "adb")]
#[test]
fn transferred_files_stay_in_the_phone() {
    let (phone, adb) = connected(options());
    let secret = Secret::new();
    let (path, folder) = (secret.path(), secret.folder.path().display().to_string());
    let root = phone.host_path("/");
    let file = adb.folder().join("new");
    std::fs::write(&file, "new").expect("written");
    let file = file.to_string_lossy().into_owned();
    let back = adb.folder().join("back").to_string_lossy().into_owned();
    // Links that lead out, made by a command, and one that is pushed.
    adb.shell(&format!(
        "cd /data/local/tmp; ln -s {folder} absolute; ln -s ../../../../../../../../../..{folder} relative; \
         ln -s {path} to; rm -r /data/misc/perfetto-traces; ln -s {folder} /data/misc/perfetto-traces; \
         rm -r /data/data; ln -s {folder} /data/data; rm -r /data/app; ln -s {folder} /data/app"
    ));
    let out = |words: &[&str]| {
        let found = said(&adb.run(words));
        assert!(!found.contains(WORDS), "{words:?}: {found}");
        assert!(
            !std::fs::read_to_string(&back).is_ok_and(|text| text.contains(WORDS)),
            "{words:?}"
        );
        secret.assert_untouched(&words.join(" "));
    };
    for target in [
        "/data/local/tmp/absolute/x",
        "/data/local/tmp/relative/x",
        "/data/local/tmp/to",
        &format!("/../../../../..{folder}/x"),
        &format!("/data/local/tmp/../../../../../../..{folder}/x"),
        "/proc/uptime",
        "/system/bin/ls",
        "/new",
    ] {
        out(&["push", &file, target]);
    }
    for source in [
        "/data/local/tmp/absolute/file",
        "/data/local/tmp/relative/file",
        &path,
        &format!("/../../../../..{path}"),
        "/proc/self/environ",
        "/data/data/file",
    ] {
        out(&["pull", source, &back]);
    }
    out(&[
        "shell",
        "setprop persist.traced.enable 1; perfetto -t 50ms -o /data/misc/perfetto-traces/x sched",
    ]);
    out(&["shell", "logcat -d -f /data/local/tmp/absolute/log; logcat -d -f /data/local/tmp/to"]);
    out(&["shell", &format!("pm install {path}; pm install /data/local/tmp/absolute/file")]);
    let package = wattle_phone::MadePackage::new("com.example.linked");
    let apk = crate::support::write(adb.folder(), "a.apk", &package, crate::support::key());
    out(&["install", &apk.to_string_lossy()]);
    out(&["shell", "pm clear com.example.linked; pm uninstall com.example.linked"]);
    out(&[
        "shell",
        &format!(
            "perfetto --txt -c {path} -o /data/misc/perfetto-traces/y; cat /data/local/tmp/to"
        ),
    ]);
    // What stood where nothing may be written is as it was.
    assert!(!root.join("new").exists());
    assert!(adb.shell("cat /proc/uptime").starts_with("93"));
    assert!(adb.shell("ls -d /data").starts_with("/data"));
}

#[requires(program = "adb")]
#[test]
fn huge_inputs_end_somewhere() {
    let mut options = options();
    options.free_bytes = 8 << 20;
    let (phone, adb) = connected(options);
    // Neither a file nor the whole storage grows beyond what the phone has.
    adb.run(&["shell", "yes > /data/local/tmp/huge"]);
    let size = std::fs::metadata(phone.host_path("/data/local/tmp/huge")).expect("a file").len();
    assert!(size <= 8 << 20, "{size}");
    let long = "x".repeat(30_000);
    assert_eq!(adb.shell(&format!("echo {long} | wc -c")), "30001\n");
    let deep = "mkdir -p d/d/d/d/d/d/d/d && cd d/d/d/d/d/d/d/d || break;".to_owned();
    adb.run(&[
        "shell",
        &format!("cd /data/local/tmp; i=0; while [ $i -lt 400 ]; do i=$((i+1)); {deep} done"),
    ]);
    assert_eq!(adb.shell("echo alive"), "alive\n");
    let folder = phone.host_path("/");
    drop(adb);
    drop(phone);
    assert!(!folder.exists());
}

#[test]
fn the_folder_is_private_and_the_key_too() {
    let phone = Phone::start(options()).expect("a phone");
    let root = phone.host_path("/");
    let base = root.parent().expect("a folder");
    let facts = std::fs::metadata(base).expect("it is there");
    assert_eq!(facts.permissions().mode() & 0o777, 0o700);
    assert_eq!(facts.uid(), std::fs::metadata("/proc/self").expect("this process").uid());
    let key = std::fs::metadata(phone.adb_key()).expect("a key");
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    // Each process makes its own.
    assert!(
        std::fs::read_to_string(phone.adb_key()).is_ok_and(|text| text.contains("PRIVATE KEY"))
    );
}

#[test]
fn without_a_sandbox_there_is_no_phone() {
    let mut options = options();
    // It says nothing, as a kernel that refuses makes of the real one.
    options.tool = vec!["/bin/false".into()];
    let refused = Phone::start(options).expect_err("no phone");
    assert!(matches!(refused, PhoneError::Sandbox(_)), "{refused}");
    assert!(refused.to_string().contains("user namespaces"), "{refused}");
}

/// Another user of this machine, with an adb of its own. Only root can be another; who is not is a stranger without the key.
#[requires(program = "adb", program = "setpriv")]
#[test]
fn another_user_does_not_reach_it() {
    let phone = Phone::start(options()).expect("a phone");
    let is_root = std::fs::metadata("/proc/self").expect("this process").uid() == 0;
    let home = tempfile::tempdir().expect("a folder");
    let mut before = vec!["env"];
    if is_root {
        std::os::unix::fs::chown(home.path(), Some(65534), Some(65534)).expect("given away");
        before = vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    }
    let key = if is_root { phone.adb_key() } else { home.path().join("none") };
    let port = wattle_testdata::server_port();
    let nobody = |words: &[&str]| {
        let mut command = Command::new(before[0]);
        command
            .args(&before[1..])
            .args(words)
            .current_dir("/")
            .env("HOME", home.path())
            .env("ADB_VENDOR_KEYS", &key)
            .env("ANDROID_ADB_SERVER_PORT", port.to_string());
        said(&command.output().expect("it runs"))
    };
    let serial = phone.serial();
    let connected = nobody(&["adb", "connect", &serial]);
    let shell = nobody(&["adb", "-s", &serial, "shell", "echo reached"]);
    let listed = nobody(&["adb", "devices"]);
    let base = phone.host_path("/").display().to_string();
    let looked = nobody(&["ls", &base]) + &nobody(&["cat", &phone.adb_key().to_string_lossy()]);
    nobody(&["adb", "kill-server"]);
    assert!(!shell.contains("reached"), "{connected}{shell}");
    assert!(!listed.contains("\tdevice"), "{listed}");
    assert_eq!(
        looked.matches("Permission denied").count(),
        if is_root { 2 } else { 0 },
        "{looked}"
    );
    // The same words work for who has the key.
    let adb = Adb::start(&phone);
    assert_eq!(adb.shell("echo reached"), "reached\n");
}

/// Names the file in which the process that is to be killed says that it is ready.
const VICTIM: &str = "WATTLE_PHONE_VICTIM";

#[requires(program = "adb")]
#[test]
fn nothing_outlives_a_killed_phone() {
    match std::env::var_os(VICTIM) {
        Some(file) => be_killed(Path::new(&file)),
        None => kill_one(),
    }
}

/// Runs this test again in a process of its own, which is killed.
fn kill_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ready");
    let test = std::thread::current().name().expect("a test has a name").to_owned();
    let mut victim = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &test])
        .env(VICTIM, &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it runs");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !file.exists() {
        assert!(std::time::Instant::now() < end, "no phone");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let base = std::fs::read_to_string(&file).expect("a path");
    assert!(Path::new(&base).exists() && mentioning(&base) + mentioning("61236") >= 3);
    victim.kill().expect("killed");
    victim.wait().expect("ended");
    // Its processes end, its adb server is asked to, and its folder goes.
    while Path::new(&base).exists() || mentioning(&base) + mentioning("61236") > 0 {
        assert!(std::time::Instant::now() < end, "{base}: {}", mentioning(&base));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Starts a phone with its own adb server and something that goes on in its shell, and waits to be killed.
fn be_killed(ready: &Path) {
    let phone = Phone::start(options()).expect("a phone");
    let adb = |words: &[&str]| {
        let socket = format!("localfilesystem:{}", phone.adb_socket().display());
        let mut command = Command::new("adb");
        command.args(words).envs(phone.adb_environment()).env("ADB_SERVER_SOCKET", socket);
        said(&command.output().expect("adb"))
    };
    let serial = phone.serial();
    adb(&["connect", &serial]);
    let mut output = String::new();
    while !output.contains("begun") {
        output = adb(&[
            "-s",
            &serial,
            "shell",
            "(setsid nohup sleep 61236 >/dev/null 2>&1 </dev/null) & sleep 0.2; echo begun",
        ]);
    }
    let base = phone.host_path("/").parent().expect("a folder").display().to_string();
    let new = ready.with_extension("new");
    std::fs::write(&new, base).expect("written");
    std::fs::rename(new, ready).expect("written");
    std::thread::sleep(std::time::Duration::from_mins(1));
}

/// Processes of this machine whose command line has a word.
fn mentioning(word: &str) -> usize {
    let own = std::process::id().to_string();
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let others = all.filter(|process| process.file_name().to_string_lossy() != own);
    let lines = others.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}
