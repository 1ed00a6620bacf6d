//! Files of the project that are not open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashMap;
use wattle_gate::format::SourcePlaces;

use super::document_state::{DocumentState, KnownEnergies};
use crate::documents::{OpenDocument, PositionEncoding, RunTexts};
use crate::energy::MethodName;
use crate::source::Language;

/// The most closed files that are remembered.
const MOST_FILES: usize = 32;
/// The largest file that is read.
const LARGEST: u64 = 4 << 20;

/// Files of the project that are not open, found by the names of their classes.
#[derive(Debug, Default)]
pub(super) struct ProjectFiles {
    places: Option<SourcePlaces>,
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
        let file = classes.into_iter().flatten().find_map(|class| places.of_class(class));
        let file = file.map(PathBuf::from);
        self.of_class.insert(outer.to_owned(), file.clone());
        file.map(|file| root.join(file))
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
        let text = std::fs::read_to_string(path).ok()?;
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
