//! The libraries that a program of this machine needs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Bytes of a file in which its program headers are looked for. Linkers put them first.
const HEAD: u64 = 16 << 10;
/// `PT_INTERP` of ELF.
const INTERPRETER: u64 = 3;

/// Its loader and its libraries, by the paths at which the loader finds them; none for a script or a static program.
///
/// # Errors
/// When the program cannot be read, or its loader does not answer.
pub(crate) fn libraries(program: &Path) -> io::Result<Vec<PathBuf>> {
    // Each phone of a process shows the same programs.
    static KNOWN: Mutex<BTreeMap<PathBuf, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(program) {
        return Ok(found.clone());
    }
    let found = ask(program)?;
    known.insert(program.to_owned(), found.clone());
    Ok(found)
}

fn ask(program: &Path) -> io::Result<Vec<PathBuf>> {
    let mut head = Vec::new();
    File::open(program)?.take(HEAD).read_to_end(&mut head)?;
    let Some(loader) = interpreter(&head) else { return Ok(Vec::new()) };
    // Both glibc's and musl's loaders list without running anything.
    let listed = Command::new(&loader)
        .arg("--list")
        .arg(program)
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    if !listed.status.success() {
        return Err(io::Error::other(format!("{} does not list its libraries", program.display())));
    }
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let paths = text.lines().filter_map(|line| {
        let path = line.split_whitespace().find(|word| word.starts_with('/'))?;
        Some(PathBuf::from(path))
    });
    let mut found: Vec<PathBuf> = paths.collect();
    found.push(loader);
    found.sort();
    found.dedup();
    Ok(found)
}

/// The path of the loader that a program names.
fn interpreter(head: &[u8]) -> Option<PathBuf> {
    let number = |at: usize, length: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    if head.get(..4)? != b"\x7fELF" || number(5, 1)? != 1 {
        return None;
    }
    let is_wide = number(4, 1)? == 2;
    let (table, size, count) = if is_wide {
        (number(32, 8)?, number(54, 2)?, number(56, 2)?)
    } else {
        (number(28, 4)?, number(42, 2)?, number(44, 2)?)
    };
    for index in 0..count {
        let entry = usize::try_from(table.checked_add(index.checked_mul(size)?)?).ok()?;
        if number(entry, 4)? != INTERPRETER {
            continue;
        }
        let (offset, length) = if is_wide {
            (number(entry.checked_add(8)?, 8)?, number(entry.checked_add(32)?, 8)?)
        } else {
            (number(entry.checked_add(4)?, 4)?, number(entry.checked_add(16)?, 4)?)
        };
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        let bytes = head.get(start..end)?.split(|byte| *byte == 0).next()?;
        return Some(PathBuf::from(std::str::from_utf8(bytes).ok()?));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_has_a_loader_and_its_libraries() {
        let shell = Path::new("/bin/sh").canonicalize().expect("a shell");
        let found = libraries(&shell).expect("a list");
        assert!(found.iter().all(|path| path.is_absolute() && path.exists()), "{found:?}");
        // A static shell needs none.
        assert!(
            found.is_empty() || found.iter().any(|path| path.to_string_lossy().contains("ld-"))
        );
    }

    #[test]
    fn whatever_a_file_holds_is_survived() {
        let mut head = b"\x7fELF\x02\x01\x01".to_vec();
        for fill in [0_u8, 1, 3, 0x7f, 0xff] {
            head.truncate(7);
            head.resize(200, fill);
            assert_eq!(interpreter(&head), None, "{fill}");
        }
        assert_eq!(interpreter(b"#!/bin/sh\n"), None);
    }
}
