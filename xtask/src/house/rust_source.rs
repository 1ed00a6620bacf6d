//! A Rust file as the measures see it: where it belongs, its text and its syntax.

use std::path::Path;

use crate::repository::File;

pub struct Source {
    pub path: String,
    /// Folder of the crate's name: `wattle-ingest`, `xtask`, `fuzz`.
    pub package: String,
    pub kind: Kind,
    pub text: String,
    /// `None` for a file that does not parse, such as a fragment that is included.
    pub syntax: Option<syn::File>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Below `src/`.
    Library,
    /// Tests, benchmarks, examples, build scripts, fuzz targets.
    Other,
}

impl Source {
    pub fn from_file(file: File) -> Self {
        let mut parts = file.path.split('/');
        let first = parts.next().unwrap_or_default();
        let package = if first == "crates" { parts.next().unwrap_or_default() } else { first };
        let kind = if parts.next() == Some("src") { Kind::Library } else { Kind::Other };
        let package = package.to_owned();
        let syntax = syn::parse_file(&file.text).ok();
        Self { package, kind, syntax, path: file.path, text: file.text }
    }

    /// Path of the file's module in its crate: `src/a/b.rs` and `src/a/b/mod.rs` are `[a, b]`, `src/lib.rs` is `[]`.
    /// `None` outside `src/`.
    pub fn module(&self) -> Option<Vec<String>> {
        let (_, inside) = self.path.split_once("/src/")?;
        if self.kind != Kind::Library {
            return None;
        }
        let mut parts: Vec<String> = inside.split('/').map(str::to_owned).collect();
        let last = parts.pop()?;
        let stem = last.strip_suffix(".rs")?;
        let is_root = parts.is_empty() && matches!(stem, "lib" | "main");
        if stem != "mod" && !is_root {
            parts.push(stem.to_owned());
        }
        Some(parts)
    }

    pub fn file_name(&self) -> &str {
        Path::new(&self.path).file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Lines up to the tests at the end of the file.
    pub fn lines_without_tests(&self) -> usize {
        self.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
    }
}

/// Whether an item exists in tests only.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|argument| argument.is_ident("test"))
    })
}

#[cfg(test)]
mod tests {
    use super::{Kind, Source};
    use crate::repository::File;

    #[test]
    fn a_file_knows_its_crate_and_module() {
        let check = |path: &str, package: &str, kind: Kind, module: Option<&[&str]>| {
            let file = File { path: path.to_owned(), text: String::new() };
            let source = Source::from_file(file);
            assert_eq!(source.package, package, "{path}");
            assert_eq!(source.kind, kind, "{path}");
            let module = module.map(|parts| parts.iter().map(|p| (*p).to_owned()).collect());
            assert_eq!(source.module(), module, "{path}");
        };
        check("crates/a/src/lib.rs", "a", Kind::Library, Some(&[]));
        check("crates/a/src/b/mod.rs", "a", Kind::Library, Some(&["b"]));
        check("crates/a/src/b/c.rs", "a", Kind::Library, Some(&["b", "c"]));
        check("crates/a/tests/all/main.rs", "a", Kind::Other, None);
        check("xtask/src/main.rs", "xtask", Kind::Library, Some(&[]));
        check("fuzz/fuzz_targets/reader.rs", "fuzz", Kind::Other, None);
    }
}
