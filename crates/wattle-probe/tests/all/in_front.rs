//! Few classes with probes come in a file of code of their own, which is loaded first.

use std::collections::HashSet;

use wattle_apk::{ApkSet, WrittenSet};
use wattle_dex::{Dex, DexFile};
use wattle_probe::{
    ClassPattern, Options, PackageOptions, Placement, RewrittenFile, instrument_packages,
};
use wattle_testdata::requires;

use crate::probed::{check_code, check_map, check_untouched};
use crate::real_files::code_of;

/// The files of a package with probes as a runtime sees them, which takes the first class of a name: those that are behind others
/// without the classes that these have. The last, with the runtime class, is left out.
pub fn running(label: &str, before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<RewrittenFile> {
    let front = after.len() - 1 - before.len();
    let mut loaded = HashSet::new();
    let mut files = Vec::new();
    for (position, bytes) in after.iter().take(after.len() - 1).enumerate() {
        let origin = position.saturating_sub(front);
        let placement = Placement::InPlace;
        if position >= front && front > 0 {
            let dex = Dex::parse(bytes).unwrap();
            let mut rest = DexFile::edit(&dex);
            for (index, item) in dex.class_defs() {
                if loaded.contains(&dex.descriptor_str(item.unwrap().class).unwrap().into_owned()) {
                    rest.remove_class(index).unwrap();
                }
            }
            files.push(RewrittenFile { origin, bytes: rest.write().unwrap(), placement });
            continue;
        }
        if position < front {
            let dex = Dex::parse(bytes).unwrap();
            for (_, item) in dex.class_defs() {
                let class = dex.descriptor_str(item.unwrap().class).unwrap().into_owned();
                assert!(loaded.insert(class), "{label}: a class twice in front");
            }
        }
        files.push(RewrittenFile { origin, bytes: bytes.clone(), placement });
    }
    files
}

/// Puts probes into a few classes of a package and looks at what a runtime would load.
fn check(file: &str, options: &Options, in_front: usize) {
    let set = ApkSet::open(&[wattle_testdata::path(&format!("apk/{file}"))]).unwrap();
    let before = code_of(&set.members()[0].bytes);
    let written = instrument_packages(&set, options, &PackageOptions::default()).unwrap();
    let mut code = written.code;
    assert!(code.counts.methods_probed > 0, "{file}");
    let WrittenSet::Files(packages) = written.packages else { panic!("{file}") };
    let package = &packages[0].1;
    let after = code_of(package);
    assert_eq!(after.len(), in_front + before.len() + 1, "{file}");
    // What is behind is as it was.
    for (old, new) in before.iter().zip(after.iter().skip(in_front)) {
        assert!(old == new, "{file}");
    }
    code.files = running(file, &before, &after);
    let old: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
    check_code(file, &old, &code);
    check_map(file, &old, &code);
    let untouched = check_untouched(file, &old, &code);
    let counts = &code.counts;
    assert_eq!(untouched, counts.methods_with_code - counts.methods_probed, "{file}");
    let size = set.members()[0].bytes.len();
    assert!(package.len() * 100 < size * 102, "{file}: {} of {size} bytes", package.len());
}

fn only(pattern: &str) -> Options {
    let mut options = Options::default();
    options.scope.include = vec![ClassPattern::new(pattern)];
    options
}

#[requires(data)]
#[test]
fn few_classes_are_put_in_front_and_cost_little() {
    check("droidbotApp.apk", &only("io.github.ylimit.droidbotapp.**"), 1);
    check("androguard-a2dp.Vol_137.apk", &only("a2dp.Vol.A*"), 1);
}
