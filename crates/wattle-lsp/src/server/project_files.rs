//! Files of the project that are not open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_gate::format::SourcePlaces;

use super::class_files::ClassFiles;
use super::document_state::{DocumentState, KnownEnergies};
use crate::documents::{OpenDocument, PositionEncoding, RunTexts, file_that_runs, is_of_main};
use crate::energy::MethodName;
use crate::source::{DeclaredMethods, Language};

/// The most closed files that are remembered.
const MOST_FILES: usize = 32;
/// The most files of one name that are compared.
const MOST_TWINS: usize = 32;
/// The most files that are read for a class of another name.
const MOST_CANDIDATES: usize = 256;
/// The largest file that is read.
const LARGEST: u64 = 4 << 20;

/// Files of the project that are not open, found by the names of their classes.
#[derive(Debug, Default)]
pub(super) struct ProjectFiles {
    places: Option<SourcePlaces>,
    /// Looked through when a class is in no file of its name.
    class_files: Option<ClassFiles>,
    /// Files by class, relative to the project; `None` where no file has it.
    of_class: FxHashMap<String, Option<PathBuf>>,
    closed: FxHashMap<PathBuf, (SystemTime, Arc<DocumentState>)>,
}

impl ProjectFiles {
    /// Forgets everything: files came and went.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The file of the class of a method; `None` where nothing says which one that is.
    pub fn file_of(&mut self, root: &Path, method: &str) -> Option<PathBuf> {
        let class = MethodName::new(method)?.class;
        let outer = class.split('$').next()?;
        if let Some(known) = self.of_class.get(outer) {
            return known.as_ref().map(|file| root.join(file));
        }
        let places = self.places.get_or_insert_with(|| SourcePlaces::below(root));
        let classes = [Some(outer), outer.strip_suffix("Kt")];
        let files = classes.into_iter().flatten().map(|class| {
            let files: Vec<&str> = places.all_of_class(class).collect();
            files
        });
        let files = files.into_iter().find(|files| !files.is_empty());
        let files = files.unwrap_or_else(|| {
            let class_files = self.class_files.get_or_insert_with(|| ClassFiles::new(root, places));
            declaring(root, (class_files, places), outer)
        });
        // Several source sets may have the class: one of them ran.
        let file = file_that_runs(files).map(PathBuf::from);
        self.of_class.insert(outer.to_owned(), file.clone());
        file.map(|file| root.join(file))
    }

    /// Whether another file of the project declares the classes of a file, and nothing says that this one ran: no figure is of it.
    pub fn is_elsewhere(&mut self, root: &Path, path: &Path, declared: &DeclaredMethods) -> bool {
        let Ok(file) = path.strip_prefix(root) else { return false };
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
        let Some(language) = Language::of_path(path).filter(|it| *it != Language::Native) else {
            return false;
        };
        let classes = outer_classes(declared);
        let places = self.places.get_or_insert_with(|| SourcePlaces::below(root));
        let others = places.named(name).map(Path::new).filter(|other| *other != file);
        let twins = others.take(MOST_TWINS).filter(|other| {
            let path = root.join(other);
            let text = read_small(&path).unwrap_or_default();
            let others = DeclaredMethods::new(&text, language, &path);
            !outer_classes(&others).is_disjoint(&classes)
        });
        let mut files: Vec<&Path> = twins.collect();
        if files.is_empty() && !is_of_main(file) {
            // A class of a test may be declared in a file of another name, too.
            let class_files = self.class_files.get_or_insert_with(|| ClassFiles::new(root, places));
            let declaring = classes
                .iter()
                .take(MOST_TWINS)
                .flat_map(|class| declaring(root, (class_files, places), class));
            files = declaring.map(Path::new).filter(|other| *other != file).collect();
            files.sort_unstable();
            files.dedup();
        }
        if files.is_empty() {
            return false;
        }
        files.push(file);
        file_that_runs(files) != Some(file)
    }

    /// A closed file with its figures.
    pub fn closed(
        &mut self,
        path: &Path,
        (energies, texts): (KnownEnergies<'_>, &mut RunTexts),
        encoding: PositionEncoding,
    ) -> Option<Arc<DocumentState>> {
        let facts = std::fs::metadata(path).ok().filter(|facts| facts.len() <= LARGEST)?;
        let time = facts.modified().ok()?;
        if let Some((known, state)) = self.closed.get(path)
            && *known == time
        {
            return Some(Arc::clone(state));
        }
        let text = read_small(path)?;
        let language = Language::of_path(path)?;
        let document = OpenDocument::new(path.to_owned(), language, (0, text), encoding);
        let mut state = DocumentState::new(document);
        state.update(energies, texts);
        if self.closed.len() >= MOST_FILES {
            self.closed.clear();
        }
        let state = Arc::new(state);
        self.closed.insert(path.to_owned(), (time, Arc::clone(&state)));
        Some(state)
    }

    /// Forgets figures.
    pub fn forget_energies(&mut self) {
        self.closed.clear();
    }
}

/// The files that declare a class, of those that may. More are not read: nothing would say which of them ran.
fn declaring<'p>(
    root: &Path,
    (class_files, places): (&ClassFiles, &'p SourcePlaces),
    class: &str,
) -> Vec<&'p str> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let candidates = class_files.candidates(simple);
    if candidates.len() > MOST_CANDIDATES {
        return Vec::new();
    }
    let files =
        candidates.iter().filter_map(|at| places.files().get(*at as usize)).map(String::as_str);
    let declares = |file: &&str| {
        let path = root.join(file);
        let Some(language) = Language::of_path(&path) else { return false };
        let text = read_small(&path).unwrap_or_default();
        outer_classes(&DeclaredMethods::new(&text, language, &path)).contains(class)
    };
    files.filter(declares).collect()
}

/// The text of a file that is not too large.
pub(super) fn read_small(path: &Path) -> Option<String> {
    let facts = std::fs::metadata(path).ok()?;
    (facts.is_file() && facts.len() <= LARGEST).then(|| std::fs::read_to_string(path).ok())?
}

/// The classes that are in no other.
fn outer_classes(declared: &DeclaredMethods) -> FxHashSet<&str> {
    declared.all.iter().filter_map(|method| method.class.split('$').next()).collect()
}
