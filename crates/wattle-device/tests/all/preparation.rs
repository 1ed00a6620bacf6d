//! A device is prepared, and whatever happens it is put back or what is left is said.

use std::path::Path;
use std::time::Duration;

use crate::support;
use crate::support::{Fault, Kind, Phone, ScriptedDevice};
use wattle_device::prepare::{Journal, JournalFolder, Preparation, Restoration, Unfinished};
use wattle_device::{Cancel, Device, DeviceError};

/// Everything that can be asked for.
fn everything() -> Preparation {
    Preparation {
        full_wake_history: true,
        still_animations: true,
        brightness: Some(77),
        clear_data_of: vec!["com.example".into()],
        wifi: Some(false),
        ..Preparation::default()
    }
}

fn phone() -> Phone {
    let mut phone = Phone::default();
    let app = read_app_data("draft");
    phone.apps.insert("com.example".into(), app);
    phone
}

fn read_app_data(data: &str) -> support::App {
    support::App { data: data.into(), ..support::App::default() }
}

fn journal(device: &ScriptedDevice, folder: &Path) -> Journal {
    Journal::begin(device, "hardware", None, folder)
        .expect("a journal")
        .with_patience(Duration::ZERO)
}

#[test]
fn a_prepared_phone_is_as_asked_and_then_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = ScriptedDevice::new(phone());
    let before = device.phone();
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect("prepared");
    let during = device.phone();
    assert_eq!(during.faked, Some(std::collections::BTreeSet::new()));
    assert_eq!(during.log_kib.values().copied().collect::<Vec<_>>(), [16384; 3]);
    assert_eq!(during.setting("system", "screen_brightness"), Some("77"));
    assert_eq!(during.setting("system", "screen_brightness_mode"), Some("0"));
    assert_eq!(during.setting("global", "animator_duration_scale"), Some("0"));
    assert_eq!(during.setting("global", "wifi_on"), Some("0"));
    assert!(during.awake && !during.locked && during.full_wake_history);
    assert_eq!((during.log_lines, during.statistics_resets), (0, 1));
    assert_eq!(during.apps["com.example"].data, "");
    assert!(journal.steps().iter().all(|step| step.error.is_none()), "{:?}", journal.steps());

    let restoration = journal.restore();
    assert!(restoration.left.is_empty(), "{restoration:?}");
    let mut expected = before.restorable();
    expected.apps = device.phone().apps;
    assert_eq!(device.phone().restorable(), expected);
    let steps = journal.steps();
    assert!(steps.iter().all(|step| step.restored != Some(false)), "{steps:?}");
    let put_back = steps.iter().filter(|step| step.restored == Some(true)).count();
    assert_eq!(put_back, restoration.put_back);
    // Wake, three animations, brightness and its mode, two for the screen, log, Wi-Fi, plug state, wake history.
    assert_eq!(put_back, 12);
    drop(journal);
    assert!(Journal::unfinished(folder.path()).is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

/// Returns the differences between two states of a phone, each by a word from the name of the change.
fn differences(before: &Phone, after: &Phone) -> Vec<String> {
    let mut found = Vec::new();
    let keys: std::collections::BTreeSet<_> =
        before.settings.keys().chain(after.settings.keys()).collect();
    for (namespace, key) in keys {
        if before.setting(namespace, key) != after.setting(namespace, key) {
            found.push(if key == "wifi_on" { "Wi-Fi".to_owned() } else { key.clone() });
        }
    }
    for (word, is_same) in [
        ("log buffers", before.log_kib == after.log_kib),
        ("plug state", before.faked == after.faked),
        ("screen woken", before.awake == after.awake),
        ("wakelocks", before.full_wake_history == after.full_wake_history),
    ] {
        if !is_same {
            found.push(word.to_owned());
        }
    }
    found
}

#[track_caller]
fn check_said(before: &Phone, device: &ScriptedDevice, restoration: &Restoration, case: &str) {
    for word in differences(before, &device.phone()) {
        let left = restoration.left.iter().find(|left| left.what.contains(&word));
        let left =
            left.unwrap_or_else(|| panic!("{case}: {word} is left and not said: {restoration:?}"));
        assert!(!left.commands.is_empty() && !left.changed_by_others, "{case}: {left:?}");
    }
}

fn scratch() -> tempfile::TempDir {
    // The journal waits for the disk, which hundreds of cases need not.
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// One fault in a whole run: what is left is said, and the next run puts it back.
#[track_caller]
fn check_fault(fault: Fault) {
    let case = format!("{fault:?}");
    let folder = scratch();
    let device = ScriptedDevice::new(phone()).with_fault(fault);
    let before = device.phone();
    let mut journal = journal(&device, folder.path());
    let prepared = journal.prepare(&device, &everything());
    let failed_while_preparing = device.calls().len() > fault.at;
    match (fault.kind, &prepared) {
        (Kind::Cancel | Kind::CancelWhile, Err(error)) => {
            assert!(matches!(error, DeviceError::Cancelled), "{case}: {error}");
        }
        (Kind::Gone(_) | Kind::DoneButGone(_), Err(error)) => {
            assert!(matches!(error, DeviceError::Disconnected { .. }), "{case}: {error}");
        }
        (Kind::Cancel | Kind::CancelWhile | Kind::Gone(_) | Kind::DoneButGone(_), Ok(())) => {
            assert!(!failed_while_preparing, "{case}: nobody noticed");
        }
        (_, Ok(())) if failed_while_preparing => {
            // A command that was repeated with success leaves no trace; all others are noted.
            let noted = journal.steps().iter().any(|step| step.error.is_some());
            let repeated = device.calls().windows(2).any(|pair| pair == ["logcat -c", "logcat -c"]);
            assert!(noted || repeated, "{case}: nobody noticed");
        }
        _ => {}
    }

    // Killed here: the file alone is what the next run has.
    let killed = scratch();
    for file in std::fs::read_dir(folder.path()).expect("the folder").flatten() {
        std::fs::copy(file.path(), killed.path().join(file.file_name())).expect("a copy");
    }
    let twin = ScriptedDevice::new(device.phone());
    for unfinished in Journal::unfinished(killed.path()) {
        let restoration = unfinished.resume_restore(&twin, None, &Cancel::new());
        assert!(restoration.left.is_empty(), "{case}: {restoration:?}");
    }
    assert_eq!(differences(&before, &twin.phone()), Vec::<String>::new(), "{case}, killed");
    assert_eq!(std::fs::read_dir(killed.path()).expect("the folder").count(), 0, "{case}");

    // Not killed: put back by itself, with the fault where it falls into that.
    let restoration = journal.restore();
    check_said(&before, &device, &restoration, &case);
    drop(journal);
    let unfinished = Journal::unfinished(folder.path());
    assert_eq!(restoration.is_complete(), unfinished.is_empty(), "{case}: {restoration:?}");
    let healed = ScriptedDevice::new(device.phone());
    for unfinished in unfinished {
        assert_eq!(unfinished.serial(), device.serial());
        let restoration = unfinished.resume_restore(&healed, None, &Cancel::new());
        assert!(restoration.left.is_empty(), "{case}: {restoration:?}");
    }
    assert_eq!(differences(&before, &healed.phone()), Vec::<String>::new(), "{case}, healed");
}

#[test]
fn a_fault_at_any_command_leaves_nothing_unsaid() {
    let folder = scratch();
    let device = ScriptedDevice::new(phone());
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect("prepared");
    journal.restore();
    let calls = device.calls().len();
    assert!(calls > 70, "{calls} calls only");
    for at in 0..calls {
        for kind in [
            Kind::Refuses,
            Kind::DoneButRefuses,
            Kind::DoneButTimedOut,
            Kind::DoneButGone(1),
            Kind::DoneButGone(usize::MAX / 2),
            Kind::Gone(2),
            Kind::Gone(usize::MAX / 2),
            Kind::Cancel,
            Kind::CancelWhile,
        ] {
            check_fault(Fault { at, kind });
        }
    }
}

#[test]
fn a_device_that_comes_back_is_waited_for() {
    let folder = scratch();
    // Cable pulled in the middle of preparing, back after three more calls.
    let device = ScriptedDevice::new(phone()).with_fault(Fault { at: 30, kind: Kind::Gone(4) });
    let before = device.phone();
    let mut journal = journal(&device, folder.path()).with_patience(Duration::from_mins(1));
    journal.prepare(&device, &everything()).expect_err("gone");
    let restoration = journal.restore();
    assert!(restoration.left.is_empty(), "{restoration:?}");
    assert_eq!(differences(&before, &device.phone()), Vec::<String>::new());
}

#[test]
fn a_panic_puts_the_device_back() {
    let folder = scratch();
    let device = ScriptedDevice::new(phone());
    let before = device.phone();
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut journal = journal(&device, folder.path());
        journal.prepare(&device, &everything()).expect("prepared");
        assert_ne!(differences(&before, &device.phone()), Vec::<String>::new());
        std::panic::resume_unwind(Box::new("in the middle of the run"));
    }));
    assert!(run.is_err());
    assert_eq!(differences(&before, &device.phone()), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn a_second_interrupt_ends_the_putting_back_and_says_what_is_left() {
    let folder = scratch();
    let device = ScriptedDevice::new(phone());
    let before = device.phone();
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect("prepared");
    journal.cancel().cancel();
    let restoration = journal.restore();
    assert_eq!(restoration.put_back, 0);
    check_said(&before, &device, &restoration, "second interrupt");
    let text: Vec<String> = restoration.left.iter().map(ToString::to_string).collect();
    let said = text.join("\n");
    for command in [
        "adb -s R58N12ABCDE shell dumpsys battery reset",
        "adb -s R58N12ABCDE shell settings put system screen_brightness 102",
        "adb -s R58N12ABCDE shell settings delete global animator_duration_scale",
        "adb -s R58N12ABCDE shell logcat -b main -G 256K",
        "adb -s R58N12ABCDE shell svc wifi enable",
        "adb -s R58N12ABCDE shell input keyevent KEYCODE_SLEEP",
    ] {
        assert!(said.contains(command), "{command} is not in\n{said}");
    }
    drop(journal);
    let unfinished = Journal::unfinished(folder.path());
    assert_eq!(unfinished.len(), 1);
    // While one run puts the device back, another one does not.
    assert!(Journal::unfinished(folder.path()).is_empty());
    let commands = unfinished[0].commands();
    assert!(commands.iter().all(|command| said.contains(command)), "{commands:?}");
}

#[test]
fn what_somebody_else_has_changed_since_is_left_alone() {
    let folder = scratch();
    let device = ScriptedDevice::new(phone());
    let before = device.phone();
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect("prepared");
    device.change(|phone| {
        phone.set("system", "screen_brightness", "200");
        phone.log_kib.insert("main".into(), 1024);
    });
    let restoration = journal.restore();
    let left: Vec<_> =
        restoration.left.iter().map(|left| (left.what.as_str(), left.changed_by_others)).collect();
    assert_eq!(
        left,
        [("log buffers enlarged", true), ("brightness fixed (system screen_brightness)", true)][..]
    );
    assert!(restoration.left[1].reason.contains("200"), "{restoration:?}");
    assert!(restoration.is_complete());
    let after = device.phone();
    assert_eq!(after.setting("system", "screen_brightness"), Some("200"));
    assert_eq!(after.log_kib["main"], 1024);
    assert_eq!(after.log_kib["system"], before.log_kib["system"]);
    assert_eq!(differences(&before, &after), ["screen_brightness", "log buffers"]);
    drop(journal);
    assert!(Journal::unfinished(folder.path()).is_empty());
}

#[test]
fn files_that_are_cut_short_or_no_journals_do_no_harm() {
    let folder = scratch();
    let device =
        ScriptedDevice::new(phone()).with_fault(Fault { at: 35, kind: Kind::Gone(usize::MAX / 2) });
    let before = device.phone();
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect_err("gone");
    drop(journal);
    let file = std::fs::read_dir(folder.path())
        .expect("the folder")
        .next()
        .expect("a file")
        .expect("a file")
        .path();
    let whole = std::fs::read(&file).expect("the file");
    let broken = scratch();
    std::fs::write(broken.path().join("other.restore"), b"\xff\xfe not ours").expect("written");
    std::fs::write(broken.path().join("empty.restore"), b"").expect("written");
    std::fs::write(broken.path().join("notes.txt"), &whole).expect("written");
    for length in 0..=whole.len() {
        std::fs::write(broken.path().join("cut.restore"), &whole[..length]).expect("written");
        let twin = ScriptedDevice::new(device.phone());
        let JournalFolder { unfinished, damaged } = JournalFolder::find(broken.path());
        assert!(unfinished.len() <= 1);
        assert_eq!(damaged, [broken.path().join("other.restore")], "cut at {length}");
        for unfinished in unfinished {
            assert!(unfinished.resume_restore(&twin, None, &Cancel::new()).left.is_empty());
        }
        if length == whole.len() {
            assert_eq!(differences(&before, &twin.phone()), Vec::<String>::new());
        }
    }
}

#[test]
fn a_damaged_line_of_a_journal_is_counted() {
    let folder = scratch();
    let device =
        ScriptedDevice::new(phone()).with_fault(Fault { at: 35, kind: Kind::Gone(usize::MAX / 2) });
    let mut journal = journal(&device, folder.path());
    journal.prepare(&device, &everything()).expect_err("gone");
    drop(journal);
    let file = std::fs::read_dir(folder.path()).expect("the folder").next().expect("a file");
    let path = file.expect("a file").path();
    let whole = std::fs::read_to_string(&path).expect("the file");
    let count = |text: &str| {
        std::fs::write(&path, text).expect("written");
        JournalFolder::find(folder.path())
            .unfinished
            .iter()
            .map(Unfinished::unread_lines)
            .sum::<usize>()
    };
    assert_eq!(count(&whole), 0);
    // The last line may be cut short by a crash; another one may not.
    assert_eq!(count(&whole[..whole.len() - 3]), 0);
    let damaged: Vec<&str> =
        whole.lines().enumerate().map(|(at, line)| if at == 2 { "{}" } else { line }).collect();
    assert_eq!(count(&(damaged.join("\n") + "\n")), 1);
}
