//! Leases of the simulated phone, through Debian's own adb server: who gets it, and when it is taken over.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::bench::{Bench, Test};
use wattle_device::lease::{Lease, LeaseOptions};
use wattle_device::{Cancel, Device, DeviceError, Progress};
use wattle_phone::{Fault, PhoneOptions};
use wattle_recording::TestFacts;

pub const TESTS: &[Test] = &[
    ("a_phone_is_leased_to_one_machine_at_a_time", a_phone_is_leased_to_one_machine_at_a_time),
    ("a_lease_whose_holder_is_dead_is_taken_over", a_lease_whose_holder_is_dead_is_taken_over),
    ("of_several_that_want_a_dead_ones_phone_one_gets_it", one_gets_it),
    ("a_full_phone_cannot_be_leased_and_says_so", a_full_phone_cannot_be_leased),
];

const LIMIT: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn stage(&self, _: &str, _: Option<(u32, u32)>) {}

    fn note(&self, text: &str) {
        self.0.lock().expect("notes").push(text.to_owned());
    }

    fn test(&self, _: &TestFacts) {}
}

/// Takes the lease as another machine would, which has a folder of its own.
fn take(bench: &Bench, folder: &Path, notes: &Notes) -> Result<Lease, DeviceError> {
    let options = LeaseOptions {
        folder: folder.to_owned(),
        command: "wattle test".to_owned(),
        wait: Duration::ZERO,
    };
    Lease::take(&bench.device(), &options, &Cancel::new(), notes)
}

fn shell(bench: &Bench, command: &str) -> String {
    let output = bench.device().shell(command, LIMIT).expect("an answer");
    output.text().trim().to_owned()
}

fn a_phone_is_leased_to_one_machine_at_a_time() {
    let bench = Bench::new(PhoneOptions::default());
    let (one, other) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
    let notes = Notes::default();
    let lease = take(&bench, one.path(), &notes).expect("it is free");
    assert_eq!(lease.identity().hardware, bench.phone.property("ro.serialno").expect("a number"));
    lease.check().expect("it is ours");
    for folder in [&one, &other] {
        let error = take(&bench, folder.path(), &notes).expect_err("it is taken");
        let text = error.to_string();
        assert!(matches!(error, DeviceError::InUse { .. }), "{text}");
        let holder = format!("process {} on ", std::process::id());
        assert!(text.contains(&holder) && text.contains("(wattle test), since"), "{text}");
    }
    drop(lease);
    assert_eq!(shell(&bench, "ls /data/local/tmp"), "");
    drop(take(&bench, other.path(), &notes).expect("it is free again"));
    assert!(notes.0.lock().expect("notes").is_empty(), "nothing was to be said");
}

/// Leaves a lease on the phone as a run of another machine does that died.
fn leave_lease(bench: &Bench, boot: &str, age: u32) {
    let lease = format!(
        r#"{{"wattle_lease":1,"nonce":"there-7-8","host":"elsewhere","host_id":"there","pid":7,"command":"wattle run","since_host_ns":8,"boot":"{boot}"}}"#
    );
    shell(bench, "rm -rf /data/local/tmp/wattle; mkdir -p /data/local/tmp/wattle/run");
    shell(bench, &format!("echo '{lease}' >/data/local/tmp/wattle/lease"));
    let beat = "u=$(cat /proc/uptime); u=${u%%.*}; echo $(( u - AGE )).00 1.00 >/data/local/tmp/wattle/beat";
    shell(bench, &beat.replace("AGE", &age.to_string()));
    // What a recorder of it leaves: the commands that end it.
    let end = "echo 'echo ended >/data/local/tmp/said' >/data/local/tmp/wattle/run/perfetto.end";
    shell(bench, end);
}

