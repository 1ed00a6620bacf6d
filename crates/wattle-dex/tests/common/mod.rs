//! Every real Dalvik executable that the test data holds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    reason = "helpers of tests, of which each test file uses a part"
)]

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Name and bytes of each `.dex` file, and of each one inside the APKs.
pub fn real_files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    if let Some(folder) = wattle_testdata::find("dex") {
        for path in listing(&folder) {
            if path.extension().is_some_and(|ext| ext == "dex") {
                files.push((name(&path), std::fs::read(&path).unwrap()));
            }
        }
    }
    for folder in ["apk", "apk/splits", "apk/apksig"] {
        let Some(folder) = wattle_testdata::find(folder) else { continue };
        for path in listing(&folder) {
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
    files
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
