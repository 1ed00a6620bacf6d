//! Files of several source sets that declare the same class: which of them ran.

use std::path::Path;

/// The kind of a source set, by the folder behind `src`: what runs in an app comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SetKind {
    /// `src/main`, `src/commonMain`, or no source set at all.
    Main,
    /// Variants: `src/free`, `src/debug`.
    Variant,
    /// Tests: `src/test`, `src/androidTest`.
    Test,
}

fn kind(file: &Path) -> SetKind {
    let mut folders = file.components().rev().skip(1).map(|it| it.as_os_str().to_string_lossy());
    let mut set = None;
    let mut inner = folders.next();
    while let (Some(below), Some(folder)) = (inner.take(), folders.next()) {
        if folder == "src" {
            set = Some(below);
            break;
        }
        inner = Some(folder);
    }
    let Some(set) = set else { return SetKind::Main };
    let is_test = set == "test" || set.starts_with("test") || set.contains("Test");
    if is_test {
        SetKind::Test
    } else if matches!(&*set, "main" | "java" | "kotlin") || set.ends_with("Main") {
        SetKind::Main
    } else {
        SetKind::Variant
    }
}

/// Whether a file is of the main source set, or of none.
pub fn is_of_main(file: &Path) -> bool {
    kind(file) == SetKind::Main
}

/// The file whose class runs in an app, of those that declare it; `None` where nothing says which one that is.
pub fn file_that_runs<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Option<P> {
    let mut best: Option<(SetKind, P)> = None;
    let mut is_unique = false;
    for file in files {
        let kind = kind(file.as_ref());
        match &best {
            Some((found, _)) if *found < kind => {}
            Some((found, _)) if *found == kind => is_unique = false,
            _ => {
                best = Some((kind, file));
                is_unique = true;
            }
        }
    }
    best.filter(|_| is_unique).map(|(_, file)| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[&str], expected: Option<&str>) {
        assert_eq!(file_that_runs(files.iter().copied()), expected, "{files:?}");
    }

    #[test]
    fn the_main_source_set_runs() {
        let of = ["app/src/free/java/a/B.kt", "app/src/paid/java/a/B.kt"];
        let (main, test) = ("app/src/main/java/a/B.kt", "app/src/test/java/a/B.kt");
        check(&[of[0], main, test], Some(main));
        check(&[test, main], Some(main));
        check(&[of[0], test], Some(of[0]));
        // Nothing says which of two variants ran.
        check(&[of[0], of[1], test], None);
        check(&[of[1], test, of[0]], None);
        check(&[main, "lib/src/main/kotlin/a/B.kt"], None);
        check(&[test], Some(test));
        check(&["src/a/B.kt"], Some("src/a/B.kt"));
        check(
            &["app/src/androidTest/a/B.kt", "app/src/commonMain/a/B.kt"],
            Some("app/src/commonMain/a/B.kt"),
        );
        check(&[], None);
    }
}
