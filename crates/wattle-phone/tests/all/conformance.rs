//! The statements about real phones: complete, sourced, and as the documentation shows them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wattle_phone::conformance::{AndroidVersion, Suite, Vendor, Verdict, matrix_page};
use wattle_testdata::requires;

use crate::support::{connected, options, text};

/// Programs of Android's shell, of its framework, and recorders.
const PROGRAMS: &str = "am app_process appops atrace awk base64 basename bmgr bugreport cat chgrp chmod chown cksum cmd cmp content cp cpio \
    cut dd device_config df diff dirname dmesg dos2unix dpm du dumpstate dumpsys echo egrep env expr fgrep flock getenforce getevent \
    getprop grep groups gunzip gzip head hostname id ifconfig ime input ip kill killall ln locksettings log logcat logwrapper ls lsof \
    lshal md5sum mkdir mkfifo mknod mktemp monkey mount mountpoint mv nc netstat nice nohup od paste perfetto pgrep pidof ping pkill pm \
    printenv printf procrank ps pwd readlink realpath reboot renice restorecon rm rmdir run-as screencap screenrecord sed sendevent seq \
    service setenforce setprop setsid settings sh sha1sum sha256sum showmap simpleperf sleep sm sort ss stat strace strings stty su svc \
    sync sysctl tail tar taskset tee telecom timeout toolbox top touch tr truncate uiautomator umount uname uniq unlink unzip uptime \
    usleep vdc vmstat wc which whoami wm xargs";

/// Texts for people that begin with the name of a program.
const TEXTS: [&str; 3] = ["simpleperf recorded nothing", "atrace …; power every", "service"];

fn suite() -> Suite {
    Suite::built_in().expect("the statements")
}

fn version(number: u32) -> AndroidVersion {
    AndroidVersion::new(number).expect("a version")
}

/// Rust files of the crate that talks to devices.
fn files_of_device(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of wattle-device") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_of_device(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// String literals of Rust code before its tests, with `…` for placeholders.
fn literals(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]").next().unwrap_or(code);
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once('"') {
            let mut text = String::new();
            let mut letters = after.char_indices();
            let mut end = after.len();
            while let Some((at, letter)) = letters.next() {
                match letter {
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
                    '{' => {
                        let _ = letters.by_ref().find(|(_, letter)| *letter == '}');
                        text.push('…');
                    }
                    _ => text.push(letter),
                }
            }
            found.push(text);
            rest = after.get(end..).unwrap_or_default();
        }
    }
    found
}

#[test]
fn every_command_that_wattle_sends_has_statements() {
    let suite = suite();
    let programs: BTreeSet<&str> = PROGRAMS.split_whitespace().collect();
    let device = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wattle-device/src");
    let mut files = Vec::new();
    files_of_device(&device, &mut files);
    let (mut sent, mut missing) = (BTreeSet::new(), Vec::new());
    for file in files {
        let code = std::fs::read_to_string(&file).expect("a file of wattle-device");
        for literal in literals(&code) {
            if TEXTS.iter().any(|text| literal.starts_with(text)) {
                continue;
            }
            for command in literal.split([';', '|', '&']) {
                let mut words = command.split_whitespace();
                let program = words.next().unwrap_or_default();
                if !programs.contains(program) {
                    continue;
                }
                let found = suite.command(&command.replace('…', " ")).or_else(|| {
                    // What comes after the program is only known when it runs.
                    let is_open = words.next().is_none_or(|word| word.starts_with(['…', '$', '"']));
                    let of_program = |name: &str| name.split(' ').next() == Some(program);
                    suite.commands().iter().find(|known| is_open && of_program(&known.name))
                });
                match found {
                    Some(statements) => {
                        sent.insert(statements.name.clone());
                    }
                    None => missing.push(format!("{}: {command}", file.display())),
                }
            }
        }
    }
    assert!(missing.is_empty(), "commands without statements:\n{}", missing.join("\n"));
    assert!(sent.len() >= 40, "only these were found: {sent:?}");
}

