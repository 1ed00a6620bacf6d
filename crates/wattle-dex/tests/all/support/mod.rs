//! Dalvik executables for tests: every real one, and small ones of our own.

pub mod dump;
pub mod sample;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use wattle_dex::{AccessFlags, ClassAssembly, DexFile, Opcode};

/// Files that the test data has: `.dex` files, and those inside packages and bundles.
const REAL_FILES: usize = 50;

/// Name and bytes of each `.dex` file, and of each one inside the APKs.
pub fn real_files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for path in listing(&wattle_testdata::path("dex")) {
        if path.extension().is_some_and(|ext| ext == "dex") {
            files.push((name(&path), std::fs::read(&path).unwrap()));
        }
    }
    for folder in ["apk", "apk/splits", "apk/apksig"] {
        for path in listing(&wattle_testdata::path(folder)) {
            if !path.extension().is_some_and(|ext| ext == "apk" || ext == "aab") {
                continue;
            }
            let mut archive = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
            let mut inside: Vec<String> = archive
                .file_names()
                .map(|name| name.unwrap().into_owned())
                .filter(|name| Path::new(name).extension().is_some_and(|ext| ext == "dex"))
                .collect();
            inside.sort();
            for entry in inside {
                let mut bytes = Vec::new();
                // The file inside redex-test.apk is damaged: its CRC is wrong and its map is no map.
                if archive.by_name(&entry).unwrap().read_to_end(&mut bytes).is_err() {
                    continue;
                }
                files.push((format!("{}!{entry}", name(&path)), bytes));
            }
        }
    }
    assert_eq!(files.len(), REAL_FILES, "real Dalvik executables");
    files
}

/// Name and bytes of files of our own: one of each version with every kind of item, and one with loops, handlers and a
/// hierarchy of classes.
pub fn made_files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = [35, 37, 38, 39, 40, 41]
        .map(|version| (format!("rich {version}"), sample::rich(version).write().unwrap()))
        .into();
    files.push(("program".to_owned(), program().write().unwrap()));
    files
}

/// A program of four classes that call each other.
fn program() -> DexFile<'static> {
    const OBJECT: &str = "Ljava/lang/Object;";
    let mut file = DexFile::new(35);
    let is_static = AccessFlags::PUBLIC | AccessFlags::STATIC;
    for (name, superclass, next) in [
        ("Lmade/A;", OBJECT, "Lmade/B;"),
        ("Lmade/B;", OBJECT, "Lmade/C;"),
        ("Lmade/C;", "Lmade/B;", "Lmade/D;"),
        ("Lmade/D;", "Lmade/A;", "Lmade/D;"),
    ] {
        let mut class = ClassAssembly::new(&mut file, name, superclass);
        class.field("count:I", is_static);
        // Counts down to zero, and calls the next class in each turn.
        let run = class.method("run(I)I", is_static, (1, 1), |code| {
            let number = code.argument(0);
            let (top, end) = (code.label(), code.label());
            code.place(top).branch(Opcode::IF_LEZ, &[number], end);
            code.literal(Opcode::ADD_INT_LIT8, &[number, number], -1);
            code.attempt(0, |code| {
                code.stat(&format!("{next}->run(I)I"), &[number]).result(0);
            });
            code.goto(top).place(end).op(Opcode::RETURN, &[number]);
        });
        run.unwrap();
        class.finish();
    }
    file
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
