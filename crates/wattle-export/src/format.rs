//! The registry of formats: one line each.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::{
    chrome, csv_tables, firefox, folded, json, parquet_tables, perfetto, pprof, speedscope,
};

/// Lists the formats: a name for each, and the entry that describes it.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident: $entry:expr,)*) => {
        /// A format of another program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Format {
            $($(#[$doc])* $name,)*
        }

        impl Format {
            /// All of them, in the order of help.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            /// Everything that is true of the format.
            pub const fn entry(self) -> &'static FormatEntry {
                match self {
                    $(Self::$name => &$entry,)*
                }
            }
        }
    };
}

// Where two endings of one length fit, the later format wins.
formats! {
    /// pprof's protobuf (`profile.proto`), gzipped.
    Pprof: pprof::FORMAT,
    /// Firefox Profiler, processed profile format.
    Firefox: firefox::FORMAT,
    /// speedscope's own JSON.
    Speedscope: speedscope::FORMAT,
    /// Collapsed stacks, a line each.
    Folded: folded::FORMAT,
    /// A Perfetto trace.
    Perfetto: perfetto::FORMAT,
    /// Chrome's Trace Event JSON.
    Chrome: chrome::FORMAT,
    /// Tables as comma-separated values.
    Csv: csv_tables::FORMAT,
    /// The ledger itself, as text.
    Json: json::FORMAT,
    /// Tables as Apache Parquet.
    Parquet: parquet_tables::FORMAT,
}

impl Format {
    /// The word in flags.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// Endings of the names of such files, the usual one first.
    pub const fn endings(self) -> &'static [&'static str] {
        self.entry().endings
    }

    /// The format that a file's name asks for: the one with the longest ending that fits.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let fits = |format: &Self| {
            format.endings().iter().filter(|ending| name.ends_with(**ending)).map(|e| e.len()).max()
        };
        Self::ALL
            .into_iter()
            .filter_map(|format| Some((fits(&format)?, format)))
            .max_by_key(|(length, _)| *length)
            .map(|(_, format)| format)
    }

    /// Whether it is not text.
    pub const fn is_binary(self) -> bool {
        self.entry().is_binary
    }

    /// Whether it has a time axis.
    pub const fn has_time_axis(self) -> bool {
        matches!(self.entry().times, Times::Axis)
    }

    /// Whether it can say what call paths drew when, so that the ledger should know it.
    pub const fn has_times(self) -> bool {
        !matches!(self.entry().times, Times::None)
    }

    /// Whether it is tables, of which one file holds one.
    pub const fn is_tables(self) -> bool {
        matches!(self.entry().write, FormatWriter::Tables { .. })
    }

    /// Whether a file of that name holds all tables.
    pub fn is_archive(self, path: &Path) -> bool {
        matches!(self.entry().write, FormatWriter::Tables { all: Some(_), .. })
            && path.extension().is_some_and(|end| end == "zip")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.name() == word).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_format() {
        for (name, expected) in [
            ("run.pb.gz", Some(Format::Pprof)),
            ("x/RUN.PPROF", Some(Format::Pprof)),
            ("run.profile.json", Some(Format::Firefox)),
            ("run.speedscope.json", Some(Format::Speedscope)),
            ("run.folded", Some(Format::Folded)),
            ("run.pftrace", Some(Format::Perfetto)),
            ("run.trace.json", Some(Format::Chrome)),
            ("run.ledger.json", Some(Format::Json)),
            ("run.json", Some(Format::Json)),
            ("run.csv", Some(Format::Csv)),
            ("run.zip", Some(Format::Csv)),
            ("run.parquet", Some(Format::Parquet)),
            ("run.gz", None),
            ("run", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn every_format_is_told_by_its_own_word_and_endings() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for ending in format.endings() {
                let name = format!("energy{ending}");
                assert_eq!(Format::of_name(Path::new(&name)), Some(format), "{name}");
            }
        }
    }
}
