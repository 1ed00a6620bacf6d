//! The description of one format, which stands beside its writer.

use std::io::Write;

use crate::{EnergyUnit, ExportError, ExportOptions, Extract, TableKind};

/// Writes all of an export.
pub(crate) type WriteWhole =
    fn(&Extract<'_>, ExportOptions, &mut dyn Write) -> Result<(), ExportError>;
/// Writes one table.
pub(crate) type WriteTable = fn(&Extract<'_>, TableKind, &mut dyn Write) -> Result<(), ExportError>;
/// Writes all tables into one file.
pub(crate) type WriteTables = fn(&Extract<'_>, &mut dyn Write) -> Result<(), ExportError>;

/// Everything that is true of a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatEntry {
    /// The word in flags.
    pub name: &'static str,
    /// Endings of the names of such files, the usual one first.
    pub endings: &'static [&'static str],
    /// The endings in words, where a list of them says too little.
    pub endings_note: Option<&'static str>,
    /// The programs that open it, for the help.
    pub description: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Whether it is not text.
    pub is_binary: bool,
    /// Whether it contains times.
    pub times: Times,
    /// The unit of its energies where no other is asked for; `None` where they are joules.
    pub unit: Option<EnergyUnit>,
    pub(crate) write: FormatWriter,
}

/// Whether a format contains times of call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// It has sums alone.
    None,
    /// They are among its data.
    Data,
    /// It has a time axis, on which paths without times are laid out.
    Axis,
}

/// The writer of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FormatWriter {
    /// A file holds the whole export.
    Whole(WriteWhole),
    /// A file holds a table.
    Tables {
        /// One of them.
        one: WriteTable,
        /// All of them as an archive, where the format has one.
        all: Option<WriteTables>,
    },
}

impl FormatEntry {
    /// A line of help: name, endings, programs.
    pub fn help(&self) -> String {
        let endings = self.endings_note.map_or_else(|| self.endings.join(" "), str::to_owned);
        match self.description {
            "" => format!("  {:<11} {endings}", self.name),
            description => format!("  {:<11} {endings:<27} {description}", self.name),
        }
    }

    /// The unit of its energies.
    pub(crate) fn unit(&self, options: ExportOptions) -> EnergyUnit {
        options.unit.or(self.unit).unwrap_or(EnergyUnit::Nanojoules)
    }
}