fn a_lease_whose_holder_is_dead_is_taken_over() {
    let bench = Bench::new(PhoneOptions::default());
    let folder = tempfile::tempdir().expect("a folder");
    let boot = shell(&bench, "cat /proc/sys/kernel/random/boot_id");
    // While it is renewed, nobody else gets it.
    leave_lease(&bench, &boot, 30);
    let error = take(&bench, folder.path(), &Notes::default()).expect_err("it is taken");
    let text = error.to_string();
    assert!(text.contains("process 7 on elsewhere (wattle run), since 1970-01-01"), "{text}");
    for (boot, age, reason) in [
        (boot.as_str(), 300, "it has not answered for"),
        ("another-boot", 30, "the device was restarted since"),
    ] {
        leave_lease(&bench, boot, age);
        check_taken_over(&bench, folder.path(), reason);
        let recorders = shell(&bench, "cat /data/local/tmp/said; rm -f /data/local/tmp/said");
        assert_eq!(recorders, "ended", "{reason}: its recorders were ended");
    }
    shell(&bench, "rm -rf /data/local/tmp/wattle; mkdir /data/local/tmp/wattle");
    check_taken_over(&bench, folder.path(), "it names no holder");
    assert_eq!(shell(&bench, "ls /data/local/tmp"), "");
    // A lease of another version, or a damaged one: as long as it is renewed, somebody has the phone.
    let write_other = |age: u32| {
        leave_lease(&bench, &boot, age);
        shell(&bench, "echo '{\"wattle_lease\":\"two\"}' >/data/local/tmp/wattle/lease");
    };
    write_other(30);
    let error = take(&bench, folder.path(), &Notes::default()).expect_err("it is taken");
    assert!(error.to_string().contains("cannot read"), "{error}");
    write_other(300);
    check_taken_over(
        &bench,
        folder.path(),
        "its lease cannot be read, and it has not answered for",
    );
    write_other(30);
    shell(&bench, "rm /data/local/tmp/wattle/beat");
    check_taken_over(&bench, folder.path(), "nothing says when it was renewed");
}

#[track_caller]
fn check_taken_over(bench: &Bench, folder: &Path, reason: &str) {
    let notes = Notes::default();
    let lease = take(bench, folder, &notes).expect("it is taken over");
    let said = notes.0.lock().expect("notes").clone();
    assert!(said.iter().any(|note| note.contains(reason)), "{reason}: {said:?}");
    lease.check().expect("it is ours");
    drop(lease);
    assert_eq!(shell(bench, "ls -d /data/local/tmp/wattle*"), "", "{reason}");
}

fn one_gets_it() {
    let bench = Bench::new(PhoneOptions::default());
    let boot = shell(&bench, "cat /proc/sys/kernel/random/boot_id");
    leave_lease(&bench, &boot, 300);
    let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let taken: Vec<_> = std::thread::scope(|scope| {
        let bench = &bench;
        let take = |folder| scope.spawn(move || take(bench, folder, &Notes::default()));
        let all: Vec<_> = folders.iter().map(|folder| take(folder.path())).collect();
        all.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    let (have, rest): (Vec<_>, Vec<_>) = taken.into_iter().partition(Result::is_ok);
    assert_eq!(have.len(), 1, "{rest:?}");
    for error in rest.into_iter().filter_map(Result::err) {
        assert!(matches!(error, DeviceError::InUse { .. }), "{error}");
    }
    for lease in have.into_iter().flatten() {
        lease.check().expect("it is ours");
    }
    shell(&bench, "rm /data/local/tmp/said");
    assert_eq!(shell(&bench, "ls /data/local/tmp"), "");
}

fn a_full_phone_cannot_be_leased() {
    let bench = Bench::new(PhoneOptions::default());
    let folder = tempfile::tempdir().expect("a folder");
    bench.phone.inject(Fault::FullStorage { free_bytes: 0 });
    let error = take(&bench, folder.path(), &Notes::default()).expect_err("no room").to_string();
    assert!(error.contains("is its storage full?"), "{error}");
    bench.phone.repair();
    drop(take(&bench, folder.path(), &Notes::default()).expect("there is room"));
    assert_eq!(shell(&bench, "ls /data/local/tmp"), "");
}
