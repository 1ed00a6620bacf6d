//! Contents of a container, through their importers.

use std::io::{Cursor, Read};

use wattle_import::{Artifact, BeforeFile, HEAD, Importer, Progress, Session, Source};

use crate::IngestError;
use crate::input_file::Input;
use crate::registry::FileType;

/// The error of a file that no importer reads.
pub(crate) fn wrong_type(input: Input<'_>, file_type: FileType) -> IngestError {
    IngestError::WrongType { name: input.name.to_owned(), title: file_type.title() }
}

/// Reads what is not packed.
pub(crate) fn import(
    importer: &dyn Importer,
    input: Input<'_>,
    source: Source<'_>,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let artifact = session.next_artifact();
    let Input { name, total, .. } = input;
    let before = BeforeFile::new(session);
    let read = importer.read(Artifact { name, total, source, progress }, session);
    before.finish(name, importer.format(), session);
    read?;
    if let Some(quality) = session.qualities.get(artifact) {
        progress.advance(quality.bytes, total);
    }
    session.note_kind(importer.format());
    Ok(())
}

/// Reads what gzip packed. Unpacking takes a tenth of the time to a fifth, so a thread of its own does it.
pub(crate) fn read_gzip(
    input: Input<'_>,
    packed: impl Read + Send,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let unpacker = flate2::read::MultiGzDecoder::new(packed);
    wattle_workers::read_ahead(unpacker, |unpacked| {
        read_unpacked(input, unpacked, session, progress)
    })
}

/// Reads what comes out of an unpacker, up to the budget of the run.
fn read_unpacked(
    input: Input<'_>,
    unpacked: impl Read + Send,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let mut unpacked = session.unpacking.reader(unpacked);
    let mut head = Vec::new();
    // An unpacker that fails here has given what it could; what that is decides.
    let failed = unpacked.by_ref().take(HEAD as u64).read_to_end(&mut head).err();
    let importer = match (input.file_type(&head), failed) {
        (FileType::Read(importer), _) => importer,
        (_, Some(source)) => {
            let (name, reason) = (input.name.to_owned(), source.to_string());
            return Err(IngestError::Gzip { name, reason });
        }
        (other, None) => return Err(wrong_type(input, other)),
    };
    let input = Input { total: None, ..input };
    let source = Source::Stream(Box::new(Cursor::new(head).chain(unpacked)));
    import(importer, input, source, session, progress)
}
