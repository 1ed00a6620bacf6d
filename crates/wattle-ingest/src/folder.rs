//! Recording folders: `recording.json` and the artifacts beside it.

use std::path::{Path, PathBuf};

use crate::IngestError;
use crate::limits::MAX_FILES;
use crate::sniff::{HEAD, Looks, sniff};

/// The files that a path stands for: itself, or the artifacts of a recording folder.
pub(crate) fn artifacts(path: &Path) -> Result<Vec<PathBuf>, IngestError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let json = path.join("recording.json");
    if json.is_file() {
        return listed(path, &json);
    }
    let io = |source| IngestError::Io { path: path.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)?.take(MAX_FILES) {
        let file = entry.map_err(io)?.path();
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    let looked_at = files.len();
    files.retain(|file| matches!(look(file), Some(Looks::Perfetto | Looks::Gzip | Looks::Zip)));
    if files.is_empty() {
        let name = path.display().to_string();
        return Err(IngestError::NothingInside { name, files: looked_at });
    }
    Ok(files)
}

fn listed(folder: &Path, json: &Path) -> Result<Vec<PathBuf>, IngestError> {
    let io = |source| IngestError::Io { path: json.to_owned(), source };
    let wrong = |reason: String| IngestError::Recording { path: json.to_owned(), reason };
    let text = std::fs::read_to_string(json).map_err(io)?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    let list = value.get("artifacts").and_then(serde_json::Value::as_array);
    let list = list.ok_or_else(|| {
        wrong("expected {\"artifacts\": [\"file\", …]}, found no list of artifacts".to_owned())
    })?;
    let mut files = Vec::new();
    for artifact in list.iter().take(MAX_FILES) {
        // A plain name, or an object that has one among other facts.
        let file = artifact.as_str().or_else(|| artifact.get("file")?.as_str());
        let file = file.ok_or_else(|| wrong(format!("an artifact without a file: {artifact}")))?;
        let relative = Path::new(file);
        let is_inside = relative.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        if !is_inside {
            return Err(wrong(format!("artifact {file:?} lies outside the recording")));
        }
        let path = folder.join(relative);
        // Logs and the like have readers of their own.
        if !path.exists() || matches!(look(&path), Some(Looks::Perfetto | Looks::Gzip | Looks::Zip))
        {
            files.push(path);
        }
    }
    if files.is_empty() {
        let name = folder.display().to_string();
        return Err(IngestError::NothingInside { name, files: list.len() });
    }
    Ok(files)
}

fn look(file: &Path) -> Option<Looks> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(file).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
    Some(sniff(&head))
}
