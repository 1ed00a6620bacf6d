//! Real files keep their meaning when their tables grow and when their code is laid out anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod common;
#[path = "common/dump.rs"]
mod dump;

use dump::dump;
use wattle_dex::{Code, Dex, DexFile, Verifier};

/// Edits every real file of at most `limit` bytes.
#[track_caller]
fn check(what: &str, limit: usize, edit: impl Fn(&Dex<'_>) -> wattle_dex::Result<Vec<u8>>) {
    for (name, bytes) in common::real_files().into_iter().filter(|(_, bytes)| bytes.len() <= limit)
    {
        let dex = Dex::parse(&bytes).unwrap();
        let written = edit(&dex).unwrap_or_else(|error| panic!("{what} {name}: {error}"));
        let again = Dex::parse(&written).unwrap();
        let defects = Verifier::new(&again).all(2).defects;
        assert!(defects.is_empty(), "{what} {name}: {}", defects[0]);
        let (before, after) = (dump(&dex), dump(&again));
        assert_eq!(before.len(), after.len(), "{what} {name}");
        for (before, after) in before.iter().zip(&after) {
            if before == after {
                continue;
            }
            let differs = before.lines().zip(after.lines()).position(|(a, b)| a != b).unwrap_or(0);
            let method =
                before.lines().take(differs).filter(|line| line.starts_with("method")).last();
            panic!(
                "{what} {name}: {}\n{method:?} line {differs}\n- {:?}\n+ {:?}",
                before.lines().next().unwrap(),
                before.lines().nth(differs),
                after.lines().nth(differs)
            );
        }
    }
}

/// Adds entries that sort before, between and behind those of the source.
fn grow(file: &mut DexFile<'_>) {
    let pool = file.pool_mut();
    for class in ["LA;", "LaaProbe;", "Ljava/lang/Probe;", "Lzz/Probe;", "[[LA;"] {
        for name in ["!", "enter", "zzz"] {
            pool.method(class, name, "(ILA;J[I)V").unwrap();
            if class.starts_with('L') {
                pool.field(class, name, "LA;");
            }
        }
    }
    for n in 0..300 {
        pool.string(&format!("\u{1}probe{n}"));
    }
}

#[test]
fn growing_tables_change_nothing_else() {
    check("grown", 1_000_000, |dex| {
        let mut file = DexFile::edit(dex);
        grow(&mut file);
        file.write()
    });
}

#[test]
fn code_that_is_laid_out_anew_means_the_same() {
    check("assembled", 1_000_000, |dex| {
        DexFile::edit(dex).write_with(&|site| Code::decode(dex, &site.code).map(Some))
    });
}

#[test]
fn both_at_once() {
    check("both", usize::MAX, |dex| {
        let mut file = DexFile::edit(dex);
        grow(&mut file);
        file.write_with(&|site| Code::decode(dex, &site.code).map(Some))
    });
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    for (name, bytes) in common::real_files().into_iter().filter(|(_, bytes)| bytes.len() > 500_000)
    {
        let dex = Dex::parse(&bytes).unwrap();
        let [one, many] = [1, 7].map(|threads| {
            let mut file = DexFile::edit(&dex);
            file.set_threads(threads);
            grow(&mut file);
            file.write_with(&|site| Code::decode(&dex, &site.code).map(Some)).unwrap()
        });
        assert!(one == many, "{name}");
        let [one, many] = [1, 7].map(|threads| Verifier::new(&dex).all(threads));
        assert_eq!(one, many, "{name}");
    }
}
