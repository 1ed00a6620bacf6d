//! The outcome of symbolising: sources of names, and files without any.

use std::collections::BTreeMap;

use wattle_timeline::{Note, Severity};

use crate::search::Refusal;
use crate::{BuildId, Unwound};

/// The source of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedBy {
    /// Symbols or debug data of an ELF file.
    Elf,
    /// Exports, symbols or debug data of a PE file.
    Pe,
    /// Procedures and public symbols of a PDB file.
    Pdb,
    /// A Dalvik executable.
    Dex,
    /// The map or the dump of a just-in-time compiler.
    PerfMap,
    /// The kernel's own table.
    Kallsyms,
}

impl NamedBy {
    fn text(self) -> &'static str {
        match self {
            Self::Elf => "ELF files",
            Self::Pe => "PE files",
            Self::Pdb => "PDB files",
            Self::Dex => "Dalvik executables",
            Self::PerfMap => "perf-PID.map or jit-PID.dump",
            Self::Kallsyms => "kallsyms",
        }
    }
}

/// A file that the recording has addresses of, and that is not there or of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFile {
    /// The recorder's name of it; empty for addresses outside of files.
    pub mapping: String,
    /// Its build id, where the recording says it.
    pub build_id: Option<BuildId>,
    /// The number of its frames without a name.
    pub frames: u64,
    /// The number of times they are in the stacks of samples.
    pub count: u64,
    pub(crate) refusal: Refusal,
}

/// The outcome of [`crate::symbolise`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbolised {
    /// Frames that have a name now, by what it comes from.
    pub named_by: BTreeMap<NamedBy, u64>,
    /// Frames that the compiler put in the place of their calls, made visible.
    pub inlined: u64,
    /// Shrunk methods that have their original name now: of frames, calls and places in code.
    pub renamed: u64,
    /// Those among them of which a mapping cannot tell which of several methods they were.
    pub ambiguous: u64,
    /// The outcome for stacks that the recorder copied.
    pub unwound: Unwound,
    /// Samples of tracepoints whose innermost frames were the tracing itself, and are left out.
    pub cut: u64,
    /// Files without names, the most frequent in stacks first.
    pub missing: Vec<MissingFile>,
    /// Parts of files that are damaged.
    pub damaged: Vec<String>,
    /// Whether the folders that a user named have more files than are looked at.
    pub is_cut: bool,
}

/// So many files are listed.
const LISTED: usize = 8;

impl Symbolised {
    /// The number of frames that have a name now.
    pub fn named(&self) -> u64 {
        self.named_by.values().sum()
    }

    /// Notes for a reader of the figures.
    pub(crate) fn notes(&self, has_sources: bool) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.named() > 0 {
            let by: Vec<String> = self
                .named_by
                .iter()
                .map(|(by, count)| format!("{count} by {}", by.text()))
                .collect();
            let inlined = match self.inlined {
                0 => String::new(),
                inlined => format!("; {inlined} inlined calls made visible"),
            };
            let text = format!("addresses of frames named: {}{inlined}", by.join(", "));
            notes.push(Note::new(Severity::Info, "symbols-named", text).times(self.named()));
        }
        if self.renamed > 0 {
            let ambiguous = match self.ambiguous {
                0 => String::new(),
                some => format!("; {some} can have been one of several methods (<OR>)"),
            };
            let text =
                format!("names of shrunk methods replaced by those of the mapping{ambiguous}");
            notes.push(Note::new(Severity::Info, "symbols-renamed", text).times(self.renamed));
        }
        notes.extend(self.unwound.notes());
        if self.cut > 0 {
            let text = "samples of tracepoints without the frames of tracing itself (__traceiter_*, perf_trace_* …): they stand for \
                        what the thread did";
            notes.push(Note::new(Severity::Info, "tracing-frames", text).times(self.cut));
        }
        notes.extend(self.missing_note(has_sources));
        for damaged in self.damaged.iter().take(LISTED) {
            notes.push(Note::new(Severity::Warning, "symbols-damaged", damaged.clone()));
        }
        if self.is_cut {
            let text = "the folders of symbols have more files, or deeper ones, than are looked at; name the ones that matter";
            notes.push(Note::new(Severity::Warning, "symbols-cut", text));
        }
        notes
    }

    fn missing_note(&self, has_sources: bool) -> Option<Note> {
        let count: u64 = self.missing.iter().map(|it| it.count).sum();
        if count == 0 {
            return None;
        }
        let mut listed: Vec<String> =
            self.missing.iter().take(LISTED).map(MissingFile::text).collect();
        if self.missing.len() > LISTED {
            listed.push(format!("{} more", self.missing.len() - LISTED));
        }
        let advice = if has_sources { "" } else { "; give the unstripped files with --symbols" };
        let text = format!("frames without a name, by file: {}{advice}", listed.join("; "));
        // Who did not ask for names is told, not warned.
        let severity = if has_sources { Severity::Warning } else { Severity::Info };
        Some(Note::new(severity, "symbols-missing", text).times(count))
    }
}

impl MissingFile {
    fn text(&self) -> String {
        let name = if self.mapping.is_empty() { "(no file)" } else { &self.mapping };
        let id = self.build_id.as_ref().map(|id| format!(", build id {id}")).unwrap_or_default();
        let why = match &self.refusal {
            Refusal::NotFound if self.mapping.starts_with("[kernel") => {
                ": give the device's /proc/kallsyms with --kallsyms".to_owned()
            }
            Refusal::NotFound => String::new(),
            Refusal::OtherBuild(path, id) => {
                format!(": {path} is refused, it has the build id {id}")
            }
            Refusal::Ambiguous(one, other) => {
                format!(": {one} and {other} are different builds; name one of them")
            }
            Refusal::NoCode(path) => {
                format!(
                    ": {path} has debug data only; the file itself is needed, too, to place addresses"
                )
            }
            Refusal::NoDex(path, location) => {
                format!(
                    ": names of {path} are in {location} as it was compiled, or in the .vdex file; give one of them, too"
                )
            }
            Refusal::NoSymbols(path) => format!(": {path} has no symbols there"),
        };
        format!("{name} ({} times{id}){why}", self.count)
    }
}
