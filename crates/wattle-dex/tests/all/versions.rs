//! Samples of the versions 040 and 041, which no real file at hand has, before Android's own tools.
//!
//! Facts of version 041 are those of ART's `dex_file.h` (`HeaderV41`) and of R8's own test of its containers
//! (`DexContainerFormatTestBase`): headers of 0x78 bytes, `data_size` and `data_off` 0, the length of the whole
//! container and the header's own offset in it, files one after the other at multiples of 4, and the table of
//! strings of all files in the last one.

use std::path::PathBuf;
use std::process::Command;

use wattle_dex::*;
use wattle_testdata::requires;

use crate::support::dump::dump;
use crate::support::sample;

/// `public class Main { public static void main(String[] a) { System.out.println("version VERSION"); } }`
fn main_class(version: u16) -> DexFile<'static> {
    let mut file = DexFile::new(version);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let out = pool.field("Ljava/lang/System;", "out", "Ljava/io/PrintStream;");
    let print = pool.method("Ljava/io/PrintStream;", "println", "(Ljava/lang/String;)V").unwrap();
    let id = pool.method("LMain;", "main", "([Ljava/lang/String;)V").unwrap();
    let text = pool.string(&format!("version {version}"));
    let mut class = Class::new(pool.ty("LMain;"), Some(object), AccessFlags::PUBLIC);
    let mut code = CodeBuilder::new(3, 1);
    code.line(3).op(Opcode::SGET_OBJECT, &[0], Operand::Field(out)).const_string(1, text);
    code.invoke(Opcode::INVOKE_VIRTUAL, print, &[0, 1]).return_void();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let body = Body::Code(Box::new(code.finish().unwrap()));
    class.direct_methods.push(Method { id, access, body });
    file.add_class(class);
    file
}

/// Every method anew, through labels.
fn edited(bytes: &[u8]) -> Vec<u8> {
    let dex = Dex::parse(bytes).unwrap();
    let mut file = DexFile::edit(&dex);
    file.pool_mut().string("!a string that comes first");
    file.write_with(&|site| Code::decode(&dex, &site.code).map(Some)).unwrap()
}

#[track_caller]
fn check_sound(bytes: &[u8]) {
    for dex in Dex::parse_container(bytes).unwrap() {
        let verification = Verifier::new(&dex).all(2);
        assert_eq!(verification.defects, []);
        assert!(verification.signature_fits);
    }
}

/// The executable in a folder of its own, as `classes.dex`.
fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("classes.dex");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// The Android 11 runtime in `$WATTLE_ART` prints this, or refuses the file.
#[track_caller]
fn check_art(bytes: &[u8], printed: Option<&str>) {
    let launcher = wattle_testdata::variable("WATTLE_ART").join("art");
    let (_folder, path) = file(bytes);
    let output = Command::new(launcher).arg("-cp").arg(path).arg("Main").output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    match printed {
        Some(printed) => assert_eq!(stdout.trim_end(), printed, "{output:?}"),
        None => assert!(!output.status.success() && stdout.is_empty(), "{output:?}"),
    }
}

#[track_caller]
fn check_dexdump(bytes: &[u8], is_dumped: bool) {
    let (_folder, path) = file(bytes);
    let output = Command::new("dexdump").arg("-d").arg(path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.success() && text.contains("LMain;"), is_dumped, "{output:?}");
}

const UP_TO_40: [u16; 5] = [35, 37, 38, 39, 40];

/// The file as it was assembled, and edited.
fn both(version: u16) -> [Vec<u8>; 2] {
    let bytes = main_class(version).write().unwrap();
    [edited(&bytes), bytes]
}

