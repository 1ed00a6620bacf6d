//! A device is prepared, and whatever happens it is put back or what is left is said.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use std::path::Path;
use std::time::Duration;

use support::{Phone, ScriptedDevice};
use wattle_device::prepare::{Journal, Preparation};

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
    Journal::begin(device, None, folder).expect("a journal").with_patience(Duration::ZERO)
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
