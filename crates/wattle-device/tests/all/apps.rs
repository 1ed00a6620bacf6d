//! Apps are found, installed, replaced only when asked, and put back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support;
use crate::support::{Fault, Kind, Package, Phone, ScriptedDevice, read_app};
use wattle_device::installation::{Installation, InstalledBuild};
use wattle_device::package::InstalledApp;
use wattle_device::prepare::{Journal, Restoration};
use wattle_device::{DeviceError, InstallOptions};

const NAME: &str = "com.example";

fn app(version_code: i32, signer: usize) -> Package {
    Package { name: NAME, version_code, signer, ..Package::default() }
}

/// A phone with this app, which has data.
fn phone_with(packages: &[Package]) -> Phone {
    let mut phone = Phone::default();
    if !packages.is_empty() {
        let (name, mut app) = read_app(packages.iter().map(Package::signed).collect());
        app.data = "high score".into();
        phone.apps.insert(name, app);
    }
    phone
}

struct Run {
    device: ScriptedDevice,
    before: Phone,
    folder: tempfile::TempDir,
    journal: Journal,
    done: Result<InstalledBuild, DeviceError>,
}

fn run(
    phone: Phone,
    fault: Option<Fault>,
    packages: &[Package],
    ask: impl FnOnce(&mut Installation, &Path),
) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |(number, package): (usize, &Package)| {
        let path = folder.path().join(format!("{number}.apk"));
        std::fs::write(&path, package.signed()).expect("written");
        path
    };
    let files: Vec<PathBuf> = packages.iter().enumerate().map(write).collect();
    let mut installation = Installation::from_packages(files);
    ask(&mut installation, folder.path());
    let device = ScriptedDevice::new(phone);
    let device = match fault {
        Some(fault) => device.with_fault(fault),
        None => device,
    };
    let before = device.phone();
    let journals = folder.path().join("journals");
    let mut journal = Journal::begin(&device, "hardware", None, &journals)
        .expect("a journal")
        .with_patience(Duration::ZERO);
    let done = installation.carry_out(&device, &mut journal);
    Run { device, before, folder, journal, done }
}

fn keep(installation: &mut Installation, folder: &Path) {
    installation.keep_original_in = Some(folder.join("originals"));
}

fn replace(installation: &mut Installation, _folder: &Path) {
    installation.replace = true;
}

fn data(device: &ScriptedDevice) -> Option<String> {
    device.phone().apps.get(NAME).map(|app| app.data.clone())
}

#[test]
fn what_is_not_there_is_installed_and_stays() {
    let mut run = run(Phone::default(), None, &[app(7, 0)], |_, _| {});
    let build = run.done.expect("installed");
    assert_eq!(build.app.package, NAME);
    assert_eq!((build.app.version_code, build.app.version_name.as_deref()), (Some(7), Some("1.0")));
    assert_eq!(build.app.uid, Some(10225));
    let installed = &run.device.phone().apps[NAME].packages[0];
    assert_eq!(build.app.sha256, Some(support::sha256(installed)));
    assert_eq!(build.notes, Vec::<String>::new());
    assert!(run.journal.restore().left.is_empty());
    assert!(run.device.phone().apps.contains_key(NAME));
}

#[test]
fn the_same_signer_replaces_and_data_stay() {
    let run = run(phone_with(&[app(6, 0)]), None, &[app(7, 0)], |_, _| {});
    run.done.expect("installed");
    assert_eq!(run.device.phone().apps[NAME].version_code, 7);
    assert_eq!(data(&run.device).as_deref(), Some("high score"));
}

/// Something that is not done unless asked: the error says this, nothing has changed; and with `--replace` it is done.
#[track_caller]
fn check_refused(phone: &Phone, packages: &[Package], part: &str) {
    let refused = run(phone.clone(), None, packages, |_, _| {});
    let error = refused.done.expect_err("nobody asked for this").to_string();
    assert!(
        error.contains(part) && error.contains("--replace") && error.contains("data"),
        "{error}"
    );
    assert_eq!(refused.device.phone(), refused.before);

    let mut replaced = run(phone.clone(), None, packages, replace);
    let build = replaced.done.expect("replaced");
    assert!(build.notes.iter().any(|note| note.contains("data deleted")), "{:?}", build.notes);
    assert_eq!(data(&replaced.device).as_deref(), Some(""));
    let step = &replaced.journal.steps()[0];
    assert_eq!(step.before.as_deref(), Some("1.6 (6)"));
    replaced.journal.restore();
}

