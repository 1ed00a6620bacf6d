//! Files of a device behind an adb server that follows a script, faults included.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use std::time::Duration;

use crate::scripted::*;
use proptest::prelude::*;
use wattle_device::adb::AdbDevice;
use wattle_device::{Device, DeviceError, FileFacts};

fn pull(device: &AdbDevice) -> Result<Vec<u8>, DeviceError> {
    let mut bytes = Vec::new();
    let count = device.pull("/a", &mut bytes)?;
    assert_eq!(count, bytes.len() as u64);
    Ok(bytes)
}

fn pull_talk(bytes: &[u8]) -> Talk {
    service("sync:", [expect(framed("RECV", b"/a")), send(bytes)])
}

#[test]
fn a_pulled_file_is_its_pieces() {
    let pieces =
        [framed("DATA", b"one "), framed("DATA", b""), framed("DATA", b"two"), frame("DONE", 0)];
    let bytes = check("", vec![pull_talk(&pieces.concat())], pull, "well", &[]);
    assert_eq!(bytes.expect("well"), b"one two");
    let newer = [expect(framed("RCV2", b"/a")), expect(frame("RCV2", 0)), send(pieces.concat())];
    let talk = service("sync:", newer);
    let bytes = check("sendrecv_v2", vec![talk], pull, "well", &[]);
    assert_eq!(bytes.expect("well"), b"one two");
    // What came before an error is kept.
    let broken = [framed("DATA", b"one "), framed("FAIL", b"read failed: I/O error")];
    let (device, script, _) = device("", vec![pull_talk(&broken.concat())]);
    let mut kept = Vec::new();
    let result = device.pull("/a", &mut kept);
    script.finish();
    assert_eq!((outcome(&result), kept.as_slice()), ("refused", b"one ".as_slice()));
}

/// A disk of this side without space.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("no space left"))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pull_is_told() {
    let good = [framed("DATA", b"one"), frame("DONE", 0)].concat();
    for cut in 0..good.len() {
        let talk = pull_talk(good.get(..cut).expect("a part"));
        let _ = check("", vec![talk], pull, "disconnected", &["pulling /a"]);
    }
    for (bytes, expected, says) in [
        (framed("FAIL", b"open failed: No such file"), "refused", "No such file"),
        (frame("DATA", 65_537), "garbled", "64 KiB"),
        (frame("DATA", u32::MAX), "garbled", "64 KiB"),
        (frame("FAIL", u32::MAX), "garbled", "16 KiB"),
        (frame("OKAY", 0), "garbled", "OKAY"),
        (b"\xff\xfe\0\0\0\0\0\0".to_vec(), "garbled", "DATA, DONE or FAIL"),
    ] {
        let _ = check("", vec![pull_talk(&bytes)], pull, expected, &[says]);
    }
    let mut silent = pull_talk(&framed("DATA", b"one"));
    silent.push(Step::Silence);
    let _ = check("", vec![silent], pull, "timed out", &["pulling /a"]);
    let talk = pull_talk(&good);
    let _ =
        check("", vec![talk], |device| device.pull("/a", &mut Full), "another", &["no space left"]);
}

fn push(device: &AdbDevice) -> Result<u64, DeviceError> {
    device.push(&mut b"words".as_slice(), "/a", 0o755)
}

/// The client's whole side of a push: the request, the piece, and the end with a time that is now.
fn pushed(request: &[u8]) -> [Step; 4] {
    [expect(request), expect(framed("DATA", b"words")), expect("DONE"), Step::Swallow(4)]
}

#[test]
fn a_pushed_file_is_sent_in_pieces() {
    // 33261 is 0100755: an ordinary file with these permissions.
    let older = framed("SEND", b"/a,33261");
    let newer =
        [framed("SND2", b"/a"), frame("SND2", 33261), 0_u32.to_le_bytes().to_vec()].concat();
    for (features, request) in [("", older), ("sendrecv_v2", newer)] {
        let steps = pushed(&request).into_iter().chain([send(frame("OKAY", 0))]);
        let count = check(features, vec![service("sync:", steps)], push, "well", &[]);
        assert_eq!(count.expect("well"), 5);
    }
}

