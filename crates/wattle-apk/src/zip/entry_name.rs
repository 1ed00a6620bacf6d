//! Which names of entries are safe.

use std::path::Path;

use crate::EntryProblem;

/// Refuses names that leave the archive's root when unpacked, or that Android itself refuses.
pub(crate) fn check(name: &str) -> Result<(), EntryProblem> {
    let refuse = |reason| Err(EntryProblem::Path { reason });
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.starts_with('/') {
        return refuse("it is absolute");
    }
    if name.contains('\\') {
        return refuse("it has a backslash");
    }
    if name.chars().any(char::is_control) {
        return refuse("it has a control character");
    }
    if name.split('/').any(|part| part == "..") {
        return refuse("it has a .. component");
    }
    Ok(())
}

/// Whether the entry is a native library that the linker may map from the archive.
pub(crate) fn is_native_library(name: &str) -> bool {
    name.starts_with("lib/")
        && Path::new(name).extension().is_some_and(|extension| extension == "so")
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn dangerous_names_are_refused() {
        for name in ["", "/etc/passwd", "../x", "a/../../b", "a\\b", "a\0b", "a\nb", ".."] {
            assert!(check(name).is_err(), "{name:?}");
        }
        for name in ["a", "lib/x86/liba.so", "res/..a/b..", "META-INF/", "a//b", "ünï"] {
            assert!(check(name).is_ok(), "{name:?}");
        }
    }
}
