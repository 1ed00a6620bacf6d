//! Places of methods in the source code.

use std::path::{Path, PathBuf};

/// The most files that are looked at.
const MOST_FILES: usize = 100_000;
/// The deepest folder that is looked into.
const MOST_DEPTH: usize = 40;
/// The largest file whose lines are looked at.
const LARGEST: u64 = 4 << 20;
/// Folders that hold no source code of one's own.
const PASSED_OVER: [&str; 7] =
    ["build", "target", "node_modules", "out", ".gradle", ".git", ".idea"];

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, relative to the project, with `/`.
    pub file: String,
    /// The line, from 1: that of the method where it is found, else of the class.
    pub line: u32,
}

/// Kotlin and Java files of a project, in which classes are found by their names.
#[derive(Clone, Debug, Default)]
pub struct SourcePlaces {
    root: PathBuf,
    files: Vec<String>,
}

impl SourcePlaces {
    /// Looks for source files below a folder. Folders that cannot be read hold none.
    pub fn below(root: &Path) -> Self {
        let mut places = Self { root: root.to_owned(), files: Vec::new() };
        let mut open = vec![(root.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                // Links are not followed: they may lead out or around.
                let Ok(kind) = entry.file_type() else { continue };
                let name = name.to_string_lossy();
                if kind.is_dir() && depth < MOST_DEPTH && !PASSED_OVER.contains(&&*name) {
                    open.push((path, depth + 1));
                } else if kind.is_file() && (name.ends_with(".kt") || name.ends_with(".java")) {
                    let inner = path.strip_prefix(root).unwrap_or(&path);
                    places.files.push(inner.to_string_lossy().replace('\\', "/"));
                }
            }
            if places.files.len() > MOST_FILES {
                break;
            }
        }
        places.files.sort();
        places
    }

    /// The place of a method (`com.example.Feed.load`, `com.example.Feed$Inner.load(int)`); `None` where its class is in no file.
    pub fn of_method(&self, method: &str) -> Option<SourcePlace> {
        let plain = method.split('(').next().unwrap_or_default();
        let (class, name) = plain.rsplit_once('.')?;
        let outer = class.split('$').next().unwrap_or(class);
        // Kotlin's functions outside of classes are in a class named after their file.
        let candidates = [Some(outer), outer.strip_suffix("Kt")];
        let file = candidates.into_iter().flatten().find_map(|class| self.of_class(class))?;
        let line = self.line_of(file, name).unwrap_or(1);
        Some(SourcePlace { file: file.to_owned(), line })
    }

    /// The file of a class by its name, with the folders of its package, relative to the project.
    pub fn of_class(&self, class: &str) -> Option<&str> {
        self.all_of_class(class).next()
    }

    /// The files of a class by its name, of all modules and source sets.
    pub fn all_of_class<'p>(&'p self, class: &str) -> impl Iterator<Item = &'p str> + use<'p> {
        let path = class.replace('.', "/");
        let is_it = move |file: &&String| {
            let stem = file.strip_suffix(".kt").or_else(|| file.strip_suffix(".java"));
            stem.and_then(|stem| stem.strip_suffix(&path))
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.files.iter().filter(is_it).map(String::as_str)
    }

    /// All files, relative to the project, in order of their names.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The files of a name, in whichever folder.
    pub fn named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        let is_it = move |file: &&String| file.rsplit('/').next() == Some(name);
        self.files.iter().filter(is_it).map(String::as_str)
    }

    /// The line that declares a method: `fun NAME(`, or `NAME(` behind a type.
    fn line_of(&self, file: &str, name: &str) -> Option<u32> {
        let path = self.root.join(file);
        if std::fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let call = format!("{name}(");
        let is_java_file = Path::new(file).extension().is_some_and(|extension| extension == "java");
        let declares = |line: &str| {
            let Some(at) = line.find(&call) else { return false };
            let before = line.get(..at).unwrap_or_default();
            let is_kotlin = before.split_whitespace().any(|word| word == "fun");
            let ends_as_type = before.ends_with(' ')
                && !before.trim_end().ends_with(['=', '(', ',', '.', '!', '&', '|']);
            let is_statement = ["return", "new", "throw", "else"]
                .iter()
                .any(|word| before.trim_end().ends_with(word));
            let is_java = ends_as_type && !before.trim().is_empty() && !is_statement;
            is_kotlin || (is_java_file && is_java)
        };
        let at = text.lines().position(declares)?;
        u32::try_from(at + 1).ok()
    }
}
