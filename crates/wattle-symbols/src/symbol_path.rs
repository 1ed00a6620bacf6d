//! Folders in a path of symbols, as debuggers of Windows have it (`_NT_SYMBOL_PATH`).
//!
//! `srv*C:\symbols*https://…`, `cache*C:\symbols`, and folders, with `;` between them. Nothing is downloaded: what is on a server is left
//! out.

use std::path::{Path, PathBuf};

/// The folders of a path; the path itself where it exists, or is none of these.
pub(crate) fn folders(path: &Path) -> Vec<PathBuf> {
    let whole = || vec![path.to_owned()];
    let Some(text) = path.to_str().filter(|_| !path.exists()) else { return whole() };
    if !text.contains(['*', ';']) {
        return whole();
    }
    let is_folder = |part: &&str| {
        let name = part.to_ascii_lowercase();
        let is_word = matches!(name.as_str(), "" | "srv" | "cache" | "symsrv" | "symsrv.dll");
        !is_word && !part.contains("://")
    };
    let found: Vec<PathBuf> =
        text.split([';', '*']).map(str::trim).filter(is_folder).map(PathBuf::from).collect();
    if found.is_empty() { whole() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_left_out() {
        for (path, folders_of) in [
            ("/no/such/folder", vec!["/no/such/folder"]),
            ("srv*/no/a*https://x.invalid/y", vec!["/no/a"]),
            ("SRV*/no/a*/no/b;/no/c; cache*/no/d", vec!["/no/a", "/no/b", "/no/c", "/no/d"]),
            ("srv*https://x.invalid/y", vec!["srv*https://x.invalid/y"]),
        ] {
            let expected: Vec<PathBuf> = folders_of.into_iter().map(PathBuf::from).collect();
            assert_eq!(folders(&PathBuf::from(path)), expected, "{path}");
        }
    }
}
