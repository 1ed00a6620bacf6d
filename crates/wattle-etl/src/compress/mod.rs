//! Buffers of a log that Windows packed while it wrote it (`EVENT_TRACE_COMPRESSED_MODE`).
//!
//! Each buffer is packed by itself: its `WMI_BUFFER_HEADER` is as always, with `ETW_BUFFER_FLAG_COMPRESSED` set, and what follows is
//! one packed block. How is not said by the buffer, but by the log's first one, which is never packed: the field that elsewhere is
//! its state (`ETW_BUFFER_STATE`) holds a `COMPRESSION_FORMAT_*`. The packings are those of MS-XCA.

mod bits;
mod huffman;
mod lznt1;
mod output;
mod plain;
#[cfg(test)]
mod tests;

use thiserror::Error;

use output::Output;

/// The longest that a buffer may become, in bytes. Windows writes buffers of at most 16 MiB.
const LONGEST: usize = 64 << 20;

/// Compression of a log's buffers: `COMPRESSION_FORMAT_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// `COMPRESSION_FORMAT_LZNT1`.
    Lznt1,
    /// `COMPRESSION_FORMAT_XPRESS`: plain LZ77. What every version of Windows has written so far.
    Xpress,
    /// `COMPRESSION_FORMAT_XPRESS_HUFF`: LZ77 and Huffman.
    XpressHuffman,
}

/// Defect of a packed block, and the bytes unpacked before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{damage} after {} byte(s)", unpacked.len())]
pub(crate) struct CompressionError {
    /// The defect.
    pub(crate) damage: Damage,
    /// Bytes unpacked before the defect; they are valid.
    pub(crate) unpacked: Vec<u8>,
}

/// Defect of a packed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Damage {
    /// It ended before everything was unpacked.
    #[error("a packed buffer that ends too early")]
    Ended,
    /// A match from before the block's beginning.
    #[error("a packed buffer that repeats what it never held")]
    NothingToRepeat,
    /// A length or a chunk that cannot be.
    #[error("a packed buffer with an impossible length")]
    Length,
    /// Huffman codes that are no complete code.
    #[error("a packed buffer whose Huffman codes are none")]
    Codes,
    /// It is said to become longer than any buffer.
    #[error("a packed buffer that claims to be longer than any")]
    TooLong,
}

impl Compression {
    /// Of a log whose first buffer has this `State`; `None` where that is no packing.
    pub(crate) fn from_state(state: u32) -> Option<Self> {
        match state & 0xffff {
            2 => Some(Self::Lznt1),
            3 => Some(Self::Xpress),
            4 => Some(Self::XpressHuffman),
            _ => None,
        }
    }

    /// Unpacks `packed`, which is `length` bytes long once it is unpacked.
    pub(crate) fn decompress(
        self,
        packed: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, CompressionError> {
        if length > LONGEST {
            return Err(CompressionError { damage: Damage::TooLong, unpacked: Vec::new() });
        }
        let mut output = Output::new(packed.len(), length);
        let outcome = match self {
            Self::Lznt1 => lznt1::decompress(packed, &mut output),
            Self::Xpress => plain::decompress(packed, &mut output),
            Self::XpressHuffman => huffman::decompress(packed, &mut output),
        };
        match outcome {
            Ok(()) => Ok(output.into_bytes()),
            Err(damage) => Err(CompressionError { damage, unpacked: output.into_bytes() }),
        }
    }
}