#[test]
fn a_refused_push_is_told() {
    let request = framed("SEND", b"/a,33261");
    for (answer, expected, says) in [
        (
            framed("FAIL", b"couldn't create file: Permission denied"),
            "refused",
            "Permission denied",
        ),
        (frame("OKAX", 0), "garbled", "OKAX"),
        (vec![], "disconnected", "pushing /a"),
        (frame("FAIL", 100), "disconnected", "pushing /a"),
    ] {
        let steps = pushed(&request).into_iter().chain([send(answer)]);
        let _ = check("", vec![service("sync:", steps)], push, expected, &[says]);
    }
    // In the middle, from a device that then reads nothing more.
    let endless = |device: &AdbDevice| device.push(&mut std::io::repeat(7), "/a", 0o755);
    for (answer, expected, says) in [
        (framed("FAIL", b"No space left on device"), "refused", "No space left"),
        (frame("OKAY", 0), "garbled", "OKAY"),
    ] {
        let steps = [expect(&request), Step::Swallow(100_000), send(answer), Step::Silence];
        let _ = check("", vec![service("sync:", steps)], endless, expected, &[says]);
    }
    // One that reads nothing and says nothing.
    let steps = [expect(&request), Step::Stuck];
    let _ = check("", vec![service("sync:", steps)], endless, "timed out", &["pushing /a"]);
}

/// `sync_stat_v2` behind its id, after file_sync_protocol.h.
fn facts_v2(error: u32, mode: u32, bytes: u64, modified: i64) -> Vec<u8> {
    let mut facts = error.to_le_bytes().to_vec();
    facts.extend([1_u64, 2].map(u64::to_le_bytes).concat());
    facts.extend([mode, 1, 0, 0].map(u32::to_le_bytes).concat());
    facts.extend(bytes.to_le_bytes());
    facts.extend([1_i64, modified, 3].map(i64::to_le_bytes).concat());
    facts
}

fn stat_v2(bytes: &[u8]) -> Talk {
    let answer = [b"STA2".as_slice(), bytes].concat();
    service("sync:", [expect(framed("STA2", b"/x/a")), send(answer)])
}

fn stat_v1(path: &str, numbers: [u32; 3]) -> [Step; 2] {
    let answer = [b"STAT".as_slice(), &numbers.map(u32::to_le_bytes).concat()].concat();
    [expect(framed("STAT", path.as_bytes())), send(answer)]
}

fn stat(device: &AdbDevice) -> Result<Option<FileFacts>, DeviceError> {
    device.stat("/x/a")
}

fn facts(mode: u32, bytes: u64, modified: i64) -> FileFacts {
    FileFacts { name: "a".to_owned(), mode, bytes, modified }
}

#[test]
fn a_path_is_looked_at() {
    let large = facts_v2(0, 0o100_644, 5_000_000_000, -1);
    let found = check("stat_v2", vec![stat_v2(&large)], stat, "well", &[]);
    assert_eq!(found.expect("well"), Some(facts(0o100_644, 5_000_000_000, -1)));
    for nothing in [2, 20] {
        let found = check("stat_v2", vec![stat_v2(&facts_v2(nothing, 0, 0, 0))], stat, "well", &[]);
        assert_eq!(found.expect("well"), None);
    }
    let denied = stat_v2(&facts_v2(13, 0, 0, 0));
    let _ = check("stat_v2", vec![denied], stat, "refused", &["/x/a", "permission denied"]);
    for cut in 0..large.len() {
        let talk = stat_v2(large.get(..cut).expect("a part"));
        let _ = check("stat_v2", vec![talk], stat, "disconnected", &[]);
    }

    let talk = service("sync:", stat_v1("/x/a", [0o100_600, 7, 9]));
    let found = check("", vec![talk], stat, "well", &[]);
    assert_eq!(found.expect("well"), Some(facts(0o100_600, 7, 9)));
    let talk = service("sync:", stat_v1("/x/a", [0, 0, 0]));
    assert_eq!(check("", vec![talk], stat, "well", &[]).expect("well"), None);
    // Version 1 does not look behind links by itself.
    let link = stat_v1("/x/a", [0o120_777, 4, 9]);
    for (behind, mode) in [([0o040_755, 8, 9], 0o040_755), ([0, 0, 0], 0o120_777)] {
        let steps = link.clone().into_iter().chain(stat_v1("/x/a/.", behind));
        let found = check("", vec![service("sync:", steps)], stat, "well", &[]);
        assert_eq!(found.expect("well").expect("it is there").mode, mode);
    }
}

