//! Power profiles that are read from packages on a device, as the framework's compiler makes them.

use std::path::Path;
use std::process::Command;

use crate::support::{Fault, Kind, Phone, ScriptedDevice};
use wattle_device::facts::power_profile;
use wattle_power::PowerProfile;
use wattle_testdata::requires;

const FRAMEWORK: &str = "/system/framework/framework-res.apk";
const SMALL: &str = "<device name=\"Android\"><item name=\"battery.capacity\">4321</item>\
                     <array name=\"cpu.clusters.cores\"><value>4</value><value>2</value></array></device>";

/// A package with this file, made by `aapt2`.
fn package(name: &str, file: &str, text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("res/xml")).expect("a folder");
    std::fs::write(path(file), text).expect("written");
    let manifest = format!("<manifest package=\"{name}\"/>");
    std::fs::write(path("AndroidManifest.xml"), manifest).expect("written");
    let run = |arguments: &[&str]| {
        let output = Command::new("aapt2").args(arguments).current_dir(folder.path()).output();
        let output = output.expect("aapt2");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["compile", "--dir", "res", "-o", "compiled.zip"]);
    run(&["link", "--manifest", "AndroidManifest.xml", "-o", "out.apk", "compiled.zip"]);
    std::fs::read(path("out.apk")).expect("the package")
}

fn with_profile(name: &str, text: &str) -> Vec<u8> {
    package(name, "res/xml/power_profile.xml", text)
}

/// A phone with these packages; `overlays` are switched on for the framework, in this order.
fn device(files: &[(&str, &[u8])], overlays: Option<&[&str]>) -> ScriptedDevice {
    let mut phone = Phone::default();
    phone.fixed.insert("pm path android".into(), (0, format!("package:{FRAMEWORK}\n")));
    for (path, bytes) in files {
        phone.files.insert((*path).to_owned(), bytes.to_vec());
    }
    if let Some(overlays) = overlays {
        let mut list = "android\n[ ] com.off\n[x] com.android.shell:made_at_run_time\n".to_owned();
        for name in overlays {
            list = format!("{list}[x] {name}\n");
            phone.fixed.insert(
                format!("pm path {name}"),
                (0, format!("package:/product/overlay/{name}.apk\n")),
            );
        }
        list.push_str("--- com.broken\n\ncom.android.systemui\n[x] com.other\n");
        phone.fixed.insert("cmd overlay list".into(), (0, list));
    }
    ScriptedDevice::new(phone)
}

#[track_caller]
fn check(device: &ScriptedDevice, source: &str, text: &str) {
    let found = power_profile(device).expect("a profile");
    assert_eq!(found.source, source);
    assert_eq!(found.notes, Vec::<String>::new());
    let read = PowerProfile::parse("found", &found.text).expect("a profile that can be read");
    assert_eq!(read, PowerProfile::parse("found", text).expect("the profile"));
}

#[requires(data, program = "aapt2")]
#[test]
fn profiles_of_real_phones_come_back_as_they_were() {
    for file in wattle_testdata::files("power_profile", 16, |_| true) {
        let text = std::fs::read_to_string(file).expect("a profile");
        let framework = with_profile("android", &text);
        check(&device(&[(FRAMEWORK, &framework)], Some(&[])), FRAMEWORK, &text);
    }
}

#[requires(env = "WATTLE_FRAMEWORK")]
#[test]
fn the_framework_of_a_real_android() {
    // Of Debian's package `android-framework-res`.
    let path = std::env::var_os("WATTLE_FRAMEWORK").expect("WATTLE_FRAMEWORK");
    let framework = std::fs::read(path).expect("the framework's resources");
    let found = power_profile(&device(&[(FRAMEWORK, &framework)], Some(&[]))).expect("a profile");
    let profile = PowerProfile::parse("real", &found.text).expect("a profile that can be read");
    // AOSP's default profile: 1000 mAh, 0.1 mA for everything that nobody has measured.
    assert!(found.text.contains("<item name=\"battery.capacity\">1000</item>"), "{}", found.text);
    let current = profile.current("screen.on").expect("a current");
    assert_eq!(current.milliamperes(), 0.1);
}

