//! Files that are no recordings, and what can be done with them instead.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::cli::{Baseline, BaselineVerb, RunsVerb, Verb};
use crate::exit::{Failure, Outcome};

/// Bytes at the start of a file that are looked at.
const HEAD: u64 = 4096;
/// Bytes at the end of an archive that are looked at: its directory.
const TAIL: u64 = 1 << 20;

/// The mark at the beginning of every page of ours.
const PAGE_MARK: &str = "<meta name=\"generator\" content=\"Wattle\">";

/// A file that is no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFile {
    /// An APK, or an archive of APKs.
    Package,
    /// An app bundle (`.aab`).
    Bundle,
    /// A Dalvik executable.
    Code,
    /// A page that Wattle wrote.
    Page,
    /// A `power_profile.xml`, as text.
    PowerProfile,
    /// A device model in TOML.
    DeviceModel,
    /// A `mapping.txt` of R8 or ProGuard.
    Mapping,
    /// The probe map of an instrumented app.
    ProbeMap,
}

impl OtherFile {
    /// Recognises a file by its content; `None` for recordings, for what is not known, and for what cannot be read.
    pub fn from_path(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head).ok()?;
        if head.starts_with(b"PK") {
            return Self::archive(path, &head, &mut file);
        }
        if head.starts_with(b"dex\n") {
            return Some(Self::Code);
        }
        let text = String::from_utf8_lossy(&head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        // Others' pages can be recordings: systrace writes such.
        let is_page = text.starts_with('<') && text.contains(PAGE_MARK);
        if is_page {
            return Some(Self::Page);
        }
        if text.starts_with('<') && text.contains("<device name=\"Android\"") {
            return Some(Self::PowerProfile);
        }
        if text.contains("wattle-device-model/") && !text.starts_with('{') {
            return Some(Self::DeviceModel);
        }
        if text.starts_with("# compiler: R8") || text.starts_with("# compiler: ProGuard") {
            return Some(Self::Mapping);
        }
        (text.starts_with('{') && text.contains("\"wattle_probe_map\"")).then_some(Self::ProbeMap)
    }

    /// An archive by the names in its directory.
    fn archive(path: &Path, head: &[u8], file: &mut File) -> Option<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        if ["apk", "apks", "apkm", "xapk"].iter().any(|known| ending == *known) {
            return Some(Self::Package);
        }
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail).ok()?;
        let has = |name: &[u8]| {
            [head, &tail].iter().any(|part| part.windows(name.len()).any(|window| window == name))
        };
        if has(b"base/manifest/AndroidManifest.xml") {
            return Some(Self::Bundle);
        }
        has(b"AndroidManifest.xml").then_some(Self::Package)
    }

    /// The kind of file, as part of a sentence.
    const fn noun(self) -> &'static str {
        match self {
            Self::Package => "an Android package",
            Self::Bundle => "an Android app bundle",
            Self::Code => "a Dalvik executable",
            Self::Page => "a page that Wattle wrote",
            Self::PowerProfile => "a power profile of a device",
            Self::DeviceModel => "a device model",
            Self::Mapping => "the mapping of a code shrinker",
            Self::ProbeMap => "the probe map of an instrumented app",
        }
    }

    /// Advice: the command for it.
    fn advice(self, path: &Path) -> String {
        let name = quoted(path);
        match self {
            Self::Package => format!("to measure it on a device run: wattle run {name}"),
            Self::Bundle => format!(
                "devices install packages: make them with `bundletool build-apks --bundle {name} --output app.apks`, \
                 then run: wattle run app.apks"
            ),
            Self::Code => format!("to insert probes run: wattle instrument {name}"),
            Self::Page => {
                "open it in a browser; reports are made of recordings and saved ledgers (`--save`)"
                    .to_owned()
            }
            Self::PowerProfile | Self::DeviceModel => {
                format!("to use it for a report run: wattle report TRACE --device-model {name}")
            }
            Self::Mapping => {
                format!("to restore names in a report run: wattle report TRACE --mapping {name}")
            }
            Self::ProbeMap => format!("it belongs to a recording: wattle report TRACE {name}"),
        }
    }
}

/// Refuses inputs of reports that are files of another kind.
pub fn refuse(verb: &Verb) -> Outcome {
    let inputs: Vec<&PathBuf> = match verb {
        Verb::Report(report) => report.traces.iter().collect(),
        Verb::Diagnose(diagnose) => diagnose.inputs.iter().collect(),
        Verb::Export(export) => export.inputs.iter().collect(),
        Verb::Top(top) => top.inputs.iter().collect(),
        Verb::Diff(diff) => diff.inputs(),
        Verb::Check(check) => check.runs.iter().collect(),
        Verb::Baseline(Baseline { verb: BaselineVerb::Set(set) }) => set.runs.iter().collect(),
        Verb::Runs(runs) => match &runs.verb {
            Some(RunsVerb::Import(import)) => import.files.iter().collect(),
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    // A probe map is read beside the recording of its app.
    let is_alone = inputs.len() == 1;
    for path in inputs {
        match OtherFile::from_path(path) {
            Some(OtherFile::ProbeMap) if !is_alone => {}
            _ => refuse_path(path)?,
        }
    }
    Ok(())
}

/// Refuses a file of another kind.
pub fn refuse_path(path: &Path) -> Outcome {
    match OtherFile::from_path(path) {
        None => Ok(()),
        Some(other) => {
            Err(Failure::Input(anyhow::anyhow!("this is {}; {}", other.noun(), other.advice(path))))
        }
    }
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\._-+:@,".contains(letter);
    if text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, content: &[u8], expected: Option<OtherFile>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        assert_eq!(OtherFile::from_path(&path), expected, "{name}");
    }

    #[test]
    fn files_are_told_apart_by_their_content() {
        use OtherFile as O;
        check("a.apk", b"PK\x03\x04", Some(O::Package));
        check("renamed.zip", b"PK\x03\x04....AndroidManifest.xml", Some(O::Package));
        check("a.aab", b"PK\x03\x04....base/manifest/AndroidManifest.xml", Some(O::Bundle));
        check("bugreport.zip", b"PK\x03\x04....bugreport.txt", None);
        check("a", b"dex\n035\0", Some(O::Code));
        let page = b"\n<!DOCTYPE html><meta name=\"generator\" content=\"Wattle\"><title>";
        check("a.html", page, Some(O::Page));
        check("systrace.html", b"<!DOCTYPE html><title>Android System Trace", None);
        check("p.xml", b"<?xml?><device name=\"Android\">", Some(O::PowerProfile));
        check("m.toml", b"schema = \"wattle-device-model/1\"", Some(O::DeviceModel));
        check("mapping.txt", b"# compiler: R8\n", Some(O::Mapping));
        check("trace", b"\x0a\x10", None);
        check("empty", b"", None);
    }

    #[test]
    fn paths_are_quoted_where_a_shell_would_part_them() {
        assert_eq!(quoted(Path::new("a/b.apk")), "a/b.apk");
        assert_eq!(quoted(Path::new("my app.apk")), "'my app.apk'");
    }
}