fn list(device: &AdbDevice) -> Result<Vec<FileFacts>, DeviceError> {
    device.list("/x")
}

fn list_talk(id: &str, bytes: &[u8]) -> Talk {
    service("sync:", [expect(framed(id, b"/x")), send(bytes)])
}

fn entry_v1(name: &str) -> Vec<u8> {
    let numbers = [0o100_600, 7, 9, name.len() as u32].map(u32::to_le_bytes).concat();
    [b"DENT".as_slice(), &numbers, name.as_bytes()].concat()
}

fn entry_v2(name: &str) -> Vec<u8> {
    let length = (name.len() as u32).to_le_bytes();
    let facts = facts_v2(0, 0o100_600, 7, 9);
    [b"DNT2".as_slice(), &facts, &length, name.as_bytes()].concat()
}

#[test]
fn a_folder_is_listed() {
    type Entry = fn(&str) -> Vec<u8>;
    let versions: [(&str, &str, Entry, usize); 2] =
        [("", "LIST", entry_v1, 16), ("ls_v2", "LIS2", entry_v2, 72)];
    for (features, id, entry, rest) in versions {
        let done = [b"DONE".as_slice(), &vec![0; rest]].concat();
        let good = [entry("."), entry("b"), entry(".."), entry("a"), done.clone()].concat();
        let files = check(features, vec![list_talk(id, &good)], list, "well", &[]);
        let files = files.expect("well");
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(files.first(), Some(&facts(0o100_600, 7, 9)));
        let none = check(features, vec![list_talk(id, &done)], list, "well", &[]);
        assert_eq!(none.expect("well"), []);
        let one = entry("file");
        for cut in 0..one.len() {
            let talk = list_talk(id, one.get(..cut).expect("a part"));
            let _ = check(features, vec![talk], list, "disconnected", &["listing /x"]);
        }
        let mut long = entry("");
        let at = long.len() - 4;
        long.get_mut(at..).expect("a length").copy_from_slice(&u32::MAX.to_le_bytes());
        let _ = check(features, vec![list_talk(id, &long)], list, "garbled", &["4 KiB"]);
    }
    let foreign = list_talk("LIST", &entry_v2("a"));
    let _ = check("", vec![foreign], list, "garbled", &["DNT2"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever a device sends, the client ends with an answer of its own.
    #[test]
    fn any_bytes_are_borne(
        start in prop_oneof![
            Just(&b""[..]), Just(&b"DATA"[..]), Just(&b"DENT"[..]), Just(&b"DNT2"[..]), Just(&b"STAT"[..]),
            Just(&b"STA2"[..]), Just(&b"FAIL"[..]), Just(&b"OKAY"[..]), Just(&b"\x01\x05\0\0\0"[..])],
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        new in any::<bool>(),
    ) {
        let features = if new { "stat_v2,ls_v2,sendrecv_v2,shell_v2,cmd" } else { "stat" };
        let talk = vec![
            request("host:transport:S1"), okay(), Step::AnyRequest, okay(),
            send([start, &bytes].concat()),
        ];
        let state = question("host-serial:S1:get-state", "device");
        let mut talks = vec![talk.clone(), talk.clone(), talk.clone(), talk.clone(), talk.clone()];
        // Without the shell protocol the end of the output is asked about.
        if !new { talks.push(state); }
        let (device, script, _) = device(features, talks);
        let _ = pull(&device);
        let _ = push(&device);
        let _ = stat(&device);
        let _ = list(&device);
        let _ = device.shell("id", Duration::from_secs(20));
        script.finish();
    }
}
