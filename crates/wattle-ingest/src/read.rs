//! From files, bytes or a stream to a timeline.

use std::io::Read;
use std::path::{Path, PathBuf};

use wattle_timeline::{Timeline, TimelineBuilder};

use crate::container::{self, Input};
use crate::{IngestError, NoProgress, Progress, folder, perfetto};

/// Reads files or recording folders as the artifacts of one recording.
///
/// # Errors
/// If nothing could be read from one of them.
pub fn read_paths(paths: &[PathBuf]) -> Result<Timeline, IngestError> {
    read_paths_with(paths, &mut NoProgress)
}

/// [`read_paths`], told how far it is.
pub fn read_paths_with(
    paths: &[PathBuf],
    progress: &mut dyn Progress,
) -> Result<Timeline, IngestError> {
    if paths.is_empty() {
        return Err(IngestError::NoInput);
    }
    let mut files = Vec::new();
    for path in paths {
        files.extend(folder::artifacts(path)?);
    }
    let total = files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|m| m.len()).sum();
    let mut builder = TimelineBuilder::new();
    let mut before = 0;
    for path in &files {
        let mut counted = |done: u64, total_here: Option<u64>| {
            progress.advance(before + done, total_here.map(|_| total));
        };
        before += read_file(path, &mut builder, &mut counted)?;
    }
    Ok(finish(builder))
}

/// Reads one artifact that is in memory.
///
/// # Errors
/// If nothing could be read from it.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Timeline, IngestError> {
    let mut builder = TimelineBuilder::new();
    let input = Input { name, total: Some(bytes.len() as u64) };
    container::read_bytes(input, bytes, &mut builder, &mut NoProgress)?;
    Ok(finish(builder))
}

/// Reads one artifact from a stream.
///
/// # Errors
/// If nothing could be read from it.
pub fn read_stream(name: &str, stream: impl Read) -> Result<Timeline, IngestError> {
    read_stream_with(name, stream, &mut NoProgress)
}

/// [`read_stream`], told how far it is.
pub fn read_stream_with(
    name: &str,
    stream: impl Read,
    progress: &mut dyn Progress,
) -> Result<Timeline, IngestError> {
    let mut builder = TimelineBuilder::new();
    container::read_stream(Input { name, total: None }, stream, &mut builder, progress)?;
    Ok(finish(builder))
}

fn read_file(
    path: &Path,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<u64, IngestError> {
    let io = |source| IngestError::Io { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy());
    let input = Input { name: &name, total: Some(length) };
    container::read_file(input, file, builder, progress)?;
    Ok(length)
}

fn finish(builder: TimelineBuilder) -> Timeline {
    let mut timeline = builder.finish();
    perfetto::derive_tpus(&mut timeline);
    timeline
}
