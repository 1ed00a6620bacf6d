//! Container of an artifact: none, gzip or a ZIP archive.

use std::io::{Cursor, Read, Seek, SeekFrom};

use wattle_import::{HEAD, Progress, Session, Source};

use crate::input_file::Input;
use crate::limits::MAX_STREAMED_ZIP;
use crate::registry::FileType;
use crate::unpacked::{import, read_gzip, wrong_type};
use crate::{IngestError, zip_archive};

pub(crate) fn read_bytes(
    input: Input<'_>,
    bytes: &[u8],
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    match input.file_type(bytes.get(..HEAD).unwrap_or(bytes)) {
        FileType::Zip => zip_archive::read(input, Cursor::new(bytes), session, progress),
        other => read_as(other, input, Source::Memory(bytes), session, progress),
    }
}

pub(crate) fn read_file(
    input: Input<'_>,
    mut file: std::fs::File,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let file_type = input.file_type(&head);
    if matches!(file_type, FileType::Zip) {
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        return zip_archive::read(input, std::io::BufReader::new(file), session, progress);
    }
    let is_regular = file.metadata().is_ok_and(|it| it.is_file());
    let source = if is_regular && file.seek(SeekFrom::Start(0)).is_ok() {
        Source::File(file)
    } else {
        Source::Stream(Box::new(Cursor::new(head).chain(file)))
    };
    read_as(file_type, input, source, session, progress)
}

pub(crate) fn read_stream(
    input: Input<'_>,
    mut stream: impl Read + Send,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    stream.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let file_type = input.file_type(&head);
    if matches!(file_type, FileType::Zip) {
        // The directory of an archive is at its end.
        stream.take(MAX_STREAMED_ZIP).read_to_end(&mut head).map_err(io)?;
        return zip_archive::read(input, Cursor::new(head), session, progress);
    }
    let source = Source::Stream(Box::new(Cursor::new(head).chain(stream)));
    read_as(file_type, input, source, session, progress)
}

fn read_as(
    file_type: FileType,
    input: Input<'_>,
    source: Source<'_>,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    match file_type {
        FileType::Gzip => read_gzip(input, source, session, progress),
        FileType::Read(importer) => import(importer, input, source, session, progress),
        other => Err(wrong_type(input, other)),
    }
}
