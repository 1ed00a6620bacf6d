//! Reading and writing `recording.json`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use crate::{Artifact, Recording, RecordingError};

/// Its name in the folder.
pub const FILE_NAME: &str = "recording.json";
/// Largest description that is read. Real ones have kilobytes.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the description of a recording folder.
///
/// # Errors
/// If there is none, it cannot be read, or it is none.
pub fn load(folder: &Path) -> Result<Recording, RecordingError> {
    use std::io::Read as _;
    let path = folder.join(FILE_NAME);
    let io = |source| RecordingError::Io { path: path.clone(), source };
    // A pipe would be waited for without end.
    if !path.metadata().map_err(io)?.is_file() {
        return Err(RecordingError::Malformed {
            path,
            reason: "expected a regular file, found something else".to_owned(),
        });
    }
    let mut text = String::new();
    let file = std::fs::File::open(&path).map_err(io)?;
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(io)?;
    parse(&path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Recording, RecordingError> {
    serde_json::from_str(text).map_err(|error| RecordingError::Malformed {
        path: path.to_owned(),
        reason: format!("expected a recording with a list of artifacts, found: {error}"),
    })
}

/// Writes the description into a recording folder, so that at no time half of it is there.
///
/// # Errors
/// If the folder cannot be written.
pub fn save(recording: &Recording, folder: &Path) -> Result<(), RecordingError> {
    let path = folder.join(FILE_NAME);
    let unfinished: PathBuf = folder.join(format!("{FILE_NAME}.unfinished"));
    let io = |source| RecordingError::Io { path: path.clone(), source };
    let mut text = serde_json::to_vec_pretty(recording).map_err(|error| io(error.into()))?;
    text.push(b'\n');
    std::fs::write(&unfinished, text).map_err(io)?;
    std::fs::rename(&unfinished, &path).map_err(io)
}

/// An artifact is an object, or its file's name alone.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub(crate) enum Listed {
    /// The name of the file in the folder.
    Name(String),
    /// The file with what is known of it.
    Whole(Artifact),
}

/// Reads the list of artifacts in both of its forms.
pub(crate) fn artifacts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Artifact>, D::Error> {
    let listed = Vec::<Listed>::deserialize(from)?;
    let artifact = |listed| match listed {
        Listed::Whole(artifact) => artifact,
        Listed::Name(file) => {
            Artifact { file, kind: None, bytes: None, partial: false, iteration: None }
        }
    };
    Ok(listed.into_iter().map(artifact).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::{ArtifactKind, DeviceFacts};

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = std::env::temp_dir().join(format!("wattle-recording-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let recording = Recording {
            wattle_recording: crate::VERSION,
            device: Some(DeviceFacts {
                serial: "x".into(),
                sdk: Some(34),
                ..DeviceFacts::default()
            }),
            artifacts: vec![Artifact {
                file: "log.txt".into(),
                kind: Some(ArtifactKind::Logcat),
                bytes: Some(7),
                partial: true,
                iteration: Some(1),
            }],
            ..Recording::default()
        };
        save(&recording, &folder).expect("saved");
        assert_eq!(load(&folder).expect("loaded"), recording);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[track_caller]
    fn check(text: &str, expected: Result<&[&str], &str>) {
        let found = parse(Path::new("recording.json"), text);
        match (found, expected) {
            (Ok(recording), Ok(files)) => {
                let found: Vec<&str> =
                    recording.artifacts.iter().map(|a| a.file.as_str()).collect();
                assert_eq!(found, files);
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn artifacts_come_as_names_or_objects_and_unknown_things_are_passed_over() {
        check(r#"{"artifacts": ["a", {"file": "b", "kind": "perfetto"}]}"#, Ok(&["a", "b"]));
        check(
            r#"{"later": 1, "artifacts": [{"file": "c", "kind": "of-a-later-version"}]}"#,
            Ok(&["c"]),
        );
        check(r#"{"artifacts": 7}"#, Err("list of artifacts"));
        check("photo", Err("found"));
    }
}