#[test]
fn another_signer_or_an_older_version_needs_a_word() {
    let phone = phone_with(&[app(6, 0)]);
    check_refused(&phone, &[app(7, 1)], "another key");
    check_refused(&phone, &[app(5, 0)], "newer than");
    // Where the phone does not tell who signed, or which version it has, it refuses by itself.
    let mut silent = phone.clone();
    let dump = "Packages:\n  Package [com.example] (1):\n    versionName=1.6 (6)\n    User 0: installed=true\n";
    silent.fixed.insert("dumpsys package com.example".into(), (0, dump.into()));
    check_refused(&silent, &[app(7, 1)], "another key");
    check_refused(&silent, &[app(5, 0)], "newer than");

    let older = run(phone, None, &[app(5, 0)], |installation, _| {
        installation.options = InstallOptions { downgrade: true, ..InstallOptions::default() };
    });
    older.done.expect("a downgrade that was asked for");
    assert_eq!(data(&older.device).as_deref(), Some("high score"));
}

#[test]
fn packages_that_nobody_can_install_are_refused_before() {
    let unsigned = run(Phone::default(), None, &[app(1, 0), app(2, 0)], |_, _| {});
    assert!(matches!(unsigned.done, Err(DeviceError::Package(_))), "{:?}", unsigned.done);
    let none = run(Phone::default(), None, &[], |_, _| {});
    assert!(none.done.is_err());
    let missing = run(Phone::default(), None, &[], |installation, folder| {
        installation.packages = vec![folder.join("missing.apk")];
    });
    assert!(missing.done.expect_err("no file").to_string().contains("missing.apk"));
    let all = [unsigned.device, none.device, missing.device];
    assert!(all.iter().all(|device| device.calls().is_empty()));
}

#[test]
fn splits_and_test_packages() {
    let split = Package { split: Some("config.de"), ..app(3, 0) };
    let base = Package { test_only: true, debuggable: true, ..app(3, 0) };
    let run = run(Phone::default(), None, &[base, split], |_, _| {});
    run.done.expect("installed");
    assert_eq!(run.device.phone().apps[NAME].packages.len(), 2);
    assert_eq!(
        run.device.installs(),
        [InstallOptions { test_only: true, ..InstallOptions::default() }]
    );
    let found = InstalledApp::find(&run.device, NAME).expect("an answer").expect("the app");
    assert!(found.debuggable && !found.system);
    assert_eq!(
        (found.app_id, found.uid(10), found.users.as_slice()),
        (Some(10225), Some(1_010_225), &[0][..])
    );
    assert_eq!(found.paths.len(), 2);
}

#[test]
fn what_is_installed_is_checked() {
    for has_sha256sum in [true, false] {
        let phone = Phone { has_sha256sum, ..Phone::default() };
        run(phone.clone(), None, &[app(7, 0)], |_, _| {}).done.expect("installed");
        let mut broken = phone;
        broken.spoils_installs = true;
        let error = run(broken, None, &[app(7, 0)], |_, _| {}).done.expect_err("other bytes");
        assert!(error.to_string().contains("packages"), "{error}");
    }
}

#[test]
fn the_original_comes_back() {
    // Another signer: with its packages, but without its data.
    let mut run_ = run(phone_with(&[app(6, 0)]), None, &[app(7, 1)], |installation, folder| {
        keep(installation, folder);
        installation.replace = true;
    });
    run_.done.expect("installed");
    assert!(run_.journal.restore().left.is_empty());
    let app_now = run_.device.phone().apps[NAME].clone();
    assert_eq!(app_now.packages, run_.before.apps[NAME].packages);
    assert_eq!(app_now.data, "");

    // The same signer: with its data.
    let mut run_ = run(phone_with(&[app(6, 0)]), None, &[app(7, 0)], keep);
    run_.done.expect("installed");
    assert!(run_.journal.restore().left.is_empty());
    assert_eq!(run_.device.phone().apps, run_.before.apps);
    let kept =
        std::fs::read_dir(run_.folder.path().join("originals").join(NAME)).expect("the folder");
    assert_eq!(kept.count(), 0);

    // Nothing was there: nothing is left.
    let mut run_ = run(Phone::default(), None, &[app(7, 0)], keep);
    run_.done.expect("installed");
    assert!(run_.journal.restore().left.is_empty());
    assert_eq!(run_.device.phone().apps, run_.before.apps);

    // Somebody else has installed something since.
    let mut run_ = run(phone_with(&[app(6, 0)]), None, &[app(7, 0)], keep);
    run_.done.expect("installed");
    let (name, theirs) = read_app(vec![app(9, 2).signed()]);
    run_.device.change(|phone| {
        phone.apps.insert(name, theirs.clone());
    });
    let left = run_.journal.restore().left;
    assert!(left.len() == 1 && left[0].changed_by_others, "{left:?}");
    assert_eq!(run_.device.phone().apps[NAME], theirs);
}

