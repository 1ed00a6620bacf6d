//! Real files keep their meaning when their tables grow and when their code is laid out anew.

use wattle_dex::{Code, Dex, DexFile, Verifier};
use wattle_testdata::requires;

use crate::support;
use crate::support::dump::dump;

type Edit = fn(&Dex<'_>) -> wattle_dex::Result<Vec<u8>>;

/// Edits every real file of at most `limit` bytes.
#[track_caller]
fn check_real(what: &str, limit: usize, edit: Edit) {
    let mut files = support::real_files();
    files.retain(|(_, bytes)| bytes.len() <= limit);
    assert!(files.len() > 20, "{} files", files.len());
    check(what, files, edit);
}

/// Edits each file; its classes mean the same afterwards.
#[track_caller]
fn check(what: &str, files: Vec<(String, Vec<u8>)>, edit: Edit) {
    for (name, bytes) in files {
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
        for name in ["$", "enter", "zzz"] {
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

fn grown(dex: &Dex<'_>) -> wattle_dex::Result<Vec<u8>> {
    let mut file = DexFile::edit(dex);
    grow(&mut file);
    file.write()
}

fn assembled(dex: &Dex<'_>) -> wattle_dex::Result<Vec<u8>> {
    DexFile::edit(dex).write_with(&|site| Code::decode(dex, &site.code).map(Some))
}

fn grown_and_assembled(dex: &Dex<'_>) -> wattle_dex::Result<Vec<u8>> {
    let mut file = DexFile::edit(dex);
    grow(&mut file);
    file.write_with(&|site| Code::decode(dex, &site.code).map(Some))
}

#[test]
fn made_files_keep_their_meaning() {
    check("grown", support::made_files(), grown);
    check("assembled", support::made_files(), assembled);
    check("both", support::made_files(), grown_and_assembled);
}

#[requires(data)]
#[test]
fn growing_tables_change_nothing_else() {
    check_real("grown", 1_000_000, grown);
}

#[requires(data)]
#[test]
fn code_that_is_laid_out_anew_means_the_same() {
    check_real("assembled", 1_000_000, assembled);
}

#[requires(data)]
#[test]
fn both_at_once() {
    check_real("both", usize::MAX, grown_and_assembled);
}

#[requires(data)]
#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let mut files = support::real_files();
    files.retain(|(_, bytes)| bytes.len() > 500_000);
    assert!(files.len() > 10, "{} files", files.len());
    for (name, bytes) in files {
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