#[requires(program = "aapt2")]
#[test]
fn the_overlay_of_the_highest_priority_counts() {
    let framework = with_profile(
        "android",
        "<device name=\"Android\"><item name=\"battery.capacity\">1000</item></device>",
    );
    let low = with_profile(
        "com.low",
        "<device name=\"low\"><item name=\"battery.capacity\">1</item></device>",
    );
    let high = with_profile("com.high", SMALL);
    let plain = package("com.plain", "res/xml/other.xml", "<other/>");
    let path = |name: &str| format!("/product/overlay/{name}.apk");
    let files = [
        (FRAMEWORK.to_owned(), &framework),
        (path("com.low"), &low),
        (path("com.high"), &high),
        (path("com.plain"), &plain),
    ];
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let all = device(&files, Some(&["com.low", "com.high", "com.plain"]));
    check(&all, "/product/overlay/com.high.apk", SMALL);

    // An overlay that cannot be read is said and passed over.
    let gone = device(&files[..1], Some(&["com.gone"]));
    let found = power_profile(&gone).expect("a profile");
    assert_eq!(found.source, FRAMEWORK);
    assert!(found.notes[0].contains("com.gone"), "{:?}", found.notes);

    // Android 7 lists no overlays: they lie in folders.
    let old = device(
        &[
            (FRAMEWORK, &framework),
            ("/vendor/overlay/x/framework-res__auto.apk", &high),
            ("/vendor/overlay/Other.apk", &low),
        ],
        None,
    );
    let found = power_profile(&old).expect("a profile");
    assert_eq!(found.source, "/vendor/overlay/x/framework-res__auto.apk");
}

#[requires(program = "aapt2")]
#[test]
fn a_shortened_name_is_found_by_its_content() {
    let framework = package("android", "res/xml/a1.xml", SMALL);
    check(&device(&[(FRAMEWORK, &framework)], Some(&[])), FRAMEWORK, SMALL);
}

#[requires(program = "aapt2")]
#[test]
fn a_device_that_unpacks_by_itself_sends_only_the_file() {
    let framework = with_profile("android", SMALL);
    let apk = wattle_apk::Apk::open(&framework).expect("a package");
    let entry = apk.read("res/xml/power_profile.xml").expect("the entry");
    let device = device(&[(FRAMEWORK, &framework)], Some(&[]));
    device.change(|phone| {
        phone.unpacked = Some(entry);
    });
    check(&device, FRAMEWORK, SMALL);
    assert!(device.calls().iter().all(|call| !call.starts_with("pull")), "{:?}", device.calls());
}

#[requires(program = "aapt2")]
#[test]
fn what_is_no_profile_is_an_error_and_faults_end() {
    let framework = package("android", "res/xml/power_profile.xml", "<other/>");
    let error = power_profile(&device(&[(FRAMEWORK, &framework)], None)).expect_err("no profile");
    assert!(error.to_string().contains("power_profile.xml"), "{error}");
    let error =
        power_profile(&device(&[(FRAMEWORK, b"no package")], None)).expect_err("no package");
    assert!(!error.to_string().is_empty());
    assert!(power_profile(&device(&[], None)).is_err());

    let framework = with_profile("android", SMALL);
    let files: [(&str, &[u8]); 1] = [(FRAMEWORK, &framework)];
    let whole = device(&files, None);
    power_profile(&whole).expect("a profile");
    for at in 0..whole.calls().len() {
        for kind in [Kind::Gone(usize::MAX / 2), Kind::CancelWhile] {
            power_profile(&device(&files, None).with_fault(Fault { at, kind }))
                .expect_err("a fault");
        }
        // Anything else that goes wrong only makes it look elsewhere, or is said.
        let _ = power_profile(&device(&files, None).with_fault(Fault { at, kind: Kind::Refuses }));
    }
}
