//! Classes move between files, and identifier tables shrink with them.

use wattle_dex::*;
use wattle_testdata::requires;

use crate::support;
use crate::support::dump::dump;

const TABLES: [Section; 7] = [
    Section::STRING_IDS,
    Section::TYPE_IDS,
    Section::PROTO_IDS,
    Section::FIELD_IDS,
    Section::METHOD_IDS,
    Section::CALL_SITE_IDS,
    Section::METHOD_HANDLES,
];

/// Every second class goes to a new file.
#[track_caller]
fn check(name: &str, bytes: &[u8]) {
    let dex = Dex::parse(bytes).unwrap();
    let classes = dex.count(Section::CLASS_DEFS);
    let mut stays = DexFile::edit(&dex);
    stays.set_prune(true);
    let mut moved = DexFile::new(dex.header().version);
    let mut importer = Importer::new(&dex, moved.pool_mut());
    let mut needed: Option<References> = None;
    let mut imported = Vec::new();
    for index in (1..classes).step_by(2).map(ClassIndex) {
        imported.push(importer.class(index).unwrap());
        stays.remove_class(index).unwrap();
        let references = References::of_class(&dex, index).unwrap();
        match &mut needed {
            Some(needed) => needed.absorb(&references),
            None => needed = Some(references),
        }
    }
    for class in imported {
        moved.add_class(class);
    }
    let (stays, moved) = (stays.write().unwrap(), moved.write().unwrap());
    let before = dump(&dex);
    let [stays, moved] = [&stays, &moved].map(|bytes| {
        let dex = Dex::parse(bytes).unwrap();
        let defects = Verifier::new(&dex).all(2).defects;
        assert!(defects.is_empty(), "{name}: {}", defects[0]);
        dex
    });
    for section in TABLES {
        assert!(stays.count(section) <= dex.count(section), "{name} {section}");
        if let Some(needed) = &needed {
            assert_eq!(moved.count(section), needed.count(section), "{name} {section}");
        }
    }
    let (even, mut odd): (Vec<_>, Vec<_>) =
        before.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    assert!(dump(&stays).iter().eq(even.iter().map(|(_, text)| *text)), "{name}: what stays");
    // New files put superclasses first, which the source did as well, but may order others anew.
    let mut after = dump(&moved);
    after.sort();
    odd.sort_by_key(|(_, text)| *text);
    for (after, (_, before)) in after.iter().zip(odd) {
        let differs = before.lines().zip(after.lines()).find(|(a, b)| a != b);
        assert!(after == before, "{name}: what moved: {:?} {differs:?}", before.lines().next());
    }
}

#[test]
fn made_files_split_in_two() {
    for (name, bytes) in support::made_files() {
        check(&name, &bytes);
    }
}

#[requires(data)]
#[test]
fn real_files_split_in_two() {
    let mut files = support::real_files();
    files.retain(|(_, bytes)| bytes.len() < 2_100_000);
    assert!(files.len() > 20, "{} files", files.len());
    for (name, bytes) in files {
        check(&name, &bytes);
    }
}
