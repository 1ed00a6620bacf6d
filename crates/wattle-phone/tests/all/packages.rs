//! Installing packages with Debian's adb.

use crate::support::{connected, key, new_key, options, text, write};
use wattle_phone::{Fault, MadePackage};
use wattle_testdata::requires;

#[requires(program = "adb")]
#[test]
fn packages_are_installed_replaced_and_refused() {
    let (phone, adb) = connected(options());
    let of = |version_code, change: fn(&mut MadePackage)| {
        let mut package = MadePackage::new("com.example.a");
        package.version_code = version_code;
        change(&mut package);
        package
    };
    let other = new_key("somebody else");
    let cases: [(&str, MadePackage, &wattle_apk::SigningKey, &[&str], &str); 8] = [
        ("first", of(5, |_| {}), key(), &[], ""),
        ("update", of(6, |_| {}), key(), &["-r"], ""),
        ("downgrade", of(4, |_| {}), key(), &["-r"], "INSTALL_FAILED_VERSION_DOWNGRADE"),
        ("forced downgrade", of(5, |_| {}), key(), &["-r", "-d"], ""),
        ("signer", of(7, |_| {}), &other, &["-r"], "INSTALL_FAILED_UPDATE_INCOMPATIBLE"),
        ("test only", of(7, |it| it.test_only = true), key(), &["-r"], "INSTALL_FAILED_TEST_ONLY"),
        ("test only allowed", of(7, |it| it.test_only = true), key(), &["-r", "-t"], ""),
        ("too new", of(8, |it| it.min_sdk = 99), key(), &["-r"], "INSTALL_FAILED_OLDER_SDK"),
    ];
    for (name, package, key, flags, expected) in cases {
        let file = write(adb.folder(), "a.apk", &package, key);
        for streamed in ["--streaming", "--no-streaming"] {
            let mut words = vec!["install", streamed];
            words.extend(flags);
            let file = file.to_string_lossy();
            words.push(&file);
            let output = adb.run(&words);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.success(), expected.is_empty(), "{name}: {said}");
            assert!(
                said.contains(if expected.is_empty() { "Success" } else { expected }),
                "{name}: {said}"
            );
        }
        if expected.is_empty() {
            let installed = phone.package("com.example.a").expect("installed");
            assert_eq!(installed.version_code, u64::from(package.version_code), "{name}");
            let path = adb.shell("pm path com.example.a");
            let path = path.trim().strip_prefix("package:").expect("a path");
            assert_eq!(
                std::fs::read(phone.host_path(path)).ok(),
                std::fs::read(&file).ok(),
                "{name}"
            );
        }
    }
    let dump = adb.shell("dumpsys package com.example.a");
    assert!(dump.contains("versionCode=7 minSdk=24") && dump.contains("DEBUGGABLE"), "{dump}");
    assert!(adb.shell("pm list packages -3 -U").starts_with("package:com.example.a uid:10"));
    assert_eq!(
        adb.shell("run-as com.example.a sh -c 'pwd; echo x > files/f'; pwd"),
        "/data/data/com.example.a\n/\n"
    );
    assert!(phone.host_path("/data/data/com.example.a/files/f").exists());
    assert_eq!(adb.shell("pm clear com.example.a"), "Success\n");
    assert!(!phone.host_path("/data/data/com.example.a/files/f").exists());
    assert!(adb.run(&["uninstall", "com.example.a"]).status.success());
    assert_eq!(phone.package("com.example.a"), None);
}

#[requires(program = "adb")]
#[test]
fn a_base_and_its_splits_are_installed_together() {
    let (phone, adb) = connected(options());
    let base = write(adb.folder(), "base.apk", &MadePackage::new("com.example.s"), key());
    let mut split = MadePackage::new("com.example.s");
    split.split = Some("config.en".to_owned());
    split.launcher = None;
    let split_file = write(adb.folder(), "split.apk", &split, key());
    let stranger = write(adb.folder(), "stranger.apk", &split, &new_key("somebody else"));
    let install = |second: &std::path::Path| {
        adb.run(&["install-multiple", &base.to_string_lossy(), &second.to_string_lossy()])
    };
    let refused = install(&stranger);
    assert!(!refused.status.success() && phone.package("com.example.s").is_none());
    let done = install(&split_file);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let files = phone.package("com.example.s").expect("installed").files;
    assert_eq!(files, ["base.apk", "split_config.en.apk"]);
}

#[requires(program = "adb")]
#[test]
fn refusals_and_full_storage_keep_packages_out() {
    let (phone, adb) = connected(options());
    let mut package = MadePackage::new("com.example.f");
    package.entries.push((
        "assets/big".to_owned(),
        (0..600_000_u32).map(|index| (index.wrapping_mul(index) >> 7) as u8).collect(),
    ));
    let file = write(adb.folder(), "f.apk", &package, key());
    let install = || {
        let output = adb.run(&["install", &file.to_string_lossy()]);
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    phone.inject(Fault::RefuseInstall {
        reason: "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user".into(),
    });
    let (done, said) = install();
    assert!(!done && said.contains("INSTALL_FAILED_USER_RESTRICTED"), "{said}");
    phone.repair();
    phone.inject(Fault::FullStorage { free_bytes: 20_000 });
    let (done, said) = install();
    assert!(!done && said.contains("INSTALL_FAILED_INSUFFICIENT_STORAGE"), "{said}");
    phone.repair();
    let (done, said) = install();
    assert!(done, "{said}");
}