#[test]
fn all_versions_are_sound() {
    for version in UP_TO_40 {
        let [edited, bytes] = both(version);
        check_sound(&bytes);
        check_sound(&edited);
        let dex = Dex::parse(&bytes).unwrap();
        assert_eq!(RoundTrip::from_dex(&dex).unwrap(), RoundTrip::Identical);
    }
    for bytes in both(41) {
        check_sound(&bytes);
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn android_11_runs_all_versions_up_to_40() {
    for version in UP_TO_40 {
        for bytes in both(version) {
            check_art(&bytes, Some(&format!("version {version}")));
        }
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn android_11_refuses_version_41() {
    check_art(&main_class(41).write().unwrap(), None);
}

#[requires(program = "dexdump")]
#[test]
fn dexdump_reads_all_versions_up_to_40() {
    for version in UP_TO_40 {
        for bytes in both(version) {
            check_dexdump(&bytes, true);
        }
    }
    check_dexdump(&main_class(41).write().unwrap(), false);
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Headers of a container by R8's rules; returns where its files begin.
#[track_caller]
fn check_headers(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut files) = (0, Vec::new());
    while at < bytes.len() {
        assert_eq!(at % 4, 0);
        assert_eq!(&bytes[at..at + 8], b"dex\n041\0");
        assert_eq!(word(bytes, at + 0x24), 0x78, "header_size");
        assert_eq!((word(bytes, at + 0x68), word(bytes, at + 0x6c)), (0, 0), "data");
        assert_eq!(word(bytes, at + 0x70), bytes.len(), "container_size");
        assert_eq!(word(bytes, at + 0x74), at, "header_offset");
        files.push(at);
        at += word(bytes, at + 0x20);
    }
    assert_eq!(at, bytes.len());
    files
}

#[test]
fn containers_have_the_headers_that_r8_writes() {
    for count in [1, 2, 3] {
        let all = [main_class(41), sample::rich(41), main_class(41)];
        let bytes = DexFile::write_container(&all[..count]).unwrap();
        assert_eq!(check_headers(&bytes).len(), count);
        check_sound(&bytes);
        // Nothing edited, nothing changed.
        let files = Dex::parse_container(&bytes).unwrap();
        let edits: Vec<_> = files.iter().map(DexFile::edit).collect();
        assert!(DexFile::write_container(&edits).unwrap() == bytes);
    }
}

/// Lets the first of two equal files use the second's table of strings, as R8 lays containers out.
fn share_strings(bytes: &mut [u8]) {
    let files = check_headers(bytes);
    let (first, second) = (files[0], files[1]);
    bytes.copy_within(second + 0x38..second + 0x40, first + 0x38);
    let map_of = |bytes: &[u8], header: usize| -> Vec<[u8; 12]> {
        let at = word(bytes, header + 0x34);
        let entries = bytes[at + 4..].chunks_exact(12).take(word(bytes, at));
        entries.map(|entry| entry.try_into().unwrap()).collect()
    };
    let theirs = map_of(bytes, second);
    let mut mine = map_of(bytes, first);
    for entry in &mut mine {
        // `TYPE_STRING_ID_ITEM` and `TYPE_STRING_DATA_ITEM`.
        if matches!(entry[..2], [0x01, 0x00] | [0x02, 0x20]) {
            *entry = *theirs.iter().find(|it| it[..2] == entry[..2]).unwrap();
        }
    }
    mine.sort_by_key(|entry| u32::from_le_bytes(entry[8..].try_into().unwrap()));
    let at = word(bytes, first + 0x34) + 4;
    bytes[at..at + 12 * mine.len()].copy_from_slice(&mine.concat());
    seal(&mut bytes[first..second]);
}

#[test]
fn files_of_a_container_may_share_one_table_of_strings() {
    let mut bytes = DexFile::write_container(&[sample::rich(41), sample::rich(41)]).unwrap();
    let before: Vec<_> = Dex::parse_container(&bytes).unwrap().iter().map(dump).collect();
    share_strings(&mut bytes);
    check_sound(&bytes);
    let files = Dex::parse_container(&bytes).unwrap();
    assert_eq!(files.iter().map(dump).collect::<Vec<_>>(), before);
    // Written again each file has its own strings; the round trip says so.
    let edits: Vec<_> = files.iter().map(DexFile::edit).collect();
    let written = DexFile::write_container(&edits).unwrap();
    check_sound(&written);
    let again: Vec<_> = Dex::parse_container(&written).unwrap().iter().map(dump).collect();
    assert_eq!(again, before);
    assert!(matches!(RoundTrip::from_dex(&files[0]).unwrap(), RoundTrip::Differs { .. }));
    // Both can be edited.
    for dex in &files {
        let mut file = DexFile::edit(dex);
        file.pool_mut().string("!first");
        let edited = file.write_with(&|site| Code::decode(dex, &site.code).map(Some)).unwrap();
        check_sound(&edited);
        assert_eq!(dump(&Dex::parse(&edited).unwrap()), before[0]);
    }
}

#[test]
fn wrong_headers_of_containers_are_refused() {
    let bytes = DexFile::write_container(&[main_class(41), main_class(41)]).unwrap();
    let second = check_headers(&bytes)[1];
    for (at, value) in [
        (0x70, bytes.len() + 4),
        (0x70, 0),
        (0x74, 4),
        (0x20, 0),
        (0x20, bytes.len() + 4),
        (second + 0x74, 0),
        (second + 0x24, 0x70),
    ] {
        let mut wrong = bytes.clone();
        wrong[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
        assert!(Dex::parse_container(&wrong).is_err(), "{value:#x} at {at:#x}");
    }
}
