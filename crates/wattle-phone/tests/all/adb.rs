//! Debian's adb and the simulated phone.

use crate::support::{connected, options, text};
use wattle_testdata::requires;

#[requires(program = "adb")]
#[test]
fn a_shell_has_outputs_status_and_input() {
    let (_phone, adb) = connected(options());
    let devices = text(&adb.plain(&["devices", "-l"]).stdout);
    assert!(
        devices.contains(&adb.serial) && devices.contains("model:Simulated_phone"),
        "{devices}"
    );
    for (command, stdout, stderr, status) in [
        ("echo a; echo b >&2; exit 3", "a\n", "b\n", 3),
        ("getprop ro.build.version.sdk", "34\n", "", 0),
        ("echo x > /data/local/tmp/f && cat /data/local/tmp/f", "x\n", "", 0),
        ("cd /data/local/tmp && pwd", "/data/local/tmp\n", "", 0),
        ("ls -d /sys/devices/system/cpu/cpu[0-9]", CPUS, "", 0),
        ("nonsense", "", "sh: 2: nonsense: not found\n", 127),
        ("settings get global animator_duration_scale", "1.0\n", "", 0),
        ("cat /proc/sys/kernel/random/boot_id | wc -c", "37\n", "", 0),
        ("id -u", "2000\n", "", 0),
        ("cat ../../etc/passwd", "", "cat: ../../etc/passwd: No such file or directory\n", 1),
        ("cat /etc/passwd", "", "cat: /etc/passwd: No such file or directory\n", 1),
    ] {
        let output = adb.run(&["shell", command]);
        let found = (text(&output.stdout), text(&output.stderr), output.status.code());
        assert_eq!(found, (stdout.to_owned(), stderr.to_owned(), Some(status)), "{command}");
    }
}

const CPUS: &str = "/sys/devices/system/cpu/cpu0\n/sys/devices/system/cpu/cpu1\n/sys/devices/system/cpu/cpu2\n\
                    /sys/devices/system/cpu/cpu3\n/sys/devices/system/cpu/cpu4\n/sys/devices/system/cpu/cpu5\n\
                    /sys/devices/system/cpu/cpu6\n/sys/devices/system/cpu/cpu7\n";

#[requires(program = "adb")]
#[test]
fn files_go_there_and_back() {
    let (phone, adb) = connected(options());
    let content: Vec<u8> = (0..3_000_017_u32).map(|index| ((index * 7) >> 3) as u8).collect();
    let (there, back) = (adb.folder().join("there"), adb.folder().join("back"));
    std::fs::write(&there, &content).expect("written");
    let path = "/data/local/tmp/folder/file";
    let pushed = adb.run(&["push", &there.to_string_lossy(), path]);
    assert!(pushed.status.success(), "{}", text(&pushed.stderr));
    assert_eq!(std::fs::read(phone.host_path(path)).expect("pushed"), content);
    let pulled = adb.run(&["pull", path, &back.to_string_lossy()]);
    assert!(pulled.status.success(), "{}", text(&pulled.stderr));
    assert_eq!(std::fs::read(back).expect("pulled"), content);
    let missing = adb.run(&["pull", "/data/none", "."]);
    assert!(!missing.status.success());
    assert_eq!(adb.run(&["exec-out", "cat", path]).stdout, content);
}