#[test]
fn every_file_that_counters_are_polled_from_has_statements() {
    let suite = suite();
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../wattle-device/src/source/counters.sh");
    let script = std::fs::read_to_string(script).expect("the script");
    let mut polled = 0;
    for line in script.lines() {
        for path in line
            .split(['"', ' '])
            .filter(|word| word.starts_with("$proc/") || word.starts_with("$sys/"))
        {
            // Globs and variables stand for one part of a path.
            let path = path.trim_end_matches([';', ')']).replacen('$', "/", 1).replace("$pid", "1");
            let command = format!("cat {path}");
            if path.contains('.') || path.ends_with("/1") {
                continue;
            }
            assert!(suite.command(&command).is_some(), "no statement about {command}");
            polled += 1;
        }
    }
    assert!(polled >= 7, "{polled} files");
}

#[test]
fn every_statement_has_public_sources() {
    let suite = suite();
    let of_vendors = Vendor::ALL.into_iter().flat_map(|vendor| suite.of_vendor(vendor));
    let mut statements = 0;
    for command in suite.commands().iter().chain(of_vendors) {
        for answer in &command.answers {
            assert!(!answer.sources.is_empty(), "{}", command.name);
            for source in &answer.sources {
                let citation = suite.citation(source).expect("a source");
                assert!(citation.url.starts_with("http"), "{source}: {}", citation.url);
                assert!(!citation.title.is_empty() && !citation.title.contains('|'), "{source}");
            }
            assert!(!answer.says.is_empty() && !answer.says.contains('|'), "{}", command.name);
            statements += 1;
        }
    }
    assert!(statements >= 100, "{statements} statements");
}

#[test]
fn every_version_of_every_vendor_has_an_answer() {
    let suite = suite();
    assert_eq!(AndroidVersion::all().count(), 8);
    for command in suite.commands() {
        // Options and files are more specific names of the same program.
        let name = command.name.replace('*', "1");
        for vendor in Vendor::ALL {
            for android in AndroidVersion::all() {
                let answer = suite.answer(vendor, android, &name);
                assert!(
                    answer.is_some_and(|answer| answer.covers(android)),
                    "{name}: {android}, {vendor}"
                );
            }
        }
    }
}

#[test]
fn known_answers_are_found() {
    let suite = suite();
    let expected = [
        (Vendor::Pixel, 14, "cat /proc/diskstats", Verdict::Refused),
        (Vendor::Pixel, 16, "cat /proc/diskstats", Verdict::Depends),
        (Vendor::Samsung, 9, "kill -TERM <perfetto>", Verdict::Refused),
        (Vendor::Samsung, 10, "kill -TERM <perfetto>", Verdict::Works),
        (
            Vendor::Aosp,
            10,
            "rm -f '/data/misc/perfetto-traces/wattle-1.perfetto-trace'",
            Verdict::Refused,
        ),
        (Vendor::Aosp, 10, "rm -f /data/local/tmp/wattle/perf.data", Verdict::Works),
        (Vendor::Aosp, 10, "cmd connectivity airplane-mode enable", Verdict::Absent),
        (Vendor::Xiaomi, 13, "settings put system screen_brightness 100", Verdict::Refused),
        (Vendor::Xiaomi, 13, "settings get system screen_brightness", Verdict::Works),
        (Vendor::Xiaomi, 16, "settings put system screen_brightness 100", Verdict::Works),
        (Vendor::Pixel, 15, "kill -0 <perfetto>", Verdict::Refused),
        (Vendor::Pixel, 15, "kill -0 4711", Verdict::Works),
        (Vendor::Pixel, 12, "perfetto --background-wait -c - -o /x", Verdict::Absent),
        (Vendor::Pixel, 13, "perfetto --background-wait -c - -o /x", Verdict::Works),
        (Vendor::Pixel, 9, "unzip -p /system/framework/framework-res.apk x", Verdict::Absent),
        (Vendor::Samsung, 14, "cmd package install -S 100", Verdict::Depends),
    ];
    for (vendor, number, command, verdict) in expected {
        let answer = suite.answer(vendor, version(number), command).expect(command);
        assert_eq!(answer.verdict, verdict, "{vendor} {number}: {command}");
    }
    assert_eq!(suite.answer(Vendor::Aosp, version(12), "make coffee"), None);
}

