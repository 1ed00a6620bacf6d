//! Real packages, opened and rewritten.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkError, Compression, Entry, Method, PageSize, SignOptions, sign,
    sign_edited, verify,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// The part of an entry that must not change when nobody touches it.
fn essence(entry: &Entry<'_>) -> (String, Method, u16, u32, u32, Vec<u8>) {
    let name = entry.name().to_owned();
    (name, entry.method(), entry.flags(), entry.crc32(), entry.size(), entry.raw().to_vec())
}

/// Stored data begins where it must, and the check of that says so.
fn assert_aligned(apk: &Apk<'_>, alignment: Alignment, name: &str) {
    for entry in apk.entries().iter().filter(|entry| entry.method() == Method::Stored) {
        let wanted = alignment.of(entry.name());
        assert_eq!(entry.data_offset() % wanted, 0, "{name}: {}", entry.name());
    }
    assert_eq!(apk.misaligned(alignment).count(), 0, "{name}");
}

/// The entries as another implementation reads them: name and content.
fn read_by_zip(file: &[u8]) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let mut entries = BTreeMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        // One sample has an entry that cannot be read.
        let content = entry.read_to_end(&mut content).is_ok().then_some(content);
        entries.insert(entry.name().unwrap().into_owned(), content);
    }
    entries
}

#[test]
fn rewriting_made_packages_keeps_every_entry() {
    check_rewriting(made::packages());
}

#[requires(data)]
#[test]
fn rewriting_without_changes_keeps_every_entry() {
    check_rewriting(support::real_packages());
}

#[track_caller]
fn check_rewriting(packages: Vec<(String, Vec<u8>)>) {
    for (name, bytes) in packages {
        let apk = Apk::open(&bytes).unwrap();
        for native_libraries in [PageSize::K4, PageSize::K16] {
            let alignment = Alignment { native_libraries };
            let written = ApkEditor::new(&apk).finish(alignment).unwrap();
            let again = Apk::open(&written).unwrap();
            let before: Vec<_> = apk.entries().iter().map(essence).collect();
            let after: Vec<_> = again.entries().iter().map(essence).collect();
            assert_eq!(before, after, "{name}");
            assert_eq!(apk.comment(), again.comment(), "{name}");
            assert!(again.signing_block().is_none(), "{name}");
            assert_aligned(&again, alignment, &name);
            // Rewriting what was rewritten changes nothing at all.
            assert!(ApkEditor::new(&again).finish(alignment).unwrap() == written, "{name}");
        }
    }
}

#[test]
fn another_reader_sees_the_same_content_of_made_packages() {
    check_other_reader(made::packages());
}

#[requires(data)]
#[test]
fn another_reader_sees_the_same_content() {
    check_other_reader(support::real_packages());
}

