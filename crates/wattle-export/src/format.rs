//! The formats.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// pprof's protobuf (`profile.proto`), gzipped.
    Pprof,
    /// Firefox Profiler, processed profile format.
    Firefox,
    /// speedscope's own JSON.
    Speedscope,
    /// Collapsed stacks, a line each.
    Folded,
    /// A Perfetto trace.
    Perfetto,
    /// Chrome's Trace Event JSON.
    Chrome,
    /// Tables as comma-separated values.
    Csv,
    /// The ledger itself, as text.
    Json,
    /// Tables as Apache Parquet.
    Parquet,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Pprof,
        Self::Firefox,
        Self::Speedscope,
        Self::Folded,
        Self::Perfetto,
        Self::Chrome,
        Self::Csv,
        Self::Json,
        Self::Parquet,
    ];

    /// The word in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Firefox => "firefox",
            Self::Speedscope => "speedscope",
            Self::Folded => "folded",
            Self::Perfetto => "perfetto",
            Self::Chrome => "chrome",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Parquet => "parquet",
        }
    }

    /// How names of such files end, the usual ending first.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Pprof => &[".pb.gz", ".pprof"],
            Self::Firefox => &[".profile.json", ".firefox.json"],
            Self::Speedscope => &[".speedscope.json"],
            Self::Folded => &[".folded", ".collapsed"],
            Self::Perfetto => &[".perfetto-trace", ".pftrace"],
            Self::Chrome => &[".trace.json", ".chrome.json"],
            Self::Csv => &[".csv", ".csv.zip", ".zip"],
            Self::Json => &[".ledger.json", ".json"],
            Self::Parquet => &[".parquet"],
        }
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
        matches!(self, Self::Pprof | Self::Perfetto | Self::Parquet)
    }

    /// Whether it has a time axis, so that the ledger must say what paths drew when.
    pub const fn has_time(self) -> bool {
        matches!(self, Self::Firefox | Self::Perfetto | Self::Chrome | Self::Csv | Self::Parquet)
    }

    /// Whether it is tables, of which one file holds one.
    pub const fn is_tables(self) -> bool {
        matches!(self, Self::Csv | Self::Parquet)
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