#[test]
fn versions_and_api_levels_belong_together() {
    for android in AndroidVersion::all() {
        assert_eq!(AndroidVersion::of_api_level(android.api_level()), Some(android));
    }
    assert_eq!(AndroidVersion::of_api_level(32), Some(version(12)));
    for unknown in [8, 17, u32::MAX] {
        assert_eq!(AndroidVersion::new(unknown), None);
    }
}

#[test]
fn the_page_of_the_documentation_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/phones.md");
    let expected = matrix_page(&suite());
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&file, &expected).expect("written");
    }
    let found = std::fs::read_to_string(&file).expect("docs/phones.md");
    assert!(
        found == expected,
        "out of date: WATTLE_WRITE_DOCS=1 cargo test -p wattle-phone --test all conformance"
    );
}

/// A phone of each vendor and version gives the refusals of its statements over adb, and runs what they say works.
#[requires(program = "adb")]
#[test]
fn bound_phones_refuse_what_stock_phones_refuse() {
    const COMMANDS: [&str; 9] = [
        "cat /proc/diskstats",
        "cat /proc/uid_time_in_state",
        "cat /proc/uptime",
        "cmd connectivity airplane-mode disable",
        "dumpsys android.hardware.power.stats.IPowerStats/default",
        "dumpsys battery",
        "input keyevent KEYCODE_WAKEUP",
        "settings get system screen_brightness",
        "settings put system screen_brightness 100",
    ];
    let suite = suite();
    for (vendor, number) in [
        (Vendor::Pixel, 16),
        (Vendor::Pixel, 15),
        (Vendor::Samsung, 11),
        (Vendor::Xiaomi, 13),
        (Vendor::Aosp, 9),
    ] {
        let android = version(number);
        let mut options = options();
        (options.vendor, options.api) = (Some(vendor), android.api_level());
        let (_phone, adb) = connected(options);
        for command in COMMANDS {
            let answer = suite.answer(vendor, android, command).expect(command);
            let found = adb.run(&["shell", command]);
            let said = text(&found.stdout) + &text(&found.stderr);
            let at = format!("{vendor} {number}: {command}: {said}");
            match answer.verdict {
                Verdict::Works | Verdict::Depends => {
                    assert!(found.status.success(), "{at}");
                    assert!(!said.contains("denied"), "{at}");
                }
                Verdict::Empty => assert_eq!(said.trim(), "", "{at}"),
                Verdict::Refused | Verdict::Absent => {
                    assert_eq!(
                        found.status.code(),
                        Some(i32::from(answer.exit.unwrap_or(1))),
                        "{at}"
                    );
                    let expected = answer.error.as_deref().unwrap_or_default();
                    assert!(!said.is_empty() && said.contains(expected), "{at}");
                }
            }
        }
    }
}

/// The shell of a stock phone cannot see by a signal whether `perfetto` lives, and on Android 9 not end it.
#[requires(program = "adb")]
#[test]
fn bound_phones_guard_the_process_of_perfetto() {
    for (number, ends) in [(9, false), (10, true), (15, true)] {
        let mut options = options();
        (options.vendor, options.api) = (Some(Vendor::Pixel), version(number).api_level());
        let (_phone, adb) = connected(options);
        adb.shell("setprop persist.traced.enable 1");
        // TraceConfig { buffers, data_sources { config { name } }, duration_ms: 60000 } in binary, which all versions read.
        let config = "\\012\\003\\010\\200\\010\\022\\027\\012\\025\\012\\023linux.process_stats\\030\\340\\324\\003";
        let trace = "/data/misc/perfetto-traces/t";
        let begin = format!("printf '{config}' | perfetto --background -c - -o {trace}");
        let pid = adb.shell(&begin);
        let pid = pid.trim();
        assert!(pid.parse::<u32>().is_ok(), "{number}: {pid}");
        let status = |command: &str| adb.run(&["shell", command]).status.success();
        assert!(!status(&format!("kill -0 {pid}")), "{number}");
        assert!(status(&format!("[ -d /proc/{pid} ]")), "{number}: its folder");
        assert!(status("sleep 5 & kill -0 $!"), "{number}: a process of its own");
        assert_eq!(status(&format!("kill -TERM {pid}")), ends, "{number}");
        if ends {
            let gone = (0..100).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                !status(&format!("[ -d /proc/{pid} ]"))
            });
            assert!(gone, "{number}: its folder after its end");
        }
    }
}
