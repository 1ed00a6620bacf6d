//! What is around a trace: nothing, gzip or a ZIP archive.

use std::io::{Cursor, Read, Seek, SeekFrom};

use wattle_timeline::{ArtifactQuality, Note, Severity, TimelineBuilder};

use crate::limits::{MAX_MEMBERS, MAX_RATIO, MAX_STREAMED_ZIP, MAX_UNPACKED};
use crate::sniff::{HEAD, Looks, sniff};
use crate::{IngestError, Progress, perfetto};

/// One artifact as it is named to people, and its size if that is known.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub name: &'a str,
    pub total: Option<u64>,
}

pub(crate) fn read_bytes(
    input: Input<'_>,
    bytes: &[u8],
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    match sniff(bytes.get(..HEAD).unwrap_or(bytes)) {
        Looks::Zip => read_zip(input, Cursor::new(bytes), builder, progress),
        looks => read_as(looks, input, bytes, builder, progress),
    }
}

pub(crate) fn read_file(
    input: Input<'_>,
    mut file: std::fs::File,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let looks = sniff(&head);
    if looks == Looks::Zip {
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        return read_zip(input, std::io::BufReader::new(file), builder, progress);
    }
    read_as(looks, input, Cursor::new(head).chain(file), builder, progress)
}

pub(crate) fn read_stream(
    input: Input<'_>,
    mut stream: impl Read,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    stream.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let looks = sniff(&head);
    if looks == Looks::Zip {
        // The directory of an archive is at its end.
        stream.take(MAX_STREAMED_ZIP).read_to_end(&mut head).map_err(io)?;
        return read_zip(input, Cursor::new(head), builder, progress);
    }
    read_as(looks, input, Cursor::new(head).chain(stream), builder, progress)
}

fn read_as(
    looks: Looks,
    input: Input<'_>,
    stream: impl Read,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    match looks {
        Looks::Perfetto => {
            let quality = read_trace(input, stream, builder, progress);
            builder.artifact(quality);
            Ok(())
        }
        Looks::Gzip => {
            let limit = input.total.unwrap_or(MAX_UNPACKED).saturating_mul(MAX_RATIO);
            let unpacked = flate2::read::MultiGzDecoder::new(stream);
            read_unpacked(input, unpacked, limit.min(MAX_UNPACKED), builder, progress)
        }
        looks => Err(IngestError::WrongType { name: input.name.to_owned(), looks }),
    }
}

/// Reads one trace, and says so if it is of another device than those before.
fn read_trace(
    input: Input<'_>,
    stream: impl Read,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> ArtifactQuality {
    let name = |builder: &TimelineBuilder| builder.device.device_name().map(str::to_owned);
    let before = name(builder);
    let mut quality = perfetto::read(input, stream, builder, progress);
    if let (Some(before), Some(now)) = (before, name(builder))
        && before != now
    {
        let text = format!(
            "is of another device ({now}) than an artifact before it ({before}): the artifacts are \
             not of one recording, and figures of them together mean nothing"
        );
        quality.notes.push(Note::new(Severity::Error, "other-device", text));
    }
    quality
}

/// Reads what comes out of an unpacker, up to the limit.
fn read_unpacked(
    input: Input<'_>,
    mut unpacked: impl Read,
    limit: u64,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let mut head = Vec::new();
    // An unpacker that fails here has given what it could; what that is decides.
    let failed = unpacked.by_ref().take(HEAD as u64).read_to_end(&mut head).err();
    let looks = sniff(&head);
    if looks != Looks::Perfetto {
        if let Some(source) = failed {
            let (name, reason) = (input.name.to_owned(), source.to_string());
            return Err(IngestError::Gzip { name, reason });
        }
        return Err(IngestError::WrongType { name: input.name.to_owned(), looks });
    }
    let rest = unpacked.take(limit.saturating_sub(head.len() as u64));
    let input = Input { total: None, ..input };
    let mut quality = read_trace(input, Cursor::new(head).chain(rest), builder, progress);
    note_limit(&mut quality, limit);
    builder.artifact(quality);
    Ok(())
}

fn note_limit(quality: &mut ArtifactQuality, limit: u64) {
    if quality.bytes >= limit {
        let text = format!("unpacks to more than {limit} bytes: the rest was not read");
        quality.notes.push(Note::new(Severity::Error, "unpacked-limit", text).at(limit));
    }
}

fn read_zip(
    input: Input<'_>,
    archive: impl Read + Seek,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let broken = |error: zip::result::ZipError| IngestError::Archive {
        name: input.name.to_owned(),
        reason: error.to_string(),
    };
    let mut archive = zip::ZipArchive::new(archive).map_err(broken)?;
    let app =
        [("AndroidManifest.xml", "an APK (Android app)"), ("BundleConfig.pb", "an app bundle")];
    let found = app.into_iter().find(|(file, _)| archive.index_for_name(file).is_some());
    if let Some((_, what)) = found {
        let looks = Looks::Other(what);
        return Err(IngestError::WrongType { name: input.name.to_owned(), looks });
    }
    let files = archive.len();
    let mut left = MAX_UNPACKED;
    let mut read_any = false;
    let mut first_error = None;
    for index in 0..files.min(MAX_MEMBERS) {
        let mut member = match archive.by_index(index) {
            Ok(member) if member.is_dir() => continue,
            Ok(member) => member,
            Err(error) => {
                first_error.get_or_insert(broken(error));
                continue;
            }
        };
        let name = member.name().map_or_else(|_| index.to_string(), |name| name.to_string());
        let limit = member.compressed_size().max(1).saturating_mul(MAX_RATIO).min(left);
        let shown = format!("{}/{name}", input.name);
        let inner = Input { name: &shown, total: None };
        let mut head = Vec::new();
        if member.by_ref().take(HEAD as u64).read_to_end(&mut head).is_err() && head.is_empty() {
            continue;
        }
        let rest = member.take(limit.saturating_sub(head.len() as u64));
        let stream = Cursor::new(head.clone()).chain(rest);
        match sniff(&head) {
            Looks::Perfetto => {
                let mut quality = read_trace(inner, stream, builder, progress);
                note_limit(&mut quality, limit);
                left = left.saturating_sub(quality.bytes);
                builder.artifact(quality);
                read_any = true;
            }
            Looks::Gzip => {
                let unpacked = flate2::read::MultiGzDecoder::new(stream);
                let result = read_unpacked(inner, unpacked, left, builder, progress);
                read_any |= result.is_ok();
            }
            _ => {}
        }
    }
    match first_error {
        _ if read_any => Ok(()),
        Some(error) => Err(error),
        None => Err(IngestError::NothingInside { name: input.name.to_owned(), files }),
    }
}
