//! The three files of Intel's Power Auto-Analyzer, by its names, as comma-separated values (RFC 4180).
//!
//! Intel's article says what the tables hold; its pictures of them are gone, and with them the words at the head of each column. Ours
//! say the same with units. Intel's own columns come first, in the article's order, then ours. Its report headed each table with the
//! process and the thread: here they are the first columns, so that a file is one table, and a spreadsheet can sort and filter it.

mod common_stacks;
mod csv_field;
mod disk_io;
mod region_figures;

use std::io::Write;

use wattle_diagnose::Diagnosis;

use self::csv_field::Fields;

/// One of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CsvFile {
    /// Regions by common call stack, highest mean CPU use first.
    CommonStacks,
    /// Figures of each region.
    Statistics,
    /// Operations of disks by thread, in order of time.
    DiskIo,
}

impl CsvFile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CommonStacks, Self::Statistics, Self::DiskIo];

    /// Returns the name that Intel's analyzer gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CommonStacks => "CommonStacks_HighCPUUsageRegions.csv",
            Self::Statistics => "Statistic_HighCPUUsageRegion.csv",
            Self::DiskIo => "DiskIO_Statistics.csv",
        }
    }

    /// Returns the headings of its columns.
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::CommonStacks => &common_stacks::COLUMNS,
            Self::Statistics => &region_figures::COLUMNS,
            Self::DiskIo => &disk_io::COLUMNS,
        }
    }

    /// Writes it. It begins with the mark of UTF-8, without which a common spreadsheet takes paths for another encoding.
    pub fn write(self, diagnosis: &Diagnosis, to: &mut dyn Write) -> std::io::Result<()> {
        to.write_all("\u{feff}".as_bytes())?;
        let mut fields = Fields::new(to);
        fields.head(self.columns())?;
        match self {
            Self::CommonStacks => common_stacks::write(diagnosis, &mut fields)?,
            Self::Statistics => region_figures::write(diagnosis, &mut fields)?,
            Self::DiskIo => disk_io::write(diagnosis, &mut fields)?,
        }
        fields.finish()
    }
}

/// Name and text of each file.
pub fn csv_files(diagnosis: &Diagnosis) -> std::io::Result<Vec<(&'static str, String)>> {
    let text = |file: CsvFile| {
        let mut bytes = Vec::new();
        file.write(diagnosis, &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(std::io::Error::other)?;
        Ok((file.name(), text))
    };
    CsvFile::ALL.into_iter().map(text).collect()
}
