//! The bodies of the fuzz targets, run on stable over mutated packages, manifests and keys.

#[path = "../../../../fuzz/bodies/apk_archive.rs"]
mod apk_archive;
#[path = "../../../../fuzz/bodies/apk_manifest.rs"]
mod apk_manifest;
#[path = "../../../../fuzz/bodies/apk_signatures.rs"]
mod apk_signatures;
use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wattle_apk::{Apk, BinaryXml, Certificate, SignOptions, SigningKey, sign};
use wattle_testdata::requires;

use crate::support::{self, made};

/// One change to a file. Places are counted from either end: the structure of archives is at their end.
#[derive(Debug, Clone)]
enum Mutation {
    Byte { place: u32, from_end: bool, value: u8 },
    Word { place: u32, from_end: bool, value: u32 },
    Cut { length: u32 },
    Repeat { place: u32, length: u8 },
    Remove { place: u32, length: u8 },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let telling = prop_oneof![
        Just(0),
        Just(1),
        Just(u32::MAX),
        Just(u32::from(u16::MAX)),
        Just(0x8000_0000),
        any::<u32>()
    ];
    prop_oneof![
        4 => (any::<u32>(), any::<bool>(), any::<u8>())
            .prop_map(|(place, from_end, value)| Mutation::Byte { place, from_end, value }),
        4 => (any::<u32>(), any::<bool>(), telling)
            .prop_map(|(place, from_end, value)| Mutation::Word { place, from_end, value }),
        1 => any::<u32>().prop_map(|length| Mutation::Cut { length }),
        1 => (any::<u32>(), any::<u8>())
            .prop_map(|(place, length)| Mutation::Repeat { place, length }),
        1 => (any::<u32>(), any::<u8>())
            .prop_map(|(place, length)| Mutation::Remove { place, length }),
    ]
}

fn mutate(file: &mut Vec<u8>, mutation: &Mutation) {
    if file.is_empty() {
        return;
    }
    // Half of the places are within the last or first kilobytes.
    let place = |place: u32, from_end: bool| {
        let near = file.len().min(4096);
        if from_end { file.len() - 1 - place as usize % near } else { place as usize % file.len() }
    };
    match *mutation {
        Mutation::Byte { place: at, from_end, value } => {
            let at = place(at, from_end);
            file[at] = value;
        }
        Mutation::Word { place: at, from_end, value } => {
            let at = place(at, from_end);
            for (byte, new) in file[at..].iter_mut().zip(value.to_le_bytes()) {
                *byte = new;
            }
        }
        Mutation::Cut { length } => file.truncate(length as usize % file.len()),
        Mutation::Repeat { place: at, length } => {
            let at = place(at, false);
            let part = file[at..].iter().copied().take(usize::from(length)).collect::<Vec<_>>();
            file.splice(at..at, part);
        }
        Mutation::Remove { place: at, length } => {
            let at = place(at, false);
            let end = file.len().min(at + usize::from(length));
            file.drain(at..end);
        }
    }
}

/// Runs a body over many mutations of each of these files, always the same ones.
///
/// At least a twentieth of them must still be accepted, or the bodies would only see the first check.
fn replay(cases: u32, files: &[Vec<u8>], body: fn(&[u8]), accepts: fn(&[u8]) -> bool) {
    let (ran, accepted) = (Cell::new(0), Cell::new(0));
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mutations = prop::collection::vec(mutation(), 1..6);
    for file in files {
        body(file);
        let mut runner = TestRunner::new_with_rng(
            config.clone(),
            proptest::test_runner::TestRng::deterministic_rng(
                proptest::test_runner::RngAlgorithm::ChaCha,
            ),
        );
        let run = runner.run(&mutations, |mutations| {
            let mut mutated = file.clone();
            for mutation in &mutations {
                mutate(&mut mutated, mutation);
            }
            body(&mutated);
            ran.set(ran.get() + 1);
            accepted.set(accepted.get() + i32::from(accepts(&mutated)));
            Ok(())
        });
        if let Err(failure) = run {
            panic!("{failure}");
        }
    }
    assert!(accepted.get() * 20 >= ran.get(), "{} of {}", accepted.get(), ran.get());
}

fn made_packages() -> Vec<Vec<u8>> {
    made::packages().into_iter().map(|(_, bytes)| bytes).collect()
}

/// The real packages of less than 20 kB.
fn small_packages() -> Vec<Vec<u8>> {
    let packages = support::real_packages().into_iter().map(|(_, bytes)| bytes);
    let small: Vec<_> = packages.filter(|bytes| bytes.len() < 20_000).collect();
    assert_eq!(small.len(), 10, "small packages");
    small
}

fn manifests_of(packages: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let manifest = |bytes: Vec<u8>| Apk::open(&bytes).unwrap().read(Apk::MANIFEST).unwrap();
    packages.into_iter().map(manifest).collect()
}

#[test]
fn archives_of_made_packages() {
    replay(500, &made_packages(), apk_archive::run, |bytes| Apk::open(bytes).is_ok());
}

#[requires(data)]
#[test]
fn archives() {
    replay(1000, &small_packages(), apk_archive::run, |bytes| Apk::open(bytes).is_ok());
}

#[test]
fn manifests_of_made_packages() {
    // The manifest of the base package and that of the split.
    let manifests = manifests_of(made_packages().into_iter().take(2));
    replay(1000, &manifests, apk_manifest::run, |bytes| BinaryXml::parse(bytes).is_ok());
}

#[requires(data)]
#[test]
fn manifests() {
    let manifests = manifests_of(support::real_packages().into_iter().map(|(_, bytes)| bytes));
    replay(400, &manifests, apk_manifest::run, |bytes| BinaryXml::parse(bytes).is_ok());
}

#[test]
fn signatures_of_made_packages() {
    replay(200, &made_packages(), apk_signatures::run, |bytes| Apk::open(bytes).is_ok());
}

#[test]
fn keys_and_certificates() {
    let key = support::ec_key();
    let files = [key.to_pem().unwrap().into_bytes(), key.certificate().der().to_vec()];
    replay(400, &files, apk_signatures::run, |bytes| {
        Certificate::parse(bytes).is_ok() || SigningKey::parse(bytes, None, None, None).is_ok()
    });
}

#[requires(data)]
#[test]
fn signatures() {
    let mut files = small_packages();
    let mut all = SignOptions::for_min_sdk(18);
    all.v1 = true;
    files.push(sign(&files[0], &support::ec_key(), &all).unwrap());
    replay(200, &files, apk_signatures::run, |bytes| Apk::open(bytes).is_ok());
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        apk_archive::run(&bytes);
        apk_manifest::run(&bytes);
        apk_signatures::run(&bytes);
    }
}