#[track_caller]
fn check_other_reader(packages: Vec<(String, Vec<u8>)>) {
    for (name, bytes) in packages {
        let apk = Apk::open(&bytes).unwrap();
        let mut editor = ApkEditor::new(&apk);
        let new_code: Vec<u8> = (0..300_000_u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        let had_code = apk.entry("classes.dex").is_some();
        if had_code {
            editor.replace("classes.dex", &new_code, Compression::AsBefore).unwrap();
        }
        editor.add("assets/ünïcode.bin", &b"abc"[..], Compression::Stored).unwrap();
        editor.add("lib/x86_64/libnew.so", &b"ELF"[..], Compression::Stored).unwrap();
        editor.add("assets/empty", &b""[..], Compression::Deflated).unwrap();
        let written = editor.finish(Alignment::default()).unwrap();

        let mut expected = read_by_zip(&bytes);
        if had_code {
            expected.insert("classes.dex".to_owned(), Some(new_code.clone()));
        }
        expected.insert("assets/ünïcode.bin".to_owned(), Some(b"abc".to_vec()));
        expected.insert("lib/x86_64/libnew.so".to_owned(), Some(b"ELF".to_vec()));
        expected.insert("assets/empty".to_owned(), Some(Vec::new()));
        assert!(read_by_zip(&written) == expected, "{name}");

        let written = Apk::open(&written).unwrap();
        assert_aligned(&written, Alignment::default(), &name);
        // In its place, with the method it had.
        let place = |apk: &Apk<'_>| apk.entries().iter().position(|e| e.name() == "classes.dex");
        assert_eq!(place(&apk), place(&written), "{name}");
        let method = |apk: &Apk<'_>| apk.entry("classes.dex").map(Entry::method);
        assert_eq!(method(&apk), method(&written), "{name}");
    }
}

#[test]
fn contents_of_made_packages_are_read_as_another_reader_does() {
    check_contents(made::packages());
}

#[requires(data)]
#[test]
fn contents_are_read_as_another_reader_does() {
    check_contents(support::real_packages());
}

#[track_caller]
fn check_contents(packages: Vec<(String, Vec<u8>)>) {
    for (name, bytes) in packages {
        let apk = Apk::open(&bytes).unwrap();
        for (entry, content) in read_by_zip(&bytes) {
            match (apk.read(&entry), content) {
                (Ok(own), Some(other)) => assert!(own == other, "{name}: {entry}"),
                (Err(error), _) => {
                    assert_eq!(
                        (name.as_str(), entry.as_str()),
                        ("redex-test.apk", "classes.dex"),
                        "{error}"
                    );
                }
                (Ok(_), None) => panic!("{name}: {entry} should not be readable"),
            }
        }
    }
}

#[requires(program = "zipalign")]
#[test]
fn zipalign_agrees_on_made_packages() {
    check_zipalign(made::packages());
}

#[requires(data, program = "zipalign")]
#[test]
fn zipalign_agrees() {
    check_zipalign(support::real_packages());
}

#[track_caller]
fn check_zipalign(packages: Vec<(String, Vec<u8>)>) {
    for (name, bytes) in packages {
        let apk = Apk::open(&bytes).unwrap();
        let mut editor = ApkEditor::new(&apk);
        editor.add("lib/x86/liba.so", &[1; 5000][..], Compression::Stored).unwrap();
        editor.add("lib/x86/libb.so", &[1; 5][..], Compression::Stored).unwrap();
        editor.add("resources.extra", &[1; 3][..], Compression::Stored).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), editor.finish(Alignment::default()).unwrap()).unwrap();
        // Debian's version checks pages of 4 KiB only; 16 KiB are checked by the other tests.
        let path = file.path().to_str().unwrap();
        let output = support::tool("zipalign", &["-c", "-p", "-v", "4", path]);
        assert!(output.status.success(), "{name}: {}", support::printed(&output));
    }
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    let bytes = made::unsigned("com.example.edited", None, 21);
    let apk = Apk::open(&bytes).unwrap();
    let mut editor = ApkEditor::new(&apk);
    let nothing = || &b""[..];
    let missing = editor.replace("none", nothing(), Compression::AsBefore).unwrap_err();
    assert!(matches!(missing, ApkError::NoSuchEntry { .. }), "{missing}");
    let exists = editor.add("classes.dex", nothing(), Compression::AsBefore).unwrap_err();
    assert!(matches!(exists, ApkError::EntryExists { .. }), "{exists}");
    let escapes = editor.add("../x", nothing(), Compression::AsBefore).unwrap_err();
    assert!(escapes.to_string().contains("a .. component"), "{escapes}");
    assert!(!editor.remove("none"));
    // Removed, an entry can be added again, and then is the last.
    assert!(editor.remove("classes.dex"));
    editor.add("classes.dex", &b"new"[..], Compression::AsBefore).unwrap();
    editor.replace("classes.dex", &b"newer"[..], Compression::AsBefore).unwrap();
    let written = editor.finish(Alignment::default()).unwrap();
    let written = Apk::open(&written).unwrap();
    assert_eq!(written.entries().last().map(Entry::name), Some("classes.dex"));
    assert_eq!(written.read("classes.dex").unwrap(), b"newer");
    assert!(matches!(apk.read("none"), Err(ApkError::NoSuchEntry { .. })));
}

#[requires(data)]
#[test]
fn misaligned_data_is_noticed() {
    // The sample's name says it, and so does `zipalign -c -p 4`.
    let name = "apk/apksig/golden-unaligned-v1v2v3-lineage-out.apk";
    let bytes = wattle_testdata::bytes(name);
    let apk = Apk::open(&bytes).unwrap();
    let alignment = Alignment { native_libraries: PageSize::K4 };
    let names: Vec<_> = apk.misaligned(alignment).map(Entry::name).collect();
    assert!(names.contains(&"lib/armeabi/fake.so"), "{names:?}");
}