/// After a fault anywhere, the original is there, or it is said how to get it, and the next run can do it.
#[track_caller]
fn check_fault(fault: Fault) {
    let mut run =
        run(phone_with(&[app(6, 0)]), Some(fault), &[app(7, 1)], |installation, folder| {
            keep(installation, folder);
            installation.replace = true;
        });
    let packages =
        |device: &ScriptedDevice| device.phone().apps.get(NAME).map(|app| app.packages.clone());
    let original = run.before.apps[NAME].packages.clone();
    let restoration: Restoration = run.journal.restore();
    if packages(&run.device) != Some(original.clone()) {
        let left = restoration.left.first().unwrap_or_else(|| panic!("{fault:?}: nothing is said"));
        assert!(
            left.commands.iter().any(|command| command.contains("install ")),
            "{fault:?}: {left:?}"
        );
    }
    drop(run.journal);
    let healed = ScriptedDevice::new(run.device.phone());
    for unfinished in Journal::unfinished(&run.folder.path().join("journals")) {
        let restoration = unfinished.resume_restore(&healed, None, &wattle_device::Cancel::new());
        assert!(restoration.left.is_empty(), "{fault:?}: {restoration:?}");
    }
    assert_eq!(packages(&healed), Some(original), "{fault:?}");
}

#[test]
fn a_fault_at_any_command_loses_no_app() {
    let mut whole = run(phone_with(&[app(6, 0)]), None, &[app(7, 1)], |installation, folder| {
        keep(installation, folder);
        installation.replace = true;
    });
    whole.journal.restore();
    let calls = whole.device.calls();
    assert!(calls.len() > 12, "{calls:?}");
    for at in 0..calls.len() {
        for kind in [
            Kind::Refuses,
            Kind::DoneButRefuses,
            Kind::DoneButTimedOut,
            Kind::DoneButGone(1),
            Kind::Gone(usize::MAX / 2),
            Kind::Cancel,
            Kind::CancelWhile,
        ] {
            check_fault(Fault { at, kind });
        }
    }
}

/// Version code, app id, users; whether it is debuggable and of the system.
type Known<'k> = (Option<u64>, Option<u32>, &'k [u32], bool, bool);

/// Text of `dumpsys package`, and what is found in it.
#[track_caller]
fn check_dump(dump: &str, expected: Option<Known<'_>>) {
    let mut phone = Phone::default();
    phone.fixed.insert("dumpsys package com.example".into(), (0, dump.to_owned()));
    let found = InstalledApp::find(&ScriptedDevice::new(phone), NAME).expect("an answer");
    let found = found.as_ref().map(|app| {
        (app.version_code, app.app_id, app.users.as_slice(), app.debuggable, app.system)
    });
    assert_eq!(found, expected, "{dump}");
}

#[test]
fn dumps_of_every_version_are_understood() {
    // Android 7.
    check_dump(
        "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n        c9b0bf6 com.example/.Main\n\n\
         Packages:\n  Package [com.example] (2036fd1):\n    userId=10085\n    pkg=Package{42e7a36 com.example}\n    \
         codePath=/data/app/com.example-1\n    versionCode=41 minSdk=21 targetSdk=24\n    versionName=4.1\n    \
         splits=[base]\n    flags=[ DEBUGGABLE HAS_CODE ALLOW_CLEAR_USER_DATA ]\n    \
         signatures=PackageSignatures{9fe380d [53ea108d]}\n    User 0:  installed=true hidden=false stopped=true\n      \
         runtime permissions:\n",
        Some((Some(41), Some(10085), &[0], true, false)),
    );
    // Android 14: an app of the system with an update, for two of three users.
    check_dump(
        "Packages:\n  Package [com.example.other] (1):\n    appId=1\n\n  Package [com.example] (2):\n    appId=10107\n    \
         versionCode=1200 minSdk=29 targetSdk=34\n    flags=[ SYSTEM HAS_CODE UPDATED_SYSTEM_APP ]\n    User 0: \
         ceDataInode=1 installed=true hidden=false\n    User 10: ceDataInode=0 installed=false hidden=false\n    User 11: \
         ceDataInode=7 installed=true\n\nHidden system packages:\n  Package [com.example] (3):\n    appId=9\n    \
         versionCode=1 minSdk=1\n    User 12: installed=true\n",
        Some((Some(1200), Some(10107), &[0, 11], false, true)),
    );
    // Uninstalled, with data kept: it is not there.
    check_dump(
        "Packages:\n  Package [com.example] (2):\n    appId=10107\n    versionCode=3 minSdk=1\n    User 0: installed=false\n",
        None,
    );
    check_dump("Unable to find package: com.example\n", None);
    check_dump("", None);
}
