//! A method trace, read as it comes.

use std::io::Read;

use super::byte_source::ByteSource;
use super::data_header::{DataHeader, LENGTH, MAGIC, RecordLayout};
use super::fixed_records::{self, RecordsEnd, Shape};
use super::method_sink::MethodSink;
use super::trace_defect::TraceDefect;
use super::trace_keys::{LONGEST, SIGNATURE, TraceKeys};
use super::trace_packets;

/// Everything that a trace contains beside its methods and events.
#[derive(Debug, Default)]
pub struct TraceSummary {
    /// Threads, and how the trace was recorded.
    pub keys: TraceKeys,
    /// Header of the records; `None` where none follow.
    pub header: Option<DataHeader>,
    /// Length of the file in bytes, as far as it was read.
    pub bytes: u64,
    /// Defects and their offsets, in the order in which they were met.
    pub defects: Vec<(u64, TraceDefect)>,
}

/// Whether a file begins as a method trace does.
pub fn is_method_trace(head: &[u8]) -> bool {
    [MAGIC, SIGNATURE].iter().any(|signature| head.starts_with(signature))
}

/// Reads a trace: its methods and events go to the sink while they are read.
pub fn read_method_trace(stream: impl Read, sink: &mut impl MethodSink) -> TraceSummary {
    let mut source = ByteSource::new(stream);
    let mut summary = TraceSummary::default();
    if source.ahead(SIGNATURE.len()).starts_with(SIGNATURE) {
        while let Some(line) = source.line(LONGEST) {
            if !summary.keys.line(&line, sink) {
                break;
            }
        }
        if !summary.keys.is_whole() {
            summary.defects.push((source.offset(), TraceDefect::KeysCut));
        }
    }
    if source.ahead(MAGIC.len()).starts_with(MAGIC) {
        match DataHeader::parse(source.ahead(LENGTH)) {
            Ok(header) => {
                summary.header = Some(header);
                read_events(&mut source, header, &mut summary, sink);
            }
            Err(text) => summary.defects.push((source.offset(), TraceDefect::Header(text))),
        }
    } else if summary.keys.is_whole() && !source.ahead(1).is_empty() {
        summary.defects.push((source.offset(), TraceDefect::NoHeader));
    }
    summary.bytes = source.offset();
    if let Some(failure) = source.failure {
        summary.defects.push((summary.bytes, TraceDefect::Input(failure)));
    }
    summary
}

fn read_events<R: Read>(
    source: &mut ByteSource<R>,
    header: DataHeader,
    summary: &mut TraceSummary,
    sink: &mut impl MethodSink,
) {
    source.ahead(header.offset);
    source.skip(header.offset);
    let keys = &mut summary.keys;
    let end = match header.layout {
        RecordLayout::Packets => trace_packets::read(source, header.is_dual(), keys, sink),
        RecordLayout::Records { size, thread, is_streaming } => {
            let shape = Shape { size, thread };
            if is_streaming {
                fixed_records::read_streamed(source, shape, keys, sink)
            } else {
                fixed_records::read(source, shape, sink)
            }
        }
    };
    let at = source.offset();
    match end {
        RecordsEnd::Whole if is_method_trace(source.ahead(SIGNATURE.len())) => {
            summary.defects.push((at, TraceDefect::AnotherTrace));
        }
        RecordsEnd::Whole => {}
        RecordsEnd::Cut => summary.defects.push((at, TraceDefect::RecordCut)),
        RecordsEnd::Unknown(kind) => summary.defects.push((at, TraceDefect::UnknownKind(kind))),
    }
    let is_streamed = !matches!(header.layout, RecordLayout::Records { is_streaming: false, .. });
    if is_streamed && end == RecordsEnd::Whole && !summary.keys.is_whole() {
        summary.defects.push((at, TraceDefect::NoSummary));
    }
}