#[requires(data)]
#[test]
fn code_is_found_in_the_order_it_is_loaded() {
    let bytes = wattle_testdata::bytes("apk/appium-settings-debug-9dex.apk");
    let apk = Apk::open(&bytes).unwrap();
    let names: Vec<_> = apk.code_entries().map(Entry::name).collect();
    assert_eq!((names[0], names[1], names[8]), ("classes.dex", "classes2.dex", "classes9.dex"));
    assert_eq!(names.len(), 9);
    let mut editor = ApkEditor::new(&apk);
    assert_eq!(editor.next_code_name(), "classes10.dex");
    editor.add("classes10.dex", &b"dex"[..], Compression::AsBefore).unwrap();
    assert_eq!(editor.next_code_name(), "classes11.dex");
}

#[requires(data)]
#[test]
fn code_in_front_moves_the_code_behind_it_without_a_change() {
    let bytes = wattle_testdata::bytes("apk/appium-settings-debug-9dex.apk");
    let apk = Apk::open(&bytes).unwrap();
    let mut editor = ApkEditor::new(&apk);
    editor.replace("classes2.dex", &b"replaced"[..], Compression::Stored).unwrap();
    editor.add("classes10.dex", &b"added"[..], Compression::AsBefore).unwrap();
    let new = vec![b"first".into(), b"second".into()];
    editor.add_code_in_front(new, Compression::Level(9)).unwrap();
    assert_eq!(editor.next_code_name(), "classes13.dex");
    assert!(editor.contains("classes4.dex") && !editor.contains("classes13.dex"));
    let options = SignOptions::for_min_sdk(18);
    let written = sign_edited(editor, &support::ec_key(), &options).unwrap();
    let again = Apk::open(&written).unwrap();
    let read = |apk: &Apk<'_>, name: &str| apk.read(name).unwrap();
    assert_eq!(read(&again, "classes.dex"), b"first");
    assert_eq!(read(&again, "classes2.dex"), b"second");
    assert_eq!(read(&again, "classes4.dex"), b"replaced");
    assert_eq!(read(&again, "classes12.dex"), b"added");
    for (old, new) in [("classes.dex", "classes3.dex"), ("classes9.dex", "classes11.dex")] {
        let (before, after) = (apk.entry(old).unwrap(), again.entry(new).unwrap());
        assert_eq!(before.raw(), after.raw(), "{new}");
        assert_eq!(read(&apk, old), read(&again, new), "{new}");
    }
    assert!(again.misaligned(options.alignment).next().is_none());
    assert!(verify(&written).unwrap().is_verified());
    let by_zip = read_by_zip(&written);
    assert_eq!(by_zip.get("classes12.dex"), Some(&Some(b"added".to_vec())));
    assert_eq!(by_zip.get("classes13.dex"), None);
    // What has a name that the code would move to is in the way.
    let mut editor = ApkEditor::new(&apk);
    editor.add("classes11.dex", &b"behind a gap"[..], Compression::AsBefore).unwrap();
    let new = vec![b"first".into(), b"second".into()];
    let result = editor.add_code_in_front(new, Compression::Level(9));
    assert!(matches!(result, Err(ApkError::EntryExists { name }) if name == "classes11.dex"));
}

#[test]
fn signing_made_packages_twice_gives_the_same_file() {
    check_signing_twice(made::packages());
}

#[requires(data)]
#[test]
fn signing_twice_gives_the_same_file() {
    check_signing_twice(support::real_packages());
}

#[track_caller]
fn check_signing_twice(packages: Vec<(String, Vec<u8>)>) {
    let key = support::ec_key();
    for (name, bytes) in packages {
        let options = SignOptions::for_apk(&Apk::open(&bytes).unwrap());
        let options = if options.min_sdk < 18 { SignOptions::for_min_sdk(18) } else { options };
        // The package with the unreadable entry cannot be signed entry by entry.
        let Ok(first) = sign(&bytes, &key, &options) else {
            assert_eq!(name, "redex-test.apk");
            continue;
        };
        assert!(sign(&first, &key, &options).unwrap() == first, "{name}");
    }
}
