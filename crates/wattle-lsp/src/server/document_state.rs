//! An open file with what was worked out about it.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::documents::{AnnotatedFile, FileVersions, OpenDocument, RunTexts};
use crate::energy::{CallDetails, GroupEnergies};
use crate::source::Language;

/// An open file with what was worked out about it.
#[derive(Debug)]
pub(super) struct DocumentState {
    pub document: OpenDocument,
    /// The text that ran.
    before: Option<String>,
    /// The commit that it is of, where one is known.
    commit: Option<String>,
    /// Whether nothing was worked out yet.
    is_new: bool,
    versions: FileVersions,
    /// Figures by group; empty after a change.
    annotated: Vec<Arc<AnnotatedFile>>,
    is_changed: bool,
    /// Whether figures of its classes are of another file; `None` before anybody looked.
    is_elsewhere: Option<bool>,
    /// Texts of figures by group and row, as far as they were asked for: a keystroke changes none of them.
    figure_texts: Mutex<FxHashMap<(FigureForm, usize, usize), Arc<str>>>,
}

/// The place where a figure is shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum FigureForm {
    /// Behind a declaration.
    Hint,
    /// Over it.
    Hover,
}

/// The energies that files are annotated with.
#[derive(Clone, Copy)]
pub(super) struct KnownEnergies<'e> {
    pub groups: &'e [Arc<GroupEnergies>],
    /// Calls of the newest run of the first group that has it.
    pub details: Option<&'e CallDetails>,
}

impl DocumentState {
    pub fn new(document: OpenDocument) -> Self {
        Self {
            document,
            before: None,
            commit: None,
            is_new: true,
            versions: FileVersions::default(),
            annotated: Vec::new(),
            is_changed: true,
            is_elsewhere: None,
            figure_texts: Mutex::default(),
        }
    }

    /// Forgets what the text decides.
    pub fn changed(&mut self) {
        self.is_changed = true;
        self.annotated.clear();
    }

    /// Looks again at where methods came from: files were saved.
    pub fn files_changed(&mut self) {
        if self.versions.has_new_methods() {
            self.changed();
        }
    }

    /// Forgets what energies decide.
    pub fn forget_energies(&mut self) {
        self.annotated.clear();
        self.figure_texts.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The text of a row of a group, which is written on first use.
    pub fn figure_text(
        &self,
        form: FigureForm,
        (group, row): (usize, usize),
        write: impl FnOnce() -> String,
    ) -> Arc<str> {
        let mut texts = self.figure_texts.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(texts.entry((form, group, row)).or_insert_with(|| Arc::from(write())))
    }

    /// Whether figures of its classes are of another file: looked up once.
    pub fn is_elsewhere(&self) -> Option<bool> {
        self.is_elsewhere
    }

    /// Says whether they are.
    pub fn set_elsewhere(&mut self, is_elsewhere: bool) {
        self.is_elsewhere = Some(is_elsewhere);
        self.annotated.clear();
    }

    /// Works out what is missing.
    pub fn update(&mut self, energies: KnownEnergies<'_>, texts: &mut RunTexts) {
        let document = &self.document;
        let commit = energies.groups.first().and_then(|group| group.commit()).map(str::to_owned);
        let mut is_new_text = false;
        if self.is_new || self.commit != commit {
            let text = commit.as_deref().and_then(|commit| texts.get(&document.path, commit));
            self.before = text.map(str::to_owned);
            let both = (self.before.as_deref(), document.text());
            self.versions = FileVersions::new(&document.path, document.language, both);
            self.commit = commit;
            self.is_new = false;
            self.is_changed = false;
            self.annotated.clear();
            is_new_text = true;
        }
        if self.is_changed {
            self.versions.update(&document.path, document.language, document.text());
            self.is_changed = false;
            self.annotated.clear();
            is_new_text = true;
        }
        // What is new here may have come from elsewhere.
        if is_new_text
            && document.language != Language::Native
            && self.versions.has_new_methods()
            && let Some(commit) = self.commit.as_deref()
            && let Some((departed, inner)) = texts.departed(&document.path, commit)
        {
            self.versions.follow_from(&departed, &inner);
        }
        if self.is_elsewhere != Some(true) && self.annotated.is_empty() {
            let annotate = |group: &Arc<GroupEnergies>| {
                let of_group = |it: &&CallDetails| group.runs.runs.contains(&it.run);
                let details = energies.details.filter(of_group);
                Arc::new(AnnotatedFile::new(
                    (&document.path, document.language),
                    &self.versions,
                    (self.before.as_deref(), document.text()),
                    (group, details),
                ))
            };
            self.annotated = energies.groups.iter().map(annotate).collect();
        }
    }

    pub fn versions(&self) -> &FileVersions {
        &self.versions
    }

    /// The figures of a group beside the methods; nothing where there are none.
    pub fn annotated(&self, group: usize) -> Arc<AnnotatedFile> {
        self.annotated.get(group).cloned().unwrap_or_default()
    }
}
