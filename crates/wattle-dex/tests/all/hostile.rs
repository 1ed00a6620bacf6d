//! Broken files: nothing panics, hangs, or takes memory without bound.
//!
//! The bodies of the fuzz targets, replayed over mutated files on the stable toolchain.

#[path = "../../../../fuzz/bodies/dex_reader.rs"]
mod dex_reader;
#[path = "../../../../fuzz/bodies/dex_verifier.rs"]
mod dex_verifier;
#[path = "../../../../fuzz/bodies/dex_writer.rs"]
mod dex_writer;

use proptest::prelude::*;
use wattle_dex::*;
use wattle_testdata::requires;

use crate::support::{self, sample};

/// All bodies, with whatever comes.
fn exercise(bytes: &[u8]) {
    dex_reader::run(bytes);
    dex_verifier::run(bytes);
    dex_writer::run(bytes);
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        [35, 39, 41].into_iter().map(|version| sample::rich(version).write().unwrap()).collect();
    seeds.push(sample::method("(IJLBase;)V", |names, code| {
        let (number, object) = (code.argument(0), code.argument(3));
        let call = names.call("LOther;", "run", "(I)V");
        let (top, handler, end) = (code.label(), code.label(), code.label());
        let start = code.here();
        code.place(top).invoke(Opcode::INVOKE_STATIC, call, &[number]);
        code.switch(number, vec![(1, top), (7, end), (-3, end)]);
        let stop = code.here();
        code.plain(Opcode::MONITOR_ENTER, &[object]).plain(Opcode::MONITOR_EXIT, &[object]);
        code.place(end).return_void();
        code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[0]).plain(Opcode::THROW, &[0]);
        code.try_block(start, stop, vec![(names.ty("Ljava/lang/Exception;"), handler)], None);
    }));
    seeds.push(DexFile::write_container(&[sample::rich(41), sample::rich(41)]).unwrap());
    seeds
}

#[test]
fn seeds_are_sound() {
    for seed in seeds() {
        for dex in Dex::parse_container(&seed).unwrap() {
            assert_eq!(Verifier::new(&dex).all(1).defects, []);
        }
        exercise(&seed);
    }
}

#[derive(Clone, Debug)]
enum Mutation {
    Byte(usize, u8),
    Word(usize, u32),
    Copy(usize, usize, usize),
    Cut(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let word = prop_oneof![
        Just(0),
        Just(1),
        Just(u32::MAX),
        Just(0x7fff_ffff),
        Just(0x8000_0000),
        Just(0xffff),
        0_u32..2000,
        any::<u32>()
    ];
    prop_oneof![
        8 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        4 => (any::<usize>(), word).prop_map(|(at, word)| Mutation::Word(at, word)),
        2 => (any::<usize>(), any::<usize>(), 1_usize..64).prop_map(|(to, from, n)| Mutation::Copy(to, from, n)),
        1 => any::<usize>().prop_map(Mutation::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let length = bytes.len().max(8);
    match *mutation {
        Mutation::Byte(at, byte) => {
            if let Some(slot) = bytes.get_mut(at % length) {
                *slot = byte;
            }
        }
        Mutation::Word(at, word) => {
            // Tables and offsets are aligned.
            let at = at % length / 4 * 4;
            if let Some(slot) = bytes.get_mut(at..at + 4) {
                slot.copy_from_slice(&word.to_le_bytes());
            }
        }
        Mutation::Copy(to, from, count) => {
            let (to, from) = (to % length, from % length);
            if to + count <= bytes.len() && from + count <= bytes.len() {
                bytes.copy_within(from..from + count, to);
            }
        }
        Mutation::Cut(at) => bytes.truncate(at % length),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn mutated_samples(seed in 0_usize..5, mutations in prop::collection::vec(mutation(), 1..8)) {
        let mut bytes = seeds().swap_remove(seed);
        for mutation in &mutations {
            apply(&mut bytes, mutation);
        }
        seal(&mut bytes);
        exercise(&bytes);
    }
}

#[test]
fn mutations_that_were_once_too_much() {
    // A method whose parameters have annotations at 0, which is none.
    let mut bytes = seeds().swap_remove(2);
    apply(&mut bytes, &Mutation::Word(10_327_815_899_956_583_320, 0));
    seal(&mut bytes);
    exercise(&bytes);
}

#[requires(data)]
#[test]
fn mutated_real_files() {
    let files: Vec<_> =
        support::real_files().into_iter().filter(|(_, bytes)| bytes.len() < 10_000).collect();
    assert_eq!(files.len(), 26, "files of less than 10 kB");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 40,
        ..ProptestConfig::default()
    });
    for (_, bytes) in files {
        let strategy = prop::collection::vec(mutation(), 1..6);
        runner
            .run(&strategy, |mutations| {
                let mut bytes = bytes.clone();
                for mutation in &mutations {
                    apply(&mut bytes, mutation);
                }
                exercise(&bytes);
                Ok(())
            })
            .unwrap();
    }
}
